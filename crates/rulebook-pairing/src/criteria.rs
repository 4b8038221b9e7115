//! The clauses of a rule set about pairings, sorted by what they are looked at for.

use rulebook_model::RuleSet;
use rulebook_model::pairing::{Measure, PairingForm, Preference};
use rulebook_model::ruleset::{Code, Form};

use crate::measure::Split;

/// What is measured of a pairing of a bracket, in the order of the clauses.
pub(crate) struct Criterion<'a> {
    pub(crate) clause: u16,
    pub(crate) kind: Kind<'a>,
}

/// What a criterion is about.
pub(crate) enum Kind<'a> {
    /// Pairs; the number is that among the expressions about pairs.
    Pair(usize, &'a Measure),
    /// Those who leave the bracket.
    Leaves(&'a Measure),
    /// The one who is left alone, if that is decided in the bracket.
    Alone(&'a Measure),
    /// What these criteria measure in the next bracket.
    Next(Vec<&'a Measure>),
}

/// The clauses of a rule set about pairings.
pub(crate) struct Criteria<'a> {
    /// Clauses that forbid pairs, in the order of the expressions in `forbidden`.
    pub(crate) forbid: Vec<u16>,
    pub(crate) forbidden: Split,
    pub(crate) not_alone: Vec<(u16, &'a Code)>,
    /// What is measured of the one left alone before any bracket is paired.
    pub(crate) whole: Vec<(u16, &'a Measure)>,
    pub(crate) completes: Option<u16>,
    pub(crate) measured: Vec<Criterion<'a>>,
    pub(crate) pairs: Split,
    pub(crate) prefer: Vec<(u16, Preference)>,
    pub(crate) sides: Vec<(u16, &'a Code)>,
}

impl<'a> Criteria<'a> {
    pub(crate) fn new(rules: &'a RuleSet) -> Self {
        let (mut forbid, mut not_alone, mut whole, mut completes) =
            (Vec::new(), Vec::new(), Vec::new(), None);
        let (mut measured, mut prefer, mut sides) = (Vec::new(), Vec::new(), Vec::new());
        let (mut bans, mut pairs): (Vec<&Code>, Vec<&Code>) = (Vec::new(), Vec::new());
        for (at, clause) in rules.clauses.iter().enumerate() {
            let (at, Form::Pairing(form)) = (at as u16, &clause.form) else { continue };
            let mut add = |kind| measured.push(Criterion { clause: at, kind });
            match form {
                PairingForm::Forbid(code) => {
                    forbid.push(at);
                    bans.push(code);
                }
                PairingForm::Pair(measure) => {
                    add(Kind::Pair(pairs.len(), measure));
                    pairs.push(&measure.code);
                }
                PairingForm::NotAlone(code) => not_alone.push((at, code)),
                PairingForm::Alone { measure, whole: true } => whole.push((at, measure)),
                PairingForm::Alone { measure, whole: false } => add(Kind::Alone(measure)),
                PairingForm::Leaves(measure) => add(Kind::Leaves(measure)),
                PairingForm::Completes => completes = Some(at),
                PairingForm::Next(clauses) => {
                    let leaves = |at: &u16| match &rules.clauses.get(usize::from(*at))?.form {
                        Form::Pairing(PairingForm::Leaves(measure)) => Some(measure),
                        _ => None,
                    };
                    add(Kind::Next(clauses.iter().filter_map(leaves).collect()));
                }
                PairingForm::Prefer(preference) => prefer.push((at, *preference)),
                PairingForm::Side(code) => sides.push((at, code)),
            }
        }
        Self {
            forbid,
            forbidden: Split::new(rules, bans.into_iter()),
            not_alone,
            whole,
            completes,
            measured,
            pairs: Split::new(rules, pairs.into_iter()),
            prefer,
            sides,
        }
    }

    /// Whether equal pairings are told apart in this way, and by which clause.
    pub(crate) fn prefers(&self, preference: Preference) -> Option<u16> {
        self.prefer.iter().find(|(_, known)| *known == preference).map(|(clause, _)| *clause)
    }
}
