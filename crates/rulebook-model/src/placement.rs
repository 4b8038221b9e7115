//! Placements: the text that says what stands where.
//!
//! Invariant: a text is read whole or not at all; the error says which rank or sign does not fit. What a
//! hand or a mark means is not known here, only how it is written.

use std::ops::Range;

use crate::ruleset::{Cell, RuleSet};
use crate::value::Sites;

/// What a placement says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// What stands where.
    pub cells: Vec<Cell>,
    /// The sites whose letter has a mark behind it.
    pub marked: Sites,
    /// How many pieces are in hand: for each player one number for each kind.
    pub hands: Vec<usize>,
}

/// Why a placement does not fit, and the bytes of it that do not.
pub type Misplaced = (Range<usize>, String);

/// Reads a placement: ranks from the top, parted by `/`; letters for pieces, numbers and `.` for empty sites;
/// and, where the notation knows them, marks behind letters and pieces in hand in brackets at the end.
///
/// # Errors
/// Says which rank does not fit, or which letter is unknown.
pub fn read(rules: &RuleSet, whole: &str) -> Result<Placement, Misplaced> {
    // Every text below is a part of the whole, so its place is known.
    let place = |part: &str| {
        let start = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize).min(whole.len());
        start..(start + part.len()).min(whole.len())
    };
    let board = &rules.board;
    let mut made = Placement {
        cells: vec![Cell::EMPTY; board.len()],
        marked: Sites::EMPTY,
        hands: vec![0; rules.players.len() * rules.kinds.len()],
    };
    let mut text = whole.trim();
    if let Some(body) = text.strip_suffix(']').filter(|_| rules.notation.hands.is_some()) {
        let Some((board, held)) = body.split_once('[') else {
            return Err((place(text), "a `]` needs a `[` before it".into()));
        };
        text = board;
        let mut held = if held == "-" { "" } else { held };
        while !held.is_empty() {
            let (kind, player, rest) = piece(rules, held).map_err(|(word, why)| (place(word), why))?;
            let place = usize::from(player) * rules.kinds.len() + usize::from(kind);
            if let Some(slot) = made.hands.get_mut(place) {
                *slot += 1;
            }
            held = rest;
        }
    }
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != usize::from(board.ranks) {
        return Err((place(text), format!("the board has {} ranks, not {}", board.ranks, ranks.len())));
    }
    for (index, text) in ranks.iter().enumerate() {
        let rank = i64::from(board.ranks) - index as i64;
        let (mut file, mut blanks) = (0_i64, 0_i64);
        let mut rest = *text;
        while let Some(sign) = rest.chars().next() {
            let tail = rest.get(sign.len_utf8()..).unwrap_or_default();
            if let Some(digit) = sign.to_digit(10) {
                blanks = (blanks * 10 + i64::from(digit)).min(1000);
                rest = tail;
                continue;
            }
            file += blanks + 1;
            blanks = 0;
            if sign == '.' {
                rest = tail;
                continue;
            }
            let (kind, player, tail) = piece(rules, rest).map_err(|(word, why)| (place(word), why))?;
            rest = tail;
            let Some(site) = board.at(file, rank) else { break };
            if let Some(cell) = made.cells.get_mut(usize::from(site)) {
                *cell = Cell::piece(kind, player);
            }
            if let Some((_, mark)) = rules.notation.marks
                && let Some(tail) = rest.strip_prefix(mark)
            {
                made.marked.insert(site);
                rest = tail;
            }
        }
        if file + blanks != i64::from(board.files) {
            let width = file + blanks;
            let message = format!("rank {rank} has {width} sites; the board has {} files", board.files);
            return Err((place(text), message));
        }
    }
    Ok(made)
}

/// The kind and owner of the piece at the beginning of a text, and what follows.
///
/// # Errors
/// The word that is none of a piece, and a sentence about it.
pub fn piece<'t>(rules: &RuleSet, text: &'t str) -> Result<(u8, u8, &'t str), (&'t str, String)> {
    let length = text.char_indices().find(|(_, sign)| *sign != '+').map(|(at, sign)| at + sign.len_utf8());
    let (word, rest) = text.split_at_checked(length.unwrap_or(text.len())).unwrap_or((text, ""));
    let found = rules.notation.letters.iter().enumerate().find_map(|(kind, letters)| {
        letters.iter().position(|letter| letter == word).map(|player| (kind as u8, player as u8))
    });
    let Some((kind, player)) = found else {
        return Err((word, format!("`{word}` is not the letter of a piece")));
    };
    Ok((kind, player, rest))
}
