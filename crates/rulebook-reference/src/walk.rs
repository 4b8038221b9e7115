//! The general automaton of movement patterns.
//!
//! A pattern maps a set of walkers to a set of walkers; a sequence is composition, an alternative is
//! union, a repetition is the closure. Invariant: the piece that walks counts as lifted from its site,
//! and a walker that has been seen in a repetition is not followed again, so every walk ends.

use rulebook_model::ruleset::{Atom, Cell, Form, Item, Path};
use rulebook_model::{Site, Sites, Value};

use crate::eval::{Evaluator, Fault, Outcomes, Situation};
use crate::state::Act;

/// Most walkers followed at once.
const MAX_WALKERS: usize = 20_000;

/// Where one way through a pattern has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Walker {
    pub(crate) here: Site,
    heading: (i8, i8),
    pub(crate) taken: Sites,
    marks: [Option<Site>; 8],
}

impl Walker {
    pub(crate) fn mark(&self, mark: u8) -> Option<Site> {
        self.marks.get(usize::from(mark)).copied().flatten()
    }
}

/// The eight headings around a site, in order.
const RING: [(i8, i8); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

impl Evaluator<'_> {
    /// All ends of the ways from a site.
    pub(crate) fn walk(&self, path: &Path, from: Site, situation: &Situation<'_>) -> Outcomes<Vec<Walker>> {
        let walker = Walker { here: from, heading: (0, 0), taken: Sites::EMPTY, marks: [None; 8] };
        let mut ends: Vec<Walker> = Vec::new();
        for end in self.path(path, vec![walker], situation)? {
            if !ends.contains(&end) {
                ends.push(end);
            }
        }
        Ok(ends)
    }

    fn path(&self, path: &Path, walkers: Vec<Walker>, situation: &Situation<'_>) -> Outcomes<Vec<Walker>> {
        let mut ends = Vec::new();
        for branch in &path.branches {
            let mut current = walkers.clone();
            for item in branch {
                if current.is_empty() {
                    break;
                }
                current = self.item(item, current, situation)?;
            }
            ends.append(&mut current);
        }
        Ok(ends)
    }

    fn item(&self, item: &Item, walkers: Vec<Walker>, situation: &Situation<'_>) -> Outcomes<Vec<Walker>> {
        let mut current = walkers;
        for _ in 0..item.least {
            current = self.atom(&item.atom, current, situation)?;
        }
        if item.most == Some(item.least) {
            return Ok(current);
        }
        let mut all = current.clone();
        let mut round = item.least;
        while !current.is_empty() && item.most.is_none_or(|most| round < most) {
            current = self.atom(&item.atom, current, situation)?;
            current.retain(|walker| !all.contains(walker));
            all.extend(&current);
            round = round.saturating_add(1);
            if all.len() > MAX_WALKERS {
                return Err(Fault::TooMuchWork);
            }
        }
        Ok(all)
    }

    fn atom(&self, atom: &Atom, walkers: Vec<Walker>, situation: &Situation<'_>) -> Outcomes<Vec<Walker>> {
        self.burn(walkers.len() as u64)?;
        let board = &self.rules.board;
        let orient = |direction| board.orient(direction, situation.mover);
        let step = |walker: &Walker, (files, ranks): (i8, i8)| {
            let here = board.step(walker.here, files.into(), ranks.into())?;
            Some(Walker { here, heading: (files, ranks), ..*walker })
        };
        Ok(match atom {
            Atom::Group(path) => self.path(path, walkers, situation)?,
            Atom::Test(code) => {
                let mut kept = Vec::with_capacity(walkers.len());
                for walker in walkers {
                    let inner = Situation { walk: Some(&walker), ..*situation };
                    if self.test(code, &inner)? {
                        kept.push(walker);
                    }
                }
                kept
            }
            Atom::Ahead => walkers
                .iter()
                .filter(|walker| walker.heading != (0, 0))
                .filter_map(|walker| step(walker, walker.heading))
                .collect(),
            Atom::Step(directions) => walkers
                .iter()
                .flat_map(|walker| directions.iter().filter_map(move |d| step(walker, orient(*d))))
                .collect(),
            Atom::Jump(distances) => walkers
                .iter()
                .flat_map(|walker| {
                    distances.iter().filter_map(move |(files, ranks)| {
                        Some(Walker { here: board.step(walker.here, *files, *ranks)?, ..*walker })
                    })
                })
                .collect(),
            Atom::Face(directions) => walkers
                .iter()
                .flat_map(|walker| directions.iter().map(move |d| Walker { heading: orient(*d), ..*walker }))
                .collect(),
            Atom::Veer => walkers
                .iter()
                .flat_map(|walker| {
                    let at = RING.iter().position(|heading| *heading == walker.heading);
                    at.into_iter()
                        .flat_map(|at| [at + 1, at + 7])
                        .filter_map(|at| Some(Walker { heading: *RING.get(at % 8)?, ..*walker }))
                })
                .collect(),
            Atom::Take => walkers
                .into_iter()
                .map(|mut walker| {
                    walker.taken.insert(walker.here);
                    walker
                })
                .collect(),
            Atom::Mark(mark) => walkers
                .into_iter()
                .map(|mut walker| {
                    if let Some(slot) = walker.marks.get_mut(usize::from(*mark)) {
                        *slot = Some(walker.here);
                    }
                    walker
                })
                .collect(),
            Atom::Back(mark) => walkers
                .into_iter()
                .filter_map(|walker| Some(Walker { here: walker.mark(*mark)?, ..walker }))
                .collect(),
        })
    }

    /// The acts that one clause of movement grants to the piece on a site, conditions included.
    pub(crate) fn movements(
        &self,
        clause: usize,
        from: Site,
        player: u8,
        phantom: Option<(Site, Cell)>,
    ) -> Outcomes<Vec<Act>> {
        let Some(clause) = self.rules.clauses.get(clause) else { return Ok(Vec::new()) };
        let Form::Move { act, path, then, .. } = &clause.form else { return Ok(Vec::new()) };
        let mut begin = Act::new(*act, player);
        begin.from = Some(from);
        begin.piece = self.state.cell(from).kind();
        let situation = Situation {
            mover: player,
            actor: player,
            act: Some(&begin),
            lifted: Some(from),
            phantom,
            ..Situation::default()
        };
        let mut acts: Vec<Act> = Vec::new();
        for walker in self.walk(path, from, &situation)? {
            // A way that ends where it began and takes nothing is no movement, unless the clause does more.
            if walker.here == from && walker.taken.is_empty() && then.is_empty() {
                continue;
            }
            let mut made = begin.clone();
            made.to = Some(walker.here);
            made.taken = walker.taken;
            // A piece of one's own that is displaced is not captured; a pattern that means it says `take`.
            if self.cell(walker.here, &situation).owner().is_some_and(|owner| owner != player) {
                made.taken.insert(walker.here);
            }
            for (mark, binding) in path.marks.iter().enumerate() {
                if let Some(site) = walker.mark(mark as u8) {
                    made.bound.push((*binding, Value::Site(site)));
                }
            }
            let situation = Situation { act: Some(&made), lifted: None, ..situation };
            if self.applies(clause.when.as_ref(), clause.unless.as_ref(), &situation)? {
                acts.push(made);
            }
        }
        Ok(acts)
    }

    /// The sites from which a player attacks one of some targets: could capture there if it were his turn,
    /// whatever bans there are. An empty target is judged as if a piece of another player stood there.
    pub(crate) fn attackers(&self, targets: &Sites, player: u8, all: bool) -> Outcomes<Sites> {
        let mut found = Sites::EMPTY;
        for target in targets.iter() {
            let foreign = self.state.cell(target).owner().is_some_and(|owner| owner != player);
            let phantom = (!foreign).then(|| (target, Cell::phantom(self.rules.next_player(player))));
            for site in 0..self.state.cells.len() as Site {
                let cell = self.state.cell(site);
                let (Some(kind), Some(owner)) = (cell.kind(), cell.owner()) else { continue };
                if owner != player || site == target {
                    continue;
                }
                for clause in self.engine.captures(kind) {
                    let hits = |act: &Act| act.to == Some(target) && act.taken.contains(target);
                    if self.movements(*clause, site, player, phantom)?.iter().any(hits) {
                        found.insert(site);
                        if !all {
                            return Ok(found);
                        }
                    }
                }
            }
        }
        Ok(found)
    }
}
