//! The words that every referee knows, each with what it does.
//!
//! Invariant: `WORDS` is what is dispatched, in the order in which it is told; words that set a parameter come from
//! the rule file besides, and cannot take the place of these.

use std::path::Path;

use rulebook_notation::gtp::{self, Command};

use super::{Answer, Referee, Reply};

/// Words that only a referee knows that plays too.
const PLAYS: &[&str] = &["genmove", "reg_genmove"];

/// All words, in the order in which they are told.
pub const WORDS: &[&str] = &[
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "rectangular_boardsize",
    "clear_board",
    "play",
    "undo",
    "genmove",
    "reg_genmove",
    "fixed_handicap",
    "place_free_handicap",
    "set_free_handicap",
    "time_settings",
    "kgs-time_settings",
    "time_left",
    "final_score",
    "final_status_list",
    "showboard",
    "loadsgf",
    "printsgf",
    "kata-set-rules",
    "kata-get-rules",
    "kata-set-rule",
    "rulebook-do",
    "rulebook-legal_moves",
    "rulebook-why",
    "rulebook-outcome",
    "rulebook-dead",
    "rulebook-time",
];

/// The longest side of a board that is asked for.
const MAX_SIDE: u16 = 52;

fn syntax(usage: &str) -> Answer {
    Err(format!("syntax error: write `{usage}`"))
}

impl Referee {
    /// The words that are known, those of the rule file behind `boardsize` where the protocol has them.
    fn words(&self) -> Vec<String> {
        let own = self.engine.rules().notation.gtp.as_ref().map_or(&[][..], |gtp| &gtp.terms);
        let own = own.iter().map(|(word, _)| word.as_str()).filter(|word| !WORDS.contains(word));
        let all = WORDS.iter().copied().chain(own);
        all.filter(|word| self.dice.is_some() || !PLAYS.contains(word)).map(str::to_owned).collect()
    }

    pub(super) fn command(&mut self, command: &Command, reply: &mut Reply) -> Answer {
        let words: Vec<&str> = command.arguments.iter().map(String::as_str).collect();
        if !self.words().contains(&command.name) {
            return Err("unknown command".to_owned());
        }
        match (command.name.as_str(), &words[..]) {
            ("protocol_version", _) => Ok("2".to_owned()),
            ("name", _) => Ok(format!("Rulebook, referee of {}", self.rules().id)),
            ("version", _) => Ok(env!("CARGO_PKG_VERSION").to_owned()),
            ("known_command", [word]) => Ok(self.words().iter().any(|known| known == word).to_string()),
            ("known_command", _) => Ok("false".to_owned()),
            ("list_commands", _) => Ok(self.words().join("\n")),
            ("quit", _) => {
                reply.last = true;
                Ok(String::new())
            }
            ("boardsize" | "rectangular_boardsize", sides) => self.sized(sides),
            ("clear_board", _) => self.begin(),
            ("play", [color, vertex]) => {
                let player = self.player(color)?;
                self.play(player, &vertex.to_lowercase(), reply)
            }
            ("play", _) => syntax("play COLOR VERTEX"),
            ("undo", _) => match self.steps.pop() {
                Some(_) => {
                    self.dead = super::Sites::EMPTY;
                    Ok(String::new())
                }
                None => Err("cannot undo".to_owned()),
            },
            ("genmove", [color]) => {
                let player = self.player(color)?;
                self.genmove(player, true)
            }
            ("reg_genmove", [color]) => {
                let player = self.player(color)?;
                self.genmove(player, false)
            }
            ("genmove" | "reg_genmove", _) => syntax("genmove COLOR"),
            ("fixed_handicap" | "place_free_handicap", [count]) => {
                self.advance(count, command.name.starts_with('p'))
            }
            ("fixed_handicap" | "place_free_handicap", _) => syntax("fixed_handicap NUMBER"),
            ("set_free_handicap", vertices) => self.advance_at(vertices),
            ("time_settings", numbers) => self.times(&command.rest, numbers, 3),
            ("kgs-time_settings", [kind, numbers @ ..]) => {
                let count = match *kind {
                    "none" => 0,
                    "absolute" => 1,
                    "byoyomi" | "canadian" => 3,
                    _ => return syntax("kgs-time_settings none|absolute|byoyomi|canadian …"),
                };
                self.times(&command.rest, numbers, count)
            }
            ("kgs-time_settings", _) => syntax("kgs-time_settings none|absolute|byoyomi|canadian …"),
            ("time_left", [color, time, count]) => {
                let player = self.player(color)?;
                if time.parse::<f64>().is_err() || count.parse::<u32>().is_err() {
                    return syntax("time_left COLOR SECONDS NUMBER");
                }
                let name = self.player_name(player).to_owned();
                let head = format!("{name} ");
                self.time.retain(|line| !line.starts_with(&head));
                self.time.push(format!("{head}{time} {count}"));
                Ok(String::new())
            }
            ("time_left", _) => syntax("time_left COLOR SECONDS NUMBER"),
            ("final_score", _) => self.score(),
            ("final_status_list", [status]) => self.status(status),
            ("final_status_list", _) => syntax("final_status_list alive|dead|seki"),
            ("showboard", _) => Ok(self.show()),
            ("loadsgf", [file]) => self.load(file, None, reply),
            ("loadsgf", [file, before]) => match before.parse() {
                Ok(before) => self.load(file, Some(before), reply),
                Err(_) => syntax("loadsgf FILE NUMBER"),
            },
            ("loadsgf", _) => syntax("loadsgf FILE"),
            ("printsgf", []) => self.record(),
            ("printsgf", _) => {
                let text = self.record()?;
                let unwritable = |error: std::io::Error| format!("cannot save file: {error}");
                crate::compiled::write(Path::new(&command.rest), text.as_bytes()).map_err(unwritable)?;
                Ok(String::new())
            }
            ("kata-set-rules", [_, ..]) => self.set_rules(&command.rest),
            ("kata-set-rules", _) => syntax("kata-set-rules NAME"),
            ("kata-get-rules", _) => Ok(self.options_now()),
            ("kata-set-rule", [name, value]) => self.set_option(name, value),
            ("kata-set-rule", _) => syntax("kata-set-rule NAME VALUE"),
            ("rulebook-do", [_, ..]) => self.happen(command.rest.clone(), reply),
            ("rulebook-do", _) => syntax("rulebook-do WHO: WHAT"),
            ("rulebook-legal_moves", _) => self.legal(command.arguments.first()),
            ("rulebook-why", _) => Ok(self.why()),
            ("rulebook-outcome", _) => Ok(self.outcome()),
            ("rulebook-dead", _) => self.agree(&command.arguments),
            ("rulebook-time", _) => Ok(self.time.join("\n")),
            (word, [text]) => {
                let terms = self.engine.rules().notation.gtp.as_ref().map_or(&[][..], |gtp| &gtp.terms);
                match terms.iter().find(|(known, _)| known == word).map(|(_, param)| param.clone()) {
                    Some(param) => self.term(&param, text),
                    None => Err("unknown command".to_owned()),
                }
            }
            (word, _) => syntax(&format!("{word} NUMBER")),
        }
    }

    fn sized(&mut self, sides: &[&str]) -> Answer {
        let side = |text: &str| text.parse::<u16>().ok().filter(|side| (1..=MAX_SIDE).contains(side));
        match sides {
            [one] | [one, _] if one.parse::<i64>().is_err() => syntax("boardsize NUMBER"),
            [one] => match side(one) {
                Some(one) => self.resize(one, one),
                None => Err("unacceptable size".to_owned()),
            },
            [files, ranks] => match side(files).zip(side(ranks)) {
                Some((files, ranks)) => self.resize(files, ranks),
                None => Err("unacceptable size".to_owned()),
            },
            _ => syntax("boardsize NUMBER"),
        }
    }

    /// Pieces in advance on points that the protocol fixes, or that the referee chooses.
    fn advance(&mut self, count: &str, free: bool) -> Answer {
        let Ok(count) = count.parse::<usize>() else { return syntax("fixed_handicap NUMBER") };
        if !self.is_new() {
            return Err("board not empty".to_owned());
        }
        let board = &self.engine.rules().board;
        let sites = if free {
            // One point is left, so that the other player has a move.
            (count >= 2 && count < board.len()).then(|| gtp::free_points(board, count))
        } else {
            gtp::fixed_points(board, count)
        };
        match sites {
            Some(sites) => self.give(sites),
            None => Err("invalid number of pieces".to_owned()),
        }
    }

    /// Pieces in advance on points that the controller names.
    fn advance_at(&mut self, vertices: &[&str]) -> Answer {
        if !self.is_new() {
            return Err("board not empty".to_owned());
        }
        let mut sites = Vec::new();
        for vertex in vertices {
            let site = self
                .site(vertex)
                .map_err(|_| format!("bad vertex list: `{vertex}` is no point of this board"))?;
            if sites.contains(&site) {
                return Err(format!("bad vertex list: `{vertex}` stands twice"));
            }
            sites.push(site);
        }
        if sites.len() < 2 || sites.len() >= self.engine.rules().board.len() {
            return Err("bad vertex list: there are too few points, or too many".to_owned());
        }
        self.give(sites)?;
        Ok(String::new())
    }

    fn times(&mut self, line: &str, numbers: &[&str], count: usize) -> Answer {
        if numbers.len() != count || numbers.iter().any(|number| number.parse::<u32>().is_err()) {
            return Err(format!("syntax error: {count} whole numbers are expected here"));
        }
        self.time = vec![line.to_owned()];
        Ok(String::new())
    }
}
