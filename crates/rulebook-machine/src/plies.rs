//! Legal acts and the positions after them.
//!
//! A ply is made in one order: the grant's own effects, then the consequences as they stand in the program,
//! then the bans are judged on the result, then the turn passes and the position is complete. Invariant:
//! acts come in the order of the clauses, and of acts that are the same only the first is kept.

use std::hash::{Hash, Hasher};

use crate::act::{Act, Banned, Clauses, Past, Plies, Ply, State};
use crate::effects::Draft;
use crate::engine::{Engine, Ground, MAX_ACTS, Outcomes, Scene, WORK, Work, blame};
use crate::position::{Layout, Position};
use crate::program::{Choice, Form};
use crate::set::Set;
use crate::value::{Num, Val};
use crate::walk::Movement;

/// Levels that a question about plies takes, and a choice among the consequences of one.
const QUESTION: u32 = 250;
const CHOICE: u32 = 80;

/// Up to so many acts are compared one by one.
const FEW_ACTS: usize = 16;

/// A plain hasher: one multiplication for each word.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let word = chunk.iter().rev().fold(0_u64, |word, byte| word << 8 | u64::from(*byte));
            self.write_u64(word);
        }
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// Equal for acts that are the same to the players.
fn act_hash<L: Layout>(act: &Act<L>) -> u64 {
    let mut mixer = Mixer::default();
    (act.name, act.from, act.to, act.taken).hash(&mut mixer);
    for choice in act.choices.iter() {
        act.value(*choice).hash(&mut mixer);
    }
    mixer.finish()
}

/// Keeps the first of plies whose acts are the same.
fn without_twins<L: Layout>(plies: &mut Vec<Ply<L>>) {
    let mut twins: Vec<usize> = Vec::new();
    if plies.len() <= FEW_ACTS {
        for (at, ply) in plies.iter().enumerate() {
            if plies.iter().take(at).any(|known| known.act.same(&ply.act)) {
                twins.push(at);
            }
        }
    } else {
        let mut hashes: Vec<(u64, usize)> =
            plies.iter().enumerate().map(|(at, ply)| (act_hash(&ply.act), at)).collect();
        hashes.sort_unstable();
        let act = |at: usize| plies.get(at).map(|ply| &ply.act);
        for group in hashes.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
            for (index, (_, at)) in group.iter().enumerate() {
                let same = |(_, known): &(u64, usize)| match (act(*known), act(*at)) {
                    (Some(a), Some(b)) => a.same(b),
                    _ => false,
                };
                if group.iter().take(index).any(same) {
                    twins.push(*at);
                }
            }
        }
        twins.sort_unstable();
    }
    if !twins.is_empty() {
        let mut at = 0;
        plies.retain(|_| {
            at += 1;
            twins.binary_search(&(at - 1)).is_err()
        });
    }
}

impl<L: Layout> Engine<L> {
    /// Every ply that clauses grant in a state, legal or forbidden. An ended game is not asked about.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub fn plies(&self, state: &State<L>, work: &mut Work<L>) -> Outcomes<Plies<L>> {
        self.generate(&state.position, self.ground(state), None, false, work)
    }

    /// Whether there is a legal ply, of any name or of one.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub fn has_ply(
        &self,
        position: &Position<L>,
        ground: Ground<'_, L>,
        only: Option<u16>,
        work: &mut Work<L>,
    ) -> Outcomes<bool> {
        Ok(!self.generate(position, ground, only, true, work)?.legal.is_empty())
    }

    /// The plies of a position: all, those of one name, or no more than show that there is one.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub fn generate(
        &self,
        position: &Position<L>,
        ground: Ground<'_, L>,
        only: Option<u16>,
        first: bool,
        work: &mut Work<L>,
    ) -> Outcomes<Plies<L>> {
        work.dive(QUESTION)?;
        let mut found = Plies::default();
        // With a maximum to reach, the first legal ply does not show that it is one of the best.
        let first = first && self.dispatch.all.most.is_empty();
        let mut acts = Vec::new();
        for at in &self.sorted(position).grants {
            let Some(clause) = self.clause(*at) else { continue };
            match &clause.form {
                Form::Move { kinds, act, .. } if only.is_none_or(|only| only == *act) => {
                    let mut pieces = L::Set::EMPTY;
                    for kind in kinds {
                        pieces |= position.pieces(*kind, position.mover);
                    }
                    for from in pieces.sites() {
                        let movement =
                            Movement { clause: *at, from, player: position.mover, phantom: None, to: None };
                        blame(*at, self.movements(movement, position, ground, work, &mut acts))?;
                        for act in acts.drain(..) {
                            blame(*at, self.grant(*at, act, position, ground, work, &mut found))?;
                            if first && !found.legal.is_empty() {
                                work.surface(QUESTION);
                                return Ok(found);
                            }
                        }
                    }
                }
                Form::Act { act, .. } if only.is_none_or(|only| only == *act) => {
                    blame(*at, self.granted(*at, position, ground, work, &mut acts))?;
                    for act in acts.drain(..) {
                        blame(*at, self.make(*at, act, position, ground, work, &mut found))?;
                        if first && !found.legal.is_empty() {
                            work.surface(QUESTION);
                            return Ok(found);
                        }
                    }
                }
                _ => {}
            }
        }
        self.best(&mut found, ground, work)?;
        without_twins(&mut found.legal);
        work.surface(QUESTION);
        Ok(found)
    }

    /// All ways to choose, one act each.
    pub(crate) fn choose(
        &self,
        choices: &[Choice],
        act: Act<L>,
        position: &Position<L>,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<Vec<Act<L>>> {
        let mut acts = vec![act];
        for choice in choices {
            let mut more = Vec::new();
            for act in acts {
                let domain = self.run(choice.domain, &Scene::with(position, ground, &act), work)?;
                let mut add = |member: Val<L::Set>, work: &mut Work<L>| {
                    let mut act = act.clone();
                    act.bound.push((choice.binding, member));
                    act.choices.push(choice.binding);
                    more.push(act);
                    work.burn(10)?;
                    if more.len() > MAX_ACTS { Err(WORK) } else { Ok(()) }
                };
                match domain {
                    Val::Sites(sites) => {
                        for site in sites.sites() {
                            add(Val::Site(site), work)?;
                        }
                    }
                    Val::List(values) => {
                        for value in values.iter() {
                            add(value.clone(), work)?;
                        }
                    }
                    _ => {}
                }
            }
            acts = more;
        }
        Ok(acts)
    }

    /// The acts that a clause grants that is not about the movement of a piece, choices made and conditions
    /// included.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub fn granted(
        &self,
        at: u16,
        position: &Position<L>,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
        acts: &mut Vec<Act<L>>,
    ) -> Outcomes<()> {
        let Some(clause) = self.clause(at) else { return Ok(()) };
        let Form::Act { act, choices, .. } = &clause.form else { return Ok(()) };
        let begin = Act::new(*act, position.mover);
        for act in self.choose(self.choices(*choices), begin, position, ground, work)? {
            if self.applies(clause.when, clause.unless, &Scene::with(position, ground, &act), work)? {
                acts.push(act);
            }
        }
        Ok(())
    }

    /// The plies that one clause grants: for the pieces on some sites, if it is a way of moving.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub(crate) fn granted_by(
        &self,
        at: u16,
        pieces: L::Set,
        position: &Position<L>,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
        found: &mut Plies<L>,
    ) -> Outcomes<()> {
        let mut acts = Vec::new();
        match self.clause(at).map(|clause| &clause.form) {
            Some(Form::Move { .. }) => {
                for from in pieces.sites() {
                    let movement =
                        Movement { clause: at, from, player: position.mover, phantom: None, to: None };
                    self.movements(movement, position, ground, work, &mut acts)?;
                    for act in acts.drain(..) {
                        self.grant(at, act, position, ground, work, found)?;
                    }
                }
            }
            Some(Form::Act { .. }) => {
                self.granted(at, position, ground, work, &mut acts)?;
                for act in acts.drain(..) {
                    self.make(at, act, position, ground, work, found)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Makes the choices of a movement, which was judged when its pattern was walked, and each ply of them.
    fn grant(
        &self,
        at: u16,
        act: Act<L>,
        position: &Position<L>,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
        found: &mut Plies<L>,
    ) -> Outcomes<()> {
        match self.clause(at).map(|clause| &clause.form) {
            Some(Form::Move { choices, .. }) if choices.len > 0 => {
                for act in self.choose(self.choices(*choices), act, position, ground, work)? {
                    self.make(at, act, position, ground, work, found)?;
                }
                Ok(())
            }
            _ => self.make(at, act, position, ground, work, found),
        }
    }

    /// Makes one act with all that follows from it, and judges it: plies are added to those found. The
    /// choices of the clause that grants it have been made.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub fn make(
        &self,
        at: u16,
        act: Act<L>,
        position: &Position<L>,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
        found: &mut Plies<L>,
    ) -> Outcomes<()> {
        let then = match self.clause(at).map(|clause| &clause.form) {
            Some(Form::Move { then, .. } | Form::Act { then, .. }) => *then,
            _ => return Ok(()),
        };
        if let Some(ban) = self.banned_before(&act, position, ground, work)? {
            found.banned.push(Banned { act, clauses: [ban, at].into_iter().collect() });
            return Ok(());
        }
        let mut draft = Draft::new(act, *position);
        draft.clauses.push(at);
        let ground = Ground { mid_ply: true, ..ground };
        draft.displace();
        self.perform(&mut draft, then, ground, work)?;
        self.follow(draft, 0, ground, work, found)
    }

    fn banned_before(
        &self,
        act: &Act<L>,
        position: &Position<L>,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<Option<u16>> {
        let scene = Scene::with(position, ground, act);
        for at in &self.sorted(position).bans_before {
            if blame(*at, self.bans(*at, &scene, work))? {
                return Ok(Some(*at));
            }
        }
        Ok(None)
    }

    /// Whether a ban forbids the act at hand.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub fn bans(&self, at: u16, scene: &Scene<'_, L>, work: &mut Work<L>) -> Outcomes<bool> {
        let Some(clause) = self.clause(at) else { return Ok(false) };
        let Form::Forbid { acts, banned, .. } = &clause.form else { return Ok(false) };
        Ok(scene.act.is_some_and(|act| acts.admits(act.name))
            && self.applies(clause.when, clause.unless, scene, work)?
            && self.truth(*banned, scene, work)?)
    }

    /// The consequences of a ply, from a clause on; a choice among them makes several plies.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub fn follow(
        &self,
        mut draft: Draft<L>,
        from: u16,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
        found: &mut Plies<L>,
    ) -> Outcomes<()> {
        let mut list = &self.sorted(&draft.position).following;
        let mut next = list.partition_point(|at| *at < from);
        while let Some(at) = list.get(next) {
            next += 1;
            let Some(clause) = self.clause(*at) else { continue };
            let Form::After { acts, choices, then } = &clause.form else { continue };
            if !acts.admits(draft.act.name) {
                continue;
            }
            let scene = Scene::with(&draft.position, ground, &draft.act);
            if !blame(*at, self.applies(clause.when, clause.unless, &scene, work))? {
                continue;
            }
            if choices.len == 0 {
                blame(*at, self.take_effect(&mut draft, *at, *then, ground, work))?;
                // It may have begun another phase, in which other clauses follow.
                let now = &self.sorted(&draft.position).following;
                if !std::ptr::eq(now, list) {
                    next = now.partition_point(|known| known <= at);
                    list = now;
                }
                continue;
            }
            work.dive(CHOICE)?;
            let choices = self.choices(*choices);
            for act in self.choose(choices, draft.act.clone(), &draft.position, ground, work)? {
                let mut way = draft.clone();
                way.act = act;
                self.take_effect(&mut way, *at, *then, ground, work)?;
                self.follow(way, at.saturating_add(1), ground, work, found)?;
            }
            work.surface(CHOICE);
            return Ok(());
        }
        self.allow(draft, ground, work, found)
    }

    /// Does what one clause that follows a ply says, if it applies. Choices are not made here.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub(crate) fn follow_one(
        &self,
        at: u16,
        draft: &mut Draft<L>,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<()> {
        let Some(clause) = self.clause(at) else { return Ok(()) };
        let Form::After { then, .. } = &clause.form else { return Ok(()) };
        let scene = Scene::with(&draft.position, ground, &draft.act);
        if blame(at, self.applies(clause.when, clause.unless, &scene, work))? {
            blame(at, self.perform(draft, *then, ground, work))?;
        }
        Ok(())
    }

    /// Does what a clause says; the clause counts as one that decided if it changed anything.
    fn take_effect(
        &self,
        draft: &mut Draft<L>,
        clause: u16,
        then: crate::program::Run,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<()> {
        draft.dirty = false;
        draft.clauses.push(clause);
        self.perform(draft, then, ground, work)?;
        if !draft.dirty {
            draft.clauses.pop();
        }
        Ok(())
    }

    /// The bans, judged on the position with all consequences.
    fn allow(
        &self,
        draft: Draft<L>,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
        found: &mut Plies<L>,
    ) -> Outcomes<()> {
        for at in &self.sorted(&draft.position).bans_after {
            let mut scene = Scene::with(&draft.position, ground, &draft.act);
            if let Some(clause) = self.clause(*at)
                && let Form::Forbid { acts, asks: true, .. } = &clause.form
                && acts.admits(draft.act.name)
            {
                if ground.supposed {
                    continue;
                }
                if blame(*at, self.applies(clause.when, clause.unless, &scene, work))? {
                    scene.answerable = self.is_answerable(&draft, ground, work)?;
                }
            }
            if blame(*at, self.bans(*at, &scene, work))? {
                let mut clauses = Clauses::default();
                clauses.push(*at);
                draft.clauses.iter().take(1).for_each(|grant| clauses.push(*grant));
                found.banned.push(Banned { act: draft.act, clauses });
                return Ok(());
            }
        }
        if found.legal.len() >= MAX_ACTS {
            return Err(WORK);
        }
        found.legal.push(self.complete(draft, ground, work)?);
        Ok(())
    }

    /// Whether whoever has the turn after a ply has a legal one, bans that ask this left aside.
    fn is_answerable(&self, draft: &Draft<L>, ground: Ground<'_, L>, work: &mut Work<L>) -> Outcomes<bool> {
        let ply = self.complete(draft.clone(), ground, work)?;
        let past = Past { position: ply.next, act: Some(ply.act), clauses: ply.clauses };
        let story = ground.story.with(&past);
        let ground = Ground { story, mid_ply: false, supposed: true, stuck: None, ..ground };
        self.has_ply(&ply.next, ground, None, work)
    }

    /// The turn passes, and variables that last one ply fade.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub fn complete(
        &self,
        mut draft: Draft<L>,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<Ply<L>> {
        let mover = draft.position.mover;
        let mut next = if draft.again { mover } else { self.next_player(mover) };
        if !draft.again
            && let Some((at, player)) = self.turn_after(&draft, ground, work)?
        {
            next = player;
            draft.clauses.push(at);
        }
        for (at, var) in self.program.vars.iter().enumerate() {
            if var.fleeting && !draft.is_assigned(at as u16) {
                self.reset(&mut draft.position, at as u16);
            }
        }
        draft.position.mover = next;
        draft.position.played = draft.position.played.saturating_add(1);
        Ok(Ply { act: draft.act, next: draft.position, ended: draft.ended, clauses: draft.clauses })
    }

    /// Who has the turn after a ply, by the clause that goes before the others.
    fn turn_after(
        &self,
        draft: &Draft<L>,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<Option<(u16, u8)>> {
        let scene = Scene::with(&draft.position, ground, &draft.act);
        let mut standing: crate::value::Few<(u16, u8), 4> = crate::value::Few::default();
        for at in &self.sorted(&draft.position).turns {
            let Some(clause) = self.clause(*at) else { continue };
            let Form::Turn(code) = &clause.form else { continue };
            if self.applies(clause.when, clause.unless, &scene, work)?
                && let Val::Player(player) = self.run(*code, &scene, work)?
            {
                standing.push((*at, player));
            }
        }
        let yields = |at: u16| {
            let yields = self.clause(at).map_or(&[][..], |clause| &clause.yields);
            standing.iter().any(|(first, _)| yields.contains(first))
        };
        Ok(standing.iter().find(|(at, _)| !yields(*at)).copied())
    }

    /// Keeps only the plies with the largest measure, clause by clause.
    fn best(&self, found: &mut Plies<L>, ground: Ground<'_, L>, work: &mut Work<L>) -> Outcomes<()> {
        for at in &self.dispatch.all.most {
            let Some(clause) = self.clause(*at) else { continue };
            let Form::Most { acts, measure } = &clause.form else { continue };
            let mut measures: Vec<Option<Num>> = Vec::with_capacity(found.legal.len());
            for ply in &found.legal {
                let position = Position { mover: ply.act.actor, ..ply.next };
                // A measured ply counts as made: its position is the latest one of the past.
                let past =
                    Past { position: ply.next, act: Some(ply.act.clone()), clauses: ply.clauses.clone() };
                let ground = Ground { story: ground.story.with(&past), mid_ply: false, ..ground };
                let scene = Scene::with(&position, ground, &ply.act);
                let measured =
                    acts.admits(ply.act.name) && self.applies(clause.when, clause.unless, &scene, work)?;
                measures.push(match self.run(*measure, &scene, work)? {
                    Val::Number(number) if measured => Some(number),
                    _ => None,
                });
            }
            let Some(most) = measures.iter().flatten().max().copied() else { continue };
            let mut measures = measures.into_iter();
            let mut kept = Vec::with_capacity(found.legal.len());
            for ply in std::mem::take(&mut found.legal) {
                if measures.next().flatten().is_none_or(|measure| measure >= most) {
                    kept.push(ply);
                } else {
                    let clauses = [*at].into_iter().chain(ply.clauses.iter().take(1).copied()).collect();
                    found.banned.push(Banned { act: ply.act, clauses });
                }
            }
            found.legal = kept;
        }
        Ok(())
    }

    /// Whether a position is the same as a recorded one with the same board, before which a number of
    /// positions were recorded: the variables that belong to a position are equal, and of those that last
    /// one ply what some legal act depends on.
    pub(crate) fn same_position(
        &self,
        position: &Position<L>,
        ground: Ground<'_, L>,
        past: &Past<L>,
        before: usize,
        work: &mut Work<L>,
    ) -> Outcomes<bool> {
        let same = |var: &u16| self.same_var(position, &past.position, *var);
        if !self.program.identity.iter().all(same) {
            return Ok(false);
        }
        if self.program.fleeting.iter().all(same) {
            return Ok(true);
        }
        // They differ as written; they are the same if neither makes a difference.
        if self.depends(position, ground, work)? {
            return Ok(false);
        }
        let then = Position { sets: past.position.sets, nums: past.position.nums, ..*position };
        let ground = Ground { story: ground.story.first(before), ..ground };
        Ok(!self.depends(&then, ground, work)?)
    }

    /// Whether some legal act depends on a variable that lasts one ply.
    pub(crate) fn depends(
        &self,
        position: &Position<L>,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<bool> {
        let mut plain = *position;
        for var in &self.program.fleeting {
            self.reset(&mut plain, *var);
        }
        let with = self.generate(position, ground, None, false, work)?;
        let without = self.generate(&plain, ground, None, false, work)?;
        let within = |ply: &Ply<L>| without.legal.iter().any(|other| other.act.same(&ply.act));
        Ok(with.legal.len() != without.legal.len() || !with.legal.iter().all(within))
    }
}
