//! The notation section: letters, fields, texts of acts.
//!
//! Invariant: nothing is looked up here; kinds, players and acts are texts.

use rulebook_syntax::codes;
use rulebook_syntax::scalar::Scalar;
use rulebook_syntax::yaml::{Node, Value};

use super::super::*;
use super::Reader;
use crate::exchange::TRF_TERMS;

impl Reader<'_> {
    pub(super) fn notation(&mut self, key: &Scalar, node: &Node) -> NotationDraft {
        let entries = self.map(node, "`notation`");
        self.known(
            entries,
            &[
                "letters", "hands", "marks", "turn", "fields", "sides", "names", "suffixes", "records",
                "size", "sgf", "gtp", "trf", "clock", "ends",
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
            size: Vec::new(),
            sgf: None,
            gtp: None,
            trf: None,
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
                "size" => {
                    let entries = self.map(node, "`size`");
                    self.known(entries, &["square", "files", "ranks"], "`size`");
                    notation.size = self.pairs(node, "a parameter");
                }
                "sgf" => notation.sgf = Some(self.sgf(node)),
                "gtp" => notation.gtp = Some(self.gtp(node)),
                "trf" => notation.trf = Some(self.trf(node)),
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

    fn sgf(&mut self, node: &Node) -> SgfDraft {
        let mut sgf = SgfDraft::default();
        let entries = self.map(node, "`sgf`");
        self.known(entries, &["game", "terms", "results", "hundredths"], "`sgf`");
        for (key, node) in entries {
            match key.text.as_str() {
                "game" => sgf.game = self.text(node, "a number"),
                "terms" => sgf.terms = self.pairs(node, "a parameter"),
                "results" => sgf.results = self.pairs(node, "a result"),
                "hundredths" => {
                    let entries = self.map(node, "`hundredths`");
                    self.known(entries, &["of", "by", "doubled"], "`hundredths`");
                    for (key, node) in entries {
                        match key.text.as_str() {
                            "of" => sgf.of = self.text(node, "a property"),
                            "by" => sgf.by = self.texts(node, "the name of a program"),
                            "doubled" => sgf.doubled = self.texts(node, "a number"),
                            _ => {}
                        }
                    }
                    if sgf.of.is_none() {
                        self.fault(codes::FILE_MISSING_KEY, key.span, "`hundredths` needs `of`");
                    }
                }
                _ => {}
            }
        }
        sgf
    }

    fn trf(&mut self, node: &Node) -> TrfDraft {
        let mut trf = TrfDraft::default();
        let entries = self.map(node, "`trf`");
        self.known(entries, &["terms", "keys", "words"], "`trf`");
        for (key, node) in entries {
            match key.text.as_str() {
                "terms" => {
                    let entries = self.map(node, "`terms`");
                    self.known(entries, &TRF_TERMS, "`terms`");
                    trf.terms = self.pairs(node, "a parameter");
                }
                "keys" => trf.keys = self.texts(node, "a parameter"),
                "words" => trf.words = self.texts(node, "a word"),
                _ => {}
            }
        }
        trf
    }

    fn gtp(&mut self, node: &Node) -> GtpDraft {
        let mut gtp = GtpDraft::default();
        let entries = self.map(node, "`gtp`");
        self.known(entries, &["terms", "handicap", "score", "between", "named", "options"], "`gtp`");
        for (key, node) in entries {
            match key.text.as_str() {
                "terms" => gtp.terms = self.pairs(node, "a parameter"),
                "handicap" => gtp.handicap = self.text(node, "a parameter"),
                "score" => gtp.score = self.text(node, "a definition"),
                "between" => gtp.between = self.text(node, "a definition"),
                "named" => gtp.named = self.text(node, "the beginning of an id"),
                "options" => {
                    for (name, node) in self.map(node, "`options`") {
                        let option = self.option(name, node);
                        gtp.options.push(option);
                    }
                }
                _ => {}
            }
        }
        gtp
    }

    /// An option sets the parameter of its own name, unless it names another one.
    fn option(&mut self, name: &Scalar, node: &Node) -> OptionDraft {
        let entries = self.map(node, "an option");
        self.known(entries, &["sets", "words"], "an option");
        let mut option = OptionDraft { name: self.loc(name), sets: self.loc(name), words: Vec::new() };
        for (key, node) in entries {
            match key.text.as_str() {
                "sets" => option.sets = self.text(node, "a parameter").unwrap_or(option.sets),
                "words" => option.words = self.pairs(node, "a value"),
                _ => {}
            }
        }
        option
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
