//! Reports of tournaments as tables, for tests: only what pairings look at.

use std::collections::HashMap;

use rulebook_model::{Number, Value};

use super::common::{text, whole};

/// An opponent or zero, a colour and a sign.
type Result = (i64, char, char);

/// A tournament as a report tells it.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) entries: Vec<Vec<Value>>,
    pub(crate) numbers: Vec<i64>,
    pub(crate) games: Vec<Vec<Value>>,
    pub(crate) rounds: usize,
}

/// Reads the lines of entries. Lines may end in any way.
pub(crate) fn report(content: &str) -> Report {
    let mut report = Report::default();
    let mut lines: Vec<(i64, Vec<Result>)> = Vec::new();
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
