//! What a record sets in a rule set: parameters by property, as the notation section names them.
//!
//! Invariant: nothing is believed that the record does not say, but for numbers that some programs write in
//! hundredths; what is made of these is a warning at the place of the property.

use std::sync::Arc;

use rulebook_model::exchange::SizeTerms;
use rulebook_model::ruleset::{COUNT, Param, RuleSet};
use rulebook_model::types::Type;
use rulebook_model::{Number, Value};
use rulebook_syntax::codes::SGF_REPAIRED;
use rulebook_syntax::{Diagnostic, Source, Span};

use super::Record;

/// Root properties that set a term where the rule set does not say which ones do.
const TERMS: [&str; 2] = ["HA", "KM"];
/// Parameters for the sides of a board where the rule set does not name them.
const SIDES: [&str; 2] = ["width", "height"];
/// The property that is the number of pieces given in advance.
pub const GIVEN: &str = "HA";
/// A number of hundredths is at least this, whoever wrote it.
const HUNDRED: u64 = 100;
/// Hundredths are written in steps of so many.
const STEP: u64 = 25;

/// A parameter that a record sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Its name.
    pub name: String,
    /// Its value, as it may be given to the rule set.
    pub value: String,
    /// Where the record says so.
    pub place: Span,
}

impl Term {
    /// The name and the value.
    pub fn given(&self) -> (String, String) {
        (self.name.clone(), self.value.clone())
    }
}

/// A text as the value of a parameter: with its unit, or in quotes.
pub fn worded(rules: &RuleSet, param: &Param, text: &str) -> String {
    match &param.ty {
        Type::Number(unit) if *unit != COUNT && Number::parse(text).is_some() => {
            let unit = rules.units.get(usize::from(*unit)).map_or("", String::as_str);
            format!("{text} {unit}")
        }
        Type::Text if !text.starts_with('\'') => format!("'{text}'"),
        _ => text.to_owned(),
    }
}

fn param<'r>(rules: &'r RuleSet, name: &str) -> Option<&'r Param> {
    rules.params.iter().find(|param| param.name == name)
}

/// The parameters for the sides of the board: of a square one, of its files and of its ranks.
pub fn size_params(rules: &RuleSet) -> SizeTerms {
    if let Some(size) = &rules.notation.size {
        return size.clone();
    }
    let side = |name: &str| param(rules, name).map(|param| param.name.clone());
    let [files, ranks] = SIDES.map(side);
    SizeTerms { square: abbreviated(rules, "SZ"), files, ranks }
}

/// The parameter that a property abbreviates: one whose name begins with its first letter and goes on with its
/// second one.
fn abbreviated(rules: &RuleSet, property: &str) -> Option<String> {
    let mut letters = property.chars().map(|letter| letter.to_ascii_lowercase());
    let (first, second) = (letters.next()?, letters.next()?);
    let fits = |name: &str| name.strip_prefix(first).is_some_and(|rest| rest.contains(second));
    rules.params.iter().find(|param| fits(&param.name)).map(|param| param.name.clone())
}

/// Properties with the parameters that they set.
pub fn properties(rules: &RuleSet) -> Vec<(String, String)> {
    match &rules.notation.sgf {
        Some(sgf) => sgf.terms.clone(),
        None => {
            let pairs = TERMS.iter();
            pairs.filter_map(|name| Some(((*name).to_owned(), abbreviated(rules, name)?))).collect()
        }
    }
}

/// How a board of some size is given to a rule set, as far as it can be.
pub fn size_terms(rules: &RuleSet, files: u16, ranks: u16) -> Vec<(String, String)> {
    let size = size_params(rules);
    match (size.square, size.files, size.ranks) {
        (Some(square), ..) if files == ranks => vec![(square, files.to_string())],
        (_, Some(wide), Some(high)) => vec![(wide, files.to_string()), (high, ranks.to_string())],
        _ => Vec::new(),
    }
}

/// The parameters of a rule set that a record sets.
pub fn terms(rules: &RuleSet, record: &Record, source: &Arc<Source>) -> (Vec<Term>, Vec<Diagnostic>) {
    let (mut terms, mut warnings) = (Vec::new(), Vec::new());
    let place = record.root("SZ").map(|(_, span)| span).unwrap_or_default();
    for (name, value) in size_terms(rules, record.size.0, record.size.1) {
        terms.push(Term { name, value, place });
    }
    for (property, name) in properties(rules) {
        let Some((text, place)) = record.root(&property) else { continue };
        let Some(param) = param(rules, &name) else { continue };
        let mut warn = |message: String| {
            warnings.push(Diagnostic::warning(SGF_REPAIRED, source, place, message));
        };
        if text.is_empty() {
            let shown = rules.show(&param.value);
            warn(format!("`{property}` is empty; `{name}` stays {shown}, as the rule set has it"));
            continue;
        }
        if !matches!(param.ty, Type::Number(_)) {
            terms.push(Term { value: worded(rules, param, text), name, place });
            continue;
        }
        let number = Number::parse(text).or_else(|| {
            let pointed = text.replace(',', ".");
            let number = Number::parse(&pointed)?;
            warn(format!("`{text}` is read as {number}"));
            Some(number)
        });
        let Some(number) = number else {
            let shown = rules.show(&param.value);
            warn(format!("`{text}` is not a number; `{name}` stays {shown}, as the rule set has it"));
            continue;
        };
        let (number, assumed) = hundredths(rules, record, &property, number);
        if let Some(assumed) = assumed {
            warn(format!("`{text}` is read as {number}: {assumed}"));
        }
        terms.push(Term { value: worded(rules, param, &number.to_string()), name, place });
    }
    (terms, warnings)
}

/// What a number means where its property is one that some programs write in hundredths, and why.
fn hundredths(rules: &RuleSet, record: &Record, of: &str, number: Number) -> (Number, Option<&'static str>) {
    let unchanged = (number, None);
    let Some(hundredths) = rules.notation.sgf.as_ref().and_then(|sgf| sgf.hundredths.as_ref()) else {
        return unchanged;
    };
    let program = record.root("AP").map_or("", |(program, _)| program);
    let known = hundredths.by.iter().any(|name| program.starts_with(name.as_str()));
    if hundredths.of != of {
        return unchanged;
    }
    if known && record.root(GIVEN).is_some_and(|(given, _)| given == "1") && record.setup.is_empty() {
        let why = (number != Number::ZERO).then_some("`HA[1]` of such a program means that there is none");
        return (Number::ZERO, why);
    }
    let Some(whole) = number.to_whole().map(i64::unsigned_abs) else { return unchanged };
    // Small whole numbers are what they are, but for a program of which it is known.
    if whole % STEP != 0 || whole < if known { STEP } else { HUNDRED } {
        return unchanged;
    }
    let doubled = hundredths.doubled.iter().any(|half| half.to_whole().map(i64::unsigned_abs) == Some(whole));
    let by = Number::fraction(if doubled { 2 } else { 1 }, i128::from(HUNDRED));
    let Some(meant) = by.and_then(|by| number.times(by)) else { return unchanged };
    let why = if doubled {
        "some programs write hundredths of half of it"
    } else {
        "some programs write hundredths"
    };
    (meant, Some(why))
}

/// The value of a parameter as a record has it: a number without its unit, a text without quotes.
pub fn written(rules: &RuleSet, name: &str) -> Option<String> {
    let param = param(rules, name)?;
    Some(match &param.value {
        Value::Number(number) => decimal(*number),
        value => rules.show(value),
    })
}

/// A number as records have it: with a point, rounded where it has no end.
pub fn decimal(number: Number) -> String {
    let text = number.to_string();
    if !text.contains('/') {
        return text;
    }
    let (numerator, denominator) = number.to_parts();
    format!("{:.4}", numerator as f64 / denominator as f64)
}
