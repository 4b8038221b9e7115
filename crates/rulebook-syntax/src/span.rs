//! Source texts, byte ranges in them, and diagnostics that point at those ranges.
//!
//! Invariant: a `Span` is always a range of the one `Source` it is reported with, on character
//! boundaries. This module deliberately does not render anything: rendering belongs to the binary.

use std::sync::Arc;

/// A named text: the unit that spans point into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name shown to people, normally the path as it was given.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl Source {
    /// A source from a name and its text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { name: name.into(), text: text.into() })
    }

    /// Line and column of a byte offset, both counted from one; the column counts characters.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let head = self.text.get(..offset.min(self.text.len())).unwrap_or(&self.text);
        let before = self.lines().take_while(|(start, _)| *start <= head.len());
        let (line, start) = before.fold((0, 0), |(count, _), (start, _)| (count + 1, start));
        let column = head.get(start..).unwrap_or("").chars().count() + 1;
        (line, column)
    }

    /// The lines with the offsets at which they begin. A line ends behind a line feed, a carriage return, or
    /// both together, which belong to it; there is always one line more than there are such ends.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut rest = Some(0);
        std::iter::from_fn(move || {
            let start = rest?;
            let text = self.text.get(start..).unwrap_or("");
            let end = text.find(['\n', '\r']).map(|at| {
                let both = text.get(at..).is_some_and(|rest| rest.starts_with("\r\n"));
                at + if both { 2 } else { 1 }
            });
            rest = end.map(|end| start + end);
            Some((start, text.get(..end.unwrap_or(text.len())).unwrap_or(text)))
        })
    }
}

/// A half-open range of bytes in a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// The range `start..end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The smallest range that holds both.
    pub fn join(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// How grave a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The rule set cannot be used.
    Error,
    /// The rule set can be used, but something in it has no effect or no source.
    Warning,
}

/// A labelled place of a diagnostic, in any of the sources of a rule set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The text the span points into.
    pub source: Arc<Source>,
    /// The exact bytes.
    pub span: Span,
    /// What to say beside them; may be empty.
    pub text: String,
}

/// One finding about a text: stable code, message, labels (the first is the primary one), help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code such as `name::unknown`; the list is in `codes.rs`.
    pub code: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// A lower-case sentence without a full stop; user text in backticks.
    pub message: String,
    /// Places, the primary one first; never empty.
    pub labels: Vec<Label>,
    /// What to do about it, when we know.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error with one label.
    pub fn error(code: &'static str, source: &Arc<Source>, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: vec![Label { source: Arc::clone(source), span, text: String::new() }],
            help: None,
        }
    }

    /// A warning with one label.
    pub fn warning(code: &'static str, source: &Arc<Source>, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, source, span, message) }
    }

    /// The same with a text beside the primary label.
    #[must_use]
    pub fn labelled(mut self, text: impl Into<String>) -> Self {
        if let Some(first) = self.labels.first_mut() {
            first.text = text.into();
        }
        self
    }

    /// The same with one more label.
    #[must_use]
    pub fn also(mut self, source: &Arc<Source>, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { source: Arc::clone(source), span, text: text.into() });
        self
    }

    /// The same with a help text.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_three_ways() {
        let source = Source::new("x", "a\rbé\r\n\nc");
        let lines: Vec<(usize, &str)> = source.lines().collect();
        assert_eq!(lines, [(0, "a\r"), (2, "bé\r\n"), (7, "\n"), (8, "c")]);
        let places: Vec<(usize, usize)> = [0, 2, 5, 6, 7, 8, 9].map(|at| source.line_column(at)).to_vec();
        assert_eq!(places, [(1, 1), (2, 1), (2, 3), (2, 4), (3, 1), (4, 1), (4, 2)]);
    }
}
