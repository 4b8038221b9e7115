//! What is recognised, form by form: a small rule text, what it becomes, and a near miss that must not become it.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use rulebook_compiler::{Passes, compile};
use rulebook_machine::lane::{Ask, Guard, Judged, Lane, NO_SLOT, Op, Order, Reach};
use rulebook_machine::program::Program;
use rulebook_machine::verify::verify;
use rulebook_model::check;
use rulebook_model::library::Library;
use rulebook_syntax::Source;

const HEAD: &str = "rulebook: 1
id: test/small
players: [first, second]
board: { files: 5, ranks: 5, adjacent: any, forward: { first: north, second: south } }
pieces: [chief, rider, foot]
state: { hand: { type: count, for: each player and kind }, raised: sites, passed: { type: site, lasts: one ply }, seen: truth }
setup: { board: \"k1r1f/5/5/5/F1R1K\" }
notation: { letters: { chief: k, rider: r, foot: f }, fields: [board, turn, raised, passed] }
clauses:
";

fn program(clauses: &[&str], passes: Passes) -> Program {
    let mut text = HEAD.to_owned();
    for (at, clause) in clauses.iter().enumerate() {
        text += &format!("  \"{at}\": {{ {clause}, cites: S0-001, says: {{ en: Rule., zh: 规则。 }} }}\n");
    }
    let library = Library::default();
    let checked = check(&Source::new("small.yaml", text), &|id| library.find(id), &[]);
    let errors: Vec<_> = checked.diagnostics.iter().map(|found| (found.code, &found.message)).collect();
    let rules = checked.rules.ok_or_else(|| format!("{errors:?}")).unwrap();
    let (program, _) = compile(&rules, passes).unwrap();
    verify(program.clone()).unwrap();
    program
}

fn lane(clauses: &[&str]) -> Lane {
    program(clauses, Passes::all()).lanes.into_iter().next().unwrap()
}

const CHIEF: &str = "piece: chief, move: walk any";
const RIDER: &str = "piece: rider, move: slide orthogonal";
const FOOT: &str = "piece: foot, move: walk forward";
const HELD: &str =
    "act: drop, choose: \"dropped in those k in [rider, foot] where hand(mover, k) > 0, cell in ";
const PUT: &str = "then: \"hand(mover, dropped) -= 1; put dropped at cell\"";

fn drop(domain: &str, more: &str) -> String {
    format!("{HELD}{domain}\", {more}{PUT}")
}

#[test]
fn an_act_that_puts_a_held_piece_on_an_empty_site_is_a_drop() {
    let lane = lane(&[CHIEF, RIDER, FOOT, &drop("empties - ranks(5)", "")]);
    assert_eq!(lane.drops.len(), 2);
    let foot = lane.drops.iter().find(|drop| drop.kind == 2).unwrap();
    assert_eq!(foot.tos, [(1 << 20) - 1]);
    assert_eq!((foot.held.len(), foot.judged, foot.plain), (1, Judged::Never, true));
    assert!(foot.recipe.as_ref().unwrap().iter().any(|step| step.op == Op::Add(foot.held[0], -1)));
}

#[test]
fn an_act_that_may_put_a_piece_on_another_one_is_no_drop() {
    let lane = lane(&[CHIEF, RIDER, FOOT, &drop("sites - owned(mover)", "")]);
    assert!(lane.drops.is_empty());
    assert_eq!(lane.acts.len(), 1);
}

#[test]
fn an_act_whose_name_another_clause_has_is_no_drop() {
    let drop = drop("empties", "");
    assert!(lane(&[CHIEF, RIDER, FOOT, &drop, &drop]).drops.is_empty());
}

#[test]
fn a_piece_on_the_same_file_bars_a_file() {
    let more = "when: not (dropped = foot and any x in foot(mover) where file(x) = file(cell)), ";
    let lane = lane(&[
        CHIEF,
        RIDER,
        FOOT,
        &drop("empties", &more.replace("when: ", "when: \"").replace("), ", ")\", ")),
    ]);
    let bars = |kind: u8| lane.drops.iter().find(|drop| drop.kind == kind).unwrap().bars.len();
    assert_eq!((bars(1), bars(2)), (0, 5));
    let foot = lane.drops.iter().find(|drop| drop.kind == 2).unwrap();
    assert!(foot.bars.iter().all(|bar| bar.zone == bar.sites && bar.kind == 2));
}

#[test]
fn a_site_that_must_touch_something_is_asked_for() {
    let lane = lane(&[CHIEF, RIDER, FOOT, &drop("empties & neighbours(owned(mover))", "")]);
    let query = lane.drops[0].sites.unwrap();
    assert!(lane.queries[usize::from(query)].contains(&Ask::Near));
}

#[test]
fn a_ban_on_an_unanswerable_drop_is_left_for_those_that_strike() {
    let ban =
        "forbid: not answerable, after: drop, when: \"dropped = foot and attacked(chief(opponent), mover)\"";
    let lane = lane(&[CHIEF, RIDER, FOOT, &drop("empties", ""), ban]);
    let judged = |kind: u8| lane.drops.iter().find(|drop| drop.kind == kind).unwrap().judged;
    assert_eq!((judged(1), judged(2)), (Judged::Never, Judged::Striking(0)));
    let ban = "forbid: not answerable, after: drop";
    let other = self::lane(&[CHIEF, RIDER, FOOT, &drop("empties", ""), ban]);
    assert!(other.drops.iter().all(|drop| drop.judged == Judged::Always));
}

#[test]
fn captures_that_are_counted_by_kind_are_a_tally() {
    let worth = "if s in raised then foot else was(s)";
    let lane =
        lane(&[CHIEF, RIDER, &format!("after: ply, then: \"for s in taken do hand(mover, {worth}) += 1\"")]);
    let steps = lane.shapes[0].recipe.as_ref().unwrap();
    let Op::Tally(tally) = &steps[0].op else { unreachable!("{steps:?}") };
    assert_eq!(tally.slots.len(), 3);
    let (_, raised) = tally.within.as_ref().unwrap();
    assert!(raised.iter().all(|slot| *slot == tally.slots[2] && *slot != NO_SLOT));
}

#[test]
fn captures_that_count_double_are_no_tally() {
    let lane = lane(&[CHIEF, RIDER, "after: ply, then: \"for s in taken do hand(mover, was(s)) += 2\""]);
    let steps = lane.shapes[0].recipe.as_ref().unwrap();
    assert_eq!(steps[0].op, Op::General);
}

#[test]
fn both_branches_of_a_condition_ask_once() {
    let both = "after: ply, then: \"if from in raised then (raised -= changed; raised += to) else raised -= changed\"";
    let lane = lane(&[RIDER, both]);
    let steps = lane.shapes[0].recipe.as_ref().unwrap();
    let guards: Vec<Guard> = steps.iter().map(|step| step.guard).collect();
    assert!(matches!(guards[..], [Guard::Asked(_), Guard::Still, Guard::Else]), "{guards:?}");
}

#[test]
fn a_variable_that_fades_is_cleared_where_a_question_leaves_it() {
    let way = "piece: foot, move: quiet forward mark middle quiet forward, then: \"if from in ranks(1, 5) then passed := middle\"";
    let lane = lane(&[way]);
    let steps = lane.shapes[0].recipe.as_ref().unwrap();
    assert!(matches!((&steps[0].op, steps[0].guard), (Op::SetSite(..), Guard::Asked(_))));
    assert!(matches!((&steps[1].op, steps[1].guard), (Op::Unset(_), Guard::Else)));
}

#[test]
fn a_ban_on_leaving_a_piece_attacked_or_seen_is_guarded() {
    let facing = "any k in chief(mover) where any l in chief(opponent) where file(k) = file(l) and between(k, l) & occupied is empty";
    let ban = format!("forbid: \"({facing}) or attacked(chief(mover), opponent)\", after: ply");
    let lane = lane(&[CHIEF, RIDER, &ban]);
    let guarded = lane.guarded.unwrap();
    assert_eq!((guarded.kind, guarded.threats.len(), guarded.spared), (0, 1, None));
    let Reach::Ray(mut directions) = guarded.threats[0].reach.clone() else { unreachable!() };
    directions.sort();
    assert_eq!(directions, [(0, -1), (0, 1)]);
}

#[test]
fn a_look_along_files_that_one_piece_may_block_is_not_guarded() {
    let facing = "any k in chief(mover) where any l in chief(opponent) where file(k) = file(l) and count(between(k, l) & occupied) < 2";
    let ban = format!("forbid: \"({facing}) or attacked(chief(mover), opponent)\", after: ply");
    let lane = lane(&[CHIEF, RIDER, &ban]);
    assert!(lane.guarded.is_none() && lane.royal.is_none());
    assert!(lane.shapes.iter().all(|shape| shape.recipe.is_none()));
}

#[test]
fn a_piece_that_is_spared_by_touch_is_guarded() {
    let unsafe_one =
        "any x in chief(mover) where neighbours(x) & chief(opponent) is empty and attacked(x, opponent)";
    let ban = format!(
        "forbid: \"chief(mover) is empty or (chief(opponent) is not empty and ({unsafe_one}))\", after: ply"
    );
    assert_eq!(lane(&[CHIEF, RIDER, &ban]).guarded.unwrap().spared, Some(0));
    let other = ban.replace("chief(mover) is empty or", "rider(mover) is empty or");
    let lane = lane(&[CHIEF, RIDER, &other]);
    assert!(lane.guarded.is_none());
    assert!(lane.shapes.iter().all(|shape| shape.after.len() == 1));
}

#[test]
fn a_ban_on_attacking_a_piece_is_calm_for_every_ply_only() {
    let ban = "forbid: \"attacked(chief(opponent), mover)\", after: ";
    assert_eq!(lane(&[CHIEF, RIDER, &format!("{ban}ply")]).calm.unwrap().kind, 0);
    let lane = lane(&[CHIEF, "piece: rider, act: ride, move: slide orthogonal", &format!("{ban}ride")]);
    assert!(lane.calm.is_none());
    let asked =
        |kind: u8| lane.shapes.iter().filter(|shape| shape.kind == kind).all(|shape| shape.after.len() == 1);
    assert!(asked(1) && !asked(0));
}

#[test]
fn a_measure_of_captures_is_forced() {
    assert!(lane(&[CHIEF, "most: if taken is empty then 0 else 1, after: ply"]).forced);
    let lane = lane(&[CHIEF, "most: count(taken), after: ply"]);
    assert!(lane.measured && !lane.forced);
    assert!(!self::lane(&[CHIEF, "most: if taken is empty then 1 else 0, after: ply"]).forced);
}

#[test]
fn a_choice_that_depends_on_both_ends_is_parted_by_zones() {
    let choice = "after: move, when: \"piece = foot and (from in ranks(4) or to in ranks(4, 5))\", \
        choose: \"grade in if to in ranks(5) then [rider] else [piece, rider]\", then: put grade at to";
    let lane = lane(&[FOOT, choice]);
    let mut kinds: Vec<Vec<u8>> = lane
        .shapes
        .iter()
        .map(|shape| shape.choice.as_ref().map_or(Vec::new(), |pick| pick.kinds.clone()))
        .collect();
    kinds.sort();
    assert_eq!(kinds, [vec![], vec![1], vec![2, 1]]);
    assert!(lane.shapes.iter().all(|shape| shape.recipe.is_some()));
    let state = choice.replace("to in ranks(5) then", "seen then");
    let lane = self::lane(&[FOOT, &state]);
    assert!(lane.shapes.iter().any(|shape| shape.recipe.is_none()));
    assert!(lane.shapes.iter().any(|shape| shape.recipe.is_some()));
}

#[test]
fn ways_of_different_forms_in_one_pattern_are_told_apart() {
    let over = "face orthogonal (step [empty])* step [not empty] (step [empty])* step [enemy]";
    let clause = format!("piece: rider, move: \"glide orthogonal | {over}\"");
    let lane = lane(&[&clause]);
    let forms = |wanted: fn(&Reach) -> bool| lane.shapes.iter().filter(|shape| wanted(&shape.reach)).count();
    assert_eq!(forms(|reach| matches!(reach, Reach::Ray(_))), 1);
    assert_eq!(forms(|reach| matches!(reach, Reach::Screen(_))), 1);
    assert_eq!(lane.shapes.len(), 2);
    let whole = program(&[&clause], Passes::without("splits").unwrap()).lanes.remove(0);
    assert!(matches!(whole.shapes[..], [ref one] if matches!(one.reach, Reach::Templates(_))));
}

#[test]
fn an_act_that_chooses_and_puts_nothing_is_a_pass() {
    let clauses = |then: &str| {
        lane(&[CHIEF, &format!("act: pass, when: \"not attacked(chief(mover), opponent)\"{then}")])
    };
    let pass = &clauses("").drops[0];
    assert!(pass.bare && pass.when.is_some());
    assert!(clauses(", then: put foot at c3").drops.is_empty());
}

#[test]
fn a_ban_on_what_a_ply_sets_is_asked_only_where_it_may_hold() {
    let set = "after: ply, then: \"seen := seen and chief(opponent) & ranks(5) is empty\"";
    let lane = lane(&[RIDER, set, "forbid: seen, after: move"]);
    let shape = &lane.shapes[0];
    assert!(matches!(lane.queries[usize::from(shape.spare.unwrap())][..], [Ask::Holds(_)]));
    let either = set.replace("seen and", "seen or");
    assert!(self::lane(&[RIDER, &either, "forbid: seen, after: move"]).shapes[0].spare.is_none());
}

#[test]
fn endings_on_the_board_are_questions() {
    let one = lane(&[CHIEF, "ends: chief(mover) is empty, result: win(opponent)"]);
    let query = &one.queries[usize::from(one.stops.unwrap()[0])];
    assert_eq!(query[..], [Ask::Kind(0), Ask::Owned(0), Ask::Meet, Ask::Some, Ask::Not]);
    let two = lane(&[CHIEF, "ends: count(owned(mover)) = 1, result: win(opponent)"]);
    assert!(two.queries.iter().flatten().any(|ask| *ask == Ask::Count(Order::Equal, 1)));
    let miss = lane(&[CHIEF, "ends: count(groups(owned(mover))) = 1, result: win(opponent)"]);
    assert!(miss.stops.is_none());
}

const TOUCH: &str = "on: touch, by: mover, choose: cell in owned(mover), then: passed := cell";
const DUTY: &str = "forbid: passed != none and from != passed, before: ply";

#[test]
fn a_ban_that_asks_for_what_only_events_set_sleeps() {
    let lane = lane(&[CHIEF, RIDER, FOOT, TOUCH, DUTY]);
    assert_eq!(lane.asleep.len(), 1);
    assert!(lane.shapes.iter().all(|shape| shape.before.is_empty()));
}

#[test]
fn a_ban_that_asks_for_what_a_ply_sets_does_not_sleep() {
    let set = "after: ply, when: piece = foot, then: passed := to";
    let lane = lane(&[CHIEF, RIDER, FOOT, TOUCH, DUTY, set]);
    assert!(lane.asleep.is_empty());
    assert!(lane.shapes.iter().all(|shape| !shape.before.is_empty()));
}

#[test]
fn without_its_pass_no_ban_sleeps() {
    let passes = Passes::without("conduct").unwrap();
    let program = program(&[CHIEF, RIDER, FOOT, TOUCH, DUTY], passes);
    assert!(program.lanes.iter().all(|lane| lane.asleep.is_empty() && !lane.shapes[0].before.is_empty()));
}

#[test]
fn without_a_pass_nothing_of_it_is_recognised() {
    let clauses =
        [CHIEF, RIDER, FOOT, &drop("empties", ""), "most: if taken is empty then 0 else 1, after: ply"];
    let without = |name: &str| program(&clauses, Passes::without(name).unwrap()).lanes.remove(0);
    assert!(without("drops").drops.is_empty());
    assert!(!without("forced").forced);
    assert!(without("queries").queries.is_empty());
    assert_eq!(lane(&clauses).drops.len(), 2);
}
