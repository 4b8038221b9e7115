//! Input that cannot be used: what is wrong with it, and where.
//!
//! Invariant: a failure is told once, on the error stream for people, or on standard output when JSON is
//! wanted. It always ends the program with the code 2.

use std::io::{self, Write as _};

use rulebook::syntax::{Diagnostic, Severity};
use rulebook::{BUILT_IN, Fault, OpenError, RuleSet};
use serde::Serialize;

use crate::out::Out;
use crate::{json, render};

/// Why there is no answer.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    help: Option<String>,
    diagnostics: Vec<Diagnostic>,
}

/// The JSON document of a failure.
#[derive(Serialize)]
struct Document {
    /// The failure.
    error: Body,
}

/// What is wrong.
#[derive(Serialize)]
pub(crate) struct Body {
    /// A sentence fragment.
    message: String,
    /// What to do about it, when we know.
    help: Option<String>,
    /// Places in files.
    diagnostics: Vec<json::Finding>,
}

impl Failure {
    /// A failure with a message.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, diagnostics: Vec::new() }
    }

    /// The same with a help text.
    pub(crate) fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// The same with places in files.
    pub(crate) fn at(mut self, diagnostics: Vec<Diagnostic>) -> Self {
        self.diagnostics = diagnostics;
        self
    }

    /// The rule set has no answer in some situation.
    pub(crate) fn fault(rules: &RuleSet, fault: &Fault) -> Self {
        let failure = Self::new(format!("the rule set `{}` has no answer here: {fault}", rules.id));
        let Fault::Conflict(clauses) = fault else { return failure };
        let ids = clauses.iter().filter_map(|at| rules.clauses.get(usize::from(*at)));
        let ids: Vec<String> = ids.map(|clause| format!("`{}` {}", clause.id, clause.title.en)).collect();
        failure.help(format!("the clauses are {}", ids.join(" and ")))
    }

    /// The failure as a part of a JSON document.
    pub(crate) fn body(&self) -> Body {
        Body {
            message: self.message.clone(),
            help: self.help.clone(),
            diagnostics: self.diagnostics.iter().map(json::Finding::of).collect(),
        }
    }

    /// Tells it.
    pub(crate) fn report(&self, out: &mut Out) {
        if out.is_json() {
            out.document(&Document { error: self.body() });
            return;
        }
        let mut text = String::new();
        for diagnostic in &self.diagnostics {
            text.push_str(&render::diagnostic(diagnostic, render::colours_on_errors()));
            text.push('\n');
        }
        text.push_str(&format!("error: {}\n", self.message));
        if let Some(help) = &self.help {
            text.push_str(&format!("help: {help}\n"));
        }
        // If nobody listens to errors, there is nobody to tell.
        let _ = io::stderr().write_all(text.as_bytes());
    }
}

/// Tells warnings on the error stream, for people.
pub(crate) fn warn(warnings: &[Diagnostic]) {
    let mut text = String::new();
    for warning in warnings {
        text.push_str(&render::diagnostic(warning, render::colours_on_errors()));
        text.push('\n');
    }
    // If nobody listens to errors, there is nobody to tell.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// A warning in one line, with its place.
pub(crate) fn in_line(warning: &Diagnostic) -> String {
    let Some(label) = warning.labels.first() else { return warning.message.clone() };
    let (line, column) = label.source.line_column(label.span.start);
    format!("line {line}, column {column}: {}", warning.message)
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        let failure = Self::new(error.to_string());
        match error {
            OpenError::Unknown { similar: Some(similar), .. } => {
                failure.help(format!("did you mean `{similar}`?"))
            }
            OpenError::Unknown { .. } => {
                let ids: Vec<&str> = BUILT_IN.iter().map(|(id, _)| *id).collect();
                failure.help(format!("the built-in rule sets are {}", ids.join(", ")))
            }
            OpenError::Unreadable { .. } | OpenError::Unsupported { .. } => failure,
            OpenError::Wrong { mut diagnostics, .. } => {
                diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
                failure.at(diagnostics)
            }
        }
    }
}
