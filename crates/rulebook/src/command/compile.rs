//! `compile`: a rule set as one file that other programs load.
//!
//! Invariant: the file is written as a whole or not at all, and only after it has been loaded once.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::{Answer, Given};
use crate::failure::Failure;
use crate::out::Out;

/// Arguments of `compile`.
#[derive(Args)]
pub(super) struct Arguments {
    /// A rule file, or the id of a built-in rule set.
    file: String,
    /// Where to write; beside the working folder's other files, under the rule set's name, if not said.
    #[arg(short, long, value_name = "OUT")]
    out: Option<PathBuf>,
}

/// The JSON answer of `compile`.
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
}

/// Runs `compile`.
pub(super) fn run(arguments: &Arguments, given: &Given, out: &mut Out) -> Result<Answer, Failure> {
    let compiled = rulebook::compiled::compile(&arguments.file, given)?;
    let bytes = compiled
        .bytes()
        .map_err(|error| Failure::new(format!("`{}` cannot be compiled: {error}", arguments.file)))?;
    let name = compiled.rules.id.rsplit('/').next().unwrap_or("rules");
    let path = arguments.out.clone().unwrap_or_else(|| Path::new(name).with_extension("rules"));
    rulebook::compiled::write(&path, &bytes)
        .map_err(|error| Failure::new(format!("`{}` cannot be written: {error}", path.display())))?;
    let report = Report {
        rules: compiled.rules.id.clone(),
        file: path.display().to_string(),
        bytes: bytes.len(),
        sources: compiled.sources.to_string(),
    };
    if out.is_json() {
        out.document(&report);
    } else {
        out.line(format!("{} written to {}, {} bytes", report.rules, report.file, report.bytes));
    }
    Ok(Answer::Good)
}
