//! A state in full as JSON: board, turn, every variable, plies, end, and the positions before.
//!
//! A position text holds what its notation has fields for; a snapshot holds everything. Invariant: what is
//! written is read back to a state that agrees, and equal states give equal texts and equal hashes.

use rulebook_model::placement;
use rulebook_model::ruleset::{Cell, RuleSet};
use rulebook_model::types::Type;
use rulebook_model::{Number, Outcome, Sites, Value};
use rulebook_reference::{Act, Ending, State};
use serde_json::{Map, Value as Json, json};

use crate::position::letter;

/// Why a text is not a snapshot of this rule set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SnapshotError(String);

fn fail<T>(message: impl Into<String>) -> Result<T, SnapshotError> {
    Err(SnapshotError(message.into()))
}

/// Writes a state.
pub fn write(rules: &RuleSet, state: &State) -> Json {
    let mut past: Vec<Json> = state
        .history()
        .map(|past| {
            let act = past.act.as_ref().and_then(|act| rules.acts.get(usize::from(act.name)));
            json!({
                "cells": cells(rules, &past.cells),
                "turn": rules.players.get(usize::from(past.mover)),
                "state": vars(rules, &past.vars),
                "act": act,
            })
        })
        .collect();
    past.reverse();
    let ended = state.ended.as_ref().map(|end| {
        let ids = end.clauses.iter().filter_map(|at| rules.clauses.get(usize::from(*at)));
        json!({
            "outcome": outcome(rules, end.outcome),
            "clauses": ids.map(|clause| clause.id.as_str()).collect::<Vec<_>>(),
        })
    });
    json!({
        "rules": rules.id,
        "cells": cells(rules, &state.cells),
        "turn": rules.players.get(usize::from(state.mover)),
        "plies": state.played,
        "state": vars(rules, &state.vars),
        "ended": ended,
        "past": past,
    })
}

/// A hash of everything a snapshot holds. It is stable between runs and machines; equal hashes are not
/// proof that states are equal.
pub fn hash(rules: &RuleSet, state: &State) -> u64 {
    // FNV-1a: short, stable and good enough to tell snapshots apart before they are compared.
    write(rules, state)
        .to_string()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn cells(rules: &RuleSet, cells: &[Cell]) -> String {
    cells.iter().map(|cell| letter(rules, *cell).unwrap_or(".")).collect()
}

fn outcome(rules: &RuleSet, outcome: Outcome) -> Json {
    let player = |at: u8| rules.players.get(usize::from(at)).cloned();
    match outcome {
        Outcome::Win(at) => json!({ "win": player(at) }),
        Outcome::Lose(at) => json!({ "lose": player(at) }),
        Outcome::Draw => json!("draw"),
        Outcome::Void => json!("void"),
        Outcome::AllLose => json!("all lose"),
    }
}

fn vars(rules: &RuleSet, values: &[Value]) -> Json {
    let entries = rules.vars.iter().zip(values);
    Json::Object(entries.map(|(var, value)| (var.name.clone(), plain(rules, value))).collect())
}

fn plain(rules: &RuleSet, value: &Value) -> Json {
    match value {
        Value::Nothing => Json::Null,
        Value::Truth(truth) => json!(truth),
        Value::Sites(sites) => json!(sites.iter().map(|site| rules.board.name(site)).collect::<Vec<_>>()),
        Value::List(values) => json!(values.iter().map(|value| plain(rules, value)).collect::<Vec<_>>()),
        value => json!(rules.show(value)),
    }
}

/// Reads a state.
///
/// # Errors
/// Names the part that does not fit the rule set.
pub fn read(rules: &RuleSet, json: &Json) -> Result<State, SnapshotError> {
    let mut state = State::first(rules);
    state.past = None;
    let past = match json.get("past") {
        Some(Json::Array(past)) => past.as_slice(),
        None => &[],
        Some(_) => return fail("`past` is not a list"),
    };
    for entry in past {
        state.cells = read_cells(rules, entry)?;
        state.mover = read_turn(rules, entry)?;
        state.vars = read_vars(rules, entry)?;
        let act = entry.get("act").and_then(Json::as_str);
        let act = act.and_then(|name| rules.acts.iter().position(|act| act == name));
        state.record(act.map(|at| Act::new(at as u16, state.mover)), Vec::new());
    }
    state.cells = read_cells(rules, json)?;
    state.mover = read_turn(rules, json)?;
    state.vars = read_vars(rules, json)?;
    state.played = match json.get("plies").and_then(Json::as_u64).map(u32::try_from) {
        Some(Ok(plies)) => plies,
        _ => return fail("`plies` is not a number of plies"),
    };
    state.ended = match json.get("ended") {
        None | Some(Json::Null) => None,
        Some(end) => Some(read_end(rules, end)?),
    };
    if past.is_empty() {
        state.restart();
    }
    Ok(state)
}

fn read_cells(rules: &RuleSet, json: &Json) -> Result<Vec<Cell>, SnapshotError> {
    let Some(text) = json.get("cells").and_then(Json::as_str) else { return fail("`cells` is not a text") };
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(tail) = rest.strip_prefix('.') {
            found.push(Cell::EMPTY);
            rest = tail;
            continue;
        }
        let (kind, owner, tail) = placement::piece(rules, rest).map_err(|(_, why)| SnapshotError(why))?;
        found.push(Cell::piece(kind, owner));
        rest = tail;
    }
    if found.len() != rules.board.len() {
        return fail(format!("`cells` has {} sites; the board has {}", found.len(), rules.board.len()));
    }
    Ok(found)
}

fn read_turn(rules: &RuleSet, json: &Json) -> Result<u8, SnapshotError> {
    match json.get("turn").and_then(Json::as_str).and_then(|name| rules.player(name)) {
        Some(player) => Ok(player),
        None => fail("`turn` is not a player"),
    }
}

fn read_vars(rules: &RuleSet, json: &Json) -> Result<Vec<Value>, SnapshotError> {
    let none = Map::new();
    let entries = json.get("state").and_then(Json::as_object).unwrap_or(&none);
    if let Some(name) = entries.keys().find(|name| !rules.vars.iter().any(|var| var.name == **name)) {
        return fail(format!("`{name}` is not a state variable"));
    }
    rules
        .vars
        .iter()
        .map(|var| {
            let Some(value) = entries.get(&var.name) else {
                return fail(format!("the state variable `{}` is missing", var.name));
            };
            match value {
                Json::Array(values) if !var.each.is_empty() => {
                    if values.len() != rules.values(&var.each) {
                        return fail(format!("`{}` has {} values", var.name, rules.values(&var.each)));
                    }
                    let values: Result<Vec<Value>, _> =
                        values.iter().map(|value| read_value(rules, &var.name, &var.ty, value)).collect();
                    Ok(Value::List(values?))
                }
                value => read_value(rules, &var.name, &var.ty, value),
            }
        })
        .collect()
}

fn read_value(rules: &RuleSet, name: &str, ty: &Type, json: &Json) -> Result<Value, SnapshotError> {
    let site = |json: &Json| json.as_str().and_then(|text| rules.board.site(text));
    let value = match (ty, json) {
        (Type::Truth, Json::Bool(truth)) => Some(Value::Truth(*truth)),
        (Type::Number(_), Json::String(text)) => {
            Number::parse(text).filter(|number| number.can_be_kept()).map(Value::Number)
        }
        (Type::Phase, Json::String(text)) if rules.phases.contains(text) => Some(Value::Text(text.clone())),
        (Type::Text, Json::String(text)) => Some(Value::Text(text.clone())),
        (Type::Player, Json::String(text)) => rules.player(text).map(Value::Player),
        (Type::Kind, Json::String(text)) => {
            rules.kinds.iter().position(|kind| kind == text).map(|at| Value::Kind(at as u8))
        }
        (Type::Site, json @ Json::String(_)) => site(json).map(Value::Site),
        (Type::Sites, Json::Array(sites)) => {
            let sites: Option<Sites> = sites.iter().map(site).collect();
            sites.map(Value::sites)
        }
        (Type::Player | Type::Kind | Type::Site, Json::Null) => Some(Value::Nothing),
        _ => None,
    };
    value.ok_or_else(|| SnapshotError(format!("the value of `{name}` does not fit its type")))
}

fn read_end(rules: &RuleSet, json: &Json) -> Result<Ending, SnapshotError> {
    let player = |json: &Json| json.as_str().and_then(|name| rules.player(name));
    let outcome = match json.get("outcome") {
        Some(Json::String(text)) => match text.as_str() {
            "draw" => Some(Outcome::Draw),
            "void" => Some(Outcome::Void),
            "all lose" => Some(Outcome::AllLose),
            _ => None,
        },
        Some(Json::Object(entry)) => match (entry.get("win"), entry.get("lose")) {
            (Some(winner), None) => player(winner).map(Outcome::Win),
            (None, Some(loser)) => player(loser).map(Outcome::Lose),
            _ => None,
        },
        _ => None,
    };
    let Some(outcome) = outcome else { return fail("`outcome` is not an outcome") };
    let mut clauses = Vec::new();
    for id in json.get("clauses").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str) {
        match rules.clauses.iter().position(|clause| clause.id == id) {
            Some(at) => clauses.push(at as u16),
            None => return fail(format!("there is no clause `{id}`")),
        }
    }
    Ok(Ending { outcome, clauses })
}
