//! Tables of numbers by the size of the board: fillings, sequences, whole games, margins.

use std::collections::BTreeMap;

use super::grid::Grid;
use super::{Table, Words, size, words};
use crate::case::{Tier, Wanted};
use crate::driver::Question;
use crate::scenario::{Cell, Ended, Status};

/// `3x3 12675`: the number of ways to fill a board for which a definition holds.
pub(super) fn fillings(table: &mut Table<'_>, text: &str) {
    let name = table.name("definition");
    let mut seen: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for (line, row) in super::lines(text).filter(|(_, row)| !row.trim().is_empty()) {
        let cells: Vec<&str> = row.split_whitespace().collect();
        let [board, number] = cells[..] else {
            table.problem(line, "a row is a size and a number");
            continue;
        };
        let Some((files, ranks)) = size(board) else {
            table.problem(line, format!("`{board}` is not a size"));
            continue;
        };
        if let Some(first) = seen.insert((files, ranks), number.to_owned()) {
            if first != number {
                table.problem(line, format!("{board} has another number above"));
            }
            continue;
        }
        let mut case = table.case_for(board, line, &Words::new(), (files, ranks));
        case.title = format!("{number} ways to fill {board}");
        let sites = (files * ranks) as u64;
        match number.parse::<u64>() {
            Ok(number) => {
                case.ask(line, Question::Fillings(name.clone()), Wanted::Count(number));
                case.tier = table.tier(Some(sites));
                case.cost = 3_u64.saturating_pow(u32::try_from(sites).unwrap_or(u32::MAX)).min(10_000_000);
            }
            Err(_) => case.tier = table.tier(None),
        }
        table.push(case);
    }
}

/// `2x2 a=b c=d: 5 21 68 … [| … total 9]`: sequences by length, and the number of complete games.
pub(super) fn sequences(table: &mut Table<'_>, text: &str) {
    for (line, row) in super::lines(text).filter(|(_, row)| !row.trim().is_empty()) {
        let Some((head, numbers)) = row.split_once(':') else {
            table.problem(line, "a row is a board, a colon and numbers");
            continue;
        };
        let board = head.split_whitespace().next().and_then(size);
        let (numbers, rest) = numbers.split_once('|').unwrap_or((numbers, ""));
        let numbers: Option<Vec<u64>> = numbers.split_whitespace().map(|text| text.parse().ok()).collect();
        let (Some(board), Some(numbers)) = (board, numbers) else {
            table.problem(line, "a row is a board, a colon and numbers");
            continue;
        };
        let id = head.split_whitespace().map(|word| word.rsplit('=').next().unwrap_or(word));
        let id: String = id.collect::<Vec<&str>>().join("-");
        let position = empty_position(table, board);
        let mut fast = table.case_for(&id, line, &words(head), board);
        fast.script.position.clone_from(&position);
        let further = |name: &str, tier: Tier| {
            let mut case = table.case_for(&format!("{id}-{name}"), line, &words(head), board);
            case.script.position.clone_from(&position);
            if case.tier == Tier::WhenEncoded {
                case.tier = tier;
            }
            case
        };
        let mut deep = further("deep", Tier::Fast);
        let mut deepest = further("deepest", Tier::Slow);
        for (depth, nodes) in (1..).zip(&numbers) {
            let case = match table.tier(Some(*nodes)) {
                Tier::WhenEncoded => &mut fast,
                Tier::Fast => &mut deep,
                Tier::Slow => &mut deepest,
                _ => continue,
            };
            case.cost += nodes;
            case.ask(line, Question::Perft(depth), Wanted::Count(*nodes));
        }
        if let Some(total) = rest.rsplit("total ").next().and_then(|text| text.trim().parse::<u64>().ok()) {
            let all: u64 = numbers.iter().sum();
            let case = match table.tier(Some(all)) {
                Tier::WhenEncoded => &mut fast,
                Tier::Fast => &mut deep,
                _ => &mut deepest,
            };
            case.cost += all;
            case.ask(line, Question::Games, Wanted::Count(total));
        }
        for case in [fast, deep, deepest] {
            if !case.checks.is_empty() {
                table.push(case);
            }
        }
    }
}

fn empty_position(table: &Table<'_>, board: (usize, usize)) -> Option<String> {
    let (_, first) = table.meaning?.sides.0.first()?;
    Some(format!("{} {}", Grid::empty(board).placement(), first.turn))
}

/// Numbers of complete games and of what they lead through, a line each:
/// - `1x2 | 9 | …`: complete games;
/// - `1x2 word suicide=forbidden 9 ; any 21`: the same under words of the mapping, where they are numbers;
/// - `1x2 nodes 5 edges 12`: fillings for which a definition holds, and plies from one to another.
pub(super) fn games(table: &mut Table<'_>, text: &str) {
    for (line, row) in super::lines(text).filter(|(_, row)| !row.trim().is_empty()) {
        let mut cells = row.split([' ', '|']).filter(|cell| !cell.is_empty());
        let (Some(board), Some(second)) = (cells.next(), cells.next()) else { continue };
        let Some(sides) = size(board) else {
            table.problem(line, format!("`{board}` is not a size"));
            continue;
        };
        if row.contains('|') {
            complete(table, (board, line, sides), &Words::new(), second.parse().ok());
        } else if second == "nodes" {
            let edges = cells.nth(2).and_then(|cell| cell.parse().ok());
            let nodes = row.split_whitespace().nth(2).and_then(|cell| cell.parse().ok());
            let (Some(nodes), Some(edges)) = (nodes, edges) else {
                table.problem(line, "a row is a size, `nodes`, a number, `edges` and a number");
                continue;
            };
            let mut case = table.case_for(&format!("{board}-steps"), line, &Words::new(), sides);
            case.title = format!("{edges} plies between {nodes} ways to fill {board}");
            let name = table.name("definition");
            case.ask(line, Question::Fillings(name.clone()), Wanted::Count(nodes));
            case.ask(line, Question::Steps(name), Wanted::Count(edges));
            table.push(case);
        } else if let Some((_, parts)) = row.split_once('=') {
            let key = row.split_whitespace().nth(2).and_then(|cell| cell.split_once('='));
            for part in parts.split(';') {
                let mut cells = part.split_whitespace();
                let (Some(value), Some(number)) = (cells.next(), cells.next()) else { continue };
                let Ok(number) = number.parse() else { continue };
                let key = key.map_or("", |(key, _)| key).to_owned();
                let words = vec![(table.name("word"), second.to_owned()), (key, value.to_owned())];
                let id = format!("{board}-{second}-{value}");
                complete(table, (&id, line, sides), &words, Some(number));
            }
        } else {
            table.problem(line, "a row is a size and a number of games");
        }
    }
}

/// A case of complete games: its id, its line and the size of the board.
fn complete(
    table: &mut Table<'_>,
    (id, line, sides): (&str, usize, (usize, usize)),
    words: &Words,
    number: Option<u64>,
) {
    let mut case = table.case_for(id, line, words, sides);
    case.script.position = empty_position(table, sides);
    case.tier = match (case.tier, table.tier(number)) {
        (Tier::WhenEncoded, tier) => tier,
        (tier, _) => tier,
    };
    let shown = number.map_or("unknown".to_owned(), |number| number.to_string());
    let board = id.split('-').next().unwrap_or(id);
    case.title = format!("{shown} complete games on {board}");
    if let Some(number) = number {
        case.cost = number.min(10_000_000);
        case.ask(line, Question::Games, Wanted::Count(number));
    }
    table.push(case);
}

/// `b margin margin …` under a comment that names the columns `margin@value`: who wins by how much with a
/// count of b, for some values of a parameter.
pub(super) fn margins(table: &mut Table<'_>, text: &str) {
    let heads = text.lines().filter(|line| line.starts_with('#') && line.contains("margin@"));
    let values: Vec<String> = heads
        .take(1)
        .flat_map(str::split_whitespace)
        .filter_map(|word| word.strip_prefix("margin@"))
        .map(str::to_owned)
        .collect();
    let (param, unit) = (table.name("param"), table.name("unit"));
    let (definition, width) = (table.name("definition"), table.name("width").parse::<usize>().unwrap_or(0));
    for (line, row) in super::lines(text).filter(|(_, row)| row.contains('\t')) {
        let cells: Vec<&str> = row.split('\t').map(str::trim).collect();
        let Some(count) = cells.first().and_then(|cell| cell.parse::<f64>().ok()) else {
            table.problem(line, "the first column is a number");
            continue;
        };
        for (value, margin) in values.iter().zip(cells.iter().skip(1)) {
            let id = format!("{}-{value}", cells.first().copied().unwrap_or_default());
            let mut case = table.case_for(&id, line, &Words::new(), (width, width));
            case.params.push((param.clone(), format!("{value} {unit}")));
            case.title = format!("margin {margin} for {count} at {value}");
            let Some([first, second]) = two_sides(table) else { continue };
            case.script.position = Some(format!("{} {}", filled(count, width, [first.0, second.0]), first.2));
            let margin = margin.trim_start_matches('+');
            let outcome = match margin {
                "0" => "draw".to_owned(),
                text if text.starts_with('-') => format!("{} wins", second.1),
                _ => format!("{} wins", first.1),
            };
            let score = vec![Cell::Text(first.1.clone())];
            case.ask(line, Question::Value("score".into(), score), text_value(&count.to_string()));
            case.ask(line, Question::Value(definition.clone(), Vec::new()), text_value(margin));
            case.act(line, "pass");
            case.act(line, "pass");
            let ended = Ended { ended: outcome, ..Ended::default() };
            case.ask(line, Question::Status, Wanted::Status(Status::Ended(ended)));
            table.push(case);
        }
    }
}

fn text_value(text: &str) -> Wanted {
    Wanted::Value(Cell::Text(text.to_owned()))
}

/// Piece, name and turn of the two players.
fn two_sides(table: &Table<'_>) -> Option<[(char, String, String); 2]> {
    let sides = table.meaning?.sides.0.iter();
    let sides: Vec<_> = sides.map(|(_, side)| (side.piece, side.player.clone(), side.turn.clone())).collect();
    sides.try_into().ok()
}

/// A board on which the first player has a count, with one shared site for half a point.
fn filled(count: f64, width: usize, [first, second]: [char; 2]) -> String {
    let mut grid = Grid::empty((width, width));
    let whole = count.floor() as usize;
    let shared = usize::from(count.fract() != 0.0);
    (0..whole).for_each(|at| grid.put(at, first));
    (whole + shared..width * width).for_each(|at| grid.put(at, second));
    grid.placement()
}
