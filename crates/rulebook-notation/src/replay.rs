//! Records replayed: from a record to a script of lines, and from the lines to verdicts, step by step.
//!
//! Every kind of record becomes a [`Script`]: where it starts, what happens line by line, and how it says
//! that it ended. [`replay`] asks the engine about each line in turn. Invariant: a replay stops at the
//! first line that is refused or has no meaning, so every step before it was done; what a record says
//! about its end is compared with the rules and never believed. Nothing is rendered here.

use std::sync::Arc;

use rulebook_model::ruleset::{Author, Cell, Form, RuleSet};
use rulebook_model::{Number, Outcome, Site, Value};
use rulebook_reference::{Act, Fault, Outcomes, Person, Reason, State, Verdict};
use rulebook_syntax::codes::SGF_REPAIRED;
use rulebook_syntax::{Diagnostic, Source, Span};

use crate::judge::Judge;
use crate::lines::{self, LineError};
use crate::moves::write_short;
use crate::pgn::Game;
use crate::position::{TextError, read_position};
use crate::sgf::Record;
use crate::sgf::terms::GIVEN;

/// The most attempts that [`causes`] makes.
pub const MAX_ATTEMPTS: usize = 2000;

/// A record as what happens at the board.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// What the record says about itself: names and values in its order.
    pub tags: Vec<(String, String)>,
    /// Where it starts.
    pub start: Start,
    /// What happens, line by line.
    pub lines: Vec<Line>,
    /// How it says that it ended.
    pub claim: Option<Claim>,
    /// What was left out when it was read.
    pub warnings: Vec<String>,
    /// What was assumed, repaired or left out at some place of it.
    pub repairs: Vec<Diagnostic>,
}

/// Where a script starts.
#[derive(Clone, Debug, Default)]
pub enum Start {
    /// From the first state of the rule set.
    #[default]
    First,
    /// From a position text, which stands at the span.
    Position(String, Span),
    /// From a placement that the record lists.
    Placed {
        /// What stands where.
        cells: Vec<Cell>,
        /// Who has the turn.
        mover: u8,
    },
}

/// One line of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What [`lines::play`] reads.
    pub text: String,
    /// Where it stands in the record.
    pub span: Span,
}

/// How a record says that it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The result as written.
    pub text: String,
    /// Its meaning; `None` when the record leaves it open.
    pub outcome: Option<Outcome>,
    /// The cause as written, if there is one.
    pub cause: Option<String>,
}

/// Something that was done.
#[derive(Clone, Debug)]
pub struct Step {
    /// Which line of the script it is.
    pub line: usize,
    /// When, if the line says so.
    pub time: Option<Number>,
    /// Who did it.
    pub person: Person,
    /// In the short notation of records; of an event its name.
    pub text: String,
    /// The act, unless it was an event.
    pub act: Option<Act>,
    /// The clause that allows it, and those that took effect.
    pub clauses: Vec<u16>,
    /// The state after it.
    pub next: State,
}

/// Why a replay stopped before the end of its script.
#[derive(Clone, Debug)]
pub enum Stop {
    /// A line that the rules refuse.
    Refused {
        /// Which line of the script it is.
        line: usize,
        /// Who tried.
        person: Person,
        /// Why it is refused.
        reason: Reason,
        /// The clauses that decided: a ban first, then what would have granted it.
        clauses: Vec<u16>,
    },
    /// A line that has no meaning here.
    Unreadable {
        /// Which line of the script it is.
        line: usize,
        /// What is wrong with it.
        error: LineError,
    },
}

/// What came of a script.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The state at the start.
    pub start: State,
    /// What was done, in order.
    pub steps: Vec<Step>,
    /// Why it stopped early, if it did.
    pub stop: Option<Stop>,
}

impl Replay {
    /// The state after everything that was done.
    pub fn end(&self) -> &State {
        self.steps.last().map_or(&self.start, |step| &step.next)
    }

    /// The state before a step.
    pub fn before(&self, step: usize) -> &State {
        step.checked_sub(1).and_then(|at| self.steps.get(at)).map_or(&self.start, |step| &step.next)
    }
}

/// How a claim and the rules go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// The record names no result.
    NoClaim,
    /// The rules ended it as the record says.
    Same,
    /// The rules ended it in another way.
    Different,
    /// The rules have not ended it.
    Open,
}

/// What would end a state in a certain way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The events, as lines.
    pub lines: Vec<String>,
    /// The clauses that would decide.
    pub clauses: Vec<u16>,
}

/// The script of a record in PGN: its moves as written, and the position of its `FEN` tag.
pub fn from_pgn(rules: &RuleSet, game: &Game) -> Script {
    let position = game.tags.iter().find(|tag| tag.name == "FEN");
    let start = position.map_or(Start::First, |tag| Start::Position(tag.value.clone(), tag.span));
    let result = game.result.as_ref().map(|token| token.text.clone());
    let result = result.or_else(|| game.tag("Result").map(str::to_owned));
    let claim = result.map(|text| {
        let outcome = claimed(&text);
        Claim { text, outcome, cause: game.tag("Termination").map(str::to_owned) }
    });
    let mut warnings = Vec::new();
    if rules.players.len() != 2 {
        warnings.push("results of such records are about two players".to_owned());
    }
    Script {
        tags: game.tags.iter().map(|tag| (tag.name.clone(), tag.value.clone())).collect(),
        start,
        lines: game.moves.iter().map(|mv| Line { text: mv.text.clone(), span: mv.span }).collect(),
        claim,
        warnings,
        repairs: Vec::new(),
    }
}

/// What a result of a record in PGN says; `None` when it leaves the outcome open.
pub fn claimed(result: &str) -> Option<Outcome> {
    match result {
        "1-0" => Some(Outcome::Win(0)),
        "0-1" => Some(Outcome::Win(1)),
        "1/2-1/2" => Some(Outcome::Draw),
        _ => None,
    }
}

/// The player that a letter such as `B` means: the one whose name begins with it, else by order.
pub fn player_of(rules: &RuleSet, letter: &str) -> u8 {
    let begins = |name: &String| name.get(..1).is_some_and(|first| first.eq_ignore_ascii_case(letter));
    let at = rules.players.iter().position(begins);
    at.unwrap_or_else(|| usize::from(letter.eq_ignore_ascii_case("W"))) as u8
}

/// The script of a record in SGF: its setup, and its plays as acts at sites.
///
/// # Errors
/// The board of the record is not that of the rule set, or it sets up what the rule set does not have.
pub fn from_sgf(rules: &RuleSet, record: &Record, source: &Arc<Source>) -> Result<Script, String> {
    let board = &rules.board;
    if record.size != (board.files, board.ranks) {
        return Err(format!(
            "the record is for a board of {} by {}; the rule set has {} by {}",
            record.size.0, record.size.1, board.files, board.ranks
        ));
    }
    let site = |(column, row): (u16, u16)| -> Option<Site> {
        board.at(i64::from(column) + 1, i64::from(board.ranks) - i64::from(row))
    };
    let (mut warnings, mut repairs) = (Vec::new(), record.warnings.clone());
    match record.variations {
        0 => {}
        1 => warnings.push("one variation is left out".to_owned()),
        some => warnings.push(format!("{some} variations are left out")),
    }
    let given = given_in_advance(record);
    let (head, moves) = record.moves.split_at_checked(given).unwrap_or((&[], &record.moves));
    if let (Some(first), Some(last)) = (head.first(), head.last()) {
        let span = first.span.unwrap_or_default().join(last.span.unwrap_or_default());
        let text =
            format!("the first {given} plays of one player are read as the setup that `HA[{given}]` means");
        repairs.push(Diagnostic::warning(SGF_REPAIRED, source, span, text));
    }
    let advanced = head.iter().filter_map(|play| Some((play.color.clone(), play.point?)));
    let setup: Vec<(String, (u16, u16))> = record.setup.iter().cloned().chain(advanced).collect();
    let mut start = Start::First;
    if !setup.is_empty() {
        if rules.kinds.len() != 1 {
            return Err("the record sets up pieces of one kind, and the rule set does not have one".into());
        }
        let mut cells = rules.setup.clone();
        for (letter, point) in &setup {
            let cell = if letter == "E" { Cell::EMPTY } else { Cell::piece(0, player_of(rules, letter)) };
            if let Some(slot) = site(*point).and_then(|site| cells.get_mut(usize::from(site))) {
                *slot = cell;
            }
        }
        let turn = record.root("PL").map(|(letter, _)| letter.to_owned()).filter(|letter| !letter.is_empty());
        let turn = turn.or_else(|| moves.first().map(|play| play.color.clone()));
        let alone = setup.iter().all(|(letter, _)| player_of(rules, letter) == 0 && letter != "E");
        let turn = turn.or_else(|| (alone && record.root(GIVEN).is_some()).then(|| "W".to_owned()));
        start = Start::Placed { cells, mover: turn.map_or(0, |letter| player_of(rules, &letter)) };
    }
    let lines = moves.iter().map(|play| {
        let player = usize::from(player_of(rules, &play.color));
        let player = rules.players.get(player).map_or("", String::as_str);
        let what = play.point.and_then(site).map_or_else(|| "pass".to_owned(), |site| board.name(site));
        Line { text: format!("{player}: {what}"), span: play.span.unwrap_or_default() }
    });
    let mut claim = None;
    if let Some((text, span)) = record.root("RE").filter(|(text, _)| !text.is_empty()) {
        let mut read = sgf_claim(rules, text);
        let words = rules.notation.sgf.as_ref().and_then(|sgf| sgf.result(text));
        if let Some(meaning) = words.filter(|_| read.outcome.is_none()) {
            let message = format!("the result `{text}` is read as `{meaning}`");
            repairs.push(Diagnostic::warning(SGF_REPAIRED, source, span, message));
            read = Claim { text: text.to_owned(), ..sgf_claim(rules, meaning) };
        } else if read.outcome.is_none() && !matches!(text, "?" | "Void") {
            let message =
                format!("the result `{text}` is not written as the format has it, and is left open");
            repairs.push(Diagnostic::warning(SGF_REPAIRED, source, span, message));
        }
        claim = Some(read);
    }
    let tags = record.properties.iter().map(|(name, values)| (name.clone(), values.join(", ")));
    Ok(Script { tags: tags.collect(), start, lines: lines.collect(), claim, warnings, repairs })
}

/// How many plays at the beginning stand for pieces that were given in advance: as many as the record says, all
/// of one player, with nothing set up and the other player next.
fn given_in_advance(record: &Record) -> usize {
    let count = record.root(GIVEN).and_then(|(text, _)| text.parse::<usize>().ok());
    let Some(count) = count.filter(|count| *count >= 2 && record.setup.is_empty()) else { return 0 };
    let Some((head, rest)) = record.moves.split_at_checked(count) else { return 0 };
    let of_one = head.iter().all(|play| play.color == "B" && play.point.is_some());
    if of_one && rest.first().is_none_or(|play| play.color != "B") { count } else { 0 }
}

fn sgf_claim(rules: &RuleSet, text: &str) -> Claim {
    let (winner, cause) = text.split_once('+').unwrap_or((text, ""));
    let outcome = match winner.trim() {
        "B" | "W" | "b" | "w" => Some(Outcome::Win(player_of(rules, winner.trim()))),
        "0" | "Draw" | "draw" => Some(Outcome::Draw),
        "Void" => Some(Outcome::Void),
        _ => None,
    };
    let cause = match cause {
        "" => None,
        "R" | "Resign" => Some("resign".to_owned()),
        "T" | "Time" => Some("time".to_owned()),
        "F" | "Forfeit" => Some("forfeit".to_owned()),
        points => Some(points.to_owned()),
    };
    Claim { text: text.to_owned(), outcome, cause }
}

/// The script of a text with one act or event a line. Blank lines and what follows a `#` at the start of
/// a word are skipped; the first line may be `position: …`.
pub fn from_lines(source: &Arc<Source>) -> Script {
    let mut script = Script::default();
    for (start, row) in source.lines() {
        let comment = row.match_indices('#').map(|(at, _)| at).find(|at| {
            // A comment begins a line, perhaps after a byte order mark, or follows a blank.
            let begins = |head: &str| head.trim_start_matches('\u{FEFF}').is_empty();
            row.get(..*at).is_some_and(|head| begins(head) || head.ends_with(char::is_whitespace))
        });
        let row = row.get(..comment.unwrap_or(row.len())).unwrap_or("");
        let text = row.trim_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}');
        if text.is_empty() {
            continue;
        }
        let start = start + row.find(text).unwrap_or(0);
        let span = Span::new(start, start + text.len());
        let first = script.lines.is_empty() && matches!(script.start, Start::First);
        match text.strip_prefix("position:") {
            Some(position) if first => {
                let position = position.trim();
                script.start =
                    Start::Position(position.into(), Span::new(span.end - position.len(), span.end));
            }
            _ => script.lines.push(Line { text: text.into(), span }),
        }
    }
    script
}

/// The state a script starts from.
///
/// # Errors
/// Its position text cannot be read; the error is about that text.
pub fn start(engine: &dyn Judge, script: &Script) -> Result<State, TextError> {
    match &script.start {
        Start::First => Ok(engine.first()),
        Start::Position(text, _) => read_position(engine.rules(), text),
        Start::Placed { cells, mover } => {
            let mut state = engine.first();
            state.cells.clone_from(cells);
            state.mover = *mover;
            state.played = u32::from(*mover);
            state.restart();
            Ok(state)
        }
    }
}

/// Does the lines of a script one after another, from a state on, as far as the rules go along.
///
/// # Errors
/// A fault of the rule set in the first state.
pub fn replay(engine: &dyn Judge, start: State, lines: &[Line]) -> Outcomes<Replay> {
    let mut replay = Replay { start, steps: Vec::new(), stop: None };
    engine.settle(&mut replay.start)?;
    for (at, line) in lines.iter().enumerate() {
        match step(engine, replay.end(), at, &line.text) {
            Ok(step) => replay.steps.push(step),
            Err(stop) => {
                replay.stop = Some(stop);
                break;
            }
        }
    }
    Ok(replay)
}

fn step(engine: &dyn Judge, state: &State, line: usize, text: &str) -> Result<Step, Stop> {
    let fault = |error: LineError| Stop::Unreadable { line, error };
    let done = lines::play(engine, state, text).map_err(fault)?;
    let person = done.person;
    match done.verdict {
        Verdict::Refused { reason, clauses } => Err(Stop::Refused { line, person, reason, clauses }),
        Verdict::Done { next, clauses } => {
            let (time, said) = lines::timed(text).map_err(|error| fault(error.into()))?;
            let text = match &done.act {
                Some(act) => {
                    write_short(engine, state, act, &next).map_err(|error: Fault| fault(error.into()))?
                }
                None => {
                    let who = write_person(engine.rules(), person);
                    let what = said.strip_prefix(who).map(str::trim_start);
                    what.and_then(|rest| rest.strip_prefix(':')).unwrap_or(said).trim().to_owned()
                }
            };
            Ok(Step { line, time, person, text, act: done.act, clauses, next: *next })
        }
    }
}

/// An outcome as who wins, where that is the same: with two players the loss of one is the win of the other.
fn plain(rules: &RuleSet, outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Lose(player) if rules.players.len() == 2 => Outcome::Win(1 - player.min(1)),
        other => other,
    }
}

/// Whether two outcomes are the same to the players.
pub(crate) fn is_same(rules: &RuleSet, a: Outcome, b: Outcome) -> bool {
    plain(rules, a) == plain(rules, b)
}

/// Compares what a record says with how a state ended.
pub fn compare(rules: &RuleSet, claim: Option<&Claim>, state: &State) -> Agreement {
    agreement(rules, claim, state.ended.as_ref().map(|end| end.outcome))
}

/// Compares what a record says with how a game ended.
pub fn agreement(rules: &RuleSet, claim: Option<&Claim>, ended: Option<Outcome>) -> Agreement {
    let Some(claimed) = claim.and_then(|claim| claim.outcome) else { return Agreement::NoClaim };
    match ended {
        None => Agreement::Open,
        Some(outcome) if plain(rules, outcome) == plain(rules, claimed) => Agreement::Same,
        Some(_) => Agreement::Different,
    }
}

/// The events that would end a state with an outcome: single ones, or else two in a row.
///
/// # Errors
/// A fault of the rule set in this situation.
pub fn causes(engine: &dyn Judge, state: &State, outcome: Outcome) -> Outcomes<Vec<Cause>> {
    let rules = engine.rules();
    let wanted = plain(rules, outcome);
    let players = (0..rules.players.len() as u8).map(Person::Player);
    // Events that come with something say more than how a game ended.
    let alone = |event: &u16| {
        let with = rules.arguments.get(usize::from(*event)).and_then(Option::as_ref);
        with.is_none_or(Vec::is_empty)
    };
    let tries: Vec<(Person, u16)> = players
        .chain([Person::Arbiter])
        .flat_map(|person| (0..rules.events.len() as u16).filter(alone).map(move |event| (person, event)))
        .filter(|&(person, event)| person != Person::Arbiter || is_for_arbiter(rules, event))
        .collect();
    let mut found = Vec::new();
    // After the first round: what did not end the game may be answered.
    let mut unanswered: Vec<(String, Box<State>)> = Vec::new();
    for &(person, event) in &tries {
        let Verdict::Done { next, .. } = engine.event(state, event, &[], person)? else { continue };
        let line = write_event(rules, person, event, &[]);
        match &next.ended {
            Some(end) if plain(rules, end.outcome) == wanted => {
                found.push(Cause { lines: vec![line], clauses: end.clauses.clone() });
            }
            None if !next.agrees(state) => unanswered.push((line, next)),
            _ => {}
        }
    }
    let answers = unanswered.iter().flat_map(|first| tries.iter().map(move |second| (first, second)));
    for ((first, middle), &(person, event)) in answers.take(MAX_ATTEMPTS) {
        let Verdict::Done { next, .. } = engine.event(middle, event, &[], person)? else { continue };
        let Some(end) = next.ended.as_ref().filter(|end| plain(rules, end.outcome) == wanted) else {
            continue;
        };
        let line = write_event(rules, person, event, &[]);
        if found.iter().all(|cause| cause.lines != [line.as_str()]) {
            found.push(Cause { lines: vec![first.clone(), line], clauses: end.clauses.clone() });
        }
    }
    Ok(found)
}

/// Whether some clause leaves an event to the arbiter.
fn is_for_arbiter(rules: &RuleSet, event: u16) -> bool {
    let forms = rules.clauses.iter().map(|clause| &clause.form);
    let mut authors = forms.filter_map(|form| match form {
        Form::Event { event: known, by, .. } if *known == event => Some(by),
        _ => None,
    });
    authors.any(|by| matches!(by, Author::Arbiter))
}

/// An event as a line, with what it comes with.
pub fn write_event(rules: &RuleSet, person: Person, event: u16, with: &[Value]) -> String {
    let event = rules.events.get(usize::from(event)).map_or("", String::as_str);
    let with: String = with.iter().map(|value| format!(" {}", lines::write_argument(rules, value))).collect();
    format!("{}: {event}{with}", write_person(rules, person))
}

/// The name of a person in lines.
pub fn write_person(rules: &RuleSet, person: Person) -> &str {
    match person {
        Person::Player(player) => rules.players.get(usize::from(player)).map_or("", String::as_str),
        Person::Arbiter => lines::ARBITER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_places_and_comments() {
        let source =
            Source::new("a", "\u{FEFF}# first\n\nposition: 8/8 w\n  e2e4  # best\nQxf7#\nposition: x\n");
        let script = from_lines(&source);
        let texts: Vec<&str> = script.lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["e2e4", "Qxf7#", "position: x"]);
        for line in &script.lines {
            assert_eq!(source.text.get(line.span.start..line.span.end), Some(line.text.as_str()));
        }
        assert!(matches!(script.start, Start::Position(text, span)
            if text == "8/8 w" && source.text.get(span.start..span.end) == Some("8/8 w")));
    }
}
