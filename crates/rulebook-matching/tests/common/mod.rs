//! What the tests share: random numbers, random graphs, and the best matching by trying all.
#![expect(clippy::unwrap_used, reason = "tests may fail loudly")]

use rulebook_matching::{Goal, Matcher, Weight};

/// Random numbers that are the same everywhere: SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, count: u64) -> u64 {
        self.next() % count
    }

    pub(crate) fn within(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }
}

/// The edges of a graph.
pub(crate) type Edges = Vec<(usize, usize, i64)>;

/// A graph in which each pair is an edge with some chance in a hundred.
pub(crate) fn graph(random: &mut Random, count: usize, chance: u64, low: i64, high: i64) -> Edges {
    let mut edges = Vec::new();
    for a in 0..count {
        for b in a + 1..count {
            if random.below(100) < chance {
                edges.push((a, b, random.within(low, high)));
            }
        }
    }
    edges
}

/// A weight as the goal sees it: how many edges, if they count, and the sum.
pub(crate) type Worth = (i64, i64);

/// What the best matching is worth, by trying all.
pub(crate) fn brute(count: usize, goal: Goal, edges: &[(usize, usize, i64)]) -> Worth {
    let mut weight = vec![vec![None; count]; count];
    for (a, b, w) in edges {
        weight[*a][*b] = Some(*w);
        weight[*b][*a] = Some(*w);
    }
    // For each set of vertices the best among them, by whom the lowest is matched with.
    let mut best = vec![(0, 0); 1 << count];
    for set in 1_usize..1 << count {
        let low = set.trailing_zeros() as usize;
        let rest = set & (set - 1);
        let mut most: Worth = best[rest];
        for other in low + 1..count {
            if rest >> other & 1 == 1
                && let Some(w) = weight[low][other]
            {
                let (edges, sum) = best[rest & !(1 << other)];
                let one = i64::from(goal == Goal::Cardinality);
                most = most.max((edges + one, sum + w));
            }
        }
        best[set] = most;
    }
    best[(1 << count) - 1]
}

/// What the matching of a matcher is worth.
pub(crate) fn worth(matcher: &Matcher<i64>) -> Worth {
    let edges = if matcher.goal() == Goal::Cardinality { matcher.pairs().count() as i64 } else { 0 };
    (edges, matcher.total().unwrap())
}

/// A matcher with some edges, not solved.
pub(crate) fn matcher<W: Weight>(
    count: usize,
    goal: Goal,
    edges: &[(usize, usize, i64)],
    weight: impl Fn(i64) -> W,
) -> Matcher<W> {
    let mut matcher = Matcher::new(count, goal).unwrap();
    for (a, b, w) in edges {
        matcher.set_weight(*a, *b, weight(*w)).unwrap();
    }
    matcher
}

pub(crate) const GOALS: [Goal; 2] = [Goal::Weight, Goal::Cardinality];
