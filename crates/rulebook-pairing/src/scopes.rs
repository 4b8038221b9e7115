//! How far below a bracket is looked makes no difference to the pairing.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/common/played.rs"]
mod played;

use common::rules;
use played::{Chance, Played};

use crate::criteria::Criteria;
use crate::eval::Evaluator;
use crate::explain::keys;
use crate::pair::{Pairer, steps};
use crate::round::{Round, rows};
use crate::weigh::Scope;

#[test]
fn what_is_seen_from_the_beginning_makes_no_difference() {
    let rules = rules("tournament/dutch-2026", &[("rounds", "7".to_owned())]);
    let (section, criteria) = (rules.pairing.as_ref().unwrap(), Criteria::new(&rules));
    for seed in 0..6 {
        let mut chance = Chance(1000 + seed);
        let count = 11 + chance.below(10) as usize;
        let mut event = Played::new(count);
        for number in 1..=7 {
            event.be_away(number, if number == 1 { 0 } else { 5 }, &mut chance);
            let state = event.state(&rules);
            let mut found = Vec::new();
            for scope in [Scope::Alone, Scope::Near, Scope::Whole] {
                let evaluator = Evaluator::new(&rules, &state.tables);
                let count = rows(&state, section.entries);
                let mut round = Round::new(section, &criteria, &evaluator, count, number).unwrap();
                round.from = scope;
                let steps = steps(&round).unwrap();
                let pairs: Vec<_> = steps.iter().map(|step| step.chosen.pairs.clone()).collect();
                let order: Vec<_> = steps.iter().map(|step| keys(&step.bracket, &step.chosen)).collect();
                found.push((pairs, order));
            }
            assert_eq!(found[0], found[1], "seed {seed}, round {number}");
            assert_eq!(found[0], found[2], "seed {seed}, round {number}");
            let settled = Pairer::new(&rules).unwrap().pair(&state, number).unwrap();
            let pairs: Vec<[u32; 2]> = settled.pairs.iter().map(|pair| pair.rows).collect();
            event.play(number, &pairs, settled.alone, &mut chance);
        }
    }
}
