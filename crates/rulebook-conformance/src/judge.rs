//! Compares an answer with what is expected.
//!
//! Invariant: an answer of the wrong kind is a wrong answer, never a pass. Texts of acts are compared without
//! regard to case and spaces, numbers as numbers, and everything else letter by letter.

use rulebook_model::Number;

use crate::case::Wanted;
use crate::driver::Answer;
use crate::scenario::{Cell, MoveSet, Refusal, Status};

/// What comes of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// As expected.
    Met,
    /// Otherwise.
    Unmet {
        /// What is expected.
        expected: String,
        /// What the engine answers.
        got: String,
        /// The clauses that it names.
        clauses: Vec<String>,
    },
    /// The engine does not answer such questions.
    Unsupported(String),
}

/// The text of an act without what makes no difference.
pub fn folded(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_lowercase()
}

/// Judges an answer.
pub fn judge(wanted: &Wanted, answer: &Answer) -> Judgement {
    if let Answer::Unsupported(reason) = answer {
        return Judgement::Unsupported(reason.clone());
    }
    if met(wanted, answer) {
        return Judgement::Met;
    }
    let (got, clauses) = show_answer(answer, wanted);
    Judgement::Unmet { expected: show_wanted(wanted), got, clauses }
}

fn met(wanted: &Wanted, answer: &Answer) -> bool {
    match (wanted, answer) {
        (Wanted::Accepted, Answer::Verdict { accepted, .. }) => *accepted,
        (Wanted::Refused(refusal), Answer::Verdict { accepted, reason, clauses }) => {
            !accepted
                && refusal.reason.as_ref().is_none_or(|wanted| wanted == reason)
                && decided(refusal.clause.as_ref(), &refusal.clauses.0, clauses)
        }
        (Wanted::Acts(set), Answer::Acts(acts)) => acts_met(set, acts),
        (Wanted::Count(wanted), Answer::Count(count)) => wanted == count,
        (Wanted::Position(wanted), Answer::Text(text)) => {
            wanted.split_whitespace().eq(text.split_whitespace())
        }
        (Wanted::Status(Status::Ongoing), Answer::Status { ended, .. }) => ended.is_none(),
        (Wanted::Status(Status::Ended(wanted)), Answer::Status { ended: Some(ended), clauses }) => {
            wanted.ended == *ended && decided(wanted.clause.as_ref(), &wanted.clauses.0, clauses)
        }
        (Wanted::Value(wanted), answer) => value_met(wanted, answer),
        (Wanted::Groups(wanted), Answer::Groups(groups)) => {
            wanted.len() == groups.len() && wanted.iter().zip(groups).all(|(a, b)| same_members(a, b))
        }
        (Wanted::Rows { all, some }, Answer::Rows(rows)) => {
            all.as_ref().is_none_or(|all| {
                all.len() == rows.len() && all.iter().zip(rows).all(|(a, b)| same_row(a, b))
            }) && some.iter().all(|wanted| rows.iter().any(|row| same_row(wanted, row)))
        }
        (Wanted::Picture { text: Some(wanted), .. }, Answer::Text(text)) => {
            wanted.trim_end() == text.trim_end()
        }
        _ => false,
    }
}

fn decided(clause: Option<&String>, among: &[String], clauses: &[String]) -> bool {
    clause.is_none_or(|wanted| clauses.first() == Some(wanted))
        && among.iter().all(|wanted| clauses.contains(wanted))
}

fn acts_met(set: &MoveSet, acts: &[String]) -> bool {
    let acts: Vec<String> = acts.iter().map(|act| folded(act)).collect();
    let has = |act: &String| acts.contains(&folded(act));
    set.count.is_none_or(|count| usize::try_from(count) == Ok(acts.len()))
        && set
            .is
            .as_ref()
            .is_none_or(|is| same_members(&is.0.iter().map(|a| folded(a)).collect::<Vec<_>>(), &acts))
        && set.include.0.iter().all(has)
        && !set.exclude.0.iter().any(has)
}

fn same_members(a: &[String], b: &[String]) -> bool {
    let sorted = |texts: &[String]| {
        let mut texts = texts.to_vec();
        texts.sort();
        texts
    };
    sorted(a) == sorted(b)
}

fn same_row(wanted: &[String], row: &[String]) -> bool {
    wanted.len() == row.len() && wanted.iter().zip(row).all(|(a, b)| same_value(a, b))
}

/// Whether two texts are the same value: equal as numbers, if both are numbers.
pub fn same_value(a: &str, b: &str) -> bool {
    match (Number::parse(a), Number::parse(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

fn value_met(wanted: &Cell, answer: &Answer) -> bool {
    match (wanted, answer) {
        (Cell::List(cells), Answer::Values { ordered, values }) => {
            let cells: Vec<String> = cells.iter().map(Cell::to_string).collect();
            if *ordered { same_row(&cells, values) } else { same_members(&cells, values) }
        }
        (Cell::List(_), _) => false,
        (cell, Answer::Value(value)) => same_value(&cell.to_string(), value),
        _ => false,
    }
}

fn deciding(clause: Option<&String>, among: &[String]) -> String {
    let first = clause.map(|clause| format!(" by {clause}")).unwrap_or_default();
    if among.is_empty() { first } else { format!("{first}, with {}", among.join(", ")) }
}

fn rows(rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return "none".into();
    }
    rows.iter().map(|row| format!("[{}]", row.join(", "))).collect::<Vec<_>>().join(" ")
}

fn sorted(acts: &[String]) -> String {
    let mut acts = acts.to_vec();
    acts.sort();
    if acts.is_empty() { "none".into() } else { acts.join(" ") }
}

/// What is expected, in words.
pub fn show_wanted(wanted: &Wanted) -> String {
    match wanted {
        Wanted::Accepted => "accepted".into(),
        Wanted::Refused(Refusal { clause, clauses, reason, .. }) => {
            let reason = reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
            format!("refused{reason}{}", deciding(clause.as_ref(), &clauses.0))
        }
        Wanted::Acts(MoveSet { count, is, include, exclude }) => {
            let mut parts = Vec::new();
            parts.extend(count.map(|count| format!("{count} acts")));
            parts.extend(is.as_ref().map(|is| format!("exactly {}", sorted(&is.0))));
            for (word, acts) in [("with", &include.0), ("without", &exclude.0)] {
                if !acts.is_empty() {
                    parts.push(format!("{word} {}", sorted(acts)));
                }
            }
            parts.join(", ")
        }
        Wanted::Count(count) => count.to_string(),
        Wanted::Position(text) => text.clone(),
        Wanted::Status(Status::Ongoing) => "ongoing".into(),
        Wanted::Status(Status::Ended(ended)) => {
            format!("{}{}", ended.ended, deciding(ended.clause.as_ref(), &ended.clauses.0))
        }
        Wanted::Value(cell) => cell.to_string(),
        Wanted::Groups(groups) => rows(groups),
        Wanted::Rows { all: Some(all), .. } => rows(all),
        Wanted::Rows { some, .. } => format!("among others {}", rows(some)),
        Wanted::Picture { text: Some(text), .. } => format!("\n{}", text.trim_end()),
        Wanted::Picture { file, .. } => format!("a picture in {file} (write it with --bless)"),
    }
}

/// What was answered, in words, with the clauses that decided; long sets only as far as they differ.
fn show_answer(answer: &Answer, wanted: &Wanted) -> (String, Vec<String>) {
    match answer {
        Answer::Verdict { accepted: true, clauses, .. } => ("accepted".into(), clauses.clone()),
        Answer::Verdict { reason, clauses, .. } => (format!("refused ({reason})"), clauses.clone()),
        Answer::Acts(acts) => (show_acts(acts, wanted), Vec::new()),
        Answer::Count(count) => (count.to_string(), Vec::new()),
        Answer::Text(text) => {
            let pictured = matches!(wanted, Wanted::Picture { .. });
            (if pictured { format!("\n{}", text.trim_end()) } else { text.clone() }, Vec::new())
        }
        Answer::Status { ended: None, clauses } => ("ongoing".into(), clauses.clone()),
        Answer::Status { ended: Some(outcome), clauses } => (outcome.clone(), clauses.clone()),
        Answer::Value(value) => (value.clone(), Vec::new()),
        Answer::Values { values, .. } => (format!("[{}]", values.join(", ")), Vec::new()),
        Answer::Groups(groups) => (rows(groups), Vec::new()),
        Answer::Rows(list) => (rows(list), Vec::new()),
        Answer::Unsupported(text) => (text.clone(), Vec::new()),
        Answer::Error(text) => (format!("error: {text}"), Vec::new()),
    }
}

fn show_acts(acts: &[String], wanted: &Wanted) -> String {
    let whole = format!("{} acts: {}", acts.len(), sorted(acts));
    let Wanted::Acts(MoveSet { is: Some(is), .. }) = wanted else { return whole };
    let without = |these: &[String], those: &[String]| -> Vec<String> {
        let those: Vec<String> = those.iter().map(|act| folded(act)).collect();
        these.iter().filter(|act| !those.contains(&folded(act))).cloned().collect()
    };
    let (missing, extra) = (without(&is.0, acts), without(acts, &is.0));
    match (missing.is_empty(), extra.is_empty()) {
        (true, true) => whole,
        (false, true) => format!("{} acts; missing {}", acts.len(), sorted(&missing)),
        (true, false) => format!("{} acts; too many {}", acts.len(), sorted(&extra)),
        (false, false) => {
            format!("{} acts; missing {}; too many {}", acts.len(), sorted(&missing), sorted(&extra))
        }
    }
}
