//! The columns of one line.
//!
//! Invariant: a field is a part of its line with its exact place. Columns are counted in characters; in a line that
//! fits only if bytes are counted, as some programs fill up names, they are counted in bytes.

use rulebook_syntax::Span;

/// A line with its columns, which are counted from one.
pub(super) struct Columns<'a> {
    line: &'a str,
    /// Where the line begins in the text.
    start: usize,
    /// Where each column begins in the line.
    at: Vec<usize>,
}

/// A field: its text without blanks around it, and its place.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) text: &'a str,
    pub(super) span: Span,
}

impl<'a> Columns<'a> {
    /// The columns of a line whose `gaps` are blank if it has been read rightly.
    pub(super) fn new(line: &'a str, start: usize, gaps: &[usize]) -> Self {
        let by_characters = Self { line, start, at: line.char_indices().map(|(at, _)| at).collect() };
        if line.is_ascii() || by_characters.broken(gaps).is_none() {
            return by_characters;
        }
        // A byte within a character stands for the end of it.
        let next = |at: usize| (at..=line.len()).find(|at| line.is_char_boundary(*at)).unwrap_or(line.len());
        let by_bytes = Self { line, start, at: (0..line.len()).map(next).collect() };
        if by_bytes.broken(gaps).is_none() { by_bytes } else { by_characters }
    }

    /// How many columns there are.
    pub(super) fn len(&self) -> usize {
        self.at.len()
    }

    /// The first of some columns that is not blank.
    pub(super) fn broken(&self, gaps: &[usize]) -> Option<Field<'a>> {
        gaps.iter().map(|gap| self.field(*gap, *gap)).find(|field| !field.text.is_empty())
    }

    fn offset(&self, column: usize) -> usize {
        column.checked_sub(1).and_then(|at| self.at.get(at)).copied().unwrap_or(self.line.len())
    }

    /// The field of some columns, both included.
    pub(super) fn field(&self, first: usize, last: usize) -> Field<'a> {
        let (from, to) = (self.offset(first), self.offset(last.saturating_add(1)));
        let whole = self.line.get(from..to).unwrap_or("");
        let text = whole.trim();
        if text.is_empty() {
            let (from, to) = (self.start + from, self.start + to);
            return Field { text, span: Span::new(from, to.max(from)) };
        }
        let begin = self.start + from + whole.find(text).unwrap_or(0);
        Field { text, span: Span::new(begin, begin + text.len()) }
    }

    /// The field from a column to the end.
    pub(super) fn rest(&self, first: usize) -> Field<'a> {
        self.field(first, usize::MAX - 1)
    }
}

impl<'a> Field<'a> {
    /// The words of a field, each with its place.
    pub(super) fn words(self) -> impl Iterator<Item = Self> {
        let Self { text, span } = self;
        let mut at = 0;
        text.split_whitespace().map(move |word| {
            let begin = at + text.get(at..).and_then(|rest| rest.find(word)).unwrap_or(0);
            at = begin + word.len();
            Self { text: word, span: Span::new(span.start + begin, span.start + at) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_characters_unless_only_bytes_fit() {
        let names = ["ab cd", "éb cd", "é cd"];
        let second = names.map(|line| Columns::new(line, 0, &[3]).field(4, 5).text.to_owned());
        assert_eq!(second, ["cd", "cd", "cd"]);
    }

    #[test]
    fn fields_keep_their_places_and_end_with_the_line() {
        let columns = Columns::new("001   12 x", 20, &[]);
        let field = columns.field(5, 8);
        assert_eq!((field.text, field.span), ("12", Span::new(26, 28)));
        assert_eq!(columns.field(11, 14).text, "");
        assert_eq!(columns.field(90, 99).span, Span::new(30, 30));
        let words: Vec<Span> =
            Columns::new("XXP 1  22", 0, &[]).rest(4).words().map(|word| word.span).collect();
        assert_eq!(words, [Span::new(4, 5), Span::new(7, 9)]);
    }
}
