//! Questions about tables: rankings and lists.
//!
//! Invariant: entries that no key parts share a place; the order in which they are written means nothing.

use std::cell::Cell as Counter;

use rulebook_model::ruleset::{Code, Form};
use rulebook_model::{Number, Value};

use crate::engine::{Engine, situation};
use crate::eval::{FUEL, Outcomes, Situation};
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
        let fuel = Counter::new(FUEL);
        let evaluator = self.evaluator(state, &fuel);
        let entries = state.tables.first().map_or(0, Vec::len) as u32;
        let keys: Vec<(u16, &Code)> = self
            .rules
            .clauses
            .iter()
            .enumerate()
            .filter_map(|(at, clause)| match &clause.form {
                Form::Rank(code) => Some((at as u16, code)),
                _ => None,
            })
            .collect();
        let mut groups: Vec<Vec<Ranked>> =
            vec![(0..entries).map(|row| Ranked { row, keys: Vec::new(), decided: None }).collect()];
        for (clause, code) in keys {
            let mut next: Vec<Vec<Ranked>> = Vec::new();
            for group in groups {
                let tied: Vec<Value> = group.iter().map(|ranked| Value::Row(0, ranked.row)).collect();
                let mut valued: Vec<(Number, Ranked)> = Vec::new();
                for mut ranked in group {
                    let situation = Situation { tied: Some(&tied), ..Situation::default() };
                    let value = evaluator.run_with(code, Value::Row(0, ranked.row), &situation)?;
                    let number = if let Value::Number(number) = value { number } else { Number::ZERO };
                    ranked.keys.push((clause, number));
                    valued.push((number, ranked));
                }
                valued.sort_by(|(a, _), (b, _)| b.cmp(a));
                let split =
                    valued.first().map(|(number, _)| *number) != valued.last().map(|(number, _)| *number);
                let mut last: Option<Number> = None;
                for (number, mut ranked) in valued {
                    if split {
                        ranked.decided = Some(clause);
                    }
                    match next.last_mut().filter(|_| last == Some(number)) {
                        Some(group) => group.push(ranked),
                        None => next.push(vec![ranked]),
                    }
                    last = Some(number);
                }
            }
            groups = next;
        }
        Ok(groups.into_iter().filter(|group| !group.is_empty()).collect())
    }

    /// The rows of a list that the rule set makes: column names, and values row by row.
    ///
    /// # Errors
    /// A fault of the rule set.
    pub fn list(&self, state: &State, name: &str) -> Outcomes<Option<Listed>> {
        let fuel = Counter::new(FUEL);
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
