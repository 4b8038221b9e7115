//! The position after a ply, and whether a ply that masks cannot judge is allowed.
//!
//! Law: a position made here is the one the general engine makes.

use super::{Fast, General, Node};
use crate::act::Act;
use crate::attack::{PHANTOM, View};
use crate::lane::{Guard, Place};
use crate::position::{Layout, Position, Row};
use crate::program::Site;
use crate::recipe::{NO_PLACES, Recipe};
use crate::set::Set;
use crate::tables::{Many, SetOp};
use crate::value::Val;

/// What makes up a ply: its recipe, its ends, the way if it has several conditions, the kind that was chosen.
type Made<'a, L> = (&'a Recipe<L>, Site, Site, Option<&'a Many<<L as Layout>::Set>>, Option<u8>);

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
            let view = View { position, by, occupied: node.occupied, attackers: among };
            if self.tables.is_attacked(site, victim, view) {
                return false;
            }
        }
        let Some(royal) = self.royal[node.me] else { return true };
        if simple && node.knows && recipe.moves_only {
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
        let chosen = recipe.pick.first().copied().filter(|_| recipe.pick_tos.has(to));
        let next = self.make(position, recipe, from, to, many, chosen, general);
        !self.is_royal_attacked(&next, node.me)
    }

    #[inline(always)]
    pub(super) fn site(
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
    #[inline(always)]
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
        let me = usize::from(position.mover & 1);
        let (gone, come) = (L::Set::one(from), L::Set::one(to));
        let mut next = *position;
        let enemy = position.owners.get(1 - me);
        let mut taken = come & enemy;
        let mut changed = gone | come;
        if let Some(many) = many {
            taken |= many.takes;
            changed |= taken;
            next.clear(changed);
        } else if !taken.is_empty() {
            next.clear(taken);
        }
        let kind = next.kinds.slot(usize::from(recipe.kind));
        *kind = kind.less(gone) | come;
        let own = next.owners.slot(me);
        *own = own.less(gone) | come;
        for op in many.map_or(&[][..], |many| &many.first) {
            self.step(op, position, &mut next, &mut changed, (recipe, from, to, many, chosen), general);
        }
        let change = &recipe.change[usize::from(!taken.is_empty())];
        for ((number, keep), add) in
            next.nums.slice_mut().iter_mut().zip(change.keep.slice()).zip(change.add.slice())
        {
            *number = (*number & keep).wrapping_add(*add);
        }
        if recipe.site.1 != NO_PLACES {
            *next.nums.slot(usize::from(recipe.site.0)) =
                i64::from(i32::from(from).wrapping_add(recipe.site.1));
        }
        for (guard, op) in &recipe.ops {
            let holds = match guard {
                Guard::Always => true,
                Guard::Taken => !taken.is_empty(),
                Guard::NotTaken => taken.is_empty(),
                Guard::Picked => chosen.is_some(),
                Guard::Chosen(kind) => chosen == Some(*kind),
                Guard::Holds(slot) => next.nums.get(usize::from(*slot)) == 1,
            };
            if holds {
                self.step(op, position, &mut next, &mut changed, (recipe, from, to, many, chosen), general);
            }
        }
        next.mover = 1 - position.mover;
        next.played = position.played.wrapping_add(1);
        next
    }

    #[inline(always)]
    pub(super) fn step(
        &self,
        op: &SetOp,
        before: &Position<L>,
        next: &mut Position<L>,
        changed: &mut L::Set,
        (recipe, from, to, many, chosen): Made<'_, L>,
        general: &dyn General<L>,
    ) {
        let me = before.mover;
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
                let value = next.sets.get(*slot);
                let bit = 1 << (*slot as u32 & 31);
                if before.settled & bit != 0 && value == before.sets.get(*slot) && !changed.meets(value) {
                    return;
                }
                let settled = general.settled(*clause, *slot, next);
                *next.sets.slot(*slot) = settled;
                if settled == value { next.settled |= bit } else { next.settled &= !bit }
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
            SetOp::Reset(slot) => *next.sets.slot(*slot) = L::Set::EMPTY,
            SetOp::SetNum(slot, value) => *next.nums.slot(*slot) = *value,
            SetOp::AddNum(slot, value) => {
                let number = next.nums.slot(*slot);
                *number = number.wrapping_add(*value);
            }
            SetOp::General(clause) => {
                let mut act = Act::new(recipe.act, me);
                (act.from, act.to, act.piece) = (Some(from), Some(to), Some(recipe.kind));
                act.taken = L::Set::one(to) & before.owners.get(1 - usize::from(me & 1));
                act.changed = *changed;
                if let Some(many) = many {
                    act.taken |= many.takes;
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
