//! Why a pairing is as it is: what each clause measures of it, and of the best one that is otherwise.
//!
//! Invariant: everything that is told is worked out by the same computation as the pairing itself.

use std::cmp::Reverse;

use rulebook_model::Number;
use rulebook_model::pairing::{Measure, Preference};
use rulebook_reference::State;

use crate::bracket::{Chosen, Demand, Solver};
use crate::criteria::Kind;
use crate::eval::{Evaluator, Outcome};
use crate::measure::measure;
use crate::pair::{Pairer, Step, next_bracket, steps};
use crate::round::{Failure, Round, rows, section};
use crate::weigh::Bracket;

/// What a clause measures of two pairings of a bracket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The clause.
    pub clause: u16,
    /// What it measures of the pairing that was chosen: a sum, or numbers from the greatest.
    pub chosen: Vec<Number>,
    /// What it measures of the other one, if there is one.
    pub other: Option<Vec<Number>>,
}

/// Why an entry is paired as it is.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The row of its opponent; none if it is left alone.
    pub opponent: Option<u32>,
    /// The bracket in which it was paired.
    pub bracket: Number,
    /// The brackets that it left unpaired, with the clause that decided each.
    pub left: Vec<(Number, Option<u16>)>,
    /// The rows of those who were in the bracket, in order.
    pub members: Vec<u32>,
    /// How many of them, the first ones, were moved there.
    pub moved: usize,
    /// What the clauses measure of the pairing and of the best one in which the two do not meet.
    pub compared: Vec<Compared>,
    /// The clause that decides between the two; none if there is no other pairing.
    pub decided: Option<u16>,
    /// The pairs of the other pairing, as rows.
    pub other: Option<Vec<(u32, u32)>>,
    /// The clause that decided on the sides.
    pub side: Option<u16>,
}

/// Why two entries are not paired.
#[derive(Clone, Debug)]
pub enum WhyNot {
    /// They are.
    Paired,
    /// One of them is not to be paired in this round.
    Absent(u32),
    /// A clause forbids it.
    Forbidden(u16),
    /// They are never in one bracket: the brackets in which each was paired or left alone.
    Apart(Number, Number),
    /// With this pair the rest could not all be paired: the clause that says that it must be so.
    NotComplete(Option<u16>),
    /// The pairing of their bracket would be worse.
    Worse {
        /// The bracket.
        bracket: Number,
        /// What the clauses measure of the pairing and of the best one with this pair.
        compared: Vec<Compared>,
        /// The clause that decides.
        decided: Option<u16>,
        /// The pairs of the best pairing with this pair, as rows.
        other: Vec<(u32, u32)>,
    },
}

/// Why the pairs of a bracket are what they are.
pub(crate) struct Reason {
    natural: Vec<(usize, usize)>,
    order: Option<u16>,
    worse: Option<u16>,
}

impl Reason {
    pub(crate) fn of(&self, a: usize, b: usize) -> Option<u16> {
        if self.natural.contains(&(a, b)) { self.order } else { self.worse.or(self.order) }
    }
}

/// Compares the pairing of a bracket with the one that comes first in order.
pub(crate) fn reason(round: &Round<'_>, bracket: &Bracket, chosen: &Chosen) -> Result<Reason, Failure> {
    let natural = first_in_order(bracket, chosen);
    let order = round.criteria.prefers(Preference::Opponents);
    let same = natural.pairs.iter().all(|pair| chosen.pairs.contains(pair));
    if same {
        return Ok(Reason { natural: natural.pairs, order, worse: None });
    }
    let worse = worse(round, bracket, chosen, &natural)?;
    Ok(Reason { natural: natural.pairs, order, worse })
}

/// The clause by which another pairing with as many pairs is not possible, or worse.
fn worse(
    round: &Round<'_>,
    bracket: &Bracket,
    chosen: &Chosen,
    other: &Chosen,
) -> Result<Option<u16>, Failure> {
    for (a, b) in &other.pairs {
        if let Some(clause) = round.forbids(*a, *b)? {
            return Ok(Some(clause));
        }
    }
    let mut rest = other.leaves.clone();
    rest.extend(bracket.next.iter().chain(&bracket.rest));
    if let Some(clause) = round.criteria.completes
        && other.leaves != chosen.leaves
        && !round.can_complete(&rest)?
    {
        return Ok(Some(clause));
    }
    let teller = Teller::new(round, bracket, chosen)?;
    let against = Teller::new(round, bracket, other)?;
    for at in 0..round.criteria.measured.len() {
        let (own, theirs) = (teller.measure(at)?, against.measure(at)?);
        if own != theirs {
            return Ok(round.criteria.measured.get(at).map(|criterion| criterion.clause));
        }
    }
    Ok(preferred(round, bracket, chosen, other))
}

/// The pairing that comes first in order of those with as many pairs, and as many of those moved here, as another.
fn first_in_order(bracket: &Bracket, like: &Chosen) -> Chosen {
    let (moved, own) = bracket.members.split_at(bracket.moved);
    let from_above = like.pairs.iter().filter(|(a, _)| moved.contains(a)).count();
    let mut pairs: Vec<(usize, usize)> =
        moved.iter().copied().take(from_above).zip(own.iter().copied()).collect();
    let rest = own.get(from_above..).unwrap_or(&[]);
    let half = like.pairs.len() - from_above;
    let upper = rest.iter().copied().take(half);
    pairs.extend(upper.zip(rest.iter().copied().skip(half)));
    let paired = |at: &usize| pairs.iter().any(|(a, b)| a == at || b == at);
    let leaves = bracket.members.iter().copied().filter(|at| !paired(at)).collect();
    Chosen { pairs, leaves, left_below: Vec::new() }
}

/// The first preference by which one pairing comes before another.
fn preferred(round: &Round<'_>, bracket: &Bracket, chosen: &Chosen, other: &Chosen) -> Option<u16> {
    let (own, theirs) = (keys(bracket, chosen), keys(bracket, other));
    let parted = own.into_iter().zip(theirs).find(|(own, theirs)| own.1 != theirs.1);
    parted.and_then(|((preference, _), _)| round.criteria.prefers(preference))
}

/// What pairings are ordered by where no measure parts them, the least first.
pub(crate) fn keys(bracket: &Bracket, chosen: &Chosen) -> Vec<(Preference, Vec<Reverse<i64>>)> {
    let (moved, own) = bracket.members.split_at(bracket.moved);
    let place = |of: &usize| bracket.members.iter().position(|member| member == of).unwrap_or(0) as i64;
    let opponent = |of: &usize| {
        let pair = chosen.pairs.iter().find(|(a, b)| a == of || b == of);
        pair.map(|(a, b)| if a == of { *b } else { *a })
    };
    let down = |list: Vec<i64>| list.into_iter().map(|value| Reverse(-value)).collect::<Vec<_>>();
    let paired = moved.iter().map(|at| i64::from(opponent(at).is_none())).collect();
    let met = moved.iter().filter_map(opponent).map(|at| place(&at)).collect();
    let rest: Vec<usize> =
        own.iter().copied().filter(|at| !opponent(at).is_some_and(|other| moved.contains(&other))).collect();
    let within = |of: &usize| rest.iter().position(|member| member == of).unwrap_or(0) as i64;
    let half = chosen.pairs.iter().filter(|(a, _)| !moved.contains(a)).count();
    let leads = |at: &usize| opponent(at).is_some_and(|other| other > *at);
    let leaders: Vec<usize> = rest.iter().copied().filter(leads).collect();
    let exchanged = leaders.iter().filter(|at| within(at) >= half as i64).count() as i64;
    let sum = leaders.iter().map(within).sum();
    let (upper, lower) = rest.split_at(half.min(rest.len()));
    let last = upper.iter().rev().map(|at| i64::from(leads(at))).collect();
    let first = lower.iter().map(|at| i64::from(!leads(at))).collect();
    let opponents = leaders.iter().filter_map(opponent).map(|at| within(&at)).collect();
    vec![
        (Preference::MovedPaired, down(paired)),
        (Preference::MovedOpponents, down(met)),
        (Preference::FewestExchanged, down(vec![exchanged])),
        (Preference::NearestExchanged, down(vec![sum])),
        (Preference::LastOfUpper, down(last)),
        (Preference::FirstOfLower, down(first)),
        (Preference::Opponents, down(opponents)),
    ]
}

/// Tells what the clauses measure of a pairing of a bracket.
struct Teller<'r, 'a> {
    round: &'r Round<'a>,
    bracket: &'r Bracket,
    chosen: &'r Chosen,
    solver: Solver<'r, 'a>,
}

impl<'r, 'a> Teller<'r, 'a> {
    fn new(round: &'r Round<'a>, bracket: &'r Bracket, chosen: &'r Chosen) -> Outcome<Self> {
        Ok(Self { round, bracket, chosen, solver: Solver::new(round, bracket, Demand::Free)? })
    }

    fn gathered(of: &Measure, values: impl Iterator<Item = Outcome<Number>>) -> Outcome<Vec<Number>> {
        let mut list = values.collect::<Outcome<Vec<Number>>>()?;
        if of.each {
            list.retain(|value| *value > Number::ZERO);
            list.sort_by_key(|value| Reverse(*value));
            return Ok(list);
        }
        let add = |sum: Number, value: &Number| sum.plus(*value);
        let sum = list.iter().try_fold(Number::ZERO, add).ok_or(rulebook_reference::Fault::Number)?;
        Ok(vec![sum])
    }

    fn leaves(&self, of: &Measure, leaves: &[usize], bracket: Number) -> Outcome<Vec<Number>> {
        let value = |place: &usize| measure(&self.round.of_one(&of.code, *place, bracket)?);
        Self::gathered(of, leaves.iter().map(value))
    }

    /// What one criterion measures.
    fn measure(&self, at: usize) -> Outcome<Vec<Number>> {
        let Some(criterion) = self.round.criteria.measured.get(at) else { return Ok(Vec::new()) };
        match &criterion.kind {
            Kind::Pair(number, of) => {
                let value = |(a, b): &(usize, usize)| measure(&self.solver.values(*a, *b)?[*number]);
                Self::gathered(of, self.chosen.pairs.iter().map(value))
            }
            Kind::Leaves(of) => self.leaves(of, &self.chosen.leaves, self.bracket.value),
            Kind::Alone(of) => {
                let here = self.chosen.leaves.len() == 1 && self.solver.is_alone_here();
                self.leaves(of, if here { &self.chosen.leaves } else { &[] }, self.bracket.value)
            }
            Kind::Next(all) => {
                let Some(next) = next_bracket(self.round, self.bracket, self.chosen) else {
                    return Ok(Vec::new());
                };
                let below = Solver::new(self.round, &next, Demand::Free)?.solve()?;
                let leaves = below.map(|below| below.leaves).unwrap_or_default();
                let mut values = Vec::new();
                for of in all {
                    values.extend(self.leaves(of, &leaves, next.value)?);
                }
                Ok(values)
            }
        }
    }

    fn all(&self) -> Outcome<Vec<(u16, Vec<Number>)>> {
        let criteria = self.round.criteria.measured.iter().enumerate();
        criteria.map(|(at, criterion)| Ok((criterion.clause, self.measure(at)?))).collect()
    }
}

/// What the clauses measure of two pairings, and the clause that decides.
fn compare(
    round: &Round<'_>,
    bracket: &Bracket,
    chosen: &Chosen,
    other: Option<&Chosen>,
) -> Outcome<(Vec<Compared>, Option<u16>)> {
    let own = Teller::new(round, bracket, chosen)?.all()?;
    let theirs = match other {
        Some(other) => Some(Teller::new(round, bracket, other)?.all()?),
        None => None,
    };
    let compared: Vec<Compared> = own
        .into_iter()
        .enumerate()
        .map(|(at, (clause, chosen))| {
            let other = theirs.as_ref().and_then(|theirs| theirs.get(at)).map(|(_, values)| values.clone());
            Compared { clause, chosen, other }
        })
        .collect();
    let parted = compared.iter().find(|of| of.other.as_ref().is_some_and(|other| *other != of.chosen));
    let decided = parted.map(|of| of.clause);
    let decided = decided.or_else(|| other.and_then(|other| preferred(round, bracket, chosen, other)));
    Ok((compared, decided))
}

fn as_rows(round: &Round<'_>, chosen: &Chosen) -> Vec<(u32, u32)> {
    let row = |place: usize| round.entries.get(place).map_or(0, |entry| entry.row);
    chosen.pairs.iter().map(|(a, b)| (row(*a), row(*b))).collect()
}

impl Pairer<'_> {
    fn with<T>(
        &self,
        state: &State,
        number: u32,
        tell: impl FnOnce(&Round<'_>, &[Step]) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let section = section(self.rules)?;
        let evaluator = Evaluator::new(self.rules, &state.tables);
        let round = Round::new(section, &self.criteria, &evaluator, rows(state, section.entries), number)?;
        let steps = steps(&round)?;
        tell(&round, &steps)
    }

    /// Why an entry is paired as it is in a round; nothing if it is not paired in it.
    ///
    /// # Errors
    ///
    /// If not all can be paired, or the clauses have no value for these tables.
    pub fn explain(&self, state: &State, number: u32, row: u32) -> Result<Option<Explained>, Failure> {
        self.with(state, number, |round, steps| {
            let Some(place) = round.entries.iter().position(|entry| entry.row == row) else {
                return Ok(None);
            };
            let mut left = Vec::new();
            for (at, step) in steps.iter().enumerate() {
                if !step.bracket.members.contains(&place) {
                    continue;
                }
                let (bracket, chosen) = (&step.bracket, &step.chosen);
                let pair = chosen.pairs.iter().find(|(a, b)| *a == place || *b == place);
                if pair.is_none() && at + 1 < steps.len() {
                    let demand = Demand::Stays(place);
                    let other = Solver::new(round, bracket, demand)?.solve()?;
                    let decided = compare(round, bracket, chosen, other.as_ref())?.1;
                    left.push((bracket.value, decided.or(round.criteria.completes)));
                    continue;
                }
                let demand = pair.map_or(Demand::Stays(place), |(a, b)| Demand::NotPair(*a, *b));
                let other = Solver::new(round, bracket, demand)?.solve()?;
                let (compared, decided) = compare(round, bracket, chosen, other.as_ref())?;
                let opponent = pair.map(|(a, b)| if *a == place { *b } else { *a });
                let side = match pair {
                    Some((a, b)) => round.side(*a, *b)?.map(|(_, clause)| clause),
                    None => None,
                };
                return Ok(Some(Explained {
                    opponent: opponent.map(|other| round.entries[other].row),
                    bracket: bracket.value,
                    left,
                    members: bracket.members.iter().map(|at| round.entries[*at].row).collect(),
                    moved: bracket.moved,
                    compared,
                    decided,
                    other: other.map(|other| as_rows(round, &other)),
                    side,
                }));
            }
            Ok(None)
        })
    }

    /// Why two entries are not paired in a round.
    ///
    /// # Errors
    ///
    /// If not all can be paired, or the clauses have no value for these tables.
    pub fn why_not(&self, state: &State, number: u32, one: u32, other: u32) -> Result<WhyNot, Failure> {
        self.with(state, number, |round, steps| {
            let place = |row: u32| round.entries.iter().position(|entry| entry.row == row);
            let (Some(a), Some(b)) = (place(one), place(other)) else {
                return Ok(WhyNot::Absent(if place(one).is_none() { one } else { other }));
            };
            let (a, b) = (a.min(b), a.max(b));
            if steps.iter().any(|step| step.chosen.pairs.contains(&(a, b))) {
                return Ok(WhyNot::Paired);
            }
            if let Some(clause) = round.forbids(a, b)? {
                return Ok(WhyNot::Forbidden(clause));
            }
            let holds = |step: &&Step| step.bracket.members.contains(&a) && step.bracket.members.contains(&b);
            let Some(step) = steps.iter().rfind(holds) else {
                let last = |place: usize| {
                    let step = steps.iter().rfind(|step| step.bracket.members.contains(&place));
                    step.map_or(Number::ZERO, |step| step.bracket.value)
                };
                return Ok(WhyNot::Apart(last(a), last(b)));
            };
            let (bracket, chosen) = (&step.bracket, &step.chosen);
            let Some(with) = Solver::new(round, bracket, Demand::Pair(a, b))?.solve()? else {
                return Ok(WhyNot::NotComplete(round.criteria.completes));
            };
            if !with.pairs.contains(&(a, b)) {
                return Ok(WhyNot::NotComplete(round.criteria.completes));
            }
            let (compared, decided) = compare(round, bracket, chosen, Some(&with))?;
            let other = as_rows(round, &with);
            Ok(WhyNot::Worse { bracket: bracket.value, compared, decided, other })
        })
    }
}
