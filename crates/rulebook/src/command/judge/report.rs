//! The JSON answer of `judge`.

use std::collections::BTreeMap;

use rulebook::notation::lines::LineError;
use rulebook::notation::position::write_position;
use rulebook::notation::replay::{self, Agreement, Stop};
use rulebook::syntax::Source;
use rulebook::{Lang, RuleSet};
use serde::Serialize;

use super::Judged;
use crate::describe;
use crate::failure::{Body, Failure, in_line};
use crate::json::ClauseRef;

/// The JSON answer of `judge`.
#[derive(Serialize)]
pub(super) struct Report {
    /// The id of the rule set.
    rules: String,
    /// The games of the record, in order.
    games: Vec<Game>,
}

/// A game: an error, or what came of it.
#[derive(Serialize)]
#[serde(untagged)]
enum Game {
    /// It cannot be read.
    Failed {
        /// Why.
        error: Body,
    },
    /// It was replayed.
    Judged(Box<Verdict>),
}

/// What came of a game.
#[derive(Serialize)]
struct Verdict {
    /// What the record says about itself.
    tags: BTreeMap<String, String>,
    /// The parameters that the record sets.
    terms: BTreeMap<String, String>,
    /// What was repaired or left out when it was read.
    warnings: Vec<String>,
    /// The position at the start.
    start: String,
    /// What was done.
    steps: Vec<Step>,
    /// The line that stopped the replay, if one did.
    stop: Option<Stopped>,
    /// The position at the end.
    position: String,
    /// How the rules ended it, if they did.
    ended: Option<Ended>,
    /// What the record says about its end.
    record: Option<Claim>,
}

/// Something that was done.
#[derive(Serialize)]
struct Step {
    /// The number of the ply, for acts.
    ply: Option<u32>,
    /// When, in seconds, if the record says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<f64>,
    /// Who did it.
    by: String,
    /// As the record has it.
    written: String,
    /// In the short notation of records; the event, for events.
    text: String,
    /// The ids of the clause that allows it and of those that took effect.
    clauses: Vec<String>,
}

/// The line that stopped a replay.
#[derive(Serialize)]
struct Stopped {
    /// The line of the file, from one.
    line: usize,
    /// The column in characters, from one.
    column: usize,
    /// As the record has it.
    written: String,
    /// Who tried, as far as it could be read.
    by: Option<String>,
    /// Why it is refused: a stable word; none when the line has no meaning.
    reason: Option<&'static str>,
    /// The same in words.
    message: String,
    /// The clauses that decided: a ban first, then what would have granted it.
    clauses: Vec<ClauseRef>,
}

/// How the rules ended a game.
#[derive(Serialize)]
struct Ended {
    /// The outcome.
    outcome: String,
    /// The clauses that decided.
    clauses: Vec<ClauseRef>,
}

/// What a record says about its end.
#[derive(Serialize)]
struct Claim {
    /// The result as written.
    result: String,
    /// The cause as written.
    cause: Option<String>,
    /// `same`, `different`, `open` when the rules have not ended the game, or `none`.
    agreement: &'static str,
    /// What would end the game as the record says.
    causes: Vec<Cause>,
}

/// Events that would end a game.
#[derive(Serialize)]
struct Cause {
    /// The events, as lines.
    lines: Vec<String>,
    /// The ids of the clauses that would decide.
    clauses: Vec<String>,
}

impl Report {
    /// No games yet.
    pub(super) fn new(rules: &str) -> Self {
        Self { rules: rules.to_owned(), games: Vec::new() }
    }

    /// Adds a game that cannot be read.
    pub(super) fn fail(&mut self, failure: &Failure) {
        self.games.push(Game::Failed { error: failure.body() });
    }

    /// Adds a game.
    pub(super) fn push(&mut self, judged: &Judged, source: &Source) {
        let rules = judged.engine.rules();
        let (script, replay) = (&judged.script, &judged.replay);
        let written = |line: usize| script.lines.get(line).map_or_else(String::new, |line| line.text.clone());
        let steps = replay.steps.iter().map(|step| Step {
            ply: step.act.as_ref().map(|_| step.next.played),
            time: step.time.map(|time| {
                let (numerator, denominator) = time.to_parts();
                numerator as f64 / denominator as f64
            }),
            by: replay::write_person(rules, step.person).to_owned(),
            written: written(step.line),
            text: step.text.clone(),
            clauses: ids(rules, &step.clauses),
        });
        let end = replay.end();
        let claim = script.claim.as_ref().map(|claim| Claim {
            result: claim.text.clone(),
            cause: claim.cause.clone(),
            agreement: match judged.agreement {
                Agreement::NoClaim => "none",
                Agreement::Same => "same",
                Agreement::Different => "different",
                Agreement::Open => "open",
            },
            causes: judged
                .causes
                .iter()
                .map(|cause| Cause { lines: cause.lines.clone(), clauses: ids(rules, &cause.clauses) })
                .collect(),
        });
        self.games.push(Game::Judged(Box::new(Verdict {
            tags: script.tags.iter().cloned().collect(),
            terms: judged.terms.iter().cloned().collect(),
            warnings: script.repairs.iter().map(in_line).chain(script.warnings.iter().cloned()).collect(),
            start: write_position(rules, &replay.start),
            steps: steps.collect(),
            stop: replay.stop.as_ref().map(|stop| stopped(judged, source, stop)),
            position: write_position(rules, end),
            ended: end.ended.as_ref().map(|end| Ended {
                outcome: rules.show_outcome(end.outcome),
                clauses: ClauseRef::all(rules, &end.clauses),
            }),
            record: claim,
        })));
    }
}

fn ids(rules: &RuleSet, clauses: &[u16]) -> Vec<String> {
    describe::clauses(rules, clauses).into_iter().map(|clause| clause.id.clone()).collect()
}

fn stopped(judged: &Judged, source: &Source, stop: &Stop) -> Stopped {
    let rules = judged.engine.rules();
    let (Stop::Refused { line, .. } | Stop::Unreadable { line, .. }) = stop;
    let (start, written) = judged
        .script
        .lines
        .get(*line)
        .map_or((0, String::new()), |line| (line.span.start, line.text.clone()));
    let (line, column) = source.line_column(start);
    match stop {
        Stop::Refused { person, reason, clauses, .. } => Stopped {
            line,
            column,
            written,
            by: Some(replay::write_person(rules, *person).to_owned()),
            reason: Some(reason.name()),
            message: describe::reason(*reason, Lang::En).to_owned(),
            clauses: ClauseRef::all(rules, clauses),
        },
        Stop::Unreadable { error, .. } => Stopped {
            line,
            column,
            written,
            by: None,
            reason: None,
            message: error.to_string(),
            clauses: match error {
                LineError::Fault(rulebook::Fault::Conflict(clauses)) => ClauseRef::all(rules, clauses),
                _ => Vec::new(),
            },
        },
    }
}
