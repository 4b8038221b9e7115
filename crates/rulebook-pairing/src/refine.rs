//! Of the best matchings the one that comes first in the order of equal pairings.
//!
//! Decisions are taken one by one, in the order that the clauses state: each prefers some edges by a little, less than
//! any measure, and what was decided is then kept by taking all other edges away.
//! An edge that the proof of the matching shows to be in no best one need not be tried.
//! Invariant: between decisions the matching is one of the best that agree with all decisions so far.

use rulebook_matching::{Matcher, Weight};
use rulebook_model::pairing::Preference;

use crate::completion::refused;
use crate::eval::Outcome;

/// A bracket as a graph, with a best matching.
pub(crate) struct Refiner<'m, W> {
    pub(crate) matcher: &'m mut Matcher<W>,
    /// How many vertices, the first ones, are members of the bracket.
    pub(crate) members: usize,
    /// Pairs that are decided.
    pub(crate) fixed: Vec<(usize, usize)>,
}

impl<W: Weight> Refiner<'_, W> {
    /// With whom a member is paired in the bracket.
    pub(crate) fn partner(&self, vertex: usize) -> Option<usize> {
        self.matcher.partner(vertex).filter(|partner| *partner < self.members)
    }

    /// The pairs of the bracket.
    pub(crate) fn pairs(&self) -> Vec<(usize, usize)> {
        self.matcher.pairs().filter(|(_, b)| *b < self.members).collect()
    }

    fn nudge(&mut self, a: usize, b: usize, by: i64) -> Outcome<()> {
        if let Some(weight) = self.matcher.weight(a, b) {
            self.matcher.set_weight(a, b, weight.plus_scaled(by, 0)).map_err(refused)?;
        }
        Ok(())
    }

    /// Makes edges of one kind at a vertex worth more than what later decisions prefer, so that one of them stays.
    fn keep(&mut self, vertex: usize, kind: impl Fn(usize) -> bool) -> Outcome<()> {
        let kept: Vec<usize> = self.matcher.neighbours(vertex).filter(|other| kind(*other)).collect();
        let bonus = 2 * self.members as i64;
        for other in kept {
            self.nudge(vertex, other, bonus)?;
        }
        self.matcher.solve();
        Ok(())
    }

    fn drop_edges(&mut self, vertex: usize, drops: impl Fn(usize) -> bool) {
        self.matcher.remove_where(vertex, drops);
        // Where a removed edge held a blossom together, its vertices look for partners again.
        self.matcher.solve();
    }

    fn fix(&mut self, a: usize, b: usize) {
        self.drop_edges(a, |other| other != b);
        self.drop_edges(b, |other| other != a);
        self.fixed.push((a.min(b), a.max(b)));
    }

    /// Decides for each of some members in order whether it is paired in the bracket: if it can be, it is.
    pub(crate) fn pair_first(&mut self, moved: usize) -> Outcome<()> {
        let members = self.members;
        for vertex in 0..moved {
            if self.partner(vertex).is_none() {
                let own: Vec<usize> =
                    self.matcher.neighbours(vertex).filter(|other| *other < members).collect();
                if own.iter().any(|other| self.matcher.is_tight(vertex, *other)) {
                    for other in own {
                        self.nudge(vertex, other, 1)?;
                    }
                    self.matcher.solve();
                }
            }
            if self.partner(vertex).is_some() {
                self.keep(vertex, |other| other < members)?;
                self.drop_edges(vertex, |other| other >= members);
            } else {
                self.drop_edges(vertex, |other| other < members);
            }
        }
        Ok(())
    }

    /// Gives each of some members, in order, the first partner of those from a place on that it can have.
    pub(crate) fn choose_partners(
        &mut self,
        vertices: &[usize],
        from: impl Fn(usize) -> usize,
    ) -> Outcome<()> {
        for vertex in vertices.iter().copied() {
            let Some(partner) = self.partner(vertex) else { continue };
            let lowest = from(vertex);
            let better: Vec<usize> = self
                .matcher
                .neighbours(vertex)
                .skip_while(|other| *other < lowest)
                .take_while(|other| *other < partner)
                .filter(|other| self.matcher.is_tight(vertex, *other))
                .collect();
            if !better.is_empty() {
                // The partner that it has is preferred to those behind it, too.
                for (at, other) in better.iter().chain([&partner]).enumerate() {
                    self.nudge(vertex, *other, (better.len() + 1 - at) as i64)?;
                }
                self.matcher.solve();
            }
            if let Some(partner) = self.partner(vertex) {
                self.fix(vertex, partner);
            }
        }
        Ok(())
    }

    /// Decides for some members in order whether each is the higher placed of a pair: `wanted` says which of the two
    /// is preferred.
    pub(crate) fn choose_leaders(&mut self, vertices: &[usize], wanted: bool) -> Outcome<()> {
        let members = self.members;
        for vertex in vertices.iter().copied() {
            let leads = move |other: usize| other > vertex && other < members;
            let is_leader = |this: &Self| this.partner(vertex).is_some_and(leads);
            if is_leader(self) != wanted {
                let leading: Vec<usize> =
                    self.matcher.neighbours(vertex).filter(|other| leads(*other)).collect();
                for other in leading {
                    self.nudge(vertex, other, if wanted { 1 } else { -1 })?;
                }
                self.matcher.solve();
            }
            let is_leader = is_leader(self);
            if is_leader {
                self.keep(vertex, leads)?;
            }
            self.drop_edges(vertex, |other| leads(other) != is_leader);
        }
        Ok(())
    }

    /// Decides among equal pairings of those who were not moved here, by halves. `order` are these members in their
    /// order, of whom the first `upper` are the upper half.
    pub(crate) fn halves(
        &mut self,
        order: &[usize],
        upper: usize,
        prefers: impl Fn(Preference) -> bool,
    ) -> Outcome<()> {
        let leaders = |this: &Self| -> Vec<usize> {
            let leads = |vertex: &usize| this.partner(*vertex).is_some_and(|partner| partner > *vertex);
            order.iter().copied().filter(leads).collect()
        };
        let (above, below) = order.split_at(upper.min(order.len()));
        let exchanged = leaders(self).iter().any(|leader| !above.contains(leader));
        if exchanged && prefers(Preference::LastOfUpper) {
            let last_first: Vec<usize> = above.iter().rev().copied().collect();
            self.choose_leaders(&last_first, false)?;
        }
        if exchanged && prefers(Preference::FirstOfLower) {
            self.choose_leaders(below, true)?;
        }
        if prefers(Preference::Opponents) {
            let leaders = leaders(self);
            self.choose_partners(&leaders, |leader| leader + 1)?;
        }
        Ok(())
    }
}
