//! What happens besides a movement, as a short list of steps.
//!
//! Law: the steps do to a position what the clauses say that follow the act, in their order. A clause for
//! which that is not plain to see stays one step of the general engine.

use rulebook_machine::lane::{Ask, Guard, NO_SLOT, Op, Pick, Place, Reach, Shape, Step, Tally, content};
use rulebook_machine::position::pack;
use rulebook_machine::program::Type;
use rulebook_model::ruleset::{Builtin, Choice, Clause, Context, Effect, Form, Term};
use rulebook_model::{Sites, Value};
use rulebook_syntax::ast::{Binary, Quantifier};

use super::{Places, Recogniser, conjuncts};
use crate::simplify::{Known, constant, constant_sites, simplify};
use crate::templates::{Slots, words};

/// What a choice that follows a ply comes to in a zone: its clause, and the kinds; none if it is not asked for.
pub(super) type Settled = (u16, Option<Vec<u8>>);

/// What happens besides a movement.
pub(super) struct Following {
    pub(super) steps: Vec<Step>,
    /// Whether nothing but the moving piece changes.
    pub(super) plain: bool,
    pub(super) choice: Option<Pick>,
}

impl Recogniser<'_> {
    /// What happens besides the movement: the effects of the clause itself, then the clauses that follow.
    pub(super) fn recipe(
        &self,
        shape: &mut Shape,
        then: &[Effect],
        marks: &[(u16, (i8, i8))],
        settled: Option<&Settled>,
    ) {
        let known = self.marked(shape, marks);
        let Some(following) = self.following(shape, then, &known, settled) else { return };
        let special = matches!(shape.reach, Reach::Templates(_) | Reach::Walk);
        shape.plain = following.plain && !special;
        shape.recipe = Some(following.steps);
        shape.choice = following.choice;
    }

    /// What happens besides a ply: the effects of its clause, then the clauses that follow it.
    pub(super) fn following(
        &self,
        shape: &Shape,
        then: &[Effect],
        known: &Known,
        settled: Option<&Settled>,
    ) -> Option<Following> {
        self.passes.recipes.then_some(())?;
        let mut steps: Vec<Step> = Vec::new();
        let mut plain = true;
        for effect in then {
            self.effect(shape.clause, effect, known, Guard::Always, &mut steps, &mut plain).then_some(())?;
        }
        let mut choice: Option<Pick> = None;
        for (at, clause) in self.rules.clauses.iter().enumerate() {
            let Form::After { acts, choices, then } = &clause.form else { continue };
            if !acts.admits(shape.act) {
                continue;
            }
            let at = at as u16;
            let always = Term::Const(Value::Truth(true));
            let when = self.under(clause, &always, known);
            if !choices.is_empty() {
                let pick = match settled.filter(|(clause, _)| *clause == at) {
                    Some((_, None)) => continue,
                    Some((_, Some(kinds))) => {
                        let [one] = &choices[..] else { return None };
                        let tos = shape.tos.clone().unwrap_or_else(|| self.whole_board());
                        Pick { clause: at, binding: one.binding, tos, kinds: kinds.clone() }
                    }
                    None => self.pick(at, &when, choices, known)?,
                };
                if pick.tos.iter().all(|word| *word == 0) {
                    continue;
                }
                if choice.is_some() {
                    return None;
                }
                choice = Some(pick);
                let inner = |effect: &Effect, steps: &mut Vec<Step>, plain: &mut bool| {
                    self.effect(at, effect, known, Guard::Picked, steps, plain)
                };
                then.iter().all(|effect| inner(effect, &mut steps, &mut plain)).then_some(())?;
                continue;
            }
            let guard = match self.guard(&when, shape) {
                Some(Some(guard)) => guard,
                Some(None) => continue,
                None => match self.condition(&when, known).and_then(|query| self.keep(query)) {
                    Some(query) => Guard::Asked(query),
                    None => {
                        plain &= !changes_cells(then);
                        steps.push(Step { clause: at, guard: Guard::Always, op: Op::General });
                        continue;
                    }
                },
            };
            if let Some(slot) = self.settles(clause, then, guard) {
                steps.push(Step { clause: at, guard, op: Op::Settle(slot) });
                continue;
            }
            let (mut own, mut still) = (Vec::new(), plain);
            let done = then.iter().all(|effect| self.effect(at, effect, known, guard, &mut own, &mut still));
            if done {
                plain = still;
                if let Guard::Asked(_) = guard {
                    once(&mut own, guard);
                }
                for step in &mut own {
                    // To make false what holds is to make it false.
                    if let (Guard::Holds(tested), Op::Set(slot, 0)) = (step.guard, &step.op)
                        && tested == *slot
                    {
                        step.guard = Guard::Always;
                    }
                }
                steps.append(&mut own);
            } else {
                plain &= !changes_cells(then);
                steps.push(Step { clause: at, guard: Guard::Always, op: Op::General });
            }
        }
        self.fade(&mut steps)?;
        if steps.iter().any(|step| step.op == Op::General && self.again_or_end(step.clause)) {
            return None;
        }
        Some(Following { steps: merge_counts(steps), plain, choice })
    }

    /// A variable that lasts one ply fades unless the ply has set it: that must be plain to see. Where a
    /// question decides whether it is set, it is cleared in the other case.
    fn fade(&self, steps: &mut Vec<Step>) -> Option<()> {
        for (at, var) in self.rules.vars.iter().enumerate().filter(|(_, var)| var.fleeting) {
            let at = at as u16;
            let general = steps.iter().any(|step| step.op == Op::General);
            if general && steps.iter().any(|step| step.op == Op::General && self.assigns(step.clause, at)) {
                return None;
            }
            let written = self.slot_of(at);
            let places: Vec<usize> = (0..steps.len())
                .filter(|place| steps.get(*place).is_some_and(|step| writes(&step.op) == written))
                .collect();
            let doubtful = |place: &usize| steps.get(*place).is_some_and(|step| step.guard != Guard::Always);
            if !places.iter().any(doubtful) {
                continue;
            }
            let (Some((false, slot)), [place]) = (written, &places[..]) else { return None };
            let asked = matches!(steps.get(*place)?.guard, Guard::Asked(_) | Guard::Still);
            let site = var.ty == rulebook_model::types::Type::Site && var.each.is_empty();
            let reads = self.queries.borrow().iter().flatten().any(|ask| *ask == Ask::At(slot));
            let clause = steps.get(*place)?.clause;
            (asked && site && var.start == Value::Nothing && !reads && !general).then_some(())?;
            steps.insert(place + 1, Step { clause, guard: Guard::Else, op: Op::Unset(slot) });
        }
        Some(())
    }

    pub(super) fn slot_of(&self, var: u16) -> Option<(bool, u16)> {
        let var = self.program.vars.get(usize::from(var))?;
        Some((var.ty == Type::Sites, var.slot))
    }

    pub(super) fn assigns(&self, clause: u16, var: u16) -> bool {
        self.rules.clauses.get(usize::from(clause)).is_some_and(|clause| match &clause.form {
            Form::After { then, .. } | Form::Move { then, .. } => assigns(then, var),
            _ => false,
        })
    }

    pub(super) fn again_or_end(&self, clause: u16) -> bool {
        fn any(effects: &[Effect]) -> bool {
            effects.iter().any(|effect| match effect {
                Effect::Again | Effect::End(_) => true,
                Effect::If(_, yes, no) => any(yes) || any(no),
                Effect::For(_, _, body) => any(body),
                _ => false,
            })
        }
        self.rules.clauses.get(usize::from(clause)).is_some_and(|clause| match &clause.form {
            Form::After { then, .. } => any(then),
            _ => false,
        })
    }

    /// A choice of kinds on some sites of arrival.
    pub(super) fn pick(&self, clause: u16, when: &Term, choices: &[Choice], known: &Known) -> Option<Pick> {
        let [choice] = choices else { return None };
        let mut tos = Sites::first(self.rules.board.len());
        let mut parts = Vec::new();
        conjuncts(when.clone(), &mut parts);
        for part in parts {
            match &part {
                Term::Const(Value::Truth(true)) => {}
                Term::Const(_) => tos = Sites::EMPTY,
                Term::Binary(Binary::In, a, b) if matches!(**a, Term::Context(Context::To)) => {
                    tos = tos.intersection(&constant_sites(b)?);
                }
                _ => return None,
            }
        }
        let domain = simplify(self.rules, &choice.domain.term, known);
        let Some(Value::List(values)) = constant(&domain) else {
            // Where it is never asked for it does not matter what it would offer.
            return tos.is_empty().then(|| Pick {
                clause,
                binding: choice.binding,
                tos: Vec::new(),
                kinds: Vec::new(),
            });
        };
        let kinds: Option<Vec<u8>> = values
            .iter()
            .map(|value| match value {
                Value::Kind(kind) => Some(*kind),
                _ => None,
            })
            .collect();
        let mut kinds = kinds?;
        let all = kinds.len();
        kinds.dedup();
        (kinds.len() == all).then_some(())?;
        Some(Pick { clause, binding: choice.binding, tos: words(&tos), kinds })
    }

    /// The place of one value of a variable, for constant members of its indices.
    pub(super) fn offset(&self, var: u16, index: &[Term]) -> Option<u16> {
        let var = self.rules.vars.get(usize::from(var))?;
        let members: Vec<Value> = index.iter().map(|term| constant(term).cloned()).collect::<Option<_>>()?;
        (members.len() == var.each.len()).then_some(())?;
        self.rules.place(&var.each, &members).map(|place| place as u16)
    }

    /// When a step happens: a guard, never (`Some(None)`), or not to be said so simply.
    pub(super) fn guard(&self, term: &Term, shape: &Shape) -> Option<Option<Guard>> {
        match term {
            Term::Const(Value::Truth(true)) => Some(Some(Guard::Always)),
            Term::Const(_) => Some(None),
            Term::Var(var, index) => {
                let declared = self.program.vars.get(usize::from(*var))?;
                let offset = self.offset(*var, index)?;
                (declared.ty == Type::Truth).then_some(Some(Guard::Holds(declared.slot + offset)))
            }
            Term::Not(inner) => match &**inner {
                Term::IsEmpty(inner) if matches!(**inner, Term::Context(Context::Taken)) => {
                    Some(if never_takes(shape) { None } else { Some(Guard::Taken) })
                }
                _ => None,
            },
            Term::IsEmpty(inner) if matches!(**inner, Term::Context(Context::Taken)) => {
                Some(Some(if never_takes(shape) { Guard::Always } else { Guard::NotTaken }))
            }
            _ => None,
        }
    }

    /// The slot of the set variable that a clause does no more than narrow, looking only at itself and at
    /// what stands on its sites.
    pub(super) fn settles(&self, clause: &Clause, then: &[Effect], guard: Guard) -> Option<u16> {
        let [Effect::Set(var, index, code)] = then else { return None };
        if !index.is_empty() {
            return None;
        }
        let slot = Places(self.program).set(*var)?;
        if guard != Guard::Always || clause.when.is_some() || !self.passes.settle {
            return None;
        }
        let term = simplify(self.rules, &code.term, &self.known(None));
        looks_only_at(&term, *var, &mut Vec::new()).then_some(slot)
    }

    pub(super) fn effect(
        &self,
        clause: u16,
        effect: &Effect,
        known: &Known,
        guard: Guard,
        steps: &mut Vec<Step>,
        plain: &mut bool,
    ) -> bool {
        let op = match effect {
            Effect::If(condition, yes, no) => {
                let term = simplify(self.rules, &condition.term, known);
                let guards = match term {
                    Term::Const(Value::Truth(true)) => vec![(yes, guard)],
                    Term::Const(_) => vec![(no, guard)],
                    _ if guard == Guard::Always && no.is_empty() && taken_guard(&term).is_some() => {
                        vec![(yes, taken_guard(&term).unwrap_or(Guard::Always))]
                    }
                    // `if chosen = kind then …` inside a choice.
                    Term::Binary(Binary::Eq, a, b) if guard == Guard::Picked && no.is_empty() => {
                        match (&*a, &*b) {
                            (Term::Bound(_), Term::Const(Value::Kind(kind))) => {
                                vec![(yes, Guard::Chosen(*kind))]
                            }
                            _ => return false,
                        }
                    }
                    term => return self.branches(clause, &term, yes, no, known, guard, steps, plain),
                };
                return guards.into_iter().all(|(effects, guard)| {
                    effects.iter().all(|effect| self.effect(clause, effect, known, guard, steps, plain))
                });
            }
            Effect::Move(from, to) => {
                let place = |code: &rulebook_model::ruleset::Code| {
                    self.place(&simplify(self.rules, &code.term, known), known)
                };
                let (Some(from), Some(to)) = (place(from), place(to)) else { return false };
                *plain = false;
                Op::Move(from, to)
            }
            Effect::Remove(code) => {
                let sites = simplify(self.rules, &code.term, known);
                *plain = false;
                match self.place(&sites, known) {
                    Some(place) => Op::Remove(place),
                    None => match self.sites_asked(&sites, known).and_then(|query| self.keep(query)) {
                        Some(query) => Op::Clear(query),
                        None => return false,
                    },
                }
            }
            Effect::Put(kind, owner, sites) => {
                let owner = owner.as_ref().map(|owner| simplify(self.rules, &owner.term, known));
                if owner.is_some_and(|owner| constant(&owner) != Some(&Value::Player(self.player))) {
                    return false;
                }
                let Some(place) = self.place(&simplify(self.rules, &sites.term, known), known) else {
                    return false;
                };
                *plain &= place == Place::To;
                match simplify(self.rules, &kind.term, known) {
                    Term::Const(Value::Kind(kind)) => Op::Put(kind, place),
                    Term::Bound(_) if matches!(guard, Guard::Picked | Guard::Chosen(_)) => {
                        Op::PutChosen(place)
                    }
                    _ => return false,
                }
            }
            Effect::Set(var, index, value) => {
                let Some(declared) = self.program.vars.get(usize::from(*var)) else { return false };
                let index: Vec<Term> =
                    index.iter().map(|code| simplify(self.rules, &code.term, known)).collect();
                let Some(offset) = self.offset(*var, &index) else { return false };
                let slot = declared.slot + offset;
                let value = simplify(self.rules, &value.term, known);
                match self.assignment(*var, &index, declared.ty, slot, &value, known) {
                    Some(op) => op,
                    None => return false,
                }
            }
            Effect::For(binding, domain, body) => {
                let domain = simplify(self.rules, &domain.term, known);
                if let Some(Value::List(members)) = constant(&domain) {
                    return members.iter().all(|member| {
                        let known = known.and(*binding, member.clone());
                        body.iter().all(|effect| self.effect(clause, effect, &known, guard, steps, plain))
                    });
                }
                if constant_sites(&domain).is_some_and(|sites| sites.is_empty()) {
                    return true;
                }
                match (&domain, self.tally(*binding, body, known)) {
                    (Term::Context(Context::Taken), Some(tally)) => Op::Tally(tally),
                    _ => return false,
                }
            }
            Effect::Give(..)
            | Effect::Again
            | Effect::Turn(_)
            | Effect::Restore(_)
            | Effect::Apply(..)
            | Effect::End(_) => return false,
        };
        steps.push(Step { clause, guard, op });
        true
    }

    /// The effects of a condition that is a question, and those of the other case.
    #[expect(clippy::too_many_arguments, reason = "the parts of one effect, and what is collected")]
    fn branches(
        &self,
        clause: u16,
        condition: &Term,
        yes: &[Effect],
        no: &[Effect],
        known: &Known,
        guard: Guard,
        steps: &mut Vec<Step>,
        plain: &mut bool,
    ) -> bool {
        let Some(mut query) = self.condition(condition, known) else { return false };
        if guard != Guard::Always {
            // Both conditions together; without them it is not known which of them failed.
            let Some(outer) = self.guard_asked(guard).filter(|_| no.is_empty()) else { return false };
            query.extend(outer);
            query.push(Ask::Meet);
        }
        let before = steps.len();
        let asked = |query: Vec<Ask>| self.keep(query).map(Guard::Asked);
        let Some(first) = asked(query.clone()) else { return false };
        if !yes.iter().all(|effect| self.effect(clause, effect, known, first, steps, plain)) {
            return false;
        }
        once(steps.get_mut(before..).unwrap_or_default(), first);
        let after = steps.len();
        let other = if after > before {
            Guard::Else
        } else {
            query.push(Ask::Not);
            match asked(query) {
                Some(other) => other,
                None => return false,
            }
        };
        if !no.iter().all(|effect| self.effect(clause, effect, known, other, steps, plain)) {
            return false;
        }
        once(steps.get_mut(after..).unwrap_or_default(), other);
        true
    }

    /// Number variables that count captured pieces: for each of them one is added to the variable of its
    /// kind.
    fn tally(&self, binding: u16, body: &[Effect], known: &Known) -> Option<Tally> {
        let [Effect::Set(var, index, value)] = body else { return None };
        let declared = self.program.vars.get(usize::from(*var))?;
        (declared.ty == Type::Number).then_some(())?;
        let mut within = None;
        for code in index {
            self.rules.visit(&simplify(self.rules, &code.term, known), &mut |term| {
                if let Term::Binary(Binary::In | Binary::NotIn, a, b) = term
                    && matches!(&**a, Term::Bound(name) if *name == binding)
                    && let Term::Var(set, none) = &**b
                    && none.is_empty()
                {
                    within = Some(*set);
                }
            });
        }
        let slots = |inside: Option<(u16, bool)>| -> Option<Vec<u16>> {
            let slot = |kind: u8| {
                let inside = inside.map(|(set, inside)| (binding, set, inside));
                let known = Known { victim: Some((binding, kind)), inside, ..known.clone() };
                let index: Vec<Term> =
                    index.iter().map(|code| simplify(self.rules, &code.term, &known)).collect();
                if index.iter().any(|term| constant(term) == Some(&Value::Nothing)) {
                    return Some(NO_SLOT);
                }
                let offset = self.offset(*var, &index)?;
                match simplify(self.rules, &value.term, &known) {
                    Term::Binary(Binary::Plus, a, b)
                        if is_own(&a, *var, &index) && constant(&b) == Some(&Value::whole(1)) => {}
                    _ => return None,
                }
                Some(declared.slot + offset)
            };
            (0..self.rules.kinds.len() as u8).map(slot).collect()
        };
        Some(match within {
            None => Tally { slots: slots(None)?, within: None },
            Some(set) => {
                let place = Places(self.program).set(set)?;
                Tally { slots: slots(Some((set, false)))?, within: Some((place, slots(Some((set, true)))?)) }
            }
        })
    }

    /// A variable gets a value.
    pub(super) fn assignment(
        &self,
        var: u16,
        index: &[Term],
        ty: Type,
        slot: u16,
        value: &Term,
        known: &Known,
    ) -> Option<Op> {
        let own = |term: &Term| is_own(term, var, index);
        match (ty, value) {
            (Type::Truth, Term::Const(Value::Truth(value))) => Some(Op::Set(slot, i64::from(*value))),
            (Type::Number, Term::Const(Value::Number(number))) => {
                // The machine adds whole numbers only, without looking at denominators.
                Some(Op::Set(slot, pack(number.to_whole()?, 1)?))
            }
            (Type::Number, Term::Binary(operator @ (Binary::Plus | Binary::Less), a, b)) if own(a) => {
                match &**b {
                    Term::Const(Value::Number(number)) => {
                        let number = number.to_whole()?;
                        Some(Op::Add(
                            slot,
                            if *operator == Binary::Plus { number } else { number.checked_neg()? },
                        ))
                    }
                    _ => None,
                }
            }
            (Type::Truth, term) => self
                .condition(term, known)
                .and_then(|query| self.keep(query))
                .map(|query| Op::Answer(slot, query)),
            (Type::Site, Term::Const(Value::Nothing)) => Some(Op::Unset(slot)),
            (Type::Site, term) => Some(Op::SetSite(slot, self.place(term, known)?)),
            (Type::Sites, term) => {
                let short = match term {
                    Term::Binary(Binary::Less, a, b) if own(a) => match &**b {
                        Term::Context(Context::Changed) => Some(Op::LessChanged(slot)),
                        Term::Call(Builtin::Owned, arguments) => match &arguments[..] {
                            [Term::Const(Value::Player(player))] => Some(Op::LessOwned(slot, *player)),
                            _ => None,
                        },
                        _ => None,
                    },
                    Term::Binary(Binary::Plus, a, b) if own(a) => {
                        self.place(b, known).map(|place| Op::Join(slot, place))
                    }
                    _ => None,
                };
                short.or_else(|| {
                    let query = self.sites_asked(term, known)?;
                    Some(Op::SetTo(slot, self.keep(query)?))
                })
            }
            _ => None,
        }
    }
}

/// Marks at fixed distances become places.
pub(super) fn fix(shape: &mut Shape, marks: &[(u16, (i8, i8))]) {
    let fixed = |place: &mut Place| {
        if let Place::Bound(binding) = place
            && let Some((_, at)) = marks.iter().find(|(known, _)| known == binding)
        {
            *place = Place::Beside(*at);
        }
    };
    for step in shape.recipe.iter_mut().flatten() {
        match &mut step.op {
            Op::Move(a, b) => [a, b].into_iter().for_each(fixed),
            Op::Put(_, place)
            | Op::PutChosen(place)
            | Op::Remove(place)
            | Op::SetSite(_, place)
            | Op::Join(_, place) => {
                fixed(place);
            }
            _ => {}
        }
    }
    shape.before.iter_mut().filter_map(|ban| ban.attacked.as_mut()).flatten().for_each(fixed);
}

/// Whether a term is a variable, or one of its values.
fn is_own(term: &Term, var: u16, index: &[Term]) -> bool {
    let Term::Var(known, members) = term else { return false };
    let same = |(a, b): (&Term, &Term)| constant(a).is_some() && constant(a) == constant(b);
    *known == var && members.len() == index.len() && members.iter().zip(index).all(same)
}

/// Sees to it that the question of a condition is asked once, before the first of its effects.
fn once(steps: &mut [Step], guard: Guard) {
    for step in steps.iter_mut().skip(1).filter(|step| step.guard == guard) {
        step.guard = Guard::Still;
    }
}

fn taken_guard(term: &Term) -> Option<Guard> {
    match term {
        Term::Not(inner) => match &**inner {
            Term::IsEmpty(inner) if matches!(**inner, Term::Context(Context::Taken)) => Some(Guard::Taken),
            _ => None,
        },
        Term::IsEmpty(inner) if matches!(**inner, Term::Context(Context::Taken)) => Some(Guard::NotTaken),
        _ => None,
    }
}

fn assigns(effects: &[Effect], var: u16) -> bool {
    effects.iter().any(|effect| match effect {
        Effect::Set(written, ..) => *written == var,
        Effect::If(_, yes, no) => assigns(yes, var) || assigns(no, var),
        Effect::For(_, _, body) => assigns(body, var),
        _ => false,
    })
}

fn changes_cells(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| match effect {
        Effect::Move(..) | Effect::Remove(_) | Effect::Put(..) | Effect::Give(..) => true,
        Effect::If(_, yes, no) => changes_cells(yes) || changes_cells(no),
        Effect::For(_, _, body) => changes_cells(body),
        _ => false,
    })
}

/// The place a step writes to: whether it is a set, and its slot.
fn writes(op: &Op) -> Option<(bool, u16)> {
    match op {
        Op::Set(slot, _)
        | Op::Add(slot, _)
        | Op::SetSite(slot, _)
        | Op::Answer(slot, _)
        | Op::Unset(slot) => Some((false, *slot)),
        Op::LessChanged(slot)
        | Op::LessOwned(slot, _)
        | Op::Join(slot, _)
        | Op::Settle(slot)
        | Op::SetTo(slot, _) => Some((true, *slot)),
        _ => None,
    }
}

/// `x += 1` directly before `x := 0` under the same condition is only the latter.
fn merge_counts(steps: Vec<Step>) -> Vec<Step> {
    let mut merged: Vec<Step> = Vec::new();
    for step in steps {
        if let (Op::Set(slot, _), Some(last)) = (&step.op, merged.last())
            && step.guard == Guard::Always
            && last.guard == Guard::Always
            && last.clause == step.clause
            && writes(&last.op) == Some((false, *slot))
        {
            merged.pop();
        }
        merged.push(step);
    }
    merged
}

/// Whether a set term depends on nothing but a set variable and what stands on its sites.
fn looks_only_at(term: &Term, var: u16, members: &mut Vec<u16>) -> bool {
    let own = |term: &Term| matches!(term, Term::Var(known, index) if *known == var && index.is_empty());
    match term {
        Term::Const(_) => true,
        Term::Var(known, index) => *known == var && index.is_empty(),
        Term::Slot(slot) => members.contains(slot),
        // What stands on a site may be asked of members only.
        Term::Call(Builtin::Kind | Builtin::Owner | Builtin::Owners | Builtin::Kinds, arguments) => {
            arguments.iter().all(|argument| match argument {
                Term::Slot(slot) => members.contains(slot),
                other => own(other),
            })
        }
        Term::Call(
            Builtin::File
            | Builtin::Rank
            | Builtin::Between
            | Builtin::Count
            | Builtin::Min
            | Builtin::Max
            | Builtin::Abs
            | Builtin::Next,
            arguments,
        ) => arguments.iter().all(|argument| looks_only_at(argument, var, members)),
        Term::Filtered(slot, domain, body)
        | Term::Quantified(Quantifier::All | Quantifier::Any | Quantifier::No, slot, domain, body) => {
            if !own(domain) {
                return false;
            }
            members.push(*slot);
            let only = looks_only_at(body, var, members);
            members.pop();
            only
        }
        Term::Binary(_, a, b) => looks_only_at(a, var, members) && looks_only_at(b, var, members),
        Term::Not(inner) | Term::IsEmpty(inner) | Term::Minus(inner) => looks_only_at(inner, var, members),
        Term::If(a, b, c) => [a, b, c].into_iter().all(|term| looks_only_at(term, var, members)),
        _ => false,
    }
}

fn never_takes(shape: &Shape) -> bool {
    match &shape.reach {
        Reach::Leap(_) | Reach::Lame(_) | Reach::Ray(_) | Reach::Screen(_) => {
            shape.ends & content::ENEMY == 0
        }
        _ => false,
    }
}
