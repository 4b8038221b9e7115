//! Games of placing pieces that take what they enclose, run on connected groups that are kept from ply to ply.
//!
//! Law: where a program has such a part, every ply of it is a placement on an empty site or one that leaves
//! the board alone, and legality, positions and repetition are those of its clauses. Groups count their open
//! sides: pairs of one of their pieces and an empty site that it touches. A group without any has no empty
//! neighbour, and that is all the clauses ask. Boards are looked up by a hash, and a hit is compared in full.

mod groups;
mod seen;

use serde::{Deserialize, Serialize};

use crate::act::{Act, State};
use crate::endings::{Followed, MAX_DEPTH};
use crate::engine::{Outcomes, WORK, Work};
use crate::lane::Op;
use crate::position::{Layout, Position, Row};
use crate::program::{Program, Site, Type};
use crate::random::{Dice, Playout};
use crate::set::Set;
use crate::value::Val;

use groups::{Around, Ground, Groups};
use seen::Seen;

/// What was recognised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Surround {
    /// The clause that grants placements.
    pub clause: u16,
    /// Their act.
    pub act: u16,
    /// The name that binds the site.
    pub binding: u16,
    /// The clause by which groups of the other player without an empty neighbour are taken.
    pub takes: u16,
    /// What becomes of the own group that has none then.
    pub own: Own,
    /// Which boards may not come again.
    pub past: Past,
    /// What a placement does to numbers.
    pub steps: Vec<Op>,
    /// Plies that leave the board alone.
    pub others: Vec<Other>,
    /// When sequences are not counted on.
    pub ends: Vec<End>,
}

/// What becomes of a group of the mover's without an empty neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Own {
    /// It stays.
    Stays,
    /// The placement is forbidden by a clause.
    Forbidden(u16),
    /// A clause takes it off; where it is a single piece, another one may forbid the placement.
    Removed(u16, Option<u16>),
}

/// Which boards a placement may not bring back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Past {
    /// None.
    Free,
    /// Any recorded one; the clause.
    Board(u16),
    /// Any that was recorded with the same player to move.
    Turn(u16),
    /// The one before the latest ply, if that was a placement.
    Latest(u16),
    /// Those recorded no more plies ago than the number variable at a slot says, and some more.
    Window(u16, u16, u16),
}

/// A ply that leaves the board alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Other {
    /// The clause that grants it.
    pub clause: u16,
    /// Its act.
    pub act: u16,
    /// What it does to numbers.
    pub steps: Vec<Op>,
}

/// An ending: the number variable at a slot has come to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// The clause.
    pub clause: u16,
    /// The slot.
    pub slot: u16,
    /// The least value that ends the game.
    pub least: i64,
}

/// Numbers beyond this are left to the general engine, which knows what to do when one leaves its range.
const MAX_NUMBER: i64 = 1 << 40;

/// The recognised part of a program made ready.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    form: Surround,
    ground: Ground,
}

/// A game on the way: the board, whose turn it is, numbers, and what was there before.
struct Run {
    groups: Groups,
    mover: u8,
    nums: Vec<i64>,
    /// The act of the latest ply.
    last: Option<u16>,
}

/// The rest of what a count needs.
struct Course {
    seen: Seen,
    fuel: u64,
    /// A buffer for each depth.
    spare: Vec<Run>,
}

impl Run {
    fn copy_from(&mut self, other: &Self) {
        self.groups.copy_from(&other.groups);
        self.nums.clone_from(&other.nums);
        (self.mover, self.last) = (other.mover, other.last);
    }
}

impl Field {
    pub(crate) fn of(program: &Program) -> Option<Self> {
        let form = program.surround.clone()?;
        Some(Self { form, ground: Ground::of(&program.board) })
    }

    /// Whether a position is one that the fast path may start from: all numbers are small and whole.
    pub(crate) fn fits<L: Layout>(program: &Program, position: &Position<L>) -> bool {
        program.vars.iter().filter(|var| var.ty == Type::Number).all(|var| {
            (0..var.count).all(|at| {
                let packed = position.nums.get(usize::from(var.slot + at));
                packed & 0xffff == 1 && (packed >> 16).abs() < MAX_NUMBER
            })
        })
    }

    fn start<L: Layout>(&self, position: &Position<L>, last: Option<u16>) -> Run {
        let owned = [0, 1].map(|player| position.owners.get(player).words().collect::<Vec<u64>>());
        Run {
            groups: Groups::of(&self.ground, &owned),
            mover: position.mover & 1,
            nums: position.nums.slice().to_vec(),
            last,
        }
    }

    /// The recorded boards, as far as anything asks for them.
    fn past<L: Layout>(&self, state: &State<L>) -> Seen {
        let mut seen = Seen::of(self.ground.words);
        if self.form.past == Past::Free {
            return seen;
        }
        let mut board = vec![0_u64; 2 * self.ground.words];
        for past in state.history.entries() {
            for (player, half) in board.chunks_mut(self.ground.words.max(1)).enumerate() {
                let owned = past.position.owners.get(player);
                half.iter_mut().zip(owned.words()).for_each(|(to, word)| *to = word);
            }
            seen.push(self.ground.hash(&board), past.position.mover & 1, &board);
        }
        seen
    }

    fn course<L: Layout>(&self, state: &State<L>, fuel: u64) -> (Run, Course) {
        let last = state.history.entries().last().and_then(|past| past.act.as_ref()).map(|act| act.name);
        let run = self.start(&state.position, last);
        (run, Course { seen: self.past(state), fuel, spare: Vec::new() })
    }

    #[inline(always)]
    fn is_over(&self, nums: &[i64]) -> bool {
        let ends = &self.form.ends;
        ends.iter().any(|end| nums.get(usize::from(end.slot)).is_some_and(|num| num >> 16 >= end.least))
    }

    #[inline(always)]
    fn step(&self, steps: &[Op], nums: &mut [i64]) {
        for step in steps {
            match step {
                Op::Set(slot, value) => {
                    if let Some(num) = nums.get_mut(usize::from(*slot)) {
                        *num = *value;
                    }
                }
                Op::Add(slot, value) => {
                    if let Some(num) = nums.get_mut(usize::from(*slot)) {
                        *num = num.wrapping_add(value << 16);
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether a placement is legal; then what is around it, with the hash of the board after it.
    #[inline(always)]
    fn look(&self, run: &Run, course: &mut Course, site: Site) -> Option<Around> {
        let mut around = run.groups.around(&self.ground, run.mover, site);
        if !around.breathes {
            match self.form.own {
                Own::Stays => {}
                Own::Forbidden(_) => return None,
                Own::Removed(_, lone) if around.own == 0 && lone.is_some() => return None,
                Own::Removed(..) => run.groups.dies(&mut around),
            }
        }
        let repeats = match self.form.past {
            Past::Free => false,
            past => self.repeats(past, run, course, site, &around),
        };
        (!repeats).then_some(around)
    }

    #[inline(always)]
    fn repeats(&self, past: Past, run: &Run, course: &mut Course, site: Site, around: &Around) -> bool {
        let next = 1 - run.mover;
        let draw = |board: &mut Vec<u64>| run.groups.drawn(&self.ground, run.mover, site, around, board);
        match past {
            Past::Free => false,
            Past::Board(_) => course.seen.has(around.hash, draw, |_, _| true),
            Past::Turn(_) => course.seen.has(around.hash, draw, |_, mover| mover == next),
            Past::Latest(_) => {
                run.last == Some(self.form.act)
                    && course.seen.len().checked_sub(2).is_some_and(|at| course.seen.is(at, around.hash, draw))
            }
            Past::Window(_, slot, more) => {
                // The number as it is after the placement.
                let mut nums = [run.nums.get(usize::from(slot)).copied().unwrap_or(0)];
                for step in &self.form.steps {
                    match step {
                        Op::Set(at, value) if *at == slot => nums = [*value],
                        Op::Add(at, value) if *at == slot => nums = [nums[0].wrapping_add(value << 16)],
                        _ => {}
                    }
                }
                let window = (nums[0] >> 16).saturating_add(i64::from(more));
                let len = course.seen.len();
                let near = |at: usize, _| i64::try_from(len - at).is_ok_and(|back| back <= window);
                course.seen.has(around.hash, draw, near)
            }
        }
    }

    /// Plays a placement that was looked at.
    #[inline(always)]
    fn place(&self, run: &mut Run, course: &mut Course, site: Site, around: &Around) {
        run.groups.place(&self.ground, run.mover, site, around);
        self.step(&self.form.steps, &mut run.nums);
        self.pass_turn(run, course, self.form.act);
    }

    #[inline(always)]
    fn pass_turn(&self, run: &mut Run, course: &mut Course, act: u16) {
        run.mover = 1 - run.mover;
        run.last = Some(act);
        if self.form.past != Past::Free {
            course.seen.push(run.groups.hash, run.mover, &run.groups.board);
        }
    }

    /// Counts sequences of plies from a state.
    pub(crate) fn perft<L: Layout>(
        &self,
        state: &State<L>,
        depth: u32,
        bulk: bool,
        work: &mut Work<L>,
    ) -> Outcomes<u64> {
        if depth > MAX_DEPTH {
            return Err(WORK);
        }
        let (run, mut course) = self.course(state, work.allowance());
        let count = self.count(&run, &mut course, depth, bulk);
        if course.fuel == 0 { Err(WORK) } else { Ok(count) }
    }

    fn count(&self, run: &Run, course: &mut Course, depth: u32, bulk: bool) -> u64 {
        if depth == 0 {
            return 1;
        }
        if self.is_over(&run.nums) {
            return 0;
        }
        course.fuel = course.fuel.saturating_sub(run.groups.vacant().len() as u64 + 1);
        if course.fuel == 0 {
            return 0;
        }
        let mut count = 0_u64;
        if depth == 1 && bulk {
            for site in run.groups.vacant() {
                count += u64::from(self.look(run, course, *site).is_some());
            }
            return count + self.form.others.len() as u64;
        }
        let mut next = self.spare(run, course);
        for site in run.groups.vacant() {
            if let Some(around) = self.look(run, course, *site) {
                next.copy_from(run);
                self.place(&mut next, course, *site, &around);
                count = count.saturating_add(self.count(&next, course, depth - 1, bulk));
                course.seen.pop();
            }
        }
        for other in &self.form.others {
            next.copy_from(run);
            self.step(&other.steps, &mut next.nums);
            self.pass_turn(&mut next, course, other.act);
            count = count.saturating_add(self.count(&next, course, depth - 1, bulk));
            course.seen.pop();
        }
        course.spare.push(next);
        count
    }

    /// Counts the games that can be played from a state to an end.
    pub(crate) fn games<L: Layout>(&self, state: &State<L>, work: &mut Work<L>) -> Outcomes<u64> {
        let (run, mut course) = self.course(state, work.allowance());
        let count = self.ended(&run, &mut course, MAX_DEPTH);
        if course.fuel == 0 { Err(WORK) } else { Ok(count) }
    }

    fn ended(&self, run: &Run, course: &mut Course, deeper: u32) -> u64 {
        if self.is_over(&run.nums) {
            return 1;
        }
        course.fuel = course.fuel.saturating_sub(run.groups.vacant().len() as u64 + 1);
        if deeper == 0 {
            course.fuel = 0;
        }
        if course.fuel == 0 {
            return 0;
        }
        let mut next = self.spare(run, course);
        let mut count = 0_u64;
        for site in run.groups.vacant() {
            if let Some(around) = self.look(run, course, *site) {
                next.copy_from(run);
                self.place(&mut next, course, *site, &around);
                count = count.saturating_add(self.ended(&next, course, deeper - 1));
                course.seen.pop();
            }
        }
        for other in &self.form.others {
            next.nums.clone_from(&run.nums);
            self.step(&other.steps, &mut next.nums);
            if self.is_over(&next.nums) {
                count = count.saturating_add(1);
                continue;
            }
            next.copy_from(run);
            self.step(&other.steps, &mut next.nums);
            self.pass_turn(&mut next, course, other.act);
            count = count.saturating_add(self.ended(&next, course, deeper - 1));
            course.seen.pop();
        }
        course.spare.push(next);
        count
    }

    /// A buffer for a game on the way.
    fn spare(&self, run: &Run, course: &mut Course) -> Run {
        let fresh = || Run { groups: run.groups.clone(), mover: 0, nums: Vec::new(), last: None };
        course.spare.pop().unwrap_or_else(fresh)
    }

    /// All legal plies with the positions after them.
    pub(crate) fn plies<L: Layout>(&self, state: &State<L>) -> Followed<L> {
        let (run, mut course) = self.course(state, u64::MAX);
        let position = &state.position;
        let mut made = Vec::new();
        let mut next = self.start(position, None);
        let mut vacant = run.groups.vacant().to_vec();
        vacant.sort_unstable();
        for site in vacant {
            let Some(around) = self.look(&run, &mut course, site) else { continue };
            next.copy_from(&run);
            self.place(&mut next, &mut course, site, &around);
            course.seen.pop();
            let mut act = Act::new(self.form.act, position.mover);
            act.bound.push((self.form.binding, Val::Site(site)));
            act.choices.push(self.form.binding);
            made.push((act, self.position(position, &next, 1)));
        }
        for other in &self.form.others {
            next.copy_from(&run);
            self.step(&other.steps, &mut next.nums);
            next.mover = 1 - next.mover;
            made.push((Act::new(other.act, position.mover), self.position(position, &next, 1)));
        }
        made
    }

    /// Plays at random, each legal ply being as likely as any other, until the game is over or so many plies
    /// have been played.
    pub(crate) fn playout<L: Layout>(&self, state: &State<L>, seed: u64, most: u32) -> (Playout, Position<L>) {
        let (mut run, mut course) = self.course(state, u64::MAX);
        let mut dice = Dice(seed);
        let others = self.form.others.len() as u32;
        let mut plies = 0;
        let mut over = self.is_over(&run.nums);
        while plies < most && !over {
            // Sites found wanting go behind the others, so that each legal ply stays as likely as the rest.
            let mut left = run.groups.vacant().len() as u32;
            loop {
                if left + others == 0 {
                    over = true;
                    break;
                }
                let at = dice.below(left + others);
                if at >= left {
                    let other = self.form.others.get((at - left) as usize);
                    let (steps, act) = other.map_or((&[][..], 0), |other| (&other.steps, other.act));
                    self.step(steps, &mut run.nums);
                    self.pass_turn(&mut run, &mut course, act);
                    plies += 1;
                    break;
                }
                let site = run.groups.vacant().get(at as usize).copied().unwrap_or(0);
                if let Some(around) = self.look(&run, &mut course, site) {
                    self.place(&mut run, &mut course, site, &around);
                    plies += 1;
                    break;
                }
                left -= 1;
                run.groups.exchange(at as usize, left as usize);
            }
            over |= self.is_over(&run.nums);
        }
        (Playout { plies, over }, self.position(&state.position, &run, plies))
    }

    /// A position with what a run has come to after some plies.
    fn position<L: Layout>(&self, begun: &Position<L>, run: &Run, plies: u32) -> Position<L> {
        let mut now = *begun;
        for player in 0..2 {
            let words = run.groups.board.chunks(self.ground.words.max(1)).nth(player).unwrap_or(&[]);
            *now.owners.slot(player) = L::Set::from_words(words);
        }
        *now.kinds.slot(0) = now.owners.get(0) | now.owners.get(1);
        now.nums.slice_mut().copy_from_slice(&run.nums);
        (now.mover, now.played) = (run.mover, begun.played.saturating_add(plies));
        now
    }
}
