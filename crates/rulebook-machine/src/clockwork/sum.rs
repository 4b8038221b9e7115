//! Sums of times with a factor each.

use crate::value::Num;

/// Thousandths in a second: the unit in which times are replayed.
pub(super) const UNIT: i64 = 1000;
/// No time, factor or sum is larger than this when it is replayed.
const LARGEST: i64 = 1 << 40;

/// A sum of times, with what it is worth at hand.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sum {
    /// What it is worth while it is traced, in seconds.
    pub(super) value: Num,
    constant: Num,
    factors: Vec<(u16, Num)>,
}

/// How a sum stands to zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Test {
    Below,
    NotBelow,
    Above,
    NotAbove,
    Zero,
    NotZero,
}

impl Sum {
    /// A number.
    pub(super) fn of(number: Num) -> Self {
        Self { value: number, constant: number, factors: Vec::new() }
    }

    /// A time that is left open.
    pub(super) fn open(which: u16, value: Num) -> Self {
        Self { value, constant: Num::ZERO, factors: vec![(which, Num::whole(1))] }
    }

    /// The number, if no time is left open.
    pub(super) fn number(&self) -> Option<Num> {
        self.factors.is_empty().then_some(self.constant)
    }

    pub(super) fn plus(&self, other: &Self) -> Option<Self> {
        let mut factors = self.factors.clone();
        for (which, factor) in &other.factors {
            match factors.iter_mut().find(|(known, _)| known == which) {
                Some((_, known)) => *known = known.plus(*factor)?,
                None => factors.push((*which, *factor)),
            }
        }
        factors.retain(|(_, factor)| *factor != Num::ZERO);
        factors.sort_by_key(|(which, _)| *which);
        Some(Self {
            value: self.value.plus(other.value)?,
            constant: self.constant.plus(other.constant)?,
            factors,
        })
    }

    pub(super) fn scaled(&self, by: Num) -> Option<Self> {
        if by == Num::ZERO {
            return Some(Self::of(Num::ZERO));
        }
        let factors: Option<Vec<_>> =
            self.factors.iter().map(|(which, factor)| Some((*which, factor.times(by)?))).collect();
        Some(Self { value: self.value.times(by)?, constant: self.constant.times(by)?, factors: factors? })
    }

    /// The sum in thousandths, as it is replayed; `None` where it has no whole factors.
    pub(super) fn replayed(&self) -> Option<Replayed> {
        let whole = |number: Num| number.to_whole().filter(|whole| whole.abs() < LARGEST);
        let constant = whole(self.constant.times(Num::whole(UNIT))?)?;
        let factors = self.factors.iter().map(|(which, factor)| Some((*which, whole(*factor)?)));
        Some(Replayed { constant, factors: factors.collect::<Option<Vec<_>>>()? })
    }

    /// The same for a test, where any positive multiple will do.
    pub(super) fn tested(&self) -> Option<Replayed> {
        let mut by = self.constant.times(Num::whole(UNIT))?.parts().1;
        for (_, factor) in &self.factors {
            by = by.checked_mul(factor.parts().1).filter(|by| *by < 1 << 20)?;
        }
        self.scaled(Num::whole(by))?.replayed()
    }
}

/// A sum of times in thousandths.
#[derive(Clone, Debug)]
pub(super) struct Replayed {
    constant: i64,
    factors: Vec<(u16, i64)>,
}

impl Replayed {
    /// Whether it is one of the times and nothing else.
    pub(super) fn is_only(&self, which: usize) -> bool {
        self.constant == 0 && matches!(self.factors[..], [(only, 1)] if usize::from(only) == which)
    }

    /// What it is worth; `None` if that is too large.
    #[inline]
    pub(super) fn worth(&self, times: &[i64]) -> Option<i64> {
        let mut sum = self.constant;
        for (which, factor) in &self.factors {
            let part = times.get(usize::from(*which))?.checked_mul(*factor)?;
            sum = sum.checked_add(part)?;
        }
        (sum.abs() < LARGEST).then_some(sum)
    }
}

impl Test {
    #[inline]
    pub(super) fn passes(self, worth: i64) -> bool {
        match self {
            Self::Below => worth < 0,
            Self::NotBelow => worth >= 0,
            Self::Above => worth > 0,
            Self::NotAbove => worth <= 0,
            Self::Zero => worth == 0,
            Self::NotZero => worth != 0,
        }
    }
}
