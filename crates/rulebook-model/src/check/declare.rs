//! Declarations: players, kinds, parameters, the board, directions, state and setup, layer by layer.
//!
//! Invariant: every name is introduced once, and what a layer declares takes the place of what its bases do.

use std::collections::BTreeMap;
use std::sync::Arc;

use rulebook_syntax::ast::{AfterPeriod, Expr, ExprKind, Name, Period};
use rulebook_syntax::{Diagnostic, Source, Span, codes, parse};

use super::{Checker, Meaning, intern, names, paths};
use crate::board::{Direction, SiteNames};
use crate::draft::{DirectionDraft, Draft, In, Loc, MacroDraft, SetupDraft, suggest};
use crate::placement::{self, Placement};
use crate::ruleset::{COUNT, Cell, Clause, Form, Index, Param, Table, Var};
use crate::types::Type;
use crate::value::{MAX_SITES, Sites, Value};

/// The name under which another time control is given from outside.
const CLOCK: &str = "clock";
/// Most players of a rule set.
const MAX_PLAYERS: usize = 8;
/// Most kinds of pieces of a rule set.
const MAX_KINDS: usize = 127;
/// Most directions in a union.
const MAX_DIRECTIONS: usize = 64;
/// The variable that holds the phase of the game.
const PHASE: &str = "phase";
/// The entry of `setup` that says who begins.
const TURN: &str = "turn";

/// Most parameters that build on each other in a chain.
const MAX_CHAIN: usize = 100;

/// Whether a constant expression mentions a name.
fn mentions(expr: &Expr, name: &str) -> bool {
    match &*expr.kind {
        ExprKind::Name(known) => known.text == name,
        ExprKind::Unary(_, inner) => mentions(inner, name),
        ExprKind::Binary(_, left, right) => mentions(left, name) || mentions(right, name),
        ExprKind::List(items) => items.iter().any(|item| mentions(item, name)),
        _ => false,
    }
}

impl Checker<'_> {
    /// Whether a word can be a name; it is reported if not.
    pub(super) fn is_fine(&mut self, name: &Loc) -> bool {
        let (shape, free) = parse::is_name(&name.text);
        if !shape {
            let message = format!("`{}` is not a name", name.text);
            let fault = name.error(codes::EXPR_SYNTAX, message);
            let help = "a name begins with a small letter, and letters, digits and `_` follow";
            self.out.push(fault.help(help));
        } else if !free || names::is_reserved(&name.text) {
            let message = format!("`{}` is a word of the language itself", name.text);
            self.out.push(name.error(codes::NAME_RESERVED, message));
        }
        shape && free && !names::is_reserved(&name.text)
    }

    pub(super) fn introduce(&mut self, name: &Loc, meaning: Meaning) {
        if !self.is_fine(name) {
            self.lost.insert(name.text.clone());
            return;
        }
        if let Some((_, first)) = self.names.get(&name.text) {
            // Sections are not declared in the order of the file; the later place is the fault.
            let swapped = first.source == name.source && first.span > name.span;
            let (name, first) = if swapped { (first, name) } else { (name, first) };
            let fault = name.error(codes::NAME_DUPLICATE, format!("`{}` is declared twice", name.text)).also(
                &first.source,
                first.span,
                "first here",
            );
            self.out.push(fault);
            return;
        }
        self.names.insert(name.text.clone(), (meaning, name.clone()));
    }

    /// Each player has a time control: the one that is for all, or his own.
    fn clock(&mut self, controls: &[(Option<Loc>, In<Vec<Period>>)]) {
        let mut clock: Vec<Option<Vec<Period>>> = vec![None; self.rules.players.len().max(1)];
        for (player, control) in controls {
            for period in control.it.iter().rev().skip(1).filter(|period| period.after != AfterPeriod::Next) {
                let message = "only the last period can be `repeating` or `renewed`";
                self.fault(&control.source, codes::EXPR_SYNTAX, period.span, message);
            }
            let Some(player) = player else {
                clock.fill(Some(control.it.clone()));
                continue;
            };
            match self.rules.player(&player.text).and_then(|at| clock.get_mut(usize::from(at))) {
                Some(slot) => *slot = Some(control.it.clone()),
                None => {
                    let fault = player.error(codes::NAME_UNKNOWN, format!("`{}` is no player", player.text));
                    let known = self.rules.players.iter().map(String::as_str);
                    let fault = suggest(fault, &player.text, known);
                    self.out.push(fault);
                }
            }
        }
        if let Some((_, first)) = controls.first().filter(|_| clock.contains(&None)) {
            let span = first.it.first().map_or(Span::new(0, 0), |period| period.span);
            let message = "every player needs a time control";
            self.fault(&first.source, codes::FILE_MISSING_KEY, span, message);
        }
        self.rules.clock = clock.into_iter().flatten().collect();
    }

    /// The time control that is given from outside, for all players.
    fn given_clock(&mut self, text: &str) {
        let source = Source::new(format!("given {CLOCK}"), text.to_owned());
        match parse::control(&parse::Text { text, locate: &Span::new }) {
            Err(error) => self.fault(&source, codes::EXPR_SYNTAX, error.span, error.message),
            Ok(control) => self.clock(&[(None, In { it: control, source })]),
        }
    }

    pub(super) fn declare(&mut self, drafts: &[Draft], given: &[(String, String)]) {
        for draft in drafts {
            self.rules.lineage.push(draft.id.text.clone());
            self.rules.title = draft.title.clone();
            let sources = draft.sources.iter().map(|(key, title)| (key.text.clone(), title.clone()));
            self.rules.sources.extend(sources);
            for unit in &draft.units {
                self.is_fine(unit);
                intern(&mut self.units, &unit.text);
            }
        }
        if let Some(draft) = drafts.iter().rev().find(|draft| !draft.players.is_empty()) {
            for (index, player) in draft.players.iter().enumerate() {
                if index >= MAX_PLAYERS {
                    let message = format!("there are at most {MAX_PLAYERS} players");
                    self.out.push(player.error(codes::LIMIT_EXCEEDED, message));
                    break;
                }
                self.rules.players.push(player.text.clone());
                self.introduce(player, Meaning::Player(index as u8));
            }
        }
        if let Some(draft) = drafts.iter().rev().find(|draft| !draft.clock.is_empty()) {
            self.clock(&draft.clock);
            let of_clock = |(name, _): &&(String, String)| name == CLOCK;
            let named = drafts.iter().flat_map(|draft| &draft.params).any(|param| param.name.text == CLOCK);
            if let Some((_, text)) = given.iter().find(of_clock).filter(|_| !named) {
                self.given_clock(text);
            }
        }
        if let Some(draft) = drafts.iter().rev().find(|draft| !draft.phases.is_empty()) {
            for phase in &draft.phases {
                self.introduce(phase, Meaning::Phase(self.rules.phases.len()));
                self.rules.phases.push(phase.text.clone());
            }
        }
        for kind in drafts.iter().flat_map(|draft| &draft.pieces) {
            let at = self.rules.kinds.len();
            if at >= MAX_KINDS {
                let message = format!("there are at most {MAX_KINDS} kinds of pieces");
                self.out.push(kind.error(codes::LIMIT_EXCEEDED, message));
                self.lost.extend(drafts.iter().flat_map(|draft| &draft.pieces).map(|kind| kind.text.clone()));
                break;
            }
            self.rules.kinds.push(kind.text.clone());
            self.introduce(kind, Meaning::Kind(at as u8));
        }
        for (name, fields) in drafts.iter().flat_map(|draft| &draft.tables) {
            let at = self.rules.tables.len() as u16;
            self.rules.tables.push(Table { name: name.text.clone(), fields: Vec::new() });
            self.introduce(name, Meaning::Table(at));
            let fields: Vec<(Loc, Loc)> = fields.clone();
            for (field, ty) in fields {
                let ty = self.named_type(&ty);
                if let Some(table) = self.rules.tables.get_mut(usize::from(at)) {
                    table.fields.push((field.text, ty));
                }
            }
        }
        self.params(drafts, given);
        self.board(drafts);
        for draft in drafts {
            for define in &draft.define {
                let name = Loc { text: define.head.name.text.clone(), ..define.at.clone() };
                // A layer may give a definition of its base anew.
                match self.names.get(&name.text) {
                    Some((Meaning::Define(at), first)) if first.source != name.source => {
                        let at = *at;
                        if let Some(slot) = self.defines.get_mut(at) {
                            *slot = define.clone();
                        }
                        self.names.insert(name.text.clone(), (Meaning::Define(at), name));
                    }
                    _ => {
                        self.introduce(&name, Meaning::Define(self.defines.len()));
                        self.defines.push(define.clone());
                    }
                }
            }
            for made in &draft.macros {
                if self.is_macro_name(made) {
                    self.macros.retain(|known| known.head.name.text != made.head.name.text);
                    self.macros.push(made.clone());
                }
            }
        }
    }

    /// Reports a macro that cannot be called by its name.
    pub(super) fn is_macro_name(&mut self, made: &MacroDraft) -> bool {
        let name = Loc { text: made.head.name.text.clone(), span: made.head.name.span, ..made.at.clone() };
        if paths::WORDS.contains(&name.text.as_str()) {
            let message = format!("`{}` is a word of the language itself", name.text);
            self.out.push(name.error(codes::NAME_RESERVED, message));
            return false;
        }
        let twin = self.macros.iter().find(|known| known.head.name.text == name.text);
        if let Some(twin) = twin.filter(|twin| twin.at.source == name.source) {
            let fault = name.error(codes::NAME_DUPLICATE, format!("`{}` is declared twice", name.text));
            self.out.push(fault.also(&twin.at.source, twin.at.span, "first here"));
            return false;
        }
        true
    }

    /// Plies need players who make them, and movements a board.
    pub(super) fn foundations(&mut self, drafts: &[Draft]) {
        let Some(draft) = drafts.last() else { return };
        let plies = |clause: &Clause| matches!(clause.form, Form::Move { .. } | Form::Act { .. });
        let moves = |clause: &Clause| matches!(clause.form, Form::Move { .. });
        if self.rules.players.is_empty() && self.rules.clauses.iter().any(plies) {
            let message = "there are plies but no `players` who make them";
            self.out.push(draft.id.error(codes::FILE_MISSING_KEY, message));
        }
        if self.rules.board.is_empty() && !self.no_sites && self.rules.clauses.iter().any(moves) {
            let message = "there are movements but no `board`";
            self.out.push(draft.id.error(codes::FILE_MISSING_KEY, message));
        }
    }

    pub(super) fn params(&mut self, drafts: &[Draft], given: &[(String, String)]) {
        let faults = self.out.len();
        self.values(drafts, given);
        if self.out.len() == faults {
            self.derived(drafts, given);
        }
    }

    /// What builds on a parameter builds on its value in the layer on top, in whichever layer it stands itself.
    fn derived(&mut self, drafts: &[Draft], given: &[(String, String)]) {
        let mut latest: BTreeMap<&str, &In<Expr>> = BTreeMap::new();
        for param in drafts.iter().flat_map(|draft| &draft.params) {
            latest.insert(&param.name.text, &param.value);
        }
        // A value that builds on the one of the base, such as `limit: limit + 1`, was found layer by layer.
        latest
            .retain(|name, value| given.iter().all(|(known, _)| known != name) && !mentions(&value.it, name));
        let mut changed = None;
        for _ in 0..=latest.len().min(MAX_CHAIN) {
            changed = None;
            for (name, value) in &latest {
                let (made, _) = self.constant(value);
                let known = self.rules.params.iter_mut().find(|param| param.name == **name);
                if let Some(param) = known.filter(|param| param.value != made) {
                    param.value = made;
                    changed = Some(*value);
                }
            }
            if changed.is_none() {
                return;
            }
        }
        if let Some(value) = changed {
            let message = "here parameters build on each other in a circle, or in too long a chain";
            self.fault(&value.source, codes::LAYER_CYCLE, value.it.span, message);
        }
    }

    fn values(&mut self, drafts: &[Draft], given: &[(String, String)]) {
        for draft in drafts {
            for param in &draft.params {
                let (mut value, mut ty) = self.constant(&param.value);
                let mut origin = draft.id.text.clone();
                // A value that is given goes before all layers, also where other parameters build on it.
                if let Some((name, text)) = given.iter().find(|(name, _)| *name == param.name.text)
                    && let Some((other, other_type)) = self.given(name, text, &ty)
                {
                    (value, ty, origin) = (other, other_type, "given".into());
                }
                if param.name.source == self.top {
                    param.cites.iter().for_each(|cite| self.cited(cite));
                }
                let known = self.rules.params.iter().position(|known| known.name == param.name.text);
                let made = Param {
                    name: param.name.text.clone(),
                    value,
                    ty: ty.clone(),
                    cites: param.cites.iter().map(|loc| loc.text.clone()).collect(),
                    since: param.since.clone(),
                    origin,
                };
                match known.and_then(|at| self.rules.params.get_mut(at)) {
                    Some(base) => {
                        if !ty.fits(&base.ty) {
                            let message = format!("the base gives `{}` another type", param.name.text);
                            let numbers = matches!((&ty, &base.ty), (Type::Number(_), Type::Number(_)));
                            let code = if numbers { codes::TYPE_UNIT } else { codes::TYPE_MISMATCH };
                            self.out.push(param.name.error(code, message));
                            continue;
                        }
                        *base = made;
                    }
                    None => {
                        self.introduce(&param.name, Meaning::Param(self.rules.params.len()));
                        self.rules.params.push(made);
                    }
                }
            }
        }
        for (name, text) in given {
            let clock = name == CLOCK && !self.rules.clock.is_empty();
            if !clock && !self.rules.params.iter().any(|param| param.name == *name) {
                let source = Source::new(format!("given {name}"), text.clone());
                let message = format!("there is no parameter `{name}`");
                let known = self.rules.params.iter().map(|param| param.name.as_str());
                let whole = Span::new(0, text.len());
                let fault = Diagnostic::error(codes::NAME_UNKNOWN, &source, whole, message);
                self.out.push(suggest(fault, name, known));
            }
        }
    }

    /// A value from outside, if it is of the right type.
    pub(super) fn given(&mut self, name: &str, text: &str, wanted: &Type) -> Option<(Value, Type)> {
        let source = Source::new(format!("given {name}"), text.to_owned());
        let input = parse::Text { text, locate: &Span::new };
        match parse::expression(&input) {
            Err(error) => self.fault(&source, codes::EXPR_SYNTAX, error.span, error.message),
            Ok(expr) => {
                let (value, ty) = self.constant(&In { it: expr, source: Arc::clone(&source) });
                if ty.fits(wanted) {
                    return Some((value, ty));
                }
                // From outside a bare number may stand for one with the unit of the parameter.
                if ty == Type::Number(COUNT) && matches!(wanted, Type::Number(_)) {
                    return Some((value, wanted.clone()));
                }
                let message = format!("`{name}` has another type");
                self.fault(&source, codes::TYPE_MISMATCH, Span::new(0, text.len()), message);
            }
        }
        None
    }

    pub(super) fn board(&mut self, drafts: &[Draft]) {
        for draft in drafts {
            for (name, direction) in &draft.directions {
                let steps = match direction {
                    DirectionDraft::Step(files, ranks, relative) => {
                        vec![Direction { files: *files, ranks: *ranks, relative: *relative }]
                    }
                    DirectionDraft::Union(names) => self.dirs(names, &name.source),
                };
                self.directions.insert(name.text.clone(), steps);
            }
        }
        for draft in drafts {
            let Some(board) = &draft.board else { continue };
            for (size, is_files) in [(&board.files, true), (&board.ranks, false)] {
                let Some(size) = size else { continue };
                let (value, ty) = self.constant(size);
                let number = match value {
                    Value::Number(number) if ty == Type::Number(COUNT) => {
                        number.to_whole().filter(|n| (1..=40).contains(n))
                    }
                    _ => None,
                };
                match number {
                    Some(number) if is_files => self.rules.board.files = number as u16,
                    Some(number) => self.rules.board.ranks = number as u16,
                    None => {
                        self.no_sites = true;
                        // What is no constant at all was reported as such.
                        if ty != Type::Unknown {
                            let message = "a board has 1 to 40 files and ranks";
                            self.fault(&size.source, codes::BOARD_INVALID, size.it.span, message);
                        }
                    }
                }
            }
            if let Some(adjacent) = &board.adjacent {
                self.rules.board.adjacent = self.dirs(&adjacent.it, &adjacent.source);
            }
            if !board.forward.is_empty() {
                let mut flipped = vec![false; self.rules.players.len()];
                for (player, direction) in &board.forward {
                    let Some(at) = self.known_player(player) else { continue };
                    match direction.text.as_str() {
                        "north" | "south" => {
                            if let Some(flag) = flipped.get_mut(usize::from(at)) {
                                *flag = direction.text == "south";
                            }
                        }
                        _ => {
                            let fault =
                                direction.error(codes::BOARD_INVALID, "forward is `north` or `south`");
                            self.out.push(fault);
                        }
                    }
                }
                self.rules.board.flipped = flipped;
            }
            if let Some(names) = &board.names {
                self.rules.board.names = match names.text.as_str() {
                    "letters" => SiteNames::Letters,
                    "letters without i" => SiteNames::LettersWithoutI,
                    "shaded numbers" => SiteNames::Shaded,
                    _ => {
                        let message = "sites are named by `letters`, `letters without i` or `shaded numbers`";
                        self.out.push(names.error(codes::BOARD_INVALID, message));
                        SiteNames::Letters
                    }
                };
            }
            if self.rules.board.len() > MAX_SITES {
                let message = format!("a board has at most {MAX_SITES} sites");
                self.out.push(board.at.error(codes::LIMIT_EXCEEDED, message));
                self.no_sites = true;
                self.rules.board.files = 1;
                self.rules.board.ranks = 1;
            }
        }
        let last = drafts.iter().rev().find_map(|draft| draft.board.as_ref());
        if let Some(board) = last.filter(|_| self.rules.board.is_empty() && !self.no_sites) {
            self.no_sites = true;
            self.out.push(board.at.error(codes::FILE_MISSING_KEY, "`board` needs `files` and `ranks`"));
        }
    }

    pub(super) fn dirs(&mut self, names: &[Name], source: &Arc<Source>) -> Vec<Direction> {
        let mut found = Vec::new();
        for name in names {
            match self.directions.get(&name.text) {
                Some(steps) => {
                    let fresh: Vec<Direction> =
                        steps.iter().copied().filter(|step| !found.contains(step)).collect();
                    found.extend(fresh);
                    if found.len() > MAX_DIRECTIONS {
                        let message = format!("a union has at most {MAX_DIRECTIONS} directions");
                        self.fault(source, codes::LIMIT_EXCEEDED, name.span, message);
                        found.truncate(MAX_DIRECTIONS);
                        break;
                    }
                }
                None if self.lost.contains(&name.text) => {}
                None => {
                    let message = format!("`{}` is not a direction", name.text);
                    let fault = Diagnostic::error(codes::NAME_UNKNOWN, source, name.span, message);
                    let known = self.directions.keys().map(String::as_str);
                    let fault = suggest(fault, &name.text, known);
                    self.out.push(fault);
                }
            }
        }
        found
    }

    pub(super) fn named_type(&mut self, loc: &Loc) -> Type {
        let unit = self.units.iter().position(|unit| *unit == loc.text);
        let table = self.rules.tables.iter().position(|table| table.name == loc.text);
        match loc.text.as_str() {
            "truth" => Type::Truth,
            "text" => Type::Text,
            "player" => Type::Player,
            "kind" => Type::Kind,
            "site" => Type::Site,
            "sites" => Type::Sites,
            _ => match (unit, table) {
                (Some(unit), _) => Type::Number(unit as u16),
                (_, Some(table)) => Type::Row(table as u16),
                _ => {
                    if self.lost.contains(&loc.text) {
                        return Type::Unknown;
                    }
                    let message = format!("`{}` is not a type, a unit or a table", loc.text);
                    let words = ["truth", "text", "player", "kind", "site", "sites"];
                    let known = words.into_iter().chain(self.units.iter().map(String::as_str));
                    let fault = suggest(loc.error(codes::NAME_UNKNOWN, message), &loc.text, known);
                    self.out.push(fault);
                    Type::Unknown
                }
            },
        }
    }

    /// State variables, their first values, and the placement.
    pub(super) fn start(&mut self, drafts: &[Draft]) {
        let first = drafts.iter().rev().find_map(|draft| draft.phases.first());
        if let Some(first) = first {
            // The phase of the game is a variable like any other, which every rule set with phases has.
            self.introduce(&Loc { text: PHASE.into(), ..first.clone() }, Meaning::Var(0));
            self.used.insert(PHASE.into());
            self.rules.vars.push(Var {
                name: PHASE.into(),
                ty: Type::Phase,
                each: Vec::new(),
                fleeting: false,
                kept: false,
                start: Value::Text(first.text.clone()),
            });
        }
        for state in drafts.iter().flat_map(|draft| &draft.state) {
            let ty = self.named_type(&state.ty);
            let start = match &ty {
                Type::Truth => Value::Truth(false),
                Type::Number(_) => Value::whole(0),
                Type::Text => Value::Text(String::new()),
                Type::Sites => Value::sites(Sites::EMPTY),
                _ => Value::Nothing,
            };
            let start = self.for_each(&state.each, start);
            let at = self.rules.vars.len() as u16;
            self.rules.vars.push(Var {
                name: state.name.text.clone(),
                ty: ty.clone(),
                each: state.each.clone(),
                fleeting: state.fleeting,
                kept: state.kept,
                start,
            });
            self.introduce(&state.name, Meaning::Var(at));
            if let Some(start) = &state.start {
                self.first_value(at, start);
            }
        }
        self.rules.setup = vec![Cell::EMPTY; self.rules.board.len()];
        self.letters(drafts);
        let mut setup: Vec<&(Loc, SetupDraft)> = Vec::new();
        for entry in drafts.iter().flat_map(|draft| &draft.setup) {
            // A layer's entry takes the place of its base's.
            setup.retain(|(name, _)| name.text != entry.0.text);
            setup.push(entry);
        }
        for (name, entry) in setup {
            match entry {
                SetupDraft::Placement(_) if self.no_sites || self.no_letters => {}
                SetupDraft::Placement(text) => match placement::read(&self.rules, &text.text) {
                    Ok(made) => self.placed(made),
                    Err((at, message)) => {
                        // In a scalar that is written as it is meant the exact place is known.
                        let exact = text.span.end - text.span.start == text.text.len();
                        let span = Span::new(text.span.start + at.start, text.span.start + at.end);
                        let span = if exact { span } else { text.span };
                        self.fault(&text.source, codes::BOARD_INVALID, span, message);
                    }
                },
                SetupDraft::Value(value) if name.text == TURN => match self.constant(value) {
                    (Value::Player(player), _) => self.rules.begins = player,
                    (_, ty) => {
                        if ty != Type::Unknown {
                            let message = "who begins is a player";
                            self.fault(&value.source, codes::TYPE_MISMATCH, value.it.span, message);
                        }
                    }
                },
                SetupDraft::Value(value) => match self.names.get(&name.text) {
                    Some((Meaning::Var(at), _)) => {
                        let at = *at;
                        self.first_value(at, value);
                    }
                    _ if self.lost.contains(&name.text) => {}
                    _ => {
                        let message = format!("`{}` is not a state variable", name.text);
                        let known = self.rules.vars.iter().map(|var| var.name.as_str());
                        let fault = suggest(name.error(codes::NAME_UNKNOWN, message), &name.text, known);
                        self.out.push(fault);
                    }
                },
            }
        }
    }

    /// What a placement says besides what stands where goes into the variables that the notation names.
    fn placed(&mut self, made: Placement) {
        self.rules.setup = made.cells;
        let hands = Value::List(made.hands.into_iter().map(Value::whole).collect());
        let hands = self.rules.notation.hands.map(|var| (var, hands));
        let marks = self.rules.notation.marks.map(|(var, _)| (var, Value::sites(made.marked)));
        for (var, value) in hands.into_iter().chain(marks) {
            if let Some(var) = self.rules.vars.get_mut(usize::from(var)) {
                var.start = value;
            }
        }
    }

    /// A value as it is kept: once, or as often as there are members of the indices.
    fn for_each(&self, each: &[Index], value: Value) -> Value {
        if each.is_empty() { value } else { Value::List(vec![value; self.rules.values(each)]) }
    }

    pub(super) fn first_value(&mut self, at: u16, start: &In<Expr>) {
        let (value, ty) = self.constant(start);
        let Some(var) = self.rules.vars.get(usize::from(at)).cloned() else { return };
        let listed = matches!(&value, Value::List(list) if list.len() == self.rules.values(&var.each));
        let numbers = match &value {
            Value::List(list) => list.as_slice(),
            one => std::slice::from_ref(one),
        };
        if numbers.iter().any(|value| matches!(value, Value::Number(number) if !number.can_be_kept())) {
            let message = format!("the first value of `{}` is larger or finer than is kept", var.name);
            let fault = Diagnostic::error(codes::LIMIT_EXCEEDED, &start.source, start.it.span, message);
            self.out.push(fault);
            return;
        }
        let value = if ty.fits(&var.ty) {
            let empty_set = matches!(&value, Value::List(list) if list.is_empty()) && var.ty == Type::Sites;
            // A variable for sets holds a set, whatever stands for one.
            let value = match value {
                Value::Site(site) if var.ty == Type::Sites => Value::sites(Sites::one(site)),
                Value::Nothing if var.ty == Type::Sites => Value::sites(Sites::EMPTY),
                _ if empty_set => Value::sites(Sites::EMPTY),
                value => value,
            };
            self.for_each(&var.each, value)
        } else if var.each == [Index::Player] && listed && ty.fits(&Type::List(Box::new(var.ty.clone()))) {
            value
        } else {
            Value::Nothing
        };
        if value != Value::Nothing || ty == Type::Nothing || ty == Type::Unknown {
            if let Some(var) = self.rules.vars.get_mut(usize::from(at)) {
                var.start = value;
            }
        } else {
            let message = format!("the first value of `{}` has another type", var.name);
            let fault = Diagnostic::error(codes::TYPE_MISMATCH, &start.source, start.it.span, message);
            self.out.push(fault);
        }
    }
}
