//! `check`: everything that is wrong or doubtful in rule files.
//!
//! Invariant: every file is looked at, whatever is wrong with the others. Warnings are no errors unless
//! `--strict` makes them so.

use clap::Args;
use rulebook::syntax::{Diagnostic, Severity};
use serde::Serialize;

use super::{Answer, Given};
use crate::describe::count;
use crate::failure::Failure;
use crate::json::Finding;
use crate::out::Out;
use crate::render;

/// Arguments of `check`.
#[derive(Args)]
pub(super) struct Arguments {
    /// Rule files, or ids of built-in rule sets.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Take warnings for errors.
    #[arg(long)]
    strict: bool,
}

/// The JSON answer of `check`.
#[derive(Serialize)]
struct Report {
    /// What was found in each file.
    files: Vec<File>,
    /// How many errors there are in all files.
    errors: usize,
    /// How many warnings there are in all files.
    warnings: usize,
}

/// What was found in one file.
#[derive(Serialize)]
struct File {
    /// The name as given.
    file: String,
    /// Why it cannot be read, if it cannot.
    unreadable: Option<String>,
    /// Errors and warnings, in the order of files and places.
    findings: Vec<Finding>,
}

/// Runs `check`.
pub(super) fn run(arguments: &Arguments, given: &Given, out: &mut Out) -> Result<Answer, Failure> {
    let mut report = Report { files: Vec::new(), errors: 0, warnings: 0 };
    for file in &arguments.files {
        let found = match rulebook::check(file, given) {
            Ok(checked) => checked.diagnostics,
            Err(error) => {
                report.errors += 1;
                if !out.is_json() {
                    Failure::from(error).report(out);
                    continue;
                }
                let unreadable = Some(error.to_string());
                report.files.push(File { file: file.clone(), unreadable, findings: Vec::new() });
                continue;
            }
        };
        let of = |severity| move |finding: &&Diagnostic| finding.severity == severity;
        report.errors += found.iter().filter(of(Severity::Error)).count();
        report.warnings += found.iter().filter(of(Severity::Warning)).count();
        if out.is_json() {
            let findings = found.iter().map(Finding::of).collect();
            report.files.push(File { file: file.clone(), unreadable: None, findings });
        } else {
            for finding in &found {
                out.line(render::diagnostic(finding, Out::colours()));
            }
        }
    }
    if out.is_json() {
        out.document(&report);
    } else {
        let files = count(arguments.files.len(), "file");
        let errors = if report.errors == 0 { "no errors".into() } else { count(report.errors, "error") };
        let warnings = match report.warnings {
            0 => String::new(),
            some => format!(", {}", count(some, "warning")),
        };
        out.line(format!("{files} checked: {errors}{warnings}"));
    }
    let bad = report.errors > 0 || arguments.strict && report.warnings > 0;
    Ok(if bad { Answer::Bad } else { Answer::Good })
}
