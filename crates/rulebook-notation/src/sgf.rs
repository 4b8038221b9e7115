//! Reads SGF: the root properties, the setup and the plays of one line of every game tree.
//!
//! For everything that replays recorded games. The tree is walked here, without recursion and with
//! the range of every value, because `sgf-parse` gives no ranges, keeps one nested node for each play
//! and drops them recursively; what a value means (a point, a compressed list of points, a play, a
//! size) is left to `sgf_parse::go::Prop`. Invariant: every span is the exact range of its property in
//! the source, no input makes this module panic, and time is linear in the text. It deliberately
//! reads one line only, the first one unless another is asked for, and counts the others, keeps root properties
//! as texts, and judges no play: whether one is allowed is the rule file's affair. Common damage (text before the
//! first tree, a missing or surplus `)`, a missing first `;`, a bracket without its escape) is repaired, and what
//! was assumed is a warning of the record with its place.

pub mod encoding;
pub mod terms;
pub mod write;

use std::sync::Arc;

use rulebook_syntax::codes::{LIMIT_EXCEEDED, SGF_REPAIRED, SGF_SYNTAX};
use rulebook_syntax::{Diagnostic, Source, Span};
use sgf_parse::SgfProp as _;
use sgf_parse::go::{Move, Point, Prop};

/// The longest text that is read, in bytes.
pub const MAX_TEXT: usize = 256 << 20;
/// How deep the parentheses of variations may nest.
pub const MAX_DEPTH: usize = 1000;
/// The most setup points of one text, compressed lists expanded, beyond one for every two bytes.
pub const MAX_SETUP: usize = 100_000;
/// The most warnings kept for one record.
pub const MAX_WARNINGS: usize = 50;
/// `parse` gives up after this many errors.
pub const MAX_ERRORS: usize = 100;

/// Letters name no more columns or rows than this.
const MAX_SIDE: u8 = 52;
/// The size of a record that names none, by the format.
const DEFAULT_SIZE: (u16, u16) = (19, 19);

/// One game tree, reduced to one of its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Columns and rows.
    pub size: (u16, u16),
    /// The names of the players as `("B", name)` and `("W", name)`, where given.
    pub players: Vec<(String, String)>,
    /// The properties of the root node with their values, in the order of the text. Escapes are
    /// resolved; otherwise the values are as written.
    pub properties: Vec<(String, Vec<String>)>,
    /// Where these properties stand.
    pub places: Vec<Span>,
    /// What is put (`"B"`, `"W"`) or taken away (`"E"`) before the first play, in the order of the
    /// text; the points of a compressed list row by row. Points as in [`Play`].
    pub setup: Vec<(String, (u16, u16))>,
    /// The plays of the line.
    pub moves: Vec<Play>,
    /// What was assumed, repaired or left out, each with its place.
    pub warnings: Vec<Diagnostic>,
    /// How many lines there are besides this one.
    pub variations: usize,
}

impl Record {
    /// The first value of a root property, without blanks around it, and the place of the property.
    pub fn root(&self, name: &str) -> Option<(&str, Span)> {
        let at = self.properties.iter().position(|(known, _)| known == name)?;
        let (_, values) = self.properties.get(at)?;
        Some((values.first()?.trim(), self.places.get(at).copied().unwrap_or_default()))
    }
}

/// One play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Play {
    /// `"B"` or `"W"`.
    pub color: String,
    /// Column from the left and row from the top, counted from zero; `None` is a pass, written as an
    /// empty value, or as `tt` where the grid has at most 19 columns and rows.
    pub point: Option<(u16, u16)>,
    /// The whole property, such as `B[dd]`.
    pub span: Option<Span>,
}

/// All records of a text with their main lines, or what is wrong with it. A wrong value does not hide later
/// errors; a broken tree does, since where the next one begins is then a guess.
pub fn parse(source: &Arc<Source>) -> Result<Vec<Record>, Vec<Diagnostic>> {
    parse_line(source, 1)
}

/// The same with one of the lines of each tree, which are counted from one as they end in the text; the first
/// one is the main line.
pub fn parse_line(source: &Arc<Source>, wanted: usize) -> Result<Vec<Record>, Vec<Diagnostic>> {
    let text = source.text.as_str();
    if text.len() > MAX_TEXT {
        let message = format!("the text has {} bytes; at most {MAX_TEXT} are read", text.len());
        return Err(vec![Diagnostic::error(LIMIT_EXCEEDED, source, Span::new(0, 0), message)]);
    }
    let mut reader = Reader { source, at: 0, wanted, setup_left: MAX_SETUP + text.len() / 2 };
    let mut records: Vec<Record> = Vec::new();
    let mut errors = Vec::new();
    loop {
        let gap = reader.skip_to_tree();
        let warnings = gap.stray.map(|at| {
            let what =
                if reader.byte(at) == Some(b')') { "a surplus `)`" } else { "text outside of a game tree" };
            reader.warning(reader.character(at).0, format!("{what} is skipped"))
        });
        if !gap.found {
            if let Some(last) = records.last_mut() {
                last.warnings.extend(warnings);
            } else if errors.is_empty() {
                let at = gap.stray.unwrap_or(0);
                errors.push(reader.error(at, "expected a game tree, which begins with `(;`"));
            }
            break;
        }
        let tree = match reader.tree() {
            Ok(tree) => tree,
            Err(error) => {
                errors.push(error);
                break;
            }
        };
        let mut record = Record { variations: tree.lines.saturating_sub(1), ..Record::default() };
        record.warnings.extend(warnings);
        reader.interpret(tree, &mut record, &mut errors);
        if errors.len() >= MAX_ERRORS {
            errors.truncate(MAX_ERRORS);
            break;
        }
        records.push(record);
    }
    if errors.is_empty() { Ok(records) } else { Err(errors) }
}

/// What is read of nodes other than the root.
const USED: [&str; 5] = ["B", "W", "AB", "AW", "AE"];

/// One property of the line.
struct Property {
    name: String,
    /// The ranges between the brackets.
    values: Vec<Span>,
    span: Span,
    root: bool,
}

/// A game tree before its values are interpreted.
#[derive(Default)]
struct Tree {
    properties: Vec<Property>,
    /// How many lines have ended.
    lines: usize,
    /// Whether the wanted line has ended: what follows does not belong to it.
    done: bool,
    warnings: Vec<(Span, &'static str)>,
}

/// An open parenthesis.
struct Open {
    nodes: usize,
    branches: usize,
    /// How many properties stand before it.
    before: usize,
}

/// What lies before the next tree.
struct Gap {
    found: bool,
    /// The first character that is not white space.
    stray: Option<usize>,
}

struct Reader<'a> {
    source: &'a Arc<Source>,
    at: usize,
    /// Which line of a tree is read, counted from one.
    wanted: usize,
    /// How many more setup points are read.
    setup_left: usize,
}

impl Reader<'_> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.source.text.as_bytes().get(at).copied()
    }

    fn skip_space(&self, mut at: usize) -> usize {
        while self.byte(at).is_some_and(is_space) {
            at += 1;
        }
        at
    }

    fn skip_name(&self, mut at: usize) -> usize {
        while self.byte(at).is_some_and(|byte| byte.is_ascii_alphanumeric()) {
            at += 1;
        }
        at
    }

    /// The character at an offset as a span, empty at the end of the text.
    fn character(&self, at: usize) -> (Span, Option<char>) {
        let char = self.source.text.get(at..).and_then(|rest| rest.chars().next());
        (Span::new(at, at + char.map_or(0, char::len_utf8)), char)
    }

    fn error(&self, at: usize, expected: &str) -> Diagnostic {
        let (span, char) = self.character(at);
        let found = char
            .map_or_else(|| "the end of the text".to_owned(), |char| format!("`{}`", char.escape_debug()));
        Diagnostic::error(SGF_SYNTAX, self.source, span, format!("{expected}, found {found}"))
    }

    fn warning(&self, span: Span, text: impl Into<String>) -> Diagnostic {
        Diagnostic::warning(SGF_REPAIRED, self.source, span, text)
    }

    /// Moves to the next `(` that begins a tree: one before a `;`, or before a property.
    fn skip_to_tree(&mut self) -> Gap {
        let mut stray = None;
        while let (Span { end, .. }, Some(char)) = self.character(self.at) {
            if char == '(' {
                let inside = self.skip_space(self.at + 1);
                let after = self.skip_name(inside);
                let property = after > inside && self.byte(self.skip_space(after)) == Some(b'[');
                if property || self.byte(inside) == Some(b';') {
                    return Gap { found: true, stray };
                }
            }
            if stray.is_none() && !char.is_whitespace() && char != '\u{FEFF}' {
                stray = Some(self.at);
            }
            self.at = end;
        }
        Gap { found: false, stray }
    }

    /// Reads the tree whose `(` is here, and moves behind it.
    fn tree(&mut self) -> Result<Tree, Diagnostic> {
        let start = Span::new(self.at, self.at + 1);
        let mut tree = Tree::default();
        let mut opens: Vec<Open> = Vec::new();
        let mut root = true;
        loop {
            self.at = self.skip_space(self.at);
            let here = self.at;
            let Some(byte) = self.byte(here) else {
                tree.warn(Span::new(here, here), "a missing `)` at the end is added");
                while let Some(open) = opens.pop() {
                    tree.close(&open, self.wanted);
                }
                return self.whole(tree, start);
            };
            let depth = opens.len();
            match (byte, opens.last_mut()) {
                (b'(', None) => opens.push(Open { nodes: 0, branches: 0, before: 0 }),
                (b'(', Some(parent)) if parent.nodes > 0 => {
                    if depth >= MAX_DEPTH {
                        let message = format!("variations nest deeper than {MAX_DEPTH}");
                        let span = Span::new(here, here + 1);
                        return Err(Diagnostic::error(LIMIT_EXCEEDED, self.source, span, message));
                    }
                    parent.branches += 1;
                    opens.push(Open { nodes: 0, branches: 0, before: tree.properties.len() });
                }
                (b')', Some(open)) if open.nodes > 0 => {
                    tree.close(open, self.wanted);
                    opens.pop();
                    if opens.is_empty() {
                        self.at += 1;
                        return self.whole(tree, start);
                    }
                }
                (b';', Some(open)) if open.branches == 0 => {
                    root = root && open.nodes == 0 && depth == 1;
                    open.nodes += 1;
                }
                (_, Some(open)) if byte.is_ascii_alphanumeric() && open.branches == 0 => {
                    if open.nodes == 0 {
                        tree.warn(Span::new(here, here), "a missing `;` at the beginning is added");
                        open.nodes = 1;
                        root = root && depth == 1;
                    }
                    let property = self.property(root, &mut tree)?;
                    if property.name.is_empty() {
                        tree.warn(
                            property.span,
                            "a property whose name has no upper-case letter is left out",
                        );
                    } else if !tree.done && (root || USED.contains(&property.name.as_str())) {
                        tree.properties.push(property);
                    }
                    continue;
                }
                (_, open) => {
                    let expected = match open {
                        Some(Open { nodes: 0, .. }) => "expected `;`",
                        Some(Open { branches: 0, .. }) => "expected a property, `;`, `(` or `)`",
                        _ => "expected `(` or `)`, since nothing else follows a variation",
                    };
                    return Err(self.error(here, expected));
                }
            }
            self.at += 1;
        }
    }

    /// The tree, if it has the wanted line.
    fn whole(&self, tree: Tree, start: Span) -> Result<Tree, Diagnostic> {
        if tree.done {
            return Ok(tree);
        }
        let lines = if tree.lines == 1 { "one line".to_owned() } else { format!("{} lines", tree.lines) };
        let message = format!("there is no line {}: this tree has {lines}", self.wanted);
        Err(Diagnostic::error(SGF_SYNTAX, self.source, start, message))
    }

    /// Reads a name and its values, and moves behind them.
    fn property(&mut self, root: bool, tree: &mut Tree) -> Result<Property, Diagnostic> {
        let start = self.at;
        let name_end = self.skip_name(start);
        // Older versions of the format fill names up with lower-case letters.
        let name = self.source.text.get(start..name_end).unwrap_or("");
        let name = name.chars().filter(|char| !char.is_ascii_lowercase()).collect();
        let mut values = Vec::new();
        let mut end = name_end;
        loop {
            let open = self.skip_space(end);
            if self.byte(open) != Some(b'[') {
                if values.is_empty() {
                    return Err(self.error(open, "expected a value in `[` and `]`"));
                }
                self.at = end;
                return Ok(Property { name, values, span: Span::new(start, end), root });
            }
            let mut at = self.closing(open, open + 1)?;
            // A bracket that opens in a text and is closed there is often not escaped. Where nothing goes on behind
            // the first `]` that could, the text does.
            let mut inside = self.brackets(open + 1, at);
            while inside > 0 && !self.goes_on(at + 1) {
                let Ok(next) = self.closing(open, at + 1) else { break };
                tree.warn(Span::new(at, at + 1), "a `]` that is not escaped is taken as a part of the text");
                inside = inside - 1 + self.brackets(at + 1, next);
                at = next;
            }
            values.push(Span::new(open + 1, at));
            end = at + 1;
        }
    }

    /// The first `]` from an offset on that is not escaped.
    fn closing(&self, open: usize, mut at: usize) -> Result<usize, Diagnostic> {
        loop {
            match self.byte(at) {
                Some(b']') => return Ok(at),
                Some(b'\\') => at += 2,
                Some(_) => at += 1,
                None => {
                    let span = Span::new(open, open + 1);
                    let message = "this value is never closed, expected `]`";
                    return Err(Diagnostic::error(SGF_SYNTAX, self.source, span, message));
                }
            }
        }
    }

    /// How many brackets that are not escaped open in a range.
    fn brackets(&self, start: usize, end: usize) -> usize {
        let (mut open, mut escaped) = (0, false);
        for byte in self.source.text.as_bytes().get(start..end).unwrap_or(&[]) {
            open += usize::from(!escaped && *byte == b'[');
            escaped = !escaped && *byte == b'\\';
        }
        open
    }

    /// Whether something follows that may follow a value.
    fn goes_on(&self, at: usize) -> bool {
        let at = self.skip_space(at);
        match self.byte(at) {
            None | Some(b'[' | b';' | b'(' | b')') => true,
            Some(byte) if byte.is_ascii_alphabetic() => {
                self.byte(self.skip_space(self.skip_name(at))) == Some(b'[')
            }
            Some(_) => false,
        }
    }

    /// The text of a value: escapes resolved, escaped line ends removed.
    fn value(&self, span: Span) -> String {
        let raw = self.source.text.get(span.start..span.end).unwrap_or("");
        let mut value = String::with_capacity(raw.len());
        let mut chars = raw.chars().peekable();
        while let Some(char) = chars.next() {
            if char != '\\' {
                value.push(char);
                continue;
            }
            match chars.next() {
                Some('\n') => drop(chars.next_if_eq(&'\r')),
                Some('\r') => drop(chars.next_if_eq(&'\n')),
                Some(char) => value.push(char),
                None => {}
            }
        }
        value
    }

    /// Fills a record from the properties of the main line.
    fn interpret(&mut self, tree: Tree, record: &mut Record, errors: &mut Vec<Diagnostic>) {
        for (span, text) in tree.warnings {
            record.warnings.push(self.warning(span, text));
        }
        for property in tree.properties.iter().filter(|property| property.root) {
            let values = property.values.iter().map(|span| self.value(*span)).collect();
            // Plays and setup may stand in several properties; of the others the first one counts.
            let known = record.properties.iter().any(|(name, _)| *name == property.name);
            if known && !USED.contains(&property.name.as_str()) {
                let text = format!("`{}` stands twice; the first one counts", property.name);
                record.warnings.push(self.warning(property.span, text));
            }
            record.properties.push((property.name.clone(), values));
            record.places.push(property.span);
        }
        for (color, name) in [("B", "PB"), ("W", "PW")] {
            let player = record.properties.iter().find(|(property, _)| property == name);
            if let Some(player) = player.and_then(|(_, values)| values.first()) {
                record.players.push((color.to_owned(), player.trim().to_owned()));
            }
        }
        if let Some((_, span)) = record.root("GM").filter(|(game, _)| *game != "1") {
            let text = "`GM` is not 1; points are read as pairs of letters all the same";
            record.warnings.push(self.warning(span, text));
        }
        match self.size(&tree.properties) {
            Ok(size) => record.size = size,
            Err(error) => {
                errors.push(error);
                return;
            }
        }
        for property in &tree.properties {
            let kind = property.name.as_str();
            let result = match kind {
                "B" | "W" => self.play(property, record.size).map(|play| record.moves.push(play)),
                "AB" | "AW" | "AE" => self.setup(property, kind.trim_start_matches('A'), record),
                _ => Ok(()),
            };
            errors.extend(result.err());
            if errors.len() >= MAX_ERRORS {
                return;
            }
        }
        record.warnings.truncate(MAX_WARNINGS);
    }

    fn size(&self, properties: &[Property]) -> Result<(u16, u16), Diagnostic> {
        let Some(property) = properties.iter().find(|property| property.root && property.name == "SZ") else {
            return Ok(DEFAULT_SIZE);
        };
        let values = property.values.iter().map(|span| self.value(*span).trim().to_owned()).collect();
        let possible = 1..=MAX_SIDE;
        match Prop::new("SZ".to_owned(), values) {
            Prop::SZ((columns, rows)) if possible.contains(&columns) && possible.contains(&rows) => {
                Ok((columns.into(), rows.into()))
            }
            _ => {
                let message = format!("expected a size from 1 to {MAX_SIDE}, or two as in `[7:5]`");
                Err(Diagnostic::error(SGF_SYNTAX, self.source, property.span, message))
            }
        }
    }

    fn play(&self, property: &Property, size: (u16, u16)) -> Result<Play, Diagnostic> {
        let play = |point| Play { color: property.name.clone(), point, span: Some(property.span) };
        let values: Vec<String> =
            property.values.iter().map(|span| self.value(*span).trim().to_owned()).collect();
        let pass = matches!(values.as_slice(), [only] if only == "tt") && size.0 <= 19 && size.1 <= 19;
        match Prop::new(property.name.clone(), values) {
            _ if pass => Ok(play(None)),
            Prop::B(Move::Pass) | Prop::W(Move::Pass) => Ok(play(None)),
            Prop::B(Move::Move(point)) | Prop::W(Move::Move(point)) => {
                Ok(play(Some(self.inside(point, size, property.span)?)))
            }
            _ => {
                let message = format!("expected one point in letters, such as `{}[aa]`", property.name);
                Err(Diagnostic::error(SGF_SYNTAX, self.source, property.span, message))
            }
        }
    }

    fn setup(&mut self, property: &Property, kind: &str, record: &mut Record) -> Result<(), Diagnostic> {
        if !record.moves.is_empty() {
            if record.warnings.len() < MAX_WARNINGS {
                let text = "setup after the first play is left out";
                record.warnings.push(self.warning(property.span, text));
            }
            return Ok(());
        }
        for span in &property.values {
            let value = self.value(*span).trim().to_owned();
            if value.is_empty() {
                continue;
            }
            let (Prop::AB(points) | Prop::AW(points) | Prop::AE(points)) =
                Prop::new(property.name.clone(), vec![value])
            else {
                let message = "expected a point in letters, or two corners as in `aa:cb`";
                return Err(Diagnostic::error(SGF_SYNTAX, self.source, *span, message));
            };
            let mut points: Vec<Point> = points.into_iter().collect();
            points.sort_unstable_by_key(|point| (point.y, point.x));
            let Some(left) = self.setup_left.checked_sub(points.len()) else {
                let message = "the compressed lists of this text hold too many points";
                return Err(Diagnostic::error(LIMIT_EXCEEDED, self.source, *span, message));
            };
            self.setup_left = left;
            for point in points {
                let point = self.inside(point, record.size, *span)?;
                record.setup.push((kind.to_owned(), point));
            }
        }
        Ok(())
    }

    /// The point, if the grid has it.
    fn inside(&self, point: Point, size: (u16, u16), span: Span) -> Result<(u16, u16), Diagnostic> {
        let (column, row) = (u16::from(point.x), u16::from(point.y));
        if column < size.0 && row < size.1 {
            return Ok((column, row));
        }
        let letter = |index: u8| char::from(if index < 26 { b'a' + index } else { b'A' + (index - 26) % 26 });
        let message = format!(
            "`{}{}` is outside of a grid with {} columns and {} rows",
            letter(point.x),
            letter(point.y),
            size.0,
            size.1
        );
        Err(Diagnostic::error(SGF_SYNTAX, self.source, span, message))
    }
}

impl Tree {
    fn warn(&mut self, span: Span, text: &'static str) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push((span, text));
        }
    }

    /// A parenthesis is closed: where nothing branched off in it a line ends. What stood in it belongs to no
    /// other line.
    fn close(&mut self, open: &Open, wanted: usize) {
        if open.branches == 0 {
            self.lines += 1;
            self.done = self.done || self.lines == wanted;
        }
        if !self.done {
            self.properties.truncate(open.before);
        }
    }
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C)
}

#[cfg(test)]
mod tests;
