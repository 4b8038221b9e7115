//! What of the ledger is accounted for: rows that clauses cite, and rows with scenarios for and against.
//!
//! Invariant: only what stands in rule files, scenarios and the list of exceptions counts; nothing is run. A
//! scenario is *against* where it expects a refusal or that nothing has ended, and *for* where it expects
//! anything else.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use rulebook_model::RuleSet;
use serde::Serialize;

use crate::case::Wanted;
use crate::scenario::Status;
use crate::{Corpus, Problem};

/// The ledger, below the folder of the corpus.
const LEDGER: &str = "ledger/articles.tsv";
/// The rows that no clause can cite, each with the reason, below the folder of the corpus.
const EXCEPTIONS: &str = "ledger/without-clause.tsv";

/// A row of the ledger and what is there for it.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its id, such as `S0-017`.
    pub id: String,
    /// The document it is from: the part of the id before the dash.
    pub document: String,
    /// The article.
    pub locator: String,
    /// What it says, in a line.
    pub summary: String,
    /// Its kind.
    pub kind: String,
    /// Whether events and state decide it (`yes`), the arbiter does (`ruling`), or nobody (`advisory`).
    pub decided: String,
    /// The clauses that cite it, as `rule set/clause`.
    pub clauses: BTreeSet<String>,
    /// Why no clause can cite it, if that is so.
    pub exception: Option<String>,
    /// How many scenarios are for it.
    pub positive: usize,
    /// How many scenarios are against it.
    pub negative: usize,
}

impl Row {
    /// Whether a clause cites it, or there is a reason why none can.
    pub fn is_accounted(&self) -> bool {
        !self.clauses.is_empty() || self.exception.is_some()
    }

    /// Whether it needs scenarios and lacks some of them.
    pub fn lacks_scenarios(&self) -> bool {
        self.decided == "yes" && self.exception.is_none() && (self.positive == 0 || self.negative == 0)
    }
}

/// The rows of a tab-separated file by the names of its columns.
fn table(folder: &Path, path: &str, names: &[&str]) -> Result<Vec<Vec<String>>, Problem> {
    let problem = |line: usize, message: String| Problem { path: path.to_owned(), line, message };
    let text = fs::read_to_string(folder.join(path)).map_err(|error| problem(1, error.to_string()))?;
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or("").split('\t').collect();
    let at = |name: &&str| {
        let found = head.iter().position(|column| column == name);
        found.ok_or_else(|| problem(1, format!("there is no column `{name}`")))
    };
    let columns: Vec<usize> = names.iter().map(at).collect::<Result<_, _>>()?;
    let mut rows = Vec::new();
    for (index, line) in lines.enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        let row: Option<Vec<String>> =
            columns.iter().map(|at| fields.get(*at).map(|field| (*field).to_owned())).collect();
        rows.push(row.ok_or_else(|| problem(index + 2, format!("a row has {} columns", head.len())))?);
    }
    Ok(rows)
}

/// Every row of the ledger in the folder of a corpus, with what some rule sets and the corpus have for it.
///
/// # Errors
/// The ledger or the list of exceptions is wrong.
pub fn rows(folder: &Path, corpus: &Corpus, rules: &[RuleSet]) -> Result<Vec<Row>, Problem> {
    let ledger = table(folder, LEDGER, &["id", "locator", "summary", "kind", "machine-checkable"])?;
    let mut exceptions: BTreeMap<String, String> = BTreeMap::new();
    let known: BTreeSet<&String> = ledger.iter().filter_map(|row| row.first()).collect();
    for (at, row) in table(folder, EXCEPTIONS, &["id", "reason"])?.into_iter().enumerate() {
        let [id, reason] = row.try_into().unwrap_or_default();
        if !known.contains(&id) || reason.is_empty() {
            let message = format!("`{id}` is no row of the ledger, or has no reason");
            return Err(Problem { path: EXCEPTIONS.to_owned(), line: at + 2, message });
        }
        exceptions.insert(id, reason);
    }
    let mut clauses: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for set in rules {
        for clause in &set.clauses {
            for cite in &clause.cites {
                clauses.entry(cite).or_default().insert(format!("{}/{}", clause.origin, clause.id));
            }
        }
    }
    let mut scenarios: BTreeMap<&str, [BTreeSet<&str>; 2]> = BTreeMap::new();
    for case in &corpus.cases {
        let against = case.checks.iter().any(|check| is_against(&check.wanted));
        let in_favour = case.checks.iter().any(|check| !is_against(&check.wanted));
        for cite in &case.cites {
            let [positive, negative] = scenarios.entry(cite).or_default();
            if in_favour {
                positive.insert(&case.id);
            }
            if against {
                negative.insert(&case.id);
            }
        }
    }
    let row = |row: Vec<String>| {
        let [id, locator, summary, kind, decided] = row.try_into().unwrap_or_default();
        let count =
            |at: usize| scenarios.get(id.as_str()).and_then(|both| both.get(at)).map_or(0, BTreeSet::len);
        Row {
            document: id.split('-').next().unwrap_or("").to_owned(),
            clauses: clauses.get(id.as_str()).cloned().unwrap_or_default(),
            exception: exceptions.get(&id).cloned(),
            positive: count(0),
            negative: count(1),
            id,
            locator,
            summary,
            kind,
            decided,
        }
    };
    Ok(ledger.into_iter().map(row).collect())
}

/// Whether an answer is wanted by which something is refused, or has not happened.
fn is_against(wanted: &Wanted) -> bool {
    match wanted {
        Wanted::Refused(_) | Wanted::Status(Status::Ongoing) => true,
        Wanted::Acts(set) => set.count.is_none() && set.is.is_none() && set.include.0.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_by_the_names_of_columns() {
        let folder = std::env::temp_dir().join(format!("rulebook-coverage-{}", std::process::id()));
        fs::create_dir_all(folder.join("ledger")).expect("a folder");
        let ledger = "kind\tid\tlocator\tsummary\tmachine-checkable\ndraw\tS0-001\t1\tA\tyes\n";
        fs::write(folder.join(LEDGER), ledger).expect("written");
        fs::write(folder.join(EXCEPTIONS), "id\treason\n").expect("written");
        let found = rows(&folder, &Corpus::default(), &[]).expect("a ledger");
        assert_eq!(found.len(), 1);
        assert!(!found[0].is_accounted() && found[0].lacks_scenarios());
        fs::write(folder.join(EXCEPTIONS), "id\treason\nS0-001\ta heading\n").expect("written");
        let found = rows(&folder, &Corpus::default(), &[]).expect("a ledger");
        assert!(found[0].is_accounted() && !found[0].lacks_scenarios());
        fs::write(folder.join(EXCEPTIONS), "id\treason\nS0-009\ta heading\n").expect("written");
        assert_eq!(rows(&folder, &Corpus::default(), &[]).expect_err("no such row").line, 2);
        fs::remove_dir_all(&folder).expect("removed");
    }
}
