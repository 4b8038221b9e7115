//! Values of a rule set as the machine takes them from outside.
//!
//! Invariant: every value has one form outside, and none is lost on the way.

use rulebook_machine::plain::Plain;
use rulebook_model::Value;

use crate::lower::outcome;

/// A value as the machine takes it from outside.
pub fn plain(value: &Value) -> Plain {
    match value {
        Value::Nothing => Plain::Nothing,
        Value::Truth(truth) => Plain::Truth(*truth),
        Value::Number(number) => {
            let (numerator, denominator) = number.to_parts();
            Plain::Number(numerator, denominator)
        }
        Value::Text(text) => Plain::Text(text.clone()),
        Value::Player(player) => Plain::Player(*player),
        Value::Kind(kind) => Plain::Kind(*kind),
        Value::Site(site) => Plain::Site(*site),
        Value::Sites(sites) => Plain::Sites(sites.iter().collect()),
        Value::List(values) => Plain::List(values.iter().map(plain).collect()),
        Value::Row(table, row) => Plain::Row(*table, *row),
        Value::Outcome(made) => Plain::Outcome(outcome(*made)),
    }
}
