//! What is said about wrong sections and clauses, and where.

use rulebook_model::library::Library;
use rulebook_syntax::Source;

const HEAD: &str = "rulebook: 1\nid: case\nplayers: [white, black]\ntables:\n  entries: { name: text, number: count }\n  games: { round: count, white: entries, black: entries }\n";
const SECTION: &str = "pairing: { of: entries, games: games, round: round, sides: [white, black], present: 'true', order: entry.number, bracket: entry.number }\n";

/// The errors of a text: the code, and the characters that are pointed at.
fn errors(text: &str) -> Vec<(String, String)> {
    let library = Library::default();
    let checked = rulebook_model::check(&Source::new("case.yaml", text), &|id| library.find(id), &[]);
    let errors =
        checked.diagnostics.iter().filter(|found| found.severity == rulebook_syntax::Severity::Error);
    let place = |found: &rulebook_syntax::Diagnostic| {
        let span = found.labels[0].span;
        text[span.start..span.end].to_owned()
    };
    errors.map(|found| (found.code.to_owned(), place(found))).collect()
}

fn clause(form: &str) -> String {
    format!("{HEAD}{SECTION}clauses:\n  '1': {{ {form}, cites: C07 1, says: {{ en: A., zh: 甲。 }} }}\n")
}

fn one(text: &str, code: &str, place: &str) {
    assert_eq!(errors(text), [(code.to_owned(), place.to_owned())], "{text}");
}

#[test]
fn a_right_section_has_no_fault() {
    assert_eq!(errors(&clause("completes: true")), []);
    assert_eq!(
        errors(&clause(
            "'pair': [p, q], least: p.number - q.number + bracket + round, compare: greatest first"
        )),
        []
    );
}

#[test]
fn sections_name_tables_and_fields_that_there_are() {
    let section = |text: &str, with: &str| format!("{HEAD}{}", SECTION.replace(text, with));
    one(&section("of: entries", "of: entrees"), "name::unknown", "entrees");
    one(&section("round: round", "round: rounds"), "name::unknown", "rounds");
    one(&section("round: round", "round: white"), "type::mismatch", "white");
    one(&section("sides: [white, black]", "sides: [white]"), "file::shape", "white");
    one(&section("present: 'true'", "present: entry.number"), "type::mismatch", "entry.number");
    one(&section("order: entry.number", "order: entry.name"), "type::mismatch", "entry.name");
    one(
        &section("bracket: entry.number", "bracket: entry.number, brackets: '1'"),
        "file::unknown-key",
        "brackets",
    );
}

#[test]
fn what_is_missing_is_told_at_the_section() {
    one(
        &format!(
            "{HEAD}pairing: {{ of: entries, games: games, round: round, sides: [white, black], present: 'true', order: entry.number }}\n"
        ),
        "file::missing-key",
        "pairing",
    );
}

#[test]
fn clauses_need_a_section() {
    let text = clause("completes: true").replace(SECTION, "");
    one(&text, "file::missing-key", "'1'");
}

#[test]
fn clauses_say_one_thing_of_what_they_name() {
    one(&clause("pair: [p], forbid: 'true'"), "file::shape", "[p]");
    one(&clause("pair: [p, q]"), "file::missing-key", "'1'");
    one(&clause("pair: [p, q], forbid: 'true', least: '1'"), "clause::mixed-forms", "least");
    one(&clause("leaves: p, side: white"), "clause::mixed-forms", "side");
    one(&clause("pair: [p, q], forbid: p.number = bracket"), "name::unknown", "bracket");
    one(&clause("pair: [p, q], least: p.name"), "type::mismatch", "p.name");
    one(&clause("pair: [p, q], side: p"), "type::mismatch", "p");
    one(&clause("leaves: p, least: '1', compare: sum"), "file::shape", "sum");
    one(&clause("prefer: fewest exchange"), "file::shape", "fewest exchange");
    one(&clause("next: ['2']"), "layer::dangling-override", "'2'");
    one(&clause("completes: 'yes'"), "file::shape", "'yes'");
}
