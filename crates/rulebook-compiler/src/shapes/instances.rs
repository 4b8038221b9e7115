//! Ways with conditions, looked at site by site.
//!
//! Law: with both ends known, a condition that depends on them is decided or becomes sites that must be empty,
//! and effects become steps on known sites. If one instance is not understood, none is used.

use rulebook_machine::lane::{Gate, Instance, Op, Place, Reach, Shape};
use rulebook_model::ruleset::{Builtin, Clause, Effect, Form, Term};
use rulebook_model::{Sites, Value};
use rulebook_syntax::ast::Binary;

use super::{Places, Recogniser, conjuncts};
use crate::simplify::{Known, constant, constant_sites, simplify};
use crate::templates::{Slots, words};

impl Recogniser<'_> {
    /// Looks at each way from each site by itself: with both ends known, conditions that depend on them can
    /// often be decided or become sites that must be empty, and effects become steps.
    pub(super) fn instances(&self, shape: &mut Shape, clause: &Clause, then: &[Effect]) {
        let Reach::Templates(templates) = &shape.reach else { return };
        let board = &self.rules.board;
        let mut whole = Shape { recipe: None, choice: None, ..shape.clone() };
        self.recipe(&mut whole, &[], &[], None);
        if whole.recipe.is_none() || whole.choice.is_some() || clause.unless.is_some() {
            return;
        }
        let set = |words: &Option<Vec<u64>>, site: u16| {
            words.as_ref().is_none_or(|words| {
                words.get(usize::from(site) / 64).is_some_and(|word| word >> (site % 64) & 1 == 1)
            })
        };
        let mut made = Vec::new();
        for from in 0..board.len() as u16 {
            if !set(&shape.froms, from) {
                continue;
            }
            for (at, template) in templates.iter().enumerate() {
                let wide = |(files, ranks): (i8, i8)| board.step(from, files.into(), ranks.into());
                let Some(to) = wide(template.to).filter(|to| set(&shape.tos, *to)) else { continue };
                let on_board =
                    |(place, need): &(rulebook_machine::lane::Offset, rulebook_machine::lane::Need)| {
                        wide(*place).is_some_and(|site| set(&need.among, site))
                    };
                if !template.needs.iter().all(on_board) {
                    continue;
                }
                let goal = template.needs.iter().find(|(place, _)| *place == template.to);
                let goal = goal.and_then(|(_, need)| need.kinds).filter(|bits| bits.count_ones() == 1);
                let bound = template
                    .marks
                    .iter()
                    .filter_map(|(name, place)| Some((*name, Value::Site(wide(*place)?))));
                let known = Known {
                    ends: Some((from, to)),
                    goal: goal.map(|bits| bits.trailing_zeros() as u8),
                    bound: bound.collect(),
                    ..self.known(Some(shape.kind))
                };
                let mut instance = Instance { from, template: at as u16, ..Instance::default() };
                match self.instance(shape, clause, then, &known, &mut instance) {
                    Some(true) => made.push(instance),
                    Some(false) => {}
                    None => return,
                }
            }
        }
        if made.is_empty() {
            return;
        }
        shape.instances = made;
        shape.tested = false;
        shape.before.clear();
        shape.recipe = whole.recipe;
        shape.plain = false;
    }

    /// Fills in one instance; false if it is never possible, none if something about it is not understood.
    pub(super) fn instance(
        &self,
        shape: &Shape,
        clause: &Clause,
        then: &[Effect],
        known: &Known,
        instance: &mut Instance,
    ) -> Option<bool> {
        let mut empty = Sites::EMPTY;
        if let Some(when) = &clause.when {
            let mut parts = Vec::new();
            conjuncts(simplify(self.rules, &when.term, known), &mut parts);
            for part in parts {
                match &part {
                    Term::Const(Value::Truth(true)) => {}
                    Term::Const(_) => return Some(false),
                    // The gate of the shape asks for it.
                    Term::Binary(Binary::In, a, b)
                        if constant(a) == known.ends.map(|(from, _)| Value::Site(from)).as_ref()
                            && matches!(&**b, Term::Var(var, index) if index.is_empty()
                                && shape.gate == Places(self.program).set(*var).map(Gate::Within)) => {}
                    Term::IsEmpty(inner) => empty = empty.union(&occupied_part(inner)?),
                    _ => return None,
                }
            }
        }
        instance.empty = words(&empty);
        for ban in &shape.before {
            let clause = self.rules.clauses.get(usize::from(ban.clause))?;
            let Form::Forbid { banned, .. } = &clause.form else { return None };
            let term = self.under(clause, &banned.term, known);
            if let Term::Call(Builtin::Attacked, arguments) = &term
                && let [which, Term::Const(Value::Player(by))] = &arguments[..]
                && *by == self.rules.next_player(self.player)
                && let Some(sites) = constant_sites(which)
            {
                instance.before.extend(sites.iter());
                continue;
            }
            if constant(&term) == Some(&Value::Truth(false)) {
                continue;
            }
            instance.asks.push(self.keep(self.condition(&term, known)?)?);
        }
        self.unrolled(then, known, &mut instance.first).then_some(true)
    }

    /// Effects as steps on known sites.
    pub(super) fn unrolled(&self, effects: &[Effect], known: &Known, steps: &mut Vec<Op>) -> bool {
        let site = |code: &rulebook_model::ruleset::Code| match simplify(self.rules, &code.term, known) {
            Term::Const(Value::Site(site)) => Some(Place::At(site)),
            _ => None,
        };
        effects.iter().all(|effect| match effect {
            Effect::For(binding, domain, body) => {
                let Term::Const(Value::List(members)) = simplify(self.rules, &domain.term, known) else {
                    return false;
                };
                members.into_iter().all(|member| {
                    let mut known = known.clone();
                    known.bound.push((*binding, member));
                    self.unrolled(body, &known, steps)
                })
            }
            Effect::Remove(code) => site(code).map(|place| steps.push(Op::Remove(place))).is_some(),
            Effect::Move(a, b) => site(a).zip(site(b)).map(|(a, b)| steps.push(Op::Move(a, b))).is_some(),
            Effect::Put(kind, owner, sites) => {
                let owner = owner.as_ref().map(|owner| simplify(self.rules, &owner.term, known));
                if owner.is_some_and(|owner| constant(&owner) != Some(&Value::Player(self.player))) {
                    return false;
                }
                match (simplify(self.rules, &kind.term, known), site(sites)) {
                    (Term::Const(Value::Kind(kind)), Some(place)) => {
                        steps.push(Op::Put(kind, place));
                        true
                    }
                    _ => false,
                }
            }
            _ => false,
        })
    }
}

/// The sites of which a term holds those that are occupied.
fn occupied_part(term: &Term) -> Option<Sites> {
    match term {
        Term::Binary(Binary::Both, a, b) => match (&**a, &**b) {
            (set, Term::Call(Builtin::Occupied, _)) | (Term::Call(Builtin::Occupied, _), set) => {
                constant_sites(set)
            }
            _ => None,
        },
        Term::Binary(Binary::Less, a, b) => Some(occupied_part(a)?.difference(&constant_sites(b)?)),
        term => constant_sites(term).filter(Sites::is_empty),
    }
}
