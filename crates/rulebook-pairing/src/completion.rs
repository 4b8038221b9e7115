//! Whether some entries can all be paired, one of them left alone if they are odd.
//!
//! Pairs that are near at hand are tried first, and only where these do not suffice is every pair looked at.
//! Invariant: the answer is exact, however it is found.

use rulebook_matching::{Goal, Matcher};
use rulebook_reference::Fault;

use crate::eval::Outcome;

/// How many pairs of each entry are tried before all are.
const NEAR: usize = 10;

/// Partners of entries, by place; one beyond all entries for the one left alone.
pub(crate) type Partners = Vec<Option<usize>>;

/// Finds partners for `count` entries: `may_pair` says who may meet, `may_stay` who may be left alone.
/// With nothing where not all can be paired.
pub(crate) fn complete(
    count: usize,
    may_pair: &dyn Fn(usize, usize) -> Outcome<bool>,
    may_stay: &dyn Fn(usize) -> Outcome<bool>,
) -> Outcome<Option<Partners>> {
    let all = count + count % 2;
    let allowed = |a: usize, b: usize| -> Outcome<bool> {
        let (a, b) = (a.min(b), a.max(b));
        if b == count { may_stay(a) } else { may_pair(a, b) }
    };
    let mut partners: Partners = vec![None; all];
    // The one left alone is the hardest to find: from the last on.
    if all > count {
        for at in (0..count).rev() {
            if allowed(at, count)? {
                (partners[at], partners[count]) = (Some(count), Some(at));
                break;
            }
        }
    }
    for at in 0..count {
        if partners[at].is_some() {
            continue;
        }
        for other in at + 1..count {
            if partners[other].is_none() && allowed(at, other)? {
                (partners[at], partners[other]) = (Some(other), Some(at));
                break;
            }
        }
    }
    if mend(&mut partners, &allowed)? {
        return Ok(Some(partners));
    }
    for near in [NEAR, all] {
        let mut matcher: Matcher<i64> = Matcher::new(all, Goal::Cardinality).map_err(refused)?;
        for a in 0..all {
            let mut found = 0;
            for step in 1..all {
                let b = (a + step) % all;
                if allowed(a, b)? {
                    matcher.set_weight(a, b, 0).map_err(refused)?;
                    found += 1;
                    if found >= near {
                        break;
                    }
                }
            }
        }
        matcher.solve();
        if matcher.is_perfect() {
            return Ok(Some((0..all).map(|at| matcher.partner(at)).collect()));
        }
        if near == all {
            break;
        }
    }
    Ok(None)
}

/// What the matcher refuses is too large for it.
pub(crate) fn refused(_: rulebook_matching::Refusal) -> Fault {
    Fault::TooMuchWork
}

/// Pairs those left over by opening one pair for two of them. Whether nobody is left over.
fn mend(partners: &mut Partners, allowed: &dyn Fn(usize, usize) -> Outcome<bool>) -> Outcome<bool> {
    let mut free: Vec<usize> = (0..partners.len()).filter(|at| partners[*at].is_none()).collect();
    if free.len() > 16 {
        return Ok(false);
    }
    while let Some(one) = free.pop() {
        let mut found = None;
        'search: for (place, other) in free.iter().enumerate() {
            if allowed(one, *other)? {
                (partners[one], partners[*other]) = (Some(*other), Some(one));
                found = Some(place);
                break;
            }
            for a in (0..partners.len()).rev() {
                let Some(b) = partners[a] else { continue };
                if allowed(one, a)? && allowed(*other, b)? {
                    (partners[one], partners[a]) = (Some(a), Some(one));
                    (partners[*other], partners[b]) = (Some(b), Some(*other));
                    found = Some(place);
                    break 'search;
                }
            }
        }
        match found {
            Some(place) => {
                free.remove(place);
            }
            None => return Ok(false),
        }
    }
    Ok(true)
}
