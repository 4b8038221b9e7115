//! One line of what happens at the board: `e2e4`, `white: resign`, `0:12:30 black: touch e7`.
//!
//! A line may begin with the time. It names who does something, when that is not the player on turn, and then
//! an act of the rule set, or one of its events with what it comes with. Invariant: reading a line changes nothing; doing it gives a verdict or a text error.

use rulebook_model::ruleset::{Author, COUNT, Form, SECONDS, TIMES};
use rulebook_model::types::Type;
use rulebook_model::{Number, RuleSet, Value};
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

/// The time at the beginning of a line, and the rest of it.
pub(crate) fn timed(line: &str) -> Result<(Option<Number>, &str), TextError> {
    let line = line.trim();
    let Some((first, rest)) = line.split_once(char::is_whitespace) else { return Ok((None, line)) };
    let is_time = first.contains(':') && first.chars().all(|c| c.is_ascii_digit() || ":.".contains(c));
    if !is_time {
        return Ok((None, line));
    }
    let wrong = || TextError::at(line, first, "a time is `h:mm:ss` or `m:ss`, perhaps with a fraction");
    Ok((Some(read_time(first).ok_or_else(wrong)?), rest.trim_start()))
}

/// A time as seconds: `1:02:03`, `12:30.5`.
pub(crate) fn read_time(text: &str) -> Option<Number> {
    let parts: Vec<&str> = text.split(':').collect();
    let ([minutes, seconds] | [_, minutes, seconds]) = parts[..] else { return None };
    let (whole, _) = seconds.split_once('.').unwrap_or((seconds, ""));
    let fine = whole.len() == 2 && (parts.len() == 2 || minutes.len() == 2);
    if !fine || parts.iter().any(|part| part.is_empty()) {
        return None;
    }
    let sixty = Number::whole(60);
    parts.iter().try_fold(Number::ZERO, |sum, part| sum.times(sixty)?.plus(Number::parse(part)?))
}

/// Seconds as a time, `h:mm:ss` with what is left of a second.
pub fn clock(time: Number) -> String {
    let whole = time.floor().to_whole().unwrap_or_default();
    let rest = time.minus(time.floor()).and_then(|rest| rest.times(Number::whole(1000)));
    let rest = rest.and_then(|rest| rest.floor().to_whole()).unwrap_or_default();
    let rest = if rest == 0 { String::new() } else { format!(".{rest:03}") };
    let sign = if whole < 0 { "-" } else { "" };
    let (hours, rest_of) = (whole.abs() / 3600, whole.abs() % 3600);
    format!("{sign}{hours}:{:02}:{:02}{rest}", rest_of / 60, rest_of % 60)
}

/// The event that a text begins with, the longest one, and what follows.
fn event_of<'t>(rules: &RuleSet, what: &'t str) -> Option<(u16, &'t str)> {
    let mut found: Option<(u16, &str)> = None;
    for (at, event) in rules.events.iter().enumerate() {
        let mut rest = what;
        let fits = event.split_whitespace().all(|word| {
            let (first, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            rest = after.trim_start();
            first.to_lowercase() == word
        });
        if fits && found.is_none_or(|(_, known)| rest.len() < known.len()) {
            found = Some((at as u16, rest));
        }
    }
    // What has no arguments and goes on is no event: a move may be written like one.
    found.filter(|(event, rest)| rest.is_empty() || !expected(rules, *event).is_empty())
}

/// What an event comes with: names that are bound, and types.
fn expected(rules: &RuleSet, event: u16) -> &[(u16, Type)] {
    rules.arguments.get(usize::from(event)).and_then(Option::as_deref).unwrap_or(&[])
}

/// Reads what an event comes with.
fn arguments(rules: &RuleSet, event: u16, line: &str, text: &str) -> Result<Vec<Value>, TextError> {
    let expected = expected(rules, event);
    let name = |binding: u16| rules.bindings.get(usize::from(binding)).map_or("", String::as_str);
    let mut rest = text;
    let mut values = Vec::new();
    for (binding, ty) in expected {
        if rest.is_empty() {
            let names: Vec<&str> = expected.iter().map(|(binding, _)| name(*binding)).collect();
            let event = rules.events.get(usize::from(event)).map_or("", String::as_str);
            let message = format!("`{event}` comes with {}", names.join(", "));
            return Err(TextError::at(line, line.trim(), message));
        }
        let (value, after) = argument(rules, ty, rest).ok_or_else(|| {
            let (first, _) = rest.split_once([' ', ',']).unwrap_or((rest, ""));
            let message = format!("`{first}` is not {}, which is {}", name(*binding), described(rules, ty));
            TextError::at(line, first, message)
        })?;
        values.push(value);
        rest = after.trim_start_matches([' ', ',', '\t']);
    }
    if rest.is_empty() { Ok(values) } else { Err(TextError::at(line, rest, "nothing more is expected here")) }
}

/// A value at the beginning of a text, and what follows.
fn argument<'t>(rules: &RuleSet, ty: &Type, text: &'t str) -> Option<(Value, &'t str)> {
    if let (Type::Text, Some(quoted)) = (ty, text.strip_prefix('\'')) {
        let (inner, after) = quoted.split_once('\'')?;
        return Some((Value::Text(inner.to_owned()), after));
    }
    let (word, after) = text.split_once([' ', ',', '\t']).unwrap_or((text, ""));
    let value = match ty {
        Type::Site | Type::Sites => Value::Site(rules.board.site(&word.to_lowercase())?),
        Type::Player => Value::Player(rules.player(word)?),
        Type::Kind => Value::Kind(rules.kinds.iter().position(|kind| kind == word)? as u8),
        Type::Truth => Value::Truth(word.parse().ok()?),
        Type::Text | Type::Phase => Value::Text(word.to_owned()),
        Type::Number(SECONDS) if word.contains(':') => Value::Number(read_time(word)?),
        Type::Number(unit) => {
            let number = Number::parse(word)?;
            let after = after.trim_start();
            let (word, rest) = after.split_once([' ', ',', '\t']).unwrap_or((after, ""));
            let named = rules.units.get(usize::from(*unit)).map_or("", String::as_str);
            let long = TIMES.iter().find(|(known, _)| *unit == SECONDS && *known == word);
            let singular = named.strip_suffix("ies").map(|stem| format!("{stem}y"));
            let singular = singular.as_deref().or(named.strip_suffix('s'));
            return match long {
                Some((_, seconds)) => Some((Value::Number(number.times(Number::whole(*seconds))?), rest)),
                None if *unit != COUNT && (word == named || Some(word) == singular) => {
                    Some((Value::Number(number), rest))
                }
                None => Some((Value::Number(number), after)),
            };
        }
        _ => return None,
    };
    Some((value, after))
}

fn described(rules: &RuleSet, ty: &Type) -> String {
    match ty {
        Type::Site | Type::Sites => "a site".into(),
        Type::Player => format!("one of {}", rules.players.join(", ")),
        Type::Kind => format!("one of {}", rules.kinds.join(", ")),
        Type::Truth => "`true` or `false`".into(),
        Type::Number(SECONDS) => "a time, such as `2 min` or `0:30`".into(),
        Type::Number(_) => "a number".into(),
        _ => "a text".into(),
    }
}

/// A value as lines have it.
pub fn write_argument(rules: &RuleSet, value: &Value) -> String {
    match value {
        Value::Text(text) if text.contains([' ', ',', '\t']) => format!("'{text}'"),
        other => rules.show(other),
    }
}

/// Does what a line says in a state.
///
/// # Errors
/// The line has no meaning in this rule set, or may mean several acts, or the rule set has a fault here.
pub fn play(engine: &dyn Judge, state: &State, line: &str) -> Result<Done, LineError> {
    let rules = engine.rules();
    let (time, said) = timed(line)?;
    let mut timed = None;
    if let Some(time) = time {
        if time < state.now {
            let message =
                format!("{} is before {}, the time of the line before", clock(time), clock(state.now));
            return Err(TextError::at(line, line.trim(), message).into());
        }
        timed = Some(State { now: time, ..state.clone() });
    }
    let state = timed.as_ref().unwrap_or(state);
    let (person, what) = split(rules, said);
    if what.is_empty() {
        return Err(TextError::at(line, line, "this line says nothing").into());
    }
    if let Some((event, rest)) = event_of(rules, what) {
        let with = arguments(rules, event, line, rest)?;
        let person = person.unwrap_or_else(|| author(rules, event, state));
        let verdict = engine.event(state, event, &with, person)?;
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
pub(crate) fn author(rules: &RuleSet, event: u16, state: &State) -> Person {
    let of = |clause: &rulebook_model::ruleset::Clause| match &clause.form {
        Form::Event { event: known, by, .. } if *known == event => Some(matches!(by, Author::Arbiter)),
        _ => None,
    };
    let arbiter = rules.clauses.iter().filter_map(of).all(|arbiter| arbiter);
    if arbiter { Person::Arbiter } else { Person::Player(state.mover) }
}
