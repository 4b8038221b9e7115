//! Games on a board of some size, in plain arrays.
//!
//! Invariant: a buffer of a game is only used through `copy_from`; recorded boards grow and shrink with the
//! plies of a count, and only grow in a playout.

use std::sync::Mutex;

use crate::endings::MAX_DEPTH;
use crate::lane::Op;
use crate::program::{Board, Site};
use crate::random::{Dice, Playout};

use super::groups::{Around, Ground, Groups};
use super::seen::Seen;
use super::{Own, Past, Plays, Stand, Start, Surround};

/// A game with arrays of `ROOM` places, a power of two above the number of sites, and up to `SIDES`
/// neighbours of a site.
#[derive(Debug)]
pub(super) struct Play<const ROOM: usize, const SIDES: usize> {
    form: Surround,
    ground: Ground<ROOM, SIDES>,
    /// Empty buffers for recorded boards.
    buffers: Mutex<Vec<Seen>>,
}

/// A game on the way: the board, whose turn it is, numbers, and what was there before.
struct Run<const ROOM: usize, const SIDES: usize> {
    groups: Groups<ROOM, SIDES>,
    mover: u8,
    nums: Vec<i64>,
    /// The act of the latest ply.
    last: Option<u16>,
}

/// The rest of what a count needs.
struct Course<const ROOM: usize, const SIDES: usize> {
    seen: Seen,
    fuel: u64,
    /// A buffer for each depth.
    spare: Vec<Box<Run<ROOM, SIDES>>>,
}

impl<const ROOM: usize, const SIDES: usize> Run<ROOM, SIDES> {
    #[inline(always)]
    fn copy_from(&mut self, other: &Self) {
        self.groups.clone_from(&other.groups);
        self.nums.clone_from(&other.nums);
        (self.mover, self.last) = (other.mover, other.last);
    }

    fn stand(&self) -> Stand {
        Stand { board: self.groups.words().to_vec(), nums: self.nums.clone(), mover: self.mover }
    }
}

impl<const ROOM: usize, const SIDES: usize> Play<ROOM, SIDES> {
    pub(super) fn of(form: &Surround, board: &Board) -> Self {
        Self { form: form.clone(), ground: Ground::of(board), buffers: Mutex::default() }
    }

    fn course(&self, start: &Start, fuel: u64) -> (Box<Run<ROOM, SIDES>>, Course<ROOM, SIDES>) {
        let kept = self.buffers.try_lock().ok().and_then(|mut buffers| buffers.pop());
        let mut seen = kept.unwrap_or_else(|| Seen::of(self.ground.words));
        for (board, mover) in &start.past {
            seen.push(self.ground.hash(board), *mover, board);
        }
        let groups = Groups::of(&self.ground, &start.board);
        let run = Run { groups, mover: start.mover, nums: start.nums.clone(), last: start.last };
        (Box::new(run), Course { seen, fuel, spare: Vec::new() })
    }

    fn give_back(&self, course: Course<ROOM, SIDES>) {
        if let Ok(mut buffers) = self.buffers.try_lock() {
            let mut seen = course.seen;
            seen.clear();
            buffers.push(seen);
        }
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

    /// Whether a placement is legal; what is around it, with the hash of the board after it.
    #[inline(always)]
    fn look(
        &self,
        run: &Run<ROOM, SIDES>,
        course: &mut Course<ROOM, SIDES>,
        site: Site,
        around: &mut Around<SIDES>,
    ) -> bool {
        run.groups.around(&self.ground, run.mover, site, around);
        if !around.breathes {
            match self.form.own {
                Own::Stays => {}
                Own::Forbidden(_) => return false,
                Own::Removed(_, lone) if around.own == 0 && lone.is_some() => return false,
                Own::Removed(..) => run.groups.dies(around),
            }
        }
        match self.form.past {
            Past::Free => true,
            past => !self.repeats(past, run, course, site, around),
        }
    }

    #[inline(always)]
    fn repeats(
        &self,
        past: Past,
        run: &Run<ROOM, SIDES>,
        course: &mut Course<ROOM, SIDES>,
        site: Site,
        around: &Around<SIDES>,
    ) -> bool {
        let next = 1 - run.mover;
        let draw = |board: &mut Vec<u64>| run.groups.drawn(run.mover, site, around, board);
        match past {
            Past::Free => false,
            Past::Board(_) => course.seen.has(around.hash, draw, |_, _| true),
            Past::Turn(_) => course.seen.has(around.hash, draw, |_, mover| mover == next),
            Past::Latest(_) => {
                run.last == Some(self.form.act)
                    && course
                        .seen
                        .len()
                        .checked_sub(2)
                        .is_some_and(|at| course.seen.is(at, around.hash, draw))
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
    fn place(
        &self,
        run: &mut Run<ROOM, SIDES>,
        course: &mut Course<ROOM, SIDES>,
        site: Site,
        around: &Around<SIDES>,
    ) {
        run.groups.place(&self.ground, run.mover, site, around);
        self.step(&self.form.steps, &mut run.nums);
        self.pass_turn(run, course, self.form.act);
    }

    #[inline(always)]
    fn pass_turn(&self, run: &mut Run<ROOM, SIDES>, course: &mut Course<ROOM, SIDES>, act: u16) {
        run.mover = 1 - run.mover;
        run.last = Some(act);
        if self.form.past != Past::Free {
            course.seen.push(run.groups.hash, run.mover, run.groups.words());
        }
    }

    fn count(&self, run: &Run<ROOM, SIDES>, course: &mut Course<ROOM, SIDES>, depth: u32, bulk: bool) -> u64 {
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
        let mut around = Around::none();
        let mut count = 0_u64;
        if depth == 1 && bulk {
            for site in run.groups.vacant() {
                count += u64::from(self.look(run, course, *site, &mut around));
            }
            return count + self.form.others.len() as u64;
        }
        let mut next = self.spare(run, course);
        for site in run.groups.vacant() {
            if self.look(run, course, *site, &mut around) {
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

    fn ended(&self, run: &Run<ROOM, SIDES>, course: &mut Course<ROOM, SIDES>, deeper: u32) -> u64 {
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
        let mut around = Around::none();
        let mut count = 0_u64;
        for site in run.groups.vacant() {
            if self.look(run, course, *site, &mut around) {
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
    fn spare(&self, run: &Run<ROOM, SIDES>, course: &mut Course<ROOM, SIDES>) -> Box<Run<ROOM, SIDES>> {
        let fresh = || {
            let (groups, nums) = (run.groups.clone(), run.nums.clone());
            Box::new(Run { groups, mover: run.mover, nums, last: run.last })
        };
        course.spare.pop().unwrap_or_else(fresh)
    }
}

impl<const ROOM: usize, const SIDES: usize> Plays for Play<ROOM, SIDES> {
    fn perft(&self, start: &Start, depth: u32, bulk: bool, fuel: u64) -> Option<u64> {
        let (run, mut course) = self.course(start, fuel);
        let count = self.count(&run, &mut course, depth, bulk);
        (course.fuel > 0).then_some(count)
    }

    fn games(&self, start: &Start, fuel: u64) -> Option<u64> {
        let (run, mut course) = self.course(start, fuel);
        let count = self.ended(&run, &mut course, MAX_DEPTH);
        (course.fuel > 0).then_some(count)
    }

    fn plies(&self, start: &Start) -> Vec<(Result<Site, usize>, Stand)> {
        let (run, mut course) = self.course(start, u64::MAX);
        let mut next = self.spare(&run, &mut course);
        let mut around = Around::none();
        let mut made = Vec::new();
        let mut vacant = run.groups.vacant().to_vec();
        vacant.sort_unstable();
        for site in vacant {
            if self.look(&run, &mut course, site, &mut around) {
                next.copy_from(&run);
                self.place(&mut next, &mut course, site, &around);
                course.seen.pop();
                made.push((Ok(site), next.stand()));
            }
        }
        for (at, other) in self.form.others.iter().enumerate() {
            next.copy_from(&run);
            self.step(&other.steps, &mut next.nums);
            next.mover = 1 - next.mover;
            made.push((Err(at), next.stand()));
        }
        made
    }

    fn playout(&self, start: &Start, seed: u64, most: u32) -> Playout {
        let (mut run, mut course) = self.course(start, u64::MAX);
        let mut dice = Dice(seed);
        let others = self.form.others.len() as u32;
        let mut around = Around::none();
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
                if self.look(&run, &mut course, site, &mut around) {
                    self.place(&mut run, &mut course, site, &around);
                    plies += 1;
                    break;
                }
                left -= 1;
                run.groups.exchange(at as usize, left as usize);
            }
            over |= self.is_over(&run.nums);
        }
        self.give_back(course);
        Playout { plies, over }
    }
}
