//! A choice that follows a movement, parted by where the piece comes from and goes to.
//!
//! Law: every movement of the shape is one of exactly one part, and in that part the choice is what the clause
//! says for it.

use rulebook_machine::lane::{Reach, Shape};
use rulebook_model::ruleset::{Effect, Form, Term};
use rulebook_model::{Sites, Value};

use super::Recogniser;
use crate::simplify::{Known, constant, simplify};
use crate::templates::words;

/// Most parts of a shape.
const MOST: usize = 12;

/// What the choice comes to for one movement.
#[derive(Clone, PartialEq)]
enum Choice {
    /// It is not asked for.
    Not,
    /// One of these kinds.
    Kinds(Vec<u8>),
    /// It depends on more.
    Unknown,
}

impl Recogniser<'_> {
    /// The parts of a shape whose choice depends on both of its ends; `None` if there is no such choice.
    pub(super) fn zones(
        &self,
        shape: &Shape,
        then: &[Effect],
        marks: &[(u16, (i8, i8))],
    ) -> Option<Vec<Shape>> {
        matches!(shape.reach, Reach::Leap(_) | Reach::Lame(_) | Reach::Ray(_) | Reach::Screen(_))
            .then_some(())?;
        let known = self.marked(shape, marks);
        let mut asking =
            self.rules.clauses.iter().enumerate().filter_map(|(at, clause)| match &clause.form {
                Form::After { acts, choices, .. } if acts.admits(shape.act) && !choices.is_empty() => {
                    Some((at, clause, choices))
                }
                _ => None,
            });
        let (at, clause, choices) = asking.next()?;
        let [choice] = &choices[..] else { return None };
        asking.next().is_none().then_some(())?;
        let when = self.under(clause, &Term::Const(Value::Truth(true)), &known);
        let domain = simplify(self.rules, &choice.domain.term, &known);
        let sites = self.rules.board.len() as u16;
        let mut classes: Vec<(Vec<Choice>, Sites)> = Vec::new();
        for from in (0..sites).filter(|from| has(&shape.froms, *from)) {
            let row: Vec<Choice> =
                (0..sites).map(|to| self.chosen(&when, &domain, (from, to), &known)).collect();
            match classes.iter_mut().find(|(known, _)| *known == row) {
                Some((_, froms)) => froms.insert(from),
                None => classes.push((row, Sites::one(from))),
            }
            (classes.len() <= MOST).then_some(())?;
        }
        let mut parts: Vec<Shape> = Vec::new();
        for (row, froms) in &classes {
            let mut kinds: Vec<(&Choice, Sites)> = Vec::new();
            for (to, choice) in (0..sites).zip(row).filter(|(to, _)| has(&shape.tos, *to)) {
                match kinds.iter_mut().find(|(known, _)| *known == choice) {
                    Some((_, tos)) => tos.insert(to),
                    None => kinds.push((choice, Sites::one(to))),
                }
            }
            for (choice, tos) in kinds {
                let (froms, tos) = (Some(words(froms)), Some(words(&tos)));
                let mut part = Shape { froms, tos, recipe: None, choice: None, ..shape.clone() };
                self.reachable(&mut part);
                if part.froms.iter().flatten().all(|word| *word == 0) {
                    continue;
                }
                let settled = match choice {
                    Choice::Not => Some(None),
                    Choice::Kinds(kinds) => Some(Some(kinds.clone())),
                    Choice::Unknown => None,
                };
                if let Some(kinds) = settled {
                    self.recipe(&mut part, then, marks, Some(&(at as u16, kinds)));
                }
                super::recipes::fix(&mut part, marks);
                parts.push(part);
            }
            (parts.len() <= MOST).then_some(())?;
        }
        Some(parts)
    }

    fn chosen(&self, when: &Term, domain: &Term, ends: (u16, u16), known: &Known) -> Choice {
        let known = Known { ends: Some(ends), ..known.clone() };
        match simplify(self.rules, when, &known) {
            Term::Const(Value::Truth(true)) => {}
            Term::Const(_) => return Choice::Not,
            _ => return Choice::Unknown,
        }
        let domain = simplify(self.rules, domain, &known);
        let Some(Value::List(values)) = constant(&domain) else { return Choice::Unknown };
        let kind = |value: &Value| match value {
            Value::Kind(kind) => Some(*kind),
            _ => None,
        };
        let mut kinds: Vec<u8> = Vec::new();
        for value in values {
            match kind(value).filter(|kind| !kinds.contains(kind)) {
                Some(kind) => kinds.push(kind),
                None => return Choice::Unknown,
            }
        }
        if kinds.is_empty() { Choice::Unknown } else { Choice::Kinds(kinds) }
    }

    /// Leaves of the sites a shape starts from those from which it can end on one of its sites.
    pub(super) fn reachable(&self, shape: &mut Shape) {
        let board = &self.rules.board;
        let mut steps: Vec<(i16, i16)> = Vec::new();
        let longest = board.files.max(board.ranks) as i16;
        match &shape.reach {
            Reach::Leap(offsets) => steps.extend(offsets.iter().map(|(a, b)| (i16::from(*a), i16::from(*b)))),
            Reach::Lame(offsets) => {
                steps.extend(offsets.iter().map(|((a, b), _)| (i16::from(*a), i16::from(*b))));
            }
            Reach::Templates(found) => {
                steps.extend(found.iter().map(|t| (i16::from(t.to.0), i16::from(t.to.1))));
            }
            Reach::Ray(directions) | Reach::Screen(directions) => {
                let along = |(a, b): &(i8, i8)| {
                    let (a, b) = (i16::from(*a), i16::from(*b));
                    (1..longest).map(move |n| (a * n, b * n))
                };
                steps.extend(directions.iter().flat_map(along));
            }
            Reach::Walk => return,
        }
        let goes = |from: u16| {
            steps
                .iter()
                .any(|(files, ranks)| board.step(from, *files, *ranks).is_some_and(|to| has(&shape.tos, to)))
        };
        let froms = (0..board.len() as u16).filter(|from| has(&shape.froms, *from) && goes(*from)).collect();
        shape.froms = Some(words(&froms));
    }
}

/// Whether a site is in a set of words; without one every site is.
pub(super) fn has(words: &Option<Vec<u64>>, site: u16) -> bool {
    words.as_ref().is_none_or(|words| {
        words.get(usize::from(site) / 64).is_some_and(|word| word >> (site % 64) & 1 == 1)
    })
}
