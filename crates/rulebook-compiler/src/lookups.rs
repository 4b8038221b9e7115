//! Finds the multipliers by which what is seen along lines can be looked up.
//!
//! Law: a lookup gives the answer of the lines. The machine makes the tables itself and refuses a multiplier
//! that does not do, so a wrong one costs speed and never an answer.

use rulebook_machine::lane::{Lane, Reach};
use rulebook_machine::lookup::multiplier;
use rulebook_machine::program::{Board, Lookup};

/// The directions of the upper halves of the four lines.
const LINES: [(i8, i8); 4] = [(1, 0), (-1, 1), (0, 1), (1, 1)];

/// The families of lines that the lanes use, each with its multipliers.
pub(crate) fn lookups(board: &Board, lanes: &[Lane]) -> Vec<Lookup> {
    if board.len() > 64 {
        return Vec::new();
    }
    let reaches = lanes.iter().flat_map(|lane| {
        let shapes = lane.shapes.iter().map(|shape| &shape.reach);
        shapes.chain(lane.attacks.iter().flatten().map(|attack| &attack.reach))
    });
    let mut used: Vec<u8> = Vec::new();
    for reach in reaches {
        let Reach::Ray(directions) = reach else { continue };
        let both = (0..4).filter(|at| {
            let (files, ranks) = LINES[*at];
            directions.contains(&(files, ranks)) && directions.contains(&(-files, -ranks))
        });
        let bits = both.fold(0, |bits, at| bits | 1 << at);
        if bits != 0 && !used.contains(&bits) {
            used.push(bits);
        }
    }
    // Lines that every user uses together make a family.
    let mut families: Vec<u8> = Vec::new();
    for line in 0..4_u8 {
        let signature = |line: u8| used.iter().map(|bits| bits >> line & 1).collect::<Vec<u8>>();
        if used.iter().all(|bits| bits >> line & 1 == 0) {
            continue;
        }
        match families.iter_mut().find(|family| signature(family.trailing_zeros() as u8) == signature(line)) {
            Some(family) if family.count_ones() < 2 => *family |= 1 << line,
            _ => families.push(1 << line),
        }
    }
    let found = families.iter().map(|lines| {
        let multipliers =
            (0..board.len() as u16).map(|site| multiplier(board.files, board.ranks, site, *lines));
        multipliers.collect::<Option<Vec<u64>>>().map(|multipliers| Lookup { lines: *lines, multipliers })
    });
    found.collect::<Option<Vec<_>>>().unwrap_or_default()
}
