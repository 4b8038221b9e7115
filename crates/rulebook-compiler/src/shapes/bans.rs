//! Bans on the position after a ply.
//!
//! Law: a ban that is derived forbids the same plies as its clause. One of another form becomes a question that
//! is asked after each ply, and where that cannot be, the general engine makes the plies it may concern.

use rulebook_machine::lane::{
    Ask, Attack, Guard, Guarded, Lane, Op, Pick, Place, Reach, Royal, Shape, Step, content,
};
use rulebook_model::ruleset::{Builtin, Clause, Form, Term};
use rulebook_model::{Sites, Value};
use rulebook_syntax::ast::{Binary, Quantifier};

use super::{Recogniser, padded};
use crate::simplify::{Known, constant, simplify};
use crate::templates::words;

/// Pieces of a kind of a player.
fn pieces(term: &Term) -> Option<(u8, u8)> {
    match term {
        Term::Call(Builtin::Pieces, which) => match &which[..] {
            [Term::Const(Value::Kind(kind)), Term::Const(Value::Player(owner))] => Some((*kind, *owner)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether there is no piece of a kind of a player's, or, with `some`, whether there is one.
fn lacks(term: &Term, some: bool) -> Option<(u8, u8)> {
    match (term, some) {
        (Term::IsEmpty(inner), false) => pieces(inner),
        (Term::Not(inner), _) => lacks(inner, !some),
        _ => None,
    }
}

impl Recogniser<'_> {
    /// The bans that hold for every ply and have a form of their own: their clauses.
    pub(super) fn derived(&mut self, lane: &mut Lane) -> Vec<u16> {
        let mut derived = Vec::new();
        if !self.passes.legality {
            return derived;
        }
        let next = self.rules.next_player(self.player);
        // What is asked of the other player's pieces must be known.
        let others = self.of_player(next, |other| other.attacks().is_some());
        let rules = self.rules;
        for (at, clause) in rules.clauses.iter().enumerate() {
            let Form::Forbid { acts, before: false, banned } = &clause.form else { continue };
            let all = (0..rules.acts.len() as u16).all(|act| acts.admits(act));
            if !all || clause.when.is_some() || clause.unless.is_some() {
                continue;
            }
            let at = at as u16;
            let known = self.known(None);
            let term = simplify(rules, &banned.term, &known);
            let free = lane.royal.is_none() && lane.guarded.is_none();
            if let Some(kind) = self.attacked_kind(&term, self.player, next).filter(|_| others && free) {
                lane.royal = Some(Royal { kind, clause: at });
                let text = "derived: attackers are looked for from the site outwards";
                self.note(usize::from(at), Some(kind), true, text);
                derived.push(at);
                continue;
            }
            let query = self.condition(&term, &known).filter(|query| !self.is_passing(query));
            if let Some(guarded) = self.guarded(&term, at).filter(|_| others && free)
                && let Some(query) = query.clone().and_then(|query| self.keep(query))
            {
                let text = "derived: what endangers it is looked for from the site outwards";
                self.note(usize::from(at), Some(guarded.kind), true, text);
                lane.guarded = Some(Guarded { query, ..guarded });
                derived.push(at);
                continue;
            }
            if let Some(kind) = self.attacked_kind(&term, next, self.player)
                && lane.calm.is_none()
                && lane.attacks.is_some()
                && let Some(query) = query.and_then(|query| self.keep(query))
            {
                let text = "derived: what would attack it is looked for from the site outwards";
                self.note(usize::from(at), Some(kind), true, text);
                lane.calm = Some(Guarded { kind, clause: at, query, threats: Vec::new(), spared: None });
                derived.push(at);
            }
        }
        derived
    }

    /// The kind of a player's of which a condition says that one is attacked by another player.
    fn attacked_kind(&self, term: &Term, whose: u8, by: u8) -> Option<u8> {
        let Term::Call(Builtin::Attacked, arguments) = term else { return None };
        let [which, Term::Const(Value::Player(attacker))] = &arguments[..] else { return None };
        let (kind, owner) = pieces(which)?;
        (*attacker == by && owner == whose).then_some(kind)
    }

    /// A ban on leaving a piece of a kind in danger that says more than that it may not be attacked.
    fn guarded(&self, term: &Term, clause: u16) -> Option<Guarded> {
        let Term::Binary(Binary::Or, a, b) = term else { return None };
        let next = self.rules.next_player(self.player);
        let made = |kind, threats, spared| Guarded { kind, clause, query: 0, threats, spared };
        for (a, b) in [(a, b), (b, a)] {
            if let Some(kind) = self.attacked_kind(a, self.player, next)
                && let Some(threat) = self.threat(b, kind)
            {
                return Some(made(kind, vec![threat], None));
            }
            if let Some((kind, owner)) = lacks(a, false)
                && owner == self.player
                && let Some(spared) = self.spared(b, kind)
            {
                return Some(made(kind, Vec::new(), Some(spared)));
            }
        }
        None
    }

    /// A condition that a piece of the other player's sees one of the own kind, as if it attacked it.
    fn threat(&self, term: &Term, kind: u8) -> Option<Attack> {
        let Term::Quantified(Quantifier::Any, a, first, inner) = term else { return None };
        let Term::Quantified(Quantifier::Any, b, second, body) = &**inner else { return None };
        let directions = self.sees(*a, *b, body, &self.known(None))?;
        let (own, next) = ((kind, self.player), self.rules.next_player(self.player));
        let (first, second) = (pieces(first)?, pieces(second)?);
        let back = |(files, ranks): &(i8, i8)| (-files, -ranks);
        let (other, directions) = match (first == own, second == own) {
            (false, true) => (first, directions),
            (true, false) => (second, directions.iter().map(back).collect()),
            _ => return None,
        };
        (other.1 == next && other.0 < 127).then_some(())?;
        Some(Attack {
            kinds: 1 << other.0,
            reach: Reach::Ray(directions),
            froms: None,
            tos: None,
            victims: Some(1 << kind),
        })
    }

    /// The kind of the other player's without which, or by whose touch, a piece of the own kind is spared.
    fn spared(&self, term: &Term, kind: u8) -> Option<u8> {
        let Term::Binary(Binary::And, present, danger) = term else { return None };
        let next = self.rules.next_player(self.player);
        let (other, owner) = lacks(present, true)?;
        (owner == next).then_some(())?;
        let Term::Quantified(Quantifier::Any, slot, domain, body) = &**danger else { return None };
        (pieces(domain)? == (kind, self.player)).then_some(())?;
        let Term::Binary(Binary::And, apart, attacked) = &**body else { return None };
        let is_name = |term: &Term| matches!(term, Term::Slot(known) if known == slot);
        let Term::IsEmpty(both) = &**apart else { return None };
        let Term::Binary(Binary::Both, near, set) = &**both else { return None };
        let around =
            matches!(&**near, Term::Call(Builtin::Neighbours, of) if of.first().is_some_and(is_name));
        (around && pieces(set)? == (other, next)).then_some(())?;
        let Term::Call(Builtin::Attacked, arguments) = &**attacked else { return None };
        match &arguments[..] {
            [which, Term::Const(Value::Player(by))] if is_name(which) && *by == next => Some(other),
            _ => None,
        }
    }

    /// Bans on the position after a ply as questions. A ply for which one is not understood is made by the
    /// general engine.
    pub(super) fn bans(&self, lane: &mut Lane, derived: &[u16]) {
        let mut others = Vec::new();
        for shape in &mut lane.shapes {
            let known = self.known(Some(shape.kind));
            match self.bans_after(shape.act, derived, &known) {
                Some(after) => {
                    shape.spare = self.spare(shape, &after);
                    shape.after = after;
                }
                None => {
                    shape.recipe = None;
                    shape.instances.clear();
                }
            }
            // What may not be attacked is looked for with the kind that moves.
            let puts = |step: &Step| matches!(step.op, Op::Put(_, Place::To) | Op::PutChosen(Place::To));
            if lane.calm.is_some() && shape.recipe.iter().flatten().any(puts) {
                shape.plain = false;
            }
            // Whether such a ply is allowed may depend on what is chosen: one part for each kind.
            let spared = lane.guarded.as_ref().is_some_and(|guarded| guarded.spared.is_some());
            if (!shape.after.is_empty() || lane.calm.is_some() || spared)
                && let Some(pick) = &shape.choice
                && pick.kinds.len() > 1
                && pick.tos.iter().any(|word| *word != 0)
            {
                let all = self.whole_board();
                let tos = padded(shape.tos.as_ref().unwrap_or(&all), all.len());
                let chosen = padded(&pick.tos, all.len());
                let part = |keep: bool| -> Vec<u64> {
                    tos.iter().zip(&chosen).map(|(a, b)| if keep { a & b } else { a & !b }).collect()
                };
                for kind in &pick.kinds {
                    let choice = Some(Pick { kinds: vec![*kind], ..pick.clone() });
                    let mut other = Shape { tos: Some(part(true)), choice, ..shape.clone() };
                    self.reachable(&mut other);
                    others.push(other);
                }
                shape.tos = Some(part(false));
            }
        }
        lane.shapes.append(&mut others);
        lane.shapes = lane.shapes.drain(..).flat_map(parted).collect();
    }

    /// All sites, as words.
    pub(super) fn whole_board(&self) -> Vec<u64> {
        words(&Sites::first(self.rules.board.len()))
    }

    /// The questions that forbid a ply on the position after it; `None` if some ban is not understood.
    fn bans_after(&self, act: u16, derived: &[u16], known: &Known) -> Option<Vec<u16>> {
        let mut after = Vec::new();
        for (at, clause) in self.rules.clauses.iter().enumerate() {
            let Form::Forbid { acts, before: false, banned } = &clause.form else { continue };
            if !acts.admits(act) || derived.contains(&(at as u16)) {
                continue;
            }
            let term = self.under(clause, &banned.term, known);
            if constant(&term) == Some(&Value::Truth(false)) {
                continue;
            }
            let query = self.condition(&term, known).filter(|query| !self.is_passing(query))?;
            after.push(self.keep(query)?);
        }
        Some(after)
    }

    /// A question before the ply without whose yes the only question after it cannot forbid it: where that asks
    /// for a truth variable which the ply sets to a conjunction with one that it has not set before.
    fn spare(&self, shape: &Shape, after: &[u16]) -> Option<u16> {
        let [after] = after else { return None };
        let steps = shape.recipe.as_ref()?;
        let needed = {
            let queries = self.queries.borrow();
            let [Ask::Holds(asked)] = queries.get(usize::from(*after))?[..] else { return None };
            let sets = |step: &Step| match step.op {
                Op::Answer(slot, _) | Op::Set(slot, _) => Some(slot),
                // It may set anything.
                Op::General => Some(asked),
                _ => None,
            };
            let last = steps.iter().rposition(|step| sets(step) == Some(asked))?;
            let step = steps.get(last)?;
            let (Op::Answer(_, query), Guard::Always) = (&step.op, step.guard) else { return None };
            let words = queries.get(usize::from(*query))?;
            let [Ask::Holds(needed), middle @ .., Ask::Meet] = &words[..] else { return None };
            // What stands between must be one value of its own.
            let mut depth = 0_usize;
            for ask in middle {
                let (takes, leaves) = ask.effect();
                depth = depth.checked_sub(takes)? + leaves;
            }
            let mut earlier = steps.get(..last)?.iter();
            let before = earlier.any(|step| step.op == Op::General || sets(step) == Some(*needed));
            (depth == 1 && !before).then_some(*needed)?
        };
        self.keep(vec![Ask::Holds(needed)])
    }

    /// A condition of a clause together with those under which the clause applies, simplified.
    pub(super) fn under(&self, clause: &Clause, condition: &Term, known: &Known) -> Term {
        let mut whole = condition.clone();
        if let Some(when) = &clause.when {
            whole = Term::Binary(Binary::And, Box::new(when.term.clone()), Box::new(whole));
        }
        if let Some(unless) = &clause.unless {
            let without = Term::Not(Box::new(unless.term.clone()));
            whole = Term::Binary(Binary::And, Box::new(without), Box::new(whole));
        }
        simplify(self.rules, &whole, known)
    }
}

/// A way of moving as one for captures and one for all else, where only captures change more than the piece
/// that moves.
fn parted(shape: Shape) -> Vec<Shape> {
    let captures = shape.ends & content::ENEMY != 0 && shape.ends & content::EMPTY != 0;
    let simple = matches!(shape.reach, Reach::Leap(_) | Reach::Lame(_) | Reach::Ray(_) | Reach::Screen(_));
    let Some(steps) = shape.recipe.as_deref().filter(|_| captures && simple && !shape.plain) else {
        return vec![shape];
    };
    let kept = |without: Guard, always: Guard| -> Vec<Step> {
        let steps = steps.iter().filter(|step| step.guard != without).cloned();
        let told = |mut step: Step| {
            if step.guard == always {
                step.guard = Guard::Always;
            }
            step
        };
        steps.map(told).collect()
    };
    let quiet = kept(Guard::Taken, Guard::NotTaken);
    let changes = |step: &Step| match &step.op {
        Op::Move(..) | Op::Remove(_) | Op::Clear(_) | Op::General => true,
        Op::Put(_, place) | Op::PutChosen(place) => *place != Place::To,
        _ => false,
    };
    if quiet.iter().any(changes) {
        return vec![shape];
    }
    let taking = kept(Guard::NotTaken, Guard::Taken);
    vec![
        Shape { ends: content::EMPTY, recipe: Some(quiet), plain: true, ..shape.clone() },
        Shape { ends: shape.ends & !content::EMPTY, recipe: Some(taking), ..shape },
    ]
}
