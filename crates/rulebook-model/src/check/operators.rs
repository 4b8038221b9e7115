//! Operators: their types and units, and those that are known when the file is checked.
//!
//! Invariant: numbers of different units never mix; an operation without a value is left to evaluation.

use rulebook_syntax::ast::{Binary, Expr, Quantifier};
use rulebook_syntax::{Span, codes};

use super::Checker;
use super::names::Scope;
use super::terms::Typed;
use crate::ruleset::{COUNT, Term};
use crate::types::Type;
use crate::value::Value;

impl Checker<'_> {
    pub(super) fn binary(
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
}

pub(super) fn negate(term: Term) -> Term {
    match term {
        Term::Const(Value::Truth(truth)) => Term::Const(Value::Truth(!truth)),
        Term::Not(inner) => *inner,
        Term::Quantified(Quantifier::Any, slot, domain, body) => {
            Term::Quantified(Quantifier::No, slot, domain, body)
        }
        term => Term::Not(Box::new(term)),
    }
}

pub(super) fn fold_minus(term: Term) -> Term {
    match &term {
        Term::Const(Value::Number(number)) => match number.negate() {
            Some(number) => Term::Const(Value::Number(number)),
            None => Term::Minus(Box::new(term)),
        },
        _ => Term::Minus(Box::new(term)),
    }
}

pub(super) fn fold_binary(operator: Binary, a: Term, b: Term) -> Term {
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
