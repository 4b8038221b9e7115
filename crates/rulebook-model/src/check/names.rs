//! Names: what each one means where it stands, and what a file cannot declare.
//!
//! Invariant: a name that is missing because of another fault is not reported again.

use std::sync::Arc;

use rulebook_syntax::ast::Name;
use rulebook_syntax::{Diagnostic, Source, codes};

use super::functions::function_names;
use super::terms::{NOTHING, Typed};
use super::{Checker, Meaning, intern};
use crate::draft::suggest;
use crate::ruleset::{Builtin, Context, PLIES, SECONDS, Term};
use crate::types::Type;
use crate::value::{Outcome, Value};

/// Whether `able` and `stuck` may be asked here.
pub(super) const ABLE: u32 = 1 << 30;

/// Whether attacks may be asked here.
pub(super) const ATTACK: u32 = 1 << 31;

/// Everything.
pub(super) const ALL_CONTEXTS: u32 = u32::MAX;

const CONTEXTS: [(&str, Context); 16] = [
    ("mover", Context::Mover),
    ("actor", Context::Actor),
    ("from", Context::From),
    ("to", Context::To),
    ("piece", Context::Piece),
    ("taken", Context::Taken),
    ("changed", Context::Changed),
    ("here", Context::Here),
    ("empty", Context::Empty),
    ("enemy", Context::Enemy),
    ("own", Context::Own),
    ("played", Context::Played),
    ("tied", Context::Tied),
    ("stuck", Context::Stuck),
    ("answerable", Context::Answerable),
    ("now", Context::Now),
];

const BARE: [(&str, Builtin, Type); 7] = [
    ("empties", Builtin::Empties, Type::Sites),
    ("occupied", Builtin::Occupied, Type::Sites),
    ("sites", Builtin::AllSites, Type::Sites),
    ("players", Builtin::Players, Type::Player),
    ("draw", Builtin::Draw, Type::Outcome),
    ("void", Builtin::Void, Type::Outcome),
    ("all_lose", Builtin::AllLose, Type::Outcome),
];

/// Words with a grammar or a meaning of their own.
const LANGUAGE: [&str; 10] =
    ["opponent", "able", "last", "times", "position", "trace", "again", "anyone", "arbiter", "ply"];

/// Most names that choices, marks and loops bind in a rule set.
const MAX_BINDINGS: usize = 1000;

/// After so many faults no suggestions are looked for.
const MAX_SUGGESTIONS: usize = 200;

/// Names that a file cannot declare.
pub(super) fn is_reserved(name: &str) -> bool {
    LANGUAGE.contains(&name)
        || CONTEXTS.iter().any(|(word, _)| *word == name)
        || BARE.iter().any(|(word, ..)| *word == name)
        || function_names().any(|word| word == name)
}

/// The bit of a context.
pub(super) const fn bit(context: Context) -> u32 {
    1 << context as u32
}

/// What names mean besides those that are declared.
#[derive(Clone)]
pub(super) struct Scope {
    pub(super) source: Arc<Source>,
    pub(super) contexts: u32,
    pub(super) locals: Vec<(String, u16, Type)>,
    pub(super) slots: u16,
    pub(super) bindings: Vec<(String, u16, Type)>,
    pub(super) marks: Vec<String>,
    /// Names that are known around here but have no value here, and why.
    hidden: Vec<(String, &'static str)>,
}

impl Scope {
    pub(super) fn new(source: &Arc<Source>, contexts: u32) -> Self {
        Self {
            source: Arc::clone(source),
            contexts,
            locals: Vec::new(),
            slots: 0,
            bindings: Vec::new(),
            marks: Vec::new(),
            hidden: Vec::new(),
        }
    }

    /// What is known inside of a pattern: what is around it, and where it stands.
    pub(super) fn inside_pattern(&self) -> Self {
        let around = self.contexts & (bit(Context::Mover) | bit(Context::From));
        let walking = [Context::Here, Context::Empty, Context::Enemy, Context::Own, Context::Taken];
        let mut inner = self.clone();
        inner.contexts = walking.into_iter().fold(around, |bits, context| bits | bit(context));
        inner.marks = Vec::new();
        inner
    }

    /// Choices that a condition cannot see, since it is looked at before they are made.
    pub(super) fn hide_choices(&mut self, from: usize) {
        let why = "where this condition is looked at: before choices are made";
        let choices = self.bindings.drain(from.min(self.bindings.len())..);
        self.hidden.extend(choices.map(|(name, ..)| (name, why)));
    }

    /// Adds a local name; its slot.
    pub(super) fn push(&mut self, name: &str, ty: Type) -> u16 {
        let slot = self.locals.len() as u16;
        self.locals.push((name.to_owned(), slot, ty));
        self.slots = self.slots.max(slot + 1);
        slot
    }
}

impl Checker<'_> {
    /// Reports a name that already has a meaning.
    pub(super) fn is_free(&mut self, name: &Name, source: &Arc<Source>) {
        if is_reserved(&name.text) || self.names.contains_key(&name.text) {
            let message = format!("`{}` already means something else", name.text);
            self.fault(source, codes::NAME_RESERVED, name.span, message);
        }
    }

    /// The number of a name that choices, marks or loops bind.
    pub(super) fn binding(&mut self, name: &Name, scope: &Scope) -> u16 {
        let known = self.rules.bindings.iter().position(|known| *known == name.text);
        if known.is_none() && self.rules.bindings.len() >= MAX_BINDINGS {
            let message = format!("choices, marks and loops bind more than {MAX_BINDINGS} names");
            self.fault(&scope.source, codes::LIMIT_EXCEEDED, name.span, message);
            return 0;
        }
        known.map_or_else(|| intern(&mut self.rules.bindings, &name.text), |at| at as u16)
    }

    /// The number of a name that a choice or a mark binds; it has one type in all clauses.
    pub(super) fn bind(&mut self, name: &Name, ty: &Type, scope: &Scope) -> u16 {
        let binding = self.binding(name, scope);
        let before = self.bound.entry(binding).or_insert_with(|| ty.clone()).clone();
        match before.common(ty) {
            Some(common) => {
                self.bound.insert(binding, common);
            }
            None => {
                let (this, other) = (self.describe(ty), self.describe(&before));
                let message = format!("`{}` is {this} here, but {other} in another clause", name.text);
                self.fault(&scope.source, codes::TYPE_MISMATCH, name.span, message);
            }
        }
        binding
    }

    pub(super) fn name(&mut self, name: &Name, scope: &Scope) -> Typed {
        let word = name.text.as_str();
        if let Some((_, slot, ty)) = scope.locals.iter().rev().find(|(known, ..)| known == word) {
            return (Term::Slot(*slot), ty.clone());
        }
        if let Some(at) = scope.marks.iter().position(|mark| mark == word) {
            return (Term::Mark(at as u8), Type::Site);
        }
        if let Some((_, binding, ty)) = scope.bindings.iter().find(|(known, ..)| known == word) {
            return (Term::Bound(*binding), ty.clone());
        }
        if let Some((_, context)) = CONTEXTS.iter().find(|(known, _)| *known == word) {
            return self.context(*context, name, scope);
        }
        if word == "opponent" {
            let (mover, ty) = self.context(Context::Mover, name, scope);
            return (Term::Call(Builtin::Next, vec![mover]), ty);
        }
        if let Some((_, builtin, ty)) = BARE.iter().find(|(known, ..)| *known == word) {
            let ty =
                if *builtin == Builtin::Players { Type::List(Box::new(Type::Player)) } else { ty.clone() };
            return match builtin {
                Builtin::Draw => (Term::Const(Value::Outcome(Outcome::Draw)), ty),
                Builtin::Void => (Term::Const(Value::Outcome(Outcome::Void)), ty),
                Builtin::AllLose => (Term::Const(Value::Outcome(Outcome::AllLose)), ty),
                _ => (Term::Call(*builtin, Vec::new()), ty),
            };
        }
        self.used.insert(word.to_owned());
        match self.names.get(word).map(|(meaning, _)| *meaning) {
            Some(Meaning::Player(at)) => (Term::Const(Value::Player(at)), Type::Player),
            Some(Meaning::Phase(at)) => {
                let phase = self.rules.phases.get(at).cloned().unwrap_or_default();
                (Term::Const(Value::Text(phase)), Type::Phase)
            }
            Some(Meaning::Kind(at)) => (Term::Const(Value::Kind(at)), Type::Kind),
            Some(Meaning::Param(at)) => match self.rules.params.get(at) {
                Some(param) => (Term::Const(param.value.clone()), param.ty.clone()),
                None => NOTHING,
            },
            Some(Meaning::Var(at)) => {
                let Some(var) = self.rules.vars.get(usize::from(at)) else { return NOTHING };
                if !var.each.is_empty() {
                    let message = format!("there are several of `{word}`: say which, as in `{word}(mover)`");
                    return self.error(codes::TYPE_ARITY, name.span, message, scope);
                }
                (Term::Var(at, Vec::new()), var.ty.clone())
            }
            Some(Meaning::Table(at)) => (Term::Rows(at), Type::List(Box::new(Type::Row(at)))),
            Some(Meaning::Define(at)) => match self.instance(at, &[], scope, name.span) {
                Some((body, ty)) => (Term::Apply(body, Vec::new()), ty),
                None => NOTHING,
            },
            None => match self.rules.board.site(word) {
                Some(site) => (Term::Const(Value::Site(site)), Type::Site),
                None => self.unknown(name, scope),
            },
        }
    }

    /// Whether a name is missing because of a fault that was reported.
    pub(super) fn is_lost(&self, name: &str) -> bool {
        let is_site = || {
            let digits = name.trim_start_matches(|c: char| c.is_ascii_lowercase());
            digits.len() < name.len() && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
        };
        self.lost.contains(name) || (self.no_sites && is_site())
    }

    pub(super) fn unknown(&mut self, name: &Name, scope: &Scope) -> Typed {
        if self.is_lost(&name.text) {
            return NOTHING;
        }
        if let Some((_, why)) = scope.hidden.iter().find(|(hidden, _)| *hidden == name.text) {
            let message = format!("`{}` has no value {why}", name.text);
            return self.error(codes::NAME_CONTEXT, name.span, message, scope);
        }
        let message = format!("nothing here is called `{}`", name.text);
        let fault = Diagnostic::error(codes::NAME_UNKNOWN, &scope.source, name.span, message);
        if self.out.len() > MAX_SUGGESTIONS {
            self.out.push(fault);
            return NOTHING;
        }
        let known: Vec<&str> = self
            .names
            .keys()
            .map(String::as_str)
            .chain(scope.locals.iter().map(|(known, ..)| known.as_str()))
            .chain(scope.bindings.iter().map(|(known, ..)| known.as_str()))
            .chain(CONTEXTS.iter().map(|(known, _)| *known))
            .chain(BARE.iter().map(|(known, ..)| *known))
            .chain(function_names())
            .collect();
        let mut known = known;
        known.sort_unstable();
        self.out.push(suggest(fault, &name.text, known));
        NOTHING
    }

    pub(super) fn context(&mut self, context: Context, name: &Name, scope: &Scope) -> Typed {
        let ty = match context {
            Context::Mover | Context::Actor => Type::Player,
            Context::From | Context::To | Context::Here => Type::Site,
            Context::Piece => Type::Kind,
            Context::Taken | Context::Changed => Type::Sites,
            Context::Empty | Context::Enemy | Context::Own | Context::Stuck | Context::Answerable => {
                Type::Truth
            }
            Context::Played => Type::Number(PLIES),
            Context::Now => Type::Number(SECONDS),
            Context::Tied => {
                let entries = self.rules.tables.first().map_or(Type::Unknown, |_| Type::Row(0));
                Type::List(Box::new(entries))
            }
        };
        if scope.contexts & bit(context) == 0 || (context == Context::Stuck && scope.contexts & ABLE == 0) {
            let (code, message) = if context == Context::Stuck {
                (
                    codes::ACT_CYCLE,
                    "`stuck` cannot be asked here: which acts are possible depends on this clause",
                )
            } else {
                (codes::NAME_CONTEXT, "has no value in this kind of clause")
            };
            let message = if code == codes::NAME_CONTEXT {
                format!("`{}` {message}", name.text)
            } else {
                message.into()
            };
            return self.error(code, name.span, message, scope);
        }
        (Term::Context(context), ty)
    }
}
