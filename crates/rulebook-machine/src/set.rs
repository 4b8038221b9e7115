//! Sets of sites in one word, in two, or in as many as the largest board needs: one source for all.
//!
//! Invariant: a set never holds a site beyond its capacity; sites beyond it are ignored, never wrapped.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not};

use crate::program::Site;

/// A set of sites.
pub trait Set:
    Copy
    + Eq
    + Hash
    + Ord
    + Default
    + Debug
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + BitAndAssign
    + BitOrAssign
{
    /// How many sites there is room for.
    const CAPACITY: usize;
    /// No sites.
    const EMPTY: Self;

    /// The set of one site.
    fn one(site: Site) -> Self;
    /// Whether there is no site.
    fn is_empty(self) -> bool;
    /// How many sites there are.
    fn len(self) -> usize;
    /// The first site.
    fn first(self) -> Option<Site>;
    /// All but the first site.
    #[must_use]
    fn rest(self) -> Self;
    /// Every site moved up by a number of places; those beyond the capacity are lost.
    #[must_use]
    fn up(self, places: u32) -> Self;
    /// Every site moved down by a number of places; those below zero are lost.
    #[must_use]
    fn down(self, places: u32) -> Self;
    /// Of a line that is parted by its origin into a lower and an upper half, the sites seen from the
    /// origin: in each half up to the first occupied one, that one included.
    #[must_use]
    fn seen(lower: Self, upper: Self, occupied: Self) -> Self;
    /// The words of the set, the lowest sites first.
    fn words(&self) -> impl Iterator<Item = u64> + '_;
    /// The set of some words; what is beyond the capacity is dropped.
    fn from_words(words: &[u64]) -> Self;

    /// All words in one, of which different sets may have the same.
    fn folded(self) -> u64 {
        self.words().fold(0, |all, word| all.rotate_left(9) ^ word)
    }
    /// The first word.
    fn word(self) -> u64;
    /// The set of one word.
    fn of_word(word: u64) -> Self;

    /// Whether the site is in the set.
    fn has(self, site: Site) -> bool {
        !(self & Self::one(site)).is_empty()
    }
    /// The sites of the first that are not in the second.
    #[must_use]
    fn less(self, other: Self) -> Self {
        self & !other
    }
    /// Whether both have a site in common.
    fn meets(self, other: Self) -> bool {
        !(self & other).is_empty()
    }
    /// The same sites if something holds, and none if not: a choice, not a branch.
    #[must_use]
    #[inline(always)]
    fn when(self, holds: bool) -> Self {
        if holds { self } else { Self::EMPTY }
    }
    /// Whether there is more than one site.
    fn several(self) -> bool {
        !self.rest().is_empty()
    }
    /// The sites `0..count`.
    fn first_sites(count: usize) -> Self {
        let mut set = Self::EMPTY;
        for site in 0..count.min(Self::CAPACITY) {
            set |= Self::one(site as Site);
        }
        set
    }
    /// The sites in order.
    fn sites(self) -> Iter<Self> {
        Iter(self)
    }
    /// Every site moved by a signed number of places.
    #[must_use]
    fn shifted(self, places: i32) -> Self {
        if places >= 0 { self.up(places.unsigned_abs()) } else { self.down(places.unsigned_abs()) }
    }
    /// The same for sites that stay within the capacity; where others come to means nothing.
    #[must_use]
    #[inline(always)]
    fn turned(self, places: i32) -> Self {
        self.shifted(places)
    }
}

/// The sites of a set in order.
#[derive(Clone, Copy, Debug)]
pub struct Iter<S>(S);

impl<S: Set> Iterator for Iter<S> {
    type Item = Site;
    #[inline(always)]
    fn next(&mut self) -> Option<Site> {
        let site = self.0.first()?;
        self.0 = self.0.rest();
        Some(site)
    }
}

/// Collects sites into a set.
pub fn collect<S: Set>(sites: impl IntoIterator<Item = Site>) -> S {
    sites.into_iter().fold(S::EMPTY, |set, site| set | S::one(site))
}

macro_rules! word_set {
    ($word:ty, $bits:expr, $count:expr) => {
        impl Set for $word {
            const CAPACITY: usize = $bits;
            const EMPTY: Self = 0;
            #[inline(always)]
            fn one(site: Site) -> Self {
                if (site as usize) < $bits { 1 << (site as u32 % $bits) } else { 0 }
            }
            #[inline(always)]
            fn has(self, site: Site) -> bool {
                (site as usize) < $bits && (self >> (site as u32 % $bits)) & 1 == 1
            }
            #[inline(always)]
            fn is_empty(self) -> bool {
                self == 0
            }
            #[inline(always)]
            fn len(self) -> usize {
                self.count_ones() as usize
            }
            #[inline(always)]
            fn first(self) -> Option<Site> {
                if self == 0 { None } else { Some(self.trailing_zeros() as Site) }
            }
            #[inline(always)]
            fn rest(self) -> Self {
                self & self.wrapping_sub(1)
            }
            #[inline(always)]
            fn up(self, places: u32) -> Self {
                if places >= $bits { 0 } else { self << (places % $bits) }
            }
            #[inline(always)]
            fn down(self, places: u32) -> Self {
                if places >= $bits { 0 } else { self >> (places % $bits) }
            }
            #[inline(always)]
            fn when(self, holds: bool) -> Self {
                self & (0 as Self).wrapping_sub(Self::from(holds))
            }
            #[inline(always)]
            fn turned(self, places: i32) -> Self {
                self.rotate_left(places as u32 % $bits)
            }
            /// Obstruction difference: the highest blocker below and the lowest one above bound the view.
            #[inline(always)]
            fn seen(lower: Self, upper: Self, occupied: Self) -> Self {
                let (below, above) = (lower & occupied, upper & occupied);
                let last: Self = (1 as Self) << ($bits - 1);
                let floor = last >> ((below | 1).leading_zeros() % $bits);
                (above ^ above.wrapping_sub(1)) & upper | ((0 as Self).wrapping_sub(floor) & lower)
            }
            #[inline(always)]
            fn word(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn of_word(word: u64) -> Self {
                word as Self
            }
            fn words(&self) -> impl Iterator<Item = u64> + '_ {
                let set = *self;
                (0..$count).map(move |at: u32| (set >> (at * 64 % $bits)) as u64)
            }
            fn from_words(words: &[u64]) -> Self {
                words.iter().take($count).rev().fold(0, |set, word| {
                    let shifted = if $count == 1 { 0 } else { set << (64 % $bits) };
                    shifted | *word as Self
                })
            }
        }
    };
}

word_set!(u64, 64, 1);
word_set!(u128, 128, 2);

/// A set in several words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Wide<const N: usize>([u64; N]);

impl<const N: usize> Default for Wide<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> Wide<N> {
    #[inline(always)]
    fn zip(mut self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a = f(*a, b);
        }
        self
    }
}

impl<const N: usize> BitAnd for Wide<N> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
}
impl<const N: usize> BitOr for Wide<N> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
}
impl<const N: usize> BitXor for Wide<N> {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }
}
impl<const N: usize> Not for Wide<N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        self.zip(self, |a, _| !a)
    }
}
impl<const N: usize> BitAndAssign for Wide<N> {
    #[inline(always)]
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}
impl<const N: usize> BitOrAssign for Wide<N> {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl<const N: usize> Set for Wide<N> {
    const CAPACITY: usize = N * 64;
    const EMPTY: Self = Self([0; N]);

    fn one(site: Site) -> Self {
        let mut set = Self::EMPTY;
        if let Some(word) = set.0.get_mut(usize::from(site) / 64) {
            *word = 1 << (site % 64);
        }
        set
    }
    fn has(self, site: Site) -> bool {
        self.0.get(usize::from(site) / 64).is_some_and(|word| word >> (site % 64) & 1 == 1)
    }
    fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }
    fn len(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
    fn first(self) -> Option<Site> {
        let at = self.0.iter().position(|word| *word != 0)?;
        Some((at * 64) as Site + self.0.get(at)?.trailing_zeros() as Site)
    }
    fn rest(mut self) -> Self {
        if let Some(word) = self.0.iter_mut().find(|word| **word != 0) {
            *word &= *word - 1;
        }
        self
    }
    fn up(self, places: u32) -> Self {
        let (words, bits) = ((places / 64) as usize, places % 64);
        let mut moved = Self::EMPTY;
        for at in words..N {
            let low = self.0.get(at - words).copied().unwrap_or(0);
            let carry = (at - words).checked_sub(1).and_then(|at| self.0.get(at)).copied().unwrap_or(0);
            if let Some(word) = moved.0.get_mut(at) {
                *word = low << bits | if bits == 0 { 0 } else { carry >> (64 - bits) };
            }
        }
        moved
    }
    fn down(self, places: u32) -> Self {
        let (words, bits) = ((places / 64) as usize, places % 64);
        let mut moved = Self::EMPTY;
        for (at, word) in moved.0.iter_mut().enumerate() {
            let high = self.0.get(at + words).copied().unwrap_or(0);
            let carry = self.0.get(at + words + 1).copied().unwrap_or(0);
            *word = high >> bits | if bits == 0 { 0 } else { carry << (64 - bits) };
        }
        moved
    }
    fn seen(lower: Self, upper: Self, occupied: Self) -> Self {
        let (below, above) = (lower & occupied, upper & occupied);
        let mut view = Self::EMPTY;
        // Upwards: everything up to the lowest blocker.
        let mut open = true;
        for (at, word) in view.0.iter_mut().enumerate() {
            let blockers = above.0.get(at).copied().unwrap_or(0);
            let half = upper.0.get(at).copied().unwrap_or(0);
            if open {
                *word = half & if blockers == 0 { u64::MAX } else { blockers ^ (blockers - 1) };
            }
            open &= blockers == 0;
        }
        // Downwards: everything down to the highest blocker.
        open = true;
        for (at, word) in view.0.iter_mut().enumerate().rev() {
            let blockers = below.0.get(at).copied().unwrap_or(0);
            let half = lower.0.get(at).copied().unwrap_or(0);
            if open {
                *word |=
                    half & if blockers == 0 { u64::MAX } else { u64::MAX << (63 - blockers.leading_zeros()) };
            }
            open &= blockers == 0;
        }
        view
    }
    fn word(self) -> u64 {
        self.0.first().copied().unwrap_or(0)
    }
    fn of_word(word: u64) -> Self {
        Self::from_words(&[word])
    }
    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().copied()
    }
    fn from_words(words: &[u64]) -> Self {
        let mut set = Self::EMPTY;
        for (to, from) in set.0.iter_mut().zip(words) {
            *to = *from;
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laws<S: Set>() {
        let set: S = collect([0, 3, 5, 63]);
        assert_eq!(set.len(), 4);
        assert_eq!(set.sites().collect::<Vec<_>>(), [0, 3, 5, 63]);
        assert_eq!(set.up(2).sites().take(3).collect::<Vec<_>>(), [2, 5, 7]);
        assert_eq!(set.down(3).sites().collect::<Vec<_>>(), [0, 2, 60]);
        let inside: S = collect([0, 3, 5]);
        assert_eq!((inside.turned(4), inside.turned(4).turned(-4)), (inside.shifted(4), inside));
        assert_eq!((set.when(true), set.when(false)), (set, S::EMPTY));
        assert_ne!(collect::<S>([1]).folded(), collect::<S>([2]).folded());
        assert_eq!(S::from_words(&set.words().collect::<Vec<_>>()), set);
        assert_eq!(S::one(S::CAPACITY as Site), S::EMPTY);
        let (lower, upper) = (collect::<S>([0, 1, 2]), collect::<S>([4, 5, 6, 7]));
        let seen = |blockers: &[Site]| S::seen(lower, upper, collect(blockers.iter().copied()));
        assert_eq!(seen(&[]), lower | upper);
        assert_eq!(seen(&[0, 1, 5, 7]).sites().collect::<Vec<_>>(), [1, 2, 4, 5]);
        assert_eq!(seen(&[0]).sites().collect::<Vec<_>>(), [0, 1, 2, 4, 5, 6, 7]);
        assert_eq!(seen(&[2, 4]).sites().collect::<Vec<_>>(), [2, 4]);
    }

    #[test]
    fn all_widths_obey_the_same_laws() {
        laws::<u64>();
        laws::<u128>();
        laws::<Wide<1>>();
        laws::<Wide<7>>();
        laws::<Wide<10>>();
        assert_eq!(collect::<Wide<3>>([60, 130]).up(10).sites().collect::<Vec<_>>(), [70, 140]);
        assert_eq!(collect::<Wide<3>>([70, 140]).down(10).sites().collect::<Vec<_>>(), [60, 130]);
    }
}
