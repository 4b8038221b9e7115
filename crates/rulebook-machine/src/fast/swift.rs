//! Plain plies while nothing or only a mask stands between them and the law: without a test for any one of them.
//!
//! Law: the plies found here are those that are found way by way.

use std::cell::Cell;

use super::node::Mode;
use super::sorted::KeyedWay;
use super::{Fast, General, Node, Visitor};
use crate::position::{Layout, Position, Row};
use crate::program::Site;
use crate::set::Set;
use crate::tables::{Common, Ways};

impl<L: Layout> Fast<L> {
    /// Hands the plies of all ways to a visitor, where `is_swift` holds.
    #[inline(always)]
    pub(super) fn visit_swift<V: Visitor<L>>(
        &self,
        position: &Position<L>,
        node: &Node<L::Set>,
        general: &dyn General<L>,
        visitor: &mut V,
    ) {
        let sorted = &self.sorted[node.me];
        // What the other player attacks, found once and only where it is asked for, and first, so that the rest can
        // begin before it is known. That the royal piece is taken
        // away for it makes no difference to others who ask: they do so only while it is not attacked.
        let occupied = node.occupied.less(L::Set::one(node.royal).when(node.knows));
        let known = Cell::new(None);
        let struck = |sites: L::Set| match known.get() {
            Some(all) => sites & all,
            None => {
                let wanted = if self.tables.floods(1 - node.me) { !L::Set::EMPTY } else { sites };
                let found = self.tables.struck_of(wanted, 1 - node.me, &node.forces, occupied);
                if wanted == !L::Set::EMPTY {
                    known.set(Some(found));
                }
                found & sites
            }
        };
        if node.mode == Mode::Masked {
            for way in &sorted.royals {
                let from = node.royal;
                if !way.common.froms.has(from) {
                    continue;
                }
                let ends = node.targets[usize::from(way.common.ends & 7)] & way.common.tos;
                let reached = way.targets[usize::from(from)] & ends;
                let tried = reached.less(node.spared);
                let kept = if tried.is_empty() { reached } else { reached.less(struck(tried)) };
                visitor.targets(&way.common, from, kept);
            }
        } else {
            for way in &sorted.royals {
                self.visit_rest(position, node, usize::from(way.common.way), general, visitor);
            }
        }
        let own = position.owners.get(node.me);
        for keyed in &sorted.keyed {
            let common = &keyed.common;
            let mut pieces = position.kinds.get(usize::from(common.kind)) & own & common.froms;
            if let Some(slot) = keyed.gate {
                pieces &= position.sets.get(usize::from(slot));
            }
            let set = position.sets.get(usize::from(keyed.slot)) & own;
            for from in pieces.sites() {
                if set.meets(keyed.keys[usize::from(from)]) {
                    self.visit_keyed(position, node, keyed, (from, set), &struck, general, visitor);
                }
            }
        }
        // Most positions have no pinned pieces, and then no loop needs to ask.
        if node.pinned.is_empty() {
            self.visit_sorted::<V, false>(position, node, visitor);
        } else {
            self.visit_sorted::<V, true>(position, node, visitor);
        }
        for rest in &sorted.rest {
            if rest.is_open(position, own) {
                self.visit_rest(position, node, usize::from(rest.at), general, visitor);
            }
        }
    }

    /// Hands the ways with several conditions from one site, of which some need a site of a set, to a visitor.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "the parts of one loop body")]
    fn visit_keyed<V: Visitor<L>>(
        &self,
        position: &Position<L>,
        node: &Node<L::Set>,
        keyed: &KeyedWay<L::Set>,
        (from, set): (Site, L::Set),
        struck: &impl Fn(L::Set) -> L::Set,
        general: &dyn General<L>,
        visitor: &mut V,
    ) {
        let common = &keyed.common;
        for known in &keyed.ways[usize::from(from)] {
            if known.empty.meets(node.occupied) || !set.has(known.key) {
                continue;
            }
            let way = &self.tables.ways[node.me][usize::from(common.way)];
            let Ways::Many(ways) = &way.reach else { return };
            let recipe = &self.recipes[node.me][usize::from(way.shape)];
            let at = usize::from(known.at);
            let many = (from, at, &ways[usize::from(from)][at]);
            self.visit_many(position, node, recipe, common, many, struck, general, visitor);
        }
    }

    /// Whether plain plies need no more than the masks of a position.
    #[inline(always)]
    pub(super) fn is_swift(&self, node: &Node<L::Set>) -> bool {
        matches!(node.mode, Mode::Free | Mode::Masked) && node.calm.is_none()
    }

    #[inline(always)]
    fn visit_sorted<V: Visitor<L>, const PINS: bool>(
        &self,
        position: &Position<L>,
        node: &Node<L::Set>,
        visitor: &mut V,
    ) {
        let own = position.owners.get(node.me);
        let sorted = &self.sorted[node.me];
        let pinned = if PINS { node.pinned } else { L::Set::EMPTY };
        for way in &sorted.shifts {
            let common = &way.common;
            let mut sources = position.kinds.get(usize::from(common.kind)) & own & common.froms;
            for (places, without) in &way.empty {
                sources &= node.empty.turned(places.wrapping_neg()) | *without;
            }
            let allowed = node.targets[usize::from(common.ends & 7)] & common.tos & node.mask;
            let places = way.places;
            visitor.shifted(common, sources.less(pinned).turned(places) & allowed, places);
            if PINS {
                for from in (sources & pinned).sites() {
                    let kept = L::Set::one(from).turned(places) & allowed & self.line(node, from);
                    visitor.targets(common, from, kept);
                }
            }
        }
        for way in &sorted.leaps {
            let common = &way.common;
            let pieces = position.kinds.get(usize::from(common.kind)) & own & common.froms;
            let allowed = node.targets[usize::from(common.ends & 7)] & common.tos & node.mask;
            let reached = |from: Site| way.targets[usize::from(from)] & allowed;
            each::<L, V>(common, pieces.less(pinned), reached, visitor);
            if PINS {
                each::<L, V>(common, pieces & pinned, |from| reached(from) & self.line(node, from), visitor);
            }
        }
        if V::COUNTS {
            for way in &sorted.looks {
                let [first, second] = way.kinds.map(|kind| position.kinds.get(usize::from(kind)));
                let common = &way.common;
                let pieces = (first | second) & own & common.froms;
                let allowed = node.targets[usize::from(common.ends & 7)] & common.tos & node.mask;
                match self.tables.family(&way.lines) {
                    Some(family) => {
                        let occupied = node.occupied.word();
                        let reached = |from: Site| {
                            L::Set::of_word(self.tables.lookups.look(family, from, occupied)) & allowed
                        };
                        each::<L, V>(common, pieces.less(pinned), reached, visitor);
                        if PINS {
                            let reached = |from| reached(from) & self.line(node, from);
                            each::<L, V>(common, pieces & pinned, reached, visitor);
                        }
                    }
                    None => {
                        let reached =
                            |from: Site| self.tables.look(&way.lines, from, node.occupied) & allowed;
                        each::<L, V>(common, pieces.less(pinned), reached, visitor);
                        if PINS {
                            let reached = |from| reached(from) & self.line(node, from);
                            each::<L, V>(common, pieces & pinned, reached, visitor);
                        }
                    }
                }
            }
            return;
        }
        for way in &sorted.rays {
            let common = &way.common;
            let pieces = position.kinds.get(usize::from(common.kind)) & own & common.froms;
            let allowed = node.targets[usize::from(common.ends & 7)] & common.tos & node.mask;
            let reached = |from: Site| self.tables.look(&way.lines, from, node.occupied) & allowed;
            each::<L, V>(common, pieces.less(pinned), reached, visitor);
            if PINS {
                each::<L, V>(common, pieces & pinned, |from| reached(from) & self.line(node, from), visitor);
            }
        }
    }

    /// The line through the royal piece and a pinned one.
    #[inline(always)]
    fn line(&self, node: &Node<L::Set>, from: Site) -> L::Set {
        self.tables.through[usize::from(node.royal) * self.tables.sites + usize::from(from)]
    }
}

/// Hands the targets of some pieces to a visitor, or only their number if that is all it wants to know.
#[inline(always)]
fn each<L: Layout, V: Visitor<L>>(
    common: &Common<L::Set>,
    pieces: L::Set,
    reached: impl Fn(Site) -> L::Set,
    visitor: &mut V,
) {
    if V::COUNTS && common.more == 0 {
        let mut count = 0_usize;
        for from in pieces.sites() {
            count = count.wrapping_add(reached(from).len());
        }
        visitor.counted(count as u64);
        return;
    }
    for from in pieces.sites() {
        visitor.targets(common, from, reached(from));
    }
}
