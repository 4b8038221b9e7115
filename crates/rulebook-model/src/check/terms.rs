//! Expressions: names are looked up, types and units are checked, constants are folded.
//!
//! Invariant: a term of type `Unknown` was already reported.

use std::sync::Arc;

use rulebook_syntax::ast::{Expr, ExprKind, Fold, Name, Unary};
use rulebook_syntax::{Diagnostic, Span, codes};

use super::Checker;
use super::names::Scope;
use super::operators::{fold_minus, negate};
use crate::draft::suggest;
use crate::ruleset::{COUNT, Code, MOVES, PLIES, SECONDS, Term};
use crate::types::Type;
use crate::value::{Number, Value};

/// A term with its type.
pub(super) type Typed = (Term, Type);

/// What stands for a term that was reported.
pub(super) const NOTHING: Typed = (Term::Const(Value::Nothing), Type::Unknown);

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

    pub(super) fn wanted(&mut self, expr: &Expr, wanted: &Type, scope: &mut Scope) -> Term {
        let (term, ty) = self.term(expr, scope);
        self.expect(&ty, wanted, expr.span, scope);
        term
    }

    pub(super) fn expect(&mut self, ty: &Type, wanted: &Type, span: Span, scope: &Scope) {
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

    pub(super) fn error(&mut self, code: &'static str, span: Span, message: String, scope: &Scope) -> Typed {
        let mut fault = Diagnostic::error(code, &scope.source, span, message);
        // A definition may be fine in itself and wrong where it is used.
        if matches!(code, codes::NAME_CONTEXT | codes::ACT_CYCLE)
            && let Some((_, source, span)) = self.open.first()
        {
            fault = fault.also(source, *span, "used here");
        }
        self.out.push(fault);
        NOTHING
    }

    /// Resolves and types an expression.
    pub(super) fn term(&mut self, expr: &Expr, scope: &mut Scope) -> Typed {
        let source = Arc::clone(&scope.source);
        self.deeper(expr.span, &source, |this| Some(this.resolve(expr, scope))).unwrap_or(NOTHING)
    }

    pub(super) fn resolve(&mut self, expr: &Expr, scope: &mut Scope) -> Typed {
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

    pub(super) fn domain(&mut self, name: &Name, domain: &Expr, scope: &mut Scope) -> (Term, u16) {
        let (term, ty) = self.term(domain, scope);
        let slot = self.member(name, &ty, domain.span, scope);
        (term, slot)
    }

    pub(super) fn member(&mut self, name: &Name, ty: &Type, span: Span, scope: &mut Scope) -> u16 {
        let member = ty.member().unwrap_or_else(|| {
            let message = format!("a collection is needed here; this is {}", self.describe(ty));
            self.fault(&scope.source, codes::TYPE_MISMATCH, span, message);
            Type::Unknown
        });
        scope.push(&name.text, member)
    }

    pub(super) fn list(&mut self, items: &[Expr], scope: &mut Scope) -> Typed {
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

    pub(super) fn field(&mut self, inner: &Expr, name: &Name, scope: &mut Scope) -> Typed {
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
}
