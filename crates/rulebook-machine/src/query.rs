//! Questions about a position and a ply, answered on a small stack of sets.
//!
//! Law: the answer is the value of the term that the question was made from. The verifier sees to it that no
//! question takes more from its stack than is on it, or puts more there than there is room for.

use crate::fast::Fast;
use crate::lane::{Ask, MAX_STACK, Order, Query};
use crate::position::{Layout, NOTHING, Position, Row};
use crate::program::{NO_SITE, Site};
use crate::set::Set;
use crate::tables::{Lines, Many};

/// A step of a question, made ready for one layout.
#[derive(Clone, Debug)]
pub(crate) enum Word<S> {
    Set(S),
    Seen(Lines),
    Ask(Ask),
}

/// A question made ready for one layout; a direction that is no line gives none.
pub(crate) fn ready<S: Set>(query: &Query, all: S) -> Option<Vec<Word<S>>> {
    let word = |ask: &Ask| {
        Some(match ask {
            Ask::Truth(truth) => Word::Set(if *truth { all } else { S::EMPTY }),
            Ask::Sites(words) => Word::Set(S::from_words(words)),
            Ask::Seen(directions) => Word::Seen(Lines::of(directions)?),
            other => Word::Ask(other.clone()),
        })
    };
    query.iter().map(word).collect()
}

/// What a question may look at: the position before a ply and as it is now, and the ply.
pub(crate) struct Play<'a, L: Layout> {
    pub(crate) before: &'a Position<L>,
    pub(crate) now: &'a Position<L>,
    pub(crate) from: Site,
    pub(crate) to: Site,
    pub(crate) many: Option<&'a Many<L::Set>>,
    pub(crate) chosen: Option<u8>,
    pub(crate) taken: L::Set,
    pub(crate) changed: L::Set,
}

impl<'a, L: Layout> Play<'a, L> {
    /// No ply.
    pub(crate) fn none(position: &'a Position<L>) -> Self {
        Self {
            before: position,
            now: position,
            from: NO_SITE,
            to: NO_SITE,
            many: None,
            chosen: None,
            taken: L::Set::EMPTY,
            changed: L::Set::EMPTY,
        }
    }
}

fn compares(a: i64, order: Order, b: i64) -> bool {
    match order {
        Order::Below => a < b,
        Order::Equal => a == b,
        Order::Above => a > b,
    }
}

impl<L: Layout> Fast<L> {
    /// Whether the answer to a question of a player is yes.
    pub(crate) fn holds(&self, player: usize, query: u16, play: &Play<'_, L>) -> bool {
        !self.answer(player, query, play).is_empty()
    }

    /// The answer to a question of a player.
    pub(crate) fn answer(&self, player: usize, query: u16, play: &Play<'_, L>) -> L::Set {
        let words = self.queries[player & 1].get(usize::from(query)).map_or(&[][..], |words| words);
        let mut stack = [L::Set::EMPTY; MAX_STACK];
        // Where the next set goes; what lies below it has been put there.
        let mut top = 0_usize;
        let all = self.tables.board();
        let now = play.now;
        let truth = |holds: bool| if holds { all } else { L::Set::EMPTY };
        for word in words {
            let (a, b) = (stack[top.wrapping_sub(2) % MAX_STACK], stack[top.wrapping_sub(1) % MAX_STACK]);
            let ask = match word {
                Word::Set(set) => {
                    stack[top % MAX_STACK] = *set;
                    top = top.wrapping_add(1);
                    continue;
                }
                Word::Seen(lines) => {
                    let occupied = now.occupied();
                    let seen = b.sites().map(|site| self.tables.look(lines, site, occupied));
                    stack[top.wrapping_sub(1) % MAX_STACK] = seen.fold(L::Set::EMPTY, |all, set| all | set);
                    continue;
                }
                Word::Ask(ask) => ask,
            };
            let made = match ask {
                Ask::Truth(_) | Ask::Sites(_) | Ask::Seen(_) => L::Set::EMPTY,
                Ask::Occupied => now.occupied(),
                Ask::Owned(player) => now.owners.get(usize::from(*player)),
                Ask::Kind(kind) => now.kinds.get(usize::from(*kind)),
                Ask::Was(kind) => play.before.kinds.get(usize::from(*kind)),
                Ask::Within(slot) => now.sets.get(usize::from(*slot)),
                Ask::At(slot) => match now.nums.get(usize::from(*slot)) {
                    NOTHING => L::Set::EMPTY,
                    site => L::Set::one(site as Site) & all,
                },
                Ask::Holds(slot) => truth(now.nums.get(usize::from(*slot)) == 1),
                Ask::Number(slot, order, number) => {
                    truth(compares(now.nums.get(usize::from(*slot)) >> 16, *order, *number))
                }
                Ask::Place(place) => {
                    let site = self.site(*place, play.from, play.to, play.many);
                    site.map_or(L::Set::EMPTY, L::Set::one)
                }
                Ask::Taken => play.taken,
                Ask::Changed => play.changed,
                Ask::Last(act) => truth(play.before.last == *act),
                Ask::Chosen(kind) => truth(play.chosen == Some(*kind)),
                Ask::Union => a | b,
                Ask::Meet => a & b,
                Ask::Less => a.less(b),
                Ask::Not => all.less(b),
                Ask::Some => truth(!b.is_empty()),
                Ask::Count(order, number) => truth(compares(b.len() as i64, *order, *number)),
                Ask::Near => b.sites().fold(L::Set::EMPTY, |all, site| all | self.tables.near(site)),
                Ask::Struck(by) => self.tables.struck(b, usize::from(*by), now, None),
                Ask::Strikers(by) => {
                    let by = usize::from(*by);
                    let hits = |from: &Site| !self.tables.struck(b, by, now, Some(*from)).is_empty();
                    crate::set::collect(now.owners.get(by).sites().filter(hits))
                }
                Ask::Twice => b,
                Ask::Swap => {
                    stack[top.wrapping_sub(2) % MAX_STACK] = b;
                    stack[top.wrapping_sub(1) % MAX_STACK] = a;
                    continue;
                }
            };
            let (takes, leaves) = ask.effect();
            // `Twice` leaves what it found, and one more.
            top = top.wrapping_sub(takes).wrapping_add(leaves);
            stack[top.wrapping_sub(1) % MAX_STACK] = made;
        }
        stack[top.wrapping_sub(1) % MAX_STACK]
    }
}
