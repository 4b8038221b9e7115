//! The trees of the small languages: expressions, patterns, effects, choices and time controls.
//!
//! Invariant: every span is a range of the file the string stands in, not of the string.
//! A tree says what was written, never what it means; names are not resolved here.

use crate::Span;

/// A name with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The word.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// An expression with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: Box<ExprKind>,
}

/// An exact decimal number, as a fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// Numerator.
    pub numerator: i64,
    /// Denominator, a power of ten before reduction, always positive.
    pub denominator: i64,
}

/// The forms of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A number, with a unit or plain.
    Number(Decimal, Option<Name>),
    /// A clock time such as `1:30:00`, in seconds.
    Time(i64),
    /// A quoted text.
    Text(String),
    /// `true` or `false`.
    Truth(bool),
    /// `none`.
    Nothing,
    /// A bare name.
    Name(Name),
    /// `name(a, b)`, and `name of a`.
    Call(Name, Vec<Expr>),
    /// `a.field`.
    Field(Expr, Name),
    /// `[a, b]`.
    List(Vec<Expr>),
    /// `not a` or `-a`.
    Unary(Unary, Expr),
    /// `a op b`.
    Binary(Binary, Expr, Expr),
    /// `a is empty`; the flag is set for `is not empty`.
    Empty(Expr, bool),
    /// `if a then b else c`.
    If(Expr, Expr, Expr),
    /// `any x in a where b` and its kin.
    Quantified(Quantifier, Name, Expr, Expr),
    /// `those x in a where b`.
    Filtered(Name, Expr, Expr),
    /// `sum of a for x in b where c` and its kin.
    Folded(Fold, Expr, Name, Expr, Option<Expr>),
    /// `trace(a, pattern)`: the sites that the pattern takes, walked from `a`.
    Traced(Expr, Path),
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `not`
    Not,
    /// `-`
    Minus,
}

/// Infix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `or`
    Or,
    /// `and`
    And,
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `in`
    In,
    /// `not in`
    NotIn,
    /// `..`
    Range,
    /// `+`: numbers are added, sets united
    Plus,
    /// `-`: numbers are subtracted, the right set is left out of the left one
    Less,
    /// `*`
    Times,
    /// `/`
    Over,
    /// `mod`
    Mod,
    /// `&`: what two sets share
    Both,
}

/// Quantifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// At least one.
    Any,
    /// Every one.
    All,
    /// Not one.
    No,
}

/// Folds over a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// Adds numbers up; zero over nothing.
    Sum,
    /// The largest number.
    Most,
    /// The smallest number.
    Least,
    /// The union of sites and site sets.
    Set,
    /// The values in order.
    List,
}

/// A movement pattern: alternatives of sequences.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Where it stands.
    pub span: Span,
    /// The alternatives.
    pub branches: Vec<Vec<Item>>,
}

/// One item of a pattern with its repetition.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Where it stands.
    pub span: Span,
    /// What is done.
    pub atom: Atom,
    /// How often at least.
    pub least: u16,
    /// How often at most; `None` is without bound.
    pub most: Option<u16>,
}

/// The atoms of patterns.
#[derive(Clone, Debug, PartialEq)]
pub enum Atom {
    /// A pattern in parentheses.
    Group(Path),
    /// `[expr]`: goes on only where it holds.
    Test(Expr),
    /// `step` along the heading, or `step dirs` in each of some directions.
    Step(Option<Dirs>),
    /// `jump (a, b)`: to every site at that distance, in all mirrorings.
    Jump(i16, i16),
    /// `jump v` inside a macro, `v` being its parameter.
    JumpNamed(Name),
    /// `face dirs`: choose a heading.
    Face(Dirs),
    /// `veer`: turn the heading by one half of a right angle, to either side.
    Veer,
    /// `take`: the piece here is captured.
    Take,
    /// `mark name`: remember this site.
    Mark(Name),
    /// `back name`: return to a remembered site.
    Back(Name),
    /// A macro with its argument.
    Expansion(Name, Option<Argument>),
}

/// What a macro is called with.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A distance.
    Vector(i16, i16),
    /// Directions.
    Dirs(Dirs),
}

/// A union of named directions.
pub type Dirs = Vec<Name>;

/// One effect with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// Where it stands.
    pub span: Span,
    /// What it does.
    pub kind: EffectKind,
}

/// The forms of effects.
#[derive(Clone, Debug, PartialEq)]
pub enum EffectKind {
    /// `if a then b else c`.
    If(Expr, Vec<Effect>, Vec<Effect>),
    /// `for x in a do b`.
    For(Name, Expr, Vec<Effect>),
    /// `move a to b`.
    Move(Expr, Expr),
    /// `remove a`.
    Remove(Expr),
    /// `put kind at site`, for the mover or for a named player.
    Put(Expr, Option<Expr>, Expr),
    /// `give sites to player`.
    Give(Expr, Expr),
    /// `again`: the mover keeps the turn.
    Again,
    /// `turn to player`: this player has the turn from now on.
    Turn(Expr),
    /// `apply '10.13'(a, b)`: what the clause of this number says happens too, with what it comes with.
    Apply(Name, Vec<Expr>),
    /// `restore plies`: the position that was recorded so many plies ago returns.
    Restore(Expr),
    /// `name := a`, `name(p) += a`, `name(p, k) -= a`.
    Assign(Name, Vec<Expr>, Assign, Expr),
    /// An outcome: the game ends.
    End(Expr),
}

/// Forms of assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assign {
    /// `:=`
    Set,
    /// `+=`
    Add,
    /// `-=`
    Subtract,
}

/// A choice: a name and the collection it is chosen from.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The name.
    pub name: Name,
    /// The collection.
    pub domain: Expr,
}

/// The head of a definition: its name and the names of its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The name.
    pub name: Name,
    /// The parameters.
    pub parameters: Vec<Name>,
}

/// What follows a period whose moves are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterPeriod {
    /// The next one, what is left being carried over.
    Next,
    /// The same one again, what is left being carried over.
    Repeating,
    /// The same one again, with its own time only.
    Renewed,
}

/// One period of a time control. Times are in seconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Period {
    /// Where it stands.
    pub span: Span,
    /// Moves to be made in this period; `None` is all the rest of the game.
    pub moves: Option<u32>,
    /// Time for the period, in seconds.
    pub seconds: i64,
    /// Time added for each move, in seconds.
    pub increment: i64,
    /// Time that runs before the clock does, in seconds for each move.
    pub delay: i64,
    /// How much of what a move took is given back at most, in seconds.
    pub back: i64,
    /// The move of the game from which on time is added, waited for or given back; zero for all of them.
    pub from: u32,
    /// How many times the time is there, anew for each move; zero where it is a budget.
    pub times: u32,
    /// What happens when the moves of the period are made.
    pub after: AfterPeriod,
    /// Whether what one player uses the other one gets.
    pub hourglass: bool,
}
