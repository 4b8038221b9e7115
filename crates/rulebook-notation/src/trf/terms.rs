//! What a report sets in a rule set, as the notation section names it.
//!
//! Invariant: nothing is set that the report does not say, but for the number of rounds that have been paired and
//! the colour that was drawn by lot, where its rounds show them; a tie-break that the rule set has no words for is left out with a warning.

use std::sync::Arc;

use rulebook_model::exchange::TrfTerms;
use rulebook_model::ruleset::{Param, RuleSet};
use rulebook_model::{Number, Value};
use rulebook_syntax::codes::SGF_REPAIRED;
use rulebook_syntax::{Diagnostic, Source, Span};

use super::{Colour, Report};
use crate::sgf::terms::{Term, worded};

/// The signs that part the words of a tie-break.
const PARTING: [char; 5] = ['/', ':', '-', '#', ' '];

/// The parameters of a rule set that a report sets.
pub fn terms(rules: &RuleSet, report: &Report, source: &Arc<Source>) -> (Vec<Term>, Vec<Diagnostic>) {
    let (mut terms, mut warnings) = (Vec::new(), Vec::new());
    let Some(trf) = &rules.notation.trf else { return (terms, warnings) };
    let param = |name: &str| rules.params.iter().find(|param| param.name == name);
    for (what, name) in &trf.terms {
        if let (Some(param), Some((text, place))) = (param(name), said(report, what)) {
            terms.push(Term { name: name.clone(), value: worded(rules, param, &text), place });
        }
    }
    if report.facts.colour.is_none()
        && trf.terms.iter().any(|(what, _)| what == "colour")
        && let Some((colour, place)) = drawn(report)
    {
        let message = format!(
            "the report does not say which colour was drawn for the first entry; its first round shows {}",
            word(colour)
        );
        warnings.push(Diagnostic::warning(SGF_REPAIRED, source, place, message));
    }
    terms.extend(keys(trf, &param, report, source, &mut warnings));
    (terms, warnings)
}

/// The colour that was drawn for the first entry, as the first round shows it: entries with odd numbers have it, the
/// others the other one (FIDE C.04.2).
fn drawn(report: &Report) -> Option<(Colour, Span)> {
    let paired = report.players.iter().filter_map(|player| {
        let cell = player.rounds.first().filter(|cell| cell.opponent.is_some())?;
        Some((player.number, cell.colour?, cell.span))
    });
    let (number, colour, span) = paired.min_by_key(|(number, ..)| *number)?;
    Some((if number % 2 == 1 { colour } else { colour.other() }, span))
}

const fn word(colour: Colour) -> &'static str {
    match colour {
        Colour::White => "white",
        Colour::Black => "black",
    }
}

/// What a report says about one thing.
fn said(report: &Report, what: &str) -> Option<(String, Span)> {
    let facts = &report.facts;
    let scoring = &facts.scoring;
    // What results of both colours are worth, if it is the same.
    let both = |[white, black]: [Number; 2]| (white == black).then_some(white);
    let worth = match what {
        "rounds" => return facts.rounds.map(|(rounds, place)| (rounds.to_string(), place)),
        "played" => {
            let place = report.players.first().map_or_else(Span::default, |player| player.span);
            return Some((report.played().to_string(), place));
        }
        "colour" => {
            let colour = facts.colour.or_else(|| drawn(report));
            return colour.map(|(colour, place)| (word(colour).to_owned(), place));
        }
        "win" => both(scoring.win),
        "draw" => both(scoring.draw),
        "loss" => both(scoring.loss),
        "half" => Some(scoring.half),
        "full" => Some(scoring.full),
        "zero" => Some(scoring.zero),
        "allocated" => scoring.allocated,
        "forfeit_win" => Some(scoring.forfeit_win),
        "forfeit_loss" => Some(scoring.forfeit_loss),
        _ => None,
    };
    let place = report.players.first().map_or_else(Span::default, |player| player.span);
    worth.filter(|_| scoring.said).map(|worth| (worth.to_string(), place))
}

/// The keys of a ranking, where the report names its tie-breaks.
fn keys<'r>(
    trf: &TrfTerms,
    param: &dyn Fn(&str) -> Option<&'r Param>,
    report: &Report,
    source: &Arc<Source>,
    warnings: &mut Vec<Diagnostic>,
) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    let mut names = trf.keys.iter();
    for (tie, place) in &report.facts.ties {
        let words: Vec<String> =
            tie.split(PARTING).filter(|word| !word.is_empty()).map(str::to_uppercase).collect();
        let known = !words.is_empty() && words.iter().all(|word| trf.words.contains(word));
        let name = if known { names.next() } else { None };
        match name {
            Some(name) => {
                let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
                terms.push(Term {
                    name: name.clone(),
                    value: format!("[{}]", words.join(", ")),
                    place: *place,
                });
            }
            None if trf.keys.is_empty() => {}
            None => {
                let message = format!("the tie-break `{tie}` has no place in this rule set; it is left out");
                warnings.push(Diagnostic::warning(SGF_REPAIRED, source, *place, message));
            }
        }
    }
    if let Some(last) = terms.last().cloned() {
        // The keys that are left say nothing.
        for name in names {
            let is_set = |param: &Param| matches!(&param.value, Value::List(words) if !words.is_empty());
            if param(name).is_some_and(is_set) {
                terms.push(Term { name: name.clone(), value: "['NONE']".into(), ..last.clone() });
            }
        }
    }
    terms
}
