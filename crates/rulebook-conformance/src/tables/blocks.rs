//! Tables in blocks, parted by blank lines: a head, boards as indented rows, acts, and what is true then.

use super::grid::Grid;
use super::{Side, Table, Words, word, words};
use crate::case::{Case, Tier, Wanted};
use crate::driver::{Question, Step};
use crate::judge::same_value;
use crate::scenario::{Cell, Ended, MoveSet, Status, Texts};

/// A block: its lines with their numbers.
type Block<'t> = Vec<(usize, &'t str)>;

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = vec![Block::new()];
    for (number, line) in super::lines(text) {
        if line.trim().is_empty() {
            blocks.push(Block::new());
        } else if let Some(block) = blocks.last_mut() {
            block.push((number, line));
        }
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

/// The indented rows after the first line that starts with a label.
fn board(block: &[(usize, &str)], label: &str) -> Option<Grid> {
    let after = block.iter().skip_while(|(_, line)| !line.starts_with(label)).skip(1);
    Grid::new(after.map(|(_, line)| *line).take_while(|line| line.starts_with("  ")))
}

/// The rest of the first line that starts with a label.
fn rest<'t>(block: &[(usize, &'t str)], label: &str) -> Option<(usize, &'t str)> {
    block.iter().find_map(|(number, line)| Some((*number, line.strip_prefix(label)?.trim())))
}

/// The second word of the first line, and its number.
fn head<'t>(block: &[(usize, &'t str)]) -> (usize, &'t str) {
    let (line, text) = block.first().copied().unwrap_or((1, ""));
    (line, text.split_whitespace().nth(1).unwrap_or_default())
}

/// Sites in a list, `-` for none.
fn closed(text: &str) -> Wanted {
    let sites = text.split([' ', ',']).filter(|site| !site.is_empty() && *site != "-");
    let is = Some(Texts(sites.map(str::to_owned).collect()));
    Wanted::Acts(MoveSet { is, ..MoveSet::default() })
}

/// The position of a board with a player on turn.
fn position(grid: &Grid, side: &Side) -> String {
    format!("{} {}", grid.placement(), side.turn)
}

/// Asks for the score of both players, by a plain count.
fn scores(table: &Table<'_>, case: &mut Case, line: usize, grid: &Grid) {
    let Some([first, second]) = pair(table) else { return };
    for (side, count) in [first, second].into_iter().zip(grid.areas([first.piece, second.piece])) {
        let player = vec![Cell::Text(side.player.clone())];
        let count = Wanted::Value(Cell::Text(count.to_string()));
        case.ask(line, Question::Value("score".into(), player), count);
    }
}

fn pair<'t>(table: &'t Table<'_>) -> Option<[&'t Side; 2]> {
    let sides: Vec<&Side> = table.meaning?.sides.0.iter().map(|(_, side)| side).collect();
    sides.try_into().ok()
}

/// Second minus first, by a plain count, with something added for the second one.
fn difference(table: &Table<'_>, grid: &Grid, added: &str) -> Option<String> {
    let [first, second] = pair(table)?;
    let [a, b] = grid.areas([first.piece, second.piece]);
    let sum = b as f64 - a as f64 + added.parse::<f64>().ok()?;
    Some(sum.to_string())
}

/// The word by which a table says what is added for the second player.
fn added(table: &Table<'_>, words: &Words) -> String {
    let carry = table.meaning.and_then(|meaning| meaning.carry.0.first());
    carry.and_then(|(key, _)| word(words, key)).unwrap_or("0").to_owned()
}

/// Acts with every closed site after each of them, up to the end of the game.
pub(super) fn traces(table: &mut Table<'_>, text: &str) {
    for block in blocks(text) {
        let (line, id) = head(&block);
        let parts = (rest(&block, "rules "), board(&block, "start "), rest(&block, "start "));
        let (Some((_, rules)), Some(start), Some((_, begun))) = parts else {
            table.problem(line, "a trace has a line `rules`, a line `start` and a board");
            continue;
        };
        let (rules, begun) = (words(rules), words(begun));
        let mut case = table.case_for(id, line, &rules, start.size());
        if word(&begun, "n") != Some("0") && case.tier == Tier::WhenEncoded {
            case.tier = Tier::Waiting("the acts before its first position are not given".into());
        }
        let Some(mut mover) = word(&begun, "to-move").map(str::to_owned) else { continue };
        let Some(side) = table.side(&mover) else { continue };
        case.script.position = Some(position(&start, side));
        if let Some((line, sites)) = rest(&block, "illegal-at-start") {
            case.ask(line, Question::Closed, closed(sites));
        }
        let mut over = false;
        for (line, text) in block.iter().filter(|(_, text)| text.contains(" | all-illegal=")) {
            let cells: Vec<&str> = text.split('|').map(str::trim).collect();
            let act = cells.first().and_then(|act| act.split_once(' '));
            let phase = cells.iter().find_map(|cell| cell.strip_prefix("phase="));
            let (Some((who, what)), true) = (act, phase == Some("0")) else { break };
            if who != mover {
                table.problem(*line, "the other player has the turn");
                break;
            }
            case.act(*line, what);
            mover = table.other(who).unwrap_or_default().to_owned();
            if let Some(end) = cells.iter().find_map(|cell| cell.strip_prefix("over ")) {
                ending(table, &mut case, *line, &block, &words(end), &added(table, &rules));
                over = true;
                break;
            }
            let sites = cells.iter().find_map(|cell| cell.strip_prefix("all-illegal="));
            case.ask(*line, Question::Closed, closed(sites.unwrap_or_default()));
        }
        let played = case.script.steps.len() as u64;
        let (files, ranks) = start.size();
        case.cost = played * (files * ranks) as u64;
        let whole = !over || block.iter().filter(|(_, text)| text.contains("| over ")).count() == 1;
        if let (Some(last), Some((line, _)), Some(side), true) =
            (board(&block, "final"), rest(&block, "final"), table.side(&mover), whole && ends_here(&block))
        {
            case.ask(line, Question::State, Wanted::Position(position(&last, side)));
        }
        table.push(case);
    }
}

/// Whether the acts of a trace stop with the first end of the game, or before.
fn ends_here(block: &[(usize, &str)]) -> bool {
    let acts: Vec<&str> =
        block.iter().map(|(_, text)| *text).filter(|text| text.contains("| phase=")).collect();
    let over = acts.iter().position(|text| text.contains("| over "));
    let phased = acts.iter().any(|text| !text.contains("| phase=0"));
    !phased && over.is_none_or(|at| at + 1 == acts.len())
}

/// The end of a trace: who wins, if the published margin is a plain count of the last board.
fn ending(
    table: &Table<'_>,
    case: &mut Case,
    line: usize,
    block: &[(usize, &str)],
    end: &Words,
    added: &str,
) {
    let margin = word(end, "white-minus-black").unwrap_or_default();
    let plain = board(block, "final").and_then(|grid| difference(table, &grid, added));
    if !ends_here(block) || !plain.is_some_and(|plain| same_value(&plain, margin)) {
        return;
    }
    let Some(side) = word(end, "winner").and_then(|winner| table.side(winner)) else { return };
    let ended = Ended { ended: format!("{} wins", side.player), ..Ended::default() };
    case.ask(line, Question::Status, Wanted::Status(Status::Ended(ended)));
}

/// Lines like `B F4,W G4` as steps; a player who is not on turn waits for a pass of the other one.
fn play(table: &Table<'_>, case: &mut Case, line: usize, acts: &str, mover: &mut String) {
    for act in acts.split(',').map(str::trim).filter(|act| *act != "-") {
        let Some((who, what)) = act.split_once(' ') else {
            return table.problem(line, format!("`{act}` is not a player and an act"));
        };
        if who != mover {
            case.act(line, "pass");
        }
        case.act(line, what);
        *mover = table.other(who).unwrap_or_default().to_owned();
    }
}

/// Asks how far the second player is ahead, once the pieces on some sites are taken off.
fn lead(table: &Table<'_>, case: &mut Case, line: usize, removed: Vec<String>, published: &str) {
    let Some([_, second]) = pair(table) else { return };
    let removed = Cell::List(removed.into_iter().map(Cell::Text).collect());
    let arguments = vec![Cell::Text(second.player.clone()), removed];
    let published = Wanted::Value(Cell::Text(published.to_owned()));
    case.ask(line, Question::Value(table.name("difference"), arguments), published);
}

/// Positions with a published count.
pub(super) fn counts(table: &mut Table<'_>, text: &str) {
    let blocks = blocks(text);
    let known = |id: &str| blocks.iter().any(|block| head(block).1 == id);
    for (id, _) in table.declared.removed.0.iter().filter(|(id, _)| !known(id)) {
        table.problem(1, format!("there is no case `{id}` in which something could be taken off"));
    }
    for block in blocks {
        let (line, id) = head(&block);
        let parts = (rest(&block, "rules "), board(&block, "initial"), board(&block, "scored position"));
        let (Some((_, rules)), Some(first), Some(last)) = parts else {
            table.problem(line, "a count has a line `rules` and two boards");
            continue;
        };
        let rules = words(rules);
        let mut case = table.case_for(id, line, &rules, first.size());
        let begun = rest(&block, "start-phase=").map(|(_, text)| words(text)).unwrap_or_default();
        let mut mover = word(&begun, "first-to-move").unwrap_or_default().to_owned();
        let Some(side) = table.side(&mover) else { continue };
        case.script.position = Some(position(&first, side));
        if let Some((line, acts)) = rest(&block, "moves ") {
            play(table, &mut case, line, acts, &mut mover);
        }
        let expected = rest(&block, "expected ").map(|(line, text)| (line, words(text)));
        let (Some((line, expected)), Some(side)) = (expected, table.side(&mover)) else { continue };
        case.ask(line, Question::State, Wanted::Position(position(&last, side)));
        let plain = difference(table, &last, &added(table, &rules)).unwrap_or_default();
        let published = word(&expected, "white-minus-black").unwrap_or_default();
        let removed = table.declared.removed.0.iter().find(|(known, _)| known == id);
        let removed = removed.map(|(_, sites)| sites.0.clone()).unwrap_or_default();
        if let Some(act) = table.done(&rules) {
            if !case.script.steps.iter().any(|step| matches!(step, Step::Do(done) if done == act)) {
                case.act(line, act);
            }
        } else if removed.is_empty() && same_value(&plain, published) {
            scores(table, &mut case, line, &last);
        }
        lead(table, &mut case, line, removed, published);
        table.push(case);
    }
}

/// Positions with the area of each player, and with the published counts under other words where the first
/// one is the plain count.
pub(super) fn areas(table: &mut Table<'_>, text: &str) {
    for block in blocks(text) {
        let (line, id) = head(&block);
        let published = block.iter().find_map(|(number, text)| {
            let (counts, strict) = text.split_once("| strict area ")?;
            Some((*number, words(strict), words(counts)))
        });
        let (Some(grid), Some((at, published, counts))) = (board(&block, "case "), published) else {
            table.problem(line, "an area has a board and a line of counts");
            continue;
        };
        let mut case = table.case_for(id, line, &Words::new(), grid.size());
        let Some([first, second]) = pair(table) else { continue };
        case.script.position = Some(position(&grid, first));
        let wrong =
            [first, second].iter().zip(grid.areas([first.piece, second.piece])).any(|(side, count)| {
                let letter = table.meaning.and_then(|meaning| {
                    meaning.sides.0.iter().find(|(_, known)| known.player == side.player)
                });
                letter.and_then(|(letter, _)| word(&published, letter)) != Some(count.to_string().as_str())
            });
        scores(table, &mut case, at, &grid);
        if wrong {
            table.problem(at, "the plain count of this board is another one");
        }
        table.push(case);
        let plain = difference(table, &grid, "0").unwrap_or_default();
        let mut counts = counts.into_iter();
        if counts.next().is_none_or(|(_, first)| !same_value(&first, &plain)) {
            continue;
        }
        for (value, count) in counts {
            let words = vec![(table.name("varied"), value.clone())];
            let mut case = table.case_for(&format!("{id}-{value}"), line, &words, grid.size());
            let Some([first, _]) = pair(table) else { continue };
            case.script.position = Some(position(&grid, first));
            lead(table, &mut case, at, Vec::new(), &count);
            table.push(case);
        }
    }
}

/// Acts, positions and placements with the board that they lead to.
pub(super) fn boards(table: &mut Table<'_>, text: &str) {
    for block in blocks(text) {
        let (line, name) = head(&block);
        let kind = block.first().and_then(|(_, text)| text.split_whitespace().next()).unwrap_or_default();
        let grid = board(&block, if kind == "score" { "score" } else { "result" });
        let Some(grid) = grid else {
            table.problem(line, "there is no board");
            continue;
        };
        let id = format!("{kind}-{name}");
        let mut case = table.case_for(&id, line, &Words::new(), grid.size());
        let Some([first, second]) = pair(table) else { continue };
        case.script.position = Some(position(&Grid::empty(grid.size()), first));
        match kind {
            "play" => {
                let mut mover = table.meaning.and_then(|meaning| meaning.sides.0.first());
                let mut mover = mover.take().map(|(letter, _)| letter.clone()).unwrap_or_default();
                if let Some((line, acts)) = rest(&block, "moves ") {
                    play(table, &mut case, line, acts, &mut mover);
                }
                let Some(side) = table.side(&mover) else { continue };
                case.ask(line, Question::State, Wanted::Position(position(&grid, side)));
                if let Some((line, sites)) = rest(&block, &format!("{} ", table.name("closed"))) {
                    case.ask(line, Question::Closed, closed(sites));
                }
            }
            "setup" => {
                let Some(given) = placed(table, &block, grid.size()) else {
                    table.problem(line, "the sites cannot be read");
                    continue;
                };
                let Some([first, _]) = pair(table) else { continue };
                case.script.position = Some(position(&given, first));
                if let Some((line, truth)) = rest(&block, "legal-as-given=") {
                    let question = Question::Value(table.name("definition"), Vec::new());
                    case.ask(line, question, Wanted::Value(Cell::Text(truth.to_lowercase())));
                }
                table.push(case);
                continue;
            }
            _ => case.script.position = Some(position(&grid, first)),
        }
        if let Some((line, count)) = rest(&block, "area ") {
            let [a, b] = grid.areas([first.piece, second.piece]);
            let published = words(count).into_iter().next().map(|(_, value)| value).unwrap_or_default();
            scores(table, &mut case, line, &grid);
            if !same_value(&(a as i64 - b as i64).to_string(), &published) {
                table.problem(line, "the plain count of this board is another one");
            }
        }
        table.push(case);
    }
}

/// The board of a line `black A1 B2 white C3`.
fn placed(table: &Table<'_>, block: &[(usize, &str)], size: (usize, usize)) -> Option<Grid> {
    use rulebook_model::board::{Board, SiteNames};
    let (files, ranks) = (u16::try_from(size.0).ok()?, u16::try_from(size.1).ok()?);
    let names = Board { files, ranks, names: SiteNames::LettersWithoutI, ..Board::default() };
    let mut grid = Grid::empty(size);
    let sides = pair(table)?;
    let mut piece = None;
    let (_, text) = block.iter().find(|(_, text)| sides.iter().any(|side| text.starts_with(&side.player)))?;
    for word in text.split_whitespace() {
        match sides.iter().find(|side| side.player == word) {
            Some(side) => piece = Some(side.piece),
            None => {
                let site = names.site(word)?;
                let row = usize::from(ranks.checked_sub(names.rank(site))?);
                grid.put(row * size.0 + usize::from(names.file(site)) - 1, piece?);
            }
        }
    }
    Some(grid)
}
