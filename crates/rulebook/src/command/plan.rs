//! `plan`: how each clause runs when a rule set is compiled, and why.
//!
//! Invariant: every clause has a line; what is alike for several kinds or for both players is said once.

use clap::Args;
use rulebook::compiler::Line;
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
    /// Why plies are found by the general engine; empty if they are found by the recognised forms alone.
    general: Vec<&'static str>,
    /// Clause by clause.
    lines: Vec<Row>,
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
    let report = Report { rules: rules.id.clone(), general: plan.general, lines };
    if out.is_json() {
        out.document(&report);
        return Ok(Answer::Good);
    }
    if report.general.is_empty() {
        out.line(format!("{}: plies are found by the recognised forms alone", report.rules));
    } else {
        out.line(format!("{}: plies are found by the general engine, because", report.rules));
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
    Ok(Answer::Good)
}
