//! A verified program made ready for positions of one layout, and what a question carries with it.
//!
//! Invariant: an engine is only made from a program that the verifier has passed and that fits its layout.
//! Nothing is remembered from one question to the next but empty buffers.

use std::sync::Arc;

use crate::act::{Act, History, Past, State, Story, Tables};
use crate::dispatch::{Dispatch, Sorted};
use crate::fast::Fast;
use crate::position::{Layout, Position, Row};
use crate::program::{Choice, Clause, Code, Const, Index, NodeId, Program, Run, Site, Type, Var};
use crate::set::{Set, collect};
use crate::surround::Field;
use crate::terms::{plies_read_past, quick_conditions};
use crate::value::{Num, Val};
use crate::verify::{Refusal, Verified};
use crate::walk::Walker;

/// Why a situation has no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A number left its range, or was divided by zero; the clause it came up in, if that is known.
    Number(Option<u16>),
    /// A question needed more work than is allowed; the clause it came up in, if that is known.
    TooMuchWork(Option<u16>),
    /// Clauses give different results at once, and none goes before the others.
    Conflict(Box<[u16]>),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Number(_) => "a number left its range, or was divided by zero",
            Self::TooMuchWork(_) => "this question needs more work than is allowed",
            Self::Conflict(_) => "two clauses decide differently, and none goes before the other",
        })
    }
}

impl std::error::Error for Fault {}

/// A number that has no value.
pub(crate) const NUMBER: Fault = Fault::Number(None);
/// Work beyond a limit.
pub(crate) const WORK: Fault = Fault::TooMuchWork(None);

/// The result of a computation that may have no value.
pub type Outcomes<T> = Result<T, Fault>;

/// Names the clause that a fault came up in, unless it is known.
pub(crate) fn blame<T>(clause: u16, result: Outcomes<T>) -> Outcomes<T> {
    result.map_err(|fault| match fault {
        Fault::Number(None) => Fault::Number(Some(clause)),
        Fault::TooMuchWork(None) => Fault::TooMuchWork(Some(clause)),
        fault => fault,
    })
}

/// Steps of evaluation allowed for one question about a position.
pub const FUEL: u64 = 50_000_000;
/// Steps of evaluation allowed for one ranking or list.
pub const TABLE_FUEL: u64 = 5_000_000_000;
/// Most acts that one question may bring forth.
pub const MAX_ACTS: usize = 100_000;
/// Deepest evaluation in levels, questions inside of questions included, so that the stack holds it.
///
/// A level is about a kilobyte of stack in the widest layout; the deepest terms that the checker lets through,
/// of the costliest sort, need three quarters of them.
const MAX_DEPTH: u32 = 2000;

/// What one question works with: the steps that are left, and buffers.
#[derive(Debug)]
pub struct Work<L: Layout> {
    pub(crate) fuel: u64,
    /// What `fuel` was when the question began.
    begun: u64,
    /// Steps that are left for this and all further questions together.
    allowance: u64,
    pub(crate) depth: u32,
    /// Local names of all open frames, one frame after another.
    pub(crate) slots: Vec<Val<L::Set>>,
    /// Where the innermost frame begins.
    pub(crate) base: usize,
    /// How long it is.
    pub(crate) size: usize,
    /// Empty buffers of walkers.
    pub(crate) walkers: Vec<Vec<Walker<L::Set>>>,
}

impl<L: Layout> Default for Work<L> {
    fn default() -> Self {
        Self {
            fuel: FUEL,
            begun: FUEL,
            allowance: u64::MAX,
            depth: 0,
            slots: Vec::new(),
            base: 0,
            size: 0,
            walkers: Vec::new(),
        }
    }
}

impl<L: Layout> Work<L> {
    /// Begins a new question with the same buffers.
    pub fn begin(&mut self, fuel: u64) {
        if self.allowance != u64::MAX {
            self.allowance = self.allowance.saturating_sub(self.begun.saturating_sub(self.fuel));
        }
        self.begun = fuel.min(self.allowance);
        self.fuel = self.begun;
        self.depth = 0;
        self.slots.clear();
        (self.base, self.size) = (0, 0);
    }

    /// Allows no more than so many steps for all further questions together.
    pub fn allow(&mut self, steps: u64) {
        (self.allowance, self.begun, self.fuel) = (steps, steps.min(FUEL), steps.min(FUEL));
    }

    /// Gives the question at hand all the steps of a new one, unless all questions share an allowance.
    pub(crate) fn refill(&mut self) {
        if self.allowance == u64::MAX {
            (self.begun, self.fuel) = (FUEL, FUEL);
        }
    }

    /// Steps that are left for the question at hand.
    pub(crate) fn left(&self) -> u64 {
        self.fuel
    }

    /// Steps that the question at hand has taken.
    pub(crate) fn spent(&self) -> u64 {
        self.begun.saturating_sub(self.fuel)
    }

    /// Steps that are left for all further questions together.
    pub(crate) fn allowance(&self) -> u64 {
        self.allowance
    }

    #[inline(always)]
    pub(crate) fn burn(&mut self, steps: u64) -> Outcomes<()> {
        match self.fuel.checked_sub(steps) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => Err(WORK),
        }
    }

    /// Goes some levels deeper; `surface` comes back up. A fault never comes back, and need not.
    #[inline(always)]
    pub(crate) fn dive(&mut self, levels: u32) -> Outcomes<()> {
        self.depth += levels;
        if self.depth > MAX_DEPTH { Err(WORK) } else { Ok(()) }
    }

    #[inline(always)]
    pub(crate) fn surface(&mut self, levels: u32) {
        self.depth = self.depth.saturating_sub(levels);
    }

    pub(crate) fn buffer(&mut self) -> Vec<Walker<L::Set>> {
        self.walkers.pop().unwrap_or_default()
    }

    pub(crate) fn give_back(&mut self, mut buffer: Vec<Walker<L::Set>>) {
        buffer.clear();
        self.walkers.push(buffer);
    }
}

/// What stays the same while a ply is made: the past, the tables, and whether a ply is being made.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a, L: Layout> {
    /// The recorded positions.
    pub story: Story<'a, L>,
    /// Tables of records.
    pub tables: &'a Tables<L>,
    /// The time of the ply or event at hand, in seconds.
    pub now: Num,
    /// Whether a ply is being made: its effects have begun and the turn has not passed.
    pub mid_ply: bool,
    /// Whether the position is only supposed, to see whether a ply can be answered: bans that ask so are left
    /// aside.
    pub supposed: bool,
    /// Whether the player on turn is stuck in the position that is looked at, where that is known already.
    pub(crate) stuck: Option<bool>,
}

/// What terms refer to.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a, L: Layout> {
    /// The position.
    pub position: &'a Position<L>,
    /// The past and the tables.
    pub ground: Ground<'a, L>,
    /// Who moves.
    pub mover: u8,
    /// Who acts.
    pub actor: u8,
    /// The act at hand.
    pub act: Option<&'a Act<L>>,
    /// The walking pattern: where it is, what it took, its marks.
    pub(crate) walk: Option<&'a Walker<L::Set>>,
    /// A site that counts as empty while its piece walks.
    pub(crate) lifted: Option<Site>,
    /// A piece, of a kind that is left open, that is imagined on a site.
    pub(crate) phantom: Option<(Site, u8)>,
    /// Whether the ply at hand can be answered, where a ban asks.
    pub(crate) answerable: bool,
    /// The entries that are still tied.
    pub(crate) tied: Option<&'a [Val<L::Set>]>,
    /// The frame around a pattern that stands in a term: where it begins and how long it is.
    pub(crate) frame: (usize, usize),
}

impl<'a, L: Layout> Scene<'a, L> {
    /// A position with no act at hand.
    pub fn of(position: &'a Position<L>, ground: Ground<'a, L>) -> Self {
        Self {
            position,
            ground,
            mover: position.mover,
            actor: position.mover,
            act: None,
            walk: None,
            lifted: None,
            phantom: None,
            answerable: false,
            tied: None,
            frame: (0, 0),
        }
    }

    /// A position with an act at hand, as the player on turn sees it.
    pub fn with(position: &'a Position<L>, ground: Ground<'a, L>, act: &'a Act<L>) -> Self {
        Self { actor: act.actor, act: Some(act), ..Self::of(position, ground) }
    }
}

/// Runs one program on positions of one layout.
#[derive(Clone, Debug)]
pub struct Engine<L: Layout> {
    pub(crate) program: Arc<Verified>,
    pub(crate) consts: Vec<Val<L::Set>>,
    pub(crate) dispatch: Dispatch,
    /// How many players there are, at least one.
    pub(crate) players: u8,
    pub(crate) all: L::Set,
    /// File and rank of each site, from one.
    pub(crate) places: Vec<(i16, i16)>,
    /// The sites of each file and rank.
    pub(crate) files: Vec<L::Set>,
    pub(crate) ranks: Vec<L::Set>,
    /// The sites that touch each site.
    pub(crate) near: Vec<L::Set>,
    none: Arc<Tables<L>>,
    /// The fast paths, where the lanes of the program allow them.
    pub(crate) fast: Option<Arc<Fast<L>>>,
    /// The fast path of games of placing and enclosing.
    pub(crate) field: Option<Arc<Field>>,
    /// Whether plies may depend on what was played before.
    pub(crate) reads_past: bool,
    /// Where the conditions on plies begin that ask nothing about the plies themselves.
    pub(crate) quick: Vec<u32>,
}

/// Whether a program's positions have room in a layout.
pub fn fits<L: Layout>(program: &Program) -> bool {
    let (sets, nums) = room(program);
    program.board.len() <= L::Set::CAPACITY
        && program.kinds.len() <= L::Kinds::LEN
        && program.players.len() <= L::Owners::LEN
        && sets <= L::Sets::LEN
        && nums <= L::Nums::LEN
}

/// How many sets and other values the variables of a program need.
pub fn room(program: &Program) -> (usize, usize) {
    let end = |sets: bool| {
        let vars = program.vars.iter().filter(|var| (var.ty == Type::Sites) == sets);
        vars.map(|var| usize::from(var.slot) + usize::from(var.count)).max().unwrap_or(0)
    };
    (end(true), end(false))
}

impl<L: Layout> Engine<L> {
    /// Makes a program ready.
    ///
    /// # Errors
    /// The layout has no room for its positions.
    pub fn new(program: Arc<Verified>) -> Result<Self, Refusal> {
        if !fits::<L>(&program) {
            return Err(Refusal::whole("the program needs more room than this layout has"));
        }
        let board = &program.board;
        let sites = 0..board.len() as Site;
        let places: Vec<(i16, i16)> =
            sites.clone().map(|site| (board.file(site) as i16, board.rank(site) as i16)).collect();
        let line = |count: u16, of: &dyn Fn(Site) -> u16| -> Vec<L::Set> {
            (1..=count).map(|at| collect(sites.clone().filter(|site| of(*site) == at))).collect()
        };
        let near = sites.clone().map(|site| {
            collect(board.adjacent.iter().filter_map(|step| board.step(site, (step.0.into(), step.1.into()))))
        });
        let mut consts: Vec<Val<L::Set>> = Vec::with_capacity(program.consts.len());
        for constant in &program.consts {
            let made = match constant {
                Const::Nothing => Val::Nothing,
                Const::Truth(truth) => Val::Truth(*truth),
                Const::Number(numerator, denominator) => {
                    let number = Num::fraction((*numerator).into(), (*denominator).into());
                    Val::Number(number.unwrap_or(Num::ZERO))
                }
                Const::Text(at) => Val::Text(*at),
                Const::Player(at) => Val::Player(*at),
                Const::Kind(at) => Val::Kind(*at),
                Const::Site(site) => Val::Site(*site),
                Const::Sites(words) => Val::Sites(L::Set::from_words(words)),
                Const::List(members) => {
                    Val::list(members.iter().filter_map(|at| consts.get(*at as usize).cloned()).collect())
                }
                Const::Outcome(outcome) => Val::Outcome(*outcome),
            };
            consts.push(made);
        }
        Ok(Self {
            field: Field::of(&program).map(Arc::new),
            fast: if L::FAST { Fast::of(&program).map(Arc::new) } else { None },
            reads_past: plies_read_past(&program),
            quick: quick_conditions(&program),
            consts,
            dispatch: Dispatch::of(&program),
            players: program.players.len().max(1) as u8,
            all: L::Set::first_sites(board.len()),
            files: line(board.files, &|site| board.file(site)),
            ranks: line(board.ranks, &|site| board.rank(site)),
            near: near.collect(),
            places,
            none: Arc::new(Tables { rows: vec![Vec::new(); program.tables.len()], texts: Vec::new() }),
            program,
        })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The first state.
    pub fn first(&self) -> State<L> {
        let mut position = Position::empty();
        for (site, cell) in self.program.setup.iter().enumerate() {
            position.put(site as Site, *cell);
        }
        for var in 0..self.program.vars.len() as u16 {
            self.reset(&mut position, var);
        }
        position.mover = self.program.begins;
        let mut history = History::default();
        history.push(Past { position, act: None, clauses: Default::default() });
        State { position, now: Num::ZERO, ended: None, history, tables: Arc::clone(&self.none) }
    }

    /// Tables with nothing in them.
    pub(crate) fn first_tables(&self) -> &Tables<L> {
        &self.none
    }

    /// Gives a variable its first value.
    pub(crate) fn reset(&self, position: &mut Position<L>, var: u16) {
        let Some(var) = self.program.vars.get(usize::from(var)) else { return };
        let start = self.consts.get(var.start as usize).unwrap_or(&Val::Nothing);
        let many = match start {
            Val::List(values) if !var.each.is_empty() => Some(values),
            _ => None,
        };
        for at in 0..usize::from(var.count) {
            let value = many.map_or(Some(start), |values| values.get(at)).unwrap_or(&Val::Nothing);
            let slot = usize::from(var.slot) + at;
            if var.ty == Type::Sites {
                *position.sets.slot(slot) = value.as_sites();
            } else {
                *position.nums.slot(slot) = value.packed(var.ty).unwrap_or_default();
            }
        }
    }

    /// Whether the fast paths know a position: what only events set is as it was at first.
    pub(crate) fn sleeps(&self, position: &Position<L>) -> bool {
        let asleep = self.program.lanes.first().map_or(&[][..], |lane| &lane.asleep);
        asleep.is_empty() || {
            let mut first = *position;
            asleep.iter().for_each(|var| self.reset(&mut first, *var));
            asleep.iter().all(|var| self.same_var(position, &first, *var))
        }
    }

    /// The place of one value among those of a variable.
    pub(crate) fn place(&self, var: &Var, members: &[Val<L::Set>]) -> Option<u16> {
        let mut place = 0_usize;
        for (at, index) in var.each.iter().enumerate() {
            let (member, width) = match (index, members.get(at)?) {
                (Index::Player, Val::Player(member)) => (*member, self.program.players.len()),
                (Index::Kind, Val::Kind(member)) => (*member, self.program.kinds.len()),
                _ => return None,
            };
            place = place.checked_mul(width)?.checked_add(usize::from(member))?;
        }
        u16::try_from(place).ok().filter(|place| *place < var.count)
    }

    /// Whether a variable has the same value in two positions.
    pub(crate) fn same_var(&self, a: &Position<L>, b: &Position<L>, var: u16) -> bool {
        let Some(var) = self.program.vars.get(usize::from(var)) else { return true };
        let mut slots = usize::from(var.slot)..usize::from(var.slot) + usize::from(var.count);
        if var.ty == Type::Sites {
            slots.all(|at| a.sets.get(at) == b.sets.get(at))
        } else {
            slots.all(|at| a.nums.get(at) == b.nums.get(at))
        }
    }

    /// Copies a variable from one position to another.
    pub(crate) fn copy_var(&self, from: &Position<L>, to: &mut Position<L>, var: u16) {
        let Some(var) = self.program.vars.get(usize::from(var)) else { return };
        for at in usize::from(var.slot)..usize::from(var.slot) + usize::from(var.count) {
            if var.ty == Type::Sites {
                *to.sets.slot(at) = from.sets.get(at);
            } else {
                *to.nums.slot(at) = from.nums.get(at);
            }
        }
    }

    #[inline(always)]
    pub(crate) fn node(&self, node: NodeId) -> Option<&crate::program::Node> {
        self.program.nodes.get(node as usize)
    }

    #[inline(always)]
    pub(crate) fn clause(&self, at: u16) -> Option<&Clause> {
        self.program.clauses.get(usize::from(at))
    }

    /// The clauses that are looked at in the phase of a position.
    #[inline(always)]
    pub(crate) fn sorted(&self, position: &Position<L>) -> &Sorted {
        match self.dispatch.slot() {
            Some(slot) => self.dispatch.phase(position.nums.get(slot)),
            None => self.dispatch.plain(),
        }
    }

    pub(crate) fn choices(&self, run: Run) -> &[Choice] {
        run.of(&self.program.choices)
    }

    #[inline(always)]
    pub(crate) fn constant(&self, at: u32) -> Val<L::Set> {
        self.consts.get(at as usize).cloned().unwrap_or_default()
    }

    /// The player after a player.
    #[inline(always)]
    pub fn next_player(&self, player: u8) -> u8 {
        let next = player.wrapping_add(1);
        if next < self.players { next } else { next % self.players }
    }

    /// The site a step away.
    #[inline(always)]
    pub(crate) fn step(&self, site: Site, files: i16, ranks: i16) -> Option<Site> {
        let (file, rank) = *self.places.get(usize::from(site))?;
        let (file, rank) = (file.checked_add(files)?, rank.checked_add(ranks)?);
        let (width, height) = (self.program.board.files as i16, self.program.board.ranks as i16);
        let inside = file >= 1 && file <= width && rank >= 1 && rank <= height;
        inside.then(|| (file - 1 + (rank - 1) * width) as Site)
    }

    /// No past.
    pub(crate) fn bare_ground<'a>(&self, tables: &'a Tables<L>) -> Ground<'a, L> {
        Ground { story: Story::none(), tables, now: Num::ZERO, mid_ply: false, supposed: false, stuck: None }
    }

    /// The past and the tables of a state between plies.
    pub fn ground<'a>(&self, state: &'a State<L>) -> Ground<'a, L> {
        Ground {
            story: state.history.story(),
            tables: &state.tables,
            now: state.now,
            mid_ply: false,
            supposed: false,
            stuck: None,
        }
    }

    /// The value of a code with no act at hand.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub fn value(&self, state: &State<L>, code: Code, work: &mut Work<L>) -> Outcomes<Val<L::Set>> {
        self.run(code, &Scene::of(&state.position, self.ground(state)), work)
    }

    /// The value of a definition for some arguments; `None` when there is none of this name.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub fn define(
        &self,
        state: &State<L>,
        name: &str,
        arguments: Vec<Val<L::Set>>,
        work: &mut Work<L>,
    ) -> Outcomes<Option<Val<L::Set>>> {
        let known = self.program.answers.iter().find(|(known, _)| known == name);
        let Some(body) = known.and_then(|(_, bodies)| bodies.first()) else { return Ok(None) };
        let scene = Scene::of(&state.position, self.ground(state));
        let (start, count) = (work.slots.len(), arguments.len());
        work.slots.extend(arguments);
        self.apply(*body, start, count, &scene, work).map(Some)
    }

    /// Whether one of the conditions that are asked from outside holds for an act. One that is not there holds.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub fn remark_holds(
        &self,
        state: &State<L>,
        remark: usize,
        act: Option<&Act<L>>,
        work: &mut Work<L>,
    ) -> Outcomes<bool> {
        let Some(Some(code)) = self.program.remarks.get(remark) else { return Ok(true) };
        let scene = Scene::of(&state.position, self.ground(state));
        let actor = act.map_or(state.position.mover, |act| act.actor);
        self.truth(*code, &Scene { actor, act, ..scene }, work)
    }

    /// The clauses on whose turn it is.
    pub fn turn_clauses(&self) -> &[u16] {
        &self.dispatch.all.turns
    }
}
