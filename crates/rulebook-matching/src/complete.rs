//! Graphs in which nearly every pair is an edge, given by a function.
//!
//! Few edges of such a graph matter.
//! The search gets some good ones for each vertex, and its dual values then tell which of the others could make the
//! matching better: those whose slack is negative.
//! These are added, until there are none; then the matching is one of the best of the whole graph, by the same
//! proof as if all edges had been there.
//! The idea is old in linear programming, and for matchings it is described by Derigs and Metz, "Solving (large
//! scale) matching problems combinatorially" (1991).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::matcher::Matcher;
use crate::proof::Flaw;
use crate::refusal::Refusal;
use crate::weight::Weight;

/// How many edges each vertex brings in at the beginning, and at most in the first round thereafter; in each later
/// round it is twice as many.
const FIRST: usize = 12;
const MORE: usize = 6;

/// After how many rounds, each with more edges than the one before, the choice of edges is taken to be a bad one, and
/// with how many passes over all pairs a better one is made.
const PATIENCE: usize = 3;
const PASSES: usize = 8;

impl<W: Weight> Matcher<W> {
    /// Finds a matching that no other is better than, in the graph of all pairs to which a function gives a weight.
    ///
    /// The function is called with the lower vertex first, several times for each pair, and must always give the
    /// same answer for the same pair.
    /// Edges that the matcher has already get the weight that the function gives, and are taken away if it gives
    /// none.
    /// Only some of the edges come into the matcher: [`edges`](Self::edges), [`weight`](Self::weight) and
    /// [`verify`](Self::verify) know no others, and [`verify_complete`](Self::verify_complete) checks the result
    /// for all of them.
    ///
    /// When the function of the last call has changed little, the search goes on from there.
    ///
    /// Takes time for all pairs a few times, and for what [`solve`](Self::solve) takes with the edges that matter;
    /// memory for these alone.
    ///
    /// # Errors
    ///
    /// If a weight is wider than [`widest`](Self::widest) allows. Then nothing has changed.
    pub fn solve_complete(&mut self, weight: impl Fn(usize, usize) -> Option<W>) -> Result<(), Refusal> {
        self.take_over(&weight)?;
        let mut more = MORE;
        let (mut last, mut growing, mut again) = (0, 0, false);
        loop {
            self.solve();
            let wanted = self.lacking(&weight, more);
            // An edge that is there lacks nothing; so every round adds some, and the rounds come to an end, even
            // for a function that does not keep its word.
            if wanted.iter().all(|(a, b)| self.weight(*a, *b).is_some()) {
                break;
            }
            growing = if wanted.len() > last { growing + 1 } else { 0 };
            last = wanted.len();
            if growing == PATIENCE && !again {
                again = true;
                self.begin(&weight, PASSES)?;
                continue;
            }
            for (a, b) in wanted {
                if let Some(weight) = weight(a, b) {
                    self.set_weight(a, b, weight)?;
                }
            }
            more = more.saturating_mul(2);
        }
        Ok(())
    }

    /// Checks by its [`proof`](Self::proof) that no matching is better than this one, in the graph of all pairs to
    /// which a function gives a weight.
    ///
    /// # Errors
    ///
    /// The first [`Flaw`] that is found; after [`solve_complete`](Self::solve_complete) with the same function,
    /// any flaw is a mistake in this crate.
    pub fn verify_complete(&self, weight: impl Fn(usize, usize) -> Option<W>) -> Result<(), Flaw> {
        let partners: Vec<_> = (0..self.vertices()).map(|vertex| self.partner(vertex)).collect();
        let edges = pairs(self.vertices()).filter_map(|(a, b)| weight(a, b).map(|weight| (a, b, weight)));
        self.proof().check(self.goal(), &partners, edges)
    }

    /// Gives the edges that are there their weights; without any, or if most weights are others now, begins anew.
    fn take_over(&mut self, weight: impl Fn(usize, usize) -> Option<W>) -> Result<(), Refusal> {
        let mut bits = 0;
        let mut known = self.edges().peekable();
        let (mut kept, mut changes) = (0, Vec::new());
        for (a, b) in pairs(self.vertices()) {
            let now = weight(a, b);
            bits = now.as_ref().map_or(bits, |now| bits.max(now.bits()));
            if let Some((_, _, before)) = known.next_if(|(from, to, _)| (*from, *to) == (a, b)) {
                if now.as_ref() == Some(&before) {
                    kept += 1;
                } else {
                    changes.push((a, b, now));
                }
            }
        }
        drop(known);
        self.expect_bits(bits)?;
        if kept <= changes.len() {
            return self.begin(weight, 0);
        }
        for (a, b, now) in changes {
            match now {
                Some(now) => self.set_weight(a, b, now)?,
                None => {
                    self.remove(a, b);
                }
            }
        }
        Ok(())
    }

    /// Begins anew, with dual values that suit all pairs, and the edges that have least slack by them.
    ///
    /// If a value suits, so does the mean of it and the least value that would do if only it were to change, and
    /// that for all vertices at once; so with every pass the values come closer to the best, whatever the weights
    /// are.
    fn begin(&mut self, weight: impl Fn(usize, usize) -> Option<W>, passes: usize) -> Result<(), Refusal> {
        let count = self.vertices();
        let least = W::zero().minus(&self.bonus());
        let mut values = vec![least.clone(); count];
        for (a, b) in pairs(count) {
            if let Some(weight) = weight(a, b) {
                for vertex in [a, b] {
                    if weight > values[vertex] {
                        values[vertex] = weight.clone();
                    }
                }
            }
        }
        for _ in 0..passes {
            let mut needed = vec![least.clone(); count];
            for (a, b) in pairs(count) {
                if let Some(weight) = weight(a, b) {
                    let doubled = weight.plus(&weight);
                    for (vertex, other) in [(a, b), (b, a)] {
                        let need = doubled.minus(&values[other]);
                        if need > needed[vertex] {
                            needed[vertex] = need;
                        }
                    }
                }
            }
            for (value, needed) in values.iter_mut().zip(needed) {
                *value = value.minus(&value.minus(&needed).half());
            }
        }
        let mut best = Choice::new(count, FIRST);
        for (a, b) in pairs(count) {
            if let Some(weight) = weight(a, b) {
                best.offer(a, b, &weight.plus(&weight).minus(&values[a]).minus(&values[b]));
            }
        }
        self.restart(values);
        for (a, b) in best.into_pairs() {
            if let Some(weight) = weight(a, b) {
                self.set_weight(a, b, weight)?;
            }
        }
        Ok(())
    }

    /// For each vertex some of the pairs whose slack is negative, the worst first.
    fn lacking(&self, weight: impl Fn(usize, usize) -> Option<W>, more: usize) -> Vec<(usize, usize)> {
        let count = self.vertices();
        let mut worst = Choice::new(count, more);
        let values: Vec<W> = (0..count).map(|vertex| self.value(vertex)).collect();
        let mut shared = self.shared();
        for a in 0..count {
            shared.turn_to(a);
            for b in a + 1..count {
                let Some(weight) = weight(a, b) else { continue };
                let mut excess = weight.plus(&weight).minus(&values[a]).minus(&values[b]);
                if excess > W::zero() {
                    if let Some(shared) = shared.with(b) {
                        excess = excess.minus(shared);
                    }
                    if excess > W::zero() {
                        worst.offer(a, b, &excess);
                    }
                }
            }
        }
        worst.into_pairs()
    }
}

/// All pairs, each with its lower vertex first, in the order of both.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)))
}

/// The key of a pair and how far around the circle it reaches, the least first in a heap.
type Chosen<W> = Reverse<(W, Reverse<usize>)>;

/// For each vertex the pairs with the greatest keys, up to a number of them.
///
/// Of equal keys those come first that are next around the circle of all vertices: so that many vertices with equal
/// pairs do not all choose the same few.
struct Choice<W> {
    most: usize,
    of: Vec<BinaryHeap<Chosen<W>>>,
}

impl<W: Weight> Choice<W> {
    fn new(count: usize, most: usize) -> Self {
        Self { most, of: vec![BinaryHeap::with_capacity(most + 1); count] }
    }

    fn offer(&mut self, a: usize, b: usize, key: &W) {
        let count = self.of.len();
        for (from, distance) in [(a, b - a), (b, count - b + a)] {
            let chosen = &mut self.of[from];
            if chosen.len() < self.most {
                chosen.push(Reverse((key.clone(), Reverse(distance))));
            } else if let Some(mut least) = chosen.peek_mut()
                && (key, Reverse(distance)) > (&least.0.0, least.0.1)
            {
                *least = Reverse((key.clone(), Reverse(distance)));
            }
        }
    }

    /// The pairs that at least one of their vertices has chosen, each once and in order.
    fn into_pairs(self) -> Vec<(usize, usize)> {
        let count = self.of.len();
        let mut pairs = Vec::new();
        for (from, chosen) in self.of.into_iter().enumerate() {
            for Reverse((_, Reverse(distance))) in chosen {
                let to = (from + distance) % count;
                pairs.push((from.min(to), from.max(to)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}
