//! Connected groups of pieces with their open sides, kept from placement to placement.
//!
//! Invariant: the pieces of a group are linked in a ring, each knows the head of its group, and for each head
//! the open sides, the number of pieces and the hash of its sites are those of the group.

use crate::program::{Board, Site};

/// What stands on a site: a player, nothing, or the site is beyond the board.
const EMPTY: u8 = 2;
const BEYOND: u8 = 3;
/// Most neighbours of a site.
const SIDES: usize = 8;

/// What does not change: neighbours and hashes of sites.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    sites: usize,
    /// Words of a set of sites.
    pub(crate) words: usize,
    near: Vec<[Site; SIDES]>,
    /// How many neighbours have to be looked at; beyond the board there is a site of its own.
    sides: usize,
    keys: Vec<[u64; 2]>,
}

impl Ground {
    pub(crate) fn of(board: &Board) -> Self {
        let sites = board.len();
        let beyond = sites as Site;
        let near: Vec<[Site; SIDES]> = (0..beyond)
            .map(|site| {
                let mut near = [beyond; SIDES];
                let steps = board.adjacent.iter();
                let found = steps.filter_map(|step| board.step(site, (step.0.into(), step.1.into())));
                near.iter_mut().zip(found).for_each(|(place, site)| *place = site);
                near
            })
            .collect();
        let mut seed = 0x243f_6a88_85a3_08d3_u64;
        let mut key = || {
            seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let word = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            word ^ (word >> 31)
        };
        let keys = (0..=sites).map(|_| [key(), key()]).collect();
        let sides = if board.adjacent.len() <= 4 { 4 } else { SIDES };
        Self { sites, words: sites.div_ceil(64), near, sides, keys }
    }

    #[inline(always)]
    fn near(&self, site: Site) -> &[Site] {
        self.near.get(usize::from(site)).and_then(|near| near.get(..self.sides)).unwrap_or(&[])
    }

    #[inline(always)]
    fn key(&self, site: Site, player: u8) -> u64 {
        self.keys.get(usize::from(site)).map_or(0, |keys| keys[usize::from(player & 1)])
    }

    /// The hash of a board: words of the sites of the one player, then of the other.
    pub(crate) fn hash(&self, board: &[u64]) -> u64 {
        let mut hash = 0;
        for (at, word) in board.iter().enumerate() {
            let mut word = *word;
            while word != 0 {
                let site = at % self.words.max(1) * 64 + word.trailing_zeros() as usize;
                hash ^= self.key(site as Site, u8::from(at >= self.words));
                word &= word - 1;
            }
        }
        hash
    }
}

/// A group as each site may be the head of one.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    open: u16,
    pieces: u16,
    key: u64,
}

/// The pieces on a board.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    cells: Vec<u8>,
    heads: Vec<Site>,
    rings: Vec<Site>,
    groups: Vec<Group>,
    vacant: Vec<Site>,
    /// Where a site stands in `vacant`.
    places: Vec<Site>,
    /// Words of the sites of the one player, then of the other.
    pub(crate) board: Vec<u64>,
    pub(crate) hash: u64,
}

/// What is around an empty site.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around {
    /// Heads of the groups there, and on how many sides.
    heads: [Site; SIDES],
    sides: [u8; SIDES],
    count: u8,
    /// Bits for those of the mover, and for those that a placement takes.
    pub(crate) own: u8,
    taken: u8,
    open: u8,
    /// Whether the group of a piece placed here has an empty neighbour then.
    pub(crate) breathes: bool,
    /// Whether the placed piece goes with its group.
    dies: bool,
    /// The hash of the board after the placement.
    pub(crate) hash: u64,
}

impl Groups {
    pub(crate) fn of(ground: &Ground, owned: &[Vec<u64>; 2]) -> Self {
        let mut cells = vec![EMPTY; ground.sites + 1];
        if let Some(last) = cells.last_mut() {
            *last = BEYOND;
        }
        let mut board = vec![0; 2 * ground.words];
        let mut hash = 0;
        for (player, words) in owned.iter().enumerate() {
            for (site, cell) in cells.iter_mut().enumerate().take(ground.sites) {
                if words.get(site / 64).is_some_and(|word| word >> (site % 64) & 1 == 1) {
                    *cell = player as u8;
                    hash ^= ground.key(site as Site, player as u8);
                    if let Some(word) = board.get_mut(player * ground.words + site / 64) {
                        *word |= 1 << (site % 64);
                    }
                }
            }
        }
        let sites = 0..ground.sites as Site;
        let empty = |site: &Site| cells.get(usize::from(*site)) == Some(&EMPTY);
        let vacant: Vec<Site> = sites.clone().filter(empty).collect();
        let mut places = vec![0; ground.sites];
        for (at, site) in vacant.iter().enumerate() {
            if let Some(place) = places.get_mut(usize::from(*site)) {
                *place = at as Site;
            }
        }
        let mut groups = Self {
            heads: sites.clone().collect(),
            rings: sites.clone().collect(),
            groups: vec![Group::default(); ground.sites],
            cells,
            vacant,
            places,
            board,
            hash,
        };
        // Each piece is a group of its own at first; then those that touch are joined.
        for site in sites.clone() {
            let player = groups.cell(site);
            if player < EMPTY {
                let open = ground.near(site).iter().filter(|near| groups.cell(**near) == EMPTY).count();
                groups.set(site, Group { open: open as u16, pieces: 1, key: ground.key(site, player) });
            }
        }
        for site in sites {
            let player = groups.cell(site);
            for near in ground.near(site) {
                if player < EMPTY && groups.cell(*near) == player {
                    groups.join(site, groups.head(*near));
                }
            }
        }
        groups
    }

    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.cells.clone_from(&other.cells);
        self.heads.clone_from(&other.heads);
        self.rings.clone_from(&other.rings);
        self.groups.clone_from(&other.groups);
        self.vacant.clone_from(&other.vacant);
        self.places.clone_from(&other.places);
        self.board.clone_from(&other.board);
        self.hash = other.hash;
    }

    /// The empty sites, in no order.
    #[inline(always)]
    pub(crate) fn vacant(&self) -> &[Site] {
        &self.vacant
    }

    #[inline(always)]
    fn cell(&self, site: Site) -> u8 {
        self.cells.get(usize::from(site)).copied().unwrap_or(BEYOND)
    }

    #[inline(always)]
    fn head(&self, site: Site) -> Site {
        self.heads.get(usize::from(site)).copied().unwrap_or(site)
    }

    #[inline(always)]
    fn group(&self, head: Site) -> Group {
        self.groups.get(usize::from(head)).copied().unwrap_or_default()
    }

    #[inline(always)]
    fn set(&mut self, head: Site, group: Group) {
        if let Some(place) = self.groups.get_mut(usize::from(head)) {
            *place = group;
        }
    }

    /// Looks around an empty site.
    #[inline(always)]
    pub(crate) fn around(&self, ground: &Ground, player: u8, site: Site) -> Around {
        let mut around = Around {
            heads: [0; SIDES],
            sides: [0; SIDES],
            count: 0,
            own: 0,
            taken: 0,
            open: 0,
            breathes: false,
            dies: false,
            hash: self.hash ^ ground.key(site, player),
        };
        for near in ground.near(site) {
            let cell = self.cell(*near);
            if cell >= EMPTY {
                around.open += u8::from(cell == EMPTY);
                continue;
            }
            let head = self.head(*near);
            let count = usize::from(around.count);
            let known = around.heads.iter().take(count).position(|known| *known == head);
            let at = known.unwrap_or(count) % SIDES;
            around.heads[at] = head;
            around.sides[at] += 1;
            if known.is_none() {
                around.count += 1;
                around.own |= u8::from(cell == player) << at;
            }
        }
        around.breathes = around.open > 0;
        for at in 0..usize::from(around.count) % (SIDES + 1) {
            let group = self.group(around.heads[at % SIDES]);
            let sides = u16::from(around.sides[at % SIDES]);
            if around.own >> at & 1 == 1 {
                around.breathes |= group.open > sides;
            } else if group.open == sides {
                around.taken |= 1 << at;
                around.hash ^= group.key;
            }
        }
        around.breathes |= around.taken != 0;
        around
    }

    /// Says that a placed piece goes with its group.
    #[cold]
    pub(crate) fn dies(&self, around: &mut Around) {
        around.dies = true;
        // The piece itself comes and goes.
        around.hash = around.each(around.own).fold(self.hash, |hash, head| hash ^ self.group(head).key);
    }

    /// The board after a placement, into a buffer.
    #[cold]
    pub(crate) fn drawn(
        &self,
        ground: &Ground,
        player: u8,
        site: Site,
        around: &Around,
        board: &mut Vec<u64>,
    ) {
        board.clone_from(&self.board);
        if !around.dies {
            flip(board, ground, site, player);
        }
        for head in around.each(around.gone()) {
            let owner = self.cell(head);
            let mut here = head;
            loop {
                flip(board, ground, here, owner);
                here = self.after(here);
                if here == head {
                    break;
                }
            }
        }
    }

    /// The next piece of a group.
    #[inline(always)]
    fn after(&self, site: Site) -> Site {
        self.rings.get(usize::from(site)).copied().unwrap_or(site)
    }

    /// Places a piece, and takes off what goes.
    #[inline(always)]
    pub(crate) fn place(&mut self, ground: &Ground, player: u8, site: Site, around: &Around) {
        self.occupy(ground, site, player);
        let piece = Group { open: around.open.into(), pieces: 1, key: ground.key(site, player) };
        self.set(site, piece);
        for at in 0..usize::from(around.count) % (SIDES + 1) {
            if let Some(group) = self.groups.get_mut(usize::from(around.heads[at % SIDES])) {
                group.open = group.open.wrapping_sub(around.sides[at % SIDES].into());
            }
        }
        for head in around.each(around.own) {
            self.join(site, head);
        }
        for head in around.each(around.taken) {
            self.take(ground, head);
        }
        if around.dies {
            self.take(ground, self.head(site));
        }
    }

    /// Makes the group of a piece and another one, by its head, one.
    #[inline(always)]
    fn join(&mut self, site: Site, other: Site) {
        let own = self.head(site);
        if own == other {
            return;
        }
        let (small, large) =
            if self.group(own).pieces > self.group(other).pieces { (other, own) } else { (own, other) };
        let mut here = small;
        loop {
            if let Some(head) = self.heads.get_mut(usize::from(here)) {
                *head = large;
            }
            here = self.after(here);
            if here == small {
                break;
            }
        }
        // Two rings become one when two of their links are crossed.
        let places = (self.rings.len() > usize::from(small)).then_some((small.into(), large.into()));
        if let Some((small, large)) = places.filter(|(_, large)| *large < self.rings.len()) {
            self.rings.swap(small, large);
        }
        let (less, more) = (self.group(small), self.group(large));
        self.set(
            large,
            Group {
                open: more.open.wrapping_add(less.open),
                pieces: more.pieces.wrapping_add(less.pieces),
                key: more.key ^ less.key,
            },
        );
    }

    /// Takes a group off.
    #[inline(always)]
    fn take(&mut self, ground: &Ground, head: Site) {
        let owner = self.cell(head);
        let mut here = head;
        loop {
            let next = self.after(here);
            self.vacate(ground, here, owner);
            for near in ground.near(here) {
                if self.cell(*near) < EMPTY {
                    let head = self.head(*near);
                    if let Some(group) = self.groups.get_mut(usize::from(head)) {
                        group.open = group.open.wrapping_add(1);
                    }
                }
            }
            here = next;
            if here == head {
                break;
            }
        }
    }

    #[inline(always)]
    fn occupy(&mut self, ground: &Ground, site: Site, player: u8) {
        let at = usize::from(site);
        if let (Some(cell), Some(head), Some(ring)) =
            (self.cells.get_mut(at), self.heads.get_mut(at), self.rings.get_mut(at))
        {
            (*cell, *head, *ring) = (player, site, site);
        }
        self.hash ^= ground.key(site, player);
        flip(&mut self.board, ground, site, player);
        if let (Some(place), Some(last)) = (self.places.get(at).copied(), self.vacant.last().copied()) {
            self.vacant.swap_remove(usize::from(place));
            if let Some(moved) = self.places.get_mut(usize::from(last)) {
                *moved = place;
            }
        }
    }

    #[inline(always)]
    fn vacate(&mut self, ground: &Ground, site: Site, owner: u8) {
        let at = usize::from(site);
        if let (Some(cell), Some(place)) = (self.cells.get_mut(at), self.places.get_mut(at)) {
            (*cell, *place) = (EMPTY, self.vacant.len() as Site);
            self.vacant.push(site);
        }
        self.hash ^= ground.key(site, owner);
        flip(&mut self.board, ground, site, owner);
    }

    /// Exchanges two empty sites in their list.
    #[inline(always)]
    pub(crate) fn exchange(&mut self, a: usize, b: usize) {
        let (Some(first), Some(second)) = (self.vacant.get(a).copied(), self.vacant.get(b).copied()) else {
            return;
        };
        self.vacant.swap(a, b);
        for (site, place) in [(first, b), (second, a)] {
            if let Some(at) = self.places.get_mut(usize::from(site)) {
                *at = place as Site;
            }
        }
    }
}

impl Around {
    /// The heads of some of the groups.
    #[inline(always)]
    fn each(&self, bits: u8) -> impl Iterator<Item = Site> + '_ {
        self.heads.iter().enumerate().filter(move |(at, _)| bits >> at & 1 == 1).map(|(_, head)| *head)
    }

    /// The groups that a placement takes off.
    fn gone(&self) -> u8 {
        self.taken | if self.dies { self.own } else { 0 }
    }
}

#[inline(always)]
fn flip(board: &mut [u64], ground: &Ground, site: Site, player: u8) {
    let at = usize::from(player & 1) * ground.words + usize::from(site) / 64;
    if let Some(word) = board.get_mut(at) {
        *word ^= 1 << (site % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each group comes to, counted anew.
    fn fresh(ground: &Ground, groups: &Groups) -> Groups {
        let half = |player: usize| {
            groups.board.iter().skip(player * ground.words).take(ground.words).copied().collect()
        };
        Groups::of(ground, &[half(0), half(1)])
    }

    /// What can be compared: for each site its cell and the figures of its group.
    fn figures(ground: &Ground, groups: &Groups) -> Vec<(u8, u16, u16, u64)> {
        let sites = 0..ground.sites as Site;
        let figures = |site: Site| {
            let group = groups.group(groups.head(site));
            match groups.cell(site) {
                EMPTY => (EMPTY, 0, 0, 0),
                cell => (cell, group.open, group.pieces, group.key),
            }
        };
        sites.map(figures).collect()
    }

    #[test]
    fn groups_kept_are_those_counted_anew() {
        let adjacent = [
            &[(0, 1), (1, 0), (0, -1), (-1, 0)][..],
            &[(0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0)],
            &[(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)],
        ];
        for (at, adjacent) in adjacent.into_iter().enumerate() {
            let board = Board { files: 7, ranks: 6, adjacent: adjacent.to_vec(), ..Board::default() };
            let ground = Ground::of(&board);
            let mut groups = Groups::of(&ground, &[vec![0], vec![0]]);
            let mut seed = 99 + at as u64;
            for ply in 0..4000_u64 {
                seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(ply);
                let Some(site) = groups.vacant().get((seed >> 40) as usize % groups.vacant().len().max(1)).copied()
                else {
                    groups = Groups::of(&ground, &[vec![0], vec![0]]);
                    continue;
                };
                let player = (seed >> 33 & 1) as u8;
                let mut around = groups.around(&ground, player, site);
                if !around.breathes {
                    groups.dies(&mut around);
                }
                let mut drawn = Vec::new();
                groups.drawn(&ground, player, site, &around, &mut drawn);
                groups.place(&ground, player, site, &around);
                assert_eq!(drawn, groups.board);
                assert_eq!((around.hash, ground.hash(&drawn)), (groups.hash, groups.hash));
                let anew = fresh(&ground, &groups);
                assert_eq!(figures(&ground, &groups), figures(&ground, &anew));
                let mut vacant = groups.vacant().to_vec();
                vacant.sort_unstable();
                assert_eq!(vacant, anew.vacant());
            }
        }
    }
}
