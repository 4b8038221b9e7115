//! Matchings are the best there are: by trying all, by another implementation, and by their proofs.

mod common;

use common::{Edges, GOALS, Random, brute, graph, matcher, worth};
use integer_blossom::max_weight_matching;
use rulebook_matching::{Goal, Matcher, Weight, Wide};

/// Solves a graph with both goals, checks the proof, and compares with trying all.
#[track_caller]
fn compare_with_brute(count: usize, edges: &Edges) {
    for goal in GOALS {
        let mut matcher = matcher(count, goal, edges, |w| w);
        matcher.solve();
        assert_eq!(matcher.verify(), Ok(()), "{goal:?} {count} {edges:?}");
        assert_eq!(worth(&matcher), brute(count, goal, edges), "{goal:?} {count} {edges:?}");
    }
}

#[test]
fn small_graphs_agree_with_trying_all() {
    let mut random = Random(1);
    for round in 0..6000 {
        let count = 1 + random.below(10) as usize;
        let chance = [30, 50, 80, 100][round % 4];
        let (low, high) = [(0, 3), (1, 1), (-5, 9), (0, 1), (1, 1000), (-1000, 10)][round % 6];
        compare_with_brute(count, &graph(&mut random, count, chance, low, high));
    }
}

#[test]
fn no_vertices_and_no_edges_are_a_graph() {
    for goal in GOALS {
        for count in 0..3 {
            let mut matcher = Matcher::<i64>::new(count, goal).unwrap();
            matcher.solve();
            assert_eq!(matcher.pairs().count(), 0);
            assert_eq!(matcher.is_perfect(), count == 0);
            assert_eq!(matcher.verify(), Ok(()));
        }
    }
}

/// Graphs made so that blossoms close within blossoms, open while they are inner, and change their base.
#[test]
fn nested_blossoms_agree_with_trying_all() {
    let mut random = Random(2);
    for _ in 0..3000 {
        // A cycle of odd length that weighs much, chords, and stems that weigh little.
        let ring = 3 + 2 * random.below(3) as usize;
        let count = ring + 1 + random.below(3) as usize;
        let mut weight = std::collections::BTreeMap::new();
        for at in 0..ring {
            let next = (at + 1) % ring;
            weight.insert((at.min(next), at.max(next)), random.within(8, 11));
            let two = (at + 2) % ring;
            if random.below(3) == 0 {
                weight.entry((at.min(two), at.max(two))).or_insert(random.within(6, 11));
            }
        }
        for stem in ring..count {
            for _ in 0..2 {
                weight.insert((random.below(ring as u64) as usize, stem), random.within(3, 9));
            }
        }
        // Other numbers, so that searches begin anywhere.
        let mut names: Vec<usize> = (0..count).collect();
        (1..count).for_each(|at| names.swap(at, random.below(at as u64 + 1) as usize));
        let edges: Edges = weight.into_iter().map(|((a, b), w)| (names[a], names[b], w)).collect();
        compare_with_brute(count, &edges);
    }
}

/// What another implementation finds; edges of no or negative weight are none for it.
fn other(count: usize, edges: &Edges) -> i64 {
    let mut weights = vec![0_i64; count * count];
    for (a, b, w) in edges {
        weights[a * count + b] = *w;
        weights[b * count + a] = *w;
    }
    let mates = max_weight_matching(&weights, count);
    let pairs = mates.iter().enumerate().filter_map(|(a, b)| b.filter(|b| a < *b).map(|b| (a, b)));
    pairs.map(|(a, b)| weights[a * count + b]).sum()
}

#[test]
fn larger_graphs_agree_with_another_implementation() {
    let mut random = Random(3);
    for round in 0..400 {
        let count = 10 + random.below(60) as usize;
        let chance = [5, 10, 30, 100][round % 4];
        let (low, high) = [(1, 2), (1, 1), (1, 10), (1, 100_000), (90, 100)][round % 5];
        let edges = graph(&mut random, count, chance, low, high);
        let mut plain = matcher(count, Goal::Weight, &edges, |w| w);
        plain.solve();
        assert_eq!(plain.verify(), Ok(()));
        assert_eq!(plain.total(), Some(other(count, &edges)));
        // With a bonus for each edge the other one finds the most edges too.
        let raised: Edges = edges.iter().map(|(a, b, w)| (*a, *b, w + 1_000_000_000)).collect();
        let mut most = matcher(count, Goal::Cardinality, &edges, |w| w);
        most.solve();
        assert_eq!(most.verify(), Ok(()));
        let (pairs, sum) = worth(&most);
        assert_eq!(pairs * 1_000_000_000 + sum, other(count, &raised));
    }
}

#[test]
fn dense_graphs_of_even_order_have_perfect_matchings() {
    let mut random = Random(4);
    for count in [2, 30, 100] {
        let edges = graph(&mut random, count, 100, -50, 50);
        let mut matcher = matcher(count, Goal::Cardinality, &edges, i128::from);
        matcher.solve();
        assert!(matcher.is_perfect());
        assert_eq!(matcher.verify(), Ok(()));
    }
}

/// The widest weights agree with the plain ones of which they are made: pair for pair, for only the order of sums
/// decides what the search does.
#[test]
fn wide_weights_agree_with_plain_ones() {
    let mut random = Random(5);
    for round in 0..200 {
        let count = 2 + random.below(40) as usize;
        let edges = graph(&mut random, count, [20, 60, 100][round % 3], -20, [5, 1000][round % 2]);
        for goal in GOALS {
            let mut plain = matcher(count, goal, &edges, i128::from);
            // In the middle of eight words, and across the border of two.
            let mut wide = matcher(count, goal, &edges, |w| Wide::<8>::zero().plus_scaled(w, 250));
            plain.solve();
            wide.solve();
            assert!(plain.pairs().eq(wide.pairs()));
            assert_eq!(wide.verify(), Ok(()));
        }
    }
}

/// As wide as the type allows, on both sides of zero: nothing overflows.
#[test]
fn the_widest_weights_are_reckoned_exactly() {
    let mut random = Random(6);
    for count in 2..=10 {
        for goal in GOALS {
            let widest = Matcher::<i64>::widest(count, goal);
            let most = 1 << widest;
            for _ in 0..100 {
                let edges = graph(&mut random, count, 70, -most, most - 1);
                let mut matcher = matcher(count, goal, &edges, |w| w);
                matcher.solve();
                assert_eq!(matcher.verify(), Ok(()));
                let wide: Edges = edges.iter().map(|(a, b, w)| (*a, *b, w >> 12)).collect();
                compare_with_brute(count, &wide);
            }
        }
    }
}

#[test]
fn the_same_input_gives_the_same_matching() {
    let mut random = Random(7);
    let mut edges = graph(&mut random, 60, 40, 0, 2);
    let mut one = matcher(60, Goal::Cardinality, &edges, |w| w);
    one.solve();
    // The order in which edges come is not part of the input.
    (1..edges.len()).for_each(|at| edges.swap(at, random.below(at as u64 + 1) as usize));
    let turned: Edges = edges.iter().map(|(a, b, w)| (*b, *a, *w)).collect();
    let mut other = matcher(60, Goal::Cardinality, &turned, |w| w);
    other.solve();
    assert!(one.pairs().eq(other.pairs()));
    assert_eq!(one.proof(), other.proof());
}
