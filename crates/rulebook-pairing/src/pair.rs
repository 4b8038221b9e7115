//! A round paired: bracket by bracket, with sides and with the clauses that decided.

use rulebook_model::{Number, RuleSet, Value};
use rulebook_reference::State;

use crate::bracket::{Chosen, Demand, Solver};
use crate::criteria::Criteria;
use crate::eval::Evaluator;
use crate::round::{Failure, Round, rows, section};
use crate::weigh::Bracket;

/// A pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paired {
    /// The rows of the two, the one with the first side first.
    pub rows: [u32; 2],
    /// The value of the bracket in which they were paired.
    pub bracket: Number,
    /// The clause that decided that they meet: the first one by which the first pairing in order would have been
    /// worse, or that of the order if they meet in that pairing.
    pub decided: Option<u16>,
    /// The clause that decided on their sides.
    pub side: Option<u16>,
}

/// A round paired.
#[derive(Clone, Debug)]
pub struct Settled {
    /// The number of the round.
    pub round: u32,
    /// The pairs, in the order of boards.
    pub pairs: Vec<Paired>,
    /// The row of the one who is left alone.
    pub alone: Option<u32>,
}

/// Pairs rounds by a rule set.
pub struct Pairer<'a> {
    pub(crate) rules: &'a RuleSet,
    pub(crate) criteria: Criteria<'a>,
}

impl<'a> Pairer<'a> {
    /// For a rule set.
    ///
    /// # Errors
    ///
    /// If the rule set says nothing about pairings.
    pub fn new(rules: &'a RuleSet) -> Result<Self, Failure> {
        section(rules)?;
        Ok(Self { rules, criteria: Criteria::new(rules) })
    }

    /// The number of the round after all that have been paired.
    ///
    /// # Errors
    ///
    /// If the rule set says nothing about pairings.
    pub fn next_round(&self, state: &State) -> Result<u32, Failure> {
        Ok(self.last_round(state)? + 1)
    }

    /// The number of the last round in which somebody was paired.
    ///
    /// # Errors
    ///
    /// If the rule set says nothing about pairings.
    pub fn last_round(&self, state: &State) -> Result<u32, Failure> {
        let section = section(self.rules)?;
        let games = state.tables.get(usize::from(section.games));
        let number = |row: &Vec<Value>| match row.get(usize::from(section.round)) {
            Some(Value::Number(number)) => number.to_whole().and_then(|n| u32::try_from(n).ok()),
            _ => None,
        };
        let both = |row: &&Vec<Value>| {
            section.sides.iter().all(|side| matches!(row.get(usize::from(*side)), Some(Value::Row(..))))
        };
        Ok(games.into_iter().flatten().filter(both).filter_map(number).max().unwrap_or(0))
    }

    /// The pairs that were made in a round, the one with the first side first, and who was left alone in it, by
    /// himself: not who was known to be away.
    ///
    /// # Errors
    ///
    /// If the clauses have no value for these tables.
    pub fn made(&self, state: &State, round: u32) -> Result<Vec<(u32, Option<u32>)>, Failure> {
        let section = section(self.rules)?;
        let evaluator = Evaluator::new(self.rules, &state.tables);
        let number = Value::Number(Number::whole(round.into()));
        let mut made = Vec::new();
        for (at, row) in state.tables.get(usize::from(section.games)).into_iter().flatten().enumerate() {
            if row.get(usize::from(section.round)) != Some(&number) {
                continue;
            }
            let side = |side: u16| match row.get(usize::from(side)) {
                Some(Value::Row(_, row)) => Some(*row),
                _ => None,
            };
            let [first, second] = section.sides.map(side);
            match (first, second) {
                (Some(first), Some(second)) => made.push((first, Some(second))),
                (Some(one), None) | (None, Some(one)) => {
                    let values = [Value::Row(section.games, at as u32), number.clone()];
                    let known = match &section.known {
                        Some(code) => evaluator.ask(code, &values)?,
                        None => false,
                    };
                    if !known {
                        made.push((one, None));
                    }
                }
                (None, None) => {}
            }
        }
        Ok(made)
    }

    /// The tables as they were before a round was paired.
    ///
    /// # Errors
    ///
    /// If the clauses have no value for these tables.
    pub fn before(&self, state: &State, round: u32) -> Result<State, Failure> {
        let section = section(self.rules)?;
        let evaluator = Evaluator::new(self.rules, &state.tables);
        let mut tables = (*state.tables).clone();
        let at = usize::from(section.games);
        let mut kept = Vec::new();
        for (row, values) in tables.get(at).into_iter().flatten().enumerate() {
            let own = match values.get(usize::from(section.round)) {
                Some(Value::Number(number)) => number.to_whole().unwrap_or(0),
                _ => 0,
            };
            let known = match &section.known {
                Some(code) if own == i64::from(round) => {
                    let number = Number::whole(round.into());
                    evaluator.ask(code, &[Value::Row(section.games, row as u32), Value::Number(number)])?
                }
                _ => false,
            };
            if own < i64::from(round) || known {
                kept.push(values.clone());
            }
        }
        if let Some(games) = tables.get_mut(at) {
            *games = kept;
        }
        let mut before = state.clone();
        before.tables = tables.into();
        Ok(before)
    }

    /// Pairs a round.
    ///
    /// # Errors
    ///
    /// If not all can be paired, or the clauses have no value for these tables.
    pub fn pair(&self, state: &State, round: u32) -> Result<Settled, Failure> {
        let section = section(self.rules)?;
        let evaluator = Evaluator::new(self.rules, &state.tables);
        let round_at = Round::new(section, &self.criteria, &evaluator, rows(state, section.entries), round)?;
        let steps = steps(&round_at)?;
        settle(&round_at, round, &steps)
    }
}

/// A bracket and how it was paired.
pub(crate) struct Step {
    pub(crate) bracket: Bracket,
    pub(crate) chosen: Chosen,
}

/// The bracket below another one, with those who leave that one.
pub(crate) fn next_bracket(round: &Round<'_>, bracket: &Bracket, chosen: &Chosen) -> Option<Bracket> {
    if bracket.next.is_empty() {
        return None;
    }
    let value = |place: usize| round.entries.get(place).map_or(Number::ZERO, |entry| entry.bracket);
    let next_value = bracket.rest.first().map_or(Number::ZERO, |first| value(*first));
    let count = bracket.rest.iter().take_while(|place| value(**place) == next_value).count();
    let (next, rest) = bracket.rest.split_at(count);
    let mut members = chosen.leaves.clone();
    members.extend(&bracket.next);
    Some(Bracket {
        value: bracket.next_value,
        members,
        moved: chosen.leaves.len(),
        next: next.to_vec(),
        next_value,
        rest: rest.to_vec(),
    })
}

/// Pairs all brackets.
pub(crate) fn steps(round: &Round<'_>) -> Result<Vec<Step>, Failure> {
    let present = round.entries.len();
    // The first bracket is the one below a bracket of nobody.
    let above = Bracket {
        value: Number::ZERO,
        members: Vec::new(),
        moved: 0,
        next: Vec::new(),
        next_value: Number::ZERO,
        rest: (0..present).collect(),
    };
    let nobody = Chosen { pairs: Vec::new(), leaves: Vec::new(), left_below: Vec::new() };
    let top = round.entries.first().map_or(Number::ZERO, |entry| entry.bracket);
    let count = round.entries.iter().take_while(|entry| entry.bracket == top).count();
    let (next, rest) = above.rest.split_at(count);
    let above = Bracket { next: next.to_vec(), next_value: top, rest: rest.to_vec(), ..above };
    let mut steps: Vec<Step> = Vec::new();
    let mut open = next_bracket(round, &above, &nobody);
    while let Some(bracket) = open {
        let chosen = Solver::new(round, &bracket, Demand::Free)?.solve()?;
        let Some(chosen) = chosen else { return Err(Failure::Impossible { present }) };
        open = next_bracket(round, &bracket, &chosen);
        steps.push(Step { bracket, chosen });
    }
    if steps.last().map_or(0, |step| step.chosen.leaves.len()) != present % 2 {
        return Err(Failure::Impossible { present });
    }
    Ok(steps)
}

/// Gives sides, and puts pairs in order.
fn settle(round: &Round<'_>, number: u32, steps: &[Step]) -> Result<Settled, Failure> {
    let mut pairs = Vec::new();
    for step in steps {
        let reason = crate::explain::reason(round, &step.bracket, &step.chosen)?;
        for (a, b) in &step.chosen.pairs {
            let side = round.side(*a, *b)?;
            let (one, other) = (&round.entries[*a], &round.entries[*b]);
            let rows = match side {
                Some((side, _)) if side > 0 => [other.row, one.row],
                _ => [one.row, other.row],
            };
            let sum = one.bracket.plus(other.bracket).unwrap_or(Number::ZERO);
            let order = (std::cmp::Reverse(one.bracket), std::cmp::Reverse(sum), *a);
            let side = side.map(|(_, clause)| clause);
            pairs.push((
                order,
                Paired { rows, bracket: step.bracket.value, decided: reason.of(*a, *b), side },
            ));
        }
    }
    pairs.sort_by_key(|(order, _)| *order);
    let alone = steps.last().and_then(|step| step.chosen.leaves.first());
    let alone = alone.map(|place| round.entries[*place].row);
    Ok(Settled { round: number, pairs: pairs.into_iter().map(|(_, pair)| pair).collect(), alone })
}
