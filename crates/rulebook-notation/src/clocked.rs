//! Records that say what clocks showed, as events: when a move was made, when the clock was stopped, and by which
//! event the game ended as the record says.
//!
//! Which events these are comes from the notation section of the rule set. A time is sought by asking the engine
//! what is left to a player when his clock has been stopped then, so that every increment, delay and period is what
//! the rules say. Invariant: what a record shows and the rules do not give is told and never hidden; a time that
//! cannot be read is an error with its place.

use std::sync::Arc;

use rulebook_model::ruleset::{ClockEvents, ResultKind, RuleSet};
use rulebook_model::{Number, Outcome, Value};
use rulebook_reference::{Person, State, Verdict};
use rulebook_syntax::codes::PGN_SYNTAX;
use rulebook_syntax::{Diagnostic, Source, Span};

use crate::judge::Judge;
use crate::lines;
use crate::pgn::{Game, Move};
use crate::replay::{self, Line, Script, write_event};

/// The tag of the time control.
pub const CONTROL: &str = "TimeControl";
/// The name under which a rule set takes another time control.
pub const CLOCK: &str = "clock";
/// The definition that says what is left to a player.
pub const REMAINING: &str = "remaining";
/// How often a time is sought again where the first one does not give what the clock showed.
const MAX_SOUGHT: usize = 4;
/// The most bytes of a tag for a time control.
const MAX_CONTROL: usize = 200;

/// Whether a record has times, readable or not.
pub fn has_times(game: &Game) -> bool {
    let timed = |made: &Move| {
        made.clock_ms.or(made.spent_ms).or(made.elapsed_ms).is_some() || !made.time_faults.is_empty()
    };
    game.moves.iter().any(timed)
}

/// Whether the times of a record mean something under a rule set.
pub fn applies(rules: &RuleSet, game: &Game) -> bool {
    rules.notation.clock.press.is_some() && has_times(game)
}

/// The time control that a record sets: that of its tag, or, where it names none and its first clock shows more
/// than the rule set gives, that much for all moves.
///
/// # Errors
/// The tag is no time control.
pub fn terms(
    rules: &RuleSet,
    source: &Arc<Source>,
    game: &Game,
) -> Result<Vec<(String, String)>, Diagnostic> {
    if !applies(rules, game) || rules.clock.is_empty() {
        return Ok(Vec::new());
    }
    let tag = game.tags.iter().find(|tag| tag.name == CONTROL);
    let first = game.moves.first().and_then(|made| made.clock_ms);
    match (control_for(rules, tag.map(|tag| tag.value.as_str()), first), tag) {
        (Ok(control), _) => Ok(control.map(|control| (CLOCK.to_owned(), control)).into_iter().collect()),
        (Err(NoControl), tag) => {
            let (value, span) = tag.map_or(("", Span::default()), |tag| (tag.value.as_str(), tag.span));
            let message = format!("`{value}` is not a time control");
            Err(Diagnostic::error(PGN_SYNTAX, source, span, message)
                .help("such as `300+3`, `40/7200:3600` or `*180`, in seconds"))
        }
    }
}

/// A tag is no time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoControl;

/// The time control of a record with times, if it is not that of the rule set: that of its tag, or, where it names
/// none and its first clock, in milliseconds, shows more than the rule set gives, that much for all moves.
///
/// # Errors
/// The tag is no time control.
pub fn control_for(
    rules: &RuleSet,
    tag: Option<&str>,
    first: Option<u64>,
) -> Result<Option<String>, NoControl> {
    if rules.clock.is_empty() {
        return Ok(None);
    }
    match tag.map(str::trim) {
        None | Some("" | "?" | "-") => {}
        Some(value) => return control(value).map(Some).ok_or(NoControl),
    }
    let first = first.and_then(thousandths);
    let period = rules.clock.get(usize::from(rules.begins)).and_then(|periods| periods.first());
    let most = period.map(|period| Number::whole(period.seconds.saturating_add(period.increment)));
    Ok(first.zip(most).filter(|(first, most)| first > most).map(|(first, _)| lines::clock(first.floor())))
}

/// The event that starts the clocks of a rule set, and who causes it.
pub fn starter(rules: &RuleSet) -> Option<(u16, Person)> {
    let start = rules.notation.clock.start?;
    Some((start, lines::author(rules, start, &State::first(rules))))
}

/// A time control of a tag in the words of rule files; `None` if it is none.
fn control(value: &str) -> Option<String> {
    if value.len() > MAX_CONTROL {
        return None;
    }
    let fields: Vec<&str> = value.split(':').collect();
    let mut periods = Vec::new();
    for (at, field) in fields.iter().enumerate() {
        let (field, hourglass) = match field.trim().strip_prefix('*') {
            Some(rest) => (rest, true),
            None => (field.trim(), false),
        };
        let number = |text: &str| -> Option<i64> {
            let plain = !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| text.parse().ok()).flatten()
        };
        let (moves, time) = match field.split_once('/') {
            Some((moves, time)) => (Some(number(moves).filter(|moves| *moves > 0)?), time),
            None => (None, field),
        };
        let (seconds, bonus) = match time.split_once('+') {
            Some((seconds, bonus)) => (number(seconds)?, number(bonus)?),
            None => (number(time)?, 0),
        };
        let moves_in = moves.map(|moves| format!("{moves} moves in ")).unwrap_or_default();
        let bonus = if bonus == 0 { String::new() } else { format!(" + {bonus} s") };
        let last = at + 1 == fields.len();
        let again = if last && moves.is_some() { " repeating" } else { "" };
        let glass = if hourglass { " hourglass" } else { "" };
        periods.push(format!("{moves_in}{}{bonus}{again}{glass}", lines::clock(Number::whole(seconds))));
    }
    Some(periods.join(", then "))
}

fn thousandths(time: u64) -> Option<Number> {
    Number::fraction(i128::from(time), 1000)
}

/// The script of a record in PGN with what its clocks tell.
///
/// # Errors
/// A time in a comment cannot be read.
pub fn script(engine: &dyn Judge, source: &Arc<Source>, game: &Game) -> Result<Script, Diagnostic> {
    let rules = engine.rules();
    let mut script = replay::from_pgn(rules, game);
    let timed = applies(rules, game);
    if timed && let Some(fault) = game.moves.iter().flat_map(|made| &made.time_faults).next() {
        let message = format!("`{}` has no time that can be read", fault.text);
        let error = Diagnostic::error(PGN_SYNTAX, source, fault.span, message);
        return Err(
            error.help("a time is written `h:mm:ss`, perhaps with a fraction, as in `[%clk 1:29:45]`")
        );
    }
    let Ok(mut state) = replay::start(engine, &script) else { return Ok(script) };
    if engine.settle(&mut state).is_err() {
        return Ok(script);
    }
    let mut course =
        Course { engine, state, lines: Vec::new(), stopped: false, timed, off: 0, warnings: Vec::new() };
    let ClockEvents { start, press, .. } = rules.notation.clock;
    let first =
        game.moves.first().map(|made| Span::new(made.span.start, made.span.start)).unwrap_or_default();
    if let Some(start) = start.filter(|_| timed) {
        let person = lines::author(rules, start, &course.state);
        course.add(Number::ZERO, &write_event(rules, person, start, &[]), first);
    }
    for made in &game.moves {
        course.made(made, press.filter(|_| timed));
    }
    let end = game.result.as_ref().map_or(Span::new(game.span.end, game.span.end), |result| result.span);
    if let Some(claim) = &script.claim
        && let Some(outcome) = claim.outcome
    {
        course.end(outcome, claim.cause.as_deref().unwrap_or(""), end);
    }
    if course.off > 1 {
        course
            .warnings
            .push(format!("{} more clock times are not those that the rules give", course.off - 1));
    }
    script.lines = course.lines;
    script.warnings.append(&mut course.warnings);
    Ok(script)
}

/// A game on its way.
struct Course<'e> {
    engine: &'e dyn Judge,
    state: State,
    lines: Vec<Line>,
    /// Whether a line was refused: what follows is kept as it is written, for whoever judges the script.
    stopped: bool,
    timed: bool,
    /// How many times differ from those of the rules.
    off: usize,
    warnings: Vec<String>,
}

impl Course<'_> {
    /// A line at a time.
    fn line(&self, time: Number, text: &str) -> String {
        if self.timed { format!("{} {text}", lines::clock(time)) } else { text.to_owned() }
    }

    /// The state after a line, if it is accepted.
    fn after(&self, state: &State, time: Number, text: &str) -> Option<State> {
        match lines::play(self.engine, state, &self.line(time, text)).ok()?.verdict {
            Verdict::Done { next, .. } => Some(*next),
            Verdict::Refused { .. } => None,
        }
    }

    /// Adds a line and does it.
    fn add(&mut self, time: Number, text: &str, span: Span) {
        let next = self.after(&self.state, time, text);
        self.lines.push(Line { text: self.line(time, text), span });
        match next {
            Some(next) => self.state = next,
            None => self.stopped = true,
        }
    }

    fn remaining(&self, state: &State, player: u8) -> Option<Number> {
        match self.engine.define(state, REMAINING, vec![Value::Player(player)]) {
            Ok(Some(Value::Number(left))) => Some(left),
            _ => None,
        }
    }

    /// A move, and the clock that is stopped after it.
    fn made(&mut self, made: &Move, press: Option<u16>) {
        if self.stopped || self.state.ended.is_some() {
            self.stopped = true;
            self.lines.push(Line { text: made.text.clone(), span: made.span });
            return;
        }
        let player = self.state.mover;
        let now = self.state.now;
        let press = press.map(|press| write_event(self.engine.rules(), Person::Player(player), press, &[]));
        let later = |time: Option<Number>| time.filter(|time| *time >= now);
        let time = match (made.clock_ms, made.spent_ms, made.elapsed_ms) {
            (Some(shown), ..) => {
                press.as_deref().zip(thousandths(shown)).map(|(press, shown)| self.sought(made, press, shown))
            }
            (None, Some(spent), _) => later(thousandths(spent).and_then(|spent| now.plus(spent))),
            (None, None, Some(elapsed)) => later(thousandths(elapsed)),
            (None, None, None) => None,
        };
        let time = time.unwrap_or(now);
        self.add(time, &made.text, made.span);
        if self.stopped || self.state.ended.is_some() {
            return;
        }
        let Some(press) = press else { return };
        let span = made.time_span.unwrap_or(Span::new(made.span.end, made.span.end));
        if self.after(&self.state, time, &press).is_some() {
            self.add(time, &press, span);
        } else {
            self.warnings.push(format!("after `{}` the clock cannot be stopped", made.text));
        }
    }

    /// When a move was made so that the clock shows this much after it.
    fn sought(&mut self, made: &Move, press: &str, shown: Number) -> Number {
        let (now, player) = (self.state.now, self.state.mover);
        let left = |this: &Self, time: Number| {
            let moved = this.after(&this.state, time, &made.text)?;
            if moved.ended.is_some() {
                // Nobody stops his clock after the end.
                return this.remaining(&State { ended: None, now: time, ..moved }, player);
            }
            this.remaining(&this.after(&moved, time, press)?, player)
        };
        let mut time = now;
        let mut rest = None;
        for _ in 0..MAX_SOUGHT {
            rest = left(self, time);
            let off = rest.and_then(|rest| rest.minus(shown)).unwrap_or(Number::ZERO);
            let next = time.plus(off).filter(|next| *next >= now).unwrap_or(now);
            if next == time {
                break;
            }
            time = next;
        }
        if let Some(rest) = rest.filter(|rest| *rest != shown) {
            self.off += 1;
            if self.off == 1 {
                self.warnings.push(format!(
                    "after `{}` the clock shows {}, and the rules leave {}",
                    made.text,
                    lines::clock(shown),
                    lines::clock(rest)
                ));
            }
        }
        time
    }

    /// The event by which the game ends as the record says, if there is one.
    fn end(&mut self, outcome: Outcome, cause: &str, span: Span) {
        if self.stopped || self.state.ended.is_some() {
            return;
        }
        let rules = Arc::clone(self.engine.rules());
        let cause = cause.to_lowercase();
        let (kind, loser) = match outcome {
            Outcome::Win(winner) => (ResultKind::Win, Some(rules.next_player(winner))),
            Outcome::Draw => (ResultKind::Draw, None),
            _ => return,
        };
        let fall = rules.notation.clock.fall;
        for end in rules.notation.ends.iter().filter(|end| end.result == kind && cause.contains(&end.cause)) {
            let mut time = self.state.now;
            if Some(end.event) == fall && self.timed {
                let left = self.remaining(&self.state, self.state.mover);
                time = left.and_then(|left| time.plus(left)).filter(|end| *end > time).unwrap_or(time);
            }
            let mover = self.state.mover;
            let players =
                [loser.unwrap_or(mover), rules.next_player(loser.unwrap_or(mover))].map(Person::Player);
            for person in players.into_iter().chain([Person::Arbiter]) {
                let text = write_event(&rules, person, end.event, &[]);
                let next = self.after(&self.state, time, &text);
                let ended = next.as_ref().and_then(|next| next.ended.as_ref()).map(|ended| ended.outcome);
                if ended.is_some_and(|ended| replay::is_same(&rules, ended, outcome)) {
                    self.add(time, &text, span);
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_become_time_controls() {
        let read = |value: &str| control(value).unwrap_or_default();
        assert_eq!(read("300+3"), "0:05:00 + 3 s");
        assert_eq!(read("300"), "0:05:00");
        assert_eq!(read("40/9000"), "40 moves in 2:30:00 repeating");
        assert_eq!(read("40/5400+30:1800+30"), "40 moves in 1:30:00 + 30 s, then 0:30:00 + 30 s");
        assert_eq!(read("*180"), "0:03:00 hourglass");
        for wrong in ["", "5 min", "0/300", "40/", "300+", "1:", "-1", "99999999999"] {
            assert_eq!(control(wrong), None, "{wrong}");
        }
        for value in ["300+3", "40/9000", "40/5400+30:1800+30", "*180", "3600:900"] {
            let text = read(value);
            let text = rulebook_syntax::parse::Text { text: &text, locate: &Span::new };
            assert!(rulebook_syntax::parse::control(&text).is_ok(), "{value}");
        }
    }
}
