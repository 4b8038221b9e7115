//! The matcher: edges come, go and change their weights, and each time the matching is brought up to date.

use std::cmp::Reverse;

use crate::graph::{Graph, NONE, back};
use crate::proof::{Blossom, Flaw, Proof};
use crate::refusal::Refusal;
use crate::search::Search;
use crate::state::{Shared, State};
use crate::weight::Weight;

/// How many bits more than a weight the values of a search take.
///
/// With `|w| <= a`, a dual value is between 0 and `2a`, one that is relative to the time between `-4a` and `6a`,
/// and a sum that is compared between `-2a` and `10a`.
const HEADROOM: u32 = 4;

/// What makes one matching better than another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// The sum of the weights alone: an edge of negative weight is never matched.
    Weight,
    /// First the number of edges, then the sum of the weights. If there is a perfect matching, the result is a
    /// perfect matching of greatest weight.
    Cardinality,
}

impl Goal {
    /// The bits of a type that a search needs beside those of the weights.
    fn lost(self, vertices: usize) -> u32 {
        match self {
            Self::Weight => HEADROOM,
            Self::Cardinality => HEADROOM + 1 + bits_of(vertices),
        }
    }
}

/// A graph with weights and a matching in it.
///
/// Weights are set with [`set_weight`](Self::set_weight), or all at once by a function with
/// [`solve_complete`](Self::solve_complete); [`solve`](Self::solve) then finds a matching of greatest weight.
/// When weights change afterwards, the next `solve` begins with what is left of the last matching and of its dual
/// values, and takes time for what has changed.
///
/// The same calls in the same order give the same matching.
/// If several matchings are best, which of them it is follows from the calls, but from no rule beyond that; whoever
/// wants a certain one adds a criterion in the lowest bits of the weights.
///
/// # Examples
///
/// ```
/// use rulebook_matching::{Goal, Matcher};
///
/// // A path of three edges: the middle one is worth more than the other two.
/// let mut matcher = Matcher::new(4, Goal::Weight)?;
/// for (a, b, weight) in [(0, 1, 2), (1, 2, 5), (2, 3, 2)] {
///     matcher.set_weight(a, b, weight)?;
/// }
/// matcher.solve();
/// assert_eq!(matcher.pairs().collect::<Vec<_>>(), [(1, 2)]);
///
/// // Now it is not.
/// matcher.set_weight(2, 3, 4_i64)?;
/// matcher.solve();
/// assert_eq!(matcher.pairs().collect::<Vec<_>>(), [(0, 1), (2, 3)]);
/// assert_eq!(matcher.verify(), Ok(()));
/// # Ok::<(), rulebook_matching::Refusal>(())
/// ```
#[derive(Clone, Debug)]
pub struct Matcher<W> {
    goal: Goal,
    graph: Graph<W>,
    state: State<W>,
    search: Search<W>,
    /// What every weight is raised by, so that a matching with more edges is worth more.
    bonus: W,
    /// The bits of the widest weight that there ever was.
    bits: u32,
    /// Edges that changed since the state was in order, as arcs.
    changed: Vec<usize>,
    /// Whether there never was a search.
    fresh: bool,
}

impl<W: Weight> Matcher<W> {
    /// A graph of some vertices, `0..vertices`, without edges.
    ///
    /// # Errors
    ///
    /// [`Refusal::TooManyVertices`] if there are more than 2^28.
    pub fn new(vertices: usize, goal: Goal) -> Result<Self, Refusal> {
        if vertices > 1 << 28 {
            return Err(Refusal::TooManyVertices);
        }
        let mut matcher = Self {
            goal,
            graph: Graph::new(vertices),
            state: State::new(vertices),
            search: Search::new(vertices),
            bonus: W::zero(),
            bits: 0,
            changed: Vec::new(),
            fresh: true,
        };
        if W::BITS < goal.lost(vertices) {
            return Err(Refusal::TooWide { bits: 0, widest: 0 });
        }
        matcher.bonus = matcher.bonus_for(0);
        Ok(matcher)
    }

    /// How many bits a weight may have, as [`Weight::bits`] counts them, in a graph of some vertices.
    ///
    /// The search needs 4 bits more than the weights; the goal [`Goal::Cardinality`] needs another one, and as many
    /// as the number of vertices has.
    pub fn widest(vertices: usize, goal: Goal) -> u32 {
        W::BITS.saturating_sub(goal.lost(vertices))
    }

    /// How many vertices there are.
    pub fn vertices(&self) -> usize {
        self.graph.vertices()
    }

    /// The weight of an edge, if it is there.
    pub fn weight(&self, a: usize, b: usize) -> Option<W> {
        let arc = self.arc(a, b)?;
        Some(self.graph.doubled(arc).half().minus(&self.bonus))
    }

    /// Gives an edge a weight; if the edge is not there yet, it comes into being.
    ///
    /// Takes time in O(d) for the number d of edges at its ends, and, when the weight is wider than all before it,
    /// O(n + m).
    ///
    /// # Errors
    ///
    /// If a vertex is unknown, if both are the same, if the weight is wider than [`widest`](Self::widest) allows, or
    /// if there are 2^31 edges already.
    /// Then no weight has changed.
    pub fn set_weight(&mut self, a: usize, b: usize, weight: W) -> Result<(), Refusal> {
        self.check(a, b)?;
        self.make_room(weight.bits())?;
        let doubled = self.doubled(&weight);
        match self.arc(a, b) {
            Some(arc) if *self.graph.doubled(arc) == doubled => {}
            Some(arc) => {
                self.graph.set_doubled(arc, doubled);
                self.state.release(&self.graph, arc);
                self.changed.push(arc);
            }
            None if self.graph.is_full() => return Err(Refusal::TooManyEdges),
            None => {
                let arc = self.graph.add(a, b, doubled);
                self.changed.push(arc);
            }
        }
        Ok(())
    }

    /// Takes an edge away, and tells whether it was there.
    pub fn remove(&mut self, a: usize, b: usize) -> bool {
        let Some(arc) = self.arc(a, b) else { return false };
        // With a weight that leaves it some slack, nothing depends on the edge any more.
        let sum = self.state.slack_of(a, b, &W::zero());
        self.graph.set_doubled(arc, sum.plus_scaled(-2, 0));
        self.state.release(&self.graph, arc);
        self.changed.retain(|changed| changed >> 1 != arc >> 1);
        self.graph.remove(arc);
        true
    }

    /// Takes those edges away that lead from a vertex to certain others.
    ///
    /// Takes time in O(d) for the edges at the vertex, and for each that goes as much as a list of edges is long.
    pub fn remove_where(&mut self, vertex: usize, goes: impl Fn(usize) -> bool) {
        if vertex >= self.vertices() {
            return;
        }
        let all = self.graph.out(vertex).iter().map(|out| (out.to as usize, out.arc as usize));
        let gone: Vec<(usize, usize)> = all.filter(|(to, _)| goes(*to)).collect();
        for (to, arc) in &gone {
            let slack = self.state.slack(&self.graph, *arc);
            if slack <= W::zero() {
                // As in `remove`; on an edge that has slack nothing depends.
                let sum = self.state.slack_of(vertex, *to, &W::zero());
                self.graph.set_doubled(*arc, sum.plus_scaled(-2, 0));
                self.state.release(&self.graph, *arc);
            }
        }
        self.changed.retain(|changed| gone.iter().all(|(_, arc)| changed >> 1 != arc >> 1));
        self.graph.remove_at(vertex, &gone);
    }

    /// Finds a matching that no other is better than.
    ///
    /// Takes time in O(s m log n) for s searches, of which there are at most as many as vertices, and far fewer
    /// after a small change; most searches look at a small part of the edges.
    pub fn solve(&mut self) {
        self.settle();
        for vertex in 0..self.vertices() {
            if self.state.is_lacking(vertex) {
                self.search.run(&self.graph, &mut self.state, vertex);
            }
        }
    }

    /// Whether an edge has no slack by the proof of the last [`solve`](Self::solve): an edge that has some is in no
    /// best matching.
    pub fn is_tight(&self, a: usize, b: usize) -> bool {
        self.arc(a, b).is_some_and(|arc| self.state.slack(&self.graph, arc) <= W::zero())
    }

    /// The vertices to which there are edges from one, in order.
    pub fn neighbours(&self, vertex: usize) -> impl Iterator<Item = usize> + '_ {
        let out = if vertex < self.vertices() { self.graph.out(vertex) } else { &[] };
        out.iter().map(|out| out.to as usize)
    }

    /// With whom a vertex is matched.
    pub fn partner(&self, vertex: usize) -> Option<usize> {
        let arc = *self.state.mate.get(vertex)?;
        (arc != NONE).then(|| self.graph.head(arc))
    }

    /// All pairs, each with its lower vertex first, in the order of these.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let pair = |vertex| self.partner(vertex).map(|partner| (vertex, partner));
        (0..self.vertices()).filter_map(pair).filter(|(a, b)| a < b)
    }

    /// Whether every vertex has a partner.
    pub fn is_perfect(&self) -> bool {
        self.state.mate.iter().all(|arc| *arc != NONE)
    }

    /// The sum of the weights of all pairs, if the type has room for it for sure.
    pub fn total(&self) -> Option<W> {
        if self.bits + bits_of(self.vertices()) > W::BITS {
            return None;
        }
        let weights = self.pairs().filter_map(|(a, b)| self.weight(a, b));
        Some(weights.fold(W::zero(), |sum, weight| sum.plus(&weight)))
    }

    /// Why no matching is better than this one; see [`Proof`].
    ///
    /// Between a change and the next `solve`, what is returned proves nothing, and checking it finds that.
    pub fn proof(&self) -> Proof<W> {
        let nest = &self.state.nest;
        let z = |node: usize| self.state.z[nest.blossom(node)].clone();
        let valued = nest.blossoms().filter(|node| z(*node) > W::zero());
        let blossom = |node| {
            let mut vertices = nest.leaves(node);
            vertices.sort_unstable();
            Blossom { vertices, value: z(node) }
        };
        Proof {
            bonus: self.bonus.clone(),
            values: self.state.y.clone(),
            blossoms: valued.map(blossom).collect(),
        }
    }

    /// Checks by its [`proof`](Self::proof) that no matching of the edges that are there is better than this one.
    ///
    /// # Errors
    ///
    /// The first [`Flaw`] that is found; after [`solve`](Self::solve), any flaw is a mistake in this crate.
    pub fn verify(&self) -> Result<(), Flaw> {
        let partners: Vec<_> = (0..self.vertices()).map(|vertex| self.partner(vertex)).collect();
        self.proof().check(self.goal, &partners, self.edges())
    }

    /// Every edge with its weight, its lower vertex first, in the order of both.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize, W)> + '_ {
        let weight = |arc| self.graph.doubled(arc).half().minus(&self.bonus);
        self.graph.edges().map(move |arc| (self.graph.tail(arc), self.graph.head(arc), weight(arc)))
    }

    /// What makes one matching better than another here.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    fn check(&self, a: usize, b: usize) -> Result<(), Refusal> {
        if a == b {
            return Err(Refusal::Loop);
        }
        if a.max(b) >= self.vertices() {
            return Err(Refusal::UnknownVertex);
        }
        Ok(())
    }

    fn arc(&self, a: usize, b: usize) -> Option<usize> {
        if a < self.vertices() { self.graph.arc(a, b) } else { None }
    }

    /// The doubled weight of an edge, bonus included.
    fn doubled(&self, weight: &W) -> W {
        let raised = weight.plus(&self.bonus);
        raised.plus(&raised)
    }

    fn bonus_for(&self, bits: u32) -> W {
        match self.goal {
            Goal::Weight => W::zero(),
            // More than the weights of all edges of two matchings together, which are at most n edges.
            Goal::Cardinality => W::zero().plus_scaled(1, bits + bits_of(self.vertices())),
        }
    }

    /// Makes room for weights of some bits. Only the bonus grows, and all dual values with it, so that no slack
    /// changes.
    fn make_room(&mut self, bits: u32) -> Result<(), Refusal> {
        let widest = Self::widest(self.vertices(), self.goal);
        if bits > widest {
            return Err(Refusal::TooWide { bits, widest });
        }
        if bits > self.bits {
            self.bits = bits;
            let bonus = self.bonus_for(bits);
            let more = bonus.minus(&self.bonus);
            if more > W::zero() {
                self.graph.lift(&more.plus(&more));
                for y in &mut self.state.y {
                    *y = y.plus(&more);
                }
                self.bonus = bonus;
            }
        }
        Ok(())
    }

    /// Brings the state in order after changes: then no edge has negative slack.
    fn settle(&mut self) {
        let mut changed = std::mem::take(&mut self.changed);
        if std::mem::take(&mut self.fresh) {
            for vertex in 0..self.vertices() {
                let arcs = self.graph.out(vertex).iter().map(|out| out.arc as usize);
                // The doubled weight divided by two for each end: then no edge lacks anything.
                let most = arcs.map(|arc| self.graph.doubled(arc).half()).max();
                self.state.y[vertex] = most.map_or(W::zero(), |most| most.max(W::zero()));
            }
            return;
        }
        let negative = |state: &State<W>, arc| state.slack(&self.graph, arc) < W::zero();
        changed.retain(|arc| negative(&self.state, *arc));
        changed.sort_unstable();
        changed.dedup();
        // Few vertices are to be freed: those first that have many such edges.
        let mut count = vec![0_usize; self.vertices()];
        for arc in changed.iter().flat_map(|arc| [*arc, back(*arc)]) {
            count[self.graph.head(arc)] += 1;
        }
        let mut order: Vec<usize> = (0..self.vertices()).filter(|vertex| count[*vertex] > 0).collect();
        order.sort_by_key(|vertex| (Reverse(count[*vertex]), *vertex));
        let mut at_vertex = vec![Vec::new(); self.vertices()];
        for arc in changed.iter().flat_map(|arc| [*arc, back(*arc)]) {
            at_vertex[self.graph.tail(arc)].push(arc);
        }
        for vertex in order {
            if at_vertex[vertex].iter().any(|arc| negative(&self.state, *arc)) {
                self.state.bare(&self.graph, vertex);
            }
        }
    }
}

/// How many bits a number has.
fn bits_of(number: usize) -> u32 {
    usize::BITS - number.leading_zeros()
}

/// What the search for a matching in a complete graph needs of the matcher.
impl<W: Weight> Matcher<W> {
    /// What the bonus would add nothing to: the dual value of a vertex, less the bonus.
    pub(crate) fn value(&self, vertex: usize) -> W {
        self.state.y[vertex].minus(&self.bonus)
    }

    /// What the blossoms add to the slack of pairs.
    pub(crate) fn shared(&self) -> Shared<'_, W> {
        Shared::new(&self.state)
    }

    /// What every weight is raised by.
    pub(crate) fn bonus(&self) -> W {
        self.bonus.clone()
    }

    /// Drops all edges and pairs, and begins with dual values that suit the edges to come, less the bonus.
    pub(crate) fn restart(&mut self, values: Vec<W>) {
        self.graph = Graph::new(self.vertices());
        self.state = State::new(self.vertices());
        self.state.y = values.iter().map(|value| value.plus(&self.bonus)).collect();
        self.search = Search::new(self.vertices());
        self.changed.clear();
        self.fresh = false;
    }

    /// Makes room for the widest of some weights at once.
    pub(crate) fn expect_bits(&mut self, bits: u32) -> Result<(), Refusal> {
        self.make_room(bits)
    }
}
