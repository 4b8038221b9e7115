//! Effects: how a ply or an event changes a position.
//!
//! Invariant: effects are done in the order in which they are written, each seeing the position that the one
//! before it left. A clause counts as having decided only if it changed something.

use crate::act::{Act, Clauses, Ending};
use crate::engine::{Engine, Ground, NUMBER, Outcomes, Scene, Work};
use crate::position::{Layout, Position, Row};
use crate::program::{Code, Effect, Form, Run, Site, Type};
use crate::set::Set;
use crate::value::{Num, Val};

/// A ply on its way: the position as changed so far.
#[derive(Clone, Debug)]
pub struct Draft<L: Layout> {
    /// The act.
    pub act: Act<L>,
    /// The position.
    pub position: Position<L>,
    /// How the effects ended the game.
    pub ended: Option<Ending>,
    /// The clauses that decided so far.
    pub clauses: Clauses,
    /// Whether the mover keeps the turn.
    pub again: bool,
    /// How many recorded positions are forgotten when the event is complete.
    pub restored: usize,
    /// Whether anything has changed since the flag was last cleared.
    pub dirty: bool,
    /// Variables that were set, as bits.
    assigned: [u64; 4],
}

impl<L: Layout> Draft<L> {
    /// A ply that has not changed anything yet.
    pub fn new(act: Act<L>, mut position: Position<L>) -> Self {
        // What the fast paths found settled may be so no longer.
        position.settled = 0;
        Self {
            act,
            position,
            ended: None,
            clauses: Clauses::default(),
            again: false,
            restored: 0,
            dirty: false,
            assigned: [0; 4],
        }
    }

    /// Whether a variable was set.
    pub(crate) fn is_assigned(&self, var: u16) -> bool {
        self.assigned.as_slice().get(usize::from(var) / 64).is_some_and(|word| word >> (var % 64) & 1 == 1)
    }

    fn assign(&mut self, var: u16) {
        if let Some(word) = self.assigned.get_mut(usize::from(var) / 64) {
            *word |= 1 << (var % 64);
        }
    }

    /// Puts something on a site.
    pub fn write(&mut self, site: Site, cell: Option<(u8, u8)>) {
        let old = self.position.owner(site).map(|owner| (self.position.kind(site), owner));
        if old != cell {
            self.dirty = true;
            self.position.put(site, cell);
        }
        self.act.changed |= L::Set::one(site);
    }

    fn clear(&mut self, sites: L::Set) {
        if sites.meets(self.position.occupied()) {
            self.dirty = true;
            self.position.clear(sites);
        }
        self.act.changed |= sites;
    }

    /// The movement itself: the piece leaves, captures are cleared, the piece arrives.
    pub fn displace(&mut self) {
        let (Some(from), Some(to)) = (self.act.from, self.act.to) else { return };
        let cell = self.position.cell(from);
        self.clear(L::Set::one(from) | self.act.taken);
        self.write(to, cell);
    }
}

impl<L: Layout> Engine<L> {
    /// Does some effects.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub fn perform(
        &self,
        draft: &mut Draft<L>,
        effects: Run,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<()> {
        if effects.len == 0 {
            return Ok(());
        }
        work.dive(4)?;
        for effect in effects.of(&self.program.effects) {
            self.effect(draft, effect, ground, work)?;
        }
        work.surface(4);
        Ok(())
    }

    /// Lets the position return that was recorded so many plies ago, all but the variables that always last;
    /// nothing happens if there is none.
    fn restore(&self, draft: &mut Draft<L>, plies: Num, ground: Ground<'_, L>) {
        let Some(back) = plies.to_whole().and_then(|plies| usize::try_from(plies).ok()) else { return };
        let Some(past) = ground.story.back(back) else { return };
        let present = draft.position;
        draft.position = past.position;
        draft.position.settled = 0;
        draft.position.played = present.played.saturating_sub(back as u32);
        for (at, _) in self.program.vars.iter().enumerate().filter(|(_, var)| var.kept) {
            self.copy_var(&present, &mut draft.position, at as u16);
        }
        (draft.restored, draft.dirty) = (back, true);
    }

    fn of_draft(
        &self,
        draft: &Draft<L>,
        code: Code,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<Val<L::Set>> {
        self.run(code, &Scene::with(&draft.position, ground, &draft.act), work)
    }

    fn sites_of_draft(
        &self,
        draft: &Draft<L>,
        code: Code,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<L::Set> {
        self.run_sites(code, &Scene::with(&draft.position, ground, &draft.act), work)
    }

    fn effect(
        &self,
        draft: &mut Draft<L>,
        effect: &Effect,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<()> {
        match effect {
            Effect::If(condition, yes, no) => {
                let scene = Scene::with(&draft.position, ground, &draft.act);
                let branch = if self.truth(*condition, &scene, work)? { yes } else { no };
                self.perform(draft, *branch, ground, work)?;
            }
            Effect::For(binding, domain, body) => {
                let members = self.of_draft(draft, *domain, ground, work)?.into_choices();
                for member in members {
                    draft.act.bound.push((*binding, member));
                    self.perform(draft, *body, ground, work)?;
                    draft.act.bound.pop();
                }
            }
            Effect::Move(from, to) => {
                let from = self.of_draft(draft, *from, ground, work)?;
                if let (Val::Site(from), Val::Site(to)) = (from, self.of_draft(draft, *to, ground, work)?) {
                    let cell = draft.position.cell(from);
                    draft.write(from, None);
                    draft.write(to, cell);
                }
            }
            Effect::Remove(sites) => {
                let sites = self.sites_of_draft(draft, *sites, ground, work)?;
                draft.clear(sites);
            }
            Effect::Put(kind, player, sites) => {
                let owner = match player {
                    Some(player) => self.of_draft(draft, *player, ground, work)?,
                    None => Val::Player(draft.position.mover),
                };
                let kind = self.of_draft(draft, *kind, ground, work)?;
                let sites = self.sites_of_draft(draft, *sites, ground, work)?;
                if let (Val::Kind(kind), Val::Player(owner)) = (kind, owner) {
                    self.fill(draft, sites, kind, owner);
                }
            }
            Effect::Give(sites, player) => {
                let sites = self.sites_of_draft(draft, *sites, ground, work)?;
                if let Val::Player(owner) = self.of_draft(draft, *player, ground, work)?
                    && owner < self.players
                {
                    let given = sites & draft.position.occupied();
                    draft.dirty |= !given.less(draft.position.owners.get(usize::from(owner))).is_empty();
                    for set in draft.position.owners.slice_mut() {
                        *set = set.less(given);
                    }
                    *draft.position.owners.slot(usize::from(owner)) |= given;
                    draft.act.changed |= given;
                }
            }
            Effect::Again => (draft.again, draft.dirty) = (true, true),
            Effect::Turn(player) => {
                if let Val::Player(player) = self.of_draft(draft, *player, ground, work)? {
                    draft.dirty |= draft.position.mover != player;
                    draft.position.mover = player;
                }
            }
            Effect::Apply(at, given) => {
                let Some(clause) = self.clause(*at) else { return Ok(()) };
                let Form::Applied { choices, then } = &clause.form else { return Ok(()) };
                work.burn(1)?;
                let mut values = Vec::with_capacity(given.len());
                for code in given {
                    values.push(self.of_draft(draft, *code, ground, work)?);
                }
                let names = self.choices(*choices).iter().map(|choice| choice.binding);
                let mut bound = 0;
                for (name, value) in names.zip(values) {
                    draft.act.bound.push((name, value));
                    bound += 1;
                }
                let scene = Scene::with(&draft.position, ground, &draft.act);
                if self.admits(*choices, &scene, work)?
                    && self.applies(clause.when, clause.unless, &scene, work)?
                {
                    // The clause that applies another one stays the latest, for what it does after that.
                    let outer = draft.clauses.last().copied();
                    draft.clauses.pop();
                    draft.clauses.push(*at);
                    self.perform(draft, *then, ground, work)?;
                    if let Some(outer) = outer {
                        draft.clauses.push(outer);
                    }
                }
                for _ in 0..bound {
                    draft.act.bound.pop();
                }
            }
            Effect::Restore(plies) => {
                if let Val::Number(plies) = self.of_draft(draft, *plies, ground, work)? {
                    self.restore(draft, plies, ground);
                }
            }
            Effect::Set(var, index, value) => {
                let value = self.of_draft(draft, *value, ground, work)?;
                let mut members = [Val::Nothing, Val::Nothing];
                for (member, code) in members.iter_mut().zip(index) {
                    *member = self.of_draft(draft, *code, ground, work)?;
                }
                draft.assign(*var);
                self.store(draft, *var, (!index.is_empty()).then_some(&members[..]), value)?;
            }
            Effect::End(outcome) => {
                if let Val::Outcome(outcome) = self.of_draft(draft, *outcome, ground, work)? {
                    draft.dirty = true;
                    let clauses = draft.clauses.last().copied().into_iter().collect();
                    draft.ended = Some(Ending { outcome, clauses });
                }
            }
        }
        Ok(())
    }

    fn fill(&self, draft: &mut Draft<L>, sites: L::Set, kind: u8, owner: u8) {
        if owner >= self.players || usize::from(kind) >= self.program.kinds.len() {
            return;
        }
        let sites = sites & self.all;
        draft.dirty |= !sites.less(draft.position.pieces(kind, owner)).is_empty();
        draft.position.clear(sites);
        *draft.position.kinds.slot(usize::from(kind)) |= sites;
        *draft.position.owners.slot(usize::from(owner)) |= sites;
        draft.act.changed |= sites;
    }

    fn store(
        &self,
        draft: &mut Draft<L>,
        at: u16,
        members: Option<&[Val<L::Set>]>,
        value: Val<L::Set>,
    ) -> Outcomes<()> {
        let Some(var) = self.program.vars.get(usize::from(at)) else { return Ok(()) };
        let one = |draft: &mut Draft<L>, at: u16, value: &Val<L::Set>| {
            let at = usize::from(var.slot + at);
            if var.ty == Type::Sites {
                let slot = draft.position.sets.slot(at);
                let sites = value.as_sites();
                draft.dirty |= *slot != sites;
                *slot = sites;
            } else {
                let kept = value.packed(var.ty).ok_or(NUMBER)?;
                let slot = draft.position.nums.slot(at);
                draft.dirty |= *slot != kept;
                *slot = kept;
            }
            Ok(())
        };
        match (members, value) {
            (None, value) if var.each.is_empty() => one(draft, 0, &value)?,
            (Some(members), value) => {
                if let Some(place) = self.place(var, members) {
                    one(draft, place, &value)?;
                }
            }
            (None, Val::List(values)) if values.len() == usize::from(var.count) => {
                for (at, value) in values.iter().enumerate() {
                    one(draft, at as u16, value)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}
