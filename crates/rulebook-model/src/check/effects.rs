//! Effects: targets are looked up, values are typed.
//!
//! Invariant: an assignment keeps the type and unit of its variable.

use std::sync::Arc;

use rulebook_syntax::ast::{self, Assign, Binary};
use rulebook_syntax::{Diagnostic, Span, codes};

use super::names::{Scope, bit};
use super::{Checker, Meaning};
use crate::draft::{Loc, suggest};
use crate::ruleset::{Code, Context, Effect, Index, PLIES, Term};
use crate::types::Type;

/// What is wrong when a variable is not named with its indices.
pub(super) fn which(name: &str, each: &[Index]) -> String {
    match each {
        [] => format!("there is only one `{name}`"),
        [Index::Player] => format!("each player has a `{name}`: say whose, as in `{name}(mover)`"),
        [Index::Kind] => format!("each kind has a `{name}`: say which"),
        _ => format!("each player has a `{name}` for each kind: say whose and which"),
    }
}

impl Checker<'_> {
    /// Resolves effects in order.
    pub(super) fn effects(&mut self, effects: &[ast::Effect], scope: &Scope) -> Vec<Effect> {
        effects.iter().filter_map(|effect| self.effect(effect, scope)).collect()
    }

    /// A ply passes the turn and goes forward by itself, and its consequences are clauses of their own.
    fn only_in_events(&mut self, what: &str, span: Span, scope: &Scope) {
        if scope.contexts & bit(Context::Changed) != 0 {
            let message = format!("`{what}` is for events");
            self.fault(&scope.source, codes::NAME_CONTEXT, span, message);
        }
    }

    fn effect(&mut self, effect: &ast::Effect, scope: &Scope) -> Option<Effect> {
        use ast::EffectKind as Kind;
        Some(match &effect.kind {
            Kind::If(condition, yes, no) => Effect::If(
                self.code(condition, &Type::Truth, scope),
                self.effects(yes, scope),
                self.effects(no, scope),
            ),
            Kind::For(name, domain, body) => {
                let (code, ty) = self.typed_code(domain, scope);
                let member = ty.member().unwrap_or_else(|| {
                    let message = format!("a collection is needed here; this is {}", self.describe(&ty));
                    self.fault(&scope.source, codes::TYPE_MISMATCH, domain.span, message);
                    Type::Unknown
                });
                let binding = self.binding(name, scope);
                let mut inner = scope.clone();
                inner.bindings.insert(0, (name.text.clone(), binding, member));
                Effect::For(binding, code, self.effects(body, &inner))
            }
            Kind::Move(from, to) => {
                Effect::Move(self.code(from, &Type::Site, scope), self.code(to, &Type::Site, scope))
            }
            Kind::Remove(sites) => Effect::Remove(self.code(sites, &Type::Sites, scope)),
            Kind::Put(kind, player, sites) => Effect::Put(
                self.code(kind, &Type::Kind, scope),
                player.as_ref().map(|player| self.code(player, &Type::Player, scope)),
                self.code(sites, &Type::Sites, scope),
            ),
            Kind::Give(sites, player) => {
                Effect::Give(self.code(sites, &Type::Sites, scope), self.code(player, &Type::Player, scope))
            }
            Kind::Again => Effect::Again,
            Kind::Turn(player) => {
                self.only_in_events("turn to", effect.span, scope);
                Effect::Turn(self.code(player, &Type::Player, scope))
            }
            Kind::Apply(id, given) => {
                self.only_in_events("apply", effect.span, scope);
                let source = Arc::clone(&scope.source);
                let (mut codes, mut types) = (Vec::new(), Vec::new());
                for expr in given {
                    let (code, ty) = self.typed_code(expr, scope);
                    codes.push(code);
                    types.push((ty, expr.span));
                }
                // Which clause that is, and what it wants, is known when all clauses are.
                self.applied.push((Loc { text: id.text.clone(), span: id.span, source }, types));
                Effect::Apply(self.applied.len() as u16 - 1, codes)
            }
            Kind::Restore(plies) => {
                self.only_in_events("restore", effect.span, scope);
                Effect::Restore(self.code(plies, &Type::Number(PLIES), scope))
            }
            Kind::End(outcome) => Effect::End(self.code(outcome, &Type::Outcome, scope)),
            Kind::Assign(name, index, assign, value) => {
                let meaning = self.names.get(&name.text).map(|(meaning, _)| *meaning);
                let Some(Meaning::Var(at)) = meaning else {
                    if self.lost.contains(&name.text) {
                        return None;
                    }
                    let message = format!("`{}` is not a state variable", name.text);
                    let fault = Diagnostic::error(codes::NAME_UNKNOWN, &scope.source, name.span, message);
                    let known = self.rules.vars.iter().map(|var| var.name.as_str());
                    let fault = suggest(fault, &name.text, known);
                    self.out.push(fault);
                    return None;
                };
                let var = self.rules.vars.get(usize::from(at))?.clone();
                if index.len() != var.each.len() {
                    self.fault(&scope.source, codes::TYPE_ARITY, name.span, which(&name.text, &var.each));
                    return None;
                }
                let members = index.iter().zip(&var.each);
                let index: Vec<Code> =
                    members.map(|(member, index)| self.code(member, &index.ty(), scope)).collect();
                let value = self.code(value, &var.ty, scope);
                let operator = match assign {
                    Assign::Set => return Some(Effect::Set(at, index, value)),
                    Assign::Add => Binary::Plus,
                    Assign::Subtract => Binary::Less,
                };
                if !matches!(var.ty, Type::Number(_) | Type::Sites | Type::Unknown) {
                    let message = format!("`{}` is {}", name.text, self.describe(&var.ty));
                    self.fault(&scope.source, codes::TYPE_MISMATCH, name.span, message);
                }
                let old = Term::Var(at, index.iter().map(|index| index.term.clone()).collect());
                let slots = index.iter().fold(value.slots, |slots, index| slots.max(index.slots));
                let term = Term::Binary(operator, Box::new(old), Box::new(value.term));
                Effect::Set(at, index, Code { term, slots })
            }
        })
    }
}
