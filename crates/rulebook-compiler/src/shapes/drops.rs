//! Acts that put a piece of a chosen kind on an empty site of choice.
//!
//! Law: for each kind the act is granted on exactly the sites that are left, while what must be held is there
//! and the question before it is answered with yes; what follows it is what the clauses say. An act that is not
//! understood in all of its kinds is left to the general engine as a whole.

use rulebook_machine::lane::{Bar, Drop, Judged, Reach, Shape, content};
use rulebook_machine::program::Type;
use rulebook_model::ruleset::{Builtin, Context, Effect, Form, Term};
use rulebook_model::{Sites, Value};
use rulebook_syntax::ast::{Binary, Quantifier};

use super::queries::Name;
use super::{Recogniser, blank, conjuncts};
use crate::simplify::{Known, constant, constant_sites, simplify};
use crate::templates::words;

/// Most kinds, or combinations of them, of one act.
const MOST: usize = 64;

/// Kinds that were chosen so far, and what must hold for them.
#[derive(Clone)]
struct Chosen {
    known: Known,
    named: Vec<(u16, Option<u8>)>,
    /// Conditions that do not depend on the site.
    when: Vec<Term>,
}

impl Recogniser<'_> {
    /// The acts of a clause, kind by kind; `None` if it is no such act, or one of them is not understood.
    pub(super) fn drops(&mut self, at: u16, derived: &[u16]) -> Option<Vec<Drop>> {
        let found = self.understood(at, derived);
        let text = "a piece is put on empty sites that are known as a set";
        if found.is_some() {
            self.note(usize::from(at), None, true, text);
        }
        found
    }

    fn understood(&self, at: u16, derived: &[u16]) -> Option<Vec<Drop>> {
        let clause = self.rules.clauses.get(usize::from(at))?;
        let Form::Act { act, choices, then } = &clause.form else { return None };
        // Of two acts that are the same only one counts; that is not looked for here.
        let same = |form: &Form| matches!(form, Form::Act { act: other, .. } | Form::Move { act: other, .. } if other == act);
        (self.rules.clauses.iter().filter(|clause| same(&clause.form)).count() == 1).then_some(())?;
        let known = Known { absent: true, ..self.known(None) };
        let Some((cell, kinds)) = choices.split_last() else {
            return self.pass(at, *act, then, derived, &known);
        };
        let mut chosen = vec![Chosen { known, named: Vec::new(), when: Vec::new() }];
        for choice in kinds {
            let mut more = Vec::new();
            for one in chosen {
                more.extend(self.members(&one, choice.binding, &choice.domain.term)?);
            }
            chosen = more;
            (chosen.len() <= MOST).then_some(())?;
        }
        let mut drops = Vec::new();
        for one in chosen {
            let known = Known { cell: Some(cell.binding), ..one.known.clone() };
            let domain = simplify(self.rules, &cell.domain.term, &one.known);
            let mut drop = Drop {
                clause: at,
                act: *act,
                kind: 0,
                bare: false,
                choices: one.named.iter().copied().chain([(cell.binding, None)]).collect(),
                held: Vec::new(),
                when: None,
                tos: Vec::new(),
                sites: None,
                bars: Vec::new(),
                recipe: None,
                after: Vec::new(),
                plain: false,
                judged: Judged::Never,
            };
            let mut when = one.when.clone();
            let all = Term::Const(Value::Truth(true));
            let mut about = Vec::new();
            conjuncts(self.under(clause, &all, &one.known), &mut about);
            let room = self.room(&domain);
            let mut asked = Vec::new();
            let tos = room.unwrap_or_else(|| Sites::first(self.rules.board.len()));
            let tos = self.sites(cell.binding, about, tos, &one.known, &mut drop, &mut when, &mut asked);
            drop.tos = words(&tos);
            if room.is_none() || !asked.is_empty() {
                is_empty_part(&domain).then_some(())?;
                let name = Name::Bound(cell.binding);
                drop.sites = Some(self.keep(self.sites_where(&domain, name, &asked, &one.known)?)?);
            }
            if !self.held(when, &one.known, &mut drop)? || tos.is_empty() {
                continue;
            }
            self.made(&mut drop, then, &known)?;
            self.banned(&mut drop, derived, &known)?;
            drops.push(drop);
        }
        Some(drops)
    }

    /// An act that chooses nothing and puts nothing anywhere.
    fn pass(&self, at: u16, act: u16, then: &[Effect], derived: &[u16], known: &Known) -> Option<Vec<Drop>> {
        let clause = self.rules.clauses.get(usize::from(at))?;
        then.iter().all(|effect| matches!(effect, Effect::Set(..))).then_some(())?;
        let mut drop = Drop {
            clause: at,
            act,
            kind: 0,
            bare: true,
            choices: Vec::new(),
            held: Vec::new(),
            when: None,
            tos: Vec::new(),
            sites: None,
            bars: Vec::new(),
            recipe: None,
            after: Vec::new(),
            plain: false,
            judged: Judged::Never,
        };
        let when = self.under(clause, &Term::Const(Value::Truth(true)), known);
        if !self.held(vec![when], known, &mut drop)? {
            return Some(Vec::new());
        }
        let shape = Shape { clause: at, act, ends: content::EMPTY, ..blank(0) };
        let following = self.following(&shape, then, known, None)?;
        following.choice.is_none().then_some(())?;
        (drop.plain, drop.recipe) = (following.plain, Some(following.steps));
        self.banned(&mut drop, derived, known)?;
        Some(vec![drop])
    }

    /// The kinds of a choice, each with what must hold for it.
    fn members(&self, one: &Chosen, binding: u16, domain: &Term) -> Option<Vec<Chosen>> {
        let domain = simplify(self.rules, domain, &one.known);
        let (values, condition) = match &domain {
            Term::Filtered(slot, values, body) => (constant(values)?, Some((*slot, body))),
            other => (constant(other)?, None),
        };
        let Value::List(values) = values else { return None };
        let mut members: Vec<Chosen> = Vec::new();
        for value in values {
            let Value::Kind(kind) = value else { return None };
            let known = one.known.and(binding, value.clone());
            let mut named = one.named.clone();
            named.push((binding, Some(*kind)));
            members.iter().all(|member| member.named != named).then_some(())?;
            let mut when = one.when.clone();
            if let Some((slot, body)) = condition {
                when.push(simplify(self.rules, body, &one.known.with(slot, value.clone())));
            }
            members.push(Chosen { known, named, when });
        }
        Some(members)
    }

    /// The empty sites of a domain: all of them that are among these.
    fn room(&self, domain: &Term) -> Option<Sites> {
        let all = Sites::first(self.rules.board.len());
        match domain {
            Term::Call(Builtin::Empties, _) => Some(all),
            Term::Binary(Binary::Less, a, b) => Some(self.room(a)?.difference(&constant_sites(b)?)),
            Term::Binary(Binary::Both, a, b) => match (constant_sites(a), constant_sites(b)) {
                (Some(sites), _) => Some(self.room(b)?.intersection(&sites)),
                (_, Some(sites)) => Some(self.room(a)?.intersection(&sites)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The sites for which conditions may hold; those that bar sites while some piece stands somewhere are
    /// told apart, and so are those that do not depend on the site and those that must be asked.
    #[expect(clippy::too_many_arguments, reason = "what is taken apart, and what is collected")]
    fn sites(
        &self,
        cell: u16,
        conditions: Vec<Term>,
        mut tos: Sites,
        known: &Known,
        drop: &mut Drop,
        rest: &mut Vec<Term>,
        asked: &mut Vec<Term>,
    ) -> Sites {
        for condition in conditions {
            let mut about = false;
            self.rules
                .visit(&condition, &mut |term| about |= matches!(term, Term::Bound(name) if *name == cell));
            if !about {
                rest.push(condition);
                continue;
            }
            let (mut kept, mut bars) = (tos, drop.bars.clone());
            let understood = tos.iter().all(|site| {
                match simplify(self.rules, &condition, &known.and(cell, Value::Site(site))) {
                    Term::Const(Value::Truth(true)) => true,
                    Term::Const(_) => {
                        kept.remove(site);
                        true
                    }
                    other => self.bar(&other, site, known, &mut bars).is_some(),
                }
            });
            if understood {
                (tos, drop.bars) = (kept, bars);
            } else {
                asked.push(condition);
            }
        }
        tos
    }

    /// A condition that no piece of a kind of the mover's stands on some sites.
    fn bar(&self, condition: &Term, site: u16, known: &Known, bars: &mut Vec<Bar>) -> Option<()> {
        let (slot, domain, body) = match condition {
            Term::Not(inner) => match &**inner {
                Term::Quantified(Quantifier::Any, slot, domain, body) => (slot, domain, body),
                _ => return None,
            },
            Term::Quantified(Quantifier::No, slot, domain, body) => (slot, domain, body),
            _ => return None,
        };
        let Term::Call(Builtin::Pieces, arguments) = &**domain else { return None };
        let [Term::Const(Value::Kind(kind)), Term::Const(Value::Player(owner))] = &arguments[..] else {
            return None;
        };
        (*owner == self.player).then_some(())?;
        let mut zone = Sites::EMPTY;
        for from in 0..self.rules.board.len() as u16 {
            match simplify(self.rules, body, &known.with(*slot, Value::Site(from))) {
                Term::Const(Value::Truth(true)) => zone.insert(from),
                Term::Const(_) => {}
                _ => return None,
            }
        }
        let zone = words(&zone);
        match bars.iter_mut().find(|bar| bar.kind == *kind && bar.zone == zone) {
            Some(bar) => {
                let at = usize::from(site) / 64;
                bar.sites.resize(bar.sites.len().max(at + 1), 0);
                if let Some(word) = bar.sites.get_mut(at) {
                    *word |= 1 << (site % 64);
                }
            }
            None => bars.push(Bar { kind: *kind, zone, sites: words(&Sites::one(site)) }),
        }
        Some(())
    }

    /// What must be held, and a question for all else that must hold; false if it never does.
    fn held(&self, when: Vec<Term>, known: &Known, drop: &mut Drop) -> Option<bool> {
        let mut rest = Term::Const(Value::Truth(true));
        let mut parts = Vec::new();
        when.into_iter().for_each(|term| conjuncts(term, &mut parts));
        for part in parts {
            match &part {
                Term::Const(Value::Truth(true)) => {}
                Term::Const(_) => return Some(false),
                Term::Binary(Binary::Gt, a, b) if constant(b) == Some(&Value::whole(0)) => {
                    let Term::Var(var, index) = &**a else { return None };
                    let declared = self.program.vars.get(usize::from(*var))?;
                    (declared.ty == Type::Number).then_some(())?;
                    drop.held.push(declared.slot + self.offset(*var, index)?);
                }
                _ => rest = Term::Binary(Binary::And, Box::new(rest), Box::new(part)),
            }
        }
        if !matches!(rest, Term::Const(_)) {
            let rest = simplify(self.rules, &rest, known);
            drop.when = Some(self.keep(self.condition(&rest, known)?)?);
        }
        Some(true)
    }

    /// What is put where, and what happens besides.
    fn made(&self, drop: &mut Drop, then: &[Effect], known: &Known) -> Option<()> {
        let mut put = None;
        let mut others = Vec::new();
        for effect in then {
            match effect {
                Effect::Put(kind, owner, sites) if put.is_none() => {
                    let owner = owner.as_ref().map(|owner| simplify(self.rules, &owner.term, known));
                    owner
                        .is_none_or(|owner| constant(&owner) == Some(&Value::Player(self.player)))
                        .then_some(())?;
                    let site = simplify(self.rules, &sites.term, known);
                    matches!(site, Term::Bound(name) if known.cell == Some(name)).then_some(())?;
                    let Term::Const(Value::Kind(kind)) = simplify(self.rules, &kind.term, known) else {
                        return None;
                    };
                    put = Some(kind);
                }
                // The piece counts as put there at once: what comes before that must not look at the board.
                Effect::Set(_, _, value) if put.is_none() => {
                    let mut looks = false;
                    self.rules.visit(&value.term, &mut |term| {
                        looks |= matches!(term, Term::Call(..) | Term::Context(Context::Changed));
                    });
                    (!looks).then_some(())?;
                    others.push(effect.clone());
                }
                _ if put.is_some() => others.push(effect.clone()),
                _ => return None,
            }
        }
        drop.kind = put?;
        let shape = Shape {
            clause: drop.clause,
            act: drop.act,
            reach: Reach::Leap(Vec::new()),
            ends: content::EMPTY,
            tos: Some(drop.tos.clone()),
            ..blank(drop.kind)
        };
        let following = self.following(&shape, &others, known, None)?;
        following.choice.is_none().then_some(())?;
        drop.plain = following.plain;
        drop.recipe = Some(following.steps);
        Some(())
    }

    /// The bans on the ply.
    fn banned(&self, drop: &mut Drop, derived: &[u16], known: &Known) -> Option<()> {
        for (at, clause) in self.rules.clauses.iter().enumerate() {
            let Form::Forbid { acts, before, banned } = &clause.form else { continue };
            if !acts.admits(drop.act) || derived.contains(&(at as u16)) {
                continue;
            }
            let whole = self.under(clause, &banned.term, known);
            if constant(&whole) == Some(&Value::Truth(false)) {
                continue;
            }
            let query = self.condition(&whole, known).filter(|query| !self.is_passing(query));
            match query.and_then(|query| self.keep(query)) {
                Some(query) if !before => drop.after.push(query),
                // A ban before the ply would have to be asked for each site.
                _ if *before => return None,
                _ => drop.judged = self.judged(&whole, drop.judged),
            }
        }
        Some(())
    }

    /// The plies that a ban which is not understood may concern.
    fn judged(&self, banned: &Term, known: Judged) -> Judged {
        let mut parts = Vec::new();
        conjuncts(banned.clone(), &mut parts);
        let next = self.rules.next_player(self.player);
        let victim = parts.iter().find_map(|part| match part {
            Term::Call(Builtin::Attacked, arguments) => match &arguments[..] {
                [Term::Call(Builtin::Pieces, which), Term::Const(Value::Player(by))]
                    if *by == self.player =>
                {
                    match &which[..] {
                        [Term::Const(Value::Kind(kind)), Term::Const(Value::Player(owner))] => {
                            (*owner == next).then_some(*kind)
                        }
                        _ => None,
                    }
                }
                _ => None,
            },
            _ => None,
        });
        match (victim, known) {
            (Some(kind), Judged::Never) => Judged::Striking(kind),
            (Some(kind), Judged::Striking(other)) if kind == other => known,
            _ => Judged::Always,
        }
    }
}

/// Whether a set holds nothing but empty sites.
fn is_empty_part(domain: &Term) -> bool {
    match domain {
        Term::Call(Builtin::Empties, _) => true,
        Term::Binary(Binary::Less, a, _) | Term::Filtered(_, a, _) => is_empty_part(a),
        Term::Binary(Binary::Both, a, b) => is_empty_part(a) || is_empty_part(b),
        Term::If(_, a, b) => is_empty_part(a) && is_empty_part(b),
        other => constant_sites(other).is_some_and(|sites| sites.is_empty()),
    }
}
