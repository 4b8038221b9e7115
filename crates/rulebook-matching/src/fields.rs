//! Criteria in order of importance, packed into one weight.

use std::ops::RangeInclusive;

use crate::refusal::Refusal;
use crate::weight::Weight;

/// Where each of several criteria stands in a weight.
///
/// Each criterion has as many bits as the sum of its values over all pairs of a matching can take, so that no sum of
/// less important ones outweighs a single step of a more important one.
///
/// # Examples
///
/// ```
/// use rulebook_matching::{Fields, Wide};
///
/// // First how often something holds, then a cost from 0 to 1000; a matching has at most 50 pairs.
/// let fields = Fields::new(&[0..=1, -1000..=0], 50);
/// assert_eq!(fields.bits(), 6 + 16);
/// let holds: Wide<1> = fields.pack(&[1, -1000])?;
/// let cheap: Wide<1> = fields.pack(&[0, 0])?;
/// assert!(holds > cheap);
/// # Ok::<(), rulebook_matching::Refusal>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fields {
    ranges: Vec<RangeInclusive<i64>>,
    shifts: Vec<u32>,
    bits: u32,
}

impl Fields {
    /// Lays out criteria, the most important first, of which each has values in a range, for matchings of at most
    /// `pairs` edges.
    pub fn new(ranges: &[RangeInclusive<i64>], pairs: usize) -> Self {
        let mut bits = 0;
        let mut shifts: Vec<u32> = ranges
            .iter()
            .rev()
            .map(|range| {
                let shift = bits;
                bits += width(range, pairs);
                shift
            })
            .collect();
        shifts.reverse();
        Self { ranges: ranges.to_vec(), shifts, bits }
    }

    /// How many bits a weight has, as [`Weight::bits`] counts them.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The weight of the values of all criteria.
    ///
    /// # Errors
    ///
    /// If there are more or fewer values than criteria, if a value is not in its range, or if the type has no room.
    pub fn pack<W: Weight>(&self, values: &[i64]) -> Result<W, Refusal> {
        if values.len() != self.ranges.len() {
            return Err(Refusal::WrongCount { wanted: self.ranges.len(), found: values.len() });
        }
        if self.bits > W::BITS {
            return Err(Refusal::TooWide { bits: self.bits, widest: W::BITS });
        }
        let mut weight = W::zero();
        for (criterion, value) in values.iter().copied().enumerate() {
            if !self.ranges[criterion].contains(&value) {
                return Err(Refusal::OutOfRange { criterion, value });
            }
            if value != 0 {
                weight = weight.plus_scaled(value, self.shifts[criterion]);
            }
        }
        Ok(weight)
    }
}

/// The bits of all sums of at most so many values in a range: for the difference of any two such sums is below
/// a power of two.
fn width(range: &RangeInclusive<i64>, pairs: usize) -> u32 {
    let (low, high) = (i128::from(*range.start()).min(0), i128::from(*range.end()).max(0));
    // Below 2^64 times below 2^64, which a `u128` holds.
    let span = (high - low).unsigned_abs().saturating_mul(pairs.max(1) as u128);
    u128::BITS - span.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_of_one_criterion_outweighs_all_below_it() {
        let fields = Fields::new(&[-1..=1, 0..=9, -3..=0], 7);
        let pack = |values: [i64; 3]| fields.pack::<i64>(&values).unwrap();
        // Seven pairs of the worst lower values with one step more, and seven of the best without.
        assert!(pack([1, 0, -3]) + 6 * pack([0, 0, -3]) > 7 * pack([0, 9, 0]));
        assert!(pack([0, 1, -3]) + 6 * pack([0, 0, -3]) > 7 * pack([0, 0, 0]));
        assert!(pack([1, 9, 0]).bits() <= fields.bits());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let fields = Fields::new(&[0..=1, 0..=9], 7);
        let wrong = Refusal::WrongCount { wanted: 2, found: 1 };
        assert_eq!(fields.pack::<i64>(&[1]), Err(wrong));
        assert_eq!(fields.pack::<i64>(&[1, 10]), Err(Refusal::OutOfRange { criterion: 1, value: 10 }));
        let many = Fields::new(&[0..=1, 0..=i64::MAX], 7);
        assert_eq!(many.pack::<i64>(&[1, 1]), Err(Refusal::TooWide { bits: 69, widest: 63 }));
    }
}
