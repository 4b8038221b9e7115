//! Puts cases to an engine, on every core, and keeps the results in the order of the corpus.
//!
//! Invariant: an engine that fails over one case fails that case and no other one. The report does not
//! depend on how many cores there are.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::prelude::*;

use crate::case::{Case, Tier, Wanted};
use crate::driver::{Answer, Driver, Question, Refused, Step};
use crate::judge::{Judgement, judge};

/// The word for making a rule set ready, in reports.
pub const LOADING: &str = "load";

/// What came of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every answer is as expected.
    Passed,
    /// Some are not.
    Failed(Vec<Failure>),
    /// The engine does not answer such questions.
    Unsupported(String),
    /// There is no rule set for it yet.
    Waiting(String),
    /// It is for fast engines, and was not run.
    Slow,
}

/// An answer that is not as expected.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Failure {
    /// The line of the expectation.
    pub line: usize,
    /// What was done or asked.
    pub question: String,
    /// What is expected.
    pub expected: String,
    /// What the engine answers.
    pub got: String,
    /// The clauses that it names.
    pub clauses: Vec<String>,
}

/// A case with what came of it.
#[derive(Clone, Debug)]
pub struct Finished<'c> {
    /// The case.
    pub case: &'c Case,
    /// What came of it.
    pub outcome: Outcome,
    /// Pictures that the engine drew, by file.
    pub pictures: Vec<(String, String)>,
}

/// The engines that cases are put to.
#[derive(Clone, Copy)]
pub struct Drivers<'d> {
    /// The engine under test.
    pub tested: &'d dyn Driver,
    /// A fast one, for the cases that are too large for the other; without it they go to the one under test,
    /// as slow cases.
    pub fast: Option<&'d dyn Driver>,
    /// Whether slow cases are put, too.
    pub slow: bool,
}

impl<'d> Drivers<'d> {
    /// The engine that a case is put to, if it is put at all.
    pub fn of(&self, case: &Case) -> Option<&'d dyn Driver> {
        let Self { tested, fast, slow } = *self;
        match &case.tier {
            Tier::Always | Tier::WhenEncoded => Some(tested),
            Tier::Fast => fast.or(slow.then_some(tested)),
            Tier::Slow => slow.then_some(fast.unwrap_or(tested)),
            Tier::Waiting(_) => None,
        }
    }
}

/// Runs cases; `tick` is called once for each.
pub fn run<'c>(cases: &[&'c Case], drivers: Drivers<'_>, tick: &(dyn Fn(&Case) + Sync)) -> Vec<Finished<'c>> {
    // Long cases first, so that no core is left alone with one at the end.
    let mut order: Vec<(usize, &Case)> = cases.iter().copied().enumerate().collect();
    order.sort_by_key(|(at, case)| (std::cmp::Reverse(case.cost), *at));
    let mut finished: Vec<(usize, Finished<'c>)> = order
        .into_par_iter()
        .with_max_len(1)
        .map(|(at, case)| {
            let finished = one(case, drivers);
            tick(case);
            (at, finished)
        })
        .collect();
    finished.sort_by_key(|(at, _)| *at);
    finished.into_iter().map(|(_, finished)| finished).collect()
}

fn one<'c>(case: &'c Case, drivers: Drivers<'_>) -> Finished<'c> {
    let done = |outcome| Finished { case, outcome, pictures: Vec::new() };
    if let Tier::Waiting(reason) = &case.tier {
        return done(Outcome::Waiting(reason.clone()));
    }
    let Some(driver) = drivers.of(case) else { return done(Outcome::Slow) };
    let answers = catch_unwind(AssertUnwindSafe(|| {
        driver.load(&case.rules, &case.params).map(|loaded| loaded.answer(&case.script))
    }));
    let broken = |got: String| {
        let failure = Failure {
            line: case.line,
            question: format!("{LOADING} {}", case.rules),
            expected: "a rule set".into(),
            got,
            clauses: Vec::new(),
        };
        Outcome::Failed(vec![failure])
    };
    match answers {
        Ok(Ok(answers)) => compare(case, &answers),
        Ok(Err(Refused::Unknown)) if case.tier != Tier::Always => {
            done(Outcome::Waiting(format!("there is no rule set `{}` yet", case.rules)))
        }
        Ok(Err(Refused::Unknown)) => done(broken(format!("there is no rule set `{}`", case.rules))),
        Ok(Err(Refused::Unsupported(reason))) => done(Outcome::Unsupported(reason)),
        Ok(Err(Refused::Error(message))) => done(broken(message)),
        Err(_) => done(broken("the engine crashed".into())),
    }
}

fn compare<'c>(case: &'c Case, answers: &[Answer]) -> Finished<'c> {
    let (mut failures, mut pictures, mut unsupported) = (Vec::new(), Vec::new(), None);
    let missing = Answer::Error("no answer".into());
    for (at, (step, check)) in case.script.steps.iter().zip(&case.checks).enumerate() {
        let answer = answers.get(at).unwrap_or(&missing);
        if let (Wanted::Picture { file, .. }, Answer::Text(text)) = (&check.wanted, answer) {
            pictures.push((file.clone(), text.clone()));
        }
        match judge(&check.wanted, answer) {
            Judgement::Met => {}
            Judgement::Unsupported(reason) => unsupported = unsupported.or(Some(reason)),
            Judgement::Unmet { expected, got, clauses } => {
                let question = describe(step, &check.wanted);
                failures.push(Failure { line: check.line, question, expected, got, clauses });
                // What follows a line that was not accepted is about another position.
                if matches!(step, Step::Do(_)) {
                    break;
                }
            }
        }
    }
    let outcome = match (failures.is_empty(), unsupported) {
        (false, _) => Outcome::Failed(failures),
        (true, Some(reason)) => Outcome::Unsupported(reason),
        (true, None) => Outcome::Passed,
    };
    Finished { case, outcome, pictures }
}

/// What was done or asked, in the words of the scenario format.
fn describe(step: &Step, wanted: &Wanted) -> String {
    match step {
        Step::Do(line) => format!("do {line}"),
        Step::Ask(Question::Would(line)) if matches!(wanted, Wanted::Refused(_)) => format!("illegal {line}"),
        Step::Ask(Question::Would(line)) => format!("legal {line}"),
        Step::Ask(Question::Perft(depth)) => format!("perft {depth}"),
        Step::Ask(question @ (Question::Fillings(name) | Question::Steps(name) | Question::List(name))) => {
            format!("{} {name}", question.name())
        }
        Step::Ask(Question::Value(name, arguments)) if arguments.is_empty() => format!("value {name}"),
        Step::Ask(Question::Value(name, arguments)) => {
            let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
            format!("value {name}({})", arguments.join(", "))
        }
        Step::Ask(question) => question.name().to_owned(),
    }
}
