//! Writes SGF: a game as one line of plays at sites, with its setup and the terms of its rule set.
//!
//! Invariant: reading what is written gives the same setup, turn and plays. What the format has no room for
//! (pieces that move, acts with more than one site, events) is an error, or for events a comment, never left out
//! in silence.

use rulebook_model::ruleset::{Cell, RuleSet};
use rulebook_model::{Outcome, Site, Value};
use rulebook_reference::{Act, State};

use super::terms::{decimal, properties, written};
use super::{MAX_SIDE, Record};
use crate::judge::Judge;
use crate::replay::{Replay, Script};

/// The program that writes, as records name it.
const PROGRAM: &str = concat!("Rulebook:", env!("CARGO_PKG_VERSION"));
/// Properties of a record that are about the game as a whole and say nothing about its rules.
const ABOUT: [&str; 21] = [
    "AN", "BR", "BT", "CP", "DT", "EV", "GC", "GN", "HA", "ON", "OT", "OV", "PB", "PC", "PW", "RO", "SO",
    "TM", "US", "WR", "WT",
];
/// Tags of the other format of records, with the properties that hold the same.
const TAGS: [(&str, &str); 7] = [
    ("Event", "EV"),
    ("Site", "PC"),
    ("Date", "DT"),
    ("Round", "RO"),
    ("Annotator", "AN"),
    ("WhiteElo", "WR"),
    ("BlackElo", "BR"),
];
/// Causes of an end, with the letters that stand for them.
const CAUSES: [(&str, &str); 4] = [("resign", "R"), ("time", "T"), ("flag", "T"), ("forfeit", "F")];

/// A game that is to be written.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    /// What is said about the game: properties and values.
    pub about: Vec<(String, String)>,
    /// What happened, in order.
    pub course: Vec<Event>,
    /// The result, if there is one.
    pub result: Option<String>,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// A ply.
    Ply(Act),
    /// Something else, in words.
    Remark(String),
}

/// The letter of a player: that of his turn, where it is one letter, else by order.
pub fn player_letter(rules: &RuleSet, player: u8) -> String {
    let turn = rules.notation.turn.get(usize::from(player)).map_or("", String::as_str);
    if turn.len() == 1 { turn.to_uppercase() } else { (if player == 0 { "B" } else { "W" }).to_owned() }
}

/// Where a site is: column and row as letters.
fn point(rules: &RuleSet, site: Site) -> Option<String> {
    let letter = |index: u16| {
        let index = u8::try_from(index).ok().filter(|index| *index < MAX_SIDE)?;
        Some(char::from(if index < 26 { b'a' + index } else { b'A' + index - 26 }))
    };
    let column = letter(rules.board.file(site) - 1)?;
    let row = letter(rules.board.ranks.checked_sub(rules.board.rank(site))?)?;
    Some(format!("{column}{row}"))
}

/// A text as the value of a property.
fn escaped(text: &str) -> String {
    let mut value = String::new();
    for sign in text.chars() {
        if matches!(sign, '\\' | ']') {
            value.push('\\');
        }
        value.push(sign);
    }
    value
}

fn property(text: &mut String, name: &str, value: &str) {
    text.push_str(&format!("{name}[{}]", escaped(value)));
}

/// The game of a replay: its acts as plays, and its events as remarks.
pub fn sheet(engine: &dyn Judge, script: &Script, replay: &Replay) -> Sheet {
    let rules = engine.rules();
    let mut about: Vec<(String, String)> = Vec::new();
    for (name, value) in &script.tags {
        let known = TAGS.iter().find(|(tag, _)| tag == name).map(|(_, property)| *property);
        let player = rules.players.iter().position(|player| player.eq_ignore_ascii_case(name));
        let name = match (known, player) {
            (Some(property), _) => property.to_owned(),
            (None, Some(player)) => format!("P{}", player_letter(rules, player as u8)),
            (None, None) if ABOUT.contains(&name.as_str()) => name.clone(),
            _ => continue,
        };
        if !about.iter().any(|(known, _)| *known == name) {
            about.push((name, value.clone()));
        }
    }
    let course = replay.steps.iter().map(|step| match &step.act {
        Some(act) => Event::Ply(act.clone()),
        None => {
            let who = crate::replay::write_person(rules, step.person);
            Event::Remark(format!("{who}: {}", step.text))
        }
    });
    let cause = replay.steps.last().filter(|step| step.act.is_none()).map(|step| step.text.as_str());
    let result = result(engine, replay.end(), &[], cause);
    Sheet { about, course: course.collect(), result }
}

/// How a game ended, as records have it: the winner with his lead or the cause. `dead` are sites that do not count;
/// a game that has not ended has no result.
pub fn result(engine: &dyn Judge, state: &State, dead: &[Site], cause: Option<&str>) -> Option<String> {
    let rules = engine.rules();
    let winner = match state.ended.as_ref()?.outcome {
        Outcome::Win(player) => player,
        Outcome::Lose(player) => rules.next_player(player),
        Outcome::Draw => return Some("0".to_owned()),
        Outcome::Void | Outcome::AllLose => return Some("Void".to_owned()),
    };
    let letter = player_letter(rules, winner);
    let word = cause.and_then(|cause| cause.split_whitespace().next());
    if let Some(word) = word {
        let short = CAUSES.iter().find(|(known, _)| *known == word).map_or("", |(_, short)| short);
        return Some(format!("{letter}+{short}"));
    }
    let lead = lead(engine, state, winner, dead).filter(|lead| *lead > rulebook_model::Number::ZERO);
    Some(format!("{letter}+{}", lead.map(decimal).unwrap_or_default()))
}

/// By how much a player leads, as the rule set counts; none where it does not say.
pub fn lead(engine: &dyn Judge, state: &State, player: u8, dead: &[Site]) -> Option<rulebook_model::Number> {
    let rules = engine.rules();
    let name = rules.notation.gtp.as_ref()?.score.as_ref()?;
    let definition = rules.definitions.iter().find(|known| known.name == *name)?;
    let mut arguments = vec![Value::Player(player)];
    if definition.parameters.len() > 1 {
        arguments.push(Value::sites(dead.iter().copied().collect()));
    }
    match engine.define(state, name, arguments) {
        Ok(Some(Value::Number(lead))) => Some(lead),
        _ => None,
    }
}

/// A game as a record.
///
/// # Errors
/// The game has something that the format has no room for.
pub fn write(rules: &RuleSet, start: &State, sheet: &Sheet) -> Result<String, String> {
    if rules.board.is_empty() || rules.kinds.len() != 1 || rules.players.len() != 2 {
        return Err("such records are of two players with pieces of one kind on a board".to_owned());
    }
    let mut text = String::from("(;");
    if let Some(game) = rules.notation.sgf.as_ref().map(|sgf| &sgf.game).filter(|game| !game.is_empty()) {
        property(&mut text, "GM", game);
    }
    property(&mut text, "FF", "4");
    property(&mut text, "CA", "UTF-8");
    property(&mut text, "AP", PROGRAM);
    let (files, ranks) = (rules.board.files, rules.board.ranks);
    // The colon between two sides is one of the format.
    text.push_str(&if files == ranks { format!("SZ[{files}]") } else { format!("SZ[{files}:{ranks}]") });
    property(&mut text, "RU", &rules.title.en);
    for (name, param) in properties(rules) {
        if let Some(value) = written(rules, &param) {
            property(&mut text, &name, &value);
        }
    }
    let terms = properties(rules);
    for (name, value) in &sheet.about {
        if !value.is_empty() && !terms.iter().any(|(known, _)| known == name) {
            property(&mut text, name, value);
        }
    }
    if let Some(result) = &sheet.result {
        property(&mut text, "RE", result);
    }
    setup(&mut text, rules, start)?;
    for event in &sheet.course {
        match event {
            Event::Ply(act) => text.push_str(&play(rules, act)?),
            Event::Remark(words) => {
                text.push_str("\n;");
                property(&mut text, "C", words);
            }
        }
    }
    text.push_str(")\n");
    Ok(text)
}

/// What stands on the board at the start, where that is not nothing, and who has the turn.
fn setup(text: &mut String, rules: &RuleSet, start: &State) -> Result<(), String> {
    for player in 0..rules.players.len() as u8 {
        let own = |(site, cell): (usize, &Cell)| (cell.owner() == Some(player)).then_some(site as Site);
        let sites: Vec<Site> = start.cells.iter().enumerate().filter_map(own).collect();
        if sites.is_empty() {
            continue;
        }
        text.push_str(&format!("\nA{}", player_letter(rules, player)));
        for site in sites {
            text.push_str(&format!("[{}]", point(rules, site).ok_or(TOO_LARGE)?));
        }
    }
    if start.mover != rules.begins || start.cells.iter().any(|cell| !cell.is_empty()) {
        property(text, "PL", &player_letter(rules, start.mover));
    }
    Ok(())
}

const TOO_LARGE: &str = "the board has more sides than letters name";

fn play(rules: &RuleSet, act: &Act) -> Result<String, String> {
    let name = rules.acts.get(usize::from(act.name)).map_or("", String::as_str);
    let mut values = act.choices.iter().filter_map(|choice| act.value(*choice));
    let place = match (values.next(), values.next()) {
        _ if act.from.is_some() => None,
        (None, _) => Some(String::new()),
        (Some(Value::Site(site)), None) => Some(point(rules, *site).ok_or(TOO_LARGE)?),
        _ => None,
    };
    let place = place.ok_or_else(|| format!("`{name}` is no play at one point, and cannot be written"))?;
    Ok(format!("\n;{}[{place}]", player_letter(rules, act.actor)))
}

/// What a record says about the game as a whole, for writing it again.
pub fn about(record: &Record) -> Vec<(String, String)> {
    let known = record.properties.iter().filter(|(name, _)| ABOUT.contains(&name.as_str()));
    known.map(|(name, values)| (name.clone(), values.join(", "))).collect()
}
