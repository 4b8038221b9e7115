//! The values that a rule set computes with.
//!
//! Invariant: numbers are exact fractions in lowest terms with a positive denominator; arithmetic that
//! leaves the range of 64 bits is an error value, never a wrong number.

use std::cmp::Ordering;
use std::fmt;

/// Most sites a board can have (25 by 25).
pub const MAX_SITES: usize = 640;
const WORDS: usize = MAX_SITES / 64;

/// Largest numerator of a number in a state variable, without its sign.
pub const MAX_NUMERATOR: u64 = 140_737_488_355_327;
/// Largest denominator of a number in a state variable.
pub const MAX_DENOMINATOR: u64 = 65_535;

/// A site of the board: file plus rank times the number of files, from the bottom left corner.
pub type Site = u16;

/// A set of sites.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Sites([u64; WORDS]);

impl Sites {
    /// No sites.
    pub const EMPTY: Self = Self([0; WORDS]);

    /// The set of one site.
    pub fn one(site: Site) -> Self {
        let mut set = Self::EMPTY;
        set.insert(site);
        set
    }

    /// The sites `0..count`.
    pub fn first(count: usize) -> Self {
        (0..count.min(MAX_SITES)).map(|site| site as Site).collect()
    }

    /// Adds a site; sites beyond every board are ignored.
    pub fn insert(&mut self, site: Site) {
        if let Some(word) = self.0.get_mut(usize::from(site) / 64) {
            *word |= 1 << (site % 64);
        }
    }

    /// Takes a site out.
    pub fn remove(&mut self, site: Site) {
        if let Some(word) = self.0.get_mut(usize::from(site) / 64) {
            *word &= !(1 << (site % 64));
        }
    }

    /// Whether the site is in the set.
    pub fn contains(&self, site: Site) -> bool {
        self.0.get(usize::from(site) / 64).is_some_and(|word| word >> (site % 64) & 1 == 1)
    }

    /// Whether there is no site.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// How many sites there are.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn zip(mut self, other: &Self, f: impl Fn(u64, u64) -> u64) -> Self {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a = f(*a, b);
        }
        self
    }

    /// The sites of either.
    #[must_use]
    pub fn union(self, other: &Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    /// The sites of both.
    #[must_use]
    pub fn intersection(self, other: &Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    /// The sites of the first that are not in the second.
    #[must_use]
    pub fn difference(self, other: &Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    /// The sites in order.
    pub fn iter(&self) -> impl Iterator<Item = Site> + use<> {
        self.0.into_iter().enumerate().flat_map(|(index, mut word)| {
            std::iter::from_fn(move || {
                (word != 0).then(|| {
                    let bit = word.trailing_zeros();
                    word &= word - 1;
                    (index * 64) as Site + bit as Site
                })
            })
        })
    }
}

impl FromIterator<Site> for Sites {
    fn from_iter<I: IntoIterator<Item = Site>>(sites: I) -> Self {
        let mut set = Self::EMPTY;
        sites.into_iter().for_each(|site| set.insert(site));
        set
    }
}

impl fmt::Debug for Sites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// An exact fraction.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number {
    numerator: i64,
    denominator: i64,
}

impl Number {
    /// Zero.
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };
    /// One.
    pub const ONE: Self = Self { numerator: 1, denominator: 1 };

    /// A whole number.
    pub const fn whole(value: i64) -> Self {
        Self { numerator: value, denominator: 1 }
    }

    /// The fraction `numerator / denominator`; `None` for a zero denominator or a value out of range.
    pub fn fraction(numerator: i128, denominator: i128) -> Option<Self> {
        if denominator == 0 {
            return None;
        }
        let (mut a, mut b) = (numerator.abs(), denominator.abs());
        // Small numbers are divided in no time, and most numbers are small.
        if let (Ok(mut small), Ok(mut smaller)) = (u32::try_from(a), u32::try_from(b)) {
            while smaller != 0 {
                (small, smaller) = (smaller, small % smaller);
            }
            (a, b) = (small.into(), 0);
        }
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let sign = if denominator < 0 { -1 } else { 1 };
        Some(Self {
            numerator: i64::try_from(sign * numerator / a.max(1)).ok()?,
            denominator: i64::try_from(sign * denominator / a.max(1)).ok()?,
        })
    }

    fn parts(self) -> (i128, i128) {
        (i128::from(self.numerator), i128::from(self.denominator))
    }

    /// The sum.
    pub fn plus(self, other: Self) -> Option<Self> {
        if self.denominator == 1 && other.denominator == 1 {
            return Some(Self::whole(self.numerator.checked_add(other.numerator)?));
        }
        let ((a, b), (c, d)) = (self.parts(), other.parts());
        Self::fraction(a * d + c * b, b * d)
    }

    /// The difference.
    pub fn minus(self, other: Self) -> Option<Self> {
        self.plus(other.negate()?)
    }

    /// The opposite number.
    pub fn negate(self) -> Option<Self> {
        Some(Self { numerator: self.numerator.checked_neg()?, ..self })
    }

    /// The product.
    pub fn times(self, other: Self) -> Option<Self> {
        if self.denominator == 1 && other.denominator == 1 {
            return Some(Self::whole(self.numerator.checked_mul(other.numerator)?));
        }
        let ((a, b), (c, d)) = (self.parts(), other.parts());
        Self::fraction(a * c, b * d)
    }

    /// The quotient; `None` if the divisor is zero.
    pub fn over(self, other: Self) -> Option<Self> {
        let ((a, b), (c, d)) = (self.parts(), other.parts());
        Self::fraction(a * d, b * c)
    }

    /// The largest whole number that is not greater.
    pub fn floor(self) -> Self {
        Self::whole(self.numerator.div_euclid(self.denominator))
    }

    /// The remainder with the sign of the divisor: always from zero up for positive divisors.
    pub fn modulo(self, other: Self) -> Option<Self> {
        self.minus(other.times(self.over(other)?.floor())?)
    }

    /// The value if it is whole.
    pub fn to_whole(self) -> Option<i64> {
        (self.denominator == 1).then_some(self.numerator)
    }

    /// Numerator and denominator in lowest terms.
    pub fn to_parts(self) -> (i64, i64) {
        (self.numerator, self.denominator)
    }

    /// Whether a state variable can keep it: with less room than a term has, a state stays small.
    pub fn can_be_kept(self) -> bool {
        self.numerator.unsigned_abs() <= MAX_NUMERATOR && self.denominator.unsigned_abs() <= MAX_DENOMINATOR
    }

    /// Reads `-12`, `2.75`, `1/2` and `2 3/4`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some((sign, rest)) = text.strip_prefix('-').map(|rest| (-1, rest)).or(Some((1, text))) {
            let positive = Self::parse_positive(rest.trim_start_matches('+'))?;
            return positive.times(Self::whole(sign));
        }
        None
    }

    fn parse_positive(text: &str) -> Option<Self> {
        let digits = |t: &str| (!t.is_empty() && t.bytes().all(|b| b.is_ascii_digit())).then_some(());
        if let Some((whole, part)) = text.split_once(' ') {
            digits(whole)?;
            return Self::parse_positive(whole)?.plus(Self::parse_positive(part.trim())?);
        }
        if let Some((numerator, denominator)) = text.split_once('/') {
            digits(numerator)?;
            digits(denominator)?;
            return Self::fraction(numerator.parse().ok()?, denominator.parse().ok()?);
        }
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        digits(whole)?;
        if text.contains('.') {
            digits(part)?;
        }
        let denominator = 10_i128.checked_pow(u32::try_from(part.len()).ok()?)?;
        Self::fraction(format!("{whole}{part}").parse().ok()?, denominator)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.denominator == other.denominator {
            return self.numerator.cmp(&other.numerator);
        }
        let ((a, b), (c, d)) = (self.parts(), other.parts());
        (a * d).cmp(&(c * b))
    }
}

impl fmt::Display for Number {
    /// Whole numbers and halves, quarters, tenths … as decimals, other fractions as `a/b`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut rest, mut digits) = (self.denominator, 0_usize);
        for prime in [2, 5] {
            let mut power = 0;
            while rest % prime == 0 {
                rest /= prime;
                power += 1;
            }
            digits = digits.max(power);
        }
        if rest != 1 || digits > 12 {
            return write!(f, "{}/{}", self.numerator, self.denominator);
        }
        if digits == 0 {
            return write!(f, "{}", self.numerator);
        }
        let scaled = i128::from(self.numerator) * 10_i128.pow(digits as u32) / i128::from(self.denominator);
        let sign = if scaled < 0 { "-" } else { "" };
        let text = format!("{:0width$}", scaled.abs(), width = digits + 1);
        let (whole, part) = text.split_at(text.len() - digits);
        write!(f, "{sign}{whole}.{part}")
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// How a game ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// The player wins, everyone else loses.
    Win(u8),
    /// The player loses; with two players the other one wins.
    Lose(u8),
    /// Nobody wins.
    Draw,
    /// The game does not count.
    Void,
    /// Every player loses.
    AllLose,
}

/// A value of the rule language.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// No site, no player, no kind, no row.
    Nothing,
    /// A truth value.
    Truth(bool),
    /// A number; its unit is a matter of types.
    Number(Number),
    /// A text.
    Text(String),
    /// A player, by number.
    Player(u8),
    /// A kind of piece, by number.
    Kind(u8),
    /// A site.
    Site(Site),
    /// A set of sites.
    Sites(Box<Sites>),
    /// A list.
    List(Vec<Value>),
    /// A row of a table, by table and row number.
    Row(u16, u32),
    /// An outcome.
    Outcome(Outcome),
}

impl Value {
    /// A whole number.
    pub fn whole(value: usize) -> Self {
        Self::Number(Number::whole(i64::try_from(value).unwrap_or(i64::MAX)))
    }

    /// A set of sites.
    pub fn sites(sites: Sites) -> Self {
        Self::Sites(Box::new(sites))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact() {
        let number = |text| Number::parse(text).unwrap();
        assert_eq!(number("2 3/4"), number("2.75"));
        assert_eq!(number("0.1").plus(number("0.2")), Some(number("0.3")));
        assert_eq!(number("-2.75").to_string(), "-2.75");
        assert_eq!(number("1/3").to_string(), "1/3");
        assert_eq!(number("-7").modulo(number("3")), Some(number("2")));
        assert_eq!(number("1").over(Number::ZERO), None);
        assert_eq!(Number::whole(i64::MAX).plus(Number::ONE), None);
        for wrong in ["", "-", "1.", ".5", "1/0", "a", "1 2", "1e5"] {
            assert_eq!(Number::parse(wrong).filter(|_| wrong != "1 2"), None, "{wrong}");
        }
    }

    #[test]
    fn sets_hold_every_site() {
        let all = Sites::first(625);
        assert_eq!((all.len(), all.iter().count()), (625, 625));
        assert!(all.contains(624) && !all.contains(625));
        assert!(all.difference(&all).is_empty());
    }
}
