//! `rank`: the entries of a table in their places, which clause parts whom, and how the values came about.
//!
//! Invariant: places, values and their stories come from the evaluation; nothing here knows any key.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use rulebook::model::ruleset::Clause;
use rulebook::reference::quick::{self, Quickness};
use rulebook::{Engine, Lang, Number, State};
use serde::Serialize;

use story::Asked;

use super::{Answer, Given, Language, decimal, row_name};
use crate::describe::{self, say};
use crate::failure::{Failure, in_line, warn};
use crate::json::Words;
use crate::out::{Out, table};

mod cross;
mod page;
mod story;

/// The most entries whose stories are told on a page.
const MAX_STORIES: usize = 100;

/// Arguments of `rank`.
#[derive(Args)]
pub(super) struct Arguments {
    /// A rule file, or the id of a built-in rule set.
    file: String,
    /// The tables that the rule set declares: YAML, `.csv` with values parted by commas, where a line
    /// that begins with `#` is a comment if the fields are not yet named, or the report of a tournament
    /// in TRF.
    table: String,
    /// Tell which clause parts this entry from which others, and how the value of each key came about.
    #[arg(long, value_name = "NAME")]
    explain: Option<String>,
    /// Show what each round gave, opponents by the line on which they stand.
    #[arg(long)]
    cross: bool,
    /// Write a page for a browser, with all of this, to a file.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
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
    /// With `--explain`: how the value of each key came about.
    stories: Option<Vec<Story>>,
    /// With `--html`: the file that was written.
    page: Option<String>,
}

/// How the value of a key came about.
#[derive(Serialize)]
struct Story {
    /// The clause.
    clause: String,
    /// The definitions that were asked.
    asked: Vec<Asked>,
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
    /// With `--cross`: what each round gave, opponents by their number in this list.
    rounds: Option<Vec<String>>,
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
    row: u32,
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
    let stories = match &arguments.explain {
        None => None,
        Some(name) => stories(&engine, &state, &placed, name)?,
    };
    let notes: Vec<String> = repairs.iter().map(in_line).collect();
    let terms_shown: Vec<(String, String)> = terms.clone();
    let wanted = arguments.cross || arguments.html.is_some();
    let rounds = if wanted { Some(cross::rounds(rules, &state, &placed)) } else { None };
    let rounds = match rounds {
        Some(Err(reason)) if arguments.cross => {
            return Err(Failure::new(format!("there is no cross table: {reason}")));
        }
        rounds => rounds.and_then(Result::ok),
    };
    let mut written = None;
    if let Some(path) = &arguments.html {
        let mut told = Vec::new();
        for entry in placed.iter().filter(|_| placed.len() <= MAX_STORIES) {
            let key = |key| Ok(story::story(&engine, &state, &placed, entry, key)?.unwrap_or_default());
            told.push((0..keys.len()).map(key).collect::<Result<Vec<_>, Failure>>()?);
        }
        let page = page::Page {
            rules,
            title: &arguments.table,
            placed: &placed,
            keys: &keys,
            rounds: rounds.as_deref(),
            stories: &told,
            terms: &terms_shown,
            notes: &notes,
            lang,
        };
        std::fs::write(path, page::html(&page))
            .map_err(|error| Failure::new(format!("`{}` cannot be written: {error}", path.display())))?;
        written = Some(path.display().to_string());
    }
    let rounds = rounds.filter(|_| arguments.cross);
    if !out.is_json() {
        draw(&placed, &keys, rounds.as_deref(), lang, out);
        if let (Some(explained), Some(name)) = (&explained, &arguments.explain) {
            draw_parted(&placed, &keys, explained, name, lang, out);
        }
        draw_stories(&keys, stories.as_deref().unwrap_or_default(), lang, out);
        if let Some(written) = &written {
            out.line(format!("{} {written}", say(lang, "written to", "已写入")));
        }
        return Ok(Answer::Good);
    }
    let id = |at: u16| rules.clauses.get(usize::from(at)).map(|clause| clause.id.clone());
    let entries = placed.iter().enumerate().map(|(at, placed)| Entry {
        place: placed.place,
        last_place: placed.last,
        name: placed.name.clone(),
        values: placed.keys.iter().map(|(_, value)| value.to_string()).collect(),
        decided: placed.decided.and_then(id),
        rounds: rounds.as_ref().and_then(|rounds| rounds.get(at)).cloned(),
    });
    out.document(&Report {
        rules: rules.id.clone(),
        keys: keys
            .iter()
            .map(|clause| Key { clause: clause.id.clone(), title: (&clause.title).into() })
            .collect(),
        entries: entries.collect(),
        terms: terms.into_iter().collect(),
        notes,
        explained,
        stories,
        page: written,
    });
    Ok(Answer::Good)
}

fn places(engine: &Engine, state: &State) -> Result<Vec<Placed>, Failure> {
    let rules = engine.rules();
    let groups =
        quick::rank(engine, state, Quickness::default()).map_err(|fault| Failure::fault(rules, &fault))?;
    let mut placed = Vec::new();
    for group in groups {
        let (place, last) = (placed.len() + 1, placed.len() + group.len());
        for ranked in group {
            let name = row_name(rules, state, 0, ranked.row);
            placed.push(Placed {
                row: ranked.row,
                place,
                last,
                name,
                keys: ranked.keys,
                decided: ranked.decided,
            });
        }
    }
    Ok(placed)
}

/// The place of an entry, or the places that it shares.
fn places_of(entry: &Placed) -> String {
    if entry.place == entry.last {
        entry.place.to_string()
    } else {
        format!("{}-{}", entry.place, entry.last)
    }
}

/// How the value of each key of an entry came about; none where the rule set does not allow to tell it.
fn stories(
    engine: &Engine,
    state: &State,
    placed: &[Placed],
    name: &str,
) -> Result<Option<Vec<Story>>, Failure> {
    let Some(entry) = placed.iter().find(|placed| placed.name == name) else { return Ok(None) };
    let mut stories = Vec::new();
    for (at, (clause, _)) in entry.keys.iter().enumerate() {
        let Some(asked) = story::story(engine, state, placed, entry, at)? else { return Ok(None) };
        let clause = engine.rules().clauses.get(usize::from(*clause));
        stories.push(Story { clause: clause.map(|clause| clause.id.clone()).unwrap_or_default(), asked });
    }
    Ok(Some(stories))
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

fn draw(placed: &[Placed], keys: &[&Clause], rounds: Option<&[Vec<String>]>, lang: Lang, out: &mut Out) {
    let titles = keys.iter().map(|clause| match clause.title.get(lang) {
        "" => clause.id.as_str(),
        title => title,
    });
    let count = rounds.and_then(|rounds| rounds.first()).map_or(0, Vec::len);
    let numbers: Vec<String> = (1..=count).map(|round| round.to_string()).collect();
    let mut header: Vec<&str> = if rounds.is_some() { vec![""] } else { Vec::new() };
    let name = header.len() + 1;
    header.extend([say(lang, "place", "名次"), say(lang, "entry", "参赛者")]);
    header.extend(numbers.iter().map(String::as_str));
    header.extend(titles);
    let mut rows = table(&header);
    for (at, entry) in placed.iter().enumerate() {
        let mut row: Vec<String> = if rounds.is_some() { vec![(at + 1).to_string()] } else { Vec::new() };
        row.extend([places_of(entry), entry.name.clone()]);
        row.extend(rounds.and_then(|rounds| rounds.get(at)).into_iter().flatten().cloned());
        row.extend(entry.keys.iter().map(|(_, value)| decimal(*value)));
        rows.add_row(row);
    }
    for column in (0..header.len()).filter(|column| *column != name) {
        super::perft::align(&mut rows, column);
    }
    out.table(&rows);
}

/// How the values of an entry came about.
fn draw_stories(keys: &[&Clause], stories: &[Story], lang: Lang, out: &mut Out) {
    for story in stories.iter().filter(|story| !story.asked.is_empty()) {
        let clause = keys.iter().find(|clause| clause.id == story.clause);
        let title = clause.map_or("", |clause| clause.title.get(lang));
        out.heading(format!("{}  {title}", story.clause));
        let mut lines = Vec::new();
        story::lines(&story.asked, 1, &mut lines);
        lines.iter().for_each(|line| out.line(line));
    }
}

fn draw_parted(
    placed: &[Placed],
    keys: &[&Clause],
    explained: &[Parted],
    name: &str,
    lang: Lang,
    out: &mut Out,
) {
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
