//! What a ply does to a position, as functions of a module.
//!
//! Law: the position made is the one that the machine makes. Steps come in the order of the clauses, and what lasts
//! one ply and was not set fades at the end.

use std::collections::BTreeMap;

use rulebook_machine::lane::{Guard, Op, Place, Shape};
use rulebook_machine::position::{NOTHING, pack};
use rulebook_machine::program::{Const, Effect, Form as Clause, Program, Type};

use crate::forms::{Form, Reason, Way, of_words, places};
use crate::questions;
use crate::terms::{Acting, Scene};
use crate::text::{Page, Text};

/// The functions that terms have become: their text, by name.
pub(crate) type Functions = BTreeMap<String, String>;

/// The steps of one shape.
pub(crate) struct Maker<'a, 'p> {
    pub(crate) page: &'a Page<'p>,
    pub(crate) me: usize,
    pub(crate) shape: &'a Shape,
    /// For each player, whether its attacks are leaps and plain lines that are all known.
    pub(crate) attacks: [bool; 2],
    /// For each player, whether its attacks are known at all.
    pub(crate) known: [bool; 2],
    pub(crate) functions: &'a mut Functions,
    pub(crate) reasons: &'a mut Vec<Reason>,
}

/// The first packed values of a variable.
pub(crate) fn starts(program: &Program, var: &rulebook_machine::program::Var) -> Vec<Const> {
    let start = program.consts.get(var.start as usize);
    let many = match start {
        Some(Const::List(values)) if !var.each.is_empty() => Some(values),
        _ => None,
    };
    let value = |at: u16| match many {
        Some(values) => values.get(usize::from(at)).and_then(|at| program.consts.get(*at as usize)),
        None => start,
    };
    (0..var.count).map(|at| value(at).cloned().unwrap_or(Const::Nothing)).collect()
}

/// What a variable that is no set keeps of a constant; `None` for a number that is not whole.
pub(crate) fn packed(ty: Type, value: &Const) -> Option<i64> {
    Some(match (ty, value) {
        (Type::Truth, Const::Truth(truth)) => i64::from(*truth),
        (Type::Number, Const::Number(number, 1)) => pack(*number, 1)?,
        (Type::Number, _) => return None,
        (Type::Text, Const::Text(at)) => i64::from(*at),
        (Type::Player, Const::Player(at)) | (Type::Kind, Const::Kind(at)) => i64::from(*at),
        (Type::Site, Const::Site(site)) => i64::from(*site),
        _ => NOTHING,
    })
}

/// A function of an expression.
pub(crate) fn function(head: &str, body: &[String]) -> String {
    let mut text = Text::default();
    text.line(0, "");
    text.line(0, "#[rustfmt::skip]");
    text.line(
        0,
        "#[allow(unused_parens, unused_variables, clippy::all, reason = \"it is nested as the term is\")]",
    );
    text.line(0, format!("{head} {{"));
    for line in body {
        text.line(1, line);
    }
    text.line(0, "}");
    text.0
}

impl Maker<'_, '_> {
    /// The body of `make`, or of `make_row` when the way is listed.
    pub(crate) fn body(&mut self, way: &Way) -> Option<String> {
        let is_row = matches!(way.form, Form::Rows { .. });
        let (me, kind) = (self.me, self.shape.kind);
        let steps = self.steps(is_row)?;
        let mut text = Text::default();
        let line = |text: &mut Text, line: &str| text.line(2, line);
        if is_row {
            line(&mut text, "let (from, to) = (usize::from(row.from), usize::from(row.to));");
            line(&mut text, "let (gone, come) = (one(from), one(to));");
            line(&mut text, &format!("let taken = come & position.owners[{}] | row.takes;", 1 - me));
            let mutable = if has_first(way) { "mut " } else { mutable(&steps) };
            line(&mut text, &format!("let {mutable}changed = gone | come | taken;"));
            line(&mut text, "let mut next = *position;");
            line(&mut text, "next.clear(changed);");
            line(&mut text, &format!("next.kinds[{kind}] |= come;"));
            line(&mut text, &format!("next.owners[{me}] |= come;"));
            if has_first(way) {
                line(&mut text, "for step in row.first {");
                line(&mut text, &format!("    changed |= next.step(step, {me});"));
                line(&mut text, "}");
            }
        } else {
            let uses = steps.iter().any(|step| step.contains("changed"));
            line(&mut text, "let (gone, come) = (one(from), one(to));");
            if steps.iter().any(|step| step.contains("taken")) {
                line(&mut text, "let taken = if TAKEN { come } else { 0 };");
            }
            if uses {
                line(&mut text, &format!("let {}changed = gone | come;", mutable(&steps)));
            }
            line(&mut text, "let mut next = *position;");
            line(&mut text, "if TAKEN {");
            line(&mut text, "    next.clear(come);");
            line(&mut text, "}");
            line(&mut text, &format!("next.kinds[{kind}] ^= gone | come;"));
            line(&mut text, &format!("next.owners[{me}] ^= gone | come;"));
        }
        for step in &steps {
            text.lines(2, step);
        }
        line(&mut text, &format!("next.turn = {};", 1 - me));
        line(&mut text, "next.plies = position.plies.wrapping_add(1);");
        line(&mut text, "next");
        Some(text.0)
    }

    fn refuse<T>(&mut self, clause: u16, why: &str) -> Option<T> {
        self.reasons.push((Some(clause), why.to_owned()));
        None
    }

    /// The text for a site, if it is one that is certain; else the text and a test.
    fn site(&self, place: Place, is_row: bool) -> Option<(String, bool)> {
        Some(match place {
            Place::From => ("from".into(), true),
            Place::To => ("to".into(), true),
            Place::At(site) => (site.to_string(), usize::from(site) < self.page.program.board.len()),
            Place::Bound(binding) if is_row => {
                let at = bindings(self.shape).iter().position(|known| *known == binding)?;
                (format!("row.mark({at})"), false)
            }
            Place::Bound(_) => return None,
            Place::Beside(offset) => {
                let places = places(&self.page.program.board, offset);
                let call = if places < 0 { "wrapping_sub" } else { "wrapping_add" };
                (format!("from.{call}({})", places.unsigned_abs()), false)
            }
        })
    }

    /// Statements about a site; nothing is done where there is none.
    fn at(&self, place: Place, is_row: bool, body: &dyn Fn(&str) -> Vec<String>) -> Vec<String> {
        match self.site(place, is_row) {
            None => Vec::new(),
            Some((site, true)) => body(&site),
            Some((site, false)) => {
                let mut lines = vec![format!("let site = {site};"), "if site < SITES {".to_owned()];
                lines.extend(body("site").into_iter().map(|line| format!("    {line}")));
                lines.push("}".into());
                lines
            }
        }
    }

    fn steps(&mut self, is_row: bool) -> Option<Vec<String>> {
        let mut made: Vec<String> = Vec::new();
        let mut written: Vec<(bool, u16)> = Vec::new();
        let steps = self.shape.recipe.clone().unwrap_or_default();
        for step in &steps {
            let lines = self.step(step.clause, &step.op, is_row)?;
            match &step.op {
                Op::Set(slot, _) | Op::Add(slot, _) | Op::SetSite(slot, _) => written.push((false, *slot)),
                Op::Answer(slot, _) | Op::Unset(slot) => written.push((false, *slot)),
                Op::LessChanged(slot)
                | Op::LessOwned(slot, _)
                | Op::Join(slot, _)
                | Op::SetTo(slot, _)
                | Op::Settle(slot) => {
                    written.push((true, *slot));
                }
                _ => {}
            }
            let guard = match step.guard {
                Guard::Always => None,
                Guard::Taken => Some("taken != 0".to_owned()),
                Guard::NotTaken => Some("taken == 0".to_owned()),
                Guard::Picked => Some("chosen != NONE".to_owned()),
                Guard::Chosen(kind) => Some(format!("chosen == {kind}")),
                Guard::Holds(slot) => Some(format!("next.{}", self.page.field(slot).0)),
                Guard::Asked(query) => {
                    let asked = self.answer(step.clause, query)?;
                    made.push(format!("let answer = {asked} != EMPTY;"));
                    Some("answer".into())
                }
                Guard::Still => Some("answer".into()),
                Guard::Else => Some("!answer".into()),
            };
            match guard {
                None => made.push(lines.join("\n")),
                Some(guard) => {
                    let lines: Vec<String> = lines.iter().map(|line| format!("    {line}")).collect();
                    made.push(format!("if {guard} {{\n{}\n}}", lines.join("\n")));
                }
            }
        }
        for var in self.page.program.vars.iter().filter(|var| var.fleeting) {
            for (at, start) in starts(self.page.program, var).iter().enumerate() {
                let slot = var.slot + at as u16;
                if written.contains(&(var.ty == Type::Sites, slot)) {
                    continue;
                }
                if var.ty == Type::Sites {
                    let Const::Sites(words) = start else { return self.refuse(self.shape.clause, FADES) };
                    let value = self.page.set(of_words(words));
                    made.push(format!("next.{} = {value};", self.page.set_field(slot)));
                } else {
                    let Some(value) = packed(var.ty, start) else {
                        return self.refuse(self.shape.clause, FADES);
                    };
                    let field = self.page.field(slot).0;
                    made.push(format!("next.{field} = {};", Page::value(var.ty, value)));
                }
            }
        }
        Some(made)
    }

    fn step(&mut self, clause: u16, op: &Op, is_row: bool) -> Option<Vec<String>> {
        let me = self.me;
        let page = self.page;
        let field = |slot: &u16| page.field(*slot).0.to_owned();
        let set = |slot: &u16| page.set_field(*slot).to_owned();
        Some(match op {
            Op::Set(slot, value) => {
                let value = Page::value(self.page.field(*slot).1, *value);
                vec![format!("next.{} = {value};", field(slot))]
            }
            Op::Add(slot, value) => {
                vec![format!("next.{0} = next.{0}.wrapping_add({value});", field(slot))]
            }
            Op::SetSite(slot, place) => {
                let field = field(slot);
                self.at(*place, is_row, &|site| {
                    let value =
                        if site.parse::<u8>().is_ok() { site.to_owned() } else { format!("{site} as u8") };
                    vec![format!("next.{field} = {value};")]
                })
            }
            Op::LessChanged(slot) => vec![format!("next.{} &= !changed;", set(slot))],
            Op::LessOwned(slot, player) => vec![format!("next.{} &= !next.owners[{player}];", set(slot))],
            Op::Join(slot, place) => {
                let field = set(slot);
                self.at(*place, is_row, &|site| vec![format!("next.{field} |= one({site});")])
            }
            Op::Move(a, b) => {
                let Some((a, _)) = self.site(*a, is_row) else { return Some(Vec::new()) };
                let Some((b, _)) = self.site(*b, is_row) else { return Some(Vec::new()) };
                vec![
                    format!("let (a, b) = ({a}, {b});"),
                    "if a < SITES && b < SITES {".into(),
                    "    next.carry(a, b);".into(),
                    "    changed |= one(a) | one(b);".into(),
                    "}".into(),
                ]
            }
            Op::Remove(place) => self.at(*place, is_row, &|site| {
                vec![format!("next.clear(one({site}));"), format!("changed |= one({site});")]
            }),
            Op::Put(kind, place) => {
                let inside = *place == Place::To;
                self.at(*place, is_row, &|site| {
                    let mut lines = vec![format!("next.put({site}, {kind}, {me});")];
                    if !inside {
                        lines.push(format!("changed |= one({site});"));
                    }
                    lines
                })
            }
            // The piece that has moved is exchanged where it stands.
            Op::PutChosen(Place::To) if self.moves_first(op) => vec![
                "if let Some(kind) = next.kinds.get_mut(usize::from(chosen)) {".into(),
                "    *kind |= come;".into(),
                format!("    next.kinds[{}] ^= come;", self.shape.kind),
                "}".into(),
            ],
            Op::PutChosen(place) => {
                let inside = *place == Place::To;
                self.at(*place, is_row, &|site| {
                    let mut lines = vec![format!("next.put({site}, chosen, {me});")];
                    if !inside {
                        lines.push(format!("changed |= one({site});"));
                    }
                    lines
                })
            }
            Op::Clear(query) => vec![
                format!("let sites = {};", self.answer(clause, *query)?),
                "next.clear(sites);".into(),
                "changed |= sites;".into(),
            ],
            Op::SetTo(slot, query) => vec![format!("next.{} = {};", set(slot), self.answer(clause, *query)?)],
            Op::Answer(slot, query) => {
                vec![format!("next.{} = {} != EMPTY;", field(slot), self.answer(clause, *query)?)]
            }
            Op::Unset(slot) => {
                let (field, ty) = self.page.field(*slot);
                vec![format!("next.{field} = {};", Page::value(ty, NOTHING))]
            }
            Op::Tally(_) => return self.refuse(clause, "it counts captured pieces"),
            Op::Settle(slot) => self.settle(clause, *slot)?,
            Op::General => self.general(clause)?,
        })
    }

    /// Whether nothing changes what stands where between the movement and a step, and the kinds to choose from are
    /// others than the one that moves.
    fn moves_first(&self, op: &Op) -> bool {
        let changes = |op: &Op| {
            matches!(
                op,
                Op::Move(..) | Op::Put(..) | Op::PutChosen(_) | Op::Remove(_) | Op::Clear(_) | Op::General
            )
        };
        let first = self.shape.recipe.iter().flatten().find(|step| changes(&step.op));
        let others = self.shape.choice.as_ref().is_some_and(|pick| !pick.kinds.contains(&self.shape.kind));
        let listed = matches!(self.shape.reach, rulebook_machine::lane::Reach::Templates(_));
        others && !listed && first.is_some_and(|step| step.op == *op)
    }

    fn scene<'s>(&'s self, position: &'s str, act: Option<Acting>) -> Scene<'s, 's> {
        Scene { page: self.page, position, mover: self.me as u8, act, attacks: self.attacks }
    }

    /// The call that answers a question.
    fn answer(&mut self, clause: u16, query: u16) -> Option<String> {
        let name = questions::name(self.me, query);
        if !self.functions.contains_key(&name) {
            let Some(text) = questions::write(self.page, self.me, query, self.known) else {
                return self.refuse(clause, "it asks a question that has no form");
            };
            self.functions.insert(name.clone(), text);
        }
        Some(format!("{name}(tables, position, &next, from, to, chosen, taken, changed)"))
    }

    /// A set is narrowed, unless nothing it looks at has changed since it was narrowed before.
    fn settle(&mut self, clause: u16, slot: u16) -> Option<Vec<String>> {
        let name = format!("settled_{clause}");
        if !self.functions.contains_key(&name) {
            let code = match self.page.program.clauses.get(usize::from(clause)).map(|clause| &clause.form) {
                Some(Clause::After { then, .. }) => match then.of(&self.page.program.effects) {
                    [Effect::Set(_, _, code)] => Some(*code),
                    _ => None,
                },
                _ => None,
            };
            let value = code.and_then(|code| self.scene("position", None).code_sites(code));
            let Some(value) = value else { return self.refuse(clause, "its term has no expression") };
            let text = function(&format!("fn {name}(position: &Position) -> Set"), &[value]);
            self.functions.insert(name.clone(), text);
        }
        let (field, bit) = (self.page.set_field(slot), 1_u32 << (slot & 31));
        Some(vec![
            format!("let value = next.{field};"),
            format!("let known = position.settled & {bit} != 0;"),
            format!("if !known || value != position.{field} || changed & value != 0 {{"),
            format!("    next.{field} = {name}(&next);"),
            format!("    next.settled &= !{bit};"),
            format!("    if next.{field} == value {{"),
            format!("        next.settled |= {bit};"),
            "    }".into(),
            "}".into(),
        ])
    }

    /// A clause that follows, as a function of its own.
    fn general(&mut self, clause: u16) -> Option<Vec<String>> {
        let me = self.me;
        let kind = self.shape.kind;
        let name = format!("followed_{clause}_{me}_{kind}");
        if !self.functions.contains_key(&name) {
            let program = self.page.program;
            let found = program.clauses.get(usize::from(clause));
            let act = Acting {
                from: "from".into(),
                to: "to".into(),
                kind,
                taken: "taken".into(),
                changed: "changed".into(),
            };
            let scene = self.scene("next", Some(act));
            let body = found.and_then(|found| match &found.form {
                Clause::After { choices, then, .. } if choices.len == 0 => {
                    let when = scene.applies(found.when, found.unless)?;
                    let effects = scene.effects(*then)?;
                    let mut lines = vec![format!("if {when} {{")];
                    lines.extend(effects.into_iter().map(|line| format!("    {line}")));
                    lines.push("}".into());
                    Some(lines)
                }
                _ => None,
            });
            let Some(body) = body else { return self.refuse(clause, "it has no form as statements") };
            let head = format!(
                "fn {name}(tables: &Tables, next: &mut Position, from: usize, to: usize, taken: Set, changed: Set)"
            );
            self.functions.insert(name.clone(), function(&head, &body));
        }
        Some(vec![format!("{name}(tables, &mut next, from, to, taken, changed);")])
    }
}

const FADES: &str = "what a variable of one ply returns to has no form";

/// Whether some row does something besides the movement itself.
pub(crate) fn has_first(way: &Way) -> bool {
    matches!(&way.form, Form::Rows { rows, .. } if rows.iter().any(|row| !row.first.is_empty()))
}

/// The names of marks that the steps of a shape refer to.
pub(crate) fn bindings(shape: &Shape) -> Vec<u16> {
    let mut found = Vec::new();
    let mut add = |place: &Place| {
        if let Place::Bound(binding) = place
            && !found.contains(binding)
        {
            found.push(*binding);
        }
    };
    for step in shape.recipe.iter().flatten() {
        match &step.op {
            Op::Move(a, b) => [a, b].into_iter().for_each(&mut add),
            Op::Put(_, place)
            | Op::PutChosen(place)
            | Op::Remove(place)
            | Op::SetSite(_, place)
            | Op::Join(_, place) => add(place),
            _ => {}
        }
    }
    found
}

fn mutable(steps: &[String]) -> &'static str {
    if steps.iter().any(|step| step.contains("changed |=")) { "mut " } else { "" }
}
