//! The notation section: letters, fields, texts of acts.
//!
//! Invariant: nothing is looked up here; kinds, players and acts are texts.

use rulebook_syntax::codes;
use rulebook_syntax::scalar::Scalar;
use rulebook_syntax::yaml::{Node, Value};

use super::super::*;
use super::Reader;

impl Reader<'_> {
    pub(super) fn notation(&mut self, key: &Scalar, node: &Node) -> NotationDraft {
        let entries = self.map(node, "`notation`");
        self.known(
            entries,
            &[
                "letters", "hands", "marks", "turn", "fields", "sides", "names", "suffixes", "records",
                "clock", "ends",
            ],
            "`notation`",
        );
        let mut notation = NotationDraft {
            at: self.loc(key),
            letters: Vec::new(),
            hands: None,
            marks: None,
            turn: Vec::new(),
            fields: Vec::new(),
            sides: None,
            names: Vec::new(),
            suffixes: Vec::new(),
            records: Vec::new(),
            clock: Vec::new(),
            ends: Vec::new(),
        };
        for (key, node) in entries {
            match key.text.as_str() {
                "letters" => {
                    for (k, n) in self.map(node, "`letters`") {
                        let letters = if matches!(n.value, Value::Map(_)) {
                            self.pairs(n, "a letter").into_iter().map(|(p, l)| (Some(p), l)).collect()
                        } else {
                            self.text(n, "a letter").map(|letter| (None, letter)).into_iter().collect()
                        };
                        notation.letters.push((self.loc(k), letters));
                    }
                }
                "hands" => notation.hands = self.text(node, "a state variable"),
                "marks" => notation.marks = self.marks(key, node),
                "turn" => notation.turn = self.pairs(node, "a letter"),
                "fields" => notation.fields = self.texts(node, "a field"),
                "sides" => notation.sides = self.sides(key, node),
                "names" => notation.names = self.act_texts(node),
                "suffixes" => notation.suffixes = self.act_texts(node),
                "records" => notation.records = self.pairs(node, "a letter"),
                "clock" => {
                    let entries = self.map(node, "`clock`");
                    self.known(entries, &["start", "press", "fall"], "`clock`");
                    notation.clock = self.pairs(node, "an event");
                }
                "ends" => notation.ends = self.ends(node),
                _ => {}
            }
        }
        notation
    }

    fn marks(&mut self, key: &Scalar, node: &Node) -> Option<(Loc, Loc)> {
        let entries = self.map(node, "`marks`");
        self.known(entries, &["state", "sign"], "`marks`");
        let pairs = self.pairs(node, "`marks`");
        let get = |name: &str| pairs.iter().find(|(key, _)| key.text == name).map(|(_, value)| value.clone());
        let found = get("state").zip(get("sign"));
        if found.is_none() {
            self.fault(codes::FILE_MISSING_KEY, key.span, "`marks` needs `state` and `sign`");
        }
        found
    }

    fn sides(&mut self, key: &Scalar, node: &Node) -> Option<SidesDraft> {
        let pairs = self.pairs(node, "`sides`");
        let entries = if let Value::Map(entries) = &node.value { entries.as_slice() } else { return None };
        self.known(entries, &["state", "of", "about", "east", "west"], "`sides`");
        let mut get = |name: &str| {
            let found = pairs.iter().find(|(key, _)| key.text == name).map(|(_, value)| value.clone());
            if found.is_none() {
                self.fault(codes::FILE_MISSING_KEY, key.span, format!("`sides` needs `{name}`"));
            }
            found
        };
        let (state, of, about) = (get("state"), get("of"), get("about"));
        Some(SidesDraft { state: state?, of: of?, about: about?, east: get("east")?, west: get("west")? })
    }

    fn ends(&mut self, node: &Node) -> Vec<EndDraft> {
        let mut ends = Vec::new();
        for item in self.list(node) {
            let entries = self.map(item, "an end");
            self.known(entries, &["cause", "result", "event"], "an end");
            let pairs = self.pairs(item, "this");
            let get =
                |name: &str| pairs.iter().find(|(key, _)| key.text == name).map(|(_, value)| value.clone());
            match get("result").zip(get("event")) {
                Some((result, event)) => ends.push(EndDraft { cause: get("cause"), result, event }),
                None if entries.is_empty() => {}
                None => self.fault(codes::FILE_MISSING_KEY, item.span, "an end needs `result` and `event`"),
            }
        }
        ends
    }

    fn act_texts(&mut self, node: &Node) -> Vec<ActTextDraft> {
        let mut texts = Vec::new();
        for item in self.list(node) {
            let entries = self.map(item, "a text for acts");
            self.known(entries, &["act", "when", "text"], "a text for acts");
            let (mut act, mut when, mut text) = (None, None, None);
            for (key, node) in entries {
                match key.text.as_str() {
                    "act" => act = self.text(node, "an act"),
                    "when" => when = self.located(node, "a condition"),
                    "text" => text = self.text(node, "this"),
                    _ => {}
                }
            }
            match text {
                Some(text) => texts.push(ActTextDraft { act, when, text }),
                None if entries.is_empty() || entries.iter().any(|(key, _)| key.text == "text") => {}
                None => self.fault(codes::FILE_MISSING_KEY, item.span, "this entry has no `text`"),
            }
        }
        texts
    }
}
