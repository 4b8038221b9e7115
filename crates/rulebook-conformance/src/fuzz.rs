//! What the fuzzers call: one function from any bytes for each way into the program.
//!
//! Invariant: a function here neither panics nor hangs, whatever the bytes are, unless two ways to one answer
//! differ; what it finds out besides is thrown away. The fuzzers under `xtask/fuzz` and the test that replays kept
//! inputs share these functions.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rulebook_compiler::{Passes, compile};
use rulebook_machine::front::Machine;
use rulebook_machine::verify::verify;
use rulebook_model::RuleSet;
use rulebook_model::library::{BUILT_IN, Library};
use rulebook_notation::pgn::MainLine;
use rulebook_notation::{gtp, pgn, replay, sgf, trf};
use rulebook_syntax::parse::{self, Text};
use rulebook_syntax::{Source, Span, yaml};

use crate::diff::{Amount, Dice, Start, compare, every_setting};
use crate::hostile::exercise;

/// A way into the program.
pub type Target = fn(&[u8]);

/// All of them, by name.
pub const TARGETS: [(&str, Target); 10] = [
    ("yaml_load", yaml_load),
    ("expression", expression),
    ("check", check),
    ("machine_load", machine_load),
    ("machine_run", machine_run),
    ("machine_reference", machine_reference),
    ("pgn", pgn),
    ("sgf", sgf),
    ("trf", trf),
    ("protocol_line", protocol_line),
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

/// The first byte chooses a rule set, the others are what a game is played by, in which the machine is asked
/// the same as the interpreter.
///
/// # Panics
/// They answer differently.
pub fn machine_reference(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let Some((id, _)) = BUILT_IN.get(usize::from(*first) % BUILT_IN.len()) else { return };
    let seed = rest.iter().fold(0_u64, |seed, byte| seed.rotate_left(8) ^ u64::from(*byte));
    let amount = Amount { games: 1, plies: rest.len().min(6), seed };
    let compared = compare(&Library::default(), id, &[Start::default()], &every_setting(), amount);
    assert!(compared.differences == 0, "{id}, seed {seed}: {:?}", compared.shortest);
}

/// Bytes as PGN: by the grammar, and game by game in one pass where games are written plainly.
///
/// # Panics
/// Both ways read a game differently.
pub fn pgn(bytes: &[u8]) {
    let source = source(bytes);
    drop(pgn::parse(&source));
    let (mut games, mut line) = (pgn::games(&source), MainLine::default());
    loop {
        let mut grammar = games.clone();
        if games.next_plain(&mut line) {
            let read = grammar.next().and_then(Result::ok);
            let same =
                read.is_some_and(|game| game.moves.iter().map(|mv| mv.span).eq(line.moves.iter().copied()));
            assert!(same, "a game that is written plainly is read differently");
        } else if games.next().is_none() {
            return;
        }
    }
}

/// Inputs that differ from one in a few bytes, the same ones every time; the first bytes are kept.
pub fn mutants(bytes: &[u8], kept: usize, count: u64) -> impl Iterator<Item = Vec<u8>> {
    (0..count).map(move |number| {
        let mut dice = Dice::new(number, "mutants");
        let mut mutant = bytes.to_vec();
        for _ in 0..dice.below(4) + 1 {
            let at = kept + dice.below(mutant.len().saturating_sub(kept));
            let other = bytes.get(dice.below(bytes.len())).copied().unwrap_or(0);
            match dice.below(5) {
                0 => mutant.insert(at.min(mutant.len()), other),
                1 if at < mutant.len() => drop(mutant.remove(at)),
                2 => mutant.truncate(at.max(kept)),
                3 => {
                    if let Some(byte) = mutant.get_mut(at) {
                        *byte ^= 1 << dice.below(8);
                    }
                }
                _ => {
                    if let Some(byte) = mutant.get_mut(at) {
                        *byte = other;
                    }
                }
            }
        }
        mutant
    })
}

/// Bytes as SGF in any character set; the first ones choose the line that is read, and what a record sets is looked at.
pub fn sgf(bytes: &[u8]) {
    static RULES: OnceLock<Option<Arc<RuleSet>>> = OnceLock::new();
    let (source, _) = sgf::encoding::decode("input", bytes.to_vec());
    let line = bytes.first().map_or(1, |first| usize::from(*first) % 4);
    for record in [sgf::parse(&source), sgf::parse_line(&source, line)].into_iter().flatten().flatten() {
        let open =
            || Library::default().check("go/board", &[]).and_then(|checked| checked.rules).map(Arc::new);
        if let Some(rules) = RULES.get_or_init(open) {
            drop(sgf::terms::terms(rules, &record, &source));
            drop(replay::from_sgf(rules, &record, &source));
        }
    }
}

/// Bytes as a report of a tournament in any character set, which is made into tables and written.
///
/// # Panics
/// A report says something else when it has been written and read again.
pub fn trf(bytes: &[u8]) {
    static RULES: OnceLock<Option<Arc<RuleSet>>> = OnceLock::new();
    let (source, _) = trf::encoding::decode("input", bytes);
    let Ok((report, _)) = trf::parse(&source) else { return };
    let open = || {
        Library::default().check("tournament/tie-breaks", &[]).and_then(|checked| checked.rules).map(Arc::new)
    };
    if let Some(rules) = RULES.get_or_init(open) {
        drop(trf::terms::terms(rules, &report, &source));
        if let Ok(state) = trf::tables(rules, &report, &source) {
            drop(trf::from_tables(rules, &state, &report).map(|report| trf::write(&report)));
        }
    }
    let again = trf::parse(&Source::new("written", trf::write(&report))).map(|(report, _)| report);
    let same = again.is_ok_and(|again| again.without_places() == report.without_places());
    assert!(same, "a report that is written says something else");
}

/// Bytes as a line of a controller, whose words are answered as they came.
pub fn protocol_line(bytes: &[u8]) {
    if let Some(command) = gtp::read(&String::from_utf8_lossy(bytes)) {
        let text = gtp::write(command.id, &Ok(command.rest));
        assert!(text.find("\n\n") == Some(text.len() - 2), "an answer ends where it ends");
    }
}
