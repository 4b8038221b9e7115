//! A small run of hostile compiled files; `cargo xtask mutate-compiled` makes millions.

use std::fs;
use std::path::Path;

use rulebook_conformance::fuzz::TARGETS;
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

#[test]
fn kept_inputs_neither_panic_nor_hang() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/hostile"));
    for (name, target) in TARGETS {
        for entry in fs::read_dir(root.join(name)).into_iter().flatten() {
            let path = entry.expect("the folder can be read").path();
            target(&fs::read(path).expect("the file can be read"));
        }
    }
}
