//! How long it takes to pair one round, by the number of entries.
//!
//! `cargo run --release -p rulebook-pairing --example rounds` prints a row for each size, with the median of five
//! runs on one core, without the time in which others had it, and how often that goes into the time that is allowed; sizes may follow.
//! The tournaments are played at random by the engine's own pairings up to the sixth round, and the seventh of nine
//! is measured, and the first.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rulebook_model::library::Library;
use rulebook_model::{Number, RuleSet, Value};
use rulebook_pairing::Pairer;
use rulebook_reference::State;

/// Sizes with the seconds that one round may take.
const ALLOWED: [(usize, f64); 4] = [(100, 0.02), (500, 0.3), (1000, 2.0), (5000, 60.0)];
const RULES: &str = "tournament/dutch-2026";
const MEASURED: u32 = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let sizes: Vec<usize> = std::env::args().skip(1).map(|size| size.parse()).collect::<Result<_, _>>()?;
    let library = Library::default();
    let source = library.find(RULES).ok_or("there is no such rule set")?;
    let rules =
        rulebook_model::check(&source, &|id| library.find(id), &[]).rules.ok_or("it cannot be used")?;
    let pairer = Pairer::new(&rules)?;
    for (size, allowed) in ALLOWED {
        if !sizes.is_empty() && !sizes.contains(&size) {
            continue;
        }
        let mut chance = size as u64;
        let mut games: Vec<Vec<Value>> = Vec::new();
        for round in 1..=MEASURED {
            let state = state(&rules, size, &games);
            let (settled, first) = timed(|| pairer.pair(&state, round));
            let settled = settled?;
            if round == 1 || round == MEASURED {
                let mut times = vec![first];
                while times.len() < 5 && times.iter().sum::<f64>() < 60.0 {
                    times.push(timed(|| pairer.pair(&state, round)).1);
                }
                times.sort_by(f64::total_cmp);
                let median = times[times.len() / 2];
                println!(
                    "pair/{RULES} entries {size} round {round}: {median:.4} s of {allowed} s, ratio {:.2} bar 1",
                    allowed / median
                );
            }
            for pair in settled.pairs {
                let half = Number::fraction(1, 2).unwrap_or(Number::ZERO);
                chance =
                    chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // The better placed wins more often.
                let favourite = pair.rows[0] < pair.rows[1];
                let (own, theirs) = match (chance >> 33) % 10 {
                    0..=2 => (half, half),
                    3..=7 if favourite => (Number::ONE, Number::ZERO),
                    8..=9 if !favourite => (Number::ONE, Number::ZERO),
                    _ => (Number::ZERO, Number::ONE),
                };
                let [white, black] = pair.rows.map(|row| Value::Row(0, row));
                games.push(game(round, white, black, own, Value::Number(theirs), true, ""));
            }
            if let Some(row) = settled.alone {
                games.push(game(
                    round,
                    Value::Row(0, row),
                    Value::Nothing,
                    Number::ONE,
                    Value::Nothing,
                    false,
                    "paired",
                ));
            }
        }
    }
    Ok(())
}

/// What some work comes to, and how many seconds it had the processor.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let (start, before) = (Instant::now(), on_processor());
    let result = work();
    let spent = on_processor().zip(before).map(|(after, before)| after.saturating_sub(before));
    (result, spent.unwrap_or(start.elapsed()).as_secs_f64())
}

fn on_processor() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

fn game(
    round: u32,
    white: Value,
    black: Value,
    own: Number,
    theirs: Value,
    played: bool,
    bye: &str,
) -> Vec<Value> {
    let round = Value::Number(Number::whole(round.into()));
    vec![round, white, black, Value::Number(own), theirs, Value::Truth(played), Value::Text(bye.to_owned())]
}

fn state(rules: &RuleSet, size: usize, games: &[Vec<Value>]) -> State {
    let mut state = State::first(rules);
    let number = |at: usize| Value::Number(Number::whole(at as i64));
    let entry = |at: usize| vec![Value::Text(format!("P{}", at + 1)), number(at + 1), number(0)];
    let mut tables = vec![Vec::new(); rules.tables.len()];
    for (slot, table) in tables.iter_mut().zip(&rules.tables) {
        match table.name.as_str() {
            "entries" => *slot = (0..size).map(entry).collect(),
            "games" => *slot = games.to_vec(),
            _ => {}
        }
    }
    state.tables = Arc::new(tables);
    state
}
