//! Compiled files: what is written, what is read, and what is refused.
#![expect(clippy::expect_used, reason = "a test may fail loudly")]

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::run;
use rulebook::BUILT_IN;
use rulebook::compiled::compile;
use rulebook::machine::file::{self, LoadError};
use rulebook::machine::lane::{Gate, Guard, Lane, Op, Place, Reach, Step};
use rulebook::machine::verify::verify;

fn bytes(id: &str) -> Vec<u8> {
    compile(id, &[]).expect("the rule set compiles").bytes().expect("the file loads")
}

fn repaired(mut bytes: Vec<u8>) -> Vec<u8> {
    let body = bytes.len() - file::CHECKSUM;
    let sum = file::checksum(bytes.get(..body).expect("there is a body"));
    bytes.truncate(body);
    bytes.extend(sum.to_le_bytes());
    bytes
}

#[test]
fn every_rule_set_makes_a_small_file_that_loads() {
    for (id, _) in BUILT_IN.iter().filter(|(id, _)| *id != "prelude") {
        let size = bytes(id).len();
        assert!(size < 1_500_000, "{id} has {size} bytes");
    }
}

#[test]
fn a_file_read_and_written_again_is_the_same() {
    let bytes = bytes("chess/board");
    let (outline, program) = file::read(&bytes).expect("the file loads");
    assert_eq!(file::encode(&program, &outline.sources).as_ref(), Ok(&bytes));
}

#[test]
fn threads_make_the_same_bytes() {
    let alone = bytes("chess/board");
    let made: Vec<Vec<u8>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| bytes("chess/board"))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(made.iter().all(|other| *other == alone));
}

#[test]
fn runs_make_the_same_bytes() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = |name: &str| folder.path().join(name).display().to_string();
    for name in ["a", "b"] {
        assert_eq!(run(&["compile", "games/othello", "-o", &path(name)]).code, Some(0));
    }
    let read = |name: &str| fs::read(path(name)).expect("the file is there");
    assert_eq!(read("a"), read("b"));
}

#[test]
fn another_format_is_refused_by_its_number() {
    let mut old = bytes("games/hex");
    old.splice(8..10, [0, 0]);
    let error = file::load(&old).expect_err("it is refused");
    assert_eq!(error.to_string(), "this file is of format 0; this machine reads 1");
}

#[test]
fn unknown_features_are_refused_by_number() {
    let mut odd = bytes("games/hex");
    odd.splice(12..16, 0x8000_0103_u32.to_le_bytes());
    let error = file::load(&repaired(odd)).err();
    assert_eq!(error, Some(LoadError::Features(0x8000_0100)));
}

#[test]
fn a_flipped_bit_is_refused() {
    let mut odd = bytes("games/hex");
    if let Some(byte) = odd.get_mut(1000) {
        *byte ^= 1;
    }
    assert_eq!(file::load(&odd).err(), Some(LoadError::Damaged));
}

#[test]
fn a_longer_section_is_refused() {
    let mut odd = bytes("games/hex");
    let last = file::HEADER + (file::SECTIONS.len() - 1) * file::ENTRY + 8;
    let body = odd.len() - file::CHECKSUM;
    odd.insert(body, 0);
    let length: [u8; 4] = odd.get(last..last + 4).and_then(|at| at.try_into().ok()).expect("a length");
    odd.splice(last..last + 4, (u32::from_le_bytes(length) + 1).to_le_bytes());
    let error = file::load(&repaired(odd)).err();
    assert_eq!(error, Some(LoadError::Section { name: "surround", what: "it is longer than what it holds" }));
}

#[test]
fn a_compiled_file_counts_as_its_rule_file_does() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("board.rules").display().to_string();
    assert_eq!(run(&["compile", "chess/board", "-o", &path]).code, Some(0));
    let count = |file: &str| run(&["perft", file, "--depth", "3"]).out;
    assert_eq!(count(&path), count("chess/board"));
}

#[test]
fn nothing_is_written_when_the_rules_are_wrong() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("wrong.rules").display().to_string();
    assert_eq!(run(&["compile", "five-mistakes.yaml", "-o", &path]).code, Some(2));
    assert_eq!(fs::read_dir(folder.path()).expect("the folder is there").count(), 0);
}

#[test]
fn inspect_refuses_a_rule_file() {
    assert!(run(&["inspect", "race.yaml"]).err.contains("is not a compiled rule set"));
}

#[test]
fn inspect_names_every_section() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("hex.rules").display().to_string();
    run(&["compile", "games/hex", "-o", &path]);
    let out = run(&["inspect", &path]).out;
    assert!(file::SECTIONS.iter().all(|name| out.contains(name)), "{out}");
}

#[test]
fn the_plan_has_a_line_for_every_clause() {
    let compiled = compile("chess/laws-2023", &[]).expect("the rule set compiles");
    let plan = compiled.plan();
    let missing: Vec<u16> = (0..compiled.program.clauses.len() as u16)
        .filter(|at| !plan.lines.iter().any(|line| line.clause == *at))
        .collect();
    assert_eq!(missing, Vec::<u16>::new());
}

#[test]
fn the_documented_reader_reads_a_file() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compiled-file.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let code = page.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a reader");
    assert!(code.lines().count() <= 60);
    let folder = tempfile::tempdir().expect("there is room");
    let (script, file) = (folder.path().join("reader.py"), folder.path().join("board.rules"));
    fs::write(&script, code).expect("there is room");
    fs::write(&file, bytes("chess/board")).expect("there is room");
    let Some(said) = python(&script, &file) else { return };
    let compiled = compile("chess/board", &[]).expect("the rule set compiles");
    assert!(said.contains("\nrules chess/board\n"), "{said}");
    let clauses: Vec<&str> = said
        .lines()
        .filter_map(|line| line.strip_prefix("clause "))
        .filter_map(|line| line.split(' ').next())
        .collect();
    let ids: Vec<&str> = compiled.program.clauses.iter().map(|clause| clause.id.as_str()).collect();
    assert_eq!(clauses, ids);
}

/// What the reader prints; nothing where there is no Python.
fn python(script: &Path, file: &Path) -> Option<String> {
    let done =
        Command::new("python3").arg(script).arg(file).env("PYTHONIOENCODING", "utf-8").output().ok()?;
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).ok()
}

/// What the verifier says of a program with a mistake in its first lane.
fn refusal(mistake: impl Fn(&mut Lane)) -> &'static str {
    let mut program = compile("chess/board", &[]).expect("the rule set compiles").program;
    mistake(program.lanes.first_mut().expect("there is a lane"));
    verify(program).expect_err("it is refused").what
}

/// The same with a mistake in the first shape.
fn shape(mistake: impl Fn(&mut rulebook::machine::lane::Shape)) -> &'static str {
    refusal(|lane| mistake(lane.shapes.first_mut().expect("there is a shape")))
}

fn step(guard: Guard, op: Op) -> &'static str {
    shape(|shape| {
        let clause = shape.clause;
        shape.recipe = Some(vec![Step { clause, guard, op: op.clone() }]);
    })
}

#[test]
fn lanes_refer_to_what_is_there() {
    assert_eq!(shape(|shape| shape.kind = 6), "no such kind");
    assert_eq!(shape(|shape| shape.clause = 999), "no such clause");
    assert_eq!(shape(|shape| shape.clause = 0), "a clause is no way of moving");
    assert_eq!(shape(|shape| shape.act += 1), "a clause grants another act");
    assert_eq!(step(Guard::Always, Op::Remove(Place::At(64))), "no such site");
    assert_eq!(step(Guard::Always, Op::Remove(Place::Bound(999))), "no such binding");
    assert_eq!(step(Guard::Chosen(6), Op::General), "no such kind");
}

#[test]
fn lanes_write_only_where_variables_of_the_type_are() {
    let nothing = "there is no variable in this place";
    assert_eq!(step(Guard::Always, Op::Set(999, 0)), nothing);
    assert_eq!(step(Guard::Holds(999), Op::General), nothing);
    assert_eq!(shape(|shape| shape.gate = Some(Gate::Given(127))), nothing);
    let no_set = "there is no set variable in this place";
    assert_eq!(step(Guard::Always, Op::Settle(15)), no_set);
    assert_eq!(shape(|shape| shape.gate = Some(Gate::Within(15))), no_set);
}

#[test]
fn lanes_stay_on_boards() {
    assert_eq!(shape(|shape| shape.reach = Reach::Leap(vec![(-128, 0)])), "the step is too long");
    let odd = |direction| shape(|shape| shape.reach = Reach::Ray(vec![direction]));
    assert_eq!(odd((0, 0)), "there is no line in this direction");
    assert_eq!(odd((1, 2)), "there is no line in this direction");
    assert_eq!(shape(|shape| shape.tos = Some(vec![0, 0])), "the set is too large");
}

#[test]
fn lanes_are_short() {
    let long = |count| shape(|shape| shape.reach = Reach::Leap(vec![(1, 0); count]));
    assert_eq!(long(1 << 18), "there are too many parts");
    let many = |lane: &mut Lane| lane.shapes = vec![lane.shapes.first().expect("a shape").clone(); 257];
    assert_eq!(refusal(many), "there are too many shapes");
}

#[test]
fn lookups_are_those_of_the_board() {
    let mut program = compile("chess/board", &[]).expect("the rule set compiles").program;
    program.lookups.first_mut().expect("there is a lookup").multipliers.pop();
    let what = verify(program).expect_err("it is refused").what;
    assert_eq!(what, "there is not one multiplier for each site");
}

/// The examples of the machine load a file that stands beside them, for that crate reads no rule files.
#[test]
fn the_file_of_the_examples_is_that_of_its_rule_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rulebook-machine/examples");
    let name = folder.join("three.yaml").display().to_string();
    let made = compile(&name, &[]).expect("the rule set compiles").bytes().expect("the file loads");
    let kept = fs::read(folder.join("three.rules")).expect("the file is there");
    assert!(kept == made, "three.rules is not that of three.yaml, whose comment says how it is written anew");
}
