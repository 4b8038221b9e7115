//! What a weight must be able to do, and the two plain integers that can do it.
//!
//! The search adds, subtracts and compares weights, and nothing else: dual values are kept doubled, so that they
//! stay integers.
//! Invariant: the matcher refuses weights for which a result could leave the type, so no operation here overflows.

use std::fmt::Debug;

/// An ordered additive value: a signed integer of some width.
///
/// Several criteria in order of importance are one weight when each has bits of its own; see
/// [`Fields`](crate::Fields).
///
/// The order must agree with the sum: `a < b` implies `a + c < b + c`.
/// Implementations may assume that no result leaves the range that [`BITS`](Self::BITS) states.
pub trait Weight: Clone + Ord + Debug {
    /// The values of the type are those from `-2^BITS` up to, and without, `2^BITS`.
    const BITS: u32;

    /// Nothing.
    fn zero() -> Self;

    /// The sum.
    #[must_use]
    fn plus(&self, other: &Self) -> Self;

    /// The difference.
    #[must_use]
    fn minus(&self, other: &Self) -> Self;

    /// The half of an even value; of an odd one, the half rounded down.
    #[must_use]
    fn half(&self) -> Self;

    /// The sum of this and `value * 2^shift`, where `shift` is below [`BITS`](Self::BITS).
    #[must_use]
    fn plus_scaled(self, value: i64, shift: u32) -> Self;

    /// The least `b` for which this value is from `-2^b` up to, and without, `2^b`.
    fn bits(&self) -> u32;
}

macro_rules! plain {
    ($int:ty) => {
        impl Weight for $int {
            const BITS: u32 = <$int>::BITS - 1;

            fn zero() -> Self {
                0
            }
            #[inline]
            fn plus(&self, other: &Self) -> Self {
                self + other
            }
            #[inline]
            fn minus(&self, other: &Self) -> Self {
                self - other
            }
            #[inline]
            fn half(&self) -> Self {
                self >> 1
            }
            fn plus_scaled(self, value: i64, shift: u32) -> Self {
                self + (Self::from(value) << shift)
            }
            fn bits(&self) -> u32 {
                let magnitude = if *self < 0 { !*self } else { *self };
                <$int>::BITS - magnitude.leading_zeros()
            }
        }
    };
}

plain!(i64);
plain!(i128);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_bound_the_value_on_both_sides() {
        let cases = [(0, 0), (-1, 0), (1, 1), (-2, 1), (2, 2), (3, 2), (-4, 2), (-5, 3), (i64::MIN, 63)];
        for (value, bits) in cases {
            assert_eq!(value.bits(), bits, "{value}");
            assert_eq!(i128::from(value).bits(), bits, "{value}");
        }
    }

    #[test]
    fn a_scaled_value_is_added_where_it_belongs() {
        assert_eq!(5_i64.plus_scaled(-3, 4), 5 - 48);
        assert_eq!(0_i128.plus_scaled(-1, 100), -(1 << 100));
    }
}
