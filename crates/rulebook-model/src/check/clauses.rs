//! Clauses: each becomes its checked form, in the order of force.
//!
//! Invariant: acts are known before any clause asks about them, and what an act binds is known before
//! any clause that follows it.

use std::collections::BTreeMap;
use std::sync::Arc;

use rulebook_syntax::ast::{self, ExprKind};
use rulebook_syntax::{Diagnostic, Severity, Source, Span, codes, parse};

use super::names::{ABLE, ATTACK, Scope, bit};
use super::{Checker, derive, intern};
use crate::draft::{ClauseDraft, FormDraft, Loc, suggest};
use crate::layer::{Layers, PRELUDE, Placed};
use crate::ruleset::{ActFilter, Author, Choice, Clause, Code, Context, Effect, Form, Term};
use crate::types::Type;
use crate::value::Value;

pub(super) type Bindings = Vec<(String, u16, Type)>;

/// Most clauses that apply each other in a chain.
const MAX_APPLIED: usize = 8;
const PLY: &str = "ply";
/// In `exception_to`: every clause that decides the same thing.
const ALL: &str = "all";

fn contexts(list: &[Context]) -> u32 {
    list.iter().fold(0, |bits, context| bits | bit(*context))
}

/// Calls a function on the number of every clause that effects apply.
fn each_application(effects: &mut [Effect], visit: &mut dyn FnMut(&mut u16)) {
    for effect in effects {
        match effect {
            Effect::Apply(clause, _) => visit(clause),
            Effect::If(_, yes, no) => {
                each_application(yes, visit);
                each_application(no, visit);
            }
            Effect::For(_, _, body) => each_application(body, visit),
            _ => {}
        }
    }
}

/// The first application that goes too deep: from a clause at the end of a long chain, or in a circle.
fn too_deep(calls: &[(usize, usize, usize)]) -> Option<usize> {
    let mut depths: BTreeMap<usize, usize> = BTreeMap::new();
    // In a circle they grow without end; in a chain they are right after as many rounds as it is long.
    for _ in 0..=MAX_APPLIED {
        for (from, target, _) in calls {
            let depth = depths.get(from).copied().unwrap_or(0) + 1;
            let known = depths.entry(*target).or_default();
            *known = depth.max(*known);
        }
    }
    // From a clause that is deep itself, so that what only leads to a circle is not blamed.
    let deep = |clause: &usize, least: usize| depths.get(clause).is_some_and(|depth| *depth >= least);
    let mut calls = calls.iter();
    calls
        .find(|(from, target, _)| deep(from, MAX_APPLIED) && deep(target, MAX_APPLIED + 1))
        .map(|(.., at)| *at)
}

/// Whether the conditions of a clause are known to fail.
fn is_dead(clause: &Clause) -> bool {
    let always = |code: &Code, value| matches!(code.term, Term::Const(Value::Truth(truth)) if truth == value);
    let condition = match &clause.form {
        Form::Forbid { banned: code, .. } | Form::Ends { condition: code, .. } => Some(code),
        _ => None,
    };
    let never = |code: &Code| {
        let within = |term: &Term| matches!(term, Term::Binary(ast::Binary::And, _, b) if matches!(**b, Term::Const(Value::Truth(false))));
        always(code, false) || within(&code.term)
    };
    condition.into_iter().chain(&clause.when).any(never)
        || clause.unless.iter().any(|code| always(code, true))
}

impl Checker<'_> {
    pub(super) fn clauses(&mut self, layers: &Layers) {
        for placed in &layers.clauses {
            match &placed.clause.form {
                Some(FormDraft::Move(_, _, act)) => {
                    if let Some(act) = act {
                        self.is_act_name(act);
                    }
                    let name = act.as_ref().map_or("move", |act| act.text.as_str());
                    intern(&mut self.rules.acts, name);
                }
                Some(FormDraft::Act(act)) => {
                    self.is_act_name(act);
                    intern(&mut self.rules.acts, &act.text);
                }
                Some(FormDraft::Event(event, _)) => {
                    intern(&mut self.rules.events, &event.text);
                }
                _ => {}
            }
        }
        let mut bound: BTreeMap<u16, Bindings> = BTreeMap::new();
        let mut made: Vec<Option<Clause>> = layers.clauses.iter().map(|_| None).collect();
        for stage in 0..3 {
            for (slot, placed) in made.iter_mut().zip(&layers.clauses) {
                let own = match &placed.clause.form {
                    Some(FormDraft::Move(..) | FormDraft::Act(_)) => 0,
                    Some(FormDraft::Event(..)) => 2,
                    _ => 1,
                };
                if own == stage {
                    *slot = self.clause(placed, layers, &mut bound);
                }
            }
            self.of_plies = bound.values().flatten().cloned().collect();
        }
        self.rules.clauses = made.into_iter().flatten().collect();
        for placed in &layers.unplaced {
            self.clause(placed, layers, &mut bound);
        }
        self.next_brackets(layers);
        self.applications(layers);
        self.yields(layers);
        self.yield_circles();
        self.able_cycles();
    }

    fn clause(
        &mut self,
        placed: &Placed,
        layers: &Layers,
        bound: &mut BTreeMap<u16, Bindings>,
    ) -> Option<Clause> {
        let draft = &placed.clause;
        let faults = self.out.len();
        let made = self.formal(placed, layers, bound);
        if self.out.iter().skip(faults).any(|diagnostic| diagnostic.severity == Severity::Error) {
            self.faulty.insert(draft.id.text.clone());
        } else if made.as_ref().is_some_and(is_dead) {
            let message = format!("clause `{}` can never apply", draft.id.text);
            self.out.push(draft.id.warning(codes::CLAUSE_UNREACHABLE, message));
        }
        made
    }

    fn formal(
        &mut self,
        placed: &Placed,
        layers: &Layers,
        bound: &mut BTreeMap<u16, Bindings>,
    ) -> Option<Clause> {
        let draft = &placed.clause;
        let source = Arc::clone(&draft.formal);
        self.texts(placed);
        let form = draft.form.as_ref()?;
        let mut scope = Scope::new(&source, 0);
        let mut form = self.form(form, draft, &mut scope, bound)?;
        let condition = |this: &mut Self, expr: &Option<ast::Expr>| {
            expr.as_ref().map(|expr| this.code(expr, &Type::Truth, &scope))
        };
        let (when, unless) = (condition(self, &draft.when), condition(self, &draft.unless));
        let phase = self.within(&draft.within);
        if let (Form::Turn(code), Some(phase)) = (&mut form, &phase) {
            // A turn has no condition of its own; in other phases it decides nothing.
            let player = std::mem::replace(&mut code.term, Term::Const(Value::Nothing));
            let nobody = Term::Const(Value::Nothing);
            code.term = Term::If(Box::new(phase.clone()), Box::new(player), Box::new(nobody));
        }
        let when = match (phase, when) {
            (Some(phase), Some(Code { term, slots })) => {
                Some(Code { term: Term::Binary(ast::Binary::And, Box::new(phase), Box::new(term)), slots })
            }
            (Some(term), None) => Some(Code { term, slots: 0 }),
            (None, when) => when,
        };
        Some(Clause {
            id: draft.id.text.clone(),
            title: draft.title.clone(),
            says: draft.says.clone(),
            cites: draft.cites.iter().map(|cite| cite.text.clone()).collect(),
            origin: placed.origin.clone(),
            source: Arc::clone(&draft.id.source),
            span: draft.id.span,
            when,
            unless,
            overrides: draft.overrides.as_ref().map(|id| id.text.clone()).or_else(|| {
                let replaced = &layers.replaced;
                replaced.iter().find(|gone| gone.by == draft.id.text).map(|gone| gone.id.clone())
            }),
            yields: Vec::new(),
            form,
        })
    }

    /// Whether it is one of some phases; nothing if none are named.
    fn within(&mut self, phases: &[Loc]) -> Option<Term> {
        let mut named = Vec::new();
        for phase in phases {
            if self.rules.phases.contains(&phase.text) {
                named.push(Value::Text(phase.text.clone()));
            } else if !self.lost.contains(&phase.text) {
                let message = format!("`{}` is not a phase", phase.text);
                let known = self.rules.phases.iter().map(String::as_str);
                let fault = suggest(phase.error(codes::NAME_UNKNOWN, message), &phase.text, known);
                self.out.push(fault);
            }
        }
        let (phase, list) = (Term::Var(0, Vec::new()), Term::Const(Value::List(named)));
        (!phases.is_empty()).then(|| Term::Binary(ast::Binary::In, Box::new(phase), Box::new(list)))
    }

    fn is_act_name(&mut self, act: &Loc) {
        let (shape, _) = parse::is_name(&act.text);
        if !shape {
            self.out.push(act.error(codes::EXPR_SYNTAX, format!("`{}` is not a name", act.text)));
        } else if act.text == PLY {
            let message = format!("`{PLY}` means every act");
            self.out.push(act.error(codes::NAME_RESERVED, message));
        }
    }

    /// Sentences and citations.
    fn texts(&mut self, placed: &Placed) {
        let draft = &placed.clause;
        if placed.origin == PRELUDE || draft.id.source != self.top || draft.unread {
            return;
        }
        if draft.cites.is_empty() {
            let message = format!("clause `{}` cites no source", draft.id.text);
            self.out.push(draft.id.warning(codes::CLAUSE_NO_CITATION, message));
        }
        if draft.says.en.is_empty() || draft.says.zh.is_empty() {
            let message = format!("clause `{}` has no sentence in English and Chinese", draft.id.text);
            self.out.push(draft.id.warning(codes::CLAUSE_NO_SENTENCE, message));
        }
        draft.cites.iter().for_each(|cite| self.cited(cite));
    }

    /// A citation begins with a declared source, or is a row such as `A-1`.
    pub(super) fn cited(&mut self, cite: &Loc) {
        let row = !cite.text.contains(' ') && cite.text.contains('-');
        let key = cite.text.split(' ').next().unwrap_or("");
        if !row && !self.rules.sources.iter().any(|(known, _)| known == key) {
            let fault = cite.error(codes::CITE_UNKNOWN_SOURCE, format!("`{key}` is not a declared source"));
            let known = self.rules.sources.iter().map(|(known, _)| known.as_str());
            self.out.push(suggest(fault, key, known));
        }
    }

    fn filter(&mut self, acts: &[Loc]) -> ActFilter {
        if acts.iter().any(|act| act.text == PLY) || acts.is_empty() {
            return ActFilter::Any;
        }
        ActFilter::Only(acts.iter().filter_map(|act| self.act(&act.text, act.span, &act.source)).collect())
    }

    fn binds(&self, filter: &ActFilter, bound: &BTreeMap<u16, Bindings>) -> Bindings {
        let mut all = Bindings::new();
        for (act, bindings) in bound {
            if filter.admits(*act) {
                all.extend(
                    bindings
                        .iter()
                        .filter(|(name, ..)| !all.iter().any(|(n, ..)| n == name))
                        .cloned()
                        .collect::<Vec<_>>(),
                );
            }
        }
        all
    }

    /// Choices are typed in order, each seeing those before it; the names are added to the scope.
    fn choices(&mut self, choices: &[ast::Choice], scope: &mut Scope) -> Vec<Choice> {
        let mut made = Vec::new();
        for choice in choices {
            let (domain, ty) = self.typed_code(&choice.domain, scope);
            let member = ty.member().unwrap_or_else(|| {
                let message = format!("a choice is made from a collection; this is {}", self.describe(&ty));
                self.fault(&scope.source, codes::TYPE_MISMATCH, choice.domain.span, message);
                Type::Unknown
            });
            let name = &choice.name;
            self.is_free(name, &scope.source);
            let binding = self.bind(name, &member, scope);
            scope.bindings.push((name.text.clone(), binding, member));
            made.push(Choice { binding, domain });
        }
        made
    }

    fn form(
        &mut self,
        form: &FormDraft,
        draft: &ClauseDraft,
        scope: &mut Scope,
        bound: &mut BTreeMap<u16, Bindings>,
    ) -> Option<Form> {
        let of_act = contexts(&[
            Context::Mover,
            Context::Actor,
            Context::From,
            Context::To,
            Context::Piece,
            Context::Taken,
            Context::Played,
            Context::Now,
        ]);
        let during = of_act | bit(Context::Changed) | ATTACK;
        let rest = contexts(&[Context::Mover, Context::Played, Context::Stuck, Context::Now]) | ABLE | ATTACK;
        let then = |this: &mut Self, scope: &Scope| {
            draft.then.as_ref().map(|effects| this.effects(effects, scope)).unwrap_or_default()
        };
        Some(match form {
            FormDraft::Advice | FormDraft::Renumber(_) => Form::Advice,
            FormDraft::Move(pieces, path, act) => {
                let act = act.as_ref().map_or("move", |act| act.text.as_str());
                let act = intern(&mut self.rules.acts, act);
                let kinds = self.kinds(pieces);
                scope.contexts = of_act;
                let mut path = self.path(path, scope);
                let marks = std::mem::take(&mut scope.marks);
                for mark in &marks {
                    let name = ast::Name { text: mark.clone(), span: draft.id.span };
                    let binding = self.bind(&name, &Type::Site, scope);
                    path.marks.push(binding);
                    scope.bindings.push((mark.clone(), binding, Type::Site));
                }
                let marks = scope.bindings.len();
                let choices = self.choices(&draft.choose, scope);
                scope.contexts |= bit(Context::Changed);
                let then = then(self, scope);
                scope.contexts = of_act;
                bound.entry(act).or_default().extend(scope.bindings.clone());
                scope.hide_choices(marks);
                Form::Move { kinds, act, path: Arc::new(path), choices, then }
            }
            FormDraft::Act(act) => {
                let act = intern(&mut self.rules.acts, &act.text);
                let known = contexts(&[Context::Mover, Context::Actor, Context::Played, Context::Now]);
                scope.contexts = known | ATTACK | ABLE;
                let choices = self.choices(&draft.choose, scope);
                let able = scope.contexts;
                scope.contexts = during;
                let then = then(self, scope);
                scope.contexts = able;
                bound.entry(act).or_default().extend(scope.bindings.clone());
                Form::Act { act, choices, then }
            }
            FormDraft::Event(event, by) => {
                let event = intern(&mut self.rules.events, &event.text);
                scope.contexts = rest;
                let by = match by {
                    None => Author::Anyone,
                    Some(by) => match &*by.it.kind {
                        ExprKind::Name(name) if name.text == "anyone" => Author::Anyone,
                        ExprKind::Name(name) if name.text == "arbiter" => Author::Arbiter,
                        _ => Author::Player(self.code(&by.it, &Type::Player, scope)),
                    },
                };
                scope.contexts |= bit(Context::Actor);
                let choices = self.choices(&draft.choose, scope);
                self.arguments(event, &scope.bindings, draft);
                let then = then(self, scope);
                let otherwise = draft.otherwise.as_ref().map(|effects| self.effects(effects, scope));
                Form::Event { event, by, choices, then, otherwise }
            }
            FormDraft::Applied => {
                scope.contexts = rest | bit(Context::Actor);
                let choices = self.choices(&draft.choose, scope);
                Form::Applied { choices, then: then(self, scope) }
            }
            FormDraft::After(acts) => {
                let acts = self.filter(acts);
                scope.contexts = during;
                scope.bindings = self.binds(&acts, bound);
                let known = scope.bindings.len();
                let choices = self.choices(&draft.choose, scope);
                for (act, bindings) in bound.iter_mut().filter(|(act, _)| acts.admits(**act)) {
                    let _ = act;
                    bindings.extend(scope.bindings.iter().skip(known).cloned());
                }
                let then = then(self, scope);
                scope.hide_choices(known);
                Form::After { acts, choices, then }
            }
            FormDraft::Forbid { banned, acts, before } => {
                let acts = self.filter(acts);
                scope.contexts = if *before { of_act | ATTACK } else { during };
                scope.bindings = self.binds(&acts, bound);
                let mut inner = scope.clone();
                if !before {
                    inner.contexts |= bit(Context::Answerable);
                }
                Form::Forbid { acts, before: *before, banned: self.code(banned, &Type::Truth, &inner) }
            }
            FormDraft::Most(measure, acts) => {
                let acts = self.filter(acts);
                scope.contexts = during;
                scope.bindings = self.binds(&acts, bound);
                Form::Most { acts, measure: self.measured(measure, scope).0 }
            }
            FormDraft::Turn(player) => {
                scope.contexts = during;
                scope.bindings = self.binds(&ActFilter::Any, bound);
                Form::Turn(self.code(player, &Type::Player, scope))
            }
            FormDraft::Ends(condition, result) => {
                scope.contexts = rest;
                Form::Ends {
                    condition: self.code(condition, &Type::Truth, scope),
                    result: self.code(result, &Type::Outcome, scope),
                }
            }
            FormDraft::Rank(measure) => {
                scope.contexts = bit(Context::Tied);
                let entry = if self.rules.tables.is_empty() {
                    let message = "a ranking needs a table of entries; this file has no `tables`";
                    self.out.push(draft.id.error(codes::FILE_MISSING_KEY, message));
                    Type::Unknown
                } else {
                    Type::Row(0)
                };
                let inner = Self::with_local(scope, "entry", entry);
                Form::Rank(self.measured(measure, &inner).0)
            }
            FormDraft::Pairing(clause) => Form::Pairing(self.pairing_form(clause, draft, scope)?),
            FormDraft::List(name, choices, columns) => {
                let choices = self.choices(choices, scope);
                let columns = columns
                    .iter()
                    .map(|(name, expr)| (name.text.clone(), self.typed_code(expr, scope).0))
                    .collect();
                Form::List { name: name.text.clone(), choices, columns }
            }
        })
    }

    /// All clauses of an event come with the same, under the same names and in the same order.
    fn arguments(&mut self, event: u16, bindings: &Bindings, draft: &ClauseDraft) {
        let made: Vec<(u16, Type)> = bindings.iter().map(|(_, at, ty)| (*at, ty.clone())).collect();
        match self.rules.arguments.get(usize::from(event)) {
            None => {
                self.rules.arguments.resize(usize::from(event), None);
                self.rules.arguments.push(Some(made));
            }
            Some(None) => {
                if let Some(slot) = self.rules.arguments.get_mut(usize::from(event)) {
                    *slot = Some(made);
                }
            }
            Some(Some(known)) => {
                if !known.iter().map(|(at, _)| at).eq(made.iter().map(|(at, _)| at)) {
                    let name = |at: &u16| {
                        let name = self.rules.bindings.get(usize::from(*at));
                        name.map_or("", String::as_str).to_owned()
                    };
                    let names: Vec<String> = known.iter().map(|(at, _)| name(at)).collect();
                    let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
                    let message = format!("another clause of this event comes with {names}");
                    self.out.push(draft.id.error(codes::CLAUSE_CONFLICT, message));
                }
            }
        }
    }

    fn kinds(&mut self, pieces: &[Loc]) -> Vec<u8> {
        let mut kinds = Vec::new();
        for piece in pieces {
            if let Some(at) = self.kind_of(piece) {
                self.used.insert(piece.text.clone());
                kinds.push(at as u8);
            }
        }
        kinds
    }

    /// The clauses that others apply: each is one, gets what it wants, and applies itself in no circle.
    fn applications(&mut self, layers: &Layers) {
        let named = std::mem::take(&mut self.applied);
        let targets: Vec<Option<usize>> = named.iter().map(|(id, _)| self.in_force(id, layers)).collect();
        let wants: Vec<Option<Vec<u16>>> = self
            .rules
            .clauses
            .iter()
            .map(|clause| match &clause.form {
                Form::Applied { choices, .. } => Some(choices.iter().map(|choice| choice.binding).collect()),
                _ => None,
            })
            .collect();
        let mut used = vec![false; wants.len()];
        // Which clause applies which, and where that is said.
        let mut calls: Vec<(usize, usize, usize)> = Vec::new();
        let mut wrong: Vec<usize> = Vec::new();
        let mut clauses = std::mem::take(&mut self.rules.clauses);
        for (from, clause) in clauses.iter_mut().enumerate() {
            let mut settle = |slot: &mut u16| {
                let at = usize::from(*slot);
                let Some(target) = targets.get(at).copied().flatten() else { return };
                if wants.get(target).is_some_and(Option::is_none) {
                    wrong.push(at);
                }
                if let Some(used) = used.get_mut(target) {
                    *used = true;
                }
                calls.push((from, target, at));
                *slot = target as u16;
            };
            match &mut clause.form {
                Form::Event { then, otherwise, .. } => {
                    each_application(then, &mut settle);
                    otherwise.iter_mut().for_each(|effects| each_application(effects, &mut settle));
                }
                Form::Applied { then, .. } => each_application(then, &mut settle),
                _ => {}
            }
        }
        self.rules.clauses = clauses;
        for (id, _) in wrong.iter().filter_map(|at| named.get(*at)) {
            let message =
                format!("clause `{}` is no clause that can be applied: it has a form of its own", id.text);
            self.out.push(id.error(codes::LAYER_DANGLING, message));
        }
        for (_, target, at) in &calls {
            let Some((id, given)) = named.get(*at) else { continue };
            if let Some(Some(wants)) = wants.get(*target) {
                self.application(id, given, wants);
            }
        }
        if let Some((id, _)) = too_deep(&calls).and_then(|at| named.get(at)) {
            let message =
                format!("here clauses apply each other in a circle, or more than {MAX_APPLIED} deep");
            self.out.push(id.error(codes::LAYER_CYCLE, message));
        }
        for (clause, used) in self.rules.clauses.iter().zip(used) {
            if matches!(clause.form, Form::Applied { .. }) && !used && clause.source == self.top {
                let message = format!("no clause applies `{}`", clause.id);
                let code = codes::CLAUSE_UNREACHABLE;
                self.out.push(Diagnostic::warning(code, &clause.source, clause.span, message));
            }
        }
    }

    /// What a clause is applied with is what it wants.
    fn application(&mut self, id: &Loc, given: &[(Type, Span)], wants: &[u16]) {
        if given.len() != wants.len() {
            let name = |at: &u16| self.rules.bindings.get(usize::from(*at)).map_or("", String::as_str);
            let names: Vec<&str> = wants.iter().map(name).collect();
            let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
            let message = format!("clause `{}` comes with {names}", id.text);
            self.out.push(id.error(codes::TYPE_ARITY, message));
            return;
        }
        let scope = Scope::new(&id.source, 0);
        for ((ty, span), want) in given.iter().zip(wants) {
            let wanted = self.bound.get(want).cloned().unwrap_or(Type::Unknown);
            self.expect(ty, &wanted, *span, &scope);
        }
    }

    /// Which clauses go before which: `yields` names those that go first, `exception_to` those that go second.
    fn yields(&mut self, layers: &Layers) {
        for placed in &layers.clauses {
            let draft = &placed.clause;
            let Some(at) = self.rules.clauses.iter().position(|clause| clause.id == draft.id.text) else {
                continue;
            };
            for id in &draft.yields {
                if let Some(first) = self.in_force(id, layers) {
                    self.put_before(first, at);
                }
            }
            if draft.exception_to.iter().any(|id| id.text == ALL) {
                for second in 0..self.rules.clauses.len() {
                    if second != at && self.decide_one_thing(at, second) {
                        self.put_before(at, second);
                    }
                }
            }
            for id in draft.exception_to.iter().filter(|id| id.text != ALL) {
                if let Some(second) = self.in_force(id, layers) {
                    self.put_before(at, second);
                }
            }
        }
    }

    /// Clauses that go before each other in a circle would all give way.
    fn yield_circles(&mut self) {
        for at in 0..self.rules.clauses.len() {
            let mut seen: Vec<u16> = Vec::new();
            let mut next = vec![at as u16];
            while let Some(clause) = next.pop().and_then(|at| self.rules.clauses.get(usize::from(at))) {
                for first in &clause.yields {
                    if !seen.contains(first) {
                        seen.push(*first);
                        next.push(*first);
                    }
                }
            }
            // Each circle is reported once, at its last clause.
            let is_last = |first: &u16| {
                let back = |from: u16| {
                    self.rules.clauses.get(usize::from(from)).is_some_and(|c| !c.yields.is_empty())
                };
                usize::from(*first) <= at || !back(*first)
            };
            if seen.contains(&(at as u16))
                && seen.iter().all(is_last)
                && let Some(clause) = self.rules.clauses.get(at)
            {
                let message = format!("clause `{}` yields to itself in a circle", clause.id);
                let code = codes::LAYER_OVERRIDE_CYCLE;
                self.out.push(Diagnostic::error(code, &clause.source, clause.span, message));
                self.faulty.insert(clause.id.clone());
            }
        }
    }

    /// Whether two clauses decide the end of the game, or one event, or whose turn it is.
    fn decide_one_thing(&self, first: usize, second: usize) -> bool {
        match (
            self.rules.clauses.get(first).map(|c| &c.form),
            self.rules.clauses.get(second).map(|c| &c.form),
        ) {
            (Some(Form::Ends { .. }), Some(Form::Ends { .. }))
            | (Some(Form::Turn(_)), Some(Form::Turn(_))) => true,
            (Some(Form::Event { event: a, .. }), Some(Form::Event { event: b, .. })) => a == b,
            _ => false,
        }
    }

    fn put_before(&mut self, first: usize, second: usize) {
        if let Some(clause) = self.rules.clauses.get_mut(second) {
            clause.yields.push(first as u16);
        }
    }

    /// The place of a clause that is named, or of the one that took its place.
    pub(super) fn in_force(&mut self, id: &Loc, layers: &Layers) -> Option<usize> {
        let gone = layers.replaced.iter().find(|gone| gone.id == id.text).map(|gone| gone.by.as_str());
        let found = |clause: &Clause| clause.id == id.text || gone == Some(clause.id.as_str());
        let target = self.rules.clauses.iter().position(found);
        let broken = layers.clauses.iter().any(|placed| placed.clause.id.text == id.text);
        if target.is_none() && gone.is_none() && !broken {
            let message = format!("clause `{}` is not in force", id.text);
            let known = self.rules.clauses.iter().map(|clause| clause.id.as_str());
            let fault = suggest(id.error(codes::LAYER_DANGLING, message), &id.text, known);
            self.out.push(fault);
        }
        target
    }

    /// An act must not be possible only if it is possible.
    fn able_cycles(&mut self) {
        let mut asks: BTreeMap<u16, Vec<u16>> = BTreeMap::new();
        for clause in &self.rules.clauses {
            let act = match &clause.form {
                Form::Act { act, .. } | Form::Move { act, .. } => *act,
                _ => continue,
            };
            derive::walk_clause(&self.rules, clause, &mut |term| {
                if let Term::Able(asked, ..) = term {
                    let every = 0..self.rules.acts.len() as u16;
                    let asked = asked.map_or(every, |asked| asked..asked + 1);
                    asks.entry(act).or_default().extend(asked);
                }
            });
        }
        let mut circular: Vec<u16> = Vec::new();
        for (act, first) in &asks {
            if circular.contains(act) {
                continue;
            }
            let mut seen = first.clone();
            let mut at = 0;
            while let Some(next) = seen.get(at).copied() {
                for asked in asks.get(&next).into_iter().flatten() {
                    if !seen.contains(asked) {
                        seen.push(*asked);
                    }
                }
                at += 1;
            }
            if seen.contains(act) {
                circular.extend(&seen);
                let clause = self.rules.clauses.iter().find(
                    |clause| matches!(&clause.form, Form::Act { act: a, .. } | Form::Move { act: a, .. } if a == act),
                );
                if let Some(clause) = clause {
                    let name = self.rules.acts.get(usize::from(*act)).cloned().unwrap_or_default();
                    let message = format!("whether `{name}` is possible depends on itself");
                    let source: Arc<Source> = Arc::clone(&clause.source);
                    self.out.push(Diagnostic::error(codes::ACT_CYCLE, &source, clause.span, message));
                }
            }
        }
    }
}
