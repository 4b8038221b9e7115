//! Rounds as they were paired: one case for each round of a tournament, whose report stands in a file of its own.

use std::collections::BTreeMap;
use std::path::Path;

use rulebook_notation::trf::{self, Colour, Mark, Report};
use rulebook_syntax::Source;

use super::Table;
use crate::case::Wanted;
use crate::driver::Question;
use crate::scenario::{Cell, Row};

/// The pairs of a round with the line of the first; the second is 0 for the one left alone.
type Rounds = BTreeMap<u32, (usize, Vec<(u16, u16)>)>;

pub(super) fn read(table: &mut Table<'_>, text: &str, folder: &Path) {
    let mut files: BTreeMap<String, (String, String, Rounds)> = BTreeMap::new();
    for (line, row) in super::lines(text).skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let number = |at: usize| cells.get(at).and_then(|cell| cell.parse::<u16>().ok());
        let (Some(round), Some(white), Some(black)) = (number(3), number(4), number(5)) else {
            table.problem(
                line,
                "a row has a file, the number of rounds, the initial colour, a round and a pair",
            );
            continue;
        };
        let of = |at: usize| cells.get(at).map(|cell| (*cell).to_owned()).unwrap_or_default();
        let colour = if of(2) == "B" { "black" } else { "white" };
        let file = files.entry(of(0)).or_insert_with(|| (of(1), colour.to_owned(), Rounds::new()));
        file.2.entry(round.into()).or_insert_with(|| (line, Vec::new())).1.push((white, black));
    }
    let (rounds_of, initial) = (table.name("rounds"), table.name("initial"));
    for (file, (last, colour, rounds)) in files {
        let path = folder.join(table.name("reports")).join(&file);
        let Ok(content) = std::fs::read_to_string(&path) else {
            table.problem(1, format!("`{file}` cannot be read"));
            continue;
        };
        let Ok((report, _)) = trf::parse(&Source::new(&file, &content)) else {
            table.problem(1, format!("`{file}` is not the report of a tournament"));
            continue;
        };
        for (round, (line, pairs)) in rounds {
            let stem = file.trim_end_matches(".trf");
            let mut case = table.case(&format!("{stem}-{round}"), line, format!("{stem}, round {round}"));
            case.params = vec![(rounds_of.clone(), last.clone()), (initial.clone(), colour.clone())];
            case.script.tables = rows(&report);
            let name = |number: u16| if number == 0 { "-".to_owned() } else { format!("P{number}") };
            let mut wanted: Vec<Vec<String>> =
                pairs.iter().map(|(white, black)| vec![name(*white), name(*black)]).collect();
            wanted.sort();
            case.ask(line, Question::Pairing(round), Wanted::Rows { all: Some(wanted), some: Vec::new() });
            table.push(case);
        }
    }
}

/// The tables of a report. An entry is called by its number.
fn rows(report: &Report) -> Vec<(String, Vec<Row>)> {
    let text = |text: &str| Cell::Text(text.to_owned());
    let name = |number: u16| Cell::Text(format!("P{number}"));
    let named = |fields: Vec<(&str, Cell)>| {
        Row::Fields(fields.into_iter().map(|(field, cell)| (field.to_owned(), cell)).collect())
    };
    let (mut entries, mut games) = (Vec::new(), Vec::new());
    for player in &report.players {
        entries.push(named(vec![
            ("name", name(player.number)),
            ("number", Cell::Text(player.number.to_string())),
            ("rating", Cell::Text(player.rating.to_string())),
        ]));
        for (at, own) in player.rounds.iter().enumerate() {
            let Some(mark) = own.mark else { continue };
            if own.opponent.is_some() && own.colour != Some(Colour::White) {
                continue;
            }
            let other =
                own.opponent.and_then(|number| report.players.iter().find(|other| other.number == number));
            let theirs = other.and_then(|other| other.rounds.get(at)).and_then(|cell| cell.mark);
            games.push(named(vec![
                ("round", Cell::Text((at + 1).to_string())),
                ("white", name(player.number)),
                ("black", other.map_or(Cell::Nothing, |other| name(other.number))),
                ("white_score", text(worth(mark))),
                ("black_score", theirs.map_or(Cell::Nothing, |mark| text(worth(mark)))),
                ("played", Cell::Text(mark.is_played().to_string())),
                ("bye", text(mark.bye())),
            ]));
        }
    }
    vec![("entries".to_owned(), entries), ("games".to_owned(), games)]
}

/// What a result is worth where nothing else is said.
fn worth(mark: Mark) -> &'static str {
    match mark {
        Mark::Win | Mark::UnratedWin | Mark::ForfeitWin | Mark::Full | Mark::Allocated => "1",
        Mark::Draw | Mark::UnratedDraw | Mark::Half => "1/2",
        Mark::Loss | Mark::UnratedLoss | Mark::ForfeitLoss | Mark::Zero => "0",
    }
}
