//! Rankings of large tables are those of the plain evaluation, whatever of the ways of being quick is used.
#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::sync::Arc;

use rulebook_model::library::Library;
use rulebook_model::{Number, RuleSet, Value};
use rulebook_reference::quick::{self, Quickness, Told};
use rulebook_reference::{Engine, Ranked, State};

/// Numbers that a seed decides.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides.max(1)
    }
}

fn rules(given: &[(&str, &str)]) -> Arc<RuleSet> {
    let given: Vec<(String, String)> =
        given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let checked = Library::default().check("tournament/tie-breaks", &given).expect("it is built in");
    Arc::new(checked.rules.expect("it has no errors"))
}

/// A tournament in which neighbours in a random order meet, some of whom do not come.
fn tournament(rules: &RuleSet, players: u32, rounds: u32, seed: u64) -> State {
    let mut dice = Dice(seed);
    let whole = |number: u32| Value::Number(Number::whole(number.into()));
    let half = Number::fraction(1, 2).expect("a half is a number");
    let entries: Vec<Vec<Value>> = (0..players)
        .map(|at| vec![Value::Text(format!("P{at}")), whole(at + 1), whole(2000 - at * 7)])
        .collect();
    let mut games = Vec::new();
    for round in 1..=rounds {
        let mut order: Vec<u32> = (0..players).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, dice.roll(at as u64 + 1) as usize);
        }
        for pair in order.chunks(2) {
            let (white, black) = (pair[0], pair.get(1).copied());
            let Some(black) = black else {
                let bye = if dice.roll(2) == 0 { "half" } else { "paired" };
                let mut row = vec![whole(round), Value::Row(0, white), Value::Nothing];
                row.extend([
                    Value::Number(half),
                    Value::Nothing,
                    Value::Truth(false),
                    Value::Text(bye.into()),
                ]);
                row.extend([Value::Nothing, Value::Nothing]);
                games.push(row);
                continue;
            };
            let (one, two) = match dice.roll(3) {
                0 => (Number::ONE, Number::ZERO),
                1 => (half, half),
                _ => (Number::ZERO, Number::ONE),
            };
            let played = dice.roll(8) > 0 || one == half;
            let mut row = vec![whole(round), Value::Row(0, white), Value::Row(0, black)];
            row.extend([
                Value::Number(one),
                Value::Number(two),
                Value::Truth(played),
                Value::Text(String::new()),
            ]);
            row.extend([Value::Nothing, Value::Nothing]);
            games.push(row);
        }
    }
    let mut state = State::first(rules);
    let mut tables = vec![entries, games];
    tables.resize(rules.tables.len(), Vec::new());
    state.tables = Arc::new(tables);
    state
}

const KEYS: [(&str, &str); 8] = [
    ("rounds", "4"),
    ("key3", "['BH', 'C1']"),
    ("key4", "['SB']"),
    ("key5", "['PS']"),
    ("key6", "['ARO']"),
    ("key7", "['TPR']"),
    ("key8", "['KS']"),
    ("key9", "['AOB']"),
];

fn ranked(engine: &Engine, state: &State, quickness: Quickness) -> Vec<Vec<Ranked>> {
    quick::rank(engine, state, quickness).expect("there is no fault")
}

#[test]
fn every_way_of_being_quick_gives_the_plain_ranking() {
    let engine = Engine::new(rules(&KEYS));
    for seed in 0..2 {
        let state = tournament(engine.rules(), 7 + seed as u32, 4, seed);
        let plain = engine.rank(&state).expect("there is no fault");
        for remembered in [0, 10, quick::MAX_REMEMBERED] {
            for indexed in [false, true] {
                let quickness = Quickness { remembered, indexed };
                assert_eq!(ranked(&engine, &state, quickness), plain, "seed {seed}, {quickness:?}");
            }
        }
    }
}

#[test]
fn a_story_tells_what_the_key_looked_at() {
    let engine = Engine::new(rules(&KEYS));
    let state = tournament(engine.rules(), 6, 4, 1);
    let groups = ranked(&engine, &state, Quickness::default());
    let first = groups.first().and_then(|group| group.first()).expect("somebody is first");
    let (clause, value) = first.keys.first().copied().expect("there is a key");
    let told = quick::story(&engine, &state, clause, first.row, &[0, 1, 2, 3, 4, 5]);
    let told = told.expect("there is no fault").expect("it can be told");
    assert_eq!(told.first().map(|told| told.gave.clone()), Some(Value::Number(value)));
    fn names(told: &[Told], name: &str) -> usize {
        told.iter().map(|told| usize::from(told.name == name) + names(&told.asked, name)).sum()
    }
    assert_eq!(names(&told, "score"), 1);
    assert_eq!(
        names(&told, "earned"),
        state.tables[1].iter().filter(|row| row[1..3].contains(&Value::Row(0, first.row))).count()
    );
}
