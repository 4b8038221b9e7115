//! One search: from a free vertex to a matching in which that vertex lacks nothing.
//!
//! The search grows a single tree of alternating paths, whose root is the free vertex.
//! Nodes at an even distance from the root are outer, those at an odd distance inner; everything else is outside.
//! Dual values change as time passes: those of outer vertices fall, those of inner ones rise, and those of
//! blossoms change twice as fast the other way.
//! When an edge loses its slack, the tree grows, or a cycle closes to a blossom; when an inner blossom has no value
//! left, it opens.
//! The search ends at a free vertex outside, with which the path is augmented, or when an outer vertex has no
//! value left, which then is free in place of the root.
//!
//! The method is that of Edmonds, "Maximum matching and a polyhedron with 0,1-vertices" (1965), with the dual
//! adjustment as it is described by Galil, "Efficient algorithms for finding maximum matching in graphs" (1986).
//! Values are kept relative to the time, so that nothing is touched whose part does not change: an event has a
//! time at which it happens, and that time stays.
//! What could only happen after a known end is dropped when it is seen.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::graph::{Graph, NONE, back};
use crate::heap::Heap;
use crate::state::State;
use crate::weight::Weight;

/// What part a vertex has in a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Outside,
    Outer,
    Inner,
}

/// How a search ends.
#[derive(Clone, Copy, Debug)]
enum End {
    /// Along an arc to a node that is free.
    Partner(usize),
    /// With an outer vertex whose dual value is zero.
    Idle(usize),
}

/// What happens next, other than the end.
enum Event {
    /// An arc out of an outer node loses its slack.
    Tight(usize),
    /// An inner blossom has no value left.
    Open(usize),
}

/// Room for searches, to be used again and again.
///
/// Within a search the dual values of vertices and outermost blossoms in the tree are relative to the time: an
/// outer vertex has the value `y - now`, an inner one `y + now`, an outer blossom `z + 2 now`, an inner one
/// `z - 2 now`.
#[derive(Clone, Debug)]
pub(crate) struct Search<W> {
    part: Vec<Part>,
    /// The arc by which each inner node was reached.
    entry: Vec<usize>,
    /// For each vertex that is not outer, the arc from an outer vertex with the least slack, and the value of its
    /// tail less its weight.
    best: Vec<usize>,
    best_key: Vec<W>,
    /// Vertices that have an entry in `best`, and those that were in the tree.
    seen: Vec<usize>,
    reached: Vec<usize>,
    /// Outer vertices whose arcs are still to be looked at.
    queue: VecDeque<usize>,
    /// Arcs that have no slack at this moment.
    tight: VecDeque<usize>,
    /// When vertices outside will be reached, by their best arcs.
    outside: Heap<W>,
    /// Twice the time at which edges between outer nodes lose their slack.
    cycles: BinaryHeap<Reverse<(W, usize)>>,
    /// Twice the time at which inner blossoms open.
    opens: BinaryHeap<Reverse<(W, usize)>>,
    now: W,
    now_twice: W,
    /// The earliest end that is known.
    limit: W,
    limit_twice: W,
    end: End,
    /// For each node the last walk that came by.
    mark: Vec<usize>,
    walk: usize,
    /// Blossoms that closed in this search.
    made: Vec<usize>,
}

impl<W: Weight> Search<W> {
    pub(crate) fn new(vertices: usize) -> Self {
        Self {
            part: vec![Part::Outside; vertices],
            entry: vec![NONE; vertices],
            best: vec![NONE; vertices],
            best_key: vec![W::zero(); vertices],
            seen: Vec::new(),
            reached: Vec::new(),
            queue: VecDeque::new(),
            tight: VecDeque::new(),
            outside: Heap::new(vertices, &W::zero()),
            cycles: BinaryHeap::new(),
            opens: BinaryHeap::new(),
            now: W::zero(),
            now_twice: W::zero(),
            limit: W::zero(),
            limit_twice: W::zero(),
            end: End::Idle(NONE),
            mark: vec![0; vertices],
            walk: 0,
            made: Vec::new(),
        }
    }

    /// Searches from a free vertex, which must be lacking.
    ///
    /// Takes time in O(m log n) for m edges at the vertices in the tree, and O(n) for each blossom that closes or
    /// opens, of which there are O(n).
    pub(crate) fn run(&mut self, graph: &Graph<W>, state: &mut State<W>, root: usize) {
        self.now = W::zero();
        self.now_twice = W::zero();
        self.set_limit(state.y[root].clone(), End::Idle(root));
        self.add_outer(state, state.nest.top(root));
        while self.now < self.limit {
            if let Some(vertex) = self.queue.pop_front() {
                self.scan(graph, state, vertex);
            } else if let Some(arc) = self.tight.pop_front() {
                self.follow(graph, state, arc);
            } else {
                match self.advance(graph, state) {
                    Some(Event::Tight(arc)) => self.follow(graph, state, arc),
                    Some(Event::Open(node)) => self.open(graph, state, node),
                    None => break,
                }
            }
        }
        self.finish(graph, state);
    }

    fn set_limit(&mut self, limit: W, end: End) {
        self.limit_twice = limit.plus(&limit);
        self.limit = limit;
        self.end = end;
    }

    fn make_room(&mut self, state: &mut State<W>) {
        let nodes = state.nest.nodes();
        self.entry.resize(nodes, NONE);
        self.mark.resize(nodes, 0);
        state.z.resize(state.nest.blossom(nodes), W::zero());
    }

    /// Takes an outermost node from outside into the tree as an outer one.
    fn add_outer(&mut self, state: &mut State<W>, node: usize) {
        for leaf in state.nest.leaves(node) {
            let y = state.y[leaf].plus(&self.now);
            self.make_outer(state, leaf, y);
        }
        if state.nest.is_blossom(node) {
            let z = &mut state.z[state.nest.blossom(node)];
            *z = z.minus(&self.now_twice);
        }
    }

    /// Makes a vertex an outer one, with its value relative to the time.
    fn make_outer(&mut self, state: &mut State<W>, vertex: usize, y: W) {
        if self.part[vertex] == Part::Outside {
            self.reached.push(vertex);
        }
        self.part[vertex] = Part::Outer;
        if y < self.limit {
            self.set_limit(y.clone(), End::Idle(vertex));
        }
        state.y[vertex] = y;
        self.queue.push_back(vertex);
    }

    /// Takes an outermost node from outside into the tree as an inner one, reached by an arc.
    fn add_inner(&mut self, state: &mut State<W>, node: usize, arc: usize) {
        for leaf in state.nest.leaves(node) {
            self.part[leaf] = Part::Inner;
            self.reached.push(leaf);
            state.y[leaf] = state.y[leaf].minus(&self.now);
        }
        self.enter(state, node, arc);
    }

    /// Notes by which arc an inner node is reached, and when it opens.
    fn enter(&mut self, state: &mut State<W>, node: usize, arc: usize) {
        self.entry[node] = arc;
        if state.nest.is_blossom(node) {
            let z = &mut state.z[state.nest.blossom(node)];
            *z = z.plus(&self.now_twice);
            if *z < self.limit_twice {
                self.opens.push(Reverse((z.clone(), node)));
            }
        }
    }

    /// Looks at the arcs out of an outer vertex.
    fn scan(&mut self, graph: &Graph<W>, state: &State<W>, vertex: usize) {
        let node = state.nest.top(vertex);
        let y = &state.y[vertex];
        for out in graph.out(vertex) {
            let (to, arc) = (out.to as usize, out.arc as usize);
            match self.part[to] {
                Part::Outer => {
                    if state.nest.top(to) == node {
                        continue;
                    }
                    let twice = y.minus(graph.doubled(arc)).plus(&state.y[to]);
                    if twice == self.now_twice {
                        self.tight.push_back(arc);
                    } else if twice < self.limit_twice {
                        self.cycles.push(Reverse((twice, arc)));
                    }
                }
                part => {
                    let key = y.minus(graph.doubled(arc));
                    if self.best[to] == NONE {
                        self.seen.push(to);
                    } else if key >= self.best_key[to] {
                        continue;
                    }
                    self.best[to] = arc;
                    self.best_key[to] = key;
                    if part == Part::Outside {
                        self.expect(state, to);
                        if self.now >= self.limit {
                            return;
                        }
                    }
                }
            }
        }
    }

    /// Notes when a vertex outside will be reached by its best arc.
    fn expect(&mut self, state: &State<W>, vertex: usize) {
        let time = self.best_key[vertex].plus(&state.y[vertex]);
        if time > self.limit {
            return;
        }
        let arc = self.best[vertex];
        if state.is_free(state.nest.top(vertex)) {
            if time < self.limit || matches!(self.end, End::Idle(_)) {
                self.set_limit(time, End::Partner(arc));
            }
        } else if time < self.limit {
            if time == self.now {
                self.tight.push_back(arc);
            } else {
                self.outside.set(vertex, time);
            }
        }
    }

    /// Goes on to the next event, or to the end if that comes first.
    fn advance(&mut self, graph: &Graph<W>, state: &State<W>) -> Option<Event> {
        while let Some((vertex, _)) = self.outside.first() {
            if self.part[vertex] == Part::Outside {
                break;
            }
            self.outside.remove(vertex);
        }
        while let Some(Reverse((_, arc))) = self.cycles.peek() {
            if state.nest.top(graph.tail(*arc)) != state.nest.top(graph.head(*arc)) {
                break;
            }
            self.cycles.pop();
        }
        while let Some(Reverse((z, node))) = self.opens.peek() {
            if self.is_inner_blossom(state, *node) && state.z[state.nest.blossom(*node)] == *z {
                break;
            }
            self.opens.pop();
        }
        let mut next = self.limit_twice.clone();
        let mut event = None;
        if let Some((vertex, time)) = self.outside.first() {
            let twice = time.plus(time);
            if twice < next {
                next = twice;
                event = Some(Event::Tight(self.best[vertex]));
            }
        }
        if let Some(Reverse((twice, arc))) = self.cycles.peek()
            && *twice < next
        {
            next = twice.clone();
            event = Some(Event::Tight(*arc));
        }
        if let Some(Reverse((twice, node))) = self.opens.peek()
            && *twice < next
        {
            next = twice.clone();
            event = Some(Event::Open(*node));
        }
        self.now = next.half();
        self.now_twice = next;
        event
    }

    fn is_inner_blossom(&self, state: &State<W>, node: usize) -> bool {
        state.nest.is_outermost_blossom(node) && self.part[state.nest.base(node)] == Part::Inner
    }

    /// Takes up an arc without slack out of an outer node.
    fn follow(&mut self, graph: &Graph<W>, state: &mut State<W>, arc: usize) {
        let to = graph.head(arc);
        match self.part[to] {
            Part::Outside => {
                let node = state.nest.top(to);
                self.add_inner(state, node, arc);
                let partner = graph.head(state.mate[state.nest.base(node)]);
                self.add_outer(state, state.nest.top(partner));
            }
            Part::Outer if state.nest.top(graph.tail(arc)) != state.nest.top(to) => {
                self.close(graph, state, arc);
            }
            _ => {}
        }
    }

    /// The arcs from an outer node to the inner one above it, and from there to the next outer one.
    fn above(&self, graph: &Graph<W>, state: &State<W>, node: usize) -> Option<[usize; 2]> {
        let first = state.mate[state.nest.base(node)];
        (first != NONE).then(|| [first, back(self.entry[state.nest.top(graph.head(first))])])
    }

    /// Makes a blossom of the cycle that an arc between two outer nodes closes.
    fn close(&mut self, graph: &Graph<W>, state: &mut State<W>, arc: usize) {
        let ends = [state.nest.top(graph.tail(arc)), state.nest.top(graph.head(arc))];
        let join = self.join(graph, state, ends);
        let climb = |mut node: usize| {
            let (mut nodes, mut arcs) = (Vec::new(), Vec::new());
            while node != join {
                let Some(pair) = self.above(graph, state, node) else { break };
                nodes.extend([node, state.nest.top(graph.tail(pair[1]))]);
                arcs.extend(pair);
                node = state.nest.top(graph.head(pair[1]));
            }
            (nodes, arcs)
        };
        let (down, down_arcs) = climb(ends[0]);
        let (up, up_arcs) = climb(ends[1]);
        let kids: Vec<usize> = [join].into_iter().chain(down.into_iter().rev()).chain(up).collect();
        let links = down_arcs.into_iter().rev().map(back).chain([arc]).chain(up_arcs).collect();
        let mut fresh = Vec::new();
        for &kid in &kids {
            let inner = self.part[state.nest.base(kid)] == Part::Inner;
            if inner {
                fresh.push(kid);
            }
            if state.nest.is_blossom(kid) {
                let z = &mut state.z[state.nest.blossom(kid)];
                *z = if inner { z.minus(&self.now_twice) } else { z.plus(&self.now_twice) };
            }
        }
        let node = state.nest.close(kids, links);
        self.make_room(state);
        state.z[state.nest.blossom(node)] = W::zero().minus(&self.now_twice);
        self.made.push(node);
        for kid in fresh {
            for leaf in state.nest.leaves(kid) {
                let y = state.y[leaf].plus(&self.now_twice);
                self.make_outer(state, leaf, y);
            }
        }
    }

    /// The lowest outer node that is above both of two.
    fn join(&mut self, graph: &Graph<W>, state: &State<W>, ends: [usize; 2]) -> usize {
        self.walk += 1;
        let [mut one, mut other] = ends.map(Some);
        // Both ways lead to the root, so they meet at the latest there.
        while one.is_some() || other.is_some() {
            if let Some(node) = one {
                if self.mark[node] == self.walk {
                    return node;
                }
                self.mark[node] = self.walk;
                one = self.above(graph, state, node).map(|pair| state.nest.top(graph.head(pair[1])));
            }
            std::mem::swap(&mut one, &mut other);
        }
        NONE
    }

    /// Opens an inner blossom without value: the way from where it was entered to its base stays in the tree, and
    /// the rest is outside again.
    fn open(&mut self, graph: &Graph<W>, state: &mut State<W>, node: usize) {
        let arc = self.entry[node];
        let first = state.nest.kid_with(node, graph.head(arc));
        state.z[state.nest.blossom(node)] = W::zero();
        let (kids, links) = state.nest.open(node);
        // The side on which the number of links to the base is even.
        let forwards = first % 2 == 1;
        let steps = if forwards { kids.len() - first } else { first };
        let mut arc = arc;
        for step in 0..=steps {
            let at = if forwards { (first + step) % kids.len() } else { first - step };
            if step % 2 == 0 {
                self.enter(state, kids[at], arc);
                continue;
            }
            for leaf in state.nest.leaves(kids[at]) {
                let y = state.y[leaf].plus(&self.now_twice);
                self.make_outer(state, leaf, y);
            }
            if state.nest.is_blossom(kids[at]) {
                let z = &mut state.z[state.nest.blossom(kids[at])];
                *z = z.minus(&self.now_twice);
            }
            arc = if forwards { links[at] } else { back(links[at - 1]) };
        }
        let other = if forwards { 1..first } else { first + 1..kids.len() };
        for kid in &kids[other] {
            let leaves = state.nest.leaves(*kid);
            for &leaf in &leaves {
                state.y[leaf] = state.y[leaf].plus(&self.now);
                self.part[leaf] = Part::Outside;
                self.outside.remove(leaf);
            }
            for leaf in leaves {
                if self.best[leaf] != NONE {
                    self.expect(state, leaf);
                }
            }
        }
    }

    /// Brings all values to what they are now, changes the matching, and makes room for the next search.
    fn finish(&mut self, graph: &Graph<W>, state: &mut State<W>) {
        for &vertex in &self.reached {
            let part = std::mem::replace(&mut self.part[vertex], Part::Outside);
            let y = &mut state.y[vertex];
            *y = match part {
                Part::Outside => continue,
                Part::Outer => y.minus(&self.now),
                Part::Inner => y.plus(&self.now),
            };
            let node = state.nest.top(vertex);
            if node != vertex && state.nest.base(node) == vertex {
                let z = &mut state.z[state.nest.blossom(node)];
                *z = if part == Part::Outer { z.plus(&self.now_twice) } else { z.minus(&self.now_twice) };
            }
        }
        match self.end {
            End::Partner(arc) => {
                let partner = graph.head(arc);
                let node = state.nest.top(partner);
                state.nest.rotate(graph, &mut state.mate, node, partner);
                state.mate[partner] = back(arc);
                self.flip(graph, state, graph.tail(arc), arc);
            }
            End::Idle(vertex) => self.flip(graph, state, vertex, NONE),
        }
        state.prune(std::mem::take(&mut self.made));
        self.reached.clear();
        for vertex in self.seen.drain(..) {
            self.best[vertex] = NONE;
        }
        self.queue.clear();
        self.tight.clear();
        self.outside.clear();
        self.cycles.clear();
        self.opens.clear();
    }

    /// Gives an outer vertex an arc as its mate, and moves every matched edge on the way to the root by one.
    fn flip(&self, graph: &Graph<W>, state: &mut State<W>, mut vertex: usize, mut arc: usize) {
        loop {
            let node = state.nest.top(vertex);
            let above = state.mate[state.nest.base(node)];
            state.nest.rotate(graph, &mut state.mate, node, vertex);
            state.mate[vertex] = arc;
            if above == NONE {
                return;
            }
            let inner = state.nest.top(graph.head(above));
            let entry = self.entry[inner];
            state.nest.rotate(graph, &mut state.mate, inner, graph.head(entry));
            state.mate[graph.head(entry)] = back(entry);
            (vertex, arc) = (graph.tail(entry), entry);
        }
    }
}
