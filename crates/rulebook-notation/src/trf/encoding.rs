//! From the bytes of a report to its text.
//!
//! Invariant: no bytes are refused. What is not UTF-8 is read as the set of Western Europe, in which such files used to
//! be written, and that is a warning; a wrong assumption garbles names only.

use std::sync::Arc;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use rulebook_syntax::codes::SGF_REPAIRED;
use rulebook_syntax::{Diagnostic, Source, Span};

/// The text of a report, with what was assumed about it.
pub fn decode(name: &str, bytes: &[u8]) -> (Arc<Source>, Vec<Diagnostic>) {
    let (marked, rest) = match Encoding::for_bom(bytes) {
        Some((encoding, length)) => (Some(encoding), bytes.get(length..).unwrap_or(&[])),
        None => (None, bytes),
    };
    if marked.is_none_or(|encoding| encoding == UTF_8)
        && let Ok(text) = std::str::from_utf8(rest)
    {
        return (Source::new(name, text), Vec::new());
    }
    let encoding = marked.unwrap_or(WINDOWS_1252);
    let (text, _) = encoding.decode_without_bom_handling(rest);
    let source = Source::new(name, text);
    let warnings = if marked.is_some() {
        Vec::new()
    } else {
        let at = source.text.find(|sign: char| !sign.is_ascii()).unwrap_or_default();
        let end = source
            .text
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(at, |sign| at + sign.len_utf8());
        let message = format!("the text is not UTF-8; it is read as {}", encoding.name());
        vec![Diagnostic::warning(SGF_REPAIRED, &source, Span::new(at, end), message)]
    };
    (source, warnings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_sets_are_assumed_and_said() {
        let (source, warnings) = decode("t.trf", b"012 D\xfcsseldorf");
        assert_eq!((source.text.as_str(), warnings.len()), ("012 Düsseldorf", 1));
        let (source, warnings) = decode("t.trf", b"\xef\xbb\xbf012 D\xc3\xbcren");
        assert_eq!((source.text.as_str(), warnings.len()), ("012 Düren", 0));
        let (source, warnings) = decode("t.trf", b"\xff\xfe0\x001\x002\x00");
        assert_eq!((source.text.as_str(), warnings.len()), ("012", 0));
    }
}
