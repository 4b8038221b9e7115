//! Programs as text: every rule set comes back as it was, and a small one looks as it is meant to.

use rulebook_compiler::{Passes, compile, text};
use rulebook_machine::verify::verify;
use rulebook_model::layer::PRELUDE;
use rulebook_model::library::{BUILT_IN, Library};

#[test]
fn every_program_comes_back() {
    let library = Library::default();
    for (id, _) in BUILT_IN.iter().filter(|(id, _)| *id != PRELUDE) {
        let Some(rules) = library.check(id, &[]).and_then(|checked| checked.rules) else { continue };
        let (program, _) = compile(&rules, Passes::all()).unwrap();
        let printed = text::print(&program).unwrap();
        let back = text::parse(&printed).unwrap();
        assert_eq!(back, program, "{id}");
        assert_eq!(text::print(&back).unwrap(), printed, "{id}");
    }
}

#[test]
fn a_small_game_as_text() {
    let rules =
        Library::default().check("go/simple-ko", &[("size".into(), "2".into())]).unwrap().rules.unwrap();
    let (program, _) = compile(&rules, Passes::all()).unwrap();
    insta::assert_snapshot!(text::print(&program).unwrap());
}

#[test]
fn what_parses_may_still_be_refused() {
    let rules =
        Library::default().check("go/simple-ko", &[("size".into(), "2".into())]).unwrap().rules.unwrap();
    let (program, _) = compile(&rules, Passes::all()).unwrap();
    let printed = text::print(&program).unwrap();
    let wrong = printed.replacen("binding: 0", "binding: 99", 1);
    assert_ne!(wrong, printed);
    assert_eq!(verify(text::parse(&wrong).unwrap()).unwrap_err().what, "no such binding");
    assert!(text::parse(&printed.replacen("begins: 0", "begins: 999", 1)).is_err());
    assert!(text::parse(&"(".repeat(100_000)).is_err());
}
