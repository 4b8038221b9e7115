//! Reports of tournaments as tables, for tests: only what pairings look at.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rulebook_model::library::Library;
use rulebook_model::{Number, RuleSet, Value};
use rulebook_reference::State;

/// A folder of the repository.
pub fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// A rule set with parameters.
pub fn rules(id: &str, given: &[(&str, String)]) -> RuleSet {
    let library = Library::at(folder("rules"));
    let source = library.find(id).unwrap();
    let given: Vec<(String, String)> =
        given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let checked = rulebook_model::check(&source, &|id| library.find(id), &given);
    let wrong: Vec<String> =
        checked.diagnostics.iter().map(|found| format!("{} {}", found.code, found.message)).collect();
    assert!(checked.rules.is_some(), "{wrong:#?}");
    checked.rules.unwrap()
}

/// The state of a rule set with tables by name; rows have their fields in order.
pub fn state(rules: &RuleSet, tables: &[(&str, Vec<Vec<Value>>)]) -> State {
    let mut state = State::first(rules);
    let of = |name: &str| tables.iter().find(|(known, _)| *known == name).map(|(_, rows)| rows.clone());
    state.tables = Arc::new(rules.tables.iter().map(|table| of(&table.name).unwrap_or_default()).collect());
    state
}

pub fn whole(number: i64) -> Value {
    Value::Number(Number::whole(number))
}

pub fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// A tournament as a report tells it.
#[derive(Default)]
pub struct Report {
    pub entries: Vec<Vec<Value>>,
    pub numbers: Vec<i64>,
    pub games: Vec<Vec<Value>>,
    pub rounds: usize,
}

/// Reads the lines of entries. Lines may end in any way.
pub fn report(content: &str) -> Report {
    let mut report = Report::default();
    let mut lines: Vec<(i64, Vec<(i64, char, char)>)> = Vec::new();
    for line in content.split(['\n', '\r']).filter(|line| line.starts_with("001")) {
        let field = |from: usize, to: usize| line.get(from..to.min(line.len())).unwrap_or("").trim();
        let number: i64 = field(4, 8).parse().unwrap();
        let rating = field(48, 52).parse().unwrap_or(0);
        report.entries.push(vec![text(&format!("P{number}")), whole(number), whole(rating)]);
        report.numbers.push(number);
        let mut results = Vec::new();
        let mut at = 91;
        while at < line.len() {
            let sign = |from: usize| line.chars().nth(from).unwrap_or(' ');
            results.push((field(at, at + 4).parse().unwrap_or(0), sign(at + 5), sign(at + 7)));
            at += 10;
        }
        report.rounds = report.rounds.max(results.len());
        lines.push((number, results));
    }
    let row = |number: i64| report.numbers.iter().position(|known| *known == number).unwrap() as u32;
    let result: HashMap<(i64, usize), char> = lines
        .iter()
        .flat_map(|(number, results)| results.iter().enumerate().map(|(at, own)| ((*number, at), own.2)))
        .collect();
    for (number, results) in &lines {
        for (at, (opponent, colour, sign)) in results.iter().enumerate() {
            let round = whole(at as i64 + 1);
            let worth = |sign: char| {
                Value::Number(match sign {
                    '1' | '+' | 'W' | 'F' | 'U' => Number::ONE,
                    '=' | 'H' | 'D' => Number::fraction(1, 2).unwrap(),
                    _ => Number::ZERO,
                })
            };
            let own = Value::Row(0, row(*number));
            if *opponent > 0 {
                if *colour == 'w' {
                    let theirs = result[&(*opponent, at)];
                    let other = Value::Row(0, row(*opponent));
                    let played = !"+-".contains(*sign) && !"+-".contains(theirs);
                    let games =
                        vec![round, own, other, worth(*sign), worth(theirs), Value::Truth(played), text("")];
                    report.games.push(games);
                }
            } else if *sign != ' ' {
                let bye = match sign {
                    'U' => "paired",
                    'H' => "half",
                    'F' => "full",
                    _ => "zero",
                };
                let games = vec![
                    round,
                    own,
                    Value::Nothing,
                    worth(*sign),
                    Value::Nothing,
                    Value::Truth(false),
                    text(bye),
                ];
                report.games.push(games);
            }
        }
    }
    report
}

/// Numbers that look random and are the same in every run.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A tournament that is played at random, round by round.
pub struct Played {
    pub entries: Vec<Vec<Value>>,
    pub games: Vec<Vec<Value>>,
    pub byes: Vec<Vec<Value>>,
}

impl Played {
    pub fn new(count: usize) -> Self {
        let entry = |at: i64| vec![text(&format!("P{at}")), whole(at), whole(2500 - at)];
        Self { entries: (1..=count as i64).map(entry).collect(), games: Vec::new(), byes: Vec::new() }
    }

    pub fn state(&self, rules: &RuleSet) -> State {
        let tables =
            [("entries", self.entries.clone()), ("games", self.games.clone()), ("byes", self.byes.clone())];
        state(rules, &tables)
    }

    /// Some are away in a round; `odds` of a hundred each.
    pub fn be_away(&mut self, round: u32, odds: u64, chance: &mut Chance) {
        for row in 0..self.entries.len() as u32 {
            if chance.below(100) < odds {
                let (bye, worth) = if chance.below(2) == 0 {
                    ("half", Number::fraction(1, 2).unwrap())
                } else {
                    ("zero", Number::ZERO)
                };
                self.byes.push(vec![Value::Row(0, row), whole(round.into()), text(bye)]);
                self.games.push(vec![
                    whole(round.into()),
                    Value::Row(0, row),
                    Value::Nothing,
                    Value::Number(worth),
                    Value::Nothing,
                    Value::Truth(false),
                    text(bye),
                ]);
            }
        }
    }

    /// The round is played: some games are forfeited.
    pub fn play(&mut self, round: u32, pairs: &[[u32; 2]], alone: Option<u32>, chance: &mut Chance) {
        for [white, black] in pairs {
            let half = Number::fraction(1, 2).unwrap();
            let (own, theirs) = [(Number::ONE, Number::ZERO), (half, half), (Number::ZERO, Number::ONE)]
                [chance.below(3) as usize];
            let played = chance.below(20) > 0 || own == half;
            self.games.push(vec![
                whole(round.into()),
                Value::Row(0, *white),
                Value::Row(0, *black),
                Value::Number(own),
                Value::Number(theirs),
                Value::Truth(played),
                text(""),
            ]);
        }
        if let Some(row) = alone {
            self.games.push(vec![
                whole(round.into()),
                Value::Row(0, row),
                Value::Nothing,
                Value::Number(Number::ONE),
                Value::Nothing,
                Value::Truth(false),
                text("paired"),
            ]);
        }
    }
}
