//! The hash of the texts that a program is compiled from.
//!
//! Invariant: it depends on the ids and texts of the rule files and on the values given for parameters, and
//! on nothing else: not on paths, nor on the order in which the files were read.

use std::collections::BTreeMap;

use rulebook_machine::file::Sources;
use sha2::{Digest, Sha256};

/// The hash of rule files, by id, and of values given for parameters, by name.
pub fn sources<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
    given: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Sources {
    let mut hash = Sha256::new();
    let mut all = |pairs: BTreeMap<&str, &str>| {
        hash.update((pairs.len() as u64).to_le_bytes());
        for text in pairs.iter().flat_map(|(name, text)| [name, text]) {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        }
    };
    all(files.into_iter().collect());
    all(given.into_iter().collect());
    Sources(hash.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_makes_no_difference() {
        assert_eq!(sources([("a", "1"), ("b", "2")], []), sources([("b", "2"), ("a", "1")], []));
    }

    #[test]
    fn where_a_text_ends_makes_a_difference() {
        assert_ne!(sources([("a", "12")], []), sources([("a1", "2")], []));
    }

    #[test]
    fn a_given_value_makes_a_difference() {
        assert_ne!(sources([("a", "1")], []), sources([("a", "1")], [("size", "5")]));
    }
}
