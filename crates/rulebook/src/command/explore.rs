//! `explore`: what cannot be right about a rule set, found by trying what players and the arbiter may do.
//!
//! Invariant: every rule set is explored, whatever is found in the others; the same arguments give the same answer.

use clap::Args;
use rulebook::explored::Limits;
use rulebook::explored::{self, Report};
use rulebook::{Engine, State};
use serde::Serialize;

use super::{Answer, Given, engine, position, text};
use crate::describe::count;
use crate::failure::Failure;
use crate::json;
use crate::out::Out;
use crate::render;

/// The longest list of positions, in bytes.
const MAX_POSITIONS: usize = 1 << 20;

/// Arguments of `explore`.
#[derive(Args)]
pub(super) struct Arguments {
    /// Rule files, or ids of built-in rule sets.
    #[arg(required = true, value_name = "RULES")]
    files: Vec<String>,
    /// How many states to look at.
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    states: u32,
    /// The longest line of acts and events.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    depth: u32,
    /// What random choices start from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A position to start from, besides the first one; may be repeated.
    #[arg(long, value_name = "TEXT")]
    position: Vec<String>,
    /// A file with one position a line to start from; blank lines and what follows a `#` are skipped.
    #[arg(long, value_name = "FILE")]
    positions: Option<String>,
}

/// The JSON answer of `explore`.
#[derive(Serialize)]
struct Answers {
    /// What was found in each rule set.
    explored: Vec<Set>,
    /// How many findings there are in all of them.
    findings: usize,
}

/// What was found in one rule set.
#[derive(Serialize)]
struct Set {
    /// The id of the rule set.
    rules: String,
    /// How many states were looked at.
    states: usize,
    /// How many of them had ended.
    ended: usize,
    /// How many acts and events were tried.
    tried: usize,
    /// The length of the longest line.
    depth: usize,
    /// Whether there is nothing else that could have been looked at.
    complete: bool,
    /// What was found.
    findings: Vec<Finding>,
}

/// A finding.
#[derive(Serialize)]
struct Finding {
    #[serde(flatten)]
    about: json::Finding,
    /// The ids of the clauses it is about.
    clauses: Vec<String>,
    /// The position from which the line goes; none for the first one.
    position: Option<String>,
    /// The line that leads there.
    line: Vec<String>,
}

/// Runs `explore`.
pub(super) fn run(arguments: &Arguments, given: &Given, out: &mut Out) -> Result<Answer, Failure> {
    let limits =
        Limits { states: arguments.states as usize, depth: arguments.depth as usize, seed: arguments.seed };
    let texts = texts(arguments)?;
    let mut answers = Answers { explored: Vec::new(), findings: 0 };
    for file in &arguments.files {
        let engine = engine(file, given)?;
        let mut starts: Vec<State> = vec![position(&engine, None)?];
        for text in &texts {
            starts.push(position(&engine, Some(text))?);
        }
        let report = explored::explore(&engine, &starts, limits);
        answers.findings += report.findings.len();
        if out.is_json() {
            answers.explored.push(set(&engine, &texts, report));
        } else {
            draw(&engine, &texts, &report, out);
        }
    }
    if out.is_json() {
        out.document(&answers);
    }
    Ok(if answers.findings > 0 { Answer::No } else { Answer::Good })
}

/// The positions to start from besides the first one.
fn texts(arguments: &Arguments) -> Result<Vec<String>, Failure> {
    let mut texts = arguments.position.clone();
    if let Some(file) = &arguments.positions {
        let source = text(file, MAX_POSITIONS)?;
        let lines = source.text.lines().map(|line| line.split('#').next().unwrap_or("").trim());
        texts.extend(lines.filter(|line| !line.is_empty()).map(str::to_owned));
    }
    Ok(texts)
}

fn set(engine: &Engine, texts: &[String], report: Report) -> Set {
    let rules = engine.rules();
    let id = |at: &u16| rules.clauses.get(usize::from(*at)).map(|clause| clause.id.clone());
    let findings = report.findings.iter().map(|finding| Finding {
        about: json::Finding::of(&finding.diagnostic),
        clauses: finding.clauses.iter().filter_map(id).collect(),
        position: finding.start.checked_sub(1).and_then(|at| texts.get(at)).cloned(),
        line: finding.line.clone(),
    });
    let explored = &report.explored;
    Set {
        rules: rules.id.clone(),
        states: explored.states,
        ended: explored.ended,
        tried: explored.tried,
        depth: explored.depth,
        complete: explored.complete,
        findings: findings.collect(),
    }
}

fn draw(engine: &Engine, texts: &[String], report: &Report, out: &mut Out) {
    for finding in &report.findings {
        out.line(render::diagnostic(&finding.diagnostic, Out::colours()));
        if let Some(text) = finding.start.checked_sub(1).and_then(|at| texts.get(at)) {
            out.line(format!("  from the position {text}"));
        }
    }
    let explored = &report.explored;
    let all = if explored.complete { "all " } else { "" };
    let found = if report.findings.is_empty() {
        "nothing found".to_owned()
    } else {
        count(report.findings.len(), "finding")
    };
    out.line(format!(
        "{}: {all}{} ({} ended), {} tried, lines of up to {}: {found}",
        engine.rules().id,
        count(explored.states, "state"),
        explored.ended,
        count(explored.tried, "act"),
        explored.depth,
    ));
}
