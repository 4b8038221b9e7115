//! Acts that put a piece on an empty site: targets as a set, legality by masks where masks do.
//!
//! Law: the targets are those for which the general engine finds the act legal.

use super::node::{Mode, Only};
use super::{Fast, General, Node};
use crate::act::Act;
use crate::lane::Judged;
use crate::position::{Layout, Position, Row};
use crate::program::{NO_SITE, Site};
use crate::query::Play;
use crate::recipe::Recipe;
use crate::set::Set;
use crate::tables::{Dropped, Way};
use crate::value::Val;

/// The act of putting a piece on a site, as the general engine would describe it.
pub(super) fn act<L: Layout>(recipe: &Recipe<L>, mover: u8, to: Site) -> Act<L> {
    let mut act = Act::new(recipe.act, mover);
    for (binding, kind) in &recipe.choices {
        act.bound.push((*binding, kind.map_or(Val::Site(to), Val::Kind)));
        act.choices.push(*binding);
    }
    act
}

impl<L: Layout> Fast<L> {
    /// The sites on which a piece may be put.
    #[inline(always)]
    pub(super) fn dropped(
        &self,
        position: &Position<L>,
        node: &Node<L::Set>,
        way: &Way<L::Set>,
        dropped: &Dropped<L::Set>,
        general: &dyn General<L>,
    ) -> L::Set {
        let held = |slot: &u16| position.nums.get(usize::from(*slot)) >> 16 > 0;
        if !dropped.held.iter().all(held) {
            return L::Set::EMPTY;
        }
        if dropped.bare && (node.attacked || node.only == Only::Captures) {
            return L::Set::EMPTY;
        }
        let mut targets = if dropped.bare { L::Set::one(0) } else { node.targets[1] & way.tos };
        match node.mode {
            _ if dropped.bare => {}
            Mode::Double => return L::Set::EMPTY,
            Mode::Masked => targets &= node.mask,
            // Only where it may come between can it help.
            Mode::Danger if node.attacked => targets &= node.danger,
            _ => {}
        }
        if targets.is_empty() {
            return targets;
        }
        let own = position.owners.get(node.me);
        for (kind, zone, sites) in &dropped.bars {
            if (position.kinds.get(usize::from(*kind)) & own).meets(*zone) {
                targets = targets.less(*sites);
            }
        }
        if dropped.when.is_some() || dropped.sites.is_some() {
            let play = Play::none(position);
            if dropped.when.is_some_and(|query| !self.holds(node.me, query, &play)) {
                return L::Set::EMPTY;
            }
            if let Some(query) = dropped.sites {
                targets &= self.answer(node.me, query, &play);
            }
        }
        let recipe = &self.recipes[node.me][usize::from(way.shape)];
        let mut kept = targets;
        if self.royal[node.me] == Some(way.kind) && !dropped.bare {
            // What is known of danger is about the royal piece that stands on the board already, if one does.
            for to in targets.sites() {
                if !self.is_legal_after(position, node, recipe, NO_SITE, to, None, general) {
                    kept = kept.less(L::Set::one(to));
                }
            }
        } else if !way.plain || node.mode == Mode::Tried {
            for to in targets.sites() {
                if !self.is_allowed(position, node, recipe, NO_SITE, to, None, general) {
                    kept = kept.less(L::Set::one(to));
                }
            }
        } else if node.mode == Mode::Danger && !dropped.bare {
            for to in (targets & node.danger).sites() {
                if self.is_attacked_after(position, node, way.kind, NO_SITE, to, node.royal) {
                    kept = kept.less(L::Set::one(to));
                }
            }
        }
        for to in self.judged(position, node, way.kind, dropped.judged, kept).sites() {
            if !general.allows(dropped.clause, act(recipe, position.mover, to), position) {
                kept = kept.less(L::Set::one(to));
            }
        }
        kept
    }

    /// Those of some sites that only the general engine can judge.
    ///
    /// Law: a piece that is put on an empty site attacks from there, or stands in the way of others; so where
    /// nothing was attacked before, only the new piece can attack.
    #[inline(always)]
    fn judged(
        &self,
        position: &Position<L>,
        node: &Node<L::Set>,
        kind: u8,
        judged: Judged,
        targets: L::Set,
    ) -> L::Set {
        let victim = match judged {
            Judged::Never => return L::Set::EMPTY,
            Judged::Always => return targets,
            Judged::Striking(victim) => victim,
        };
        let victims = position.kinds.get(usize::from(victim)) & node.enemy;
        let mut found = L::Set::EMPTY;
        for site in victims.sites() {
            match self.tables.strikers(site, node.me, kind, node.occupied) {
                Some(sites) => found |= sites & targets,
                None => return targets,
            }
        }
        if !targets.is_empty() && !self.tables.struck(victims, node.me, position, None).is_empty() {
            return targets;
        }
        found
    }
}
