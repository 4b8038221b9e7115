//! Rule sets and their tables, for tests.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rulebook_model::library::Library;
use rulebook_model::{Number, RuleSet, Value};
use rulebook_reference::State;

/// A folder of the repository.
pub(crate) fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// A rule set with parameters.
pub(crate) fn rules(id: &str, given: &[(&str, String)]) -> RuleSet {
    let library = Library::at(folder("rules"));
    let source = library.find(id).unwrap();
    let given: Vec<(String, String)> =
        given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let checked = rulebook_model::check(&source, &|id| library.find(id), &given);
    let wrong: Vec<String> =
        checked.diagnostics.iter().map(|found| format!("{} {}", found.code, found.message)).collect();
    assert!(checked.rules.is_some(), "{wrong:#?}");
    checked.rules.unwrap()
}

/// The state of a rule set with tables by name; rows have their fields in order.
pub(crate) fn state(rules: &RuleSet, tables: &[(&str, Vec<Vec<Value>>)]) -> State {
    let mut state = State::first(rules);
    let of = |name: &str| tables.iter().find(|(known, _)| *known == name).map(|(_, rows)| rows.clone());
    state.tables = Arc::new(rules.tables.iter().map(|table| of(&table.name).unwrap_or_default()).collect());
    state
}

pub(crate) fn whole(number: i64) -> Value {
    Value::Number(Number::whole(number))
}

pub(crate) fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}
