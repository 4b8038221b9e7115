//! `compile`: a rule set as one file that other programs load.
//!
//! Invariant: the file is written as a whole or not at all, and only after it has been loaded once.

use std::path::{Path, PathBuf};

use clap::Args;
use rulebook::compiled::TextError;
use rulebook::machine::file::{LoadError, Sources};
use rulebook::syntax::{Diagnostic, Span};
use serde::Serialize;

use super::{Answer, Given};
use crate::failure::Failure;
use crate::out::Out;

/// Arguments of `compile`.
#[derive(Args)]
pub(super) struct Arguments {
    /// A rule file, the id of a built-in rule set, or a program as text that ends in `.ron`.
    file: String,
    /// Where to write; beside the working folder's other files, under the rule set's name, if not said.
    #[arg(short, long, value_name = "OUT")]
    out: Option<PathBuf>,
}

/// What the name of a program as text ends in.
const TEXT: &str = "ron";
/// The most bytes of such a text.
const MAX_TEXT: usize = 16 * 1024 * 1024;

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
    let (id, sources, bytes) = made(&arguments.file, given)?;
    let name = id.rsplit('/').next().unwrap_or("rules");
    let path = arguments.out.clone().unwrap_or_else(|| Path::new(name).with_extension("rules"));
    rulebook::compiled::write(&path, &bytes)
        .map_err(|error| Failure::new(format!("`{}` cannot be written: {error}", path.display())))?;
    let report = Report {
        rules: id.clone(),
        file: path.display().to_string(),
        bytes: bytes.len(),
        sources: sources.to_string(),
    };
    if out.is_json() {
        out.document(&report);
    } else {
        out.line(format!("{} written to {}, {} bytes", report.rules, report.file, report.bytes));
    }
    Ok(Answer::Good)
}

/// The id of a rule set, the hash of its texts, and the bytes of its compiled file.
fn made(file: &str, given: &Given) -> Result<(String, Sources, Vec<u8>), Failure> {
    let refused = |error: LoadError| Failure::new(format!("`{file}` cannot be compiled: {error}"));
    if Path::new(file).extension().is_none_or(|extension| extension != TEXT) {
        let compiled = rulebook::compiled::compile(file, given)?;
        let bytes = compiled.bytes().map_err(refused)?;
        return Ok((compiled.rules.id, compiled.sources, bytes));
    }
    if !given.is_empty() {
        return Err(Failure::new("a program as text has no parameters any more"));
    }
    let source = super::text(file, MAX_TEXT)?;
    let (program, sources, bytes) =
        rulebook::compiled::from_text(&source.text).map_err(|error| match error {
            TextError::Load(error) => refused(error),
            TextError::Text(misread) => {
                let place = Span::new(misread.start, misread.end);
                let place = Diagnostic::error("", &source, place, misread.message);
                Failure::new(format!("`{file}` is not a program as text")).at(vec![place])
            }
        })?;
    Ok((program.id, sources, bytes))
}
