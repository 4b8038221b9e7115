//! Random games in which the reference interpreter and the machine are asked the same at every position.
//!
//! Invariant: the same seed gives the same games. The game goes on with what the reference says, so that one
//! difference does not hide another.

use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;
use rulebook_compiler::Passes;
use rulebook_model::RuleSet;
use rulebook_model::library::Library;
use rulebook_notation::{Judge, moves, position, replay};
use rulebook_reference::{Act, Ending, Engine, Outcomes, Person, Plies, State, Verdict};

use crate::Corpus;
use crate::engines::Bridge;

/// Most ways in which one event is tried.
const MAX_OFFERS: usize = 12;

/// A small generator of numbers that look random (SplitMix64): the same ones on every machine.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// A generator for a seed and what it is used for.
    pub fn new(seed: u64, about: &str) -> Self {
        let mixed = about.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(mixed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below another one, which is not zero.
    pub fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }
}

/// Where a game starts: parameters, and a position text or the first state.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Start {
    /// Values of parameters.
    pub params: Vec<(String, String)>,
    /// The position; none for the first state.
    pub position: Option<String>,
}

/// A position over which the engines do not agree.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Where the game started.
    pub start: Start,
    /// The acts since then.
    pub line: Vec<String>,
    /// What is different.
    pub what: String,
}

/// What came of the games of one rule set.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// Games played.
    pub games: usize,
    /// Positions compared.
    pub positions: usize,
    /// Legal acts compared.
    pub acts: usize,
    /// Legal acts that the fast paths were compared for.
    pub swift: usize,
    /// Refused acts compared.
    pub refused: usize,
    /// How many positions the engines do not agree about.
    pub differences: usize,
    /// The difference that takes the fewest acts to show.
    pub shortest: Option<Difference>,
    /// Why nothing was compared.
    pub skipped: Option<String>,
}

/// How much is played, and how the rule sets are compiled.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
    /// The passes of the compiler.
    pub passes: Passes,
    /// Games of each rule set.
    pub games: usize,
    /// Most plies of a game.
    pub plies: usize,
    /// The seed.
    pub seed: u64,
}

/// The starts of games of a rule set that the cases of a corpus name, and the first state.
pub fn starts(corpus: &Corpus, rules: &str) -> Vec<Start> {
    let cases = corpus.cases.iter().filter(|case| case.rules == rules);
    let found: BTreeSet<Start> = cases
        .flat_map(|case| {
            let plain = Start { params: case.params.clone(), position: None };
            let placed = Start { params: case.params.clone(), position: case.script.position.clone() };
            [plain, placed]
        })
        .collect();
    let first = Start::default();
    [first.clone()].into_iter().chain(found.into_iter().filter(|start| *start != first)).collect()
}

/// Plays games of a rule set on both engines.
pub fn compare(library: &Library, rules: &str, starts: &[Start], amount: Amount) -> Compared {
    let mut compared = Compared::default();
    let mut dice = Dice::new(amount.seed, rules);
    for game in 0..amount.games {
        // The first game is the usual one.
        let at = if game == 0 { 0 } else { dice.below(starts.len()) };
        let Some(start) = starts.get(at) else { continue };
        let Some(checked) = library.check(rules, &start.params) else { continue };
        let Some(checked) = checked.rules else {
            compared.skipped.get_or_insert_with(|| "the rule set cannot be used".into());
            continue;
        };
        if checked.board.is_empty() {
            compared.skipped = Some("it has no board".into());
            break;
        }
        let checked = Arc::new(checked);
        let bridge = match Bridge::with(Arc::clone(&checked), amount.passes) {
            Ok(bridge) => bridge,
            Err(reason) => {
                compared.skipped = Some(reason);
                continue;
            }
        };
        let pair = Pair { rules: Arc::clone(&checked), reference: Engine::new(checked), machine: bridge };
        pair.game(start, amount.plies, &mut dice, &mut compared);
        compared.games += 1;
    }
    compared
}

/// The same for several rule sets, on every core, in their order.
pub fn compare_all<'i>(
    library: &Library,
    corpus: &Corpus,
    ids: &[&'i str],
    amount: Amount,
) -> Vec<(&'i str, Compared)> {
    ids.par_iter().map(|id| (*id, compare(library, id, &starts(corpus, id), amount))).collect()
}

/// Both engines of a rule set.
struct Pair {
    rules: Arc<RuleSet>,
    reference: Engine,
    machine: Bridge,
}

/// The name of what two engines do not agree about, with both answers.
fn differ<T: std::fmt::Debug>(what: &str, reference: &T, machine: &T) -> String {
    let short = |value: &T| {
        let text = format!("{value:?}");
        text.chars().take(600).collect::<String>()
    };
    format!("{what}\n  reference: {}\n  machine:   {}", short(reference), short(machine))
}

impl Pair {
    fn game(&self, start: &Start, plies: usize, dice: &mut Dice, compared: &mut Compared) {
        let state = match &start.position {
            None => Some(self.reference.first()),
            Some(text) => position::read_position(&self.rules, text).ok(),
        };
        let Some(mut state) = state else { return };
        let mut line: Vec<String> = Vec::new();
        // Acts that were legal once: not all of them still are.
        let mut seen: Vec<Act> = Vec::new();
        for _ in 0..=plies {
            let mut found = self.settled(&mut state);
            compared.positions += 1;
            let legal =
                if state.ended.is_none() { self.position(&state, &mut found, compared) } else { None };
            if found.is_empty() && state.ended.is_none() && dice.below(8) == 0 {
                found.extend(self.refusal(&state, &seen, dice));
            }
            if !found.is_empty() {
                compared.differences += 1;
                self.note(start, &line, &state, found.join("\n"), compared);
            }
            let Some(legal) = legal else { return };
            if legal.is_empty() {
                return;
            }
            let at = dice.below(legal.len());
            let Some(ply) = legal.into_iter().nth(at) else { return };
            line.push(moves::write_act(&self.rules, &ply.act));
            if seen.len() < 64 {
                seen.push(ply.act);
            }
            state = ply.next;
        }
    }

    /// Keeps a difference if it is the shortest one, without the game before it if it needs none.
    fn note(&self, start: &Start, line: &[String], state: &State, what: String, compared: &mut Compared) {
        let mut difference = Difference { start: start.clone(), line: line.to_vec(), what };
        let text = position::write_position(&self.rules, state);
        if !line.is_empty()
            && let Ok(mut alone) = position::read_position(&self.rules, &text)
        {
            let mut found = self.settled(&mut alone);
            if alone.ended.is_none() {
                self.position(&alone, &mut found, &mut Compared::default());
            }
            if !found.is_empty() {
                let start = Start { params: start.params.clone(), position: Some(text) };
                difference = Difference { start, line: Vec::new(), what: found.join("\n") };
            }
        }
        let shorter = |known: &Difference| difference.line.len() < known.line.len();
        if compared.shortest.as_ref().is_none_or(shorter) {
            compared.shortest = Some(difference);
        }
    }

    /// Looks for the end of the game with both engines, and keeps what the reference says.
    fn settled(&self, state: &mut State) -> Vec<String> {
        let mut other = state.clone();
        let (a, b) = (self.reference.settle(state), Judge::settle(&self.machine, &mut other));
        let mut found = Vec::new();
        if a != b {
            found.push(differ("whether the game has ended", &a, &b));
        } else if state.ended != other.ended {
            found.push(differ("how the game has ended", &state.ended, &other.ended));
        }
        found
    }

    /// Compares the plies and the events of a position; the legal plies as the reference has them.
    fn position(
        &self,
        state: &State,
        found: &mut Vec<String>,
        compared: &mut Compared,
    ) -> Option<Vec<rulebook_reference::Ply>> {
        let (a, b) = (self.reference.plies(state), Judge::plies(&self.machine, state));
        self.events(state, found);
        match (a, b) {
            (Ok(a), Ok(b)) => {
                compared.acts += a.legal.len();
                compared.refused += a.banned.len();
                if let Some(what) = self.plies(&a, &b) {
                    found.push(what);
                }
                found.extend(self.swift(state, &a, compared));
                Some(a.legal)
            }
            (a, b) => {
                let (a, b) = (a.map(|plies| plies.legal.len()), b.map(|plies| plies.legal.len()));
                if a != b {
                    found.push(differ("what is legal", &a, &b));
                }
                None
            }
        }
    }

    fn plies(&self, a: &Plies, b: &Plies) -> Option<String> {
        let name = |act: &Act| format!("{} {:?}", moves::write_act(&self.rules, act), act);
        let sorted = |mut texts: Vec<String>| {
            texts.sort();
            texts
        };
        let legal = |plies: &Plies| -> Vec<String> {
            let ply = |ply: &rulebook_reference::Ply| {
                let State { cells, mover, vars, played, ended, .. } = &ply.next;
                let clauses = &ply.clauses;
                format!("{} by {clauses:?}: {cells:?} {mover} {vars:?} {played} {ended:?}", name(&ply.act))
            };
            sorted(plies.legal.iter().map(ply).collect())
        };
        let banned = |plies: &Plies| -> Vec<String> {
            let banned = plies.banned.iter();
            sorted(banned.map(|banned| format!("{} by {:?}", name(&banned.act), banned.clauses)).collect())
        };
        for (what, a, b) in [("a legal act", legal(a), legal(b)), ("a refused act", banned(a), banned(b))] {
            if a != b {
                let only = |these: &[String], those: &[String]| -> Vec<String> {
                    these.iter().filter(|text| !those.contains(text)).take(2).cloned().collect()
                };
                return Some(differ(what, &only(&a, &b), &only(&b, &a)));
            }
        }
        None
    }

    /// Compares what the fast paths find, where there are any.
    fn swift(&self, state: &State, plies: &Plies, compared: &mut Compared) -> Option<String> {
        let made = match self.machine.swift(state) {
            Ok(Some(made)) => made,
            Ok(None) => return None,
            Err(fault) => return Some(format!("the fast paths: {fault}")),
        };
        compared.swift += made.len();
        let named = |act: &Act, next: &State| {
            let chosen: Vec<_> = act.choices.iter().map(|choice| act.value(*choice)).collect();
            let State { cells, mover, vars, played, .. } = next;
            let Act { name, from, to, piece, taken, .. } = act;
            format!(
                "{name} {from:?} {to:?} {piece:?} {taken:?} {chosen:?}: {cells:?} {mover} {vars:?} {played}"
            )
        };
        let mut a: Vec<String> = plies.legal.iter().map(|ply| named(&ply.act, &ply.next)).collect();
        let mut b: Vec<String> = made.iter().map(|(act, next)| named(act, next)).collect();
        a.sort();
        b.sort();
        let only = |these: &[String], those: &[String]| -> Vec<String> {
            these.iter().filter(|text| !those.contains(text)).take(2).cloned().collect()
        };
        (a != b).then(|| differ("a legal act of the fast paths", &only(&a, &b), &only(&b, &a)))
    }

    fn events(&self, state: &State, found: &mut Vec<String>) {
        let players = (0..self.rules.players.len() as u8).map(Person::Player);
        for person in players.chain([Person::Arbiter]) {
            for event in 0..self.rules.events.len() as u16 {
                for with in self.reference.offers(state, event, person, MAX_OFFERS).unwrap_or_default() {
                    let a = said(self.reference.event(state, event, &with, person));
                    let b = said(Judge::event(&self.machine, state, event, &with, person));
                    if a != b {
                        let what = replay::write_event(&self.rules, person, event, &with);
                        found.push(differ(&format!("the event `{what}`"), &a, &b));
                    }
                }
            }
        }
    }

    /// Asks for an act that may not be legal any more, with all clauses that could grant it.
    fn refusal(&self, state: &State, seen: &[Act], dice: &mut Dice) -> Option<String> {
        let act = seen.get(dice.below(seen.len()))?;
        let meant = |other: &Act| other.name == act.name && (other.from, other.to) == (act.from, act.to);
        let grants: Vec<u16> = (0..self.rules.clauses.len() as u16).collect();
        // Far back it is long to look.
        if state.history().take(60).count() == 60 {
            return None;
        }
        let a = said(self.reference.judge(state, &meant, &grants));
        let b = said(Judge::judge(&self.machine, state, &meant, &grants));
        (a != b).then(|| differ(&format!("the act {}", moves::write_act(&self.rules, act)), &a, &b))
    }
}

/// A verdict as what can be compared.
fn said(verdict: Outcomes<Verdict>) -> Outcomes<(String, Vec<u16>, Option<Ending>)> {
    verdict.map(|verdict| match verdict {
        Verdict::Done { next, clauses } => {
            let text = format!("{:?} {} {:?} {}", next.cells, next.mover, next.vars, next.played);
            (text, clauses, next.ended)
        }
        Verdict::Refused { reason, clauses } => (reason.name().to_owned(), clauses, None),
    })
}
