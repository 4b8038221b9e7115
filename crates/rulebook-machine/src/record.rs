//! Records of games played again: of each ply it is told what kind of piece comes where, and perhaps from where;
//! only the ways of that kind are looked at, and no clause is named.
//!
//! Law: what is played here is what the general engine finds, where exactly one legal ply is meant each time and
//! the game does not end before the last one. Where that is not so, or cannot be told, nothing is said, and the
//! record has to be judged ply by ply.

use std::collections::HashMap;
use std::sync::Arc;

use crate::act::{Act, Ending, Past, State, board_hash};
use crate::clockwork::{ClockNames, Clockwork, Timed};
use crate::engine::{Engine, FUEL, Ground, Work};
use crate::events::{Person, Verdict};
use crate::fast::{Fast, Known, Ply};
use crate::memo::{Asked, Kept};
use crate::position::{Layout, Position};
use crate::program::{NO_KIND, Site};
use crate::sieve::Sieve;
use crate::terms::{endings_read_past, is_about_ends};
use crate::value::Num;

/// A ply as a record tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    /// A piece of a kind comes to a site.
    Short {
        /// The kind of piece.
        piece: u8,
        /// Where it comes to.
        to: Site,
        /// The file that it comes from, if that is told.
        file: Option<u8>,
        /// The rank that it comes from, if that is told.
        rank: Option<u8>,
        /// The kind that is chosen, `u8::MAX` for none.
        choice: u8,
    },
    /// A ply that has a name in records.
    Named(u16),
}

/// A name that some plies have in records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordName {
    /// The act that may be called so.
    pub act: u16,
    /// Which of the program's remarks must hold.
    pub remark: usize,
    /// The name; entries with the same one have the same number.
    pub name: u16,
}

/// Plays records, always from the first state on.
pub trait Records {
    /// Allows no more than so many steps of work for all further records together.
    fn allow(&mut self, steps: u64);
    /// How the game has ended after some plies, if it has; `None` where the record must be judged ply by ply.
    fn play(&mut self, plies: &[Sought]) -> Option<Option<Ending>>;
    /// Gets ready for records that tell times; false where those must be judged event by event.
    fn keep_time(&mut self, names: &ClockNames) -> bool;
    /// The same as `play` where the clocks are started first and stopped after every ply, with what is told about
    /// the time of each.
    fn play_timed(&mut self, plies: &[Sought], times: &[Timed]) -> Option<Option<Ending>>;
    /// What an event that comes with nothing would do after the plies of a record with times, some thousandths of a
    /// second after the last one: how it ends the game, if it does; `None` in the middle where it is refused, and
    /// outside where that is not known.
    fn event(&mut self, event: u16, person: Person, later: i64) -> Option<Option<Option<Ending>>>;
    /// What is left to the player on turn after the plies of a record with times, in thousandths of a second.
    fn left(&mut self) -> Option<i64>;
    /// Who has the turn after the plies of a record with times.
    fn mover(&self) -> Option<u8>;
}

/// A reader of records on an engine.
pub(crate) struct Reader<L: Layout> {
    names: Vec<RecordName>,
    /// For each player, the ways of each kind; none where not all of them are known.
    kinds: [Vec<Option<Vec<u16>>>; 2],
    /// For each player, the ways of the acts that may have a name.
    named: [Vec<(u16, Vec<u16>)>; 2],
    /// What lets positions pass that may be the end: while the player on turn can go on, and while he cannot.
    sieves: [Sieve<L::Set>; 2],
    /// Whether endings look at what was played before.
    looks_back: bool,
    /// For each act, whether it may have a name.
    may_be_named: Vec<bool>,
    first: State<L>,
    /// Whether a name fits a ply, by its place, and by where the ply begins and ends.
    fits: HashMap<(usize, Site, Site), bool>,
    /// The positions of the game so far with the plies that were played in them.
    trail: Vec<(Position<L>, Ply)>,
    hashes: Vec<u64>,
    /// As much of the past as endings have asked for.
    past: State<L>,
    found: Vec<Ply>,
    kept: Option<Kept<L>>,
    clockwork: Option<Clockwork<L>>,
    /// The position after the plies of a record with times.
    last: Option<Position<L>>,
    /// The state there, once it was asked for.
    finale: Option<State<L>>,
    /// What the fast paths work with, and what endings are looked at with.
    work: Work<L>,
    general: Work<L>,
}

impl<L: Layout> Reader<L> {
    /// A reader for an engine; `None` where plies cannot be found one by one.
    pub(crate) fn of(engine: &Engine<L>, names: &[RecordName]) -> Option<Self> {
        let program = engine.program();
        let fast = engine.fast.as_deref().filter(|fast| L::FAST && fast.finds())?;
        let first = engine.first();
        // Plies leave what only events set as it was at first.
        if engine.field.is_some() || !Fast::fits(program, &first.position) || !engine.sleeps(&first.position)
        {
            return None;
        }
        let static_name = |name: &RecordName| match program.remarks.get(name.remark) {
            Some(Some(code)) => is_about_ends(program, *code),
            Some(None) => true,
            None => false,
        };
        if !names.iter().all(static_name) {
            return None;
        }
        let kinds =
            |player: usize| (0..program.kinds.len()).map(|kind| fast.ways_of(player, kind as u8)).collect();
        let named = |player: usize| {
            let mut named: Vec<(u16, Vec<u16>)> = Vec::new();
            for name in names {
                let ways = fast.ways_named(player, name.act)?;
                match named.iter_mut().find(|(known, _)| *known == name.name) {
                    Some((_, known)) => known.extend(ways),
                    None => named.push((name.name, ways)),
                }
            }
            Some(named)
        };
        Some(Self {
            kinds: [kinds(0), kinds(1)],
            named: [named(0)?, named(1)?],
            sieves: [Sieve::of(program, false), Sieve::of(program, true)],
            looks_back: endings_read_past(program),
            may_be_named: (0..program.acts.len())
                .map(|act| names.iter().any(|name| usize::from(name.act) == act))
                .collect(),
            names: names.to_vec(),
            past: first.clone(),
            first,
            fits: HashMap::new(),
            trail: Vec::new(),
            hashes: Vec::new(),
            found: Vec::new(),
            kept: None,
            clockwork: None,
            last: None,
            finale: None,
            work: Work::default(),
            general: Work::default(),
        })
    }

    /// Plays plies from the first state on; with times, they are told for each ply.
    pub(crate) fn play(
        &mut self,
        engine: &Engine<L>,
        plies: &[Sought],
        times: Option<&[Timed]>,
    ) -> Option<Option<Ending>> {
        let fast = engine.fast.as_deref()?;
        (self.last, self.finale) = (None, None);
        self.trail.clear();
        self.hashes.clear();
        self.past.history.keep(self.first.history.entries().len());
        let mut clockwork = self.clockwork.take();
        let timed = match (times, &mut clockwork) {
            (None, _) => None,
            (Some(times), Some(clockwork)) if times.len() == plies.len() => Some((times, clockwork)),
            _ => {
                self.clockwork = clockwork;
                return None;
            }
        };
        let mut work = std::mem::take(&mut self.work);
        work.begin(FUEL);
        let asked = Asked::with(engine, &mut work, self.kept.take().unwrap_or_default());
        let ended = self.played(engine, fast, plies, timed, &asked);
        let fault = asked.fault();
        self.kept = Some(asked.into_kept());
        self.work = work;
        self.clockwork = clockwork;
        ended.filter(|_| fault.is_none())
    }

    fn played(
        &mut self,
        engine: &Engine<L>,
        fast: &Fast<L>,
        plies: &[Sought],
        mut timed: Option<(&[Timed], &mut Clockwork<L>)>,
        asked: &Asked<'_, L>,
    ) -> Option<Option<Ending>> {
        let mut position = self.first.position;
        let counts = self.sieves.iter().any(Sieve::asks_past);
        let trails = self.looks_back || timed.is_some();
        let mut hash = 0;
        if let Some((_, clockwork)) = &mut timed {
            clockwork.begin()?;
        }
        for (at, sought) in plies.iter().enumerate() {
            if counts {
                hash = board_hash(&position);
            }
            // Whoever has this ply is not stuck.
            let ply = self.find(engine, fast, &position, *sought, asked)?;
            if self.may_end(&position, false, hash) && self.ending(engine, fast, &position, false)?.is_some()
            {
                return None;
            }
            if trails {
                self.trail.push((position, ply));
            }
            if counts {
                self.hashes.push(hash);
            }
            let mover = position.mover;
            position = fast.after(&position, ply, asked);
            // The clock is stopped after every ply but one that ends the game.
            if let Some((times, clockwork)) = &mut timed
                && at + 1 < plies.len()
            {
                (position.mover != mover).then_some(())?;
                clockwork.ply(engine, times.get(at).copied().unwrap_or_default())?;
            }
        }
        let stuck = fast.count(&position, asked) == 0;
        if counts {
            hash = board_hash(&position);
        }
        let mut ended = None;
        if self.may_end(&position, stuck, hash) {
            ended = self.ending(engine, fast, &position, stuck)?;
        }
        if let (Some((times, clockwork)), None, Some(last)) = (&mut timed, &ended, plies.len().checked_sub(1))
        {
            clockwork.ply(engine, times.get(last).copied().unwrap_or_default())?;
            self.last = Some(position);
        }
        Some(ended)
    }

    /// The state after the plies of a record with times.
    fn finale(&mut self, engine: &Engine<L>) -> Option<&State<L>> {
        if self.finale.is_none() {
            let (fast, position) = (engine.fast.as_deref()?, self.last?);
            self.tell_past(fast, &position);
            let mut state = State { position, ..self.past.clone() };
            self.clockwork.as_ref()?.write(&mut state)?;
            self.finale = Some(state);
        }
        self.finale.as_ref()
    }

    #[inline(always)]
    fn may_end(&self, position: &Position<L>, stuck: bool, hash: u64) -> bool {
        let times = || 1 + self.hashes.iter().filter(|known| **known == hash).count();
        self.sieves[usize::from(stuck)].passes(position, times)
    }

    /// How the game has ended in a position, the latest one; `None` on a fault.
    fn ending(
        &mut self,
        engine: &Engine<L>,
        fast: &Fast<L>,
        position: &Position<L>,
        stuck: bool,
    ) -> Option<Option<Ending>> {
        if self.looks_back {
            self.tell_past(fast, position);
        }
        let ground = Ground { stuck: Some(stuck), ..engine.ground(&self.past) };
        self.general.begin(FUEL);
        engine.ending(position, ground, false, &mut self.general).ok()
    }

    /// Records what was played so far.
    fn tell_past(&mut self, fast: &Fast<L>, position: &Position<L>) {
        let begun = self.first.history.entries().len();
        let told = self.past.history.entries().len() - begun;
        let after = self.trail.iter().skip(1).map(|(position, _)| position).chain([position]);
        for ((before, ply), after) in self.trail.iter().zip(after).skip(told) {
            let act: Act<L> = fast.act(before, *ply);
            self.past.history.push(Past { position: *after, act: Some(act), clauses: Default::default() });
        }
    }

    /// The one legal ply that is meant.
    fn find(
        &mut self,
        engine: &Engine<L>,
        fast: &Fast<L>,
        position: &Position<L>,
        sought: Sought,
        asked: &Asked<'_, L>,
    ) -> Option<Ply> {
        let me = usize::from(position.mover & 1);
        let mut found = std::mem::take(&mut self.found);
        let name = match sought {
            Sought::Short { piece, to, file, rank, choice } => {
                let ways = self.kinds[me].get(usize::from(piece))?.as_deref()?;
                let mut froms = engine.all;
                if let Some(file) = file {
                    froms &= engine.files.get(usize::from(file).wrapping_sub(1)).copied()?;
                }
                if let Some(rank) = rank {
                    froms &= engine.ranks.get(usize::from(rank).wrapping_sub(1)).copied()?;
                }
                fast.find(position, ways, Known { to: Some(to), froms, choice }, asked, &mut found);
                None
            }
            Sought::Named(name) => {
                let (_, ways) = self.named[me].iter().find(|(known, _)| *known == name)?;
                let known = Known { to: None, froms: engine.all, choice: NO_KIND };
                fast.find(position, ways, known, asked, &mut found);
                Some(name)
            }
        };
        let plain = |ply: Ply| {
            let act = fast.act_name(me, ply);
            act.is_some_and(|act| self.may_be_named.get(usize::from(act)) == Some(&false))
        };
        let only = match found[..] {
            [] => None,
            [ply] if name.is_none() && plain(ply) => Some(ply),
            _ => {
                found.retain(|ply| self.name_of(engine, fast, position, *ply) == name);
                (found.len() == 1).then(|| found.first().copied()).flatten()
            }
        };
        self.found = found;
        only
    }

    /// The name that a ply has: that of the first entry that fits.
    fn name_of(
        &mut self,
        engine: &Engine<L>,
        fast: &Fast<L>,
        position: &Position<L>,
        ply: Ply,
    ) -> Option<u16> {
        let act = fast.act_name(usize::from(position.mover & 1), ply)?;
        for (at, name) in self.names.iter().enumerate().filter(|(_, name)| name.act == act) {
            let (first, work) = (&self.first, &mut self.general);
            let fits = *self.fits.entry((at, ply.from, ply.to)).or_insert_with(|| {
                let act = fast.act(position, ply);
                work.begin(FUEL);
                let held = engine.remark_holds(first, name.remark, Some(&act), work);
                held.unwrap_or(false)
            });
            if fits {
                return Some(name.name);
            }
        }
        None
    }
}

/// A reader with its engine.
pub(crate) struct Reading<L: Layout>(pub(crate) Arc<(Engine<L>, HashMap<String, u32>)>, pub(crate) Reader<L>);

impl<L: Layout> Records for Reading<L> {
    fn allow(&mut self, steps: u64) {
        self.1.work.allow(steps);
        self.1.general.allow(steps);
    }

    fn play(&mut self, plies: &[Sought]) -> Option<Option<Ending>> {
        self.1.play(&self.0.0, plies, None)
    }

    fn keep_time(&mut self, names: &ClockNames) -> bool {
        self.1.clockwork = Clockwork::of(&self.0.0, names);
        self.1.clockwork.is_some()
    }

    fn play_timed(&mut self, plies: &[Sought], times: &[Timed]) -> Option<Option<Ending>> {
        loop {
            let ended = self.1.play(&self.0.0, plies, Some(times));
            if ended.is_some() || !self.1.clockwork.as_mut()?.is_wider() {
                return ended;
            }
        }
    }

    fn event(&mut self, event: u16, person: Person, later: i64) -> Option<Option<Option<Ending>>> {
        let engine = &self.0.0;
        let mut state = self.1.finale(engine)?.clone();
        state.now = state.now.plus(Num::fraction(later.into(), 1000)?)?;
        self.1.general.begin(FUEL);
        match engine.event(&state, event, &[], person, &mut self.1.general).ok()? {
            Verdict::Done { next, .. } => Some(Some(next.ended)),
            Verdict::Refused { .. } => Some(None),
        }
    }

    fn left(&mut self) -> Option<i64> {
        let engine = &self.0.0;
        let state = self.1.finale(engine)?.clone();
        self.1.clockwork.as_ref()?.left(engine, &state, state.position.mover, &mut self.1.general)
    }

    fn mover(&self) -> Option<u8> {
        self.1.last.map(|position| position.mover)
    }
}
