//! Those who take the plies that the fast paths find: to count them, to make them, to keep them.
//!
//! Invariant: none of them changes what is found.

use std::cell::Cell;

use crate::act::Act;
use crate::engine::MAX_ACTS;
use crate::fast::{Fast, General, Ply, Visitor};
use crate::position::{Layout, Position};
use crate::program::{NO_KIND, Site};
use crate::recipe::Recipe;
use crate::set::Set;
use crate::tables::{Common, Many};

/// Counts plies.
pub(crate) struct Count(pub(crate) u64);

impl<L: Layout> Visitor<L> for Count {
    const COUNTS: bool = true;
    #[inline(always)]
    fn targets(&mut self, way: &Common<L::Set>, _: Site, targets: L::Set) {
        self.0 = self.0.wrapping_add(targets.len() as u64);
        if way.more != 0 {
            let more = (targets & way.pick_tos).len() as u64;
            self.0 = self.0.wrapping_add(more.wrapping_mul(u64::from(way.more)));
        }
    }
    #[inline(always)]
    fn shifted(&mut self, way: &Common<L::Set>, targets: L::Set, _: i32) {
        Visitor::<L>::targets(self, way, 0, targets);
    }
    #[inline(always)]
    fn many(&mut self, way: &Common<L::Set>, _: Site, _: usize, many: &Many<L::Set>) {
        let more = if way.pick_tos.has(many.to) { u64::from(way.more) } else { 0 };
        self.0 = self.0.wrapping_add(1 + more);
    }
    fn counted(&mut self, plies: u64) -> bool {
        self.0 = self.0.wrapping_add(plies);
        true
    }
    fn whole(&mut self, plies: Vec<(Act<L>, Position<L>)>) {
        self.0 = self.0.wrapping_add(plies.len() as u64);
    }
}

/// Makes plies and counts what follows them.
pub(crate) struct Deeper<'a, L: Layout> {
    pub(crate) fast: &'a Fast<L>,
    pub(crate) position: &'a Position<L>,
    /// Where the positions after the plies are made, one after the other.
    pub(crate) next: Position<L>,
    pub(crate) me: usize,
    pub(crate) depth: u32,
    pub(crate) bulk: bool,
    pub(crate) general: &'a dyn General<L>,
    pub(crate) fuel: &'a Cell<u64>,
    /// What looking at one position costs.
    pub(crate) cost: u64,
    pub(crate) count: u64,
}

impl<L: Layout> Deeper<'_, L> {
    #[inline(always)]
    fn one(
        &mut self,
        recipe: &Recipe<L>,
        from: Site,
        to: Site,
        many: Option<&Many<L::Set>>,
        chosen: Option<u8>,
    ) {
        let left = self.fuel.get();
        if left == 0 {
            return;
        }
        self.fuel.set(left.saturating_sub(self.cost));
        let next = &mut self.next;
        self.fast.make_in(next, self.position, recipe, from, to, many, chosen, self.general);
        let count = if self.depth == 0 {
            // The position must be made, whatever is done with it.
            std::hint::black_box(&*next);
            1
        } else {
            self.fast.perft(next, self.depth, self.bulk, self.general)
        };
        self.count = self.count.wrapping_add(count);
    }

    #[inline(always)]
    fn each(
        &mut self,
        way: &Common<L::Set>,
        targets: L::Set,
        from: impl Fn(Site) -> Site,
        many: Option<&Many<L::Set>>,
    ) {
        let fast = self.fast;
        let shape = fast.tables.ways[self.me][usize::from(way.way)].shape;
        let recipe = &fast.recipes[self.me][usize::from(shape)];
        for to in targets.less(way.pick_tos).sites() {
            self.one(recipe, from(to), to, many, None);
        }
        for to in (targets & way.pick_tos).sites() {
            for kind in &recipe.pick {
                self.one(recipe, from(to), to, many, Some(*kind));
            }
        }
    }
}

impl<L: Layout> Visitor<L> for Deeper<'_, L> {
    #[inline(always)]
    fn targets(&mut self, way: &Common<L::Set>, from: Site, targets: L::Set) {
        self.each(way, targets, |_| from, None);
    }
    #[inline(always)]
    fn shifted(&mut self, way: &Common<L::Set>, targets: L::Set, places: i32) {
        self.each(way, targets, |to| i32::from(to).wrapping_sub(places) as Site, None);
    }
    #[inline(always)]
    fn many(&mut self, way: &Common<L::Set>, from: Site, _: usize, many: &Many<L::Set>) {
        self.each(way, L::Set::one(many.to), |_| from, Some(many));
    }
    fn whole(&mut self, plies: Vec<(Act<L>, Position<L>)>) {
        for (_, next) in &plies {
            let count = self.fast.perft(next, self.depth, self.bulk, self.general);
            self.count = self.count.wrapping_add(count);
        }
    }
}

/// Keeps plies.
pub(crate) struct Gather<'a, L: Layout> {
    pub(crate) fast: &'a Fast<L>,
    pub(crate) me: usize,
    pub(crate) plies: &'a mut Vec<Ply>,
    pub(crate) whole: &'a mut Vec<(Act<L>, Position<L>)>,
}

impl<L: Layout> Gather<'_, L> {
    #[inline(always)]
    fn one(&mut self, way: &Common<L::Set>, from: Site, to: Site, many: u16) {
        let ply = Ply { way: way.way, many, from, to, chosen: NO_KIND };
        if self.plies.len() >= MAX_ACTS {
            return;
        }
        if way.pick_tos.has(to) {
            let shape = self.fast.tables.ways[self.me][usize::from(way.way)].shape;
            let kinds = &self.fast.recipes[self.me][usize::from(shape)].pick;
            self.plies.extend(kinds.iter().map(|kind| Ply { chosen: *kind, ..ply }));
        } else {
            self.plies.push(ply);
        }
    }
}

impl<L: Layout> Visitor<L> for Gather<'_, L> {
    fn targets(&mut self, way: &Common<L::Set>, from: Site, targets: L::Set) {
        for to in targets.sites() {
            self.one(way, from, to, u16::MAX);
        }
    }
    fn shifted(&mut self, way: &Common<L::Set>, targets: L::Set, places: i32) {
        for to in targets.sites() {
            self.one(way, i32::from(to).wrapping_sub(places) as Site, to, u16::MAX);
        }
    }
    fn many(&mut self, way: &Common<L::Set>, from: Site, at: usize, many: &Many<L::Set>) {
        self.one(way, from, many.to, at as u16);
    }
    fn whole(&mut self, mut plies: Vec<(Act<L>, Position<L>)>) {
        self.whole.append(&mut plies);
    }
}
