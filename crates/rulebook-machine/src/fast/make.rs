//! The position after a ply, and whether a ply that masks cannot judge is allowed.
//!
//! Law: a position made here is the one the general engine makes.

use super::node::Mode;
use super::{Fast, General, Node};
use crate::act::Act;
use crate::attack::{PHANTOM, View};
use crate::lane::{Guard, NO_SLOT, Place};
use crate::position::{Layout, Position, Row};
use crate::program::{NO_KIND, NO_SITE, Site};
use crate::query::Play;
use crate::recipe::{Recipe, SetOp, settled_bit};
use crate::set::Set;
use crate::tables::Many;
use crate::value::Val;

/// What makes up a ply: its recipe, its ends, the way if it has several conditions, the kind that was chosen,
/// and what it captures.
#[derive(Clone, Copy)]
pub(super) struct Made<'a, L: Layout> {
    recipe: &'a Recipe<L>,
    from: Site,
    to: Site,
    many: Option<&'a Many<L::Set>>,
    chosen: Option<u8>,
    taken: L::Set,
}

impl<'a, L: Layout> Made<'a, L> {
    /// What a question may look at.
    fn play(&self, before: &'a Position<L>, now: &'a Position<L>, changed: L::Set) -> Play<'a, L> {
        let Self { from, to, many, chosen, taken, .. } = *self;
        Play { before, now, from, to, many, chosen, taken, changed }
    }
}

impl<L: Layout> Fast<L> {
    /// Whether a ply is allowed: the bans before it, and the royal piece after it.
    #[expect(clippy::too_many_arguments, reason = "what makes up a ply")]
    pub(super) fn is_allowed(
        &self,
        position: &Position<L>,
        node: &Node<L::Set>,
        recipe: &Recipe<L>,
        from: Site,
        to: Site,
        many: Option<&Many<L::Set>>,
        general: &dyn General<L>,
    ) -> bool {
        let (by, simple) = (1 - node.me, self.tables.attacks[1 - node.me].simple);
        let listed;
        let before: &[Site] = match many {
            Some(many) => &many.before,
            None if recipe.before.is_empty() => &[],
            None => {
                listed = recipe
                    .before
                    .iter()
                    .filter_map(|place| self.site(*place, from, to, many))
                    .collect::<Vec<_>>();
                &listed
            }
        };
        for site in before {
            let site = *site;
            if site == node.royal && node.knows && simple {
                // Whether the royal piece is attacked was asked before.
                if node.attacked {
                    return false;
                }
                continue;
            }
            let among = node.enemy.less(L::Set::one(site));
            if simple {
                if self.tables.is_struck(site, by, &node.forces, node.occupied, among) {
                    return false;
                }
                continue;
            }
            // A target that is empty or the attacker's own is judged as if a piece stood there.
            let own = position.owners.get(node.me).has(site);
            let victim = if own { 1 << (position.kind(site) & 127) } else { PHANTOM };
            let come = (NO_SITE, NO_KIND);
            let view = View { position, by, occupied: node.occupied, attackers: among, come };
            if self.tables.is_attacked(site, victim, view) {
                return false;
            }
        }
        let asks = many.filter(|many| many.instance).map_or(&recipe.asks, |many| &many.asks);
        if !asks.is_empty() {
            let taken = L::Set::one(to) & node.enemy | many.map_or(L::Set::EMPTY, |many| many.takes);
            let made = Made { recipe, from, to, many, chosen: None, taken };
            let play = made.play(position, position, L::Set::EMPTY);
            if asks.iter().any(|query| self.holds(node.me, *query, &play)) {
                return false;
            }
        }
        let asks_after = !recipe.after.is_empty()
            && recipe.spare.is_none_or(|query| self.holds(node.me, query, &Play::none(position)));
        let short = !asks_after && self.calm[node.me].is_none();
        let Some(royal) = self.royal[node.me] else {
            return short || self.is_legal_after(position, node, recipe, from, to, many, general);
        };
        let still = many.is_none_or(|many| many.takes.is_empty() && many.first.is_empty());
        if short && self.spared[node.me].is_none() && node.mode == Mode::Danger && still && recipe.stays {
            let (gone, come) = (L::Set::one(from), L::Set::one(to));
            return if recipe.kind == royal {
                !self.is_attacked_after(position, node, recipe.kind, from, to, to)
            } else if (gone | come).meets(node.danger) {
                !self.is_attacked_after(position, node, recipe.kind, from, to, node.royal)
            } else {
                !node.attacked
            };
        }
        if short && self.spared[node.me].is_none() && simple && node.knows && recipe.moves_only {
            let site = match many {
                Some(many) if recipe.kind == royal => many.royal,
                _ if recipe.kind == royal => to,
                _ => node.royal,
            };
            let moved = match many {
                Some(many) => many.moved,
                None => Some((L::Set::one(from), L::Set::one(to))),
            };
            if let Some((left, come)) = moved
                && (recipe.kind == royal || !(left | come).has(site))
            {
                let occupied = node.occupied.less(left) | come;
                return !self.tables.is_struck(
                    site,
                    by,
                    &node.forces,
                    occupied,
                    node.enemy.less(left | come),
                );
            }
        }
        self.is_legal_after(position, node, recipe, from, to, many, general)
    }

    /// Whether a ply is allowed, judged on the position after it.
    #[expect(clippy::too_many_arguments, reason = "what makes up a ply")]
    pub(super) fn is_legal_after(
        &self,
        position: &Position<L>,
        node: &Node<L::Set>,
        recipe: &Recipe<L>,
        from: Site,
        to: Site,
        many: Option<&Many<L::Set>>,
        general: &dyn General<L>,
    ) -> bool {
        let chosen = recipe.pick.first().copied().filter(|_| recipe.pick_tos.has(to));
        let next = self.make(position, recipe, from, to, many, chosen, general);
        let spared = self.spared[node.me].map(|(query, _)| query);
        if !recipe.after.is_empty() || spared.is_some() {
            let taken = L::Set::one(to) & node.enemy | many.map_or(L::Set::EMPTY, |many| many.takes);
            let made = Made { recipe, from, to, many, chosen, taken };
            let play = made.play(position, &next, L::Set::EMPTY);
            if recipe.after.iter().chain(&spared).any(|query| self.holds(node.me, *query, &play)) {
                return false;
            }
        }
        if let Some(kind) = self.calm[node.me] {
            let quarries = next.pieces(kind, 1 - node.me as u8);
            if !self.tables.struck(quarries, node.me, &next, None).is_empty() {
                return false;
            }
        }
        spared.is_some() || !self.is_royal_attacked(&next, node.me)
    }

    #[inline(always)]
    pub(crate) fn site(
        &self,
        place: Place,
        from: Site,
        to: Site,
        many: Option<&Many<L::Set>>,
    ) -> Option<Site> {
        let found = match place {
            Place::From => Some(from),
            Place::To => Some(to),
            Place::At(site) => Some(site),
            Place::Bound(binding) => {
                many?.marks.iter().find(|(known, _)| *known == binding).map(|(_, site)| *site)
            }
            Place::Beside((files, ranks)) => {
                let places = i32::from(ranks) * self.tables.files + i32::from(files);
                Site::try_from(i32::from(from) + places).ok()
            }
        };
        found.filter(|site| usize::from(*site) < self.tables.sites)
    }

    /// The position after a ply. The ply must be one that was found in the position.
    #[expect(clippy::too_many_arguments, reason = "what makes up a ply")]
    pub(crate) fn make(
        &self,
        position: &Position<L>,
        recipe: &Recipe<L>,
        from: Site,
        to: Site,
        many: Option<&Many<L::Set>>,
        chosen: Option<u8>,
        general: &dyn General<L>,
    ) -> Position<L> {
        let mut next = *position;
        self.make_in(&mut next, position, recipe, from, to, many, chosen, general);
        next
    }

    /// The same in a place that holds any position.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "what makes up a ply")]
    pub(crate) fn make_in(
        &self,
        next: &mut Position<L>,
        position: &Position<L>,
        recipe: &Recipe<L>,
        from: Site,
        to: Site,
        many: Option<&Many<L::Set>>,
        chosen: Option<u8>,
        general: &dyn General<L>,
    ) {
        let me = usize::from(position.mover & 1);
        let come = if recipe.bare { L::Set::EMPTY } else { L::Set::one(to) };
        let gone = L::Set::one(from);
        let taken = come & position.owners.get(1 - me) | many.map_or(L::Set::EMPTY, |many| many.takes);
        let changed = gone | come | taken;
        // Row by row and never one place of a row, so that whole rows go from there to here at once.
        for ((new, old), row) in
            next.kinds.slice_mut().iter_mut().zip(position.kinds.slice()).zip(recipe.kinds.slice())
        {
            *new = old.less(changed) | *row & come;
        }
        let rows = recipe.owners[me].slice();
        for ((new, old), row) in next.owners.slice_mut().iter_mut().zip(position.owners.slice()).zip(rows) {
            *new = old.less(changed) | *row & come;
        }
        let change = &recipe.change[usize::from(!taken.is_empty())];
        let rows = change.keep.slice().iter().zip(change.add.slice()).zip(recipe.origin.slice());
        for ((new, old), ((keep, add), origin)) in
            next.nums.slice_mut().iter_mut().zip(position.nums.slice()).zip(rows)
        {
            *new = (old & keep).wrapping_add(*add).wrapping_add(i64::from(from) & origin);
        }
        next.settled = position.settled;
        let narrow = recipe.narrow.as_ref().filter(|_| chosen.is_none());
        match narrow.filter(|_| many.is_none_or(|many| many.first.is_empty())) {
            Some(narrow) => {
                if !narrow.apply(next, position, changed) {
                    self.settle(position, next, changed, &narrow.settles, general);
                }
            }
            None => {
                // The steps see the position as it is in the midst of the ply.
                next.sets = position.sets;
                (next.mover, next.played, next.last) = (position.mover, position.played, position.last);
                let made = Made { recipe, from, to, many, chosen, taken };
                self.steps(position, next, changed, made, general);
            }
        }
        next.mover = 1 - (position.mover & 1);
        next.played = position.played.wrapping_add(1);
        next.last = recipe.act;
    }

    /// Settles set variables that may have been narrowed; what they become does not depend on whose turn it is.
    #[inline(never)]
    fn settle(
        &self,
        before: &Position<L>,
        next: &mut Position<L>,
        changed: L::Set,
        settles: &[(usize, u16)],
        general: &dyn General<L>,
    ) {
        for (slot, clause) in settles {
            let (value, bit) = (next.sets.get(*slot), settled_bit(*slot));
            if before.settled & bit != 0 && value == before.sets.get(*slot) && !changed.meets(value) {
                continue;
            }
            let settled = general.settled(*clause, *slot, next);
            *next.sets.slot(*slot) = settled;
            if settled == value { next.settled |= bit } else { next.settled &= !bit }
        }
    }

    /// What a ply does besides the movement and besides what changes all numbers at once.
    #[inline(never)]
    fn steps(
        &self,
        position: &Position<L>,
        next: &mut Position<L>,
        mut changed: L::Set,
        made: Made<'_, L>,
        general: &dyn General<L>,
    ) {
        let me = usize::from(position.mover & 1);
        let Made { recipe, many, chosen, taken, .. } = made;
        for op in many.map_or(&[][..], |many| &many.first) {
            self.step(op, position, next, &mut changed, made, general);
        }
        let mut answer = false;
        for (guard, op) in &recipe.ops {
            let holds = match guard {
                Guard::Always => true,
                Guard::Taken => !taken.is_empty(),
                Guard::NotTaken => taken.is_empty(),
                Guard::Picked => chosen.is_some(),
                Guard::Chosen(kind) => chosen == Some(*kind),
                Guard::Holds(slot) => next.nums.get(usize::from(*slot)) == 1,
                Guard::Asked(query) => {
                    answer = self.holds(me, *query, &made.play(position, next, changed));
                    answer
                }
                Guard::Still => answer,
                Guard::Else => !answer,
            };
            if holds {
                self.step(op, position, next, &mut changed, made, general);
            }
        }
    }

    #[inline(always)]
    pub(super) fn step(
        &self,
        op: &SetOp,
        before: &Position<L>,
        next: &mut Position<L>,
        changed: &mut L::Set,
        made: Made<'_, L>,
        general: &dyn General<L>,
    ) {
        let me = before.mover;
        let Made { recipe, from, to, many, chosen, taken } = made;
        match op {
            SetOp::LessChanged(slot) => {
                let set = next.sets.slot(*slot);
                *set = set.less(*changed);
            }
            SetOp::LessOwned(slot, player) => {
                let owned = next.owners.get(*player);
                let set = next.sets.slot(*slot);
                *set = set.less(owned);
            }
            SetOp::Settle(slot, clause) => {
                self.settle(before, next, *changed, &[(*slot, *clause)], general);
            }
            SetOp::Join(slot, place) => {
                if let Some(site) = self.site(*place, from, to, many) {
                    *next.sets.slot(*slot) |= L::Set::one(site);
                }
            }
            SetOp::SetSite(slot, place) => {
                if let Some(site) = self.site(*place, from, to, many) {
                    *next.nums.slot(*slot) = i64::from(site);
                }
            }
            SetOp::Move(a, b) => {
                if let (Some(a), Some(b)) = (self.site(*a, from, to, many), self.site(*b, from, to, many)) {
                    let cell = next.cell(a);
                    next.put(a, None);
                    next.put(b, cell);
                    *changed |= L::Set::one(a) | L::Set::one(b);
                }
            }
            SetOp::Remove(place) => {
                if let Some(site) = self.site(*place, from, to, many) {
                    next.put(site, None);
                    *changed |= L::Set::one(site);
                }
            }
            SetOp::Put(kind, place) => {
                if let Some(site) = self.site(*place, from, to, many) {
                    next.put(site, Some((*kind, me)));
                    *changed |= L::Set::one(site);
                }
            }
            SetOp::PutChosen(place) => {
                if let (Some(site), Some(kind)) = (self.site(*place, from, to, many), chosen) {
                    next.put(site, Some((kind, me)));
                    *changed |= L::Set::one(site);
                }
            }
            SetOp::Clear(query) => {
                let sites = self.answer(usize::from(me), *query, &made.play(before, next, *changed));
                next.clear(sites);
                *changed |= sites;
            }
            SetOp::SetTo(slot, query) => {
                let sites = self.answer(usize::from(me), *query, &made.play(before, next, *changed));
                *next.sets.slot(*slot) = sites;
            }
            SetOp::Answer(slot, query) => {
                let answer = self.holds(usize::from(me), *query, &made.play(before, next, *changed));
                *next.nums.slot(*slot) = i64::from(answer);
            }
            SetOp::Tally(tally) => {
                for site in taken.sites() {
                    let others =
                        tally.within.as_ref().filter(|(set, _)| next.sets.get(usize::from(*set)).has(site));
                    let slots = others.map_or(&tally.slots, |(_, others)| others);
                    let slot = slots.get(usize::from(before.kind(site))).copied().unwrap_or(NO_SLOT);
                    if slot != NO_SLOT {
                        let number = next.nums.slot(usize::from(slot));
                        *number = number.wrapping_add(1 << 16);
                    }
                }
            }
            SetOp::Reset(slot) => *next.sets.slot(*slot) = L::Set::EMPTY,
            SetOp::SetNum(slot, value) => *next.nums.slot(*slot) = *value,
            SetOp::AddNum(slot, value) => {
                let number = next.nums.slot(*slot);
                *number = number.wrapping_add(*value);
            }
            SetOp::General(clause) => {
                let mut act = Act::new(recipe.act, me);
                (act.from, act.to, act.piece) = (Some(from), Some(to), Some(recipe.kind));
                act.taken = taken;
                act.changed = *changed;
                for (binding, kind) in &recipe.choices {
                    act.bound.push((*binding, kind.map_or(Val::Site(to), Val::Kind)));
                    act.choices.push(*binding);
                }
                if from == NO_SITE {
                    (act.from, act.to, act.piece) = (None, None, None);
                }
                if let Some(many) = many {
                    for (binding, site) in &many.marks {
                        act.bound.push((*binding, Val::Site(*site)));
                    }
                }
                if let Some(kind) = chosen {
                    act.bound.push((recipe.binding, Val::Kind(kind)));
                    act.choices.push(recipe.binding);
                }
                *changed = general.follow(*clause, before, next, act);
            }
        }
    }
}
