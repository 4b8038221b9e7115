//! `emit-rust`: a rule set as a Rust module that other programs are built with.
//!
//! Invariant: the module is written as a whole or not at all. What could not become code is told on the error stream;
//! the module is right either way.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use rulebook::emit::{Emitted, emit, file_name};
use serde::Serialize;

use super::{Answer, Given};
use crate::failure::Failure;
use crate::out::Out;

/// Arguments of `emit-rust`.
#[derive(Args)]
pub(super) struct Arguments {
    /// A rule file, or the id of a built-in rule set.
    file: String,
    /// Where to write; beside the working folder's other files, under the rule set's name, if not said.
    #[arg(short, long, value_name = "OUT")]
    out: Option<PathBuf>,
}

/// The JSON answer of `emit-rust`.
#[derive(Serialize)]
struct Report {
    /// The id of the rule set.
    rules: String,
    /// The file that was written.
    file: String,
    /// How many bytes it has.
    bytes: usize,
    /// The hash of the texts it was made from.
    sources: String,
    /// Whether plies are found and made by code for this rule set.
    specialised: bool,
    /// What became of the clauses that plies are made of.
    clauses: Vec<Row>,
    /// Why the machine is asked, where that is about no single clause.
    reasons: Vec<String>,
}

/// What became of a clause.
#[derive(Serialize)]
struct Row {
    /// Its id.
    clause: String,
    /// Its title.
    title: String,
    /// Why it keeps the rule set from becoming code; none for one that could become code.
    left: Option<String>,
}

/// Runs `emit-rust`.
pub(super) fn run(arguments: &Arguments, given: &Given, out: &mut Out) -> Result<Answer, Failure> {
    let compiled = rulebook::compiled::compile(&arguments.file, given)?;
    let emitted = emit(&compiled.program, &compiled.sources)
        .map_err(|error| Failure::new(format!("`{}` cannot be compiled: {error}", arguments.file)))?;
    let path = arguments.out.clone().unwrap_or_else(|| Path::new(&file_name(&compiled.program)).to_owned());
    rulebook::compiled::write(&path, emitted.text.as_bytes())
        .map_err(|error| Failure::new(format!("`{}` cannot be written: {error}", path.display())))?;
    let report = report(&compiled, &path, &emitted);
    if out.is_json() {
        out.document(&report);
        return Ok(Answer::Good);
    }
    // If nobody listens to errors, there is nobody to tell.
    let _ = std::io::stderr().write_all(told(&report).as_bytes());
    out.line(format!("{} written to {}, {} bytes", report.rules, report.file, report.bytes));
    Ok(Answer::Good)
}

fn report(compiled: &rulebook::compiled::Compiled, path: &Path, emitted: &Emitted) -> Report {
    let clauses = &compiled.rules.clauses;
    let row = |note: &rulebook::emit::Note| {
        let clause = clauses.get(usize::from(note.clause?))?;
        let (clause, title) = (clause.id.clone(), clause.title.en.clone());
        Some(Row { clause, title, left: note.left.clone() })
    };
    let whole = emitted.notes.iter().filter(|note| note.clause.is_none());
    Report {
        rules: compiled.rules.id.clone(),
        file: path.display().to_string(),
        bytes: emitted.text.len(),
        sources: compiled.sources.to_string(),
        specialised: emitted.specialised,
        clauses: emitted.notes.iter().filter_map(row).collect(),
        reasons: whole.filter_map(|note| note.left.clone()).collect(),
    }
}

/// What became of the clauses, for people.
fn told(report: &Report) -> String {
    let left: Vec<&Row> = report.clauses.iter().filter(|row| row.left.is_some()).collect();
    let mut text = if report.specialised {
        format!("all {} clauses about plies became code\n", report.clauses.len())
    } else {
        String::from("the module asks the machine for plies, because\n")
    };
    for reason in &report.reasons {
        text.push_str(&format!("  {reason}\n"));
    }
    for row in &left {
        let why = row.left.as_deref().unwrap_or_default();
        text.push_str(&format!("  {} {}: {why}\n", row.clause, row.title));
    }
    if !report.specialised {
        let names: Vec<&str> =
            report.clauses.iter().filter(|row| row.left.is_none()).map(|row| row.clause.as_str()).collect();
        text.push_str(&format!("these clauses would have become code: {}\n", names.join(", ")));
    }
    text
}
