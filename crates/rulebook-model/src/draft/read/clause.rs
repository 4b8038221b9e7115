//! Clauses: each has the keys that every clause may have, and those of exactly one form.
//!
//! Invariant: a key that does not go with the form is reported and not read.

use rulebook_syntax::scalar::Scalar;
use rulebook_syntax::yaml::{Node, Value};
use rulebook_syntax::{Diagnostic, codes, parse};

use super::super::*;
use super::{Entries, Reader, unknown_key};

/// Keys that every clause may have.
const TEXT_KEYS: &[&str] =
    &["title", "says", "cites", "since", "status", "overrides", "yields", "exception_to", "in"];
/// The leading keys of clauses, each with the keys that may go with it.
const FORMS: &[(&str, &[&str])] = &[
    ("pair", &["forbid", "least", "most", "side", "compare"]),
    ("alone", &["forbid", "least", "most", "over"]),
    ("leaves", &["least", "most", "compare"]),
    ("completes", &[]),
    ("next", &[]),
    ("prefer", &[]),
    ("move", &["piece", "act", "when", "unless", "choose", "then"]),
    ("on", &["by", "choose", "when", "unless", "then", "otherwise"]),
    ("forbid", &["before", "after", "when", "unless"]),
    ("most", &["after", "when", "unless"]),
    ("turn", &[]),
    ("ends", &["result", "unless", "when"]),
    ("rank", &[]),
    ("list", &["for", "row"]),
    ("advisory", &[]),
    ("renumbers", &[]),
    ("act", &["when", "unless", "choose", "then"]),
    ("after", &["when", "unless", "choose", "then"]),
    ("then", &["choose", "when", "unless"]),
];
/// Keys of `TEXT_KEYS` that only some clauses obey: an order among those that decide something, phases of play.
const ONLY_WITH: &[(&str, &[&str])] = &[
    ("yields", &["on", "ends", "turn"]),
    ("exception_to", &["on", "ends", "turn"]),
    ("in", &["move", "act", "on", "after", "forbid", "most", "turn", "ends"]),
];

impl Reader<'_> {
    pub(super) fn clauses(&mut self, draft: &mut Draft, node: &Node) {
        for (key, node) in self.section_of(node, "`clauses`", MAX_CLAUSES) {
            let clause = self.clause(key, node);
            draft.clauses.push(clause);
        }
    }

    fn clause(&mut self, key: &Scalar, node: &Node) -> ClauseDraft {
        let mut clause = ClauseDraft {
            id: self.clause_id(key),
            title: Phrase::default(),
            says: Phrase::default(),
            cites: Vec::new(),
            overrides: None,
            yields: Vec::new(),
            exception_to: Vec::new(),
            within: Vec::new(),
            when: None,
            unless: None,
            choose: Vec::new(),
            then: None,
            otherwise: None,
            form: None,
            unread: false,
            formal: Arc::clone(self.source),
        };
        let Value::Map(entries) = &node.value else {
            self.fault(codes::FILE_SHAPE, node.span, "a clause must be a mapping of keys to values");
            clause.unread = true;
            return clause;
        };
        for (key, node) in entries {
            match key.text.as_str() {
                "title" => clause.title = self.phrase(node),
                "says" => clause.says = self.phrase(node),
                "cites" => clause.cites = self.texts(node, "a citation"),
                "since" | "status" => {
                    self.text(node, "this");
                }
                "overrides" => clause.overrides = self.id(node),
                "yields" => clause.yields = self.ids(node, "a clause number"),
                "exception_to" => clause.exception_to = self.ids(node, "a clause number"),
                _ => {}
            }
        }
        let has = |name: &str| entries.iter().any(|(key, _)| key.text == name);
        let found = FORMS.iter().find(|(name, _)| has(name));
        let (leading, companions) = found.copied().unwrap_or(("", &[]));
        let obeyed = |word: &str| ONLY_WITH.iter().all(|(key, with)| *key != word || with.contains(&leading));
        let goes = |word: &str| {
            word == leading || companions.contains(&word) || (TEXT_KEYS.contains(&word) && obeyed(word))
        };
        let mut slips = false;
        for (key, _) in entries {
            let word = key.text.as_str();
            if goes(word) {
                continue;
            }
            let elsewhere = TEXT_KEYS.contains(&word)
                || FORMS.iter().any(|(name, companions)| *name == word || companions.contains(&word));
            if elsewhere && found.is_some() {
                let message = format!("`{word}` does not go with `{leading}` in one clause");
                self.fault(codes::CLAUSE_MIXED, key.span, message);
            } else if !elsewhere {
                slips = true;
                let known =
                    companions.iter().chain(TEXT_KEYS).copied().chain(FORMS.iter().map(|form| form.0));
                let message = format!("a clause has no key `{word}`");
                let fault = Diagnostic::error(codes::FILE_UNKNOWN_KEY, self.source, key.span, message);
                self.out.push(unknown_key(fault, word, known));
            }
        }
        if found.is_none() {
            if !slips {
                let leading: Vec<String> = FORMS.iter().map(|(name, _)| format!("`{name}`")).collect();
                let message = "this clause has no formal part";
                let fault = Diagnostic::error(codes::CLAUSE_NO_FORM, self.source, key.span, message);
                self.out.push(fault.help(format!("give one of {}", leading.join(", "))));
            }
            return clause;
        }
        for (key, node) in entries.iter().filter(|(key, _)| goes(&key.text)) {
            match key.text.as_str() {
                "in" => clause.within = self.texts(node, "a phase"),
                "when" => clause.when = self.expr(node, "a condition"),
                "unless" => clause.unless = self.expr(node, "a condition"),
                "choose" => clause.choose = self.choices(node),
                "then" => clause.then = Some(self.effects(node)),
                "otherwise" => clause.otherwise = Some(self.effects(node)),
                _ => {}
            }
        }
        if leading == "after" && !slips && !has("then") && !has("choose") {
            let message = "a clause with `after` needs `then`";
            self.fault(codes::FILE_MISSING_KEY, key.span, message);
        }
        clause.form = self.form(leading, key, entries);
        clause
    }

    fn form(&mut self, leading: &str, key: &Scalar, entries: &Entries) -> Option<FormDraft> {
        let get = |name: &str| entries.iter().find(|(key, _)| key.text == name).map(|(_, node)| node);
        let node = get(leading)?;
        let acts = |this: &mut Self, name: &str| get(name).map(|node| this.texts(node, "an act"));
        let need = |this: &mut Self, name: &str| {
            if get(name).is_none() {
                let message = format!("a clause with `{leading}` needs `{name}`");
                this.fault(codes::FILE_MISSING_KEY, key.span, message);
            }
            get(name)
        };
        Some(match leading {
            "renumbers" => FormDraft::Renumber(self.id(node)?),
            "advisory" => {
                if !matches!(&node.value, Value::Scalar(scalar) if scalar.text == "true") {
                    self.fault(codes::FILE_SHAPE, node.span, "`advisory` can only be `true`");
                }
                FormDraft::Advice
            }
            "move" => {
                let act = get("act").and_then(|node| self.text(node, "an act"));
                let path = self.small(node, "a pattern", parse::pattern);
                if path.is_none() {
                    // Neither the act nor what the pattern marks is to be missed elsewhere.
                    self.lose(act.as_ref().map_or("move", |act| act.text.as_str()));
                    self.lose_scalar(node);
                }
                let pieces = need(self, "piece")?;
                let pieces = self.texts(pieces, "a kind of piece");
                FormDraft::Move(pieces, path?, act)
            }
            "pair" | "alone" | "leaves" | "completes" | "next" | "prefer" => {
                FormDraft::Pairing(self.pairing_clause(leading, key, entries)?)
            }
            "act" => FormDraft::Act(self.text(node, "an act")?),
            "on" => {
                let by = get("by").and_then(|node| self.located(node, "a player"));
                FormDraft::Event(self.text(node, "an event")?, by)
            }
            "after" => FormDraft::After(self.texts(node, "an act")),
            "then" => FormDraft::Applied,
            "forbid" => {
                let (before, after) = (acts(self, "before"), acts(self, "after"));
                if before.is_some() == after.is_some() {
                    let message = "a ban names the acts it is judged on: `before` or `after`, one of them";
                    self.fault(codes::FILE_MISSING_KEY, key.span, message);
                }
                let banned = self.expr(node, "a condition")?;
                FormDraft::Forbid { banned, before: before.is_some(), acts: before.or(after)? }
            }
            "most" => {
                let acts = acts(self, "after").unwrap_or_default();
                FormDraft::Most(self.expr(node, "a measure")?, acts)
            }
            "turn" => FormDraft::Turn(self.expr(node, "a player")?),
            "ends" => {
                let result = need(self, "result");
                let condition = self.expr(node, "a condition");
                FormDraft::Ends(condition?, self.expr(result?, "an outcome")?)
            }
            "rank" => FormDraft::Rank(self.expr(node, "a measure")?),
            _ => {
                let (choices, row) = (need(self, "for")?, need(self, "row")?);
                let choices = self.choices(choices);
                let row = self.map(row, "a row");
                let columns = row
                    .iter()
                    .filter_map(|(key, node)| Some((self.loc(key), self.expr(node, "a column")?)))
                    .collect();
                FormDraft::List(self.text(node, "a name")?, choices, columns)
            }
        })
    }
}
