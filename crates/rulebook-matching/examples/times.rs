//! How long matchings in complete graphs take, by size, width and kind of the weights.
//!
//! `cargo run --release -p rulebook-matching --example times` prints a table; numbers of vertices may follow.
//!
//! The kinds are: `random`, in which every bit is; `ties`, in which a hundred criteria are 0, 1 or 2, the first of
//! them mostly 0; `groups`, in which vertices stand in groups, belong with their own, and within it the upper half
//! with the lower; and `product`, in which all vertices want the same few.
//! `all edges` is the search with every pair as an edge from the beginning, `change` the time to go on after the
//! weights at one vertex have changed.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::time::{Duration, Instant};

use rulebook_matching::{Fields, Goal, Matcher, Refusal, Weight, Wide};

fn main() -> Result<(), Box<dyn Error>> {
    let sizes: Vec<usize> = std::env::args().skip(1).map(|size| size.parse()).collect::<Result<_, _>>()?;
    let sizes = if sizes.is_empty() { vec![100, 500, 1000] } else { sizes };
    println!("    kind  bits  vertices      solve      edges     change  all edges");
    for &size in &sizes {
        for kind in ["random", "ties", "groups", "product"] {
            line::<Wide<9>>(kind, size, 512)?;
        }
    }
    for &size in &sizes {
        line::<Wide<2>>("groups", size, 100)?;
        line::<Wide<33>>("groups", size, 2000)?;
    }
    Ok(())
}

/// One line of the table.
fn line<W: Weight>(kind: &str, size: usize, bits: u32) -> Result<(), Refusal> {
    let weights = weights::<W>(kind, size, bits)?;
    let weight = |a: usize, b: usize| Some(weights[a * size + b].clone());
    let mut matcher = Matcher::new(size, Goal::Cardinality)?;
    let (solved, took) = timed(|| matcher.solve_complete(weight));
    solved?;
    let edges = matcher.edges().count();
    let found = matcher.verify_complete(weight);
    assert_eq!(found, Ok(()), "the proof of the matching");

    // The weights at one vertex, turned around.
    let moved = size / 2;
    let turned = |a: usize, b: usize| {
        if a == moved || b == moved {
            weight(a, size - 1 - b).map(|w| W::zero().minus(&w))
        } else {
            weight(a, b)
        }
    };
    let mut changed = matcher.clone();
    let (solved, change) = timed(|| changed.solve_complete(turned));
    solved?;
    assert_eq!(changed.verify_complete(turned), Ok(()), "the proof after the change");

    let all = if size <= 1000 {
        let mut matcher = Matcher::new(size, Goal::Cardinality)?;
        for a in 0..size {
            for b in a + 1..size {
                matcher.set_weight(a, b, weights[a * size + b].clone())?;
            }
        }
        let ((), took) = timed(|| matcher.solve());
        shown(took)
    } else {
        String::new()
    };
    println!("{kind:>8} {bits:>5} {size:>9} {:>10} {edges:>10} {:>10} {all:>10}", shown(took), shown(change));
    Ok(())
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let (start, before) = (Instant::now(), on_processor());
    let result = work();
    let spent = on_processor().zip(before).map(|(after, before)| after.saturating_sub(before));
    (result, spent.unwrap_or(start.elapsed()))
}

/// How long this thread has been on a processor, where the system tells it: on a machine that does other things at
/// the same time, that says more than a clock.
fn on_processor() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

fn shown(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

/// The weights of all pairs, row by row.
fn weights<W: Weight>(kind: &str, size: usize, bits: u32) -> Result<Vec<W>, Refusal> {
    let mut random = Random(size as u64);
    let mut weights = vec![W::zero(); size * size];
    let criteria = criteria(kind, size, bits);
    for a in 0..size {
        for b in a + 1..size {
            let weight: W = match &criteria {
                None if kind == "random" => {
                    let words = (0..bits / 32).map(|word| (word * 32, (random.next() >> 32) as i64));
                    words.fold(W::zero(), |sum, (shift, value)| sum.plus_scaled(value, shift))
                }
                None => W::zero().plus_scaled(((size - a) * (size - b)) as i64, bits - 32),
                Some(fields) if kind == "ties" => {
                    let values: Vec<i64> = (0..fields.len())
                        .map(|at| (random.next() % (6 + 40 / (at as u64 + 1))) as i64 / 4 % 3)
                        .collect();
                    fields.fields.pack(&values)?
                }
                Some(fields) => fields.fields.pack(&group_values(fields.len(), size, a, b))?,
            };
            weights[a * size + b] = weight.clone();
            weights[b * size + a] = weight;
        }
    }
    Ok(weights)
}

/// A layout with the number of its criteria.
struct Criteria {
    fields: Fields,
    count: usize,
}

impl Criteria {
    fn len(&self) -> usize {
        self.count
    }
}

/// As many criteria as there are bits for.
fn criteria(kind: &str, size: usize, bits: u32) -> Option<Criteria> {
    let range = match kind {
        "ties" => 0..=2,
        "groups" => -(size as i64)..=1,
        _ => return None,
    };
    let mut count = 1;
    while Fields::new(&vec![range.clone(); count + 1], size / 2).bits() <= bits {
        count += 1;
    }
    Some(Criteria { fields: Fields::new(&vec![range; count], size / 2), count })
}

/// The criteria of a pair where vertices stand in groups: how far the groups are apart, one criterion for each group
/// from the first one on, then whether some mark differs, then how far the pair is from upper against lower half.
fn group_values(count: usize, size: usize, a: usize, b: usize) -> Vec<i64> {
    let groups = count.saturating_sub(3).max(1);
    let group = |vertex: usize| vertex * groups / size;
    let mark = |vertex: usize| (vertex as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61;
    let half = (size / groups / 2).max(1);
    let mut values = vec![0; count];
    if group(a) != group(b) {
        values[group(a).min(count - 1)] = -((group(b) - group(a)).min(size) as i64);
    }
    if count > 3 {
        values[count - 3] = i64::from(mark(a) % 2 != mark(b) % 2);
        values[count - 2] = i64::from(mark(a) != mark(b));
        values[count - 1] = -((b - a).abs_diff(half) as i64);
    }
    values
}

/// Random numbers that are the same everywhere: SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
