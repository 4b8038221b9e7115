//! The notation section: letters, fields of a position, texts of acts.
//!
//! Invariant: no two kinds of one player share a letter, so a position text has one meaning.

use rulebook_syntax::codes;

use super::names::{ABLE, ATTACK, Scope, bit};
use super::{Checker, Meaning};
use crate::draft::{ActTextDraft, Draft, Loc, suggest};
use crate::ruleset::{ActText, Context, EndEvent, Field, Index, Notation, ResultKind, Var};
use crate::types::Type;

/// What pieces in hand are counted by.
const HANDS: [Index; 2] = [Index::Player, Index::Kind];

impl Checker<'_> {
    /// Letters are needed before the rest: placements are written with them.
    pub(super) fn letters(&mut self, drafts: &[Draft]) {
        let players = self.rules.players.len();
        let mut letters: Vec<Vec<Option<(String, Loc)>>> = vec![vec![None; players]; self.rules.kinds.len()];
        let mut turn = self.rules.players.clone();
        let faults = self.out.len();
        for section in drafts.iter().filter_map(|draft| draft.notation.as_ref()) {
            for (kind, given) in &section.letters {
                let Some(at) = self.kind_of(kind) else { continue };
                for (player, letter) in given {
                    let Some(sign) = self.sign(letter) else { continue };
                    let Some(row) = letters.get_mut(at) else { continue };
                    let Some(player) = player else {
                        // The first player's letters are capitals, the second one's small.
                        for (index, slot) in row.iter_mut().enumerate() {
                            let first = index == 0;
                            let sign =
                                if first { sign.to_ascii_uppercase() } else { sign.to_ascii_lowercase() };
                            *slot = Some((sign, letter.clone()));
                        }
                        continue;
                    };
                    let known = self.known_player(player);
                    if let Some(slot) = known.and_then(|at| row.get_mut(usize::from(at))) {
                        *slot = Some((sign, letter.clone()));
                    }
                }
            }
            for (player, letter) in &section.turn {
                let known = self.known_player(player);
                if let Some(slot) = known.and_then(|at| turn.get_mut(usize::from(at))) {
                    slot.clone_from(&letter.text);
                }
            }
        }
        let mut seen: Vec<&(String, Loc)> = Vec::new();
        let mut shared: Option<&Loc> = None;
        for piece in letters.iter().flatten().flatten() {
            let twin = seen.iter().find(|(sign, _)| *sign == piece.0);
            // A letter for all players is one letter, though it stands for several.
            if let Some((_, first)) = twin.filter(|_| shared != Some(&piece.1)) {
                shared = Some(&piece.1);
                let message = format!("two pieces share the letter `{}`", piece.0);
                let fault = piece.1.error(codes::NOTATION_INVALID, message);
                self.out.push(fault.also(&first.source, first.span, "the other one"));
            }
            seen.push(piece);
        }
        self.no_letters |= self.out.len() > faults;
        let sign = |slot: Option<(String, Loc)>| slot.map(|(sign, _)| sign).unwrap_or_default();
        let letters = letters.into_iter().map(|row| row.into_iter().map(sign).collect()).collect();
        self.rules.notation = Notation { letters, turn, ..Notation::default() };
        let sections = || drafts.iter().rev().filter_map(|draft| draft.notation.as_ref());
        if let Some(hands) = sections().find_map(|section| section.hands.as_ref()) {
            let numbers = |var: &Var| matches!(var.ty, Type::Number(_)) && var.each == HANDS;
            let message = "pieces in hand are a number for each player and kind";
            self.rules.notation.hands = self.variable_that(hands, numbers, message);
        }
        if let Some((state, sign)) = sections().find_map(|section| section.marks.as_ref()) {
            let sites = |var: &Var| var.ty == Type::Sites && var.each.is_empty();
            let var = self.variable_that(state, sites, "marks stand at a set of sites");
            let sign = self.letter(sign);
            self.rules.notation.marks = var.zip(sign);
        }
    }

    /// A variable that is of the right type for its place.
    fn variable_that(&mut self, loc: &Loc, fits: impl Fn(&Var) -> bool, message: &str) -> Option<u16> {
        let at = self.variable(loc)?;
        if self.rules.vars.get(usize::from(at)).is_some_and(fits) {
            return Some(at);
        }
        self.out.push(loc.error(codes::NOTATION_INVALID, message));
        None
    }

    /// The sign of a kind: a letter, perhaps behind a `+`.
    fn sign(&mut self, sign: &Loc) -> Option<String> {
        let (plus, letter) = match sign.text.strip_prefix('+') {
            Some(rest) => ("+", Loc { text: rest.to_owned(), ..sign.clone() }),
            None => ("", sign.clone()),
        };
        Some(format!("{plus}{}", self.letter(&letter)?))
    }

    /// The number of a kind of piece.
    pub(super) fn kind_of(&mut self, kind: &Loc) -> Option<usize> {
        let found = self.rules.kinds.iter().position(|known| *known == kind.text);
        if found.is_none() && !self.lost.contains(&kind.text) {
            let message = format!("there is no kind of piece `{}`", kind.text);
            let known = self.rules.kinds.iter().map(String::as_str);
            let fault = suggest(kind.error(codes::NAME_UNKNOWN, message), &kind.text, known);
            self.out.push(fault);
        }
        found
    }

    /// The number of a player.
    pub(super) fn known_player(&mut self, player: &Loc) -> Option<u8> {
        let found = self.rules.player(&player.text);
        if found.is_none() && !self.lost.contains(&player.text) {
            let message = format!("`{}` is not a player", player.text);
            let known = self.rules.players.iter().map(String::as_str);
            let fault = suggest(player.error(codes::NAME_UNKNOWN, message), &player.text, known);
            self.out.push(fault);
        }
        found
    }

    /// One letter that has no other meaning in a position text.
    fn letter(&mut self, letter: &Loc) -> Option<char> {
        let mut chars = letter.text.chars();
        let (Some(sign), None) = (chars.next(), chars.next()) else {
            self.out.push(letter.error(codes::NOTATION_INVALID, "this must be one letter"));
            return None;
        };
        if sign.is_ascii_digit() || "/.[]+ ".contains(sign) {
            self.out.push(letter.error(codes::NOTATION_INVALID, "this sign has another meaning"));
            return None;
        }
        Some(sign)
    }

    /// Fields and texts, once variables and acts are known.
    pub(super) fn notation(&mut self, drafts: &[Draft]) {
        for section in drafts.iter().filter_map(|draft| draft.notation.as_ref()) {
            if !section.fields.is_empty() {
                self.rules.notation.fields =
                    section.fields.iter().filter_map(|field| self.field_of(field, drafts)).collect();
            }
            if !section.suffixes.is_empty() {
                self.rules.notation.suffixes = self.act_texts(&section.suffixes);
            }
            for (kind, letter) in &section.records {
                if let Some(at) = self.kind_of(kind) {
                    self.rules.notation.records.retain(|(_, known)| usize::from(*known) != at);
                    self.rules.notation.records.push((letter.text.clone(), at as u8));
                }
            }
        }
        for (what, event) in drafts.iter().filter_map(|draft| draft.notation.as_ref()).flat_map(|s| &s.clock)
        {
            let Some(at) = self.event_of(event) else { continue };
            let clock = &mut self.rules.notation.clock;
            match what.text.as_str() {
                "start" => clock.start = Some(at),
                "press" => clock.press = Some(at),
                "fall" => clock.fall = Some(at),
                _ => {}
            }
        }
        let sections = || drafts.iter().rev().filter_map(|draft| draft.notation.as_ref());
        if let Some(section) = sections().find(|section| !section.ends.is_empty()) {
            for end in &section.ends {
                let result = match end.result.text.as_str() {
                    "win" => ResultKind::Win,
                    "draw" => ResultKind::Draw,
                    _ => {
                        let message = "a result of records is `win` or `draw`";
                        self.out.push(end.result.error(codes::NOTATION_INVALID, message));
                        continue;
                    }
                };
                if let Some(event) = self.event_of(&end.event) {
                    let cause = end.cause.as_ref().map(|cause| cause.text.to_lowercase()).unwrap_or_default();
                    self.rules.notation.ends.push(EndEvent { cause, result, event });
                }
            }
        }
        if let Some(section) = sections().find(|section| !section.names.is_empty()) {
            self.rules.notation.names = self.act_texts(&section.names);
        }
        if self.rules.notation.fields.is_empty() && !self.rules.board.is_empty() {
            self.rules.notation.fields = vec![Field::Board, Field::Turn];
        }
    }

    /// An event that a record can stand for: one that comes with nothing. A base may name one whose clauses a
    /// layer has dropped.
    fn event_of(&mut self, event: &Loc) -> Option<u16> {
        let Some(at) = self.rules.events.iter().position(|known| *known == event.text) else {
            if event.source == self.top {
                let message = format!("there is no event `{}`", event.text);
                let known = self.rules.events.iter().map(String::as_str);
                let fault = suggest(event.error(codes::NAME_UNKNOWN, message), &event.text, known);
                self.out.push(fault);
            }
            return None;
        };
        let with = self.rules.arguments.get(at).and_then(Option::as_ref);
        if with.is_some_and(|with| !with.is_empty()) {
            let message = format!("`{}` comes with something, which a record does not say", event.text);
            self.out.push(event.error(codes::NOTATION_INVALID, message));
            return None;
        }
        Some(at as u16)
    }

    fn act_texts(&mut self, drafts: &[ActTextDraft]) -> Vec<ActText> {
        let mut texts = Vec::new();
        for draft in drafts {
            let source = &draft.text.source;
            let of_act =
                [Context::Mover, Context::Actor, Context::From, Context::To, Context::Piece, Context::Taken];
            let rest = bit(Context::Stuck) | bit(Context::Played) | ABLE | ATTACK;
            let contexts = of_act.into_iter().fold(rest, |bits, context| bits | bit(context));
            let mut scope = Scope::new(source, contexts);
            for (at, name) in self.rules.bindings.clone().iter().enumerate() {
                scope.bindings.push((name.clone(), at as u16, Type::Unknown));
            }
            // A text of a base for an act whose clauses a layer has dropped has nothing left to name.
            let dropped = |act: &Loc| act.source != self.top && !self.rules.acts.contains(&act.text);
            if draft.act.as_ref().is_some_and(dropped) {
                continue;
            }
            let act = match &draft.act {
                Some(act) => match self.act(&act.text, act.span, &act.source) {
                    Some(act) => Some(act),
                    None => continue,
                },
                None => None,
            };
            let when = draft.when.as_ref().map(|when| self.code(&when.it, &Type::Truth, &scope));
            texts.push(ActText { act, when, text: draft.text.text.clone() });
        }
        texts
    }

    fn field_of(&mut self, field: &Loc, drafts: &[Draft]) -> Option<Field> {
        match field.text.as_str() {
            "board" => return Some(Field::Board),
            "turn" => return Some(Field::Turn),
            "move" => return Some(Field::Move),
            "sides" => {
                let sections = drafts.iter().rev().filter_map(|draft| draft.notation.as_ref());
                let Some(sides) = sections.into_iter().find_map(|section| section.sides.as_ref()) else {
                    self.out.push(field.error(codes::FILE_MISSING_KEY, "the field `sides` is not described"));
                    return None;
                };
                let (of, about) = (self.kind_of(&sides.of), self.kind_of(&sides.about));
                let (east, west) = (self.letter(&sides.east), self.letter(&sides.west));
                let var = self.variable(&sides.state)?;
                return Some(Field::Sides {
                    var,
                    of: of? as u8,
                    about: about? as u8,
                    east: east?,
                    west: west?,
                });
            }
            _ => {}
        }
        let var = self.variable(field)?;
        match self.rules.vars.get(usize::from(var)).map(|var| (&var.ty, &var.each[..])) {
            Some((Type::Site, [])) => Some(Field::Site(var)),
            Some((Type::Sites, [])) => Some(Field::Sites(var)),
            Some((Type::Number(_), [] | [Index::Player])) => Some(Field::Number(var)),
            _ => {
                let message = "only sites, numbers and numbers of players can be fields of a position";
                self.out.push(field.error(codes::NOTATION_INVALID, message));
                None
            }
        }
    }

    fn variable(&mut self, loc: &Loc) -> Option<u16> {
        self.used.insert(loc.text.clone());
        if let Some((Meaning::Var(at), _)) = self.names.get(&loc.text) {
            return Some(*at);
        }
        if self.lost.contains(&loc.text) {
            return None;
        }
        let message = format!("`{}` is not a state variable", loc.text);
        let known = self.rules.vars.iter().map(|var| var.name.as_str());
        let fault = suggest(loc.error(codes::NAME_UNKNOWN, message), &loc.text, known);
        self.out.push(fault);
        None
    }
}
