//! Clocks in records: what it does that a clock is stopped after every ply, worked out once for each state of what
//! only events set, and then replayed as sums of times.
//!
//! Law: plies and endings do not look at what is replayed here, and what is replayed here looks at nothing else; so
//! both go on side by side, and together they give what the general engine gives ply by ply and event by event.
//! Where that is not sure there is no clockwork, or a step has no answer.

use std::collections::HashMap;

use crate::act::State;
use crate::engine::{Engine, FUEL, Work};
use crate::events::{Person, Verdict};
use crate::position::{Layout, Position, Row, pack};
use crate::program::{Clause, Context, Effect, Filter, Form, Program, Run, Type, Var};
use crate::terms::endings_read;
use crate::value::{Num, Val};

mod sum;
mod trace;

use sum::{Replayed, Sum, Test, UNIT};
use trace::{Traced, Tracer};

/// Most states of what only events set.
const MAX_NODES: usize = 4096;
/// Most traces of one state.
const MAX_TRACES: usize = 32;
/// How often a time is sought again where the first one does not give what a clock showed.
const MAX_SOUGHT: usize = 4;
/// How often the variables are found anew that have to be followed.
const MAX_ROUNDS: usize = 24;

/// The events by which a record with times is told, and the definition that says what is left to a player.
#[derive(Clone, Debug)]
pub struct ClockNames {
    /// What starts the clocks before the first ply, and who does it.
    pub start: Option<(u16, Person)>,
    /// What a player does after his ply.
    pub press: u16,
    /// The definition of what is left to a player, in seconds.
    pub remaining: String,
}

/// What a record tells about the time of a ply, in thousandths of a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timed {
    /// Nothing: no time passes.
    #[default]
    Untold,
    /// What the clock shows after it.
    Shown(i64),
    /// How long it took.
    Spent(i64),
    /// When it was played.
    At(i64),
}

/// A ply with the press of the clock after it.
#[derive(Clone, Debug)]
struct Trace {
    tests: Vec<(Replayed, Test)>,
    /// The times that it sets.
    sets: Vec<(usize, Replayed)>,
    /// What is left to the player after it.
    left: Replayed,
    next: usize,
}

/// A state of what only events set, without the times.
#[derive(Clone, Debug)]
struct Node {
    key: Vec<i64>,
    mover: u8,
    traces: Vec<Trace>,
}

/// The clockwork of an engine.
#[derive(Clone, Debug)]
pub(crate) struct Clockwork<L: Layout> {
    press: u16,
    remaining: u16,
    /// The position when the clocks have been started.
    begun: Position<L>,
    /// Slots that hold times; the first of all times is that of the ply at hand.
    times: Vec<usize>,
    /// Slots that hold something else.
    keys: Vec<usize>,
    /// Consequences of plies that are followed.
    after: Vec<u16>,
    /// Variables that were looked at.
    read: Vec<u16>,
    nodes: Vec<Node>,
    index: HashMap<(u8, Vec<i64>), usize>,
    /// Whether more has to be followed than before.
    is_fresh: bool,
    /// Whether something was found that cannot be followed.
    is_broken: bool,
    /// The game at hand.
    at: usize,
    now: Vec<i64>,
}

/// Why a step has no answer.
enum Gap {
    /// More variables have to be followed than was known.
    Wider,
    /// There is none.
    None,
}

impl<L: Layout> Clockwork<L> {
    /// The clockwork of an engine; `None` where records with times must be judged event by event.
    pub(crate) fn of(engine: &Engine<L>, names: &ClockNames) -> Option<Self> {
        let program = engine.program();
        let first = engine.first();
        let begun = match names.start {
            None => first.position,
            Some((start, person)) => {
                let mut work = Work::default();
                match engine.event(&first, start, &[], person, &mut work).ok()? {
                    Verdict::Done { next, .. } if next.ended.is_none() => next.position,
                    _ => return None,
                }
            }
        };
        let board = |position: &Position<L>| (position.kinds, position.owners, position.sets, position.mover);
        if board(&first.position) != board(&begun) || engine.reads_past || !engine.sleeps(&begun) {
            return None;
        }
        let (_, bodies) = program.answers.iter().find(|(name, _)| *name == names.remaining)?;
        let mut clockwork = Self {
            press: names.press,
            remaining: *bodies.first()?,
            begun,
            times: Vec::new(),
            keys: Vec::new(),
            after: Vec::new(),
            read: Vec::new(),
            nodes: Vec::new(),
            index: HashMap::new(),
            is_fresh: false,
            is_broken: false,
            at: 0,
            now: Vec::new(),
        };
        for slot in (0..L::Nums::LEN).filter(|slot| first.position.nums.get(*slot) != begun.nums.get(*slot)) {
            clockwork.keys.push(slot);
        }
        // A ply of either player, to find what has to be followed.
        for _ in 0..MAX_ROUNDS {
            clockwork.begin()?;
            match clockwork.step(engine, Timed::Untold).and_then(|()| clockwork.step(engine, Timed::Untold)) {
                Ok(()) => return clockwork.is_apart(program).then_some(clockwork),
                Err(Gap::Wider) => {}
                Err(Gap::None) => return None,
            }
        }
        None
    }

    /// Whether plies and endings look at nothing that is followed here.
    fn is_apart(&self, program: &Program) -> bool {
        let followed = self.followed(program);
        let is_kept =
            |var: &u16| program.vars.get(usize::from(*var)).is_some_and(|var| var.kept && !var.fleeting);
        let of_identity = |var: &u16| program.identity.contains(var) || program.fleeting.contains(var);
        let reads = |clause: &Clause| clause.reads.iter().any(|var| followed.contains(var));
        let is_known = |var: &u16| followed.contains(var) || self.read.contains(var);
        let apart = |(at, clause): (usize, &Clause)| match &clause.form {
            Form::Event { .. } | Form::Applied { .. } | Form::Advice => true,
            Form::After { .. } if self.after.contains(&(at as u16)) => true,
            Form::Move { then, .. } | Form::Act { then, .. } | Form::After { then, .. } => {
                let mut touched = Vec::new();
                touches(program, *then, &mut touched);
                !reads(clause) && !touched.iter().any(is_known)
            }
            _ => !reads(clause),
        };
        followed.iter().all(|var| is_kept(var) && !of_identity(var))
            && program.clauses.iter().enumerate().all(apart)
            && !endings_read(program, Context::Now)
    }

    /// The variables that are followed.
    fn followed(&self, program: &Program) -> Vec<u16> {
        let vars = program.vars.iter().enumerate().filter(|(_, var)| {
            let slots = usize::from(var.slot)..usize::from(var.slot) + usize::from(var.count);
            var.ty != Type::Sites && self.keys.iter().chain(&self.times).any(|slot| slots.contains(slot))
        });
        vars.map(|(at, _)| at as u16).collect()
    }

    /// A new game: the clocks have just been started.
    pub(crate) fn begin(&mut self) -> Option<()> {
        if self.is_broken {
            return None;
        }
        self.now.clear();
        self.now.push(0);
        for slot in &self.times {
            self.now.push(thousandths(self.begun.nums.get(*slot))?);
        }
        let key = self.keys.iter().map(|slot| self.begun.nums.get(*slot)).collect();
        self.at = self.node(self.begun.mover, key)?;
        Some(())
    }

    fn node(&mut self, mover: u8, key: Vec<i64>) -> Option<usize> {
        let name = (mover, key);
        if let Some(known) = self.index.get(&name) {
            return Some(*known);
        }
        if self.nodes.len() >= MAX_NODES {
            return None;
        }
        self.nodes.push(Node { key: name.1.clone(), mover, traces: Vec::new() });
        self.index.insert(name, self.nodes.len() - 1);
        Some(self.nodes.len() - 1)
    }

    /// Whether more has to be followed than when the record was begun, so that it has to be begun again.
    pub(crate) fn is_wider(&mut self) -> bool {
        std::mem::take(&mut self.is_fresh) && !self.is_broken
    }

    /// A ply of the player on turn, and the press of his clock; `None` where the record must be judged in full.
    #[inline]
    pub(crate) fn ply(&mut self, engine: &Engine<L>, timed: Timed) -> Option<()> {
        match self.step(engine, timed) {
            Ok(()) => Some(()),
            Err(Gap::None) => None,
            Err(Gap::Wider) => {
                (self.is_fresh, self.is_broken) = (true, !self.is_apart(engine.program()));
                None
            }
        }
    }

    fn step(&mut self, engine: &Engine<L>, timed: Timed) -> Result<(), Gap> {
        let began = self.now.first().copied().ok_or(Gap::None)?;
        let mut time = began;
        match timed {
            Timed::Untold => {}
            Timed::Spent(spent) => {
                time = began.checked_add(spent).filter(|time| *time >= began).unwrap_or(began)
            }
            Timed::At(at) => time = at.max(began),
            Timed::Shown(shown) => {
                for _ in 0..MAX_SOUGHT {
                    let left = self.trace(engine, time)?.left.clone();
                    let left = left.worth(&self.now).ok_or(Gap::None)?;
                    let next = left.checked_sub(shown).and_then(|off| time.checked_add(off));
                    let next = next.filter(|next| *next >= began).unwrap_or(began);
                    if next == time {
                        break;
                    }
                    time = next;
                }
            }
        }
        let at = self.at;
        let trace = self.trace_at(engine, time)?;
        let trace = self.nodes.get(at).and_then(|node| node.traces.get(trace)).ok_or(Gap::None)?;
        let mut set = [0; 16];
        for (worth, (_, sum)) in set.iter_mut().zip(&trace.sets) {
            *worth = sum.worth(&self.now).ok_or(Gap::None)?;
        }
        if trace.sets.len() > set.len() {
            return Err(Gap::None);
        }
        for (worth, (which, _)) in set.iter().zip(&trace.sets) {
            *self.now.get_mut(*which).ok_or(Gap::None)? = *worth;
        }
        self.at = trace.next;
        Ok(())
    }

    fn trace(&mut self, engine: &Engine<L>, time: i64) -> Result<&Trace, Gap> {
        let at = self.at;
        let trace = self.trace_at(engine, time)?;
        self.nodes.get(at).and_then(|node| node.traces.get(trace)).ok_or(Gap::None)
    }

    /// The trace that fits when the ply is played at a time.
    fn trace_at(&mut self, engine: &Engine<L>, time: i64) -> Result<usize, Gap> {
        *self.now.first_mut().ok_or(Gap::None)? = time;
        let node = self.nodes.get(self.at).ok_or(Gap::None)?;
        let fits = |trace: &Trace| {
            let passes =
                |(sum, test): &(Replayed, Test)| sum.worth(&self.now).is_some_and(|worth| test.passes(worth));
            trace.tests.iter().all(passes)
        };
        if let Some(known) = node.traces.iter().position(fits) {
            return Ok(known);
        }
        if node.traces.len() >= MAX_TRACES {
            return Err(Gap::None);
        }
        let trace = self.traced(engine)?;
        let node = self.nodes.get_mut(self.at).ok_or(Gap::None)?;
        node.traces.push(trace);
        Ok(node.traces.len() - 1)
    }

    /// Forgets what was followed: more has to be.
    fn forget(&mut self) {
        self.after.sort_unstable();
        (self.nodes, self.index) = (Vec::new(), HashMap::new());
    }

    /// Follows a ply and a press with the times at hand.
    fn traced(&mut self, engine: &Engine<L>) -> Result<Trace, Gap> {
        let program = engine.program();
        let node = self.nodes.get(self.at).ok_or(Gap::None)?;
        let (mover, other) = (node.mover, engine.next_player(node.mover));
        let seconds = |time: i64| Num::fraction(time.into(), UNIT.into()).ok_or(Gap::None);
        let mut slots = Vec::new();
        for (slot, kept) in self.keys.iter().zip(&node.key) {
            let ty = type_of(program, *slot).ok_or(Gap::None)?;
            slots.push((*slot, Traced::Known(Val::unpacked(ty, *kept))));
        }
        for (which, slot) in self.times.iter().enumerate() {
            let time = self.now.get(which + 1).copied().ok_or(Gap::None)?;
            slots.push((*slot, Traced::Sum(Sum::open(which as u16 + 1, seconds(time)?))));
        }
        let now = self.now.first().copied().ok_or(Gap::None)?;
        let mut tracer = Tracer::new(engine, &self.begun, slots, Sum::open(0, seconds(now)?));
        let followed = tracer
            .ply(mover, &self.after)
            .and_then(|()| tracer.event(self.press, Person::Player(mover), other))
            .and_then(|()| tracer.define(self.remaining, mover));
        let Tracer { slots, read, set, tests, .. } = tracer;
        // Consequences of plies that set what was looked at belong to it, also where it came to nothing without them.
        let mut wider = false;
        for var in &read {
            if !self.read.contains(var) {
                self.read.push(*var);
                wider = true;
            }
        }
        for (at, clause) in program.clauses.iter().enumerate() {
            let Form::After { acts, choices, then } = &clause.form else { continue };
            let mut touched = Vec::new();
            touches(program, *then, &mut touched);
            let is_known = self.after.contains(&(at as u16));
            if !is_known && touched.iter().any(|var| read.contains(var) || set.contains(var)) {
                if *acts != Filter::Any || choices.len > 0 {
                    return Err(Gap::None);
                }
                self.after.push(at as u16);
                wider = true;
            }
        }
        if wider {
            self.forget();
            return Err(Gap::Wider);
        }
        let left = followed.ok_or(Gap::None)?;
        let mut key = self.nodes.get(self.at).map(|node| node.key.clone()).unwrap_or_default();
        let mut sets = Vec::new();
        for (slot, value) in &slots {
            let time = self.times.iter().position(|known| known == slot);
            match (value, time) {
                (Traced::Sum(sum), Some(which)) => sets.push((which + 1, sum.replayed().ok_or(Gap::None)?)),
                (Traced::Known(Val::Number(number)), Some(which)) => {
                    sets.push((which + 1, Sum::of(*number).replayed().ok_or(Gap::None)?));
                }
                (Traced::Known(_), Some(_)) => return Err(Gap::None),
                (Traced::Sum(_), None) => {
                    self.keys.retain(|known| known != slot);
                    self.times.push(*slot);
                    wider = true;
                }
                (Traced::Known(value), None) => {
                    let ty = type_of(program, *slot).ok_or(Gap::None)?;
                    let kept = value.packed(ty).ok_or(Gap::None)?;
                    match self.keys.iter().position(|known| known == slot) {
                        Some(at) => *key.get_mut(at).ok_or(Gap::None)? = kept,
                        None => {
                            self.keys.push(*slot);
                            wider = true;
                        }
                    }
                }
            }
        }
        if wider {
            self.forget();
            return Err(Gap::Wider);
        }
        // Times that stay as they are need not be set.
        sets.retain(|(which, sum)| !sum.is_only(*which));
        let tests: Option<Vec<_>> = tests.iter().map(|(sum, test)| Some((sum.tested()?, *test))).collect();
        Ok(Trace {
            tests: tests.ok_or(Gap::None)?,
            sets,
            left: left.replayed().ok_or(Gap::None)?,
            next: self.node(other, key).ok_or(Gap::None)?,
        })
    }

    /// Writes what was followed into a state.
    pub(crate) fn write(&self, state: &mut State<L>) -> Option<()> {
        let node = self.nodes.get(self.at)?;
        for (slot, kept) in self.keys.iter().zip(&node.key) {
            *state.position.nums.slot(*slot) = *kept;
        }
        for (slot, time) in self.times.iter().zip(self.now.iter().skip(1)) {
            let (numerator, denominator) = Num::fraction((*time).into(), UNIT.into())?.parts();
            *state.position.nums.slot(*slot) = pack(numerator, denominator)?;
        }
        state.now = Num::fraction(self.now.first().copied()?.into(), UNIT.into())?;
        Some(())
    }

    /// What is left to a player in a state, in thousandths.
    pub(crate) fn left(
        &self,
        engine: &Engine<L>,
        state: &State<L>,
        player: u8,
        work: &mut Work<L>,
    ) -> Option<i64> {
        work.begin(FUEL);
        let name =
            engine.program().answers.iter().find(|(_, bodies)| bodies.first() == Some(&self.remaining))?;
        match engine.define(state, &name.0, vec![Val::Player(player)], work).ok()? {
            Some(Val::Number(left)) => left.times(Num::whole(UNIT))?.to_whole(),
            _ => None,
        }
    }
}

/// The number that a slot holds, in thousandths.
fn thousandths(packed: i64) -> Option<i64> {
    match Val::<u64>::unpacked(Type::Number, packed) {
        Val::Number(number) => number.times(Num::whole(UNIT))?.to_whole(),
        _ => None,
    }
}

/// What the variable of a slot holds.
fn type_of(program: &Program, slot: usize) -> Option<Type> {
    let holds = |var: &&Var| {
        let slots = usize::from(var.slot)..usize::from(var.slot) + usize::from(var.count);
        var.ty != Type::Sites && slots.contains(&slot)
    };
    program.vars.iter().find(holds).map(|var| var.ty)
}

/// The variables that effects set, and those that are read by what they apply.
fn touches(program: &Program, effects: Run, touched: &mut Vec<u16>) {
    for effect in effects.of(&program.effects) {
        match effect {
            Effect::If(_, yes, no) => {
                touches(program, *yes, touched);
                touches(program, *no, touched);
            }
            Effect::For(_, _, body) => touches(program, *body, touched),
            Effect::Set(var, ..) => touched.push(*var),
            Effect::Apply(at, _) => {
                if let Some(clause) = program.clauses.get(usize::from(*at))
                    && let Form::Applied { then, .. } = &clause.form
                {
                    touched.extend(&clause.reads);
                    touches(program, *then, touched);
                }
            }
            _ => {}
        }
    }
}
