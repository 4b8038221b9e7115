//! A round to be paired: who is there, in which order, in which brackets, and who may be left alone.
//!
//! Invariant: entries are known by their place in the order before pairing, so that of two places the lower one is
//! that of the higher placed.

use std::cmp::Reverse;
use std::rc::Rc;

use rulebook_model::pairing::{Measure, Pairing};
use rulebook_model::ruleset::Code;
use rulebook_model::{Number, RuleSet};
use rulebook_reference::{Fault, State};

use crate::completion::complete;
use crate::criteria::Criteria;
use crate::eval::{Evaluator, Outcome};
use crate::measure::{Pairs, measure};
use crate::value::Val;
use crate::weigh::Scope;

/// Why a round has no pairing.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The rule set says nothing about pairings.
    NoPairing,
    /// The clauses have no value for these tables.
    Fault(Fault),
    /// Not all can be paired: how many are there, and how many at most can be.
    Impossible {
        /// How many are to be paired.
        present: usize,
    },
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoPairing => f.write_str("this rule set says nothing about pairings"),
            Self::Fault(fault) => fault.fmt(f),
            Self::Impossible { present } => {
                write!(
                    f,
                    "the {present} entries that are present cannot all be paired under the clauses that forbid"
                )
            }
        }
    }
}

impl std::error::Error for Failure {}

/// An entry in its place.
pub(crate) struct Entry {
    pub(crate) row: u32,
    pub(crate) bracket: Number,
    /// The clause by which it cannot be left alone.
    pub(crate) not_alone: Option<u16>,
}

/// A round to be paired.
pub(crate) struct Round<'a> {
    pub(crate) pairing: &'a Pairing,
    pub(crate) criteria: &'a Criteria<'a>,
    pub(crate) evaluator: &'a Evaluator<'a>,
    pub(crate) number: Val,
    pub(crate) entries: Vec<Entry>,
    forbidden: Pairs<'a>,
    /// Whether each entry may be left alone, if one is.
    pub(crate) may_stay: Vec<bool>,
    /// How much of what lies below a bracket is looked at from the beginning, for tests.
    pub(crate) from: Scope,
}

impl<'a> Round<'a> {
    pub(crate) fn new(
        pairing: &'a Pairing,
        criteria: &'a Criteria<'a>,
        evaluator: &'a Evaluator<'a>,
        rows: usize,
        number: u32,
    ) -> Result<Self, Failure> {
        let number = Val::Number(Number::whole(number.into()));
        let run = |code: &Code, row: u32| {
            let mut slots = vec![Val::Row(pairing.entries, row), number.clone()];
            slots.resize(usize::from(code.slots).max(2), Val::Nothing);
            evaluator.eval(&code.term, &mut slots)
        };
        let mut sorted: Vec<(Vec<Reverse<Number>>, u32)> = Vec::new();
        for row in 0..rows as u32 {
            if run(&pairing.present, row)?.is_true() {
                let key = |code| Ok(Reverse(run(code, row)?.number().unwrap_or(Number::ZERO)));
                let keys: Outcome<Vec<Reverse<Number>>> = pairing.order.iter().map(key).collect();
                sorted.push((keys?, row));
            }
        }
        sorted.sort();
        let mut entries = Vec::new();
        for (_, row) in sorted {
            let bracket = run(&pairing.bracket, row)?.number().unwrap_or(Number::ZERO);
            let mut not_alone = None;
            for (clause, code) in &criteria.not_alone {
                if not_alone.is_none() && run(code, row)?.is_true() {
                    not_alone = Some(*clause);
                }
            }
            entries.push(Entry { row, bracket, not_alone });
        }
        // Brackets come from above, whatever the order within them is.
        entries.sort_by_key(|entry| Reverse(entry.bracket));
        let rest = vec![number.clone()];
        let rows = entries.iter().map(|entry| entry.row);
        let forbidden = Pairs::new(&criteria.forbidden, evaluator, rest, pairing.entries, rows)?;
        let mut round = Self {
            pairing,
            criteria,
            evaluator,
            number: number.clone(),
            entries,
            forbidden,
            may_stay: Vec::new(),
            from: Scope::Alone,
        };
        round.stay(&run)?;
        Ok(round)
    }

    /// Finds who may be left alone: whoever comes to the least that is possible by the measures for the round.
    fn stay(&mut self, run: &dyn Fn(&Code, u32) -> Outcome<Val>) -> Result<(), Failure> {
        let count = self.entries.len();
        let mut groups: Vec<(Vec<Number>, usize)> = Vec::new();
        for (at, entry) in self.entries.iter().enumerate().filter(|(_, entry)| entry.not_alone.is_none()) {
            let value = |(_, of): &(u16, &Measure)| -> Outcome<Number> {
                let value = measure(&run(&of.code, entry.row)?)?;
                if of.most { value.negate().ok_or(Fault::Number) } else { Ok(value) }
            };
            let values: Outcome<Vec<Number>> = self.criteria.whole.iter().map(value).collect();
            groups.push((values?, at));
        }
        groups.sort();
        self.may_stay = vec![false; count];
        let pairs: Vec<usize> = (0..count).collect();
        if count.is_multiple_of(2) {
            let possible = self.criteria.completes.is_none() || self.can_complete(&pairs)?;
            return if possible { Ok(()) } else { Err(Failure::Impossible { present: count }) };
        }
        let mut from = 0;
        while let Some((value, _)) = groups.get(from) {
            let to = groups.iter().take_while(|(other, _)| other <= value).count();
            for (_, at) in &groups[from..to] {
                self.may_stay[*at] = true;
            }
            if self.criteria.completes.is_none() || self.can_complete(&pairs)? {
                return Ok(());
            }
            self.may_stay.fill(false);
            from = to;
        }
        Err(Failure::Impossible { present: count })
    }

    /// The clause that forbids a pair.
    pub(crate) fn forbids(&self, a: usize, b: usize) -> Outcome<Option<u16>> {
        let (a, b) = (a.min(b), a.max(b));
        let values = self.forbidden.of(self.entries[a].row, self.entries[b].row)?;
        Ok(values.iter().position(Val::is_true).map(|at| self.criteria.forbid[at]))
    }

    pub(crate) fn may_pair(&self, a: usize, b: usize) -> Outcome<bool> {
        Ok(self.forbids(a, b)?.is_none())
    }

    /// Whether some entries can all be paired, one who may be being left alone if they are odd.
    pub(crate) fn can_complete(&self, places: &[usize]) -> Outcome<bool> {
        let pair = |a: usize, b: usize| self.may_pair(places[a], places[b]);
        let stay = |a: usize| Ok(self.may_stay[places[a]]);
        Ok(complete(places.len(), &pair, &stay)?.is_some())
    }

    /// The value of an expression about one entry in a bracket.
    pub(crate) fn of_one(&self, code: &Code, place: usize, bracket: Number) -> Outcome<Val> {
        let row = Val::Row(self.pairing.entries, self.entries[place].row);
        let mut slots = vec![row, self.number.clone(), Val::Number(bracket)];
        slots.resize(usize::from(code.slots).max(3), Val::Nothing);
        self.evaluator.eval(&code.term, &mut slots)
    }

    /// The measures of pairs in a bracket.
    pub(crate) fn pairs(&self, places: &[usize], bracket: Number) -> Outcome<Pairs<'a>> {
        let rest = vec![self.number.clone(), Val::Number(bracket)];
        let rows = places.iter().map(|place| self.entries[*place].row);
        Pairs::new(&self.criteria.pairs, self.evaluator, rest, self.pairing.entries, rows)
    }

    /// The side of the first of a pair, and the clause that decides it.
    pub(crate) fn side(&self, a: usize, b: usize) -> Outcome<Option<(u8, u16)>> {
        let row = |place: usize| Val::Row(self.pairing.entries, self.entries[place].row);
        for (clause, code) in &self.criteria.sides {
            let mut slots = vec![row(a), row(b), self.number.clone()];
            slots.resize(usize::from(code.slots).max(3), Val::Nothing);
            if let Val::Player(side) = self.evaluator.eval(&code.term, &mut slots)? {
                return Ok(Some((side, *clause)));
            }
        }
        Ok(None)
    }

    /// The values of all measures of a pair.
    pub(crate) fn values(&self, pairs: &Pairs<'_>, a: usize, b: usize) -> Outcome<Rc<[Val]>> {
        pairs.of(self.entries[a].row, self.entries[b].row)
    }
}

/// The rows of a table of a state.
pub(crate) fn rows(state: &State, table: u16) -> usize {
    state.tables.get(usize::from(table)).map_or(0, Vec::len)
}

/// The pairing section of a rule set.
pub(crate) fn section(rules: &RuleSet) -> Result<&Pairing, Failure> {
    rules.pairing.as_ref().ok_or(Failure::NoPairing)
}
