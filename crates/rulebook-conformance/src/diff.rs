//! Random games in which the reference interpreter and the machine are asked the same at every position.
//!
//! A rule set may be compiled in several settings: the reference is asked once and every setting is compared with
//! what it says. Settings that give the same program as one before are compared once.
//!
//! Invariant: the same seed gives the same games. The game goes on with what the reference says, so that one
//! difference does not hide another.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use rulebook_compiler::Passes;
use rulebook_model::RuleSet;
use rulebook_model::library::Library;
use rulebook_notation::{Judge, moves, position, replay};
use rulebook_reference::{Act, Banned, Ending, Engine, Outcomes, Person, Plies, State, Verdict};

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
    /// Different programs of a game, all compared with the reference: the most of any game.
    pub programs: usize,
    /// Positions compared.
    pub positions: usize,
    /// Legal acts compared, each with the whole position that it leads to.
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

/// How the rule sets are compiled: what a setting is called, and the passes of the compiler.
pub type Setting = (String, Passes);

/// All passes, none, and every pass left out in turn.
pub fn every_setting() -> Vec<Setting> {
    let one_less = Passes::NAMES.iter().filter_map(|name| {
        let passes = Passes::without(name)?;
        Some((format!("without {name}"), passes))
    });
    let ends = [("with all passes".to_owned(), Passes::all()), ("without passes".to_owned(), Passes::none())];
    ends.into_iter().chain(one_less).collect()
}

/// How much is played.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
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
pub fn compare(
    library: &Library,
    rules: &str,
    starts: &[Start],
    settings: &[Setting],
    amount: Amount,
) -> Compared {
    let mut compared = Compared::default();
    let mut dice = Dice::new(amount.seed, rules);
    let mut known: BTreeMap<&[(String, String)], Option<Pair>> = BTreeMap::new();
    for game in 0..amount.games {
        // The first game is the usual one.
        let at = if game == 0 { 0 } else { dice.below(starts.len()) };
        let Some(start) = starts.get(at) else { continue };
        let pair = known.entry(&start.params).or_insert_with(|| {
            let pair = Pair::new(library, rules, &start.params, settings);
            pair.map_err(|reason| compared.skipped.get_or_insert(reason).clone()).ok()
        });
        let Some(pair) = pair else { continue };
        if let Some(reason) = &pair.failed {
            compared.skipped.get_or_insert_with(|| reason.clone());
        }
        compared.programs = compared.programs.max(pair.machines.len());
        pair.game(start, amount.plies, &mut dice, &mut compared);
        compared.games += 1;
    }
    compared
}

/// Games of one rule set that one core plays at a time.
const SHARE: usize = 20;

impl Compared {
    fn add(mut self, other: Self) -> Self {
        self.programs = self.programs.max(other.programs);
        self.games += other.games;
        self.positions += other.positions;
        self.acts += other.acts;
        self.swift += other.swift;
        self.refused += other.refused;
        self.differences += other.differences;
        self.skipped = self.skipped.or(other.skipped);
        self.shortest = [self.shortest, other.shortest]
            .into_iter()
            .flatten()
            .min_by_key(|difference| difference.line.len());
        self
    }
}

/// The same for several rule sets, on every core, in their order. `look` is told of each share of the games.
pub fn compare_all<'i>(
    library: &Library,
    corpus: &Corpus,
    ids: &[&'i str],
    (settings, amount): (&[Setting], Amount),
    look: &(dyn Fn() + Sync),
) -> Vec<(&'i str, Compared)> {
    let one = |(id, starts, share): &(&'i str, Arc<Vec<Start>>, usize)| {
        let done = share * SHARE;
        let amount = Amount {
            games: amount.games.saturating_sub(done).min(SHARE),
            seed: amount.seed.wrapping_add(*share as u64),
            ..amount
        };
        let compared = compare(library, id, starts, settings, amount);
        look();
        compared
    };
    let shares: Vec<_> = ids
        .iter()
        .flat_map(|id| {
            let starts = Arc::new(starts(corpus, id));
            (0..shares_of(amount)).map(move |share| (*id, Arc::clone(&starts), share))
        })
        .collect();
    let compared: Vec<Compared> = shares.par_iter().with_max_len(1).map(one).collect();
    let mut compared = compared.into_iter();
    ids.iter()
        .map(|id| (*id, compared.by_ref().take(shares_of(amount)).fold(Compared::default(), Compared::add)))
        .collect()
}

/// How many shares the games of one rule set have.
pub fn shares_of(amount: Amount) -> usize {
    amount.games.div_ceil(SHARE).max(1)
}

/// The reference and the machines of a rule set, each with its setting.
struct Pair {
    rules: Arc<RuleSet>,
    reference: Engine,
    machines: Vec<(String, Bridge)>,
    /// Why a setting has no machine.
    failed: Option<String>,
}

impl Pair {
    fn new(
        library: &Library,
        id: &str,
        params: &[(String, String)],
        settings: &[Setting],
    ) -> Result<Self, String> {
        let checked = library.check(id, params).ok_or("the parameters cannot be used")?;
        let checked = checked.rules.ok_or("the rule set cannot be used")?;
        if checked.board.is_empty() {
            return Err("it has no board".into());
        }
        let rules = Arc::new(checked);
        let mut machines: Vec<(String, Bridge)> = Vec::new();
        let mut failed = None;
        for (name, passes) in settings {
            match Bridge::with(Arc::clone(&rules), *passes) {
                Ok(bridge) => {
                    let program = bridge.machine().program();
                    if machines.iter().all(|(_, known)| known.machine().program() != program) {
                        machines.push((name.clone(), bridge));
                    }
                }
                Err(reason) => failed = Some(format!("{name}: {reason}")),
            }
        }
        let reference = Engine::new(Arc::clone(&rules));
        Ok(Self { rules, reference, machines, failed })
    }
}

/// The name of what two engines do not agree about, with both answers.
fn differ<T: std::fmt::Debug>(what: &str, reference: &T, machine: &T) -> String {
    let short = |value: &T| {
        let text = format!("{value:?}");
        text.chars().take(600).collect::<String>()
    };
    format!("{what}\n  reference: {}\n  machine:   {}", short(reference), short(machine))
}

/// Whether each of these has its own partner among those, and none of those is left.
fn paired<A, B>(these: &[A], those: &[B], same: impl Fn(&A, &B) -> bool) -> bool {
    let mut free: Vec<&B> = those.iter().rev().collect();
    // Both engines mostly have the same order, so the partner mostly is the last one that is free.
    let meets = |a: &A| {
        let at = free.iter().rposition(|b| same(a, b));
        at.map(|at| free.remove(at)).is_some()
    };
    these.len() == those.len() && these.iter().all(meets)
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
        let before = state.clone();
        let a = self.reference.settle(state);
        let mut found = Vec::new();
        for (setting, machine) in &self.machines {
            let mut other = before.clone();
            let b = Judge::settle(machine, &mut other);
            if a != b {
                found.push(differ(&format!("whether the game has ended, {setting}"), &a, &b));
            } else if state.ended != other.ended {
                found.push(differ(&format!("how the game has ended, {setting}"), &state.ended, &other.ended));
            }
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
        let a = self.reference.plies(state);
        self.events(state, found);
        for (setting, machine) in &self.machines {
            let what = match (&a, Judge::plies(machine, state)) {
                (Ok(a), Ok(b)) => self.plies(a, &b).or_else(|| self.swift(machine, state, a, compared)),
                (a, b) => {
                    let a = a.as_ref().map(|plies| plies.legal.len());
                    let (a, b) = (a, b.as_ref().map(|plies| plies.legal.len()));
                    (a != b).then(|| differ("what is legal", &a, &b))
                }
            };
            found.extend(what.map(|what| format!("{what}\n  {setting}")));
        }
        let plies = a.ok()?;
        compared.acts += plies.legal.len();
        compared.refused += plies.banned.len();
        Some(plies.legal)
    }

    fn plies(&self, a: &Plies, b: &Plies) -> Option<String> {
        let same = |a: &rulebook_reference::Ply, b: &rulebook_reference::Ply| {
            let (one, other) = (&a.next, &b.next);
            a.act == b.act
                && a.clauses == b.clauses
                && one.cells == other.cells
                && one.mover == other.mover
                && one.vars == other.vars
                && one.played == other.played
                && one.ended == other.ended
        };
        let refused = |a: &Banned, b: &Banned| a.act == b.act && a.clauses == b.clauses;
        if paired(&a.legal, &b.legal, same) && paired(&a.banned, &b.banned, refused) {
            return None;
        }
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
    fn swift(
        &self,
        machine: &Bridge,
        state: &State,
        plies: &Plies,
        compared: &mut Compared,
    ) -> Option<String> {
        let made = match machine.swift(state) {
            Ok(Some(made)) => made,
            Ok(None) => return None,
            Err(fault) => return Some(format!("the fast paths: {fault}")),
        };
        compared.swift += made.len();
        let same = |ply: &rulebook_reference::Ply, (act, next): &(Act, State)| {
            let (a, b) = (&ply.act, act);
            let chosen = |act: &Act, choice: &u16| act.value(*choice).cloned();
            (a.name, a.from, a.to, a.piece) == (b.name, b.from, b.to, b.piece)
                && a.taken == b.taken
                && a.choices.len() == b.choices.len()
                && a.choices.iter().zip(&b.choices).all(|(x, y)| chosen(a, x) == chosen(b, y))
                && ply.next.cells == next.cells
                && ply.next.mover == next.mover
                && ply.next.vars == next.vars
                && ply.next.played == next.played
        };
        if paired(&plies.legal, &made, same) {
            return None;
        }
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
                    for (setting, machine) in &self.machines {
                        let b = said(Judge::event(machine, state, event, &with, person));
                        if a != b {
                            let what = replay::write_event(&self.rules, person, event, &with);
                            found.push(differ(&format!("the event `{what}`, {setting}"), &a, &b));
                        }
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
        self.machines.iter().find_map(|(setting, machine)| {
            let b = said(Judge::judge(machine, state, &meant, &grants));
            let name = || format!("the act {}, {setting}", moves::write_act(&self.rules, act));
            (a != b).then(|| differ(&name(), &a, &b))
        })
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
