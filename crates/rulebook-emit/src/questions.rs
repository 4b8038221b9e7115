//! Questions of a lane as functions of a module.
//!
//! Law: a function gives the answer that the machine gives. A question with a step that has no form here has no
//! function; whoever asked leaves the rule set to the machine.

use rulebook_machine::lane::{Ask, Order, Place};
use rulebook_machine::program::Site;

use crate::forms::{Bits, of_words, one, places};
use crate::text::{Page, Text};

/// The function of a question of a player; `known` says of which players the attacks are known.
pub(crate) fn write(page: &Page<'_>, me: usize, query: u16, known: [bool; 2]) -> Option<String> {
    let asks = page.program.lanes.get(me)?.queries.get(usize::from(query))?;
    let mut text = Text::default();
    text.lines(0, HEAD.replace("$name", &name(me, query)));
    let mut stack: Vec<String> = Vec::new();
    for (at, ask) in asks.iter().enumerate() {
        let mut pop = || stack.pop();
        let made = match ask {
            Ask::Truth(truth) => if *truth { "BOARD" } else { "EMPTY" }.to_owned(),
            Ask::Sites(words) => page.set(of_words(words)),
            Ask::Occupied => "now.occupied()".into(),
            Ask::Owned(player) => format!("now.owners[{player}]"),
            Ask::Kind(kind) => format!("now.kinds[{kind}]"),
            Ask::Was(kind) => format!("before.kinds[{kind}]"),
            Ask::Within(slot) => format!("now.{}", page.set_field(*slot)),
            Ask::At(slot) => format!("one_or_none(usize::from(now.{}))", page.field(*slot).0),
            Ask::Holds(slot) => format!("truth(now.{})", page.field(*slot).0),
            Ask::Number(slot, order, number) => {
                format!("truth(now.{} {} {number})", page.field(*slot).0, sign(*order))
            }
            Ask::Place(place) => format!("one_or_none({})", site(page, *place)?),
            Ask::Taken => "taken".into(),
            Ask::Changed => "changed".into(),
            Ask::Chosen(kind) => format!("truth(chosen == {kind})"),
            Ask::Union => {
                let (b, a) = (pop()?, pop()?);
                format!("{a} | {b}")
            }
            Ask::Meet => {
                let (b, a) = (pop()?, pop()?);
                format!("{a} & {b}")
            }
            Ask::Less => {
                let (b, a) = (pop()?, pop()?);
                format!("{a} & !{b}")
            }
            Ask::Not => format!("BOARD & !{}", pop()?),
            Ask::Some => format!("truth({} != EMPTY)", pop()?),
            Ask::Count(order, number) => {
                format!("truth(i64::from({}.count_ones()) {} {number})", pop()?, sign(*order))
            }
            Ask::Near => near(page, &pop()?),
            Ask::Struck(by) if known.get(usize::from(*by)) == Some(&true) => {
                format!("struck_of_{by}(tables, now, {})", pop()?)
            }
            Ask::Twice => {
                let top = pop()?;
                stack.push(top.clone());
                top
            }
            Ask::Swap => {
                let (b, a) = (pop()?, pop()?);
                stack.push(b);
                a
            }
            Ask::Last(_) | Ask::Struck(_) | Ask::Strikers(_) | Ask::Seen(_) => return None,
        };
        let local = format!("step_{at}");
        text.line(1, format!("let {local}: Set = {made};"));
        stack.push(local);
    }
    text.line(1, stack.pop()?);
    text.line(0, "}");
    Some(text.0)
}

/// The name of the function of a question.
pub(crate) fn name(me: usize, query: u16) -> String {
    format!("answer_{me}_{query}")
}

/// A site of the ply; a mark is left out.
fn site(page: &Page<'_>, place: Place) -> Option<String> {
    Some(match place {
        Place::From => "from".into(),
        Place::To => "to".into(),
        Place::At(site) => site.to_string(),
        Place::Bound(_) => return None,
        Place::Beside(offset) => {
            let places = places(&page.program.board, offset);
            let call = if places < 0 { "wrapping_sub" } else { "wrapping_add" };
            format!("from.{call}({})", places.unsigned_abs())
        }
    })
}

/// The sites that touch one of a set, by steps of the whole set.
fn near(page: &Page<'_>, set: &str) -> String {
    let board = &page.program.board;
    let parts: Vec<String> = board
        .adjacent
        .iter()
        .map(|step| {
            let leads = |site: &Site| board.step(*site, (step.0.into(), step.1.into())).is_some();
            let froms: Bits = (0..board.len() as Site).filter(leads).fold(0, |set, site| set | one(site));
            let places = places(board, *step);
            let sign = if places < 0 { ">>" } else { "<<" };
            format!("(({set} & {}) {sign} {})", page.set(froms), places.unsigned_abs())
        })
        .collect();
    if parts.is_empty() { "EMPTY".into() } else { parts.join(" | ") }
}

fn sign(order: Order) -> &'static str {
    match order {
        Order::Below => "<",
        Order::Equal => "==",
        Order::Above => ">",
    }
}

const HEAD: &str = r#"
#[rustfmt::skip]
#[allow(unused_variables, clippy::too_many_arguments, reason = "every question is asked alike")]
fn $name(tables: &Tables, before: &Position, now: &Position, from: usize, to: usize, chosen: u8, taken: Set, changed: Set) -> Set {"#;

/// What the functions of questions need.
pub(crate) const TRUTH: &str = r#"
/// A truth value as a set: all sites or none.
#[allow(dead_code, reason = "not every rule set asks")]
fn truth(holds: bool) -> Set {
    if holds { BOARD } else { EMPTY }
}"#;

/// The sites of a set that a player attacks.
pub(crate) const STRUCK_OF: &str = r"
/// Of some sites those that are attacked.
fn struck_of_$by(tables: &Tables, position: &Position, sites: Set) -> Set {
    let (own, other) = (position.owners[$by], position.owners[1 - $by]);
    let struck = Sites(sites).filter(|site| {
        let victim = if has(other, *site) { position.kind(*site) } else { 127 };
        let among = own & !one(*site);
        attacked_$by(tables, position, *site, victim, own | other, among, NOBODY)
    });
    struck.fold(EMPTY, |set, site| set | one(site))
}
";
