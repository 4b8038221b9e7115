//! Sessions of the referee: those of `conformance/gtp/`, the program behind pipes, and another program as a peer.
#![expect(clippy::expect_used, clippy::unwrap_used, clippy::print_stderr, reason = "a test may fail loudly")]

mod common;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rulebook::referee::{Referee, Reply};

/// The folder of the sessions.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/gtp")
}

/// What a session says: how the referee is started, and its exchanges.
#[derive(Default)]
struct Session {
    rules: String,
    given: Vec<(String, String)>,
    seed: Option<u64>,
    exchanges: Vec<Exchange>,
}

/// A line of the controller and what must come of it.
#[derive(Default)]
struct Exchange {
    line: usize,
    said: String,
    answer: Vec<String>,
    remarks: Vec<String>,
}

impl Session {
    fn read(text: &str) -> Self {
        let mut session = Self::default();
        let mut open = false;
        for (number, row) in (1..).zip(text.lines()) {
            if let Some(comment) = row.strip_prefix("# ") {
                match comment.split_once(": ") {
                    Some(("rules", rules)) => rules.clone_into(&mut session.rules),
                    Some(("given", given)) => {
                        let (name, value) = given.split_once('=').expect("write `name=value`");
                        session.given.push((name.to_owned(), value.to_owned()));
                    }
                    Some(("seed", seed)) => session.seed = Some(seed.parse().expect("a number")),
                    _ => {}
                }
            } else if row.is_empty() {
                open = false;
            } else if !open {
                session.exchanges.push(Exchange {
                    line: number,
                    said: row.to_owned(),
                    ..Exchange::default()
                });
                open = true;
            } else {
                let exchange = session.exchanges.last_mut().expect("a line of the controller comes first");
                match row.strip_prefix("! ") {
                    Some(remark) => exchange.remarks.push(remark.to_owned()),
                    None => exchange.answer.push(row.trim_end().to_owned()),
                }
            }
        }
        session
    }
}

/// The lines of an answer, without the empty one at the end and without blanks behind.
fn lines(text: &str) -> Vec<String> {
    let text = text.strip_suffix("\n\n").expect("an answer ends with an empty line");
    text.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// What a referee answers otherwise than a session has it.
fn differences(name: &str, text: &str) -> String {
    let records = folder().join("records").display().to_string();
    let session = Session::read(text);
    let mut referee = Referee::new(&session.rules, &session.given, session.seed).expect("the rule set opens");
    let mut wrong = String::new();
    for exchange in &session.exchanges {
        let said = exchange.said.replace("RECORDS", &records);
        let reply = referee.answer(&said).expect("every line is a command");
        let remark = reply.remark.unwrap_or_default();
        let told: Vec<&str> = remark.lines().collect();
        let missing: Vec<&String> =
            exchange.remarks.iter().filter(|line| !told.contains(&line.as_str())).collect();
        let answer = lines(&reply.text);
        if answer != exchange.answer || !missing.is_empty() {
            let _ = writeln!(wrong, "{name}:{}: {}", exchange.line, exchange.said);
            let _ = writeln!(wrong, "  answer  {answer:#?}\n  wanted  {:#?}", exchange.answer);
            let _ = writeln!(wrong, "  missing {missing:?} in {told:#?}");
        }
    }
    wrong
}

#[test]
fn sessions_go_as_they_are_written() {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "gtp"));
    files.sort();
    assert!(files.len() >= 10, "the sessions are found");
    let read =
        |path: &PathBuf| differences(&path.display().to_string(), &std::fs::read_to_string(path).unwrap());
    let wrong: String = files.iter().map(read).collect();
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// The sessions of the page about the referee.
#[test]
fn the_page_tells_the_truth() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gtp.md");
    let page = std::fs::read_to_string(path).unwrap();
    let blocks: Vec<&str> =
        page.split("```gtp\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 3, "the sessions are found");
    let wrong: String = blocks.iter().map(|block| differences("docs/gtp.md", block)).collect();
    assert!(wrong.is_empty(), "\n{wrong}");
    let known = Referee::new("go/board", &[], Some(1)).unwrap().answer("list_commands").unwrap().text;
    for word in known.trim_start_matches('=').split_whitespace() {
        assert!(page.contains(&format!("`{word}")), "the page does not tell of `{word}`");
    }
}

/// Every word that is told is understood, and every answer has the shape of one.
#[test]
fn every_word_has_an_answer() {
    let mut referee = Referee::new("go/board", &[], Some(1)).unwrap();
    let told = referee.answer("list_commands").unwrap();
    let words: Vec<String> =
        told.text.trim_start_matches('=').split_whitespace().map(str::to_owned).collect();
    assert_eq!(words.iter().collect::<BTreeSet<_>>().len(), words.len());
    for word in &words {
        let reply = referee.answer(&format!("5 {word}")).unwrap();
        assert!(reply.text.starts_with("=5 ") || reply.text.starts_with("?5 "), "{word}: {}", reply.text);
        assert!(!reply.text.contains("unknown command"), "{word}");
        assert_eq!(reply.text.find("\n\n"), Some(reply.text.len() - 2), "{word}");
        let known = referee.answer(&format!("known_command {word}")).unwrap();
        assert_eq!(known.text, "= true\n\n", "{word}");
    }
}

/// No line of a controller makes the referee panic, and none leaves it without an answer.
#[test]
fn lines_without_sense_are_answered() {
    let pieces = [
        "play",
        "b",
        "W",
        "c3",
        "pass",
        "resign",
        "A1",
        "boardsize",
        "0",
        "3",
        "-1",
        "1e9",
        "999999999999",
        "komi",
        "undo",
        "loadsgf",
        "/",
        "printsgf",
        "/nowhere/x.sgf",
        "fixed_handicap",
        "set_free_handicap",
        "kata-set-rules",
        "{",
        "{}",
        "kata-set-rule",
        "ko",
        "SIMPLE",
        "final_status_list",
        "dead",
        "rulebook-dead",
        "é",
        "\u{0}",
        "12",
        "genmove",
        "'",
        "time_left",
        "kgs-time_settings",
        "rulebook-legal_moves",
        "final_score",
        "showboard",
        "clear_board",
        "e2e4",
    ];
    let mut dice = 0x9E37_79B9_7F4A_7C15_u64;
    let mut roll = move |many: usize| {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        dice as usize % many
    };
    for (rules, given) in [("go/chinese", "size=3"), ("games/hex", "size=3"), ("chess/board", "")] {
        let given: Vec<(String, String)> = given
            .split_once('=')
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into_iter()
            .collect();
        let mut referee = Referee::new(rules, &given, Some(3)).unwrap();
        for _ in 0..150 {
            let line: Vec<&str> = (0..=roll(4)).map(|_| pieces[roll(pieces.len())]).collect();
            // A record is not written here: whatever stands behind the word would be the name of a file.
            if line.len() > 1 && line.contains(&"printsgf") && !line.contains(&"/nowhere/x.sgf") {
                continue;
            }
            let Some(Reply { text, .. }) = referee.answer(&line.join(" ")) else { continue };
            assert!(text.starts_with(['=', '?']) && text.ends_with("\n\n"), "{line:?}: {text:?}");
        }
    }
}

/// A program on the other end of two pipes.
struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    fn start(mut command: Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    /// Says a line; the answer is good or bad.
    fn say(&mut self, line: &str) -> Result<String, String> {
        writeln!(self.input, "{line}").expect("the program listens");
        self.input.flush().unwrap();
        let mut text = String::new();
        loop {
            let mut row = String::new();
            assert!(self.output.read_line(&mut row).unwrap() > 0, "the program answers `{line}`");
            if row.trim_end().is_empty() && !text.is_empty() {
                break;
            }
            text.push_str(row.trim_end());
            text.push('\n');
        }
        let text = text.trim_end();
        match text.strip_prefix('=') {
            Some(good) => Ok(good.trim().to_owned()),
            None => Err(text.trim_start_matches('?').trim().to_owned()),
        }
    }

    fn end(mut self) -> Option<i32> {
        let _ = self.say("quit");
        self.child.wait().unwrap().code()
    }
}

#[test]
fn the_program_answers_line_by_line() {
    let mut command = common::command(&["gtp", "go/board", "--given", "size=3"]);
    command.stderr(Stdio::piped());
    let mut peer = Peer::start(command);
    assert_eq!(peer.say("play b B2"), Ok(String::new()));
    assert_eq!(peer.say("# nothing\n\nplay b A1"), Err("illegal move".to_owned()));
    let legal = peer.say("rulebook-legal_moves white").unwrap();
    assert_eq!(legal, "A1 B1 C1 A2 C2 A3 B3 C3 pass");
    // A line without an end is cut, and the one behind it is answered.
    assert_eq!(peer.say(&"x".repeat(100_000)), Err("unknown command".to_owned()));
    assert_eq!(peer.say("protocol_version"), Ok("2".to_owned()));
    let mut errors = peer.child.stderr.take().unwrap();
    assert_eq!(peer.end(), Some(0));
    let mut told = String::new();
    std::io::Read::read_to_string(&mut errors, &mut told).unwrap();
    assert!(told.starts_with("black: a1: not on turn\n2.1b  Turns: "), "{told}");
}

#[test]
fn input_that_cannot_be_used_ends_the_program_at_once() {
    let run = common::run(&["gtp", "no/such-rules"]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""));
    assert!(run.err.contains("there is no file and no built-in rule set `no/such-rules`"), "{}", run.err);
    // Without a controller there is nothing to do.
    assert_eq!(common::run(&["gtp", "go/board"]).code, Some(0));
}

/// GNU Go, if it is installed.
fn gnugo() -> Option<PathBuf> {
    let named = std::env::var_os("GNUGO").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&path).chain([PathBuf::from("/usr/games")]).map(|folder| folder.join("gnugo"));
    named.into_iter().chain(found).find(|file| file.is_file())
}

/// GNU Go plays against itself, and the referee follows: it goes along with every move, both know the same legal
/// moves after each of them, and once the dead stones are agreed both count the same.
#[test]
fn gnugo_and_the_referee_agree() {
    let Some(program) = gnugo() else {
        eprintln!("SKIPPED: gnugo_and_the_referee_agree, because the program `gnugo` is not installed");
        return;
    };
    for (seed, rules) in [(1, "go/simple-ko"), (2, "go/simple-ko")] {
        let mut command = Command::new(&program);
        command.args(["--mode", "gtp", "--level", "1", "--chinese-rules", "--seed", &format!("{seed}")]);
        let mut peer = Peer::start(command);
        let mut referee = Referee::new(rules, &[], None).unwrap();
        let mut ask = |line: &str| -> Result<String, String> {
            let reply = referee.answer(line).unwrap();
            let text = reply.text.trim_end();
            match text.strip_prefix('=') {
                Some(good) => Ok(good.trim().to_owned()),
                None => Err(format!("{text} {}", reply.remark.unwrap_or_default())),
            }
        };
        for line in ["boardsize 7", "clear_board", "komi 5.5"] {
            peer.say(line).unwrap();
            ask(line).unwrap();
        }
        let mut passes = 0;
        for number in 0..200 {
            let color = ["black", "white"][number % 2];
            let theirs = peer.say(&format!("all_legal {color}")).unwrap();
            let ours = ask(&format!("rulebook-legal_moves {color}")).unwrap();
            let set = |text: &str| -> BTreeSet<String> {
                text.split_whitespace().filter(|word| *word != "pass").map(str::to_owned).collect()
            };
            assert_eq!(set(&ours), set(&theirs), "move {number} of game {seed}");
            let vertex = peer.say(&format!("genmove {color}")).unwrap();
            assert_eq!(ask(&format!("play {color} {vertex}")), Ok(String::new()), "move {number}: {vertex}");
            passes = if vertex.eq_ignore_ascii_case("pass") { passes + 1 } else { 0 };
            if passes == 2 {
                break;
            }
        }
        assert_eq!(passes, 2, "the game ends");
        let dead = peer.say("final_status_list dead").unwrap().replace('\n', " ");
        ask(&format!("rulebook-dead {dead}")).unwrap();
        // The peer writes W+5.5 as we do.
        assert_eq!(ask("final_score"), peer.say("final_score"), "dead: {dead}");
        peer.end();
    }
}
