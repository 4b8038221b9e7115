//! Random small tournaments are paired as by trying everything.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops at what it does not expect")]

mod common;
#[path = "common/played.rs"]
mod played;

use std::collections::BTreeSet;
use std::sync::Arc;

use common::rules;
use played::{Chance, Played};
use rulebook_pairing::{Failure, Pairer};
use rulebook_reference::Engine;

fn agrees(id: &str, runs: u64) {
    let wanted: u64 =
        std::env::var("RULEBOOK_PAIRING_RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(runs);
    for seed in 0..wanted {
        let mut chance = Chance(seed);
        let count = 3 + chance.below(6) as usize;
        let last = 2 + chance.below(count as u64 - 1) as u32;
        let rules = rules(id, &[("rounds", last.to_string())]);
        let engine = Engine::new(Arc::new(rules.clone()));
        let pairer = Pairer::new(&rules).unwrap();
        let mut event = Played::new(count);
        for round in 1..=last {
            event.be_away(round, if round == 1 { 0 } else { 8 }, &mut chance);
            let state = event.state(&rules);
            let literal = engine.pair_literally(&state, round).unwrap();
            let settled = match pairer.pair(&state, round) {
                Ok(settled) => settled,
                Err(Failure::Impossible { .. }) => {
                    assert_eq!(literal, None, "seed {seed}, round {round}");
                    break;
                }
                Err(failure) => panic!("seed {seed}, round {round}: {failure}"),
            };
            let literal =
                literal.unwrap_or_else(|| panic!("seed {seed}, round {round}: only by trying: none"));
            let sorted = |[a, b]: [u32; 2]| (a.min(b), a.max(b));
            let found: BTreeSet<_> = settled.pairs.iter().map(|pair| sorted(pair.rows)).collect();
            let wanted: BTreeSet<_> = literal.pairs.iter().map(|(a, b)| sorted([*a, *b])).collect();
            assert_eq!((found, settled.alone), (wanted, literal.alone), "seed {seed}, round {round}");
            let pairs: Vec<[u32; 2]> = settled.pairs.iter().map(|pair| pair.rows).collect();
            event.play(round, &pairs, settled.alone, &mut chance);
        }
    }
}

#[test]
fn the_dutch_system_of_2026() {
    agrees("tournament/dutch-2026", 12);
}

#[test]
fn the_dutch_system_of_2017() {
    agrees("tournament/dutch-2017", 4);
}

#[test]
fn acceleration() {
    agrees("tournament/dutch-2026-baku", 4);
}

#[test]
fn macmahon() {
    agrees("tournament/macmahon", 4);
}
