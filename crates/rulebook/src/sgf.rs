//! Game records for a rule set: read from a file in any character set, with the terms that they set.
//!
//! Invariant: what the caller gives goes before what the record says, and a term of the record that does not fit is
//! left out with a warning, never a reason to refuse the record.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rulebook_notation::pgn::MAX_TEXT;
use rulebook_notation::sgf::Record;
use rulebook_notation::sgf::encoding;
use rulebook_notation::sgf::terms::{Term, terms};
use rulebook_reference::Engine;
use rulebook_syntax::codes::SGF_REPAIRED;
use rulebook_syntax::{Diagnostic, Source};

use crate::{OpenError, RuleSet, open};

/// The text of a record, with what was assumed about its character set.
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
    Ok(encoding::decode(&path.display().to_string(), std::fs::read(path)?))
}

/// A rule set as a record wants it.
#[derive(Debug)]
pub struct Opened {
    /// The engine.
    pub engine: Engine,
    /// The parameters that the record sets.
    pub terms: Vec<Term>,
    /// What was assumed or left out.
    pub repairs: Vec<Diagnostic>,
}

/// Opens a rule set with the terms of a record; `rules` is the same one without them.
///
/// # Errors
/// The rule set cannot be opened even without the record.
pub fn open_for(
    name: &str,
    given: &[(String, String)],
    rules: &RuleSet,
    record: &Record,
    source: &Arc<Source>,
) -> Result<Opened, OpenError> {
    let (terms, mut repairs) = terms(rules, record, source);
    let (engine, terms) = with_terms(name, given, terms, source, &mut repairs)?;
    Ok(Opened { engine, terms, repairs })
}

/// Opens a rule set with those terms of a record that the caller does not give and that fit.
pub(crate) fn with_terms(
    name: &str,
    given: &[(String, String)],
    mut terms: Vec<Term>,
    source: &Arc<Source>,
    repairs: &mut Vec<Diagnostic>,
) -> Result<(Engine, Vec<Term>), OpenError> {
    terms.retain(|term| given.iter().all(|(known, _)| *known != term.name));
    let with = |terms: &[Term]| {
        let given: Vec<(String, String)> =
            given.iter().cloned().chain(terms.iter().map(Term::given)).collect();
        open(name, &given).map(|rules| Engine::new(Arc::new(rules)))
    };
    let engine = match with(&terms) {
        Ok(engine) => engine,
        Err(_) => {
            terms.retain(|term| {
                let fits = with(std::slice::from_ref(term)).is_ok();
                if !fits {
                    let Term { name, value, place } = term;
                    let message = format!("the record sets `{name}` to {value}, which does not fit here");
                    let help = format!("say it with `--given {name}=…`");
                    repairs.push(Diagnostic::warning(SGF_REPAIRED, source, *place, message).help(help));
                }
                fits
            });
            with(&terms)?
        }
    };
    Ok((engine, terms))
}
