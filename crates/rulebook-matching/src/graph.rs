//! The edges and where they lead.
//!
//! An edge is two arcs, one each way: those of edge `e` are `2e` and `2e + 1`.
//! Invariant: the arcs out of a vertex are in the order of the vertices that they lead to, each at most once, so
//! that no answer depends on the order in which edges came.

use crate::weight::Weight;

/// No arc, no vertex, no node.
pub(crate) const NONE: usize = usize::MAX;

/// The same edge the other way.
pub(crate) const fn back(arc: usize) -> usize {
    arc ^ 1
}

/// An arc as it is listed at the vertex where it begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Out {
    pub(crate) to: u32,
    pub(crate) arc: u32,
}

/// A graph without loops and without parallel edges.
#[derive(Clone, Debug)]
pub(crate) struct Graph<W> {
    /// Where each arc leads.
    head: Vec<u32>,
    /// The doubled weight of each edge.
    doubled: Vec<W>,
    out: Vec<Vec<Out>>,
    /// Numbers of edges that were removed.
    spare: Vec<usize>,
}

impl<W: Weight> Graph<W> {
    pub(crate) fn new(vertices: usize) -> Self {
        Self { head: Vec::new(), doubled: Vec::new(), out: vec![Vec::new(); vertices], spare: Vec::new() }
    }

    pub(crate) fn vertices(&self) -> usize {
        self.out.len()
    }

    pub(crate) fn out(&self, vertex: usize) -> &[Out] {
        &self.out[vertex]
    }

    #[inline]
    pub(crate) fn head(&self, arc: usize) -> usize {
        self.head[arc] as usize
    }

    #[inline]
    pub(crate) fn tail(&self, arc: usize) -> usize {
        self.head[back(arc)] as usize
    }

    /// The doubled weight of the edge of an arc.
    #[inline]
    pub(crate) fn doubled(&self, arc: usize) -> &W {
        &self.doubled[arc >> 1]
    }

    /// The arc from one vertex to another.
    pub(crate) fn arc(&self, from: usize, to: usize) -> Option<usize> {
        let out = &self.out[from];
        out.binary_search_by_key(&to, |out| out.to as usize).ok().map(|at| out[at].arc as usize)
    }

    /// Whether no edge can be added, because its arcs would have no numbers.
    pub(crate) fn is_full(&self) -> bool {
        self.spare.is_empty() && self.doubled.len() >= 1 << 31
    }

    /// Adds an edge that is not there yet, and gives its arc.
    pub(crate) fn add(&mut self, from: usize, to: usize, doubled: W) -> usize {
        let edge = self.spare.pop().unwrap_or(self.doubled.len());
        if edge == self.doubled.len() {
            self.doubled.push(doubled);
            self.head.extend([to as u32, from as u32]);
        } else {
            self.doubled[edge] = doubled;
            self.head[2 * edge] = to as u32;
            self.head[2 * edge + 1] = from as u32;
        }
        let arc = 2 * edge;
        for (vertex, to, arc) in [(from, to, arc), (to, from, back(arc))] {
            let out = &mut self.out[vertex];
            let at = out.partition_point(|out| (out.to as usize) < to);
            out.insert(at, Out { to: to as u32, arc: arc as u32 });
        }
        arc
    }

    pub(crate) fn set_doubled(&mut self, arc: usize, doubled: W) {
        self.doubled[arc >> 1] = doubled;
    }

    pub(crate) fn remove(&mut self, arc: usize) {
        for arc in [arc, back(arc)] {
            let (from, to) = (self.tail(arc), self.head(arc));
            self.out[from].retain(|out| out.to as usize != to);
        }
        self.spare.push(arc >> 1);
    }

    /// Removes some of the arcs at a vertex, given with where they lead, in the order of their heads.
    pub(crate) fn remove_at(&mut self, vertex: usize, gone: &[(usize, usize)]) {
        for (to, arc) in gone {
            let out = &mut self.out[*to];
            if let Ok(at) = out.binary_search_by_key(&vertex, |out| out.to as usize) {
                out.remove(at);
            }
            self.spare.push(arc >> 1);
        }
        self.out[vertex].retain(|out| gone.binary_search_by_key(&(out.to as usize), |(to, _)| *to).is_err());
    }

    /// Adds to the doubled weight of every edge.
    pub(crate) fn lift(&mut self, by: &W) {
        for doubled in &mut self.doubled {
            *doubled = doubled.plus(by);
        }
    }

    /// Every edge once, as the arc from its lower vertex, in the order of both vertices.
    pub(crate) fn edges(&self) -> impl Iterator<Item = usize> + '_ {
        let upwards = |(from, out): (usize, &Out)| (out.to as usize > from).then_some(out.arc as usize);
        let all = self.out.iter().enumerate().flat_map(|(from, out)| out.iter().map(move |out| (from, out)));
        all.filter_map(upwards)
    }
}
