//! What an exploration of a rule set finds, with the place of each finding and the line that leads there.
//!
//! Invariant: a line is written as records are, so that `rulebook judge` does it again; a finding names the clauses
//! it is about, the first one under its primary label.

use std::sync::Arc;

use rulebook_model::library::Library;
use rulebook_model::ruleset::Clause;
use rulebook_notation::{lines, moves, position, replay};
use rulebook_reference::explore::{Deed, Flaw, Found, What};
pub use rulebook_reference::explore::{Explored, Limits};
use rulebook_reference::{Engine, Fault, State};
use rulebook_syntax::{Diagnostic, codes};

/// A finding with its place.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What is wrong, and where.
    pub diagnostic: Diagnostic,
    /// The clauses it is about.
    pub clauses: Vec<u16>,
    /// From which of the starts the line goes.
    pub start: usize,
    /// The line that leads there, one act or event each; empty for what never happens.
    pub line: Vec<String>,
}

/// Findings, and how much was looked at.
#[derive(Clone, Debug)]
pub struct Report {
    /// The findings, the gravest first.
    pub findings: Vec<Finding>,
    /// How much was looked at.
    pub explored: Explored,
}

/// Explores a rule set from some states on.
pub fn explore(engine: &Engine, starts: &[State], limits: Limits) -> Report {
    let explored = engine.explore(starts, limits);
    let findings = explored.found.iter().filter_map(|found| finding(engine, starts, found, &explored));
    Report { findings: findings.collect(), explored }
}

fn finding(engine: &Engine, starts: &[State], found: &Found, explored: &Explored) -> Option<Finding> {
    let rules = engine.rules();
    let clauses: Vec<&Clause> =
        found.clauses.iter().filter_map(|at| rules.clauses.get(usize::from(*at))).collect();
    let (first, others) = clauses.split_first()?;
    let line = starts.get(found.start).map(|start| line(engine, start, &found.line)).unwrap_or_default();
    let last = line.last().map_or_else(|| "the start".to_owned(), |text| format!("`{text}`"));
    let never = if explored.complete { "can never" } else { "never" };
    let s = if explored.complete { "" } else { "s" };
    let (code, message) = match &found.flaw {
        Flaw::DeadEnd => {
            let message = format!("no act is possible after {last}, and the game has not ended");
            (codes::EXPLORE_DEAD_END, message)
        }
        Flaw::TwoEndings(outcomes) if outcomes.len() > 1 => {
            let outcomes: Vec<String> = outcomes.iter().map(|outcome| rules.show_outcome(*outcome)).collect();
            (codes::EXPLORE_TWO_ENDINGS, format!("{last} ends the game as {}", outcomes.join(" and as ")))
        }
        Flaw::TwoEndings(_) => {
            (codes::EXPLORE_TWO_ENDINGS, format!("{last} ends the game in two ways, and neither goes before"))
        }
        Flaw::Fault(fault) => {
            let fault = if let Fault::Clause(_, fault) = fault { fault.as_ref() } else { fault };
            (codes::EXPLORE_FAULT, format!("there is no verdict on {last}: {fault}"))
        }
        Flaw::NeverApplies => {
            (codes::EXPLORE_NEVER_APPLIES, format!("`{}` {never} take{s} effect", first.id))
        }
        Flaw::NeverFails => {
            let message = format!("what `{}` says in `otherwise` {never} happen{s}", first.id);
            (codes::EXPLORE_NEVER_APPLIES, message)
        }
        Flaw::NeverSucceeds(event) => {
            let event = rules.events.get(usize::from(*event)).map_or("", String::as_str);
            (codes::EXPLORE_NEVER_SUCCEEDS, format!("the event `{event}` {never} succeed{s}"))
        }
    };
    let error = Diagnostic::error(code, &first.source, first.span, message);
    let (mut diagnostic, help) = if found.has_line() {
        let texts: Vec<String> = line.iter().map(|text| format!("`{text}`")).collect();
        let help = if texts.is_empty() {
            "nothing need be done to get there".to_owned()
        } else {
            format!("the line is {}", texts.join(", "))
        };
        (error, help)
    } else {
        let Explored { states, tried, depth, .. } = explored;
        let help = if explored.complete {
            format!("all {states} states were looked at")
        } else {
            format!(
                "looked at {states} states with {tried} acts and events, in lines of up to {depth}; more may be found with `--states`"
            )
        };
        (Diagnostic { severity: rulebook_syntax::Severity::Warning, ..error }, help)
    };
    if matches!(found.flaw, Flaw::TwoEndings(_)) {
        for other in others.iter().filter(|other| other.id != first.id) {
            diagnostic = diagnostic.also(&other.source, other.span, "");
        }
    }
    let clauses = found.clauses.clone();
    Some(Finding { diagnostic: diagnostic.help(help), clauses, start: found.start, line })
}

/// A line as a record has it; what follows a fault is left out.
fn line(engine: &Engine, start: &State, deeds: &[Deed]) -> Vec<String> {
    let rules = engine.rules();
    let mut state = start.clone();
    let mut texts = Vec::new();
    for deed in deeds {
        let time =
            if deed.time > state.now { format!("{} ", lines::clock(deed.time)) } else { String::new() };
        let text = match &deed.what {
            What::Ply(act) => match engine.plies(&state) {
                Ok(plies) => moves::write_unique(rules, act, &plies),
                Err(_) => moves::write_act(rules, act),
            },
            What::Event(event, with, person) => replay::write_event(rules, *person, *event, with),
        };
        texts.push(format!("{time}{text}"));
        match engine.redo(&state, deed) {
            Ok(Some(next)) => state = next,
            _ => break,
        }
    }
    texts
}

/// The name of the columns of a list of profiles.
const COLUMNS: [&str; 5] = ["rules", "states", "depth", "given", "position"];

/// A rule set to explore, and how much of it.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The id of the rule set.
    pub rules: String,
    /// How much.
    pub limits: Limits,
    /// Values of parameters and the time control.
    pub given: Vec<(String, String)>,
    /// A position to start from besides the first one.
    pub position: Option<String>,
    /// The line of the list.
    pub line: usize,
}

/// A list of profiles: a table whose columns are parted by tabs.
///
/// # Errors
/// A line has not the columns of the list; the text says which one.
pub fn profiles(text: &str) -> Result<Vec<Profile>, String> {
    let mut lines = (1..).zip(text.lines());
    let head: Vec<&str> = lines.next().map(|(_, line)| line.split('\t').collect()).unwrap_or_default();
    if head != COLUMNS {
        return Err(format!("line 1: the columns are {}", COLUMNS.join(", ")));
    }
    let mut profiles = Vec::new();
    for (line, row) in lines {
        let fields: Vec<&str> = row.split('\t').map(str::trim).collect();
        let [rules, states, depth, given, position] = fields[..] else {
            return Err(format!("line {line}: a profile has {} columns", COLUMNS.len()));
        };
        let number =
            |text: &str| text.parse::<usize>().map_err(|_| format!("line {line}: `{text}` is not a number"));
        let mut values = Vec::new();
        for value in given.split(';').map(str::trim).filter(|value| !value.is_empty()) {
            let (name, value) =
                value.split_once('=').ok_or_else(|| format!("line {line}: `{value}` is not `name=value`"))?;
            values.push((name.trim().to_owned(), value.trim().to_owned()));
        }
        profiles.push(Profile {
            rules: rules.to_owned(),
            limits: Limits { states: number(states)?, depth: number(depth)?, ..Limits::default() },
            given: values,
            position: (!position.is_empty()).then(|| position.to_owned()),
            line,
        });
    }
    Ok(profiles)
}

impl Profile {
    /// The engine of its rule set, and the states to start from.
    ///
    /// # Errors
    /// The rule set or the position cannot be used; the text says why.
    pub fn open(&self, library: &Library) -> Result<(Engine, Vec<State>), String> {
        let wrong = |what: String| format!("line {}: {what}", self.line);
        let checked = library.check(&self.rules, &self.given);
        let checked = checked.ok_or_else(|| wrong(format!("there is no rule set `{}`", self.rules)))?;
        let rules = checked.rules.ok_or_else(|| {
            let first = checked.diagnostics.first().map(|fault| fault.message.as_str()).unwrap_or_default();
            wrong(format!("`{}` has errors: {first}", self.rules))
        })?;
        let engine = Engine::new(Arc::new(rules));
        let mut starts = vec![engine.first()];
        if let Some(text) = &self.position {
            let position = position::read_position(engine.rules(), text);
            starts.push(position.map_err(|error| wrong(error.message))?);
        }
        for state in &mut starts {
            engine.settle(state).map_err(|fault| wrong(fault.to_string()))?;
        }
        Ok((engine, starts))
    }
}

impl Finding {
    /// Whether it is no matter of how much was looked at.
    pub fn is_grave(&self) -> bool {
        self.diagnostic.severity == rulebook_syntax::Severity::Error
    }
}
