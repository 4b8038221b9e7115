//! A report as the tables of a rule set, and tables as a report.
//!
//! Invariant: the tables and fields that a report can fill have fixed names; a rule set declares those that it needs,
//! with types that hold what they are filled with. What a rule set declares besides has the first value of its type.

use std::collections::HashMap;
use std::sync::Arc;

use rulebook_model::ruleset::{RuleSet, Table};
use rulebook_model::types::Type;
use rulebook_model::{Number, Sites, Value};
use rulebook_reference::State;
use rulebook_syntax::codes::{FILE_SHAPE, LIMIT_EXCEEDED};
use rulebook_syntax::{Diagnostic, Source, Span};

use super::{Cell, Colour, MAX_PLAYERS, MAX_ROUNDS, Mark, Player, Report, Scoring};

/// The most rows of a table that are made of pairs of entries, or of entries in rounds.
const MAX_ROWS: usize = 200_000;

/// A value as a report has it.
enum Datum {
    Text(String),
    Number(Number),
    Truth(bool),
    Entry(u32),
    Nothing,
}

type Row = Vec<(&'static str, Datum)>;

/// The first state of a rule set with the tables of a report: `entries`, `games`, `byes` (asked for, in rounds that
/// have not been paired), `forbidden` (pairs) and `bonuses` (points for pairing only), as far as they are declared.
///
/// # Errors
/// The rule set has no table of entries, or a field that cannot hold what a report says.
pub fn tables(rules: &RuleSet, report: &Report, source: &Arc<Source>) -> Result<State, Vec<Diagnostic>> {
    let mut out = Vec::new();
    let fault = |message: String| Diagnostic::error(FILE_SHAPE, source, Span::new(0, 0), message);
    let Some(entries) = rules.tables.iter().position(|table| table.name == "entries") else {
        return Err(vec![fault(format!("the rule set `{}` has no table `entries` for a report", rules.id))]);
    };
    let mut tables = Vec::new();
    for table in &rules.tables {
        let rows = match table.name.as_str() {
            "entries" => Some(report.players.iter().map(entry).collect()),
            "games" => Some(games(report)),
            "byes" => Some(byes(report)),
            "forbidden" => forbidden(report),
            "bonuses" => bonuses(report),
            _ => Some(Vec::new()),
        };
        let rows = rows.unwrap_or_else(|| {
            let message = format!("the report makes more than {MAX_ROWS} rows of `{}`", table.name);
            out.push(Diagnostic::error(LIMIT_EXCEEDED, source, Span::new(0, 0), message));
            Vec::new()
        });
        tables.push(filled(rules, table, &rows, entries, &mut |message| out.push(fault(message))));
    }
    if !out.is_empty() {
        return Err(out);
    }
    let mut state = State::first(rules);
    state.tables = Arc::new(tables);
    Ok(state)
}

/// Rows with the types of a table; what does not fit is told once for each field.
fn filled(
    rules: &RuleSet,
    table: &Table,
    rows: &[Row],
    entries: usize,
    fault: &mut dyn FnMut(String),
) -> Vec<Vec<Value>> {
    let mut told = Vec::new();
    let mut value = |row: &Row, name: &str, ty: &Type| {
        let Some((_, datum)) = row.iter().find(|(known, _)| *known == name) else { return first(ty) };
        match (datum, ty) {
            (Datum::Text(text), Type::Text) => Value::Text(text.clone()),
            (Datum::Number(number), Type::Number(_)) => Value::Number(*number),
            (Datum::Number(number), Type::Text) => Value::Text(number.to_string()),
            (Datum::Truth(truth), Type::Truth) => Value::Truth(*truth),
            (Datum::Entry(at), Type::Row(wanted)) if usize::from(*wanted) == entries => {
                Value::Row(*wanted, *at)
            }
            (Datum::Nothing, _) => Value::Nothing,
            (datum, ty) => {
                if !told.contains(&name.to_owned()) {
                    told.push(name.to_owned());
                    let is = match datum {
                        Datum::Text(_) => "a text",
                        Datum::Number(_) => "a number",
                        Datum::Truth(_) => "true or false",
                        _ => "an entry",
                    };
                    let (id, table) = (&rules.id, &table.name);
                    fault(format!(
                        "`{name}` of `{table}` is {is} in a report, which `{id}` does not take there"
                    ));
                }
                first(ty)
            }
        }
    };
    let rows = rows.iter().map(|row| table.fields.iter().map(|(name, ty)| value(row, name, ty)).collect());
    rows.collect()
}

/// The first value of a type.
fn first(ty: &Type) -> Value {
    match ty {
        Type::Truth => Value::Truth(false),
        Type::Text => Value::Text(String::new()),
        Type::List(_) => Value::List(Vec::new()),
        Type::Sites => Value::sites(Sites::EMPTY),
        _ => Value::Nothing,
    }
}

fn text(text: &str) -> Datum {
    Datum::Text(text.to_owned())
}

fn whole(number: impl Into<i64>) -> Datum {
    Datum::Number(Number::whole(number.into()))
}

fn entry(player: &Player) -> Row {
    vec![
        ("name", text(&player.name)),
        ("number", whole(player.number)),
        ("rating", whole(player.rating)),
        ("sex", text(&player.sex)),
        ("title", text(&player.title)),
        ("federation", text(&player.federation)),
        ("id", text(&player.id)),
        ("birth", text(&player.birth)),
        ("points", player.points.map_or(Datum::Nothing, Datum::Number)),
        ("rank", player.rank.map_or(Datum::Nothing, whole)),
    ]
}

/// The rows of entries by number.
fn by_number(report: &Report) -> HashMap<u16, u32> {
    (0..).zip(&report.players).map(|(at, player)| (player.number, at)).collect()
}

fn games(report: &Report) -> Vec<Row> {
    let known = by_number(report);
    let mut rows: Vec<(usize, u16, Row)> = Vec::new();
    let played = report.played();
    for (at, player) in (0..).zip(&report.players) {
        for (round, cell) in player.rounds.iter().enumerate().take(played) {
            let Some(mark) = cell.mark else { continue };
            let mut row: Row = vec![("round", whole(round as i64 + 1)), ("white", Datum::Entry(at))];
            let other = cell.opponent.and_then(|number| known.get(&number)).copied();
            let worth = Datum::Number(report.worth(player, round));
            let mut first = player.number;
            match (cell.opponent, other) {
                // The game is told by the one who has White.
                (Some(_), _) if cell.colour != Some(Colour::White) => continue,
                (Some(number), Some(other)) => {
                    let theirs = report.players.get(other as usize).map(|player| report.worth(player, round));
                    row.push(("black", Datum::Entry(other)));
                    row.push(("black_score", theirs.map_or(Datum::Nothing, Datum::Number)));
                    first = first.min(number);
                }
                (Some(_), None) => continue,
                (None, _) => row.extend([("black", Datum::Nothing), ("black_score", Datum::Nothing)]),
            }
            let unrated = matches!(mark, Mark::UnratedWin | Mark::UnratedDraw | Mark::UnratedLoss);
            row.extend([
                ("white_score", worth),
                ("played", Datum::Truth(mark.is_played())),
                ("rated", Datum::Truth(mark.is_played() && !unrated)),
                ("bye", text(mark.bye())),
            ]);
            rows.push((round, first, row));
        }
    }
    rows.sort_by_key(|(round, first, _)| (*round, *first));
    rows.into_iter().map(|(.., row)| row).collect()
}

/// Byes that have been asked for, in rounds that have not been paired.
fn byes(report: &Report) -> Vec<Row> {
    let known = by_number(report);
    let played = report.played();
    let mut asked: Vec<(usize, u32, Mark)> = Vec::new();
    for (at, player) in (0..).zip(&report.players) {
        for (round, cell) in player.rounds.iter().enumerate().skip(played) {
            asked.extend(cell.mark.map(|mark| (round + 1, at, mark)));
        }
    }
    let later = report.facts.byes.iter().filter(|bye| bye.round > played);
    asked.extend(later.filter_map(|bye| Some((bye.round, *known.get(&bye.player)?, bye.mark))));
    let absent = report.facts.absent.iter().filter_map(|(number, _)| known.get(number));
    asked.extend(absent.map(|at| (played + 1, *at, Mark::Zero)));
    asked.sort_by_key(|(round, at, _)| (*round, *at));
    asked.dedup_by_key(|(round, at, _)| (*round, *at));
    let row = |(round, at, mark): (usize, u32, Mark)| {
        vec![("round", whole(round as i64)), ("entry", Datum::Entry(at)), ("bye", text(mark.bye()))]
    };
    asked.into_iter().map(row).collect()
}

/// Pairs that may not meet, or nothing where there are too many.
fn forbidden(report: &Report) -> Option<Vec<Row>> {
    let known = by_number(report);
    let mut rows = Vec::new();
    for forbidden in &report.facts.forbidden {
        let players: Vec<u32> =
            forbidden.players.iter().filter_map(|(number, _)| known.get(number).copied()).collect();
        for (at, one) in players.iter().enumerate() {
            for other in players.iter().skip(at + 1).filter(|other| *other != one) {
                if rows.len() >= MAX_ROWS {
                    return None;
                }
                rows.push(vec![
                    ("one", Datum::Entry(*one)),
                    ("other", Datum::Entry(*other)),
                    ("from_round", whole(forbidden.rounds.0 as i64)),
                    ("to_round", whole(forbidden.rounds.1 as i64)),
                ]);
            }
        }
    }
    Some(rows)
}

/// Points that count for pairing only, by entry and round, or nothing where there are too many.
fn bonuses(report: &Report) -> Option<Vec<Row>> {
    let mut rows = Vec::new();
    for bonus in &report.facts.bonuses {
        let (first, last) = bonus.players;
        for (at, _) in
            (0..).zip(&report.players).filter(|(_, player)| (first..=last).contains(&player.number))
        {
            for round in bonus.rounds.0..=bonus.rounds.1 {
                if rows.len() >= MAX_ROWS {
                    return None;
                }
                rows.push(vec![
                    ("entry", Datum::Entry(at)),
                    ("round", whole(round as i64)),
                    ("points", Datum::Number(bonus.points)),
                ]);
            }
        }
    }
    Some(rows)
}

/// The rows of a table with their fields by name.
struct Read<'a> {
    table: &'a Table,
    rows: &'a [Vec<Value>],
}

impl<'a> Read<'a> {
    fn of(rules: &'a RuleSet, state: &'a State, name: &str) -> Option<Self> {
        let at = rules.tables.iter().position(|table| table.name == name)?;
        Some(Self { table: rules.tables.get(at)?, rows: state.tables.get(at)? })
    }

    fn field(&self, row: usize, name: &str) -> Option<&'a Value> {
        let at = self.table.fields.iter().position(|(known, _)| known == name)?;
        self.rows.get(row)?.get(at)
    }

    fn text(&self, row: usize, name: &str) -> String {
        match self.field(row, name) {
            Some(Value::Text(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        }
    }

    fn number(&self, row: usize, name: &str) -> Option<Number> {
        match self.field(row, name) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }

    fn whole(&self, row: usize, name: &str) -> Option<u16> {
        self.number(row, name)?.to_whole().and_then(|number| u16::try_from(number).ok())
    }

    fn entry(&self, row: usize, name: &str) -> Option<usize> {
        match self.field(row, name) {
            Some(Value::Row(_, at)) => Some(*at as usize),
            _ => None,
        }
    }

    fn truth(&self, row: usize, name: &str) -> Option<bool> {
        match self.field(row, name) {
            Some(Value::Truth(truth)) => Some(*truth),
            _ => None,
        }
    }
}

/// A report of the tables of a state, with the lines of another report, whose points count.
///
/// # Errors
/// The tables are not those of one tournament: in words for people.
pub fn from_tables(rules: &RuleSet, state: &State, base: &Report) -> Result<Report, String> {
    let entries = Read::of(rules, state, "entries").ok_or("there is no table `entries`")?;
    if entries.rows.len() > MAX_PLAYERS {
        return Err(format!("there are more than {MAX_PLAYERS} entries"));
    }
    let mut report = Report { players: Vec::new(), ..base.clone() };
    for row in 0..entries.rows.len() {
        let number = entries.whole(row, "number").unwrap_or(row as u16 + 1);
        report.players.push(Player {
            number,
            sex: entries.text(row, "sex"),
            title: entries.text(row, "title"),
            name: entries.text(row, "name"),
            rating: entries.whole(row, "rating").unwrap_or(0),
            federation: entries.text(row, "federation"),
            id: entries.text(row, "id"),
            birth: entries.text(row, "birth"),
            points: None,
            rank: entries.whole(row, "rank"),
            rounds: Vec::new(),
            span: Span::default(),
            points_span: Span::default(),
        });
    }
    if let Some(games) = Read::of(rules, state, "games") {
        for row in 0..games.rows.len() {
            game(&games, row, &mut report)?;
        }
    }
    for at in 0..report.players.len() {
        let Some(player) = report.players.get(at) else { continue };
        let sum = (0..player.rounds.len())
            .fold(Number::ZERO, |sum, round| sum.plus(report.worth(player, round)).unwrap_or(sum));
        if let Some(player) = report.players.get_mut(at) {
            player.points = Some(sum);
        }
    }
    Ok(report)
}

fn game(games: &Read<'_>, row: usize, report: &mut Report) -> Result<(), String> {
    let wrong = |what: &str| format!("row {} of `games` {what}", row + 1);
    let round = games.whole(row, "round").map(usize::from).filter(|round| (1..=MAX_ROUNDS).contains(round));
    let round = round.ok_or_else(|| wrong("has no round"))? - 1;
    let white = games.entry(row, "white").ok_or_else(|| wrong("has no entry with White"))?;
    let black = games.entry(row, "black");
    let scores = ["white_score", "black_score"].map(|name| games.number(row, name).unwrap_or(Number::ZERO));
    let played = games.truth(row, "played").unwrap_or(true);
    let rated = games.truth(row, "rated").unwrap_or(true);
    let number = |report: &Report, at: usize| report.players.get(at).map(|player| player.number);
    let numbers = [number(report, white), black.and_then(|black| number(report, black))];
    let mut put = |at: usize, cell: Cell| {
        let Some(player) = report.players.get_mut(at) else {
            return Err(wrong("names an entry that is not there"));
        };
        player.rounds.resize(player.rounds.len().max(round + 1), Cell::default());
        match player.rounds.get_mut(round) {
            Some(slot) if slot.is_blank() => *slot = cell,
            _ => return Err(wrong("is the second one of an entry in its round")),
        }
        Ok(())
    };
    let Some(black) = black else {
        let word = games.text(row, "bye");
        let mark = Mark::from_bye(&word).ok_or_else(|| wrong("has no opponent and no bye"))?;
        return put(white, Cell { mark: Some(mark), ..Cell::default() });
    };
    let [one, two] = marks(scores, played, rated, &report.facts.scoring);
    let seats = [(white, Colour::White, numbers[1], one), (black, Colour::Black, numbers[0], two)];
    for (at, colour, opponent, mark) in seats {
        put(at, Cell { opponent, colour: Some(colour), mark: Some(mark), span: Span::default() })?;
    }
    Ok(())
}

/// The results of a game with these scores: those that are worth so much, or else what the scores say of each other.
fn marks([white, black]: [Number; 2], played: bool, rated: bool, scoring: &Scoring) -> [Mark; 2] {
    let [win, draw, loss] = match (played, rated) {
        (false, _) => [Mark::ForfeitWin, Mark::ForfeitLoss, Mark::ForfeitLoss],
        (true, true) => [Mark::Win, Mark::Draw, Mark::Loss],
        (true, false) => [Mark::UnratedWin, Mark::UnratedDraw, Mark::UnratedLoss],
    };
    let worth =
        |mark, colour| scoring.points(&Cell { mark: Some(mark), colour: Some(colour), ..Cell::default() });
    for pair in [[win, loss], [loss, win], [draw, draw], [loss, loss], [draw, loss], [loss, draw]] {
        let [one, two] = pair;
        if worth(one, Colour::White) == white && worth(two, Colour::Black) == black {
            return pair;
        }
    }
    match white.cmp(&black) {
        std::cmp::Ordering::Greater => [win, loss],
        std::cmp::Ordering::Less => [loss, win],
        std::cmp::Ordering::Equal => [draw, draw],
    }
}
