//! `rank`: the entries of a table in their places, and which clause parts whom.

use std::collections::BTreeMap;

use clap::Args;
use rulebook::model::ruleset::Clause;
use rulebook::{Engine, Lang, Number, State};
use serde::Serialize;

use super::{Answer, Given, Language, decimal, row_name};
use crate::describe::{self, say};
use crate::failure::{Failure, in_line, warn};
use crate::json::Words;
use crate::out::{Out, table};

/// Arguments of `rank`.
#[derive(Args)]
pub(super) struct Arguments {
    /// A rule file, or the id of a built-in rule set.
    file: String,
    /// The tables that the rule set declares: YAML, `.csv` with values parted by commas, where a line
    /// that begins with `#` is a comment if the fields are not yet named, or the report of a tournament
    /// in TRF.
    table: String,
    /// Tell which clause parts this entry from which others.
    #[arg(long, value_name = "NAME")]
    explain: Option<String>,
    #[command(flatten)]
    language: Language,
}

/// The JSON answer of `rank`.
#[derive(Serialize)]
struct Report {
    /// The id of the rule set.
    rules: String,
    /// The clauses that rank, in their order.
    keys: Vec<Key>,
    /// The entries, best first.
    entries: Vec<Entry>,
    /// The parameters that a report sets.
    terms: BTreeMap<String, String>,
    /// What was assumed about a report, or left out of it.
    notes: Vec<String>,
    /// With `--explain`: what parts the entry from the others.
    explained: Option<Vec<Parted>>,
}

/// A clause that ranks.
#[derive(Serialize)]
struct Key {
    /// Its id.
    clause: String,
    /// Its title.
    title: Words,
}

/// An entry in its place.
#[derive(Serialize)]
struct Entry {
    /// The first place that it may have.
    place: usize,
    /// The last one: larger when it shares its place.
    last_place: usize,
    /// What it is called.
    name: String,
    /// The value of each key, exactly, such as `7/2`.
    values: Vec<String>,
    /// The clause that parted it from those it was tied with last.
    decided: Option<String>,
}

/// What a clause parts an entry from.
#[derive(Serialize)]
struct Parted {
    /// The clause; none when they share a place.
    clause: Option<String>,
    /// Its value for the entry.
    value: Option<String>,
    /// Those that it puts before the entry.
    behind: Vec<String>,
    /// Those that it puts after the entry.
    ahead: Vec<String>,
    /// Those that share the place, when no clause parts them.
    level: Vec<String>,
}

/// An entry while the answer is made.
struct Placed {
    place: usize,
    last: usize,
    name: String,
    keys: Vec<(u16, Number)>,
    decided: Option<u16>,
}

/// Runs `rank`.
pub(super) fn run(arguments: &Arguments, given: &Given, out: &mut Out) -> Result<Answer, Failure> {
    let lang = arguments.language.get();
    let super::Tables { engine, state, terms, repairs } =
        super::tables(&arguments.file, &arguments.table, given)?;
    if !out.is_json() {
        warn(&repairs);
    }
    let rules = engine.rules();
    let placed = places(&engine, &state)?;
    let keys = placed.first().map_or(&[][..], |first| first.keys.as_slice());
    let keys: Vec<&Clause> = keys.iter().filter_map(|(at, _)| rules.clauses.get(usize::from(*at))).collect();
    let explained = match &arguments.explain {
        None => None,
        Some(name) => Some(explain(&placed, &keys, name)?),
    };
    if !out.is_json() {
        draw(&placed, &keys, explained.as_deref(), arguments.explain.as_deref(), lang, out);
        return Ok(Answer::Good);
    }
    let id = |at: u16| rules.clauses.get(usize::from(at)).map(|clause| clause.id.clone());
    let entries = placed.iter().map(|placed| Entry {
        place: placed.place,
        last_place: placed.last,
        name: placed.name.clone(),
        values: placed.keys.iter().map(|(_, value)| value.to_string()).collect(),
        decided: placed.decided.and_then(id),
    });
    out.document(&Report {
        rules: rules.id.clone(),
        keys: keys
            .iter()
            .map(|clause| Key { clause: clause.id.clone(), title: (&clause.title).into() })
            .collect(),
        entries: entries.collect(),
        terms: terms.into_iter().collect(),
        notes: repairs.iter().map(in_line).collect(),
        explained,
    });
    Ok(Answer::Good)
}

fn places(engine: &Engine, state: &State) -> Result<Vec<Placed>, Failure> {
    let rules = engine.rules();
    let groups = engine.rank(state).map_err(|fault| Failure::fault(rules, &fault))?;
    let mut placed = Vec::new();
    for group in groups {
        let (place, last) = (placed.len() + 1, placed.len() + group.len());
        for ranked in group {
            let name = row_name(rules, state, 0, ranked.row);
            placed.push(Placed { place, last, name, keys: ranked.keys, decided: ranked.decided });
        }
    }
    Ok(placed)
}

/// Which key parts an entry from which others.
fn explain(placed: &[Placed], keys: &[&Clause], name: &str) -> Result<Vec<Parted>, Failure> {
    let Some(entry) = placed.iter().find(|placed| placed.name == name) else {
        let known = placed.iter().map(|placed| placed.name.as_str());
        let failure = Failure::new(format!("there is no entry `{name}`"));
        return Err(match rulebook::closest(name, known) {
            Some(similar) => failure.help(format!("did you mean `{similar}`?")),
            None => failure,
        });
    };
    let blank = |clause: Option<String>, value: Option<String>| Parted {
        clause,
        value,
        behind: Vec::new(),
        ahead: Vec::new(),
        level: Vec::new(),
    };
    let mut parted: Vec<Parted> = Vec::new();
    for (at, clause) in keys.iter().enumerate() {
        let value = entry.keys.get(at).map(|(_, value)| value.to_string());
        parted.push(blank(Some(clause.id.clone()), value));
    }
    parted.push(blank(None, None));
    for other in placed.iter().filter(|other| !std::ptr::eq(*other, entry)) {
        let differs = (0..keys.len()).find(|at| entry.keys.get(*at) != other.keys.get(*at));
        let Some(part) = parted.get_mut(differs.unwrap_or(keys.len())) else { continue };
        let side = match differs {
            None => &mut part.level,
            Some(_) if other.place < entry.place => &mut part.behind,
            Some(_) => &mut part.ahead,
        };
        side.push(other.name.clone());
    }
    parted.retain(|part| !(part.behind.is_empty() && part.ahead.is_empty() && part.level.is_empty()));
    Ok(parted)
}

fn draw(
    placed: &[Placed],
    keys: &[&Clause],
    explained: Option<&[Parted]>,
    name: Option<&str>,
    lang: Lang,
    out: &mut Out,
) {
    let titles = keys.iter().map(|clause| match clause.title.get(lang) {
        "" => clause.id.as_str(),
        title => title,
    });
    let header: Vec<&str> =
        [say(lang, "place", "名次"), say(lang, "entry", "参赛者")].into_iter().chain(titles).collect();
    let mut rows = table(&header);
    for entry in placed {
        let place = if entry.place == entry.last {
            entry.place.to_string()
        } else {
            format!("{}-{}", entry.place, entry.last)
        };
        let values = entry.keys.iter().map(|(_, value)| decimal(*value));
        rows.add_row([place, entry.name.clone()].into_iter().chain(values));
    }
    for column in (0..header.len()).filter(|column| *column != 1) {
        super::perft::align(&mut rows, column);
    }
    out.table(&rows);
    let (Some(explained), Some(name)) = (explained, name) else { return };
    out.heading(match lang {
        Lang::En => format!("why {name} is where it is"),
        Lang::Zh => format!("{name} 的名次依据"),
    });
    for part in explained {
        let clause = keys.iter().find(|clause| Some(&clause.id) == part.clause.as_ref());
        match clause {
            Some(clause) => out.line(format!("  {}", describe::clause(clause, lang))),
            None => out.line(format!("  {}", say(lang, "no clause parts these", "没有条文区分"))),
        }
        let sides = [
            (&part.behind, say(lang, "behind", "落后于：")),
            (&part.ahead, say(lang, "ahead of", "领先于：")),
            (&part.level, say(lang, "level with", "并列：")),
        ];
        for (names, word) in sides.into_iter().filter(|(names, _)| !names.is_empty()) {
            let with = |name: &String| {
                let other = placed.iter().find(|placed| placed.name == *name);
                let key = |placed: &Placed| {
                    placed
                        .keys
                        .iter()
                        .zip(keys)
                        .find(|(_, key)| Some(&key.id) == part.clause.as_ref())
                        .map(|((_, value), _)| decimal(*value))
                };
                match other.and_then(key) {
                    Some(value) => format!("{name} ({value})"),
                    None => name.clone(),
                }
            };
            let names: Vec<String> = names.iter().map(with).collect();
            out.line(format!("    {}", describe::about(word, &names.join(", "))));
        }
    }
}
