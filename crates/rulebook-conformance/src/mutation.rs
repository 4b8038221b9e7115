//! Rule files with one mistake each, to see whether the corpus notices.
//!
//! Invariant: a mutant differs from the file in one place, the same file gives the same mutants in the same
//! order, and texts for people (titles, sentences, citations) are left alone.

use std::ops::Range;
use std::sync::Arc;

use rulebook_syntax::Source;
use rulebook_syntax::scalar::Scalar;
use rulebook_syntax::yaml::{self, Node, Value};

/// A rule file with one mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The line of the file.
    pub line: usize,
    /// The clause or the entry in which it is.
    pub place: String,
    /// What was done.
    pub what: String,
    /// The whole text.
    pub text: String,
}

impl Mutant {
    /// Its text as that of the rule file with an id.
    pub fn source(&self, id: &str) -> Arc<Source> {
        Source::new(format!("{id}.yaml"), self.text.clone())
    }
}

/// Keys of a clause that the engine obeys, and whose texts are changed.
const FORMAL: [&str; 15] = [
    "when",
    "unless",
    "then",
    "otherwise",
    "ends",
    "result",
    "forbid",
    "move",
    "act",
    "turn",
    "by",
    "choose",
    "most",
    "rank",
    "row",
];
/// Sections whose values are changed.
const SECTIONS: [&str; 3] = ["params", "define", "clock"];
/// What a word is changed into.
const WORDS: [(&str, &str); 14] = [
    (">=", ">"),
    ("<=", "<"),
    ("+=", "-="),
    ("-=", "+="),
    ("!=", "="),
    ("and", "or"),
    ("or", "and"),
    ("not", ""),
    ("any", "all"),
    ("all", "any"),
    ("mover", "opponent"),
    ("opponent", "mover"),
    ("win", "lose"),
    ("lose", "win"),
];

/// All mutants of a rule file; none if it is no YAML.
pub fn mutants(source: &Arc<Source>) -> Vec<Mutant> {
    let Ok(root) = yaml::parse(source, &yaml::Limits::default()) else { return Vec::new() };
    let Value::Map(sections) = &root.value else { return Vec::new() };
    let mut made = Maker { source, found: Vec::new() };
    for (key, node) in sections {
        match key.text.as_str() {
            "clauses" => made.clauses(node),
            section if SECTIONS.contains(&section) => made.values(section, node),
            _ => {}
        }
    }
    made.found
}

struct Maker<'a> {
    source: &'a Source,
    found: Vec<Mutant>,
}

impl Maker<'_> {
    fn clauses(&mut self, node: &Node) {
        let Value::Map(clauses) = &node.value else { return };
        for (id, clause) in clauses {
            let Value::Map(keys) = &clause.value else { continue };
            let advisory = keys.iter().any(|(key, _)| key.text == "advisory" || key.text == "renumbers");
            if !advisory {
                self.change(id.span.start..clause.span.end, "", &id.text, "the clause is dropped".into());
            }
            for (key, node) in keys.iter().filter(|(key, _)| FORMAL.contains(&key.text.as_str())) {
                match key.text.as_str() {
                    "when" => self.whole(node, &id.text, "true", "`when` is dropped"),
                    "unless" => self.whole(node, &id.text, "false", "`unless` is dropped"),
                    _ => {}
                }
                self.scalars(node, &id.text);
            }
        }
    }

    /// Values of a section, but for what is said about them.
    fn values(&mut self, place: &str, node: &Node) {
        match &node.value {
            Value::Map(entries) => {
                for (key, node) in
                    entries.iter().filter(|(key, _)| key.text != "cites" && key.text != "since")
                {
                    self.values(&format!("{place} {}", key.text), node);
                }
            }
            _ => self.scalars(node, place),
        }
    }

    fn whole(&mut self, node: &Node, place: &str, by: &str, what: &str) {
        self.change(node.span.start..node.span.end, by, place, what.to_owned());
    }

    fn scalars(&mut self, node: &Node, place: &str) {
        match &node.value {
            Value::Scalar(scalar) => self.scalar(scalar, place),
            Value::List(items) => items.iter().for_each(|item| self.scalars(item, place)),
            _ => {}
        }
    }

    fn scalar(&mut self, scalar: &Scalar, place: &str) {
        for (range, by) in changes(&scalar.text) {
            let old = scalar.text.get(range.clone()).unwrap_or("");
            let mut text = scalar.text.clone();
            text.replace_range(range, &by);
            let quoted = format!("{:?}", text);
            let what =
                if by.is_empty() { format!("`{old}` is dropped") } else { format!("`{old}` is `{by}`") };
            self.change(scalar.span.start..scalar.span.end, &quoted, place, what);
        }
    }

    fn change(&mut self, range: Range<usize>, by: &str, place: &str, what: String) {
        let mut text = self.source.text.clone();
        let (line, _) = self.source.line_column(range.start);
        text.replace_range(range, by);
        self.found.push(Mutant { line, place: place.to_owned(), what, text });
    }
}

/// The changes of a text of a small language: each a range, and what takes its place.
fn changes(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or("");
        let word: String = rest.chars().take_while(|c| is_word(*c)).collect();
        if word.is_empty() {
            let sign = [">=", "<=", "+=", "-=", "!=", ":="].into_iter().find(|sign| rest.starts_with(sign));
            match sign {
                Some(sign) => {
                    let by = WORDS.iter().find(|(old, _)| *old == sign);
                    found.extend(by.map(|(_, by)| (at..at + sign.len(), (*by).to_owned())));
                    at += sign.len();
                }
                None => {
                    let by = match c {
                        '>' => ">=",
                        '<' => "<=",
                        '=' => "!=",
                        _ => "",
                    };
                    if !by.is_empty() {
                        found.push((at..at + 1, by.to_owned()));
                    }
                    at += c.len_utf8();
                }
            }
            continue;
        }
        let range = at..at + word.len();
        if let Ok(number) = word.parse::<u32>() {
            // A part of a time or of a decimal number is one, too.
            found.push((range.clone(), format!("{:0width$}", number.saturating_add(1), width = word.len())));
            if number > 0 {
                found.push((range.clone(), format!("{:0width$}", number - 1, width = word.len())));
            }
        } else if let Some((_, by)) = WORDS.iter().find(|(old, _)| *old == word) {
            found.push((range.clone(), (*by).to_owned()));
        }
        at = range.end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_texts_are_changed_word_by_word() {
        let made = |text: &str| -> Vec<String> {
            let made = changes(text).into_iter().map(|(range, by)| {
                let mut changed = text.to_owned();
                changed.replace_range(range, &by);
                changed
            });
            made.collect()
        };
        assert_eq!(made("a >= 3 and b"), ["a > 3 and b", "a >= 4 and b", "a >= 2 and b", "a >= 3 or b"]);
        assert_eq!(made("x := 0 plies"), ["x := 1 plies"]);
        assert_eq!(made("note nothing"), [""; 0]);
        assert_eq!(made("1:05"), ["2:05", "0:05", "1:06", "1:04"]);
        assert_eq!(made("lose(actor)"), ["win(actor)"]);
    }

    #[test]
    fn one_place_is_changed_and_texts_for_people_are_not() {
        let text = "rulebook: 1\nid: a\nparams: { n: { value: 3, cites: X 9 } }\nclauses:\n  \"1\": { ends: played > n, when: stuck, result: draw, says: { en: 5 or 6 } }\n";
        let source = Source::new("a.yaml", text);
        let made = mutants(&source);
        let what: Vec<&str> = made.iter().map(|mutant| mutant.what.as_str()).collect();
        let expected =
            ["`3` is `4`", "`3` is `2`", "the clause is dropped", "`>` is `>=`", "`when` is dropped"];
        assert_eq!(what, expected);
        assert!(made.iter().all(|mutant| mutant.text.contains("X 9") || mutant.what.contains("clause")));
        assert_eq!(made[3].line, 5);
    }
}
