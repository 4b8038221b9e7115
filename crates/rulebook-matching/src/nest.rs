//! Blossoms within blossoms: odd sets of vertices that the search treats as one.
//!
//! A node is a vertex or a blossom; vertices are the nodes `0..n`, and blossoms have numbers from `n` on.
//! A blossom is a cycle of an odd number of nodes, its kids.
//! Invariant: the first kid holds the base, and of the links between kids every second one is matched, the first
//! not; so all vertices of a blossom but its base are matched within it.
//! Nothing here recurses, for blossoms may lie in each other many hundred deep.

use std::ops::Range;

use crate::graph::{Graph, NONE, back};
use crate::weight::Weight;

/// The nodes and how they lie in each other.
#[derive(Clone, Debug)]
pub(crate) struct Nest {
    vertices: usize,
    /// The blossom of which each node is a kid.
    parent: Vec<usize>,
    /// How many vertices each node has.
    size: Vec<usize>,
    /// The class of each vertex, and the outermost node whose vertices are those of the class: so that of a large
    /// node nothing has to change when small ones join it.
    class: Vec<usize>,
    holder: Vec<usize>,
    spare_classes: Vec<usize>,
    /// The vertex of each node that is not matched within it.
    base: Vec<usize>,
    kids: Vec<Vec<usize>>,
    /// `links[i]` leads from kid `i` to the next one, around the cycle.
    links: Vec<Vec<usize>>,
    /// Numbers of blossoms that are no more.
    spare: Vec<usize>,
}

impl Nest {
    pub(crate) fn new(vertices: usize) -> Self {
        Self {
            vertices,
            parent: vec![NONE; vertices],
            size: vec![1; vertices],
            class: (0..vertices).collect(),
            holder: (0..vertices).collect(),
            spare_classes: Vec::new(),
            base: (0..vertices).collect(),
            kids: Vec::new(),
            links: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// How many nodes have a number.
    pub(crate) fn nodes(&self) -> usize {
        self.parent.len()
    }

    pub(crate) fn is_blossom(&self, node: usize) -> bool {
        node >= self.vertices
    }

    /// Whether a node is a blossom that exists and lies in no other.
    pub(crate) fn is_outermost_blossom(&self, node: usize) -> bool {
        self.is_blossom(node) && self.parent[node] == NONE && !self.kids(node).is_empty()
    }

    /// The number of a blossom among blossoms.
    pub(crate) fn blossom(&self, node: usize) -> usize {
        node - self.vertices
    }

    #[inline]
    pub(crate) fn top(&self, vertex: usize) -> usize {
        self.holder[self.class[vertex]]
    }

    #[inline]
    pub(crate) fn base(&self, node: usize) -> usize {
        self.base[node]
    }

    /// The nodes on the cycle of a blossom; none for a vertex, and for a number that is no blossom now.
    pub(crate) fn kids(&self, node: usize) -> &[usize] {
        node.checked_sub(self.vertices).map_or(&[], |at| &self.kids[at])
    }

    pub(crate) fn links(&self, node: usize) -> &[usize] {
        node.checked_sub(self.vertices).map_or(&[], |at| &self.links[at])
    }

    /// Every blossom that exists.
    pub(crate) fn blossoms(&self) -> impl Iterator<Item = usize> + '_ {
        (self.vertices..self.nodes()).filter(|node| !self.kids(*node).is_empty())
    }

    /// The vertices of a node.
    pub(crate) fn leaves(&self, node: usize) -> Vec<usize> {
        let (mut open, mut leaves) = (vec![node], Vec::new());
        while let Some(node) = open.pop() {
            if self.is_blossom(node) {
                open.extend_from_slice(self.kids(node));
            } else {
                leaves.push(node);
            }
        }
        leaves
    }

    /// All vertices in an order in which those of each node stand together, and for each node where they stand.
    pub(crate) fn layout(&self) -> (Vec<usize>, Vec<Range<usize>>) {
        let mut order = Vec::with_capacity(self.vertices);
        let mut ranges = vec![0..0; self.nodes()];
        let mut open: Vec<usize> = (0..self.vertices).map(|vertex| self.top(vertex)).collect();
        open.sort_unstable();
        open.dedup();
        while let Some(node) = open.pop() {
            ranges[node] = order.len()..order.len() + self.size[node];
            if self.is_blossom(node) {
                open.extend_from_slice(self.kids(node));
            } else {
                order.push(node);
            }
        }
        (order, ranges)
    }

    /// Which kid of a blossom holds a vertex of it.
    pub(crate) fn kid_with(&self, blossom: usize, vertex: usize) -> usize {
        let mut node = vertex;
        while self.parent[node] != blossom {
            node = self.parent[node];
        }
        self.kids(blossom).iter().position(|kid| *kid == node).unwrap_or(0)
    }

    /// The blossoms around both of two vertices, the innermost first.
    pub(crate) fn common(&self, a: usize, b: usize) -> Vec<usize> {
        if self.top(a) != self.top(b) {
            return Vec::new();
        }
        let (mut around, of_b) = (self.around(a), self.around(b));
        // Both end with the outermost blossom: what is common is the equal end.
        let equal = around.iter().rev().zip(of_b.iter().rev()).take_while(|(a, b)| a == b).count();
        around.split_off(around.len() - equal)
    }

    /// The blossoms around a vertex, the innermost first.
    pub(crate) fn around(&self, vertex: usize) -> Vec<usize> {
        let mut around = Vec::new();
        let mut node = self.parent[vertex];
        while node != NONE {
            around.push(node);
            node = self.parent[node];
        }
        around
    }

    /// Makes a blossom of a cycle of outermost nodes, the one with the base first.
    ///
    /// Takes time for all vertices but those of the largest kid.
    pub(crate) fn close(&mut self, kids: Vec<usize>, links: Vec<usize>) -> usize {
        let node = self.spare.pop().unwrap_or_else(|| {
            self.parent.push(NONE);
            self.base.push(NONE);
            self.size.push(0);
            self.kids.push(Vec::new());
            self.links.push(Vec::new());
            self.parent.len() - 1
        });
        let at = self.blossom(node);
        self.base[node] = kids.first().map_or(NONE, |kid| self.base[*kid]);
        self.size[node] = kids.iter().map(|kid| self.size[*kid]).sum();
        let large = self.largest(&kids);
        let class = self.class[self.base[large]];
        self.holder[class] = node;
        for &kid in &kids {
            self.parent[kid] = node;
            if kid != large {
                self.spare_classes.push(self.class[self.base[kid]]);
                for leaf in self.leaves(kid) {
                    self.class[leaf] = class;
                }
            }
        }
        self.kids[at] = kids;
        self.links[at] = links;
        node
    }

    fn largest(&self, kids: &[usize]) -> usize {
        kids.iter().copied().max_by_key(|kid| self.size[*kid]).unwrap_or(NONE)
    }

    /// Takes an outermost blossom apart, and gives the kids and links that it had.
    ///
    /// Takes time for all vertices but those of the largest kid.
    pub(crate) fn open(&mut self, node: usize) -> (Vec<usize>, Vec<usize>) {
        let at = self.blossom(node);
        let kids = std::mem::take(&mut self.kids[at]);
        let links = std::mem::take(&mut self.links[at]);
        let large = self.largest(&kids);
        for &kid in &kids {
            self.parent[kid] = NONE;
            if kid == large {
                self.holder[self.class[self.base[kid]]] = kid;
            } else {
                // There are never more outermost nodes than vertices, so a class is free.
                let Some(class) = self.spare_classes.pop() else { continue };
                self.holder[class] = kid;
                for leaf in self.leaves(kid) {
                    self.class[leaf] = class;
                }
            }
        }
        self.spare.push(node);
        (kids, links)
    }

    /// Makes a vertex of a node its base, matching the others within it; whom the base is matched with is left
    /// to the caller.
    pub(crate) fn rotate<W: Weight>(
        &mut self,
        graph: &Graph<W>,
        mate: &mut [usize],
        node: usize,
        vertex: usize,
    ) {
        let mut open = vec![(node, vertex)];
        while let Some((node, vertex)) = open.pop() {
            if !self.is_blossom(node) || self.base[node] == vertex {
                continue;
            }
            let at = self.blossom(node);
            let first = self.kid_with(node, vertex);
            self.kids[at].rotate_left(first);
            self.links[at].rotate_left(first);
            self.base[node] = vertex;
            let (kids, links) = (&self.kids[at], &self.links[at]);
            open.push((kids[0], vertex));
            for odd in (1..links.len()).step_by(2) {
                let arc = links[odd];
                let (tail, head) = (graph.tail(arc), graph.head(arc));
                // A link that was matched already stands between the right bases.
                if mate[tail] != arc {
                    mate[tail] = arc;
                    mate[head] = back(arc);
                    open.push((kids[odd], tail));
                    open.push((kids[odd + 1], head));
                }
            }
        }
    }
}
