//! Definitions: opened once for each tuple of argument types and contexts they are used with.
//!
//! Invariant: no definition opens itself, and terms with all their definitions have a bounded depth, so
//! that neither checking nor evaluation runs out of stack.

use std::sync::Arc;

use rulebook_syntax::{Source, Span, codes};

use super::Checker;
use super::names::Scope;
use crate::draft::{Loc, suggest};
use crate::ruleset::Body;
use crate::types::Type;

/// Deepest terms, definitions opened.
const MAX_DEPTH: usize = 256;

impl Checker<'_> {
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
    pub(super) fn is_shallow(&mut self, more: usize, span: Span, source: &Arc<Source>) -> bool {
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
