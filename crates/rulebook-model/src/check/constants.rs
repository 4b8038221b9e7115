//! Values that are known when a rule file is checked: parameters, sizes, first values.
//!
//! Invariant: only literals, names of parameters, players, kinds and sites, and arithmetic; anything else
//! is an error at its place.

use std::sync::Arc;

use rulebook_syntax::ast::{Binary, Expr, ExprKind, Unary};
use rulebook_syntax::{Source, codes};

use super::{Checker, Meaning};
use crate::draft::In;
use crate::ruleset::{COUNT, SECONDS, TIMES};
use crate::types::{Type, Unit};
use crate::value::{Number, Value};

impl Checker<'_> {
    /// The value of a constant expression.
    pub(super) fn constant(&mut self, expr: &In<Expr>) -> (Value, Type) {
        self.value(&expr.it, &expr.source)
    }

    /// A number with the unit of that name.
    pub(super) fn quantity(&mut self, number: Number, unit: &str) -> Option<(Number, Unit)> {
        let singular = format!("{unit}s");
        let plural = format!("{unit}es");
        if let Some((_, seconds)) = TIMES.iter().find(|(word, _)| *word == unit) {
            return Some((number.times(Number::whole(*seconds))?, SECONDS));
        }
        let word = match unit {
            "ply" => "plies",
            unit => unit,
        };
        let at =
            self.units.iter().position(|known| *known == word || *known == singular || *known == plural)?;
        Some((number, at as Unit))
    }

    fn value(&mut self, expr: &Expr, source: &Arc<Source>) -> (Value, Type) {
        match &*expr.kind {
            ExprKind::Number(decimal, unit) => {
                let number = Number::fraction(decimal.numerator.into(), decimal.denominator.into());
                let number = number.unwrap_or(Number::ZERO);
                let Some(unit) = unit else { return (Value::Number(number), Type::Number(COUNT)) };
                match self.quantity(number, &unit.text) {
                    Some((number, unit)) => (Value::Number(number), Type::Number(unit)),
                    None => {
                        let message = format!("`{}` is not a unit", unit.text);
                        self.fault(source, codes::NAME_UNKNOWN, unit.span, message);
                        (Value::Number(number), Type::Unknown)
                    }
                }
            }
            ExprKind::Time(seconds) => (Value::Number(Number::whole(*seconds)), Type::Number(SECONDS)),
            ExprKind::Text(text) => (Value::Text(text.clone()), Type::Text),
            ExprKind::Truth(truth) => (Value::Truth(*truth), Type::Truth),
            ExprKind::Nothing => (Value::Nothing, Type::Nothing),
            ExprKind::Unary(Unary::Minus, inner) => match self.value(inner, source) {
                (Value::Number(number), ty) => (Value::Number(number.negate().unwrap_or(number)), ty),
                (value, Type::Unknown) => (value, Type::Unknown),
                _ => self.not_constant(expr, source),
            },
            ExprKind::Name(name) => {
                self.used.insert(name.text.clone());
                let meaning = self.names.get(&name.text).map(|(meaning, _)| *meaning);
                match meaning {
                    Some(Meaning::Param(at)) => {
                        let param = self.rules.params.get(at);
                        param.map_or((Value::Nothing, Type::Unknown), |p| (p.value.clone(), p.ty.clone()))
                    }
                    Some(Meaning::Player(at)) => (Value::Player(at), Type::Player),
                    Some(Meaning::Kind(at)) => (Value::Kind(at), Type::Kind),
                    _ => match self.rules.board.site(&name.text) {
                        Some(site) => (Value::Site(site), Type::Site),
                        None if self.is_lost(&name.text) => (Value::Nothing, Type::Unknown),
                        None => self.not_constant(expr, source),
                    },
                }
            }
            ExprKind::List(items) => {
                let items: Vec<(Value, Type)> = items.iter().map(|item| self.value(item, source)).collect();
                let ty = items.first().map_or(Type::Unknown, |(_, ty)| ty.clone());
                if ty == Type::Site {
                    let sites = items.iter().filter_map(|(value, _)| match value {
                        Value::Site(site) => Some(*site),
                        _ => None,
                    });
                    return (Value::sites(sites.collect()), Type::Sites);
                }
                let values = items.into_iter().map(|(value, _)| value).collect();
                (Value::List(values), Type::List(Box::new(ty)))
            }
            ExprKind::Binary(operator, left, right) => {
                let ((left, a), (right, b)) = (self.value(left, source), self.value(right, source));
                let (Value::Number(x), Value::Number(y)) = (left, right) else {
                    if a == Type::Unknown || b == Type::Unknown {
                        return (Value::Nothing, Type::Unknown);
                    }
                    return self.not_constant(expr, source);
                };
                let (result, ty) = match operator {
                    Binary::Plus if a == b => (x.plus(y), a),
                    Binary::Less if a == b => (x.minus(y), a),
                    Binary::Times if a == Type::Number(COUNT) => (x.times(y), b),
                    Binary::Times if b == Type::Number(COUNT) => (x.times(y), a),
                    Binary::Over if b == Type::Number(COUNT) => (x.over(y), a),
                    Binary::Over if a == b => (x.over(y), Type::Number(COUNT)),
                    _ => return self.not_constant(expr, source),
                };
                match result {
                    Some(number) => (Value::Number(number), ty),
                    None => self.not_constant(expr, source),
                }
            }
            _ => self.not_constant(expr, source),
        }
    }

    fn not_constant(&mut self, expr: &Expr, source: &Arc<Source>) -> (Value, Type) {
        let message = "this must be a value that is known from the start: a number, a name, a list of them";
        self.fault(source, codes::TYPE_MISMATCH, expr.span, message);
        (Value::Nothing, Type::Unknown)
    }
}
