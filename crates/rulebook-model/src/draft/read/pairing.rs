//! The pairing section, and the formal parts of clauses about pairings.
//!
//! Invariant: nothing is looked up here; tables, fields and clauses are texts.

use rulebook_syntax::codes;
use rulebook_syntax::scalar::Scalar;
use rulebook_syntax::yaml::Node;

use super::super::*;
use super::{Entries, Reader};

/// What a clause about pairings may say of a pair or an entry.
const SAYS: [&str; 4] = ["forbid", "least", "most", "side"];

impl Reader<'_> {
    pub(super) fn pairing(&mut self, key: &Scalar, node: &Node) -> PairingDraft {
        let entries = self.map(node, "`pairing`");
        let known = ["of", "games", "round", "sides", "present", "known", "order", "bracket"];
        self.known(entries, &known, "`pairing`");
        let mut pairing = PairingDraft {
            at: self.loc(key),
            of: None,
            games: None,
            round: None,
            sides: Vec::new(),
            present: None,
            known: None,
            order: Vec::new(),
            bracket: None,
        };
        for (key, node) in entries {
            match key.text.as_str() {
                "of" => pairing.of = self.text(node, "a table"),
                "games" => pairing.games = self.text(node, "a table"),
                "round" => pairing.round = self.text(node, "a field"),
                "sides" => pairing.sides = self.texts(node, "a field"),
                "present" => pairing.present = self.located(node, "a condition"),
                "known" => pairing.known = self.located(node, "a condition"),
                "bracket" => pairing.bracket = self.located(node, "a number"),
                "order" => {
                    let nodes = self.list(node);
                    pairing.order = nodes.into_iter().filter_map(|n| self.located(n, "a key")).collect();
                }
                _ => {}
            }
        }
        pairing
    }

    pub(super) fn pairing_clause(
        &mut self,
        leading: &str,
        key: &Scalar,
        entries: &Entries,
    ) -> Option<PairingClause> {
        let get = |name: &str| entries.iter().find(|(key, _)| key.text == name).map(|(_, node)| node);
        let node = get(leading)?;
        let of = match leading {
            "completes" => {
                let text = self.text(node, "this")?;
                if text.text != "true" {
                    self.fault(codes::FILE_SHAPE, node.span, "`completes` can only be `true`");
                }
                return Some(PairingClause::Completes);
            }
            "next" => return Some(PairingClause::Next(self.ids(node, "a clause number"))),
            "prefer" => {
                let text = self.text(node, "a preference")?;
                let words = Preference::WORDS;
                let Some((_, found)) = words.iter().find(|(word, _)| *word == text.text) else {
                    let message = format!("`{}` is no preference among equal pairings", text.text);
                    let fault = text.error(codes::FILE_SHAPE, message);
                    self.out.push(suggest(fault, &text.text, words.iter().map(|(word, _)| *word)));
                    return None;
                };
                return Some(PairingClause::Prefer(*found));
            }
            "pair" => "pair",
            "alone" => "alone",
            _ => "leaves",
        };
        let names = self.texts(node, "a name");
        let wanted = if of == "pair" { 2 } else { 1 };
        if names.len() != wanted {
            let many = if wanted == 2 { "two names" } else { "one name" };
            self.fault(codes::FILE_SHAPE, node.span, format!("`{of}` binds {many}"));
            return None;
        }
        let said: Vec<&'static str> = SAYS.into_iter().filter(|says| get(says).is_some()).collect();
        let says = match said[..] {
            [says] => says,
            [] => {
                let message = format!("a clause with `{of}` says `forbid`, `least`, `most` or `side`");
                self.fault(codes::FILE_MISSING_KEY, key.span, message);
                return None;
            }
            [_, second, ..] => {
                let message = format!("`{second}` does not go with `{}` in one clause", said[0]);
                let place = entries.iter().find(|(key, _)| key.text == second).map_or(key.span, |e| e.0.span);
                self.fault(codes::CLAUSE_MIXED, place, message);
                return None;
            }
        };
        let each = self.word(get("compare"), "compare", "greatest first", says);
        let whole = self.word(get("over"), "over", "round", says);
        let value = self.expr(get(says)?, "an expression")?;
        Some(PairingClause::Of { of, names, says, value, each, whole })
    }

    /// Whether a key that can only have one value, and only with a measure, is there.
    fn word(&mut self, node: Option<&Node>, key: &str, only: &str, says: &str) -> bool {
        let Some(node) = node else { return false };
        let text = self.text(node, "this");
        if text.is_some_and(|text| text.text != only) {
            self.fault(codes::FILE_SHAPE, node.span, format!("`{key}` can only be `{only}`"));
        }
        if !["least", "most"].contains(&says) {
            let message = format!("`{key}` does not go with `{says}` in one clause");
            self.fault(codes::CLAUSE_MIXED, node.span, message);
        }
        true
    }
}
