//! A case: what is put to an engine, with the answers that are expected.
//!
//! Invariant: there is exactly one check for each step of the script. Cases come from scenario files and
//! from tables; from here on nobody needs to know from which.

use crate::driver::{Question, Script, Step};
use crate::scenario::{Cell, MoveSet, Refusal, Status};

/// A case under one rule set.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its id: that of the file, a slash, and its own.
    pub id: String,
    /// The id of the file.
    pub suite: String,
    /// The file it stands in.
    pub path: String,
    /// The line it starts on.
    pub line: usize,
    /// What it shows.
    pub title: String,
    /// Articles and rows of the ledger.
    pub cites: Vec<String>,
    /// What an engine must be able to do.
    pub features: Vec<String>,
    /// The rule set; empty when there is none yet.
    pub rules: String,
    /// Values of parameters.
    pub params: Vec<(String, String)>,
    /// What is done and asked.
    pub script: Script,
    /// What is expected, step by step.
    pub checks: Vec<Check>,
    /// When it runs.
    pub tier: Tier,
    /// How long it will take, roughly, in plies looked at.
    pub cost: u64,
}

/// When a case runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tier {
    /// Always.
    Always,
    /// Always, if the engine has its rule set; else it waits for that.
    WhenEncoded,
    /// Always, on an engine that is fast.
    Fast,
    /// Only if slow cases are wanted.
    Slow,
    /// Never yet; the text says what is missing.
    Waiting(String),
}

/// What is expected of the answer to a step.
#[derive(Clone, Debug)]
pub struct Check {
    /// The line it stands on.
    pub line: usize,
    /// What is expected.
    pub wanted: Wanted,
}

/// What is expected of an answer.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// The line is accepted.
    Accepted,
    /// The line is refused, in this way.
    Refused(Refusal),
    /// Acts.
    Acts(MoveSet),
    /// A number.
    Count(u64),
    /// A position.
    Position(String),
    /// A status.
    Status(Status),
    /// A value.
    Value(Cell),
    /// Places.
    Groups(Vec<Vec<String>>),
    /// Rows: all of them, or some.
    Rows {
        /// All rows, in order.
        all: Option<Vec<Vec<String>>>,
        /// Some rows.
        some: Vec<Vec<String>>,
    },
    /// A picture, which is kept in this file.
    Picture {
        /// The file, below the folder of the corpus.
        file: String,
        /// What it holds, if it is there.
        text: Option<String>,
    },
}

impl Case {
    /// Adds a step with what is expected of it.
    pub fn push(&mut self, step: Step, line: usize, wanted: Wanted) {
        self.script.steps.push(step);
        self.checks.push(Check { line, wanted });
    }

    /// Adds something to do, which must be accepted.
    pub fn act(&mut self, line: usize, text: impl Into<String>) {
        self.push(Step::Do(text.into()), line, Wanted::Accepted);
    }

    /// Adds a question with its answer.
    pub fn ask(&mut self, line: usize, question: Question, wanted: Wanted) {
        self.push(Step::Ask(question), line, wanted);
    }

    /// The first words of a citation name its document: whether this article is cited, with or without them.
    pub fn cites(&self, article: &str) -> bool {
        self.cites.iter().any(|cite| {
            cite == article || cite.split_once(' ').is_some_and(|(_, rest)| rest.trim() == article)
        })
    }
}
