//! What the fuzzers call: one function from any bytes for each way into the program.
//!
//! Invariant: a function here neither panics nor hangs, whatever the bytes are; that is all that is asked of
//! it, and what it finds out is thrown away. The fuzzers under `xtask/fuzz` and the test that replays kept
//! inputs share these functions.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rulebook_compiler::{Passes, compile};
use rulebook_machine::front::Machine;
use rulebook_machine::verify::verify;
use rulebook_model::library::{BUILT_IN, Library};
use rulebook_notation::{pgn, sgf};
use rulebook_syntax::parse::{self, Text};
use rulebook_syntax::{Source, Span, yaml};

use crate::hostile::exercise;

/// A way into the program.
pub type Target = fn(&[u8]);

/// All of them, by name.
pub const TARGETS: [(&str, Target); 7] = [
    ("yaml_load", yaml_load),
    ("expression", expression),
    ("check", check),
    ("machine_load", machine_load),
    ("machine_run", machine_run),
    ("pgn", pgn),
    ("sgf", sgf),
];

fn source(bytes: &[u8]) -> Arc<Source> {
    Source::new("input", String::from_utf8_lossy(bytes))
}

/// Bytes as YAML.
pub fn yaml_load(bytes: &[u8]) {
    drop(yaml::parse(&source(bytes), &yaml::Limits::default()));
}

/// Bytes as a string of each small language.
pub fn expression(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let text = Text { text: &text, locate: &Span::new };
    drop(parse::expression(&text));
    drop(parse::pattern(&text));
    drop(parse::effects(&text));
    drop(parse::choices(&text));
    drop(parse::signature(&text));
    drop(parse::directions(&text));
    drop(parse::control(&text));
}

/// Bytes as a rule file; what passes is compiled.
pub fn check(bytes: &[u8]) {
    let library = Library::default();
    let checked = rulebook_model::check(&source(bytes), &|id| library.find(id), &[]);
    if let Some(rules) = checked.rules
        && let Ok((program, _)) = compile(&rules, Passes::all())
    {
        drop(verify(program));
    }
}

/// Bytes as a compiled file, which is run if it loads.
pub fn machine_load(bytes: &[u8]) {
    exercise(bytes);
}

/// The first byte chooses a rule set, the others the plies that are played.
pub fn machine_run(bytes: &[u8]) {
    static MACHINES: Mutex<BTreeMap<usize, Option<Machine>>> = Mutex::new(BTreeMap::new());
    let Some((first, plies)) = bytes.split_first() else { return };
    let at = usize::from(*first) % BUILT_IN.len();
    let made = || {
        let library = Library::default();
        let rules = library.check(BUILT_IN.get(at)?.0, &[])?.rules?;
        Machine::new(verify(compile(&rules, Passes::all()).ok()?.0).ok()?).ok()
    };
    let machine = {
        let mut machines = MACHINES.lock().unwrap_or_else(PoisonError::into_inner);
        machines.entry(at).or_insert_with(made).clone()
    };
    let Some(machine) = machine else { return };
    let mut game = machine.first();
    for byte in plies.iter().take(200) {
        let Ok((legal, _)) = game.plies() else { return };
        let played = legal.len().checked_sub(1).map(|last| usize::from(*byte) % (last + 1));
        if played.is_none_or(|at| game.play(at).is_err()) || game.ended().is_some() {
            return;
        }
    }
}

/// Bytes as PGN.
pub fn pgn(bytes: &[u8]) {
    drop(pgn::parse(&source(bytes)));
}

/// Bytes as SGF.
pub fn sgf(bytes: &[u8]) {
    drop(sgf::parse(&source(bytes)));
}
