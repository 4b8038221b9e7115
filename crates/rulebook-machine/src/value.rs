//! The values that a program computes with.
//!
//! Invariant: numbers are exact fractions in lowest terms with a positive denominator, and arithmetic that
//! leaves the range of 64 bits is no number. Sets stand in a value itself; only lists stand elsewhere.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::position::{NOTHING, pack, unpack};
use crate::program::{Outcome, Site, Type};
use crate::set::Set;

/// An exact fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Num {
    numerator: i64,
    denominator: i64,
}

impl Num {
    /// Zero.
    pub const ZERO: Self = Self::whole(0);

    /// A whole number.
    pub const fn whole(value: i64) -> Self {
        Self { numerator: value, denominator: 1 }
    }

    /// A count.
    pub fn count(value: usize) -> Self {
        Self::whole(i64::try_from(value).unwrap_or(i64::MAX))
    }

    /// The fraction in lowest terms; `None` for a zero denominator or a value out of range.
    pub fn fraction(numerator: i128, denominator: i128) -> Option<Self> {
        if denominator == 0 {
            return None;
        }
        let (mut a, mut b) = (numerator.abs(), denominator.abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let sign = if denominator < 0 { -1 } else { 1 };
        Some(Self {
            numerator: i64::try_from(sign * numerator / a.max(1)).ok()?,
            denominator: i64::try_from(sign * denominator / a.max(1)).ok()?,
        })
    }

    /// Numerator and denominator.
    pub fn parts(self) -> (i64, i64) {
        (self.numerator, self.denominator)
    }

    fn wide(self) -> (i128, i128) {
        (i128::from(self.numerator), i128::from(self.denominator))
    }

    fn whole_parts(self, other: Self) -> Option<(i64, i64)> {
        (self.denominator == 1 && other.denominator == 1).then_some((self.numerator, other.numerator))
    }

    /// The sum.
    pub fn plus(self, other: Self) -> Option<Self> {
        if let Some((a, b)) = self.whole_parts(other) {
            return a.checked_add(b).map(Self::whole);
        }
        let ((a, b), (c, d)) = (self.wide(), other.wide());
        Self::fraction(a * d + c * b, b * d)
    }

    /// The difference: the sum with the opposite number, which must exist.
    pub fn minus(self, other: Self) -> Option<Self> {
        self.plus(other.negate()?)
    }

    /// The opposite number.
    pub fn negate(self) -> Option<Self> {
        Some(Self { numerator: self.numerator.checked_neg()?, ..self })
    }

    /// The product.
    pub fn times(self, other: Self) -> Option<Self> {
        if let Some((a, b)) = self.whole_parts(other) {
            return a.checked_mul(b).map(Self::whole);
        }
        let ((a, b), (c, d)) = (self.wide(), other.wide());
        Self::fraction(a * c, b * d)
    }

    /// The quotient; `None` if the divisor is zero.
    pub fn over(self, other: Self) -> Option<Self> {
        let ((a, b), (c, d)) = (self.wide(), other.wide());
        Self::fraction(a * d, b * c)
    }

    /// The largest whole number that is not greater.
    #[must_use]
    pub fn floor(self) -> Self {
        if self.denominator == 1 { self } else { Self::whole(self.numerator.div_euclid(self.denominator)) }
    }

    /// The remainder with the sign of the divisor.
    pub fn modulo(self, other: Self) -> Option<Self> {
        self.minus(other.times(self.over(other)?.floor())?)
    }

    /// The value if it is whole.
    pub fn to_whole(self) -> Option<i64> {
        (self.denominator == 1).then_some(self.numerator)
    }
}

impl PartialOrd for Num {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Num {
    fn cmp(&self, other: &Self) -> Ordering {
        if let Some((a, b)) = self.whole_parts(*other) {
            return a.cmp(&b);
        }
        let ((a, b), (c, d)) = (self.wide(), other.wide());
        (a * d).cmp(&(c * b))
    }
}

/// A value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Val<S> {
    /// No site, player, kind or row.
    #[default]
    Nothing,
    /// A truth value.
    Truth(bool),
    /// A number.
    Number(Num),
    /// A text, by its number among the texts of the program and then of the tables.
    Text(u32),
    /// A player.
    Player(u8),
    /// A kind.
    Kind(u8),
    /// A site.
    Site(Site),
    /// A set of sites.
    Sites(S),
    /// A list.
    List(Arc<Vec<Val<S>>>),
    /// A row of a table, by table and row number.
    Row(u16, u32),
    /// An outcome.
    Outcome(Outcome),
}

impl<S: Set> Val<S> {
    /// A list.
    pub fn list(values: Vec<Self>) -> Self {
        Self::List(Arc::new(values))
    }

    /// A whole number that counts something.
    pub fn count(value: usize) -> Self {
        Self::Number(Num::count(value))
    }

    /// A site, or nothing.
    pub fn site(site: Option<Site>) -> Self {
        site.map_or(Self::Nothing, Self::Site)
    }

    /// Whether this is the truth value that holds.
    pub fn holds(&self) -> bool {
        matches!(self, Self::Truth(true))
    }

    /// The sites that this value means: those of a set, a site, or all members of a list.
    pub fn as_sites(&self) -> S {
        match self {
            Self::Sites(sites) => *sites,
            Self::Site(site) => S::one(*site),
            Self::List(values) => values.iter().fold(S::EMPTY, |set, value| set | value.as_sites()),
            _ => S::EMPTY,
        }
    }

    /// Whether two values are equal in the language: sets with whatever means sites, else alike.
    pub fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Sites(_), _) | (_, Self::Sites(_)) => self.as_sites() == other.as_sites(),
            _ => self == other,
        }
    }

    /// The members, as a choice or a loop goes over them.
    pub fn into_choices(self) -> Vec<Self> {
        match self {
            Self::Sites(sites) => sites.sites().map(Self::Site).collect(),
            Self::List(values) => Arc::unwrap_or_clone(values),
            _ => Vec::new(),
        }
    }

    /// What a variable that is no set keeps; `None` for a number that does not fit.
    pub fn packed(&self, ty: Type) -> Option<i64> {
        Some(match (ty, self) {
            (Type::Truth, Self::Truth(truth)) => i64::from(*truth),
            (Type::Number, Self::Number(number)) => {
                let (numerator, denominator) = number.parts();
                pack(numerator, denominator)?
            }
            (Type::Text, Self::Text(at)) => i64::from(*at),
            (Type::Player, Self::Player(at)) | (Type::Kind, Self::Kind(at)) => i64::from(*at),
            (Type::Site, Self::Site(site)) => i64::from(*site),
            (Type::Row, Self::Row(table, row)) => i64::from(*table) << 32 | i64::from(*row),
            _ => NOTHING,
        })
    }

    /// The value that a variable keeps.
    pub fn unpacked(ty: Type, kept: i64) -> Self {
        if kept == NOTHING {
            return Self::Nothing;
        }
        match ty {
            Type::Truth => Self::Truth(kept != 0),
            Type::Number => {
                let (numerator, denominator) = unpack(kept);
                Self::Number(Num { numerator, denominator: denominator.max(1) })
            }
            Type::Text => Self::Text(kept as u32),
            Type::Player => Self::Player(kept as u8),
            Type::Kind => Self::Kind(kept as u8),
            Type::Site => Self::Site(kept as Site),
            Type::Sites => Self::Nothing,
            Type::Row => Self::Row((kept >> 32) as u16, kept as u32),
        }
    }
}

/// A short list that stands in place as long as it has no more than `N` entries.
#[derive(Clone, Debug)]
pub struct Few<T, const N: usize> {
    len: usize,
    first: [T; N],
    more: Vec<T>,
}

impl<T: Default, const N: usize> Default for Few<T, N> {
    fn default() -> Self {
        Self { len: 0, first: std::array::from_fn(|_| T::default()), more: Vec::new() }
    }
}

impl<T: Default, const N: usize> Few<T, N> {
    /// Adds an entry.
    pub fn push(&mut self, entry: T) {
        match self.first.get_mut(self.len) {
            Some(slot) => *slot = entry,
            None => self.more.push(entry),
        }
        self.len += 1;
    }

    /// Takes the last entry out.
    pub fn pop(&mut self) {
        let Some(last) = self.len.checked_sub(1) else { return };
        match self.first.get_mut(last) {
            Some(slot) => *slot = T::default(),
            None => drop(self.more.pop()),
        }
        self.len = last;
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The entries in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.first.get(..self.len.min(N)).unwrap_or(&[]).iter().chain(&self.more)
    }

    /// An entry.
    pub fn get(&self, at: usize) -> Option<&T> {
        if at < N { self.first.get(at).filter(|_| at < self.len) } else { self.more.get(at - N) }
    }

    /// The last entry.
    pub fn last(&self) -> Option<&T> {
        self.get(self.len.checked_sub(1)?)
    }

    /// Keeps the entries for which a condition holds.
    pub fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        if self.iter().all(&keep) {
            return;
        }
        let old = std::mem::take(self);
        let len = old.len;
        for entry in old.first.into_iter().take(len).chain(old.more) {
            if keep(&entry) {
                self.push(entry);
            }
        }
    }
}

impl<T: Default, const N: usize> FromIterator<T> for Few<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
        let mut few = Self::default();
        entries.into_iter().for_each(|entry| few.push(entry));
        few
    }
}

impl<T: Default + PartialEq, const N: usize> PartialEq for Few<T, N> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl<T: Default + Eq, const N: usize> Eq for Few<T, N> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact() {
        let half = Num::fraction(1, 2).unwrap();
        assert_eq!(half.plus(half), Some(Num::whole(1)));
        assert_eq!(half.minus(Num::whole(1)), Num::fraction(-1, 2));
        assert_eq!(Num::fraction(-7, 1).unwrap().modulo(Num::whole(3)), Some(Num::whole(2)));
        assert_eq!(Num::whole(i64::MAX).plus(Num::whole(1)), None);
        assert_eq!(Num::whole(i64::MIN).negate(), None);
        assert_eq!(half.over(Num::ZERO), None);
        assert_eq!(Num::fraction(-1, 2).unwrap().floor(), Num::whole(-1));
    }

    #[test]
    fn variables_keep_what_fits() {
        let number = |n: i128, d: i128| Val::<u64>::Number(Num::fraction(n, d).unwrap());
        for value in [number(-7, 2), number(0, 1), number((1 << 47) - 1, (1 << 16) - 1), Val::Nothing] {
            assert_eq!(Val::unpacked(Type::Number, value.packed(Type::Number).unwrap()), value);
        }
        assert_eq!(number(1 << 47, 1).packed(Type::Number), None);
        assert_eq!(number(1, 1 << 16).packed(Type::Number), None);
        let row = Val::<u64>::Row(7, u32::MAX);
        assert_eq!(Val::unpacked(Type::Row, row.packed(Type::Row).unwrap()), row);
    }

    #[test]
    fn short_lists_spill() {
        let mut few: Few<u16, 2> = (0..5).collect();
        assert_eq!(few.iter().copied().collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        few.retain(|entry| entry % 2 == 0);
        assert_eq!((few.len(), few.last()), (3, Some(&4)));
        few.pop();
        few.pop();
        assert_eq!((few.get(0), few.get(1)), (Some(&0), None));
    }
}
