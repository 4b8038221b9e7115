//! What `pgn.rs` reads, what it refuses and where it points, and that hostile text does no harm.

use super::*;

fn read(text: &str) -> Vec<Game> {
    parse(&Source::new("t.pgn", text)).expect("readable")
}

/// The only error of a text: the bytes it points at and its message.
fn error(text: &str) -> (Span, String) {
    let mut errors = parse(&Source::new("t.pgn", text)).expect_err("unreadable");
    assert_eq!(errors.len(), 1, "{errors:?}");
    let error = errors.remove(0);
    (error.labels[0].span, error.message)
}

fn texts(moves: &[Move]) -> Vec<&str> {
    moves.iter().map(|step| step.text.as_str()).collect()
}

#[test]
fn tags_moves_result_and_spans() {
    let text = "\u{FEFF}[Event \"A \\\"b\\\" \\\\ c\\d\"]\r\n[ Site\t\"\" ]\r\n\r\n1. e4 e5 2.Nf3 Nc6 3 Bb5 a6\r\n4. ... O-O 1/2-1/2\r\n";
    let games = read(text);
    let [game] = games.as_slice() else { panic!("{games:?}") };
    assert_eq!(game.tag("Event"), Some("A \"b\" \\ c\\d"));
    assert_eq!(game.tag("Site"), Some(""));
    assert_eq!(game.tag("event"), None);
    assert_eq!(texts(&game.moves), ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "O-O"]);
    for step in &game.moves {
        assert_eq!(&text[step.span.start..step.span.end], step.text);
    }
    let tag = &game.tags[0];
    assert_eq!(&text[tag.name_span.start..tag.name_span.end], "Event");
    assert_eq!(&text[tag.span.start..tag.span.end], "A \\\"b\\\" \\\\ c\\d");
    let result = game.result.as_ref().unwrap();
    assert_eq!((result.text.as_str(), &text[result.span.start..result.span.end]), ("1/2-1/2", "1/2-1/2"));
    assert_eq!(game.span, Span::new(3, text.len() - 2));
}

#[test]
fn annotations_comments_clocks_and_variations() {
    let text = "{intro} 1. e4! {[%clk 1:02:03.45] best [%eval 0.3]} $10 (1. d4 d5 ({x} 1... f5?! *) 2. c4) (1. c4) \
                1... e5 ; plain [%clk 0:00:07]\n%hidden 1-0\n2. Nf3?? {} {[%clk 1:2]} 0-1 {done}";
    let games = read(text);
    let [game] = games.as_slice() else { panic!("{games:?}") };
    let [first, second, third] = game.moves.as_slice() else { panic!("{game:?}") };
    assert_eq!(
        (first.clock_ms, &first.nags, &first.comments),
        (Some(3_723_450), &vec![1, 10], &vec!["best [%eval 0.3]".to_owned()])
    );
    assert_eq!(texts(&first.variations[0]), ["d4", "d5", "c4"]);
    assert_eq!(texts(&first.variations[1]), ["c4"]);
    let inner = &first.variations[0][1].variations[0];
    assert_eq!((inner[0].text.as_str(), &inner[0].nags), ("f5", &vec![6]));
    assert_eq!((second.clock_ms, &second.comments), (Some(7000), &vec!["plain".to_owned()]));
    assert_eq!(
        (third.clock_ms, &third.comments, &third.nags),
        (None, &vec!["[%clk 1:2]".to_owned()], &vec![4])
    );
}

#[test]
fn clock_times() {
    for (time, expected) in [
        (" 0:00:00", Some(0)),
        (" 12:34:56.7891", Some(45_296_789)),
        (" 0:60:00", None),
        (" 0:00:60", None),
        (" 0:00:01.", None),
        (" 0:00:+1", None),
        (" :00:01", None),
        ("0:00:01", None),
        (" 0:00:00:01", None),
        (" 99999999999999999:00:00", None),
        (" 0:00:01.x", None),
    ] {
        assert_eq!(clocks::milliseconds(time), expected, "{time}");
    }
}

#[test]
fn games_are_split() {
    let text = "; head\n[Event \"1\"]\n\n1. a 1-0\n\n[Event \"2\"]\n[Site \"]{(\"]\n\n1. b\n[White \"3\"]\n* [Event \"4\"] 1-0 1. c *\
                \n% x\n[Event \"5\"]\n\n[Event \"6\"]\n\n{a\n[%clk 0:00:01]} 1. d\n\n(e) 0-1";
    let found: Vec<_> = read(text)
        .iter()
        .map(|game| (game.tags.len(), game.moves.len(), game.result.clone().map(|token| token.text)))
        .collect();
    let some = |text: &str| Some(text.to_owned());
    let expected = [
        (1, 1, some("1-0")),
        (2, 1, None),
        (1, 0, some("*")),
        (1, 0, some("1-0")),
        (0, 1, some("*")),
        (1, 0, None),
        (1, 1, some("0-1")),
    ];
    assert_eq!(found, expected);
    assert_eq!(read(""), []);
    assert_eq!(read("\n {nothing} ; here\n%\n"), []);
}

#[test]
fn tokens_are_not_interpreted() {
    let line = "0-0 0-0-0+ e8=Q# @e4 N@f3 -- Z0 ♘f3 Кf3 a1b2+";
    assert_eq!(texts(&read(line)[0].moves), line.split(' ').collect::<Vec<_>>());
}

#[test]
fn errors_say_where_and_what() {
    assert_eq!(
        error("1. e4 } e5"),
        (Span::new(6, 7), "expected a move, an annotation, a variation or a result, found `}`".into())
    );
    assert_eq!(
        error("[Event \"x]\n\n1. e4 *"),
        (Span::new(10, 10), "expected a closing `\"`, found the end of the line".into())
    );
    assert_eq!(error("[Event \"x\"\n[Site \"y\"]\n*"), (Span::new(11, 12), "expected `]`, found `[`".into()));
    assert_eq!(error("[Event x]"), (Span::new(7, 8), "expected a value in double quotes, found `x`".into()));
    assert_eq!(error("[\"x\"]"), (Span::new(1, 2), "expected a tag name, found `\"`".into()));
    assert_eq!(
        error("]"),
        (
            Span::new(0, 1),
            "expected a tag pair such as `[Event \"…\"]`, a move or a result, found `]`".into()
        )
    );
    assert_eq!(error("1. e4 (e5"), (Span::new(6, 7), "this variation is never closed, expected `)`".into()));
    assert_eq!(
        error("1. e4 {x (\n\n"),
        (Span::new(6, 7), "this comment is never closed, expected `}`".into())
    );
    assert_eq!(
        error("1. e4 $256 *"),
        (Span::new(6, 10), "expected an annotation from `$0` to `$255`, found `$256`".into())
    );
    assert_eq!(
        error("1. e4 (1. d4 $) *"),
        (Span::new(13, 14), "expected a move, an annotation, a variation, a result or `)`, found `$`".into())
    );
    let deep = "(a".repeat(65) + &")".repeat(65);
    assert_eq!(error(&format!("a {deep}")), (Span::new(130, 131), "variations nest deeper than 64".into()));
    assert_eq!(read(&format!("a {}", "(a".repeat(64) + &")".repeat(64))).len(), 1);
    assert!(error(&"e4 ".repeat(MAX_GAME / 3 + 1)).1.starts_with("this game has"));
}

#[test]
fn an_error_stays_in_its_game() {
    let text =
        "[Event \"1\"]\n1. e4 {open\n[Event \"2\"]\n1. a (b\n[Event \"3\"]\n\n1. c *\n[Event \"4\"]\n) *";
    let source = Source::new("t.pgn", text);
    let read: Vec<_> = games(&source)
        .map(|game| game.map(|game| game.tags[0].value.clone()).map_err(|error| error.labels[0].span.start))
        .collect();
    let at = |what: &str| text.find(what).unwrap();
    assert_eq!(read, [Err(at("{open")), Err(at("(b")), Ok("3".to_owned()), Err(at(") *"))]);
    assert_eq!(parse(&source).unwrap_err().len(), 3);
}

#[test]
fn hostile_input() {
    let pieces = [
        "[",
        "]",
        "\"",
        "\\",
        "{",
        "}",
        "(",
        ")",
        ";",
        "%",
        "\n",
        "\r",
        " ",
        "1.",
        "e4",
        "*",
        "1-0",
        "$",
        "!",
        "[Event \"",
        "é",
        "\u{FEFF}",
        "[%clk 0:00:01]",
    ];
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for round in 0..20_000 {
        let length = random() % 40;
        let text = if round % 2 == 0 {
            (0..length).map(|_| pieces[random() as usize % pieces.len()]).collect()
        } else {
            let bytes: Vec<u8> = (0..length).map(|_| (random() >> 20) as u8).collect();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let source = Source::new("t.pgn", text.clone());
        for game in games(&source) {
            let span = game.map_or_else(|error| error.labels[0].span, |game| game.span);
            assert!(text.get(span.start..span.end).is_some(), "{text:?} {span:?}");
        }
    }
    for text in
        ["(", "{", "[", "[Event \"\n", "{\n[Event \"", "(a ", "a (b) ", ";;)", "1", "((((((e4)", "\u{FEFF}"]
    {
        let _ = parse(&Source::new("t.pgn", text.repeat(200_000 / text.len())));
    }
}

#[test]
fn the_largest_game_stays_below_the_call_limit_of_other_grammars() {
    pest::set_call_limit(std::num::NonZeroUsize::new(2_000_000));
    let tag = format!("[a \"{}\"]", "b".repeat(MAX_GAME_TEXT - 6));
    assert_eq!(read(&tag).len(), 1);
    for text in
        ["a ", "a{}", "a;\n", "é", "a () ", "a (b!) ", "a $1", "1.a", "a!", ".", "1 ", " ", "\n%", "\n%aaa"]
    {
        let game = format!("a{}", text.repeat((MAX_GAME_TEXT - 1) / text.len()));
        assert!(parse(&Source::new("t.pgn", game)).is_ok(), "{text}");
    }
}

#[test]
fn a_result_that_contradicts_its_tag_is_refused() {
    let text = "[Result \"1-0\"]\n\n1. e4 e5 0-1\n";
    let mut errors = parse(&Source::new("t.pgn", text)).expect_err("contradicting");
    let error = errors.remove(0);
    assert_eq!(error.message, "the result `0-1` contradicts the tag `Result`");
    let under: Vec<&str> = error.labels.iter().map(|l| &text[l.span.start..l.span.end]).collect();
    assert_eq!(under, ["0-1", "1-0"]);
    assert_eq!(read("[Result \"?\"]\n\n1. e4 e5 0-1\n").len(), 1, "a tag that says nothing");
    assert_eq!(read("[Result \"0-1\"]\n\n1. e4 e5 0-1\n").len(), 1);
}
