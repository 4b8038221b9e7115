//! `cargo xtask tidy`: the house rules of the repository, as checks that anyone can run.
//!
//! A check is a function from the tree of files to findings; it prints nothing and stops at nothing.
//! Invariant: every check of `CHECKS` runs every time, and one finding makes the whole command fail.
//! What the compiler, clippy and rustfmt can check is deliberately left to them.

mod citations;
mod edges;
mod lines;
mod manifests;
mod schemas;
mod sources;
mod tree;
mod vocabulary;
mod yaml;

use std::fmt;
use std::process::ExitCode;

use crate::Outcome;
use tree::Tree;

/// What to do with the house rules.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print the formal lines of every rule file and the limit of each, and check nothing.
    #[arg(long)]
    lines: bool,
}

/// A breach of a house rule, at a place that an editor can open.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    path: String,
    line: usize,
    message: String,
}

impl Finding {
    fn new(path: impl Into<String>, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.into(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// A house rule: from the files of the repository to everything in them that breaks it.
type Check = fn(&Tree) -> Vec<Finding>;

/// Every check, in the order in which the findings are printed.
const CHECKS: &[Check] = &[
    edges::crates_depend_downwards,
    edges::document_lists_the_edges,
    manifests::dependencies_say_why,
    manifests::members_inherit,
    vocabulary::crates_know_no_game,
    sources::modules_are_introduced,
    sources::nothing_is_left_open,
    sources::files_are_short,
    sources::whitespace_is_plain,
    schemas::rules_match_their_schema,
    schemas::corpus_matches_its_schema,
    lines::rules_are_brief,
    citations::clauses_cite_the_ledger,
];

/// Runs every check and prints what was found.
pub(crate) fn run(args: Args) -> Outcome {
    let tree = Tree::read()?;
    if args.lines {
        print!("{}", lines::table(&tree));
        return Ok(ExitCode::SUCCESS);
    }
    let findings: Vec<Finding> = CHECKS.iter().flat_map(|check| check(&tree)).collect();
    for finding in &findings {
        println!("{finding}");
    }
    println!("{} checks, {} findings", CHECKS.len(), findings.len());
    Ok(if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The house rules are part of the tests, so that nothing is merged that breaks them.
    #[test]
    fn the_repository_keeps_its_house_rules() {
        let tree = Tree::read().expect("the repository can be read");
        let findings: Vec<String> =
            CHECKS.iter().flat_map(|check| check(&tree)).map(|finding| finding.to_string()).collect();
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }
}
