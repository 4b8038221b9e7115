//! What an event does to numbers, followed once with times left open.
//!
//! Law: with the values at hand a trace gives what the general engine gives, and so with all other values for which
//! its tests come out the same. What looks at the board, the past or anything else that is not only numbers,
//! players and texts has no trace.

use std::cmp::Ordering;

use super::sum::{Sum, Test};
use crate::engine::Engine;
use crate::eval::compare;
use crate::events::Person;
use crate::position::{Layout, Position, Row};
use crate::program::{
    Author, Builtin, Choice, Code, Context, Effect, Form, Node, NodeId, Operator, Quantifier, Run, Type,
};
use crate::value::{Num, Val};

/// Most terms and effects that a trace looks at.
const MAX_WORK: u32 = 20_000;
/// Deepest nesting of terms.
const MAX_DEEP: u32 = 200;

/// A value: known, or a sum of times.
#[derive(Clone, Debug)]
pub(super) enum Traced<L: Layout> {
    Known(Val<L::Set>),
    Sum(Sum),
}

impl<L: Layout> Traced<L> {
    fn known(self) -> Option<Val<L::Set>> {
        match self {
            Self::Known(value) => Some(value),
            Self::Sum(_) => None,
        }
    }

    fn player(&self) -> Option<u8> {
        match self {
            Self::Known(Val::Player(player)) => Some(*player),
            _ => None,
        }
    }

    /// The number as a sum; `None` if it is none.
    fn sum(&self) -> Option<Sum> {
        match self {
            Self::Known(Val::Number(number)) => Some(Sum::of(*number)),
            Self::Known(_) => None,
            Self::Sum(sum) => Some(sum.clone()),
        }
    }
}

/// A trace on its way.
pub(super) struct Tracer<'a, L: Layout> {
    engine: &'a Engine<L>,
    /// What the variables are that nothing here changes.
    position: &'a Position<L>,
    /// The values of slots that are not those of the position.
    pub(super) slots: Vec<(usize, Traced<L>)>,
    /// The variables that were looked at.
    pub(super) read: Vec<u16>,
    /// The variables that were set.
    pub(super) set: Vec<u16>,
    /// What was found out about sums of times.
    pub(super) tests: Vec<(Sum, Test)>,
    now: Sum,
    mover: u8,
    actor: u8,
    bound: Vec<(u16, Traced<L>)>,
    left: u32,
    deep: u32,
}

impl<'a, L: Layout> Tracer<'a, L> {
    pub(super) fn new(
        engine: &'a Engine<L>,
        position: &'a Position<L>,
        slots: Vec<(usize, Traced<L>)>,
        now: Sum,
    ) -> Self {
        Self {
            engine,
            position,
            slots,
            read: Vec::new(),
            set: Vec::new(),
            tests: Vec::new(),
            now,
            mover: position.mover,
            actor: position.mover,
            bound: Vec::new(),
            left: MAX_WORK,
            deep: 0,
        }
    }

    /// Follows consequences of a ply of a player, in their order.
    pub(super) fn ply(&mut self, player: u8, clauses: &[u16]) -> Option<()> {
        (self.mover, self.actor) = (player, player);
        for at in clauses {
            let clause = self.engine.clause(*at)?;
            let Form::After { then, .. } = &clause.form else { return None };
            if self.applies(clause.when, clause.unless)? {
                self.perform(*then)?;
            }
        }
        Some(())
    }

    /// Follows an event that comes with nothing, while another player has the turn.
    pub(super) fn event(&mut self, event: u16, person: Person, mover: u8) -> Option<()> {
        self.mover = mover;
        self.actor = match person {
            Person::Player(player) => player,
            Person::Arbiter => mover,
        };
        // Phases would have to be followed too.
        if self.engine.dispatch.slot().is_some() {
            return None;
        }
        let mut applying: Vec<(u16, Run)> = Vec::new();
        for at in self.engine.dispatch.all.events.get(usize::from(event))? {
            let clause = self.engine.clause(*at)?;
            let Form::Event { by, choices, then, .. } = &clause.form else { return None };
            let theirs = match (by, person) {
                (Author::Anyone, Person::Player(_)) | (Author::Arbiter, Person::Arbiter) => true,
                (Author::Player(code), Person::Player(player)) => {
                    self.run(*code)?.known()? == Val::Player(player)
                }
                _ => false,
            };
            if theirs && choices.len == 0 && self.applies(clause.when, clause.unless)? {
                applying.push((*at, *then));
            }
        }
        let standing: Vec<u16> = applying.iter().map(|(at, _)| *at).collect();
        let yields = |at: u16| {
            let first = self.engine.clause(at).map_or(&[][..], |clause| &clause.yields);
            first.iter().any(|first| standing.contains(first))
        };
        let chosen: Vec<Run> =
            applying.iter().filter(|(at, _)| !yields(*at)).map(|(_, then)| *then).collect();
        if chosen.is_empty() {
            return None;
        }
        chosen.into_iter().try_for_each(|then| self.perform(then))
    }

    /// The value of a definition of one player, as a sum.
    pub(super) fn define(&mut self, body: u16, player: u8) -> Option<Sum> {
        self.actor = self.mover;
        self.apply(body, vec![Traced::Known(Val::Player(player))])?.sum()
    }

    fn applies(&mut self, when: Option<Code>, unless: Option<Code>) -> Option<bool> {
        let when = when.map_or(Some(true), |code| self.truth(code))?;
        Some(when && !unless.map_or(Some(false), |code| self.truth(code))?)
    }

    fn truth(&mut self, code: Code) -> Option<bool> {
        self.holds(code.root, &mut vec![Traced::Known(Val::Nothing); code.slots.into()])
    }

    fn run(&mut self, code: Code) -> Option<Traced<L>> {
        self.eval(code.root, &mut vec![Traced::Known(Val::Nothing); code.slots.into()])
    }

    fn perform(&mut self, effects: Run) -> Option<()> {
        self.deep += 1;
        for effect in effects.of(&self.engine.program.effects) {
            self.effect(effect)?;
        }
        self.deep -= 1;
        Some(())
    }

    fn effect(&mut self, effect: &Effect) -> Option<()> {
        self.burn()?;
        match effect {
            Effect::If(condition, yes, no) => {
                let branch = if self.truth(*condition)? { yes } else { no };
                self.perform(*branch)
            }
            Effect::For(binding, domain, body) => {
                for member in self.run(*domain)?.known()?.into_choices() {
                    self.bound.push((*binding, Traced::Known(member)));
                    self.perform(*body)?;
                    self.bound.pop();
                }
                Some(())
            }
            Effect::Apply(at, given) => {
                let clause = self.engine.clause(*at)?;
                let Form::Applied { choices, then } = &clause.form else { return None };
                let choices = self.engine.choices(*choices);
                let mut values = Vec::new();
                for code in given {
                    values.push(self.run(*code)?);
                }
                let bound = self.bound.len();
                self.bound.extend(choices.iter().map(|choice| choice.binding).zip(values));
                if self.admits(choices)? && self.applies(clause.when, clause.unless)? {
                    self.perform(*then)?;
                }
                self.bound.truncate(bound);
                Some(())
            }
            Effect::Set(at, index, value) => {
                let value = self.run(*value)?;
                let mut members = Vec::new();
                for code in index {
                    members.push(self.run(*code)?.known()?);
                }
                let var = self.engine.program.vars.get(usize::from(*at))?;
                if var.ty == Type::Sites || members.len() != var.each.len() {
                    return None;
                }
                let place = if members.is_empty() { 0 } else { self.engine.place(var, &members)? };
                let kept = match value {
                    Traced::Known(value) => Traced::Known(Val::unpacked(var.ty, value.packed(var.ty)?)),
                    Traced::Sum(sum) if var.ty == Type::Number => Traced::Sum(sum),
                    Traced::Sum(_) => return None,
                };
                note(&mut self.set, *at);
                let slot = usize::from(var.slot + place);
                match self.slots.iter_mut().find(|(known, _)| *known == slot) {
                    Some((_, value)) => *value = kept,
                    None => self.slots.push((slot, kept)),
                }
                Some(())
            }
            _ => None,
        }
    }

    /// Whether each thing that a clause comes with is a member of its collection.
    fn admits(&mut self, choices: &[Choice]) -> Option<bool> {
        for choice in choices {
            let given = self.bound.iter().rev().find(|(name, _)| *name == choice.binding);
            let Some(given) = given.map(|(_, value)| value.clone()) else { return Some(false) };
            let members = self.run(choice.domain)?.known()?.into_choices();
            if !members.contains(&given.known()?) {
                return Some(false);
            }
        }
        Some(true)
    }

    fn burn(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        (self.deep < MAX_DEEP).then_some(())
    }

    fn apply(&mut self, body: u16, arguments: Vec<Traced<L>>) -> Option<Traced<L>> {
        let codes = &self.engine.program.bodies.get(usize::from(body))?.codes;
        let code = match (&codes[..], arguments.first()) {
            ([code], _) => code,
            (codes, Some(first)) => codes.get(usize::from(first.player()?))?,
            _ => return None,
        };
        let mut frame = arguments;
        frame.resize(frame.len().max(code.slots.into()), Traced::Known(Val::Nothing));
        self.eval(code.root, &mut frame)
    }

    fn eval(&mut self, id: NodeId, frame: &mut Vec<Traced<L>>) -> Option<Traced<L>> {
        self.burn()?;
        self.deep += 1;
        let value = self.value(id, frame);
        self.deep -= 1;
        value
    }

    fn value(&mut self, id: NodeId, frame: &mut Vec<Traced<L>>) -> Option<Traced<L>> {
        let known = |value| Some(Traced::Known(value));
        match *self.engine.node(id)? {
            Node::Const(at) => known(self.engine.constant(at)),
            Node::Slot(slot) => frame.get(usize::from(slot)).cloned(),
            Node::Bound(binding) => {
                self.bound.iter().rev().find(|(name, _)| *name == binding).map(|(_, value)| value.clone())
            }
            Node::Context(Context::Mover) => known(Val::Player(self.mover)),
            Node::Context(Context::Actor) => known(Val::Player(self.actor)),
            Node::Context(Context::Now) => Some(Traced::Sum(self.now.clone())),
            Node::Var(var, run) => self.var(var, run, frame),
            Node::Call(builtin, run) => self.call(builtin, run, frame),
            Node::Apply(body, run) => {
                let arguments = self.all(run, frame)?;
                self.apply(body, arguments)
            }
            Node::List(run, false) => {
                let members: Option<Vec<_>> = self.all(run, frame)?.into_iter().map(Traced::known).collect();
                known(Val::list(members?))
            }
            Node::Minus(inner) => Some(reduced(self.eval(inner, frame)?.sum()?.scaled(Num::whole(-1))?)),
            Node::Binary(
                operator @ (Operator::Plus
                | Operator::Less
                | Operator::Times
                | Operator::Over
                | Operator::Mod),
                a,
                b,
            ) => {
                let (a, b) = (self.eval(a, frame)?.sum()?, self.eval(b, frame)?.sum()?);
                let sum = match (operator, a.number(), b.number()) {
                    (Operator::Plus, ..) => a.plus(&b)?,
                    (Operator::Less, ..) => a.plus(&b.scaled(Num::whole(-1))?)?,
                    (Operator::Times, Some(a), _) => b.scaled(a)?,
                    (Operator::Times, _, Some(b)) => a.scaled(b)?,
                    (Operator::Over, _, Some(b)) => a.scaled(Num::whole(1).over(b)?)?,
                    (Operator::Mod, Some(a), Some(b)) => Sum::of(a.modulo(b)?),
                    _ => return None,
                };
                Some(reduced(sum))
            }
            Node::If(condition, yes, no) => {
                let branch = if self.holds(condition, frame)? { yes } else { no };
                self.eval(branch, frame)
            }
            Node::Not(_)
            | Node::IsEmpty(_)
            | Node::Quantified(..)
            | Node::Binary(
                Operator::And
                | Operator::Or
                | Operator::Eq
                | Operator::Ne
                | Operator::Lt
                | Operator::Le
                | Operator::Gt
                | Operator::Ge
                | Operator::In
                | Operator::NotIn,
                ..,
            ) => known(Val::Truth(self.holds(id, frame)?)),
            _ => None,
        }
    }

    fn all(&mut self, run: Run, frame: &mut Vec<Traced<L>>) -> Option<Vec<Traced<L>>> {
        self.engine.list(run).iter().map(|id| self.eval(*id, frame)).collect()
    }

    fn var(&mut self, at: u16, run: Run, frame: &mut Vec<Traced<L>>) -> Option<Traced<L>> {
        let mut members = Vec::new();
        for member in self.all(run, frame)? {
            members.push(member.known()?);
        }
        let var = self.engine.program.vars.get(usize::from(at))?;
        if var.ty == Type::Sites || members.len() != var.each.len() {
            return None;
        }
        note(&mut self.read, at);
        if members.is_empty() {
            return Some(self.slot(var.slot.into(), var.ty));
        }
        Some(match self.engine.place(var, &members) {
            Some(place) => self.slot(usize::from(var.slot + place), var.ty),
            None => Traced::Known(Val::Nothing),
        })
    }

    fn slot(&self, slot: usize, ty: Type) -> Traced<L> {
        match self.slots.iter().find(|(known, _)| *known == slot) {
            Some((_, value)) => value.clone(),
            None => Traced::Known(Val::unpacked(ty, self.position.nums.get(slot))),
        }
    }

    fn call(&mut self, builtin: Builtin, run: Run, frame: &mut Vec<Traced<L>>) -> Option<Traced<L>> {
        let arguments = self.all(run, frame)?;
        let first = || arguments.first().and_then(Traced::sum);
        Some(match builtin {
            Builtin::Players => {
                let players = 0..self.engine.program.players.len() as u8;
                Traced::Known(Val::list(players.map(Val::Player).collect()))
            }
            Builtin::Next => {
                Traced::Known(Val::Player(self.engine.next_player(arguments.first()?.player()?)))
            }
            Builtin::Min | Builtin::Max => {
                let (a, b) = (first()?, arguments.get(1)?.sum()?);
                let below = self.is(&a.plus(&b.scaled(Num::whole(-1))?)?, Operator::Le)?;
                reduced(if below == (builtin == Builtin::Min) { a } else { b })
            }
            Builtin::Abs => {
                let a = first()?;
                let below = self.is(&a, Operator::Lt)?;
                reduced(if below { a.scaled(Num::whole(-1))? } else { a })
            }
            Builtin::Floor => {
                let a = first()?;
                let floor = a.value.floor();
                let from = |number: Num| a.plus(&Sum::of(number.negate()?));
                self.is(&from(floor)?, Operator::Ge)?;
                self.is(&from(floor.plus(Num::whole(1))?)?, Operator::Lt)?;
                Traced::Known(Val::Number(floor))
            }
            Builtin::Plies => {
                reduced(first()?.scaled(Num::whole(self.engine.program.players.len().max(1) as i64))?)
            }
            _ => return None,
        })
    }

    /// Whether a sum is so to zero; it is kept as a test unless the sum is known.
    fn is(&mut self, sum: &Sum, operator: Operator) -> Option<bool> {
        let order = sum.value.cmp(&Num::ZERO);
        let (holds, if_so, if_not) = match operator {
            Operator::Eq => (order == Ordering::Equal, Test::Zero, Test::NotZero),
            Operator::Ne => (order != Ordering::Equal, Test::NotZero, Test::Zero),
            Operator::Lt => (order == Ordering::Less, Test::Below, Test::NotBelow),
            Operator::Ge => (order != Ordering::Less, Test::NotBelow, Test::Below),
            Operator::Gt => (order == Ordering::Greater, Test::Above, Test::NotAbove),
            Operator::Le => (order != Ordering::Greater, Test::NotAbove, Test::Above),
            _ => return None,
        };
        let test = (sum.clone(), if holds { if_so } else { if_not });
        if sum.number().is_none() && !self.tests.contains(&test) {
            self.tests.push(test);
        }
        Some(holds)
    }

    fn holds(&mut self, id: NodeId, frame: &mut Vec<Traced<L>>) -> Option<bool> {
        self.burn()?;
        match *self.engine.node(id)? {
            Node::Not(inner) => Some(!self.holds(inner, frame)?),
            Node::Binary(Operator::And, a, b) => Some(self.holds(a, frame)? && self.holds(b, frame)?),
            Node::Binary(Operator::Or, a, b) => Some(self.holds(a, frame)? || self.holds(b, frame)?),
            Node::Binary(
                operator @ (Operator::Eq
                | Operator::Ne
                | Operator::Lt
                | Operator::Le
                | Operator::Gt
                | Operator::Ge),
                a,
                b,
            ) => match (self.eval(a, frame)?, self.eval(b, frame)?) {
                (Traced::Known(a), Traced::Known(b)) => Some(compare(operator, &a, &b)),
                (a, b) => match (a.sum(), b.sum()) {
                    (Some(a), Some(b)) => self.is(&a.plus(&b.scaled(Num::whole(-1))?)?, operator),
                    // A number beside what is none.
                    _ => Some(operator == Operator::Ne),
                },
            },
            Node::Binary(operator @ (Operator::In | Operator::NotIn), a, b) => {
                let (a, b) = (self.eval(a, frame)?.known()?, self.eval(b, frame)?.known()?);
                let Val::List(members) = b else { return None };
                let is_in = members.iter().any(|member| member.equals(&a));
                Some(is_in == (operator == Operator::In))
            }
            Node::IsEmpty(inner) => match self.eval(inner, frame)?.known()? {
                Val::List(members) => Some(members.is_empty()),
                _ => None,
            },
            Node::If(condition, yes, no) => {
                let branch = if self.holds(condition, frame)? { yes } else { no };
                self.holds(branch, frame)
            }
            Node::Quantified(quantifier, slot, domain, body) => {
                let wanted = quantifier != Quantifier::All;
                let mut found = false;
                for member in self.eval(domain, frame)?.known()?.into_choices() {
                    *frame.get_mut(usize::from(slot))? = Traced::Known(member);
                    if self.holds(body, frame)? == wanted {
                        found = true;
                        break;
                    }
                }
                Some(found == (quantifier == Quantifier::Any))
            }
            _ => Some(self.eval(id, frame)?.known()?.holds()),
        }
    }
}

/// A sum of no times is a number.
pub(super) fn reduced<L: Layout>(sum: Sum) -> Traced<L> {
    match sum.number() {
        Some(number) => Traced::Known(Val::Number(number)),
        None => Traced::Sum(sum),
    }
}

fn note(known: &mut Vec<u16>, var: u16) {
    if !known.contains(&var) {
        known.push(var);
    }
}
