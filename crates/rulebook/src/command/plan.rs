//! `plan`: how each clause runs when a rule set is compiled, and why.
//!
//! Invariant: every clause has a line; what is alike for several kinds or for both players is said once.

use clap::Args;
use rulebook::compiler::Line;
use rulebook::machine::dispatch::looked_at;
use serde::Serialize;

use super::{Answer, Given, Language};
use crate::failure::Failure;
use crate::json::Words;
use crate::out::{Out, table};

/// Arguments of `plan`.
#[derive(Args)]
pub(super) struct Arguments {
    /// A rule file, or the id of a built-in rule set.
    file: String,
    #[command(flatten)]
    language: Language,
}

/// The JSON answer of `plan`.
#[derive(Serialize)]
struct Report {
    /// The id of the rule set.
    rules: String,
    /// Why some plies are found by the general engine; empty if they are found by the recognised forms alone.
    general: Vec<&'static str>,
    /// Clause by clause.
    lines: Vec<Row>,
    /// How many clauses are looked at, phase by phase; the last entry is for every phase that no clause names.
    looked: Vec<Looked>,
}

/// How many clauses are looked at in a phase.
#[derive(Serialize)]
struct Looked {
    /// The phase; none for all that no clause names, or where there are no phases.
    phase: Option<String>,
    /// Ways of moving and other plies.
    plies: usize,
    /// Consequences of plies.
    after: usize,
    /// Bans.
    forbid: usize,
    /// Whose turn it is.
    turn: usize,
    /// Endings.
    ends: usize,
    /// By event, in the order of the rule set.
    on: serde_json::Map<String, serde_json::Value>,
}

/// How a clause runs.
#[derive(Serialize)]
struct Row {
    /// Its id.
    clause: String,
    /// Its title.
    title: Words,
    /// For which players; empty when it is alike for all.
    players: Vec<String>,
    /// For which kinds; empty when it is not about kinds.
    kinds: Vec<String>,
    /// The form that was recognised, or why none was.
    form: String,
    /// Whether it runs in a recognised form.
    fast: bool,
}

/// Runs `plan`.
pub(super) fn run(arguments: &Arguments, given: &Given, out: &mut Out) -> Result<Answer, Failure> {
    let compiled = rulebook::compiled::compile(&arguments.file, given)?;
    let plan = compiled.plan();
    let rules = &compiled.rules;
    let names = |known: &[String], at: &[u8]| -> Vec<String> {
        at.iter().filter_map(|at| known.get(usize::from(*at)).cloned()).collect()
    };
    let row = |line: &Line| {
        let clause = rules.clauses.get(usize::from(line.clause))?;
        Some(Row {
            clause: clause.id.clone(),
            title: (&clause.title).into(),
            players: names(&compiled.program.players, &line.players),
            kinds: names(&compiled.program.kinds, &line.kinds),
            form: line.text.clone(),
            fast: line.fast,
        })
    };
    let lines = plan.lines.iter().filter_map(row).collect();
    let looked = looked_at(&compiled.program).into_iter().map(|row| Looked {
        phase: row.phase,
        plies: row.grants,
        after: row.following,
        forbid: row.bans,
        turn: row.turns,
        ends: row.endings,
        on: compiled.program.events.iter().cloned().zip(row.events.into_iter().map(Into::into)).collect(),
    });
    let report = Report { rules: rules.id.clone(), general: plan.general, lines, looked: looked.collect() };
    if out.is_json() {
        out.document(&report);
        return Ok(Answer::Good);
    }
    if report.general.is_empty() {
        out.line(format!("{}: plies are found by the recognised forms alone", report.rules));
    } else {
        out.line(format!("{}: some plies are found by the general engine, because", report.rules));
        report.general.iter().for_each(|why| out.line(format!("  {why}")));
    }
    out.line("");
    let chinese = matches!(arguments.language.get(), rulebook::Lang::Zh);
    let mut rows = table(&["clause", "title", "for", "", "form"]);
    for row in &report.lines {
        let title = if chinese { &row.title.zh } else { &row.title.en };
        let mut about = row.kinds.join(", ");
        if !row.players.is_empty() {
            about = format!("{about} of {}", row.players.join(", ")).trim().to_owned();
        }
        let mark = if row.fast { "+" } else { "-" };
        rows.add_row([row.clause.clone(), title.clone(), about, mark.to_owned(), row.form.clone()]);
    }
    out.table(&rows);
    out.line("");
    out.table(&tables(&report.looked));
    Ok(Answer::Good)
}

/// A column for each phase, and in it how many clauses are looked at when something happens.
fn tables(looked: &[Looked]) -> comfy_table::Table {
    let other = if looked.len() == 1 { "in any phase" } else { "in any other" };
    let phases = looked.iter().map(|row| row.phase.as_deref().unwrap_or(other));
    let mut rows = table(&["clauses looked at"].into_iter().chain(phases).collect::<Vec<_>>());
    let numbers = |row: &Looked| [row.plies, row.after, row.forbid, row.turn, row.ends];
    for (at, name) in ["plies", "after", "forbid", "turn", "ends"].into_iter().enumerate() {
        let numbers =
            looked.iter().map(|row| numbers(row).get(at).map_or(String::new(), ToString::to_string));
        rows.add_row([name.to_owned()].into_iter().chain(numbers));
    }
    let events = looked.iter().take(1).flat_map(|row| row.on.keys());
    for event in events {
        let numbers = looked.iter().map(|row| row.on.get(event).map_or(String::new(), ToString::to_string));
        rows.add_row([format!("on {event}")].into_iter().chain(numbers));
    }
    rows
}
