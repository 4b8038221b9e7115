//! The pairing of one bracket.
//!
//! First only the bracket itself is looked at; what is found holds if the next bracket could not come off better and
//! the rest can be paired.
//! Else the next bracket comes into the graph, and at last everybody.
//! Invariant: the pairing is the same, however far it had to be looked.

use rulebook_matching::{Goal, Matcher, Weight, Wide};
use rulebook_model::Number;
use rulebook_model::pairing::Preference;
use rulebook_reference::Fault;

use crate::completion::{complete, refused};
use crate::criteria::Kind;
use crate::eval::Outcome;
use crate::measure::{Pairs, measure};
use crate::refine::Refiner;
use crate::round::Round;
use crate::weigh::{Bracket, Halves, Scale, Scope, Worth};

/// How many are tried as the one who leaves the next bracket before that bracket comes into sight.
const TRIED: usize = 4;

/// Pairs of members, and the entries that would leave the next bracket.
type Part = (Vec<(usize, usize)>, Vec<usize>);

/// How a bracket is paired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// Pairs of entries, the higher placed first.
    pub(crate) pairs: Vec<(usize, usize)>,
    /// Those who leave.
    pub(crate) leaves: Vec<usize>,
    /// Of these and of the next bracket those who would leave that one, in the pairing of both that was found; of use
    /// only where the next bracket was in sight.
    pub(crate) left_below: Vec<usize>,
}

/// What a pairing must hold, for the sake of comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// Nothing.
    Free,
    /// This pair.
    Pair(usize, usize),
    /// Anything but this pair.
    NotPair(usize, usize),
    /// This one does not leave.
    Stays(usize),
}

/// The graph of a bracket.
struct Graph {
    /// Entries by vertex: members, those of the next bracket, the rest.
    vertices: Vec<usize>,
    members: usize,
    /// How many members, the first ones, were moved here: they do not meet each other, for then they would have met
    /// above.
    moved: usize,
    next: usize,
    /// Whether one more vertex stands for being left alone.
    alone: bool,
    scope: Scope,
}

impl Graph {
    fn new(bracket: &Bracket, members: &[usize], scope: Scope) -> Self {
        let mut vertices = members.to_vec();
        let mut next = 0;
        if scope >= Scope::Near {
            vertices.extend(&bracket.next);
            next = bracket.next.len();
        }
        if scope == Scope::Whole {
            vertices.extend(&bracket.rest);
        }
        let alone = scope == Scope::Whole && vertices.len() % 2 == 1;
        Self { vertices, members: members.len(), moved: bracket.moved, next, alone, scope }
    }

    fn count(&self) -> usize {
        self.vertices.len() + usize::from(self.alone)
    }
}

/// A bracket at work.
pub(crate) struct Solver<'r, 'a> {
    round: &'r Round<'a>,
    bracket: &'r Bracket,
    pairs: Pairs<'a>,
    demand: Demand,
}

impl<'r, 'a> Solver<'r, 'a> {
    pub(crate) fn new(round: &'r Round<'a>, bracket: &'r Bracket, demand: Demand) -> Outcome<Self> {
        let pairs = round.pairs(&bracket.members, bracket.value)?;
        Ok(Self { round, bracket, pairs, demand })
    }

    /// The pairing of the bracket; nothing if there is none.
    pub(crate) fn solve(&self) -> Outcome<Option<Chosen>> {
        if self.round.from == Scope::Alone
            && let Some(chosen) = self.natural()?
            && self.holds(Scope::Alone, &chosen)?
        {
            return Ok(Some(chosen));
        }
        self.evaluate()?;
        for scope in [Scope::Alone, Scope::Near, Scope::Whole] {
            if scope >= self.round.from
                && let Some(chosen) = self.within(scope)?
            {
                return Ok(Some(chosen));
            }
        }
        Ok(None)
    }

    /// The pairing of the bracket, found with a part of what lies below in sight; nothing if that is not enough.
    pub(crate) fn within(&self, scope: Scope) -> Outcome<Option<Chosen>> {
        if scope == Scope::Near && self.bracket.next.is_empty() {
            return Ok(None);
        }
        let Some(chosen) = self.best(scope)? else { return Ok(None) };
        Ok(if self.holds(scope, &chosen)? { Some(chosen) } else { None })
    }

    /// Works out what all pairs are like.
    pub(crate) fn evaluate(&self) -> Outcome<()> {
        let members = &self.bracket.members;
        for (at, a) in members.iter().enumerate() {
            for b in &members[at + 1..] {
                self.round.values(&self.pairs, *a, *b)?;
            }
        }
        Ok(())
    }

    /// What is measured of a pair.
    pub(crate) fn values(&self, a: usize, b: usize) -> Outcome<std::rc::Rc<[crate::value::Val]>> {
        self.round.values(&self.pairs, a, b)
    }

    /// Whether what was found with a part of the rest in sight would be found with all of it: then what was supposed
    /// of the next bracket must go together with a pairing of all who come after it.
    fn holds(&self, scope: Scope, chosen: &Chosen) -> Outcome<bool> {
        let completes = self.round.criteria.completes.is_some();
        let with_rest = |some: &[usize]| -> Outcome<bool> {
            let all: Vec<usize> = some.iter().chain(&self.bracket.rest).copied().collect();
            Ok(!completes || self.round.can_complete(&all)?)
        };
        match scope {
            Scope::Whole => Ok(true),
            Scope::Near => with_rest(&chosen.left_below),
            Scope::Alone => self.next_is_perfect(chosen, &with_rest),
        }
    }

    /// Whether nobody leaves the next bracket but one, if it is odd, who measures least.
    fn next_is_perfect(
        &self,
        chosen: &Chosen,
        with_rest: &dyn Fn(&[usize]) -> Outcome<bool>,
    ) -> Outcome<bool> {
        let measures = self.round.criteria.measured.iter().filter_map(|criterion| match &criterion.kind {
            Kind::Next(all) => Some(all.iter()),
            _ => None,
        });
        let measures: Vec<_> = measures.flatten().collect();
        let mut places = chosen.leaves.clone();
        places.extend(&self.bracket.next);
        if measures.is_empty() || self.bracket.next.is_empty() {
            return with_rest(&places);
        }
        if measures.iter().any(|of| of.most) {
            return Ok(false);
        }
        let pair = |a: usize, b: usize| self.round.may_pair(places[a], places[b]);
        if places.len().is_multiple_of(2) {
            return Ok(complete(places.len(), &pair, &|_| Ok(false))?.is_some() && with_rest(&[])?);
        }
        let mut may_leave = vec![true; places.len()];
        // Nobody who might have left may measure less than whoever leaves.
        let mut all = self.bracket.members.clone();
        all.extend(&self.bracket.next);
        for of in measures {
            let value =
                |place: usize| measure(&self.round.of_one(&of.code, place, self.bracket.next_value)?);
            let mut least: Option<Number> = None;
            for place in &all {
                let value = value(*place)?;
                least = Some(least.map_or(value, |least| least.min(value)));
            }
            for (at, place) in places.iter().enumerate() {
                may_leave[at] &= Some(value(*place)?) == least;
            }
        }
        let candidates = (0..places.len()).rev().filter(|at| may_leave[*at]);
        for leaver in candidates.take(TRIED) {
            let found = complete(places.len(), &pair, &|at| Ok(at == leaver))?;
            if found.is_some() && with_rest(&[places[leaver]])? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The first pairing in order, if it is perfect: nothing has to be compared then.
    fn natural(&self) -> Outcome<Option<Chosen>> {
        let members = &self.bracket.members;
        if self.bracket.moved > 0 || self.demand != Demand::Free || members.len() < 2 {
            return Ok(None);
        }
        if self.round.criteria.measured.iter().any(|criterion| match &criterion.kind {
            Kind::Pair(_, of) | Kind::Leaves(of) | Kind::Alone(of) => of.most,
            Kind::Next(_) => false,
        }) {
            return Ok(None);
        }
        let chosen = first(members);
        if self.round.criteria.prefers(Preference::Opponents).is_none() {
            return Ok(None);
        }
        for (a, b) in &chosen.pairs {
            if !self.round.may_pair(*a, *b)? {
                return Ok(None);
            }
            for value in &*self.round.values(&self.pairs, *a, *b)? {
                if measure(value)? > Number::ZERO {
                    return Ok(None);
                }
            }
        }
        // One leaves if they are odd, and nobody measures less.
        for criterion in &self.round.criteria.measured {
            let (Kind::Leaves(of) | Kind::Alone(of)) = &criterion.kind else { continue };
            let value = |place: usize| measure(&self.round.of_one(&of.code, place, self.bracket.value)?);
            for leaver in &chosen.leaves {
                let own = value(*leaver)?;
                for place in members {
                    if value(*place)? < own {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(Some(chosen))
    }

    /// The best pairing with a part of the rest in sight.
    fn best(&self, scope: Scope) -> Outcome<Option<Chosen>> {
        let members = &self.bracket.members;
        let mut pairs = members.len() / 2;
        // How many pairs there are decides on halves, and on whether the one who leaves is left alone; so it is
        // supposed first, and then known.
        for _ in 0..3 {
            let leaves = members.len() - 2 * pairs.min(members.len() / 2);
            let found = self.first_part(scope, pairs, leaves == 1 && self.is_alone_here())?;
            match found {
                Some((count, Some(chosen))) if count == pairs => return Ok(Some(chosen)),
                Some((count, _)) if count != pairs => pairs = count,
                _ => return Ok(None),
            }
        }
        Err(Fault::TooMuchWork)
    }

    /// Whether nobody below may be left alone, so that one of the bracket is.
    pub(crate) fn is_alone_here(&self) -> bool {
        let below = || self.bracket.next.iter().chain(&self.bracket.rest);
        self.round.entries.len() % 2 == 1 && !below().any(|place| self.round.may_stay[*place])
    }

    /// Pairs with a supposed number of pairs: how many there are, and the pairing if that is as supposed.
    fn first_part(
        &self,
        scope: Scope,
        pairs: usize,
        alone: bool,
    ) -> Outcome<Option<(usize, Option<Chosen>)>> {
        let bracket = self.bracket;
        let graph = Graph::new(bracket, &bracket.members, scope);
        let places: Vec<Option<usize>> = (0..bracket.members.len()).map(Some).collect();
        let halves = (bracket.moved == 0).then_some(self.halves(&places, pairs));
        let scale = Scale::new(self.round, bracket, scope, alone, &self.pairs, halves)?;
        let barred = vec![false; bracket.members.len()];
        self.dispatch(&graph, &scale, &barred, &mut |found| {
            let Some(found) = found else { return Ok(None) };
            let made = found.pairs().len();
            if made != pairs {
                return Ok(Some((made, None)));
            }
            if bracket.moved == 0 {
                let order: Vec<usize> = (0..bracket.members.len()).collect();
                found
                    .halves(&order, pairs, &|preference| self.round.criteria.prefers(preference).is_some())?;
                let free = Self::entries_of(&graph, &found.free(graph.next));
                return Ok(Some((made, Some(self.chosen(&graph, &found.pairs(), free)))));
            }
            found.pair_first(bracket.moved)?;
            found.choose_moved(bracket.moved)?;
            let mut pairs = found.fixed_pairs();
            let (more, free) = self.second_part(scope, alone, made, &pairs)?;
            pairs.extend(more);
            pairs.sort_unstable();
            Ok(Some((made, Some(self.chosen(&graph, &pairs, free)))))
        })
    }

    /// Pairs those who were not moved here, when it is decided whom those meet who were: pairs of members.
    fn second_part(&self, scope: Scope, alone: bool, made: usize, fixed: &[(usize, usize)]) -> Outcome<Part> {
        let bracket = self.bracket;
        let count = bracket.members.len();
        let mut gone = vec![false; count];
        for (a, b) in fixed {
            (gone[*a], gone[*b]) = (true, true);
        }
        let left: Vec<usize> = (0..count).filter(|at| !gone[*at]).collect();
        let members: Vec<usize> = left.iter().map(|at| bracket.members[*at]).collect();
        let moved = left.iter().filter(|at| **at < bracket.moved).count();
        let remainder = Bracket {
            value: bracket.value,
            members,
            moved,
            next: bracket.next.clone(),
            next_value: bracket.next_value,
            rest: bracket.rest.clone(),
        };
        let graph = Graph::new(&remainder, &remainder.members, scope);
        let places: Vec<Option<usize>> = (0..left.len()).map(|at| at.checked_sub(moved)).collect();
        let upper = made - fixed.len();
        let halves = self.halves(&places, upper);
        let scale = Scale::new(self.round, &remainder, scope, alone, &self.pairs, Some(halves))?;
        let barred: Vec<bool> = (0..left.len()).map(|at| at < moved).collect();
        self.dispatch(&graph, &scale, &barred, &mut |found| {
            let Some(found) = found else { return Err(Fault::TooMuchWork) };
            let order: Vec<usize> = (moved..left.len()).collect();
            found.halves(&order, upper, &|preference| self.round.criteria.prefers(preference).is_some())?;
            let free = Self::entries_of(&graph, &found.free(graph.next));
            Ok((found.pairs().into_iter().map(|(a, b)| (left[a], left[b])).collect(), free))
        })
    }

    fn halves<'h>(&self, place: &'h [Option<usize>], upper: usize) -> Halves<'h> {
        let prefers = |preference| self.round.criteria.prefers(preference).is_some();
        Halves {
            place,
            upper,
            fewest: prefers(Preference::FewestExchanged),
            nearest: prefers(Preference::NearestExchanged),
        }
    }

    fn entries_of(graph: &Graph, vertices: &[usize]) -> Vec<usize> {
        vertices.iter().map(|vertex| graph.vertices[*vertex]).collect()
    }

    fn chosen(&self, graph: &Graph, pairs: &[(usize, usize)], left_below: Vec<usize>) -> Chosen {
        let of = |vertex: usize| graph.vertices[vertex];
        let mut leaves: Vec<usize> = (0..graph.members).collect();
        leaves.retain(|at| !pairs.iter().any(|(a, b)| a == at || b == at));
        let pair = |(a, b): &(usize, usize)| (of(*a).min(of(*b)), of(*a).max(of(*b)));
        let leaves = leaves.into_iter().map(of).collect();
        Chosen { pairs: pairs.iter().map(pair).collect(), leaves, left_below }
    }

    /// Calls a function with the best matching of a graph, with weights as wide as they must be.
    fn dispatch<T>(
        &self,
        graph: &Graph,
        scale: &Scale<'_>,
        barred: &[bool],
        then: &mut dyn FnMut(Option<&mut dyn Found>) -> Outcome<T>,
    ) -> Outcome<T> {
        let goal = if graph.scope == Scope::Whole { Goal::Cardinality } else { Goal::Weight };
        macro_rules! widths {
            ($($words:literal),*) => {
                $(if scale.bits() <= Matcher::<Wide<$words>>::widest(graph.count(), goal) {
                    return self.run::<Wide<$words>, T>(graph, scale, barred, goal, then);
                })*
            };
        }
        widths!(2, 4, 8, 16, 40);
        Err(Fault::TooMuchWork)
    }

    fn run<W: Weight, T>(
        &self,
        graph: &Graph,
        scale: &Scale<'_>,
        barred: &[bool],
        goal: Goal,
        then: &mut dyn FnMut(Option<&mut dyn Found>) -> Outcome<T>,
    ) -> Outcome<T> {
        let worth: Worth<W> = scale.worth(graph.next)?;
        let mut matcher: Matcher<W> = Matcher::new(graph.count(), goal).map_err(refused)?;
        let shared = graph.members + graph.next;
        for a in 0..graph.vertices.len() {
            for b in a + 1..graph.vertices.len() {
                let (one, other) = (graph.vertices[a], graph.vertices[b]);
                if b < graph.moved
                    || b < graph.members && (barred[a] || barred[b])
                    || !self.demanded(graph, a, b)
                {
                    continue;
                }
                if !self.round.may_pair(one, other)? {
                    continue;
                }
                let weight = if b < graph.members {
                    scale.pair(&worth, &self.round.values(&self.pairs, one, other)?, a, b)?
                } else if b < shared {
                    Scale::below(&worth, a, b)
                } else {
                    W::zero()
                };
                matcher.set_weight(a, b, weight).map_err(refused)?;
            }
            if graph.alone && self.round.may_stay[graph.vertices[a]] && self.demanded_alone(graph, a) {
                matcher.set_weight(a, graph.count() - 1, W::zero()).map_err(refused)?;
            }
        }
        matcher.solve();
        if graph.scope == Scope::Whole && !matcher.is_perfect() {
            return then(None);
        }
        let mut refiner = Refiner { matcher: &mut matcher, members: graph.members, fixed: Vec::new() };
        then(Some(&mut refiner))
    }

    fn demanded(&self, graph: &Graph, a: usize, b: usize) -> bool {
        let inside = b < graph.members;
        let (one, other) = (graph.vertices[a], graph.vertices[b]);
        let is = |place: usize| one == place || other == place;
        match self.demand {
            Demand::Free => true,
            Demand::Pair(x, y) => (is(x) && is(y)) || !(is(x) || is(y)),
            Demand::NotPair(x, y) => !(inside && is(x) && is(y)),
            Demand::Stays(x) => inside || !is(x),
        }
    }

    fn demanded_alone(&self, graph: &Graph, a: usize) -> bool {
        match self.demand {
            Demand::Pair(x, y) => ![x, y].contains(&graph.vertices[a]),
            Demand::Stays(x) => graph.vertices[a] != x,
            _ => true,
        }
    }
}

/// The pairing that comes first in order, before anything is compared.
pub(crate) fn first(members: &[usize]) -> Chosen {
    let half = members.len() / 2;
    let (upper, lower) = members.split_at(half);
    let pairs = upper.iter().copied().zip(lower.iter().copied()).collect();
    Chosen { pairs, leaves: lower.get(half..).unwrap_or(&[]).to_vec(), left_below: Vec::new() }
}

/// A best matching, whatever its weights are.
pub(crate) trait Found {
    /// The pairs of the bracket.
    fn pairs(&self) -> Vec<(usize, usize)>;
    /// Those of the bracket and of so many behind it who have no partner among these.
    fn free(&self, next: usize) -> Vec<usize>;
    /// The pairs that are decided.
    fn fixed_pairs(&self) -> Vec<(usize, usize)>;
    /// Decides who of those moved here is paired.
    fn pair_first(&mut self, moved: usize) -> Outcome<()>;
    /// Decides whom those meet who were moved here.
    fn choose_moved(&mut self, moved: usize) -> Outcome<()>;
    /// Decides by halves.
    fn halves(&mut self, order: &[usize], upper: usize, prefers: &dyn Fn(Preference) -> bool) -> Outcome<()>;
}

impl<W: Weight> Found for Refiner<'_, W> {
    fn pairs(&self) -> Vec<(usize, usize)> {
        Refiner::pairs(self)
    }
    fn free(&self, next: usize) -> Vec<usize> {
        let all = self.members + next;
        (0..all).filter(|vertex| self.matcher.partner(*vertex).is_none_or(|other| other >= all)).collect()
    }
    fn fixed_pairs(&self) -> Vec<(usize, usize)> {
        self.fixed.clone()
    }
    fn pair_first(&mut self, moved: usize) -> Outcome<()> {
        Refiner::pair_first(self, moved)
    }
    fn choose_moved(&mut self, moved: usize) -> Outcome<()> {
        let vertices: Vec<usize> = (0..moved).collect();
        self.choose_partners(&vertices, |_| moved)
    }
    fn halves(&mut self, order: &[usize], upper: usize, prefers: &dyn Fn(Preference) -> bool) -> Outcome<()> {
        Refiner::halves(self, order, upper, prefers)
    }
}
