//! What is read of records, what is repaired, and what is said about the rest.

use super::*;

fn read(text: &str) -> Vec<Record> {
    parse(&Source::new("t.sgf", text)).expect("readable")
}

fn one(text: &str) -> Record {
    let mut records = read(text);
    assert_eq!(records.len(), 1, "{records:?}");
    records.remove(0)
}

/// The only error of a text: the bytes it points at and its message.
fn error(text: &str) -> (Span, String) {
    let mut errors = parse(&Source::new("t.sgf", text)).expect_err("unreadable");
    assert_eq!(errors.len(), 1, "{errors:?}");
    let error = errors.remove(0);
    (error.labels[0].span, error.message)
}

fn points(record: &Record) -> Vec<(&str, Option<(u16, u16)>)> {
    record.moves.iter().map(|play| (play.color.as_str(), play.point)).collect()
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn a_whole_record() {
    let text = "(;GM[1]FF[4]SZ[7:5]KM[6.50]PB[A \\] \\\\b\\\nc]PW[]AB[aa:cb][ee]\nAW [dd] ;AE[aa]C[B[ab\\]];B[ge]WL[3];W[];B [tt];W[bc]\
                (;B[ca](;W[cb])(;W[cc]))(;B[da];W[db](;B[aa])(;B[ab])))";
    let record = one(text);
    assert_eq!(record.size, (7, 5));
    assert_eq!(record.players, [("B".to_owned(), "A ] \\bc".to_owned()), ("W".to_owned(), String::new())]);
    assert_eq!(record.properties[3], ("KM".to_owned(), strings(&["6.50"])));
    assert_eq!(record.properties[6], ("AB".to_owned(), strings(&["aa:cb", "ee"])));
    assert_eq!(record.properties.len(), 8);
    let setup: String =
        record.setup.iter().map(|(kind, (column, row))| format!("{kind}{column}{row} ")).collect();
    assert_eq!(setup, "B00 B10 B20 B01 B11 B21 B44 W33 E00 ");
    let expected = [
        ("B", Some((6, 4))),
        ("W", None),
        ("B", None),
        ("W", Some((1, 2))),
        ("B", Some((2, 0))),
        ("W", Some((2, 1))),
    ];
    assert_eq!(points(&record), expected);
    let spans: Vec<_> =
        record.moves.iter().filter_map(|play| text.get(play.span?.start..play.span?.end)).collect();
    assert_eq!(spans, ["B[ge]", "W[]", "B [tt]", "W[bc]", "B[ca]", "W[cb]"]);
    assert_eq!((record.variations, record.warnings.len()), (3, 0));
}

#[test]
fn sizes_and_passes() {
    assert_eq!(one("(;B[ss];W[tt])").size, (19, 19));
    assert_eq!(
        points(&one("(;SZ[52]B[tt];W[ZZ];B[])")),
        [("B", Some((19, 19))), ("W", Some((51, 51))), ("B", None)]
    );
    assert_eq!(points(&one("(;B[tt]SZ[ 9 ])")), [("B", None)]);
    assert_eq!(one("(;SiZe[9]Black[aa])").properties[1].0, "B");
}

/// The warnings of a record with the lines and columns that they point at.
fn warned(record: &Record) -> Vec<String> {
    let told = |warning: &Diagnostic| {
        let label = warning.labels.first().expect("a warning has a place");
        let (line, column) = label.source.line_column(label.span.start);
        format!("{line}:{column} {}", warning.message)
    };
    record.warnings.iter().map(told).collect()
}

#[test]
fn damage_is_repaired_with_a_warning() {
    let warnings = |text: &str| warned(&one(text));
    assert_eq!(warnings("\n\u{FEFF}\n(;B[aa])\n"), strings(&[]));
    assert_eq!(warnings("From: (me)\n(;B[aa])"), ["1:1 text outside of a game tree is skipped"]);
    assert_eq!(warnings("(;B[aa]\n"), ["2:1 a missing `)` at the end is added"]);
    assert_eq!(warnings("(;B[aa]\n(;W[bb]"), ["2:8 a missing `)` at the end is added"]);
    assert_eq!(warnings("(;B[aa])\n)"), ["2:1 a surplus `)` is skipped"]);
    assert_eq!(warnings("\n( B[aa])"), ["2:3 a missing `;` at the beginning is added"]);
    assert_eq!(warnings("(;;B[aa]\nAB[bb])"), ["2:1 setup after the first play is left out"]);
    assert_eq!(warnings("(;GM[2]b[c])").len(), 2);
    assert_eq!(warnings("(;KM[6]\nSZ[9]KM[7])"), ["2:6 `KM` stands twice; the first one counts"]);
    let both = read("(;B[aa]))\nx(;W[bb])");
    let second = "1:9 a surplus `)` is skipped".to_owned();
    assert_eq!((both.len(), warned(&both[0]), warned(&both[1])), (2, vec![], vec![second]));
}

/// A bracket without its escape is a part of a text only where nothing else makes sense.
#[test]
fn brackets_that_are_not_escaped_belong_to_the_text() {
    let record = one("(;US[Matsuyama[3d]]EV[a[b][c];B[aa])");
    assert_eq!(record.root("US").map(|(text, _)| text), Some("Matsuyama[3d]"));
    assert_eq!(points(&record), [("B", Some((0, 0)))]);
    let told = "a `]` that is not escaped is taken as a part of the text";
    assert_eq!(warned(&record)[0], format!("1:18 {told}"));
    // What could be the next value is one.
    assert_eq!(record.properties[1], ("EV".to_owned(), strings(&["a[b", "c"])));
    assert_eq!(warned(&one("(;C[see [1\\] there];B[aa])")), strings(&[]));
    assert_eq!(error("(;C[a]]B[aa])").1, "expected a property, `;`, `(` or `)`, found `]`");
    assert_eq!(error("(;C[a[b] c").1, "expected a value in `[` and `]`, found the end of the text");
}

#[test]
fn any_line_can_be_read() {
    let text = "(;B[aa](;W[bb](;B[cc])(;B[dd]))(;W[ee];B[ff]))";
    let line = |wanted: usize| {
        let mut records = parse_line(&Source::new("t.sgf", text), wanted).expect("readable");
        let record = records.remove(0);
        assert_eq!(record.variations, 2);
        record.moves.iter().filter_map(|play| play.point).map(|(column, _)| column).collect::<Vec<_>>()
    };
    assert_eq!((line(1), line(2), line(3)), (vec![0, 1, 2], vec![0, 1, 3], vec![0, 4, 5]));
    let errors = parse_line(&Source::new("t.sgf", text), 4).expect_err("there are three lines");
    assert_eq!(errors[0].message, "there is no line 4: this tree has 3 lines");
    assert_eq!(errors[0].labels[0].span, Span::new(0, 1));
    // What is missing at the end ends every line that is still open.
    let open = parse_line(&Source::new("t.sgf", "(;B[aa](;W[bb])(;W[cc]"), 2).expect("readable");
    assert_eq!(points(&open[0]), [("B", Some((0, 0))), ("W", Some((2, 2)))]);
}

#[test]
fn errors_say_where_and_what() {
    assert_eq!(
        error(""),
        (Span::new(0, 0), "expected a game tree, which begins with `(;`, found the end of the text".into())
    );
    assert_eq!(
        error("\n;;)"),
        (Span::new(1, 2), "expected a game tree, which begins with `(;`, found `;`".into())
    );
    assert_eq!(
        error("(;B[aa]é)"),
        (Span::new(7, 9), "expected a property, `;`, `(` or `)`, found `é`".into())
    );
    assert_eq!(
        error("(;B[aa](;W[bb]);B[cc])"),
        (Span::new(15, 16), "expected `(` or `)`, since nothing else follows a variation, found `;`".into())
    );
    assert_eq!(error("(;B[aa]())"), (Span::new(8, 9), "expected `;`, found `)`".into()));
    assert_eq!(error("(;B ;W[aa])"), (Span::new(4, 5), "expected a value in `[` and `]`, found `;`".into()));
    assert_eq!(error("(;C[a\\]"), (Span::new(3, 4), "this value is never closed, expected `]`".into()));
    assert_eq!(
        error("(;SZ[53])"),
        (Span::new(2, 8), "expected a size from 1 to 52, or two as in `[7:5]`".into())
    );
    assert_eq!(
        error("(;SZ[5:4]B[ae])"),
        (Span::new(9, 14), "`ae` is outside of a grid with 5 columns and 4 rows".into())
    );
    assert_eq!(
        error("(;B[aa][bb])"),
        (Span::new(2, 11), "expected one point in letters, such as `B[aa]`".into())
    );
    assert_eq!(
        error("(;AW[aa][c3])"),
        (Span::new(9, 11), "expected a point in letters, or two corners as in `aa:cb`".into())
    );
    assert_eq!(error("(;SZ[9]AW[aa:jj])").0, Span::new(10, 15));
    assert_eq!(parse(&Source::new("t", "(;B[a])(;W[b])(;B[aa])")).unwrap_err().len(), 2);
    let nested = |depth: usize| "(;B[aa]".repeat(depth) + &")".repeat(depth);
    assert_eq!(one(&nested(1000)).moves.len(), 1000);
    assert_eq!(error(&nested(1001)), (Span::new(7000, 7001), "variations nest deeper than 1000".into()));
    let flood = format!("(;SZ[52]AB{})", "[aa:ZZ]".repeat(40));
    assert_eq!(error(&flood).1, "the compressed lists of this text hold too many points");
}

#[test]
fn the_main_line_is_that_of_the_library() {
    let text = "(;FF[4]GM[1]SZ[9]AB[cc];B[de];W[fe](;B[ee](;W[ef])(;W[eg]))(;B[aa]))(;SZ[9];W[ff];B[])";
    let trees = sgf_parse::go::parse(text).unwrap();
    let records = read(text);
    assert_eq!(records.len(), trees.len());
    for (record, tree) in records.iter().zip(&trees) {
        let plays: Vec<_> = tree.main_variation().filter_map(|node| node.get_move().cloned()).collect();
        let ours: Vec<_> =
            record.moves.iter().filter_map(|play| text.get(play.span?.start..play.span?.end)).collect();
        assert_eq!(ours, plays.iter().map(ToString::to_string).collect::<Vec<_>>());
    }
}

#[test]
fn hostile_input() {
    let pieces =
        ["(", ")", ";", "[", "]", "\\", "B", "AB", "SZ", "aa", "aa:bb", ":", "tt", "\n", " ", "é", "9", "(;"];
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for round in 0..20_000 {
        let length = random() % 40;
        let mut text: String = if round % 2 == 0 {
            (0..length).map(|_| pieces[random() as usize % pieces.len()]).collect()
        } else {
            let bytes: Vec<u8> = (0..length).map(|_| (random() >> 20) as u8).collect();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        text.insert_str(0, if round % 4 < 2 { "(;" } else { "" });
        for error in parse(&Source::new("t.sgf", text.clone())).err().unwrap_or_default() {
            let span = error.labels[0].span;
            assert!(text.get(span.start..span.end).is_some(), "{text:?} {span:?}");
        }
    }
    for text in [
        ";;)",
        "(",
        "(;",
        ";",
        "(a",
        "(;B[]",
        "(;B[])",
        "(;B[])\n)",
        "(;b[]\n)",
        "\\",
        "(;C[\\",
        "( ",
        "(;AB[aa:ss])",
    ] {
        let _ = parse(&Source::new("t.sgf", text.repeat(300_000 / text.len())));
        let _ = parse(&Source::new("t.sgf", format!("(;{}", text.repeat(300_000 / text.len()))));
    }
    assert_eq!(one(&format!("(;{})", ";B[aa]".repeat(100_000))).moves.len(), 100_000);
}
