//! The stable codes of all diagnostics, each with the text that `rulebook explain CODE` prints.
//!
//! Invariant: every code that any crate emits is a constant of this module, and is listed in `ALL`.

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal;)*) => {
        $($(#[doc = $doc])+ pub const $name: &str = $code;)*
        /// Every code with its explanation, in the order of this file.
        pub const ALL: &[(&str, &str)] = &[$(($code, concat!($($doc, "\n"),+))),*];
    };
}

codes! {
    /// The text is not well-formed YAML.
    YAML_SYNTAX = "yaml::syntax";
    /// A mapping holds the same key twice; the second one is labelled.
    YAML_DUPLICATE_KEY = "yaml::duplicate-key";
    /// YAML anchors, aliases, tags, merge keys and several documents are not part of the rule language.
    YAML_FORBIDDEN = "yaml::forbidden";
    /// A text exceeds a limit: file size, nesting, number of nodes, aliases, expression length, clauses.
    LIMIT_EXCEEDED = "limit::exceeded";
}
