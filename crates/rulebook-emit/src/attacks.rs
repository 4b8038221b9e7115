//! Whether and from where a site is attacked by a player, as functions of a module.
//!
//! Law: the functions say what the machine says: the answer depends on which sites are occupied, on the
//! attacker's pieces, and on the kind that stands on the target.

use rulebook_machine::program::Site;

use crate::forms::{Asked, Attacks, Bits};
use crate::looks::Looks;
use crate::text::{Page, Text};

/// The functions about the attacks of a player.
pub(crate) fn write(page: &mut Page<'_>, looks: &mut Looks<'_>, by: usize, attacks: &Attacks) -> String {
    let mut text = Text::default();
    let count = page.program.board.len() as Site;
    let fulls: Vec<String> = attacks
        .families
        .iter()
        .map(|family| {
            let sets: Vec<Bits> =
                (0..count).map(|site| family.lines.full(&page.program.board, site)).collect();
            page.table(&sets)
        })
        .collect();
    let leaps: Vec<String> = attacks.leaps.iter().map(|leaps| page.table(&leaps.from)).collect();
    forces(page, by, attacks, &mut text);
    struck(looks, by, attacks, (&leaps, &fulls), &mut text);
    if attacks.is_simple() {
        let body = |name: &str, parts: Vec<String>, text: &mut Text| {
            text.line(0, "");
            text.line(0, "#[inline(always)]");
            text.line(0, "#[allow(dead_code, reason = \"not every rule set asks for all of it\")]");
            text.line(0, format!("fn {name}_{by}(forces: &Forces{by}, site: usize) -> Set {{"));
            text.line(1, "let at = site & (WIDTH - 1);");
            sum(1, &parts, text);
            text.line(0, "}");
        };
        let each = |tables: &[String], field: &str| -> Vec<String> {
            tables
                .iter()
                .enumerate()
                .map(|(at, table)| format!("{table}[at] & forces.{field}[{at}]"))
                .collect()
        };
        body("leapers", each(&leaps, "leaps"), &mut text);
        body("snipers", each(&fulls, "lines"), &mut text);
        text.lines(0, SIMPLE.replace("$by", &by.to_string()));
    } else {
        attacked(page, looks, by, attacks, (&leaps, &fulls), &mut text);
        danger(page, by, attacks, (&leaps, &fulls), &mut text);
    }
    text.0
}

/// The union of some sets as the value of a block.
fn sum(level: usize, parts: &[String], text: &mut Text) {
    match parts {
        [] => {
            text.line(level, "let _ = (at, forces);");
            text.line(level, "0");
        }
        [one] => text.line(level, one),
        [first, rest @ ..] => {
            text.line(level, format!("let mut found = {first};"));
            for part in rest {
                text.line(level, format!("found |= {part};"));
            }
            text.line(level, "found");
        }
    }
}

fn forces(page: &Page<'_>, by: usize, attacks: &Attacks, text: &mut Text) {
    let (leaps, lines) = (attacks.leaps.len(), attacks.families.len());
    text.line(0, "");
    text.line(0, "/// The pieces of a player by how they attack.");
    text.line(0, "#[derive(Clone, Copy)]");
    text.line(0, format!("struct Forces{by} {{"));
    text.line(1, format!("leaps: [Set; {leaps}],"));
    text.line(1, format!("lines: [Set; {lines}],"));
    text.line(0, "}");
    text.line(0, "");
    text.line(0, "#[inline(always)]");
    text.line(0, format!("fn forces_{by}(position: &Position) -> Forces{by} {{"));
    text.line(1, format!("let owned = position.owners[{by}];"));
    text.line(1, format!("Forces{by} {{"));
    for (field, all) in [
        ("leaps", attacks.leaps.iter().map(|leaps| leaps.kinds).collect::<Vec<_>>()),
        ("lines", attacks.families.iter().map(|family| family.kinds).collect()),
    ] {
        if all.is_empty() {
            text.line(2, format!("{field}: [],"));
            continue;
        }
        text.line(2, format!("{field}: ["));
        for kinds in all {
            text.line(3, format!("{} & owned,", page.kinds("position", kinds)));
        }
        text.line(2, "],");
    }
    text.line(1, "}");
    text.line(0, "}");
}

fn struck(
    looks: &mut Looks<'_>,
    by: usize,
    attacks: &Attacks,
    (leaps, fulls): (&[String], &[String]),
    text: &mut Text,
) {
    text.lines(0, STRUCK_HEAD.replace("$by", &by.to_string()));
    for (at, table) in leaps.iter().enumerate() {
        text.line(1, format!("found |= {table}[at] & forces.leaps[{at}];"));
    }
    for (at, (table, family)) in fulls.iter().zip(&attacks.families).enumerate() {
        let seen = looks.see(&family.lines, "at", "occupied");
        if looks.is_short(&family.lines) {
            // A look that costs little is not worth a guess of whether it is needed.
            text.line(1, format!("found |= {seen} & forces.lines[{at}];"));
            continue;
        }
        text.line(1, format!("let pieces = {table}[at] & forces.lines[{at}];"));
        text.line(1, "if pieces != 0 {");
        text.line(2, format!("found |= {seen} & pieces;"));
        text.line(1, "}");
    }
    text.line(1, "found & among != 0");
    text.line(0, "}");
}

/// A test of the victim's kind, if not every kind can be a victim.
fn victim(victims: u128) -> String {
    if victims == u128::MAX { String::new() } else { format!("{victims:#x}_u128 >> (victim & 127) & 1 == 1") }
}

/// Conditions joined by "and"; none is a condition that holds.
fn all_of(conditions: &[String]) -> String {
    let known: Vec<&str> = conditions.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    if known.is_empty() { "true".into() } else { known.join(" && ") }
}

fn attacked(
    page: &mut Page<'_>,
    looks: &mut Looks<'_>,
    by: usize,
    attacks: &Attacks,
    (leaps, fulls): (&[String], &[String]),
    text: &mut Text,
) {
    let full = crate::forms::all(&page.program.board);
    for (at, conditional) in attacks.conditional.iter().enumerate() {
        let rows = conditional.ways.iter().enumerate();
        sources(page, &format!("SOURCES_{by}_{at}"), rows, text);
    }
    text.lines(0, ATTACKED_HEAD.replace("$by", &by.to_string()));
    for (at, (table, group)) in leaps.iter().zip(&attacks.leaps).enumerate() {
        let meets = format!("{table}[at] & forces.leaps[{at}] & attackers != 0");
        text.line(1, format!("if {} {{", all_of(&[victim(group.victims), meets])));
        text.line(2, "return true;");
        text.line(1, "}");
    }
    for (at, (table, family)) in fulls.iter().zip(&attacks.families).enumerate() {
        text.line(1, format!("let pieces = {table}[at] & forces.lines[{at}] & attackers;"));
        let seen = looks.see(&family.lines, "at", "occupied");
        text.line(1, format!("if pieces != 0 && {seen} & pieces != 0 {{"));
        text.line(2, "return true;");
        text.line(1, "}");
    }
    for special in &attacks.specials {
        let count = page.program.board.len() as Site;
        let sets: Vec<Bits> = (0..count)
            .map(|site| special.lines.full(&page.program.board, site) & special.froms)
            .map(|set| if special.froms == full { set } else { set & special.froms })
            .collect();
        let table = page.table(&sets);
        let kinds = page.kinds("position", special.kinds);
        text.line(1, format!("let pieces = {kinds} & attackers & {table}[at];"));
        let tos =
            if special.tos == full { String::new() } else { format!("has({}, at)", page.set(special.tos)) };
        let seen = if special.screen {
            looks.beyond(&special.lines, "at", "occupied")
        } else {
            looks.see(&special.lines, "at", "occupied")
        };
        let meets = format!("{seen} & pieces != 0");
        text.line(
            1,
            format!("if {} {{", all_of(&["pieces != 0".into(), victim(special.victims), tos, meets])),
        );
        text.line(2, "return true;");
        text.line(1, "}");
    }
    for (at, conditional) in attacks.conditional.iter().enumerate() {
        let kinds = page.kinds("position", conditional.kinds);
        text.line(1, format!("let pieces = {kinds} & attackers;"));
        let name = format!("SOURCES_{by}_{at}");
        let works = format!("works(&{name}, at, position, pieces, attackers, occupied, came)");
        text.line(
            1,
            format!("if {} {{", all_of(&["pieces != 0".into(), victim(conditional.victims), works])),
        );
        text.line(2, "return true;");
        text.line(1, "}");
    }
    text.line(1, "false");
    text.line(0, "}");
}

fn danger(
    page: &mut Page<'_>,
    by: usize,
    attacks: &Attacks,
    (leaps, fulls): (&[String], &[String]),
    text: &mut Text,
) {
    text.lines(0, DANGER_HEAD.replace("$by", &by.to_string()));
    for (at, table) in leaps.iter().enumerate() {
        text.line(1, format!("danger |= {table}[at] & forces.leaps[{at}];"));
    }
    for (at, table) in fulls.iter().enumerate() {
        text.line(1, format!("lines |= {table}[at] & forces.lines[{at}];"));
    }
    for special in &attacks.specials {
        let count = page.program.board.len() as Site;
        let sets: Vec<Bits> = (0..count).map(|site| special.lines.full(&page.program.board, site)).collect();
        let table = page.table(&sets);
        text.line(
            1,
            format!("lines |= {} & attackers & {table}[at];", page.kinds("position", special.kinds)),
        );
    }
    text.lines(1, DANGER_LINES);
    for (at, conditional) in attacks.conditional.iter().enumerate() {
        let kinds = page.kinds("position", conditional.kinds);
        text.line(1, format!("danger |= matters(&SOURCES_{by}_{at}, at, {kinds} & attackers);"));
    }
    text.line(1, "danger");
    text.line(0, "}");
}

/// The ways in which each site is attacked under conditions, as a table.
fn sources<'a>(
    page: &Page<'_>,
    name: &str,
    rows: impl Iterator<Item = (usize, &'a Vec<crate::forms::Source>)>,
    text: &mut Text,
) {
    text.line(0, "");
    text.line(0, "#[rustfmt::skip]");
    text.line(0, format!("static {name}: [&[Source]; SITES] = ["));
    for (_, list) in rows {
        text.line(1, "&[");
        for source in list {
            let asked = asked(&source.asked);
            text.line(
                2,
                format!(
                    "Source {{ from: {}, empty: {}, filled: {}, asked: &{asked}, matters: {} }},",
                    source.from,
                    page.set(source.empty),
                    page.set(source.filled),
                    page.set(source.matters)
                ),
            );
        }
        text.line(1, "],");
    }
    text.line(0, "];");
}

/// Conditions on sites, as a list.
pub(crate) fn asked(list: &[Asked]) -> String {
    let list: Vec<String> = list
        .iter()
        .map(|asked| {
            let Asked { site, content, kinds } = asked;
            let kinds = if *kinds == u128::MAX { "u128::MAX".to_owned() } else { format!("{kinds:#x}") };
            format!("Asked {{ site: {site}, content: {content}, kinds: {kinds} }}")
        })
        .collect();
    format!("[{}]", list.join(", "))
}

/// What the functions about conditions on other sites need.
pub(crate) const SOURCES: &str = r#"
/// One way in which a site is attacked.
#[allow(dead_code, reason = "not every rule set asks for all of it")]
struct Source {
    from: u8,
    empty: Set,
    filled: Set,
    asked: &'static [Asked],
    matters: Set,
}

/// Whether one of some pieces attacks a site in a way that its conditions allow.
#[allow(dead_code, reason = "not every rule set asks for all of it")]
fn works(
    table: &[&[Source]; SITES],
    site: usize,
    position: &Position,
    pieces: Set,
    attackers: Set,
    occupied: Set,
    came: (usize, u8),
) -> bool {
    let sources = table.get(site).copied().unwrap_or_default();
    let theirs = attackers & occupied;
    sources.iter().any(|source| {
        has(pieces, usize::from(source.from))
            && source.empty & occupied == 0
            && source.filled & !occupied == 0
            && source
                .asked
                .iter()
                .all(|asked| asked.holds(position, theirs, occupied & !attackers, came))
    })
}

/// The sites that matter to the attacks of some pieces on a site.
#[allow(dead_code, reason = "not every rule set asks for all of it")]
fn matters(table: &[&[Source]; SITES], site: usize, pieces: Set) -> Set {
    let sources = table.get(site).copied().unwrap_or_default();
    let used = sources
        .iter()
        .filter(|source| has(pieces, usize::from(source.from)));
    used.fold(0, |set, source| set | source.matters)
}"#;

const STRUCK_HEAD: &str = r#"
/// Whether a site is attacked by leaps and along lines, by pieces that are among some.
#[inline(always)]
#[allow(dead_code, unused_variables, reason = "not every rule set asks")]
fn struck_$by(tables: &Tables, forces: &Forces$by, site: usize, occupied: Set, among: Set) -> bool {
    let at = site & (WIDTH - 1);
    let mut found = 0;"#;

const SIMPLE: &str = r#"
/// Whether a site is attacked.
#[allow(dead_code, reason = "not every rule set asks")]
fn attacked_$by(
    tables: &Tables,
    position: &Position,
    site: usize,
    _victim: u8,
    occupied: Set,
    attackers: Set,
    _came: (usize, u8),
) -> bool {
    struck_$by(tables, &forces_$by(position), site, occupied, attackers)
}"#;

const ATTACKED_HEAD: &str = r#"
/// Whether a site on which some kind stands is attacked.
#[allow(unused_variables, reason = "not every rule set asks for all of it")]
fn attacked_$by(
    tables: &Tables,
    position: &Position,
    site: usize,
    victim: u8,
    occupied: Set,
    attackers: Set,
    came: (usize, u8),
) -> bool {
    let at = site & (WIDTH - 1);
    let forces = forces_$by(position);"#;

const DANGER_HEAD: &str = r#"
/// The sites that matter to whether a site is attacked, as the pieces stand.
#[allow(unused_variables, reason = "not every rule set asks for all of it")]
fn danger_$by(tables: &Tables, position: &Position, site: usize, attackers: Set) -> Set {
    let at = site & (WIDTH - 1);
    let forces = forces_$by(position);
    let mut danger = 0;
    let mut lines = 0;"#;

const DANGER_LINES: &str = r"for source in Sites(lines) {
    danger |= tables.between[pair(at, source)] | one(source);
}";
