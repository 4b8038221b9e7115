//! Recorded boards, found again by their hash.
//!
//! Invariant: entries are looked up as if every one were compared; the latest can be taken off again. An
//! entry stands in the table no farther from its place than all slots between are taken, and since the latest
//! is always the first to go, no gap opens before an entry that stays.

/// A recorded board: its hash, and who had the turn.
#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u64,
    mover: u8,
}

/// The recorded boards of a game, the first one first.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    entries: Vec<Entry>,
    /// Their boards, one after another.
    boards: Vec<u64>,
    /// Words of a board.
    width: usize,
    /// The number of an entry plus one, 0 for none. A power of two.
    slots: Vec<u32>,
    /// A board that is compared.
    drawn: Vec<u64>,
}

impl Seen {
    /// None yet; a player's sites take so many words.
    pub(super) fn of(words: usize) -> Self {
        let width = 2 * words;
        Self { entries: Vec::new(), boards: Vec::new(), width, slots: vec![0; 64], drawn: Vec::new() }
    }

    /// Forgets everything but the room there is.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.boards.clear();
        self.slots.fill(0);
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    #[inline(always)]
    fn next(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }

    /// The slot to begin with. The hash is spread over all of its bits.
    #[inline(always)]
    fn slot(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    fn insert(&mut self, hash: u64, number: u32) {
        let mut slot = self.slot(hash);
        while self.slots.get(slot).is_some_and(|number| *number != 0) {
            slot = self.next(slot);
        }
        if let Some(place) = self.slots.get_mut(slot) {
            *place = number;
        }
    }

    /// Records a board.
    #[inline(always)]
    pub(super) fn push(&mut self, hash: u64, mover: u8, board: &[u64]) {
        if (self.entries.len() + 1) * 2 > self.slots.len() {
            self.slots = vec![0; self.slots.len() * 2];
            for at in 0..self.entries.len() {
                let hash = self.entries.get(at).map_or(0, |entry| entry.hash);
                self.insert(hash, at as u32 + 1);
            }
        }
        self.entries.push(Entry { hash, mover });
        self.boards.extend_from_slice(board);
        self.insert(hash, self.entries.len() as u32);
    }

    /// Forgets the latest board.
    #[inline(always)]
    pub(super) fn pop(&mut self) {
        let number = self.entries.len() as u32;
        let Some(entry) = self.entries.pop() else { return };
        self.boards.truncate(self.entries.len() * self.width);
        let mut slot = self.slot(entry.hash);
        while self.slots.get(slot).is_some_and(|known| *known != number && *known != 0) {
            slot = self.next(slot);
        }
        if let Some(place) = self.slots.get_mut(slot) {
            *place = 0;
        }
    }

    fn board(&self, at: usize) -> &[u64] {
        self.boards.get(at * self.width..(at + 1) * self.width).unwrap_or(&[])
    }

    /// Whether one entry is a board: its hash, and how to draw it.
    pub(super) fn is(&mut self, at: usize, hash: u64, draw: impl Fn(&mut Vec<u64>)) -> bool {
        if self.entries.get(at).is_none_or(|entry| entry.hash != hash) {
            return false;
        }
        let mut drawn = std::mem::take(&mut self.drawn);
        draw(&mut drawn);
        let is = self.board(at) == drawn;
        self.drawn = drawn;
        is
    }

    /// Whether an entry that counts, by its number and its mover, is a board.
    #[inline(always)]
    pub(super) fn has(
        &mut self,
        hash: u64,
        draw: impl Fn(&mut Vec<u64>),
        counts: impl Fn(usize, u8) -> bool,
    ) -> bool {
        let mut slot = self.slot(hash);
        while let Some(number) = self.slots.get(slot).copied().filter(|number| *number != 0) {
            let at = number as usize - 1;
            let entry = self.entries.get(at).copied();
            if entry.is_some_and(|entry| entry.hash == hash && counts(at, entry.mover))
                && self.is(at, hash, &draw)
            {
                return true;
            }
            slot = self.next(slot);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_found_until_they_are_taken_off() {
        let mut seen = Seen::of(1);
        // Many boards share a hash; what differs is the board.
        let board = |n: u64| [n, n / 7];
        let hash = |n: u64| n % 5 * 64;
        let has = |seen: &mut Seen, n: u64| {
            seen.has(hash(n), |drawn| *drawn = board(n).to_vec(), |_, mover| mover == (n % 2) as u8)
        };
        for n in 0..300 {
            assert!(!has(&mut seen, n));
            seen.push(hash(n), (n % 2) as u8, &board(n));
            assert!(has(&mut seen, n));
        }
        for n in (0..300).rev() {
            assert!((0..=n).all(|known| has(&mut seen, known)));
            seen.pop();
            assert!(!has(&mut seen, n));
        }
        assert_eq!(seen.len(), 0);
    }
}
