//! Expressions: names are looked up, types and units are checked, constants are folded.
//!
//! Invariant: a term of type `Unknown` was already reported. A definition is opened once for each tuple
//! of argument types and contexts it is used with, so its body is checked with the types it will meet.

use std::sync::Arc;

use rulebook_syntax::ast::{Binary, Expr, ExprKind, Fold, Name, Quantifier, Unary};
use rulebook_syntax::{Diagnostic, Source, Span, codes};

use super::{Checker, Meaning, intern};
use crate::draft::{Loc, suggest};
use crate::ruleset::{Body, Builtin, COUNT, Code, Context, Features, MOVES, PLIES, SECONDS, Term};
use crate::types::Type;
use crate::value::{Number, Outcome, Value};

/// Whether `able` and `stuck` may be asked here.
pub(super) const ABLE: u32 = 1 << 30;
/// Whether attacks may be asked here.
pub(super) const ATTACK: u32 = 1 << 31;
/// Everything.
pub(super) const ALL_CONTEXTS: u32 = u32::MAX;

const CONTEXTS: [(&str, Context); 14] = [
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

/// What a function takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Player,
    Site,
    Sites,
    Count,
    Counts,
    Moves,
    Plies,
    Number,
    Collection,
}

/// What a function gives.
#[derive(Clone, Copy)]
enum Gives {
    Truth,
    Player,
    Kind,
    Site,
    Sites,
    Count,
    Plies,
    Moves,
    Outcome,
    Groups,
    PlayerList,
    KindList,
    Same,
    Member,
}

const FUNCTIONS: &[(&str, Builtin, &[Takes], Gives)] = &[
    ("owned", Builtin::Owned, &[Takes::Player], Gives::Sites),
    ("kind", Builtin::Kind, &[Takes::Site], Gives::Kind),
    ("owner", Builtin::Owner, &[Takes::Site], Gives::Player),
    ("owners", Builtin::Owners, &[Takes::Sites], Gives::PlayerList),
    ("kinds", Builtin::Kinds, &[Takes::Sites], Gives::KindList),
    ("file", Builtin::File, &[Takes::Site], Gives::Count),
    ("rank", Builtin::Rank, &[Takes::Site], Gives::Count),
    ("at", Builtin::At, &[Takes::Count, Takes::Count], Gives::Site),
    ("ranks", Builtin::Ranks, &[Takes::Counts], Gives::Sites),
    ("files", Builtin::Files, &[Takes::Counts], Gives::Sites),
    ("neighbours", Builtin::Neighbours, &[Takes::Sites], Gives::Sites),
    ("connected", Builtin::Connected, &[Takes::Sites, Takes::Sites], Gives::Sites),
    ("groups", Builtin::Groups, &[Takes::Sites], Gives::Groups),
    ("between", Builtin::Between, &[Takes::Site, Takes::Site], Gives::Sites),
    ("count", Builtin::Count, &[Takes::Collection], Gives::Count),
    ("only", Builtin::Only, &[Takes::Collection], Gives::Member),
    ("attacked", Builtin::Attacked, &[Takes::Sites, Takes::Player], Gives::Truth),
    ("attackers", Builtin::Attackers, &[Takes::Sites, Takes::Player], Gives::Sites),
    ("restores", Builtin::Restores, &[Takes::Count], Gives::Truth),
    ("next", Builtin::Next, &[Takes::Player], Gives::Player),
    ("opponent", Builtin::Next, &[Takes::Player], Gives::Player),
    ("win", Builtin::Win, &[Takes::Player], Gives::Outcome),
    ("lose", Builtin::Lose, &[Takes::Player], Gives::Outcome),
    ("plies", Builtin::Plies, &[Takes::Moves], Gives::Plies),
    ("moves", Builtin::Moves, &[Takes::Plies], Gives::Moves),
    ("min", Builtin::Min, &[Takes::Number, Takes::Number], Gives::Same),
    ("max", Builtin::Max, &[Takes::Number, Takes::Number], Gives::Same),
    ("abs", Builtin::Abs, &[Takes::Number], Gives::Same),
    ("floor", Builtin::Floor, &[Takes::Number], Gives::Same),
];

/// Words with a grammar or a meaning of their own.
const LANGUAGE: [&str; 10] =
    ["opponent", "able", "last", "times", "position", "trace", "again", "anyone", "arbiter", "ply"];
/// Deepest terms, definitions opened.
const MAX_DEPTH: usize = 256;
/// Most names that choices, marks and loops bind in a rule set.
const MAX_BINDINGS: usize = 1000;
/// After so many faults no suggestions are looked for.
const MAX_SUGGESTIONS: usize = 200;

/// Names that a file cannot declare.
pub(super) fn is_reserved(name: &str) -> bool {
    LANGUAGE.contains(&name)
        || CONTEXTS.iter().any(|(word, _)| *word == name)
        || BARE.iter().any(|(word, ..)| *word == name)
        || FUNCTIONS.iter().any(|(word, ..)| *word == name)
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
    locals: Vec<(String, u16, Type)>,
    slots: u16,
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

    /// What is known inside of a pattern: what is around it, but for the local names, and where it stands.
    pub(super) fn inside_pattern(&self) -> Self {
        let around = self.contexts & (bit(Context::Mover) | bit(Context::From));
        let walking = [Context::Here, Context::Empty, Context::Enemy, Context::Own, Context::Taken];
        let mut inner = self.clone();
        inner.contexts = walking.into_iter().fold(around, |bits, context| bits | bit(context));
        let why = "inside of a pattern";
        inner.hidden.extend(inner.locals.drain(..).map(|(name, ..)| (name, why)));
        inner.slots = 0;
        inner.marks = Vec::new();
        inner
    }

    /// Choices that a condition cannot see, since it is looked at before they are made.
    pub(super) fn hide_choices(&mut self, from: usize) {
        let why = "where this condition is looked at: before choices are made";
        let choices = self.bindings.drain(from.min(self.bindings.len())..);
        self.hidden.extend(choices.map(|(name, ..)| (name, why)));
    }

    fn push(&mut self, name: &str, ty: Type) -> u16 {
        let slot = self.locals.len() as u16;
        self.locals.push((name.to_owned(), slot, ty));
        self.slots = self.slots.max(slot + 1);
        slot
    }
}

type Typed = (Term, Type);

const NOTHING: Typed = (Term::Const(Value::Nothing), Type::Unknown);

impl Checker<'_> {
    /// An expression of a wanted type, with the slots it needs.
    pub(super) fn code(&mut self, expr: &Expr, wanted: &Type, scope: &Scope) -> Code {
        let mut scope = scope.clone();
        scope.slots = scope.locals.len() as u16;
        let term = self.wanted(expr, wanted, &mut scope);
        Code { term, slots: scope.slots }
    }

    /// The same with the type it has.
    pub(super) fn typed_code(&mut self, expr: &Expr, scope: &Scope) -> (Code, Type) {
        let mut scope = scope.clone();
        scope.slots = scope.locals.len() as u16;
        let (term, ty) = self.term(expr, &mut scope);
        (Code { term, slots: scope.slots }, ty)
    }

    /// A scope with a first local name.
    pub(super) fn with_local(scope: &Scope, name: &str, ty: Type) -> Scope {
        let mut scope = scope.clone();
        scope.push(name, ty);
        scope
    }

    fn wanted(&mut self, expr: &Expr, wanted: &Type, scope: &mut Scope) -> Term {
        let (term, ty) = self.term(expr, scope);
        self.expect(&ty, wanted, expr.span, scope);
        term
    }

    fn expect(&mut self, ty: &Type, wanted: &Type, span: Span, scope: &Scope) {
        if ty.fits(wanted) {
            return;
        }
        let code = match (ty, wanted) {
            (Type::Number(_), Type::Number(_)) => codes::TYPE_UNIT,
            _ => codes::TYPE_MISMATCH,
        };
        let message = format!("this is {}, but {} is needed", self.describe(ty), self.describe(wanted));
        let mut fault = Diagnostic::error(code, &scope.source, span, message);
        match (ty, wanted) {
            (Type::Number(PLIES), Type::Number(MOVES)) => fault = fault.help("convert with `moves(…)`"),
            (Type::Number(MOVES), Type::Number(PLIES)) => fault = fault.help("convert with `plies(…)`"),
            _ => {}
        }
        self.out.push(fault);
    }

    pub(super) fn describe(&self, ty: &Type) -> String {
        match ty {
            Type::Unknown => "something".into(),
            Type::Nothing => "none".into(),
            Type::Truth => "a truth value".into(),
            Type::Number(COUNT) => "a plain number".into(),
            Type::Number(SECONDS) => "a duration".into(),
            Type::Number(unit) => {
                format!("a number of {}", self.units.get(usize::from(*unit)).map_or("?", String::as_str))
            }
            Type::Text => "a text".into(),
            Type::Player => "a player".into(),
            Type::Kind => "a kind of piece".into(),
            Type::Site => "a site".into(),
            Type::Sites => "a set of sites".into(),
            Type::List(member) => format!("a list of which each is {}", self.describe(member)),
            Type::Row(table) => {
                let table = self.rules.tables.get(usize::from(*table));
                format!("a row of `{}`", table.map_or("?", |table| &table.name))
            }
            Type::Outcome => "an outcome".into(),
            Type::Phase => "a phase of the game".into(),
        }
    }

    fn error(&mut self, code: &'static str, span: Span, message: String, scope: &Scope) -> Typed {
        let mut fault = Diagnostic::error(code, &scope.source, span, message);
        // A definition may be fine in itself and wrong where it is used.
        if matches!(code, codes::NAME_CONTEXT | codes::ACT_CYCLE)
            && let Some((_, source, span)) = self.open.first() {
                fault = fault.also(source, *span, "used here");
            }
        self.out.push(fault);
        NOTHING
    }

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

    /// Goes one level deeper, unless that is too deep.
    pub(super) fn deeper<T>(
        &mut self,
        span: Span,
        source: &Arc<Source>,
        build: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        if !self.is_shallow(1, span, source) {
            return None;
        }
        self.depth += 1;
        let built = build(self);
        self.depth -= 1;
        built
    }

    /// Whether so many more levels are allowed; the first fault of this kind is reported.
    fn is_shallow(&mut self, more: usize, span: Span, source: &Arc<Source>) -> bool {
        let reached = self.depth + more;
        if reached > MAX_DEPTH {
            if !self.too_deep {
                let message =
                    format!("expressions and definitions are nested more than {MAX_DEPTH} deep here");
                self.fault(source, codes::LIMIT_EXCEEDED, span, message);
            }
            self.too_deep = true;
            return false;
        }
        self.reach = self.reach.max(reached);
        true
    }

    /// Resolves and types an expression.
    fn term(&mut self, expr: &Expr, scope: &mut Scope) -> Typed {
        let source = Arc::clone(&scope.source);
        self.deeper(expr.span, &source, |this| Some(this.resolve(expr, scope))).unwrap_or(NOTHING)
    }

    fn resolve(&mut self, expr: &Expr, scope: &mut Scope) -> Typed {
        match &*expr.kind {
            ExprKind::Number(decimal, unit) => {
                let number = Number::fraction(decimal.numerator.into(), decimal.denominator.into());
                let number = number.unwrap_or(Number::ZERO);
                let Some(unit) = unit else {
                    return (Term::Const(Value::Number(number)), Type::Number(COUNT));
                };
                match self.quantity(number, &unit.text) {
                    Some((number, unit)) => (Term::Const(Value::Number(number)), Type::Number(unit)),
                    None => {
                        let fault = Diagnostic::error(
                            codes::NAME_UNKNOWN,
                            &scope.source,
                            unit.span,
                            format!("`{}` is not a unit", unit.text),
                        );
                        let fault = suggest(fault, &unit.text, self.units.iter().map(String::as_str));
                        self.out.push(fault);
                        NOTHING
                    }
                }
            }
            ExprKind::Time(seconds) => {
                (Term::Const(Value::Number(Number::whole(*seconds))), Type::Number(SECONDS))
            }
            ExprKind::Text(text) => (Term::Const(Value::Text(text.clone())), Type::Text),
            ExprKind::Truth(truth) => (Term::Const(Value::Truth(*truth)), Type::Truth),
            ExprKind::Nothing => (Term::Const(Value::Nothing), Type::Nothing),
            ExprKind::Name(name) => self.name(name, scope),
            ExprKind::Call(name, arguments) => self.call(name, arguments, expr.span, scope),
            ExprKind::Field(inner, name) => self.field(inner, name, scope),
            ExprKind::List(items) => self.list(items, scope),
            ExprKind::Unary(Unary::Not, inner) => {
                let term = self.wanted(inner, &Type::Truth, scope);
                (negate(term), Type::Truth)
            }
            ExprKind::Unary(Unary::Minus, inner) => {
                let (term, ty) = self.term(inner, scope);
                if !matches!(ty, Type::Number(_) | Type::Unknown) {
                    self.expect(&ty, &Type::Number(COUNT), inner.span, scope);
                }
                (fold_minus(term), ty)
            }
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right, expr.span, scope),
            ExprKind::Empty(inner, negated) => {
                let (term, ty) = self.term(inner, scope);
                if ty.member().is_none() {
                    let message = format!("only a collection can be empty; this is {}", self.describe(&ty));
                    return self.error(codes::TYPE_MISMATCH, inner.span, message, scope);
                }
                let term = Term::IsEmpty(Box::new(term));
                (if *negated { negate(term) } else { term }, Type::Truth)
            }
            ExprKind::If(condition, yes, no) => {
                let condition = self.wanted(condition, &Type::Truth, scope);
                let ((yes, a), (no_term, b)) = (self.term(yes, scope), self.term(no, scope));
                let Some(ty) = a.common(&b) else {
                    let message =
                        format!("this is {}, but `then` gives {}", self.describe(&b), self.describe(&a));
                    return self.error(codes::TYPE_MISMATCH, no.span, message, scope);
                };
                match condition {
                    Term::Const(Value::Truth(true)) => (yes, ty),
                    Term::Const(Value::Truth(false)) => (no_term, ty),
                    _ => (Term::If(Box::new(condition), Box::new(yes), Box::new(no_term)), ty),
                }
            }
            ExprKind::Quantified(quantifier, name, domain, body) => {
                let (domain, slot) = self.domain(name, domain, scope);
                let body = self.wanted(body, &Type::Truth, scope);
                scope.locals.pop();
                let term = Term::Quantified(*quantifier, slot, Box::new(domain), Box::new(body));
                (term, Type::Truth)
            }
            ExprKind::Filtered(name, domain, body) => {
                let (collection, ty) = self.term(domain, scope);
                let slot = self.member(name, &ty, domain.span, scope);
                let body = self.wanted(body, &Type::Truth, scope);
                scope.locals.pop();
                (Term::Filtered(slot, Box::new(collection), Box::new(body)), ty)
            }
            ExprKind::Folded(fold, body, name, domain, condition) => {
                let (domain, slot) = self.domain(name, domain, scope);
                let (term, ty) = self.term(body, scope);
                let condition = match condition {
                    Some(condition) => self.wanted(condition, &Type::Truth, scope),
                    None => Term::Const(Value::Truth(true)),
                };
                scope.locals.pop();
                let result = match fold {
                    Fold::List => Type::List(Box::new(ty)),
                    Fold::Set => {
                        self.expect(&ty, &Type::Sites, body.span, scope);
                        Type::Sites
                    }
                    Fold::Sum | Fold::Most | Fold::Least => {
                        if !matches!(ty, Type::Number(_) | Type::Unknown) {
                            self.expect(&ty, &Type::Number(COUNT), body.span, scope);
                        }
                        ty
                    }
                };
                (Term::Folded(*fold, slot, Box::new([term, domain, condition])), result)
            }
            ExprKind::Traced(origin, path) => {
                let origin = self.wanted(origin, &Type::Site, scope);
                // Its marks are its own.
                let path = self.path(path, &mut scope.clone());
                (Term::Traced(Box::new(origin), Arc::new(path)), Type::Sites)
            }
        }
    }

    fn domain(&mut self, name: &Name, domain: &Expr, scope: &mut Scope) -> (Term, u16) {
        let (term, ty) = self.term(domain, scope);
        let slot = self.member(name, &ty, domain.span, scope);
        (term, slot)
    }

    fn member(&mut self, name: &Name, ty: &Type, span: Span, scope: &mut Scope) -> u16 {
        let member = ty.member().unwrap_or_else(|| {
            let message = format!("a collection is needed here; this is {}", self.describe(ty));
            self.fault(&scope.source, codes::TYPE_MISMATCH, span, message);
            Type::Unknown
        });
        scope.push(&name.text, member)
    }

    fn list(&mut self, items: &[Expr], scope: &mut Scope) -> Typed {
        let mut ty = Type::Unknown;
        let mut terms = Vec::new();
        for item in items {
            let (term, found) = self.term(item, scope);
            match ty.common(&found) {
                Some(common) => ty = common,
                None => {
                    let message = format!(
                        "this is {}, but the list began with {}",
                        self.describe(&found),
                        self.describe(&ty)
                    );
                    self.fault(&scope.source, codes::TYPE_MISMATCH, item.span, message);
                }
            }
            terms.push(term);
        }
        match ty {
            Type::Site => (Term::List(terms, true), Type::Sites),
            ty => (Term::List(terms, false), Type::List(Box::new(ty))),
        }
    }

    fn field(&mut self, inner: &Expr, name: &Name, scope: &mut Scope) -> Typed {
        let (term, ty) = self.term(inner, scope);
        let Type::Row(table) = ty else {
            if ty == Type::Unknown {
                return NOTHING;
            }
            let message = format!("only rows of tables have fields; this is {}", self.describe(&ty));
            return self.error(codes::TYPE_MISMATCH, name.span, message, scope);
        };
        let table = self.rules.tables.get(usize::from(table)).cloned();
        let Some(table) = table else { return NOTHING };
        match table.fields.iter().position(|(field, _)| *field == name.text) {
            Some(at) => {
                let ty = table.fields.get(at).map_or(Type::Unknown, |(_, ty)| ty.clone());
                (Term::Field(Box::new(term), at as u16), ty)
            }
            None => {
                let message = format!("`{}` has no field `{}`", table.name, name.text);
                let fault = Diagnostic::error(codes::NAME_UNKNOWN, &scope.source, name.span, message);
                let known = table.fields.iter().map(|(field, _)| field.as_str());
                self.out.push(suggest(fault, &name.text, known));
                NOTHING
            }
        }
    }

    fn name(&mut self, name: &Name, scope: &Scope) -> Typed {
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
                if var.each_player {
                    let message = format!("each player has a `{word}`: say whose, as in `{word}(mover)`");
                    return self.error(codes::TYPE_ARITY, name.span, message, scope);
                }
                (Term::Var(at, None), var.ty.clone())
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

    fn unknown(&mut self, name: &Name, scope: &Scope) -> Typed {
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
            .chain(FUNCTIONS.iter().map(|(known, ..)| *known))
            .collect();
        let mut known = known;
        known.sort_unstable();
        self.out.push(suggest(fault, &name.text, known));
        NOTHING
    }

    fn context(&mut self, context: Context, name: &Name, scope: &Scope) -> Typed {
        let ty = match context {
            Context::Mover | Context::Actor => Type::Player,
            Context::From | Context::To | Context::Here => Type::Site,
            Context::Piece => Type::Kind,
            Context::Taken | Context::Changed => Type::Sites,
            Context::Empty | Context::Enemy | Context::Own | Context::Stuck => Type::Truth,
            Context::Played => Type::Number(PLIES),
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

    fn call(&mut self, name: &Name, arguments: &[Expr], span: Span, scope: &mut Scope) -> Typed {
        let word = name.text.as_str();
        match word {
            "able" | "last" => return self.act_question(name, arguments, scope),
            "times" => return self.times(name, arguments, scope),
            _ => {}
        }
        if let Some(function) = FUNCTIONS.iter().find(|(known, ..)| *known == word) {
            return self.builtin(function, arguments, span, scope);
        }
        self.used.insert(word.to_owned());
        match self.names.get(word).map(|(meaning, _)| *meaning) {
            Some(Meaning::Kind(at)) => {
                let Some(player) = self.one(name, arguments, scope) else { return NOTHING };
                let player = self.wanted(player, &Type::Player, scope);
                let kind = Term::Const(Value::Kind(at));
                (Term::Call(Builtin::Pieces, vec![kind, player]), Type::Sites)
            }
            Some(Meaning::Var(at)) => {
                let Some(player) = self.one(name, arguments, scope) else { return NOTHING };
                let player = self.wanted(player, &Type::Player, scope);
                let Some(var) = self.rules.vars.get(usize::from(at)) else { return NOTHING };
                if !var.each_player {
                    let message = format!("there is only one `{word}`, not one for each player");
                    return self.error(codes::TYPE_ARITY, name.span, message, scope);
                }
                (Term::Var(at, Some(Box::new(player))), var.ty.clone())
            }
            Some(Meaning::Define(at)) => {
                let typed: Vec<Typed> = arguments.iter().map(|argument| self.term(argument, scope)).collect();
                let (terms, types): (Vec<Term>, Vec<Type>) = typed.into_iter().unzip();
                match self.instance(at, &types, scope, span) {
                    Some((body, ty)) => (Term::Apply(body, terms), ty),
                    None => NOTHING,
                }
            }
            Some(_) => {
                let message = format!("`{word}` is not a function");
                self.error(codes::TYPE_ARITY, name.span, message, scope)
            }
            None => {
                for argument in arguments {
                    self.term(argument, scope);
                }
                self.unknown(name, scope)
            }
        }
    }

    fn one<'e>(&mut self, name: &Name, arguments: &'e [Expr], scope: &Scope) -> Option<&'e Expr> {
        if let [argument] = arguments {
            return Some(argument);
        }
        let message = format!("`{}` takes one argument, not {}", name.text, arguments.len());
        self.fault(&scope.source, codes::TYPE_ARITY, name.span, message);
        None
    }

    fn act_question(&mut self, name: &Name, arguments: &[Expr], scope: &mut Scope) -> Typed {
        let Some(argument) = self.one(name, arguments, scope) else { return NOTHING };
        let ExprKind::Name(act) = &*argument.kind else {
            let message = format!("`{}` takes the name of an act", name.text);
            return self.error(codes::TYPE_MISMATCH, argument.span, message, scope);
        };
        if name.text == "able" && scope.contexts & ABLE == 0 {
            let message =
                "`able` cannot be asked here: which acts are possible depends on this clause".into();
            return self.error(codes::ACT_CYCLE, name.span, message, scope);
        }
        match self.act(&act.text, act.span, &scope.source) {
            Some(act) if name.text == "able" => (Term::Able(act), Type::Truth),
            Some(act) => (Term::Last(act), Type::Truth),
            None => NOTHING,
        }
    }

    /// The number of an act; an unknown one is reported.
    pub(super) fn act(&mut self, name: &str, span: Span, source: &Arc<Source>) -> Option<u16> {
        if let Some(at) = self.rules.acts.iter().position(|act| act == name) {
            return Some(at as u16);
        }
        if self.lost.contains(name) {
            return None;
        }
        let message = format!("there is no act `{name}`");
        let fault = Diagnostic::error(codes::NAME_UNKNOWN, source, span, message);
        let fault = suggest(fault, name, self.rules.acts.iter().map(String::as_str).chain(["ply"]));
        self.out.push(fault);
        None
    }

    fn times(&mut self, name: &Name, arguments: &[Expr], scope: &Scope) -> Typed {
        let words: Vec<&str> = arguments
            .iter()
            .map(|argument| match &*argument.kind {
                ExprKind::Name(name) => name.text.as_str(),
                _ => "",
            })
            .collect();
        let features = match words[..] {
            ["position"] => Features { identity: true, turn: true },
            ["board"] => Features { identity: false, turn: false },
            ["board", "turn"] => Features { identity: false, turn: true },
            _ => {
                let message = "`times` takes `position`, `board`, or `board, turn`".into();
                return self.error(codes::TYPE_ARITY, name.span, message, scope);
            }
        };
        if features.identity && scope.contexts & ABLE == 0 {
            let message = "`times(position)` cannot be asked here: what a position is depends on this clause";
            return self.error(codes::ACT_CYCLE, name.span, message.into(), scope);
        }
        (Term::Times(features), Type::Number(COUNT))
    }

    fn builtin(
        &mut self,
        (name, builtin, takes, gives): &(&str, Builtin, &[Takes], Gives),
        arguments: &[Expr],
        span: Span,
        scope: &mut Scope,
    ) -> Typed {
        let many = takes.first() == Some(&Takes::Counts);
        if arguments.len() != takes.len() && !(many && !arguments.is_empty()) {
            let message = format!("`{name}` takes {} argument(s), not {}", takes.len(), arguments.len());
            return self.error(codes::TYPE_ARITY, span, message, scope);
        }
        if matches!(builtin, Builtin::Attacked | Builtin::Attackers) && scope.contexts & ATTACK == 0 {
            let message = format!("`{name}` cannot be asked here: what attacks what depends on this clause");
            return self.error(codes::ACT_CYCLE, span, message, scope);
        }
        let mut terms = Vec::new();
        let mut first = Type::Unknown;
        for (index, argument) in arguments.iter().enumerate() {
            let (term, ty) = self.term(argument, scope);
            let takes = takes.get(index).or(takes.last()).copied().unwrap_or(Takes::Count);
            let wanted = match takes {
                Takes::Player => Type::Player,
                Takes::Site => Type::Site,
                Takes::Sites => Type::Sites,
                Takes::Count | Takes::Counts => Type::Number(COUNT),
                Takes::Moves => Type::Number(MOVES),
                Takes::Plies => Type::Number(PLIES),
                Takes::Number if index == 0 && matches!(ty, Type::Number(_) | Type::Unknown) => ty.clone(),
                Takes::Number if index == 0 => Type::Number(COUNT),
                Takes::Number => first.clone(),
                Takes::Collection if ty.member().is_some() => ty.clone(),
                Takes::Collection => Type::Sites,
            };
            self.expect(&ty, &wanted, argument.span, scope);
            if index == 0 {
                first = ty;
            }
            terms.push(term);
        }
        let ty = match gives {
            Gives::Truth => Type::Truth,
            Gives::Player => Type::Player,
            Gives::Kind => Type::Kind,
            Gives::Site => Type::Site,
            Gives::Sites => Type::Sites,
            Gives::Count => Type::Number(COUNT),
            Gives::Plies => Type::Number(PLIES),
            Gives::Moves => Type::Number(MOVES),
            Gives::Outcome => Type::Outcome,
            Gives::Groups => Type::List(Box::new(Type::Sites)),
            Gives::PlayerList => Type::List(Box::new(Type::Player)),
            Gives::KindList => Type::List(Box::new(Type::Kind)),
            Gives::Same => first,
            Gives::Member => first.member().unwrap_or(Type::Unknown),
        };
        (self.fold(*builtin, terms), ty)
    }

    /// Calls that are known when the file is checked.
    fn fold(&self, builtin: Builtin, terms: Vec<Term>) -> Term {
        let numbers: Option<Vec<Number>> = terms
            .iter()
            .map(|term| match term {
                Term::Const(Value::Number(number)) => Some(*number),
                _ => None,
            })
            .collect();
        let board = &self.rules.board;
        let Some(numbers) = numbers.filter(|numbers| !numbers.is_empty()) else {
            return Term::Call(builtin, terms);
        };
        let line = |of: &dyn Fn(u16) -> u16| {
            let on = |site: &u16| numbers.iter().any(|n| n.to_whole() == Some(i64::from(of(*site))));
            Some(Value::sites((0..board.len() as u16).filter(on).collect()))
        };
        let folded = match builtin {
            Builtin::Ranks => line(&|site| board.rank(site)),
            Builtin::Files => line(&|site| board.file(site)),
            Builtin::Plies => numbers
                .first()
                .and_then(|n| n.times(Number::whole(self.rules.players.len() as i64)))
                .map(Value::Number),
            _ => None,
        };
        folded.map_or_else(|| Term::Call(builtin, terms), Term::Const)
    }

    fn binary(
        &mut self,
        operator: Binary,
        left: &Expr,
        right: &Expr,
        span: Span,
        scope: &mut Scope,
    ) -> Typed {
        let ((a, left_type), (b, right_type)) = (self.term(left, scope), self.term(right, scope));
        let number = |ty: &Type| matches!(ty, Type::Number(_) | Type::Unknown);
        let set = |ty: &Type| matches!(ty, Type::Site | Type::Sites);
        let ty = match operator {
            Binary::Or | Binary::And => {
                self.expect(&left_type, &Type::Truth, left.span, scope);
                self.expect(&right_type, &Type::Truth, right.span, scope);
                Type::Truth
            }
            Binary::Eq | Binary::Ne => {
                if left_type.common(&right_type).is_none() {
                    self.expect(&right_type, &left_type, right.span, scope);
                }
                Type::Truth
            }
            Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => {
                if number(&left_type) {
                    self.expect(&right_type, &left_type, right.span, scope);
                } else {
                    self.expect(&left_type, &Type::Number(COUNT), left.span, scope);
                }
                Type::Truth
            }
            Binary::In | Binary::NotIn => match right_type.member() {
                Some(member) => {
                    self.expect(&left_type, &member, left.span, scope);
                    Type::Truth
                }
                None => {
                    let message =
                        format!("a collection is needed here; this is {}", self.describe(&right_type));
                    return self.error(codes::TYPE_MISMATCH, right.span, message, scope);
                }
            },
            Binary::Range => {
                self.expect(&left_type, &Type::Number(COUNT), left.span, scope);
                self.expect(&right_type, &Type::Number(COUNT), right.span, scope);
                Type::List(Box::new(Type::Number(COUNT)))
            }
            Binary::Plus | Binary::Less | Binary::Both if set(&left_type) => {
                self.expect(&right_type, &Type::Sites, right.span, scope);
                Type::Sites
            }
            Binary::Plus if matches!(left_type, Type::List(_)) => {
                self.expect(&right_type, &left_type, right.span, scope);
                left_type
            }
            Binary::Both => {
                self.expect(&left_type, &Type::Sites, left.span, scope);
                self.expect(&right_type, &Type::Sites, right.span, scope);
                Type::Sites
            }
            Binary::Plus | Binary::Less | Binary::Mod => {
                if number(&left_type) {
                    self.expect(&right_type, &left_type, right.span, scope);
                } else {
                    self.expect(&left_type, &Type::Number(COUNT), left.span, scope);
                }
                left_type
            }
            Binary::Times | Binary::Over => match (&left_type, &right_type) {
                (Type::Unknown, _) | (_, Type::Unknown) => Type::Unknown,
                (Type::Number(_), Type::Number(COUNT)) => left_type,
                (Type::Number(COUNT), Type::Number(_)) if operator == Binary::Times => right_type,
                (Type::Number(x), Type::Number(y)) if x == y && operator == Binary::Over => {
                    Type::Number(COUNT)
                }
                (Type::Number(_), Type::Number(_)) => {
                    let message = format!(
                        "{} and {} cannot be combined like this",
                        self.describe(&left_type),
                        self.describe(&right_type)
                    );
                    return self.error(codes::TYPE_UNIT, span, message, scope);
                }
                (Type::Number(_), other) => {
                    self.expect(&other.clone(), &Type::Number(COUNT), right.span, scope);
                    Type::Unknown
                }
                (other, _) => {
                    self.expect(&other.clone(), &Type::Number(COUNT), left.span, scope);
                    Type::Unknown
                }
            },
        };
        (fold_binary(operator, a, b), ty)
    }

    /// A definition's body for these argument types, and the type it gives.
    pub(super) fn instance(
        &mut self,
        at: usize,
        types: &[Type],
        scope: &Scope,
        span: Span,
    ) -> Option<(u16, Type)> {
        let define = self.defines.get(at)?.clone();
        let name = define.head.name.text.clone();
        if types.len() != define.head.parameters.len() {
            let wanted = define.head.parameters.len();
            let message = format!("`{name}` takes {wanted} argument(s), not {}", types.len());
            self.fault(&scope.source, codes::TYPE_ARITY, span, message);
            return None;
        }
        let key = (at, types.to_vec(), scope.contexts);
        if let Some((body, ty, height)) = self.instances.get(&key).cloned() {
            return self.is_shallow(height, span, &scope.source).then_some((body, ty));
        }
        if let Some(first) = self.open.iter().position(|(open, ..)| *open == name) {
            let circle: Vec<String> =
                self.open.iter().skip(first).map(|(open, ..)| format!("`{open}`")).collect();
            // One report for each circle, whichever of its definitions is met first.
            if self.open.iter().skip(first).all(|(open, ..)| self.circular.insert(open.clone())) {
                let message = format!("`{name}` is defined by itself: {}", circle.join(", "));
                self.out.push(define.at.error(codes::DEFINE_CYCLE, message));
            }
            return None;
        }
        if self.rules.bodies.len() >= usize::from(u16::MAX) {
            self.fault(&scope.source, codes::LIMIT_EXCEEDED, span, "there are too many definitions");
            return None;
        }
        self.open.push((name.clone(), Arc::clone(&scope.source), span));
        let reach = std::mem::replace(&mut self.reach, self.depth);
        let mut codes_made = Vec::new();
        let mut result = Type::Unknown;
        let players = self.rules.players.clone();
        if define.bodies.iter().any(|(player, _)| player.is_some()) {
            let strange = |player: &Option<Loc>| player.as_ref().is_none_or(|p| !players.contains(&p.text));
            for player in players.iter().filter(|_| !define.bodies.iter().any(|(p, _)| strange(p))) {
                let missing =
                    !define.bodies.iter().any(|(p, _)| p.as_ref().is_some_and(|p| p.text == *player));
                if missing {
                    let message = format!("`{name}` does not say what it is for `{player}`");
                    self.out.push(define.at.error(codes::FILE_MISSING_KEY, message));
                }
            }
            if let Some(first) = types.first() {
                self.expect(first, &Type::Player, span, scope);
            } else {
                let message = format!("`{name}` differs by player, so it needs a parameter for the player");
                self.out.push(define.at.error(codes::TYPE_ARITY, message));
            }
        }
        let mut bodies: Vec<_> = define.bodies.iter().collect();
        bodies.sort_by_key(|(player, _)| {
            player.as_ref().and_then(|p| players.iter().position(|known| *known == p.text))
        });
        for (player, body) in bodies {
            if let Some(player) = player.as_ref().filter(|player| !players.contains(&player.text)) {
                let fault = player.error(codes::NAME_UNKNOWN, format!("`{}` is not a player", player.text));
                self.out.push(suggest(fault, &player.text, players.iter().map(String::as_str)));
                continue;
            }
            let mut inner = Scope::new(&body.source, scope.contexts);
            for (parameter, ty) in define.head.parameters.iter().zip(types) {
                inner.push(&parameter.text, ty.clone());
            }
            let (code, ty) = self.typed_code(&body.it, &inner);
            result = result.common(&ty).unwrap_or_else(|| {
                let message = "the bodies of this definition have different types";
                self.fault(&body.source, codes::TYPE_MISMATCH, body.it.span, message);
                Type::Unknown
            });
            codes_made.push(code);
        }
        self.open.pop();
        let height = self.reach.saturating_sub(self.depth);
        self.reach = self.reach.max(reach);
        let body = self.rules.bodies.len() as u16;
        self.rules.bodies.push(Body { name, codes: codes_made });
        self.instances.insert(key, (body, result.clone(), height));
        Some((body, result))
    }
}

fn negate(term: Term) -> Term {
    match term {
        Term::Const(Value::Truth(truth)) => Term::Const(Value::Truth(!truth)),
        Term::Not(inner) => *inner,
        Term::Quantified(Quantifier::Any, slot, domain, body) => {
            Term::Quantified(Quantifier::No, slot, domain, body)
        }
        term => Term::Not(Box::new(term)),
    }
}

fn fold_minus(term: Term) -> Term {
    match &term {
        Term::Const(Value::Number(number)) => match number.negate() {
            Some(number) => Term::Const(Value::Number(number)),
            None => Term::Minus(Box::new(term)),
        },
        _ => Term::Minus(Box::new(term)),
    }
}

fn fold_binary(operator: Binary, a: Term, b: Term) -> Term {
    let truth = |truth: bool| Some(Value::Truth(truth));
    let folded = match (&a, &b) {
        (Term::Const(Value::Number(x)), Term::Const(Value::Number(y))) => match operator {
            Binary::Eq => truth(x == y),
            Binary::Ne => truth(x != y),
            Binary::Lt => truth(x < y),
            Binary::Le => truth(x <= y),
            Binary::Gt => truth(x > y),
            Binary::Ge => truth(x >= y),
            Binary::Plus => x.plus(*y).map(Value::Number),
            Binary::Less => x.minus(*y).map(Value::Number),
            Binary::Times => x.times(*y).map(Value::Number),
            Binary::Over => x.over(*y).map(Value::Number),
            Binary::Mod => x.modulo(*y).map(Value::Number),
            _ => None,
        },
        (Term::Const(Value::Truth(x)), Term::Const(Value::Truth(y))) => match operator {
            Binary::And => truth(*x && *y),
            Binary::Or => truth(*x || *y),
            _ => None,
        },
        (Term::Const(Value::Truth(x)), _) | (_, Term::Const(Value::Truth(x))) => match (operator, x) {
            (Binary::And, false) => truth(false),
            (Binary::Or, true) => truth(true),
            _ => None,
        },
        (Term::Const(Value::Player(x)), Term::Const(Value::Player(y))) => match operator {
            Binary::Eq => truth(x == y),
            Binary::Ne => truth(x != y),
            _ => None,
        },
        _ => None,
    };
    folded.map_or_else(|| Term::Binary(operator, Box::new(a), Box::new(b)), Term::Const)
}
