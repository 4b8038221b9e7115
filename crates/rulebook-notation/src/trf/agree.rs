//! Whether the lines of a report agree with each other.
//!
//! Invariant: two entries who met in a round say so both, with two colours and with results that belong together; a
//! sum that does not add up is a warning, for points may have been given or taken by other means.

use std::collections::HashMap;

use rulebook_model::Number;
use rulebook_syntax::Span;

use super::{Cell, Mark, Notes, Player, Report};

/// Looks at all entries; a colour that only the opponent has is filled in.
pub(super) fn agree(report: &mut Report, notes: &mut Notes<'_>) {
    let mut known: HashMap<u16, usize> = HashMap::new();
    for (at, player) in report.players.iter().enumerate() {
        if let Some(before) = known.get(&player.number) {
            let other = report.players.get(*before).map(|player| player.span).unwrap_or_default();
            let message = format!("two entries have the number {}", player.number);
            notes.contradiction(player.span, message, other, "the other one");
        } else {
            known.insert(player.number, at);
        }
    }
    for (number, span) in report.facts.named() {
        if !known.contains_key(&number) {
            notes.error(span, format!("there is no entry {number}"));
        }
    }
    if let Some((count, span)) = report.facts.count
        && count != report.players.len()
    {
        notes.warning(span, format!("{count} entries here, but there are {}", report.players.len()));
    }
    let mut colours = Vec::new();
    for (at, player) in report.players.iter().enumerate() {
        for (round, cell) in player.rounds.iter().enumerate() {
            let Some(number) = cell.opponent else { continue };
            let Some(other) =
                known.get(&number).and_then(|other| Some((*other, report.players.get(*other)?)))
            else {
                notes.error(cell.span, format!("there is no entry {number}"));
                continue;
            };
            if other.0 == at {
                notes.error(cell.span, format!("{number} meets itself in round {}", round + 1));
                continue;
            }
            meet((at, player, cell), other, round, &mut colours, notes);
        }
    }
    for (at, round, cell) in colours {
        if let Some(slot) = report.players.get_mut(at).and_then(|player| player.rounds.get_mut(round)) {
            *slot = cell;
        }
    }
    byes(report, &known, notes);
    left_over(report, notes);
    // What does not add up where something cannot be read is no news.
    if notes.errors.is_empty() {
        sums(report, notes);
    }
}

/// Byes that have a line of their own and are not among the rounds of their entries, for rounds that have been paired.
fn byes(report: &mut Report, known: &HashMap<u16, usize>, notes: &mut Notes<'_>) {
    let played = report.played();
    for bye in &report.facts.byes {
        let Some(player) = known.get(&bye.player).and_then(|at| report.players.get_mut(*at)) else {
            continue;
        };
        let Some(round) = bye.round.checked_sub(1) else { continue };
        match player.rounds.get(round).filter(|cell| !cell.is_blank()) {
            Some(cell) if cell.mark == Some(bye.mark) => {}
            Some(cell) => {
                let message = format!("{} does not have this bye in round {}", bye.player, bye.round);
                notes.contradiction(bye.span, message, cell.span, "what it has");
            }
            None if bye.round > played => {}
            None => {
                player.rounds.resize(player.rounds.len().max(bye.round), Cell::default());
                if let Some(cell) = player.rounds.get_mut(round) {
                    *cell = Cell { mark: Some(bye.mark), span: bye.span, ..Cell::default() };
                }
            }
        }
    }
}

type Seen<'a> = (usize, &'a Player, &'a Cell);

/// One entry in a round with its opponent.
fn meet(
    (at, player, cell): Seen<'_>,
    (other_at, other): (usize, &Player),
    round: usize,
    colours: &mut Vec<(usize, usize, Cell)>,
    notes: &mut Notes<'_>,
) {
    let (number, whom) = (player.number, other.number);
    let back = other.rounds.get(round).copied().unwrap_or(Cell { span: other.span, ..Cell::default() });
    let the_round = round + 1;
    if back.opponent != Some(number) {
        let says = match back.opponent {
            Some(third) => format!("{whom} meets {third}"),
            None => format!("{whom} meets nobody"),
        };
        let message = format!("{number} meets {whom} in round {the_round}, but {says}");
        notes.contradiction(cell.span, message, back.span, "as it stands there");
        return;
    }
    match (cell.colour, back.colour) {
        (Some(one), Some(two)) if one == two && at < other_at => {
            let message = format!("{number} and {whom} have the same colour in round {the_round}");
            notes.contradiction(back.span, message, cell.span, "the other one");
        }
        (None, Some(colour)) => {
            notes.warning(cell.span, format!("a colour is missing; it is the one that {whom} has not"));
            colours.push((at, round, Cell { colour: Some(colour.other()), ..*cell }));
        }
        (None, None) if at < other_at => {
            let message = format!("neither {number} nor {whom} has a colour in round {the_round}");
            notes.contradiction(cell.span, message, back.span, "the other one");
        }
        _ => {}
    }
    if at > other_at {
        return;
    }
    match (cell.mark, back.mark) {
        (None, None) => {}
        (Some(one), Some(two)) if fits(one, two) => {}
        (Some(one), Some(two)) if unusual(one, two) => {
            let message =
                format!("`{}` against `{}` is unusual; it is read as it stands", one.sign(), two.sign());
            notes.warning(cell.span, message);
        }
        (one, two) => {
            let sign = |mark: Option<Mark>| {
                mark.map_or_else(|| "no result".into(), |mark| format!("`{}`", mark.sign()))
            };
            let message = format!(
                "{number} has {} against {whom} in round {the_round}, but {whom} has {}",
                sign(one),
                sign(two)
            );
            notes.contradiction(back.span, message, cell.span, "the other one");
        }
    }
}

/// Results that belong together.
fn fits(one: Mark, two: Mark) -> bool {
    use Mark::{Draw, ForfeitLoss, ForfeitWin, Loss, UnratedDraw, UnratedLoss, UnratedWin, Win};
    matches!(
        (one, two),
        (Win, Loss)
            | (Loss, Win)
            | (Draw, Draw)
            | (UnratedWin, UnratedLoss)
            | (UnratedLoss, UnratedWin)
            | (UnratedDraw, UnratedDraw)
            | (ForfeitWin, ForfeitLoss)
            | (ForfeitLoss, ForfeitWin | ForfeitLoss)
    )
}

/// Results that an arbiter may give: nobody won, and not both have drawn.
fn unusual(one: Mark, two: Mark) -> bool {
    use Mark::{Draw, Loss, UnratedDraw, UnratedLoss};
    matches!(
        (one, two),
        (Loss, Loss | Draw)
            | (Draw, Loss)
            | (UnratedLoss, UnratedLoss | UnratedDraw)
            | (UnratedDraw, UnratedLoss)
    )
}

/// Only one entry can be left over in a round.
fn left_over(report: &Report, notes: &mut Notes<'_>) {
    let mut first: HashMap<usize, (u16, Span)> = HashMap::new();
    for player in &report.players {
        for (round, cell) in player.rounds.iter().enumerate() {
            if cell.mark != Some(Mark::Allocated) {
                continue;
            }
            match first.get(&round) {
                None => drop(first.insert(round, (player.number, cell.span))),
                Some((other, _)) => {
                    let message = format!("{other} is left over in round {} too", round + 1);
                    notes.warning(cell.span, message);
                }
            }
        }
    }
}

/// Whether points are what the rounds add up to: all of them, or those that have been paired.
fn sums(report: &Report, notes: &mut Notes<'_>) {
    let played = report.played();
    for player in &report.players {
        let Some(said) = player.points else { continue };
        let first = added(report, player);
        let sum = |rounds: usize| {
            (0..rounds).fold(first, |sum, round| sum.plus(report.worth(player, round)).unwrap_or(sum))
        };
        let after = sum(played);
        if said != after && said != sum(player.rounds.len()) {
            let message =
                format!("{} has {said} points here, but the rounds add up to {after}", player.number);
            notes.warning(player.points_span, message);
        }
    }
}

/// Points that are given or taken besides those of rounds.
fn added(report: &Report, player: &Player) -> Number {
    let adjusted = report.facts.adjusted.iter().filter(|adjusted| adjusted.mark.is_none());
    let mine =
        adjusted.filter(|adjusted| adjusted.players.iter().any(|(number, _)| *number == player.number));
    mine.fold(Number::ZERO, |sum, adjusted| sum.plus(adjusted.points).unwrap_or(sum))
}

impl Report {
    /// What a round, counted from zero, was worth to an entry.
    pub fn worth(&self, player: &Player, round: usize) -> Number {
        let cell = player.rounds.get(round).copied().unwrap_or_default();
        let special = self.facts.adjusted.iter().find(|adjusted| {
            adjusted.mark.is_some()
                && adjusted.mark == cell.mark
                && adjusted.round.is_none_or(|known| known == round + 1)
                && adjusted.players.iter().any(|(number, _)| *number == player.number)
        });
        special.map_or_else(|| self.facts.scoring.points(&cell), |adjusted| adjusted.points)
    }
}
