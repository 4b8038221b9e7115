//! A machine whose layout is not known where it is used, and games that are played on it.
//!
//! Invariant: the layout is the smallest one that has room for the program; it makes no difference to any
//! answer. A question to a game is one dynamic call, whatever it needs.

use std::collections::HashMap;
use std::sync::Arc;

use crate::act::{Banned, Ending, Plies, Ply, State};
use crate::engine::{Engine, FUEL, Outcomes, Work, fits};
use crate::events::{self, Person, Reason};
use crate::plain::{Plain, PlainAct, PlainPosition, PlainState, Texts};
use crate::position::{Huge, Large, Layout, Middle, Position, Small};
use crate::program::Program;
use crate::random::Playout;
use crate::verify::{Refusal, Verified};

/// A program that is ready to be asked.
#[derive(Clone)]
pub struct Machine {
    program: Arc<Verified>,
    inner: Arc<dyn Opens>,
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine").field("id", &self.program.id).finish_non_exhaustive()
    }
}

impl Machine {
    /// Makes a verified program ready.
    ///
    /// # Errors
    /// No layout has room for its positions.
    pub fn new(program: Verified) -> Result<Self, Refusal> {
        let program = Arc::new(program);
        fn made<L: Layout>(program: &Arc<Verified>) -> Result<Arc<dyn Opens>, Refusal> {
            let engine = Engine::<L>::new(Arc::clone(program))?;
            let texts = &program.texts;
            let texts = texts.iter().enumerate().map(|(at, text)| (text.clone(), at as u32)).collect();
            Ok(Arc::new(Made(Arc::new((engine, texts)))))
        }
        let inner = if fits::<Small>(&program) {
            made::<Small>(&program)?
        } else if fits::<Middle>(&program) {
            made::<Middle>(&program)?
        } else if fits::<Large>(&program) {
            made::<Large>(&program)?
        } else {
            made::<Huge>(&program)?
        };
        Ok(Self { program, inner })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The clauses on whose turn it is.
    pub fn turn_clauses(&self) -> Vec<u16> {
        let is_turn = |(at, clause): (usize, &crate::program::Clause)| {
            matches!(clause.form, crate::program::Form::Turn(_)).then_some(at as u16)
        };
        self.program.clauses.iter().enumerate().filter_map(is_turn).collect()
    }

    /// A game in the first state.
    pub fn first(&self) -> Box<dyn Game> {
        self.inner.first()
    }

    /// A game in a state.
    ///
    /// # Errors
    /// A variable holds a number that does not fit.
    pub fn open(&self, state: &PlainState) -> Outcomes<Box<dyn Game>> {
        self.inner.open(state)
    }
}

/// An engine of some layout.
trait Opens: Send + Sync {
    fn first(&self) -> Box<dyn Game>;
    fn open(&self, state: &PlainState) -> Outcomes<Box<dyn Game>>;
}

/// An engine, and the numbers of the texts of its program.
type Shared<L> = Arc<(Engine<L>, HashMap<String, u32>)>;

struct Made<L: Layout>(Shared<L>);

impl<L: Layout> Opens for Made<L> {
    fn first(&self) -> Box<dyn Game> {
        let state = self.0.0.first();
        Box::new(Session { shared: Arc::clone(&self.0), state, work: Work::default() })
    }

    fn open(&self, state: &PlainState) -> Outcomes<Box<dyn Game>> {
        let state = self.0.0.state_of(state, &self.0.1)?;
        Ok(Box::new(Session { shared: Arc::clone(&self.0), state, work: Work::default() }))
    }
}

/// A legal ply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainPly {
    /// What is done.
    pub act: PlainAct,
    /// The position after it.
    pub next: PlainPosition,
    /// How the ply itself ended the game; endings are not yet looked at.
    pub ended: Option<Ending>,
    /// The clause that grants it and those that took effect.
    pub clauses: Vec<u16>,
}

/// A ply that is granted and forbidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainBanned {
    /// What would have been done.
    pub act: PlainAct,
    /// The ban, then the clause that grants the act.
    pub clauses: Vec<u16>,
}

/// What comes of an act or an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlainVerdict {
    /// It is done.
    Done {
        /// The act, if it was one.
        act: Option<PlainAct>,
        /// The position after it.
        next: Box<PlainPosition>,
        /// How many of the recorded positions it took back.
        forgotten: usize,
        /// How the game ended, endings looked at.
        ended: Option<Ending>,
        /// The clauses that decided.
        clauses: Vec<u16>,
    },
    /// It is refused.
    Refused {
        /// Why.
        reason: Reason,
        /// The clauses that decided.
        clauses: Vec<u16>,
    },
}

/// An entry of a ranking: its row, its keys, and the clause that parted it from the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainRanked {
    /// The row of the first table.
    pub row: u32,
    /// The keys that were looked at, by clause, with their values as fractions.
    pub keys: Vec<(u16, (i64, i64))>,
    /// The clause that parted this entry from those it was tied with last.
    pub decided: Option<u16>,
}

/// A list: the names of its columns, and its rows.
pub type PlainListed = (Vec<String>, Vec<Vec<Plain>>);

/// A game that is asked, and played.
#[expect(clippy::missing_errors_doc, reason = "each gives a fault of the rule set in this situation")]
pub trait Game {
    /// Allows no more than so many steps of work for all further questions together.
    fn allow(&mut self, steps: u64);
    /// The state.
    fn state(&self) -> PlainState;
    /// How the game has ended.
    fn ended(&self) -> Option<&Ending>;
    /// All plies that clauses grant: the legal ones, and those that a clause forbids.
    fn plies(&mut self) -> Outcomes<(Vec<PlainPly>, Vec<PlainBanned>)>;
    /// Plays the n-th legal ply and looks whether the game has ended; false if there is no such ply.
    fn play(&mut self, at: usize) -> Outcomes<bool>;
    /// Looks whether the game has ended.
    fn settle(&mut self) -> Outcomes<()>;
    /// Judges a ply that is meant by a test on acts; `grants` are the clauses that could grant such an act.
    fn judge(&mut self, meant: &dyn Fn(&PlainAct) -> bool, grants: &[u16]) -> Outcomes<PlainVerdict>;
    /// Judges an event that is not a ply, with what it comes with.
    fn event(&mut self, event: u16, with: &[Plain], person: Person) -> Outcomes<PlainVerdict>;
    /// Counts sequences of plies.
    fn perft(&mut self, depth: u32) -> Outcomes<u64>;
    /// The same, every position being made that is counted.
    fn perft_making(&mut self, depth: u32) -> Outcomes<u64>;
    /// Counts the games that can be played from here to an end, all endings looked at.
    fn games(&mut self) -> Outcomes<u64>;
    /// Plays at random, each legal ply being as likely as any other, at most so many plies.
    /// The game itself stays as it is; the same seed plays the same game.
    fn playout(&mut self, seed: u64, most: u32) -> Outcomes<Playout>;
    /// The legal plies as the fast paths find them, marks and clauses left out; `None` where the program has
    /// no fast paths.
    fn swift(&mut self) -> Outcomes<Option<Vec<PlainPly>>>;
    /// The value of a definition for some arguments; `None` when there is none of this name.
    fn define(&mut self, name: &str, arguments: &[Plain]) -> Outcomes<Option<Plain>>;
    /// Whether one of the remarks of the program holds for an act.
    fn remark(&mut self, remark: usize, act: Option<&PlainAct>) -> Outcomes<bool>;
    /// Ranks the entries of the first table, best first.
    fn rank(&mut self) -> Outcomes<Vec<Vec<PlainRanked>>>;
    /// The rows of a list that the rule set makes.
    fn list(&mut self, name: &str) -> Outcomes<Option<PlainListed>>;
}

/// A game on an engine.
struct Session<L: Layout> {
    shared: Shared<L>,
    state: State<L>,
    work: Work<L>,
}

impl<L: Layout> Session<L> {
    fn plain_ply(&self, ply: &Ply<L>) -> PlainPly {
        let (engine, tables) = (&self.shared.0, &*self.state.tables);
        PlainPly {
            act: engine.plain_act(&ply.act, tables),
            next: engine.plain_position(&ply.next, tables),
            ended: ply.ended.clone().or_else(|| self.state.ended.clone()),
            clauses: ply.clauses.iter().copied().collect(),
        }
    }

    fn plain_banned(&self, banned: &Banned<L>) -> PlainBanned {
        PlainBanned {
            act: self.shared.0.plain_act(&banned.act, &self.state.tables),
            clauses: banned.clauses.iter().copied().collect(),
        }
    }

    fn plain_verdict(&self, verdict: events::Verdict<L>, is_act: bool) -> PlainVerdict {
        match verdict {
            events::Verdict::Refused { reason, clauses } => PlainVerdict::Refused { reason, clauses },
            events::Verdict::Done { next, clauses } => {
                let (engine, tables) = (&self.shared.0, &*next.tables);
                let act = next.history.entries().last().and_then(|past| past.act.as_ref());
                let before = self.state.history.entries().len();
                PlainVerdict::Done {
                    act: act.filter(|_| is_act).map(|act| engine.plain_act(act, tables)),
                    next: Box::new(engine.plain_position(&next.position, tables)),
                    forgotten: before.saturating_sub(next.history.entries().len()),
                    ended: next.ended.clone(),
                    clauses,
                }
            }
        }
    }

    fn generate(&mut self) -> Outcomes<Plies<L>> {
        self.work.begin(FUEL);
        self.shared.0.plies(&self.state, &mut self.work)
    }

    /// A value from outside, further texts kept with the tables.
    fn converted<T>(&mut self, convert: impl FnOnce(&Engine<L>, &mut Texts<'_>) -> T) -> T {
        let more = self.state.tables.texts.clone();
        let before = more.len();
        let mut texts = Texts::new(&self.shared.1, more);
        let made = convert(&self.shared.0, &mut texts);
        let more = texts.into_more();
        if more.len() > before {
            Arc::make_mut(&mut self.state.tables).texts = more;
        }
        made
    }
}

impl<L: Layout> Game for Session<L> {
    fn allow(&mut self, steps: u64) {
        self.work.allow(steps);
    }

    fn state(&self) -> PlainState {
        self.shared.0.plain_state(&self.state)
    }

    fn ended(&self) -> Option<&Ending> {
        self.state.ended.as_ref()
    }

    fn plies(&mut self) -> Outcomes<(Vec<PlainPly>, Vec<PlainBanned>)> {
        let plies = self.generate()?;
        let legal = plies.legal.iter().map(|ply| self.plain_ply(ply)).collect();
        Ok((legal, plies.banned.iter().map(|banned| self.plain_banned(banned)).collect()))
    }

    fn play(&mut self, at: usize) -> Outcomes<bool> {
        let mut plies = self.generate()?.legal;
        if at >= plies.len() {
            return Ok(false);
        }
        self.state.play(plies.swap_remove(at));
        self.settle()?;
        Ok(true)
    }

    fn settle(&mut self) -> Outcomes<()> {
        self.work.begin(FUEL);
        self.shared.0.settle(&mut self.state, &mut self.work)
    }

    fn judge(&mut self, meant: &dyn Fn(&PlainAct) -> bool, grants: &[u16]) -> Outcomes<PlainVerdict> {
        let tables = Arc::clone(&self.state.tables);
        let engine = &self.shared.0;
        let meant = |act: &crate::act::Act<L>| meant(&engine.plain_act(act, &tables));
        let verdict = engine.judge(&self.state, &meant, grants, &mut self.work)?;
        Ok(self.plain_verdict(verdict, true))
    }

    fn event(&mut self, event: u16, with: &[Plain], person: Person) -> Outcomes<PlainVerdict> {
        let with: Vec<_> =
            self.converted(|engine, texts| with.iter().map(|given| texts.value(engine, given)).collect());
        let verdict = self.shared.0.event(&self.state, event, &with, person, &mut self.work)?;
        Ok(self.plain_verdict(verdict, false))
    }

    fn perft(&mut self, depth: u32) -> Outcomes<u64> {
        self.shared.0.perft(&self.state, depth, true, &mut self.work)
    }

    fn perft_making(&mut self, depth: u32) -> Outcomes<u64> {
        self.shared.0.perft(&self.state, depth, false, &mut self.work)
    }

    fn games(&mut self) -> Outcomes<u64> {
        self.shared.0.games(&self.state, &mut self.work)
    }

    fn playout(&mut self, seed: u64, most: u32) -> Outcomes<Playout> {
        self.shared.0.playout(&self.state, seed, most, &mut self.work)
    }

    fn swift(&mut self) -> Outcomes<Option<Vec<PlainPly>>> {
        let found = self.shared.0.swift(&self.state, &mut self.work)?;
        let (engine, tables) = (&self.shared.0, &*self.state.tables);
        let plain = |(act, next): &(crate::act::Act<L>, Position<L>)| PlainPly {
            act: engine.plain_act(act, tables),
            next: engine.plain_position(next, tables),
            ended: self.state.ended.clone(),
            clauses: Vec::new(),
        };
        Ok(found.map(|found| found.iter().map(plain).collect()))
    }

    fn define(&mut self, name: &str, arguments: &[Plain]) -> Outcomes<Option<Plain>> {
        let arguments = self.converted(|engine, texts| {
            arguments.iter().map(|argument| texts.value(engine, argument)).collect()
        });
        self.work.begin(FUEL);
        let value = self.shared.0.define(&self.state, name, arguments, &mut self.work)?;
        Ok(value.map(|value| self.shared.0.plain_value(&value, &self.state.tables)))
    }

    fn remark(&mut self, remark: usize, act: Option<&PlainAct>) -> Outcomes<bool> {
        let act = self.converted(|engine, texts| act.map(|act| engine.act_of(act, texts)));
        self.work.begin(FUEL);
        self.shared.0.remark_holds(&self.state, remark, act.as_ref(), &mut self.work)
    }

    fn rank(&mut self) -> Outcomes<Vec<Vec<PlainRanked>>> {
        let groups = self.shared.0.rank(&self.state, &mut self.work)?;
        let plain = |ranked: crate::collect::Ranked| PlainRanked {
            row: ranked.row,
            keys: ranked.keys.into_iter().map(|(clause, number)| (clause, number.parts())).collect(),
            decided: ranked.decided,
        };
        Ok(groups.into_iter().map(|group| group.into_iter().map(plain).collect()).collect())
    }

    fn list(&mut self, name: &str) -> Outcomes<Option<PlainListed>> {
        let listed = self.shared.0.list_named(&self.state, name, &mut self.work)?;
        Ok(listed.map(|(columns, rows)| {
            let tables = &self.state.tables;
            let row = |row: &Vec<_>| row.iter().map(|v| self.shared.0.plain_value(v, tables)).collect();
            (columns, rows.iter().map(row).collect())
        }))
    }
}
