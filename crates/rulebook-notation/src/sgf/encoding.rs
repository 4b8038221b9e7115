//! From the bytes of a record to its text.
//!
//! Invariant: no bytes are refused. What is not UTF-8 is read in the character set that the record names in `CA`;
//! where it names none, or one that nobody knows, a set is assumed, and where bytes have no meaning they become
//! replacement characters. All of that is said as a warning. Points and numbers are the same in every set, so a
//! wrong assumption garbles names and comments only.

use std::sync::Arc;

use encoding_rs::{Encoding, GB18030, UTF_8, WINDOWS_1252};
use rulebook_syntax::codes::SGF_REPAIRED;
use rulebook_syntax::{Diagnostic, Source, Span};

/// Where the name of the character set must begin, in bytes from the start.
const HEAD: usize = 4096;

/// The text of a record, with what was assumed about it.
pub fn decode(name: &str, bytes: Vec<u8>) -> (Arc<Source>, Vec<Diagnostic>) {
    let (marked, rest) = match Encoding::for_bom(&bytes) {
        Some((encoding, length)) => (Some(encoding), bytes.get(length..).unwrap_or(&[])),
        None => (None, bytes.as_slice()),
    };
    if marked.is_none_or(|encoding| encoding == UTF_8)
        && let Ok(text) = std::str::from_utf8(rest)
    {
        return (Source::new(name, text), Vec::new());
    }
    let named = label(rest);
    let known = named.as_deref().and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    // The likeliest set is assumed only if all bytes mean something in it, and none that may be a bracket becomes
    // a part of another sign.
    let fits = GB18030.decode_without_bom_handling_and_without_replacement(rest).is_some_and(|text| {
        text.bytes().filter(u8::is_ascii).count() == rest.iter().filter(|byte| byte.is_ascii()).count()
    });
    let (encoding, assumed) = match (marked, known) {
        (Some(marked), _) => (marked, None),
        (None, Some(known)) if known != UTF_8 => (known, None),
        (None, other) => {
            let encoding = if fits { GB18030 } else { WINDOWS_1252 };
            let set = encoding.name();
            let message = match (other, &named) {
                (Some(_), _) => format!("the text is not UTF-8 as it says; it is read as {set}"),
                (None, Some(label)) => {
                    format!("the character set `{label}` is not known; the text is read as {set}")
                }
                (None, None) => {
                    format!("the text is not UTF-8 and names no character set; it is read as {set}")
                }
            };
            (encoding, Some(message))
        }
    };
    let (text, broken) = encoding.decode_without_bom_handling(rest);
    let source = Source::new(name, text);
    let place = source.text.find("CA[").map(|at| {
        let end =
            source.text.get(at..).and_then(|rest| rest.find(']')).map_or(at + 3, |length| at + length + 1);
        Span::new(at, end)
    });
    let place = place.unwrap_or_default();
    let warning = |message: String| Diagnostic::warning(SGF_REPAIRED, &source, place, message);
    let mut warnings: Vec<Diagnostic> = assumed.map(warning).into_iter().collect();
    if broken {
        let at = source.text.find('\u{FFFD}').unwrap_or_default();
        let span = Span::new(at, (at + '\u{FFFD}'.len_utf8()).min(source.text.len()));
        let message = format!("some bytes mean nothing in {}; signs are lost here", encoding.name());
        warnings.push(Diagnostic::warning(SGF_REPAIRED, &source, span, message));
    }
    (source, warnings)
}

/// The character set that a record names.
fn label(bytes: &[u8]) -> Option<String> {
    let head = bytes.get(..bytes.len().min(HEAD))?;
    let at = head.windows(3).position(|window| window == b"CA[")?;
    let value = head.get(at + 3..)?;
    let end = value.iter().position(|byte| *byte == b']')?;
    Some(String::from_utf8_lossy(value.get(..end)?).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of some bytes and the warnings about it.
    fn read(bytes: &[u8]) -> (String, Vec<String>) {
        let (source, warnings) = decode("t.sgf", bytes.to_vec());
        for warning in &warnings {
            let span = warning.labels.first().map(|label| label.span).unwrap_or_default();
            assert!(source.text.get(span.start..span.end).is_some(), "{span:?}");
        }
        (source.text.clone(), warnings.into_iter().map(|warning| warning.message).collect())
    }

    #[test]
    fn named_sets_are_followed() {
        // The second byte of the second sign is that of a closing bracket in this set.
        let (text, warnings) = read(b"(;CA[gb2312]PB[\xb8\xc5\x81\x5d];B[aa])");
        assert_eq!((text.as_str(), warnings.len()), ("(;CA[gb2312]PB[概乚];B[aa])", 0));
    }

    #[test]
    fn what_is_assumed_is_said() {
        let (text, warnings) = read(b"(;PB[\xb0\xa1])");
        assert_eq!(text, "(;PB[啊])");
        assert_eq!(warnings, ["the text is not UTF-8 and names no character set; it is read as gb18030"]);
        let (text, warnings) = read(b"(;CA[UTF-8]PB[Andr\xe9])");
        assert_eq!(text, "(;CA[UTF-8]PB[André])");
        assert_eq!(warnings, ["the text is not UTF-8 as it says; it is read as windows-1252"]);
        assert_eq!(
            read(b"(;CA[x]PB[\xff])").1,
            ["the character set `x` is not known; the text is read as windows-1252"]
        );
        assert_eq!(read(b"(;CA[big5]PB[\xff])").1, ["some bytes mean nothing in Big5; signs are lost here"]);
    }

    #[test]
    fn marks_of_order_are_followed() {
        assert_eq!(read(b"\xef\xbb\xbf(;B[aa])"), ("(;B[aa])".to_owned(), vec![]));
        assert_eq!(read(b"\xff\xfe(\0;\0)\0").0, "(;)");
        assert_eq!(read("(;PB[é])".as_bytes()), ("(;PB[é])".to_owned(), vec![]));
    }
}
