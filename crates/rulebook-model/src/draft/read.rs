//! From the YAML tree of a file to its draft.
//!
//! Invariant: every key is known or reported, every string is parsed by the small language it belongs
//! to. Names are not looked up here.

use std::collections::BTreeSet;
use std::sync::Arc;

use rulebook_syntax::ast::{Choice, Expr};
use rulebook_syntax::parse::{self, SyntaxError, Text};
use rulebook_syntax::scalar::Scalar;
use rulebook_syntax::yaml::{Node, Value};
use rulebook_syntax::{Diagnostic, Source, Span, codes};

use super::*;

mod clause;
mod notation;
mod pairing;

const FILE_KEYS: &[&str] = &[
    "rulebook",
    "id",
    "title",
    "extends",
    "edition",
    "players",
    "phases",
    "units",
    "sources",
    "params",
    "board",
    "pieces",
    "directions",
    "state",
    "setup",
    "define",
    "answers",
    "macros",
    "tables",
    "pairing",
    "notation",
    "clock",
    "without",
    "clauses",
];

type Entries = [(Scalar, Node)];

/// What a state variable may be there for, in words.
const EACH: [(&str, &[Index]); 3] = [
    ("each player", &[Index::Player]),
    ("each kind", &[Index::Kind]),
    ("each player and kind", &[Index::Player, Index::Kind]),
];

struct Reader<'a> {
    source: &'a Arc<Source>,
    out: Vec<Diagnostic>,
    /// Names that stand in declarations which could not be read.
    lost: BTreeSet<String>,
}

pub(crate) fn file(source: &Arc<Source>, node: &Node) -> (Option<Draft>, Vec<Diagnostic>) {
    let mut reader = Reader { source, out: Vec::new(), lost: BTreeSet::new() };
    let mut draft = reader.file(node);
    if let Some(draft) = &mut draft {
        draft.lost = reader.lost;
    }
    (draft, reader.out)
}

impl Reader<'_> {
    fn loc(&self, scalar: &Scalar) -> Loc {
        Loc { text: scalar.text.clone(), span: scalar.span, source: Arc::clone(self.source) }
    }

    fn fault(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.out.push(Diagnostic::error(code, self.source, span, message));
    }

    /// What a text declares is not to be reported as unknown elsewhere.
    fn lose(&mut self, text: &str) {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        self.lost.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
    }

    fn within<T>(&self, it: T) -> In<T> {
        In { it, source: Arc::clone(self.source) }
    }

    fn map<'n>(&mut self, node: &'n Node, what: &str) -> &'n Entries {
        match &node.value {
            Value::Map(entries) => entries,
            Value::Null => &[],
            _ => {
                self.fault(
                    codes::FILE_SHAPE,
                    node.span,
                    format!("{what} must be a mapping of keys to values"),
                );
                &[]
            }
        }
    }

    fn list<'n>(&mut self, node: &'n Node) -> Vec<&'n Node> {
        match &node.value {
            Value::List(items) => items.iter().collect(),
            Value::Null => Vec::new(),
            _ => vec![node],
        }
    }

    fn scalar<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n Scalar> {
        if let Value::Scalar(scalar) = &node.value {
            return Some(scalar);
        }
        self.fault(codes::FILE_SHAPE, node.span, format!("{what} must be a text"));
        None
    }

    fn text(&mut self, node: &Node, what: &str) -> Option<Loc> {
        self.scalar(node, what).map(|scalar| self.loc(scalar))
    }

    fn texts(&mut self, node: &Node, what: &str) -> Vec<Loc> {
        self.list(node).into_iter().filter_map(|item| self.text(item, what)).collect()
    }

    /// Clause ids: numbers must be quoted.
    fn ids(&mut self, node: &Node, what: &str) -> Vec<Loc> {
        let scalars: Vec<&Scalar> =
            self.list(node).into_iter().filter_map(|item| self.scalar(item, what)).collect();
        scalars.into_iter().map(|scalar| self.clause_id(scalar)).collect()
    }

    /// The number of one clause.
    fn id(&mut self, node: &Node) -> Option<Loc> {
        let scalar = self.scalar(node, "a clause number")?;
        Some(self.clause_id(scalar))
    }

    fn clause_id(&mut self, scalar: &Scalar) -> Loc {
        let loc = self.loc(scalar);
        if scalar.is_plain() && looks_like_number(&scalar.text) {
            self.out.push(unquoted(&loc));
        }
        loc
    }

    fn known(&mut self, entries: &Entries, allowed: &[&str], what: &str) {
        for (key, _) in entries {
            if !allowed.contains(&key.text.as_str()) {
                let message = format!("{what} has no key `{}`", key.text);
                let fault = Diagnostic::error(codes::FILE_UNKNOWN_KEY, self.source, key.span, message);
                self.out.push(unknown_key(fault, &key.text, allowed.iter().copied()));
            }
        }
    }

    fn phrase(&mut self, node: &Node) -> Phrase {
        if let Value::Scalar(scalar) = &node.value {
            return Phrase { en: scalar.text.clone(), zh: String::new() };
        }
        let entries = self.map(node, "a text in two languages");
        self.known(entries, &["en", "zh"], "a text in two languages");
        let mut phrase = Phrase::default();
        for (key, node) in entries {
            let text = self.text(node, "this").map(|loc| loc.text).unwrap_or_default();
            *(if key.text == "zh" { &mut phrase.zh } else { &mut phrase.en }) = text;
        }
        phrase
    }

    fn parsed<T>(&mut self, scalar: &Scalar, parse: fn(&Text<'_>) -> Result<T, SyntaxError>) -> Option<T> {
        let locate = |start, end| scalar.locate(start, end);
        match parse(&Text { text: &scalar.text, locate: &locate }) {
            Ok(tree) => Some(tree),
            Err(error) => {
                let code = if error.limit { codes::LIMIT_EXCEEDED } else { codes::EXPR_SYNTAX };
                self.fault(code, error.span, error.message);
                None
            }
        }
    }

    fn small<T>(
        &mut self,
        node: &Node,
        what: &str,
        parse: fn(&Text<'_>) -> Result<T, SyntaxError>,
    ) -> Option<T> {
        let scalar = self.scalar(node, what)?;
        self.parsed(scalar, parse)
    }

    fn expr(&mut self, node: &Node, what: &str) -> Option<Expr> {
        self.small(node, what, parse::expression)
    }

    fn located(&mut self, node: &Node, what: &str) -> Option<In<Expr>> {
        self.expr(node, what).map(|expr| self.within(expr))
    }

    fn choices(&mut self, node: &Node) -> Vec<Choice> {
        let mut choices = Vec::new();
        for node in self.list(node) {
            match self.small(node, "a choice", parse::choices) {
                Some(mut more) => choices.append(&mut more),
                None => self.lose_scalar(node),
            }
        }
        if let Some(choice) = choices.get(MAX_CHOICES) {
            let message = format!("at most {MAX_CHOICES} choices are allowed in one clause");
            self.fault(codes::LIMIT_EXCEEDED, choice.name.span, message);
            choices.truncate(MAX_CHOICES);
        }
        choices
    }

    fn lose_scalar(&mut self, node: &Node) {
        if let Value::Scalar(scalar) = &node.value {
            self.lose(&scalar.text);
        }
    }

    /// The head of a definition or macro.
    fn head(&mut self, key: &Scalar) -> Option<Head> {
        let head = self.parsed(key, parse::signature);
        if head.is_none() {
            self.lose(&key.text);
        }
        head
    }

    /// The entries of a section, if there are not too many.
    fn section_of<'n>(&mut self, node: &'n Node, what: &str, most: usize) -> &'n Entries {
        let entries = self.map(node, what);
        if let Some((key, _)) = entries.get(most) {
            let message = format!("{what} has {} entries; at most {most} are allowed", entries.len());
            self.fault(codes::LIMIT_EXCEEDED, key.span, message);
            for (key, _) in entries {
                self.lose(&key.text);
            }
            return &[];
        }
        entries
    }

    fn effects(&mut self, node: &Node) -> Vec<Effect> {
        let nodes = self.list(node);
        nodes.into_iter().filter_map(|n| self.small(n, "an effect", parse::effects)).flatten().collect()
    }

    fn pairs(&mut self, node: &Node, what: &str) -> Vec<(Loc, Loc)> {
        let entries = self.map(node, what);
        entries.iter().filter_map(|(key, node)| Some((self.loc(key), self.text(node, what)?))).collect()
    }

    fn file(&mut self, node: &Node) -> Option<Draft> {
        let Value::Map(entries) = &node.value else {
            self.fault(
                codes::FILE_SHAPE,
                node.span,
                "a rule file is a mapping that begins with `rulebook: 1`",
            );
            return None;
        };
        self.known(entries, FILE_KEYS, "a rule file");
        let start = entries.first().map_or(node.span, |(key, _)| key.span);
        match entries.iter().find(|(key, _)| key.text == "rulebook") {
            None => self.fault(codes::FILE_MISSING_KEY, start, "this file does not begin with `rulebook: 1`"),
            Some((_, node)) => {
                if !matches!(&node.value, Value::Scalar(scalar) if scalar.text == "1") {
                    // Nothing can be said about a text in a language that is not known.
                    let message = "only version 1 of the rule language is known";
                    self.out.clear();
                    self.fault(codes::FILE_VERSION, node.span, message);
                    return None;
                }
            }
        }
        let mut draft = Draft {
            source: Arc::clone(self.source),
            id: Loc { text: String::new(), span: start, source: Arc::clone(self.source) },
            title: Phrase::default(),
            extends: Vec::new(),
            players: Vec::new(),
            phases: Vec::new(),
            units: Vec::new(),
            sources: Vec::new(),
            params: Vec::new(),
            board: None,
            pieces: Vec::new(),
            directions: Vec::new(),
            state: Vec::new(),
            setup: Vec::new(),
            define: Vec::new(),
            answers: Vec::new(),
            macros: Vec::new(),
            tables: Vec::new(),
            pairing: None,
            notation: None,
            clock: Vec::new(),
            without: Vec::new(),
            clauses: Vec::new(),
            lost: BTreeSet::new(),
        };
        for (key, node) in entries {
            self.section(&mut draft, key, node);
        }
        if !entries.iter().any(|(key, _)| key.text == "id") {
            self.fault(codes::FILE_MISSING_KEY, start, "this file has no `id`");
        }
        Some(draft)
    }

    fn section(&mut self, draft: &mut Draft, key: &Scalar, node: &Node) {
        match key.text.as_str() {
            "id" => {
                if let Some(id) = self.text(node, "an id") {
                    draft.id = id;
                }
            }
            "title" => draft.title = self.phrase(node),
            "extends" => draft.extends = self.texts(node, "the id of a base"),
            "players" => draft.players = self.texts(node, "a player"),
            "phases" => draft.phases = self.texts(node, "a phase"),
            "answers" => draft.answers = self.texts(node, "a definition"),
            "units" => draft.units = self.texts(node, "a unit"),
            "pieces" => draft.pieces = self.texts(node, "a kind of piece"),
            "without" => draft.without = self.ids(node, "a clause number"),
            "sources" => {
                let entries = self.section_of(node, "`sources`", MAX_ENTRIES);
                draft.sources = entries.iter().map(|(k, n)| (self.loc(k), self.phrase(n))).collect();
            }
            "params" => {
                let entries = self.section_of(node, "`params`", MAX_ENTRIES);
                draft.params =
                    entries.iter().filter_map(|(k, n)| self.kept(k, |this| this.param(k, n))).collect();
            }
            "board" => draft.board = Some(self.board(key, node)),
            "directions" => {
                let entries = self.section_of(node, "`directions`", MAX_ENTRIES);
                draft.directions = entries
                    .iter()
                    .filter_map(|(k, n)| self.kept(k, |this| Some((this.loc(k), this.direction(n)?))))
                    .collect();
            }
            "state" => {
                let entries = self.section_of(node, "`state`", MAX_ENTRIES);
                draft.state =
                    entries.iter().filter_map(|(k, n)| self.kept(k, |this| this.state(k, n))).collect();
            }
            "setup" => {
                for (k, n) in self.map(node, "`setup`") {
                    let entry = if k.text == "board" {
                        self.text(n, "a placement").map(SetupDraft::Placement)
                    } else {
                        self.located(n, "a first value").map(SetupDraft::Value)
                    };
                    draft.setup.extend(entry.map(|entry| (self.loc(k), entry)));
                }
            }
            "define" => {
                let entries = self.section_of(node, "`define`", MAX_ENTRIES);
                draft.define =
                    entries.iter().filter_map(|(k, n)| self.kept(k, |this| this.define(k, n))).collect();
            }
            "macros" => {
                for (k, n) in self.section_of(node, "`macros`", MAX_ENTRIES) {
                    let made = self.kept(k, |this| {
                        let head = this.head(k);
                        let body = this.small(n, "a pattern", parse::pattern)?;
                        Some(MacroDraft { head: head?, at: this.loc(k), body: this.within(body) })
                    });
                    draft.macros.extend(made);
                }
            }
            "tables" => {
                for (k, n) in self.section_of(node, "`tables`", MAX_ENTRIES) {
                    let fields = self.pairs(n, "a field");
                    draft.tables.push((self.loc(k), fields));
                }
            }
            "pairing" => draft.pairing = Some(self.pairing(key, node)),
            "notation" => draft.notation = Some(self.notation(key, node)),
            "clock" => {
                let entries: Vec<(Option<Loc>, &Node)> = match &node.value {
                    Value::Map(entries) => entries.iter().map(|(k, n)| (Some(self.loc(k)), n)).collect(),
                    _ => vec![(None, node)],
                };
                for (player, node) in entries {
                    if let Some(clock) = self.small(node, "a time control", parse::control) {
                        draft.clock.push((player, self.within(clock)));
                    }
                }
            }
            "clauses" => self.clauses(draft, node),
            "edition" => {
                self.text(node, "a date");
            }
            _ => {}
        }
    }

    /// What is declared under a key; a name whose declaration cannot be read is remembered.
    fn kept<T>(&mut self, key: &Scalar, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let read = read(self);
        if read.is_none() {
            self.lose(key.text.split('(').next().unwrap_or(""));
        }
        read
    }

    fn param(&mut self, key: &Scalar, node: &Node) -> Option<ParamDraft> {
        let name = self.loc(key);
        if let Value::Map(entries) = &node.value {
            self.known(entries, &["value", "cites", "since"], "a parameter");
            let (mut value, mut cites, mut since) = (None, Vec::new(), String::new());
            for (key, node) in entries {
                match key.text.as_str() {
                    "value" => value = self.located(node, "a value"),
                    "cites" => cites = self.texts(node, "a citation"),
                    "since" => since = self.text(node, "a date").map(|loc| loc.text).unwrap_or_default(),
                    _ => {}
                }
            }
            if !entries.iter().any(|(key, _)| key.text == "value") {
                self.fault(codes::FILE_MISSING_KEY, key.span, "this parameter has no `value`");
            }
            return Some(ParamDraft { name, value: value?, cites, since });
        }
        let value = self.located(node, "a value")?;
        Some(ParamDraft { name, value, cites: Vec::new(), since: String::new() })
    }

    fn board(&mut self, key: &Scalar, node: &Node) -> BoardDraft {
        let entries = self.map(node, "`board`");
        self.known(entries, &["files", "ranks", "adjacent", "forward", "names"], "`board`");
        let mut board = BoardDraft {
            at: self.loc(key),
            files: None,
            ranks: None,
            adjacent: None,
            forward: Vec::new(),
            names: None,
        };
        for (key, node) in entries {
            match key.text.as_str() {
                "files" => board.files = self.located(node, "a number of files"),
                "ranks" => board.ranks = self.located(node, "a number of ranks"),
                "adjacent" => {
                    board.adjacent =
                        self.small(node, "directions", parse::directions).map(|dirs| self.within(dirs));
                }
                "forward" => board.forward = self.pairs(node, "a direction"),
                "names" => board.names = self.text(node, "a way of naming sites"),
                _ => {}
            }
        }
        board
    }

    fn direction(&mut self, node: &Node) -> Option<DirectionDraft> {
        let (list, relative) = match &node.value {
            Value::Scalar(scalar) => {
                return self.parsed(scalar, parse::directions).map(DirectionDraft::Union);
            }
            Value::Map(entries) => {
                self.known(entries, &["relative"], "a direction");
                match entries.first() {
                    Some((key, node)) if key.text == "relative" => (node, true),
                    Some(_) => return None,
                    None => {
                        self.fault(codes::FILE_MISSING_KEY, node.span, "this direction has no `relative`");
                        return None;
                    }
                }
            }
            _ => (node, false),
        };
        let steps: Vec<Option<i8>> = match &list.value {
            Value::List(items) => items
                .iter()
                .map(|item| match &item.value {
                    Value::Scalar(scalar) => scalar.text.parse().ok(),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        };
        if let [Some(files), Some(ranks)] = steps[..] {
            return Some(DirectionDraft::Step(files, ranks, relative));
        }
        self.fault(codes::FILE_SHAPE, list.span, "a direction is `[files, ranks]` or a union of directions");
        None
    }

    fn state(&mut self, key: &Scalar, node: &Node) -> Option<StateDraft> {
        let name = self.loc(key);
        let mut state = StateDraft {
            ty: name.clone(),
            name,
            each: Vec::new(),
            fleeting: false,
            kept: false,
            start: None,
        };
        if let Value::Scalar(scalar) = &node.value {
            state.ty = self.loc(scalar);
            return Some(state);
        }
        let Value::Map(entries) = &node.value else {
            self.fault(codes::FILE_SHAPE, node.span, "a state variable is a type, or a mapping with `type`");
            return None;
        };
        self.known(entries, &["type", "for", "lasts", "start"], "a state variable");
        let mut typed = false;
        for (key, node) in entries {
            match key.text.as_str() {
                "type" => {
                    state.ty = self.text(node, "a type")?;
                    typed = true;
                }
                "start" => state.start = self.located(node, "a first value"),
                "for" => {
                    let text = self.text(node, "this")?;
                    match EACH.iter().find(|(words, _)| *words == text.text) {
                        Some((_, each)) => state.each = each.to_vec(),
                        None => {
                            let words: Vec<String> =
                                EACH.iter().map(|(words, _)| format!("`{words}`")).collect();
                            let message = format!("`for` can only be {}", words.join(", "));
                            self.fault(codes::FILE_SHAPE, text.span, message);
                        }
                    }
                }
                "lasts" => {
                    let text = self.text(node, "this")?;
                    (state.fleeting, state.kept) = (text.text == "one ply", text.text == "always");
                    if !state.fleeting && !state.kept {
                        let message = "`lasts` can only be `one ply` or `always`";
                        self.fault(codes::FILE_SHAPE, text.span, message);
                    }
                }
                _ => {}
            }
        }
        if !typed {
            self.fault(codes::FILE_MISSING_KEY, key.span, "this state variable has no `type`");
            return None;
        }
        Some(state)
    }

    fn define(&mut self, key: &Scalar, node: &Node) -> Option<DefineDraft> {
        let head = self.head(key);
        let bodies = if let Value::Map(entries) = &node.value {
            if entries.is_empty() {
                self.fault(codes::FILE_SHAPE, node.span, "a definition has one body, or one for each player");
                return None;
            }
            entries
                .iter()
                .filter_map(|(k, n)| Some((Some(self.loc(k)), self.located(n, "an expression")?)))
                .collect()
        } else {
            vec![(None, self.located(node, "an expression")?)]
        };
        Some(DefineDraft { head: head?, at: self.loc(key), bodies })
    }
}

/// Help for a key that is not known: the closest one, or a hint at a value that a comma has cut in two.
fn unknown_key<'a>(fault: Diagnostic, key: &str, known: impl IntoIterator<Item = &'a str>) -> Diagnostic {
    if key.contains([')', ']', ' ']) {
        return fault.help("inside `{ … }` a comma ends a value: put the whole value in quotes");
    }
    suggest(fault, key, known)
}
