//! Tables in blocks, parted by blank lines: a head, boards as indented rows, acts, and what is true then.

use super::grid::Grid;
use super::{Side, Table, Words, word, words};
use crate::case::{Case, Tier, Wanted};
use crate::driver::{Question, Step};
use crate::judge::same_value;
use crate::scenario::{Cell, Ended, MoveSet, Status, Texts};

/// A block: its lines with their numbers.
pub(super) type Block<'t> = Vec<(usize, &'t str)>;

pub(super) fn blocks(text: &str) -> Vec<Block<'_>> {
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
pub(super) fn board(block: &[(usize, &str)], label: &str) -> Option<Grid> {
    let after = block.iter().skip_while(|(_, line)| !line.starts_with(label)).skip(1);
    Grid::new(after.map(|(_, line)| *line).take_while(|line| line.starts_with("  ")))
}

/// The rest of the first line that starts with a label.
pub(super) fn rest<'t>(block: &[(usize, &'t str)], label: &str) -> Option<(usize, &'t str)> {
    block.iter().find_map(|(number, line)| Some((*number, line.strip_prefix(label)?.trim())))
}

/// The second word of the first line, and its number.
pub(super) fn head<'t>(block: &[(usize, &'t str)]) -> (usize, &'t str) {
    let (line, text) = block.first().copied().unwrap_or((1, ""));
    (line, text.split_whitespace().nth(1).unwrap_or_default())
}

/// Sites in a list, `-` for none.
fn closed(text: &str) -> Wanted {
    let sites = text.split([' ', ',']).filter(|site| !site.is_empty() && *site != "-");
    let is = Some(Texts(sites.map(str::to_owned).collect()));
    Wanted::Acts(MoveSet { is, ..MoveSet::default() })
}

/// The position of a board with a player on turn, and with the captured pieces where the rule set counts them.
pub(super) fn position(
    table: &Table<'_>,
    rules: &Words,
    grid: &Grid,
    side: &Side,
    captured: &Words,
) -> String {
    let board = format!("{} {}", grid.placement(), side.turn);
    let letters = table.meant(rules).map(|meant| &meant.captured.0[..]).unwrap_or_default();
    if letters.is_empty() {
        return board;
    }
    let counts = letters.iter().map(|letter| word(captured, letter).unwrap_or("0"));
    format!("{board} {}", counts.collect::<Vec<&str>>().join("+"))
}

/// The captured pieces that a block tells.
fn taken(block: &[(usize, &str)]) -> Words {
    rest(block, "captured ").map(|(_, text)| words(text)).unwrap_or_default()
}

/// Asks for the score of both players, by a plain count.
fn scores(table: &Table<'_>, case: &mut Case, line: usize, grid: &Grid) {
    let Some([first, second]) = table.sides() else { return };
    for (side, count) in [first, second].into_iter().zip(grid.areas([first.piece, second.piece])) {
        let player = vec![Cell::Text(side.player.clone())];
        let count = Wanted::Value(Cell::Text(count.to_string()));
        case.ask(line, Question::Value("score".into(), player), count);
    }
}

/// Second minus first, by a plain count, with something added for the second one.
fn difference(table: &Table<'_>, grid: &Grid, added: &str) -> Option<String> {
    let [first, second] = table.sides()?;
    let [a, b] = grid.areas([first.piece, second.piece]);
    let sum = b as f64 - a as f64 + added.parse::<f64>().ok()?;
    Some(sum.to_string())
}

/// The word by which a table says what is added for the second player.
pub(super) fn carried<'a>(table: &Table<'a>) -> &'a str {
    let carry = table.meaning.and_then(|meaning| meaning.carry.0.first());
    carry.map_or("", |(key, _)| key.as_str())
}

/// What a table says is added for the second player.
pub(super) fn added<'w>(table: &Table<'_>, words: &'w Words) -> &'w str {
    word(words, carried(table)).unwrap_or("0")
}

/// The acts of a trace: line, player, act, and what the line tells of the position after it.
fn acts<'t>(block: &Block<'t>) -> Vec<(usize, &'t str, &'t str, Vec<&'t str>)> {
    let told = block.iter().filter(|(_, text)| text.contains(" | all-illegal="));
    let cells = told.map(|(line, text)| (*line, text.split('|').map(str::trim).collect::<Vec<&str>>()));
    cells
        .filter_map(|(line, cells)| {
            let (who, what) = cells.first()?.split_once(' ')?;
            Some((line, who, what, cells))
        })
        .collect()
}

/// The trace whose last board a trace begins with, where one is declared for it.
fn before<'b, 't>(
    table: &Table<'_>,
    all: &'b [Block<'t>],
    (line, id): (usize, &str),
    (start, number): (&Grid, usize),
) -> Option<&'b Block<'t>> {
    let (_, first) = table.declared.after.0.iter().find(|(known, _)| known == id)?;
    let found = all.iter().find(|block| head(block).1 == first);
    let fits =
        |block: &&Block<'t>| board(block, "final").as_ref() == Some(start) && acts(block).len() == number;
    let fitting = found.filter(fits);
    if fitting.is_none() {
        table.problem(line, format!("`{first}` does not lead to the first position of this trace"));
    }
    fitting
}

/// Acts with every closed site after each of them, up to the end of the game.
pub(super) fn traces(table: &mut Table<'_>, text: &str) {
    let all = blocks(text);
    for block in &all {
        let (line, id) = head(block);
        let parts = (rest(block, "rules "), board(block, "start "), rest(block, "start "));
        let (Some((_, rules)), Some(start), Some((_, begun))) = parts else {
            table.problem(line, "a trace has a line `rules`, a line `start` and a board");
            continue;
        };
        let (rules, begun) = (words(rules), words(begun));
        let mut case = table.case_for(id, line, &rules, start.size());
        let Some(mut mover) = word(&begun, "to-move").map(str::to_owned) else { continue };
        let number = word(&begun, "n").and_then(|number| number.parse().ok()).unwrap_or(0);
        let first = if number == 0 { None } else { before(table, &all, (line, id), (&start, number)) };
        if number != 0 && first.is_none() && case.tier == Tier::WhenEncoded {
            case.tier = Tier::Waiting("the acts before its first position are not given".into());
        }
        let root = first.and_then(|first| board(first, "start "));
        let Some(side) = table.side(&mover) else { continue };
        let from = root.as_ref().unwrap_or(&start);
        case.script.position = Some(position(table, &rules, from, side, &Words::new()));
        for (line, _, what, _) in first.map(acts).unwrap_or_default() {
            case.act(line, what);
        }
        if let Some((line, sites)) = rest(block, "illegal-at-start") {
            case.ask(line, Question::Closed, closed(sites));
        }
        let meant = table.meant(&rules);
        let (stage, counts) = (meant.and_then(|meant| meant.stage.as_ref()), meant.is_some_and(|m| m.counts));
        let mut over = false;
        for (line, who, what, cells) in acts(block) {
            let phase = cells.iter().find_map(|cell| cell.strip_prefix("phase="));
            if phase != Some("0") && stage.is_none() {
                break;
            }
            if who != mover {
                table.problem(line, "the other player has the turn");
                break;
            }
            case.act(line, what);
            mover = table.other(who).unwrap_or_default().to_owned();
            if let Some(end) = cells.iter().find_map(|cell| cell.strip_prefix("over ")) {
                let end = words(end);
                if word(&end, "noresult") == Some("True") {
                    case.ask(line, Question::Status, ended("void"));
                } else if counts {
                    let margin = word(&end, "white-minus-black").unwrap_or_default();
                    lead(table, &mut case, line, table.removed(id), margin);
                    // Where pieces come off by hand the rule set itself does not know of it.
                    if table.removed(id).is_empty() {
                        winner(table, &mut case, line, &end);
                    }
                } else {
                    ending(table, &mut case, line, block, &end, added(table, &rules));
                }
                over = true;
                break;
            }
            let sites = cells.iter().find_map(|cell| cell.strip_prefix("all-illegal="));
            case.ask(line, Question::Closed, closed(sites.unwrap_or_default()));
            if let (Some(stage), Some(phase)) = (stage, phase) {
                let phase = Wanted::Value(Cell::Text(phase.to_owned()));
                case.ask(line, Question::Value(stage.clone(), Vec::new()), phase);
            }
        }
        let played = case.script.steps.len() as u64;
        let (files, ranks) = start.size();
        case.cost = played * (files * ranks) as u64;
        let whole = !over || block.iter().filter(|(_, text)| text.contains("| over ")).count() == 1;
        let last = (board(block, "final"), rest(block, "final"), table.side(&mover));
        if let ((Some(last), Some((line, _)), Some(side)), true) =
            (last, whole && ends_here(block, stage.is_some()))
        {
            let last = position(table, &rules, &last, side, &taken(block));
            case.ask(line, Question::State, Wanted::Position(last));
        }
        table.push(case);
    }
}

/// Whether the acts of a trace stop with the first end of the game, or before.
fn ends_here(block: &[(usize, &str)], phases: bool) -> bool {
    let acts: Vec<&str> =
        block.iter().map(|(_, text)| *text).filter(|text| text.contains("| phase=")).collect();
    let over = acts.iter().position(|text| text.contains("| over "));
    let phased = acts.iter().any(|text| !text.contains("| phase=0"));
    (phases || !phased) && over.is_none_or(|at| at + 1 == acts.len())
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
    if !ends_here(block, false) || !plain.is_some_and(|plain| same_value(&plain, margin)) {
        return;
    }
    winner(table, case, line, end);
}

/// Who wins, by the word `winner`.
fn winner(table: &Table<'_>, case: &mut Case, line: usize, end: &Words) {
    let Some(side) = word(end, "winner").and_then(|winner| table.side(winner)) else { return };
    case.ask(line, Question::Status, ended(&format!("{} wins", side.player)));
}

/// An ended game.
pub(super) fn ended(how: &str) -> Wanted {
    Wanted::Status(Status::Ended(Ended { ended: how.to_owned(), ..Ended::default() }))
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
pub(super) fn lead(table: &Table<'_>, case: &mut Case, line: usize, removed: Vec<String>, published: &str) {
    let Some([_, second]) = table.sides() else { return };
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
        case.script.position = Some(position(table, &rules, &first, side, &Words::new()));
        if let Some((line, acts)) = rest(&block, "moves ") {
            play(table, &mut case, line, acts, &mut mover);
        }
        let expected = rest(&block, "expected ").map(|(line, text)| (line, words(text)));
        let (Some((line, expected)), Some(side)) = (expected, table.side(&mover)) else { continue };
        let text = position(table, &rules, &last, side, &taken(&block));
        case.ask(line, Question::State, Wanted::Position(text));
        let plain = difference(table, &last, added(table, &rules)).unwrap_or_default();
        let published = word(&expected, "white-minus-black").unwrap_or_default();
        let (removed, meant) = (table.removed(id), table.meant(&rules));
        if let Some(act) = meant.and_then(|meant| meant.done.as_ref()) {
            if !case.script.steps.iter().any(|step| matches!(step, Step::Do(done) if done == act)) {
                case.act(line, act);
            }
        } else if meant.is_some_and(|meant| meant.stage.is_none())
            && removed.is_empty()
            && same_value(&plain, published)
        {
            scores(table, &mut case, line, &last);
        }
        let by_hand = !removed.is_empty();
        lead(table, &mut case, line, removed, published);
        if let Some(stage) = meant.and_then(|meant| meant.stage.as_ref()) {
            let phase = word(&begun, "phase").unwrap_or_default();
            let told = Wanted::Value(Cell::Text(phase.to_owned()));
            case.ask(line, Question::Value(stage.clone(), Vec::new()), told);
            pass_on(&mut case, line, phase);
            if !by_hand && let Some([first, second]) = table.sides() {
                let behind = published.starts_with('-');
                let winner = if behind { first } else { second };
                case.ask(line, Question::Status, ended(&format!("{} wins", winner.player)));
            }
        }
        table.push(case);
    }
}

/// Passes until the third phase has ended, two for each; those that were made already count.
fn pass_on(case: &mut Case, line: usize, phase: &str) {
    let passed = |step: &&Step| matches!(step, Step::Do(act) if act == "pass");
    let acts = case.script.steps.iter().rev().filter(|step| matches!(step, Step::Do(_)));
    let made = acts.take_while(passed).count();
    let ended: usize = phase.parse().unwrap_or(0);
    for _ in (made % 2)..2 * 3_usize.saturating_sub(ended) {
        case.act(line, "pass");
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
        let Some([first, second]) = table.sides() else { continue };
        case.script.position = Some(position(table, &Words::new(), &grid, first, &Words::new()));
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
        let (mut counts, removed) = (counts.into_iter(), table.removed(id));
        let plain = counts.next().is_some_and(|(_, first)| same_value(&first, &plain));
        for (value, count) in counts {
            let words = vec![(table.name("varied"), value.clone())];
            let mut case = table.case_for(&format!("{id}-{value}"), line, &words, grid.size());
            let Some([first, _]) = table.sides() else { continue };
            case.script.position = Some(position(table, &Words::new(), &grid, first, &Words::new()));
            if !plain && removed.is_empty() {
                let reason = "pieces come off before the count, and the facts do not say which";
                case.tier = Tier::Waiting(reason.into());
            }
            lead(table, &mut case, at, removed.clone(), &count);
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
        let Some([first, second]) = table.sides() else { continue };
        case.script.position =
            Some(position(table, &Words::new(), &Grid::empty(grid.size()), first, &Words::new()));
        match kind {
            "play" => {
                let mut mover = table.meaning.and_then(|meaning| meaning.sides.0.first());
                let mut mover = mover.take().map(|(letter, _)| letter.clone()).unwrap_or_default();
                if let Some((line, acts)) = rest(&block, "moves ") {
                    play(table, &mut case, line, acts, &mut mover);
                }
                let Some(side) = table.side(&mover) else { continue };
                case.ask(
                    line,
                    Question::State,
                    Wanted::Position(position(table, &Words::new(), &grid, side, &Words::new())),
                );
                if let Some((line, sites)) = rest(&block, &format!("{} ", table.name("closed"))) {
                    case.ask(line, Question::Closed, closed(sites));
                }
            }
            "setup" => {
                let Some(given) = placed(table, &block, grid.size()) else {
                    table.problem(line, "the sites cannot be read");
                    continue;
                };
                let Some([first, _]) = table.sides() else { continue };
                case.script.position = Some(position(table, &Words::new(), &given, first, &Words::new()));
                if let Some((line, truth)) = rest(&block, "legal-as-given=") {
                    let question = Question::Value(table.name("definition"), Vec::new());
                    case.ask(line, question, Wanted::Value(Cell::Text(truth.to_lowercase())));
                }
                table.push(case);
                continue;
            }
            _ => case.script.position = Some(position(table, &Words::new(), &grid, first, &Words::new())),
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
    let sides = table.sides()?;
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
