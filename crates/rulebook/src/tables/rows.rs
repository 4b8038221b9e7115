//! Tables as lines of values, parted by commas, semicolons or tabs.
//!
//! A line `[name]` begins a table, the next line names its fields, every further line is a row. What
//! stands before the first such line belongs to the first table of the rule set. A line that begins with
//! `#` is a comment as long as the fields of its table are not named; among rows it is a row. A value may be
//! quoted with `"`; a list is written with `|` between its members. Invariant: every value keeps its place,
//! and a table without rows is an error.

use std::sync::Arc;

use rulebook_syntax::{Diagnostic, Source, Span, codes};

use super::{Raw, RawRow, RawTable};

/// Reads the tables of a text.
pub(super) fn read(source: &Arc<Source>, first: &str, out: &mut Vec<Diagnostic>) -> Vec<RawTable> {
    let mut tables: Vec<RawTable> = Vec::new();
    let mut header: Vec<(String, Span)> = Vec::new();
    for (start, line) in source.lines() {
        let text = line.trim_matches(|c| matches!(c, '\r' | '\n' | ' ' | '\u{FEFF}'));
        if text.is_empty() || header.is_empty() && text.starts_with('#') {
            continue;
        }
        let start = start + line.find(text).unwrap_or(0);
        let span = Span::new(start, start + text.len());
        if let Some(name) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            tables.push(RawTable { name: name.trim().to_owned(), span, rows: Vec::new() });
            header.clear();
            continue;
        }
        if tables.is_empty() {
            tables.push(RawTable { name: first.to_owned(), span, rows: Vec::new() });
        }
        let Some(table) = tables.last_mut() else { continue };
        let cells = match cells(text, start) {
            Ok(cells) => cells,
            Err(at) => {
                let message = "this quote is never closed";
                out.push(Diagnostic::error(codes::FILE_SHAPE, source, Span::new(at, at + 1), message));
                continue;
            }
        };
        if header.is_empty() {
            header = cells;
            continue;
        }
        if let Some((_, span)) = cells.get(header.len()) {
            let message = format!("this row has more values than the {} fields above", header.len());
            out.push(Diagnostic::error(codes::FILE_SHAPE, source, *span, message));
        }
        let fields = header.iter().zip(cells).map(|((name, _), (text, span))| {
            let raw = match text.as_str() {
                "" => Raw::Absent,
                text if text.contains('|') => {
                    Raw::Many(text.split('|').map(|part| (part.trim().to_owned(), span)).collect())
                }
                text => Raw::One(text.to_owned()),
            };
            (name.clone(), span, raw, span)
        });
        table.rows.push(RawRow { span, fields: fields.collect() });
    }
    if tables.is_empty() {
        out.push(Diagnostic::error(codes::FILE_SHAPE, source, Span::new(0, 0), "there is no table here"));
    }
    for table in tables.iter().filter(|table| table.rows.is_empty()) {
        let message = format!("the table `{}` has no rows", table.name);
        out.push(Diagnostic::error(codes::FILE_SHAPE, source, table.span, message));
    }
    tables
}

/// The values of a line with their places, or the place of a quote that is not closed.
fn cells(text: &str, start: usize) -> Result<Vec<(String, Span)>, usize> {
    let parting = ['\t', ';', ','].into_iter().find(|sign| text.contains(*sign)).unwrap_or(',');
    let mut cells = Vec::new();
    let (mut value, mut open, mut begin, mut quoted) = (String::new(), None, 0, false);
    let mut signs = text.char_indices().peekable();
    let mut push = |value: &mut String, quoted: &mut bool, begin: usize, end: usize| {
        let raw = text.get(begin..end).unwrap_or("");
        let inner = raw.trim();
        let from = start + begin + raw.find(inner).unwrap_or(0);
        let text = if *quoted { value.clone() } else { value.trim().to_owned() };
        cells.push((text, Span::new(from, from + inner.len())));
        value.clear();
        *quoted = false;
    };
    while let Some((at, sign)) = signs.next() {
        match (sign, open) {
            ('"', Some(_)) if signs.next_if(|(_, next)| *next == '"').is_some() => value.push('"'),
            ('"', Some(_)) => open = None,
            ('"', None) if value.trim().is_empty() && !quoted => {
                value.clear();
                (open, quoted) = (Some(at), true);
            }
            (sign, None) if sign == parting => {
                push(&mut value, &mut quoted, begin, at);
                begin = at + sign.len_utf8();
            }
            (sign, None) if quoted && sign.is_whitespace() => {}
            (sign, _) => value.push(sign),
        }
    }
    if let Some(at) = open {
        return Err(start + at);
    }
    push(&mut value, &mut quoted, begin, text.len());
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        read(&Source::new("t.csv", text), "teams", &mut out);
        out.into_iter().map(|found| found.message).collect()
    }

    #[test]
    fn tables_without_rows_are_refused() {
        assert_eq!(messages(""), ["there is no table here"]);
        assert_eq!(messages("# name\n\n"), ["there is no table here"]);
        assert_eq!(messages("name,seed\n"), ["the table `teams` has no rows"]);
        assert_eq!(messages("name\nAnn\n[games]\nhome\n"), ["the table `games` has no rows"]);
    }

    #[test]
    fn a_number_sign_begins_a_comment_only_before_the_fields() {
        let mut out = Vec::new();
        let tables = read(&Source::new("t.csv", "# two\nname\n#1 Ann\nBo\n"), "teams", &mut out);
        let rows = tables.first().map(|table| table.rows.len());
        assert_eq!((rows, out.len()), (Some(2), 0));
    }

    #[test]
    fn lines_may_end_with_a_carriage_return() {
        let mut out = Vec::new();
        let tables = read(&Source::new("t.csv", "name\rAnn\rBo\r"), "teams", &mut out);
        assert_eq!(tables.first().map(|table| table.rows.len()), Some(2));
    }

    #[test]
    fn values_keep_their_places() {
        let text = "Ann , \"Lee, \"\"Bo\"\"\",,3";
        let found = cells(text, 10).unwrap();
        let texts: Vec<&str> = found.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, ["Ann", "Lee, \"Bo\"", "", "3"]);
        assert_eq!(found[0].1, Span::new(10, 13));
        assert_eq!(found[3].1, Span::new(31, 32));
        assert_eq!(cells("a,\"b", 0), Err(2));
    }
}
