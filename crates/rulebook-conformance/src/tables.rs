//! Compact tables of facts: thousands of cases whose shape is always the same.
//!
//! One file declares every table with its format, and mappings say which rule set, with which parameters, is
//! meant by the words of a table. Invariant: a fact that no rule set covers yet is a case that waits; it is
//! never left out and never passes.

mod blocks;
mod games;
mod grid;
mod lists;
mod numbers;
mod owners;
mod pairings;
mod perft;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_yaml::Spanned;

use crate::case::{Case, Tier};
use crate::corpus::{Problem, line, read_yaml};
use crate::driver::Script;
use crate::scenario::{CONTRACT, Named, Texts};

/// The folder of tables, below that of the corpus.
pub(crate) const FOLDER: &str = "tables";
/// The file that declares them.
const DECLARATIONS: &str = "tables.yaml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Declarations {
    contract: Spanned<u32>,
    tables: Vec<Spanned<Declared>>,
}

/// A table, as it is declared.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Declared {
    /// The id under which its cases stand in reports.
    suite: String,
    /// Its file, below the folder of tables.
    file: String,
    /// How the file is written.
    format: Format,
    /// What its cases cite.
    #[serde(default)]
    cites: Texts,
    /// What an engine must be able to do.
    features: Texts,
    /// The file that says which rule set is meant by its words.
    mapping: Option<String>,
    /// Words that hold for every case of the table.
    #[serde(default)]
    words: Named<String>,
    /// The rule set, where it is always the same.
    rules: Option<String>,
    /// The name of the definition, list or parameter that the table is about.
    #[serde(default)]
    names: Named<String>,
    /// Up to which size cases run always, and up to which they run at all.
    #[serde(default)]
    limits: Limits,
    /// For some cases, the sites whose pieces are taken off before the count.
    #[serde(default)]
    removed: Named<Texts>,
    /// Cases that go on from the last board of another case, whose acts are done first.
    #[serde(default)]
    after: Named<String>,
    /// Cases that are left out, each with the reason; they wait.
    #[serde(default)]
    left: Named<String>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Limits {
    /// Cases up to this size run always.
    always: u64,
    /// Cases up to this size run always, on an engine that is fast.
    #[serde(default)]
    fast: u64,
    /// Cases up to this size run if slow ones are wanted; larger ones wait.
    slow: u64,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Format {
    /// Numbers of sequences of acts from positions.
    Perft,
    /// Numbers of ways to fill a board, by its size.
    Fillings,
    /// Numbers of sequences of acts from an empty board, by their length.
    Sequences,
    /// Numbers of complete games, by the size of the board.
    Games,
    /// Acts with every closed site after each of them.
    Traces,
    /// Positions with their counts.
    Counts,
    /// Positions with the area of each player.
    Areas,
    /// Acts and positions with the board that they lead to.
    Boards,
    /// Whole games with every closed site before each act.
    Records,
    /// Positions with the sites that are counted for each player, found by two sources.
    Owners,
    /// Positions with sites of each player after an event, under one or two values of a parameter.
    Marked,
    /// Margins by the number of points and the handicap.
    Margins,
    /// Lists that a rule set makes.
    Lists,
    /// Rounds with their pairs.
    Pairings,
}

/// Which rule set is meant by the words of a table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mapping {
    contract: Spanned<u32>,
    mapping: Meaning,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Meaning {
    /// The parameters that hold the size of the board.
    size: Size,
    /// The two players, by the letters that tables have for them.
    sides: Named<Side>,
    /// Words whose value becomes that of a parameter.
    #[serde(default)]
    carry: Named<Carry>,
    /// Words that no rule set covers.
    #[serde(default)]
    never: Named<Texts>,
    /// The rule sets; the first one whose words agree is meant.
    rules: Vec<Meant>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Size {
    files: String,
    ranks: String,
}

/// A player in the words of tables, of positions and of lines.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Side {
    player: String,
    piece: char,
    turn: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Carry {
    param: String,
    unit: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Meant {
    when: Named<Texts>,
    rules: String,
    #[serde(default)]
    params: Named<String>,
    /// An act that must have been done before a count; where it was not, it is done first.
    done: Option<String>,
    /// The players, by their letters, whose captured pieces stand in a position text, in its order.
    #[serde(default)]
    captured: Texts,
    /// The definition that says in which phase a game is, where it has those that a table tells.
    stage: Option<String>,
    /// The published difference is that of this rule set, not only that of a plain count.
    #[serde(default)]
    counts: bool,
}

/// A table at hand.
struct Table<'a> {
    declared: &'a Declared,
    meaning: Option<&'a Meaning>,
    /// The path that is shown in reports.
    path: String,
    cases: Vec<Case>,
    problems: RefCell<Vec<Problem>>,
}

/// Words of a table with their values.
type Words = Vec<(String, String)>;

/// Reads every table.
pub(crate) fn read(
    folder: &Path,
    shown: &str,
    features: &[(String, String)],
    problems: &mut Vec<Problem>,
) -> Vec<Case> {
    let (folder, shown) = (folder.join(FOLDER), format!("{shown}/{FOLDER}"));
    if !folder.join(DECLARATIONS).is_file() {
        return Vec::new();
    }
    let path = format!("{shown}/{DECLARATIONS}");
    let declarations: Declarations = match read_yaml(&folder.join(DECLARATIONS), &path) {
        Ok(declarations) => declarations,
        Err(problem) => {
            problems.push(problem);
            return Vec::new();
        }
    };
    check_contract(&declarations.contract, &path, problems);
    let mut mappings: BTreeMap<&str, Option<Mapping>> = BTreeMap::new();
    for name in declarations.tables.iter().filter_map(|table| table.value.mapping.as_deref()) {
        mappings.entry(name).or_insert_with(|| {
            let path = format!("{shown}/{name}");
            match read_yaml::<Mapping>(&folder.join(name), &path) {
                Ok(mapping) => {
                    check_contract(&mapping.contract, &path, problems);
                    Some(mapping)
                }
                Err(problem) => {
                    problems.push(problem);
                    None
                }
            }
        });
    }
    let mut cases = Vec::new();
    let mut suites: Vec<&str> = Vec::new();
    for spanned in &declarations.tables {
        let (declared, at) = (&spanned.value, line(&spanned.referenced));
        if suites.contains(&declared.suite.as_str()) {
            let message = format!("the id `{}` is already used", declared.suite);
            problems.push(Problem { path: path.clone(), line: at, message });
        }
        suites.push(&declared.suite);
        for feature in
            declared.features.0.iter().filter(|name| features.iter().all(|(known, _)| known != *name))
        {
            let message = format!("`{feature}` is not a feature of the corpus");
            problems.push(Problem { path: path.clone(), line: at, message });
        }
        let text = match fs::read_to_string(folder.join(&declared.file)) {
            Ok(text) => text,
            Err(error) => {
                let message = format!("`{}` cannot be read: {error}", declared.file);
                problems.push(Problem { path: path.clone(), line: at, message });
                continue;
            }
        };
        let mapping = declared.mapping.as_deref().and_then(|name| mappings.get(name)?.as_ref());
        let mut table = Table {
            declared,
            meaning: mapping.map(|mapping| &mapping.mapping),
            path: format!("{shown}/{}", declared.file),
            cases: Vec::new(),
            problems: RefCell::default(),
        };
        match declared.format {
            Format::Perft => perft::read(&mut table, &text),
            Format::Fillings => numbers::fillings(&mut table, &text),
            Format::Sequences => numbers::sequences(&mut table, &text),
            Format::Games => numbers::games(&mut table, &text),
            Format::Margins => numbers::margins(&mut table, &text),
            Format::Traces => blocks::traces(&mut table, &text),
            Format::Counts => blocks::counts(&mut table, &text),
            Format::Areas => blocks::areas(&mut table, &text),
            Format::Boards => blocks::boards(&mut table, &text),
            Format::Records => games::read(&mut table, &text),
            Format::Owners => owners::owners(&mut table, &text),
            Format::Marked => owners::marked(&mut table, &text),
            Format::Lists => lists::read(&mut table, &text),
            Format::Pairings => pairings::read(&mut table, &text, &folder),
        }
        table.leave_out();
        if table.cases.is_empty() && table.problems.borrow().is_empty() {
            table.problem(1, "there is no case in this table");
        }
        cases.append(&mut table.cases);
        problems.append(table.problems.get_mut());
    }
    cases
}

fn check_contract(contract: &Spanned<u32>, path: &str, problems: &mut Vec<Problem>) {
    if contract.value != CONTRACT {
        let message = format!("contract {} is not {CONTRACT}", contract.value);
        problems.push(Problem { path: path.to_owned(), line: line(&contract.referenced), message });
    }
}

impl<'a> Table<'a> {
    fn problem(&self, line: usize, message: impl Into<String>) {
        let problem = Problem { path: self.path.clone(), line, message: message.into() };
        self.problems.borrow_mut().push(problem);
    }

    /// A case without steps, for the rule set of the table.
    fn case(&self, id: &str, line: usize, title: impl Into<String>) -> Case {
        Case {
            id: format!("{}/{id}", self.declared.suite),
            suite: self.declared.suite.clone(),
            path: self.path.clone(),
            line,
            title: title.into(),
            cites: self.declared.cites.0.clone(),
            features: self.declared.features.0.clone(),
            rules: self.declared.rules.clone().unwrap_or_default(),
            params: Vec::new(),
            script: Script::default(),
            checks: Vec::new(),
            tier: Tier::WhenEncoded,
            cost: 1,
        }
    }

    /// A case for the rule set that the words mean, on a board of a size.
    fn case_for(&self, id: &str, line: usize, words: &[(String, String)], size: (usize, usize)) -> Case {
        let title: Vec<String> = words.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let mut case = self.case(id, line, title.join(" "));
        let words: Words = self.declared.words.0.iter().chain(words).cloned().collect();
        match self.meaning.map(|meaning| meaning.of(&words, size)) {
            Some(Ok((rules, params))) => (case.rules, case.params) = (rules, params),
            Some(Err(reason)) => case.tier = Tier::Waiting(reason),
            None => {}
        }
        case
    }

    /// What the words mean.
    fn meant(&self, words: &[(String, String)]) -> Option<&'a Meant> {
        let words: Words = self.declared.words.0.iter().chain(words).cloned().collect();
        self.meaning?.meant(&words).ok()
    }

    /// The cases that are left out wait, and each of them is there.
    fn leave_out(&mut self) {
        for (id, reason) in &self.declared.left.0 {
            let id = format!("{}/{id}", self.declared.suite);
            match self.cases.iter_mut().find(|case| case.id == id) {
                Some(case) => case.tier = Tier::Waiting(reason.clone()),
                None => self.problem(1, format!("there is no case `{id}` that could be left out")),
            }
        }
    }

    /// The sites whose pieces are taken off before the count of a case.
    fn removed(&self, id: &str) -> Vec<String> {
        let removed = self.declared.removed.0.iter().find(|(known, _)| known == id);
        removed.map(|(_, sites)| sites.0.clone()).unwrap_or_default()
    }

    /// The name of something that the table is about.
    fn name(&self, of: &str) -> String {
        let names = &self.declared.names.0;
        names.iter().find(|(key, _)| key == of).map(|(_, name)| name.clone()).unwrap_or_default()
    }

    /// When a case of a size runs.
    fn tier(&self, size: Option<u64>) -> Tier {
        match size {
            Some(size) if size <= self.declared.limits.always => Tier::WhenEncoded,
            Some(size) if size <= self.declared.limits.fast => Tier::Fast,
            Some(size) if size <= self.declared.limits.slow => Tier::Slow,
            _ => Tier::Waiting("too many to be counted here".into()),
        }
    }

    /// Adds a case.
    fn push(&mut self, case: Case) {
        self.cases.push(case);
    }

    /// The two players.
    fn sides(&self) -> Option<[&'a Side; 2]> {
        let sides: Vec<&'a Side> = self.meaning?.sides.0.iter().map(|(_, side)| side).collect();
        sides.try_into().ok()
    }

    fn side(&self, letter: &str) -> Option<&'a Side> {
        self.meaning?.sides.0.iter().find(|(known, _)| known == letter).map(|(_, side)| side)
    }

    /// The player who comes after the one with a letter.
    fn other(&self, letter: &str) -> Option<&str> {
        let sides = &self.meaning?.sides.0;
        let at = sides.iter().position(|(known, _)| known == letter)?;
        sides.get((at + 1) % sides.len()).map(|(letter, _)| letter.as_str())
    }
}

impl Meaning {
    /// The rule set that the words mean.
    fn meant(&self, words: &[(String, String)]) -> Result<&Meant, String> {
        let agrees = |when: &Named<Texts>| {
            when.0.iter().all(|(key, values)| {
                let value = words.iter().rfind(|(known, _)| known == key).map(|(_, value)| value);
                value.is_some_and(|value| values.0.contains(value))
            })
        };
        for (key, values) in &self.never.0 {
            if words.iter().any(|(known, value)| known == key && values.0.contains(value)) {
                let all: Vec<String> = values.0.iter().map(|value| format!("{key}={value}")).collect();
                return Err(format!("there is no rule set for {}", all.join(", ")));
            }
        }
        self.rules.iter().find(|meant| agrees(&meant.when)).ok_or_else(|| {
            // Only words that some rule set asks for can be the reason.
            let asked =
                |key: &String| self.rules.iter().any(|meant| meant.when.0.iter().any(|(k, _)| k == key));
            let last: BTreeMap<&String, &String> = words.iter().map(|(key, value)| (key, value)).collect();
            let shown =
                last.iter().filter(|(key, _)| asked(key)).map(|(key, value)| format!("{key}={value}"));
            format!("there is no rule set for {}", shown.collect::<Vec<String>>().join(" "))
        })
    }

    /// The rule set that the words mean, with its parameters, on a board of a size.
    fn of(
        &self,
        words: &[(String, String)],
        (files, ranks): (usize, usize),
    ) -> Result<(String, Words), String> {
        let meant = self.meant(words)?;
        let mut params = meant.params.0.clone();
        params.push((self.size.files.clone(), files.to_string()));
        params.push((self.size.ranks.clone(), ranks.to_string()));
        for (key, carry) in &self.carry.0 {
            if let Some((_, value)) = words.iter().rfind(|(known, _)| known == key) {
                params.push((carry.param.clone(), format!("{value} {}", carry.unit).trim().to_owned()));
            }
        }
        Ok((meant.rules.clone(), params))
    }
}

/// The lines of a table with their numbers, without comments.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#'))
}

/// The words `key=value` of a line.
fn words(text: &str) -> Words {
    let pairs = text.split_whitespace().filter_map(|word| word.split_once('='));
    pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// The value of a word.
fn word<'w>(words: &'w [(String, String)], key: &str) -> Option<&'w str> {
    words.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
}

/// The size in `5x7`: files, then ranks.
fn size(text: &str) -> Option<(usize, usize)> {
    let (files, ranks) = text.split_once('x')?;
    Some((files.parse().ok()?, ranks.parse().ok()?))
}
