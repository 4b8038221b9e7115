//! The engine knows no game: no word that belongs to one game or one competition stands in a crate.
//!
//! Comments count, for a comment that explains code by one game shows that the code was made for it.
//! Tests do not count: they may well play something.
//! Words are compared word by word, not letter by letter, so `making` holds no crown and `hexadecimal` no board.

use super::tree::File;
use super::{Finding, Tree};

/// Beginnings of words: no ordinary word of this code base starts like these.
const STEMS: &[&str] = &[
    "armageddon",
    "bishop",
    "buchholz",
    "castl",
    "checkmat",
    "chess",
    "draughts",
    "enpassant",
    "king",
    "knight",
    "komi",
    "othello",
    "passant",
    "pawn",
    "queen",
    "rook",
    "shogi",
    "sonneborn",
    "stalemat",
    "superko",
    "xiangqi",
];

/// Whole words, found inside of `snake_case` and `CamelCase` names too.
const WORDS: &[&str] = &["atari", "berger", "liberties", "liberty", "stone", "stones"];

/// Names that are banned only as they stand: as a part of a longer name they mean something else.
const NAMES: &[&str] = &["hex", "ko"];

/// Banned phrases, of words that are ordinary by themselves.
const PHRASES: &[&str] = &["go rules"];

/// No file of `crates/` outside of tests holds a word of one game.
pub(super) fn crates_know_no_game(tree: &Tree) -> Vec<Finding> {
    let files = tree.code().filter(|file| file.is_below(&["crates/"]) && !is_test(file));
    let files = files.filter(|file| matches!(file.extension(), "rs" | "pest"));
    files.flat_map(|file| game_words(&file.text).map(|(line, word)| found(file, line, &word))).collect()
}

fn found(file: &File, line: usize, word: &str) -> Finding {
    Finding::new(&file.path, line, format!("`{word}` is a word of one game, and belongs in a rule file"))
}

fn is_test(file: &File) -> bool {
    file.path.split('/').any(|part| part == "tests" || part == "tests.rs")
}

/// The banned words of a text with their lines, up to the test module at its end.
fn game_words(text: &str) -> impl Iterator<Item = (usize, String)> {
    let product = text.lines().take(test_module(text).unwrap_or(usize::MAX));
    (1..).zip(product).flat_map(|(number, line)| in_line(line).into_iter().map(move |word| (number, word)))
}

/// How many lines precede the test module; clippy keeps anything from following it.
fn test_module(text: &str) -> Option<usize> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    (0..lines.len()).find(|&at| {
        let rest = lines.get(at..).unwrap_or(&[]);
        let mut item = rest.iter().skip(1).skip_while(|line| line.starts_with("#["));
        rest.first() == Some(&"#[cfg(test)]")
            && item.next().is_some_and(|line| line.starts_with("mod ") && line.ends_with('{'))
    })
}

/// The banned words of one line.
fn in_line(line: &str) -> Vec<String> {
    let words = words(line);
    let banned = words
        .iter()
        .filter(|word| WORDS.contains(&word.as_str()) || STEMS.iter().any(|stem| word.starts_with(stem)));
    let names = line.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_lowercase);
    let names = names.filter(|name| NAMES.contains(&name.as_str()));
    let lower = line.to_lowercase();
    let phrases = PHRASES.iter().filter(|phrase| {
        let starts_word = |at| !lower.get(..at).unwrap_or("").ends_with(char::is_alphanumeric);
        lower.match_indices(**phrase).any(|(at, _)| starts_word(at))
    });
    banned.cloned().chain(names).chain(phrases.map(|phrase| (*phrase).to_owned())).collect()
}

/// The words of a line in lower case: runs of Latin letters, divided where a capital starts a new word.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for run in line.split(|c: char| !c.is_ascii_alphabetic()).filter(|run| !run.is_empty()) {
        let letters: Vec<char> = run.chars().collect();
        let mut word = String::new();
        for (at, letter) in letters.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|at| letters.get(at));
            let after_small = before.is_some_and(char::is_ascii_lowercase);
            let ends_capitals = letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
            if letter.is_ascii_uppercase() && !word.is_empty() && (after_small || ends_capitals) {
                words.push(std::mem::take(&mut word));
            }
            word.push(letter.to_ascii_lowercase());
        }
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<(usize, String)> {
        game_words(text).collect()
    }

    #[track_caller]
    fn finds(text: &str, word: &str) {
        assert_eq!(all(text), [(1, word.to_owned())], "{text}");
    }

    #[test]
    fn names_in_every_case_are_found() {
        finds("let king_square = 0;", "king");
        finds("struct HTTPKingSafety;", "king");
        finds("const QUEENS: u8 = 1;", "queens");
        finds("fn isEnPassant()", "passant");
        finds("// an en-passant capture", "passant");
        finds("enpassant", "enpassant");
        finds("kingside", "kingside");
        finds("// Castling is", "castling");
        finds("liberties(p)", "liberties");
        finds("/// the ko rule", "ko");
        finds("// by Go rules", "go rules");
        finds("Sonneborn", "sonneborn");
    }

    #[test]
    fn ordinary_words_pass() {
        for text in [
            "making, taking, asking, ranking, checking",
            "hexadecimal digits, to_hex(bytes)",
            "a milestone, broken tokens, a kocher, Tokyo",
            "deliberately, hamburger, go, rules of the game, the cargo rules",
        ] {
            assert_eq!(all(text), [], "{text}");
        }
    }

    #[test]
    fn lines_are_counted_from_one() {
        assert_eq!(all("//! Text.\n\nuse pawn;\n"), [(3, "pawn".to_owned())]);
    }

    #[test]
    fn test_modules_are_skipped() {
        let text = "fn product() {}\n\n#[cfg(test)]\n#[expect(dead_code)]\nmod tests {\n    // pawn\n}\n";
        assert_eq!(all(text), []);
    }

    #[test]
    fn other_test_items_are_not_the_end() {
        assert_eq!(all("#[cfg(test)]\nmod tests;\n// rook\n"), [(3, "rook".to_owned())]);
    }
}
