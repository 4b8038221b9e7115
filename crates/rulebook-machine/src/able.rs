//! Questions about plies that could be made: one ply, or a sequence of them.
//!
//! Invariant: a search ends with the same answer in whatever order it looks: it is yes if a position fits that
//! can be reached, or if there are more positions than it may look at.

use std::collections::{HashSet, VecDeque};

use crate::act::{Act, Past, Ply, Story};
use crate::engine::{Engine, FUEL, Ground, Outcomes, Scene, Work};
use crate::fast::Fast;
use crate::memo::Asked;
use crate::position::{Layout, Position, Row};
use crate::program::{NodeId, Run, Type};
use crate::set::Set;
use crate::value::Few;

impl<L: Layout> Engine<L> {
    /// Whether there is a legal ply of a name for which conditions hold: one on the ply, one on the position
    /// after it. What the event at hand came with keeps its meaning in them.
    pub(crate) fn is_able(
        &self,
        act: Option<u16>,
        conditions: Run,
        scene: &Scene<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<bool> {
        let ground = scene.ground;
        if act.is_none()
            && !(ground.mid_ply || ground.supposed)
            && let Some(fast) = self.fast_at(scene.position).filter(|_| self.is_quick(conditions))
        {
            return self.is_quickly_able(fast, conditions, scene, work);
        }
        for ply in self.generate(scene.position, ground, act, false, work)?.legal {
            if self.leads(&ply, conditions, scene, work)? == Some(true) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The same by the fast paths, where nothing is asked about the plies themselves.
    fn is_quickly_able(
        &self,
        fast: &Fast<L>,
        conditions: Run,
        scene: &Scene<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<bool> {
        let mut beside = Work::default();
        let limited = work.allowance() != u64::MAX;
        if limited {
            beside.allow(work.left());
        }
        beside.begin(FUEL);
        let asked = Asked::of(self, &mut beside);
        let (mut plies, mut found) = (Vec::new(), Vec::new());
        fast.plies(scene.position, &asked, &mut plies, &mut found);
        let made = plies
            .iter()
            .map(|ply| (fast.act(scene.position, *ply), fast.after(scene.position, *ply, &asked)));
        let mut able = false;
        for (act, next) in found.into_iter().chain(made) {
            let ply = Ply { act, next, ended: None, clauses: Default::default() };
            if self.leads(&ply, conditions, scene, work)? == Some(true) {
                able = true;
                break;
            }
        }
        asked.fault().map_or(Ok(()), Err)?;
        if limited {
            work.burn(beside.spent())?;
        }
        Ok(able)
    }

    /// The fast paths, where they know a position and plies depend on nothing else.
    fn fast_at(&self, position: &Position<L>) -> Option<&Fast<L>> {
        let fits = |_: &&Fast<L>| {
            L::FAST && !self.reads_past && Fast::fits(&self.program, position) && self.sleeps(position)
        };
        self.fast.as_deref().filter(fits)
    }

    /// Whether conditions on plies ask nothing about the plies themselves.
    fn is_quick(&self, conditions: Run) -> bool {
        self.quick.contains(&conditions.start)
    }

    /// Whether the second condition holds after a ply, if the first one holds for it.
    fn leads(
        &self,
        ply: &Ply<L>,
        conditions: Run,
        scene: &Scene<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<Option<bool>> {
        let (before, after) = match *self.list(conditions) {
            [before] => (before, None),
            [before, after, ..] => (before, Some(after)),
            [] => return Ok(None),
        };
        let mut at_hand = ply.act.clone();
        at_hand.bound = Few::default();
        let around = scene.act.map(|act| &act.bound);
        for bound in around.into_iter().flat_map(Few::iter).chain(ply.act.bound.iter()) {
            at_hand.bound.push(bound.clone());
        }
        if !self.holds(before, &Scene::with(scene.position, scene.ground, &at_hand), work)? {
            return Ok(None);
        }
        let Some(after) = after else { return Ok(Some(true)) };
        let past = Past { position: ply.next, act: Some(ply.act.clone()), clauses: ply.clauses.clone() };
        let ground = Ground { story: scene.ground.story.with(&past), stuck: None, ..scene.ground };
        self.holds(after, &Scene::with(&ply.next, ground, &at_hand), work).map(Some)
    }

    /// Whether a sequence of plies, each of them of that name and with the first condition, leads to a position
    /// in which the second one holds. After so many positions without an end of the search it is so: it has not
    /// been excluded. Each position stands for itself, without what was played before.
    pub(crate) fn is_reachable(
        &self,
        act: Option<u16>,
        conditions: Run,
        most: u32,
        scene: &Scene<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<bool> {
        let ground = Ground { story: Story::none(), stuck: None, ..scene.ground };
        let mut seen = HashSet::from([self.lasting(scene.position)]);
        let mut waiting = VecDeque::from([*scene.position]);
        // The plies are found beside the question, whose names keep their values meanwhile.
        let mut beside = Work::default();
        let limited = work.allowance() != u64::MAX;
        if limited {
            beside.allow(work.left());
        }
        let quick = act.is_none() && self.is_quick(conditions);
        if let (true, [before, after]) = (quick, self.list(conditions)) {
            let found = self.region(*before, most, scene.position, ground, (&mut beside, work))?;
            if limited {
                work.burn(beside.spent())?;
            }
            return match found {
                None => Ok(true),
                Some(found) => self.is_any(&found, *after, ground, work),
            };
        }
        while let Some(position) = waiting.pop_front() {
            beside.begin(FUEL);
            work.refill();
            let here = Scene { position: &position, ground, ..*scene };
            for ply in self.followed(&position, ground, (act, quick), &mut beside)? {
                match self.leads(&ply, conditions, &here, work)? {
                    Some(true) => return Ok(true),
                    Some(false) if seen.insert(self.lasting(&ply.next)) => {
                        if seen.len() > most as usize {
                            return Ok(true);
                        }
                        waiting.push_back(ply.next);
                    }
                    _ => {}
                }
            }
            if limited {
                work.burn(beside.spent())?;
            }
        }
        Ok(false)
    }

    /// The positions that sequences of plies lead to, each of them from a position in which a condition holds;
    /// `None` if there are more than that, the first one included.
    fn region(
        &self,
        before: NodeId,
        most: u32,
        first: &Position<L>,
        ground: Ground<'_, L>,
        (beside, work): (&mut Work<L>, &mut Work<L>),
    ) -> Outcomes<Option<Vec<Position<L>>>> {
        let mut seen = HashSet::from([self.lasting(first)]);
        let mut found = Vec::new();
        let mut waiting = VecDeque::from([*first]);
        let mut again = false;
        while let Some(position) = waiting.pop_front() {
            beside.begin(FUEL);
            work.refill();
            let act = Act::new(u16::MAX, position.mover);
            if !self.holds(before, &Scene::with(&position, ground, &act), work)? {
                continue;
            }
            for ply in self.followed(&position, ground, (None, true), beside)? {
                let name = self.lasting(&ply.next);
                if seen.contains(&name) {
                    again |= !again && name == self.lasting(first);
                    continue;
                }
                seen.insert(name);
                if seen.len() > most as usize {
                    return Ok(None);
                }
                found.push(ply.next);
                waiting.push_back(ply.next);
            }
        }
        found.extend(again.then_some(*first));
        Ok(Some(found))
    }

    /// Whether a condition holds in one of some positions, each of them after some ply.
    fn is_any(
        &self,
        positions: &[Position<L>],
        condition: NodeId,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<bool> {
        for position in positions {
            work.refill();
            let before = (0..self.players).find(|player| self.next_player(*player) == position.mover);
            let act = Act::new(u16::MAX, before.unwrap_or(position.mover));
            let past = Past { position: *position, act: Some(act.clone()), clauses: Default::default() };
            let ground = Ground { story: ground.story.with(&past), ..ground };
            if self.holds(condition, &Scene::with(position, ground, &act), work)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The plies of a position that stands for itself, by the fast paths where they know it and nothing is asked
    /// about the plies: those have no clauses, and what patterns marked is not known of them.
    fn followed(
        &self,
        position: &Position<L>,
        ground: Ground<'_, L>,
        (act, quick): (Option<u16>, bool),
        work: &mut Work<L>,
    ) -> Outcomes<Vec<Ply<L>>> {
        let Some(fast) = self.fast_at(position).filter(|_| quick) else {
            return Ok(self.generate(position, ground, act, false, work)?.legal);
        };
        let asked = Asked::of(self, work);
        let (mut plies, mut found) = (Vec::new(), Vec::new());
        fast.plies(position, &asked, &mut plies, &mut found);
        let made = plies.into_iter().map(|ply| (fast.act(position, ply), fast.after(position, ply, &asked)));
        found.extend(made);
        asked.fault().map_or(Ok(()), Err)?;
        let whole = |(act, next)| Ply { act, next, ended: None, clauses: Default::default() };
        Ok(found.into_iter().map(whole).collect())
    }

    /// What makes a position what it is, as words.
    fn lasting(&self, position: &Position<L>) -> Vec<u64> {
        let kinds = position.kinds.slice().iter().take(self.program.kinds.len());
        let owners = position.owners.slice().iter().take(self.program.players.len());
        let mut words: Vec<u64> = kinds.chain(owners).flat_map(|set| set.words()).collect();
        words.push(position.mover.into());
        for var in self.program.identity.iter().chain(&self.program.fleeting) {
            let Some(known) = self.program.vars.get(usize::from(*var)) else { continue };
            for slot in (0..usize::from(known.count)).map(|at| usize::from(known.slot) + at) {
                if known.ty == Type::Sites {
                    words.extend(position.sets.get(slot).words());
                } else {
                    words.push(position.nums.get(slot) as u64);
                }
            }
        }
        words
    }
}
