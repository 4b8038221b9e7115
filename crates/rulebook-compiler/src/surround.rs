//! Recognises games of placing pieces that take what they enclose.
//!
//! Law: every clause that can grant, follow, forbid or end a ply must be accounted for, for both players
//! alike, or nothing is recognised. What is looked for are relations: the group of a site is what is
//! connected to it among the pieces of its owner, and a group is stifled when none of its neighbours is empty.
//! The machine may then keep groups and boards from ply to ply instead of evaluating the clauses.

use rulebook_machine::lane::Op;
use rulebook_machine::position::{pack, unpack};
use rulebook_machine::program::{self, Program, Type};
use rulebook_machine::surround::{End, Other, Own, Past, Surround};
use rulebook_model::Value;
use rulebook_model::ruleset::{
    ActFilter, Builtin, Clause, Code, Context, Effect, Features, Form, RuleSet, Term,
};
use rulebook_syntax::ast::{Binary, Fold, Quantifier};

use crate::shapes::Note;
use crate::simplify::{Known, constant, simplify};

/// The largest number that a step may write or add.
const MAX_NUMBER: i64 = 1 << 20;
/// What is said of a clause that cannot make a difference.
const NEVER: &str = "never: the parameters have decided its condition";
/// Most neighbours of a site.
const MAX_NEIGHBOURS: usize = 8;

/// The whole game as one form, or the first clause that is in its way and why, if placements are granted at
/// all.
pub(crate) fn surround(rules: &RuleSet, program: &Program) -> Result<(Surround, Vec<Note>), Option<Note>> {
    let fits = rules.players.len() == 2
        && rules.kinds.len() == 1
        && !rules.board.is_empty()
        && program.board.adjacent.len() <= MAX_NEIGHBOURS
        && rules.vars.iter().all(|var| !var.fleeting);
    if !fits {
        return Err(None);
    }
    let found = [0, 1].map(|player| Finder::of(rules, program, player)?.found());
    match found {
        [Ok(first), Ok(second)] if first.0 == second.0 => Ok(first),
        [Ok(_), Ok(_)] => Err(None),
        [Err(note), _] | [_, Err(note)] => Err(note),
    }
}

/// Why a clause is in the way.
type Hindered = Option<Note>;

struct Finder<'a> {
    rules: &'a RuleSet,
    program: &'a Program,
    player: u8,
    /// The clause that grants placements, their act, and the name of the site.
    place: (u16, u16, u16),
    notes: Vec<Note>,
}

impl<'a> Finder<'a> {
    /// Finds the clause that grants placements.
    fn of(rules: &'a RuleSet, program: &'a Program, player: u8) -> Result<Self, Hindered> {
        let mut finder = Self { rules, program, player, place: (0, 0, 0), notes: Vec::new() };
        let mut places = rules.clauses.iter().enumerate().filter_map(|(at, clause)| {
            let Form::Act { act, choices, then } = &clause.form else { return None };
            let ([choice], [Effect::Put(kind, owner, sites)]) = (&choices[..], &then[..]) else {
                return None;
            };
            let own = |owner: &Code| constant(&finder.simple(owner)) == Some(&Value::Player(player));
            let fine = matches!(&finder.simple(&choice.domain), Term::Call(Builtin::Empties, _))
                && constant(&finder.simple(kind)) == Some(&Value::Kind(0))
                && owner.as_ref().is_none_or(own)
                && finder.simple(sites) == Term::Bound(choice.binding)
                && finder.always(clause) == Some(true);
            fine.then_some((at as u16, *act, choice.binding))
        });
        let (Some(place), None) = (places.next(), places.next()) else { return Err(None) };
        drop(places);
        finder.place = place;
        Ok(finder)
    }

    fn simple(&self, code: &Code) -> Term {
        simplify(self.rules, &code.term, &Known::of(self.player, None))
    }

    /// Whether a clause applies whatever the situation (true) or never (false).
    fn always(&self, clause: &Clause) -> Option<bool> {
        let value = |code: &Option<Code>, without: bool| match code {
            None => Some(without),
            Some(code) => match self.simple(code) {
                Term::Const(Value::Truth(value)) => Some(value),
                _ => None,
            },
        };
        match (value(&clause.when, true), value(&clause.unless, false)) {
            (Some(false), _) | (_, Some(true)) => Some(false),
            (Some(true), Some(false)) => Some(true),
            _ => None,
        }
    }

    fn note(&mut self, clause: usize, text: &str) {
        let clause = clause as u16;
        self.notes.push(Note { clause, player: None, kind: None, text: text.to_owned(), fast: true });
    }

    fn in_the_way(clause: usize, why: &str) -> Hindered {
        let text = format!("in the way of groups that are kept: {why}");
        Some(Note { clause: clause as u16, player: None, kind: None, text, fast: false })
    }

    fn found(mut self) -> Result<(Surround, Vec<Note>), Hindered> {
        let (clause, act, binding) = self.place;
        let mut form = Surround {
            clause,
            act,
            binding,
            takes: u16::MAX,
            own: Own::Stays,
            past: Past::Free,
            steps: Vec::new(),
            others: Vec::new(),
            ends: Vec::new(),
        };
        self.note(usize::from(clause), "placement: on the empty sites, groups and their open sides kept");
        // Consequences of other plies, found after all grants.
        for (at, clause) in self.rules.clauses.iter().enumerate() {
            let Form::Act { act: name, choices, then } = &clause.form else { continue };
            if at == usize::from(self.place.0) || self.always(clause) == Some(false) {
                continue;
            }
            let hindered = || Self::in_the_way(at, "a ply that does more than change numbers");
            if *name == act || !choices.is_empty() || self.always(clause) != Some(true) {
                return Err(hindered());
            }
            if form.others.iter().any(|other| other.act == *name) {
                return Err(Self::in_the_way(at, "two clauses grant the same ply"));
            }
            let mut steps = Vec::new();
            self.steps(then, &mut steps).ok_or_else(hindered)?;
            form.others.push(Other { clause: at as u16, act: *name, steps });
            self.note(at, "ply that leaves the board alone: steps on numbers");
        }
        for (at, clause) in self.rules.clauses.iter().enumerate() {
            let applies = self.always(clause);
            if applies == Some(false) {
                self.note(at, NEVER);
                continue;
            }
            match &clause.form {
                Form::Move { .. } | Form::Most { .. } => {
                    return Err(Self::in_the_way(at, "plies that are no placements"));
                }
                Form::After { acts, choices, then } => {
                    if !choices.is_empty() {
                        return Err(Self::in_the_way(at, "a choice after a ply"));
                    }
                    self.consequence(at, clause, acts, then, &mut form)
                        .ok_or_else(|| Self::in_the_way(at, "a consequence of another form"))?;
                }
                Form::Forbid { acts, before, banned } => {
                    let term = self.simple(banned);
                    if constant(&term) == Some(&Value::Truth(false)) {
                        self.note(at, NEVER);
                        continue;
                    }
                    let others = form.others.iter().any(|other| acts.admits(other.act));
                    let hindered = || Self::in_the_way(at, "a ban of another form");
                    if others || *before || applies != Some(true) {
                        return Err(hindered());
                    }
                    if acts.admits(act) {
                        self.ban(at, &term, &mut form).ok_or_else(hindered)?;
                    }
                }
                Form::Turn(code) => {
                    let next = Value::Player(self.rules.next_player(self.player));
                    if applies != Some(true) || constant(&self.simple(code)) != Some(&next) {
                        return Err(Self::in_the_way(at, "a turn that does not pass"));
                    }
                }
                Form::Ends { condition, .. } => {
                    let stops = matches!(
                        self.program.clauses.get(at).map(|clause| &clause.form),
                        Some(program::Form::Ends { stops: true, .. })
                    );
                    if stops {
                        let end = self.end(at, &self.simple(condition)).filter(|_| applies == Some(true));
                        let end = end.ok_or_else(|| Self::in_the_way(at, "an ending of another form"))?;
                        form.ends.push(end);
                        self.note(at, "ending: a number has come to a value");
                    }
                }
                _ => {}
            }
        }
        if form.takes == u16::MAX {
            return Err(None);
        }
        Ok((form, self.notes))
    }

    /// What follows a ply. Groups of the other player go before those of the mover.
    fn consequence(
        &mut self,
        at: usize,
        clause: &Clause,
        acts: &ActFilter,
        then: &[Effect],
        form: &mut Surround,
    ) -> Option<()> {
        if let [Effect::Remove(code)] = then {
            let (_, act, binding) = self.place;
            if !matches!(acts, ActFilter::Only(only) if only[..] == [act]) {
                return None;
            }
            let term = self.simple(code);
            let site = Term::Bound(binding);
            if self.always(clause) == Some(true) && self.enclosed(&term, &site) {
                (form.takes == u16::MAX).then_some(())?;
                form.takes = at as u16;
                self.note(at, "taking: groups around whose open sides come to none");
                return Some(());
            }
            if self.group(&term) == Some(&site) && form.takes != u16::MAX && clause.unless.is_none() {
                let when = self.simple(clause.when.as_ref()?);
                let mut parts = Vec::new();
                conjuncts(&when, &mut parts);
                let stifled = parts.iter().position(|part| self.stifled(part) == Some(&site))?;
                parts.remove(stifled);
                // A group of one piece may be spared only where a ban keeps it from coming about.
                let several = |part: &&Term| matches!(part, Term::Binary(Binary::Ne, a, b) if self.group(a) == Some(&site) && **b == site);
                let spared = parts.iter().any(several);
                (parts.iter().all(several) && form.own == Own::Stays).then_some(())?;
                form.own = Own::Removed(at as u16, None);
                if spared {
                    form.own = Own::Removed(at as u16, Some(self.lone(binding)?));
                }
                self.note(at, "taking of the own group, if it is left without open sides");
                return Some(());
            }
            return None;
        }
        (self.always(clause) == Some(true)).then_some(())?;
        let mut steps = Vec::new();
        self.steps(then, &mut steps)?;
        if acts.admits(form.act) {
            form.steps.extend(steps.iter().cloned());
        }
        for other in form.others.iter_mut().filter(|other| acts.admits(other.act)) {
            other.steps.extend(steps.iter().cloned());
        }
        self.note(at, "consequence: steps on numbers");
        Some(())
    }

    /// The ban on a single piece without open sides.
    fn lone(&self, binding: u16) -> Option<u16> {
        let site = Term::Bound(binding);
        self.rules.clauses.iter().enumerate().find_map(|(at, clause)| {
            let Form::Forbid { acts, before: false, banned } = &clause.form else { return None };
            let term = self.simple(banned);
            let fine = acts.admits(self.place.1) && self.always(clause) == Some(true);
            (fine && self.is_lone(&term, &site)).then_some(at as u16)
        })
    }

    fn is_lone(&self, term: &Term, site: &Term) -> bool {
        let Term::Binary(Binary::And, a, b) = term else { return false };
        let single = |term: &Term| matches!(term, Term::Binary(Binary::Eq, a, b) if self.group(a) == Some(site) && **b == *site);
        (self.stifled(a) == Some(site) && single(b)) || (self.stifled(b) == Some(site) && single(a))
    }

    fn ban(&mut self, at: usize, term: &Term, form: &mut Surround) -> Option<()> {
        let site = Term::Bound(self.place.2);
        let clause = at as u16;
        if self.stifled(term) == Some(&site) {
            // Nothing may have taken the group off before the ban is judged.
            let removes = |clause: &Clause| {
                matches!(&clause.form, Form::After { then, .. } if matches!(then[..], [Effect::Remove(_)]))
                    && self.always(clause) != Some(false)
            };
            let others = self.rules.clauses.iter().enumerate();
            let mut others = others.filter(|(at, clause)| *at != usize::from(form.takes) && removes(clause));
            let none = others.all(|(_, clause)| {
                let when = clause.when.as_ref().map(|code| self.simple(code));
                when == Some(Term::Const(Value::Truth(false)))
            });
            (none && form.own == Own::Stays).then_some(())?;
            form.own = Own::Forbidden(clause);
            self.note(at, "ban: the own group would be left without open sides");
            return Some(());
        }
        if self.is_lone(term, &site) {
            // Judged after groups are taken off: where a single piece goes, too, there is none to be found.
            if self.lone(self.place.2) == Some(clause) && self.spares_one() {
                self.note(at, "ban: a single piece would be left without open sides");
                return Some(());
            }
            return None;
        }
        (form.past == Past::Free).then_some(())?;
        form.past = self.past(clause, term)?;
        self.note(at, "ban: boards are found again by their hash, then compared");
        Some(())
    }

    /// Whether some clause takes off the own group unless it is a single piece.
    fn spares_one(&self) -> bool {
        let site = Term::Bound(self.place.2);
        self.rules.clauses.iter().any(|clause| {
            let Form::After { then, .. } = &clause.form else { return false };
            let ([Effect::Remove(code)], Some(when)) = (&then[..], &clause.when) else { return false };
            let mut parts = Vec::new();
            let when = self.simple(when);
            conjuncts(&when, &mut parts);
            self.group(&self.simple(code)) == Some(&site)
                && parts.iter().any(
                    |part| matches!(part, Term::Binary(Binary::Ne, a, _) if self.group(a) == Some(&site)),
                )
        })
    }

    /// A ban on boards that come again.
    fn past(&self, clause: u16, term: &Term) -> Option<Past> {
        match term {
            Term::Binary(Binary::Gt, times, none) if constant(none) == Some(&Value::whole(0)) => {
                match **times {
                    Term::Times(Features { identity: false, turn: false }) => Some(Past::Board(clause)),
                    Term::Times(Features { identity: false, turn: true }) => Some(Past::Turn(clause)),
                    _ => None,
                }
            }
            Term::Binary(Binary::And, a, b) => {
                let latest = |a: &Term, b: &Term| {
                    let two = Term::Const(Value::whole(2));
                    matches!(a, Term::Call(Builtin::Restores, arguments) if arguments[..] == [two])
                        && *b == Term::Last(self.place.1)
                };
                (latest(a, b) || latest(b, a)).then_some(Past::Latest(clause))
            }
            // Any n in 1..number + more has restores(n).
            Term::Quantified(Quantifier::Any, slot, domain, body) => {
                let restores = Term::Call(Builtin::Restores, vec![Term::Slot(*slot)]);
                let Term::Binary(Binary::Range, one, last) = &**domain else { return None };
                (**body == restores && constant(one) == Some(&Value::whole(1))).then_some(())?;
                let (number, more) = match &**last {
                    Term::Binary(Binary::Plus, number, more) => match constant(more)? {
                        Value::Number(more) => (&**number, more.to_whole()?),
                        _ => return None,
                    },
                    number => (number, 0),
                };
                Some(Past::Window(clause, self.number(number)?, u16::try_from(more).ok()?))
            }
            _ => None,
        }
    }

    /// The slot of a number variable.
    fn number(&self, term: &Term) -> Option<u16> {
        let Term::Var(var, index) = term else { return None };
        let var = self.program.vars.get(usize::from(*var))?;
        (index.is_empty() && var.each.is_empty() && var.ty == Type::Number).then_some(var.slot)
    }

    fn steps(&self, effects: &[Effect], steps: &mut Vec<Op>) -> Option<()> {
        for effect in effects {
            let Effect::Set(var, index, code) = effect else { return None };
            index.is_empty().then_some(())?;
            let own = Term::Var(*var, Vec::new());
            let slot = self.number(&own)?;
            let small = |value: i64| (value.checked_abs()? < MAX_NUMBER).then_some(value);
            steps.push(match self.simple(code) {
                Term::Const(Value::Number(number)) => {
                    let packed = pack(small(number.to_whole()?)?, 1)?;
                    debug_assert_eq!(unpack(packed).1, 1);
                    Op::Set(slot, packed)
                }
                Term::Binary(operator @ (Binary::Plus | Binary::Less), a, b) if *a == own => {
                    match constant(&b)? {
                        Value::Number(number) => {
                            let more = small(number.to_whole()?)?;
                            Op::Add(slot, if operator == Binary::Plus { more } else { -more })
                        }
                        _ => return None,
                    }
                }
                _ => return None,
            });
        }
        Some(())
    }

    fn end(&self, at: usize, term: &Term) -> Option<End> {
        let Term::Binary(Binary::Ge, number, least) = term else { return None };
        match constant(least)? {
            Value::Number(least) => {
                Some(End { clause: at as u16, slot: self.number(number)?, least: least.to_whole()? })
            }
            _ => None,
        }
    }

    /// The site whose group a term is: what is connected to it among the pieces of its owner.
    fn group<'t>(&self, term: &'t Term) -> Option<&'t Term> {
        let Term::Call(Builtin::Connected, arguments) = term else { return None };
        let [site, Term::Call(Builtin::Owned, whose)] = &arguments[..] else { return None };
        let [Term::Call(Builtin::Owner, of)] = &whose[..] else { return None };
        (of[..] == [site.clone()]).then_some(site)
    }

    /// The site whose group a term says to have no empty neighbour.
    fn stifled<'t>(&self, term: &'t Term) -> Option<&'t Term> {
        let Term::IsEmpty(sites) = term else { return None };
        let Term::Binary(Binary::Both, a, b) = &**sites else { return None };
        let around = match (&**a, &**b) {
            (Term::Call(Builtin::Neighbours, of), Term::Call(Builtin::Empties, _))
            | (Term::Call(Builtin::Empties, _), Term::Call(Builtin::Neighbours, of)) => of,
            _ => return None,
        };
        match &around[..] {
            [group] => self.group(group),
            _ => None,
        }
    }

    /// Whether a term is: the groups around a site of the other player without an empty neighbour.
    fn enclosed(&self, term: &Term, site: &Term) -> bool {
        let Term::Folded(Fold::Set, slot, parts) = term else { return false };
        let [body, domain, condition] = &**parts;
        let member = Term::Slot(*slot);
        let around = Term::Call(Builtin::Neighbours, vec![site.clone()]);
        let next = Value::Player(self.rules.next_player(self.player));
        let others = |term: &Term| {
            let Term::Call(Builtin::Owned, whose) = term else { return false };
            match &whose[..] {
                [Term::Const(whose)] => *whose == next,
                [Term::Call(Builtin::Next, of)] => of[..] == [Term::Context(Context::Mover)],
                _ => false,
            }
        };
        let Term::Binary(Binary::Both, a, b) = domain else { return false };
        let near = (**a == around && others(b)) || (**b == around && others(a));
        near && self.group(body) == Some(&member) && self.stifled(condition) == Some(&member)
    }
}

fn conjuncts<'t>(term: &'t Term, parts: &mut Vec<&'t Term>) {
    match term {
        Term::Binary(Binary::And, a, b) => {
            conjuncts(a, parts);
            conjuncts(b, parts);
        }
        term => parts.push(term),
    }
}
