//! Reads YAML into a tree of untyped scalars, lists and maps whose every node has its place in the file.
//!
//! The reading is done by the YAML library; what it does not tell (anchors, tags, block headers, closing
//! brackets, repeated keys) is found here in the text *between* its nodes. Invariant: every scalar is the
//! text of the file, whatever YAML would make of it, and every problem carries exact bytes and our own
//! words. This module deliberately knows no key of the rule language and keeps no comments.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_yaml::options::{MergeKeyPolicy, NonFiniteFloatPolicy};
use serde_yaml::{DuplicateKeyPolicy, Location, Spanned};

use crate::codes;
use crate::scalar::{self, Scalar, break_len};
use crate::span::{Diagnostic, Source, Span};

use refusal::Refusal;

mod refusal;
#[cfg(test)]
mod tests;

/// One value of the file and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Of a scalar its span, of a list or map from the first child to the last or from bracket to
    /// bracket, of an absent value the `:` or `-` it is missing after, of an alias the alias.
    pub span: Span,
    /// What stands there.
    pub value: Value,
}

/// A value without any type but its shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Nothing at all, as after `key:`. A written `~` or `null` is a scalar.
    Null,
    /// A text; never typed.
    Scalar(Scalar),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping in the order of the file, without repeated keys.
    Map(Vec<(Scalar, Node)>),
}

/// What a text may ask of us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the text.
    pub bytes: usize,
    /// Lists and maps inside each other.
    pub depth: usize,
    /// Scalars, lists and maps, keys included, and those behind an alias once more for each use.
    pub nodes: usize,
    /// Uses of aliases. With zero, anchors are refused as well.
    pub aliases: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 4 << 20, depth: 32, nodes: 100_000, aliases: 0 }
    }
}

/// Reads a text of one YAML document.
///
/// # Errors
/// All repeated keys, tags and the like of the file, in its order; if it is not YAML or exceeds a
/// limit, that alone.
pub fn parse(source: &Arc<Source>, limits: &Limits) -> Result<Node, Vec<Diagnostic>> {
    let text = source.text.as_str();
    if text.len() > limits.bytes {
        let message = format!("the file has {} bytes, more than the {} allowed", text.len(), limits.bytes);
        let at = char_at(text, text.floor_char_boundary(limits.bytes));
        return Err(vec![Diagnostic::error(codes::LIMIT_EXCEEDED, source, at, message)]);
    }
    if let Some((at, c)) = text.char_indices().find(|&(at, c)| is_unprintable(at, c)) {
        let message = format!("the character {} is not allowed in YAML", code_point(c));
        let found = Diagnostic::error(codes::YAML_SYNTAX, source, char_at(text, at), message);
        return Err(vec![found.help("in double quotes it can be written as an escape")]);
    }
    let raw = serde_yaml::from_str_with_options::<Spanned<Raw<'_>>>(text, options(limits))
        .map_err(|error| vec![Refusal { source, limits }.explain(&error)])?;
    let mut walk = Walk { source, text, limits, cursor: 0, found: Vec::new(), known: HashMap::new() };
    let root = walk.node(raw, false);
    walk.gap(text.len(), false);
    let mut found = walk.found;
    if found.is_empty() && root.value == Value::Null {
        let at = Span::new(0, 0);
        found.push(Diagnostic::error(codes::YAML_SYNTAX, source, at, "the file is empty"));
    }
    if found.is_empty() {
        return Ok(root);
    }
    found.sort_by_key(|one| one.labels.first().map(|label| label.span));
    Err(found)
}

fn options(limits: &Limits) -> serde_yaml::Options {
    // Numbers with a lower bound here only guard the library; ours are the ones reported.
    serde_yaml::options! {
        budget: serde_yaml::budget! {
            max_depth: limits.depth,
            flow_nesting_limit: limits.depth.saturating_add(1),
            max_nodes: limits.nodes,
            max_events: limits.nodes.saturating_mul(4).saturating_add(1_000),
            max_aliases: limits.aliases,
            max_anchors: limits.nodes,
            max_buffered_comment_events: limits.bytes,
            enforce_alias_anchor_ratio: false,
        },
        alias_limits: serde_yaml::alias_limits! {
            max_total_replayed_events: limits.nodes.saturating_mul(4),
            max_replay_stack_depth: limits.depth.max(1),
            max_alias_expansions_per_anchor: limits.aliases,
        },
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        merge_keys: MergeKeyPolicy::AsOrdinary,
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        strict_booleans: true,
        with_snippet: false,
    }
}

/// The tree as the library gives it.
enum Raw<'de> {
    /// Absent, or a plain scalar that it made a number, a truth value or nothing of.
    Typed,
    Text(Cow<'de, str>),
    List(Vec<Spanned<Raw<'de>>>),
    Map(Vec<(Spanned<Raw<'de>>, Spanned<Raw<'de>>)>),
}

impl<'de> Deserialize<'de> for Raw<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

macro_rules! typed {
    ($($method:ident: $type:ty),*) => {
        $(fn $method<E>(self, _: $type) -> Result<Self::Value, E> { Ok(Raw::Typed) })*
    };
}

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw<'de>;

    typed!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_i128: i128, visit_u128: u128, visit_f64: f64);

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("YAML")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Raw::Typed)
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Raw::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Raw::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
        Ok(Raw::Text(Cow::Owned(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Raw::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            map.push(entry);
        }
        Ok(Raw::Map(map))
    }
}

/// What was read at an offset, for the aliases that come back to it.
enum Known {
    Scalar(Scalar),
    Brackets(Span),
}

/// Goes through the library's tree in the order of the file, and through the text beside it.
struct Walk<'a> {
    source: &'a Arc<Source>,
    text: &'a str,
    limits: &'a Limits,
    /// All before it has been looked at.
    cursor: usize,
    found: Vec<Diagnostic>,
    known: HashMap<usize, Known>,
}

impl Walk<'_> {
    /// `again` says that the node was read before and is now met through an alias.
    fn node(&mut self, raw: Spanned<Raw<'_>>, again: bool) -> Node {
        let used = self.place(&raw.referenced);
        let at = self.place(&raw.defined);
        if again || used == at {
            return self.value(raw.value, at, again);
        }
        self.gap(used.start, false);
        self.cursor = used.end;
        Node { span: used, value: self.value(raw.value, at, true).value }
    }

    fn place(&self, location: &Location) -> Span {
        place(self.text, location)
    }

    fn value(&mut self, raw: Raw<'_>, at: Span, again: bool) -> Node {
        match raw {
            Raw::Typed if at.start == at.end => {
                let before = at.start.checked_sub(1).filter(|&before| before >= self.cursor);
                if !again {
                    self.gap(at.start, false);
                }
                let span = if self.byte(at.start) == Some(b':') {
                    Span::new(at.start, at.start + 1)
                } else if let Some(dash) = before.filter(|&dash| self.byte(dash) == Some(b'-')) {
                    Span::new(dash, at.start)
                } else {
                    at
                };
                Node { span, value: Value::Null }
            }
            Raw::Typed => self.scalar(None, at, again),
            Raw::Text(text) => self.scalar(Some(text), at, again),
            Raw::List(items) => {
                let open = self.open(b'[', at, again);
                let items: Vec<Node> = items.into_iter().map(|item| self.node(item, again)).collect();
                let span = self.close(
                    open,
                    at,
                    again,
                    items.first().zip(items.last()).map(|(a, b)| a.span.join(b.span)),
                );
                Node { span, value: Value::List(items) }
            }
            Raw::Map(entries) => {
                let open = self.open(b'{', at, again);
                let mut map = Vec::with_capacity(entries.len());
                let mut span: Option<Span> = None;
                for (key, value) in entries {
                    let key = self.node(key, again);
                    let value = self.node(value, again);
                    let both = key.span.join(value.span);
                    span = Some(span.map_or(both, |span| span.join(both)));
                    if let Some(key) = self.key(key, again) {
                        map.push((key, value));
                    }
                }
                let span = self.close(open, at, again, span);
                let map = if again { map } else { self.without_repeated(map) };
                Node { span, value: Value::Map(map) }
            }
        }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn scalar(&mut self, given: Option<Cow<'_, str>>, at: Span, again: bool) -> Node {
        if let (true, Some(Known::Scalar(known))) = (again, self.known.get(&at.start)) {
            return Node { span: known.span, value: Value::Scalar(known.clone()) };
        }
        let mut header = if again { None } else { self.gap(at.start, false) };
        if header.is_none() && matches!(self.byte(at.start), Some(b'|' | b'>')) {
            // An empty block at the end of the file is reported at its header.
            header = Some(at.start);
        }
        let scalar = scalar::read(self.text, at, header, given);
        if !again {
            self.cursor = self.cursor.max(at.end);
        }
        if self.limits.aliases > 0 {
            self.known.insert(at.start, Known::Scalar(scalar.clone()));
        }
        Node { span: scalar.span, value: Value::Scalar(scalar) }
    }

    /// Whether the list or map at `at` starts with a bracket.
    fn open(&mut self, bracket: u8, at: Span, again: bool) -> bool {
        let open = at.end == at.start + 1 && self.byte(at.start) == Some(bracket);
        if !again {
            self.gap(at.start, false);
            if open {
                self.cursor = at.end;
            }
        }
        open
    }

    fn close(&mut self, open: bool, at: Span, again: bool, children: Option<Span>) -> Span {
        if !open {
            return children.unwrap_or(at);
        }
        if let (true, Some(Known::Brackets(span))) = (again, self.known.get(&at.start)) {
            return *span;
        }
        if again {
            return at;
        }
        self.gap(self.text.len(), true);
        let span = Span::new(at.start, self.cursor);
        if self.limits.aliases > 0 {
            self.known.insert(at.start, Known::Brackets(span));
        }
        span
    }

    /// A key must be a scalar, and `<<` is no key.
    fn key(&mut self, key: Node, again: bool) -> Option<Scalar> {
        let (code, message) = match key.value {
            Value::Scalar(key) if key.is_plain() && key.text == "<<" => {
                (codes::YAML_FORBIDDEN, "merge keys are not part of the rule language")
            }
            Value::Scalar(key) => return Some(key),
            Value::Null => (codes::YAML_SYNTAX, "there is no key before this `:`"),
            Value::List(_) | Value::Map(_) => {
                (codes::YAML_FORBIDDEN, "a key must be a name, not a list or a map")
            }
        };
        if !again {
            self.found.push(Diagnostic::error(code, self.source, key.span, message));
        }
        None
    }

    fn without_repeated(&mut self, map: Vec<(Scalar, Node)>) -> Vec<(Scalar, Node)> {
        let mut first: HashMap<&str, Span> = HashMap::with_capacity(map.len());
        let before = self.found.len();
        for (key, _) in &map {
            if let Some(&earlier) = first.get(key.text.as_str()) {
                let message = format!("the key `{}` is there twice", key.text.escape_debug());
                self.found.push(
                    Diagnostic::error(codes::YAML_DUPLICATE_KEY, self.source, key.span, message)
                        .labelled("again here")
                        .also(self.source, earlier, "first here"),
                );
            } else {
                first.insert(&key.text, key.span);
            }
        }
        // With a repeated key there is an error, and nobody sees the tree.
        if self.found.len() > before { Vec::new() } else { map }
    }

    /// Looks through the text from the cursor to the next node: comments, indicators, and what the
    /// library hides. Returns the offset of a block header. With `bracket`, stops behind a closing one.
    fn gap(&mut self, until: usize, bracket: bool) -> Option<usize> {
        let mut header = None;
        while let Some(rest) = self.text.get(self.cursor..until) {
            let Some(first) = rest.chars().next() else { break };
            let line = rest.find(['\n', '\r']).unwrap_or(rest.len());
            let length = match first {
                '#' => line,
                '%' => {
                    self.forbid(line, "directives are not part of the rule language");
                    line
                }
                '|' | '>' => {
                    header = Some(self.cursor);
                    rest.len()
                }
                '&' | '!' => self.property(first, rest),
                ']' | '}' if bracket => {
                    self.cursor += 1;
                    return header;
                }
                other => other.len_utf8(),
            };
            self.cursor += length;
        }
        self.cursor = self.cursor.max(until);
        header
    }

    fn property(&mut self, mark: char, rest: &str) -> usize {
        let length = word(rest);
        if mark == '&' {
            if self.limits.aliases == 0 {
                self.forbid(length, "anchors are not part of the rule language");
            }
            return length;
        }
        let length =
            if rest.starts_with("!<") { rest.find('>').map_or(length, |end| end + 1) } else { length };
        self.forbid(length, "tags are not part of the rule language");
        length
    }

    fn forbid(&mut self, length: usize, message: &str) {
        let at = Span::new(self.cursor, self.cursor + length);
        self.found.push(Diagnostic::error(codes::YAML_FORBIDDEN, self.source, at, message));
    }
}

/// The length of an anchor, alias or tag at the start of `rest`.
fn word(rest: &str) -> usize {
    rest.find([' ', '\t', '\n', '\r', ',', '[', ']', '{', '}']).unwrap_or(rest.len())
}

/// Bytes of a location of the library, which tells only line and column of a syntax error.
fn place(text: &str, location: &Location) -> Span {
    let span = location.span();
    if let Some((start, length)) = span.byte_offset().zip(span.byte_len()) {
        let start = usize::try_from(start).unwrap_or(usize::MAX).min(text.len());
        let end = start.saturating_add(usize::try_from(length).unwrap_or(usize::MAX)).min(text.len());
        return Span::new(start, end);
    }
    let mut start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    for _ in 1..location.line() {
        let Some(line) = text.get(start..).and_then(|rest| rest.find(['\n', '\r'])) else { break };
        start += line + break_len(text, start + line);
    }
    let line = text.get(start..).unwrap_or_default();
    let column = usize::try_from(location.column()).unwrap_or(usize::MAX).saturating_sub(1);
    let at = start + line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
    Span::new(at, at)
}

/// The character at `at`, or nothing at the end of a line.
fn char_at(text: &str, at: usize) -> Span {
    let next = text.get(at..).and_then(|rest| rest.chars().next()).filter(|c| !matches!(c, '\n' | '\r'));
    Span::new(at, at + next.map_or(0, char::len_utf8))
}

fn code_point(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

/// What YAML does not allow in a file: control characters, and a byte order mark but at the start.
fn is_unprintable(at: usize, c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' | '\u{85}' => false,
        '\u{feff}' => at > 0,
        '\u{fffe}' | '\u{ffff}' => true,
        _ => c.is_control(),
    }
}
