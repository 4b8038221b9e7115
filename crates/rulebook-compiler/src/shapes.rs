//! Recognises what the clauses of a rule set are, as relations over sites, for each player.
//!
//! Law: a shape grants exactly the acts that its clause grants to its kind, and its recipe does exactly what
//! the clauses that follow the act do. Where that is not plain to see, the general engine keeps the clause.

mod bans;
mod drops;
mod instances;
mod queries;
mod recipes;
mod zones;

use std::cell::RefCell;

use rulebook_machine::lane::{
    Attack, Before, Gate, Lane, Need, Place, Query, Reach, Shape, Template, content,
};
use rulebook_machine::program::{Program, Type};
use rulebook_model::ruleset::{Builtin, Clause, Context, Effect, Form, RuleSet, Term};
use rulebook_model::{Sites, Value};
use rulebook_syntax::ast::Binary;

use self::recipes::fix;
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
    let paths = rules.clauses.iter().filter_map(|clause| match &clause.form {
        Form::Move { path, .. } => Some(path),
        _ => None,
    });
    let marks: Vec<u16> = paths.flat_map(|path| path.marks.iter().copied()).collect();
    let asleep = if passes.conduct { asleep(rules) } else { Vec::new() };
    let lanes = (0..2).map(|player| {
        let (marks, queries) = (marks.clone(), RefCell::default());
        let asleep = asleep.clone();
        Recogniser { rules, program, player, passes, notes: &mut notes, marks, queries, asleep }.lane()
    });
    let lanes = lanes.collect();
    (lanes, notes)
}

/// The variables that plies look at and only events set.
fn asleep(rules: &RuleSet) -> Vec<u16> {
    let conduct = rules.conduct();
    let mut read = Vec::new();
    let about_plies = |clause: &&Clause| {
        !matches!(clause.form, Form::Event { .. } | Form::Applied { .. } | Form::Ends { .. } | Form::Advice)
    };
    for clause in rules.clauses.iter().filter(about_plies) {
        rules.visit_clause(clause, &mut |term| {
            if let Term::Var(var, _) = term
                && conduct.contains(var)
                && !read.contains(var)
            {
                read.push(*var);
            }
        });
    }
    read
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
    /// The names that marks of patterns bind.
    marks: Vec<u16>,
    /// The questions asked so far.
    queries: RefCell<Vec<Query>>,
    /// Variables that plies look at and only events set: they are taken to have their first values.
    asleep: Vec<u16>,
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
        Known { asleep: self.asleep.clone(), ..Known::of(self.player, kind) }
    }

    /// What the recogniser of another player says.
    fn of_player<T>(&self, player: u8, ask: impl FnOnce(&Recogniser<'_>) -> T) -> T {
        let (marks, queries) = (self.marks.clone(), RefCell::default());
        let Self { rules, program, passes, .. } = *self;
        let asleep = self.asleep.clone();
        ask(&Recogniser { rules, program, player, passes, notes: &mut Vec::new(), marks, queries, asleep })
    }

    fn lane(mut self) -> Lane {
        let mut lane = Lane { passes_turn: self.passes_turn(), ..Lane::default() };
        for (at, clause) in self.rules.clauses.iter().enumerate() {
            match &clause.form {
                Form::Move { kinds, .. } => {
                    for kind in kinds {
                        lane.shapes.extend(self.shapes(at, clause, *kind));
                    }
                }
                Form::Act { .. } => lane.acts.push(at as u16),
                _ => {}
            }
        }
        lane.doubles = doubles(&lane.shapes);
        lane.attacks = self.attacks();
        let derived = self.derived(&mut lane);
        self.bans(&mut lane, &derived);
        if self.passes.drops {
            for at in lane.acts.clone() {
                lane.drops.extend(self.drops(at, &derived).into_iter().flatten());
            }
        }
        lane.reads_past = self.reads_past();
        lane.measured = self.rules.clauses.iter().any(|clause| matches!(clause.form, Form::Most { .. }));
        lane.forced = self.passes.forced && self.forced();
        lane.stops = self.stops();
        lane.queries = self.queries.take();
        lane.asleep = std::mem::take(&mut self.asleep);
        lane
    }

    /// Whether the only measure of plies is one for those that capture and a smaller one for all others.
    fn forced(&self) -> bool {
        let mut measures = self.rules.clauses.iter().filter_map(|clause| match &clause.form {
            Form::Most { acts, measure } => Some((clause, acts, measure)),
            _ => None,
        });
        let Some((clause, acts, measure)) = measures.next() else { return false };
        let all = (0..self.rules.acts.len() as u16).all(|act| acts.admits(act));
        if measures.next().is_some() || !all || clause.when.is_some() || clause.unless.is_some() {
            return false;
        }
        let Term::If(condition, yes, no) = simplify(self.rules, &measure.term, &self.known(None)) else {
            return false;
        };
        let nothing = |term: &Term| matches!(term, Term::IsEmpty(inner) if matches!(**inner, Term::Context(Context::Taken)));
        let (without, with) = match &*condition {
            Term::Not(inner) if nothing(inner) => (no, yes),
            condition if nothing(condition) => (yes, no),
            _ => return false,
        };
        matches!((constant(&without), constant(&with)), (Some(Value::Number(a)), Some(Value::Number(b))) if a < b)
    }

    /// The endings that stop the counting of sequences, as questions before the plies of the player.
    fn stops(&self) -> Option<Vec<u16>> {
        let known = Known { absent: true, ..self.known(None) };
        let mut stops = Vec::new();
        for (clause, flat) in self.rules.clauses.iter().zip(&self.program.clauses) {
            let (Form::Ends { condition, .. }, rulebook_machine::program::Form::Ends { stops: true, .. }) =
                (&clause.form, &flat.form)
            else {
                continue;
            };
            let query = self.condition(&self.under(clause, &condition.term, &known), &known)?;
            stops.push(self.keep(query)?);
        }
        Some(stops)
    }

    /// Whether some way of making a ply looks at more than the position before it and the name of the act that led
    /// there.
    fn reads_past(&self) -> bool {
        let mut reads = false;
        for clause in &self.rules.clauses {
            if matches!(
                clause.form,
                Form::Move { .. }
                    | Form::Act { .. }
                    | Form::After { .. }
                    | Form::Forbid { .. }
                    | Form::Turn(_)
            ) {
                self.rules.visit_clause(clause, &mut |term| {
                    reads |= matches!(term, Term::Times(_) | Term::Call(Builtin::Restores, _));
                });
            }
        }
        reads
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

    fn shapes(&mut self, at: usize, clause: &Clause, kind: u8) -> Vec<Shape> {
        let Form::Move { act, choices, then, .. } = &clause.form else { return Vec::new() };
        let Some(way) = self.way(clause, kind) else { return Vec::new() };
        if way.never {
            self.note(at, Some(kind), true, "never possible");
            return Vec::new();
        }
        let sets = |sites: Option<Sites>| sites.map(|sites| words(&sites));
        let shape = Shape {
            clause: at as u16,
            act: *act,
            kind,
            reach: Reach::Walk,
            ends: ANY,
            froms: sets(way.froms),
            tos: sets(way.tos),
            gate: way.gate,
            tested: way.tested,
            before: Vec::new(),
            after: Vec::new(),
            spare: None,
            plain: false,
            recipe: None,
            choice: None,
            instances: Vec::new(),
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
                let noted = self.notes.len();
                let parts = self.split(found.clone());
                let mut made = |found: Vec<Vec<Template>>| -> Vec<Shape> {
                    self.notes.truncate(noted);
                    let parts = found.into_iter();
                    parts
                        .flat_map(|found| self.recognised(shape.clone(), clause, then, found, &fixed))
                        .collect()
                };
                if parts.len() > 1 {
                    let shapes = made(parts);
                    // Told apart, ways may no longer be seen to exclude each other.
                    if !doubles(&shapes) {
                        return shapes;
                    }
                }
                return made(vec![found]);
            }
        }
        vec![shape]
    }

    /// The shapes that some ways of one form amount to.
    fn recognised(
        &mut self,
        mut shape: Shape,
        clause: &Clause,
        then: &[Effect],
        found: Vec<Template>,
        fixed: &[(u16, (i8, i8))],
    ) -> Vec<Shape> {
        let (at, kind) = (usize::from(shape.clause), shape.kind);
        let text = self.classify(&mut shape, found);
        shape.before = self.before(shape.act, &self.marked(&shape, fixed));
        self.recipe(&mut shape, then, fixed, None);
        if self.passes.zones
            && shape.recipe.is_none()
            && let Some(parts) = self.zones(&shape, then, fixed)
        {
            let all = parts.iter().all(|part| part.recipe.is_some());
            let how = if all { "" } else { ", made by the general engine in some zones" };
            self.note(at, Some(kind), all, format!("{text}, by zones{how}"));
            return parts;
        }
        let unclear =
            shape.recipe.is_none() || shape.tested || shape.before.iter().any(|ban| ban.attacked.is_none());
        if self.passes.instances && unclear {
            self.instances(&mut shape, clause, then);
        }
        if !matches!(shape.reach, Reach::Templates(_)) {
            fix(&mut shape, fixed);
        }
        let how = if shape.recipe.is_none() { ", made by the general engine" } else { "" };
        self.note(at, Some(kind), shape.recipe.is_some(), format!("{text}{how}"));
        vec![shape]
    }

    /// Ways by their forms: those that ask the same of where they end and where they begin belong together, and
    /// among these rays, rays beyond one piece, and all others.
    ///
    /// Law: every way is in exactly one of the parts.
    fn split(&self, found: Vec<Template>) -> Vec<Vec<Template>> {
        let whole = |template: &Template| {
            !template.takes.is_empty()
                || !template.marks.is_empty()
                || template.needs.iter().any(|(_, need)| need.within.is_some() || need.is.is_some())
        };
        if !self.passes.splits || found.len() < 2 || found.iter().any(whole) {
            return vec![found];
        }
        let asked = |template: &Template, at: (i8, i8)| {
            template.needs.iter().find(|(place, _)| *place == at).map(|(_, need)| need.clone())
        };
        let mut groups: Vec<Vec<Template>> = Vec::new();
        for template in found {
            let key = |one: &Template| (asked(one, one.to), asked(one, (0, 0)));
            let wanted = key(&template);
            match groups.iter_mut().find(|group| group.first().map(key).as_ref() == Some(&wanted)) {
                Some(group) => group.push(template),
                None => groups.push(vec![template]),
            }
        }
        let mut parts = Vec::new();
        for group in groups {
            let mut rest = group;
            let mut lines: [Vec<Template>; 2] = Default::default();
            for step in [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)] {
                let along = |template: &Template| {
                    let (files, ranks) = (i16::from(template.to.0), i16::from(template.to.1));
                    let length = files.abs().max(ranks.abs());
                    (files, ranks) == (i16::from(step.0) * length, i16::from(step.1) * length)
                };
                let (on, off): (Vec<Template>, Vec<Template>) = rest.iter().cloned().partition(along);
                let between = |template: &Template| {
                    let mut others =
                        template.needs.iter().filter(|(at, _)| *at != template.to && *at != (0, 0));
                    others.all(|(_, need)| is_plain(need) && need.content == content::EMPTY)
                };
                let free = on.iter().all(between);
                let pick = if free && self.longest(step) > 1 && self.rays(&bare(&on)).is_some() {
                    0
                } else if self.screens(&bare(&on)).is_some() {
                    1
                } else {
                    continue;
                };
                if let Some(line) = lines.get_mut(pick) {
                    line.extend(on);
                }
                rest = off;
            }
            let leaps = |template: &Template| {
                template.needs.iter().all(|(at, _)| *at == template.to || *at == (0, 0))
            };
            let (leaps, rest): (Vec<Template>, Vec<Template>) = rest.into_iter().partition(leaps);
            parts.extend(lines.into_iter().chain([leaps, rest]).filter(|part| !part.is_empty()));
        }
        parts
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
        // So is a set of sites on which all of them begin.
        let begin = |template: &Template| {
            let need = template.needs.iter().find(|(at, _)| *at == (0, 0)).map(|(_, need)| need.clone());
            need.filter(|need| *need == Need { among: need.among.clone(), ..crate::templates::open() })
                .and_then(|need| need.among)
        };
        if let Some(set) = found.first().and_then(begin)
            && found.iter().all(|template| begin(template).as_ref() == Some(&set))
        {
            let known = shape.froms.clone();
            shape.froms = Some(match known {
                Some(known) => known.iter().zip(&set).map(|(a, b)| a & b).collect(),
                None => set,
            });
            found.iter_mut().for_each(|template| template.needs.retain(|(at, _)| *at != (0, 0)));
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
    /// What is known of a way of moving, its marks included.
    fn marked(&self, shape: &Shape, fixed: &[(u16, (i8, i8))]) -> Known {
        let templates = matches!(shape.reach, Reach::Templates(_));
        let marks = (!templates).then(|| fixed.to_vec());
        Known { marks, ..self.known(Some(shape.kind)) }
    }

    fn before(&self, act: u16, known: &Known) -> Vec<Before> {
        let mut bans = Vec::new();
        for (at, clause) in self.rules.clauses.iter().enumerate() {
            let Form::Forbid { acts, before: true, banned } = &clause.form else { continue };
            if !acts.admits(act) {
                continue;
            }
            let simple = clause.when.is_none() && clause.unless.is_none();
            let attacked = simple.then(|| self.attacked_places(&banned.term)).flatten();
            let query = match attacked {
                Some(_) => None,
                None => match self.condition(&self.under(clause, &banned.term, known), known) {
                    Some(query) if query == [rulebook_machine::lane::Ask::Truth(false)] => continue,
                    query => query.and_then(|query| self.keep(query)),
                },
            };
            bans.push(Before { clause: at as u16, attacked, query });
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
            Term::List(members, true) => {
                members.iter().map(|member| self.place(member, &Known::default())).collect()
            }
            one => Some(vec![self.place(one, &Known::default())?]),
        }
    }

    /// A site of an act, if a term is one. Marks are known by the order in which a pattern names them, so the
    /// binding is kept and turned into the number of the mark by the caller.
    fn place(&self, term: &Term, known: &Known) -> Option<Place> {
        match term {
            Term::Bound(binding) if known.cell == Some(*binding) => Some(Place::To),
            Term::Context(Context::From) => Some(Place::From),
            Term::Context(Context::To) => Some(Place::To),
            Term::Const(Value::Site(site)) => Some(Place::At(*site)),
            Term::Bound(binding) => Some(Place::Bound(*binding)),
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
                // Ways that capture different kinds are different ways of capturing.
                let mut by_victims: Vec<(Option<u128>, Vec<Template>)> = Vec::new();
                for mut template in found {
                    let to = template.to;
                    let mut victims = None;
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
                        let need = Need { content: content::ENEMY, ..crate::templates::open() };
                        template.needs.push((to, need));
                    }
                    template.marks.clear();
                    template.takes.clear();
                    match by_victims.iter_mut().find(|(known, _)| *known == victims) {
                        Some((_, group)) => group.push(template),
                        None => by_victims.push((victims, vec![template])),
                    }
                }
                let parts = by_victims.into_iter().flat_map(|(victims, found)| {
                    self.split(found).into_iter().map(move |found| (victims, found))
                });
                for (victims, found) in parts {
                    let mut shape = blank(*kind);
                    shape.tos = way.tos.map(|sites| words(&sites));
                    shape.froms = way.froms.map(|sites| words(&sites));
                    self.classify(&mut shape, found);
                    let attack = Attack {
                        kinds: 1 << kind,
                        reach: shape.reach,
                        froms: shape.froms,
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
        after: Vec::new(),
        spare: None,
        plain: false,
        recipe: None,
        choice: None,
        instances: Vec::new(),
    }
}

/// Ways without what is asked of where they begin.
fn bare(found: &[Template]) -> Vec<Template> {
    let mut found = found.to_vec();
    found.iter_mut().for_each(|template| template.needs.retain(|(at, _)| *at != (0, 0)));
    found
}

/// Words with zeros behind them.
fn padded(words: &[u64], len: usize) -> Vec<u64> {
    words.iter().copied().chain(std::iter::repeat(0)).take(len).collect()
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
                // With nothing between and with one piece between cannot both be.
                if let (Reach::Ray(_), Reach::Screen(_)) | (Reach::Screen(_), Reach::Ray(_)) =
                    (&a.reach, &b.reach)
                {
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
