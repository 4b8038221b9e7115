//! Citations: every clause of a rule file cites, and every row of the ledger that it cites is there.
//!
//! Sources outside of the ledger are cited in their own words and not checked here.

use std::collections::BTreeSet;

use super::tree::File;
use super::yaml::{self, Node};
use super::{Finding, Tree};

/// The ledger: one row for each article of the regulations.
const LEDGER: &str = "conformance/ledger/articles.tsv";

/// The column of the ledger that names the rows.
const ID: &str = "id";

/// Every clause cites, and no citation of the ledger names a row that it lacks.
pub(super) fn clauses_cite_the_ledger(tree: &Tree) -> Vec<Finding> {
    let Some(ledger) = tree.file(LEDGER) else {
        return vec![Finding::new(LEDGER, 1, "the ledger is missing")];
    };
    let Some(ids) = ids(&ledger.text) else {
        return vec![Finding::new(LEDGER, 1, format!("the ledger has no column `{ID}`"))];
    };
    tree.yaml("rules/").flat_map(|file| citations(file, &ids)).collect()
}

fn ids(ledger: &str) -> Option<BTreeSet<&str>> {
    let mut rows = ledger.lines();
    let column = rows.next()?.split('\t').position(|name| name == ID)?;
    Some(rows.filter_map(|row| row.split('\t').nth(column)).collect())
}

fn citations(file: &File, ids: &BTreeSet<&str>) -> Vec<Finding> {
    // A file that is not YAML is reported where it is checked against its schema.
    let Ok(root) = yaml::parse(&file.text) else { return Vec::new() };
    let Some(clauses) = root.value.get("clauses") else { return Vec::new() };
    let mut findings = Vec::new();
    for (id, clause) in clauses.value.entries() {
        let mut cited = Vec::new();
        if let Some(cites) = clause.value.get("cites") {
            Node::strings(cites, &mut cited);
        }
        if cited.is_empty() {
            let message = format!("clause `{}` cites nothing", id.value);
            findings.push(Finding::new(&file.path, yaml::line(id), message));
        }
        for (line, row) in cited {
            if is_row_id(row) && !ids.contains(row) {
                findings.push(Finding::new(&file.path, line, format!("no row `{row}` in the ledger")));
            }
        }
    }
    findings
}

/// Whether a citation means a row of the ledger: `S`, the mark of a document, a dash and a number.
fn is_row_id(citation: &str) -> bool {
    let parts = citation.strip_prefix('S').and_then(|rest| rest.split_once('-'));
    parts.is_some_and(|(document, number)| {
        document.starts_with(|c: char| c.is_ascii_digit())
            && document.chars().all(|c| c.is_ascii_alphanumeric())
            && !number.is_empty()
            && number.chars().all(|c| c.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_told_from_other_sources() {
        for (citation, is_row) in
            [("S0-027", true), ("S3D-001", true), ("S0-", false), ("Section-3", false), ("3.8", false)]
        {
            assert_eq!(is_row_id(citation), is_row, "{citation}");
        }
    }

    #[test]
    fn missing_rows_and_missing_citations_are_found() {
        let text =
            "clauses:\n  a: { cites: [S0-001, FIDE 3.1] }\n  b:\n    cites:\n      - S0-009\n  c: {}\n";
        let file = File { path: "rules/x.yaml".to_owned(), text: text.to_owned() };
        let found = citations(&file, &ids("kind\tid\nx\tS0-001\n").unwrap());
        let expected = [
            Finding::new("rules/x.yaml", 5, "no row `S0-009` in the ledger"),
            Finding::new("rules/x.yaml", 6, "clause `c` cites nothing"),
        ];
        assert_eq!(found, expected);
    }
}
