//! `explain`: what a code of a diagnostic means, or what a clause says, does and replaces.
//!
//! Invariant: a clause is shown as it stands in its file; its form in words comes from the checked clause.

use std::path::Path;

use clap::Args;
use rulebook::model::ruleset::Clause;
use rulebook::syntax::codes;
use rulebook::{BUILT_IN, Lang, Library, RuleSet, closest};
use serde::Serialize;

use super::{Answer, Given, Language};
use crate::describe::{self, say};
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
    #[command(flatten)]
    language: Language,
}

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
    /// The clauses that go before it when both decide.
    yields: Vec<String>,
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
    let found = match &arguments.rules {
        Some(file) => {
            let rules = rulebook::open(file, given)?;
            let library = Library::around(Path::new(file));
            let found = find(&rules, &library, what, lang);
            vec![found.ok_or_else(|| absent(what, [&rules]))?]
        }
        None => everywhere(what, lang)?,
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

/// A clause in the built-in rule sets, once for each file that has one of that id.
fn everywhere(what: &str, lang: Lang) -> Result<Vec<Explained>, Failure> {
    let library = Library::default();
    let sets: Vec<RuleSet> = BUILT_IN.iter().filter_map(|(id, _)| library.check(id, &[])?.rules).collect();
    let mut found: Vec<Explained> = Vec::new();
    for rules in &sets {
        let own = |clause: &&Clause| clause.id == what && clause.origin == rules.id;
        if rules.clauses.iter().any(|clause| own(&clause)) {
            found.extend(find(rules, &library, what, lang));
        }
    }
    if found.is_empty() { Err(absent(what, &sets)) } else { Ok(found) }
}

fn absent<'r>(what: &str, sets: impl IntoIterator<Item = &'r RuleSet>) -> Failure {
    let ids = sets.into_iter().flat_map(|rules| rules.clauses.iter().map(|clause| clause.id.as_str()));
    let failure = Failure::new(format!("`{what}` is neither a code nor the id of a clause"));
    match closest(what, ids) {
        Some(similar) => failure.help(format!("did you mean `{similar}`?")),
        None => failure.help("`rulebook show FILE` lists the clauses of a rule set"),
    }
}

/// A clause of a rule set by id, whether it is in force there or was replaced.
fn find(rules: &RuleSet, library: &Library, what: &str, lang: Lang) -> Option<Explained> {
    if let Some(clause) = rules.clause(what) {
        return Some(explained(rules, rules, clause, None, lang));
    }
    let gone = rules.replaced.iter().rfind(|gone| gone.id == what)?;
    let base = library.check(&gone.origin, &[])?.rules?;
    let clause = base.clause(what)?;
    Some(explained(rules, &base, clause, Some(gone.by.clone()), lang))
}

fn explained(
    asked: &RuleSet,
    home: &RuleSet,
    clause: &Clause,
    replaced_by: Option<String>,
    lang: Lang,
) -> Explained {
    let mut sources: Vec<(String, Words)> = Vec::new();
    for cite in &clause.cites {
        let key = cite.split([' ', '-']).next().unwrap_or(cite);
        let source = home.sources.iter().find(|(known, _)| known == key);
        if let Some((key, title)) = source.filter(|_| sources.iter().all(|(known, _)| known != key)) {
            sources.push((key.clone(), title.into()));
        }
    }
    Explained {
        rules: asked.id.clone(),
        lineage: asked.lineage.clone(),
        clause: ClauseRef::of(clause),
        in_force: replaced_by.is_none(),
        replaced_by,
        overrides: clause.overrides.clone(),
        yields: describe::clauses(home, &clause.yields).into_iter().map(|clause| clause.id.clone()).collect(),
        form: describe::form(&clause.form),
        kind: describe::kind(home, clause, lang),
        sources,
        file: crate::render::name(&clause.source),
        line: clause.source.line_column(clause.span.start).0,
        text: lines_of(clause),
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
    row(word("overrides", "取代"), explained.overrides.clone().unwrap_or_default());
    row(word("gives way to", "让位于"), explained.yields.join(", "));
    row(word("cites", "依据"), clause.cites.join(", "));
    let sources = explained.sources.iter().map(|(key, title)| format!("{key}: {}", words(title)));
    row(word("sources", "来源"), sources.collect::<Vec<_>>().join("\n"));
    out.table(&about);
    out.line("");
    out.line(format!("{}:{}", explained.file, explained.line));
    for line in explained.text.lines() {
        out.line(format!("  {line}"));
    }
}
