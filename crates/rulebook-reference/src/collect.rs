//! Questions about tables: rankings and lists.
//!
//! Invariant: entries that no key parts share a place; the order in which they are written means nothing.

use std::cell::Cell as Counter;
use std::cmp::Reverse;

use rulebook_model::ruleset::{Code, Context, Form, Term};
use rulebook_model::{Number, RuleSet, Value};

use crate::engine::{Engine, situation};
use crate::eval::{Fault, Outcomes, Situation, TABLE_FUEL};
use crate::state::{Act, State};

/// An entry in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// The row of the first table.
    pub row: u32,
    /// The keys that were looked at, by clause, with their values.
    pub keys: Vec<(u16, Number)>,
    /// The clause that parted this entry from those it was tied with last.
    pub decided: Option<u16>,
}

/// A list: the names of its columns, and its rows.
pub type Listed = (Vec<String>, Vec<Vec<Value>>);

impl Engine {
    /// Ranks the entries of the first table: groups of entries that share a place, best first, each
    /// entry with the value of every key that was looked at.
    ///
    /// # Errors
    /// A fault of the rule set for these tables.
    pub fn rank(&self, state: &State) -> Outcomes<Vec<Vec<Ranked>>> {
        let fuel = Counter::new(TABLE_FUEL);
        let evaluator = self.evaluator(state, &fuel);
        let entries = state.tables.first().map_or(0, Vec::len) as u32;
        let codes: Vec<(u16, &Code)> = (0..)
            .zip(&self.rules.clauses)
            .filter_map(|(at, clause)| match &clause.form {
                Form::Rank(code) => Some((at, code)),
                _ => None,
            })
            .collect();
        let keys: Vec<(u16, bool)> =
            codes.iter().map(|(at, code)| (*at, reads_tied(&self.rules, &code.term))).collect();
        let mut rows: Vec<Value> = Vec::new();
        let mut value = |key: usize, row: u32, tied: &[u32], fresh: bool| {
            if fresh {
                rows = tied.iter().map(|row| Value::Row(0, *row)).collect();
            }
            let Some((_, code)) = codes.get(key) else { return Ok(Number::ZERO) };
            let situation = Situation { tied: Some(&rows), ..Situation::default() };
            let value = evaluator.run_with(code, Value::Row(0, row), &situation)?;
            Ok(if let Value::Number(number) = value { number } else { Number::ZERO })
        };
        let blame = |clause, fault| self.blame::<()>(clause, Err(fault)).err().unwrap_or(Fault::TooMuchWork);
        ranked_by(&keys, entries, &mut value, &blame)
    }

    /// The rows of a list that the rule set makes: column names, and values row by row.
    ///
    /// # Errors
    /// A fault of the rule set.
    pub fn list(&self, state: &State, name: &str) -> Outcomes<Option<Listed>> {
        let fuel = Counter::new(TABLE_FUEL);
        let evaluator = self.evaluator(state, &fuel);
        for clause in &self.rules.clauses {
            let Form::List { name: known, choices, columns } = &clause.form else { continue };
            if known != name {
                continue;
            }
            let mut rows = Vec::new();
            for act in self.choose(&evaluator, choices, Act::new(u16::MAX, 0))? {
                let situation = situation(&act, state.mover);
                let row: Outcomes<Vec<Value>> =
                    columns.iter().map(|(_, code)| evaluator.run(code, &situation)).collect();
                rows.push(row?);
            }
            return Ok(Some((columns.iter().map(|(name, _)| name.clone()).collect(), rows)));
        }
        Ok(None)
    }
}

/// The value of a key, by its number, for an entry among those it is tied with; the flag says that these are others
/// than those of the last question.
pub(crate) type KeyValue<'a> = dyn FnMut(usize, u32, &[u32], bool) -> Outcomes<Number> + 'a;

/// Ranks entries by keys: clauses, each with whether it looks at the entries that are tied.
pub(crate) fn ranked_by(
    keys: &[(u16, bool)],
    entries: u32,
    value: &mut KeyValue<'_>,
    blame: &dyn Fn(u16, Fault) -> Fault,
) -> Outcomes<Vec<Vec<Ranked>>> {
    let mut groups: Vec<Vec<Ranked>> =
        vec![(0..entries).map(|row| Ranked { row, keys: Vec::new(), decided: None }).collect()];
    for (key, (clause, again)) in keys.iter().enumerate() {
        // A key that looks at the entries that are tied looks again when some of them are parted.
        let mut done: Vec<Vec<Ranked>> = Vec::new();
        let mut open: Vec<Vec<Ranked>> = groups.into_iter().rev().collect();
        while let Some(group) = open.pop() {
            let tied: Vec<u32> = group.iter().map(|ranked| ranked.row).collect();
            let mut fresh = true;
            let mut of = |row: u32| value(key, row, &tied, std::mem::take(&mut fresh));
            let parted = part(*clause, &mut of, group).map_err(|fault| blame(*clause, fault))?;
            if *again && parted.len() > 1 {
                open.extend(parted.into_iter().rev());
            } else {
                done.extend(parted);
            }
        }
        groups = done;
    }
    Ok(groups.into_iter().filter(|group| !group.is_empty()).collect())
}

/// Parts tied entries by one key, best first.
fn part(
    clause: u16,
    value: &mut dyn FnMut(u32) -> Outcomes<Number>,
    group: Vec<Ranked>,
) -> Outcomes<Vec<Vec<Ranked>>> {
    let mut valued: Vec<(Number, Ranked)> = Vec::new();
    for mut ranked in group {
        let number = value(ranked.row)?;
        match ranked.keys.last_mut().filter(|(known, _)| *known == clause) {
            Some(last) => last.1 = number,
            None => ranked.keys.push((clause, number)),
        }
        valued.push((number, ranked));
    }
    valued.sort_by_key(|(number, _)| Reverse(*number));
    let split = valued.first().map(|(number, _)| *number) != valued.last().map(|(number, _)| *number);
    let mut groups: Vec<Vec<Ranked>> = Vec::new();
    let mut last: Option<Number> = None;
    for (number, mut ranked) in valued {
        if split {
            ranked.decided = Some(clause);
        }
        match groups.last_mut().filter(|_| last == Some(number)) {
            Some(group) => group.push(ranked),
            None => groups.push(vec![ranked]),
        }
        last = Some(number);
    }
    Ok(groups)
}

/// Whether a key looks at the entries that are still tied.
pub(crate) fn reads_tied(rules: &RuleSet, term: &Term) -> bool {
    let mut found = false;
    rules.visit(term, &mut |term| found |= matches!(term, Term::Context(Context::Tied)));
    found
}
