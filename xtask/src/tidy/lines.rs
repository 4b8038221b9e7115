//! The measure of elegance: how many formal lines a rule file needs to say what it says.
//!
//! A formal line is one that the engine obeys. Blank lines, comments, titles, sentences for people and citations
//! are not counted, so nobody makes a rule file shorter by telling less. Nor is the bare line of a clause id, for
//! a clause that is written over several lines should cost no more than one that is squeezed into one.

use super::tree::File;
use super::{Finding, Tree};

/// The keys whose text, with everything nested under them, is for people.
const FOR_PEOPLE: &[&str] = &["title", "says", "cites", "source", "sources", "since", "edition"];

/// The limits of the files that carry the whole of a game.
const WHOLE: &[(&str, usize)] = &[("rules/chess/board.yaml", 80), ("rules/go/board.yaml", 60)];

/// The folders in which a file that extends another is a variant, and the limit of each variant.
const VARIANTS: (&[&str], usize) = (&["rules/chess/", "rules/go/"], 20);

/// The folders of regulations of conduct, which are as long as their texts.
const CONDUCT: &[&str] = &["rules/chess/conduct/", "rules/go/conduct/"];

/// No rule file exceeds its limit, and every file with a limit of its own is there.
pub(super) fn rules_are_brief(tree: &Tree) -> Vec<Finding> {
    let absent = WHOLE.iter().filter(|(path, _)| tree.file(path).is_none());
    let absent =
        absent.map(|(path, limit)| Finding::new(*path, 1, format!("missing, with a limit of {limit} lines")));
    let long = tree.yaml("rules/").filter_map(|file| {
        let (lines, limit) = (formal_lines(&file.text), limit(file)?);
        let message = format!("{lines} formal lines, but the limit is {limit}");
        (lines > limit).then(|| Finding::new(&file.path, 1, message))
    });
    absent.chain(long).collect()
}

/// The formal lines and the limit of every rule file, for people.
pub(super) fn table(tree: &Tree) -> String {
    let width = tree.yaml("rules/").map(|file| file.path.len()).max().unwrap_or(0).max("path".len());
    let mut table = format!("{:width$}  formal  limit\n", "path");
    for file in tree.yaml("rules/") {
        let limit = limit(file).map_or_else(|| "-".to_owned(), |limit| limit.to_string());
        table += &format!("{:width$}  {:>6}  {limit:>5}\n", file.path, formal_lines(&file.text));
    }
    table
}

fn limit(file: &File) -> Option<usize> {
    let whole = WHOLE.iter().find(|(path, _)| *path == file.path).map(|(_, limit)| *limit);
    let (folders, limit) = VARIANTS;
    let layer = file.is_below(folders) && file.text.lines().any(|line| line.starts_with("extends:"));
    whole.or((layer && !file.is_below(CONDUCT)).then_some(limit))
}

/// How many lines of a rule file are formal.
fn formal_lines(text: &str) -> usize {
    let mut formal = 0;
    // Columns of the keys that we are under: a key for people, and the mapping of clauses.
    let mut for_people = None;
    let mut clauses = None;
    for line in text.lines() {
        let body = line.trim_start();
        if body.is_empty() || body.starts_with('#') {
            continue;
        }
        let indent = line.len() - body.len();
        if for_people.is_some_and(|column| indent > column || (indent == column && continues(body))) {
            continue;
        }
        for_people = None;
        if clauses.is_some_and(|column| indent <= column) {
            clauses = None;
        }
        let entry = entry(line);
        match entry {
            Some(Entry { quoted: false, key, column, .. }) if FOR_PEOPLE.contains(&key) => {
                for_people = Some(column);
                continue;
            }
            Some(Entry { quoted: true, bare: true, .. }) if clauses.is_some() => continue,
            Some(Entry { quoted: false, key: "clauses", bare: true, column }) => clauses = Some(column),
            _ => {}
        }
        formal += 1;
    }
    formal
}

/// Whether a line goes on with the value of a key in the same column: an item of its list, or a closing bracket.
fn continues(body: &str) -> bool {
    body == "-" || body.starts_with("- ") || body.starts_with([']', '}'])
}

/// The first entry of a mapping that a line opens.
struct Entry<'a> {
    /// Where the key starts, after the dashes of a list.
    column: usize,
    key: &'a str,
    quoted: bool,
    /// Whether nothing but a comment follows on the line.
    bare: bool,
}

fn entry(line: &str) -> Option<Entry<'_>> {
    let mut body = line.trim_start();
    while let Some(rest) = body.strip_prefix("- ") {
        body = rest.trim_start();
    }
    let column = line.len() - body.len();
    let quote = body.chars().next().filter(|first| matches!(first, '"' | '\''));
    let (key, rest) = match quote {
        Some(quote) => {
            let (key, rest) = body.get(1..)?.split_once(quote)?;
            (key, rest.trim_start().strip_prefix(':')?)
        }
        None => body.split_once(':')?,
    };
    let ends_key = rest.is_empty() || rest.starts_with(' ');
    let value = rest.trim_start();
    let bare = value.is_empty() || value.starts_with('#');
    ends_key.then_some(Entry { column, key: key.trim_end(), quoted: quote.is_some(), bare })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_lines_count() {
        assert_eq!(formal_lines("rulebook: 1\nid: x\nboard:\n  grid: 3x3\n"), 4);
    }

    #[test]
    fn blank_lines_and_comments_do_not() {
        assert_eq!(formal_lines("# yaml-language-server: x\n\nid: x # the name\n  # more\n"), 1);
    }

    #[test]
    fn text_for_people_does_not_with_everything_under_it() {
        let text = "\
title:
  en: A

  zh: 甲
sources:
- one: 1
  two: 2
- three
cites: [
  S0-001,
]
edition: 2020
id: x
params: { a: 1 }
says: >
  a: b
  - c
";
        assert_eq!(formal_lines(text), 2);
    }

    #[test]
    fn keys_for_people_count_nowhere() {
        let text = "\
stages:
  - title: A
    games: 12
  - says: B
    cites:
      - S0-001
    games: 4
";
        assert_eq!(formal_lines(text), 3);
    }

    #[test]
    fn longer_keys_and_quoted_keys_are_formal() {
        assert_eq!(formal_lines("titled: 1\n\"title\": 2\ntitle_of(p): 3\n"), 3);
    }

    #[test]
    fn a_bare_clause_id_is_a_heading() {
        let text = "\
clauses:
  \"3.2\":
    says: A
    piece: a
    move:
      then: b
  '3.3': # why
    piece: b
  \"3.4\": { piece: c, says: B }
define:
  \"f(x)\":
    g: 1
";
        assert_eq!(formal_lines(text), 1 + 3 + 1 + 1 + 3);
    }
}
