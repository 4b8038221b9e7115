//! Whether and from where a site is attacked, looked at from the site outwards.
//!
//! Invariant: the answer depends only on which sites are occupied, on the attacker's pieces, and on the kind
//! that stands on the target (`PHANTOM` for one that is only imagined there).

#![expect(clippy::needless_range_loop, reason = "rows of a fixed length go side by side")]

use crate::lane::content;
use crate::position::{Layout, Position, Row};
use crate::program::{NO_KIND, NO_SITE, Site};
use crate::set::Set;
use crate::tables::{Attacks, Instance, Kinds, LEAPS, RAYS, Source, Tables};

/// The bit of a piece of no kind, imagined on a site.
pub(crate) const PHANTOM: u128 = 1 << 127;

/// The attacker's pieces, group by group.
#[derive(Clone, Copy)]
pub(crate) struct Forces<S> {
    leaps: [S; LEAPS],
    rays: [S; RAYS],
}

/// The board as it would be: who stands where, for questions about attacks.
#[derive(Clone, Copy)]
pub(crate) struct View<'a, L: Layout> {
    pub(crate) position: &'a Position<L>,
    /// The player who attacks.
    pub(crate) by: usize,
    /// The occupied sites.
    pub(crate) occupied: L::Set,
    /// The attacker's sites.
    pub(crate) attackers: L::Set,
    /// A piece of the other player that has come to a site, and its kind; `NO_SITE` for none.
    pub(crate) come: (Site, u8),
}

impl<S: Set> Forces<S> {
    /// No pieces.
    #[inline(always)]
    pub(crate) fn none() -> Self {
        Self { leaps: [S::EMPTY; LEAPS], rays: [S::EMPTY; RAYS] }
    }

    /// The same after a piece of a kind has gone from one site to another.
    #[inline(always)]
    pub(crate) fn moved(&self, attacks: &Attacks<S>, kind: u8, gone: S, come: S) -> Self {
        let mut forces = *self;
        for at in 0..attacks.leap_count.min(LEAPS) {
            if attacks.leaps[at].has(kind) {
                forces.leaps[at] = forces.leaps[at].less(gone) | come;
            }
        }
        for at in 0..attacks.ray_count.min(RAYS) {
            if attacks.rays[at].kinds.has(kind) {
                forces.rays[at] = forces.rays[at].less(gone) | come;
            }
        }
        forces
    }
}

#[inline(always)]
fn pieces<L: Layout>(position: &Position<L>, kinds: &Kinds) -> L::Set {
    // Mostly there are one or two of them.
    let [first, second, ..] = kinds.list;
    let mut set = position.kinds.get(usize::from(first)) | position.kinds.get(usize::from(second));
    for at in 2..usize::from(kinds.count & 15) {
        set |= position.kinds.get(usize::from(kinds.list[at & 7]));
    }
    set
}

impl<L: Layout> View<'_, L> {
    fn holds(&self, need: &Instance) -> bool {
        let bits = if !self.occupied.has(need.site) {
            content::EMPTY
        } else if self.attackers.has(need.site) {
            content::OWN
        } else {
            content::ENEMY
        };
        if bits & need.content == 0 {
            return false;
        }
        if need.kinds == u128::MAX || bits == content::EMPTY {
            return true;
        }
        let (came, kind) = self.come;
        let kind = if came == need.site { kind } else { self.position.kind(need.site) };
        need.kinds >> (kind & 127) & 1 == 1
    }

    fn works(&self, source: &Source<L::Set>) -> bool {
        !source.empty.meets(self.occupied)
            && source.filled.less(self.occupied).is_empty()
            && source.needs.iter().all(|need| self.holds(need))
    }
}

impl<L: Layout> Tables<L> {
    /// The pieces of a player by how they attack.
    #[inline(always)]
    pub(crate) fn forces(&self, position: &Position<L>, by: usize) -> Forces<L::Set> {
        let attacks = &self.attacks[by & 1];
        let owned = position.owners.get(by);
        let mut forces = Forces::none();
        for at in 0..attacks.leap_count.min(LEAPS) {
            forces.leaps[at] = pieces(position, &attacks.leaps[at]) & owned;
        }
        for at in 0..attacks.ray_count.min(RAYS) {
            forces.rays[at] = pieces(position, &attacks.rays[at].kinds) & owned;
        }
        forces
    }

    /// The same in the place where they are kept, together with those that attack a site by leaps, and those that
    /// would attack it along a line if nothing stood between: what has just been written one by one is better not
    /// read all at once.
    #[inline(always)]
    pub(crate) fn muster(
        &self,
        forces: &mut Forces<L::Set>,
        position: &Position<L>,
        by: usize,
        site: Site,
    ) -> (L::Set, L::Set) {
        let attacks = &self.attacks[by & 1];
        let owned = position.owners.get(by);
        let (mut leapers, mut snipers) = (L::Set::EMPTY, L::Set::EMPTY);
        let at = usize::from(site);
        let none = ([L::Set::EMPTY; LEAPS], [L::Set::EMPTY; RAYS]);
        let leap_from = attacks.leap_from.get(at).unwrap_or(&none.0);
        let ray_full = attacks.ray_full.get(at).unwrap_or(&none.1);
        for group in 0..attacks.leap_count.min(LEAPS) {
            let force = pieces(position, &attacks.leaps[group]) & owned;
            forces.leaps[group] = force;
            leapers |= force & leap_from[group];
        }
        for family in 0..attacks.ray_count.min(RAYS) {
            let force = pieces(position, &attacks.rays[family].kinds) & owned;
            forces.rays[family] = force;
            snipers |= force & ray_full[family];
        }
        (leapers, snipers)
    }

    /// Whether a site is attacked by leaps and along lines; the attackers are those of `forces` that are in
    /// `among`.
    #[inline(always)]
    pub(crate) fn is_struck(
        &self,
        site: Site,
        by: usize,
        forces: &Forces<L::Set>,
        occupied: L::Set,
        among: L::Set,
    ) -> bool {
        let attacks = &self.attacks[by & 1];
        let at = usize::from(site);
        let row = &attacks.leap_from[at];
        let mut found = L::Set::EMPTY;
        for group in 0..LEAPS {
            found |= row[group] & forces.leaps[group];
        }
        let full = &attacks.ray_full[at];
        for family in 0..attacks.ray_count.min(RAYS) {
            let (pieces, lines) = (full[family] & forces.rays[family], &attacks.rays[family].lines);
            // One look costs less than a wrong guess whether it is needed.
            match self.family(lines) {
                Some(family) => {
                    let seen = self.lookups.look(family, site, occupied.word());
                    found |= L::Set::of_word(seen) & pieces;
                }
                None if pieces.is_empty() => {}
                None => found |= self.look(lines, site, occupied) & pieces,
            }
        }
        found.meets(among)
    }

    /// Whether what a player attacks is found for all sites at once.
    #[inline(always)]
    pub(crate) fn floods(&self, by: usize) -> bool {
        L::Set::CAPACITY == 64 && self.attacks[by & 1].flood.is_some()
    }

    /// The sites of some that are attacked by leaps and along lines, whoever stands there.
    #[inline(always)]
    pub(crate) fn struck_of(
        &self,
        sites: L::Set,
        by: usize,
        forces: &Forces<L::Set>,
        occupied: L::Set,
    ) -> L::Set {
        if let Some(flood) = &self.attacks[by & 1].flood {
            let (leaps, rays) = (forces.leaps.map(Set::word), forces.rays.map(Set::word));
            return L::Set::of_word(flood.struck(&leaps, &rays, occupied.word())) & sites;
        }
        let mut found = L::Set::EMPTY;
        for site in sites.sites() {
            let one = L::Set::one(site);
            found |= one.when(self.is_struck(site, by, forces, occupied, !one));
        }
        found
    }

    /// The attackers of a site by leaps; the sites that stand between it and attackers along lines and are
    /// empty but for at most one are left to the caller.
    #[inline(always)]
    pub(crate) fn leapers(&self, site: Site, by: usize, forces: &Forces<L::Set>) -> L::Set {
        let attacks = &self.attacks[by & 1];
        let row = &attacks.leap_from[usize::from(site)];
        let mut found = L::Set::EMPTY;
        for group in 0..LEAPS {
            found |= row[group] & forces.leaps[group];
        }
        found
    }

    /// The pieces that would attack a site along a line if nothing stood between.
    #[inline(always)]
    pub(crate) fn snipers(&self, site: Site, by: usize, forces: &Forces<L::Set>) -> L::Set {
        let attacks = &self.attacks[by & 1];
        let full = &attacks.ray_full[usize::from(site)];
        let mut found = L::Set::EMPTY;
        for family in 0..attacks.ray_count.min(RAYS) {
            found |= full[family] & forces.rays[family];
        }
        found
    }

    /// Whether a site is attacked in any way.
    pub(crate) fn is_attacked(&self, site: Site, victim: u128, view: View<'_, L>) -> bool {
        let attacks = &self.attacks[view.by & 1];
        let forces = self.forces(view.position, view.by);
        if attacks.simple {
            return self.is_struck(site, view.by, &forces, view.occupied, view.attackers);
        }
        self.is_attacked_somehow(attacks, &forces, site, victim, view)
    }

    /// The sites of a set that a player attacks; one that is empty or his own is judged as if some piece of
    /// another player stood there.
    /// Only the piece on one site attacks, if that is given.
    pub(crate) fn struck(
        &self,
        sites: L::Set,
        by: usize,
        position: &Position<L>,
        only: Option<Site>,
    ) -> L::Set {
        let attacks = &self.attacks[by & 1];
        let forces = self.forces(position, by);
        let (own, other) = (position.owners.get(by), position.owners.get(1 - (by & 1)));
        let occupied = own | other;
        let mut struck = L::Set::EMPTY;
        for site in sites.sites() {
            let attackers = own.less(L::Set::one(site)) & only.map_or(!L::Set::EMPTY, L::Set::one);
            let hit = if attacks.simple {
                self.is_struck(site, by, &forces, occupied, attackers)
            } else {
                let victim = if other.has(site) { 1 << (position.kind(site) & 127) } else { PHANTOM };
                let view = View { position, by, occupied, attackers, come: (NO_SITE, NO_KIND) };
                self.is_attacked_somehow(attacks, &forces, site, victim, view)
            };
            if hit {
                struck |= L::Set::one(site);
            }
        }
        struck
    }

    /// The sites from which a piece of a kind of a player, newly put there, would attack a site by leaps and
    /// along lines; `None` where pieces attack in other ways.
    pub(crate) fn strikers(&self, site: Site, by: usize, kind: u8, occupied: L::Set) -> Option<L::Set> {
        let attacks = &self.attacks[by & 1];
        if !attacks.simple {
            return None;
        }
        let at = usize::from(site);
        let mut found = L::Set::EMPTY;
        for group in 0..attacks.leap_count.min(LEAPS) {
            if attacks.leaps[group].has(kind) {
                found |= attacks.leap_from[at][group];
            }
        }
        for family in 0..attacks.ray_count.min(RAYS) {
            if attacks.rays[family].kinds.has(kind) {
                found |= self.look(&attacks.rays[family].lines, site, occupied);
            }
        }
        Some(found)
    }

    fn is_attacked_somehow(
        &self,
        attacks: &Attacks<L::Set>,
        forces: &Forces<L::Set>,
        site: Site,
        victim: u128,
        view: View<'_, L>,
    ) -> bool {
        let at = usize::from(site);
        for group in 0..attacks.leap_count.min(LEAPS) {
            let pieces = attacks.leap_from[at][group] & forces.leaps[group] & view.attackers;
            if !pieces.is_empty() && attacks.leap_victims[group] & victim != 0 {
                return true;
            }
        }
        for family in 0..attacks.ray_count.min(RAYS) {
            let pieces = attacks.ray_full[at][family] & forces.rays[family] & view.attackers;
            if !pieces.is_empty() && self.look(&attacks.rays[family].lines, site, view.occupied).meets(pieces)
            {
                return true;
            }
        }
        for ray in &attacks.special {
            let sources = pieces(view.position, &ray.kinds) & view.attackers & ray.full[at] & ray.froms;
            if sources.is_empty() || ray.victims & victim == 0 || !ray.tos.has(site) {
                continue;
            }
            let seen = ray.lines.seen(&self.lines[at], view.occupied);
            let hit = if ray.screen {
                let beyond = view.occupied.less(seen);
                ray.lines.seen(&self.lines[at], beyond).less(seen)
            } else {
                seen
            };
            if hit.meets(sources) {
                return true;
            }
        }
        attacks.others.iter().any(|other| {
            other.victims & victim != 0 && {
                let pieces = pieces(view.position, &other.kinds) & view.attackers;
                !pieces.is_empty()
                    && other.ways[at].iter().any(|source| pieces.has(source.from) && view.works(source))
            }
        })
    }

    /// The sites that matter to whether a site is attacked, as the pieces stand: where attackers stand that
    /// could attack it if other sites were different, and those other sites.
    pub(crate) fn danger(&self, site: Site, view: View<'_, L>) -> L::Set {
        let attacks = &self.attacks[view.by & 1];
        let at = usize::from(site);
        let forces = self.forces(view.position, view.by);
        let mut danger = self.leapers(site, view.by, &forces);
        let mut lines = self.snipers(site, view.by, &forces);
        for ray in &attacks.special {
            lines |= pieces(view.position, &ray.kinds) & view.attackers & ray.full[at];
        }
        for source in lines.sites() {
            danger |= self.between[at * self.sites + usize::from(source)] | L::Set::one(source);
        }
        for other in &attacks.others {
            let pieces = pieces(view.position, &other.kinds) & view.attackers;
            if pieces.is_empty() {
                continue;
            }
            for source in &other.ways[at] {
                if pieces.has(source.from) {
                    danger |= source.matters;
                }
            }
        }
        danger
    }
}
