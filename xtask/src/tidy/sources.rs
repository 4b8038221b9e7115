//! The shape of source files: introduced, finished, short, and plain on every line.
//!
//! The words that this module looks for are put together from halves, so that it does not find itself.

use super::tree::{BROKEN_ON_PURPOSE, File};
use super::{Finding, Tree};

/// The most lines that a file of `crates/` or `xtask/` may have.
const LONGEST: usize = 900;

/// Marks of work that is not done, or of tests that do not run.
const LOOSE_ENDS: &[&str] =
    &[concat!("#[", "ignore"), concat!("todo", "!"), concat!("dbg", "!"), concat!("unimplemented", "!")];

/// Every Rust file starts with a paragraph about itself.
pub(super) fn modules_are_introduced(tree: &Tree) -> Vec<Finding> {
    rust(tree).filter_map(introduction).collect()
}

fn introduction(file: &File) -> Option<Finding> {
    let (number, first) = file.lines().find(|(_, line)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with("#!")
    })?;
    let text = first.strip_prefix("//!").unwrap_or("");
    let message = "the module does not start with a `//!` paragraph";
    text.trim().is_empty().then(|| Finding::new(&file.path, number, message))
}

/// No test is switched off and no code is left to be written.
pub(super) fn nothing_is_left_open(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in rust(tree) {
        for (number, line) in file.lines() {
            for mark in LOOSE_ENDS.iter().filter(|mark| line.contains(**mark)) {
                findings.push(Finding::new(&file.path, number, format!("`{mark}` is a loose end")));
            }
        }
    }
    findings
}

/// No file of the code is longer than a reader's patience; recorded snapshots and locks are not read from end to end.
pub(super) fn files_are_short(tree: &Tree) -> Vec<Finding> {
    let written = tree.code().filter(|file| !matches!(file.extension(), "snap" | "lock"));
    let long = written.map(|file| (file, file.text.lines().count())).filter(|(_, lines)| *lines > LONGEST);
    long.map(|(file, lines)| {
        Finding::new(&file.path, LONGEST + 1, format!("{lines} lines, but the limit is {LONGEST}"))
    })
    .collect()
}

/// No line ends in white space, and no line holds a tab.
pub(super) fn whitespace_is_plain(tree: &Tree) -> Vec<Finding> {
    let plain = |file: &&File| {
        matches!(file.extension(), "rs" | "pest" | "yaml" | "yml" | "md" | "toml")
            && !file.is_below(&[BROKEN_ON_PURPOSE])
    };
    let mut findings = Vec::new();
    for file in tree.files().iter().filter(plain) {
        for (number, line) in file.lines() {
            if line.ends_with(char::is_whitespace) {
                findings.push(Finding::new(&file.path, number, "white space at the end of the line"));
            }
            if line.contains('\t') {
                findings.push(Finding::new(&file.path, number, "a tab"));
            }
        }
    }
    findings
}

fn rust(tree: &Tree) -> impl Iterator<Item = &File> {
    tree.code().filter(|file| file.extension() == "rs")
}
