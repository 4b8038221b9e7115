//! The repository speaks of the project alone: no word about the place where someone wrote it.
//!
//! The words are put together from halves, so that this module does not find itself.

use super::{Finding, Tree};

/// Parts of paths that exist on one machine only.
const PATHS: &[&str] = &[concat!("../sha", "red"), concat!("/wo", "rk/")];

/// Words about a way of working.
const WORDS: &[&str] = &[concat!("sess", "ion"), concat!("sess", "ions")];

/// Folders in which such a word is one of the regulations', for a sitting at the board.
const SITTINGS: &[&str] = &["rules/", "conformance/"];

/// Files whose words are not ours.
const FOREIGN: &[&str] = &["Cargo.lock", "LICENSE-APACHE", "LICENSE-MIT"];

/// No text file holds one of these words.
pub(super) fn files_speak_of_the_project(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files().iter().filter(|file| !FOREIGN.contains(&file.path.as_str())) {
        let words = if file.is_below(SITTINGS) { &[] } else { WORDS };
        for (number, line) in file.lines() {
            for word in workplace_words(line, words) {
                findings.push(Finding::new(&file.path, number, format!("`{word}` is not about the project")));
            }
        }
    }
    findings
}

/// The parts of paths, and those of these words, that a line holds.
fn workplace_words(line: &str, words: &[&'static str]) -> Vec<&'static str> {
    let line = line.to_lowercase();
    let paths = PATHS.iter().filter(|path| line.contains(**path));
    let words =
        words.iter().filter(|word| line.split(|c: char| !c.is_alphabetic()).any(|other| other == **word));
    paths.chain(words).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole() {
        assert!(workplace_words("in the possession of the player", WORDS).is_empty());
        assert_eq!(workplace_words(concat!("An earlier Sess", "ion."), WORDS), [WORDS[0]]);
    }

    #[test]
    fn paths_are_found_anywhere() {
        assert_eq!(workplace_words(&format!("see {}x", PATHS[1]), &[]), [PATHS[1]]);
    }
}
