//! The notation section: letters, fields of a position, texts of acts.
//!
//! Invariant: no two kinds of one player share a letter, so a position text has one meaning.

use rulebook_syntax::codes;

use super::terms::{ABLE, ATTACK, Scope, bit};
use super::{Checker, Meaning};
use crate::draft::{ActTextDraft, Draft, Loc, suggest};
use crate::ruleset::{ActText, Context, Field, Notation};
use crate::types::Type;

impl Checker<'_> {
    /// Letters are needed before the rest: placements are written with them.
    pub(super) fn letters(&mut self, drafts: &[Draft]) {
        let players = self.rules.players.len();
        let mut notation = Notation {
            letters: vec![vec![' '; players]; self.rules.kinds.len()],
            turn: self.rules.players.clone(),
            ..Notation::default()
        };
        for section in drafts.iter().filter_map(|draft| draft.notation.as_ref()) {
            for (kind, letters) in &section.letters {
                let Some(at) = self.rules.kinds.iter().position(|known| *known == kind.text) else {
                    let message = format!("there is no kind of piece `{}`", kind.text);
                    let known = self.rules.kinds.iter().map(String::as_str);
                    let fault = suggest(kind.error(codes::NAME_UNKNOWN, message), &kind.text, known);
                    self.out.push(fault);
                    continue;
                };
                for (player, letter) in letters {
                    let mut chars = letter.text.chars();
                    let (Some(sign), None) = (chars.next(), chars.next()) else {
                        self.out.push(letter.error(codes::NOTATION_INVALID, "this must be one letter"));
                        continue;
                    };
                    if sign.is_ascii_digit() || "/.[]+ ".contains(sign) {
                        self.out.push(letter.error(codes::NOTATION_INVALID, "this sign has another meaning"));
                        continue;
                    }
                    let Some(row) = notation.letters.get_mut(at) else { continue };
                    match player {
                        // The first player's letters are capitals, the second one's small.
                        None => {
                            for (index, slot) in row.iter_mut().enumerate() {
                                *slot = if index == 0 {
                                    sign.to_ascii_uppercase()
                                } else {
                                    sign.to_ascii_lowercase()
                                };
                            }
                        }
                        Some(player) => match self.rules.player(&player.text) {
                            Some(at) => {
                                if let Some(slot) = row.get_mut(usize::from(at)) {
                                    *slot = sign;
                                }
                            }
                            None => {
                                let message = format!("`{}` is not a player", player.text);
                                self.out.push(player.error(codes::NAME_UNKNOWN, message));
                            }
                        },
                    }
                }
            }
            for (player, letter) in &section.turn {
                match self.rules.player(&player.text).and_then(|at| notation.turn.get_mut(usize::from(at))) {
                    Some(slot) => slot.clone_from(&letter.text),
                    None => {
                        let message = format!("`{}` is not a player", player.text);
                        self.out.push(player.error(codes::NAME_UNKNOWN, message));
                    }
                }
            }
            let mut seen: Vec<char> = Vec::new();
            for letter in notation.letters.iter().flatten().filter(|letter| **letter != ' ') {
                if seen.contains(letter) {
                    let message = format!("two pieces share the letter `{letter}`");
                    self.out.push(section.at.error(codes::NOTATION_INVALID, message));
                }
                seen.push(*letter);
            }
        }
        self.rules.notation = notation;
    }

    /// Fields and texts, once variables and acts are known.
    pub(super) fn notation(&mut self, drafts: &[Draft]) {
        for section in drafts.iter().filter_map(|draft| draft.notation.as_ref()) {
            if !section.fields.is_empty() {
                self.rules.notation.fields =
                    section.fields.iter().filter_map(|field| self.field_of(field, drafts)).collect();
            }
            if !section.names.is_empty() {
                self.rules.notation.names = self.act_texts(&section.names);
            }
            if !section.suffixes.is_empty() {
                self.rules.notation.suffixes = self.act_texts(&section.suffixes);
            }
            for (kind, letter) in &section.records {
                match self.rules.kinds.iter().position(|known| *known == kind.text) {
                    Some(at) => {
                        self.rules.notation.records.retain(|(_, known)| usize::from(*known) != at);
                        self.rules.notation.records.push((letter.text.clone(), at as u8));
                    }
                    None => {
                        let message = format!("there is no kind of piece `{}`", kind.text);
                        self.out.push(kind.error(codes::NAME_UNKNOWN, message));
                    }
                }
            }
        }
        if self.rules.notation.fields.is_empty() && !self.rules.board.is_empty() {
            self.rules.notation.fields = vec![Field::Board, Field::Turn];
        }
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
                let kind = |this: &mut Self, loc: &Loc| {
                    let at = this.rules.kinds.iter().position(|kind| *kind == loc.text);
                    if at.is_none() {
                        let message = format!("there is no kind of piece `{}`", loc.text);
                        this.out.push(loc.error(codes::NAME_UNKNOWN, message));
                    }
                    at.map(|at| at as u8)
                };
                let (of, about) = (kind(self, &sides.of), kind(self, &sides.about));
                let letter = |loc: &Loc| loc.text.chars().next().unwrap_or('-');
                let var = self.variable(&sides.state)?;
                return Some(Field::Sides {
                    var,
                    of: of?,
                    about: about?,
                    east: letter(&sides.east),
                    west: letter(&sides.west),
                });
            }
            _ => {}
        }
        let var = self.variable(field)?;
        match self.rules.vars.get(usize::from(var)).map(|var| &var.ty) {
            Some(Type::Site) => Some(Field::Site(var)),
            Some(Type::Number(_)) => Some(Field::Number(var)),
            _ => {
                let message = "only sites and numbers can be fields of a position";
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
        let message = format!("`{}` is not a state variable", loc.text);
        let known = self.rules.vars.iter().map(|var| var.name.as_str());
        let fault = suggest(loc.error(codes::NAME_UNKNOWN, message), &loc.text, known);
        self.out.push(fault);
        None
    }
}
