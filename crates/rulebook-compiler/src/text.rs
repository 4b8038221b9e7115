//! Programs as text, and back: the intermediate form as people and other tools see it.
//!
//! The notation is RON, type by type as the modules `program`, `lane` and `surround` of the machine declare
//! them. Law: printing and parsing again gives the same program, and the text of a program is always the
//! same. A text that parses is no more than a claim: only the verifier decides whether it may be run.

use rulebook_machine::program::Program;

/// Why a text is none of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread {
    /// Where the place begins, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What is wrong there.
    pub message: String,
}

impl std::fmt::Display for Misread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Misread {}

/// The text of a program: a field on each line, and short lists on one.
///
/// # Errors
/// What the notation cannot hold; nothing of a program is of that kind.
pub fn print(program: &Program) -> Result<String, String> {
    let config = ron::ser::PrettyConfig::new()
        .indentor("  ")
        .new_line("\n")
        .depth_limit(3)
        .struct_names(true)
        .compact_arrays(false);
    let text = ron::ser::to_string_pretty(program, config).map_err(|error| error.to_string())?;
    Ok(format!("{text}\n"))
}

/// The program of a text.
///
/// # Errors
/// The first place at which the text is none of a program.
pub fn parse(text: &str) -> Result<Program, Misread> {
    ron::from_str(text).map_err(|error| {
        let byte = |at: ron::error::Position| offset(text, at.line, at.col);
        let (start, end) = (byte(error.span.start), byte(error.span.end));
        Misread { start, end: end.max(start), message: error.code.to_string() }
    })
}

/// The byte of a line and a column, both counted from one, the column in characters.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let rest = text.get(before..).unwrap_or("");
    let within = rest.char_indices().nth(column.saturating_sub(1)).map_or(rest.len(), |(at, _)| at);
    before + within
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_text() {
        let misread = parse("Program(\n  id: \"x\",\n  begins: \"二\",\n)").err();
        let misread = misread.map(|misread| (misread.start, misread.message));
        assert!(matches!(misread, Some((at, _)) if (9..40).contains(&at)), "{misread:?}");
    }

    #[test]
    fn offsets_count_characters_and_lines() {
        assert_eq!(offset("a\n二b\n", 2, 2), 5);
        assert_eq!(offset("a", 9, 9), 1);
    }
}
