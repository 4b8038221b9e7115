//! Boards with whose each site is: territory that two sources count alike, and sites that an event marks.

use super::blocks::{Block, blocks, board, head, position, rest};
use super::grid::Grid;
use super::{Side, Table, Words, word, words};
use crate::case::{Case, Tier, Wanted};
use crate::driver::Question;
use crate::judge::same_value;
use crate::scenario::Cell;

/// The sites of a board that have a sign, as the rule sets name them.
fn signed(grid: &Grid, sign: char) -> Vec<Cell> {
    use rulebook_model::board::{Board, SiteNames};
    let (files, ranks) = grid.size();
    let sizes = (u16::try_from(files).unwrap_or(0), u16::try_from(ranks).unwrap_or(0));
    let names =
        Board { files: sizes.0, ranks: sizes.1, names: SiteNames::LettersWithoutI, ..Board::default() };
    let all = (0..ranks).flat_map(|row| (0..files).map(move |file| (file, row)));
    let wanted = all.filter(|(file, row)| grid.sign(*file, *row) == Some(sign));
    wanted
        .filter_map(|(file, row)| {
            let (file, rank) = (i64::try_from(file + 1).ok()?, i64::try_from(ranks - row).ok()?);
            Some(Cell::Text(names.name(names.at(file, rank)?)))
        })
        .collect()
}

fn asked(case: &mut Case, line: usize, definition: &str, arguments: Vec<Cell>, value: Cell) {
    case.ask(line, Question::Value(definition.to_owned(), arguments), Wanted::Value(value));
}

/// Boards with pieces that are taken off, whose sites are whose, and two counts of them: that of a program that finds
/// shared life, and a plain one. Where the two agree, every site is asked; elsewhere the plain count is, and the
/// other one waits.
pub(super) fn owners(table: &mut Table<'_>, text: &str) {
    for block in blocks(text) {
        let (line, id) = head(&block);
        let counted = rest(&block, "territory ").map(|(line, text)| (line, words_by_part(text)));
        let parts = (board(&block, "case "), board(&block, "owner"), counted);
        let (Some(given), Some(owner), Some((at, [territory, dead, area]))) = parts else {
            table.problem(line, "a board, its owners and a line of counts are needed");
            continue;
        };
        let Some(sides) = table.sides() else { continue };
        let [first, second] = sides;
        let alive = given.with(&[('x', first.piece), ('o', second.piece), ('b', '.'), ('w', '.')]);
        let standing =
            given.with(&[('x', first.piece), ('b', first.piece), ('o', second.piece), ('w', second.piece)]);
        let off: Vec<Cell> = ['b', 'w'].iter().flat_map(|sign| signed(&given, *sign)).collect();
        if ['b', 'w'].map(|sign| signed(&given, sign).len().to_string())
            != ["B", "W"].map(|letter| word(&dead, letter).unwrap_or("0").to_owned())
        {
            table.problem(at, "another number of pieces is marked on the board");
        }
        // The plain count: its areas are those of a flood fill without the pieces that are taken off.
        let areas = alive.areas([first.piece, second.piece]).map(|count| count.to_string());
        if ["B", "W"].map(|letter| word(&area, letter).unwrap_or_default())
            != areas.each_ref().map(String::as_str)
        {
            table.problem(at, "the plain count of this board is another one");
        }
        let start = |table: &Table<'_>, case: &mut Case, rules: &Words| {
            case.script.position = Some(position(table, rules, &standing, first, &Words::new()));
        };
        let rules = vec![("counted".to_owned(), "area".to_owned())];
        let mut case = table.case_for(&format!("{id}-area"), line, &rules, given.size());
        start(table, &mut case, &rules);
        for (side, count) in sides.into_iter().zip(areas) {
            let arguments = vec![Cell::Text(side.player.clone()), Cell::List(off.clone())];
            asked(&mut case, at, &table.name("area"), arguments, Cell::Text(count));
        }
        table.push(case);
        for kind in ["plain", "seki"] {
            let rules = vec![("counted".to_owned(), kind.to_owned())];
            let mut case = table.case_for(&format!("{id}-{kind}"), line, &rules, given.size());
            start(table, &mut case, &rules);
            let same = same_owners(&alive, &owner, sides, kind);
            if !same && case.tier == Tier::WhenEncoded {
                let reason = if kind == "seki" {
                    "the program finds life at a shared point"
                } else {
                    "the program finds shared life, and a plain count does not"
                };
                case.tier = Tier::Waiting(reason.into());
            }
            for (side, letter) in sides.into_iter().zip(["B", "W"]) {
                let sites = signed(&owner, side.piece);
                if !same_value(word(&territory, letter).unwrap_or_default(), &sites.len().to_string()) {
                    table.problem(at, "another number of sites is marked on the board");
                }
                let arguments = vec![Cell::Text(side.player.clone()), Cell::List(off.clone())];
                asked(&mut case, at, &table.name("sites"), arguments, Cell::List(sites));
            }
            table.push(case);
        }
    }
}

/// The words of a line `B=1 W=2 dead B=3 W=4 … area B=5 W=6 …` by its parts.
fn words_by_part(text: &str) -> [Words; 3] {
    let (territory, rest) = text.split_once(" dead ").unwrap_or((text, ""));
    let (dead, area) = rest.split_once(" area ").unwrap_or((rest, ""));
    [words(territory), words(dead), words(area)]
}

/// Whether a count finds the same owners as the table: a flood fill of the empty regions, and in `seki` none of
/// regions whose border is connected with a piece that touches a region between both.
fn same_owners(alive: &Grid, owner: &Grid, sides: [&Side; 2], kind: &str) -> bool {
    let plain = alive.owners(sides.map(|side| side.piece), kind == "seki");
    plain == *owner
}

/// Boards with the sites that an event marks for each player: `pass-alive s0` and a board, then `pass-alive s1` and a
/// board or `= same`.
pub(super) fn marked(table: &mut Table<'_>, text: &str) {
    let (label, event) = (table.name("label"), table.name("event"));
    for block in blocks(text) {
        let (line, id) = head(&block);
        let Some(given) = board(&block, "case ") else {
            table.problem(line, "there is no board");
            continue;
        };
        let mut last = None;
        for (at, word, found) in marks(&block, &label) {
            let Some(found) = found.or_else(|| last.take()) else {
                table.problem(at, "there is no board");
                continue;
            };
            let rules = vec![(label.clone(), word.to_owned())];
            let mut case = table.case_for(&format!("{id}-{word}"), at, &rules, given.size());
            let Some(sides) = table.sides() else { continue };
            case.script.position = Some(position(table, &rules, &given, sides[0], &Words::new()));
            case.act(at, event.clone());
            for side in sides {
                let sites = Cell::List(signed(&found, side.piece));
                asked(&mut case, at, &table.name("sites"), vec![Cell::Text(side.player.clone())], sites);
            }
            case.cost = 40 * (given.size().0 * given.size().1) as u64;
            last = Some(found);
            table.push(case);
        }
    }
}

/// The boards of a block: line, word, and the board unless it is the same as the one before.
fn marks<'t>(block: &Block<'t>, label: &str) -> Vec<(usize, &'t str, Option<Grid>)> {
    let heads = block.iter().enumerate().filter_map(|(at, (line, text))| {
        let rest = text.strip_prefix(label)?.trim();
        Some((at, *line, rest.split_whitespace().next()?, rest.ends_with("same")))
    });
    heads
        .map(|(at, line, word, same)| {
            let rows = block.iter().skip(at + 1).map(|(_, text)| *text);
            let board = Grid::new(rows.take_while(|row| row.starts_with("  ")));
            (line, word, board.filter(|_| !same))
        })
        .collect()
}
