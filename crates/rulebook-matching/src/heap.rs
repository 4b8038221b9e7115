//! A heap of numbered items, each with a key that may change.
//!
//! Invariant: an item is in the heap at most once, and of equal keys the one with the lowest number comes first.

/// The place of an item that is not in the heap.
const ABSENT: usize = usize::MAX;

/// A binary heap of the items `0..count`, the least key first.
#[derive(Clone, Debug)]
pub(crate) struct Heap<K> {
    keys: Vec<K>,
    place: Vec<usize>,
    items: Vec<usize>,
}

impl<K: Ord + Clone> Heap<K> {
    pub(crate) fn new(count: usize, key: &K) -> Self {
        Self { keys: vec![key.clone(); count], place: vec![ABSENT; count], items: Vec::new() }
    }

    pub(crate) fn first(&self) -> Option<(usize, &K)> {
        self.items.first().map(|item| (*item, &self.keys[*item]))
    }

    /// Puts an item into the heap, or gives it another key.
    pub(crate) fn set(&mut self, item: usize, key: K) {
        self.keys[item] = key;
        if self.place[item] == ABSENT {
            self.place[item] = self.items.len();
            self.items.push(item);
        }
        self.mend(self.place[item]);
    }

    pub(crate) fn remove(&mut self, item: usize) {
        let at = self.place[item];
        if at == ABSENT {
            return;
        }
        self.place[item] = ABSENT;
        self.items.swap_remove(at);
        if let Some(moved) = self.items.get(at) {
            self.place[*moved] = at;
            self.mend(at);
        }
    }

    pub(crate) fn clear(&mut self) {
        for item in self.items.drain(..) {
            self.place[item] = ABSENT;
        }
    }

    fn before(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.items[a], self.items[b]);
        (&self.keys[a], a) < (&self.keys[b], b)
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.items.swap(a, b);
        self.place[self.items[a]] = a;
        self.place[self.items[b]] = b;
    }

    /// Moves what stands at one place up or down to where it belongs.
    fn mend(&mut self, mut at: usize) {
        while at > 0 && self.before(at, (at - 1) / 2) {
            self.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
        loop {
            let mut least = at;
            for below in [2 * at + 1, 2 * at + 2] {
                if below < self.items.len() && self.before(below, least) {
                    least = below;
                }
            }
            if least == at {
                return;
            }
            self.swap(at, least);
            at = least;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_key_comes_first_whatever_changes() {
        let mut heap = Heap::new(40, &0);
        let key = |item: usize, round: usize| (item * 17 + round * 23) % 29;
        for round in 0..3 {
            (0..40).for_each(|item| heap.set(item, key(item, round)));
        }
        (0..40).step_by(3).for_each(|item| heap.remove(item));
        heap.remove(3);
        let mut wanted: Vec<_> =
            (0..40).filter(|item| item % 3 != 0).map(|item| (key(item, 2), item)).collect();
        wanted.sort_unstable();
        let mut found = Vec::new();
        while let Some((item, key)) = heap.first() {
            found.push((*key, item));
            heap.remove(item);
        }
        assert_eq!(found, wanted);
    }
}
