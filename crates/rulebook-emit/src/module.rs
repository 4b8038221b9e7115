//! A module that is specialised for a rule set, put together from its parts.
//!
//! Invariant: the same program and bytes give the same text.

use rulebook_machine::program::{Const, Form as Clause, Program, Type};

use crate::attacks;
use crate::fixed;
use crate::forms::{Attacks, Form, Reason, Side, Way, of_words};
use crate::looks::Looks;
use crate::make::{Functions, Maker, function, packed, starts};
use crate::questions;
use crate::terms::{HELPERS, Scene};
use crate::text::{Page, Text};
use crate::visit::{Finder, Legality};

/// The text of the specialised part, or why the rule set is left to the machine.
pub(crate) fn write(program: &Program, sides: &[Side; 2]) -> Result<String, Vec<Reason>> {
    let mut page = Page::new(program);
    let mut looks = Looks::new(&page);
    let mut functions = Functions::new();
    let mut reasons = Vec::new();
    let known =
        |at: usize| sides.get(at).and_then(|side| side.attacks.as_ref()).is_some_and(Attacks::is_simple);
    let simple = [known(0), known(1)];
    let attacks_known = [0, 1].map(|at: usize| sides.get(at).is_some_and(|side| side.attacks.is_some()));
    let stops = stops(&page, simple, &mut functions, &mut reasons);
    let position = position(&page, &mut reasons);
    let mut finders = String::new();
    let mut first = 0;
    let mut pairs = false;
    let mut makers: Vec<String> = Vec::new();
    let mut used = [false; 2];
    for (me, side) in sides.iter().enumerate() {
        let asks = asks(side);
        let legality = match side.royal {
            None => Legality::Free,
            Some(_) if simple[1 - me] => Legality::Masked,
            Some(_) => Legality::Danger,
        };
        pairs |= legality != Legality::Free;
        used[1 - me] |= asks || legality != Legality::Free;
        for (at, way) in side.ways.iter().enumerate() {
            let Some(shape) = side.shapes.get(way.shape) else { continue };
            let mut maker = Maker {
                page: &page,
                me,
                shape,
                attacks: simple,
                known: attacks_known,
                functions: &mut functions,
                reasons: &mut reasons,
            };
            if let Some(body) = maker.body(way) {
                makers.push(implemented(
                    &page,
                    first + at,
                    me,
                    way,
                    (shape.act, shape.choice.as_ref()),
                    &body,
                ));
            }
        }
        let opponent = &sides[1 - me];
        let simple = simple[1 - me];
        let mut finder =
            Finder { page: &mut page, looks: &mut looks, me, side, opponent, first, legality, asks, simple };
        finders.push_str(&finder.write());
        finders.push_str(&finder.judges());
        first += side.ways.len();
    }
    if !reasons.is_empty() {
        reasons.sort();
        reasons.dedup();
        return Err(reasons);
    }
    let mut attacked = String::new();
    let asked: String = functions.values().cloned().collect();
    let mut conditional = false;
    for (by, side) in sides.iter().enumerate() {
        let any = asked.contains(&format!("any_attacked_{by}("));
        let of = asked.contains(&format!("struck_of_{by}("));
        if let Some(attacks) = side.attacks.as_ref().filter(|_| used[by] || any || of) {
            attacked.push_str(&attacks::write(&mut page, &mut looks, by, attacks));
            conditional |= !attacks.is_simple();
            if of {
                attacked.push_str(
                    &questions::STRUCK_OF
                        .replace("1 - $by", &(1 - by).to_string())
                        .replace("$by", &by.to_string()),
                );
            }
            if any {
                attacked.push_str(&ANY.replace("$by", &by.to_string()));
            }
        }
    }
    let mut text = Text::default();
    let board = &program.board;
    text.line(0, "");
    text.line(
        0,
        "/// A set of sites: file plus rank times the number of files, from the bottom left corner.",
    );
    text.line(0, format!("type Set = u{};", page.width));
    text.line(0, "");
    text.line(0, "/// Bits of a set, sites, and files of the board.");
    text.line(0, format!("const WIDTH: usize = {};", page.width));
    text.line(0, format!("const SITES: usize = {};", board.len()));
    text.line(0, format!("const FILES: usize = {};", board.files));
    text.line(0, "const EMPTY: Set = 0;");
    text.line(0, format!("const BOARD: Set = {};", page.set(crate::forms::all(board))));
    text.0.push_str(&position);
    text.0.push_str(fixed::SETS);
    text.0.push_str(HELPERS);
    text.0.push_str(fixed::STEPS);
    if asked.contains("truth(") {
        text.lines(0, questions::TRUTH);
    }
    if sides.iter().flat_map(|side| &side.ways).any(|way| matches!(way.form, Form::Lame(_))) {
        text.lines(0, fixed::LAME);
    }
    if conditional {
        text.lines(0, attacks::SOURCES);
    }
    text.0.push_str(&attacked);
    text.0.push_str(&asked);
    text.0.push_str(&finders);
    makers.iter().for_each(|maker| text.0.push_str(maker));
    counting(&mut text, sides, stops);
    dispatch(&mut text, first);
    text.0.push_str(&page.tables());
    text.lines(0, looks.write(&page, pairs));
    Ok(text.0)
}

/// Whether the plies of a player ask which sites the opponent attacks before them.
fn asks(side: &Side) -> bool {
    side.royal.is_some()
        || side.shapes.iter().any(|shape| !shape.before.is_empty() || !shape.instances.is_empty())
}

/// The endings that stop the counting of sequences, as a function for each player; whether there are any.
fn stops(page: &Page<'_>, attacks: [bool; 2], functions: &mut Functions, reasons: &mut Vec<Reason>) -> bool {
    let mut clauses = Vec::new();
    for (at, clause) in page.program.clauses.iter().enumerate() {
        if let Clause::Ends { condition, result, stops: true } = &clause.form {
            clauses.push((at as u16, clause, *condition, *result));
        }
    }
    for (at, clause, _, result) in &clauses {
        for (other, another, _, others) in &clauses {
            let apart = clause.yields.contains(other) || another.yields.contains(at);
            if at < other && !apart && result != others {
                reasons.push((Some(*at), "it may contradict another ending".into()));
            }
        }
    }
    for mover in 0..2_u8 {
        let scene = Scene { page, position: "position", mover, act: None, attacks };
        let mut parts = Vec::new();
        for (at, clause, condition, result) in &clauses {
            let part = || {
                let holds = scene.holds(*condition)?;
                let applies = scene.applies(clause.when, clause.unless)?;
                let ends = scene.code(*result)?.sort == crate::terms::Sort::Outcome;
                ends.then(|| format!("(({applies}) && ({holds}))"))
            };
            match part() {
                Some(part) => parts.push(part),
                None => reasons.push((Some(*at), "its terms have no expression".into())),
            }
        }
        if !parts.is_empty() {
            let head = format!("fn stops_{mover}(tables: &Tables, position: &Position) -> bool");
            functions.insert(format!("stops_{mover}"), function(&head, &[parts.join(" || ")]));
        }
    }
    !clauses.is_empty()
}

/// The position: its fields, the first one, and the way to and from the machine.
fn position(page: &Page<'_>, reasons: &mut Vec<Reason>) -> String {
    let program = page.program;
    let mut text = Text::default();
    let kinds = program.kinds.len();
    text.lines(0, fixed::POSITION.replace("$kinds", &kinds.to_string()));
    let mut firsts: Vec<(String, String)> = Vec::new();
    let mut opens = Text::default();
    let mut plains = Text::default();
    let mut same: Vec<String> = Vec::new();
    let mut keys = Text::default();
    for (at, var) in program.vars.iter().enumerate() {
        let each = !var.each.is_empty();
        let mut values = Vec::new();
        let identity = program.identity.contains(&(at as u16)) || program.fleeting.contains(&(at as u16));
        for (offset, start) in starts(program, var).iter().enumerate() {
            let slot = var.slot + offset as u16;
            let (field, ty, value) = if var.ty == Type::Sites {
                let set = match start {
                    Const::Sites(words) => of_words(words),
                    _ => 0,
                };
                (page.set_field(slot).to_owned(), "Set", page.set(set))
            } else {
                let Some(value) = packed(var.ty, start) else {
                    reasons.push((None, format!("the variable `{}` holds a fraction", var.name)));
                    continue;
                };
                (page.field(slot).0.to_owned(), Page::kept(var.ty), Page::value(var.ty, value))
            };
            text.line(1, format!("{field}: {ty},"));
            firsts.push((field.clone(), value));
            let (read, write) = converted(var.ty, &format!("self.{field}"));
            opens.line(2, format!("if let Some(value) = given(plain, {at}, {each}, {offset}) {{"));
            opens.line(3, format!("made.{field} = {read};"));
            opens.line(2, "}");
            values.push(write);
            same.push(format!("self.{field} == other.{field}"));
            if identity {
                keys.line(2, format!("key = {};", mixed(var.ty, &format!("self.{field}"))));
            }
        }
        if each {
            plains.line(4, "Plain::List(vec![");
            values.iter().for_each(|value| plains.line(5, format!("{value},")));
            plains.line(4, "]),");
        } else {
            values.iter().for_each(|value| plains.line(4, format!("{value},")));
        }
    }
    text.line(0, "}");
    let mut cells = [vec![0; kinds], vec![0; 2]];
    for (site, cell) in program.setup.iter().enumerate() {
        let Some((kind, owner)) = cell else { continue };
        for (list, at) in cells.iter_mut().zip([kind, owner]) {
            if let Some(set) = list.get_mut(usize::from(*at)) {
                *set |= crate::forms::one(site as u16);
            }
        }
    }
    text.line(0, "");
    text.line(0, "/// The first position.");
    text.line(0, "#[rustfmt::skip]");
    text.line(0, "const FIRST: Position = Position {");
    for (name, sets) in ["kinds", "owners"].into_iter().zip(&cells) {
        let sets: Vec<String> = sets.iter().map(|set| page.set(*set)).collect();
        text.line(1, format!("{name}: [{}],", sets.join(", ")));
    }
    text.line(1, format!("turn: {},", program.begins));
    text.line(1, "plies: 0,");
    text.line(1, "settled: 0,");
    for (field, value) in &firsts {
        text.line(1, format!("{field}: {value},"));
    }
    text.line(0, "};");
    let same: Vec<String> = same.iter().map(|part| format!("            && {part}")).collect();
    let values =
        if plains.0.is_empty() { "Vec::new()".into() } else { format!("vec![\n{}            ]", plains.0) };
    let conversions = fixed::CONVERSIONS
        .replace("            $same\n", &if same.is_empty() { String::new() } else { same.join("\n") + "\n" })
        .replace("        $opens\n", &opens.0)
        .replace("        $keys\n", &keys.0)
        .replace("$vars", &values);
    text.0.push_str(&conversions);
    text.0
}

/// The texts that turn a plain value into what a variable keeps, and back.
fn converted(ty: Type, field: &str) -> (&'static str, String) {
    match ty {
        Type::Truth => ("matches!(value, Plain::Truth(true))", format!("Plain::Truth({field})")),
        Type::Number => ("whole(value)?", format!("Plain::Number({field}, 1)")),
        Type::Text => ("text(value)?", format!("named({field})")),
        Type::Player => ("point(value)", format!("pointed({field}, Plain::Player)")),
        Type::Kind => ("point(value)", format!("pointed({field}, Plain::Kind)")),
        Type::Site | Type::Row => {
            ("point(value)", format!("pointed({field}, |site| Plain::Site(site.into()))"))
        }
        Type::Sites => ("sites(value)", format!("Plain::Sites(listed({field}))")),
    }
}

/// A key with one more value.
fn mixed(ty: Type, field: &str) -> String {
    match ty {
        Type::Sites => format!("mix_set(key, {field})"),
        Type::Number => format!("mix(key, {field} as u64)"),
        _ => format!("mix(key, u64::from({field}))"),
    }
}

/// A way as a type.
fn implemented(
    page: &Page<'_>,
    number: usize,
    me: usize,
    way: &Way,
    (act, choice): (u16, Option<&rulebook_machine::lane::Pick>),
    body: &str,
) -> String {
    let mut text = Text::default();
    let is_row = matches!(way.form, Form::Rows { .. });
    let places = match way.form {
        Form::Shift { places: places @ ..0, .. } => {
            format!("0_usize.wrapping_sub({})", places.unsigned_abs())
        }
        Form::Shift { places, .. } => places.to_string(),
        _ => "0".into(),
    };
    let kinds: Vec<String> = way.kinds.iter().map(u8::to_string).collect();
    text.line(0, "");
    text.line(0, format!("struct Way{number};"));
    text.line(0, "");
    text.line(0, "#[rustfmt::skip]");
    text.line(0, format!("impl Way for Way{number} {{"));
    text.line(1, format!("const NUMBER: u16 = {number};"));
    text.line(1, format!("const SIDE: usize = {me};"));
    text.line(1, format!("const ACT: u16 = {act};"));
    text.line(1, format!("const KIND: u8 = {};", way.kind));
    text.line(1, format!("const PLACES: usize = {places};"));
    text.line(1, format!("const TAKES: bool = {};", way.ends & rulebook_machine::lane::content::ENEMY != 0));
    text.line(1, format!("const PICKED: Set = {};", page.set(way.picked)));
    text.line(1, format!("const KINDS: &'static [u8] = &[{}];", kinds.join(", ")));
    text.line(1, format!("const BINDING: u16 = {};", choice.map_or(0, |pick| pick.binding)));
    let rows = if is_row { format!("ROWS_{number}") } else { "&[]".into() };
    text.line(1, format!("const ROWS: &'static [Row] = {rows};"));
    let uses = |word: &str| body.contains(word);
    let name = |word: &'static str| if uses(word) { word.to_owned() } else { format!("_{word}") };
    text.line(0, "");
    if is_row {
        let unused = "_: &Tables, position: &Position, _: usize, _: usize, _: u8";
        text.line(1, format!("fn make<const TAKEN: bool>({unused}) -> Position {{"));
        text.line(2, "*position");
        text.line(1, "}");
        text.line(0, "");
        let (tables, chosen) = (name("tables"), name("chosen"));
        text.line(
            1,
            format!(
                "fn make_row({tables}: &Tables, position: &Position, row: &Row, {chosen}: u8) -> Position {{"
            ),
        );
        text.0.push_str(body);
        text.line(1, "}");
    } else {
        text.line(1, "#[inline(always)]");
        text.line(1, "fn make<const TAKEN: bool>(");
        text.line(2, format!("{}: &Tables,", name("tables")));
        text.line(2, "position: &Position,");
        text.line(2, "from: usize,");
        text.line(2, "to: usize,");
        text.line(2, format!("{}: u8,", name("chosen")));
        text.line(1, ") -> Position {");
        text.0.push_str(body);
        text.line(1, "}");
        text.line(0, "");
        text.line(1, "fn make_row(_: &Tables, position: &Position, _: &Row, _: u8) -> Position {");
        text.line(2, "*position");
        text.line(1, "}");
    }
    text.line(0, "}");
    text.0
}

/// The functions that count, and those that list.
fn counting(text: &mut Text, sides: &[Side; 2], stops: bool) {
    for (me, side) in sides.iter().enumerate() {
        let royal = side.royal.map_or(String::new(), |kind| {
            format!("    if several(position.kinds[{kind}] & position.owners[{me}]) {{\n        return tried_{me}::<BULK>(tables, position, depth);\n    }}\n")
        });
        let listed = side.royal.map_or(String::new(), |kind| {
            format!("    if several(position.kinds[{kind}] & position.owners[{me}]) {{\n        visit_{me}::<_, true>(tables, position, &mut found);\n        let spared = |ply: &Ply| !is_royal_attacked_{me}(tables, &after(tables, position, *ply));\n        found.0.retain(spared);\n        return found.0;\n    }}\n")
        });
        let ended = if stops {
            format!("    if stops_{me}(tables, position) {{\n        return 0;\n    }}\n")
        } else {
            String::new()
        };
        let fill = |part: &str| {
            part.replace("    $ended\n", &ended)
                .replace("    $royal\n", &royal)
                .replace("    $listed\n", &listed)
                .replace("$me", &me.to_string())
                .replace("$by", &(1 - me).to_string())
        };
        text.0.push_str(&fill(fixed::COUNTING));
        if side.royal.is_some() {
            text.0.push_str(&fill(fixed::TRIED));
        }
    }
}

/// From the number of a way to the way.
fn dispatch(text: &mut Text, count: usize) {
    for (head, call) in [
        (fixed::AFTER, "played::<Way$n>(tables, position, ply)"),
        (fixed::ACT, "described::<Way$n>(position, ply)"),
    ] {
        text.lines(0, head);
        for number in 0..count.saturating_sub(1) {
            text.line(2, format!("{number} => {},", call.replace("$n", &number.to_string())));
        }
        text.line(2, format!("_ => {},", call.replace("$n", &count.saturating_sub(1).to_string())));
        text.line(1, "}");
        text.line(0, "}");
    }
}

const ANY: &str = r"
/// Whether any of some sites is attacked.
fn any_attacked_$by(tables: &Tables, position: &Position, targets: Set) -> bool {
    let forces = forces_$by(position);
    let owned = position.owners[$by];
    let occupied = position.occupied();
    Sites(targets).any(|site| struck_$by(tables, &forces, site, occupied, owned & !one(site)))
}
";
