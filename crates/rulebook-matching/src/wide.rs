//! Signed integers of a fixed number of words, for weights that hold many criteria.
//!
//! Two's complement, the lowest word first; addition is one chain of carries, and most comparisons end at the
//! highest word.

use std::cmp::Ordering;
use std::fmt;

use crate::weight::Weight;

/// A signed integer of `64 * N` bits.
///
/// Addition, subtraction and comparison take time proportional to `N`, and allocate nothing.
/// Sums that leave the range wrap around; the matcher refuses weights for which that could happen.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Wide<const N: usize>([u64; N]);

impl<const N: usize> Wide<N> {
    /// The integer of some words in two's complement, the lowest first.
    pub const fn from_words(words: [u64; N]) -> Self {
        Self(words)
    }

    /// The words in two's complement, the lowest first.
    pub const fn words(&self) -> &[u64; N] {
        &self.0
    }

    fn is_negative(&self) -> bool {
        self.0.last().is_some_and(|word| word >> 63 == 1)
    }
}

impl<const N: usize> Default for Wide<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> From<i64> for Wide<N> {
    fn from(value: i64) -> Self {
        let mut words = [if value < 0 { u64::MAX } else { 0 }; N];
        if let Some(lowest) = words.first_mut() {
            *lowest = value as u64;
        }
        Self(words)
    }
}

impl<const N: usize> Ord for Wide<N> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        // The sign is the highest bit of the highest word: turned over, it orders as the rest does.
        let mut sign = 1 << 63;
        for (a, b) in self.0.iter().zip(&other.0).rev() {
            if a != b {
                return (a ^ sign).cmp(&(b ^ sign));
            }
            sign = 0;
        }
        Ordering::Equal
    }
}

impl<const N: usize> PartialOrd for Wide<N> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const N: usize> Weight for Wide<N> {
    const BITS: u32 = 64 * N as u32 - 1;

    fn zero() -> Self {
        Self([0; N])
    }

    #[inline]
    fn plus(&self, other: &Self) -> Self {
        let (mut sum, mut carry) = (self.0, false);
        for (word, added) in sum.iter_mut().zip(&other.0) {
            (*word, carry) = word.carrying_add(*added, carry);
        }
        Self(sum)
    }

    #[inline]
    fn minus(&self, other: &Self) -> Self {
        let (mut rest, mut borrow) = (self.0, false);
        for (word, taken) in rest.iter_mut().zip(&other.0) {
            (*word, borrow) = word.borrowing_sub(*taken, borrow);
        }
        Self(rest)
    }

    #[inline]
    fn half(&self) -> Self {
        let mut half = self.0;
        let mut above = u64::from(self.is_negative());
        for word in half.iter_mut().rev() {
            let low = *word & 1;
            *word = *word >> 1 | above << 63;
            above = low;
        }
        Self(half)
    }

    fn plus_scaled(mut self, value: i64, shift: u32) -> Self {
        let wide = i128::from(value) << (shift % 64);
        let sign = if value < 0 { u64::MAX } else { 0 };
        let parts = [wide as u64, (wide >> 64) as u64].into_iter().chain(std::iter::repeat(sign));
        let mut carry = false;
        for (word, part) in self.0.iter_mut().skip(shift as usize / 64).zip(parts) {
            (*word, carry) = word.carrying_add(part, carry);
        }
        self
    }

    fn bits(&self) -> u32 {
        let sign = if self.is_negative() { u64::MAX } else { 0 };
        let highest = self.0.iter().rposition(|word| *word != sign);
        highest.map_or(0, |at| 64 * (at as u32 + 1) - (self.0[at] ^ sign).leading_zeros())
    }
}

/// The words in hexadecimal, the highest first.
impl<const N: usize> fmt::Debug for Wide<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        self.0.iter().rev().try_for_each(|word| write!(f, "{word:016x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values about the places where something is carried, borrowed or changes its sign.
    fn values() -> Vec<i128> {
        let near = |middle: i128| (-2..=2).map(move |by| middle + by);
        let bases = [0, 1 << 32, 1 << 63, 1 << 64, 1 << 100, -(1 << 63), -(1 << 64), -(1 << 100)];
        bases.into_iter().flat_map(near).collect()
    }

    fn wide(value: i128) -> Wide<3> {
        let sign = if value < 0 { u64::MAX } else { 0 };
        Wide::from_words([value as u64, (value >> 64) as u64, sign])
    }

    #[test]
    fn it_reckons_as_a_plain_integer_does() {
        for a in values() {
            assert_eq!(wide(a).half(), wide(a >> 1), "{a}");
            assert_eq!(wide(a).bits(), a.bits(), "{a}");
            for b in values() {
                assert_eq!(wide(a).plus(&wide(b)), wide(a + b), "{a} {b}");
                assert_eq!(wide(a).minus(&wide(b)), wide(a - b), "{a} {b}");
                assert_eq!(wide(a).cmp(&wide(b)), a.cmp(&b), "{a} {b}");
            }
        }
    }

    #[test]
    fn a_scaled_value_is_added_at_any_place() {
        for shift in 0..100 {
            for value in [-5, -1, 0, 1, 7] {
                let plain = (1_i128 << 70).plus_scaled(value, shift);
                assert_eq!(wide(1 << 70).plus_scaled(value, shift), wide(plain), "{value} {shift}");
            }
        }
        let top = Wide::<4>::zero().plus_scaled(-1, 254);
        assert_eq!(top.bits(), 254);
        assert_eq!(top.words(), &[0, 0, 0, 3 << 62]);
    }
}
