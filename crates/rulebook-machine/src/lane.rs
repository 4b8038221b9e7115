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
    /// The acts that are not movements of pieces: their clauses. They run in the general engine, but for
    /// those that `drops` say again.
    pub acts: Vec<u16>,
    /// The acts that put a piece on an empty site, kind by kind.
    pub drops: Vec<Drop>,
    /// The questions that are asked on the way, named by their places.
    pub queries: Vec<Query>,
    /// How the pieces of this player capture on the site they come to; `None` if some way was not recognised.
    pub attacks: Option<Vec<Attack>>,
    /// The ban on leaving a piece of a kind attacked, where the bans have that form.
    pub royal: Option<Royal>,
    /// A ban on leaving a piece of a kind in danger that says more than `royal` can.
    pub guarded: Option<Guarded>,
    /// The ban on attacking the other player's piece of a kind.
    pub calm: Option<Guarded>,
    /// Whether only the plies with the largest measure are allowed: then the general engine finds them all,
    /// unless the measure is `forced`.
    pub measured: bool,
    /// Whether the only measure is whether something is captured: who can capture must.
    pub forced: bool,
    /// The endings that stop the counting of sequences, as questions asked before the plies of this player;
    /// `None` if one of them is not understood.
    pub stops: Option<Vec<u16>>,
    /// Whether some ply depends on what was on the board before, and not only on the name of the latest act.
    pub reads_past: bool,
    /// The variables that are taken to have their first values: with other ones the general engine is asked.
    pub asleep: Vec<u16>,
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

/// A ban on a piece of this kind being in danger after the ply: attacked, or seen by others; perhaps only under
/// some conditions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guarded {
    /// The kind.
    pub kind: u8,
    /// The clause that bans.
    pub clause: u16,
    /// The whole ban, as a question about the position after the ply.
    pub query: u16,
    /// In which ways pieces endanger it besides capturing it.
    pub threats: Vec<Attack>,
    /// If there is such a kind: to be attacked is no danger on a site that touches a piece of this kind of the
    /// other player's, nor while there is no such piece, and it is forbidden to be left without the own kind.
    pub spared: Option<u8>,
}

/// An act that puts a piece of a known kind, from outside of the board, on an empty site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drop {
    /// The clause that grants it.
    pub clause: u16,
    /// The name of the act.
    pub act: u16,
    /// The kind that is put there.
    pub kind: u8,
    /// Whether nothing is put anywhere: the player only passes.
    pub bare: bool,
    /// What is chosen, in order: the name, and the kind; none for the site.
    pub choices: Vec<(u16, Option<u8>)>,
    /// Number variables, by their slots, that must be greater than zero.
    pub held: Vec<u16>,
    /// A question that must be answered with yes before it is looked for.
    pub when: Option<u16>,
    /// Only on these sites.
    pub tos: Vec<u64>,
    /// Only on the sites of the answer to this question.
    pub sites: Option<u16>,
    /// Not on some sites while a piece of the mover's stands on some others.
    pub bars: Vec<Bar>,
    /// What happens besides, in order; `None` when the general engine must do it.
    pub recipe: Option<Vec<Step>>,
    /// Questions about the position after the ply that forbid it.
    pub after: Vec<u16>,
    /// Whether nothing but the piece that is put there matters to the others.
    pub plain: bool,
    /// Which of these plies the general engine judges.
    pub judged: Judged,
}

/// Sites that are barred while a piece stands in a zone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bar {
    /// The kind of the piece, one of the mover's.
    pub kind: u8,
    /// Where it stands.
    pub zone: Vec<u64>,
    /// The sites that are barred.
    pub sites: Vec<u64>,
}

/// Which plies the general engine judges one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Judged {
    /// None of them.
    Never,
    /// Those after which the other player's piece of this kind is attacked.
    Striking(u8),
    /// All of them.
    Always,
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
    /// Questions about the position after the ply that forbid it.
    pub after: Vec<u16>,
    /// A question about the position before the ply: while its answer is no, no question after it forbids it.
    pub spare: Option<u16>,
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
    /// Questions before the ply that forbid it.
    pub asks: Vec<u16>,
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
    /// None of these sites may be attacked by the next player; `None`: the question says it, or the general
    /// engine judges.
    pub attacked: Option<Vec<Place>>,
    /// A question that forbids the ply.
    pub query: Option<u16>,
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
    /// When the answer to this question is yes.
    Asked(u16),
    /// When the answer to the question that was asked last was yes.
    Still,
    /// When the answer to the question that was asked last was no.
    Else,
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
    /// The sites of a question's answer are cleared.
    Clear(u16),
    /// The set variable at a slot becomes the answer to a question.
    SetTo(u16, u16),
    /// The truth variable at a slot becomes the answer to a question.
    Answer(u16, u16),
    /// The site variable at a slot has no value.
    Unset(u16),
    /// For each captured piece one is added to a number variable.
    Tally(Tally),
    /// The whole clause, its condition included, by the general engine.
    General,
    /// The same for a clause that does no more than give the set variable at a slot a value that depends
    /// only on itself and on what stands on its sites.
    Settle(u16),
}

impl Op {
    /// Whether it gives the variable at a slot, not one of sets, a value that does not come from a question.
    pub(crate) fn sets(&self, slot: u16) -> bool {
        match self {
            Self::Set(known, _) | Self::Add(known, _) | Self::SetSite(known, _) | Self::Unset(known) => {
                *known == slot
            }
            _ => false,
        }
    }
}

/// Number variables that count captured pieces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// By the kind of the captured piece, the slot of the variable; `NO_SLOT` for none.
    pub slots: Vec<u16>,
    /// For pieces on the sites of a set variable, its slot, other variables.
    pub within: Option<(u16, Vec<u16>)>,
}

/// No slot.
pub const NO_SLOT: u16 = u16::MAX;

/// A question about a position and a ply: a short program on a stack of sets. A truth value is the set of all
/// sites or of none.
pub type Query = Vec<Ask>;

/// Most sets on the stack of a question.
pub const MAX_STACK: usize = 8;

/// One step of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ask {
    /// Yes or no.
    Truth(bool),
    /// Some sites of the board.
    Sites(Vec<u64>),
    /// The sites with a piece.
    Occupied,
    /// The sites with a piece of a player.
    Owned(u8),
    /// The sites with a piece of a kind.
    Kind(u8),
    /// The sites on which such a piece stood before the ply.
    Was(u8),
    /// The value of the set variable at a slot.
    Within(u16),
    /// The value of the site variable at a slot.
    At(u16),
    /// Whether the truth variable at a slot holds.
    Holds(u16),
    /// How the whole number at a slot compares with another.
    Number(u16, Order, i64),
    /// A site of the ply; none for plies without such a site.
    Place(Place),
    /// What the ply has captured.
    Taken,
    /// What the ply has changed so far.
    Changed,
    /// Whether this kind was chosen.
    Chosen(u8),
    /// Whether the ply before this one had this name.
    Last(u16),
    /// Of two sets, the sites of either.
    Union,
    /// Of two sets, the sites of both.
    Meet,
    /// Of two sets, the sites of the first that are not in the second.
    Less,
    /// The sites of the board that are not in a set.
    Not,
    /// Whether there is a site in a set.
    Some,
    /// How the number of sites of a set compares with another.
    Count(Order, i64),
    /// The sites that touch one of a set, whether or not they are in it.
    Near,
    /// The sites of a set that a player attacks.
    Struck(u8),
    /// The sites from which a player attacks one of a set.
    Strikers(u8),
    /// What is seen from the sites of a set along these directions: the empty sites up to a piece, and it.
    Seen(Vec<Offset>),
    /// The upper set of the stack once more.
    Twice,
    /// The two upper sets change places.
    Swap,
}

/// How two numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Smaller.
    Below,
    /// Equal.
    Equal,
    /// Greater.
    Above,
}

impl Ask {
    /// How many sets it takes from the stack, and how many it leaves there.
    pub fn effect(&self) -> (usize, usize) {
        match self {
            Self::Union | Self::Meet | Self::Less => (2, 1),
            Self::Not
            | Self::Some
            | Self::Count(..)
            | Self::Near
            | Self::Struck(_)
            | Self::Strikers(_)
            | Self::Seen(_) => (1, 1),
            Self::Twice => (1, 2),
            Self::Swap => (2, 2),
            _ => (0, 1),
        }
    }
}
