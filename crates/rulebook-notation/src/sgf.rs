//! Reads SGF: the root properties, the setup and the plays of the main line of every game tree.
//!
//! For everything that replays recorded games. The tree is walked here, without recursion and with
//! the range of every value, because `sgf-parse` gives no ranges, keeps one nested node for each play
//! and drops them recursively; what a value means (a point, a compressed list of points, a play, a
//! size) is left to `sgf_parse::go::Prop`. Invariant: every span is the exact range of its property in
//! the source, no input makes this module panic, and time is linear in the text. It deliberately
//! reads the first branch only and counts the others, keeps root properties as texts, and judges no
//! play: whether one is allowed is the rule file's affair. Common damage (text before the first tree,
//! a missing or surplus `)`, a missing first `;`) is repaired and reported as a warning of the record.

use std::sync::Arc;

use rulebook_syntax::codes::{LIMIT_EXCEEDED, SGF_SYNTAX};
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

/// One game tree, reduced to its main line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Columns and rows.
    pub size: (u16, u16),
    /// The names of the players as `("B", name)` and `("W", name)`, where given.
    pub players: Vec<(String, String)>,
    /// The properties of the root node with their values, in the order of the text. Escapes are
    /// resolved; otherwise the values are as written.
    pub properties: Vec<(String, Vec<String>)>,
    /// What is put (`"B"`, `"W"`) or taken away (`"E"`) before the first play, in the order of the
    /// text; the points of a compressed list row by row. Points as in [`Play`].
    pub setup: Vec<(String, (u16, u16))>,
    /// The plays of the main line.
    pub moves: Vec<Play>,
    /// What was repaired or left out, each with its line.
    pub warnings: Vec<String>,
    /// How many lines there are besides the main line.
    pub variations: usize,
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

/// All records of a text, or what is wrong with it. A wrong value does not hide later errors; a
/// broken tree does, since where the next one begins is then a guess.
pub fn parse(source: &Arc<Source>) -> Result<Vec<Record>, Vec<Diagnostic>> {
    let text = source.text.as_str();
    if text.len() > MAX_TEXT {
        let message = format!("the text has {} bytes; at most {MAX_TEXT} are read", text.len());
        return Err(vec![Diagnostic::error(LIMIT_EXCEEDED, source, Span::new(0, 0), message)]);
    }
    let mut reader = Reader { source, at: 0, line: 1, counted: 0, setup_left: MAX_SETUP + text.len() / 2 };
    let mut records: Vec<Record> = Vec::new();
    let mut errors = Vec::new();
    loop {
        let gap = reader.skip_to_tree();
        let warnings = gap.stray.map(|at| {
            let what =
                if reader.byte(at) == Some(b')') { "a surplus `)`" } else { "text outside of a game tree" };
            reader.warning(at, &format!("{what} is skipped"))
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
        let mut record = Record { variations: tree.variations, ..Record::default() };
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

/// One property of the main line.
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
    variations: usize,
    /// Offsets and texts of warnings.
    warnings: Vec<(usize, &'static str)>,
}

/// An open parenthesis.
struct Open {
    main: bool,
    nodes: usize,
    branches: usize,
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
    /// The line of the offset `counted`, so that lines are not counted from the start every time.
    line: usize,
    counted: usize,
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

    fn warning(&mut self, at: usize, text: &str) -> String {
        let bytes = self.source.text.as_bytes();
        let lines =
            |from: usize| bytes.get(from..at).unwrap_or(&[]).iter().filter(|byte| **byte == b'\n').count();
        let line = if at < self.counted { 1 + lines(0) } else { self.line + lines(self.counted) };
        format!("line {line}: {text}")
    }

    /// Remembers the line of an offset, for the warnings after it.
    fn count_lines(&mut self, at: usize) {
        let passed = self.source.text.as_bytes().get(self.counted..at).unwrap_or(&[]);
        self.line += passed.iter().filter(|byte| **byte == b'\n').count();
        self.counted = self.counted.max(at);
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
        self.count_lines(self.at);
        let mut tree = Tree::default();
        let mut opens: Vec<Open> = Vec::new();
        let mut root = true;
        loop {
            self.at = self.skip_space(self.at);
            let here = self.at;
            let Some(byte) = self.byte(here) else {
                tree.warn(here, "a missing `)` at the end is added");
                return Ok(tree);
            };
            let depth = opens.len();
            match (byte, opens.last_mut()) {
                (b'(', None) => opens.push(Open { main: true, nodes: 0, branches: 0 }),
                (b'(', Some(parent)) if parent.nodes > 0 => {
                    if depth >= MAX_DEPTH {
                        let message = format!("variations nest deeper than {MAX_DEPTH}");
                        let span = Span::new(here, here + 1);
                        return Err(Diagnostic::error(LIMIT_EXCEEDED, self.source, span, message));
                    }
                    let first = parent.branches == 0;
                    parent.branches += 1;
                    tree.variations += usize::from(!first);
                    let main = parent.main && first;
                    opens.push(Open { main, nodes: 0, branches: 0 });
                }
                (b')', Some(open)) if open.nodes > 0 => {
                    opens.pop();
                    if opens.is_empty() {
                        self.at += 1;
                        return Ok(tree);
                    }
                }
                (b';', Some(open)) if open.branches == 0 => {
                    root = root && open.nodes == 0 && depth == 1;
                    open.nodes += 1;
                }
                (_, Some(open)) if byte.is_ascii_alphanumeric() && open.branches == 0 => {
                    if open.nodes == 0 {
                        tree.warn(here, "a missing `;` at the beginning is added");
                        open.nodes = 1;
                        root = root && depth == 1;
                    }
                    let property = self.property(root)?;
                    if property.name.is_empty() {
                        tree.warn(here, "a property whose name has no upper-case letter is left out");
                    } else if open.main && (root || USED.contains(&property.name.as_str())) {
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

    /// Reads a name and its values, and moves behind them.
    fn property(&mut self, root: bool) -> Result<Property, Diagnostic> {
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
            let mut at = open + 1;
            loop {
                match self.byte(at) {
                    Some(b']') => break,
                    Some(b'\\') => at += 2,
                    Some(_) => at += 1,
                    None => {
                        let span = Span::new(open, open + 1);
                        let message = "this value is never closed, expected `]`";
                        return Err(Diagnostic::error(SGF_SYNTAX, self.source, span, message));
                    }
                }
            }
            values.push(Span::new(open + 1, at));
            end = at + 1;
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
        for (at, text) in tree.warnings {
            let warning = self.warning(at, text);
            record.warnings.push(warning);
        }
        for property in tree.properties.iter().filter(|property| property.root) {
            let values = property.values.iter().map(|span| self.value(*span)).collect();
            record.properties.push((property.name.clone(), values));
        }
        for (color, name) in [("B", "PB"), ("W", "PW")] {
            let player = record.properties.iter().find(|(property, _)| property == name);
            if let Some(player) = player.and_then(|(_, values)| values.first()) {
                record.players.push((color.to_owned(), player.trim().to_owned()));
            }
        }
        if let Some(game) =
            record.properties.iter().find(|(name, _)| name == "GM").and_then(|(_, values)| values.first())
            && game.trim() != "1"
        {
            let at = tree.properties.first().map_or(self.at, |property| property.span.start);
            let warning = self.warning(at, "`GM` is not 1; points are read as pairs of letters all the same");
            record.warnings.push(warning);
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
                let warning = self.warning(property.span.start, "setup after the first play is left out");
                record.warnings.push(warning);
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
    fn warn(&mut self, at: usize, text: &'static str) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push((at, text));
        }
    }
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Record> {
        parse(&Source::new("t.sgf", text)).expect("readable")
    }

    fn one(text: &str) -> Record {
        let mut records = read(text);
        assert_eq!(records.len(), 1, "{records:?}");
        records.remove(0)
    }

    /// The only error of a text: the bytes it points at and its message.
    fn error(text: &str) -> (Span, String) {
        let mut errors = parse(&Source::new("t.sgf", text)).expect_err("unreadable");
        assert_eq!(errors.len(), 1, "{errors:?}");
        let error = errors.remove(0);
        (error.labels[0].span, error.message)
    }

    fn points(record: &Record) -> Vec<(&str, Option<(u16, u16)>)> {
        record.moves.iter().map(|play| (play.color.as_str(), play.point)).collect()
    }

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn a_whole_record() {
        let text = "(;GM[1]FF[4]SZ[7:5]KM[6.50]PB[A \\] \\\\b\\\nc]PW[]AB[aa:cb][ee]\nAW [dd] ;AE[aa]C[B[ab\\]];B[ge]WL[3];W[];B [tt];W[bc]\
                    (;B[ca](;W[cb])(;W[cc]))(;B[da];W[db](;B[aa])(;B[ab])))";
        let record = one(text);
        assert_eq!(record.size, (7, 5));
        assert_eq!(
            record.players,
            [("B".to_owned(), "A ] \\bc".to_owned()), ("W".to_owned(), String::new())]
        );
        assert_eq!(record.properties[3], ("KM".to_owned(), strings(&["6.50"])));
        assert_eq!(record.properties[6], ("AB".to_owned(), strings(&["aa:cb", "ee"])));
        assert_eq!(record.properties.len(), 8);
        let setup: String =
            record.setup.iter().map(|(kind, (column, row))| format!("{kind}{column}{row} ")).collect();
        assert_eq!(setup, "B00 B10 B20 B01 B11 B21 B44 W33 E00 ");
        let expected = [
            ("B", Some((6, 4))),
            ("W", None),
            ("B", None),
            ("W", Some((1, 2))),
            ("B", Some((2, 0))),
            ("W", Some((2, 1))),
        ];
        assert_eq!(points(&record), expected);
        let spans: Vec<_> =
            record.moves.iter().filter_map(|play| text.get(play.span?.start..play.span?.end)).collect();
        assert_eq!(spans, ["B[ge]", "W[]", "B [tt]", "W[bc]", "B[ca]", "W[cb]"]);
        assert_eq!((record.variations, record.warnings.len()), (3, 0));
    }

    #[test]
    fn sizes_and_passes() {
        assert_eq!(one("(;B[ss];W[tt])").size, (19, 19));
        assert_eq!(
            points(&one("(;SZ[52]B[tt];W[ZZ];B[])")),
            [("B", Some((19, 19))), ("W", Some((51, 51))), ("B", None)]
        );
        assert_eq!(points(&one("(;B[tt]SZ[ 9 ])")), [("B", None)]);
        assert_eq!(one("(;SiZe[9]Black[aa])").properties[1].0, "B");
    }

    #[test]
    fn damage_is_repaired_with_a_warning() {
        let warnings = |text: &str| one(text).warnings;
        assert_eq!(warnings("\n\u{FEFF}\n(;B[aa])\n"), strings(&[]));
        assert_eq!(warnings("From: (me)\n(;B[aa])"), ["line 1: text outside of a game tree is skipped"]);
        assert_eq!(warnings("(;B[aa]\n"), ["line 2: a missing `)` at the end is added"]);
        assert_eq!(warnings("(;B[aa]\n(;W[bb]"), ["line 2: a missing `)` at the end is added"]);
        assert_eq!(warnings("(;B[aa])\n)"), ["line 2: a surplus `)` is skipped"]);
        assert_eq!(warnings("\n( B[aa])"), ["line 2: a missing `;` at the beginning is added"]);
        assert_eq!(warnings("(;;B[aa]\nAB[bb])"), ["line 2: setup after the first play is left out"]);
        assert_eq!(warnings("(;GM[2]b[c])").len(), 2);
        let both = read("(;B[aa]))\nx(;W[bb])");
        let second = "line 1: a surplus `)` is skipped".to_owned();
        assert_eq!((both.len(), &both[0].warnings, &both[1].warnings), (2, &vec![], &vec![second]));
    }

    #[test]
    fn errors_say_where_and_what() {
        assert_eq!(
            error(""),
            (
                Span::new(0, 0),
                "expected a game tree, which begins with `(;`, found the end of the text".into()
            )
        );
        assert_eq!(
            error("\n;;)"),
            (Span::new(1, 2), "expected a game tree, which begins with `(;`, found `;`".into())
        );
        assert_eq!(
            error("(;B[aa]é)"),
            (Span::new(7, 9), "expected a property, `;`, `(` or `)`, found `é`".into())
        );
        assert_eq!(
            error("(;B[aa](;W[bb]);B[cc])"),
            (
                Span::new(15, 16),
                "expected `(` or `)`, since nothing else follows a variation, found `;`".into()
            )
        );
        assert_eq!(error("(;B[aa]())"), (Span::new(8, 9), "expected `;`, found `)`".into()));
        assert_eq!(
            error("(;B ;W[aa])"),
            (Span::new(4, 5), "expected a value in `[` and `]`, found `;`".into())
        );
        assert_eq!(error("(;C[a\\]"), (Span::new(3, 4), "this value is never closed, expected `]`".into()));
        assert_eq!(
            error("(;SZ[53])"),
            (Span::new(2, 8), "expected a size from 1 to 52, or two as in `[7:5]`".into())
        );
        assert_eq!(
            error("(;SZ[5:4]B[ae])"),
            (Span::new(9, 14), "`ae` is outside of a grid with 5 columns and 4 rows".into())
        );
        assert_eq!(
            error("(;B[aa][bb])"),
            (Span::new(2, 11), "expected one point in letters, such as `B[aa]`".into())
        );
        assert_eq!(
            error("(;AW[aa][c3])"),
            (Span::new(9, 11), "expected a point in letters, or two corners as in `aa:cb`".into())
        );
        assert_eq!(error("(;SZ[9]AW[aa:jj])").0, Span::new(10, 15));
        assert_eq!(parse(&Source::new("t", "(;B[a])(;W[b])(;B[aa])")).unwrap_err().len(), 2);
        let nested = |depth: usize| "(;B[aa]".repeat(depth) + &")".repeat(depth);
        assert_eq!(one(&nested(1000)).moves.len(), 1000);
        assert_eq!(error(&nested(1001)), (Span::new(7000, 7001), "variations nest deeper than 1000".into()));
        let flood = format!("(;SZ[52]AB{})", "[aa:ZZ]".repeat(40));
        assert_eq!(error(&flood).1, "the compressed lists of this text hold too many points");
    }

    #[test]
    fn the_main_line_is_that_of_the_library() {
        let text = "(;FF[4]GM[1]SZ[9]AB[cc];B[de];W[fe](;B[ee](;W[ef])(;W[eg]))(;B[aa]))(;SZ[9];W[ff];B[])";
        let trees = sgf_parse::go::parse(text).unwrap();
        let records = read(text);
        assert_eq!(records.len(), trees.len());
        for (record, tree) in records.iter().zip(&trees) {
            let plays: Vec<_> = tree.main_variation().filter_map(|node| node.get_move().cloned()).collect();
            let ours: Vec<_> =
                record.moves.iter().filter_map(|play| text.get(play.span?.start..play.span?.end)).collect();
            assert_eq!(ours, plays.iter().map(ToString::to_string).collect::<Vec<_>>());
        }
    }

    #[test]
    fn hostile_input() {
        let pieces = [
            "(", ")", ";", "[", "]", "\\", "B", "AB", "SZ", "aa", "aa:bb", ":", "tt", "\n", " ", "é", "9",
            "(;",
        ];
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for round in 0..20_000 {
            let length = random() % 40;
            let mut text: String = if round % 2 == 0 {
                (0..length).map(|_| pieces[random() as usize % pieces.len()]).collect()
            } else {
                let bytes: Vec<u8> = (0..length).map(|_| (random() >> 20) as u8).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            };
            text.insert_str(0, if round % 4 < 2 { "(;" } else { "" });
            for error in parse(&Source::new("t.sgf", text.clone())).err().unwrap_or_default() {
                let span = error.labels[0].span;
                assert!(text.get(span.start..span.end).is_some(), "{text:?} {span:?}");
            }
        }
        for text in [
            ";;)",
            "(",
            "(;",
            ";",
            "(a",
            "(;B[]",
            "(;B[])",
            "(;B[])\n)",
            "(;b[]\n)",
            "\\",
            "(;C[\\",
            "( ",
            "(;AB[aa:ss])",
        ] {
            let _ = parse(&Source::new("t.sgf", text.repeat(300_000 / text.len())));
            let _ = parse(&Source::new("t.sgf", format!("(;{}", text.repeat(300_000 / text.len()))));
        }
        assert_eq!(one(&format!("(;{})", ";B[aa]".repeat(100_000))).moves.len(), 100_000);
    }
}
