//! After changes the matching is again the best there is, from wherever the search goes on.

mod common;

use common::{Edges, GOALS, Random, brute, graph, matcher, worth};
use rulebook_matching::{Goal, Matcher, Refusal};

#[test]
fn every_change_of_a_small_graph_agrees_with_trying_all() {
    let mut random = Random(11);
    for round in 0..300 {
        let count = 2 + random.below(9) as usize;
        let goal = GOALS[round % 2];
        let high = [2, 9, 1000][round % 3];
        let mut edges = graph(&mut random, count, 70, -1, high);
        let mut matcher = matcher(count, goal, &edges, |w| w);
        matcher.solve();
        for _ in 0..30 {
            for _ in 0..1 + random.below(3) {
                let (a, b) = (random.below(count as u64) as usize, random.below(count as u64) as usize);
                if a == b {
                    continue;
                }
                let (a, b) = (a.min(b), a.max(b));
                let known = edges.iter().position(|(from, to, _)| (*from, *to) == (a, b));
                if random.below(4) == 0 {
                    assert_eq!(matcher.remove(b, a), known.is_some());
                    known.map(|at| edges.remove(at));
                } else {
                    let weight = random.within(-1, high);
                    matcher.set_weight(b, a, weight).unwrap();
                    assert_eq!(matcher.weight(a, b), Some(weight));
                    known.map(|at| edges.remove(at));
                    edges.push((a, b, weight));
                }
            }
            matcher.solve();
            assert_eq!(matcher.verify(), Ok(()), "{goal:?} {edges:?}");
            assert_eq!(worth(&matcher), brute(count, goal, &edges), "{goal:?} {edges:?}");
        }
    }
}

/// Large enough for blossoms that lie deep in each other, and for changes within them; the proof says whether the
/// result is right.
#[test]
fn every_change_of_a_larger_graph_is_proved() {
    let mut random = Random(14);
    for goal in GOALS {
        for high in [2, 100_000] {
            let count = 61;
            let edges = graph(&mut random, count, 100, 0, high);
            let mut matcher = matcher(count, goal, &edges, |w| w);
            for _ in 0..60 {
                matcher.solve();
                assert_eq!(matcher.verify(), Ok(()));
                let a = random.below(60) as usize;
                let b = matcher.partner(a).unwrap_or(60);
                if a != b {
                    matcher.set_weight(a, b, random.within(0, high)).unwrap();
                }
                matcher.remove(a, random.below(61) as usize);
            }
        }
    }
}

#[test]
fn wider_weights_that_come_later_are_taken_in() {
    let mut random = Random(12);
    for goal in GOALS {
        let mut matcher = Matcher::<i128>::new(20, goal).unwrap();
        for bits in (1..90).step_by(4) {
            for _ in 0..8 {
                let (a, b) = (random.below(20) as usize, random.below(20) as usize);
                if a != b {
                    matcher.set_weight(a, b, i128::from(random.within(-9, 9)) << bits).unwrap();
                }
            }
            matcher.solve();
            assert_eq!(matcher.verify(), Ok(()));
            let mut again = Matcher::new(20, goal).unwrap();
            matcher.edges().for_each(|(a, b, weight)| again.set_weight(a, b, weight).unwrap());
            again.solve();
            assert_eq!(matcher.total(), again.total());
            assert_eq!(matcher.pairs().count() > 0, again.pairs().count() > 0);
        }
    }
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut matcher = Matcher::<i64>::new(3, Goal::Cardinality).unwrap();
    let widest = Matcher::<i64>::widest(3, Goal::Cardinality);
    assert_eq!(widest, 63 - 4 - 1 - 2);
    assert_eq!(matcher.set_weight(0, 0, 1), Err(Refusal::Loop));
    assert_eq!(matcher.set_weight(0, 3, 1), Err(Refusal::UnknownVertex));
    let wide = Refusal::TooWide { bits: widest + 1, widest };
    assert_eq!(matcher.set_weight(0, 1, 1 << widest), Err(wide));
    assert_eq!(matcher.set_weight(0, 1, (1 << widest) - 1), Ok(()));
    assert_eq!(matcher.set_weight(0, 1, -1 << widest), Ok(()));
    assert_eq!(matcher.weight(1, 0), Some(-1 << widest));
    assert_eq!(matcher.weight(0, 9), None);
    assert_eq!(matcher.partner(9), None);
    assert!(!matcher.remove(1, 2));
    assert!(!matcher.remove(7, 2));
    matcher.solve();
    assert_eq!(matcher.verify(), Ok(()));
}

#[test]
fn complete_graphs_agree_with_all_their_edges() {
    let mut random = Random(13);
    for round in 0..60 {
        let count = 2 + random.below(70) as usize;
        let chance = [100, 100, 60, 20][round % 4];
        let (low, high) = [(0, 0), (0, 2), (-9, 9), (0, 100_000)][round / 4 % 4];
        for goal in GOALS {
            let mut complete = Matcher::new(count, goal).unwrap();
            // Three graphs one after the other: each search goes on from the last.
            for _ in 0..3 {
                let edges: Edges = graph(&mut random, count, chance, low, high);
                let mut weights = vec![None; count * count];
                edges.iter().for_each(|(a, b, w)| weights[a * count + b] = Some(*w));
                let weight = |a: usize, b: usize| weights[a * count + b];
                complete.solve_complete(weight).unwrap();
                assert_eq!(complete.verify_complete(weight), Ok(()));
                let mut all = matcher(count, goal, &edges, |w| w);
                all.solve();
                assert_eq!(worth(&complete), worth(&all));
            }
        }
    }
}

/// A weight that is a product is the worst case for the choice of edges: all vertices want the same few.
#[test]
fn graphs_in_which_all_want_the_same_are_solved() {
    for count in [20_usize, 75] {
        for sign in [1, -1] {
            let weight = |a: usize, b: usize| Some(sign * (a as i64 + 1) * (b as i64 + 1));
            for goal in GOALS {
                let mut matcher = Matcher::new(count, goal).unwrap();
                matcher.solve_complete(weight).unwrap();
                assert_eq!(matcher.verify_complete(weight), Ok(()));
            }
        }
    }
}

#[test]
fn a_wrong_proof_is_found_out() {
    let edges = [(0, 1, 5), (1, 2, 6), (0, 2, 7), (2, 3, 1)];
    let mut matcher = matcher(4, Goal::Weight, &edges, |w| w);
    matcher.solve();
    let proof = matcher.proof();
    let partners: Vec<_> = (0..4).map(|vertex| matcher.partner(vertex)).collect();
    assert_eq!(proof.check(Goal::Weight, &partners, edges), Ok(()));
    for at in 0..4 {
        for by in [-2, 2] {
            let mut wrong = proof.clone();
            wrong.values[at] += by;
            assert!(wrong.check(Goal::Weight, &partners, edges).is_err(), "{at} {by}");
        }
    }
    for (at, partner) in [(0, None), (0, Some(0)), (0, Some(3)), (3, Some(9))] {
        let mut wrong = partners.clone();
        wrong[at] = partner;
        assert!(proof.check(Goal::Weight, &wrong, edges).is_err(), "{at} {partner:?}");
    }
    assert!(proof.check(Goal::Cardinality, &partners, edges).is_err());
    assert!(proof.check(Goal::Weight, &partners, [(0, 1, 50)]).is_err());
}
