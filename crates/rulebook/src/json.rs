//! The parts that JSON answers of several commands share.
//!
//! Invariant: keys are stable; texts that exist in several languages are given in all of them, whatever
//! `--lang` says.

use rulebook::model::ruleset::Clause;
use rulebook::syntax::{self, Severity};
use rulebook::{Phrase, RuleSet};
use serde::Serialize;

/// A text in the languages of the rule files.
#[derive(Serialize)]
pub(crate) struct Words {
    /// English.
    pub(crate) en: String,
    /// Chinese.
    pub(crate) zh: String,
}

impl From<&Phrase> for Words {
    fn from(phrase: &Phrase) -> Self {
        Self { en: phrase.en.clone(), zh: phrase.zh.clone() }
    }
}

/// A clause that decided something.
#[derive(Serialize)]
pub(crate) struct ClauseRef {
    /// Its id.
    pub(crate) id: String,
    /// Its title.
    pub(crate) title: Words,
    /// Its sentence.
    pub(crate) says: Words,
    /// What it cites.
    pub(crate) cites: Vec<String>,
    /// The id of the rule file it stands in.
    pub(crate) origin: String,
}

impl ClauseRef {
    /// A clause.
    pub(crate) fn of(clause: &Clause) -> Self {
        Self {
            id: clause.id.clone(),
            title: (&clause.title).into(),
            says: (&clause.says).into(),
            cites: clause.cites.clone(),
            origin: clause.origin.clone(),
        }
    }

    /// Clauses by number.
    pub(crate) fn all(rules: &RuleSet, clauses: &[u16]) -> Vec<Self> {
        let clauses = clauses.iter().filter_map(|at| rules.clauses.get(usize::from(*at)));
        clauses.map(Self::of).collect()
    }
}

/// A finding about a text.
#[derive(Serialize)]
pub(crate) struct Finding {
    /// Its stable code; none for what is wrong with an argument or a record.
    code: Option<&'static str>,
    /// `error` or `warning`.
    severity: &'static str,
    /// What is wrong.
    message: String,
    /// What to do about it, when we know.
    help: Option<String>,
    /// Places, the primary one first.
    labels: Vec<Place>,
}

/// A labelled place.
#[derive(Serialize)]
struct Place {
    /// The name of the text.
    file: String,
    /// Line, from one.
    line: usize,
    /// Column in characters, from one.
    column: usize,
    /// Offset of the first byte.
    start: usize,
    /// Offset after the last byte.
    end: usize,
    /// What to say beside it; may be empty.
    text: String,
}

impl Finding {
    /// A diagnostic.
    pub(crate) fn of(diagnostic: &syntax::Diagnostic) -> Self {
        let places = diagnostic.labels.iter().map(|label| {
            let (line, column) = label.source.line_column(label.span.start);
            Place {
                file: label.source.name.clone(),
                line,
                column,
                start: label.span.start,
                end: label.span.end,
                text: label.text.clone(),
            }
        });
        Self {
            code: Some(diagnostic.code).filter(|code| !code.is_empty()),
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            labels: places.collect(),
        }
    }
}
