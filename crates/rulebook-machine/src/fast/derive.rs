//! Bans of special forms, made ready for the tables, or given back to questions.
//!
//! Law: what is derived here forbids the same plies as the questions it stands for.

use crate::lane::{Ask, Attack, Judged, Lane, Query, Reach};
use crate::program::Board;

/// Bans that say more than that a piece may not be attacked: where others ask for attacks too, what endangers
/// a piece besides cannot be taken for one, and the question itself is asked after each ply.
pub(super) fn derive(lanes: &mut [Lane], board: &Board) {
    let struck = |lane: &Lane, except: Option<u16>, player: usize| {
        let asks =
            |ask: &Ask| matches!(ask, Ask::Struck(by) | Ask::Strikers(by) if usize::from(*by) == player);
        let query = |(at, query): (usize, &Query)| except != Some(at as u16) && query.iter().any(asks);
        lane.queries.iter().enumerate().any(query)
    };
    let plain = |attack: &Attack| {
        matches!(attack.reach, Reach::Leap(_))
            || (matches!(attack.reach, Reach::Ray(_))
                && attack.victims.is_none()
                && attack.froms.is_none()
                && attack.tos.is_none())
    };
    let mutual = board.adjacent.iter().all(|(files, ranks)| board.adjacent.contains(&(-files, -ranks)));
    for me in 0..lanes.len().min(2) {
        let other = 1 - me;
        let Some(guarded) = lanes[me].guarded.clone() else { continue };
        let asked = !guarded.threats.is_empty()
            && (0..2).any(|at| {
                let lane = &lanes[at];
                let except = (at == me).then_some(guarded.query);
                let before = at == me
                    && lane
                        .shapes
                        .iter()
                        .any(|shape| !shape.before.is_empty() || !shape.instances.is_empty());
                let calm = at == other && lane.calm.is_some();
                let judged =
                    at == other && lane.drops.iter().any(|drop| matches!(drop.judged, Judged::Striking(_)));
                before || calm || judged || struck(lane, except, other)
            });
        if asked || (guarded.spared.is_some() && !mutual) {
            ask_after(&mut lanes[me], guarded.query);
            lanes[me].guarded = None;
        } else if let Some(attacks) = &mut lanes[other].attacks {
            attacks.extend(guarded.threats);
        }
    }
    for lane in lanes {
        // What may not be attacked is looked for only where attacks are leaps and plain lines.
        let simple = lane.attacks.iter().all(|attacks| attacks.iter().all(plain));
        if let Some(calm) = lane.calm.clone().filter(|_| !simple || lane.attacks.is_none()) {
            ask_after(lane, calm.query);
            lane.calm = None;
        }
    }
}

/// A question that is asked after every ply of a player.
fn ask_after(lane: &mut Lane, query: u16) {
    lane.shapes.iter_mut().for_each(|shape| shape.after.push(query));
    lane.drops.iter_mut().for_each(|drop| drop.after.push(query));
}
