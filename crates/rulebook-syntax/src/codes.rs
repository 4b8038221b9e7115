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
    /// A rule file has a key that the rule language does not know.
    FILE_UNKNOWN_KEY = "file::unknown-key";
    /// A key that is needed here is missing.
    FILE_MISSING_KEY = "file::missing-key";
    /// A value has the wrong shape: a list where a text is wanted, and the like.
    FILE_SHAPE = "file::shape";
    /// The file is written in another version of the rule language.
    FILE_VERSION = "file::version";
    /// An expression, pattern, effect, choice or time control does not follow its grammar.
    EXPR_SYNTAX = "expr::syntax";
    /// A clause number stands without quotes, so that YAML tools would read a number.
    CLAUSE_UNQUOTED = "clause::unquoted-number";
    /// A clause has no formal part; conduct that changes no state says `advisory: true`.
    CLAUSE_NO_FORM = "clause::no-form";
    /// A clause mixes keys of different kinds of clauses.
    CLAUSE_MIXED = "clause::mixed-forms";
    /// A clause cites no source.
    CLAUSE_NO_CITATION = "clause::no-citation";
    /// A clause has no sentence that says what it means.
    CLAUSE_NO_SENTENCE = "clause::no-sentence";
    /// Two clauses decide one event or ending differently, and neither goes before the other.
    CLAUSE_CONFLICT = "clause::conflict";
    /// A clause can never apply.
    CLAUSE_UNREACHABLE = "clause::unreachable";
    /// A citation names a source that is not declared.
    CITE_UNKNOWN_SOURCE = "cite::unknown-source";
    /// The base that a file extends cannot be found.
    LAYER_UNKNOWN_BASE = "layer::unknown-base";
    /// A file extends itself, directly or through others.
    LAYER_CYCLE = "layer::cycle";
    /// `overrides`, `yields` or `without` names a clause that is not there.
    LAYER_DANGLING = "layer::dangling-override";
    /// Clauses override each other in a circle.
    LAYER_OVERRIDE_CYCLE = "layer::override-cycle";
    /// A clause has the number of a clause of the base and does not say that it overrides it.
    LAYER_UNNAMED_OVERRIDE = "layer::unnamed-override";
    /// Two clauses of one layer override the same clause.
    LAYER_DOUBLE_OVERRIDE = "layer::double-override";
    /// A name is not declared, or not known here.
    NAME_UNKNOWN = "name::unknown";
    /// A name is declared twice.
    NAME_DUPLICATE = "name::duplicate";
    /// A name is a word of the language itself.
    NAME_RESERVED = "name::reserved";
    /// A name has no value in this kind of clause.
    NAME_CONTEXT = "name::context";
    /// A value of one type stands where another type is needed.
    TYPE_MISMATCH = "type::mismatch";
    /// Numbers of different units are mixed.
    TYPE_UNIT = "type::unit";
    /// A function or definition is called with the wrong number of arguments.
    TYPE_ARITY = "type::arity";
    /// A definition or macro calls itself, directly or through others.
    DEFINE_CYCLE = "define::cycle";
    /// A definition, macro or state variable is used nowhere.
    DEFINE_UNUSED = "define::unused";
    /// A parameter is used nowhere.
    PARAM_UNUSED = "param::unused";
    /// A condition asks about attacks or possible acts in a clause that attacks or acts depend on.
    ACT_CYCLE = "act::cycle";
    /// The board, the placement or a direction does not fit.
    BOARD_INVALID = "board::invalid";
    /// The notation section does not fit the rest of the file.
    NOTATION_INVALID = "notation::invalid";
    /// A state can be reached in which no act is possible and the game has not ended.
    EXPLORE_DEAD_END = "explore::dead-end";
    /// An act or an event ends the game in two ways at once.
    EXPLORE_TWO_ENDINGS = "explore::two-endings";
    /// A state can be reached in which the rule set has no verdict on an act or an event.
    EXPLORE_FAULT = "explore::fault";
    /// A clause that events apply, or that answers an event, takes effect in no state that was explored.
    EXPLORE_NEVER_APPLIES = "explore::never-applies";
    /// An event succeeds in no state that was explored.
    EXPLORE_NEVER_SUCCEEDS = "explore::never-succeeds";
    /// A game record in PGN does not follow the format; the label shows where it stops being readable.
    PGN_SYNTAX = "record::pgn";
    /// A game record in SGF does not follow the format, or names a point that its grid does not have.
    SGF_SYNTAX = "record::sgf";
    /// A report of a tournament in TRF does not follow the format, or two of its lines say different things.
    TRF_SYNTAX = "record::trf";
    /// Something in a game record was assumed, repaired or left out, and the rest was read; the label shows where.
    SGF_REPAIRED = "record::repaired";
}
