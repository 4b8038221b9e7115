//! Whole games in three lines: a head, acts with the sites that were closed before each, and the last board.

use super::grid::Grid;
use super::{Table, Words, word, words};
use crate::case::{Tier, Wanted};
use crate::driver::Question;
use crate::judge::same_value;
use crate::scenario::{Cell, MoveSet, Texts};

pub(super) fn read(table: &mut Table<'_>, text: &str) {
    let mut head: Option<(usize, &str)> = None;
    let mut acts: Option<(usize, &str)> = None;
    let mut board: Option<(usize, &str)> = None;
    for (number, line) in super::lines(text) {
        if let Some(rest) = line.strip_prefix("case ") {
            head = Some((number, rest));
        } else if let Some(rest) = line.strip_prefix("moves ") {
            acts = Some((number, rest));
        } else if let Some(rest) = line.strip_prefix("board ") {
            board = Some((number, rest));
        } else if line.starts_with("captured ") {
            match (head.take(), acts.take(), board.take()) {
                (Some(head), Some(acts), Some(board)) => one(table, head, acts, board, (number, line)),
                _ => table.problem(number, "a game has a head, acts and a board"),
            }
        }
    }
}

fn one(
    table: &mut Table<'_>,
    (line, head): (usize, &str),
    (at, acts): (usize, &str),
    (board_at, board): (usize, &str),
    (sum_at, sum): (usize, &str),
) {
    let (name, keys) = head.split_once('|').unwrap_or((head, ""));
    let id = name.split_whitespace().last().unwrap_or_default();
    let Some(last) = Grid::new(board.split('/')) else { return table.problem(board_at, "this is no board") };
    // Heads of such tables give ranks first and files second; the board itself cannot be misread.
    let sides = last.size();
    let mut case = table.case_for(id, line, &head_words(name, keys), sides);
    case.title = name.trim().to_owned();
    let Some(letters) = letters(table) else { return };
    let Some((_, first, turn)) = letters.first() else { return };
    let (first, turn) = (*first, turn.clone());
    case.script.position = Some(format!("{} {turn}", Grid::empty(sides).placement()));
    let (mut passes, mut played, mut whole) = (0, 0_usize, true);
    for act in acts.split_whitespace() {
        if passes == 2 {
            // What some engines play on after the end is not part of the game.
            whole = false;
            break;
        }
        let (act, sites) = act.split_once('[').unwrap_or((act, ""));
        let Some((who, what)) = act.split_once(':') else {
            return table.problem(at, format!("`{act}` is not a player and an act"));
        };
        if letters.get(played % letters.len()).is_none_or(|(letter, ..)| letter != who) {
            return table.problem(at, format!("`{act}` is out of turn"));
        }
        let sites = sites.trim_end_matches(']').split(',').filter(|site| !site.is_empty());
        let is = Some(Texts(sites.map(str::to_owned).collect()));
        case.ask(at, Question::Closed, Wanted::Acts(MoveSet { is, ..MoveSet::default() }));
        case.act(at, what);
        passes = if what == "pass" { passes + 1 } else { 0 };
        played += 1;
    }
    let sites = (sides.0 * sides.1) as u64;
    case.cost = 4 * played as u64 * sites;
    if whole {
        if let Some((_, _, turn)) = letters.get(played % letters.len()) {
            let text = format!("{} {turn}", last.placement());
            case.ask(board_at, Question::State, Wanted::Position(text));
        }
        let published = words(sum);
        let strict = word(&published, "strict-area").unwrap_or_default();
        let second = letters.get(1).map_or(' ', |(_, piece, _)| *piece);
        let [a, b] = last.areas([first, second]);
        if !same_value(&(b as i64 - a as i64).to_string(), strict) {
            return table.problem(sum_at, "the plain count of this board is another one");
        }
        for (side, count) in players(table).into_iter().zip([a, b]) {
            let wanted = Wanted::Value(Cell::Text(count.to_string()));
            case.ask(sum_at, Question::Value("score".into(), vec![Cell::Text(side)]), wanted);
        }
    }
    if case.tier == Tier::WhenEncoded {
        case.tier = table.tier(Some(sites));
    }
    table.push(case);
}

/// The words of a head: those of a rule set in braces, then those after the bar.
fn head_words(name: &str, keys: &str) -> Words {
    let braced =
        name.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map_or("", |(inner, _)| inner);
    let pairs = braced.split(',').filter_map(|pair| pair.split_once(':'));
    let mut all: Words = pairs.map(|(key, value)| (plain(key), plain(value))).collect();
    all.extend(words(keys));
    all
}

fn plain(text: &str) -> String {
    text.trim_matches('"').to_owned()
}

/// Letter, piece and turn of the players.
fn letters(table: &Table<'_>) -> Option<Vec<(String, char, String)>> {
    let sides = &table.meaning?.sides.0;
    Some(sides.iter().map(|(letter, side)| (letter.clone(), side.piece, side.turn.clone())).collect())
}

fn players(table: &Table<'_>) -> Vec<String> {
    let sides = table.meaning.map(|meaning| &meaning.sides.0[..]).unwrap_or_default();
    sides.iter().map(|(_, side)| side.player.clone()).collect()
}
