//! How each clause of a rule set runs, and why, for people who write rules.
//!
//! Invariant: every clause has at least one line, lines come in the order of the clauses, and what is alike
//! for several kinds or for both players is said once. The lines say what the program holds; they decide
//! nothing.

use rulebook_machine::lane::{Lane, Op, Reach};
use rulebook_machine::program::{Form, Program};

use crate::shapes::Note;

/// How a clause runs, for some players and kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The clause.
    pub clause: u16,
    /// For which players; none means that it is alike for all.
    pub players: Vec<u8>,
    /// For which kinds; none means that it is not about kinds.
    pub kinds: Vec<u8>,
    /// The form that was recognised, or why none was.
    pub text: String,
    /// Whether it runs in a recognised form.
    pub fast: bool,
}

/// How a rule set runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Clause by clause.
    pub lines: Vec<Line>,
    /// Why some plies are found by the general engine; nothing if they are found by the recognised forms alone.
    pub general: Vec<&'static str>,
}

/// The plan of a program, with the notes of its compilation.
pub fn plan(program: &Program, notes: &[Note]) -> Plan {
    let mut lines: Vec<Line> = Vec::new();
    for (at, clause) in program.clauses.iter().enumerate() {
        let at = at as u16;
        let mut own: Vec<(Option<u8>, Option<u8>, String, bool)> = notes
            .iter()
            .filter(|note| note.clause == at)
            .map(|note| (note.player, note.kind, note.text.clone(), note.fast))
            .collect();
        if own.is_empty() {
            let (text, fast) = other(program, at, &clause.form);
            own.push((None, None, text, fast));
        }
        lines.extend(grouped(at, program.players.len(), own));
    }
    Plan { lines, general: general(program) }
}

/// Notes of one clause: the same text of several kinds, then of several players, becomes one line.
fn grouped(
    clause: u16,
    players: usize,
    notes: Vec<(Option<u8>, Option<u8>, String, bool)>,
) -> impl Iterator<Item = Line> {
    let mut by_kind: Vec<Line> = Vec::new();
    for (player, kind, text, fast) in notes {
        let same = |line: &&mut Line| {
            line.players.first().copied() == player && line.text == text && line.fast == fast
        };
        match by_kind.iter_mut().find(same) {
            Some(line) => line.kinds.extend(kind),
            None => by_kind.push(Line {
                clause,
                players: player.into_iter().collect(),
                kinds: kind.into_iter().collect(),
                text,
                fast,
            }),
        }
    }
    let mut lines: Vec<Line> = Vec::new();
    for line in by_kind {
        let same = |known: &&mut Line| {
            (&known.kinds, &known.text, known.fast) == (&line.kinds, &line.text, line.fast)
        };
        match lines.iter_mut().find(same) {
            Some(known) => known.players.extend(line.players),
            None => lines.push(line),
        }
    }
    for line in &mut lines {
        if line.players.len() == players {
            line.players.clear();
        }
    }
    lines.into_iter()
}

/// How a clause runs that is no movement.
fn other(program: &Program, at: u16, form: &Form) -> (String, bool) {
    let lanes = &program.lanes;
    let (text, fast) = match form {
        Form::Advice => ("advice: it changes no state, so nothing runs", true),
        Form::Move { .. } if lanes.is_empty() => ("walked: no forms were looked for", false),
        Form::Move { .. } => ("walked", false),
        Form::Act { .. } => ("ply of its own: granted and made by the general engine", false),
        Form::Applied { .. } => ("what other clauses apply: its effects as they stand", true),
        Form::Event { .. } => ("event: found by its name, then its effects as they stand", true),
        Form::After { .. } => return consequence(lanes, at),
        Form::Forbid { before: true, .. } => {
            let clause = program.clauses.get(usize::from(at));
            before(lanes, at, clause.map_or(&[][..], |clause| &clause.reads))
        }
        Form::Forbid { before: false, .. } => {
            if lanes.iter().any(|lane| lane.royal.is_some_and(|royal| royal.clause == at)) {
                ("ban derived: attackers are looked for from the site outwards", true)
            } else if lanes.iter().any(asks_after) {
                ("ban asked: a ply it may concern is made, then a short question decides", true)
            } else {
                ("ban tried: every ply is made, then judged by the general engine", false)
            }
        }
        Form::Most { .. } if !lanes.is_empty() && lanes.iter().all(|lane| lane.forced) => {
            ("measured: captures are looked for first, all else only where there are none", true)
        }
        Form::Most { .. } => ("measured: every ply is made, then those with the most are kept", false),
        Form::Turn(_) if !lanes.is_empty() && lanes.iter().all(|lane| lane.passes_turn) => {
            ("turn: always the next player, so nothing is evaluated in the recognised forms", true)
        }
        Form::Turn(_) => ("turn: evaluated after each ply", false),
        Form::Ends { stops: true, .. }
            if !lanes.is_empty() && lanes.iter().all(|lane| lane.stops.is_some()) =>
        {
            ("ending: read off each position before its plies by a short question", true)
        }
        Form::Ends { stops: true, .. } => ("ending: read off each position before its plies", false),
        Form::Ends { stops: false, .. } => ("ending: asked after a ply that was played", true),
        Form::Rank(..) => ("key of the ranking: one value for each entry", true),
        Form::List { .. } => ("list: made when it is asked for", true),
    };
    (text.to_owned(), fast)
}

/// Whether plies of a player are followed by questions.
fn asks_after(lane: &Lane) -> bool {
    lane.shapes.iter().any(|shape| !shape.after.is_empty())
        || lane.drops.iter().any(|drop| !drop.after.is_empty())
}

/// How a consequence of plies runs.
fn consequence(lanes: &[Lane], at: u16) -> (String, bool) {
    if lanes.is_empty() {
        return ("consequence: by the general engine, for no forms were looked for".into(), false);
    }
    let (mut steps, mut general, mut settles, mut picked, mut unknown) = (0, 0, 0, 0, 0);
    for shape in lanes.iter().flat_map(|lane| &lane.shapes) {
        picked += usize::from(shape.choice.as_ref().is_some_and(|pick| pick.clause == at));
        let Some(recipe) = &shape.recipe else {
            unknown += 1;
            continue;
        };
        for step in recipe.iter().filter(|step| step.clause == at) {
            match step.op {
                Op::General => general += 1,
                Op::Settle(_) => settles += 1,
                _ => steps += 1,
            }
        }
    }
    let mut parts: Vec<&str> = Vec::new();
    if picked > 0 {
        parts.push("a choice that is known from where the piece comes to");
    }
    if steps > 0 {
        parts.push("steps that are known beforehand");
    }
    if settles > 0 {
        parts.push("a set that is narrowed, skipped while nothing it looks at changes");
    }
    if general > 0 {
        parts.push("the general engine for some movements, whose effects are no plain steps");
    }
    if unknown > 0 {
        parts.push("the general engine for movements that it makes as a whole");
    }
    if parts.is_empty() {
        return ("consequence: never of a movement".into(), true);
    }
    (format!("consequence: {}", parts.join("; ")), general + unknown == 0)
}

/// How a ban on the position before a ply runs.
fn before(lanes: &[Lane], at: u16, reads: &[u16]) -> (&'static str, bool) {
    let bans = lanes.iter().flat_map(|lane| &lane.shapes).flat_map(|shape| &shape.before);
    let mut bans = bans.filter(|ban| ban.clause == at).peekable();
    let asleep = |var: &u16| lanes.iter().any(|lane| lane.asleep.contains(var));
    if bans.peek().is_none() && reads.iter().any(asleep) {
        return (
            "ban asleep: it asks for what only events set, and is judged once an event has set it",
            true,
        );
    }
    if bans.peek().is_none() {
        return ("ban judged before a ply, by the general engine: it is about no movement", false);
    }
    if bans.all(|ban| ban.attacked.is_some()) {
        ("ban derived: attackers of the sites it names are looked for before the ply", true)
    } else if lanes
        .iter()
        .flat_map(|lane| &lane.shapes)
        .flat_map(|shape| &shape.before)
        .filter(|ban| ban.clause == at)
        .all(|ban| ban.attacked.is_some() || ban.query.is_some())
    {
        ("ban asked: a short question before the ply decides", true)
    } else {
        ("ban judged before each ply, by the general engine", false)
    }
}

/// Why the general engine is needed to find plies.
fn general(program: &Program) -> Vec<&'static str> {
    let lanes = &program.lanes;
    if program.surround.is_some() {
        return Vec::new();
    }
    if lanes.is_empty() {
        return vec!["there are not two players on a board, or no forms were looked for"];
    }
    let any = |is: &dyn Fn(&Lane) -> bool| lanes.iter().any(is);
    let shape =
        |is: fn(&rulebook_machine::lane::Shape) -> bool| lanes.iter().flat_map(|lane| &lane.shapes).any(is);
    [
        (program.board.len() > 128, "the board has more than 128 sites"),
        (
            any(&|lane| lane.acts.iter().any(|at| lane.drops.iter().all(|drop| drop.clause != *at))),
            "there are plies that are not movements of pieces",
        ),
        (
            any(&|lane| lane.measured && !lane.forced),
            "a ban or a measure must be judged on the position after a ply",
        ),
        (any(&|lane| lane.doubles), "two ways may grant one and the same act"),
        (any(&|lane| !lane.passes_turn), "the turn does not always pass to the next player"),
        (any(&|lane| lane.attacks.is_none()), "some way of capturing was not recognised"),
        (shape(|shape| shape.tested), "a condition of a movement is no plain one"),
        (shape(|shape| shape.reach == Reach::Walk), "a pattern is walked"),
        (shape(|shape| shape.recipe.is_none()), "what follows a movement is no list of steps"),
        (
            shape(|shape| shape.recipe.iter().flatten().any(|step| step.op == Op::General)),
            "a consequence of a movement is no plain step",
        ),
        (
            shape(|shape| shape.before.iter().any(|ban| ban.attacked.is_none() && ban.query.is_none())),
            "a ban before a ply is no question",
        ),
    ]
    .into_iter()
    .filter_map(|(holds, why)| holds.then_some(why))
    .collect()
}
