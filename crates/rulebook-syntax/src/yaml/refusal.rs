//! Says in our words, at exact bytes, why the YAML library refused a text.
//!
//! Invariant: no message of the library reaches a user, since those name the library's own options.
//! This module deliberately only translates; what we refuse ourselves is worded where it is found.

use std::borrow::Cow;
use std::sync::Arc;

use serde_yaml::ExternalMessageSource;
use serde_yaml::budget::BudgetBreach;
use serde_yaml::granit_parser::{ErrorKind, ScanError};

use super::{Limits, char_at, code_point, place, word};
use crate::codes;
use crate::scalar::simple_escape;
use crate::span::{Diagnostic, Source, Span};

/// Turns what the library says into our words at exact bytes.
pub(super) struct Refusal<'a> {
    pub(super) source: &'a Arc<Source>,
    pub(super) limits: &'a Limits,
}

/// Code, message and help.
type Words = (&'static str, Cow<'static, str>, Option<&'static str>);

impl Refusal<'_> {
    pub(super) fn explain(&self, error: &serde_yaml::Error) -> Diagnostic {
        use serde_yaml::Error;
        let text = self.source.text.as_str();
        let at =
            error.location().map_or(Span::new(text.len(), text.len()), |location| place(text, &location));
        let at = if at.start == at.end { char_at(text, at.start) } else { at };
        let (at, (code, message, help)) = match error {
            Error::AliasError { error, .. } => return self.explain(error),
            Error::Budget { breach, .. } => (at, self.breach(breach)),
            Error::ExternalMessage { source, .. } => match source.as_ref() {
                ExternalMessageSource::Parser(scan) => self.syntax(scan, at),
                _ => (at, not_yaml()),
            },
            Error::MultipleDocuments { .. } => {
                let head = text.get(..at.end).unwrap_or(text);
                let mark = head
                    .rfind("---")
                    .filter(|&mark| head.get(..mark).is_some_and(|head| head.ends_with(['\n', '\r'])));
                (
                    mark.map_or(at, |mark| Span::new(mark, mark + 3)),
                    forbidden("a file holds one document only"),
                )
            }
            Error::UnknownAnchor { .. } => {
                let at = self.extend(at, word);
                let words = if self.limits.aliases == 0 {
                    forbidden("aliases are not part of the rule language")
                } else {
                    let name = text.get(at.start + 1..at.end).unwrap_or_default();
                    (
                        codes::YAML_SYNTAX,
                        format!("there is no anchor `{name}` before this alias").into(),
                        None,
                    )
                };
                (at, words)
            }
            Error::RecursiveReferencesRequireWeakTypes { .. } if self.limits.aliases == 0 => {
                (at, forbidden("aliases are not part of the rule language"))
            }
            Error::RecursiveReferencesRequireWeakTypes { .. } => {
                (at, (codes::YAML_SYNTAX, "this alias stands inside what it refers to".into(), None))
            }
            Error::AliasReplayLimitExceeded { .. }
            | Error::AliasExpansionLimitExceeded { .. }
            | Error::AliasReplayStackDepthExceeded { .. }
            | Error::AliasReplayCounterOverflow { .. } => {
                (at, self.breach(&BudgetBreach::Aliases { aliases: 0 }))
            }
            // Everything else the library refuses while it builds untyped values, it refuses for a tag.
            _ => match tag_before(text, at.start) {
                Some(tag) => (tag, forbidden("tags are not part of the rule language")),
                None => (at, not_yaml()),
            },
        };
        let found = Diagnostic::error(code, self.source, at, message);
        if let Some(help) = help { found.help(help) } else { found }
    }

    fn extend(&self, at: Span, length: impl Fn(&str) -> usize) -> Span {
        Span::new(at.start, at.start + self.source.text.get(at.start..).map_or(0, length))
    }

    fn breach(&self, breach: &BudgetBreach) -> Words {
        let Limits { depth, nodes, aliases, .. } = *self.limits;
        let message = match breach {
            BudgetBreach::Depth { .. } => format!("lists and maps are nested more than {depth} deep"),
            BudgetBreach::Nodes { .. } => format!("the file holds more than {nodes} values"),
            BudgetBreach::Aliases { .. } if aliases == 0 => {
                return forbidden("aliases are not part of the rule language");
            }
            BudgetBreach::Aliases { .. } => {
                format!("the file uses more than {aliases} aliases, or too much through them")
            }
            _ => "the file asks for too much work".to_owned(),
        };
        (codes::LIMIT_EXCEEDED, message.into(), None)
    }

    fn syntax(&self, scan: &ScanError, at: Span) -> (Span, Words) {
        let text = self.source.text.as_str();
        let here = text.get(at.start..at.end).unwrap_or_default();
        let indent = Some("compare the indentation with the lines above");
        let (message, help): (Cow<'static, str>, Option<&'static str>) = match scan.kind() {
            ErrorKind::RecursionLimitExceeded => return (at, self.breach(&BudgetBreach::Depth { depth: 0 })),
            ErrorKind::TooManyComments => return (at, self.breach(&BudgetBreach::Events { events: 0 })),
            ErrorKind::UnclosedQuotedScalar => ("this quotation mark is never closed".into(), None),
            ErrorKind::DocumentIndicatorInQuotedScalar => {
                ("these quotes are not closed before the document ends".into(), None)
            }
            ErrorKind::UnclosedFlowCollection { open } => {
                (format!("this `{open}` is never closed").into(), None)
            }
            ErrorKind::MisplacedFlowCollectionEnd => (format!("this `{here}` closes nothing").into(), None),
            ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
                (format!("this `{open}` is closed by a `{close}`").into(), None)
            }
            ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => (
                "a `:` cannot stand here".into(),
                Some(
                    "put the text in quotes if the colon belongs to it; else compare the indentation with the lines above",
                ),
            ),
            ErrorKind::ExpectedBlockMappingKey => ("a key is expected here".into(), indent),
            ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => {
                ("a `:` is missing after a key on this line".into(), indent)
            }
            ErrorKind::MappingKeyNotAllowed => ("a key cannot stand here".into(), indent),
            ErrorKind::ExpectedFlowSequenceSeparator => ("a `,` or `]` is expected here".into(), None),
            ErrorKind::ExpectedFlowMappingSeparator => {
                let bracket = matches!(here, "[" | "]" | "{");
                let help = "inside of `{ … }` a text that holds a bracket needs quotes";
                ("a `,` or `}` is expected here".into(), bracket.then_some(help))
            }
            ErrorKind::ExpectedBlockSequenceEntry => ("a `-` is expected here".into(), indent),
            ErrorKind::BlockSequenceEntryNotAllowed | ErrorKind::BlockEntryInFlowCollection => {
                ("a list item cannot start here".into(), Some("put each `-` on a line of its own"))
            }
            ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation
            | ErrorKind::TabInIndentation
            | ErrorKind::TabAtBlockScalarStart
            | ErrorKind::TabInPlainScalar => {
                // The library may point behind the tab.
                let before = text.get(..at.start).is_some_and(|head| head.ends_with('\t'));
                let at = if before { Span::new(at.start - 1, at.start) } else { at };
                let words = ("a tab cannot stand here".into(), Some("indent with spaces"));
                return (at, (codes::YAML_SYNTAX, words.0, words.1));
            }
            ErrorKind::UnexpectedCharacter { character } if character.is_control() => {
                (format!("the character {} is not allowed in YAML", code_point(*character)).into(), None)
            }
            ErrorKind::UnexpectedCharacter { character } => {
                (format!("a text cannot start with `{character}`").into(), Some("put the text in quotes"))
            }
            ErrorKind::CommentNotSeparated | ErrorKind::CommentInterceptedScalar => {
                ("a comment cannot stand here".into(), None)
            }
            ErrorKind::InvalidTrailingSingleQuotedScalar | ErrorKind::InvalidTrailingDoubleQuotedScalar => {
                ("there is text after the closing quotation mark".into(), None)
            }
            ErrorKind::UnknownQuotedScalarEscape => {
                let escape = unknown_escape(text, at.start).unwrap_or(at);
                let help = "in single quotes a backslash is an ordinary character";
                return (escape, (codes::YAML_SYNTAX, "this escape is none of YAML".into(), Some(help)));
            }
            ErrorKind::InvalidQuotedScalarHexEscape
            | ErrorKind::InvalidLowSurrogateHexEscape
            | ErrorKind::InvalidLowSurrogate
            | ErrorKind::MissingLowSurrogate
            | ErrorKind::UnpairedLowSurrogate
            | ErrorKind::InvalidUnicodeEscape => ("an escape in these quotes is no character".into(), None),
            ErrorKind::InvalidBlockScalarHeader | ErrorKind::ZeroBlockScalarIndent => (
                "this cannot start a block of text".into(),
                Some("`|` may be followed by `-` or `+` and a digit, then the line ends"),
            ),
            ErrorKind::InvalidIndentation
            | ErrorKind::InvalidBlockScalarIndent
            | ErrorKind::InvalidQuotedScalarIndent
            | ErrorKind::InvalidFlowScalarIndent => ("the indentation does not fit here".into(), indent),
            // A tag or directive that is wrong in itself: no matter how, it would be refused anyway.
            _ if here == "!" => {
                return (self.extend(at, word), forbidden("tags are not part of the rule language"));
            }
            _ if here == "%" => {
                let line = |rest: &str| rest.find(['\n', '\r']).unwrap_or(rest.len());
                return (self.extend(at, line), forbidden("directives are not part of the rule language"));
            }
            _ => return (at, not_yaml()),
        };
        (at, (codes::YAML_SYNTAX, message, help))
    }
}

fn forbidden(message: &'static str) -> Words {
    (codes::YAML_FORBIDDEN, message.into(), None)
}

fn not_yaml() -> Words {
    (codes::YAML_SYNTAX, "this is not well-formed YAML".into(), None)
}

/// The last word before `at` if it is a tag.
fn tag_before(text: &str, at: usize) -> Option<Span> {
    let head = text.get(..at)?.trim_end();
    let start = head.rfind([' ', '\t', '\n', '\r', '[', '{', ',']).map_or(0, |before| before + 1);
    head.get(start..)?.starts_with('!').then(|| Span::new(start, head.len()))
}

/// The first escape after `from` that YAML does not know.
fn unknown_escape(text: &str, from: usize) -> Option<Span> {
    let mut rest = text.get(from..)?.char_indices();
    while let Some((at, c)) = rest.next() {
        if c == '\\' {
            let (_, letter) = rest.next()?;
            if simple_escape(letter).is_none() && !matches!(letter, 'x' | 'u' | 'U' | '\n' | '\r') {
                return Some(Span::new(from + at, from + at + 1 + letter.len_utf8()));
            }
        }
    }
    None
}
