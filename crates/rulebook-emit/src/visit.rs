//! How the legal plies of a position are found, as a function of a module for each player.
//!
//! Law: the plies found are those that the machine finds. Where attacks are leaps and plain lines, legal targets are
//! masks; where they may depend on more, movements that touch what matters to the royal piece are tried; with several
//! royal pieces every ply is tried.

mod texts;

use rulebook_machine::lane::{Gate, Place, content};
use rulebook_machine::program::{Board, Site};

use crate::attacks::asked;
use crate::forms::{Bits, Form, Row, Side, Way, all, one};
use crate::looks::Looks;
use crate::make::bindings;
use crate::text::{Page, Text};

use texts::{
    ALLOWED_HEAD, ALLOWED_MASKED, ALLOWED_TRIED, ASKED, NODE, NODE_FREE, NODE_FREE_SIMPLE, PREPARE_DANGER,
    PREPARE_MASKED, QUIET, QUIET_SIMPLE, REFUGE_DANGER, REFUGE_MASKED, ROYAL, SPARED,
};

/// How the legality of plies is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Legality {
    /// Nothing is forbidden.
    Free,
    /// By masks.
    Masked,
    /// By trying what touches the sites that matter.
    Danger,
}

/// The plies of one player.
pub(crate) struct Finder<'a, 'p> {
    pub(crate) page: &'a mut Page<'p>,
    pub(crate) looks: &'a mut Looks<'p>,
    pub(crate) me: usize,
    pub(crate) side: &'a Side,
    pub(crate) opponent: &'a Side,
    /// The number of the first way of the player.
    pub(crate) first: usize,
    pub(crate) legality: Legality,
    /// Whether the opponent's attacks are asked for at all.
    pub(crate) asks: bool,
    /// Whether they are leaps and plain lines.
    pub(crate) simple: bool,
}

impl Finder<'_, '_> {
    /// The tables of the ways that are listed, and the functions.
    pub(crate) fn write(&mut self) -> String {
        let mut text = Text::default();
        for (at, way) in self.side.ways.iter().enumerate() {
            match &way.form {
                Form::Rows { rows, .. } => self.rows(self.first + at, way, rows, &mut text),
                Form::Lame(lists) => self.lame(self.first + at, lists, &mut text),
                _ => {}
            }
        }
        self.node(&mut text);
        if self.listed() {
            self.allowed(&mut text);
        }
        self.visit(&mut text);
        text.0
    }

    fn listed(&self) -> bool {
        self.side.ways.iter().any(|way| matches!(way.form, Form::Rows { .. }))
    }

    /// Whether some movement is judged one by one.
    fn judged(&self) -> bool {
        self.side.ways.iter().any(|way| !way.plain && !matches!(way.form, Form::Rows { .. }))
    }

    /// The ways that a listed way is made of.
    fn rows(&mut self, number: usize, way: &Way, rows: &[Row], text: &mut Text) {
        let Some(shape) = self.side.shapes.get(way.shape) else { return };
        let names = bindings(shape);
        text.line(0, "");
        text.line(0, "#[rustfmt::skip]");
        text.line(0, format!("const ROWS_{number}: &[Row] = &["));
        for row in rows {
            text.line(1, self.row(row, &names));
        }
        text.line(0, "];");
        let mut ranges = vec![(0, 0); self.page.width];
        let mut keys: Vec<Bits> = vec![0; self.page.width];
        for (at, row) in rows.iter().enumerate() {
            if let (Some(range), Some(key)) =
                (ranges.get_mut(usize::from(row.from)), keys.get_mut(usize::from(row.from)))
            {
                if *range == (0, 0) {
                    *range = (at, at);
                }
                range.1 = at + 1;
                *key |= row.key().map_or(0, one);
            }
        }
        text.line(0, "");
        text.line(0, "/// Where the ways from each site begin and end.");
        text.line(0, "#[rustfmt::skip]");
        text.line(0, format!("static RANGE_{number}: [[u16; 2]; WIDTH] = ["));
        for chunk in ranges.chunks(8) {
            let chunk: Vec<String> = chunk.iter().map(|(from, to)| format!("[{from}, {to}]")).collect();
            text.line(1, format!("{},", chunk.join(", ")));
        }
        text.line(0, "];");
        let table = self.page.table(&keys);
        if keyed(rows) {
            text.line(0, "");
            text.line(0, "/// The sites that tell the ways from each site apart.");
            text.line(0, format!("use {table} as KEYS_{number};"));
        }
    }

    fn row(&self, row: &Row, names: &[u16]) -> String {
        let set = |set: Bits| self.page.set(set);
        let site = |site: Option<Site>| site.map_or("NONE".to_owned(), |site| site.to_string());
        let list = |sites: &[String]| format!("&[{}]", sites.join(", "));
        let marks: Vec<String> = names
            .iter()
            .map(|name| site(row.marks.iter().find(|(known, _)| known == name).map(|(_, at)| *at)))
            .collect();
        let before = row.before.iter().fold(0, |set, site| set | one(*site));
        let (left, come) = row.moved.unwrap_or_default();
        let fields = [
            ("from", row.from.to_string()),
            ("to", row.to.to_string()),
            ("empty", set(row.empty)),
            ("enemy", set(row.enemy)),
            ("own", set(row.own)),
            ("within", set(row.within)),
            ("is", site(row.is)),
            ("asked", format!("&{}", asked(&row.asked))),
            ("takes", set(row.takes)),
            ("marks", list(&marks)),
            ("before", set(before)),
            ("closed", row.closed.to_string()),
            ("first", list(&self.first_steps(row))),
            ("known", row.moved.is_some().to_string()),
            ("left", set(left)),
            ("come", set(come)),
            ("royal", site(row.royal)),
        ];
        let usual = |value: &str| matches!(value, "0" | "NONE" | "&[]" | "false");
        let said: Vec<String> = fields
            .iter()
            .filter(|(name, value)| matches!(*name, "from" | "to") || !usual(value))
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        format!("Row {{ {}, ..ROW }},", said.join(", "))
    }

    fn first_steps(&self, row: &Row) -> Vec<String> {
        use rulebook_machine::lane::Op;
        let board = &self.page.program.board;
        let site = |place: &Place| row.site(board, *place);
        row.first
            .iter()
            .filter_map(|op| {
                Some(match op {
                    Op::Move(a, b) => format!("Step::Move({}, {})", site(a)?, site(b)?),
                    Op::Put(kind, place) => format!("Step::Put({}, {kind})", site(place)?),
                    Op::Remove(place) => format!("Step::Remove({})", site(place)?),
                    _ => return None,
                })
            })
            .collect()
    }

    fn lame(&self, number: usize, lists: &[Vec<(Site, Bits)>], text: &mut Text) {
        text.line(0, "");
        text.line(0, "/// Where the ways from each site end, with the sites that must be empty.");
        text.line(0, "#[rustfmt::skip]");
        text.line(0, format!("static LAME_{number}: [&[(u8, Set)]; SITES] = ["));
        for list in lists {
            let list: Vec<String> =
                list.iter().map(|(to, empty)| format!("({to}, {})", self.page.set(*empty))).collect();
            text.line(1, format!("&[{}],", list.join(", ")));
        }
        text.line(0, "];");
    }

    /// What is known about a position before plies are looked for.
    fn node(&self, text: &mut Text) {
        let (me, by) = (self.me, 1 - self.me);
        if self.legality == Legality::Free && !self.asks {
            return;
        }
        text.lines(0, NODE.replace("$me", &me.to_string()));
        if self.simple {
            text.line(1, "/// The opponent's pieces by how they attack.");
            text.line(1, format!("forces: Forces{by},"));
        }
        text.line(0, "}");
        if let Some(kind) = self.side.royal {
            text.lines(
                0,
                ROYAL
                    .replace("$me", &me.to_string())
                    .replace("$by", &by.to_string())
                    .replace("$kind", &kind.to_string()),
            );
        }
    }

    fn allowed(&self, text: &mut Text) {
        let (me, by) = (self.me.to_string(), (1 - self.me).to_string());
        text.lines(0, ALLOWED_HEAD.replace("$me", &me).replace("$node", &self.node_name()));
        if self.asks {
            let (level, asked) = if self.simple && self.side.royal.is_some() {
                let kind = self.side.royal.map_or(String::new(), |kind| kind.to_string());
                text.lines(1, ASKED.replace("$me", &me).replace("$kind", &kind));
                (2, "row.before & !royal")
            } else {
                (1, "row.before")
            };
            text.line(level, format!("for at in Sites({asked}) {{"));
            text.line(level + 1, "let among = node.enemy & !one(at);");
            if self.simple {
                text.line(
                    level + 1,
                    format!("if struck_{by}(tables, &node.forces, at, node.occupied, among) {{"),
                );
            } else {
                text.line(level + 1, "let own = has(node.occupied & !node.enemy, at);");
                text.line(level + 1, "let victim = if own { position.kind(at) } else { 127 };");
                text.line(
                    level + 1,
                    format!(
                        "if attacked_{by}(tables, position, at, victim, node.occupied, among, NOBODY) {{"
                    ),
                );
            }
            text.line(level + 2, "return false;");
            text.line(level + 1, "}");
            text.line(level, "}");
            if level > 1 {
                text.line(1, "}");
            }
        }
        if let Some(kind) = self.side.royal {
            let body = if self.simple { ALLOWED_MASKED } else { ALLOWED_TRIED };
            text.lines(1, body.replace("$me", &me).replace("$by", &by).replace("$kind", &kind.to_string()));
        } else {
            text.line(1, "true");
        }
        text.line(0, "}");
    }

    fn node_name(&self) -> String {
        if self.legality == Legality::Free && !self.asks { "()".into() } else { format!("Node{}", self.me) }
    }

    fn visit(&mut self, text: &mut Text) {
        let me = self.me;
        text.line(0, "");
        text.line(0, "/// Finds the legal plies; with `FREE` also those that leave a royal piece attacked.");
        text.line(0, "#[rustfmt::skip]");
        text.line(0, "#[inline(always)]");
        let head = "<V: Visitor, const FREE: bool>(tables: &Tables, position: &Position, visitor: &mut V)";
        text.line(0, format!("fn visit_{me}{head} {{"));
        text.line(1, format!("let own = position.owners[{me}];"));
        text.line(1, format!("let enemy = position.owners[{}];", 1 - me));
        text.line(1, "let occupied = own | enemy;");
        text.line(1, "let empty = BOARD & !occupied;");
        text.line(1, "let _ = (tables, empty);");
        self.prepare(text);
        let ways: Vec<(usize, Way)> = self.side.ways.iter().cloned().enumerate().collect();
        let royal = self.side.royal;
        let is_masked =
            |way: &Way| way.plain && Some(way.kind) != royal && !matches!(way.form, Form::Rows { .. });
        let masked: Vec<(usize, Way)> = ways.iter().filter(|(_, way)| is_masked(way)).cloned().collect();
        let merged =
            if self.legality == Legality::Danger { None } else { merged(&self.page.program.board, &masked) };
        if let Some(merged) = &merged {
            text.line(1, "if V::COUNTS {");
            self.all_plain(merged, 2, text);
            text.line(1, "} else {");
            self.all_plain(&masked, 2, text);
            text.line(1, "}");
        } else {
            self.all_plain(&masked, 1, text);
        }
        let rest = ways.iter().filter(|(at, _)| masked.iter().all(|(known, _)| known != at));
        for (at, way) in rest {
            match &way.form {
                Form::Rows { rows, within, is } => {
                    self.listed_way(self.first + at, way, rows, (*within, *is), text)
                }
                _ if way.plain => self.royal_way(self.first + at, way, text),
                _ => self.judged_way(self.first + at, way, text),
            }
        }
        text.line(0, "}");
    }

    /// The ways whose legal targets are masks.
    fn all_plain(&mut self, ways: &[(usize, Way)], base: usize, text: &mut Text) {
        for (at, way) in ways {
            self.plain(self.first + at, way, base, text);
        }
        if self.legality == Legality::Masked {
            self.pinned(ways, base, text);
        }
    }

    /// What is known before plies are looked for.
    fn prepare(&self, text: &mut Text) {
        let (me, by) = (self.me.to_string(), (1 - self.me).to_string());
        let kind = self.side.royal.map_or(String::new(), |kind| kind.to_string());
        let fill = |part: &str| part.replace("$me", &me).replace("$by", &by).replace("$kind", &kind);
        match self.legality {
            Legality::Free if self.asks => {
                if self.simple {
                    text.line(1, format!("let forces = forces_{by}(position);"));
                }
                text.lines(1, fill(if self.simple { NODE_FREE_SIMPLE } else { NODE_FREE }));
            }
            Legality::Free => {
                if self.listed() || self.judged() {
                    text.line(1, "let mut node = ();");
                    text.line(1, "let _ = &mut node;");
                }
            }
            Legality::Masked => text.lines(1, fill(PREPARE_MASKED)),
            Legality::Danger => text.lines(1, fill(PREPARE_DANGER)),
        }
    }

    /// The pieces of a way, and whether there can be any; the flag takes those that are pinned out.
    fn pieces(&self, way: &Way, free: bool) -> String {
        let mut parts = vec![self.page.kinds("position", way.alike | 1 << way.kind)];
        parts.push(if free && self.legality == Legality::Masked { "free".into() } else { "own".into() });
        if way.froms != all(&self.page.program.board) && !matches!(way.form, Form::Shift { .. }) {
            parts.push(self.page.set(way.froms));
        }
        if let Some(Gate::Within(slot)) = way.gate {
            parts.push(format!("position.{}", self.page.set_field(slot)));
        }
        parts.join(" & ")
    }

    /// Which sites a way may end on.
    fn ends(&self, way: &Way) -> Vec<String> {
        let bits = way.ends & 7;
        let mut parts = Vec::new();
        if bits == content::EMPTY {
            parts.push("empty".to_owned());
        } else if bits == content::ENEMY {
            parts.push("enemy".into());
        } else if bits == content::EMPTY | content::ENEMY {
            parts.push("!own".into());
        } else if bits == 0 {
            parts.push("EMPTY".into());
        }
        let limited = !matches!(way.form, Form::Shift { .. } | Form::Leap(_));
        if limited && way.tos != all(&self.page.program.board) {
            parts.push(self.page.set(way.tos));
        }
        parts
    }

    /// The sites that a way leads to from a site, whatever may stand there.
    fn reached(&mut self, number: usize, way: &Way, from: &str) -> String {
        match &way.form {
            Form::Shift { places, empty, froms } => {
                let source = format!("(one({from}) & {}{})", self.page.set(*froms), self.opened(empty));
                moved(&source, *places)
            }
            Form::Leap(targets) => format!("{}[{from} & (WIDTH - 1)]", self.page.table(targets)),
            Form::Ray(lines) => self.looks.see(lines, from, "occupied"),
            Form::Screen(lines) => self.looks.beyond(lines, from, "occupied"),
            Form::Lame(_) => format!("lame(&LAME_{number}, {from}, occupied)"),
            Form::Rows { .. } => "EMPTY".into(),
        }
    }

    /// A condition on the sites that a step goes over.
    fn opened(&self, empty: &[i32]) -> String {
        empty.iter().map(|places| format!(" & {}", moved("empty", -places))).collect()
    }

    /// A gate that must be open before the pieces are looked at.
    fn gate(&mut self, way: &Way, level: usize, text: &mut Text) -> (usize, String) {
        let Some(Gate::Given(slot)) = way.gate else { return (level, String::new()) };
        let field = self.page.field(slot).0.to_owned();
        text.line(level, format!("if position.{field} != NONE {{"));
        let Form::Rows { rows, is, .. } = &way.form else { return (level + 1, String::new()) };
        if *is != Some(slot) {
            return (level + 1, String::new());
        }
        let mut given: Vec<Bits> = vec![0; self.page.width];
        for row in rows {
            if let Some(set) = row.is.and_then(|site| given.get_mut(usize::from(site))) {
                *set |= one(row.from);
            }
        }
        let table = self.page.table(&given);
        (level + 1, format!(" & {table}[usize::from(position.{field}) & (WIDTH - 1)]"))
    }

    /// A way whose legal targets are told by masks, or need not be told.
    fn plain(&mut self, number: usize, way: &Way, base: usize, text: &mut Text) {
        let (level, given) = self.gate(way, base, text);
        let pieces = self.pieces(way, true) + &given;
        let mut allowed = self.ends(way);
        if self.legality == Legality::Masked {
            allowed.push("mask".into());
        }
        let allowed = if allowed.is_empty() { String::new() } else { format!(" & {}", allowed.join(" & ")) };
        match &way.form {
            Form::Shift { places, empty, froms } if self.legality != Legality::Danger => {
                let source = format!("({pieces} & {}{})", self.page.set(*froms), self.opened(empty));
                text.line(level, format!("let targets = {}{allowed};", moved(&source, *places)));
                text.line(level, format!("visitor.shift::<Way{number}>(targets);"));
            }
            _ => {
                let pieces = match &way.form {
                    Form::Shift { froms, .. } => format!("{pieces} & {}", self.page.set(*froms)),
                    _ => pieces,
                };
                let reached = self.reached(number, way, "from");
                text.line(level, format!("for from in Sites({pieces}) {{"));
                text.line(level + 1, format!("let targets = {reached}{allowed};"));
                if self.legality == Legality::Danger {
                    let me = self.me;
                    text.line(
                        level + 1,
                        format!(
                            "let targets = safe_{me}::<FREE>(tables, position, &node, {}, from, targets);",
                            way.kind
                        ),
                    );
                }
                text.line(level + 1, format!("visitor.set::<Way{number}>(from, targets);"));
                text.line(level, "}");
            }
        }
        if level > base {
            text.line(base, "}");
        }
    }

    /// The same for pieces that may only move along their line with the royal piece.
    fn pinned(&mut self, ways: &[(usize, Way)], base: usize, text: &mut Text) {
        text.line(base, "if pinned != 0 {");
        text.line(base + 1, "for from in Sites(pinned) {");
        text.line(base + 2, "let line = tables.through[pair(royal, from)] & mask;");
        text.line(base + 2, "let _ = line;");
        for (at, way) in ways {
            let number = self.first + at;
            let (level, given) = self.gate(way, base + 2, text);
            let pieces = self.pieces(way, false) + &given;
            let pieces = pieces.replace(" & own", "");
            let pieces = pieces.trim_start_matches('(').trim_end_matches(')');
            text.line(level, format!("if has({pieces}, from) {{"));
            let ends: String = self.ends(way).iter().map(|part| format!(" & {part}")).collect();
            let reached = self.reached(number, way, "from");
            text.line(level + 1, format!("let targets = {reached}{ends} & line;"));
            text.line(level + 1, format!("visitor.set::<Way{number}>(from, targets);"));
            text.line(level, "}");
            if level > base + 2 {
                text.line(base + 2, "}");
            }
        }
        text.line(base + 1, "}");
        text.line(base, "}");
    }

    /// A plain way of the royal piece.
    fn royal_way(&mut self, number: usize, way: &Way, text: &mut Text) {
        let me = self.me;
        let (level, given) = self.gate(way, 1, text);
        let pieces = self.pieces(way, false) + &given;
        let ends: String = self.ends(way).iter().map(|part| format!(" & {part}")).collect();
        let reached = self.reached(number, way, "from");
        text.line(level, format!("for from in Sites({pieces}) {{"));
        text.line(level + 1, format!("let targets = {reached}{ends};"));
        text.line(
            level + 1,
            format!("let kept = refuge_{me}::<FREE>(tables, position, &mut node, from, targets);"),
        );
        text.line(level + 1, format!("visitor.set::<Way{number}>(from, kept);"));
        text.line(level, "}");
        if level > 1 {
            text.line(1, "}");
        }
    }

    /// A way whose movements are judged one by one.
    fn judged_way(&mut self, number: usize, way: &Way, text: &mut Text) {
        let me = self.me;
        let (level, given) = self.gate(way, 1, text);
        let pieces = self.pieces(way, false) + &given;
        let ends: String = self.ends(way).iter().map(|part| format!(" & {part}")).collect();
        let reached = self.reached(number, way, "from");
        text.line(level, format!("for from in Sites({pieces}) {{"));
        text.line(level + 1, format!("let targets = {reached}{ends};"));
        text.line(level + 1, "let mut kept = EMPTY;");
        text.line(level + 1, "for to in Sites(targets) {");
        let mut conditions: Vec<String> = Vec::new();
        let board = &self.page.program.board;
        let bans = self.side.shapes.get(way.shape).map_or(&[][..], |shape| &shape.before);
        for place in bans.iter().filter_map(|ban| ban.attacked.as_deref()).flatten() {
            let site = match place {
                Place::From => "from".to_owned(),
                Place::To => "to".into(),
                Place::At(site) => site.to_string(),
                Place::Bound(_) => continue,
                Place::Beside(offset) => {
                    let places = crate::forms::places(board, *offset);
                    let call = if places < 0 { "wrapping_sub" } else { "wrapping_add" };
                    format!("from.{call}({})", places.unsigned_abs())
                }
            };
            conditions.push(format!("quiet_{me}(tables, position, &node, {site})"));
        }
        if self.side.royal.is_some() {
            conditions.push(format!("(FREE || spared_{me}::<Way{number}>(tables, position, from, to))"));
        }
        if conditions.is_empty() {
            conditions.push("true".into());
        }
        text.line(level + 2, format!("if {} {{", conditions.join(" && ")));
        text.line(level + 3, "kept |= one(to);");
        text.line(level + 2, "}");
        text.line(level + 1, "}");
        text.line(level + 1, format!("visitor.set::<Way{number}>(from, kept);"));
        text.line(level, "}");
        if level > 1 {
            text.line(1, "}");
        }
    }

    /// A way that is listed.
    fn listed_way(
        &mut self,
        number: usize,
        way: &Way,
        rows: &[Row],
        (within, is): (Option<u16>, Option<u16>),
        text: &mut Text,
    ) {
        let me = self.me;
        let (level, given) = self.gate(way, 1, text);
        let pieces = self.pieces(way, false) + &given;
        let mut conditions: Vec<String> = Vec::new();
        if let Some(slot) = within {
            conditions.push(format!("row.within & !position.{} == 0", self.page.set_field(slot)));
        }
        if let Some(slot) = is {
            let always = rows.iter().all(|row| row.is.is_some());
            let equal = format!("row.is == position.{}", self.page.field(slot).0);
            conditions.push(if always { equal } else { format!("(row.is == NONE || {equal})") });
        }
        conditions.push("row.stands(position, own, enemy)".into());
        conditions.push(format!("allowed_{me}::<Way{number}, FREE>(tables, position, &mut node, row)"));
        text.line(level, format!("for from in Sites({pieces}) {{"));
        text.line(
            level + 1,
            format!("let [start, end] = RANGE_{number}[from & (WIDTH - 1)].map(usize::from);"),
        );
        let inner = match within.filter(|_| keyed(rows)) {
            Some(slot) => {
                let field = self.page.set_field(slot);
                text.line(level + 1, "let _ = end;");
                text.line(level + 1, format!("let keys = KEYS_{number}[from & (WIDTH - 1)];"));
                text.line(level + 1, format!("for key in Sites(keys & position.{field}) {{"));
                text.line(level + 2, "let at = start + len(keys & (one(key) - 1)) as usize;");
                level + 2
            }
            None => {
                text.line(level + 1, "for at in start..end {");
                level + 2
            }
        };
        text.line(inner, format!("if let Some(row) = ROWS_{number}.get(at)"));
        for condition in conditions {
            text.line(inner + 1, format!("&& {condition}"));
        }
        text.line(inner, "{");
        text.line(inner + 1, format!("visitor.row::<Way{number}>(at, row);"));
        text.line(inner, "}");
        text.line(level + 1, "}");
        text.line(level, "}");
        if level > 1 {
            text.line(1, "}");
        }
    }

    /// The sites that the royal piece can come to from each site, or that its plies ask about.
    fn zones(&self) -> Vec<Bits> {
        let board = &self.page.program.board;
        let mut zones: Vec<Bits> = vec![0; board.len()];
        for way in self.side.ways.iter().filter(|way| Some(way.kind) == self.side.royal) {
            for (at, zone) in zones.iter_mut().enumerate() {
                *zone |= match &way.form {
                    Form::Shift { places, froms, .. } if froms >> at & 1 == 1 => {
                        Site::try_from(at as i32 + places).map_or(0, one)
                    }
                    Form::Shift { .. } => 0,
                    Form::Leap(targets) => targets.get(at).copied().unwrap_or(0),
                    Form::Lame(lists) => {
                        lists.get(at).into_iter().flatten().fold(0, |set, (to, _)| set | one(*to))
                    }
                    Form::Ray(lines) | Form::Screen(lines) => lines.full(board, at as Site),
                    Form::Rows { rows, .. } => {
                        let rows = rows.iter().filter(|row| usize::from(row.from) == at);
                        rows.flat_map(|row| &row.before).fold(0, |set, site| set | one(*site))
                    }
                };
            }
        }
        zones
    }

    /// What of the zone of the royal piece is attacked: only pieces that could reach it are looked at.
    fn threats(&mut self, text: &mut Text) {
        let Some(attacks) = self.opponent.attacks.as_ref() else { return };
        let me = self.me;
        let zones = self.zones();
        let program = self.page.program;
        let board = &program.board;
        let around = |of: &dyn Fn(Site) -> Bits| -> Vec<Bits> {
            zones.iter().map(|zone| crate::forms::sites(*zone).fold(0, |set, site| set | of(site))).collect()
        };
        text.line(0, "");
        text.line(0, "/// Which sites around the royal piece would be attacked if it were not there.");
        text.line(0, "#[inline(always)]");
        text.line(0, format!("fn threats_{me}(tables: &Tables, node: &Node{me}) -> Set {{"));
        text.line(1, "let royal = usize::from(node.royal) & (WIDTH - 1);");
        text.line(1, "let occupied = node.occupied & !one(royal);");
        text.line(1, "let mut struck = EMPTY;");
        for (at, leaps) in attacks.leaps.iter().enumerate() {
            let near = around(&|site| leaps.from.get(usize::from(site)).copied().unwrap_or(0));
            let forward: Vec<Bits> = (0..board.len() as Site)
                .map(|from| {
                    let hit = leaps.from.iter().zip(0..).filter(|(set, _)| **set & one(from) != 0);
                    hit.fold(0, |set, (_, to)| set | one(to))
                })
                .collect();
            let royal = self.opponent.royal.is_some_and(|kind| leaps.kinds == 1 << kind);
            if let Some(steps) = steps(&forward).filter(|_| !royal) {
                // A step for all pieces at once needs no guess of how many there are.
                text.line(1, format!("let pieces = node.forces.leaps[{at}];"));
                for (places, froms) in steps {
                    let source = format!("(pieces & {})", self.page.set(froms));
                    let moved = moved(&source, places);
                    let moved = moved.trim_start_matches("((").trim_end_matches(')');
                    text.line(1, format!("struck |= ({moved};"));
                }
                continue;
            }
            let (near, forward) = (self.page.table(&near), self.page.table(&forward));
            text.line(1, format!("for from in Sites(node.forces.leaps[{at}] & {near}[royal]) {{"));
            text.line(2, format!("struck |= {forward}[from & (WIDTH - 1)];"));
            text.line(1, "}");
        }
        for (at, family) in attacks.families.iter().enumerate() {
            let near = around(&|site| family.lines.full(board, site));
            let near = self.page.table(&near);
            let seen = self.looks.see(&family.lines.back(), "from", "occupied");
            text.line(1, format!("for from in Sites(node.forces.lines[{at}] & {near}[royal]) {{"));
            text.line(2, format!("struck |= {seen};"));
            text.line(1, "}");
        }
        text.line(1, "struck");
        text.line(0, "}");
    }

    /// The functions that judge a movement.
    pub(crate) fn judges(&mut self) -> String {
        let mut text = Text::default();
        if self.legality == Legality::Masked {
            self.threats(&mut text);
        }
        let (me, by) = (self.me.to_string(), (1 - self.me).to_string());
        let kind = self.side.royal.map_or(String::new(), |kind| kind.to_string());
        let fill = |part: &str| {
            part.replace("$me", &me)
                .replace("$by", &by)
                .replace("$kind", &kind)
                .replace("$node", &self.node_name())
        };
        if self.side.royal.is_some() {
            text.lines(0, fill(if self.simple { REFUGE_MASKED } else { REFUGE_DANGER }));
            text.lines(0, fill(SPARED));
        }
        if self.asks && self.judged() {
            text.lines(0, fill(if self.simple { QUIET_SIMPLE } else { QUIET }));
        }
        text.0
    }
}

/// Whether a site tells the ways from one site apart.
fn keyed(rows: &[Row]) -> bool {
    rows.iter().all(|row| row.key().is_some())
        && rows.windows(2).all(|pair| match pair {
            [a, b] => (a.from, a.key()) != (b.from, b.key()),
            _ => true,
        })
}

/// The same ways for whoever only counts: a piece that goes as two others do is looked at with those. None if there
/// is no such piece.
fn merged(board: &Board, ways: &[(usize, Way)]) -> Option<Vec<(usize, Way)>> {
    let lines = |way: &Way| match &way.form {
        Form::Ray(lines) if lines.upper | lines.lower == 0 => Some(lines.both),
        _ => None,
    };
    let open =
        |way: &Way| way.gate.is_none() && way.picked == 0 && way.froms == all(board) && way.tos == all(board);
    let mut made = ways.to_vec();
    let mut at = 0;
    let mut found = false;
    while let Some(way) = made.get(at).map(|(_, way)| way.clone()) {
        let parts = lines(&way).filter(|_| open(&way)).and_then(|wanted| {
            let part = |lines_of: u8| {
                made.iter().position(|(_, other)| {
                    lines(other) == Some(lines_of)
                        && open(other)
                        && other.ends == way.ends
                        && other.kind != way.kind
                })
            };
            (1..wanted)
                .filter(|a| a & wanted == *a && *a < wanted & !a)
                .find_map(|a| Some([part(a)?, part(wanted & !a)?]))
        });
        let Some(parts) = parts else {
            at += 1;
            continue;
        };
        for part in parts {
            if let Some((_, other)) = made.get_mut(part) {
                other.alike |= way.alike | 1 << way.kind;
            }
        }
        made.remove(at);
        found = true;
    }
    found.then_some(made)
}

/// A table of leaps as steps of the same distance from everywhere, with where each can begin; none where there are
/// too many.
fn steps(forward: &[Bits]) -> Option<Vec<(i32, Bits)>> {
    let mut found: Vec<(i32, Bits)> = Vec::new();
    for (from, targets) in forward.iter().enumerate() {
        for to in crate::forms::sites(*targets) {
            let places = i32::from(to) - from as i32;
            let bit = one(from as Site);
            match found.iter_mut().find(|(known, _)| *known == places) {
                Some((_, froms)) => *froms |= bit,
                None => found.push((places, bit)),
            }
        }
    }
    found.sort_unstable();
    (found.len() <= 10).then_some(found)
}

/// A set moved by a number of places.
fn moved(set: &str, places: i32) -> String {
    match places {
        0 => set.to_owned(),
        1.. => format!("({set} << {places})"),
        _ => format!("({set} >> {})", places.unsigned_abs()),
    }
}
