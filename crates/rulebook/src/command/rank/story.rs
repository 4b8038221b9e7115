//! How the value of a key came about: the definitions that were asked, as a tree for people.
//!
//! Invariant: what is shown was asked by the evaluation itself; a definition that only hands on what another one gave
//! is left out, and so is what is asked twice in a row of questions.

use rulebook::reference::quick::{self, Told};
use rulebook::{Engine, Number, State, Value};
use serde::Serialize;

use super::Placed;
use crate::command::{decimal, row_name};
use crate::failure::Failure;

/// How deep a tree is shown, once what only hands on is left out.
const DEPTH: usize = 3;
/// The most members of a list that are named.
const NAMED: usize = 16;
/// The most entries that are named of a list of entries.
const ENTRIES: usize = 3;

/// A definition that was asked for.
#[derive(Serialize)]
pub(super) struct Asked {
    /// The definition with what it was given.
    pub(super) question: String,
    /// What it gave.
    pub(super) answer: String,
    /// What it asked itself.
    pub(super) asked: Vec<Self>,
}

/// How a key of an entry came about: its number among the keys, `None` if the rule set does not allow to tell it.
pub(super) fn story(
    engine: &Engine,
    state: &State,
    placed: &[Placed],
    entry: &Placed,
    key: usize,
) -> Result<Option<Vec<Asked>>, Failure> {
    let rules = engine.rules();
    let Some((clause, value)) = entry.keys.get(key) else { return Ok(None) };
    let before = |other: &Placed, keys: usize| (0..keys).all(|at| other.keys.get(at) == entry.keys.get(at));
    // A key that looks at those who are tied has looked again at those whom it had not parted.
    for keys in [key, key + 1] {
        let tied: Vec<u32> =
            placed.iter().filter(|other| before(other, keys)).map(|other| other.row).collect();
        let told = quick::story(engine, state, *clause, entry.row, &tied)
            .map_err(|fault| Failure::fault(rules, &fault))?;
        let Some(told) = told else { return Ok(None) };
        let teller = Teller { engine, state };
        let gave = told.last().map(|told| told.gave.clone());
        if keys > key
            || gave.is_none_or(|gave| gave == Value::Number(*value) || !matches!(gave, Value::Number(_)))
        {
            return Ok(Some(teller.shown(&told, DEPTH)));
        }
    }
    Ok(None)
}

struct Teller<'a> {
    engine: &'a Engine,
    state: &'a State,
}

impl Teller<'_> {
    /// What is worth showing of some definitions that were asked for.
    fn shown(&self, told: &[Told], depth: usize) -> Vec<Asked> {
        if depth == 0 {
            return Vec::new();
        }
        let mut seen: Vec<&Told> = Vec::new();
        for told in told.iter().filter(|told| is_shown(&told.gave)) {
            let told = handed_on(told);
            if !seen.iter().any(|known| known.name == told.name && known.given == told.given) {
                seen.push(told);
            }
        }
        let asked = |told: &&Told| {
            let given: Vec<String> = told.given.iter().map(|value| self.value(value)).collect();
            let question = if given.is_empty() {
                told.name.clone()
            } else {
                format!("{}({})", told.name, given.join(", "))
            };
            Asked { question, answer: self.value(&told.gave), asked: self.shown(&told.asked, depth - 1) }
        };
        seen.iter().map(asked).collect()
    }

    fn value(&self, value: &Value) -> String {
        let rules = self.engine.rules();
        match value {
            Value::Row(table, row) => self.row(*table, *row),
            Value::Number(number) => decimal(*number),
            Value::Text(text) => text.clone(),
            Value::List(values) => {
                let entries = values.iter().all(|value| matches!(value, Value::Row(..)));
                let most = if entries { ENTRIES } else { NAMED };
                if values.len() > most {
                    return format!("[{} of them]", values.len());
                }
                let values: Vec<String> = values.iter().map(|value| self.value(value)).collect();
                format!("[{}]", values.join(", "))
            }
            value => crate::describe::show(rules, value),
        }
    }

    /// A row: by its name, or by the rows that it refers to behind its first field.
    fn row(&self, table: u16, row: u32) -> String {
        let rules = self.engine.rules();
        let name = row_name(rules, self.state, table, row);
        let fields = self.state.tables.get(usize::from(table)).and_then(|rows| rows.get(row as usize));
        let others: Vec<String> = fields
            .into_iter()
            .flatten()
            .filter_map(|value| match value {
                Value::Row(other, row) if *other != table => Some(row_name(rules, self.state, *other, *row)),
                _ => None,
            })
            .collect();
        if others.is_empty() { name } else { format!("{name}: {}", others.join(" – ")) }
    }
}

/// Numbers and lists of them are what a value is made of.
fn is_shown(value: &Value) -> bool {
    match value {
        Value::Number(_) => true,
        Value::List(values) => {
            !values.is_empty() && values.iter().all(|value| matches!(value, Value::Number(_)))
        }
        _ => false,
    }
}

/// The definition whose answer is only handed on, perhaps in another unit.
fn handed_on(told: &Told) -> &Told {
    let mut told = told;
    loop {
        let mut asked = told.asked.iter().filter(|asked| is_shown(&asked.gave));
        match (asked.next(), asked.next()) {
            (Some(only), None) if only.gave == told.gave => told = only,
            _ => return told,
        }
    }
}

/// The lines of a tree.
pub(super) fn lines(asked: &[Asked], indent: usize, out: &mut Vec<String>) {
    for asked in asked {
        out.push(format!("{}{} = {}", "  ".repeat(indent), asked.question, asked.answer));
        lines(&asked.asked, indent + 1, out);
    }
}

/// A number for people, as in all of this.
pub(super) fn shown(number: Number) -> String {
    decimal(number)
}
