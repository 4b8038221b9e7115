//! Reads the corpus: every scenario file and every table below one folder.
//!
//! Invariant: a corpus with any problem (malformed files, ids that are used twice, unknown features) is not
//! a corpus, and nothing of it is run. What an engine would answer is not known here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_yaml::{Location, Spanned};
use walkdir::WalkDir;

use crate::case::{Case, Check, Tier, Wanted};
use crate::driver::{Question, Script};
use crate::scenario::{CONTRACT, Cell, Expect, Given, Named, Refusal, Scenario, Standing, Suite, Texts};
use crate::tables;

/// Something wrong with a file of the corpus.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The file.
    pub path: String,
    /// The line, from one.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// The whole corpus, ready to be put to an engine.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    /// Every case, in the order of files and lines.
    pub cases: Vec<Case>,
    /// What an engine may be able to do, with an explanation each.
    pub features: Vec<(String, String)>,
    /// Number of scenario files.
    pub suites: usize,
}

/// The folder of pictures, below that of the corpus.
pub const SNAPSHOTS: &str = "snapshots";
/// The list of features, below the folder of the corpus.
pub const FEATURES: &str = "features.yaml";
/// The rows that may be cited, below the folder of the corpus.
const LEDGER: &str = "ledger/articles.tsv";
/// Folders that hold no scenarios.
const OTHER: &[&str] = &["diagnostics", "exploration", "ledger", SNAPSHOTS, tables::FOLDER];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Features {
    contract: Spanned<u32>,
    features: Named<String>,
}

/// Reads a YAML file strictly; only `true` and `false` are truth values.
pub(crate) fn read_yaml<T: DeserializeOwned>(file: &Path, path: &str) -> Result<T, Problem> {
    let text = fs::read_to_string(file).map_err(|error| Problem {
        path: path.to_owned(),
        line: 1,
        message: format!("cannot be read: {error}"),
    })?;
    let options = serde_yaml::options! { strict_booleans: true, with_snippet: false };
    serde_yaml::from_str_with_options(&text, options).map_err(|error| {
        let at = error.location();
        let message = error.to_string();
        let first = message.lines().next().unwrap_or("not YAML");
        let first = at.map_or(first, |at| {
            first.strip_suffix(&format!(" at line {}, column {}", at.line(), at.column())).unwrap_or(first)
        });
        Problem { path: path.to_owned(), line: at.map_or(1, |at| line(&at)), message: first.to_owned() }
    })
}

pub(crate) fn line(place: &Location) -> usize {
    usize::try_from(place.line()).unwrap_or(1).max(1)
}

impl Corpus {
    /// Reads the corpus in a folder; `shown` is how that folder is called in messages.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of files and lines.
    pub fn read(folder: &Path, shown: &str) -> Result<Self, Vec<Problem>> {
        let mut reader = Reader::at(folder, shown);
        reader.features();
        for path in reader.files() {
            reader.suite(&path);
        }
        reader.stale_pictures();
        reader.tables();
        if reader.problems.is_empty() {
            return Ok(reader.corpus);
        }
        reader.problems.sort();
        Err(reader.problems)
    }
}

struct Reader<'a> {
    folder: &'a Path,
    shown: &'a str,
    corpus: Corpus,
    problems: Vec<Problem>,
    /// Where each id was used first.
    suites: BTreeMap<String, String>,
    scenarios: BTreeMap<String, String>,
    pictures: BTreeSet<String>,
    /// The ids of the rows of the ledger.
    ledger: BTreeSet<String>,
}

impl<'a> Reader<'a> {
    fn at(folder: &'a Path, shown: &'a str) -> Self {
        Self {
            folder,
            shown,
            corpus: Corpus::default(),
            problems: Vec::new(),
            suites: BTreeMap::new(),
            scenarios: BTreeMap::new(),
            pictures: BTreeSet::new(),
            ledger: ledger(folder),
        }
    }

    fn problem(&mut self, path: &str, line: usize, message: impl Into<String>) {
        self.problems.push(Problem { path: path.to_owned(), line, message: message.into() });
    }

    /// The paths of the scenario files, below the folder.
    fn files(&self) -> Vec<String> {
        let walk = WalkDir::new(self.folder).sort_by_file_name().into_iter().filter_entry(|entry| {
            let top = entry.depth() == 1;
            !(top && entry.file_name().to_str().is_some_and(|name| OTHER.contains(&name)))
        });
        let relative = walk.filter_map(Result::ok).filter(|entry| entry.file_type().is_file());
        relative
            .filter_map(|entry| {
                let path = entry.path().strip_prefix(self.folder).ok()?.to_str()?.replace('\\', "/");
                ((path.ends_with(".yaml") || path.ends_with(".yml")) && path != FEATURES).then_some(path)
            })
            .collect()
    }

    fn features(&mut self) {
        let path = format!("{}/{FEATURES}", self.shown);
        match read_yaml::<Features>(&self.folder.join(FEATURES), &path) {
            Ok(features) => {
                self.contract(&path, &features.contract);
                self.corpus.features = features.features.0;
            }
            Err(problem) => self.problems.push(problem),
        }
    }

    fn contract(&mut self, path: &str, contract: &Spanned<u32>) {
        if contract.value != CONTRACT {
            let message = format!("contract {} is not {CONTRACT}", contract.value);
            self.problem(path, line(&contract.referenced), message);
        }
    }

    fn unique(&mut self, path: &str, id: &Spanned<String>, of_suite: bool) {
        let at = line(&id.referenced);
        let kebab = |text: &str| {
            text.split('-').all(|word| {
                !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
            })
        };
        if !kebab(&id.value) {
            self.problem(path, at, format!("`{}` is not an id of small letters, digits and `-`", id.value));
        }
        let known = if of_suite { &mut self.suites } else { &mut self.scenarios };
        match known.get(&id.value) {
            Some(first) => {
                let message = format!("the id `{}` is already used in {first}", id.value);
                self.problem(path, at, message);
            }
            None => {
                known.insert(id.value.clone(), format!("{path}:{at}"));
            }
        }
    }

    fn suite(&mut self, below: &str) {
        let path = format!("{}/{below}", self.shown);
        let suite: Suite = match read_yaml(&self.folder.join(below), &path) {
            Ok(suite) => suite,
            Err(problem) => return self.problems.push(problem),
        };
        self.corpus.suites += 1;
        self.contract(&path, &suite.contract);
        self.unique(&path, &suite.suite, true);
        for scenario in &suite.scenarios {
            self.unique(&path, &scenario.value.id, false);
            self.scenario(&path, &suite, scenario);
        }
    }

    fn scenario(&mut self, path: &str, suite: &Suite, spanned: &Spanned<Scenario>) {
        let (scenario, at) = (&spanned.value, line(&spanned.referenced));
        for feature in &scenario.features {
            if self.corpus.features.iter().all(|(known, _)| *known != feature.value) {
                let message = format!("`{}` is not a feature of {}/{FEATURES}", feature.value, self.shown);
                self.problem(path, line(&feature.referenced), message);
            }
        }
        if scenario.status == Standing::Interpretation && scenario.source.is_none() {
            self.problem(path, at, "an interpretation needs a `source`");
        }
        if scenario.cites.0.is_empty() {
            self.problem(path, at, "a scenario cites at least one article");
        }
        for cite in scenario.cites.0.iter().filter(|cite| is_row(cite) && !self.ledger.contains(*cite)) {
            self.problems.push(no_row(path, at, cite));
        }
        if scenario.expect.is_empty() && !scenario.picture {
            self.problem(path, at, "a scenario without expectations shows nothing");
        }
        let rules = if scenario.rules.0.is_empty() { &suite.rules.0 } else { &scenario.rules.0 };
        if rules.is_empty() {
            self.problem(path, at, "no `rules`, neither here nor for the whole file");
        }
        let id = format!("{}/{}", suite.suite.value, scenario.id.value);
        let given = merged(&suite.given, &scenario.given);
        let picture = scenario.picture.then(|| self.picture(&id));
        let mut vacuous = BTreeSet::new();
        for rules in rules {
            let mut case = Case {
                id: id.clone(),
                suite: suite.suite.value.clone(),
                path: path.to_owned(),
                line: at,
                title: scenario.title.clone(),
                cites: scenario.cites.0.clone(),
                features: scenario.features.iter().map(|feature| feature.value.clone()).collect(),
                rules: rules.clone(),
                params: given.params.0.clone(),
                script: Script {
                    position: given.position.clone(),
                    tables: given.tables.0.clone(),
                    steps: Vec::new(),
                },
                checks: Vec::new(),
                tier: Tier::Always,
                cost: 1 + scenario.lines.len() as u64,
            };
            for text in &scenario.lines {
                case.act(line(&text.referenced), text.value.clone());
            }
            for expect in &scenario.expect {
                let (at, asked) = (line(&expect.referenced), case.checks.len());
                expectation(&mut case, at, &expect.value);
                if case.checks.get(asked..).is_none_or(|checks| checks.iter().all(is_vacuous)) {
                    vacuous.insert(at);
                }
            }
            if let Some(wanted) = &picture {
                case.ask(at, Question::Picture, wanted.clone());
            }
            self.corpus.cases.push(case);
        }
        for at in vacuous {
            self.problem(path, at, "any answer is as this expectation wants it");
        }
    }

    fn tables(&mut self) {
        let cases = tables::read(self.folder, self.shown, &self.corpus.features, &mut self.problems);
        let missing: BTreeSet<(&String, &String)> = cases
            .iter()
            .flat_map(|case| case.cites.iter().map(move |cite| (&case.path, cite)))
            .filter(|(_, cite)| is_row(cite) && !self.ledger.contains(*cite))
            .collect();
        self.problems.extend(missing.into_iter().map(|(path, cite)| no_row(path, 1, cite)));
        let shared: BTreeSet<&String> =
            cases.iter().map(|case| &case.suite).filter(|suite| self.suites.contains_key(*suite)).collect();
        for suite in shared {
            let message = format!("a table and a scenario file have the same id `{suite}`");
            let path = format!("{}/{}", self.shown, tables::FOLDER);
            self.problems.push(Problem { path, line: 1, message });
        }
        self.corpus.cases.extend(cases);
    }

    fn picture(&mut self, id: &str) -> Wanted {
        let file = format!("{SNAPSHOTS}/{id}.txt");
        let text = fs::read_to_string(self.folder.join(&file)).ok();
        self.pictures.insert(file.clone());
        Wanted::Picture { file, text }
    }

    /// Pictures that no scenario asks for.
    fn stale_pictures(&mut self) {
        let walk = WalkDir::new(self.folder.join(SNAPSHOTS)).sort_by_file_name();
        let found = walk.into_iter().filter_map(Result::ok).filter(|entry| entry.file_type().is_file());
        for entry in found {
            let Some(path) = entry.path().strip_prefix(self.folder).ok().and_then(Path::to_str) else {
                continue;
            };
            let path = path.replace('\\', "/");
            if !self.pictures.contains(&path) {
                let shown = format!("{}/{path}", self.shown);
                self.problem(&shown, 1, "no scenario asks for this picture");
            }
        }
    }
}

/// The ids of the rows of the ledger in a corpus; none if it has no ledger.
fn ledger(folder: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(folder.join(LEDGER)).unwrap_or_default();
    let mut rows = text.lines().map(|line| line.split('\t'));
    let Some(at) = rows.next().and_then(|mut head| head.position(|name| name == "id")) else {
        return BTreeSet::new();
    };
    rows.filter_map(|mut row| row.nth(at).map(str::to_owned)).collect()
}

/// Whether a citation is the id of a row of the ledger, such as `S0-017`.
fn is_row(cite: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parts = cite.strip_prefix('S').and_then(|rest| rest.split_once('-'));
    parts.is_some_and(|(document, row)| digits(document) && digits(row))
}

fn no_row(path: &str, line: usize, cite: &str) -> Problem {
    Problem { path: path.to_owned(), line, message: format!("the ledger has no row `{cite}`") }
}

/// Whether every answer would do.
fn is_vacuous(check: &Check) -> bool {
    match &check.wanted {
        Wanted::Acts(set) => {
            set.count.is_none() && set.is.is_none() && set.include.0.is_empty() && set.exclude.0.is_empty()
        }
        Wanted::Rows { all: None, some } => some.is_empty(),
        _ => false,
    }
}

fn merged(base: &Given, own: &Given) -> Given {
    fn over<T: Clone>(base: &Named<T>, own: &Named<T>) -> Named<T> {
        let kept = base.0.iter().filter(|(name, _)| own.0.iter().all(|(other, _)| other != name));
        Named(kept.chain(&own.0).cloned().collect())
    }
    Given {
        position: own.position.clone().or_else(|| base.position.clone()),
        params: over(&base.params, &own.params),
        tables: over(&base.tables, &own.tables),
    }
}

fn expectation(case: &mut Case, at: usize, expect: &Expect) {
    let would = |who: &str, what: &str| Question::Would(format!("{who}: {what}"));
    match expect {
        Expect::Legal(acts) => {
            for act in &acts.0 {
                case.ask(at, Question::Would(act.clone()), Wanted::Accepted);
            }
        }
        Expect::Illegal(refusals) => {
            for refusal in &refusals.0 {
                case.ask(at, Question::Would(refusal.act.clone()), Wanted::Refused(refusal.clone()));
            }
        }
        Expect::Moves(moves) => case.ask(at, Question::Moves, Wanted::Acts(moves.0.clone())),
        Expect::Perft(perft) => {
            case.cost += perft.nodes;
            case.ask(at, Question::Perft(perft.depth), Wanted::Count(perft.nodes));
        }
        Expect::State(text) => case.ask(at, Question::State, Wanted::Position(text.clone())),
        Expect::Status(status) => case.ask(at, Question::Status, Wanted::Status(status.clone())),
        Expect::Claims(claims) => {
            for (who, events) in &claims.accepted {
                for event in &events.0 {
                    case.ask(at, would(who, event), Wanted::Accepted);
                }
            }
            for (who, events) in &claims.refused {
                for event in &events.0 {
                    case.ask(at, would(who, event), Wanted::Refused(Refusal::default()));
                }
            }
        }
        Expect::Score(scores) => {
            for (player, score) in &scores.0 {
                let question = Question::Value("score".into(), vec![Cell::Text(player.clone())]);
                case.ask(at, question, Wanted::Value(Cell::Text(score.clone())));
            }
        }
        Expect::Value(worth) => {
            let question = Question::Value(worth.of.clone(), worth.args.clone());
            case.ask(at, question, Wanted::Value(worth.is.clone()));
        }
        Expect::Standings(groups) => {
            let groups = groups.iter().map(|group| group.0.clone()).collect();
            case.ask(at, Question::Standings, Wanted::Groups(groups));
        }
        Expect::List(list) => {
            let plain = |rows: &[Texts]| rows.iter().map(|row| row.0.clone()).collect::<Vec<_>>();
            let wanted = Wanted::Rows { all: list.rows.as_deref().map(plain), some: plain(&list.contains) };
            case.ask(at, Question::List(list.name.clone()), wanted);
        }
    }
}
