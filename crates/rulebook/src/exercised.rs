//! Which scenarios of a corpus exercise a clause: those that expect it by its id, and those that cite what it cites.
//!
//! Invariant: a scenario counts only under a rule set in which this very clause is in force. It is *against* where
//! it expects a refusal or that nothing has ended, and *for* where it expects anything else or does something: the
//! same as in the coverage of the corpus. Nothing is run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use rulebook_model::library::{self, Library};
use rulebook_model::ruleset::Clause;
use rulebook_syntax::yaml::{self, Limits, Node, Value};
use rulebook_syntax::{Diagnostic, Source};

/// What a scenario file begins with, before or after comments.
const CONTRACT: &str = "contract:";
/// Expectations that can name clauses and can be of refusals.
const ILLEGAL: &str = "illegal";

/// A scenario that exercises a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exercise {
    /// Its id, with that of its file before a slash.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// The file it stands in.
    pub file: String,
    /// The line it starts on.
    pub line: usize,
    /// Whether it expects the clause by its id; else it only cites what the clause cites.
    pub named: bool,
    /// Whether something is expected to be done.
    pub positive: bool,
    /// Whether something is expected to be refused, or not to have ended.
    pub negative: bool,
}

/// A scenario as far as it matters here.
#[derive(Clone, Debug)]
struct Scenario {
    about: Exercise,
    rules: Vec<String>,
    cites: Vec<String>,
    clauses: Vec<String>,
}

/// The scenario files of a folder, each read where it may be about a clause.
#[derive(Clone, Debug, Default)]
pub struct Scenarios(Vec<Arc<Source>>);

impl Scenarios {
    /// The scenario files below a folder, in the order of their paths.
    ///
    /// # Errors
    /// A file or folder cannot be read; its name comes first.
    pub fn read(folder: &Path) -> Result<Self, (String, io::Error)> {
        let mut files = Vec::new();
        gather(folder, &mut files)?;
        let mut sources = Vec::new();
        for path in files {
            let source = library::read(&path).map_err(|error| (path.display().to_string(), error))?;
            if source.text.lines().any(|line| line.starts_with(CONTRACT)) {
                sources.push(source);
            }
        }
        Ok(Self(sources))
    }

    /// The scenarios that exercise a clause; rule sets are looked for in a library.
    ///
    /// # Errors
    /// A scenario file is not YAML.
    pub fn of(&self, clause: &Clause, library: &Library) -> Result<Vec<Exercise>, Vec<Diagnostic>> {
        let mut homes: BTreeMap<String, bool> = BTreeMap::new();
        let mut found = Vec::new();
        // A file that has neither the id nor a citation in its text has no such scenario.
        let about = |text: &str| {
            text.contains(&clause.id) || clause.cites.iter().any(|cite| text.contains(cite.as_str()))
        };
        let in_force = |rules: &str| {
            let checked = library.check(rules, &[]).and_then(|checked| checked.rules);
            checked.is_some_and(|rules| {
                let same = rules.clause(&clause.id).filter(|other| other.origin == clause.origin);
                same.is_some_and(|other| other.span == clause.span)
            })
        };
        for source in self.0.iter().filter(|source| about(&source.text)) {
            let root = yaml::parse(source, &Limits::default())?;
            let mut all = Vec::new();
            suite(source, &root, &mut all);
            for scenario in all {
                let named = scenario.clauses.contains(&clause.id);
                let cited = scenario.cites.iter().any(|cite| clause.cites.contains(cite));
                let mut is_home =
                    |rules: &String| *homes.entry(rules.clone()).or_insert_with(|| in_force(rules));
                if (named || cited) && scenario.rules.iter().any(&mut is_home) {
                    found.push(Exercise { named, ..scenario.about });
                }
            }
        }
        found.sort_by_key(|exercise| !exercise.named);
        Ok(found)
    }
}

/// All YAML files below a folder.
fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), (String, io::Error)> {
    let failed = |error| (folder.display().to_string(), error);
    let entries: io::Result<Vec<PathBuf>> =
        fs::read_dir(folder).map_err(failed)?.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut entries = entries.map_err(failed)?;
    entries.sort();
    for path in entries {
        let link = fs::symlink_metadata(&path).is_ok_and(|about| about.is_symlink());
        if path.is_dir() && !link {
            gather(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml") {
            files.push(path);
        }
    }
    Ok(())
}

/// The value of a key.
fn get<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    match &node.value {
        Value::Map(entries) => entries.iter().find(|(known, _)| known.text == key).map(|(_, node)| node),
        _ => None,
    }
}

/// A text, or the texts of a list.
fn texts(node: Option<&Node>) -> Vec<String> {
    match node.map(|node| &node.value) {
        Some(Value::Scalar(scalar)) => vec![scalar.text.clone()],
        Some(Value::List(items)) => items.iter().flat_map(|item| texts(Some(item))).collect(),
        _ => Vec::new(),
    }
}

fn suite(source: &Arc<Source>, root: &Node, all: &mut Vec<Scenario>) {
    let first = |node: &Node, key: &str| texts(get(node, key)).into_iter().next().unwrap_or_default();
    let Some(Value::List(scenarios)) = get(root, "scenarios").map(|node| &node.value) else { return };
    let (suite, rules) = (first(root, "suite"), texts(get(root, "rules")));
    for scenario in scenarios {
        let own = texts(get(scenario, "rules"));
        let expects: &[Node] = match get(scenario, "expect").map(|node| &node.value) {
            Some(Value::List(items)) => items,
            _ => &[],
        };
        let mut clauses = Vec::new();
        expects.iter().for_each(|expect| named(expect, &mut clauses));
        let does = get(scenario, "do").is_some();
        all.push(Scenario {
            about: Exercise {
                id: format!("{suite}/{}", first(scenario, "id")),
                title: first(scenario, "title"),
                file: source.name.clone(),
                line: source.line_column(scenario.span.start).0,
                named: false,
                positive: does || expects.iter().any(|expect| !only_against(expect)),
                negative: expects.iter().any(is_against),
            },
            rules: if own.is_empty() { rules.clone() } else { own },
            cites: texts(get(scenario, "cites")),
            clauses,
        });
    }
}

/// The clauses that an expectation names.
fn named(node: &Node, clauses: &mut Vec<String>) {
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| named(item, clauses)),
        Value::Map(entries) => {
            for (key, value) in entries {
                if key.text == "clause" || key.text == "clauses" {
                    clauses.extend(texts(Some(value)));
                } else {
                    named(value, clauses);
                }
            }
        }
        _ => {}
    }
}

/// Whether an expectation is of a refusal, or that nothing has ended.
fn is_against(expect: &Node) -> bool {
    let ongoing = get(expect, "status").is_some_and(|node| texts(Some(node)) == ["ongoing"]);
    let refused = get(expect, "claims").is_some_and(|claims| get(claims, "not").is_some());
    let moves = get(expect, "moves");
    let none = moves.is_some_and(|moves| {
        matches!(moves.value, Value::Map(_))
            && ["count", "is", "include"].iter().all(|key| get(moves, key).is_none())
    });
    get(expect, ILLEGAL).is_some() || ongoing || refused || none
}

/// Whether it is of nothing else.
fn only_against(expect: &Node) -> bool {
    let claims = get(expect, "claims");
    let also = claims.is_some_and(|claims| {
        matches!(&claims.value, Value::Map(entries) if entries.iter().any(|(key, _)| key.text != "not"))
    });
    is_against(expect) && !also
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenarios(text: &str) -> Vec<Scenario> {
        let source = Source::new("a.yaml", text);
        let mut all = Vec::new();
        suite(&source, &yaml::parse(&source, &Limits::default()).unwrap(), &mut all);
        all
    }

    #[test]
    fn scenarios_are_for_and_against() {
        let all = scenarios(
            "contract: 1\nsuite: s\nrules: a/b\nscenarios:\n  - { id: x, cites: [A 1], expect: [{ illegal: { act: e, clause: '4' } }] }\n  - { id: y, cites: A 2, rules: [c], do: [e], expect: [{ status: { ended: draw, clauses: ['5', '6'] } }] }\n  - { id: z, cites: [], expect: [{ claims: { first: [e], not: { first: [f] } } }] }\n",
        );
        let both: Vec<(bool, bool)> =
            all.iter().map(|one| (one.about.positive, one.about.negative)).collect();
        assert_eq!(both, [(false, true), (true, false), (true, true)]);
        assert_eq!(all[0].clauses, ["4"]);
        assert_eq!(all[1].clauses, ["5", "6"]);
        assert_eq!(
            (all[0].rules.clone(), all[1].rules.clone()),
            (vec!["a/b".to_owned()], vec!["c".to_owned()])
        );
        assert_eq!((all[1].about.id.as_str(), all[1].about.line), ("s/y", 6));
    }
}
