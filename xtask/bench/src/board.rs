//! A board written by hand for one game, as a peer: groups with pseudo-liberties, simple ko, no superko.
//!
//! Invariant: random games are played as the machine plays them, each legal ply, the pass included, being as
//! likely as any other. Sites stand in a frame, so that every one has four neighbours; indices are masked to
//! the size of the arrays, so that none is checked.

/// Places of the arrays; a power of two.
const ROOM: usize = 512;
/// Sites of a row of the frame.
const ROW: usize = 22;
const EMPTY: u8 = 2;
const BEYOND: u8 = 3;
const NONE: u16 = u16::MAX;

/// Random numbers: splitmix64.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number below a limit.
    #[inline(always)]
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 31;
        ((u64::from(limit) * (word >> 32)) >> 32) as u32
    }
}

/// A position.
#[derive(Clone)]
pub(crate) struct Board {
    cells: [u8; ROOM],
    heads: [u16; ROOM],
    next: [u16; ROOM],
    /// By head: pairs of a stone and an empty neighbour, and stones.
    liberties: [u16; ROOM],
    stones: [u16; ROOM],
    vacant: [u16; ROOM],
    places: [u16; ROOM],
    count: usize,
    ko: u16,
}

#[inline(always)]
fn at(site: u16) -> usize {
    usize::from(site) & (ROOM - 1)
}

#[inline(always)]
fn near(site: u16) -> [u16; 4] {
    [site.wrapping_sub(ROW as u16), site.wrapping_sub(1), site.wrapping_add(1), site.wrapping_add(ROW as u16)]
}

impl Board {
    /// An empty board of at most 20 sites a side.
    pub(crate) fn empty(size: usize) -> Self {
        let mut board = Self {
            cells: [BEYOND; ROOM],
            heads: [0; ROOM],
            next: [0; ROOM],
            liberties: [0; ROOM],
            stones: [0; ROOM],
            vacant: [0; ROOM],
            places: [0; ROOM],
            count: 0,
            ko: NONE,
        };
        for rank in 1..=size {
            for file in 1..=size {
                let site = (rank * ROW + file) as u16;
                board.cells[at(site)] = EMPTY;
                board.vacate(site);
            }
        }
        board
    }

    #[inline(always)]
    fn vacate(&mut self, site: u16) {
        self.cells[at(site)] = EMPTY;
        self.places[at(site)] = self.count as u16;
        self.vacant[self.count & (ROOM - 1)] = site;
        self.count += 1;
    }

    #[inline(always)]
    fn is_legal(&self, site: u16, player: u8) -> bool {
        if site == self.ko {
            return false;
        }
        for (index, side) in near(site).into_iter().enumerate() {
            let cell = self.cells[at(side)];
            if cell == EMPTY {
                return true;
            }
            if cell == BEYOND {
                continue;
            }
            let head = self.heads[at(side)];
            let mut touching = 0;
            for (other, side) in near(site).into_iter().enumerate() {
                let same = self.cells[at(side)] < EMPTY && self.heads[at(side)] == head;
                if same && other < index {
                    touching = u16::MAX;
                    break;
                }
                touching += u16::from(same);
            }
            if touching != u16::MAX && (self.liberties[at(head)] > touching) == (cell == player) {
                return true;
            }
        }
        false
    }

    #[inline(always)]
    fn place(&mut self, site: u16, player: u8) {
        let place = at(self.places[at(site)]);
        self.count -= 1;
        let last = self.vacant[self.count & (ROOM - 1)];
        self.vacant[place] = last;
        self.places[at(last)] = place as u16;
        self.cells[at(site)] = player;
        self.heads[at(site)] = site;
        self.next[at(site)] = site;
        self.stones[at(site)] = 1;
        let mut open = 0;
        for side in near(site) {
            let cell = self.cells[at(side)];
            open += u16::from(cell == EMPTY);
            if cell < EMPTY {
                self.liberties[at(self.heads[at(side)])] -= 1;
            }
        }
        self.liberties[at(site)] = open;
        let mut lonely = true;
        let (mut taken, mut single) = (0, NONE);
        for side in near(site) {
            let cell = self.cells[at(side)];
            if cell == player {
                lonely = false;
                self.join(self.heads[at(site)], self.heads[at(side)]);
            } else if cell < EMPTY && self.liberties[at(self.heads[at(side)])] == 0 {
                taken += self.stones[at(self.heads[at(side)])];
                single = side;
                self.take(self.heads[at(side)]);
            }
        }
        self.ko = if lonely && taken == 1 && self.liberties[at(site)] == 1 { single } else { NONE };
    }

    #[inline(always)]
    fn join(&mut self, a: u16, b: u16) {
        if a == b {
            return;
        }
        let (small, large) = if self.stones[at(a)] > self.stones[at(b)] { (b, a) } else { (a, b) };
        let mut here = small;
        loop {
            self.heads[at(here)] = large;
            here = self.next[at(here)];
            if here == small {
                break;
            }
        }
        self.next.swap(at(small), at(large));
        self.liberties[at(large)] += self.liberties[at(small)];
        self.stones[at(large)] += self.stones[at(small)];
    }

    #[inline(always)]
    fn take(&mut self, head: u16) {
        let mut here = head;
        loop {
            let next = self.next[at(here)];
            self.vacate(here);
            for side in near(here) {
                if self.cells[at(side)] < EMPTY {
                    self.liberties[at(self.heads[at(side)])] += 1;
                }
            }
            here = next;
            if here == head {
                break;
            }
        }
    }

    /// Plays at random until two passes or so many plies; the number of plies.
    pub(crate) fn playout(&mut self, seed: u64, most: u32) -> u32 {
        let mut dice = Dice(seed);
        let (mut player, mut passes, mut plies) = (0, 0, 0);
        while plies < most && passes < 2 {
            let mut left = self.count as u32;
            loop {
                let index = dice.below(left + 1);
                if index == left {
                    passes += 1;
                    self.ko = NONE;
                    break;
                }
                let site = self.vacant[index as usize & (ROOM - 1)];
                if self.is_legal(site, player) {
                    self.place(site, player);
                    passes = 0;
                    break;
                }
                left -= 1;
                let other = self.vacant[left as usize & (ROOM - 1)];
                self.vacant.swap(index as usize & (ROOM - 1), left as usize & (ROOM - 1));
                self.places[at(site)] = left as u16;
                self.places[at(other)] = index as u16;
            }
            player = 1 - player;
            plies += 1;
        }
        plies
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_ways_to_be_taken() {
        let mut board = Board::empty(3);
        let site = |file: usize, rank: usize| (rank * ROW + file) as u16;
        for (at, player) in [((1, 1), 0), ((1, 2), 1), ((2, 1), 1)] {
            board.place(site(at.0, at.1), player);
        }
        assert_eq!(board.cells[usize::from(site(1, 1))], EMPTY);
        assert!(!board.is_legal(site(1, 1), 0));
        assert!(board.is_legal(site(1, 1), 1));
    }
}
