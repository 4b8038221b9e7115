//! A small corpus with scenarios that fail, one with files that are broken, and engines that do not answer.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::path::{Path, PathBuf};

use rulebook_conformance::case::Case;
use rulebook_conformance::driver::{Answer, Driver, Loaded, Refused, Script, Step};
use rulebook_conformance::run::{self, Drivers, Outcome};
use rulebook_conformance::{Corpus, Engines, Kind, Report, Selection};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn mixed() -> Corpus {
    Corpus::read(&data("mixed"), "mixed").unwrap()
}

fn report(corpus: &Corpus, driver: &dyn Driver, slow: bool) -> Report {
    let cases: Vec<&Case> = corpus.cases.iter().collect();
    Report::of(driver.name(), &run::run(&cases, Drivers { tested: driver, fast: None, slow }, &|_| {}))
}

#[test]
fn failures_say_where_and_what_and_how_to_run_again() {
    let report = report(&mixed(), &Engines::at(Kind::Reference, data("rules")), false);
    let outcomes: Vec<String> = report
        .cases
        .iter()
        .map(|case| format!("{:<11} {} [{}] {}", case.outcome, case.id, case.rules, case.reason))
        .map(|line| line.trim_end().to_owned())
        .collect();
    insta::assert_snapshot!(format!(
        "{}\n{}\n{}",
        report.failures(),
        outcomes.join("\n"),
        report.last_line()
    ));
}

#[test]
fn slow_cases_run_when_they_are_wanted() {
    let corpus = mixed();
    let driver = Engines::at(Kind::Reference, data("rules"));
    let (quick, slow) = (report(&corpus, &driver, false), report(&corpus, &driver, true));
    assert_eq!((quick.totals.slow, slow.totals.slow), (1, 0));
    assert_eq!(quick.totals.passed + 1, slow.totals.passed);
}

#[test]
fn problems_have_their_places() {
    let problems = Corpus::read(&data("broken"), "broken").unwrap_err();
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn selections_are_by_path_by_id_and_by_article() {
    let corpus = mixed();
    let count = |filter: Option<&str>, article: Option<&str>| {
        let selection = Selection { filter: filter.map(str::to_owned), article: article.map(str::to_owned) };
        corpus.cases.iter().filter(|case| selection.admits(case)).count()
    };
    assert_eq!(count(Some("fine"), None), 2);
    assert_eq!(count(Some("mixed/fine.yaml"), None), 2);
    assert_eq!(count(Some("fine/*"), None), 2);
    assert_eq!(count(Some("fine/last-act"), None), 1);
    assert_eq!(count(Some("**/rows.tsv"), None), 7);
    assert_eq!(count(None, Some("OWN 5")), 1);
    assert_eq!(count(None, Some("5")), 1);
    assert_eq!(count(Some("wrong"), Some("5")), 0);
}

#[test]
fn reports_do_not_depend_on_the_run() {
    let corpus = mixed();
    let json = || {
        serde_json::to_string(&report(&corpus, &Engines::at(Kind::Reference, data("rules")), true)).unwrap()
    };
    assert_eq!(json(), json());
}

/// An engine that answers every step in the same way, or not at all.
struct Stub(fn(&Step) -> Answer);

impl Driver for Stub {
    fn name(&self) -> &str {
        "stub"
    }

    fn load(&self, rules: &str, _: &[(String, String)]) -> Result<Box<dyn Loaded>, Refused> {
        match rules {
            "small" => Ok(Box::new(Self(self.0))),
            _ => Err(Refused::Unsupported("no other games".into())),
        }
    }
}

impl Loaded for Stub {
    fn answer(&self, script: &Script) -> Vec<Answer> {
        script.steps.iter().map(self.0).collect()
    }
}

fn outcome_of_first(answer: fn(&Step) -> Answer) -> Outcome {
    let corpus = mixed();
    let first: Vec<&Case> = corpus.cases.iter().take(1).collect();
    run::run(&first, Drivers { tested: &Stub(answer), fast: None, slow: false }, &|_| {}).remove(0).outcome
}

#[test]
fn what_an_engine_cannot_answer_is_not_wrong() {
    let outcome = outcome_of_first(|_| Answer::Unsupported("no means".into()));
    assert_eq!(outcome, Outcome::Unsupported("no means".into()));
}

#[test]
fn an_answer_of_another_kind_is_wrong() {
    let Outcome::Failed(failures) = outcome_of_first(|_| Answer::Count(8)) else { panic!("it passed") };
    assert_eq!(failures.first().map(|failure| failure.got.as_str()), Some("8"));
}

#[test]
fn a_crash_fails_its_case_alone() {
    let outcome = outcome_of_first(|_| panic!("on purpose"));
    let Outcome::Failed(failures) = outcome else { panic!("it passed") };
    assert_eq!(failures.first().map(|failure| failure.got.as_str()), Some("the engine crashed"));
}
