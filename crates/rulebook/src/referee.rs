//! A referee for controllers: one game, whose plays are judged as they come, by words of the Go Text Protocol.
//!
//! What a word of a controller sets in a rule set (a size, a number, an option) is said by the notation section of the
//! rule file; the words that every referee knows are here. Invariant: what is refused changes nothing, and leaves the
//! clauses that decided behind; a game is always one that the rule set goes along with, for whatever changes its terms
//! has it replayed from the start. Nothing is printed and no clock is asked here.

use std::path::Path;
use std::sync::Arc;

use rulebook_model::ruleset::{Cell, Clause, Form, RuleSet};
use rulebook_model::{Number, Site, Sites};
use rulebook_notation::gtp;
use rulebook_notation::lines::{self, LineError};
use rulebook_notation::moves::{read_act, write_act};
use rulebook_notation::position::picture;
use rulebook_notation::replay::{self, Line, Script, Start};
use rulebook_notation::sgf::terms::{self, GIVEN, Term, worded};
use rulebook_notation::sgf::write::{self, Event, Sheet};
use rulebook_reference::{Act, Engine, Person, Reason, State, Verdict};
use rulebook_syntax::{Diagnostic, Span};

use crate::{OpenError, open};

mod options;
mod words;

pub use words::WORDS;

/// The most plies and events of a game.
pub const MAX_LINES: usize = 100_000;

/// The definition that says which pieces come off before a count, where a rule set answers it.
const FINAL: &str = "final";

/// What came of a line.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// The answer, as the protocol has it.
    pub text: String,
    /// What else there is to say, for people: why something was refused.
    pub remark: Option<String>,
    /// What was assumed about a record that was read.
    pub repairs: Vec<Diagnostic>,
    /// Whether the controller takes its leave.
    pub last: bool,
}

/// A refusal, with the clauses that decided.
#[derive(Clone, Debug)]
struct Refusal {
    /// What was refused.
    what: String,
    reason: Reason,
    clauses: Vec<u16>,
}

/// Something that was done, with what came of it.
#[derive(Clone, Debug)]
struct Step {
    line: Line,
    act: Option<Act>,
    person: Person,
    next: State,
}

/// A game under one rule set.
#[derive(Clone, Debug)]
pub struct Referee {
    /// The rule file or id.
    rules: String,
    /// What the caller gave: first values, which controllers may change.
    fixed: Vec<(String, String)>,
    /// What controllers gave, by name: terms and the size.
    terms: Vec<(String, String)>,
    /// What options gave.
    options: Vec<(String, String)>,
    engine: Engine,
    start: Start,
    first: State,
    steps: Vec<Step>,
    /// Sites of pieces that the players agree are dead.
    dead: Sites,
    refusal: Option<Refusal>,
    /// The state of the dice, if plays may be asked for.
    dice: Option<u64>,
    /// What controllers said about time: nothing here runs by it.
    time: Vec<String>,
    /// What is said about the game: properties of a record that was read.
    about: Vec<(String, String)>,
}

/// Why a word has no good answer, in the words of the protocol.
type Answer = Result<String, String>;

impl Referee {
    /// A referee for a rule set; with `seed` it plays at random where it is asked to.
    ///
    /// # Errors
    /// The rule set cannot be opened.
    pub fn new(rules: &str, given: &[(String, String)], seed: Option<u64>) -> Result<Self, OpenError> {
        let engine = Engine::new(Arc::new(open(rules, given)?));
        let mut first = engine.first();
        // A rule set with a fault in its first position has an answer to nothing, and says so when asked.
        let _ = engine.settle(&mut first);
        Ok(Self {
            rules: rules.to_owned(),
            fixed: given.to_vec(),
            terms: Vec::new(),
            options: Vec::new(),
            engine,
            start: Start::First,
            first,
            steps: Vec::new(),
            dead: Sites::EMPTY,
            refusal: None,
            dice: seed,
            time: Vec::new(),
            about: Vec::new(),
        })
    }

    /// The rule set that is in force.
    pub fn rules(&self) -> &RuleSet {
        self.engine.rules()
    }

    /// The present state.
    pub fn state(&self) -> &State {
        self.steps.last().map_or(&self.first, |step| &step.next)
    }

    /// Answers a line; `None` if there is nothing to answer.
    pub fn answer(&mut self, line: &str) -> Option<Reply> {
        let command = gtp::read(line)?;
        let mut reply = Reply::default();
        let answer = self.command(&command, &mut reply);
        reply.text = gtp::write(command.id, &answer);
        Some(reply)
    }

    /// All that is given to the rule set, the latest word on each parameter.
    fn given(&self) -> Vec<(String, String)> {
        let mut given: Vec<(String, String)> = Vec::new();
        for (name, value) in self.terms.iter().chain(&self.options).chain(&self.fixed) {
            if given.iter().all(|(known, _)| known != name) {
                given.push((name.clone(), value.clone()));
            }
        }
        given
    }

    /// The player that a word means.
    fn player(&self, word: &str) -> Result<u8, String> {
        let rules = self.engine.rules();
        let same = |name: &String| name.eq_ignore_ascii_case(word);
        let by_name = rules.players.iter().position(same);
        let found = by_name.or_else(|| rules.notation.turn.iter().position(same));
        found.map(|at| at as u8).ok_or_else(|| "invalid color".to_owned())
    }

    fn player_name(&self, player: u8) -> &str {
        self.engine.rules().players.get(usize::from(player)).map_or("", String::as_str)
    }

    fn site(&self, word: &str) -> Result<Site, String> {
        let found = self.engine.rules().board.site(word);
        found.ok_or_else(|| format!("invalid vertex: `{word}` is no point of this board"))
    }

    /// A site as controllers have it.
    fn vertex(&self, site: Site) -> String {
        self.engine.rules().board.name(site).to_uppercase()
    }

    fn vertices(&self, sites: impl IntoIterator<Item = Site>) -> String {
        let names: Vec<String> = sites.into_iter().map(|site| self.vertex(site)).collect();
        names.join(" ")
    }

    /// Opens the rule set anew and replays the game under it; nothing changes if that is not possible.
    fn reopen(&mut self, rules: &str) -> Result<(), String> {
        let opened = open(rules, &self.given()).map_err(|error| match error {
            OpenError::Wrong { diagnostics, .. } => {
                let first = diagnostics.first().map(|diagnostic| diagnostic.message.clone());
                first.unwrap_or_default()
            }
            error => error.to_string(),
        })?;
        let engine = Engine::new(Arc::new(opened));
        let script = Script { start: self.start.clone(), ..Script::default() };
        let board = &engine.rules().board;
        if let Start::Placed { cells, .. } = &self.start
            && cells.len() != board.len()
        {
            return Err("the board is not empty".to_owned());
        }
        let mut first = replay::start(&engine, &script).map_err(|error| error.message)?;
        engine.settle(&mut first).map_err(|fault| fault.to_string())?;
        let mut steps: Vec<Step> = Vec::new();
        for step in &self.steps {
            let state = steps.last().map_or(&first, |step| &step.next);
            match judge(&engine, state, &step.line.text) {
                Ok(next) => steps.push(next),
                Err(_) => {
                    return Err(format!(
                        "the game so far is not one under these rules: `{}`",
                        step.line.text
                    ));
                }
            }
        }
        self.rules = rules.to_owned();
        (self.engine, self.first, self.steps) = (engine, first, steps);
        Ok(())
    }

    /// Changes what is given and opens the rule set with it; if that is not possible all is as before.
    fn change(&mut self, change: impl FnOnce(&mut Self) -> String) -> Result<(), String> {
        let before = self.clone();
        let rules = change(self);
        self.reopen(&rules).inspect_err(|_| *self = before)
    }

    /// Forgets the game.
    fn clear(&mut self) {
        self.start = Start::First;
        self.steps.clear();
        self.dead = Sites::EMPTY;
        self.refusal = None;
        self.about.clear();
    }

    /// A game from the start, under the same terms.
    fn begin(&mut self) -> Answer {
        let rules = self.rules.clone();
        self.change(|this| {
            this.clear();
            rules
        })?;
        Ok(String::new())
    }

    /// Does what a player wants, if the rules go along.
    fn play(&mut self, player: u8, what: &str, reply: &mut Reply) -> Answer {
        let rules = self.engine.rules();
        let is_event = rules.events.iter().any(|event| event.eq_ignore_ascii_case(what));
        if !is_event && read_act(rules, self.state(), what).is_none() {
            self.site(what)?;
        }
        let text = format!("{}: {what}", self.player_name(player));
        self.happen(text, reply)
    }

    /// Does what a line says, as records have it, if the rules go along.
    fn happen(&mut self, text: String, reply: &mut Reply) -> Answer {
        if self.steps.len() >= MAX_LINES {
            return Err("the game is too long".to_owned());
        }
        match judge(&self.engine, self.state(), &text) {
            Ok(step) => {
                self.steps.push(step);
                self.dead = Sites::EMPTY;
                self.refusal = None;
                Ok(String::new())
            }
            Err(Refused::Rules(reason, clauses)) => {
                self.refusal = Some(Refusal { what: text, reason, clauses });
                reply.remark = Some(self.why());
                Err("illegal move".to_owned())
            }
            Err(Refused::Text(message)) => Err(message),
        }
    }

    /// The last refusal in words: what, why, and by which clauses.
    fn why(&self) -> String {
        let Some(refusal) = &self.refusal else { return String::new() };
        let rules = self.engine.rules();
        let reason = refusal.reason.name().replace('-', " ");
        let mut text = format!("{}: {reason}", refusal.what);
        for clause in refusal.clauses.iter().filter_map(|at| rules.clauses.get(usize::from(*at))) {
            text.push_str(&format!("\n{}", told(clause)));
        }
        text
    }

    /// A play at random among all legal ones.
    fn genmove(&mut self, player: u8, play: bool) -> Answer {
        let state = self.state();
        if state.ended.is_some() {
            return Err("the game has ended".to_owned());
        }
        if state.mover != player {
            return Err(format!("it is not the turn of {}", self.player_name(player)));
        }
        let plies = self.engine.plies(state).map_err(|fault| fault.to_string())?;
        let Some(dice) = self.dice.as_mut() else { return Err("unknown command".to_owned()) };
        *dice = dice.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = *dice;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        let count = plies.legal.len() as u64;
        let roll = mixed.checked_rem(count).and_then(|roll| plies.legal.get(roll as usize));
        let Some(ply) = roll else { return Err("there is no legal move".to_owned()) };
        let text = write_act(self.engine.rules(), &ply.act);
        if play {
            self.play(player, &text, &mut Reply::default())?;
        }
        Ok(text.to_uppercase())
    }

    /// Puts pieces that are given in advance; then the next player has the turn.
    fn give(&mut self, sites: Vec<Site>) -> Answer {
        let rules = self.engine.rules();
        if !self.is_new() {
            return Err("board not empty".to_owned());
        }
        if rules.kinds.len() != 1 || rules.players.len() != 2 {
            return Err("there is one kind of pieces too many for this".to_owned());
        }
        let mut cells = self.first.cells.clone();
        for site in &sites {
            if let Some(cell) = cells.get_mut(usize::from(*site)) {
                *cell = Cell::piece(0, rules.begins);
            }
        }
        let mover = rules.next_player(rules.begins);
        let handicap = rules.notation.gtp.as_ref().and_then(|gtp| gtp.handicap.clone());
        let count = sites.len().to_string();
        let file = self.rules.clone();
        self.change(|this| {
            if let Some(name) = handicap {
                this.set(&name, &count);
            }
            this.start = Start::Placed { cells, mover };
            this.about = vec![(GIVEN.to_owned(), count)];
            file
        })?;
        Ok(self.vertices(sites))
    }

    /// Whether nothing has happened and nothing stands on the board.
    fn is_new(&self) -> bool {
        self.steps.is_empty()
            && matches!(self.start, Start::First)
            && self.first.cells.iter().all(|cell| cell.is_empty())
    }

    /// Remembers a value for a parameter.
    fn set(&mut self, name: &str, text: &str) {
        let rules = self.engine.rules();
        let param = rules.params.iter().find(|param| param.name == name);
        let value = param.map_or_else(|| text.to_owned(), |param| worded(rules, param, text));
        self.terms.retain(|(known, _)| known != name);
        self.terms.push((name.to_owned(), value));
    }

    /// Another size of the board, which is then empty.
    fn resize(&mut self, files: u16, ranks: u16) -> Answer {
        let size = terms::size_terms(self.engine.rules(), files, ranks);
        if size.is_empty() {
            return Err("unacceptable size".to_owned());
        }
        let known = self.size_names();
        let rules = self.rules.clone();
        let changed = self.change(|this| {
            this.clear();
            this.terms.retain(|(name, _)| !known.contains(name));
            this.fixed.retain(|(name, _)| !known.contains(name));
            this.terms.extend(size);
            rules
        });
        changed.map_err(|_| "unacceptable size".to_owned())?;
        Ok(String::new())
    }

    /// The parameters that the size of the board is.
    fn size_names(&self) -> Vec<String> {
        let size = terms::size_params(self.engine.rules());
        [size.square, size.files, size.ranks].into_iter().flatten().collect()
    }

    /// Another value for a term.
    fn term(&mut self, name: &str, text: &str) -> Answer {
        if Number::parse(text).is_none() {
            return Err(format!("syntax error: `{text}` is not a number"));
        }
        let rules = self.rules.clone();
        self.change(|this| {
            this.set(name, text);
            rules
        })?;
        Ok(String::new())
    }

    /// Who leads by how much, dead pieces left out.
    fn score(&self) -> Answer {
        let state = self.state();
        let dead: Vec<Site> = self.dead().iter().collect();
        let lead = write::lead(&self.engine, state, 0, &dead);
        // Who resigned has lost, however the points stand.
        let last = self.ended_by();
        match lead.filter(|_| last.is_none()) {
            Some(lead) if lead == Number::ZERO => Ok("0".to_owned()),
            Some(lead) => {
                let winner = if lead > Number::ZERO { 0 } else { self.engine.rules().next_player(0) };
                let by = if lead > Number::ZERO { Some(lead) } else { lead.negate() };
                let letter = write::player_letter(self.engine.rules(), winner);
                Ok(format!("{letter}+{}", terms::decimal(by.unwrap_or(lead))))
            }
            None => {
                let cause = last.map(|step| said(&step.line.text));
                let result = write::result(&self.engine, state, &dead, cause);
                result.ok_or_else(|| {
                    "cannot score: this rule set has no `score`, and the game goes on".to_owned()
                })
            }
        }
    }

    /// The event that ended the game; none where an ending did, even if an event like an agreement came last.
    fn ended_by(&self) -> Option<&Step> {
        let rules = self.engine.rules();
        let ended = self.state().ended.as_ref()?;
        let mut clauses = ended.clauses.iter().filter_map(|at| rules.clauses.get(usize::from(*at)));
        let by_ending = clauses.any(|clause| matches!(clause.form, Form::Ends { .. }));
        self.steps.last().filter(|step| step.act.is_none() && !by_ending)
    }

    /// The sites of dead pieces: those that the controller named, and those that events of the rule set did.
    fn dead(&self) -> Sites {
        match self.engine.define(self.state(), FINAL, Vec::new()) {
            Ok(Some(crate::Value::Sites(sites))) => self.dead.union(&sites),
            Ok(Some(crate::Value::Site(site))) => self.dead.union(&Sites::one(site)),
            _ => self.dead,
        }
    }

    /// The groups of pieces with a status, one for each line.
    fn status(&self, status: &str) -> Answer {
        let (rules, state) = (self.engine.rules(), self.state());
        let board = &rules.board;
        let mut groups = Vec::new();
        for player in 0..rules.players.len() as u8 {
            let own = |site: &Site| state.cell(*site).owner() == Some(player);
            let own: Sites = (0..board.len() as Site).filter(own).collect();
            groups.extend(board.groups(&own));
        }
        let named = self.dead();
        let dead = |group: &Sites| !group.intersection(&named).is_empty();
        let shared = self.between();
        let touching = board.neighbours(&shared);
        // Pieces that touch what nobody holds, in a game that is over, live together.
        let seki = |group: &Sites| !dead(group) && !group.intersection(&touching).is_empty();
        let wanted: Vec<Sites> = match status {
            "dead" => groups.into_iter().filter(dead).collect(),
            "alive" => groups.into_iter().filter(|group| !dead(group) && !seki(group)).collect(),
            "seki" => groups.into_iter().filter(seki).collect(),
            _ => return Err(format!("syntax error: `{status}` is none of alive, dead and seki")),
        };
        let lines: Vec<String> = wanted.iter().map(|group| self.vertices(group.iter())).collect();
        Ok(lines.join("\n"))
    }

    /// The sites that lie between the players once the game is over, as the rule set has it.
    fn between(&self) -> Sites {
        let (rules, state) = (self.engine.rules(), self.state());
        let name = rules
            .notation
            .gtp
            .as_ref()
            .and_then(|gtp| gtp.between.as_ref())
            .filter(|_| state.ended.is_some());
        let Some(definition) = rules.definitions.iter().find(|known| Some(&known.name) == name) else {
            return Sites::EMPTY;
        };
        let arguments = if definition.parameters.is_empty() {
            Vec::new()
        } else {
            vec![crate::Value::sites(self.dead())]
        };
        match self.engine.define(state, &definition.name, arguments) {
            Ok(Some(crate::Value::Sites(sites))) => *sites,
            Ok(Some(crate::Value::Site(site))) => Sites::one(site),
            _ => Sites::EMPTY,
        }
    }

    /// The players agree which pieces are dead: each word stands for the whole group.
    fn agree(&mut self, words: &[String]) -> Answer {
        let board = &self.engine.rules().board;
        let mut dead = Sites::EMPTY;
        for word in words {
            let site = self.site(word)?;
            let Some(owner) = self.state().cell(site).owner() else {
                return Err(format!("nothing stands on {word}"));
            };
            let own = |site: &Site| self.state().cell(*site).owner() == Some(owner);
            let own: Sites = (0..board.len() as Site).filter(own).collect();
            dead = dead.union(&board.connected(&Sites::one(site), &own));
        }
        self.dead = dead;
        Ok(String::new())
    }

    /// The board as a picture, who has the turn, and how the game ended.
    fn show(&self) -> String {
        let (rules, state) = (self.engine.rules(), self.state());
        let turn = match &state.ended {
            Some(end) => rules.show_outcome(end.outcome),
            None => {
                let name = self.player_name(state.mover);
                let letter = rules.notation.letters.first().and_then(|row| row.get(usize::from(state.mover)));
                let letter = letter.filter(|letter| !letter.is_empty()).map(|letter| format!(" ({letter})"));
                format!("{name}{} has the turn", letter.unwrap_or_default())
            }
        };
        format!("\n{}\n{turn}", picture(rules, state))
    }

    /// How the game ended, with the clauses that decided.
    fn outcome(&self) -> String {
        let rules = self.engine.rules();
        let Some(end) = &self.state().ended else { return "the game goes on".to_owned() };
        let mut text = rules.show_outcome(end.outcome);
        for clause in end.clauses.iter().filter_map(|at| rules.clauses.get(usize::from(*at))) {
            text.push_str(&format!("\n{}", told(clause)));
        }
        text
    }

    /// The game as a record.
    fn record(&self) -> Answer {
        let dead: Vec<Site> = self.dead().iter().collect();
        let last = self.ended_by();
        let cause = last.map(|step| said(&step.line.text));
        let course = self.steps.iter().map(|step| match &step.act {
            Some(act) => Event::Ply(act.clone()),
            None => {
                let who = replay::write_person(self.engine.rules(), step.person);
                Event::Remark(format!("{who}: {}", said(&step.line.text)))
            }
        });
        let sheet = Sheet {
            about: self.about.clone(),
            course: course.collect(),
            result: write::result(&self.engine, self.state(), &dead, cause),
        };
        write::write(self.engine.rules(), &self.first, &sheet)
    }

    /// Reads a record and goes on from its position before a move.
    fn load(&mut self, file: &str, before: Option<usize>, reply: &mut Reply) -> Answer {
        let cannot = |reply: &mut Reply, reason: String| {
            reply.remark = Some(format!("{file}: {reason}"));
            Err("cannot load file".to_owned())
        };
        let (source, repairs) = match crate::sgf::read(Path::new(file)) {
            Ok(read) => read,
            Err(error) => return cannot(reply, error.to_string()),
        };
        reply.repairs = repairs;
        let records = match rulebook_notation::sgf::parse(&source) {
            Ok(records) => records,
            Err(errors) => {
                reply.repairs.extend(errors);
                return cannot(reply, "the record cannot be read".to_owned());
            }
        };
        let Some(record) = records.first() else { return cannot(reply, "there is no game".to_owned()) };
        // What was given is for other games, as far as records say it; options hold.
        let mut said = self.size_names();
        said.extend(terms::properties(self.engine.rules()).into_iter().map(|(_, param)| param));
        let mut given = self.given();
        given.retain(|(name, _)| !said.contains(name));
        let opened = match crate::sgf::open_for(&self.rules, &given, self.engine.rules(), record, &source) {
            Ok(opened) => opened,
            Err(error) => return cannot(reply, error.to_string()),
        };
        reply.repairs.extend(opened.repairs);
        let script = match replay::from_sgf(opened.engine.rules(), record, &source) {
            Ok(script) => script,
            Err(error) => return cannot(reply, error),
        };
        reply.repairs.extend(script.repairs.iter().cloned());
        let start = replay::start(&opened.engine, &script).map_err(|error| error.message)?;
        let mut first = start;
        opened.engine.settle(&mut first).map_err(|fault| fault.to_string())?;
        let last = before.map_or(script.lines.len(), |before| before.saturating_sub(1));
        let mut steps: Vec<Step> = Vec::new();
        for line in script.lines.iter().take(last) {
            let state = steps.last().map_or(&first, |step| &step.next);
            match judge(&opened.engine, state, &line.text) {
                Ok(step) => steps.push(step),
                Err(refused) => {
                    let (row, column) = source.line_column(line.span.start);
                    let reason = match refused {
                        Refused::Rules(reason, clauses) => {
                            let what = format!("move {} ({})", steps.len() + 1, line.text);
                            self.refusal = Some(Refusal { what, reason, clauses });
                            self.why()
                        }
                        Refused::Text(message) => message,
                    };
                    return cannot(reply, format!("line {row}, column {column}: {reason}"));
                }
            }
        }
        self.clear();
        self.terms.retain(|(name, _)| !said.contains(name));
        self.fixed.retain(|(name, _)| !said.contains(name));
        self.terms.extend(opened.terms.iter().map(Term::given));
        (self.engine, self.start, self.first, self.steps) = (opened.engine, script.start, first, steps);
        self.about = write::about(record);
        Ok(String::new())
    }

    /// All that the player on turn may do.
    fn legal(&self, color: Option<&String>) -> Answer {
        let state = self.state();
        if let Some(color) = color {
            let player = self.player(color)?;
            if player != state.mover {
                return Err(format!("it is not the turn of {}", self.player_name(player)));
            }
        }
        if state.ended.is_some() {
            return Ok(String::new());
        }
        let plies = self.engine.plies(state).map_err(|fault| fault.to_string())?;
        let texts = plies.legal.iter().map(|ply| write_act(self.engine.rules(), &ply.act));
        let texts: Vec<String> =
            texts.map(|text| if text == "pass" { text } else { text.to_uppercase() }).collect();
        Ok(texts.join(" "))
    }
}

/// What a line says, without who says it.
fn said(line: &str) -> &str {
    line.split_once(": ").map_or(line, |(_, what)| what)
}

/// A clause in one line.
fn told(clause: &Clause) -> String {
    let cites =
        if clause.cites.is_empty() { String::new() } else { format!(" [{}]", clause.cites.join(", ")) };
    format!("{}  {}: {}{cites}", clause.id, clause.title.en, clause.says.en)
}

/// Why a line is not done.
enum Refused {
    /// The rules say no.
    Rules(Reason, Vec<u16>),
    /// It has no meaning.
    Text(String),
}

/// Does a line of a player in a state. An act is looked for by what it means, without a list of all others, for what
/// controllers say is never short for one of several.
fn judge(engine: &Engine, state: &State, text: &str) -> Result<Step, Refused> {
    let rules = engine.rules();
    let line = Line { text: text.to_owned(), span: Span::default() };
    let fault = |fault: rulebook_reference::Fault| Refused::Text(fault.to_string());
    let (who, what) = text.split_once(": ").unwrap_or(("", text));
    let known = |name: &String| name.eq_ignore_ascii_case(what);
    let is_player = who.is_empty() || rules.player(who).is_some();
    let is_act = is_player && (rules.board.site(what).is_some() || rules.acts.iter().any(known));
    let Some(meant) = read_act(rules, state, what).filter(|_| is_act) else {
        let done = lines::play(engine, state, text).map_err(|error| match error {
            LineError::Text(error) => Refused::Text(error.message),
            LineError::Fault(error) => fault(error),
        })?;
        return step(line, done.person, done.act, done.verdict);
    };
    let person = Person::Player(rules.player(who).unwrap_or(state.mover));
    if state.ended.is_none() && person != Person::Player(state.mover) {
        return Err(Refused::Rules(Reason::NotOnTurn, engine.turn_clauses()));
    }
    let verdict =
        engine.judge(state, &|act| meant.is(engine, state, act), &meant.grants(rules)).map_err(fault)?;
    let act = match &verdict {
        Verdict::Done { next, .. } => next.past.as_ref().and_then(|past| past.act.clone()),
        Verdict::Refused { .. } => None,
    };
    step(line, person, act, verdict)
}

fn step(line: Line, person: Person, act: Option<Act>, verdict: Verdict) -> Result<Step, Refused> {
    match verdict {
        Verdict::Done { next, .. } => Ok(Step { line, act, person, next: *next }),
        Verdict::Refused { reason, clauses } => Err(Refused::Rules(reason, clauses)),
    }
}
