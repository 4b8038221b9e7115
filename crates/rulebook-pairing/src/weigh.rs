//! A bracket as a graph: what each pair is worth by all measures in their order.
//!
//! What is measured on those who leave is given to pairs instead, from the other side: whoever is paired does not
//! leave.
//! Numbers that are compared one by one from the greatest get a field for each of their values.
//! Invariant: the sum over a matching orders matchings exactly as the measures do.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::rc::Rc;

use rulebook_matching::{Fields, Weight};
use rulebook_model::Number;
use rulebook_model::pairing::Measure;
use rulebook_reference::Fault;

use crate::completion::refused;
use crate::criteria::Kind;
use crate::eval::Outcome;
use crate::measure::{Pairs, measure};
use crate::round::Round;
use crate::value::{Map, Val};

/// A bracket, with what lies below.
pub(crate) struct Bracket {
    pub(crate) value: Number,
    /// Those who are paired here, in order.
    pub(crate) members: Vec<usize>,
    /// How many of them, the first ones, were moved here.
    pub(crate) moved: usize,
    /// The next bracket, without those who will be moved there.
    pub(crate) next: Vec<usize>,
    pub(crate) next_value: Number,
    /// All who come after it.
    pub(crate) rest: Vec<usize>,
}

/// How much of what lies below is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    /// Nothing.
    Alone,
    /// The next bracket.
    Near,
    /// All, and who is left alone.
    Whole,
}

/// The halves of those who are not moved here, for the order of equal pairings.
#[derive(Clone, Copy)]
pub(crate) struct Halves<'h> {
    /// The place of each member in the bracket, if it is to be told apart by halves.
    pub(crate) place: &'h [Option<usize>],
    /// How many are in the upper half.
    pub(crate) upper: usize,
    /// Whether fewest exchanges, and nearest ones, are preferred.
    pub(crate) fewest: bool,
    pub(crate) nearest: bool,
}

/// One field of a weight.
enum Field {
    Pair {
        at: usize,
        level: Option<Number>,
        most: bool,
        scale: i64,
    },
    /// By member.
    Leaves(Vec<i64>),
    /// By member, then by those of the next bracket.
    Next(Vec<i64>),
}

/// The measures of a bracket as fields, ready to weigh pairs.
pub(crate) struct Scale<'r> {
    fields: Vec<Field>,
    layout: Fields,
    /// The values of pairs that are alike.
    kept: Vec<Rc<[Val]>>,
    halves: Option<Halves<'r>>,
    /// Worth of pairs that are alike, by where their values are kept.
    alike: Map<usize, usize>,
    members: usize,
}

/// What every pair of a bracket is worth, and what each of its two adds.
pub(crate) struct Worth<W> {
    alike: Vec<W>,
    leaves: Vec<W>,
    next: Vec<W>,
}

/// How often the number of members fits into the last field, which decisions among equal pairings use.
const STEPS: i64 = 6;

impl<'r> Scale<'r> {
    /// The measures of a bracket. `alone` says whether the one who leaves is the one left alone.
    pub(crate) fn new(
        round: &Round<'_>,
        bracket: &Bracket,
        scope: Scope,
        alone: bool,
        pairs: &Pairs<'_>,
        halves: Option<Halves<'r>>,
    ) -> Outcome<Self> {
        let kept: Vec<Rc<[Val]>> = pairs.all();
        let mut fields = Vec::new();
        for criterion in &round.criteria.measured {
            match &criterion.kind {
                Kind::Pair(at, of) => {
                    let values: Outcome<Vec<Number>> =
                        kept.iter().map(|values| measure(&values[*at])).collect();
                    let values = values?;
                    let most = of.most;
                    if of.each {
                        let levels: BTreeSet<Number> =
                            values.into_iter().filter(|value| *value > Number::ZERO).collect();
                        let level = |level| Field::Pair { at: *at, level: Some(level), most, scale: 1 };
                        fields.extend(levels.into_iter().rev().map(level));
                    } else if values.iter().any(|value| *value > Number::ZERO) {
                        fields.push(Field::Pair { at: *at, level: None, most, scale: common(&values)? });
                    }
                }
                Kind::Alone(_) if !alone => {}
                Kind::Leaves(of) | Kind::Alone(of) => {
                    let values = of_each(round, of, &bracket.members, bracket.value)?;
                    fields.extend(levels(of, values)?.into_iter().map(Field::Leaves));
                }
                Kind::Next(_) if scope == Scope::Alone => {}
                Kind::Next(all) => {
                    for of in all {
                        let mut values = of_each(round, of, &bracket.members, bracket.next_value)?;
                        values.extend(of_each(round, of, &bracket.next, bracket.next_value)?);
                        fields.extend(levels(of, values)?.into_iter().map(Field::Next));
                    }
                }
            }
        }
        let members = bracket.members.len();
        let count = members + if scope == Scope::Alone { 0 } else { bracket.next.len() };
        let mut ranges: Vec<RangeInclusive<i64>> = Vec::new();
        for field in &fields {
            ranges.push(match field {
                Field::Pair { .. } => {
                    let values: Outcome<Vec<i64>> = kept.iter().map(|values| field.of_pair(values)).collect();
                    let values = values?;
                    let (least, most) = (values.iter().min(), values.iter().max());
                    least.copied().unwrap_or(0).min(0)..=most.copied().unwrap_or(0).max(0)
                }
                Field::Leaves(values) | Field::Next(values) => {
                    let (least, most) = (values.iter().min(), values.iter().max());
                    2 * least.copied().unwrap_or(0).min(0)..=2 * most.copied().unwrap_or(0).max(0)
                }
            });
        }
        let order = halves.map_or(0, |halves| halves.place.iter().flatten().count()) as i64;
        ranges.push(-i64::from(halves.is_some_and(|halves| halves.fewest))..=0);
        ranges.push(-(if halves.is_some_and(|halves| halves.nearest) { order } else { 0 })..=0);
        ranges.push(-4..=STEPS * members as i64 + 4);
        let layout = Fields::new(&ranges, count / 2 + 1);
        let alike = kept.iter().enumerate().map(|(at, values)| (address(values), at)).collect();
        Ok(Self { fields, layout, kept, halves, alike, members })
    }

    /// How many bits a weight has.
    pub(crate) fn bits(&self) -> u32 {
        self.layout.bits()
    }

    fn pack<W: Weight>(&self, values: impl Fn(usize, &Field) -> Outcome<i64>) -> Outcome<W> {
        let mut packed = Vec::with_capacity(self.fields.len() + 3);
        for (at, field) in self.fields.iter().enumerate() {
            packed.push(values(at, field)?);
        }
        packed.extend([0, 0, 0]);
        self.layout.pack(&packed).map_err(refused)
    }

    /// Works out what pairs are worth.
    pub(crate) fn worth<W: Weight>(&self, next: usize) -> Outcome<Worth<W>> {
        let alike: Outcome<Vec<W>> =
            self.kept.iter().map(|values| self.pack(|_, field| field.of_pair(values))).collect();
        let of = |at: usize, of_next: bool| {
            self.pack(|_, field| {
                Ok(match field {
                    Field::Leaves(values) if !of_next => values.get(at).copied().unwrap_or(0),
                    Field::Next(values) if of_next => values.get(at).copied().unwrap_or(0),
                    _ => 0,
                })
            })
        };
        let leaves: Outcome<Vec<W>> = (0..self.members).map(|at| of(at, false)).collect();
        let next: Outcome<Vec<W>> = (0..self.members + next).map(|at| of(at, true)).collect();
        Ok(Worth { alike: alike?, leaves: leaves?, next: next? })
    }

    /// What a pair of members is worth, halves included.
    pub(crate) fn pair<W: Weight>(
        &self,
        worth: &Worth<W>,
        values: &Rc<[Val]>,
        a: usize,
        b: usize,
    ) -> Outcome<W> {
        let at = self.alike.get(&address(values)).ok_or(Fault::TooMuchWork)?;
        let mut weight = worth.alike[*at].plus(&worth.leaves[a]).plus(&worth.leaves[b]);
        weight = weight.plus(&worth.next[a]).plus(&worth.next[b]);
        if let Some(halves) = self.halves
            && let Some(place) = halves.place[a.min(b)]
            && halves.place[a.max(b)].is_some()
        {
            let mut values = vec![0; self.fields.len() + 3];
            let count = self.fields.len();
            values[count] = -i64::from(halves.fewest && place >= halves.upper);
            values[count + 1] = if halves.nearest { -(place as i64) } else { 0 };
            weight = weight.plus(&self.layout.pack(&values).map_err(refused)?);
        }
        Ok(weight)
    }

    /// What a pair is worth that is made in the next bracket.
    pub(crate) fn below<W: Weight>(worth: &Worth<W>, a: usize, b: usize) -> W {
        worth.next[a].plus(&worth.next[b])
    }
}

impl Field {
    fn of_pair(&self, values: &[Val]) -> Outcome<i64> {
        let Self::Pair { at, level, most, scale } = self else { return Ok(0) };
        let value = measure(&values[*at])?;
        let value = match level {
            Some(level) => i64::from(value == *level),
            None => scaled(value, *scale)?,
        };
        Ok(if *most { value } else { -value })
    }
}

fn address(values: &Rc<[Val]>) -> usize {
    Rc::as_ptr(values).cast::<Val>() as usize
}

fn of_each(round: &Round<'_>, of: &Measure, places: &[usize], bracket: Number) -> Outcome<Vec<Number>> {
    places.iter().map(|place| measure(&round.of_one(&of.code, *place, bracket)?)).collect()
}

/// A measure of those who leave as what staying is worth: one list, or one for each value from the greatest.
fn levels(of: &Measure, values: Vec<Number>) -> Outcome<Vec<Vec<i64>>> {
    let sign = if of.most { -1 } else { 1 };
    if of.each {
        let found: BTreeSet<Number> = values.iter().copied().filter(|value| *value > Number::ZERO).collect();
        let level = |level: Number| values.iter().map(|value| sign * i64::from(*value == level)).collect();
        return Ok(found.into_iter().rev().map(level).collect());
    }
    let scale = common(&values)?;
    let list: Outcome<Vec<i64>> = values.iter().map(|value| Ok(sign * scaled(*value, scale)?)).collect();
    let list = list?;
    Ok(if list.iter().any(|value| *value != 0) { vec![list] } else { Vec::new() })
}

/// The least number that makes whole numbers of all.
fn common(values: &[Number]) -> Outcome<i64> {
    let mut common = 1_i64;
    for value in values {
        let (_, below) = value.to_parts();
        let (mut a, mut b) = (common, below);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        common = (common / a).checked_mul(below).filter(|common| *common < 1 << 20).ok_or(Fault::Number)?;
    }
    Ok(common)
}

fn scaled(value: Number, scale: i64) -> Outcome<i64> {
    let whole = value.times(Number::whole(scale)).and_then(Number::to_whole).ok_or(Fault::Number)?;
    if whole < 1 << 40 { Ok(whole) } else { Err(Fault::Number) }
}
