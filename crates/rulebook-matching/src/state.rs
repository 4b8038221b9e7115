//! The matching with its dual values, between searches.
//!
//! Every vertex has a dual value `y` and every blossom one `z`, all doubled; the slack of an edge is the sum of `y`
//! at its ends, and of `z` of the blossoms around both, less its doubled weight.
//! Invariant: no `y`, no `z` and no slack is negative; matched edges and links of blossoms have no slack.
//! What may be missing for a matching of greatest weight is only this: a vertex that is free, and whose `y` is
//! not zero.

use std::ops::Range;

use crate::graph::{Graph, NONE, back};
use crate::nest::Nest;
use crate::weight::Weight;

/// A matching that may still lack something.
#[derive(Clone, Debug)]
pub(crate) struct State<W> {
    /// The doubled dual value of each vertex.
    pub(crate) y: Vec<W>,
    /// The doubled dual value of each blossom, by its number among blossoms.
    pub(crate) z: Vec<W>,
    /// The matched arc out of each vertex.
    pub(crate) mate: Vec<usize>,
    pub(crate) nest: Nest,
}

impl<W: Weight> State<W> {
    pub(crate) fn new(vertices: usize) -> Self {
        Self {
            y: vec![W::zero(); vertices],
            z: Vec::new(),
            mate: vec![NONE; vertices],
            nest: Nest::new(vertices),
        }
    }

    /// Whether a node is free, which is to say that its base is.
    #[inline]
    pub(crate) fn is_free(&self, node: usize) -> bool {
        self.mate[self.nest.base(node)] == NONE
    }

    /// Whether a vertex still has to be matched, or its dual value brought down to zero.
    pub(crate) fn is_lacking(&self, vertex: usize) -> bool {
        self.mate[vertex] == NONE && self.y[vertex] > W::zero()
    }

    pub(crate) fn slack(&self, graph: &Graph<W>, arc: usize) -> W {
        let (a, b) = (graph.tail(arc), graph.head(arc));
        self.slack_of(a, b, graph.doubled(arc))
    }

    /// The slack that an edge of some doubled weight has, or would have.
    pub(crate) fn slack_of(&self, a: usize, b: usize, doubled: &W) -> W {
        let plain = self.y[a].plus(&self.y[b]).minus(doubled);
        let common = self.nest.common(a, b);
        common.iter().fold(plain, |sum, node| sum.plus(&self.z[self.nest.blossom(*node)]))
    }

    pub(crate) fn unmatch(&mut self, graph: &Graph<W>, vertex: usize) {
        let arc = std::mem::replace(&mut self.mate[vertex], NONE);
        if arc != NONE {
            self.mate[graph.head(arc)] = NONE;
        }
    }

    /// Takes an outermost blossom apart; its dual value goes to its vertices, which leaves what is within it as it
    /// was, and parts it from its partner.
    fn dissolve(&mut self, graph: &Graph<W>, node: usize) {
        let z = std::mem::replace(&mut self.z[self.nest.blossom(node)], W::zero());
        if z > W::zero() {
            let half = z.half();
            for leaf in self.nest.leaves(node) {
                self.y[leaf] = self.y[leaf].plus(&half);
            }
            self.unmatch(graph, self.nest.base(node));
        }
        self.nest.open(node);
    }

    /// Restores the invariant after the weight of an edge has changed, except that its slack may be negative.
    pub(crate) fn release(&mut self, graph: &Graph<W>, arc: usize) {
        if self.slack(graph, arc) == W::zero() {
            return;
        }
        let (a, b) = (graph.tail(arc), graph.head(arc));
        if let Some(&inner) = self.nest.common(a, b).first() {
            let links = self.nest.links(inner);
            if links.contains(&arc) || links.contains(&back(arc)) {
                while self.nest.top(a) == self.nest.top(b) {
                    self.dissolve(graph, self.nest.top(a));
                }
            }
        }
        if self.mate[a] == arc {
            self.unmatch(graph, a);
        }
    }

    /// Frees a vertex, and gives it the least dual value for which no edge at it has negative slack.
    pub(crate) fn bare(&mut self, graph: &Graph<W>, vertex: usize) {
        while self.nest.top(vertex) != vertex {
            self.dissolve(graph, self.nest.top(vertex));
        }
        self.unmatch(graph, vertex);
        let needed = graph.out(vertex).iter().map(|out| {
            let doubled = graph.doubled(out.arc as usize);
            doubled.minus(&self.y[out.to as usize])
        });
        self.y[vertex] = needed.fold(W::zero(), W::max);
    }

    /// Takes apart the outermost blossoms among some nodes, and what comes to light in them, if their dual value
    /// is zero.
    pub(crate) fn prune(&mut self, mut nodes: Vec<usize>) {
        while let Some(node) = nodes.pop() {
            if self.nest.is_outermost_blossom(node) && self.z[self.nest.blossom(node)] == W::zero() {
                nodes.extend(self.nest.open(node).0);
            }
        }
    }
}

/// The values of the blossoms around both of two vertices, for all pairs.
pub(crate) struct Shared<'a, W> {
    state: &'a State<W>,
    order: Vec<usize>,
    ranges: Vec<Range<usize>>,
    /// Which blossom around the vertex of the row is the innermost that holds each vertex.
    level: Vec<usize>,
    /// The values of each blossom around the vertex of the row and of those around it.
    sums: Vec<W>,
}

impl<'a, W: Weight> Shared<'a, W> {
    pub(crate) fn new(state: &'a State<W>) -> Self {
        let (order, ranges) = state.nest.layout();
        Self { state, level: vec![NONE; order.len()], order, ranges, sums: Vec::new() }
    }

    /// Goes on to the pairs of a vertex. Takes time in O(n).
    pub(crate) fn turn_to(&mut self, vertex: usize) {
        let nest = &self.state.nest;
        let around = nest.around(vertex);
        self.level.fill(NONE);
        self.sums.clear();
        let mut sum = W::zero();
        let mut done = 0..0;
        for node in around.iter().rev() {
            sum = sum.plus(&self.state.z[nest.blossom(*node)]);
            self.sums.push(sum.clone());
        }
        for (at, node) in around.iter().enumerate() {
            let range = self.ranges[*node].clone();
            let parts =
                if at == 0 { [range.clone(), 0..0] } else { [range.start..done.start, done.end..range.end] };
            for place in parts.into_iter().flatten() {
                self.level[self.order[place]] = around.len() - 1 - at;
            }
            done = range;
        }
    }

    /// The sum for the vertex that was turned to and another; none if no blossom is around both.
    pub(crate) fn with(&self, other: usize) -> Option<&W> {
        self.sums.get(self.level[other])
    }
}
