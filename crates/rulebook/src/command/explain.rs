//! `explain`: what a code of a diagnostic means, or what a clause says, does and replaces.
//!
//! Invariant: a clause is shown as it stands in its file; its form in words comes from the checked clause. The
//! scenarios that exercise it are told where there is a corpus, and nothing is run.

use std::path::Path;

use clap::Args;
use rulebook::exercised::{Exercise, Scenarios};
use rulebook::model::ruleset::Clause;
use rulebook::syntax::codes;
use rulebook::{BUILT_IN, Lang, Library, RuleSet, closest};
use serde::Serialize;

use super::{Answer, Given, Language};
use crate::describe::{self, count, say};
use crate::failure::Failure;
use crate::json::{ClauseRef, Words};
use crate::out::Out;

/// Arguments of `explain`.
#[derive(Args)]
pub(super) struct Arguments {
    /// A code such as `name::unknown`, or the id of a clause.
    #[arg(value_name = "CODE|CLAUSE")]
    what: String,
    /// The rule set of the clause; without it the built-in ones are searched.
    #[arg(long, value_name = "FILE")]
    rules: Option<String>,
    /// The folder of the corpus, whose scenarios are named; without it `conformance` below here, if there is one.
    #[arg(long, value_name = "DIR")]
    conformance: Option<String>,
    #[command(flatten)]
    language: Language,
}

/// Where a corpus is looked for.
const CONFORMANCE: &str = "conformance";
/// The most scenarios that are named for people.
const NAMED: usize = 40;

/// The JSON answer of `explain` about a code.
#[derive(Serialize)]
struct Code {
    /// The code.
    code: &'static str,
    /// What it means.
    text: String,
}

/// The JSON answer of `explain` about a clause.
#[derive(Serialize)]
struct Answers {
    /// The clause in each rule set that has it.
    clauses: Vec<Explained>,
}

/// A clause explained.
#[derive(Serialize)]
struct Explained {
    /// The id of the rule set that was asked.
    rules: String,
    /// The files that rule set is layered from, the base first.
    lineage: Vec<String>,
    /// The clause.
    clause: ClauseRef,
    /// Whether it is in force in that rule set.
    in_force: bool,
    /// The clause that took its place, or the file that dropped it.
    replaced_by: Option<String>,
    /// The clause it replaced.
    overrides: Option<String>,
    /// The file in which the replaced clause stands.
    overrides_in: Option<String>,
    /// What takes its place elsewhere: in each rule set the clause that does, or the file that drops it.
    overridden_by: Vec<Overriding>,
    /// The clauses that go before it when both decide.
    yields: Vec<String>,
    /// The clauses that it goes before when both decide.
    before: Vec<String>,
    /// Its form.
    form: &'static str,
    /// Its form in words.
    kind: String,
    /// The sources it cites, each a key and a title.
    sources: Vec<(String, Words)>,
    /// The name of the file.
    file: String,
    /// The line its id stands on.
    line: usize,
    /// The lines of the clause.
    text: String,
    /// The scenarios that exercise it; none if no corpus was looked at.
    scenarios: Option<Vec<Scenario>>,
}

/// What takes the place of a clause in a rule set.
#[derive(Serialize, PartialEq, Eq)]
struct Overriding {
    /// The id of the rule set.
    rules: String,
    /// The clause; none where it is dropped.
    clause: Option<String>,
}

/// A scenario that exercises a clause.
#[derive(Serialize)]
struct Scenario {
    /// Its id.
    id: String,
    /// What it shows.
    title: String,
    /// Its file.
    file: String,
    /// The line it starts on.
    line: usize,
    /// Whether it expects the clause by its id; else it cites what the clause cites.
    named: bool,
    /// Whether something is expected to be done.
    #[serde(rename = "for")]
    positive: bool,
    /// Whether something is expected to be refused, or not to have ended.
    #[serde(rename = "against")]
    negative: bool,
}

impl From<Exercise> for Scenario {
    fn from(exercise: Exercise) -> Self {
        let Exercise { id, title, file, line, named, positive, negative } = exercise;
        Self { id, title, file, line, named, positive, negative }
    }
}

/// Runs `explain`.
pub(super) fn run(arguments: &Arguments, given: &Given, out: &mut Out) -> Result<Answer, Failure> {
    let what = arguments.what.trim();
    let lang = arguments.language.get();
    if let Some((code, text)) = codes::ALL.iter().find(|(code, _)| *code == what) {
        let text: Vec<&str> = text.lines().map(str::trim).collect();
        if out.is_json() {
            out.document(&Code { code, text: text.join(" ").trim().to_owned() });
        } else {
            out.line(code);
            out.line(text.join("\n").trim_end());
        }
        return Ok(Answer::Good);
    }
    if what.contains("::") {
        let failure = Failure::new(format!("there is no code `{what}`"));
        return Err(match closest(what, codes::ALL.iter().map(|(code, _)| *code)) {
            Some(similar) => failure.help(format!("did you mean `{similar}`?")),
            None => failure,
        });
    }
    let corpus = corpus(arguments.conformance.as_deref())?;
    let found = match &arguments.rules {
        Some(file) => {
            let rules = rulebook::open(file, given)?;
            let path = Path::new(file);
            let library = if path.exists() { Library::around(path) } else { Library::default() };
            let home = rules.clause(what).map_or(rules.id.as_str(), |clause| clause.origin.as_str());
            let gone = rules.replaced.iter().rfind(|gone| gone.id == what);
            let sets = built_in(Some(gone.map_or(home, |gone| gone.origin.as_str())));
            let about = About { library: &library, sets: &sets, corpus: corpus.as_ref(), lang };
            let found = about.find(&rules, what)?;
            vec![found.ok_or_else(|| absent(what, [&rules]))?]
        }
        None => {
            let (library, sets) = (Library::default(), built_in(None));
            About { library: &library, sets: &sets, corpus: corpus.as_ref(), lang }.everywhere(what)?
        }
    };
    if out.is_json() {
        out.document(&Answers { clauses: found });
        return Ok(Answer::Good);
    }
    for (number, explained) in found.iter().enumerate() {
        if number > 0 {
            out.line("");
        }
        draw(explained, lang, out);
    }
    Ok(Answer::Good)
}

/// The scenarios of a corpus: of the folder that is named, or of the usual one if it is there.
fn corpus(folder: Option<&str>) -> Result<Option<Scenarios>, Failure> {
    let Some(folder) = folder.or_else(|| Path::new(CONFORMANCE).is_dir().then_some(CONFORMANCE)) else {
        return Ok(None);
    };
    let unreadable = |(name, error)| Failure::new(format!("`{name}` cannot be read: {error}"));
    Scenarios::read(Path::new(folder)).map(Some).map_err(unreadable)
}

/// The built-in rule sets: all of them, or those that name one of them, directly or through others.
fn built_in(home: Option<&str>) -> Vec<RuleSet> {
    let library = Library::default();
    let mut wanted: Vec<&str> = BUILT_IN.iter().map(|(id, _)| *id).collect();
    if let Some(home) = home {
        let mut related = vec![home];
        let mut at = 0;
        while let Some(base) = related.get(at).copied() {
            let naming = BUILT_IN.iter().filter(|(_, text)| text.contains(base)).map(|(id, _)| *id);
            let more: Vec<&str> = naming.filter(|id| !related.contains(id)).collect();
            related.extend(more);
            at += 1;
        }
        wanted.retain(|id| related.contains(id));
    }
    wanted.into_iter().filter_map(|id| library.check(id, &[])?.rules).collect()
}

fn absent<'r>(what: &str, sets: impl IntoIterator<Item = &'r RuleSet>) -> Failure {
    let ids = sets.into_iter().flat_map(|rules| rules.clauses.iter().map(|clause| clause.id.as_str()));
    let failure = Failure::new(format!("`{what}` is neither a code nor the id of a clause"));
    match closest(what, ids) {
        Some(similar) => failure.help(format!("did you mean `{similar}`?")),
        None => failure.help("`rulebook show FILE` lists the clauses of a rule set"),
    }
}

/// What clauses are explained with.
struct About<'a> {
    library: &'a Library,
    /// The built-in rule sets, among which those are sought that replace a clause.
    sets: &'a [RuleSet],
    corpus: Option<&'a Scenarios>,
    lang: Lang,
}

impl About<'_> {
    /// A clause in the built-in rule sets, once for each file that has one of that id.
    fn everywhere(&self, what: &str) -> Result<Vec<Explained>, Failure> {
        let mut found: Vec<Explained> = Vec::new();
        for rules in self.sets {
            let own = |clause: &&Clause| clause.id == what && clause.origin == rules.id;
            if rules.clauses.iter().any(|clause| own(&clause)) {
                found.extend(self.find(rules, what)?);
            }
        }
        if found.is_empty() { Err(absent(what, self.sets)) } else { Ok(found) }
    }

    /// A clause of a rule set by id, whether it is in force there or was replaced.
    fn find(&self, rules: &RuleSet, what: &str) -> Result<Option<Explained>, Failure> {
        if let Some(clause) = rules.clause(what) {
            return self.explained(rules, rules, clause, None).map(Some);
        }
        let Some(gone) = rules.replaced.iter().rfind(|gone| gone.id == what) else { return Ok(None) };
        let base = self.library.check(&gone.origin, &[]).and_then(|checked| checked.rules);
        let Some((base, clause)) = base.as_ref().and_then(|base| Some((base, base.clause(what)?))) else {
            return Ok(None);
        };
        self.explained(rules, base, clause, Some(gone.by.clone())).map(Some)
    }

    fn explained(
        &self,
        asked: &RuleSet,
        home: &RuleSet,
        clause: &Clause,
        replaced_by: Option<String>,
    ) -> Result<Explained, Failure> {
        let mut sources: Vec<(String, Words)> = Vec::new();
        for cite in &clause.cites {
            let key = cite.split([' ', '-']).next().unwrap_or(cite);
            let source = home.sources.iter().find(|(known, _)| known == key);
            if let Some((key, title)) = source.filter(|_| sources.iter().all(|(known, _)| known != key)) {
                sources.push((key.clone(), title.into()));
            }
        }
        let number = home.clauses.iter().position(|other| other.id == clause.id).map(|at| at as u16);
        let behind = home.clauses.iter().filter(|other| number.is_some_and(|at| other.yields.contains(&at)));
        let overrides = clause.overrides.as_ref();
        let replaced = home.replaced.iter().rfind(|gone| Some(&gone.id) == overrides && gone.by == clause.id);
        let scenarios = self.corpus.map(|corpus| corpus.of(clause, self.library)).transpose();
        let unreadable = |places| Failure::new("a scenario file cannot be read").at(places);
        let scenarios = scenarios.map_err(unreadable)?;
        Ok(Explained {
            rules: asked.id.clone(),
            lineage: asked.lineage.clone(),
            clause: ClauseRef::of(clause),
            in_force: replaced_by.is_none(),
            replaced_by,
            overrides: clause.overrides.clone(),
            overrides_in: replaced.map(|gone| gone.origin.clone()),
            overridden_by: self.overriding(clause),
            yields: describe::clauses(home, &clause.yields)
                .into_iter()
                .map(|clause| clause.id.clone())
                .collect(),
            before: behind.map(|other| other.id.clone()).collect(),
            form: describe::form(&clause.form),
            kind: describe::kind(home, clause, self.lang),
            sources,
            file: crate::render::name(&clause.source),
            line: clause.source.line_column(clause.span.start).0,
            text: lines_of(clause),
            scenarios: scenarios.map(|all| all.into_iter().map(Scenario::from).collect()),
        })
    }

    /// What takes the place of a clause in the built-in rule sets: each file that does so is told once.
    fn overriding(&self, clause: &Clause) -> Vec<Overriding> {
        let mut found: Vec<Overriding> = Vec::new();
        for rules in self.sets {
            for gone in
                rules.replaced.iter().filter(|gone| gone.id == clause.id && gone.origin == clause.origin)
            {
                let by = rules.clauses.iter().find(|other| other.id == gone.by && other.origin == rules.id);
                let overriding = match by {
                    Some(by) => Overriding { rules: rules.id.clone(), clause: Some(by.id.clone()) },
                    None if gone.by == rules.id => Overriding { rules: rules.id.clone(), clause: None },
                    None => continue,
                };
                if !found.contains(&overriding) {
                    found.push(overriding);
                }
            }
        }
        found
    }
}

/// The lines of a clause in its file: that of its id, and those that are indented further.
fn lines_of(clause: &Clause) -> String {
    let text = &clause.source.text;
    let start = text.get(..clause.span.start).and_then(|head| head.rfind('\n')).map_or(0, |at| at + 1);
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut lines = text.get(start..).unwrap_or("").lines();
    let Some(first) = lines.next() else { return String::new() };
    let deep = indent(first);
    let mut kept = vec![first.trim()];
    for line in lines {
        if !line.trim().is_empty() && indent(line) <= deep {
            break;
        }
        kept.push(line.get(deep..).unwrap_or("").trim_end());
    }
    kept.join("\n").trim_end().to_owned()
}

fn draw(explained: &Explained, lang: Lang, out: &mut Out) {
    let word = |en, zh| say(lang, en, zh);
    let words = |words: &Words| match (lang, words.en.as_str(), words.zh.as_str()) {
        (Lang::Zh, en, "") | (Lang::En, en, _) if !en.is_empty() => en.to_owned(),
        (_, _, zh) => zh.to_owned(),
    };
    let clause = &explained.clause;
    out.line(format!("{}  {}", clause.id, words(&clause.title)));
    out.line(words(&clause.says));
    out.line("");
    let mut about = crate::out::table(&[]);
    let mut row = |name: &str, value: String| {
        if !value.is_empty() {
            about.add_row([name.to_owned(), value]);
        }
    };
    row(word("kind", "种类"), explained.kind.clone());
    row(word("from", "出自"), clause.origin.clone());
    row(word("asked in", "查询于"), explained.lineage.join(" → "));
    let status = match &explained.replaced_by {
        None => word("in force", "适用").to_owned(),
        Some(by) => describe::about(word("no longer in force, replaced by", "已不适用，取代者："), by),
    };
    row(word("status", "状态"), status);
    let overrides = match (&explained.overrides, &explained.overrides_in) {
        (Some(id), Some(file)) => format!("{id} ({file})"),
        (id, _) => id.clone().unwrap_or_default(),
    };
    row(word("overrides", "取代"), overrides);
    let overriding = explained.overridden_by.iter().map(|by| match &by.clause {
        Some(id) => format!("{id} ({})", by.rules),
        None => format!("{} ({})", word("dropped", "删除"), by.rules),
    });
    row(word("overridden by", "被取代于"), overriding.collect::<Vec<_>>().join(", "));
    row(word("gives way to", "让位于"), explained.yields.join(", "));
    row(word("goes before", "优先于"), explained.before.join(", "));
    row(word("cites", "依据"), clause.cites.join(", "));
    let sources = explained.sources.iter().map(|(key, title)| format!("{key}: {}", words(title)));
    row(word("sources", "来源"), sources.collect::<Vec<_>>().join("\n"));
    out.table(&about);
    out.line("");
    out.line(format!("{}:{}", explained.file, explained.line));
    for line in explained.text.lines() {
        out.line(format!("  {line}"));
    }
    let Some(scenarios) = &explained.scenarios else { return };
    out.line("");
    if scenarios.is_empty() {
        out.line(word("no scenario exercises it", "没有场景检验本条"));
        return;
    }
    let sides = |scenario: &Scenario| match (scenario.positive, scenario.negative) {
        (true, true) => word("for, against", "正、反"),
        (true, false) => word("for", "正"),
        (false, true) => word("against", "反"),
        (false, false) => "-",
    };
    out.line(word("scenarios; a star expects the clause by its id", "场景（带星号者点名本条）"));
    // Lines and no table: an id that is broken in two cannot be copied.
    for scenario in scenarios.iter().take(NAMED) {
        let star = if scenario.named { "*" } else { " " };
        out.line(format!("{star} {}  {}:{}  {}", scenario.id, scenario.file, scenario.line, sides(scenario)));
    }
    if let Some(more) = scenarios.len().checked_sub(NAMED).filter(|more| *more > 0) {
        out.line(match lang {
            Lang::En => format!("… and {}", count(more, "more scenario")),
            Lang::Zh => format!("……另有{more}个"),
        });
    }
}
