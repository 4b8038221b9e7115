//! The pairing section and the clauses about pairings.
//!
//! Invariant: what is missing is reported at the section, and a clause about pairings without a section is a
//! fault of the clause.

use rulebook_syntax::codes;

use super::Checker;
use super::names::Scope;
use crate::draft::{ClauseDraft, Draft, In, Loc, PairingClause, suggest};
use crate::layer::Layers;
use crate::pairing::{Measure, Pairing, PairingForm};
use crate::ruleset::{Code, Form};
use crate::types::Type;

impl PairingForm {
    /// The expression of the clause, if it has one.
    pub fn code(&self) -> Option<&Code> {
        match self {
            Self::Forbid(code) | Self::NotAlone(code) | Self::Side(code) => Some(code),
            Self::Pair(measure) | Self::Leaves(measure) | Self::Alone { measure, .. } => Some(&measure.code),
            Self::Completes | Self::Next(_) | Self::Prefer(_) => None,
        }
    }
}

impl Checker<'_> {
    /// The sections of all layers, each key of a layer in the place of that of its base.
    pub(super) fn pairing(&mut self, drafts: &[Draft]) {
        let sections = || drafts.iter().rev().filter_map(|draft| draft.pairing.as_ref());
        let Some(top) = sections().next() else { return };
        let at = top.at.clone();
        let of = sections().find_map(|section| section.of.clone());
        let games = sections().find_map(|section| section.games.clone());
        let round = sections().find_map(|section| section.round.clone());
        let sides = sections().map(|section| section.sides.clone()).find(|sides| !sides.is_empty());
        let present = sections().find_map(|section| section.present.clone());
        let known = sections().find_map(|section| section.known.clone());
        let order = sections().map(|section| section.order.clone()).find(|order| !order.is_empty());
        let bracket = sections().find_map(|section| section.bracket.clone());
        for (key, missing) in [
            ("of", of.is_none()),
            ("games", games.is_none()),
            ("round", round.is_none()),
            ("sides", sides.is_none()),
            ("present", present.is_none()),
            ("order", order.is_none()),
            ("bracket", bracket.is_none()),
        ] {
            if missing {
                let message = format!("the pairing section has no `{key}`");
                self.out.push(at.error(codes::FILE_MISSING_KEY, message));
            }
        }
        let (Some(of), Some(games), Some(round)) = (of, games, round) else { return };
        let (Some(present), Some(order), Some(bracket)) = (present, order, bracket) else { return };
        let sides = sides.unwrap_or_default();
        let (Some(entries), Some(games)) = (self.table_of(&of), self.table_of(&games)) else { return };
        let Some(round) = self.table_field(games, &round, &Type::Number(0)) else { return };
        let [first, second] = &sides[..] else {
            let place = sides.first().unwrap_or(&at);
            self.out.push(place.error(codes::FILE_SHAPE, "a pair has two sides"));
            return;
        };
        if self.rules.players.len() != 2 {
            let message = "who is paired has one of two sides: `players` must be two";
            self.out.push(first.error(codes::FILE_SHAPE, message));
        }
        let row = Type::Row(entries);
        let (first, second) = (self.table_field(games, first, &row), self.table_field(games, second, &row));
        let (Some(first), Some(second)) = (first, second) else { return };
        let present = self.of_entry(&present, "entry", entries, Some(&Type::Truth)).0;
        let known = known.map(|known| self.of_entry(&known, "game", games, Some(&Type::Truth)).0);
        let order = order.iter().map(|key| self.of_entry(key, "entry", entries, None).0).collect();
        let (bracket, ty) = self.of_entry(&bracket, "entry", entries, None);
        self.bracket_type = ty;
        self.rules.pairing =
            Some(Pairing { entries, games, round, sides: [first, second], present, known, order, bracket });
    }

    fn table_of(&mut self, name: &Loc) -> Option<u16> {
        let found = self.rules.tables.iter().position(|table| table.name == name.text);
        if found.is_none() && !self.lost.contains(&name.text) {
            let message = format!("there is no table `{}`", name.text);
            let known = self.rules.tables.iter().map(|table| table.name.as_str());
            let fault = suggest(name.error(codes::NAME_UNKNOWN, message), &name.text, known);
            self.out.push(fault);
        }
        self.used.insert(name.text.clone());
        found.map(|at| at as u16)
    }

    fn table_field(&mut self, table: u16, name: &Loc, wanted: &Type) -> Option<u16> {
        let table = self.rules.tables.get(usize::from(table)).cloned()?;
        let Some(at) = table.fields.iter().position(|(known, _)| *known == name.text) else {
            let message = format!("`{}` has no field `{}`", table.name, name.text);
            let known = table.fields.iter().map(|(known, _)| known.as_str());
            let fault = suggest(name.error(codes::NAME_UNKNOWN, message), &name.text, known);
            self.out.push(fault);
            return None;
        };
        let ty = &table.fields[at].1;
        if !ty.fits(wanted) {
            let (this, wanted) = (self.describe(ty), self.describe(wanted));
            let message = format!("`{}` is {this}, and {wanted} is needed here", name.text);
            self.out.push(name.error(codes::TYPE_MISMATCH, message));
            return None;
        }
        Some(at as u16)
    }

    /// An expression about a row and the round: of a type, or a number.
    fn of_entry(
        &mut self,
        expr: &In<rulebook_syntax::ast::Expr>,
        name: &str,
        table: u16,
        wanted: Option<&Type>,
    ) -> (Code, Type) {
        let scope = Scope::new(&expr.source, 0);
        let scope = Self::with_local(&scope, name, Type::Row(table));
        let scope = Self::with_local(&scope, "round", Type::Number(0));
        match wanted {
            Some(wanted) => (self.code(&expr.it, wanted, &scope), wanted.clone()),
            None => self.measured(&expr.it, &scope),
        }
    }

    /// The formal part of a clause about pairings.
    pub(super) fn pairing_form(
        &mut self,
        clause: &PairingClause,
        draft: &ClauseDraft,
        scope: &Scope,
    ) -> Option<PairingForm> {
        let Some(entries) = self.rules.pairing.as_ref().map(|pairing| pairing.entries) else {
            let broken = self.out.iter().any(|fault| fault.message.contains("pairing section"));
            if !broken {
                let message = "a clause about pairings needs a section `pairing`";
                self.out.push(draft.id.error(codes::FILE_MISSING_KEY, message));
            }
            return None;
        };
        Some(match clause {
            PairingClause::Completes => PairingForm::Completes,
            PairingClause::Prefer(preference) => PairingForm::Prefer(*preference),
            PairingClause::Next(_) => PairingForm::Next(Vec::new()),
            PairingClause::Of { of, names, says, value, each, whole } => {
                let mut scope = scope.clone();
                for name in names {
                    let found = rulebook_syntax::parse::is_name(&name.text).0;
                    if !found {
                        let message = format!("`{}` is not a name", name.text);
                        self.out.push(name.error(codes::EXPR_SYNTAX, message));
                    }
                    scope = Self::with_local(&scope, &name.text, Type::Row(entries));
                }
                scope = Self::with_local(&scope, "round", Type::Number(0));
                // What is forbidden is so in whichever bracket, and sides have nothing to do with brackets.
                if matches!(*says, "least" | "most") && !whole {
                    scope = Self::with_local(&scope, "bracket", self.bracket_type.clone());
                }
                match *says {
                    "forbid" => {
                        let code = self.code(value, &Type::Truth, &scope);
                        if *of == "pair" { PairingForm::Forbid(code) } else { PairingForm::NotAlone(code) }
                    }
                    "side" => PairingForm::Side(self.code(value, &Type::Player, &scope)),
                    _ => {
                        let code = self.measured(value, &scope).0;
                        let measure = Measure { code, most: *says == "most", each: *each };
                        match *of {
                            "pair" => PairingForm::Pair(measure),
                            "alone" => PairingForm::Alone { measure, whole: *whole },
                            _ => PairingForm::Leaves(measure),
                        }
                    }
                }
            }
        })
    }

    /// Resolves the clauses that are measured in the next bracket.
    pub(super) fn next_brackets(&mut self, layers: &Layers) {
        for placed in &layers.clauses {
            let Some(crate::draft::FormDraft::Pairing(PairingClause::Next(ids))) = &placed.clause.form else {
                continue;
            };
            let mut found = Vec::new();
            for id in ids {
                let Some(at) = self.in_force(id, layers) else { continue };
                let leaves = |clause: &crate::ruleset::Clause| {
                    matches!(clause.form, Form::Pairing(PairingForm::Leaves(_)))
                };
                if self.rules.clauses.get(at).is_some_and(leaves) {
                    found.push(at as u16);
                } else {
                    let message = format!("clause `{}` measures nobody who leaves a bracket", id.text);
                    self.out.push(id.error(codes::LAYER_DANGLING, message));
                }
            }
            let own = self.rules.clauses.iter_mut().find(|clause| clause.id == placed.clause.id.text);
            if let Some(clause) = own {
                clause.form = Form::Pairing(PairingForm::Next(found));
            }
        }
    }

    pub(super) fn measured(&mut self, expr: &rulebook_syntax::ast::Expr, scope: &Scope) -> (Code, Type) {
        let (code, ty) = self.typed_code(expr, scope);
        if !matches!(ty, Type::Number(_) | Type::Unknown) {
            let message = format!("a measure is a number; this is {}", self.describe(&ty));
            self.fault(&scope.source, codes::TYPE_MISMATCH, expr.span, message);
        }
        (code, ty)
    }
}
