//! What can be said beforehand of a way with several conditions, whose sites are all known.
//!
//! Law: what is said here holds in every position in which the way is possible.

use super::sorted::Sorted;
use super::{Fast, Moved};
use crate::lane::{Guard, Place};
use crate::position::Layout;
use crate::program::{NO_SITE, Site};
use crate::recipe::{Recipe, SetOp};
use crate::set::Set;
use crate::tables::{Halves, Many, Ways};

impl<L: Layout> Fast<L> {
    /// Finds the sites that the steps of ways with several conditions are about.
    pub(super) fn resolve(&mut self) {
        let mut ways = std::mem::take(&mut self.tables.ways);
        for (player, list) in ways.iter_mut().enumerate() {
            for way in list.iter_mut() {
                let recipe = &self.recipes[player][usize::from(way.shape)];
                let Ways::Many(froms) = &mut way.reach else { continue };
                for (from, list) in froms.iter_mut().enumerate() {
                    for many in list {
                        let from = from as Site;
                        let site = |place: &Place| self.site(*place, from, many.to, Some(many));
                        if !many.instance {
                            let before = recipe.before.iter().filter_map(site).collect();
                            many.before = before;
                        }
                        let (moved, royal) = self.moved(player, recipe, from, many);
                        many.moved = moved;
                        many.royal = royal;
                        many.enough = self.enough(player, recipe, from, many);
                    }
                }
            }
            self.sorted[player] = Sorted::of(list, self.royal[player]);
        }
        self.tables.ways = ways;
    }

    /// What becomes of the occupied sites: those that are left and those that are come to; and where the royal
    /// piece is then, if it is the one that moves.
    fn moved(
        &self,
        player: usize,
        recipe: &Recipe<L>,
        from: Site,
        many: &Many<L::Set>,
    ) -> (Moved<L::Set>, Site) {
        let mut left = L::Set::one(from) | many.takes;
        let mut come = L::Set::one(many.to);
        let is_royal = Some(recipe.kind) == self.royal[player];
        let mut royal = if is_royal { many.to } else { NO_SITE };
        let mut known = recipe.moves_only;
        let site = |place: &Place| self.site(*place, from, many.to, Some(many));
        let always = recipe.ops.iter().filter(|(guard, _)| *guard == Guard::Always).map(|(_, op)| op);
        for op in many.first.iter().chain(always) {
            match op {
                SetOp::Move(a, b) => match (site(a), site(b)) {
                    (Some(a), Some(b)) => {
                        known &= !come.has(a);
                        left |= L::Set::one(a);
                        come |= L::Set::one(b);
                    }
                    _ => known = false,
                },
                SetOp::Remove(place) => {
                    if let Some(site) = site(place) {
                        come = come.less(L::Set::one(site));
                        left |= L::Set::one(site);
                        if site == royal {
                            royal = NO_SITE;
                        }
                    }
                }
                SetOp::Put(kind, place) => {
                    if let Some(site) = site(place) {
                        come |= L::Set::one(site);
                        if is_royal && *kind == recipe.kind {
                            royal = site;
                        }
                    }
                }
                _ => {}
            }
        }
        known &= !is_royal || royal != NO_SITE;
        (known.then_some((left, come)), royal)
    }

    /// The sites of which none may be attacked before a movement of the royal piece, where it starts left out, if
    /// nothing else can forbid it: all of them are empty, where it comes to is among them, and no line to there is
    /// opened by what moves.
    fn enough(&self, player: usize, recipe: &Recipe<L>, from: Site, many: &Many<L::Set>) -> Option<L::Set> {
        let asks = if many.instance { &many.asks } else { &recipe.asks };
        let asked = !asks.is_empty()
            || !recipe.after.is_empty()
            || self.calm.get(player)?.is_some()
            || self.spared.get(player)?.is_some();
        let (left, come) = many.moved?;
        let captures = !many.takes.is_empty() || !come.less(many.empty | left).is_empty();
        let royal = Some(recipe.kind) == *self.royal.get(player)? && many.royal != NO_SITE;
        let judged = many.before.contains(&from) && many.before.contains(&many.royal);
        if asked || captures || !royal || !judged || !self.tables.attacks.get(1 - player)?.simple {
            return None;
        }
        let lines = self.tables.lines.get(usize::from(many.royal))?;
        let opened = |half: &mut dyn Iterator<Item = Site>| {
            half.take_while(|site| !come.has(*site))
                .skip_while(|site| !left.has(*site))
                .any(|site| !left.has(site))
        };
        let any = |Halves { lower, upper }: &Halves<L::Set>| {
            let mut lower: Vec<Site> = lower.sites().collect();
            lower.reverse();
            opened(&mut lower.into_iter()) || opened(&mut upper.sites())
        };
        if lines.iter().any(any) {
            return None;
        }
        let sites: L::Set = crate::set::collect(many.before.iter().copied().filter(|site| *site != from));
        sites.less(many.empty).is_empty().then_some(sites)
    }
}
