//! Whole games in three lines: a head, acts with the sites that were closed before each, and the last board.

use super::blocks::{ended, position};
use super::grid::Grid;
use super::{Side, Table, Words, word, words};
use crate::case::{Tier, Wanted};
use crate::driver::Question;
use crate::judge::same_value;
use crate::scenario::{Cell, MoveSet, Status, Texts};

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
    let (mut rules, told) = (head_words(name, keys), words(sum));
    // What is added for the second player stands with the result.
    let added = super::blocks::carried(table);
    rules.extend(told.iter().filter(|(key, _)| *key == added).cloned());
    let mut case = table.case_for(id, line, &rules, sides);
    case.title = name.trim().to_owned();
    let Some(letters) = table.meaning.map(|meaning| &meaning.sides.0) else { return };
    let [(_, first), (_, second)] = &letters[..] else { return };
    case.script.position = Some(position(table, &rules, &Grid::empty(sides), first, &Words::new()));
    let mut played = 0_usize;
    for act in acts.split_whitespace() {
        let (act, sites) = act.split_once('[').unwrap_or((act, ""));
        let Some((who, what)) = act.split_once(':') else {
            return table.problem(at, format!("`{act}` is not a player and an act"));
        };
        if letters.get(played % letters.len()).is_none_or(|(letter, _)| letter != who) {
            return table.problem(at, format!("`{act}` is out of turn"));
        }
        let sites = sites.trim_end_matches(']').split(',').filter(|site| !site.is_empty());
        let is = Some(Texts(sites.map(str::to_owned).collect()));
        case.ask(at, Question::Closed, Wanted::Acts(MoveSet { is, ..MoveSet::default() }));
        case.act(at, what);
        played += 1;
    }
    let sites = (sides.0 * sides.1) as u64;
    case.cost = 4 * played as u64 * sites;
    if let Some((_, side)) = letters.get(played % letters.len()) {
        let text = position(table, &rules, &last, side, &told);
        case.ask(board_at, Question::State, Wanted::Position(text));
    }
    let strict = word(&told, "strict-area").unwrap_or_default();
    let [a, b] = last.areas([first.piece, second.piece]);
    let plain = b as f64 - a as f64;
    if !same_value(&plain.to_string(), strict) {
        return table.problem(sum_at, "the plain count of this board is another one");
    }
    if table.meant(&rules).is_some_and(|meant| meant.stage.is_none()) {
        for (side, count) in [first, second].into_iter().zip([a, b]) {
            let wanted = Wanted::Value(Cell::Text(count.to_string()));
            case.ask(sum_at, Question::Value("score".into(), vec![Cell::Text(side.player.clone())]), wanted);
        }
    }
    if let Some(status) = status(&told, plain, super::blocks::added(table, &rules), [first, second]) {
        case.ask(sum_at, Question::Status, status);
    }
    if case.tier == Tier::WhenEncoded {
        case.tier = table.tier(Some(sites));
    }
    table.push(case);
}

/// Whether the game is over, and who wins where the published difference is the plain one.
fn status(told: &Words, plain: f64, added: &str, [first, second]: [&Side; 2]) -> Option<Wanted> {
    if word(told, "over") == Some("0") {
        return Some(Wanted::Status(Status::Ongoing));
    }
    if word(told, "noresult") == Some("1") {
        return Some(ended("void"));
    }
    let margin = plain + added.parse::<f64>().ok()?;
    let winner = if margin > 0.0 { second } else { first };
    let is_plain = margin != 0.0 && same_value(&margin.to_string(), word(told, "katago-score")?);
    is_plain.then(|| ended(&format!("{} wins", winner.player)))
}

/// The words of a head: its first word where that names a rule set, those in braces, then those after the bar.
fn head_words(name: &str, keys: &str) -> Words {
    let braced =
        name.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map_or("", |(inner, _)| inner);
    let pairs = braced.split(',').filter_map(|pair| pair.split_once(':'));
    let mut all: Words = pairs.map(|(key, value)| (plain(key), plain(value))).collect();
    if let Some(set) = name.split_whitespace().next().filter(|word| !word.starts_with('{')) {
        all.push(("set".to_owned(), set.to_owned()));
    }
    all.extend(words(keys));
    all
}

fn plain(text: &str) -> String {
    text.trim_matches('"').to_owned()
}
