//! What `judge --brief` says: one line for each game, how it ended and what the record says about that.
//!
//! Invariant: what is told here is what the full answer tells. Games that are written plainly are replayed on
//! the machine, without a word about the clauses of single plies; all others are judged in full.

use rulebook::notation::replay::{Agreement, Claim, Stop};
use rulebook::records;
use rulebook::{Lang, Outcome, RuleSet};
use serde::Serialize;

use super::Judged;
use crate::describe::{self, say};
use crate::failure::{Body, Failure};
use crate::out::Out;

/// The JSON answer of `judge --brief`.
#[derive(Serialize)]
pub(super) struct Report {
    /// The id of the rule set.
    rules: String,
    /// The games of the record, in order.
    games: Vec<Row>,
}

/// What came of a game, before it is told.
pub(super) struct Line {
    row: Row,
    outcome: Option<Outcome>,
}

impl Line {
    /// A game that was replayed without clauses.
    pub(super) fn replayed(rules: &RuleSet, game: &records::Brief) -> Self {
        let row = row(rules, game.done, None, game.ended.as_ref(), Some(&game.claim), game.agreement);
        Self { row, outcome: game.ended.as_ref().map(|(outcome, _)| *outcome) }
    }

    /// A game that was judged in full.
    pub(super) fn judged(judged: &Judged, source: &rulebook::syntax::Source) -> Self {
        let rules = judged.engine.rules();
        let stopped = judged.replay.stop.as_ref().and_then(|stop| {
            let (Stop::Refused { line, .. } | Stop::Unreadable { line, .. }) = stop;
            judged.script.lines.get(*line).map(|line| source.line_column(line.span.start).0)
        });
        let ended = judged.replay.end().ended.as_ref().map(|end| (end.outcome, end.clauses.clone()));
        let claim = judged.script.claim.as_ref();
        let row = row(rules, judged.replay.steps.len(), stopped, ended.as_ref(), claim, judged.agreement);
        Self { row, outcome: ended.map(|(outcome, _)| outcome) }
    }
}

/// What came of a game.
#[derive(Serialize)]
struct Row {
    /// How many acts and events were done.
    done: usize,
    /// The line of the file at which the rules stopped it, if they did.
    stopped: Option<usize>,
    /// How the rules ended it.
    ended: Option<String>,
    /// The ids of the clauses that decided.
    clauses: Vec<String>,
    /// The result that the record claims.
    record: Option<String>,
    /// `same`, `different`, `open` when the rules have not ended the game, or `none`.
    agreement: &'static str,
    /// Why it cannot be read.
    error: Option<Body>,
}

impl Report {
    /// No games yet.
    pub(super) fn new(rules: &str) -> Self {
        Self { rules: rules.to_owned(), games: Vec::new() }
    }

    /// Adds a game that was judged in full.
    pub(super) fn judged(
        &mut self,
        judged: &Judged,
        source: &rulebook::syntax::Source,
        lang: Lang,
        out: &mut Out,
    ) {
        self.line(judged.engine.rules(), Line::judged(judged, source), lang, out);
    }

    /// Adds a game that cannot be read.
    pub(super) fn failed(&mut self, failure: Failure, out: &mut Out) {
        if out.is_json() {
            self.games.push(Row {
                done: 0,
                stopped: None,
                ended: None,
                clauses: Vec::new(),
                record: None,
                agreement: "none",
                error: Some(failure.body()),
            });
        } else {
            failure.report(out);
        }
    }

    /// Adds what came of a game.
    pub(super) fn line(&mut self, rules: &RuleSet, line: Line, lang: Lang, out: &mut Out) {
        self.add(rules, line.row, line.outcome, lang, out);
    }

    fn add(&mut self, rules: &RuleSet, row: Row, outcome: Option<Outcome>, lang: Lang, out: &mut Out) {
        if !out.is_json() {
            let done = match lang {
                Lang::En => format!("{} done", row.done),
                Lang::Zh => format!("完成{}步", row.done),
            };
            let ended = match (row.stopped, outcome) {
                (Some(line), _) => match lang {
                    Lang::En => format!("stopped at line {line}"),
                    Lang::Zh => format!("止于第{line}行"),
                },
                (None, Some(outcome)) => {
                    format!("{} ({})", describe::outcome(rules, outcome, lang), row.clauses.join(", "))
                }
                (None, None) => say(lang, "not ended", "未结束").to_owned(),
            };
            let record = row.record.as_ref().map_or_else(String::new, |record| match lang {
                Lang::En => format!(", the record says {record}"),
                Lang::Zh => format!("，棋谱记为 {record}"),
            });
            out.line(format!("{done}, {ended}{record}"));
        }
        self.games.push(row);
    }
}

fn row(
    rules: &RuleSet,
    done: usize,
    stopped: Option<usize>,
    ended: Option<&(Outcome, Vec<u16>)>,
    claim: Option<&Claim>,
    agreement: Agreement,
) -> Row {
    let clauses = ended.map_or(&[][..], |(_, clauses)| clauses);
    Row {
        done,
        stopped,
        ended: ended.map(|(outcome, _)| describe::outcome(rules, *outcome, Lang::En)),
        clauses: describe::clauses(rules, clauses).into_iter().map(|clause| clause.id.clone()).collect(),
        record: claim.map(|claim| claim.text.clone()),
        agreement: match agreement {
            Agreement::Same => "same",
            Agreement::Different => "different",
            Agreement::Open => "open",
            Agreement::NoClaim => "none",
        },
        error: None,
    }
}

/// What a game that was replayed without clauses answers.
pub(super) fn answer(game: &records::Brief) -> super::Answer {
    if game.agreement == Agreement::Different { super::Answer::No } else { super::Answer::Good }
}
