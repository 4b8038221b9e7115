//! `list`: the rows of a list that a rule set makes.

use clap::Args;
use rulebook::Value;
use rulebook::model::ruleset::Form;
use serde::Serialize;

use super::{Answer, Given, cell, engine};
use crate::failure::{Failure, warn};
use crate::out::{Out, table};

/// Arguments of `list`.
#[derive(Args)]
pub(super) struct Arguments {
    /// A rule file, or the id of a built-in rule set.
    file: String,
    /// The name of the list.
    name: String,
    /// The tables that the rule set declares, as `rank` takes them; without them they are empty.
    table: Option<String>,
}

/// The JSON answer of `list`.
#[derive(Serialize)]
struct Report {
    /// The id of the rule set.
    rules: String,
    /// The name of the list.
    list: String,
    /// The names of its columns.
    columns: Vec<String>,
    /// Its rows, every value as people write it.
    rows: Vec<Vec<String>>,
}

/// Runs `list`.
pub(super) fn run(arguments: &Arguments, given: &Given, out: &mut Out) -> Result<Answer, Failure> {
    let (engine, state) = match &arguments.table {
        None => {
            let engine = engine(&arguments.file, given)?;
            let state = engine.first();
            (engine, state)
        }
        Some(table) => {
            let read = super::tables(&arguments.file, table, given)?;
            if !out.is_json() {
                warn(&read.repairs);
            }
            (read.engine, read.state)
        }
    };
    let rules = engine.rules();
    let listed = engine.list(&state, &arguments.name).map_err(|fault| Failure::fault(rules, &fault))?;
    let Some((columns, values)) = listed else {
        let names = rules.clauses.iter().filter_map(|clause| match &clause.form {
            Form::List { name, .. } => Some(name.as_str()),
            _ => None,
        });
        let names: Vec<&str> = names.collect();
        let failure = Failure::new(format!("`{}` makes no list `{}`", rules.id, arguments.name));
        return Err(match names.as_slice() {
            [] => failure.help("it makes no lists at all"),
            names => failure.help(format!("its lists are {}", names.join(", "))),
        });
    };
    let show = |value: &Value| cell(rules, &state, value);
    let rows: Vec<Vec<String>> = values.iter().map(|row| row.iter().map(show).collect()).collect();
    let report = Report { rules: rules.id.clone(), list: arguments.name.clone(), columns, rows };
    if out.is_json() {
        out.document(&report);
        return Ok(Answer::Good);
    }
    let names: Vec<&str> = report.columns.iter().map(String::as_str).collect();
    let mut drawn = table(&names);
    for row in &report.rows {
        drawn.add_row(row.clone());
    }
    out.table(&drawn);
    Ok(Answer::Good)
}
