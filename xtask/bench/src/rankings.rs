//! A large tournament, to be ranked.
//!
//! Invariant: the same tournament each time: who meets whom and what comes of it is decided by a fixed sequence of
//! numbers, those with as many points meeting each other as in a Swiss tournament.

use std::sync::Arc;

use rulebook_model::library::Library;
use rulebook_model::{Number, RuleSet, Value};
use rulebook_reference::quick::{self, Quickness};
use rulebook_reference::{Engine, State};

/// Entries.
pub(crate) const ENTRIES: u32 = 5000;
/// Rounds.
const ROUNDS: u32 = 9;
/// The keys: ten tie-breaks.
const KEYS: [&str; 10] = [
    "['PTS']",
    "['DE']",
    "['BH', 'C1']",
    "['BH']",
    "['WIN']",
    "['SB']",
    "['PS']",
    "['ARO']",
    "['BPG']",
    "['TPR']",
];

/// A rule set with a tournament.
pub(crate) struct Ranking {
    engine: Engine,
    state: State,
}

impl Ranking {
    /// The tournament.
    pub(crate) fn new(library: &Library) -> Result<Self, String> {
        let mut given = vec![("rounds".to_owned(), ROUNDS.to_string())];
        given.extend((1..).zip(KEYS).map(|(at, key)| (format!("key{at}"), key.to_owned())));
        let checked = library.check("tournament/tie-breaks", &given).ok_or("there is no such rule set")?;
        let rules = Arc::new(checked.rules.ok_or("the rule set has errors")?);
        let state = tournament(&rules);
        Ok(Self { engine: Engine::new(rules), state })
    }

    /// Ranks it, and says how many places there are.
    pub(crate) fn rank(&self) -> Result<usize, String> {
        let groups = quick::rank(&self.engine, &self.state, Quickness::default());
        groups.map(|groups| groups.len()).map_err(|fault| fault.to_string())
    }
}

fn tournament(rules: &RuleSet) -> State {
    let whole = |number: u32| Value::Number(Number::whole(number.into()));
    let halves = |count: u32| Value::Number(Number::fraction(count.into(), 2).unwrap_or(Number::ZERO));
    let mut seed = 1_u64;
    let mut roll = |sides: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % sides
    };
    let entry = |at: u32| vec![Value::Text(format!("Entry {at}")), whole(at + 1), whole(2700 - at / 4)];
    let mut points = vec![0; ENTRIES as usize];
    let mut games = Vec::new();
    for round in 1..=ROUNDS {
        let mut order: Vec<(std::cmp::Reverse<u32>, u64, u32)> = (0..ENTRIES)
            .map(|at| (std::cmp::Reverse(points.get(at as usize).copied().unwrap_or(0)), roll(1 << 30), at))
            .collect();
        order.sort_unstable();
        for pair in order.chunks(2) {
            let [(.., white), (.., black)] = *pair else { continue };
            // In half points: a win, a draw, a loss; one game in forty is not played.
            let one = [2, 2, 1, 0, 0].get(roll(5) as usize).copied().unwrap_or(0);
            let played = one == 1 || roll(40) > 0;
            for (at, won) in [(white, one), (black, 2 - one)] {
                if let Some(sum) = points.get_mut(at as usize) {
                    *sum += won;
                }
            }
            games.push(vec![
                whole(round),
                Value::Row(0, white),
                Value::Row(0, black),
                halves(one),
                halves(2 - one),
                Value::Truth(played),
                Value::Text(String::new()),
                Value::Nothing,
                Value::Nothing,
            ]);
        }
    }
    let mut state = State::first(rules);
    let mut tables = vec![(0..ENTRIES).map(entry).collect(), games];
    tables.resize(rules.tables.len(), Vec::new());
    state.tables = Arc::new(tables);
    state
}
