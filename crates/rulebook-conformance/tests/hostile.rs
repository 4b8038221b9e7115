//! A small run of hostile compiled files; `cargo xtask mutate-compiled` makes millions.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::fs;
use std::path::Path;

use rulebook_conformance::fuzz::{TARGETS, mutants};
use rulebook_conformance::hostile::{Breach, Stock, Tally, run};
use rulebook_model::library::Library;

const IDS: [&str; 4] = ["chess/board", "games/othello6", "go/simple-ko", "tournament/berger"];

#[test]
fn no_mutant_panics_or_hangs() {
    let stock = Stock::compile(&Library::default(), &IDS).expect("the rule sets compile");
    let hang = |breach: Breach| panic!("mutant {}: {}", breach.number, breach.what);
    let tally: Tally = run(&stock, (1_000, 1, 1), &|_| {}, &hang);
    let numbers: Vec<u64> = tally.breaches.iter().map(|breach| breach.number).collect();
    assert_eq!(numbers, Vec::<u64>::new());
}

#[test]
fn a_mutant_is_the_same_each_time() {
    let stock = Stock::compile(&Library::default(), &IDS[1..2]).expect("the rule set compiles");
    assert_eq!(stock.mutant(7, 3), stock.mutant(7, 3));
}

/// The inputs that are kept for a target.
fn kept(name: &str) -> Vec<Vec<u8>> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/hostile"));
    let entries = fs::read_dir(root.join(name)).expect("every target has inputs").map(|entry| {
        let path = entry.expect("the folder can be read").path();
        fs::read(path).expect("the file can be read")
    });
    entries.collect()
}

#[test]
fn kept_inputs_neither_panic_nor_hang() {
    for (name, target) in TARGETS {
        let inputs = kept(name);
        assert!(!inputs.is_empty(), "{name} has no inputs");
        inputs.iter().for_each(|input| target(input));
    }
}

/// Some hundred inputs near the kept ones. Where the first byte chooses a rule set it is kept, for to compile
/// each of them takes long; where two engines are compared fewer do.
#[test]
fn inputs_near_the_kept_ones_neither_panic_nor_hang() {
    for (name, target) in TARGETS {
        let (first, count) = match name {
            "machine_reference" => (1, 4),
            "machine_run" => (1, 30),
            "machine_load" => (0, 60),
            _ => (0, 200),
        };
        for input in kept(name) {
            mutants(&input, first, count).for_each(|mutant| target(&mutant));
        }
    }
}
