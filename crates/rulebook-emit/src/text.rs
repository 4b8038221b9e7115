//! Text of Rust: lines, numbers and tables as they stand in a module.
//!
//! Invariant: the same values give the same text, byte for byte.

use std::fmt::Write as _;

use rulebook_machine::program::{Program, Type};

use crate::forms::{Bits, sites};

/// A text that grows.
#[derive(Default)]
pub(crate) struct Text(pub(crate) String);

impl Text {
    /// Adds a line, some levels in.
    pub(crate) fn line(&mut self, level: usize, line: impl AsRef<str>) {
        if !line.as_ref().is_empty() {
            for _ in 0..level {
                self.0.push_str("    ");
            }
            self.0.push_str(line.as_ref());
        }
        self.0.push('\n');
    }

    /// Adds several lines, some levels in; each keeps how far it is in.
    pub(crate) fn lines(&mut self, level: usize, lines: impl AsRef<str>) {
        for line in lines.as_ref().lines() {
            self.line(level, line);
        }
    }
}

/// A module in the making: what every part of the text needs to know.
pub(crate) struct Page<'p> {
    pub(crate) program: &'p Program,
    /// Bits of a set.
    pub(crate) width: usize,
    /// Tables of a set for each site, and their names.
    tables: Vec<(Vec<Bits>, String)>,
    /// The names of the variables by slot: those of sets, then all others.
    fields: [Vec<(String, Type)>; 2],
}

/// A name of Rust from a name of a rule set.
pub(crate) fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
}

impl<'p> Page<'p> {
    /// A page for a program.
    pub(crate) fn new(program: &'p Program) -> Self {
        let mut fields: [Vec<(String, Type)>; 2] = Default::default();
        for var in &program.vars {
            let list = if var.ty == Type::Sites { &mut fields[0] } else { &mut fields[1] };
            let end = usize::from(var.slot) + usize::from(var.count);
            if list.len() < end {
                list.resize(end, (String::new(), var.ty));
            }
            for at in 0..var.count {
                let name = identifier(&var.name);
                let name =
                    if var.each.is_empty() { format!("its_{name}") } else { format!("its_{name}_{at}") };
                if let Some(field) = list.get_mut(usize::from(var.slot + at)) {
                    *field = (name, var.ty);
                }
            }
        }
        Self { program, width: if program.board.len() <= 64 { 64 } else { 128 }, tables: Vec::new(), fields }
    }

    /// The field of a set variable at a slot.
    pub(crate) fn set_field(&self, slot: u16) -> &str {
        self.fields[0].get(usize::from(slot)).map_or("", |(name, _)| name)
    }

    /// The field of another variable at a slot, with its type.
    pub(crate) fn field(&self, slot: u16) -> (&str, Type) {
        self.fields[1].get(usize::from(slot)).map_or(("", Type::Number), |(name, ty)| (name, *ty))
    }

    /// A set.
    pub(crate) fn set(&self, set: Bits) -> String {
        if set == 0 {
            return "0".into();
        }
        let digits = format!("{set:0width$x}", width = self.width / 4);
        let groups: Vec<&str> =
            (0..digits.len() / 4).filter_map(|at| digits.get(at * 4..at * 4 + 4)).collect();
        format!("0x{}", groups.join("_"))
    }

    /// The name of the table that has a set for each site.
    pub(crate) fn table(&mut self, sets: &[Bits]) -> String {
        let mut sets = sets.to_vec();
        sets.resize(self.width, 0);
        if let Some((_, name)) = self.tables.iter().find(|(known, _)| *known == sets) {
            return name.clone();
        }
        let name = format!("TABLE_{}", self.tables.len());
        self.tables.push((sets, name.clone()));
        name
    }

    /// The tables that were named.
    pub(crate) fn tables(&self) -> String {
        let mut text = Text::default();
        for (sets, name) in &self.tables {
            text.line(0, "");
            text.line(0, "#[rustfmt::skip]");
            text.line(0, "#[allow(dead_code, reason = \"some tables are only looked at in some ways\")]");
            text.line(0, format!("static {name}: [Set; WIDTH] = ["));
            for row in sets.chunks(if self.width == 64 { 4 } else { 2 }) {
                let row: Vec<String> = row.iter().map(|set| self.set(*set)).collect();
                text.line(1, format!("{},", row.join(", ")));
            }
            text.line(0, "];");
        }
        text.0
    }

    /// The pieces of some kinds, whoever owns them.
    pub(crate) fn kinds(&self, position: &str, kinds: u128) -> String {
        let kinds: Vec<String> = sites(kinds)
            .filter(|kind| usize::from(*kind) < self.program.kinds.len())
            .map(|kind| format!("{position}.kinds[{kind}]"))
            .collect();
        match &kinds[..] {
            [] => "0".into(),
            [one] => one.clone(),
            many => format!("({})", many.join(" | ")),
        }
    }

    /// What a variable that is no set is kept as.
    pub(crate) fn kept(ty: Type) -> &'static str {
        match ty {
            Type::Truth => "bool",
            Type::Number => "i64",
            Type::Text => "u32",
            Type::Player | Type::Kind | Type::Site | Type::Sites | Type::Row => "u8",
        }
    }

    /// A packed value of a variable.
    pub(crate) fn value(ty: Type, packed: i64) -> String {
        let nothing = packed == rulebook_machine::position::NOTHING;
        match ty {
            Type::Truth => (packed == 1).to_string(),
            Type::Number => rulebook_machine::position::unpack(packed).0.to_string(),
            Type::Text if nothing => "u32::MAX".into(),
            _ if nothing => "NONE".into(),
            _ => packed.to_string(),
        }
    }
}

/// Bytes as a literal, line by line.
pub(crate) fn bytes(bytes: &[u8]) -> String {
    let mut text = String::new();
    for row in bytes.chunks(24) {
        text.push_str("    ");
        for byte in row {
            // Writing to a string does not fail.
            let _ = match byte {
                b'"' | b'\\' => write!(text, "\\{}", char::from(*byte)),
                // A space at the end of a line that goes on would be lost.
                b'!'..=b'~' => write!(text, "{}", char::from(*byte)),
                _ => write!(text, "\\x{byte:02x}"),
            };
        }
        text.push_str("\\\n");
    }
    text
}
