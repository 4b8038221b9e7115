//! Tournaments from their reports: every tie-break is the one that published programs give.
#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rulebook_model::library::Library;
use rulebook_model::{Number, RuleSet};
use rulebook_notation::trf::{self, encoding};
use rulebook_reference::Engine;
use rulebook_reference::quick::{self, Quickness};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/tables/tournament");
const RULES: &str = "tournament/tie-breaks";

/// The columns of the tables with the keys that they are, as many at a time as the rule set ranks by.
const COLUMNS: [&[&str]; 2] = [
    &["PTS", "BH", "BH/C1", "BH/M1", "SB", "SB/C1", "AOB", "FB", "PS", "PS/C1"],
    &["WIN", "WON", "BPG", "BWG", "REP", "KS", "ARO", "TPR", "PTP"],
];

fn reports() -> Vec<PathBuf> {
    let folder = Path::new(ROOT).join("pairings");
    let entries = std::fs::read_dir(folder).expect("the reports are there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "trf"));
    paths.sort();
    paths
}

/// The rows of a table of tie-breaks, with the names of its columns first.
fn table(report: &Path) -> Vec<Vec<String>> {
    let name = report.with_extension("tb.tsv");
    let name = name.file_name().expect("it has a name");
    let text = std::fs::read_to_string(Path::new(ROOT).join("tiebreaks").join(name)).expect("it has a table");
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// A number as the tables have it: those with two decimals are rounded.
fn rounded(number: Number, like: &str) -> String {
    let (numerator, denominator) = number.to_parts();
    let places = like.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    // Half of a hundredth is rounded up, as the tables do.
    let value = numerator as f64 / denominator as f64;
    format!("{:.places$}", value + 1e-9)
}

/// The rule set with some parameters, checked once for all reports that want it so.
fn rules(
    known: &mut BTreeMap<Vec<(String, String)>, Arc<RuleSet>>,
    given: &[(String, String)],
) -> Arc<RuleSet> {
    let check = || {
        let checked = Library::default().check(RULES, given).expect("the rule set is built in");
        Arc::new(checked.rules.expect("it has no errors"))
    };
    Arc::clone(known.entry(given.to_vec()).or_insert_with(check))
}

#[test]
fn tie_breaks_are_those_of_the_tables() {
    let reports = reports();
    assert_eq!(reports.len(), 36);
    let (mut wrong, mut known) = (Vec::new(), BTreeMap::new());
    for report in &reports {
        let table = table(report);
        let bytes = std::fs::read(report).expect("the report can be read");
        let (source, _) = encoding::decode(&report.display().to_string(), &bytes);
        let (read, warnings) = trf::parse(&source).expect("the report is right");
        assert!(warnings.is_empty(), "{}: {warnings:?}", report.display());
        for columns in COLUMNS {
            let mut given = Vec::new();
            for (at, column) in (1..).zip(columns) {
                let words: Vec<String> = column.split('/').map(|word| format!("'{word}'")).collect();
                given.push((format!("key{at}"), format!("[{}]", words.join(", "))));
            }
            let (terms, _) = trf::terms::terms(&rules(&mut known, &given), &read, &source);
            given.extend(terms.iter().map(rulebook_notation::sgf::terms::Term::given));
            let engine = Engine::new(rules(&mut known, &given));
            let state = trf::tables(engine.rules(), &read, &source).expect("the tables fit");
            let ranked = quick::rank(&engine, &state, Quickness::default()).expect("no fault");
            for entry in ranked.iter().flatten() {
                let row = table.iter().find(|row| row[0] == (entry.row + 1).to_string());
                let row = row.expect("every entry has a row");
                for (column, (_, value)) in columns.iter().zip(&entry.keys) {
                    let at = table[0].iter().position(|name| name == column).expect("the column is there");
                    let value = rounded(*value, &row[at]);
                    if value != row[at] {
                        wrong.push(format!(
                            "{} {} {column}: {value}, not {}",
                            report.display(),
                            row[0],
                            row[at]
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} values differ: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
}
