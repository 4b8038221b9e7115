//! `pair`: a round of a competition paired, and why it is paired so.

use std::collections::BTreeSet;

use clap::Args;
use rulebook::pairing::{Compared, Explained, Failure as Unpaired, Pairer, Settled, WhyNot};
use rulebook::{Lang, Number, RuleSet, State};
use serde::Serialize;

use super::{Answer, Given, Language, Tables, decimal, row_name};
use crate::describe::{self, say};
use crate::failure::{Failure, in_line, warn};
use crate::json::ClauseRef;
use crate::out::{Out, table};

/// Arguments of `pair`.
#[derive(Args)]
pub(super) struct Arguments {
    /// A rule file, or the id of a built-in rule set.
    file: String,
    /// The tables that the rule set declares, as for `rank`.
    table: String,
    /// The round to be paired; without it the one after the last that was paired.
    #[arg(long, value_name = "NUMBER")]
    round: Option<u32>,
    /// Pair every round again that has been paired, and tell where the answer is another one.
    #[arg(long, conflicts_with_all = ["explain", "why_not"])]
    check: bool,
    /// Tell why this entry is paired as it is: what each clause measures of the pairing and of the best other one.
    #[arg(long, value_name = "NAME")]
    explain: Option<String>,
    /// Tell why these two are not paired.
    #[arg(long, num_args = 2, value_names = ["NAME", "NAME"], conflicts_with = "explain")]
    why_not: Option<Vec<String>>,
    #[command(flatten)]
    language: Language,
}

/// The JSON answer of `pair`.
#[derive(Serialize)]
struct Report {
    /// The id of the rule set.
    rules: String,
    /// The round that was paired.
    round: u32,
    /// The pairs, board by board.
    pairs: Vec<Board>,
    /// Who is left alone.
    alone: Option<String>,
    /// What was assumed about a report, or left out of it.
    notes: Vec<String>,
    /// The clauses that are named.
    clauses: Vec<ClauseRef>,
    /// With `--explain`.
    explained: Option<Why>,
    /// With `--why-not`.
    why_not: Option<Why>,
}

/// A pair.
#[derive(Serialize)]
struct Board {
    /// The number of the board.
    board: usize,
    /// The names of the two, by side.
    sides: [String; 2],
    /// The value of their bracket, exactly.
    bracket: String,
    /// The clause that decided that they meet.
    decided: Option<String>,
    /// The clause that decided on sides.
    side: Option<String>,
}

/// Why something is so.
#[derive(Serialize)]
struct Why {
    /// In a word: `paired`, `alone`, `absent`, `forbidden`, `apart`, `not-complete` or `worse`.
    answer: &'static str,
    /// The opponent, with `--explain`.
    opponent: Option<String>,
    /// The bracket, or both if they are different ones.
    brackets: Vec<String>,
    /// The brackets that it left unpaired before, each with the clause that decided.
    left: Vec<(String, Option<String>)>,
    /// Who is in the bracket, those moved there first.
    members: Vec<String>,
    /// How many were moved there.
    moved: usize,
    /// The clause that decides.
    decided: Option<String>,
    /// What each clause measures of both pairings, exactly.
    compared: Vec<Measured>,
    /// The pairs of the other pairing.
    other: Vec<[String; 2]>,
}

/// What a clause measures.
#[derive(Serialize)]
struct Measured {
    /// The clause.
    clause: String,
    /// Of the pairing that was chosen.
    chosen: Vec<String>,
    /// Of the other one.
    other: Option<Vec<String>>,
}

/// The JSON answer of `pair --check`.
#[derive(Serialize)]
struct Checked {
    /// The id of the rule set.
    rules: String,
    /// What was assumed about a report, or left out of it.
    notes: Vec<String>,
    /// The rounds.
    rounds: Vec<CheckedRound>,
}

/// A round that was paired again.
#[derive(Serialize)]
struct CheckedRound {
    /// Its number.
    round: u32,
    /// Whether the answer is the same.
    same: bool,
    /// Pairs that were made and are not in the answer; the second is empty for the one left alone.
    only_there: Vec<[String; 2]>,
    /// Pairs of the answer that were not made.
    only_here: Vec<[String; 2]>,
    /// Why there is no answer.
    failure: Option<String>,
}

/// What the command works on.
struct Desk<'a> {
    rules: &'a RuleSet,
    state: &'a State,
    pairer: Pairer<'a>,
    notes: Vec<String>,
    lang: Lang,
}

/// Runs `pair`.
pub(super) fn run(arguments: &Arguments, given: &Given, out: &mut Out) -> Result<Answer, Failure> {
    let Tables { engine, state, repairs, .. } = super::tables(&arguments.file, &arguments.table, given)?;
    if !out.is_json() {
        warn(&repairs);
    }
    let rules = engine.rules();
    let pairer = Pairer::new(rules).map_err(|failure| told(rules, 0, &failure))?;
    let notes = repairs.iter().map(in_line).collect();
    let desk = Desk { rules, state: &state, pairer, notes, lang: arguments.language.get() };
    if arguments.check { desk.check(out) } else { desk.pair(arguments, out) }
}

/// Why there is no pairing.
fn told(rules: &RuleSet, round: u32, failure: &Unpaired) -> Failure {
    match failure {
        Unpaired::NoPairing => {
            Failure::new(format!("the rule set `{}` says nothing about pairings", rules.id))
                .help("give one with a section `pairing`, such as `tournament/dutch-2026`")
        }
        Unpaired::Fault(fault) => Failure::fault(rules, fault),
        Unpaired::Impossible { .. } => Failure::new(format!("round {round} cannot be paired: {failure}"))
            .help("this is for the arbiter to decide; `--why-not A B` tells what forbids a pair"),
    }
}

impl Desk<'_> {
    fn name(&self, row: u32) -> String {
        let table = self.rules.pairing.as_ref().map_or(0, |section| section.entries);
        row_name(self.rules, self.state, table, row)
    }

    /// The row of an entry by name, or by any other field that only it has so.
    fn row(&self, name: &str) -> Result<u32, Failure> {
        let table = self.rules.pairing.as_ref().map_or(0, |section| section.entries);
        let rows = self.state.tables.get(usize::from(table)).map_or(&[][..], Vec::as_slice);
        let all = 0..rows.len() as u32;
        if let Some(row) = all.clone().find(|row| self.name(*row) == name) {
            return Ok(row);
        }
        let has = |row: &u32| {
            let fields = rows.get(*row as usize).map_or(&[][..], Vec::as_slice);
            fields.iter().any(|value| super::cell(self.rules, self.state, value) == name)
        };
        if let [row] = all.clone().filter(has).collect::<Vec<u32>>()[..] {
            return Ok(row);
        }
        let known: Vec<String> = all.map(|row| self.name(row)).collect();
        let failure = Failure::new(format!("there is no entry `{name}`"));
        Err(match rulebook::closest(name, known.iter().map(String::as_str)) {
            Some(similar) => failure.help(format!("did you mean `{similar}`?")),
            None => failure,
        })
    }

    fn id(&self, clause: Option<u16>) -> Option<String> {
        self.rules.clauses.get(usize::from(clause?)).map(|clause| clause.id.clone())
    }

    fn clause(&self, clause: Option<u16>) -> String {
        let found = clause.and_then(|at| self.rules.clauses.get(usize::from(at)));
        found.map_or_else(|| "-".to_owned(), |clause| describe::clause(clause, self.lang))
    }

    fn pair(&self, arguments: &Arguments, out: &mut Out) -> Result<Answer, Failure> {
        let wrong = |failure: Unpaired| told(self.rules, 0, &failure);
        let round = match arguments.round {
            Some(0) => return Err(Failure::new("rounds are counted from one")),
            Some(round) => round,
            None => self.pairer.next_round(self.state).map_err(wrong)?,
        };
        let wrong = |failure: Unpaired| told(self.rules, round, &failure);
        let before = self.pairer.before(self.state, round).map_err(wrong)?;
        if let Some(names) = &arguments.why_not {
            let [one, other] = &names[..] else { return Err(Failure::new("two entries are wanted")) };
            let (one, other) = (self.row(one)?, self.row(other)?);
            if one == other {
                return Err(Failure::new("nobody is paired with himself"));
            }
            let why = self.pairer.why_not(&before, round, one, other).map_err(wrong)?;
            let why = self.why_not(&why);
            return Ok(self.answer(round, None, why, false, out));
        }
        let explained = match &arguments.explain {
            None => None,
            Some(name) => {
                let row = self.row(name)?;
                let explained = self.pairer.explain(&before, round, row).map_err(wrong)?;
                let Some(explained) = explained else {
                    let message = format!("`{}` is not to be paired in round {round}", self.name(row));
                    return Err(Failure::new(message));
                };
                Some(self.explained(&explained))
            }
        };
        let settled = self.pairer.pair(&before, round).map_err(wrong)?;
        Ok(match explained {
            Some(why) => self.answer(round, Some(&settled), why, true, out),
            None => self.answer(round, Some(&settled), (None, Vec::new()), false, out),
        })
    }

    fn numbers(list: &[Number]) -> Vec<String> {
        list.iter().map(ToString::to_string).collect()
    }

    fn compared(&self, compared: &[Compared]) -> Vec<Measured> {
        let one = |of: &Compared| Measured {
            clause: self.id(Some(of.clause)).unwrap_or_default(),
            chosen: Self::numbers(&of.chosen),
            other: of.other.as_deref().map(Self::numbers),
        };
        compared.iter().map(one).collect()
    }

    fn pairs(&self, pairs: &[(u32, u32)]) -> Vec<[String; 2]> {
        pairs.iter().map(|(a, b)| [self.name(*a), self.name(*b)]).collect()
    }

    fn explained(&self, why: &Explained) -> (Option<Why>, Vec<u16>) {
        let mut named: Vec<u16> = why.compared.iter().map(|of| of.clause).collect();
        named.extend(why.decided.into_iter().chain(why.side).chain(why.left.iter().filter_map(|of| of.1)));
        let left = why.left.iter().map(|(value, clause)| (value.to_string(), self.id(*clause)));
        let told = Why {
            answer: if why.opponent.is_some() { "paired" } else { "alone" },
            opponent: why.opponent.map(|row| self.name(row)),
            brackets: vec![why.bracket.to_string()],
            left: left.collect(),
            members: why.members.iter().map(|row| self.name(*row)).collect(),
            moved: why.moved,
            decided: self.id(why.decided),
            compared: self.compared(&why.compared),
            other: why.other.as_deref().map(|other| self.pairs(other)).unwrap_or_default(),
        };
        (Some(told), named)
    }

    fn why_not(&self, why: &WhyNot) -> (Option<Why>, Vec<u16>) {
        let mut told = Why {
            answer: "paired",
            opponent: None,
            brackets: Vec::new(),
            left: Vec::new(),
            members: Vec::new(),
            moved: 0,
            decided: None,
            compared: Vec::new(),
            other: Vec::new(),
        };
        let mut named = Vec::new();
        match why {
            WhyNot::Paired => {}
            WhyNot::Absent(row) => {
                told.answer = "absent";
                told.members = vec![self.name(*row)];
            }
            WhyNot::Forbidden(clause) => {
                told.answer = "forbidden";
                named.push(*clause);
            }
            WhyNot::Apart(one, other) => {
                told.answer = "apart";
                told.brackets = vec![one.to_string(), other.to_string()];
            }
            WhyNot::NotComplete(clause) => {
                told.answer = "not-complete";
                named.extend(*clause);
            }
            WhyNot::Worse { bracket, compared, decided, other } => {
                told.answer = "worse";
                told.brackets = vec![bracket.to_string()];
                told.compared = self.compared(compared);
                told.other = self.pairs(other);
                named.extend(*decided);
                told.decided = self.id(*decided);
                named.extend(compared.iter().map(|of| of.clause));
            }
        }
        if told.decided.is_none() {
            told.decided = self.id(named.first().copied());
        }
        (Some(told), named)
    }

    fn answer(
        &self,
        round: u32,
        settled: Option<&Settled>,
        (why, mut named): (Option<Why>, Vec<u16>),
        explains: bool,
        out: &mut Out,
    ) -> Answer {
        let pairs = settled.map_or(&[][..], |settled| settled.pairs.as_slice());
        if !out.is_json() {
            if let Some(settled) = settled {
                self.draw(settled, out);
            }
            if let Some(why) = &why {
                self.draw_why(why, out);
            }
            return Answer::Good;
        }
        named.extend(pairs.iter().flat_map(|pair| pair.decided.into_iter().chain(pair.side)));
        named.sort_unstable();
        named.dedup();
        let board = |(at, pair): (usize, &rulebook::pairing::Paired)| Board {
            board: at + 1,
            sides: pair.rows.map(|row| self.name(row)),
            bracket: pair.bracket.to_string(),
            decided: self.id(pair.decided),
            side: self.id(pair.side),
        };
        let (explained, why_not) = if explains { (why, None) } else { (None, why) };
        out.document(&Report {
            rules: self.rules.id.clone(),
            round,
            pairs: pairs.iter().enumerate().map(board).collect(),
            alone: settled.and_then(|settled| settled.alone).map(|row| self.name(row)),
            notes: self.notes.clone(),
            clauses: ClauseRef::all(self.rules, &named),
            explained,
            why_not,
        });
        Answer::Good
    }

    fn draw(&self, settled: &Settled, out: &mut Out) {
        let lang = self.lang;
        let [first, second] = [0, 1].map(|at| self.rules.players.get(at).map_or("", String::as_str));
        out.line(match lang {
            Lang::En => format!("round {}", settled.round),
            Lang::Zh => format!("第 {} 轮", settled.round),
        });
        let header = [
            say(lang, "board", "台次"),
            first,
            second,
            say(lang, "bracket", "组"),
            say(lang, "decided by", "依据"),
            say(lang, "sides by", "先后手依据"),
        ];
        let mut rows = table(&header);
        for (at, pair) in settled.pairs.iter().enumerate() {
            rows.add_row([
                (at + 1).to_string(),
                self.name(pair.rows[0]),
                self.name(pair.rows[1]),
                decimal(pair.bracket),
                self.id(pair.decided).unwrap_or_default(),
                self.id(pair.side).unwrap_or_default(),
            ]);
        }
        out.table(&rows);
        if let Some(row) = settled.alone {
            out.line(format!("{} {}", say(lang, "left alone:", "轮空："), self.name(row)));
        }
    }

    fn draw_why(&self, why: &Why, out: &mut Out) {
        let lang = self.lang;
        let shown = |id: &Option<String>| {
            let at = self.rules.clauses.iter().position(|clause| Some(&clause.id) == id.as_ref());
            self.clause(at.map(|at| at as u16))
        };
        for (bracket, clause) in &why.left {
            out.line(match lang {
                Lang::En => format!("leaves the bracket of {bracket} unpaired: {}", shown(clause)),
                Lang::Zh => format!("离开 {bracket} 分组：{}", shown(clause)),
            });
        }
        let members = why.members.join(", ");
        let brackets = why.brackets.join(say(lang, " and ", "与"));
        let line = match (why.answer, lang) {
            ("paired", Lang::En) if why.opponent.is_some() => {
                format!(
                    "meets {} in the bracket of {brackets}: {members}",
                    why.opponent.as_deref().unwrap_or("")
                )
            }
            ("paired", Lang::Zh) if why.opponent.is_some() => {
                format!("在 {brackets} 分组对 {}：{members}", why.opponent.as_deref().unwrap_or(""))
            }
            ("paired", _) => say(lang, "they are paired", "两人已配对").to_owned(),
            ("alone", _) => say(lang, "is left alone", "轮空").to_owned(),
            ("absent", Lang::En) => format!("{members} is not to be paired in this round"),
            ("absent", Lang::Zh) => format!("{members} 本轮不参加编排"),
            ("forbidden", _) => say(lang, "a clause forbids it", "条文禁止").to_owned(),
            ("apart", Lang::En) => format!("they are never in one bracket: those of {brackets}"),
            ("apart", Lang::Zh) => format!("两人不在同一分组：{brackets}"),
            ("not-complete", _) => {
                say(lang, "the rest could not all be paired", "其余将无法全部配对").to_owned()
            }
            (_, Lang::En) => format!("the bracket of {brackets} would be paired worse"),
            (_, Lang::Zh) => format!("{brackets} 分组的配对将更差"),
        };
        out.line(line);
        if why.decided.is_some() {
            out.line(format!("{} {}", say(lang, "decided by", "依据"), shown(&why.decided)));
        }
        if !why.other.is_empty() {
            let pairs: Vec<String> = why.other.iter().map(|[a, b]| format!("{a} - {b}")).collect();
            out.line(format!("{} {}", say(lang, "the other pairing:", "另一配对："), pairs.join(", ")));
        }
        if why.compared.is_empty() {
            return;
        }
        let header = [
            say(lang, "clause", "条文"),
            say(lang, "this pairing", "本配对"),
            say(lang, "the other", "另一配对"),
        ];
        let mut rows = table(&header);
        for measured in &why.compared {
            let list = |values: &[String]| if values.is_empty() { "-".into() } else { values.join(", ") };
            rows.add_row([
                shown(&Some(measured.clause.clone())),
                list(&measured.chosen),
                measured.other.as_deref().map_or_else(|| "-".into(), list),
            ]);
        }
        out.table(&rows);
    }

    fn check(&self, out: &mut Out) -> Result<Answer, Failure> {
        let last = self.pairer.last_round(self.state).map_err(|failure| told(self.rules, 0, &failure))?;
        if last == 0 {
            return Err(Failure::new("no round has been paired yet").help("leave out `--check`"));
        }
        let mut rounds = Vec::new();
        for round in 1..=last {
            rounds.push(self.again(round)?);
        }
        let same = rounds.iter().all(|round| round.same);
        let answer = if same { Answer::Good } else { Answer::No };
        if out.is_json() {
            out.document(&Checked { rules: self.rules.id.clone(), notes: self.notes.clone(), rounds });
            return Ok(answer);
        }
        let lang = self.lang;
        for round in &rounds {
            let number = round.round;
            let word =
                if round.same { say(lang, "the same", "相同") } else { say(lang, "different", "不同") };
            out.line(match lang {
                Lang::En => format!("round {number}: {word}"),
                Lang::Zh => format!("第 {number} 轮：{word}"),
            });
            let shown = |pairs: &[[String; 2]]| {
                let bye = say(lang, "alone", "轮空");
                let one = |[a, b]: &[String; 2]| format!("{a} - {}", if b.is_empty() { bye } else { b });
                pairs.iter().map(one).collect::<Vec<String>>().join(", ")
            };
            if !round.only_there.is_empty() {
                out.line(format!(
                    "  {} {}",
                    say(lang, "only in the tables:", "仅在表中："),
                    shown(&round.only_there)
                ));
            }
            if !round.only_here.is_empty() {
                out.line(format!(
                    "  {} {}",
                    say(lang, "only in the answer:", "仅在答案："),
                    shown(&round.only_here)
                ));
            }
            if let Some(failure) = &round.failure {
                out.line(format!("  {failure}"));
            }
        }
        Ok(answer)
    }

    /// Pairs a round again and compares.
    fn again(&self, round: u32) -> Result<CheckedRound, Failure> {
        let wrong = |failure: Unpaired| told(self.rules, round, &failure);
        let before = self.pairer.before(self.state, round).map_err(wrong)?;
        let there: BTreeSet<(u32, Option<u32>)> =
            self.pairer.made(self.state, round).map_err(wrong)?.into_iter().collect();
        let (mut here, mut failure) = (BTreeSet::new(), None);
        match self.pairer.pair(&before, round) {
            Ok(settled) => {
                here.extend(settled.pairs.iter().map(|pair| (pair.rows[0], Some(pair.rows[1]))));
                here.extend(settled.alone.map(|row| (row, None)));
            }
            Err(found @ Unpaired::Impossible { .. }) => failure = Some(found.to_string()),
            Err(found) => return Err(wrong(found)),
        }
        let names =
            |(a, b): &(u32, Option<u32>)| [self.name(*a), b.map(|b| self.name(b)).unwrap_or_default()];
        Ok(CheckedRound {
            round,
            same: here == there,
            only_there: there.difference(&here).map(names).collect(),
            only_here: here.difference(&there).map(names).collect(),
            failure,
        })
    }
}
