//! The passes that have no tests elsewhere, each with what it recognises, a near miss, and its switch: with the
//! pass or without it the same sequences of plies are counted.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use rulebook_compiler::{Passes, compile};
use rulebook_machine::front::Machine;
use rulebook_machine::lane::{Ask, Lane, Op, Place, Reach, content};
use rulebook_machine::program::Program;
use rulebook_machine::verify::verify;
use rulebook_model::check;
use rulebook_model::library::Library;
use rulebook_syntax::Source;

fn program(side: u16, clauses: &[&str], passes: Passes) -> Program {
    let head = if side == 5 { "k1r1f/5/5/5/F1R1K" } else { "k1r1f4/9/9/9/9/9/9/9/4F1R1K" };
    let mut text = format!(
        "rulebook: 1
id: test/small
players: [first, second]
board: {{ files: {side}, ranks: {side}, adjacent: any, forward: {{ first: north, second: south }} }}
pieces: [chief, rider, foot]
state: {{ raised: sites, seen: truth, still: count }}
setup: {{ board: \"{head}\", raised: \"[a1, e1, a5, e5]\" }}
notation: {{ letters: {{ chief: k, rider: r, foot: f }}, fields: [board, turn, raised] }}
clauses:
"
    );
    for (at, clause) in clauses.iter().enumerate() {
        text += &format!("  \"{at}\": {{ {clause}, cites: S0-001, says: {{ en: Rule., zh: 规则。 }} }}\n");
    }
    let library = Library::default();
    let checked = check(&Source::new("small.yaml", text), &|id| library.find(id), &[]);
    let errors: Vec<_> = checked.diagnostics.iter().map(|found| (found.code, &found.message)).collect();
    let rules = checked.rules.ok_or_else(|| format!("{errors:?}")).unwrap();
    compile(&rules, passes).unwrap().0
}

fn count(program: Program) -> u64 {
    Machine::new(verify(program).unwrap()).unwrap().first().perft(3).unwrap()
}

/// The lane of the first player with all passes, and with all but one.
fn lanes(clauses: &[&str], pass: &str) -> (Lane, Option<Lane>) {
    let with = program(5, clauses, Passes::all());
    let without = program(5, clauses, Passes::without(pass).unwrap());
    assert_eq!(count(with.clone()), count(without.clone()), "{pass}");
    assert_eq!(count(with.clone()), count(program(5, clauses, Passes::none())), "{pass}");
    let first = |program: Program| program.lanes.into_iter().next();
    (first(with).unwrap(), first(without))
}

const CHIEF: &str = "piece: chief, move: walk any";
const RIDER: &str = "piece: rider, move: slide orthogonal";
const FOOT: &str = "piece: foot, move: walk forward";

#[test]
fn forms_turn_a_step_into_a_leap() {
    let (with, without) = lanes(&[CHIEF], "forms");
    let [shape] = &with.shapes[..] else { panic!("{:?}", with.shapes) };
    assert!(matches!(&shape.reach, Reach::Leap(offsets) if offsets.len() == 8));
    assert_eq!(shape.ends, content::EMPTY | content::ENEMY);
    assert_eq!(without, None);
    // A way that may turn at every step has no end of forms: it is walked.
    let (miss, _) = lanes(&["piece: chief, move: \"(step any [empty])+\""], "forms");
    assert!(miss.shapes.iter().all(|shape| shape.reach == Reach::Walk));
}

#[test]
fn rays_go_as_far_as_the_way_is_free() {
    let is_ray = |lane: &Lane| lane.shapes.iter().any(|shape| matches!(shape.reach, Reach::Ray(_)));
    let (with, without) = lanes(&[RIDER], "rays");
    assert!(is_ray(&with) && !is_ray(&without.unwrap()));
    // A way that ends after three steps is none, though on this board it is nearly as long.
    let (miss, _) =
        lanes(&["piece: rider, move: \"face orthogonal (step [empty]){0,2} step [not own]\""], "rays");
    assert!(!is_ray(&miss) && miss.shapes.iter().all(|shape| shape.reach != Reach::Walk));
}

#[test]
fn screens_are_one_piece_on_the_way() {
    let beyond = "face orthogonal (step [empty])* step [not empty] (step [empty])*";
    let is_screen = |lane: &Lane| lane.shapes.iter().any(|shape| matches!(shape.reach, Reach::Screen(_)));
    let one = format!("piece: rider, move: \"{beyond} step [enemy]\"");
    let (with, without) = lanes(&[&one, FOOT], "screens");
    assert!(is_screen(&with) && !is_screen(&without.unwrap()));
    // Two pieces on the way are no screen.
    let two = format!("piece: rider, move: \"{beyond} step [not empty] (step [empty])* step [enemy]\"");
    assert!(!is_screen(&lanes(&[&two, FOOT], "screens").0));
}

#[test]
fn recipes_are_steps_that_are_known_beforehand() {
    let ops = |lane: &Lane| -> Option<Vec<Op>> {
        let recipe = lane.shapes.first().and_then(|shape| shape.recipe.as_ref());
        recipe.map(|steps| steps.iter().map(|step| step.op.clone()).collect())
    };
    let seen = "after: ply, then: \"seen := true; raised += to\"";
    let (with, without) = lanes(&[CHIEF, seen], "recipes");
    let [Op::Set(_, 1), Op::Join(_, Place::To)] = &ops(&with).unwrap()[..] else {
        panic!("{:?}", ops(&with))
    };
    assert_eq!(ops(&without.unwrap()), None);
    // How many pieces are left is no step that is known beforehand: the clause is left to the general engine.
    let (miss, _) = lanes(&[CHIEF, "after: ply, then: still := count(owned(mover))"], "recipes");
    assert_eq!(ops(&miss), Some(vec![Op::General]));
}

#[test]
fn a_set_that_is_only_narrowed_settles() {
    let has = |lane: &Lane, fits: fn(&Op) -> bool| {
        lane.shapes.iter().flat_map(|shape| shape.recipe.iter().flatten()).any(|step| fits(&step.op))
    };
    let settles = |lane: &Lane| has(lane, |op| matches!(op, Op::Settle(_)));
    let condition = "any k in raised where owner(k) = owner(r) and kind(k) != kind(r)";
    let narrowed = format!("after: ply, then: \"raised := those r in raised where {condition}\"");
    let (with, without) = lanes(&[CHIEF, RIDER, &narrowed], "settle");
    assert!(settles(&with) && !settles(&without.unwrap()));
    // From all sites the set could grow again, and what happens elsewhere counts.
    let wide = format!("after: ply, then: \"raised := those r in occupied where {condition}\"");
    assert!(!settles(&lanes(&[CHIEF, RIDER, &wide], "settle").0));
}

#[test]
fn a_ban_on_leaving_a_piece_attacked_is_a_mask() {
    let ban = "forbid: \"attacked(chief(mover), opponent)\", after: ply";
    let (with, without) = lanes(&[CHIEF, RIDER, FOOT, ban], "legality");
    assert_eq!(with.royal.map(|royal| (royal.kind, royal.clause)), Some((0, 3)));
    assert!(without.unwrap().royal.is_none());
    // Under a condition, or for some plies only, it is none.
    for near in [
        "forbid: \"attacked(chief(mover), opponent)\", after: ply, when: seen",
        "forbid: \"attacked(chief(mover), opponent)\", after: move",
    ] {
        let pass = "act: pass, when: \"count(owned(mover)) < 3\"";
        assert!(lanes(&[CHIEF, RIDER, FOOT, near, pass], "legality").0.royal.is_none(), "{near}");
    }
}

/// A condition may depend on both ends of a way: then each of its ways is looked at by itself.
#[test]
fn ways_with_conditions_are_looked_at_site_by_site() {
    let instances = |lane: &Lane| lane.shapes.iter().map(|shape| shape.instances.len()).sum::<usize>();
    let leap = |when: &str| {
        let way = "face orthogonal step [not empty] mark over step [empty]";
        format!("piece: chief, act: leap, move: \"{way}\", when: \"{when}\"")
    };
    let (with, without) = lanes(&[CHIEF, RIDER, &leap("rank(over) != file(to)")], "instances");
    assert!(instances(&with) > 0, "{:?}", with.shapes);
    assert_eq!(instances(&without.unwrap()), 0);
    // What else it asks for cannot be told from the ends.
    let near = leap("rank(over) != file(to) and count(raised) != file(to)");
    assert_eq!(instances(&lanes(&[CHIEF, RIDER, &near], "instances").0), 0);
}

#[test]
fn conditions_become_questions() {
    let ban = "forbid: \"count(foot(mover)) = 0\", after: ply";
    let asks = |lane: &Lane| lane.queries.iter().flatten().any(|ask| matches!(ask, Ask::Kind(2)));
    let (with, without) = lanes(&[CHIEF, RIDER, FOOT, ban], "queries");
    assert!(asks(&with) && without.unwrap().queries.is_empty());
    // What depends on another comprehension is none.
    let ban = "forbid: \"(sum of file(s) for s in foot(mover)) = 0\", after: ply";
    assert!(!asks(&lanes(&[CHIEF, RIDER, FOOT, ban], "queries").0));
}

#[test]
fn lookups_need_lines_on_a_board_of_one_word() {
    let found = |side: u16, clauses: &[&str], pass: Passes| program(side, clauses, pass).lookups;
    let with = found(5, &[CHIEF, RIDER], Passes::all());
    // Along ranks and files: one family, a multiplier for each site.
    assert_eq!(with.iter().map(|one| (one.lines, one.multipliers.len())).collect::<Vec<_>>(), [(0b101, 25)]);
    assert!(found(5, &[CHIEF, RIDER], Passes::without("lookups").unwrap()).is_empty());
    lanes(&[CHIEF, RIDER], "lookups");
    // Near misses: nobody goes along lines, half lines only, and a board that is too wide.
    assert!(found(5, &[CHIEF, FOOT], Passes::all()).is_empty());
    assert!(found(5, &[CHIEF, "piece: rider, move: slide north + east"], Passes::all()).is_empty());
    assert!(found(9, &[CHIEF, RIDER], Passes::all()).is_empty());
}
