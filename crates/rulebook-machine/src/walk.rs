//! The general automaton of movement patterns.
//!
//! A pattern maps a set of walkers to a set of walkers; a sequence is composition, an alternative is union, a
//! repetition is the closure. Invariant: the piece that walks counts as lifted from its site, and a walker
//! that has been seen in a repetition is not followed again, so every walk ends. Buffers are used again.

use std::collections::HashSet;

use crate::act::Act;
use crate::engine::{Engine, Ground, Outcomes, Scene, WORK, Work};
use crate::position::{Layout, Position, Row};
use crate::program::{Atom, Form, Item, NO_SITE, Site};
use crate::set::Set;
use crate::value::Val;

/// Most walkers followed at once in a repetition.
const MAX_WALKERS: usize = 20_000;
/// Most walkers of all, those that stand for the same way included.
const MAX_CROWD: usize = 1 << 18;
/// Up to so many walkers are compared one by one.
const FEW_WALKERS: usize = 24;

/// Where one way through a pattern has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Walker<S> {
    /// Where it is.
    pub here: Site,
    heading: (i8, i8),
    /// What it has captured.
    pub taken: S,
    marks: [Site; 8],
}

impl<S: Set> Walker<S> {
    /// A walker that has not yet gone anywhere.
    pub fn at(here: Site) -> Self {
        Self { here, heading: (0, 0), taken: S::EMPTY, marks: [NO_SITE; 8] }
    }

    /// A site that it remembers.
    pub fn mark(&self, mark: u8) -> Option<Site> {
        self.marks.as_slice().get(usize::from(mark)).copied().filter(|site| *site != NO_SITE)
    }
}

/// Drops from `walkers`, beginning at `from`, those that stand before them or in `known`.
fn without_known<S: Set>(walkers: &mut Vec<Walker<S>>, known: &[Walker<S>]) {
    if known.len() <= FEW_WALKERS || walkers.len() <= 1 {
        walkers.retain(|walker| !known.contains(walker));
    } else {
        let known: HashSet<&Walker<S>> = known.iter().collect();
        walkers.retain(|walker| !known.contains(walker));
    }
}

/// Keeps the first of walkers that are alike.
fn without_twins<S: Set>(walkers: &mut Vec<Walker<S>>) {
    if walkers.len() <= FEW_WALKERS {
        let mut kept = 0;
        for at in 0..walkers.len() {
            let Some(walker) = walkers.get(at).copied() else { break };
            if walkers.iter().take(kept).any(|known| *known == walker) {
                continue;
            }
            if let Some(slot) = walkers.get_mut(kept) {
                *slot = walker;
            }
            kept += 1;
        }
        walkers.truncate(kept);
    } else {
        let mut seen = HashSet::with_capacity(walkers.len());
        walkers.retain(|walker| seen.insert(*walker));
    }
}

/// The eight headings around a site, in order.
const RING: [(i8, i8); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

type Walkers<L> = Vec<Walker<<L as Layout>::Set>>;

/// A movement that is looked at: by which clause, of which piece, and what is imagined where.
#[derive(Clone, Copy, Debug)]
pub struct Movement {
    /// The clause.
    pub clause: u16,
    /// Where the piece stands.
    pub from: Site,
    /// Whose piece it is.
    pub player: u8,
    /// A piece of a player that is imagined on a site.
    pub phantom: Option<(Site, u8)>,
    /// The only site it may come to.
    pub to: Option<Site>,
}

impl<L: Layout> Engine<L> {
    /// All ends of the ways of a pattern from a site, in a buffer to be given back.
    pub(crate) fn walk(
        &self,
        path: u32,
        from: Site,
        scene: &Scene<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<Walkers<L>> {
        let mut walkers = work.buffer();
        walkers.push(Walker::at(from));
        self.path(path, &mut walkers, scene, work)?;
        without_twins(&mut walkers);
        Ok(walkers)
    }

    /// The sites that a pattern takes from a site.
    pub(crate) fn traced(
        &self,
        path: u32,
        from: Site,
        scene: &Scene<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<L::Set> {
        let ends = self.walk(path, from, scene, work)?;
        let taken = ends.iter().fold(L::Set::EMPTY, |set, end| set | end.taken);
        work.give_back(ends);
        Ok(taken)
    }

    fn path(
        &self,
        path: u32,
        walkers: &mut Walkers<L>,
        scene: &Scene<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<()> {
        let Some(path) = self.program.paths.get(path as usize) else { return Ok(()) };
        work.dive(4)?;
        match path.branches.of(&self.program.branches) {
            [] => walkers.clear(),
            [only] => self.items(only.of(&self.program.items), walkers, scene, work)?,
            branches => {
                let mut ends = work.buffer();
                for branch in branches {
                    let mut current = work.buffer();
                    current.extend_from_slice(walkers);
                    self.items(branch.of(&self.program.items), &mut current, scene, work)?;
                    ends.append(&mut current);
                    work.give_back(current);
                    if ends.len() > MAX_CROWD {
                        return Err(WORK);
                    }
                }
                std::mem::swap(walkers, &mut ends);
                work.give_back(ends);
            }
        }
        work.surface(4);
        Ok(())
    }

    fn items(
        &self,
        items: &[Item],
        walkers: &mut Walkers<L>,
        scene: &Scene<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<()> {
        for item in items {
            if walkers.is_empty() {
                break;
            }
            self.item(item, walkers, scene, work)?;
        }
        Ok(())
    }

    fn item(
        &self,
        item: &Item,
        walkers: &mut Walkers<L>,
        scene: &Scene<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<()> {
        for _ in 0..item.least {
            self.atom(&item.atom, walkers, scene, work)?;
            if walkers.is_empty() {
                return Ok(());
            }
        }
        if item.most == Some(item.least) {
            return Ok(());
        }
        let mut all = work.buffer();
        all.extend_from_slice(walkers);
        let mut round = item.least;
        while !walkers.is_empty() && item.most.is_none_or(|most| round < most) {
            self.atom(&item.atom, walkers, scene, work)?;
            without_known(walkers, &all);
            // A walker that is there twice goes the same ways twice: the first one is enough.
            without_twins(walkers);
            all.extend_from_slice(walkers);
            round = round.saturating_add(1);
            if all.len() > MAX_WALKERS {
                return Err(WORK);
            }
        }
        std::mem::swap(walkers, &mut all);
        work.give_back(all);
        Ok(())
    }

    /// Replaces each walker by those that come of it.
    fn spread(
        walkers: &mut Walkers<L>,
        work: &mut Work<L>,
        mut each: impl FnMut(&Walker<L::Set>, &mut Walkers<L>),
    ) -> Outcomes<()> {
        let mut next = work.buffer();
        for walker in walkers.iter() {
            each(walker, &mut next);
            if next.len() > MAX_CROWD {
                return Err(WORK);
            }
        }
        std::mem::swap(walkers, &mut next);
        work.give_back(next);
        Ok(())
    }

    fn atom(
        &self,
        atom: &Atom,
        walkers: &mut Walkers<L>,
        scene: &Scene<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<()> {
        work.burn(walkers.len() as u64)?;
        let board = &self.program.board;
        let go = |walker: &Walker<L::Set>, (files, ranks): (i8, i8)| {
            let here = self.step(walker.here, files.into(), ranks.into())?;
            Some(Walker { here, heading: (files, ranks), ..*walker })
        };
        match atom {
            Atom::Group(path) => self.path(*path, walkers, scene, work)?,
            Atom::Test(code) => {
                let mut kept = 0;
                for at in 0..walkers.len() {
                    let Some(walker) = walkers.get(at).copied() else { break };
                    let inner = Scene { walk: Some(&walker), ..*scene };
                    if self.test(*code, &inner, work)? {
                        if let Some(slot) = walkers.get_mut(kept) {
                            *slot = walker;
                        }
                        kept += 1;
                    }
                }
                walkers.truncate(kept);
            }
            Atom::Ahead => walkers.retain_mut(|walker| {
                let next = if walker.heading == (0, 0) { None } else { go(walker, walker.heading) };
                next.is_some_and(|next| {
                    *walker = next;
                    true
                })
            }),
            Atom::Step(directions) => Self::spread(walkers, work, |walker, next| {
                next.extend(directions.iter().filter_map(|d| go(walker, board.orient(*d, scene.mover))));
            })?,
            Atom::Jump(distances) => Self::spread(walkers, work, |walker, next| {
                next.extend(distances.iter().filter_map(|(files, ranks)| {
                    Some(Walker { here: self.step(walker.here, *files, *ranks)?, ..*walker })
                }));
            })?,
            Atom::Face(directions) => Self::spread(walkers, work, |walker, next| {
                let face = |d: &crate::program::Direction| board.orient(*d, scene.mover);
                next.extend(directions.iter().map(|d| Walker { heading: face(d), ..*walker }));
            })?,
            Atom::Veer => Self::spread(walkers, work, |walker, next| {
                let at = RING.iter().position(|heading| *heading == walker.heading);
                let turned = at.into_iter().flat_map(|at| [at + 1, at + 7]);
                next.extend(
                    turned
                        .filter_map(|at| Some(Walker { heading: *RING.as_slice().get(at % 8)?, ..*walker })),
                );
            })?,
            Atom::Take => walkers.iter_mut().for_each(|walker| walker.taken |= L::Set::one(walker.here)),
            Atom::Mark(mark) => {
                for walker in walkers.iter_mut() {
                    if let Some(slot) = walker.marks.get_mut(usize::from(*mark)) {
                        *slot = walker.here;
                    }
                }
            }
            Atom::Back(mark) => walkers.retain_mut(|walker| match walker.mark(*mark) {
                Some(site) => {
                    walker.here = site;
                    true
                }
                None => false,
            }),
        }
        Ok(())
    }

    /// The acts that one clause of movement grants to the piece on a site, conditions included, in order.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub fn movements(
        &self,
        movement: Movement,
        position: &Position<L>,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
        made: &mut Vec<Act<L>>,
    ) -> Outcomes<()> {
        let Movement { clause, from, player, phantom, to } = movement;
        let Some(clause) = self.clause(clause) else { return Ok(()) };
        let Form::Move { act, path, then, .. } = &clause.form else { return Ok(()) };
        work.dive(10)?;
        let mut begin = Act::new(*act, player);
        begin.from = Some(from);
        begin.piece = self.kind_of(&position.kinds, from);
        let scene = Scene {
            mover: player,
            actor: player,
            act: Some(&begin),
            lifted: Some(from),
            phantom,
            ..Scene::of(position, ground)
        };
        let ends = self.walk(*path, from, &scene, work)?;
        let marks = self.program.paths.get(*path as usize).map_or(&[][..], |path| &path.marks);
        for walker in &ends {
            if to.is_some_and(|to| to != walker.here) {
                continue;
            }
            // A way that ends where it began and takes nothing is no movement, unless the clause does more.
            if walker.here == from && walker.taken.is_empty() && then.len == 0 {
                continue;
            }
            let mut act = begin.clone();
            act.to = Some(walker.here);
            act.taken = walker.taken;
            // A piece of one's own that is displaced is not captured; a pattern that means it says `take`.
            if self.owner_at(&scene, walker.here).is_some_and(|owner| owner != player) {
                act.taken |= L::Set::one(walker.here);
            }
            for (mark, binding) in marks.iter().enumerate() {
                if let Some(site) = walker.mark(mark as u8) {
                    act.bound.push((*binding, Val::Site(site)));
                }
            }
            let scene = Scene { act: Some(&act), lifted: None, ..scene };
            if self.applies(clause.when, clause.unless, &scene, work)? {
                made.push(act);
            }
        }
        work.give_back(ends);
        work.surface(10);
        Ok(())
    }

    /// The sites from which a player attacks one of some targets: could capture there if it were his turn,
    /// whatever bans there are. An empty target is judged as if a piece of another player stood there.
    /// Unless all are asked for, the first one is enough.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub fn attackers(
        &self,
        targets: L::Set,
        player: u8,
        all: bool,
        position: &Position<L>,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<L::Set> {
        let mut found = L::Set::EMPTY;
        if player >= self.players {
            return Ok(found);
        }
        let mut made = Vec::new();
        for target in targets.sites() {
            let foreign = position.owner(target).is_some_and(|owner| owner != player);
            let phantom = (!foreign).then(|| (target, self.next_player(player)));
            let own = position.owners.get(usize::from(player)).less(L::Set::one(target));
            for (kind, ways) in self.sorted(position).captures.iter().enumerate() {
                for from in (own & position.kinds.get(kind)).sites() {
                    for clause in ways {
                        made.clear();
                        let movement = Movement { clause: *clause, from, player, phantom, to: Some(target) };
                        self.movements(movement, position, ground, work, &mut made)?;
                        if made.iter().any(|act| act.taken.has(target)) {
                            found |= L::Set::one(from);
                            if !all {
                                return Ok(found);
                            }
                            break;
                        }
                    }
                }
            }
        }
        Ok(found)
    }
}
