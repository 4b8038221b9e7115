//! Why a matching is one of the best: its dual values, which anyone can check without searching.
//!
//! The check shares no code with the search, and looks at nothing but the edges, the pairs and the proof.

use std::error::Error;
use std::fmt;

use crate::matcher::Goal;
use crate::weight::Weight;

/// An odd set of vertices with a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blossom<W> {
    /// The vertices, in order.
    pub vertices: Vec<usize>,
    /// The doubled dual value, which is positive.
    pub value: W,
}

/// A proof that no matching is better than one.
///
/// Let every vertex and some odd sets of vertices have values that are not negative, such that for each edge the
/// values of its ends, and of all sets that hold both ends, are together at least twice its weight.
/// A matching has at most `k` edges within a set of `2k + 1` vertices, so twice its weight is never more than all
/// values of vertices and `k` times the values of the sets.
/// The matching for which there is equality everywhere is therefore one of greatest weight: its edges are met
/// exactly, vertices with a value are matched, and sets with a value hold `k` pairs.
/// That is the linear programming duality of Edmonds (1965) with all values doubled.
///
/// Under [`Goal::Cardinality`] the same is said of weights that are raised by a bonus, which is more than what all
/// weights of two matchings can differ by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof<W> {
    /// What each weight is raised by.
    pub bonus: W,
    /// The doubled dual value of each vertex.
    pub values: Vec<W>,
    /// The sets, in no certain order.
    pub blossoms: Vec<Blossom<W>>,
}

/// Where a proof fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Flaw {
    /// The partner of a vertex has another partner, or there is no edge between them.
    Pair(usize),
    /// A vertex has a negative value, or none, or one although it is free.
    Vertex(usize),
    /// A set is not odd, holds unknown vertices or one twice, has no positive value, or too few pairs.
    Blossom(usize),
    /// The values for an edge are less than twice its weight, or more although it is matched.
    Edge(usize, usize),
    /// The bonus is too small for the weights, or there should be none.
    Bonus,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pair(vertex) => write!(f, "vertex {vertex} is not matched along an edge"),
            Self::Vertex(vertex) => write!(f, "the value of vertex {vertex} is wrong"),
            Self::Blossom(at) => write!(f, "blossom {at} is wrong"),
            Self::Edge(a, b) => write!(f, "the edge from {a} to {b} is not met by the values"),
            Self::Bonus => f.write_str("the bonus does not suit the goal"),
        }
    }
}

impl Error for Flaw {}

impl<W: Weight> Proof<W> {
    /// Checks that a matching is the best of a graph, given by its edges, each once.
    ///
    /// Values and weights that leave less than three bits of the type are taken for flaws, for their sums could
    /// overflow; the matcher makes none.
    ///
    /// Takes time in O(n + m + s) and, for each edge, the number of sets around its ends, where s is the size of
    /// all sets together.
    ///
    /// # Errors
    ///
    /// The first flaw that is found.
    pub fn check(
        &self,
        goal: Goal,
        partners: &[Option<usize>],
        edges: impl IntoIterator<Item = (usize, usize, W)>,
    ) -> Result<(), Flaw> {
        let zero = W::zero();
        // Three such values can be added up, and one more to a sum that is not positive.
        let is_narrow = |value: &W| value.bits().saturating_add(3) <= W::BITS;
        if !is_narrow(&self.bonus) {
            return Err(Flaw::Bonus);
        }
        for (vertex, partner) in partners.iter().enumerate() {
            if partner
                .is_some_and(|partner| partner == vertex || partners.get(partner) != Some(&Some(vertex)))
            {
                return Err(Flaw::Pair(vertex));
            }
            let value = self.values.get(vertex).ok_or(Flaw::Vertex(vertex))?;
            if *value < zero || !is_narrow(value) || (partner.is_none() && *value != zero) {
                return Err(Flaw::Vertex(vertex));
            }
        }
        let mut around = vec![Vec::new(); partners.len()];
        for (at, blossom) in self.blossoms.iter().enumerate() {
            if !blossom.holds(partners) || blossom.value <= zero || !is_narrow(&blossom.value) {
                return Err(Flaw::Blossom(at));
            }
            blossom.vertices.iter().for_each(|vertex| around[*vertex].push(at));
        }
        let (mut matched, mut bits) = (0, 0);
        for (a, b, weight) in edges {
            let (Some(of_a), Some(of_b)) = (around.get(a), around.get(b)) else {
                return Err(Flaw::Edge(a, b));
            };
            bits = bits.max(weight.bits());
            if a == b || !is_narrow(&weight) {
                return Err(Flaw::Edge(a, b));
            }
            let raised = weight.plus(&self.bonus);
            if !is_narrow(&raised) {
                return Err(Flaw::Edge(a, b));
            }
            let mut slack = self.values[a].plus(&self.values[b]).minus(&raised).minus(&raised);
            let is_pair = partners[a] == Some(b);
            for at in of_a.iter().filter(|at| of_b.binary_search(at).is_ok()) {
                // What is enough only grows, for all values of sets are positive.
                if slack > zero || (slack == zero && !is_pair) {
                    break;
                }
                slack = slack.plus(&self.blossoms[*at].value);
            }
            matched += usize::from(is_pair);
            if slack < zero || (is_pair && slack != zero) {
                return Err(Flaw::Edge(a, b));
            }
        }
        // Every pair was met as an edge.
        if 2 * matched != partners.iter().flatten().count() {
            let lost = partners.iter().position(Option::is_some).unwrap_or(0);
            return Err(Flaw::Pair(lost));
        }
        let suits = match goal {
            Goal::Weight => self.bonus == zero,
            // No weight is beyond 2^bits, and two matchings have at most as many edges as there are vertices.
            Goal::Cardinality => {
                let most = zero.plus_scaled(1, bits);
                partners
                    .iter()
                    .try_fold(self.bonus.clone(), |rest, _| {
                        let rest = rest.minus(&most);
                        (rest > W::zero()).then_some(rest)
                    })
                    .is_some()
            }
        };
        if suits { Ok(()) } else { Err(Flaw::Bonus) }
    }
}

impl<W> Blossom<W> {
    /// Whether the vertices exist, are an odd number of different ones, and all but one are matched with each
    /// other.
    fn holds(&self, partners: &[Option<usize>]) -> bool {
        let sorted = self.vertices.is_sorted_by(|a, b| a < b);
        let known = self.vertices.last().is_some_and(|last| *last < partners.len());
        let inside = |vertex: &usize| self.vertices.binary_search(vertex).is_ok();
        let is_paired = |vertex: &&usize| partners[**vertex].as_ref().is_some_and(inside);
        sorted
            && known
            && self.vertices.len() % 2 == 1
            && self.vertices.iter().filter(is_paired).count() + 1 == self.vertices.len()
    }
}
