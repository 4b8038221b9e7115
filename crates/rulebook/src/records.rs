//! Records of games replayed on the machine without a word about clauses.
//!
//! The short notation of records names the kind of a piece, where it comes to, and as much of where it comes from
//! as is needed; from the notation section of a rule set come the tables that a text is read by. Invariant: an
//! answer is the one that a full replay gives; where that is not sure there is none, and the record must be
//! replayed in full.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rulebook_compiler::lower::remark_of;
use rulebook_compiler::{Passes, compile};
use rulebook_machine::act::Ending;
use rulebook_machine::clockwork::{ClockNames, Timed};
use rulebook_machine::events::Person;
use rulebook_machine::front::Machine;
use rulebook_machine::program;
use rulebook_machine::record::{RecordName, Records, Sought};
use rulebook_machine::verify::verify;
use rulebook_model::board::SiteNames;
use rulebook_model::ruleset::ResultKind;
use rulebook_model::{Outcome, RuleSet, Site};
use rulebook_notation::clocked;
use rulebook_notation::pgn::{Game, Games, MainLine};
use rulebook_notation::replay::{Agreement, Claim, agreement, claimed};
use rulebook_syntax::{Diagnostic, Source, Span};

/// No kind in the tables.
const NONE: u8 = u8::MAX;
/// The tag that says where a game starts.
const START: &str = "FEN";
/// The tag that says how a game came to its end.
const CAUSE: &str = "Termination";
/// Most time controls for which a rule set is kept.
const MAX_CONTROLS: usize = 32;
/// With more files one of them is called as captures are written.
const MAX_FILES: u16 = 23;
/// A rank is written with two digits at most.
const MAX_RANKS: u16 = 99;

/// What came of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brief {
    /// How many plies were played.
    pub plies: usize,
    /// How many acts and events were done, those of the clocks included.
    pub done: usize,
    /// How the game ended by the rules, with the clauses.
    pub ended: Option<(Outcome, Vec<u16>)>,
    /// How the record says that it ended.
    pub claim: Claim,
    /// How both go together.
    pub agreement: Agreement,
}

/// The next game of a text.
#[derive(Debug)]
pub enum Next {
    /// It was replayed.
    Brief(Brief),
    /// It must be replayed in full.
    Full(Box<Game>),
    /// It cannot be read.
    Broken(Box<Diagnostic>),
}

impl From<Result<Game, Diagnostic>> for Next {
    fn from(game: Result<Game, Diagnostic>) -> Self {
        match game {
            Ok(game) => Self::Full(Box::new(game)),
            Err(error) => Self::Broken(Box::new(error)),
        }
    }
}

/// Opens a rule set with another time control.
pub type Open<'a> = dyn Fn(&str) -> Option<Arc<RuleSet>> + Send + Sync + 'a;

/// What a rule set is read by under each time control that was asked for; none where it has to be replayed in full.
type Controls = Mutex<HashMap<String, Option<Arc<Made>>>>;

/// Replays the records of one rule set.
pub struct Reader<'a> {
    plain: Replayer,
    /// The rule set with other time controls.
    controls: HashMap<String, Option<Replayer>>,
    /// The same for all readers.
    made: Arc<Controls>,
    open: Option<Arc<Open<'a>>>,
    line: MainLine,
}

impl std::fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("rules", &self.plain.made.rules.id).finish_non_exhaustive()
    }
}

impl<'a> Reader<'a> {
    /// A reader for a rule set; `None` where its records must be replayed in full.
    pub fn new(rules: Arc<RuleSet>) -> Option<Self> {
        Some(Self {
            plain: Replayer::new(Arc::new(Made::of(rules)?))?,
            controls: HashMap::new(),
            made: Arc::default(),
            open: None,
            line: MainLine::default(),
        })
    }

    /// The same for records that name their own time controls: those of the rule set with each of them.
    #[must_use]
    pub fn with_controls(self, open: Arc<Open<'a>>) -> Self {
        Self { open: Some(open), ..self }
    }

    /// What another reader for the same records is made of, on another thread.
    pub fn seed(&self) -> Seed<'a> {
        Seed { plain: Arc::clone(&self.plain.made), made: Arc::clone(&self.made), open: self.open.clone() }
    }

    /// Replays the next game of a text; `None` after the last one.
    pub fn next(&mut self, source: &Source, games: &mut Games<'_>) -> Option<Next> {
        let before = games.clone();
        if games.next_plain(&mut self.line)
            && let Some(brief) = self.replayed(source)
        {
            return Some(Next::Brief(brief));
        }
        *games = before;
        games.next().map(Next::from)
    }

    fn replayed(&mut self, source: &Source) -> Option<Brief> {
        let text = |span: &Span| source.text.get(span.start..span.end);
        let tag = |name: &str| {
            let tag = self.line.tags.iter().find(|(known, _)| text(known) == Some(name));
            tag.and_then(|(_, value)| text(value))
        };
        if tag(START).is_some() {
            return None;
        }
        let claim = text(&self.line.result)?;
        let claim =
            Claim { text: claim.to_owned(), outcome: claimed(claim), cause: tag(CAUSE).map(str::to_owned) };
        let has_times = self.line.has_faults || self.line.times.iter().any(|times| *times != [None; 3]);
        if self.plain.made.rules.notation.clock.press.is_none() || !has_times {
            return self.plain.replayed(source, &self.line, claim);
        }
        if self.line.has_faults {
            return None;
        }
        let first = self.line.times.first().and_then(|[shown, ..]| *shown);
        let control = match &self.open {
            Some(_) => clocked::control_for(&self.plain.made.rules, tag(clocked::CONTROL), first).ok()?,
            None => None,
        };
        let replayer = match (&self.open, control) {
            (Some(open), Some(control)) => {
                if !self.controls.contains_key(&control) {
                    if self.controls.len() >= MAX_CONTROLS {
                        self.controls.clear();
                    }
                    let made = made_for(&self.made, &control, open.as_ref());
                    self.controls.insert(control.clone(), made.and_then(Replayer::new));
                }
                self.controls.get_mut(&control)?.as_mut()?
            }
            _ => &mut self.plain,
        };
        replayer.replayed_with_times(source, &self.line, claim)
    }
}

/// What a rule set is read by under a time control.
fn made_for(made: &Controls, control: &str, open: &Open<'_>) -> Option<Arc<Made>> {
    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = made.get(control) {
        return known.clone();
    }
    if made.len() >= MAX_CONTROLS {
        made.clear();
    }
    let new = open(control).and_then(Made::of).map(Arc::new);
    made.insert(control.to_owned(), new.clone());
    new
}

/// What a reader is made of.
#[derive(Clone)]
pub struct Seed<'a> {
    plain: Arc<Made>,
    made: Arc<Controls>,
    open: Option<Arc<Open<'a>>>,
}

impl std::fmt::Debug for Seed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seed").field("rules", &self.plain.rules.id).finish_non_exhaustive()
    }
}

impl<'a> Seed<'a> {
    /// The reader.
    pub fn reader(self) -> Option<Reader<'a>> {
        Some(Reader {
            plain: Replayer::new(self.plain)?,
            controls: HashMap::new(),
            made: self.made,
            open: self.open,
            line: MainLine::default(),
        })
    }
}

/// A rule set made ready for records: all that readers can share.
struct Made {
    rules: Arc<RuleSet>,
    machine: Machine,
    names: Vec<RecordName>,
    words: Words,
}

impl Made {
    fn of(rules: Arc<RuleSet>) -> Option<Self> {
        let words = Words::of(&rules)?;
        let (program, _) = compile(&rules, Passes::all()).ok()?;
        let machine = Machine::new(verify(program).ok()?).ok()?;
        let names = rules.notation.names.iter().map(|entry| {
            let name = words.names.iter().position(|name| *name == entry.text)? as u16;
            Some(RecordName { act: entry.act?, remark: remark_of(&rules, entry)?, name })
        });
        let names = names.collect::<Option<Vec<RecordName>>>()?;
        Some(Self { rules, machine, names, words })
    }
}

/// Replays records of a rule set with one time control.
struct Replayer {
    made: Arc<Made>,
    records: Box<dyn Records>,
    plies: Vec<Sought>,
    times: Vec<Timed>,
    /// Whether the machine can follow the clocks.
    keeps_time: bool,
}

impl Replayer {
    fn new(made: Arc<Made>) -> Option<Self> {
        let mut records = made.machine.records(&made.names)?;
        let rules = &made.rules;
        let keeps_time = rules.notation.clock.press.is_some_and(|press| {
            let start = clocked::starter(rules).map(|(event, person)| (event, person_of(person)));
            records.keep_time(&ClockNames { start, press, remaining: clocked::REMAINING.to_owned() })
        });
        Some(Self { made, records, plies: Vec::new(), times: Vec::new(), keeps_time })
    }

    fn read_plies(&mut self, source: &Source, line: &MainLine) -> Option<()> {
        self.plies.clear();
        for span in &line.moves {
            self.plies.push(self.made.words.read(source.text.get(span.start..span.end)?.as_bytes())?);
        }
        Some(())
    }

    fn replayed(&mut self, source: &Source, line: &MainLine, claim: Claim) -> Option<Brief> {
        self.read_plies(source, line)?;
        let ended = self.records.play(&self.plies)?;
        Some(self.brief(self.plies.len(), ended, claim))
    }

    /// The same where every ply is followed by the press of a clock.
    fn replayed_with_times(&mut self, source: &Source, line: &MainLine, claim: Claim) -> Option<Brief> {
        if !self.keeps_time {
            return None;
        }
        self.read_plies(source, line)?;
        self.times.clear();
        for times in &line.times {
            let time = |time: u64| i64::try_from(time).ok();
            self.times.push(match *times {
                [Some(shown), ..] => Timed::Shown(time(shown)?),
                [None, Some(spent), _] => Timed::Spent(time(spent)?),
                [None, None, Some(at)] => Timed::At(time(at)?),
                [None, None, None] => Timed::Untold,
            });
        }
        let mut ended = self.records.play_timed(&self.plies, &self.times)?;
        let start = usize::from(self.made.rules.notation.clock.start.is_some());
        let mut done = start + 2 * self.plies.len() - usize::from(ended.is_some());
        if ended.is_none() {
            ended = self.ended_by_event(&claim)?;
            done += usize::from(ended.is_some());
        }
        Some(self.brief(done, ended, claim))
    }

    /// How the game ends by the event that the record tells of, if there is one.
    fn ended_by_event(&mut self, claim: &Claim) -> Option<Option<Ending>> {
        let rules = Arc::clone(&self.made.rules);
        let mover = self.records.mover()?;
        let (kind, loser) = match claim.outcome {
            Some(Outcome::Win(winner)) => (ResultKind::Win, rules.next_player(winner)),
            Some(Outcome::Draw) => (ResultKind::Draw, mover),
            _ => return Some(None),
        };
        let cause = claim.cause.as_deref().unwrap_or("").to_lowercase();
        for end in rules.notation.ends.iter().filter(|end| end.result == kind && cause.contains(&end.cause)) {
            let falls = Some(end.event) == rules.notation.clock.fall;
            let later = if falls { self.records.left()?.max(0) } else { 0 };
            let players = [loser, rules.next_player(loser)].map(Person::Player);
            for person in players.into_iter().chain([Person::Arbiter]) {
                let Some(Some(ended)) = self.records.event(end.event, person, later)? else { continue };
                let outcome = outcome_of(ended.outcome);
                if agreement(&rules, Some(claim), Some(outcome)) == Agreement::Same {
                    return Some(Some(ended));
                }
            }
        }
        Some(None)
    }

    fn brief(&self, done: usize, ended: Option<Ending>, claim: Claim) -> Brief {
        let ended = ended.map(|Ending { outcome, clauses }| (outcome_of(outcome), clauses));
        let agreement =
            agreement(&self.made.rules, Some(&claim), ended.as_ref().map(|(outcome, _)| *outcome));
        Brief { plies: self.plies.len(), done, ended, claim, agreement }
    }
}

fn person_of(person: rulebook_reference::Person) -> Person {
    match person {
        rulebook_reference::Person::Player(player) => Person::Player(player),
        rulebook_reference::Person::Arbiter => Person::Arbiter,
    }
}

fn outcome_of(outcome: program::Outcome) -> Outcome {
    match outcome {
        program::Outcome::Win(player) => Outcome::Win(player),
        program::Outcome::Lose(player) => Outcome::Lose(player),
        program::Outcome::Draw => Outcome::Draw,
        program::Outcome::Void => Outcome::Void,
        program::Outcome::AllLose => Outcome::AllLose,
    }
}

/// Whether a text is a name, in which zeroes may stand for a letter.
fn is_named(name: &str, text: &[u8]) -> bool {
    let same = |(a, b): (u8, &u8)| a == *b || a == b'O' && *b == b'0';
    name.len() == text.len() && name.bytes().zip(text).all(same)
}

/// The tables that texts of records are read by.
#[derive(Clone, Debug)]
struct Words {
    /// The kind of each capital letter.
    kinds: [u8; 128],
    /// The kind that is written without a letter.
    plain: u8,
    /// Names of acts, each once.
    names: Vec<String>,
    /// The signs that a name may begin with.
    starts: [bool; 128],
    files: u16,
    ranks: u16,
}

impl Words {
    /// The tables of a rule set; `None` where a text may mean something else besides.
    fn of(rules: &RuleSet) -> Option<Self> {
        let (board, notation) = (&rules.board, &rules.notation);
        let letters =
            board.names == SiteNames::Letters && board.files <= MAX_FILES && board.ranks <= MAX_RANKS;
        let event = rules.events.iter().any(|event| event.contains(|c: char| c.is_ascii_digit()));
        if !letters || event || notation.records.is_empty() || rules.players.len() != 2 {
            return None;
        }
        let mut words = Self {
            kinds: [NONE; 128],
            plain: NONE,
            names: Vec::new(),
            starts: [false; 128],
            files: board.files,
            ranks: board.ranks,
        };
        // Of several kinds with one letter the first is meant.
        for (letter, kind) in notation.records.iter().rev() {
            match letter.as_bytes() {
                [] => words.plain = *kind,
                [letter] if letter.is_ascii_uppercase() => {
                    *words.kinds.get_mut(usize::from(*letter))? = *kind
                }
                _ => return None,
            }
        }
        for entry in &notation.names {
            let first = entry.text.bytes().next()?;
            *words.starts.get_mut(usize::from(first))? = true;
            if first == b'O' {
                *words.starts.get_mut(usize::from(b'0'))? = true;
            }
            if !words.names.contains(&entry.text) {
                words.names.push(entry.text.clone());
            }
        }
        Some(words)
    }

    fn kind(&self, letter: u8) -> Option<u8> {
        self.kinds.get(usize::from(letter)).copied().filter(|kind| *kind != NONE)
    }

    /// What a text means; `None` where it is not written plainly.
    fn read(&self, text: &[u8]) -> Option<Sought> {
        let mut text = text;
        while let [rest @ .., b'+' | b'#'] = text {
            text = rest;
        }
        let first = *text.first()?;
        if self.starts.get(usize::from(first)) == Some(&true)
            && let Some(at) = self.names.iter().position(|name| is_named(name, text))
        {
            return Some(Sought::Named(at as u16));
        }
        let (piece, mut body) =
            if first.is_ascii_uppercase() { (self.kind(first)?, text.get(1..)?) } else { (self.plain, text) };
        let mut choice = NONE;
        if let [rest @ .., last] = body
            && last.is_ascii_uppercase()
        {
            choice = self.kind(*last)?;
            body = rest.strip_suffix(b"=").unwrap_or(rest);
        }
        let (head, file, rank) = match body {
            [head @ .., file, tens @ b'1'..=b'9', units @ b'0'..=b'9'] if file.is_ascii_lowercase() => {
                (head, *file, (tens - b'0') * 10 + (units - b'0'))
            }
            [head @ .., file, rank @ b'1'..=b'9'] if file.is_ascii_lowercase() => (head, *file, rank - b'0'),
            _ => return None,
        };
        let to = self.site(file, rank)?;
        let (mut file, mut rank) = (None, None);
        for sign in head {
            match sign {
                b'x' | b'-' => {}
                b'a'..=b'z' if file.is_none() && u16::from(sign - b'a') < self.files => {
                    file = Some(sign - b'a' + 1);
                }
                b'0'..=b'9' => {
                    let before: u8 = rank.unwrap_or(0);
                    rank = Some(before.checked_mul(10)?.checked_add(sign - b'0')?);
                }
                _ => return None,
            }
        }
        let whole = first.is_ascii_lowercase() && file.is_some() && rank.is_some();
        (piece != NONE && !whole).then_some(Sought::Short { piece, to, file, rank, choice })
    }

    fn site(&self, file: u8, rank: u8) -> Option<Site> {
        let (file, rank) = (u16::from(file - b'a'), u16::from(rank.checked_sub(1)?));
        (file < self.files && rank < self.ranks).then(|| file + rank * self.files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Words {
        Words::of(&crate::open("chess/board", &[]).unwrap()).unwrap()
    }

    #[test]
    fn plain_texts_are_read_by_tables() {
        let words = words();
        let short = |piece, to, file, rank, choice| Some(Sought::Short { piece, to, file, rank, choice });
        let read = |text: &str| words.read(text.as_bytes());
        assert_eq!(read("e4"), short(5, 28, None, None, NONE));
        assert_eq!(read("exd5"), short(5, 35, Some(5), None, NONE));
        assert_eq!(read("e8=Q+"), short(5, 60, None, None, 1));
        assert_eq!(read("dxe8N#"), short(5, 60, Some(4), None, 4));
        assert_eq!(read("Nf3"), short(4, 21, None, None, NONE));
        assert_eq!(read("Nbd7"), short(4, 51, Some(2), None, NONE));
        assert_eq!(read("R1xa3"), short(2, 16, None, Some(1), NONE));
        assert_eq!(read("Qh4e1"), short(1, 4, Some(8), Some(4), NONE));
        assert_eq!(read("O-O"), Some(Sought::Named(0)));
        assert_eq!(read("0-0-0+"), Some(Sought::Named(1)));
    }

    #[test]
    fn other_texts_are_left_alone() {
        let words = words();
        for text in [
            "",
            "e9",
            "i4",
            "e2e4",
            "resign",
            "N",
            "Nf",
            "e8=",
            "e8=X",
            "P@e4",
            "white: e4",
            "Xe4",
            "Nf33",
            "--",
            "e10",
        ] {
            assert_eq!(words.read(text.as_bytes()), None, "{text}");
        }
    }
}
