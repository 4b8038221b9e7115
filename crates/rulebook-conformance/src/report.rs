//! The report: how many cases of which rule set came out how, and every failure in full.
//!
//! Invariant: two runs over the same corpus give the same report, byte for byte. Tables for people are drawn
//! elsewhere.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::run::{Failure, Finished, LOADING, Outcome};
use crate::scenario::CONTRACT;

/// Numbers of cases by what came of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// As expected.
    pub passed: usize,
    /// Otherwise.
    pub failed: usize,
    /// Not answered by this engine.
    pub unsupported: usize,
    /// Without a rule set.
    pub waiting: usize,
    /// Left out because they take long.
    pub slow: usize,
}

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        let slot = match outcome {
            Outcome::Passed => &mut self.passed,
            Outcome::Failed(_) => &mut self.failed,
            Outcome::Unsupported(_) => &mut self.unsupported,
            Outcome::Waiting(_) => &mut self.waiting,
            Outcome::Slow => &mut self.slow,
        };
        *slot += 1;
    }
}

/// A report.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The version of the contract.
    pub contract: u32,
    /// The engine.
    pub driver: String,
    /// All cases together.
    pub totals: Counts,
    /// By rule set.
    pub rules: BTreeMap<String, Counts>,
    /// What waits, by the reason for it.
    pub waiting: BTreeMap<String, usize>,
    /// Every case.
    pub cases: Vec<Line>,
}

/// A case in the report.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// Its id.
    pub id: String,
    /// The file it stands in.
    pub path: String,
    /// The line it starts on.
    pub line: usize,
    /// The rule set.
    pub rules: String,
    /// What it cites.
    pub cites: Vec<String>,
    /// What an engine must be able to do.
    pub features: Vec<String>,
    /// One of `passed`, `failed`, `unsupported`, `waiting`, `slow`.
    pub outcome: &'static str,
    /// Why it is unsupported or waiting.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Answers that are not as expected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
}

impl Line {
    fn failure(&self) -> String {
        let mut text = format!("FAILED {}:{} {} under {}\n", self.path, self.line, self.id, self.rules);
        for failure in &self.failures {
            text.push_str(&format!("  {}:{}: {}\n", self.path, failure.line, failure.question));
            for (word, value) in [("expected", &failure.expected), ("got     ", &failure.got)] {
                let value = value.replace('\n', "\n      ");
                text.push_str(format!("    {word} {value}").trim_end());
                text.push('\n');
            }
            if !failure.clauses.is_empty() {
                text.push_str(&format!("    clauses  {}\n", failure.clauses.join(", ")));
            }
        }
        text.push_str(&format!("  again: cargo xtask conformance --filter '{}'\n\n", self.id));
        text
    }
}

/// The name under which cases without a rule set are counted.
pub const NONE_YET: &str = "(none yet)";

impl Report {
    /// Sums up what came of the cases.
    pub fn of(driver: &str, finished: &[Finished<'_>]) -> Self {
        let mut report = Self {
            contract: CONTRACT,
            driver: driver.to_owned(),
            totals: Counts::default(),
            rules: BTreeMap::new(),
            waiting: BTreeMap::new(),
            cases: Vec::new(),
        };
        for Finished { case, outcome, .. } in finished {
            let rules = if case.rules.is_empty() { NONE_YET } else { &case.rules };
            report.totals.add(outcome);
            report.rules.entry(rules.to_owned()).or_default().add(outcome);
            let (name, reason, failures) = match outcome {
                Outcome::Passed => ("passed", "", &[][..]),
                Outcome::Failed(failures) => ("failed", "", &failures[..]),
                Outcome::Unsupported(reason) => ("unsupported", reason.as_str(), &[][..]),
                Outcome::Waiting(reason) => ("waiting", reason.as_str(), &[][..]),
                Outcome::Slow => ("slow", "", &[][..]),
            };
            if name == "waiting" {
                *report.waiting.entry(reason.to_owned()).or_default() += 1;
            }
            report.cases.push(Line {
                id: case.id.clone(),
                path: case.path.clone(),
                line: case.line,
                rules: case.rules.clone(),
                cites: case.cites.clone(),
                features: case.features.clone(),
                outcome: name,
                reason: reason.to_owned(),
                failures: failures.to_vec(),
            });
        }
        report
    }

    /// Every failure as text: where, what, expected, got, clauses, and how to run it again. A rule set that
    /// cannot be loaded is told once, with the number of cases that it fails.
    pub fn failures(&self) -> String {
        let mut text = String::new();
        let mut broken: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for case in self.cases.iter().filter(|case| !case.failures.is_empty()) {
            if let [Failure { question, got, .. }] = &case.failures[..]
                && question.starts_with(LOADING)
            {
                let count = broken.entry((&case.rules, got)).or_default();
                *count += 1;
                if *count > 1 {
                    continue;
                }
            }
            text.push_str(&case.failure());
        }
        for ((rules, _), count) in broken.iter().filter(|(_, count)| **count > 1) {
            text.push_str(&format!("FAILED {} more cases, because {rules} cannot be loaded\n\n", count - 1));
        }
        text
    }

    /// The last line: what passed and what failed.
    pub fn last_line(&self) -> String {
        format!("{} passed, {} failed", self.totals.passed, self.totals.failed)
    }
}
