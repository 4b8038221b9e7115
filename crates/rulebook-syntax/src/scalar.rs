//! Decodes one YAML scalar and remembers which byte of the file every decoded byte came from.
//!
//! It is here so that an error inside an expression points at the exact characters of the file, even
//! behind an escape or in the middle of a block. Invariant: a map is only used when our decoding
//! equals what the YAML reader gave; otherwise every place is the whole scalar, never a wrong place.
//! This module deliberately finds no scalars and judges none: where one lies is told by `yaml`.

use std::borrow::Cow;

use crate::span::Span;

#[cfg(test)]
mod tests;

/// How a scalar is written in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Style {
    /// Without any mark: `two words`.
    Plain,
    /// In single quotes.
    Single,
    /// In double quotes, with escapes.
    Double,
    /// A block after `|`, line by line.
    Literal,
    /// A block after `>`, lines joined.
    Folded,
}

/// A decoded scalar with the place in the file of every decoded byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// The decoded text. Never typed: `no`, `3.10` and `~` are just these characters.
    pub text: String,
    /// The scalar in the file: with its quotes; of a block only the content, without blank lines
    /// at its end (an empty block is its header).
    pub span: Span,
    /// How it is written.
    pub style: Style,
    map: Map,
}

/// Where decoded bytes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Map {
    /// The text stands in the file as it is, from this byte on: by far the most scalars.
    Straight(usize),
    /// Piece by piece, in order, covering the whole text.
    Pieces(Vec<Piece>),
    /// Not known.
    Whole,
}

/// A stretch of decoded text: either copied byte by byte or written for something else (an escape,
/// a line break), to which it then belongs as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    text: usize,
    raw: Span,
    copied: bool,
}

impl Scalar {
    /// The range in the file of a range of bytes of `text`; the whole scalar if that is not known.
    ///
    /// A range that cuts an escape or a folded line break in two gets all of it. An empty range gives
    /// an empty range: before the character at `start`, or after the last character.
    pub fn locate(&self, start: usize, end: usize) -> Span {
        let start = self.text.floor_char_boundary(start.min(end));
        let end = self.text.ceil_char_boundary(end).max(start);
        match &self.map {
            Map::Whole => self.span,
            Map::Straight(base) => Span::new(base + start, base + end),
            Map::Pieces(pieces) if start < end => {
                let first = piece_at(pieces, start).map(|piece| piece.start_of(start));
                let last = piece_at(pieces, end - 1).map(|piece| piece.end_of(end));
                first.zip(last).map_or(self.span, |(first, last)| Span::new(first, last))
            }
            Map::Pieces(pieces) => {
                let at = if start < self.text.len() {
                    piece_at(pieces, start).map(|piece| piece.start_of(start))
                } else {
                    pieces.last().map(|piece| piece.raw.end)
                };
                at.map_or(self.span, |at| Span::new(at, at))
            }
        }
    }

    /// The whole scalar in the file, quotes included.
    pub fn whole(&self) -> Span {
        self.span
    }

    /// Whether it is written without quotes and not as a block, so that YAML might read it as a number,
    /// a truth value or nothing.
    pub fn is_plain(&self) -> bool {
        self.style == Style::Plain
    }
}

impl Piece {
    fn start_of(&self, offset: usize) -> usize {
        if self.copied { self.raw.start + (offset - self.text) } else { self.raw.start }
    }

    fn end_of(&self, offset: usize) -> usize {
        if self.copied { self.raw.start + (offset - self.text) } else { self.raw.end }
    }
}

fn piece_at(pieces: &[Piece], offset: usize) -> Option<&Piece> {
    pieces.get(pieces.partition_point(|piece| piece.text <= offset).checked_sub(1)?)
}

/// Reads the scalar at `at`, as the YAML reader reports it. `header` is the offset of the `|` or `>` of
/// a block. `given` is the text the reader decoded, or nothing where it made a number or the like of it.
pub(crate) fn read(file: &str, at: Span, header: Option<usize>, given: Option<Cow<'_, str>>) -> Scalar {
    let raw = file.get(at.start..at.end).unwrap_or_default();
    let mut decoder = Decoder { file, text: String::new(), pieces: Vec::new() };
    let (style, span, origin, done) = if let Some(header) = header {
        let style = if file.as_bytes().get(header) == Some(&b'>') { Style::Folded } else { Style::Literal };
        let header = Header::read(file, header);
        let content = if header.at.start == at.start { Span::new(at.start, at.start) } else { at };
        let span = decoder.block(&header, content, style == Style::Folded);
        (style, span, header.at.end, Some(()))
    } else {
        let (style, inner) = match raw.as_bytes() {
            [b'\'', .., b'\''] => (Style::Single, Span::new(at.start + 1, at.end - 1)),
            [b'"', .., b'"'] => (Style::Double, Span::new(at.start + 1, at.end - 1)),
            _ => (Style::Plain, at),
        };
        (style, at, inner.start, decoder.flow(inner, style))
    };
    let Decoder { text, pieces, .. } = decoder;
    let trusted = done.is_some() && given.as_ref().is_none_or(|given| *given == text);
    if !trusted {
        let text = given.map_or_else(|| raw.to_owned(), Cow::into_owned);
        return Scalar { text, span, style, map: Map::Whole };
    }
    let map = match pieces.as_slice() {
        [] => Map::Straight(origin),
        [only] if only.copied => Map::Straight(only.raw.start),
        _ => Map::Pieces(pieces),
    };
    Scalar { text, span, style, map }
}

/// What to do with the line breaks at the end of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomp {
    Clip,
    Strip,
    Keep,
}

/// The first line of a block scalar.
struct Header {
    /// The mark with its indicators, such as `|2-`.
    at: Span,
    chomp: Chomp,
    /// Where the line after it starts.
    body: usize,
}

impl Header {
    fn read(file: &str, start: usize) -> Self {
        let line = file.get(start..).unwrap_or_default();
        let line = line.get(..line.find(['\n', '\r']).unwrap_or(line.len())).unwrap_or_default();
        let marks = line.find([' ', '\t', '#']).unwrap_or(line.len());
        let chomp = match line.get(..marks).unwrap_or_default() {
            marks if marks.contains('-') => Chomp::Strip,
            marks if marks.contains('+') => Chomp::Keep,
            _ => Chomp::Clip,
        };
        let end = start + line.len();
        Self { at: Span::new(start, start + marks), chomp, body: end + break_len(file, end) }
    }
}

/// The length of the line break at `at`, zero if there is none.
pub(crate) fn break_len(file: &str, at: usize) -> usize {
    match file.as_bytes().get(at..) {
        Some([b'\r', b'\n', ..]) => 2,
        Some([b'\r' | b'\n', ..]) => 1,
        _ => 0,
    }
}

struct Decoder<'a> {
    file: &'a str,
    text: String,
    pieces: Vec<Piece>,
}

impl Decoder<'_> {
    fn copy(&mut self, start: usize, end: usize) {
        let Some(part) = self.file.get(start..end).filter(|part| !part.is_empty()) else { return };
        match self.pieces.last_mut() {
            Some(last) if last.copied && last.raw.end == start => last.raw.end = end,
            _ => self.pieces.push(Piece { text: self.text.len(), raw: Span::new(start, end), copied: true }),
        }
        self.text.push_str(part);
    }

    fn put(&mut self, text: &str, raw: Span) {
        if !text.is_empty() {
            self.pieces.push(Piece { text: self.text.len(), raw, copied: false });
            self.text.push_str(text);
        }
    }

    /// A plain or quoted scalar, without its quotes. Nothing if an escape is not understood.
    fn flow(&mut self, inner: Span, style: Style) -> Option<()> {
        let mut at = inner.start;
        while at < inner.end {
            let rest = self.file.get(at..inner.end)?;
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            if rest.get(blanks..)?.starts_with(['\n', '\r']) {
                at = self.fold(at, at, inner.end, " ")?;
                continue;
            }
            let special = |c: char| match c {
                ' ' | '\t' | '\n' | '\r' => true,
                '\'' => style == Style::Single,
                '\\' => style == Style::Double,
                _ => false,
            };
            let plain = blanks + rest.get(blanks..)?.find(special).unwrap_or(rest.len() - blanks);
            if plain > 0 {
                self.copy(at, at + plain);
                at += plain;
            } else if style == Style::Single {
                // The only quote that can stand inside single quotes is a doubled one.
                self.put("'", Span::new(at, at + 2));
                at += 2;
            } else {
                at = self.escape(at, inner.end)?;
            }
        }
        Some(())
    }

    /// A run of blanks and line breaks from `at` on, which belongs to the raw text from `start` on:
    /// one break becomes `single`, more become one line feed fewer.
    fn fold(&mut self, start: usize, at: usize, end: usize, single: &str) -> Option<usize> {
        let rest = self.file.get(at..end)?;
        let run = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
        let run = rest.get(..run)?;
        let breaks = run.matches('\n').count() + run.matches('\r').count() - run.matches("\r\n").count();
        let stop = at + run.len();
        let text = match breaks {
            0 | 1 => single.to_owned(),
            more => "\n".repeat(more - 1),
        };
        self.put(&text, Span::new(start, stop));
        Some(stop)
    }

    fn escape(&mut self, at: usize, end: usize) -> Option<usize> {
        let letter = self.file.get(at + 1..end)?.chars().next()?;
        let digits = match letter {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            '\n' | '\r' => return self.fold(at, at + 1, end, ""),
            _ => {
                let decoded = simple_escape(letter)?;
                let stop = at + 1 + letter.len_utf8();
                self.put(decoded.encode_utf8(&mut [0; 4]), Span::new(at, stop));
                return Some(stop);
            }
        };
        let mut stop = at + 2 + digits;
        let mut code = self.hexadecimal(at + 2, stop.min(end))?;
        if digits == 4 && (0xD800..0xDC00).contains(&code) && self.file.get(stop..stop + 2) == Some("\\u") {
            // The reader takes a pair of surrogates, as JSON writes them, for one character.
            let low = self.hexadecimal(stop + 2, (stop + 6).min(end))?;
            code = 0x1_0000 + ((code - 0xD800) << 10) + low.checked_sub(0xDC00)?;
            stop += 6;
        }
        self.put(char::from_u32(code)?.encode_utf8(&mut [0; 4]), Span::new(at, stop));
        Some(stop)
    }

    fn hexadecimal(&self, start: usize, end: usize) -> Option<u32> {
        u32::from_str_radix(self.file.get(start..end)?, 16).ok()
    }

    /// A block scalar whose content, from its first character to the end of its blank lines, is `at`.
    /// Returns the content without blank lines at its end.
    fn block(&mut self, header: &Header, at: Span, folded: bool) -> Span {
        let file = self.file;
        if at.start == at.end {
            return self.empty_block(header, at.start);
        }
        let line = file.get(..at.start).and_then(|head| head.rfind(['\n', '\r'])).map_or(0, |last| last + 1);
        let indent = at.start - line;
        let mut blank_lines = breaks(file, header.body, line);
        let mut open: Option<Span> = None;
        let mut deep = false;
        let mut pos = at.start;
        let content_end = loop {
            let rest = file.get(pos..at.end).unwrap_or_default();
            let deeper = rest.starts_with([' ', '\t']);
            // Lines are joined unless one of them is indented further.
            let joined = folded && !deep && !deeper;
            match open {
                Some(before) if !joined => self.put("\n", before),
                Some(before) if blank_lines.is_empty() => self.put(" ", Span::new(before.start, pos)),
                _ => {}
            }
            for blank in blank_lines.drain(..) {
                self.put("\n", blank);
            }
            deep = deeper;
            let end = pos + rest.find(['\n', '\r']).unwrap_or(rest.len());
            self.copy(pos, end);
            let after = end + break_len(file, end);
            open = Some(Span::new(end, after));
            pos = self.skip_blank_lines(after, at.end, indent, &mut blank_lines);
            if pos >= at.end || after == end {
                break end;
            }
        };
        if let Some(last) = open.filter(|_| header.chomp != Chomp::Strip) {
            self.put("\n", last);
        }
        if header.chomp == Chomp::Keep {
            for blank in blank_lines {
                self.put("\n", blank);
            }
        }
        Span::new(at.start, content_end)
    }

    /// Skips indentation and lines with nothing after it, noting their breaks.
    fn skip_blank_lines(&self, from: usize, end: usize, indent: usize, found: &mut Vec<Span>) -> usize {
        let mut pos = from;
        while pos < end {
            let rest = self.file.get(pos..end).unwrap_or_default();
            let spaces = rest.len() - rest.trim_start_matches(' ').len();
            let start = pos + spaces.min(indent);
            let length = if start < end { break_len(self.file, start) } else { 0 };
            if length == 0 {
                return start;
            }
            found.push(Span::new(start, start + length));
            pos = start + length;
        }
        pos
    }

    /// A block without content: only `+` keeps its blank lines. The reader reports it where the next
    /// thing starts or, at the end of the file, at its header.
    fn empty_block(&mut self, header: &Header, at: usize) -> Span {
        if header.chomp == Chomp::Keep {
            let end = if at == header.at.start { self.file.len() } else { at };
            let lines = breaks(self.file, header.body, end);
            if lines.is_empty() && at == header.at.start && header.body < end {
                self.put("\n", Span::new(end, end));
            }
            for line in lines {
                self.put("\n", line);
            }
        }
        header.at
    }
}

/// Every line break in a range.
fn breaks(file: &str, start: usize, end: usize) -> Vec<Span> {
    let mut found = Vec::new();
    let mut pos = start;
    while let Some(next) = file.get(pos..end).and_then(|rest| rest.find(['\n', '\r'])) {
        let at = pos + next;
        pos = at + break_len(file, at);
        found.push(Span::new(at, pos));
    }
    found
}

/// The character of a one-letter escape in double quotes.
pub(crate) fn simple_escape(letter: char) -> Option<char> {
    Some(match letter {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        ' ' | '"' | '/' | '\\' => letter,
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        _ => return None,
    })
}
