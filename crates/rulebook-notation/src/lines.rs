//! One line of what happens at the board: `e2e4`, `white: resign`, `black: claim repetition`.
//!
//! A line names who does something, when that is not the player on turn, and then an act of the rule set
//! or one of its events. Invariant: reading a line changes nothing; doing it gives a verdict or a text error.

use rulebook_model::RuleSet;
use rulebook_model::ruleset::{Author, Form};
use rulebook_reference::{Act, Fault, Person, Reason, State, Verdict};

use crate::judge::Judge;
use crate::moves::read_act;
use crate::position::TextError;

/// Why a line gives no verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// The line cannot be read.
    #[error("{0}")]
    Text(#[from] TextError),
    /// The rule set has a fault in this situation.
    #[error("{0}")]
    Fault(#[from] Fault),
}

/// The arbiter's name in lines.
pub const ARBITER: &str = "arbiter";

/// A line that was done.
#[derive(Clone, Debug)]
pub struct Done {
    /// Who did it.
    pub person: Person,
    /// The ply, if it was one and it was legal.
    pub act: Option<Act>,
    /// What came of it.
    pub verdict: Verdict,
}

/// Splits `who: what`.
fn split<'t>(rules: &RuleSet, text: &'t str) -> (Option<Person>, &'t str) {
    if let Some((who, what)) = text.split_once(':') {
        let who = who.trim();
        if let Some(player) = rules.player(who) {
            return (Some(Person::Player(player)), what.trim());
        }
        if who == ARBITER {
            return (Some(Person::Arbiter), what.trim());
        }
    }
    (None, text.trim())
}

/// Does what a line says in a state.
///
/// # Errors
/// The line has no meaning in this rule set, or may mean several acts, or the rule set has a fault here.
pub fn play(engine: &dyn Judge, state: &State, line: &str) -> Result<Done, LineError> {
    let rules = engine.rules();
    let (person, what) = split(rules, line);
    if what.is_empty() {
        return Err(TextError::at(line, line, "this line says nothing").into());
    }
    let words: Vec<&str> = what.split_whitespace().collect();
    let phrase = words.join(" ").to_lowercase();
    if let Some(event) = rules.events.iter().position(|event| *event == phrase) {
        let person = person.unwrap_or_else(|| author(rules, event as u16, state));
        let verdict = engine.event(state, event as u16, person)?;
        return Ok(Done { person, act: None, verdict });
    }
    let person = person.unwrap_or(Person::Player(state.mover));
    let Some(meant) = read_act(rules, state, what) else {
        let mut known: Vec<&str> = rules.events.iter().map(String::as_str).collect();
        known.sort_unstable();
        let events = if known.is_empty() {
            String::new()
        } else {
            format!("; the events here are {}", known.join(", "))
        };
        return Err(
            TextError::at(line, what, format!("`{what}` is neither an act nor an event{events}")).into()
        );
    };
    if state.ended.is_none() && person != Person::Player(state.mover) {
        let verdict = Verdict::Refused { reason: Reason::NotOnTurn, clauses: engine.turn_clauses() };
        return Ok(Done { person, act: None, verdict });
    }
    if state.ended.is_none() {
        let plies = engine.plies(state)?;
        let matching: Vec<String> = plies
            .legal
            .iter()
            .filter(|ply| meant.is(engine, state, &ply.act))
            .map(|ply| crate::moves::write_unique(rules, &ply.act, &plies))
            .collect();
        if matching.len() > 1 {
            let message = format!("`{what}` may mean {}", matching.join(" or "));
            return Err(TextError::at(line, what, message).into());
        }
    }
    let verdict = engine.judge(state, &|act| meant.is(engine, state, act), &meant.grants(rules))?;
    let act = match &verdict {
        Verdict::Done { next, .. } => next.past.as_ref().and_then(|past| past.act.clone()),
        Verdict::Refused { .. } => None,
    };
    Ok(Done { person, act, verdict })
}

/// Who an event is usually from when the line does not say: the arbiter if only he may, else the player
/// on turn.
fn author(rules: &RuleSet, event: u16, state: &State) -> Person {
    let of = |clause: &rulebook_model::ruleset::Clause| match &clause.form {
        Form::Event { event: known, by, .. } if *known == event => Some(matches!(by, Author::Arbiter)),
        _ => None,
    };
    let arbiter = rules.clauses.iter().filter_map(of).all(|arbiter| arbiter);
    if arbiter { Person::Arbiter } else { Person::Player(state.mover) }
}
