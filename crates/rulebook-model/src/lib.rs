//! Turns syntax trees into a checked, layered, typed rule set, with diagnostics.
//!
//! The stages read in order: `draft` (one file as written), `layer` (a file on top of its bases),
//! `check` (names, types, units, conflicts), which makes a `RuleSet`. How a rule set is executed is
//! not known here.

pub mod board;
pub mod draft;
pub mod exchange;
pub mod layer;
pub mod library;
pub mod pairing;
pub mod placement;
pub mod ruleset;
pub mod types;
pub mod value;

mod check;

use std::sync::Arc;

pub use layer::Resolve;
use rulebook_syntax::{Diagnostic, Severity, Source};
pub use ruleset::{Lang, Phrase, RuleSet};
pub use value::{Number, Outcome, Site, Sites, Value};

/// A rule set, unless there are errors, and everything there is to say about its text.
#[derive(Debug)]
pub struct Checked {
    /// The rule set; `None` when there is any error.
    pub rules: Option<RuleSet>,
    /// Errors and warnings, in the order of files and places.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads, layers and checks a rule file. `given` replaces values of parameters, by name.
pub fn check(source: &Arc<Source>, resolve: Resolve<'_>, given: &[(String, String)]) -> Checked {
    let (layers, mut diagnostics) = layer::stack(source, resolve);
    let rules = layers.and_then(|layers| check::run(source, layers, given, &mut diagnostics));
    let order = |diagnostic: &Diagnostic| {
        let label = diagnostic.labels.first();
        label.map(|label| (label.source.name != source.name, label.source.name.clone(), label.span))
    };
    diagnostics.sort_by_key(order);
    diagnostics.dedup();
    let broken = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    Checked { rules: rules.filter(|_| !broken), diagnostics }
}
