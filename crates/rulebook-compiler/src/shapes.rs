//! Recognises what the clauses of a rule set are, as relations over sites, for each player.
//!
//! Law: a shape grants exactly the acts that its clause grants to its kind, and its recipe does exactly what
//! the clauses that follow the act do. Where that is not plain to see, the general engine keeps the clause.

use rulebook_machine::lane::{
    Attack, Before, Gate, Guard, Lane, Op, Pick, Place, Reach, Royal, Shape, Step, Template, content,
};
use rulebook_machine::position::pack;
use rulebook_machine::program::{Program, Type};
use rulebook_model::ruleset::{Builtin, Choice, Clause, Context, Effect, Form, RuleSet, Term};
use rulebook_model::{Sites, Value};
use rulebook_syntax::ast::{Binary, Quantifier};

use crate::passes::Passes;
use crate::simplify::{Known, constant, constant_sites, simplify};
use crate::templates::{Slots, is_open, is_plain, templates, words};

const ANY: u8 = content::EMPTY | content::ENEMY | content::OWN;

/// What became of a clause, for the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The clause.
    pub clause: u16,
    /// For which player, if not for all alike.
    pub player: Option<u8>,
    /// For which kind, for ways of moving.
    pub kind: Option<u8>,
    /// The form that was recognised, or why none was.
    pub text: String,
    /// Whether it runs in a recognised form.
    pub fast: bool,
}

/// The lanes of a rule set, with what was found on the way.
pub(crate) fn lanes(rules: &RuleSet, program: &Program, passes: Passes) -> (Vec<Lane>, Vec<Note>) {
    let mut notes = Vec::new();
    if rules.players.len() != 2 || rules.board.is_empty() || !passes.forms {
        return (Vec::new(), notes);
    }
    let lanes = (0..2).map(|player| Recogniser { rules, program, player, passes, notes: &mut notes }.lane());
    let lanes = lanes.collect();
    (lanes, notes)
}

struct Places<'a>(&'a Program);

impl Slots for Places<'_> {
    fn set(&self, var: u16) -> Option<u16> {
        let var = self.0.vars.get(usize::from(var))?;
        (var.ty == Type::Sites && var.each.is_empty()).then_some(var.slot)
    }
    fn site(&self, var: u16) -> Option<u16> {
        let var = self.0.vars.get(usize::from(var))?;
        (var.ty == Type::Site && var.each.is_empty()).then_some(var.slot)
    }
}

struct Recogniser<'a> {
    rules: &'a RuleSet,
    program: &'a Program,
    player: u8,
    passes: Passes,
    notes: &'a mut Vec<Note>,
}

/// A way of moving as its clause states it.
struct Way {
    templates: Result<Vec<Template>, &'static str>,
    froms: Option<Sites>,
    tos: Option<Sites>,
    gate: Option<Gate>,
    tested: bool,
    /// It is never possible for this player and kind.
    never: bool,
}

impl Recogniser<'_> {
    fn note(&mut self, clause: usize, kind: Option<u8>, fast: bool, text: impl Into<String>) {
        let note = Note { clause: clause as u16, player: Some(self.player), kind, text: text.into(), fast };
        self.notes.push(note);
    }

    fn known(&self, kind: Option<u8>) -> Known {
        Known::of(self.player, kind)
    }

    fn lane(mut self) -> Lane {
        let mut lane = Lane { passes_turn: self.passes_turn(), ..Lane::default() };
        for (at, clause) in self.rules.clauses.iter().enumerate() {
            match &clause.form {
                Form::Move { kinds, .. } => {
                    for kind in kinds {
                        if let Some(shape) = self.shape(at, clause, *kind) {
                            lane.shapes.push(shape);
                        }
                    }
                }
                Form::Act { .. } => lane.acts.push(at as u16),
                _ => {}
            }
        }
        lane.doubles = doubles(&lane.shapes);
        lane.attacks = self.attacks();
        let royal = self.royal();
        if let (Some(royal), true) = (royal, self.passes.legality) {
            // What the other player can do to the royal piece must be known.
            let other = Recogniser { player: 1 - self.player, notes: &mut Vec::new(), ..self };
            if other.attacks().is_some() {
                lane.royal = Some(royal);
                self.note(
                    usize::from(royal.clause),
                    Some(royal.kind),
                    true,
                    "derived: attackers are looked for from the site outwards",
                );
            } else {
                lane.other_bans = true;
            }
        }
        let bans = self.rules.clauses.iter().enumerate().filter(|(at, clause)| {
            matches!(clause.form, Form::Forbid { before: false, .. })
                && lane.royal.is_none_or(|royal| usize::from(royal.clause) != *at)
        });
        lane.other_bans |= bans.count() > 0;
        lane.other_bans |= self.rules.clauses.iter().any(|clause| matches!(clause.form, Form::Most { .. }));
        lane
    }

    /// Whether the turn always goes to the next player.
    fn passes_turn(&self) -> bool {
        let mut turns = self.rules.clauses.iter().filter_map(|clause| match &clause.form {
            Form::Turn(code) => Some((clause, code)),
            _ => None,
        });
        let Some((clause, code)) = turns.next() else { return true };
        if turns.next().is_some() || clause.when.is_some() || clause.unless.is_some() {
            return false;
        }
        let next = self.rules.next_player(self.player);
        constant(&simplify(self.rules, &code.term, &self.known(None))) == Some(&Value::Player(next))
    }

    /// The ban that no own piece of a kind may be attacked after any ply, if there is one of this form.
    fn royal(&self) -> Option<Royal> {
        let next = self.rules.next_player(self.player);
        self.rules.clauses.iter().enumerate().find_map(|(at, clause)| {
            let Form::Forbid { acts, before: false, banned } = &clause.form else { return None };
            let all = (0..self.rules.acts.len() as u16).all(|act| acts.admits(act));
            if !all || clause.when.is_some() || clause.unless.is_some() {
                return None;
            }
            let Term::Call(Builtin::Attacked, arguments) =
                simplify(self.rules, &banned.term, &self.known(None))
            else {
                return None;
            };
            let [Term::Call(Builtin::Pieces, which), Term::Const(Value::Player(by))] = &arguments[..] else {
                return None;
            };
            let [Term::Const(Value::Kind(kind)), Term::Const(Value::Player(owner))] = &which[..] else {
                return None;
            };
            (*by == next && *owner == self.player).then_some(Royal { kind: *kind, clause: at as u16 })
        })
    }

    /// A way of moving, its condition taken apart.
    fn way(&self, clause: &Clause, kind: u8) -> Option<Way> {
        let Form::Move { path, .. } = &clause.form else { return None };
        let known = self.known(Some(kind));
        let mut way = Way {
            templates: templates(self.rules, path, &known, &Places(self.program)),
            froms: None,
            tos: None,
            gate: None,
            tested: clause.unless.is_some(),
            never: false,
        };
        if let Some(when) = &clause.when {
            let mut parts = Vec::new();
            conjuncts(simplify(self.rules, &when.term, &known), &mut parts);
            for part in parts {
                match &part {
                    Term::Const(Value::Truth(true)) => {}
                    Term::Const(_) => way.never = true,
                    Term::Binary(operator @ (Binary::In | Binary::NotIn), a, b) => {
                        let all = Sites::first(self.rules.board.len());
                        let narrow = |set: &mut Option<Sites>, sites: Sites| {
                            let sites = if *operator == Binary::In { sites } else { all.difference(&sites) };
                            *set = Some(set.unwrap_or(all).intersection(&sites));
                        };
                        match (&**a, constant_sites(b), &**b) {
                            (Term::Context(Context::From), Some(sites), _) => narrow(&mut way.froms, sites),
                            (Term::Context(Context::To), Some(sites), _) => narrow(&mut way.tos, sites),
                            (Term::Context(Context::From), None, Term::Var(var, index))
                                if index.is_empty() && *operator == Binary::In && way.gate.is_none() =>
                            {
                                match Places(self.program).set(*var) {
                                    Some(slot) => way.gate = Some(Gate::Within(slot)),
                                    None => way.tested = true,
                                }
                            }
                            _ => way.tested = true,
                        }
                    }
                    _ => way.tested = true,
                }
            }
        }
        Some(way)
    }

    fn shape(&mut self, at: usize, clause: &Clause, kind: u8) -> Option<Shape> {
        let Form::Move { act, choices, then, .. } = &clause.form else { return None };
        let way = self.way(clause, kind)?;
        if way.never {
            self.note(at, Some(kind), true, "never possible");
            return None;
        }
        let sets = |sites: Option<Sites>| sites.map(|sites| words(&sites));
        let mut shape = Shape {
            clause: at as u16,
            act: *act,
            kind,
            reach: Reach::Walk,
            ends: ANY,
            froms: sets(way.froms),
            tos: sets(way.tos),
            gate: way.gate,
            tested: way.tested,
            before: self.before(*act),
            plain: false,
            recipe: None,
            choice: None,
        };
        match way.templates {
            Err(why) => {
                self.note(at, Some(kind), false, format!("walked: {why}"));
            }
            Ok(found) if !choices.is_empty() => {
                let _ = found;
                self.note(at, Some(kind), false, "walked: it asks for a choice of its own");
            }
            Ok(mut found) => {
                if then.is_empty() {
                    found.retain(|template| template.to != (0, 0) || !template.takes.is_empty());
                }
                let fixed = match &found[..] {
                    [one] => one.marks.clone(),
                    _ => Vec::new(),
                };
                let text = self.classify(&mut shape, found);
                self.recipe(&mut shape, then);
                if !matches!(shape.reach, Reach::Templates(_)) {
                    fix(&mut shape, &fixed);
                }
                let how = if shape.recipe.is_none() { ", made by the general engine" } else { "" };
                self.note(at, Some(kind), shape.recipe.is_some(), format!("{text}{how}"));
            }
        }
        Some(shape)
    }

    /// The reach that a list of templates amounts to.
    fn classify(&self, shape: &mut Shape, mut found: Vec<Template>) -> &'static str {
        // What may stand at the end is the same for all in the plain forms, and nothing else is asked there.
        let last = |template: &Template| {
            template.needs.iter().find(|(at, _)| *at == template.to).map(|(_, need)| need.clone())
        };
        // A way that takes where it ends says no more than that an enemy stands there.
        for template in &mut found {
            let ends = last(template);
            if ends.as_ref().is_some_and(|need| need.content == content::ENEMY) {
                let to = template.to;
                template.takes.retain(|at| *at != to);
            }
        }
        // A set of sites on which all of them end is a matter of the board alone.
        let mut among: Option<Option<Vec<u64>>> = None;
        let mut uniform = true;
        for template in &found {
            let set = last(template).and_then(|need| need.among);
            uniform &= *among.get_or_insert_with(|| set.clone()) == set;
        }
        if uniform && let Some(Some(set)) = among {
            let known = shape.tos.clone();
            shape.tos = Some(match known {
                Some(known) => known.iter().zip(&set).map(|(a, b)| a & b).collect(),
                None => set,
            });
            for template in &mut found {
                let to = template.to;
                for (at, need) in &mut template.needs {
                    if *at == to {
                        need.among = None;
                    }
                }
                template.needs.retain(|(_, need)| !is_open(need));
            }
        }
        let ends: Vec<u8> = found.iter().map(|t| last(t).map_or(ANY, |need| need.content)).collect();
        let same_ends = ends.first().copied().filter(|first| ends.iter().all(|end| end == first));
        let bare = found.iter().all(|template| {
            template.takes.is_empty()
                && template.to != (0, 0)
                && last(template).is_none_or(|need| is_plain(&need))
        });
        let ways_empty = found.iter().all(|template| {
            template
                .needs
                .iter()
                .all(|(at, need)| *at == template.to || (is_plain(need) && need.content == content::EMPTY))
        });
        let Some(ends) = same_ends.filter(|_| bare) else {
            self.given(shape, &found);
            shape.reach = Reach::Templates(found);
            return "ways with conditions on several sites";
        };
        // The marks of the only template lie at fixed distances.
        let marks = found.len() > 1 && found.iter().any(|template| !template.marks.is_empty());
        if ways_empty {
            let between = |template: &Template| -> Vec<(i8, i8)> {
                template.needs.iter().map(|(at, _)| *at).filter(|at| *at != template.to).collect()
            };
            if found.iter().all(|template| between(template).is_empty()) && !marks {
                shape.ends = ends;
                shape.reach = Reach::Leap(found.iter().map(|template| template.to).collect());
                return "leap";
            }
            if self.passes.rays
                && !marks
                && let Some(directions) = self.rays(&found)
            {
                shape.ends = ends;
                shape.reach = Reach::Ray(directions);
                return "ray";
            }
            shape.ends = ends;
            if !marks {
                shape.reach = Reach::Lame(found.iter().map(|t| (t.to, between(t))).collect());
                return "leap over sites that must be empty";
            }
        }
        if self.passes.screens
            && !marks
            && let Some(directions) = self.screens(&found)
        {
            shape.ends = ends;
            shape.reach = Reach::Screen(directions);
            return "ray beyond one piece";
        }
        shape.ends = ANY;
        self.given(shape, &found);
        shape.reach = Reach::Templates(found);
        "ways with conditions on several sites"
    }

    /// Finds a site variable without whose value no way is possible.
    fn given(&self, shape: &mut Shape, found: &[Template]) {
        let key = |template: &Template| template.needs.iter().find_map(|(_, need)| need.is);
        if shape.gate.is_none()
            && let Some(slot) = found.first().and_then(key)
            && found.iter().all(|template| key(template) == Some(slot))
        {
            shape.gate = Some(Gate::Given(slot));
        }
    }

    fn longest(&self, (files, ranks): (i8, i8)) -> i16 {
        let room = |step: i8, size: u16| {
            if step == 0 { i16::MAX } else { (size as i16 - 1) / i16::from(step.abs()) }
        };
        room(files, self.rules.board.files).min(room(ranks, self.rules.board.ranks))
    }

    /// The directions, if the templates are all lengths of rays with an empty way.
    fn rays(&self, found: &[Template]) -> Option<Vec<(i8, i8)>> {
        let mut directions: Vec<(i8, i8)> = Vec::new();
        let mut covered = 0;
        for template in
            found.iter().filter(|template| template.needs.iter().all(|(at, _)| *at == template.to))
        {
            let step = template.to;
            if step.0.abs().max(step.1.abs()) != 1 {
                return None;
            }
            directions.push(step);
            for length in 1..=self.longest(step) {
                let to = (step.0 * length as i8, step.1 * length as i8);
                let way: Vec<(i8, i8)> = (1..length).map(|n| (step.0 * n as i8, step.1 * n as i8)).collect();
                let fits = found.iter().filter(|other| {
                    let mut needs: Vec<(i8, i8)> =
                        other.needs.iter().map(|(at, _)| *at).filter(|at| *at != other.to).collect();
                    needs.sort_by_key(|at| at.0.abs().max(at.1.abs()));
                    other.to == to && needs == way
                });
                if fits.count() != 1 {
                    return None;
                }
                covered += 1;
            }
        }
        (!directions.is_empty() && covered == found.len()).then_some(directions)
    }

    /// The directions, if the templates are all ways beyond exactly one piece.
    fn screens(&self, found: &[Template]) -> Option<Vec<(i8, i8)>> {
        let mut directions: Vec<(i8, i8)> = Vec::new();
        let mut covered = 0;
        for template in found.iter().filter(|template| template.to.0.abs().max(template.to.1.abs()) == 2) {
            let step = (template.to.0 / 2, template.to.1 / 2);
            if step == (0, 0) || (step.0 * 2, step.1 * 2) != template.to {
                return None;
            }
            directions.push(step);
            for length in 2..=self.longest(step) {
                for screen in 1..length {
                    let at = |n: i16| (step.0 * n as i8, step.1 * n as i8);
                    let fits = found.iter().filter(|other| {
                        other.to == at(length)
                            && other.needs.iter().filter(|(place, _)| *place != other.to).count()
                                == length as usize - 1
                            && (1..length).all(|n| {
                                let wanted =
                                    if n == screen { content::ENEMY | content::OWN } else { content::EMPTY };
                                other.needs.iter().any(|(place, need)| {
                                    *place == at(n) && is_plain(need) && need.content == wanted
                                })
                            })
                    });
                    if fits.count() != 1 {
                        return None;
                    }
                    covered += 1;
                }
            }
        }
        (!directions.is_empty() && covered == found.len()).then_some(directions)
    }

    /// The bans that are judged before an act.
    fn before(&self, act: u16) -> Vec<Before> {
        let mut bans = Vec::new();
        for (at, clause) in self.rules.clauses.iter().enumerate() {
            let Form::Forbid { acts, before: true, banned } = &clause.form else { continue };
            if !acts.admits(act) {
                continue;
            }
            let simple = clause.when.is_none() && clause.unless.is_none();
            let attacked = simple.then(|| self.attacked_places(&banned.term)).flatten();
            bans.push(Before { clause: at as u16, attacked });
        }
        bans
    }

    fn attacked_places(&self, term: &Term) -> Option<Vec<Place>> {
        let next = self.rules.next_player(self.player);
        let Term::Call(Builtin::Attacked, arguments) = simplify(self.rules, term, &self.known(None)) else {
            return None;
        };
        let [which, Term::Const(Value::Player(by))] = &arguments[..] else { return None };
        if *by != next {
            return None;
        }
        match which {
            Term::List(members, true) => members.iter().map(|member| self.place(member)).collect(),
            one => Some(vec![self.place(one)?]),
        }
    }

    /// A site of an act, if a term is one. Marks are known by the order in which a pattern names them, so the
    /// binding is kept and turned into the number of the mark by the caller.
    fn place(&self, term: &Term) -> Option<Place> {
        match term {
            Term::Context(Context::From) => Some(Place::From),
            Term::Context(Context::To) => Some(Place::To),
            Term::Const(Value::Site(site)) => Some(Place::At(*site)),
            Term::Bound(binding) => Some(Place::Bound(*binding)),
            _ => None,
        }
    }

    /// What happens besides the movement: the effects of the clause itself, then the clauses that follow.
    fn recipe(&self, shape: &mut Shape, then: &[Effect]) {
        if !self.passes.recipes {
            return;
        }
        let mut steps: Vec<Step> = Vec::new();
        let mut plain = true;
        let known = self.known(Some(shape.kind));
        for effect in then {
            if !self.effect(shape.clause, effect, &known, Guard::Always, &mut steps, &mut plain) {
                return;
            }
        }
        let mut choice: Option<Pick> = None;
        for (at, clause) in self.rules.clauses.iter().enumerate() {
            let Form::After { acts, choices, then } = &clause.form else { continue };
            if !acts.admits(shape.act) {
                continue;
            }
            let at = at as u16;
            let when = clause.when.as_ref().map(|code| simplify(self.rules, &code.term, &known));
            if clause.unless.is_some() {
                return;
            }
            if !choices.is_empty() {
                let Some(pick) = self.pick(at, when.as_ref(), choices, &known) else { return };
                if pick.tos.iter().all(|word| *word == 0) {
                    continue;
                }
                if choice.is_some() {
                    return;
                }
                choice = Some(pick);
                let inner = |effect: &Effect, steps: &mut Vec<Step>, plain: &mut bool| {
                    self.effect(at, effect, &known, Guard::Picked, steps, plain)
                };
                if !then.iter().all(|effect| inner(effect, &mut steps, &mut plain)) {
                    return;
                }
                continue;
            }
            let guard = match when {
                None => Guard::Always,
                Some(term) => match self.guard(&term, shape) {
                    Some(Some(guard)) => guard,
                    Some(None) => continue,
                    None => {
                        plain &= !changes_cells(then);
                        steps.push(Step { clause: at, guard: Guard::Always, op: Op::General });
                        continue;
                    }
                },
            };
            if let Some(slot) = self.settles(clause, then, guard) {
                steps.push(Step { clause: at, guard, op: Op::Settle(slot) });
                continue;
            }
            let mut own = Vec::new();
            let done = then.iter().all(|effect| self.effect(at, effect, &known, guard, &mut own, &mut plain));
            if done {
                for step in &mut own {
                    // To make false what holds is to make it false.
                    if let (Guard::Holds(tested), Op::Set(slot, 0)) = (step.guard, &step.op)
                        && tested == *slot
                    {
                        step.guard = Guard::Always;
                    }
                }
                steps.append(&mut own);
            } else {
                plain &= !changes_cells(then);
                steps.push(Step { clause: at, guard: Guard::Always, op: Op::General });
            }
        }
        // A variable that lasts one ply fades unless the ply has set it: that must be plain to see.
        for (at, var) in self.rules.vars.iter().enumerate() {
            if var.fleeting
                && steps.iter().any(|step| step.op == Op::General && self.assigns(step.clause, at as u16))
            {
                return;
            }
            if var.fleeting
                && steps
                    .iter()
                    .any(|step| step.guard != Guard::Always && writes(&step.op) == self.slot_of(at as u16))
            {
                return;
            }
        }
        if steps.iter().any(|step| step.op == Op::General && self.again_or_end(step.clause)) {
            return;
        }
        let steps = merge_counts(steps);
        let special = matches!(shape.reach, Reach::Templates(_) | Reach::Walk);
        shape.plain = plain && !special;
        shape.recipe = Some(steps);
        shape.choice = choice;
    }

    fn slot_of(&self, var: u16) -> Option<(bool, u16)> {
        let var = self.program.vars.get(usize::from(var))?;
        Some((var.ty == Type::Sites, var.slot))
    }

    fn assigns(&self, clause: u16, var: u16) -> bool {
        self.rules.clauses.get(usize::from(clause)).is_some_and(|clause| match &clause.form {
            Form::After { then, .. } | Form::Move { then, .. } => assigns(then, var),
            _ => false,
        })
    }

    fn again_or_end(&self, clause: u16) -> bool {
        fn any(effects: &[Effect]) -> bool {
            effects.iter().any(|effect| match effect {
                Effect::Again | Effect::End(_) => true,
                Effect::If(_, yes, no) => any(yes) || any(no),
                Effect::For(_, _, body) => any(body),
                _ => false,
            })
        }
        self.rules.clauses.get(usize::from(clause)).is_some_and(|clause| match &clause.form {
            Form::After { then, .. } => any(then),
            _ => false,
        })
    }

    /// A choice of kinds on some sites of arrival.
    fn pick(&self, clause: u16, when: Option<&Term>, choices: &[Choice], known: &Known) -> Option<Pick> {
        let [choice] = choices else { return None };
        let mut tos = Sites::first(self.rules.board.len());
        let mut parts = Vec::new();
        if let Some(when) = when {
            conjuncts(when.clone(), &mut parts);
        }
        for part in parts {
            match &part {
                Term::Const(Value::Truth(true)) => {}
                Term::Const(_) => tos = Sites::EMPTY,
                Term::Binary(Binary::In, a, b) if matches!(**a, Term::Context(Context::To)) => {
                    tos = tos.intersection(&constant_sites(b)?);
                }
                _ => return None,
            }
        }
        let domain = simplify(self.rules, &choice.domain.term, known);
        let Some(Value::List(values)) = constant(&domain) else {
            // Where it is never asked for it does not matter what it would offer.
            return tos.is_empty().then(|| Pick {
                clause,
                binding: choice.binding,
                tos: Vec::new(),
                kinds: Vec::new(),
            });
        };
        let kinds: Option<Vec<u8>> = values
            .iter()
            .map(|value| match value {
                Value::Kind(kind) => Some(*kind),
                _ => None,
            })
            .collect();
        let mut kinds = kinds?;
        let all = kinds.len();
        kinds.dedup();
        (kinds.len() == all).then_some(())?;
        Some(Pick { clause, binding: choice.binding, tos: words(&tos), kinds })
    }

    /// The place of one value of a variable, for constant members of its indices.
    fn offset(&self, var: u16, index: &[Term]) -> Option<u16> {
        let var = self.rules.vars.get(usize::from(var))?;
        let members: Vec<Value> = index.iter().map(|term| constant(term).cloned()).collect::<Option<_>>()?;
        (members.len() == var.each.len()).then_some(())?;
        self.rules.place(&var.each, &members).map(|place| place as u16)
    }

    /// When a step happens: a guard, never (`Some(None)`), or not to be said so simply.
    fn guard(&self, term: &Term, shape: &Shape) -> Option<Option<Guard>> {
        match term {
            Term::Const(Value::Truth(true)) => Some(Some(Guard::Always)),
            Term::Const(_) => Some(None),
            Term::Var(var, index) => {
                let declared = self.program.vars.get(usize::from(*var))?;
                let offset = self.offset(*var, index)?;
                (declared.ty == Type::Truth).then_some(Some(Guard::Holds(declared.slot + offset)))
            }
            Term::Not(inner) => match &**inner {
                Term::IsEmpty(inner) if matches!(**inner, Term::Context(Context::Taken)) => {
                    Some(if never_takes(shape) { None } else { Some(Guard::Taken) })
                }
                _ => None,
            },
            Term::IsEmpty(inner) if matches!(**inner, Term::Context(Context::Taken)) => {
                Some(Some(if never_takes(shape) { Guard::Always } else { Guard::NotTaken }))
            }
            _ => None,
        }
    }

    /// The slot of the set variable that a clause does no more than narrow, looking only at itself and at
    /// what stands on its sites.
    fn settles(&self, clause: &Clause, then: &[Effect], guard: Guard) -> Option<u16> {
        let [Effect::Set(var, index, code)] = then else { return None };
        if !index.is_empty() {
            return None;
        }
        let slot = Places(self.program).set(*var)?;
        if guard != Guard::Always || clause.when.is_some() || !self.passes.settle {
            return None;
        }
        let term = simplify(self.rules, &code.term, &self.known(None));
        looks_only_at(&term, *var, &mut Vec::new()).then_some(slot)
    }

    fn effect(
        &self,
        clause: u16,
        effect: &Effect,
        known: &Known,
        guard: Guard,
        steps: &mut Vec<Step>,
        plain: &mut bool,
    ) -> bool {
        let op = match effect {
            Effect::If(condition, yes, no) => {
                let term = simplify(self.rules, &condition.term, known);
                let guards = match term {
                    Term::Const(Value::Truth(true)) => vec![(yes, guard)],
                    Term::Const(_) => vec![(no, guard)],
                    _ if guard == Guard::Always && no.is_empty() => match taken_guard(&term) {
                        Some(inner) => vec![(yes, inner)],
                        None => return false,
                    },
                    // `if chosen = kind then …` inside a choice.
                    Term::Binary(Binary::Eq, a, b) if guard == Guard::Picked && no.is_empty() => {
                        match (&*a, &*b) {
                            (Term::Bound(_), Term::Const(Value::Kind(kind))) => {
                                vec![(yes, Guard::Chosen(*kind))]
                            }
                            _ => return false,
                        }
                    }
                    _ => return false,
                };
                return guards.into_iter().all(|(effects, guard)| {
                    effects.iter().all(|effect| self.effect(clause, effect, known, guard, steps, plain))
                });
            }
            Effect::Move(from, to) => {
                let place = |code: &rulebook_model::ruleset::Code| {
                    self.place(&simplify(self.rules, &code.term, known))
                };
                let (Some(from), Some(to)) = (place(from), place(to)) else { return false };
                *plain = false;
                Op::Move(from, to)
            }
            Effect::Remove(code) => {
                let Some(place) = self.place(&simplify(self.rules, &code.term, known)) else { return false };
                *plain = false;
                Op::Remove(place)
            }
            Effect::Put(kind, owner, sites) => {
                let owner = owner.as_ref().map(|owner| simplify(self.rules, &owner.term, known));
                if owner.is_some_and(|owner| constant(&owner) != Some(&Value::Player(self.player))) {
                    return false;
                }
                let Some(place) = self.place(&simplify(self.rules, &sites.term, known)) else { return false };
                *plain &= place == Place::To;
                match simplify(self.rules, &kind.term, known) {
                    Term::Const(Value::Kind(kind)) => Op::Put(kind, place),
                    Term::Bound(_) if matches!(guard, Guard::Picked | Guard::Chosen(_)) => {
                        Op::PutChosen(place)
                    }
                    _ => return false,
                }
            }
            Effect::Set(var, index, value) => {
                let Some(declared) = self.program.vars.get(usize::from(*var)) else { return false };
                let index: Vec<Term> =
                    index.iter().map(|code| simplify(self.rules, &code.term, known)).collect();
                let Some(offset) = self.offset(*var, &index) else { return false };
                let slot = declared.slot + offset;
                let value = simplify(self.rules, &value.term, known);
                match self.assignment(*var, declared.ty, slot, &value) {
                    Some(op) => op,
                    None => return false,
                }
            }
            Effect::For(..) | Effect::Give(..) | Effect::Again | Effect::End(_) => return false,
        };
        steps.push(Step { clause, guard, op });
        true
    }

    /// A variable gets a value.
    fn assignment(&self, var: u16, ty: Type, slot: u16, value: &Term) -> Option<Op> {
        let own = |term: &Term| matches!(term, Term::Var(known, index) if *known == var && index.is_empty());
        match (ty, value) {
            (Type::Truth, Term::Const(Value::Truth(value))) => Some(Op::Set(slot, i64::from(*value))),
            (Type::Number, Term::Const(Value::Number(number))) => {
                // The machine adds whole numbers only, without looking at denominators.
                Some(Op::Set(slot, pack(number.to_whole()?, 1)?))
            }
            (Type::Number, Term::Binary(Binary::Plus, a, b)) if own(a) => match &**b {
                Term::Const(Value::Number(number)) => Some(Op::Add(slot, number.to_whole()?)),
                _ => None,
            },
            (Type::Site, term) => Some(Op::SetSite(slot, self.place(term)?)),
            (Type::Sites, Term::Binary(Binary::Less, a, b)) if own(a) => match &**b {
                Term::Context(Context::Changed) => Some(Op::LessChanged(slot)),
                Term::Call(Builtin::Owned, arguments) => match &arguments[..] {
                    [Term::Const(Value::Player(player))] => Some(Op::LessOwned(slot, *player)),
                    _ => None,
                },
                _ => None,
            },
            (Type::Sites, Term::Binary(Binary::Plus, a, b)) if own(a) => Some(Op::Join(slot, self.place(b)?)),
            _ => None,
        }
    }

    /// How the pieces of the player capture where they come to; `None` if one way is not understood.
    fn attacks(&self) -> Option<Vec<Attack>> {
        let mut attacks: Vec<Attack> = Vec::new();
        for clause in &self.rules.clauses {
            let Form::Move { kinds, .. } = &clause.form else { continue };
            for kind in kinds {
                let way = self.way(clause, *kind)?;
                if way.never {
                    continue;
                }
                let Ok(mut found) = way.templates else { return None };
                found.retain(|template| {
                    let last = template.needs.iter().find(|(at, _)| *at == template.to);
                    template.to != (0, 0) && last.is_none_or(|(_, need)| need.content & content::ENEMY != 0)
                });
                if found.is_empty() {
                    continue;
                }
                if way.tested || way.gate.is_some() || *kind >= 127 {
                    return None;
                }
                let mut victims = None;
                for template in &mut found {
                    let to = template.to;
                    for (at, need) in &mut template.needs {
                        if *at == to {
                            need.content = content::ENEMY;
                            victims = need.kinds.take();
                        }
                        if need.within.is_some() || need.is.is_some() {
                            return None;
                        }
                    }
                    if !template.needs.iter().any(|(at, _)| *at == to) {
                        let need = rulebook_machine::lane::Need {
                            content: content::ENEMY,
                            ..crate::templates::open()
                        };
                        template.needs.push((to, need));
                    }
                    template.marks.clear();
                    template.takes.clear();
                }
                let mut shape = blank(*kind);
                shape.tos = way.tos.map(|sites| words(&sites));
                self.classify(&mut shape, found);
                let attack = Attack {
                    kinds: 1 << kind,
                    reach: shape.reach,
                    froms: way.froms.map(|sites| words(&sites)),
                    tos: shape.tos,
                    victims,
                };
                let same = |known: &&mut Attack| {
                    (&known.reach, &known.froms, &known.tos, known.victims)
                        == (&attack.reach, &attack.froms, &attack.tos, attack.victims)
                };
                match attacks.iter_mut().find(same) {
                    Some(known) => known.kinds |= attack.kinds,
                    None => attacks.push(attack),
                }
            }
        }
        Some(attacks)
    }
}

fn blank(kind: u8) -> Shape {
    Shape {
        clause: 0,
        act: 0,
        kind,
        reach: Reach::Walk,
        ends: ANY,
        froms: None,
        tos: None,
        gate: None,
        tested: false,
        before: Vec::new(),
        plain: false,
        recipe: None,
        choice: None,
    }
}

/// Marks at fixed distances become places.
fn fix(shape: &mut Shape, marks: &[(u16, (i8, i8))]) {
    let fixed = |place: &mut Place| {
        if let Place::Bound(binding) = place
            && let Some((_, at)) = marks.iter().find(|(known, _)| known == binding)
        {
            *place = Place::Beside(*at);
        }
    };
    for step in shape.recipe.iter_mut().flatten() {
        match &mut step.op {
            Op::Move(a, b) => [a, b].into_iter().for_each(fixed),
            Op::Put(_, place)
            | Op::PutChosen(place)
            | Op::Remove(place)
            | Op::SetSite(_, place)
            | Op::Join(_, place) => {
                fixed(place);
            }
            _ => {}
        }
    }
    shape.before.iter_mut().filter_map(|ban| ban.attacked.as_mut()).flatten().for_each(fixed);
}

fn never_takes(shape: &Shape) -> bool {
    match &shape.reach {
        Reach::Leap(_) | Reach::Lame(_) | Reach::Ray(_) | Reach::Screen(_) => {
            shape.ends & content::ENEMY == 0
        }
        _ => false,
    }
}

fn taken_guard(term: &Term) -> Option<Guard> {
    match term {
        Term::Not(inner) => match &**inner {
            Term::IsEmpty(inner) if matches!(**inner, Term::Context(Context::Taken)) => Some(Guard::Taken),
            _ => None,
        },
        Term::IsEmpty(inner) if matches!(**inner, Term::Context(Context::Taken)) => Some(Guard::NotTaken),
        _ => None,
    }
}

/// The parts of a condition that must all hold.
fn conjuncts(term: Term, parts: &mut Vec<Term>) {
    match term {
        Term::Binary(Binary::And, a, b) => {
            conjuncts(*a, parts);
            conjuncts(*b, parts);
        }
        other => parts.push(other),
    }
}

fn assigns(effects: &[Effect], var: u16) -> bool {
    effects.iter().any(|effect| match effect {
        Effect::Set(written, ..) => *written == var,
        Effect::If(_, yes, no) => assigns(yes, var) || assigns(no, var),
        Effect::For(_, _, body) => assigns(body, var),
        _ => false,
    })
}

fn changes_cells(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| match effect {
        Effect::Move(..) | Effect::Remove(_) | Effect::Put(..) | Effect::Give(..) => true,
        Effect::If(_, yes, no) => changes_cells(yes) || changes_cells(no),
        Effect::For(_, _, body) => changes_cells(body),
        _ => false,
    })
}

/// The place a step writes to: whether it is a set, and its slot.
fn writes(op: &Op) -> Option<(bool, u16)> {
    match op {
        Op::Set(slot, _) | Op::Add(slot, _) | Op::SetSite(slot, _) => Some((false, *slot)),
        Op::LessChanged(slot) | Op::LessOwned(slot, _) | Op::Join(slot, _) | Op::Settle(slot) => {
            Some((true, *slot))
        }
        _ => None,
    }
}

/// `x += 1` directly before `x := 0` under the same condition is only the latter.
fn merge_counts(steps: Vec<Step>) -> Vec<Step> {
    let mut merged: Vec<Step> = Vec::new();
    for step in steps {
        if let (Op::Set(slot, _), Some(last)) = (&step.op, merged.last())
            && step.guard == Guard::Always
            && last.guard == Guard::Always
            && last.clause == step.clause
            && writes(&last.op) == Some((false, *slot))
        {
            merged.pop();
        }
        merged.push(step);
    }
    merged
}

/// Whether two of the shapes may grant one and the same act.
fn doubles(shapes: &[Shape]) -> bool {
    let ends = |shape: &Shape| -> Option<Vec<((i8, i8), bool)>> {
        Some(match &shape.reach {
            Reach::Leap(steps) => steps.iter().map(|to| (*to, false)).collect(),
            Reach::Lame(steps) => steps.iter().map(|(to, _)| (*to, false)).collect(),
            Reach::Ray(steps) | Reach::Screen(steps) => {
                steps.iter().flat_map(|d| (1..=25_i8).map(move |n| ((d.0 * n, d.1 * n), false))).collect()
            }
            Reach::Templates(found) => found.iter().map(|t| (t.to, !t.takes.is_empty())).collect(),
            Reach::Walk => return None,
        })
    };
    let meet = |a: &Option<Vec<u64>>, b: &Option<Vec<u64>>| match (a, b) {
        (Some(a), Some(b)) => a.iter().zip(b).any(|(a, b)| a & b != 0),
        _ => true,
    };
    shapes.iter().enumerate().any(|(at, a)| {
        let twice = match &a.reach {
            // A template list may hold the same end under different conditions.
            Reach::Templates(found) => found.iter().enumerate().any(|(n, x)| {
                found.iter().skip(n + 1).any(|y| x.to == y.to && x.takes == y.takes && !excludes(x, y))
            }),
            _ => false,
        };
        twice
            || shapes.iter().skip(at + 1).any(|b| {
                if (a.kind, a.act) != (b.kind, b.act) || !meet(&a.froms, &b.froms) || !meet(&a.tos, &b.tos) {
                    return false;
                }
                if a.ends & b.ends == 0 {
                    return false;
                }
                match (ends(a), ends(b)) {
                    (Some(x), Some(y)) => x.iter().any(|end| y.contains(end)),
                    _ => true,
                }
            })
    })
}

/// Whether two templates ask for different things on one site.
fn excludes(a: &Template, b: &Template) -> bool {
    a.needs.iter().any(|(at, need)| {
        b.needs.iter().any(|(other, wanted)| at == other && need.content & wanted.content == 0)
    })
}

/// Whether a set term depends on nothing but a set variable and what stands on its sites.
fn looks_only_at(term: &Term, var: u16, members: &mut Vec<u16>) -> bool {
    let own = |term: &Term| matches!(term, Term::Var(known, index) if *known == var && index.is_empty());
    match term {
        Term::Const(_) => true,
        Term::Var(known, index) => *known == var && index.is_empty(),
        Term::Slot(slot) => members.contains(slot),
        // What stands on a site may be asked of members only.
        Term::Call(Builtin::Kind | Builtin::Owner | Builtin::Owners | Builtin::Kinds, arguments) => {
            arguments.iter().all(|argument| match argument {
                Term::Slot(slot) => members.contains(slot),
                other => own(other),
            })
        }
        Term::Call(
            Builtin::File
            | Builtin::Rank
            | Builtin::Between
            | Builtin::Count
            | Builtin::Min
            | Builtin::Max
            | Builtin::Abs
            | Builtin::Next,
            arguments,
        ) => arguments.iter().all(|argument| looks_only_at(argument, var, members)),
        Term::Filtered(slot, domain, body)
        | Term::Quantified(Quantifier::All | Quantifier::Any | Quantifier::No, slot, domain, body) => {
            if !own(domain) {
                return false;
            }
            members.push(*slot);
            let only = looks_only_at(body, var, members);
            members.pop();
            only
        }
        Term::Binary(_, a, b) => looks_only_at(a, var, members) && looks_only_at(b, var, members),
        Term::Not(inner) | Term::IsEmpty(inner) | Term::Minus(inner) => looks_only_at(inner, var, members),
        Term::If(a, b, c) => [a, b, c].into_iter().all(|term| looks_only_at(term, var, members)),
        _ => false,
    }
}
