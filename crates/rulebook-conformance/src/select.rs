//! Which cases to run: by a pattern on paths and ids, and by what they cite.
//!
//! `*` stands for anything within one part of a path, `**` for anything at all. Nothing else is special.

use crate::case::Case;

/// Which cases to run.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// A pattern on the path, the id of the file, or the whole id.
    pub filter: Option<String>,
    /// An article that must be cited.
    pub article: Option<String>,
}

impl Selection {
    /// Whether a case is selected.
    pub fn admits(&self, case: &Case) -> bool {
        let filter = self.filter.as_deref().is_none_or(|pattern| {
            let below = case.path.split_once('/').map_or("", |(_, below)| below);
            [&case.path, below, &case.suite, &case.id].into_iter().any(|text| matches(pattern, text))
        });
        filter && self.article.as_deref().is_none_or(|article| case.cites(article))
    }
}

/// Whether a pattern stands for a text.
pub fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    // The places in the pattern that the text read so far can have led to.
    let mut places = vec![false; pattern.len() + 1];
    // A star may stand for nothing.
    let open = |places: &mut Vec<bool>| {
        for at in 0..pattern.len() {
            let here = places.get(at) == Some(&true) && pattern.get(at) == Some(&'*');
            if let (Some(next), true) = (places.get_mut(at + 1), here) {
                *next = true;
            }
        }
    };
    if let Some(first) = places.first_mut() {
        *first = true;
    }
    open(&mut places);
    for sign in text {
        let mut next = vec![false; pattern.len() + 1];
        for (at, wanted) in pattern.iter().enumerate() {
            if places.get(at) != Some(&true) {
                continue;
            }
            let double = pattern.get(at + 1) == Some(&'*')
                || at.checked_sub(1).and_then(|at| pattern.get(at)) == Some(&'*');
            let stays = *wanted == '*' && (sign != '/' || double);
            let moves = *wanted == sign && sign != '*';
            for (to, reached) in [(at, stays), (at + 1, moves)] {
                if let (Some(slot), true) = (next.get_mut(to), reached) {
                    *slot = true;
                }
            }
        }
        places = next;
        open(&mut places);
    }
    places.last() == Some(&true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stay_within_a_part_and_double_stars_do_not() {
        for (pattern, text, wanted) in [
            ("a/b", "a/b", true),
            ("a/b", "a/c", false),
            ("a*", "abc", true),
            ("a*", "ab/c", false),
            ("a/*", "a/b", true),
            ("a/*", "a/b/c", false),
            ("a/**", "a/b/c", true),
            ("**/c.yaml", "a/b/c.yaml", true),
            ("**", "", true),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("a*b*c", "a--b--c", true),
            ("a*b*c", "a--c--b", false),
        ] {
            assert_eq!(matches(pattern, text), wanted, "{pattern} on {text}");
        }
    }
}
