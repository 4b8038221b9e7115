//! Pairings by trying everything: the meaning of clauses about pairings, for few entries.
//!
//! Every pairing of a bracket is made in the order that the clauses state, as a person would make it: the first of
//! those moved here with the first of the others, upper half against lower half, then transpositions, then exchanges.
//! Each is measured, and the first of the best is taken.
//! Invariant: nothing here is quick, and nothing is left out.

use std::cell::Cell as Counter;
use std::cmp::Reverse;

use rulebook_model::pairing::{Measure, Pairing, PairingForm};
use rulebook_model::ruleset::{Code, Form};
use rulebook_model::{Number, Value};

use crate::engine::Engine;
use crate::eval::{Evaluator, Fault, Outcomes, Situation, TABLE_FUEL};
use crate::state::State;

/// The most entries that are paired by trying everything.
pub const MAX_ENTRIES: usize = 9;

/// A round paired by trying everything: the rows of each pair, the higher placed first, and who is left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// The pairs, in the order of brackets.
    pub pairs: Vec<(u32, u32)>,
    /// The row of the one left alone.
    pub alone: Option<u32>,
}

type Pairs = Vec<(usize, usize)>;

/// What is done with each pairing.
type Visit<'v> = &'v mut dyn FnMut(&[(usize, usize)]);

/// What is worked out once for a round.
struct Round<'e> {
    rules: &'e rulebook_model::RuleSet,
    evaluator: &'e Evaluator<'e>,
    section: &'e Pairing,
    number: Value,
    rows: Vec<u32>,
    brackets: Vec<Number>,
    may_pair: Vec<Vec<bool>>,
    may_stay: Vec<bool>,
}

/// A pairing of a bracket with what it measures.
struct Candidate {
    pairs: Pairs,
    leaves: Vec<usize>,
    measures: Vec<Vec<Number>>,
}

impl Engine {
    /// Pairs a round by trying everything; nothing if not all can be paired.
    ///
    /// # Errors
    /// There are more than [`MAX_ENTRIES`] entries, or the clauses have no value for these tables.
    pub fn pair_literally(&self, state: &State, round: u32) -> Outcomes<Option<Literal>> {
        let fuel = Counter::new(TABLE_FUEL);
        let evaluator = self.evaluator(state, &fuel);
        let Some(section) = &self.rules.pairing else { return Ok(None) };
        let number = Value::Number(Number::whole(round.into()));
        let mut all = Round {
            rules: &self.rules,
            evaluator: &evaluator,
            section,
            number,
            rows: Vec::new(),
            brackets: Vec::new(),
            may_pair: Vec::new(),
            may_stay: Vec::new(),
        };
        let count = state.tables.get(usize::from(section.entries)).map_or(0, Vec::len) as u32;
        all.enter(count)?;
        all.permit()?;
        let places: Vec<usize> = (0..all.rows.len()).collect();
        if !all.choose_alone(&places)? {
            return Ok(None);
        }
        let (mut pairs, mut moved, mut from) = (Vec::new(), Vec::new(), 0);
        while from < places.len() {
            let to = places.iter().filter(|at| all.brackets[**at] >= all.brackets[from]).count();
            let members: Vec<usize> = moved.iter().copied().chain(from..to).collect();
            let Some(best) = all.bracket(&members, moved.len(), all.brackets[from], to, None)? else {
                return Ok(None);
            };
            pairs.extend(best.pairs.iter().map(|(a, b)| (all.rows[*a], all.rows[*b])));
            moved = best.leaves;
            from = to;
        }
        Ok(Some(Literal { pairs, alone: moved.first().map(|at| all.rows[*at]) }))
    }
}

impl Round<'_> {
    fn run(&self, code: &Code, values: &[Value]) -> Outcomes<Value> {
        self.evaluator.run_all(code, values, &Situation::default())
    }

    fn row(&self, place: usize) -> Value {
        Value::Row(self.section.entries, self.rows[place])
    }

    /// Who is there, in order.
    fn enter(&mut self, count: u32) -> Outcomes<()> {
        let mut sorted = Vec::new();
        for row in 0..count {
            let values = [Value::Row(self.section.entries, row), self.number.clone()];
            if self.run(&self.section.present, &values)? != Value::Truth(true) {
                continue;
            }
            let bracket = number(&self.run(&self.section.bracket, &values)?);
            let keys: Outcomes<Vec<Reverse<Number>>> =
                self.section.order.iter().map(|key| Ok(Reverse(number(&self.run(key, &values)?)))).collect();
            sorted.push((Reverse(bracket), keys?, row));
        }
        if sorted.len() > MAX_ENTRIES {
            return Err(Fault::TooMuchWork);
        }
        sorted.sort();
        self.rows = sorted.iter().map(|(.., row)| *row).collect();
        self.brackets = sorted.iter().map(|(Reverse(bracket), ..)| *bracket).collect();
        Ok(())
    }

    fn forms(&self) -> impl Iterator<Item = &PairingForm> {
        self.rules.clauses.iter().filter_map(|clause| match &clause.form {
            Form::Pairing(form) => Some(form),
            _ => None,
        })
    }

    /// What is forbidden.
    fn permit(&mut self) -> Outcomes<()> {
        let count = self.rows.len();
        let (mut may_pair, mut may_stay) = (vec![vec![true; count]; count], vec![true; count]);
        for form in self.forms() {
            for a in 0..count {
                if let PairingForm::NotAlone(code) = form {
                    let values = [self.row(a), self.number.clone()];
                    may_stay[a] &= self.run(code, &values)? != Value::Truth(true);
                }
                for (b, may) in may_pair[a].iter_mut().enumerate().skip(a + 1) {
                    if let PairingForm::Forbid(code) = form {
                        let values = [self.row(a), self.row(b), self.number.clone()];
                        *may &= self.run(code, &values)? != Value::Truth(true);
                    }
                }
            }
        }
        (self.may_pair, self.may_stay) = (may_pair, may_stay);
        Ok(())
    }

    /// Leaves those who may be left alone by the measures for the round. Whether all can be paired.
    fn choose_alone(&mut self, places: &[usize]) -> Outcomes<bool> {
        if places.len().is_multiple_of(2) {
            self.may_stay.fill(false);
            return Ok(self.completes(places));
        }
        let mut groups: Vec<(Vec<Number>, usize)> = Vec::new();
        for at in places.iter().copied().filter(|at| self.may_stay[*at]) {
            let mut values = Vec::new();
            for form in self.forms() {
                if let PairingForm::Alone { measure, whole: true } = form {
                    let value = number(&self.run(&measure.code, &[self.row(at), self.number.clone()])?);
                    values.push(signed(measure, value)?);
                }
            }
            groups.push((values, at));
        }
        groups.sort();
        let mut found: Option<Vec<Number>> = None;
        for (values, at) in groups {
            let mut rest = places.to_vec();
            rest.retain(|place| *place != at);
            let possible = found.as_ref().is_none_or(|found| *found == values);
            self.may_stay[at] = possible && (found.is_some() || self.completes(&rest));
            if self.may_stay[at] {
                found = Some(values);
            }
        }
        Ok(found.is_some())
    }

    /// Whether some places can all be paired, one who may being left alone if they are odd.
    fn completes(&self, places: &[usize]) -> bool {
        let Some((first, rest)) = places.split_first() else { return true };
        let without = |at: usize| {
            let mut left = rest.to_vec();
            left.remove(at);
            left
        };
        (0..rest.len()).any(|at| self.may_pair[*first][rest[at]] && self.completes(&without(at)))
            || (!places.len().is_multiple_of(2) && self.may_stay[*first] && self.completes(rest))
    }

    /// The first of the best pairings of a bracket; those from a place on are below it. `only` are
    /// the clauses that are measured; without it all are.
    fn bracket(
        &self,
        members: &[usize],
        moved: usize,
        value: Number,
        below: usize,
        only: Option<&[u16]>,
    ) -> Outcomes<Option<Candidate>> {
        let mut best: Option<Candidate> = None;
        let rest: Vec<usize> = (below..self.rows.len()).collect();
        let mut fault = None;
        each_pairing(members, moved, &mut |pairs| {
            if fault.is_some() || !pairs.iter().all(|(a, b)| self.may_pair[*a][*b]) {
                return;
            }
            let paired = |at: &&usize| pairs.iter().any(|(a, b)| a == *at || b == *at);
            let leaves: Vec<usize> = members.iter().filter(|at| !paired(at)).copied().collect();
            let left: Vec<usize> = leaves.iter().chain(&rest).copied().collect();
            if !self.completes(&left) {
                return;
            }
            match self.measures(pairs, &leaves, value, below, only) {
                Err(found) => fault = Some(found),
                Ok(measures) => {
                    if best.as_ref().is_none_or(|best| measures < best.measures) {
                        best = Some(Candidate { pairs: pairs.to_vec(), leaves, measures });
                    }
                }
            }
        });
        fault.map_or(Ok(best), Err)
    }

    /// What a pairing of a bracket measures, clause by clause.
    fn measures(
        &self,
        pairs: &[(usize, usize)],
        leaves: &[usize],
        bracket: Number,
        below: usize,
        only: Option<&[u16]>,
    ) -> Outcomes<Vec<Vec<Number>>> {
        let mut all = Vec::new();
        for (at, clause) in self.rules.clauses.iter().enumerate() {
            let Form::Pairing(form) = &clause.form else { continue };
            if only.is_some_and(|only| !only.contains(&(at as u16))) {
                continue;
            }
            match form {
                PairingForm::Pair(of) => {
                    let value = |(a, b): &(usize, usize)| {
                        let values =
                            [self.row(*a), self.row(*b), self.number.clone(), Value::Number(bracket)];
                        Ok(number(&self.run(&of.code, &values)?))
                    };
                    all.push(gathered(of, pairs.iter().map(value))?);
                }
                PairingForm::Leaves(of) => all.push(self.of_leaves(of, leaves, bracket)?),
                PairingForm::Alone { measure, whole: false } => {
                    let here = leaves.len() == 1
                        && !self.rows.len().is_multiple_of(2)
                        && !(below..self.rows.len()).any(|at| self.may_stay[at]);
                    all.push(self.of_leaves(measure, if here { leaves } else { &[] }, bracket)?);
                }
                PairingForm::Next(clauses) if below < self.rows.len() => {
                    let to =
                        (0..self.rows.len()).filter(|at| self.brackets[*at] >= self.brackets[below]).count();
                    let members: Vec<usize> = leaves.iter().copied().chain(below..to).collect();
                    let next =
                        self.bracket(&members, leaves.len(), self.brackets[below], to, Some(clauses))?;
                    let Some(next) = next else { return Err(Fault::TooMuchWork) };
                    for at in clauses {
                        let clause = self.rules.clauses.get(usize::from(*at)).map(|clause| &clause.form);
                        if let Some(Form::Pairing(PairingForm::Leaves(of))) = clause {
                            all.push(self.of_leaves(of, &next.leaves, self.brackets[below])?);
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(all)
    }

    fn of_leaves(&self, of: &Measure, leaves: &[usize], bracket: Number) -> Outcomes<Vec<Number>> {
        let value = |at: &usize| {
            let values = [self.row(*at), self.number.clone(), Value::Number(bracket)];
            Ok(number(&self.run(&of.code, &values)?))
        };
        gathered(of, leaves.iter().map(value))
    }
}

fn number(value: &Value) -> Number {
    if let Value::Number(number) = value { *number } else { Number::ZERO }
}

fn signed(of: &Measure, value: Number) -> Outcomes<Number> {
    if of.most { value.negate().ok_or(Fault::Number) } else { Ok(value) }
}

/// Numbers as one sum, or as a list from the greatest, of which zeros are no part.
fn gathered(of: &Measure, values: impl Iterator<Item = Outcomes<Number>>) -> Outcomes<Vec<Number>> {
    let mut list = values.collect::<Outcomes<Vec<Number>>>()?;
    if of.each {
        list.retain(|value| *value > Number::ZERO);
        list.sort_by_key(|value| Reverse(*value));
        return list.into_iter().map(|value| signed(of, value)).collect();
    }
    let mut sum = Number::ZERO;
    for value in list {
        sum = sum.plus(value).ok_or(Fault::Number)?;
    }
    Ok(vec![signed(of, sum)?])
}

/// Calls a function on every pairing of a bracket, in order.
fn each_pairing(members: &[usize], moved: usize, f: Visit<'_>) {
    let (above, own) = members.split_at(moved);
    for count in (0..=members.len() / 2).rev() {
        for from_above in (0..=moved.min(count)).rev() {
            for chosen in subsets(above, from_above) {
                each_choice(own, from_above, &mut Vec::new(), &mut |opponents| {
                    let first: Pairs = chosen.iter().copied().zip(opponents.iter().copied()).collect();
                    let rest: Vec<usize> = own.iter().copied().filter(|at| !opponents.contains(at)).collect();
                    each_by_halves(&rest, count - from_above, &mut |second| {
                        let mut pairs = first.clone();
                        pairs.extend(second);
                        f(&pairs);
                    });
                });
            }
        }
    }
}

/// The subsets of a size, in the order of their members.
fn subsets(of: &[usize], size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, first) in of.iter().enumerate() {
        for mut rest in subsets(&of[at + 1..], size - 1) {
            rest.insert(0, *first);
            all.push(rest);
        }
    }
    all
}

/// Calls a function on every choice of some members one after the other, in the order of these.
fn each_choice(of: &[usize], size: usize, chosen: &mut Vec<usize>, f: &mut dyn FnMut(&[usize])) {
    if chosen.len() == size {
        return f(chosen);
    }
    for one in of {
        if !chosen.contains(one) {
            chosen.push(*one);
            each_choice(of, size, chosen, f);
            chosen.pop();
        }
    }
}

/// Calls a function on every pairing of a number of pairs: upper half against lower half, with transpositions, then
/// with exchanges between the halves.
fn each_by_halves(members: &[usize], count: usize, f: Visit<'_>) {
    if 2 * count > members.len() {
        return;
    }
    let places: Vec<usize> = (0..members.len()).collect();
    let mut halves = subsets(&places, count);
    halves.sort_by_key(|half| {
        let mut down: Vec<usize> = (0..count).filter(|place| !half.contains(place)).collect();
        let up: Vec<usize> = half.iter().copied().filter(|place| *place >= count).collect();
        let sum = |list: &[usize]| list.iter().sum::<usize>() as i64;
        let shift = sum(&up) - sum(&down);
        down.reverse();
        let down: Vec<Reverse<usize>> = down.into_iter().map(Reverse).collect();
        (up.len(), shift, down, up)
    });
    for half in halves {
        let other: Vec<usize> = places.iter().copied().filter(|place| !half.contains(place)).collect();
        each_choice(&other, count, &mut Vec::new(), &mut |opponents| {
            let pair = |(a, b): (&usize, &usize)| (members[*a.min(b)], members[*a.max(b)]);
            let pairs: Pairs = half.iter().zip(opponents).map(pair).collect();
            f(&pairs);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_pairing_is_upper_against_lower_half() {
        let mut found = Vec::new();
        each_pairing(&[0, 1, 2, 3, 4], 0, &mut |pairs| found.push(pairs.to_vec()));
        assert_eq!(found[..3], [vec![(0, 2), (1, 3)], vec![(0, 2), (1, 4)], vec![(0, 3), (1, 2)]]);
    }

    #[test]
    fn exchanges_come_nearest_first() {
        // Six members: the first exchange is that of the third with the fourth.
        let mut found = Vec::new();
        each_by_halves(&[0, 1, 2, 3, 4, 5], 3, &mut |pairs| found.push(pairs.to_vec()));
        assert_eq!(found.get(6), Some(&vec![(0, 2), (1, 4), (3, 5)]));
        assert_eq!(found.len(), 20 * 6);
    }

    #[test]
    fn those_moved_here_meet_the_first_of_the_others() {
        let mut found = Vec::new();
        each_pairing(&[0, 1, 2, 3], 1, &mut |pairs| found.push(pairs.to_vec()));
        // The rest comes once for either of its halves.
        found.dedup();
        assert_eq!(found[0], [(0, 1), (2, 3)]);
        assert_eq!(found[1], [(0, 2), (1, 3)]);
    }
}
