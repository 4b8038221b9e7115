//! Every round of known tournaments comes out as it was paired.
#![expect(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

mod common;
#[path = "common/report.rs"]
mod reports;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use common::{folder, rules, state};
use reports::{Report, report};
use rulebook_pairing::Pairer;

type Pairs = BTreeSet<(i64, i64)>;

#[test]
fn known_tournaments_are_paired_alike() {
    let tables = folder("conformance/tables/tournament");
    let facts = fs::read_to_string(tables.join("pairings.tsv")).unwrap();
    let mut wanted: BTreeMap<(&str, &str, &str, u32), Pairs> = BTreeMap::new();
    for line in facts.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let key = (fields[0], fields[1], fields[2], fields[3].parse().unwrap());
        wanted.entry(key).or_default().insert((fields[4].parse().unwrap(), fields[5].parse().unwrap()));
    }
    let mut wrong = Vec::new();
    let only = std::env::var("ONLY").unwrap_or_default();
    for ((file, rounds, initial, round), wanted) in &wanted {
        if !file.contains(&only) {
            continue;
        }
        let colour = if *initial == "W" { "white" } else { "black" };
        let rules =
            rules("tournament/dutch-2026", &[("rounds", (*rounds).into()), ("initial", colour.into())]);
        let report = report(&fs::read_to_string(tables.join("pairings").join(file)).unwrap());
        let state = state(&rules, &[("entries", report.entries), ("games", report.games)]);
        let pairer = Pairer::new(&rules).unwrap();
        let settled = match pairer.before(&state, *round).and_then(|before| pairer.pair(&before, *round)) {
            Ok(settled) => settled,
            Err(failure) => {
                wrong.push(format!("{file} round {round}: {failure}"));
                continue;
            }
        };
        let number = |row: u32| report.numbers[row as usize];
        let mut found: Pairs =
            settled.pairs.iter().map(|pair| (number(pair.rows[0]), number(pair.rows[1]))).collect();
        found.extend(settled.alone.map(|row| (number(row), 0)));
        if found != *wanted {
            let lost: Vec<_> = wanted.difference(&found).collect();
            let made: Vec<_> = found.difference(wanted).collect();
            wrong.push(format!("{file} round {round}: wanted {lost:?}, found {made:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), wanted.len(), wrong.join("\n"));
}

/// A case of another program: its report, the number of rounds, and the initial colour.
fn case(name: &str, rounds: u32, initial: &str) -> (rulebook_model::RuleSet, Report) {
    let cases = folder("conformance/tables/tournament/pairing-cases");
    let rules =
        rules("tournament/dutch-2026", &[("rounds", rounds.to_string()), ("initial", initial.to_owned())]);
    (rules, report(&fs::read_to_string(cases.join(format!("{name}.input"))).unwrap()))
}

#[test]
fn next_rounds_of_another_program() {
    for (name, rounds, initial) in
        [("dutch_2025_C5", 3, "white"), ("dutch_2025_C9", 3, "white"), ("issue_7", 15, "black")]
    {
        let (rules, report) = case(name, rounds, initial);
        let state = state(&rules, &[("entries", report.entries), ("games", report.games)]);
        let pairer = Pairer::new(&rules).unwrap();
        let settled = pairer.pair(&state, pairer.next_round(&state).unwrap()).unwrap();
        let number = |row: u32| report.numbers[row as usize];
        let mut found: Pairs =
            settled.pairs.iter().map(|pair| (number(pair.rows[0]), number(pair.rows[1]))).collect();
        found.extend(settled.alone.map(|row| (number(row), 0)));
        let path =
            folder("conformance/tables/tournament/pairing-cases").join(format!("{name}.output.expected"));
        let wanted: Pairs = fs::read_to_string(path)
            .unwrap()
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(' '))
            .map(|(white, black)| (white.parse().unwrap(), black.trim().parse().unwrap()))
            .collect();
        assert_eq!(found, wanted, "{name}");
    }
}
