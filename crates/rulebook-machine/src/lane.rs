//! What the passes of the compiler recognised: the ways of one player, as relations over sites.
//!
//! Invariant: a lane only says again, in a form that runs fast, what the clauses say. Everything in it can be
//! left out; the general engine then gives the same answers.

use serde::{Deserialize, Serialize};

/// The content of a site, as seen by the player who moves: bits to be combined.
pub mod content {
    /// No piece stands there.
    pub const EMPTY: u8 = 1;
    /// A piece of another player.
    pub const ENEMY: u8 = 2;
    /// A piece of the moving player.
    pub const OWN: u8 = 4;
}

/// A distance: files to the right and ranks up.
pub type Offset = (i8, i8);

/// The ways of one player.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// The ways in which the pieces move, in the order of the clauses.
    pub shapes: Vec<Shape>,
    /// The acts that are not movements of pieces: their clauses. They run in the general engine.
    pub acts: Vec<u16>,
    /// How the pieces of this player capture on the site they come to; `None` if some way was not recognised.
    pub attacks: Option<Vec<Attack>>,
    /// The ban on leaving a piece of a kind attacked, where the bans have that form.
    pub royal: Option<Royal>,
    /// Whether only the plies with the largest measure are allowed: then the general engine finds them all.
    pub measured: bool,
    /// Whether some ply depends on what was on the board before.
    pub reads_past: bool,
    /// Whether the next player always has the turn.
    pub passes_turn: bool,
    /// Whether two ways may grant one and the same act, so that doubles must be looked for.
    pub doubles: bool,
}

/// A ban of the form: no piece of this kind and of the mover may be attacked after the ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Royal {
    /// The kind.
    pub kind: u8,
    /// The clause that bans.
    pub clause: u16,
}

/// One way in which one kind moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// The clause that grants it.
    pub clause: u16,
    /// The name of the act.
    pub act: u16,
    /// The kind.
    pub kind: u8,
    /// Where it goes.
    pub reach: Reach,
    /// What may stand on the site it comes to.
    pub ends: u8,
    /// Only from these sites.
    pub froms: Option<Vec<u64>>,
    /// Only to these sites.
    pub tos: Option<Vec<u64>>,
    /// What must hold before it is looked for.
    pub gate: Option<Gate>,
    /// A condition that is left to the general engine for each act.
    pub tested: bool,
    /// Bans judged on the position before the ply.
    pub before: Vec<Before>,
    /// Whether nothing but the moving piece and what it captures where it comes to matters to the others.
    pub plain: bool,
    /// What happens besides the movement, in order; `None` when the general engine must do it.
    pub recipe: Option<Vec<Step>>,
    /// A choice that belongs to the ply: only of kinds, only on some sites.
    pub choice: Option<Pick>,
    /// What is known where both ends are known; where there are any, only these ways are possible.
    pub instances: Vec<Instance>,
}

/// A template from one site, with what is known when both of its ends are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Instance {
    /// Where it starts.
    pub from: u16,
    /// Which template.
    pub template: u16,
    /// These sites must be empty, too.
    pub empty: Vec<u64>,
    /// None of these sites may be attacked before the ply.
    pub before: Vec<u16>,
    /// What the clause itself does after the movement.
    pub first: Vec<Op>,
}

/// Where a piece goes, relative to where it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reach {
    /// To sites at these distances, whatever stands between.
    Leap(Vec<Offset>),
    /// To sites at these distances, if all of the others are empty.
    Lame(Vec<(Offset, Vec<Offset>)>),
    /// Along these directions as far as the way is empty, and to the first site that is not.
    Ray(Vec<Offset>),
    /// Along these directions beyond exactly one piece, the rest of the way empty.
    Screen(Vec<Offset>),
    /// Ways with conditions on several sites.
    Templates(Vec<Template>),
    /// Any pattern: the automaton walks it.
    Walk,
}

/// A way with conditions on several sites, each relative to where the piece stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Template {
    /// Where it ends.
    pub to: Offset,
    /// What must hold where.
    pub needs: Vec<(Offset, Need)>,
    /// What is captured besides the piece where it ends.
    pub takes: Vec<Offset>,
    /// The marks, by the names they bind.
    pub marks: Vec<(u16, Offset)>,
}

/// What must hold of a site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Need {
    /// What may stand there.
    pub content: u8,
    /// If some piece stands there, its kind must be one of these (bits); `None` for any.
    pub kinds: Option<u128>,
    /// It must be one of these sites.
    pub among: Option<Vec<u64>>,
    /// It must be in this set variable: its slot.
    pub within: Option<u16>,
    /// It must be the value of this site variable: its slot.
    pub is: Option<u16>,
}

/// What must hold before a way is looked for at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Gate {
    /// The piece stands in this set variable.
    Within(u16),
    /// This site variable has a value.
    Given(u16),
}

/// How a kind captures on the site it comes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attack {
    /// The kinds, as bits.
    pub kinds: u128,
    /// From where, seen from the attacking piece.
    pub reach: Reach,
    /// Only from these sites.
    pub froms: Option<Vec<u64>>,
    /// Only to these sites.
    pub tos: Option<Vec<u64>>,
    /// Only pieces of these kinds, as bits.
    pub victims: Option<u128>,
}

/// A ban judged on the position before the ply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Before {
    /// The clause.
    pub clause: u16,
    /// None of these sites may be attacked by the next player; `None`: the general engine judges.
    pub attacked: Option<Vec<Place>>,
}

/// A site of an act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// Where the piece came from.
    From,
    /// Where it came to.
    To,
    /// A mark, by the name it binds.
    Bound(u16),
    /// A site at a distance from where the piece came from.
    Beside(Offset),
    /// A site of the board.
    At(u16),
}

/// A choice of kinds that belongs to a ply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pick {
    /// The clause that asks for it.
    pub clause: u16,
    /// The name it binds.
    pub binding: u16,
    /// Only when the piece comes to one of these sites.
    pub tos: Vec<u64>,
    /// The kinds, in order.
    pub kinds: Vec<u8>,
}

/// A step of what happens besides a movement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The clause that says so.
    pub clause: u16,
    /// When.
    pub guard: Guard,
    /// What.
    pub op: Op,
}

/// When a step happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Guard {
    /// Always.
    Always,
    /// When something was captured.
    Taken,
    /// When nothing was captured.
    NotTaken,
    /// When the choice was asked for.
    Picked,
    /// When this kind was chosen.
    Chosen(u8),
    /// When the truth variable at this slot holds.
    Holds(u16),
}

/// What happens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Op {
    /// What stands on the first site goes to the second.
    Move(Place, Place),
    /// A piece of the mover's of this kind on a site.
    Put(u8, Place),
    /// A piece of the mover's of the chosen kind on a site.
    PutChosen(Place),
    /// A site is cleared.
    Remove(Place),
    /// The variable at a slot has this value, packed.
    Set(u16, i64),
    /// A whole number is added to the number variable at a slot.
    Add(u16, i64),
    /// The variable at a slot is a site.
    SetSite(u16, Place),
    /// The sites whose content changed leave the set variable at a slot.
    LessChanged(u16),
    /// The sites that a player owns leave the set variable at a slot.
    LessOwned(u16, u8),
    /// A site joins the set variable at a slot.
    Join(u16, Place),
    /// The whole clause, its condition included, by the general engine.
    General,
    /// The same for a clause that does no more than give the set variable at a slot a value that depends
    /// only on itself and on what stands on its sites.
    Settle(u16),
}
