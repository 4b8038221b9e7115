//! The library front door: opens rule sets by path or id, and re-exports what is asked of them.
//!
//! Invariant: everything that the command line says is said by public functions of this crate or of those
//! it re-exports; the command line adds only the rendering. Nothing is printed here.
#![doc = ""]
#![doc = include_str!("../README.md")]

pub mod compiled;
pub mod exercised;
pub mod explored;
pub mod records;
pub mod referee;
pub mod sgf;
pub mod simulated;
pub mod tables;
pub mod trf;

use std::io;
use std::path::Path;
use std::sync::Arc;

pub use rulebook_compiler as compiler;
pub use rulebook_emit as emit;
pub use rulebook_machine as machine;
pub use rulebook_model as model;
pub use rulebook_model::library::{BUILT_IN, Library};
pub use rulebook_model::{Checked, Lang, Number, Outcome, Phrase, RuleSet, Value};
pub use rulebook_notation as notation;
pub use rulebook_pairing as pairing;
pub use rulebook_reference as reference;
pub use rulebook_reference::{Engine, Fault, Person, Plies, Reason, State, Verdict};
pub use rulebook_syntax as syntax;

use rulebook_syntax::{Diagnostic, Source};

/// Why a rule set cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no such file, and no such id among the rule sets that come with the program.
    #[error("there is no file and no built-in rule set `{name}`")]
    Unknown {
        /// The name as given.
        name: String,
        /// An id that may be meant.
        similar: Option<&'static str>,
    },
    /// The file cannot be read.
    #[error("`{name}` cannot be read: {reason}")]
    Unreadable {
        /// The name as given.
        name: String,
        /// Why.
        reason: io::Error,
    },
    /// The file has errors.
    #[error("`{name}` has errors")]
    Wrong {
        /// The name as given.
        name: String,
        /// Errors and warnings.
        diagnostics: Vec<Diagnostic>,
    },
    /// The machine has no room for the rule set.
    #[error("`{name}` cannot be compiled: {reason}")]
    Unsupported {
        /// The name as given.
        name: String,
        /// Why.
        reason: String,
    },
}

/// Checks a rule file by path, or a built-in one by id. `given` replaces values of parameters, by name.
///
/// # Errors
/// There is no such rule file, or it cannot be read. What is wrong in it is no error here.
pub fn check(name: &str, given: &[(String, String)]) -> Result<Checked, OpenError> {
    checked(name, given, &|_, _| {})
}

/// The same; every text that is read is shown, under its id, the first one under none.
fn checked(
    name: &str,
    given: &[(String, String)],
    show: &dyn Fn(&str, &Arc<Source>),
) -> Result<Checked, OpenError> {
    let path = Path::new(name);
    let (library, source) = if path.exists() {
        let unreadable = |reason| OpenError::Unreadable { name: name.to_owned(), reason };
        if path.is_dir() {
            return Err(unreadable(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")));
        }
        (Library::around(path), rulebook_model::library::read(path).map_err(unreadable)?)
    } else {
        let unknown = || OpenError::Unknown { name: name.to_owned(), similar: similar(name) };
        let library = Library::default();
        let source = library.find(name).ok_or_else(unknown)?;
        (library, source)
    };
    show("", &source);
    let find = |id: &str| library.find(id).inspect(|source| show(id, source));
    Ok(rulebook_model::check(&source, &find, given))
}

/// Opens a rule set by path or id.
///
/// # Errors
/// There is no such rule file, it cannot be read, or it has errors.
pub fn open(name: &str, given: &[(String, String)]) -> Result<RuleSet, OpenError> {
    let Checked { rules, diagnostics } = check(name, given)?;
    rules.ok_or_else(|| OpenError::Wrong { name: name.to_owned(), diagnostics })
}

/// The one of some words that looks most like another one, if any does.
pub fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known.into_iter().map(|other| (strsim::jaro_winkler(word, other), other));
    let best = scored.filter(|(score, _)| *score > 0.8).max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.map(|(_, other)| other)
}

fn similar(name: &str) -> Option<&'static str> {
    let name = name.trim_end_matches(".yaml").trim_start_matches("rules/");
    closest(name, BUILT_IN.iter().map(|(id, _)| *id))
}
