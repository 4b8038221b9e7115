//! A machine whose layout is not known where it is used, and games that are played on it.
//!
//! Invariant: the layout is the smallest one that has room for the program; it makes no difference to any
//! answer. A question to a game is one dynamic call, whatever it needs. What is taken back leaves no trace.

use std::collections::HashMap;
use std::sync::Arc;

use crate::act::{Banned, Ending, Past, Plies, Ply, State};
use crate::engine::{Engine, FUEL, Outcomes, Work, fits};
use crate::events::{self, Person, Reason};
use crate::plain::{Plain, PlainAct, PlainPosition, PlainState, Texts};
use crate::position::{Broad, Huge, Large, Layout, Middle, Position, Small, Tiny};
use crate::program::{Clause, Outcome, Program, Site};
use crate::random::Playout;
use crate::record::{Reader, Reading, RecordName, Records};
use crate::value::Num;
use crate::verify::{Refusal, Verified};

/// A program that is ready to be asked.
///
/// ```
/// # use rulebook_machine::file;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let machine = file::load(include_bytes!("../examples/three.rules"))?;
/// let mut game = machine.first();
/// assert_eq!(game.plies()?.0.len(), 9);
/// assert_eq!(game.perft(4)?, 9 * 8 * 7 * 6);
///
/// let corner = machine.site("a1").ok_or("no such site")?;
/// let first = game.plies()?.0.into_iter().map(|ply| ply.act).collect::<Vec<_>>();
/// assert_eq!(machine.show(&first[usize::from(corner)]), "place cell=a1");
///
/// let before = game.hash()?;
/// game.play(0)?;
/// assert_ne!(game.hash()?, before);
/// assert!(game.undo());
/// assert_eq!(game.hash()?, before);
/// # Ok(())
/// # }
/// ```
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
        let inner = if fits::<Tiny>(&program) {
            made::<Tiny>(&program)?
        } else if fits::<Small>(&program) {
            made::<Small>(&program)?
        } else if fits::<Middle>(&program) {
            made::<Middle>(&program)?
        } else if fits::<Large>(&program) {
            made::<Large>(&program)?
        } else if fits::<Broad>(&program) {
            made::<Broad>(&program)?
        } else {
            made::<Huge>(&program)?
        };
        Ok(Self { program, inner })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// A clause by its number: its id, what it says in either language, and what it cites. Verdicts name the
    /// clauses that decided them in this way.
    pub fn clause(&self, at: u16) -> Option<&Clause> {
        self.program.clauses.get(usize::from(at))
    }

    /// The number of an event.
    pub fn event(&self, name: &str) -> Option<u16> {
        self.program.events.iter().position(|known| known == name).map(|at| at as u16)
    }

    /// The number of an act.
    pub fn act(&self, name: &str) -> Option<u16> {
        self.program.acts.iter().position(|known| known == name).map(|at| at as u16)
    }

    /// A site by its name.
    pub fn site(&self, name: &str) -> Option<Site> {
        self.program.board.names.iter().position(|known| known == name).map(|at| at as Site)
    }

    /// An act in words: its name, where a piece goes from and to, and what is chosen.
    ///
    /// Acts that are different to the players may have the same words where they capture different pieces.
    pub fn show(&self, act: &PlainAct) -> String {
        let mut text = self.program.acts.get(usize::from(act.name)).cloned().unwrap_or_default();
        if let (Some(from), Some(to)) = (act.from, act.to) {
            text.push_str(&format!(" {}-{}", self.site_name(from), self.site_name(to)));
        }
        for choice in &act.choices {
            let Some((_, value)) = act.bound.iter().rev().find(|(known, _)| known == choice) else {
                continue;
            };
            let name = self.program.bindings.get(usize::from(*choice)).map_or("", String::as_str);
            text.push_str(&format!(" {name}={}", self.show_value(value)));
        }
        text
    }

    fn site_name(&self, site: Site) -> &str {
        self.program.board.names.get(usize::from(site)).map_or("", String::as_str)
    }

    /// A value in words.
    pub fn show_value(&self, value: &Plain) -> String {
        let named = |names: &[String], at: u8| names.get(usize::from(at)).cloned().unwrap_or_default();
        let listed = |members: Vec<String>| format!("[{}]", members.join(", "));
        match value {
            Plain::Nothing => "none".to_owned(),
            Plain::Truth(truth) => truth.to_string(),
            Plain::Number(numerator, 1) => numerator.to_string(),
            Plain::Number(numerator, denominator) => format!("{numerator}/{denominator}"),
            Plain::Text(text) => text.clone(),
            Plain::Player(player) => named(&self.program.players, *player),
            Plain::Kind(kind) => named(&self.program.kinds, *kind),
            Plain::Site(site) => self.site_name(*site).to_owned(),
            Plain::Sites(sites) => {
                listed(sites.iter().map(|site| self.site_name(*site).to_owned()).collect())
            }
            Plain::List(values) => listed(values.iter().map(|value| self.show_value(value)).collect()),
            Plain::Row(table, row) => {
                let name = self.program.tables.get(usize::from(*table)).map_or("", |(name, _)| name.as_str());
                format!("{name} {row}")
            }
            Plain::Outcome(outcome) => self.show_outcome(*outcome),
        }
    }

    /// An outcome in words, as rule files write it.
    pub fn show_outcome(&self, outcome: Outcome) -> String {
        let player = |player: u8| self.program.players.get(usize::from(player)).map_or("", String::as_str);
        match outcome {
            Outcome::Win(winner) => format!("win({})", player(winner)),
            Outcome::Lose(loser) => format!("lose({})", player(loser)),
            Outcome::Draw => "draw".to_owned(),
            Outcome::Void => "void".to_owned(),
            Outcome::AllLose => "all_lose".to_owned(),
        }
    }

    /// The clauses on whose turn it is.
    pub fn turn_clauses(&self) -> Vec<u16> {
        let is_turn = |(at, clause): (usize, &Clause)| {
            matches!(clause.form, crate::program::Form::Turn(_)).then_some(at as u16)
        };
        self.program.clauses.iter().enumerate().filter_map(is_turn).collect()
    }

    /// A reader of records that names no clauses; `None` where this rule set has to be judged ply by ply.
    /// `names` are the names that acts have in records.
    pub fn records(&self, names: &[RecordName]) -> Option<Box<dyn Records>> {
        self.inner.records(names)
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
    fn records(&self, names: &[RecordName]) -> Option<Box<dyn Records>>;
}

/// An engine, and the numbers of the texts of its program.
type Shared<L> = Arc<(Engine<L>, HashMap<String, u32>)>;

struct Made<L: Layout>(Shared<L>);

impl<L: Layout> Opens for Made<L> {
    fn first(&self) -> Box<dyn Game> {
        let state = self.0.0.first();
        Box::new(Session { shared: Arc::clone(&self.0), state, work: Work::default(), trail: Vec::new() })
    }

    fn open(&self, state: &PlainState) -> Outcomes<Box<dyn Game>> {
        let state = self.0.0.state_of(state, &self.0.1)?;
        Ok(Box::new(Session { shared: Arc::clone(&self.0), state, work: Work::default(), trail: Vec::new() }))
    }
    fn records(&self, names: &[RecordName]) -> Option<Box<dyn Records>> {
        let reader = Reader::of(&self.0.0, names)?;
        Some(Box::new(Reading(Arc::clone(&self.0), reader)))
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
    /// The state, with everything that was recorded on the way to it.
    fn state(&self) -> PlainState;
    /// The position alone.
    fn position(&self) -> PlainPosition;
    /// How the game has ended.
    fn ended(&self) -> Option<&Ending>;
    /// All plies that clauses grant: the legal ones, and those that a clause forbids.
    fn plies(&mut self) -> Outcomes<(Vec<PlainPly>, Vec<PlainBanned>)>;
    /// Plays the n-th legal ply and looks whether the game has ended; false if there is no such ply. After a
    /// fault the game stands as before.
    fn play(&mut self, at: usize) -> Outcomes<bool>;
    /// Looks whether the game has ended.
    fn settle(&mut self) -> Outcomes<()>;
    /// Judges a ply that is meant by a test on acts; `grants` are the clauses that could grant such an act.
    fn judge(&mut self, meant: &dyn Fn(&PlainAct) -> bool, grants: &[u16]) -> Outcomes<PlainVerdict>;
    /// Judges an event that is not a ply, with what it comes with.
    fn event(&mut self, event: u16, with: &[Plain], person: Person) -> Outcomes<PlainVerdict>;
    /// Judges a ply as `judge` does, and goes on with it if it is done.
    fn attempt(&mut self, meant: &dyn Fn(&PlainAct) -> bool, grants: &[u16]) -> Outcomes<PlainVerdict>;
    /// Judges an event as `event` does, and goes on with it if it is done.
    fn cause(&mut self, event: u16, with: &[Plain], person: Person) -> Outcomes<PlainVerdict>;
    /// Takes back the latest act or event that this game has gone on with: position, record and ending are
    /// exactly those from before it. False in the state in which the game was opened, which stays.
    fn undo(&mut self) -> bool;
    /// A number for what the position is, as `times(position)` sees it: positions that are the same have
    /// equal numbers. The opposite is likely and no more: equal numbers do not prove that positions are the
    /// same. Where plies depend on what was played before, variables that last one ply never count. The
    /// number is the same in all games of the program, and another one in another version of this crate.
    fn hash(&mut self) -> Outcomes<u64>;
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
    /// For each act and event that was gone on with, what was before it, the latest last.
    trail: Vec<Before<L>>,
}

/// What an act or an event changes.
struct Before<L: Layout> {
    position: Position<L>,
    now: Num,
    ended: Option<Ending>,
    /// How many positions were recorded.
    recorded: usize,
    /// Those of them that are recorded no more.
    forgotten: Vec<Past<L>>,
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
            events::Verdict::Done { next, clauses } => self.plain_done(&next, clauses, is_act),
        }
    }

    fn plain_done(&self, next: &State<L>, clauses: Vec<u16>, is_act: bool) -> PlainVerdict {
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

    fn before(&self) -> Before<L> {
        Before {
            position: self.state.position,
            now: self.state.now,
            ended: self.state.ended.clone(),
            recorded: self.state.history.entries().len(),
            forgotten: Vec::new(),
        }
    }

    fn restore(&mut self, before: Before<L>) {
        self.state.position = before.position;
        self.state.now = before.now;
        self.state.ended = before.ended;
        self.state.history.keep(before.recorded);
        before.forgotten.into_iter().for_each(|past| self.state.history.push(past));
    }

    /// Goes on with what a verdict says, if it is done, and says it without a layout.
    fn go_on(&mut self, verdict: events::Verdict<L>, is_act: bool) -> PlainVerdict {
        match verdict {
            events::Verdict::Refused { reason, clauses } => PlainVerdict::Refused { reason, clauses },
            events::Verdict::Done { next, clauses } => {
                let mut before = self.before();
                // An event may let an earlier position return.
                let kept = next.history.entries().len();
                before.forgotten = self.state.history.entries().get(kept..).unwrap_or(&[]).to_vec();
                let plain = self.plain_done(&next, clauses, is_act);
                self.trail.push(before);
                self.state = *next;
                plain
            }
        }
    }

    fn judged(&mut self, meant: &dyn Fn(&PlainAct) -> bool, grants: &[u16]) -> Outcomes<events::Verdict<L>> {
        let tables = Arc::clone(&self.state.tables);
        let engine = &self.shared.0;
        let meant = |act: &crate::act::Act<L>| meant(&engine.plain_act(act, &tables));
        engine.judge(&self.state, &meant, grants, &mut self.work)
    }

    fn told(&mut self, event: u16, with: &[Plain], person: Person) -> Outcomes<events::Verdict<L>> {
        let with: Vec<_> =
            self.converted(|engine, texts| with.iter().map(|given| texts.value(engine, given)).collect());
        self.shared.0.event(&self.state, event, &with, person, &mut self.work)
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

    fn position(&self) -> PlainPosition {
        self.shared.0.plain_position(&self.state.position, &self.state.tables)
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
        let before = self.before();
        self.state.play(plies.swap_remove(at));
        if let Err(fault) = self.settle() {
            self.restore(before);
            return Err(fault);
        }
        self.trail.push(before);
        Ok(true)
    }

    fn settle(&mut self) -> Outcomes<()> {
        self.work.begin(FUEL);
        self.shared.0.settle(&mut self.state, &mut self.work)
    }

    fn judge(&mut self, meant: &dyn Fn(&PlainAct) -> bool, grants: &[u16]) -> Outcomes<PlainVerdict> {
        let verdict = self.judged(meant, grants)?;
        Ok(self.plain_verdict(verdict, true))
    }

    fn event(&mut self, event: u16, with: &[Plain], person: Person) -> Outcomes<PlainVerdict> {
        let verdict = self.told(event, with, person)?;
        Ok(self.plain_verdict(verdict, false))
    }

    fn attempt(&mut self, meant: &dyn Fn(&PlainAct) -> bool, grants: &[u16]) -> Outcomes<PlainVerdict> {
        let verdict = self.judged(meant, grants)?;
        Ok(self.go_on(verdict, true))
    }

    fn cause(&mut self, event: u16, with: &[Plain], person: Person) -> Outcomes<PlainVerdict> {
        let verdict = self.told(event, with, person)?;
        Ok(self.go_on(verdict, false))
    }

    fn undo(&mut self) -> bool {
        let Some(before) = self.trail.pop() else { return false };
        self.restore(before);
        true
    }

    fn hash(&mut self) -> Outcomes<u64> {
        self.work.begin(FUEL);
        self.shared.0.hash(&self.state, &mut self.work)
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
