//! Reports of tournaments for a rule set: read from a file in any character set, with the terms that they set.
//!
//! Invariant: what the caller gives goes before what the report says, and a term of the report that does not fit is
//! left out with a warning, never a reason to refuse the report.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rulebook_notation::sgf::terms::Term;
use rulebook_notation::trf::{self, MAX_TEXT, Report, encoding};
use rulebook_reference::{Engine, State};
use rulebook_syntax::{Diagnostic, Source};

use crate::{OpenError, RuleSet, sgf};

/// The text of a report, with what was assumed about its character set.
///
/// # Errors
/// The file cannot be read, or is too large.
pub fn read(path: &Path) -> io::Result<(Arc<Source>, Vec<Diagnostic>)> {
    let about = std::fs::metadata(path)?;
    if about.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    if about.len() > MAX_TEXT as u64 {
        let message = format!("it has {} bytes; at most {MAX_TEXT} are read", about.len());
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(encoding::decode(&path.display().to_string(), &std::fs::read(path)?))
}

/// Whether a file is a report: by the end of its name, or by how its text begins if the name says nothing.
pub fn is_report(name: &str, text: &str) -> bool {
    let lower = name.to_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| lower.ends_with(ending));
    ends(&[".trf", ".trfx"]) || !ends(&[".yaml", ".yml", ".json", ".csv", ".tsv"]) && trf::looks_like(text)
}

/// A rule set as a report wants it, with the tables of the report.
#[derive(Debug)]
pub struct Opened {
    /// The engine.
    pub engine: Engine,
    /// The tables.
    pub state: State,
    /// The report.
    pub report: Report,
    /// The parameters that the report sets.
    pub terms: Vec<Term>,
    /// What was assumed or left out.
    pub repairs: Vec<Diagnostic>,
}

/// Why a report cannot be used with a rule set.
#[derive(Debug)]
pub enum ReportError {
    /// The rule set cannot be opened.
    Rules(OpenError),
    /// The report cannot be read, or does not fit the tables of the rule set.
    Report(Vec<Diagnostic>),
}

/// Opens a rule set with the terms and the tables of a report; `rules` is the same one without them.
///
/// # Errors
/// The report or the rule set cannot be used.
pub fn open_for(
    name: &str,
    given: &[(String, String)],
    rules: &RuleSet,
    source: &Arc<Source>,
) -> Result<Opened, ReportError> {
    let (report, mut repairs) = trf::parse(source).map_err(ReportError::Report)?;
    let (terms, warnings) = trf::terms::terms(rules, &report, source);
    repairs.extend(warnings);
    let (engine, terms) =
        sgf::with_terms(name, given, terms, source, &mut repairs).map_err(ReportError::Rules)?;
    let state = trf::tables(engine.rules(), &report, source).map_err(ReportError::Report)?;
    Ok(Opened { engine, state, report, terms, repairs })
}
