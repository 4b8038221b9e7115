//! What happens besides a movement, as a short list of steps.
//!
//! Law: the steps do to a position what the clauses say that follow the act, in their order. A clause for
//! which that is not plain to see stays one step of the general engine.

use rulebook_machine::lane::{Guard, Op, Pick, Place, Reach, Shape, Step, content};
use rulebook_machine::position::pack;
use rulebook_machine::program::Type;
use rulebook_model::ruleset::{Builtin, Choice, Clause, Context, Effect, Form, Term};
use rulebook_model::{Sites, Value};
use rulebook_syntax::ast::{Binary, Quantifier};

use super::{Places, Recogniser, conjuncts};
use crate::simplify::{Known, constant, constant_sites, simplify};
use crate::templates::{Slots, words};

impl Recogniser<'_> {
    /// What happens besides the movement: the effects of the clause itself, then the clauses that follow.
    pub(super) fn recipe(&self, shape: &mut Shape, then: &[Effect]) {
        if !self.passes.recipes {
            return;
        }
        let mut steps: Vec<Step> = Vec::new();
        let mut plain = true;
        let known = self.known(Some(shape.kind));
        for effect in then {
            if !self.effect(shape.clause, effect, &known, Guard::Always, &mut steps, &mut plain) {
                return;
            }
        }
        let mut choice: Option<Pick> = None;
        for (at, clause) in self.rules.clauses.iter().enumerate() {
            let Form::After { acts, choices, then } = &clause.form else { continue };
            if !acts.admits(shape.act) {
                continue;
            }
            let at = at as u16;
            let when = clause.when.as_ref().map(|code| simplify(self.rules, &code.term, &known));
            if clause.unless.is_some() {
                return;
            }
            if !choices.is_empty() {
                let Some(pick) = self.pick(at, when.as_ref(), choices, &known) else { return };
                if pick.tos.iter().all(|word| *word == 0) {
                    continue;
                }
                if choice.is_some() {
                    return;
                }
                choice = Some(pick);
                let inner = |effect: &Effect, steps: &mut Vec<Step>, plain: &mut bool| {
                    self.effect(at, effect, &known, Guard::Picked, steps, plain)
                };
                if !then.iter().all(|effect| inner(effect, &mut steps, &mut plain)) {
                    return;
                }
                continue;
            }
            let guard = match when {
                None => Guard::Always,
                Some(term) => match self.guard(&term, shape) {
                    Some(Some(guard)) => guard,
                    Some(None) => continue,
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
            let mut own = Vec::new();
            let done = then.iter().all(|effect| self.effect(at, effect, &known, guard, &mut own, &mut plain));
            if done {
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
        // A variable that lasts one ply fades unless the ply has set it: that must be plain to see.
        for (at, var) in self.rules.vars.iter().enumerate() {
            if var.fleeting
                && steps.iter().any(|step| step.op == Op::General && self.assigns(step.clause, at as u16))
            {
                return;
            }
            if var.fleeting
                && steps
                    .iter()
                    .any(|step| step.guard != Guard::Always && writes(&step.op) == self.slot_of(at as u16))
            {
                return;
            }
        }
        if steps.iter().any(|step| step.op == Op::General && self.again_or_end(step.clause)) {
            return;
        }
        let steps = merge_counts(steps);
        let special = matches!(shape.reach, Reach::Templates(_) | Reach::Walk);
        shape.plain = plain && !special;
        shape.recipe = Some(steps);
        shape.choice = choice;
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
    pub(super) fn pick(
        &self,
        clause: u16,
        when: Option<&Term>,
        choices: &[Choice],
        known: &Known,
    ) -> Option<Pick> {
        let [choice] = choices else { return None };
        let mut tos = Sites::first(self.rules.board.len());
        let mut parts = Vec::new();
        if let Some(when) = when {
            conjuncts(when.clone(), &mut parts);
        }
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
                    _ if guard == Guard::Always && no.is_empty() => match taken_guard(&term) {
                        Some(inner) => vec![(yes, inner)],
                        None => return false,
                    },
                    // `if chosen = kind then …` inside a choice.
                    Term::Binary(Binary::Eq, a, b) if guard == Guard::Picked && no.is_empty() => {
                        match (&*a, &*b) {
                            (Term::Bound(_), Term::Const(Value::Kind(kind))) => {
                                vec![(yes, Guard::Chosen(*kind))]
                            }
                            _ => return false,
                        }
                    }
                    _ => return false,
                };
                return guards.into_iter().all(|(effects, guard)| {
                    effects.iter().all(|effect| self.effect(clause, effect, known, guard, steps, plain))
                });
            }
            Effect::Move(from, to) => {
                let place = |code: &rulebook_model::ruleset::Code| {
                    self.place(&simplify(self.rules, &code.term, known))
                };
                let (Some(from), Some(to)) = (place(from), place(to)) else { return false };
                *plain = false;
                Op::Move(from, to)
            }
            Effect::Remove(code) => {
                let Some(place) = self.place(&simplify(self.rules, &code.term, known)) else { return false };
                *plain = false;
                Op::Remove(place)
            }
            Effect::Put(kind, owner, sites) => {
                let owner = owner.as_ref().map(|owner| simplify(self.rules, &owner.term, known));
                if owner.is_some_and(|owner| constant(&owner) != Some(&Value::Player(self.player))) {
                    return false;
                }
                let Some(place) = self.place(&simplify(self.rules, &sites.term, known)) else { return false };
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
                match self.assignment(*var, declared.ty, slot, &value) {
                    Some(op) => op,
                    None => return false,
                }
            }
            Effect::For(..) | Effect::Give(..) | Effect::Again | Effect::End(_) => return false,
        };
        steps.push(Step { clause, guard, op });
        true
    }

    /// A variable gets a value.
    pub(super) fn assignment(&self, var: u16, ty: Type, slot: u16, value: &Term) -> Option<Op> {
        let own = |term: &Term| matches!(term, Term::Var(known, index) if *known == var && index.is_empty());
        match (ty, value) {
            (Type::Truth, Term::Const(Value::Truth(value))) => Some(Op::Set(slot, i64::from(*value))),
            (Type::Number, Term::Const(Value::Number(number))) => {
                // The machine adds whole numbers only, without looking at denominators.
                Some(Op::Set(slot, pack(number.to_whole()?, 1)?))
            }
            (Type::Number, Term::Binary(Binary::Plus, a, b)) if own(a) => match &**b {
                Term::Const(Value::Number(number)) => Some(Op::Add(slot, number.to_whole()?)),
                _ => None,
            },
            (Type::Site, term) => Some(Op::SetSite(slot, self.place(term)?)),
            (Type::Sites, Term::Binary(Binary::Less, a, b)) if own(a) => match &**b {
                Term::Context(Context::Changed) => Some(Op::LessChanged(slot)),
                Term::Call(Builtin::Owned, arguments) => match &arguments[..] {
                    [Term::Const(Value::Player(player))] => Some(Op::LessOwned(slot, *player)),
                    _ => None,
                },
                _ => None,
            },
            (Type::Sites, Term::Binary(Binary::Plus, a, b)) if own(a) => Some(Op::Join(slot, self.place(b)?)),
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
        Op::Set(slot, _) | Op::Add(slot, _) | Op::SetSite(slot, _) => Some((false, *slot)),
        Op::LessChanged(slot) | Op::LessOwned(slot, _) | Op::Join(slot, _) | Op::Settle(slot) => {
            Some((true, *slot))
        }
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
