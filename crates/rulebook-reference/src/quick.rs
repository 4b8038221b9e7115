//! Rankings of large tables: the same answers as the plain evaluation, by remembering.
//!
//! The plain evaluation (`collect.rs`) looks at every row for every question. Here terms are prepared once, what a
//! definition gives for some arguments is remembered if it looks through a collection, and rows whose field must equal
//! something are found in an index. What qualifies is decided by the form of a term, never by a name. Invariant: the
//! answer is that of the plain evaluation, remembering or not; what is remembered is bounded; a rule set with a term
//! that is not prepared here is ranked plainly. Faults may differ in one way: a row that an index leaves out cannot
//! fault.

use rulebook_model::ruleset::{Code, Form};
use rulebook_model::{Number, Value};

use crate::collect::{Ranked, ranked_by, reads_tied};
use crate::engine::Engine;
use crate::eval::{Fault, Outcomes};
use crate::state::State;

mod plan;
mod run;
mod story;
mod value;

pub use story::Told;

use plan::Plan;
use run::Run;

/// Most values that are remembered for one ranking.
pub const MAX_REMEMBERED: usize = 2_000_000;

/// Which ways of being quick are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quickness {
    /// How many values are remembered at most; none with zero.
    pub remembered: usize,
    /// Whether rows are looked for in an index.
    pub indexed: bool,
}

impl Default for Quickness {
    fn default() -> Self {
        Self { remembered: MAX_REMEMBERED, indexed: true }
    }
}

/// Ranks the entries of the first table, as [`Engine::rank`] does.
///
/// # Errors
/// A fault of the rule set for these tables.
pub fn rank(engine: &Engine, state: &State, quickness: Quickness) -> Outcomes<Vec<Vec<Ranked>>> {
    let rules = engine.rules();
    let codes = || {
        (0..).zip(&rules.clauses).filter_map(|(at, clause)| match &clause.form {
            Form::Rank(code) => Some((at, code)),
            _ => None,
        })
    };
    let codes: Vec<(u16, &Code)> = codes().collect();
    let terms: Vec<&Code> = codes.iter().map(|(_, code)| *code).collect();
    let Some(plan) = Plan::new(rules, state, &terms, quickness.indexed) else { return engine.rank(state) };
    let mut run = Run::new(&plan, quickness.remembered);
    let keys: Vec<(u16, bool)> =
        codes.iter().map(|(at, code)| (*at, reads_tied(rules, &code.term))).collect();
    let entries = state.tables.first().map_or(0, Vec::len) as u32;
    let mut value = |key: usize, row: u32, tied: &[u32], fresh: bool| {
        if fresh {
            run.tie(tied);
        }
        run.key(key, row)
    };
    let blame = |clause: u16, fault: Fault| {
        engine.blame::<()>(clause, Err(fault)).err().unwrap_or(Fault::TooMuchWork)
    };
    match ranked_by(&keys, entries, &mut value, &blame) {
        // Something was computed with that is not there: what comes of it only the plain evaluation says.
        Err(fault) if fault == odd() => engine.rank(state),
        ranked => ranked,
    }
}

/// The sign that the evaluation gives up.
fn odd() -> Fault {
    Fault::Conflict(Vec::new())
}

/// How the value of a key of a ranking comes about for an entry, `tied` being those it was tied with: the definitions
/// that were asked, each with what it was given, what it gave, and what it asked itself. None where the rule set has a
/// term that is not prepared here.
///
/// # Errors
/// A fault of the rule set.
pub fn story(
    engine: &Engine,
    state: &State,
    clause: u16,
    row: u32,
    tied: &[u32],
) -> Outcomes<Option<Vec<Told>>> {
    let rules = engine.rules();
    let Some(Form::Rank(code)) = rules.clauses.get(usize::from(clause)).map(|clause| &clause.form) else {
        return Ok(None);
    };
    let Some(plan) = Plan::new(rules, state, &[code], true) else { return Ok(None) };
    let mut run = Run::new(&plan, 0);
    run.tie(tied);
    run.listen();
    match run.key(0, row) {
        Err(fault) if fault == odd() => Ok(None),
        Err(fault) => Err(fault),
        Ok(_) => Ok(Some(run.told())),
    }
}

/// The number that a value of a key counts as.
fn number(value: &Value) -> Number {
    if let Value::Number(number) = value { *number } else { Number::ZERO }
}
