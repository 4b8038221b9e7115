//! Tournaments that are played at random, for tests.

use rulebook_model::{Number, RuleSet, Value};
use rulebook_reference::State;

use super::common::{state, text, whole};

/// Numbers that look random and are the same in every run.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A tournament that is played at random, round by round.
pub(crate) struct Played {
    pub(crate) entries: Vec<Vec<Value>>,
    pub(crate) games: Vec<Vec<Value>>,
    pub(crate) byes: Vec<Vec<Value>>,
}

impl Played {
    pub(crate) fn new(count: usize) -> Self {
        let entry = |at: i64| vec![text(&format!("P{at}")), whole(at), whole(2500 - at)];
        Self { entries: (1..=count as i64).map(entry).collect(), games: Vec::new(), byes: Vec::new() }
    }

    pub(crate) fn state(&self, rules: &RuleSet) -> State {
        let tables =
            [("entries", self.entries.clone()), ("games", self.games.clone()), ("byes", self.byes.clone())];
        state(rules, &tables)
    }

    /// Some are away in a round; `odds` of a hundred each.
    pub(crate) fn be_away(&mut self, round: u32, odds: u64, chance: &mut Chance) {
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
    pub(crate) fn play(&mut self, round: u32, pairs: &[[u32; 2]], alone: Option<u32>, chance: &mut Chance) {
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
