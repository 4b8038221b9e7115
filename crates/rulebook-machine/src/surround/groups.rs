//! Connected groups of pieces with their open sides, kept from placement to placement.
//!
//! Invariant: the pieces of a group are linked in a ring, each knows the head of its group, and for each head
//! the open sides, the number of pieces and the hash of its sites are those of the group. Indices wrap at the
//! size of the arrays, which is above every site, so that none of them is checked.

use crate::program::{Board, Site};

/// What stands on a site: a player, nothing, or the site is beyond the board.
const EMPTY: u8 = 2;
const BEYOND: u8 = 3;
/// Words of the boards of both players, at most.
const WORDS: usize = 32;

/// What does not change: neighbours and hashes of sites.
#[derive(Clone, Debug)]
pub(super) struct Ground<const ROOM: usize, const SIDES: usize> {
    sites: usize,
    /// Words of a set of sites.
    pub(super) words: usize,
    /// The neighbours; beyond the board there is a site of its own.
    near: Box<[[Site; SIDES]; ROOM]>,
    keys: Box<[[u64; 2]; ROOM]>,
}

impl<const ROOM: usize, const SIDES: usize> Ground<ROOM, SIDES> {
    pub(super) fn of(board: &Board) -> Self {
        let sites = board.len();
        let beyond = sites as Site;
        let mut near = Box::new([[beyond; SIDES]; ROOM]);
        for (site, near) in (0..beyond).zip(near.iter_mut()) {
            let steps = board.adjacent.iter();
            let found = steps.filter_map(|step| board.step(site, (step.0.into(), step.1.into())));
            near.iter_mut().zip(found).for_each(|(place, site)| *place = site);
        }
        let mut seed = 0x243f_6a88_85a3_08d3_u64;
        let mut key = || {
            seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let word = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            word ^ (word >> 31)
        };
        let mut keys = Box::new([[0; 2]; ROOM]);
        keys.iter_mut().for_each(|keys| *keys = [key(), key()]);
        Self { sites, words: sites.div_ceil(64), near, keys }
    }

    #[inline(always)]
    fn near(&self, site: Site) -> &[Site; SIDES] {
        &self.near[at::<ROOM>(site)]
    }

    #[inline(always)]
    fn key(&self, site: Site, player: u8) -> u64 {
        self.keys[at::<ROOM>(site)][usize::from(player & 1)]
    }

    /// The hash of a board: words of the sites of the one player, then of the other.
    pub(super) fn hash(&self, board: &[u64]) -> u64 {
        let mut hash = 0;
        for (index, word) in board.iter().enumerate() {
            let mut word = *word;
            while word != 0 {
                let site = index % self.words.max(1) * 64 + word.trailing_zeros() as usize;
                hash ^= self.key(site as Site, u8::from(index >= self.words));
                word &= word - 1;
            }
        }
        hash
    }
}

#[inline(always)]
fn at<const ROOM: usize>(site: Site) -> usize {
    usize::from(site) & (ROOM - 1)
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
pub(super) struct Groups<const ROOM: usize, const SIDES: usize> {
    cells: [u8; ROOM],
    heads: [Site; ROOM],
    rings: [Site; ROOM],
    groups: [Group; ROOM],
    vacant: [Site; ROOM],
    /// Where a site stands in `vacant`.
    places: [Site; ROOM],
    /// How many sites are empty.
    empty: usize,
    /// Words of the sites of the one player, then of the other.
    board: [u64; WORDS],
    words: usize,
    pub(super) hash: u64,
}

/// What is around an empty site.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around<const SIDES: usize> {
    /// Heads of the groups there, and on how many sides.
    heads: [Site; SIDES],
    sides: [u8; SIDES],
    count: u8,
    /// Bits for those of the mover, and for those that a placement takes.
    pub(super) own: u8,
    taken: u8,
    open: u8,
    /// Whether the group of a piece placed here has an empty neighbour then.
    pub(super) breathes: bool,
    /// Whether the placed piece goes with its group.
    dies: bool,
    /// The hash of the board after the placement.
    pub(super) hash: u64,
}

impl<const ROOM: usize, const SIDES: usize> Groups<ROOM, SIDES> {
    pub(super) fn of(ground: &Ground<ROOM, SIDES>, board: &[u64]) -> Self {
        let mut groups = Self {
            cells: [BEYOND; ROOM],
            heads: [0; ROOM],
            rings: [0; ROOM],
            groups: [Group::default(); ROOM],
            vacant: [0; ROOM],
            places: [0; ROOM],
            empty: 0,
            board: [0; WORDS],
            words: ground.words,
            hash: ground.hash(board),
        };
        groups.board.iter_mut().zip(board).for_each(|(to, word)| *to = *word);
        let sites = 0..ground.sites as Site;
        for site in sites.clone() {
            let has = |player: usize| {
                let word = board.get(player * ground.words + usize::from(site) / 64);
                word.is_some_and(|word| word >> (site % 64) & 1 == 1)
            };
            let cell = if has(0) {
                0
            } else if has(1) {
                1
            } else {
                EMPTY
            };
            groups.cells[at::<ROOM>(site)] = cell;
            if cell == EMPTY {
                groups.add(site);
            }
        }
        // Each piece is a group of its own at first; then those that touch are joined.
        for site in sites.clone() {
            let player = groups.cell(site);
            if player < EMPTY {
                let open = ground.near(site).iter().filter(|near| groups.cell(**near) == EMPTY).count();
                let key = ground.key(site, player);
                groups.heads[at::<ROOM>(site)] = site;
                groups.rings[at::<ROOM>(site)] = site;
                groups.groups[at::<ROOM>(site)] = Group { open: open as u16, pieces: 1, key };
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

    /// The empty sites, in no order.
    #[inline(always)]
    pub(super) fn vacant(&self) -> &[Site] {
        self.vacant.get(..self.empty).unwrap_or(&[])
    }

    /// Words of the sites of the one player, then of the other.
    #[inline(always)]
    pub(super) fn words(&self) -> &[u64] {
        self.board.get(..2 * self.words).unwrap_or(&[])
    }

    #[inline(always)]
    fn cell(&self, site: Site) -> u8 {
        self.cells[at::<ROOM>(site)]
    }

    #[inline(always)]
    fn head(&self, site: Site) -> Site {
        self.heads[at::<ROOM>(site)]
    }

    #[inline(always)]
    fn group(&self, head: Site) -> &Group {
        &self.groups[at::<ROOM>(head)]
    }

    #[inline(always)]
    fn flip(&mut self, site: Site, player: u8) {
        let word = usize::from(player & 1) * self.words + usize::from(site) / 64;
        self.board[word & (WORDS - 1)] ^= 1 << (site % 64);
    }

    #[inline(always)]
    fn add(&mut self, site: Site) {
        self.places[at::<ROOM>(site)] = self.empty as Site;
        self.vacant[self.empty & (ROOM - 1)] = site;
        self.empty += 1;
    }

    /// Looks around an empty site.
    #[inline(always)]
    pub(super) fn around(
        &self,
        ground: &Ground<ROOM, SIDES>,
        player: u8,
        site: Site,
        around: &mut Around<SIDES>,
    ) {
        // In place: what is put together from bytes is slow to copy.
        (around.count, around.own, around.taken, around.open) = (0, 0, 0, 0);
        around.dies = false;
        around.hash = self.hash ^ ground.key(site, player);
        for near in ground.near(site) {
            let cell = self.cell(*near);
            if cell >= EMPTY {
                around.open += u8::from(cell == EMPTY);
                continue;
            }
            let head = self.head(*near);
            let count = usize::from(around.count);
            let known = around.heads.iter().take(count).position(|known| *known == head);
            let index = known.unwrap_or(count) % SIDES;
            if known.is_some() {
                around.sides[index] += 1;
            } else {
                around.heads[index] = head;
                around.sides[index] = 1;
                around.count += 1;
                around.own |= u8::from(cell == player) << index;
            }
        }
        around.breathes = around.open > 0;
        for index in 0..usize::from(around.count) {
            let group = self.group(around.heads[index % SIDES]);
            let sides = u16::from(around.sides[index % SIDES]);
            if around.own >> index & 1 == 1 {
                around.breathes |= group.open > sides;
            } else if group.open == sides {
                around.taken |= 1 << index;
                around.hash ^= group.key;
            }
        }
        around.breathes |= around.taken != 0;
    }

    /// Says that a placed piece goes with its group.
    #[cold]
    pub(super) fn dies(&self, around: &mut Around<SIDES>) {
        around.dies = true;
        // The piece itself comes and goes.
        around.hash = around.each(around.own).fold(self.hash, |hash, head| hash ^ self.group(head).key);
    }

    /// The board after a placement, into a buffer.
    #[cold]
    pub(super) fn drawn(&self, player: u8, site: Site, around: &Around<SIDES>, board: &mut Vec<u64>) {
        board.clear();
        board.extend_from_slice(self.words());
        let mut flip = |site: Site, player: u8| {
            if let Some(word) = board.get_mut(usize::from(player & 1) * self.words + usize::from(site) / 64) {
                *word ^= 1 << (site % 64);
            }
        };
        if !around.dies {
            flip(site, player);
        }
        for head in around.each(around.gone()) {
            let owner = self.cell(head);
            let mut here = head;
            loop {
                flip(here, owner);
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
        self.rings[at::<ROOM>(site)]
    }

    /// Places a piece, and takes off what goes.
    #[inline(always)]
    pub(super) fn place(
        &mut self,
        ground: &Ground<ROOM, SIDES>,
        player: u8,
        site: Site,
        around: &Around<SIDES>,
    ) {
        let here = at::<ROOM>(site);
        (self.cells[here], self.heads[here], self.rings[here]) = (player, site, site);
        let key = ground.key(site, player);
        self.hash ^= key;
        self.flip(site, player);
        self.empty -= 1;
        let (place, last) = (self.places[here], self.vacant[self.empty & (ROOM - 1)]);
        self.vacant[at::<ROOM>(place)] = last;
        self.places[at::<ROOM>(last)] = place;
        self.groups[here] = Group { open: around.open.into(), pieces: 1, key };
        for index in 0..usize::from(around.count) {
            let head = at::<ROOM>(around.heads[index % SIDES]);
            self.groups[head].open = self.groups[head].open.wrapping_sub(around.sides[index % SIDES].into());
            if around.own >> index & 1 == 1 {
                self.join(site, around.heads[index % SIDES]);
            }
        }
        if around.taken != 0 {
            for head in around.each(around.taken) {
                self.take(ground, head);
            }
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
            self.heads[at::<ROOM>(here)] = large;
            here = self.after(here);
            if here == small {
                break;
            }
        }
        // Two rings become one when two of their links are crossed.
        self.rings.swap(at::<ROOM>(small), at::<ROOM>(large));
        let less = *self.group(small);
        let more = &mut self.groups[at::<ROOM>(large)];
        more.open = more.open.wrapping_add(less.open);
        more.pieces = more.pieces.wrapping_add(less.pieces);
        more.key ^= less.key;
    }

    /// Takes a group off.
    #[inline(always)]
    fn take(&mut self, ground: &Ground<ROOM, SIDES>, head: Site) {
        let owner = self.cell(head);
        self.hash ^= self.group(head).key;
        let mut here = head;
        loop {
            self.cells[at::<ROOM>(here)] = EMPTY;
            self.flip(here, owner);
            self.add(here);
            for near in ground.near(here) {
                if self.cell(*near) < EMPTY {
                    let head = at::<ROOM>(self.head(*near));
                    self.groups[head].open = self.groups[head].open.wrapping_add(1);
                }
            }
            here = self.after(here);
            if here == head {
                break;
            }
        }
    }

    /// Exchanges two empty sites in their list.
    #[inline(always)]
    pub(super) fn exchange(&mut self, a: usize, b: usize) {
        let (a, b) = (a & (ROOM - 1), b & (ROOM - 1));
        let (first, second) = (self.vacant[a], self.vacant[b]);
        (self.vacant[a], self.vacant[b]) = (second, first);
        self.places[at::<ROOM>(first)] = b as Site;
        self.places[at::<ROOM>(second)] = a as Site;
    }
}

impl<const SIDES: usize> Around<SIDES> {
    /// Nothing yet.
    pub(super) fn none() -> Self {
        Self {
            heads: [0; SIDES],
            sides: [0; SIDES],
            count: 0,
            own: 0,
            taken: 0,
            open: 0,
            breathes: false,
            dies: false,
            hash: 0,
        }
    }

    /// The heads of some of the groups.
    #[inline(always)]
    fn each(&self, bits: u8) -> impl Iterator<Item = Site> + '_ {
        self.heads.iter().enumerate().filter(move |(index, _)| bits >> index & 1 == 1).map(|(_, head)| *head)
    }

    /// The groups that a placement takes off.
    fn gone(&self) -> u8 {
        self.taken | if self.dies { self.own } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Land = Ground<64, 8>;
    type Pieces = Groups<64, 8>;

    /// What each group comes to, counted anew.
    fn fresh(ground: &Land, groups: &Pieces) -> Pieces {
        Groups::of(ground, groups.words())
    }

    /// What can be compared: for each site its cell and the figures of its group.
    fn figures(ground: &Land, groups: &Pieces) -> Vec<(u8, u16, u16, u64)> {
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
            let ground = Land::of(&board);
            let mut groups = Groups::of(&ground, &[0, 0]);
            let mut seed = 99 + at as u64;
            for ply in 0..4000_u64 {
                seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(ply);
                let Some(site) =
                    groups.vacant().get((seed >> 40) as usize % groups.vacant().len().max(1)).copied()
                else {
                    groups = Groups::of(&ground, &[0, 0]);
                    continue;
                };
                let player = (seed >> 33 & 1) as u8;
                let mut around = Around::none();
                groups.around(&ground, player, site, &mut around);
                if !around.breathes {
                    groups.dies(&mut around);
                }
                let mut drawn = Vec::new();
                groups.drawn(player, site, &around, &mut drawn);
                groups.place(&ground, player, site, &around);
                assert_eq!(drawn, groups.words());
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
