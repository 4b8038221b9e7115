//! Calls: functions of the language, kinds and variables of a player, definitions, questions about acts.
//!
//! Invariant: a function is asked only where what it looks at does not depend on the clause that asks.

use std::sync::Arc;

use rulebook_syntax::ast::{AfterPeriod, Binary, Expr, ExprKind, Name, Period};
use rulebook_syntax::{Diagnostic, Source, Span, codes};

use super::names::{ABLE, ALL_CONTEXTS, ATTACK, Scope, bit};
use super::terms::{NOTHING, Typed};
use super::{Checker, Meaning};
use crate::draft::suggest;
use crate::ruleset::{Builtin, COUNT, Context, Features, MOVES, PLIES, SECONDS, Term};
use crate::types::Type;
use crate::value::{Number, Value};

/// Most positions that one search looks at.
const MAX_SOUGHT: u32 = 100_000;

/// What a function takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Player,
    Site,
    Sites,
    Count,
    Counts,
    Moves,
    Plies,
    Number,
    Collection,
}

/// What a function gives.
#[derive(Clone, Copy)]
enum Gives {
    Truth,
    Player,
    Kind,
    Site,
    Sites,
    Count,
    Plies,
    Moves,
    Outcome,
    Groups,
    PlayerList,
    KindList,
    Same,
    Member,
}

const FUNCTIONS: &[(&str, Builtin, &[Takes], Gives)] = &[
    ("owned", Builtin::Owned, &[Takes::Player], Gives::Sites),
    ("kind", Builtin::Kind, &[Takes::Site], Gives::Kind),
    ("owner", Builtin::Owner, &[Takes::Site], Gives::Player),
    ("was", Builtin::Was, &[Takes::Site], Gives::Kind),
    ("was_owner", Builtin::WasOwner, &[Takes::Site], Gives::Player),
    ("owners", Builtin::Owners, &[Takes::Sites], Gives::PlayerList),
    ("kinds", Builtin::Kinds, &[Takes::Sites], Gives::KindList),
    ("file", Builtin::File, &[Takes::Site], Gives::Count),
    ("rank", Builtin::Rank, &[Takes::Site], Gives::Count),
    ("at", Builtin::At, &[Takes::Count, Takes::Count], Gives::Site),
    ("ranks", Builtin::Ranks, &[Takes::Counts], Gives::Sites),
    ("files", Builtin::Files, &[Takes::Counts], Gives::Sites),
    ("neighbours", Builtin::Neighbours, &[Takes::Sites], Gives::Sites),
    ("connected", Builtin::Connected, &[Takes::Sites, Takes::Sites], Gives::Sites),
    ("groups", Builtin::Groups, &[Takes::Sites], Gives::Groups),
    ("between", Builtin::Between, &[Takes::Site, Takes::Site], Gives::Sites),
    ("count", Builtin::Count, &[Takes::Collection], Gives::Count),
    ("only", Builtin::Only, &[Takes::Collection], Gives::Member),
    ("attacked", Builtin::Attacked, &[Takes::Sites, Takes::Player], Gives::Truth),
    ("attackers", Builtin::Attackers, &[Takes::Sites, Takes::Player], Gives::Sites),
    ("restores", Builtin::Restores, &[Takes::Count], Gives::Truth),
    ("next", Builtin::Next, &[Takes::Player], Gives::Player),
    ("opponent", Builtin::Next, &[Takes::Player], Gives::Player),
    ("win", Builtin::Win, &[Takes::Player], Gives::Outcome),
    ("lose", Builtin::Lose, &[Takes::Player], Gives::Outcome),
    ("plies", Builtin::Plies, &[Takes::Moves], Gives::Plies),
    ("moves", Builtin::Moves, &[Takes::Plies], Gives::Moves),
    ("min", Builtin::Min, &[Takes::Number, Takes::Number], Gives::Same),
    ("max", Builtin::Max, &[Takes::Number, Takes::Number], Gives::Same),
    ("abs", Builtin::Abs, &[Takes::Number], Gives::Same),
    ("floor", Builtin::Floor, &[Takes::Number], Gives::Same),
];

/// A function of a time control: its name, whether it takes a number of a period, and its value for one.
type OfPeriod = (&'static str, bool, fn(&[Period], usize) -> (Value, Type));

/// The functions of the time control of a player; most of them are about one of its periods.
const PERIODS: &[OfPeriod] = &[
    ("periods", false, |periods, _| (Value::whole(periods.len()), Type::Number(COUNT))),
    ("period_time", true, |periods, at| seconds(periods, at, |period| period.seconds)),
    ("period_bonus", true, |periods, at| seconds(periods, at, |period| period.increment)),
    ("period_delay", true, |periods, at| seconds(periods, at, |period| period.delay)),
    ("period_back", true, |periods, at| seconds(periods, at, |period| period.back)),
    ("period_moves", true, |periods, at| moves(periods, at, |period| period.moves.unwrap_or(0))),
    ("period_from", true, |periods, at| moves(periods, at, |period| period.from)),
    ("period_times", true, |periods, at| {
        (Value::whole(in_force(periods, at).map_or(0, |period| period.times as usize)), Type::Number(COUNT))
    }),
    ("period_renewed", true, |periods, at| {
        truth(in_force(periods, at).is_some_and(|period| period.after == AfterPeriod::Renewed))
    }),
    ("hourglass", true, |periods, at| truth(in_force(periods, at).is_some_and(|period| period.hourglass))),
];

/// The period of a number, from one; the last one again where it does not end.
fn in_force(periods: &[Period], at: usize) -> Option<&Period> {
    periods.get(at).or(periods.last().filter(|last| last.after != AfterPeriod::Next))
}

fn truth(truth: bool) -> (Value, Type) {
    (Value::Truth(truth), Type::Truth)
}

fn seconds(periods: &[Period], at: usize, of: fn(&Period) -> i64) -> (Value, Type) {
    (Value::Number(Number::whole(in_force(periods, at).map_or(0, of))), Type::Number(SECONDS))
}

fn moves(periods: &[Period], at: usize, of: fn(&Period) -> u32) -> (Value, Type) {
    (Value::Number(Number::whole(in_force(periods, at).map_or(0, of).into())), Type::Number(MOVES))
}

/// The names of all functions.
pub(super) fn function_names<'a>() -> impl Iterator<Item = &'a str> {
    FUNCTIONS.iter().map(|(name, ..)| *name).chain(PERIODS.iter().map(|(name, ..)| *name))
}

impl Checker<'_> {
    pub(super) fn call(&mut self, name: &Name, arguments: &[Expr], span: Span, scope: &mut Scope) -> Typed {
        let word = name.text.as_str();
        match word {
            "able" | "last" => return self.act_question(name, arguments, scope),
            _ if PERIODS.iter().any(|(known, ..)| *known == word) => {
                return self.of_period(name, arguments, scope);
            }
            "times" => return self.times(name, arguments, scope),
            _ => {}
        }
        if let Some(function) = FUNCTIONS.iter().find(|(known, ..)| *known == word) {
            return self.builtin(function, arguments, span, scope);
        }
        self.used.insert(word.to_owned());
        match self.names.get(word).map(|(meaning, _)| *meaning) {
            Some(Meaning::Kind(at)) => {
                let Some(player) = self.one(name, arguments, scope) else { return NOTHING };
                let player = self.wanted(player, &Type::Player, scope);
                let kind = Term::Const(Value::Kind(at));
                (Term::Call(Builtin::Pieces, vec![kind, player]), Type::Sites)
            }
            Some(Meaning::Var(at)) => {
                let Some(var) = self.rules.vars.get(usize::from(at)).cloned() else { return NOTHING };
                if var.each.len() != arguments.len() {
                    let message = super::effects::which(word, &var.each);
                    return self.error(codes::TYPE_ARITY, name.span, message, scope);
                }
                let members = arguments.iter().zip(&var.each);
                let members = members.map(|(member, index)| self.wanted(member, &index.ty(), scope));
                (Term::Var(at, members.collect()), var.ty.clone())
            }
            Some(Meaning::Define(at)) => {
                let typed: Vec<Typed> = arguments.iter().map(|argument| self.term(argument, scope)).collect();
                let (terms, types): (Vec<Term>, Vec<Type>) = typed.into_iter().unzip();
                match self.instance(at, &types, scope, span) {
                    Some((body, ty)) => (Term::Apply(body, terms), ty),
                    None => NOTHING,
                }
            }
            Some(_) => {
                let message = format!("`{word}` is not a function");
                self.error(codes::TYPE_ARITY, name.span, message, scope)
            }
            None => {
                for argument in arguments {
                    self.term(argument, scope);
                }
                self.unknown(name, scope)
            }
        }
    }

    fn one<'e>(&mut self, name: &Name, arguments: &'e [Expr], scope: &Scope) -> Option<&'e Expr> {
        if let [argument] = arguments {
            return Some(argument);
        }
        let message = format!("`{}` takes one argument, not {}", name.text, arguments.len());
        self.fault(&scope.source, codes::TYPE_ARITY, name.span, message);
        None
    }

    /// A value of a time control, as a table by player and period that is written out.
    fn of_period(&mut self, name: &Name, arguments: &[Expr], scope: &mut Scope) -> Typed {
        let Some((_, numbered, of)) = PERIODS.iter().find(|(known, ..)| *known == name.text) else {
            return NOTHING;
        };
        let (player, number) = match arguments {
            [player] if !numbered => (player, None),
            [player, number] if *numbered => (player, Some(number)),
            _ => {
                let takes = if *numbered { "a player and the number of a period" } else { "a player" };
                return self.error(
                    codes::TYPE_ARITY,
                    name.span,
                    format!("`{}` takes {takes}", name.text),
                    scope,
                );
            }
        };
        let player = self.wanted(player, &Type::Player, scope);
        let number = number.map(|number| self.wanted(number, &Type::Number(COUNT), scope));
        let ty = of(&[], 0).1;
        let mut all = Term::Const(of(&[], 0).0);
        for (at, periods) in self.rules.clock.iter().enumerate() {
            let mut one = Term::Const(of(periods, periods.len()).0);
            for place in (0..periods.len()).rev().filter(|_| *numbered) {
                let here = Term::Const(Value::whole(place + 1));
                let asked = number.clone().unwrap_or(Term::Const(Value::Nothing));
                let is_here = Term::Binary(Binary::Le, Box::new(asked), Box::new(here));
                one = Term::If(Box::new(is_here), Box::new(Term::Const(of(periods, place).0)), Box::new(one));
            }
            let this = Box::new(Term::Const(Value::Player(at as u8)));
            let is_this = Term::Binary(Binary::Eq, Box::new(player.clone()), this);
            all = Term::If(Box::new(is_this), Box::new(one), Box::new(all));
        }
        (all, ty)
    }

    fn act_question(&mut self, name: &Name, arguments: &[Expr], scope: &mut Scope) -> Typed {
        let (first, further) = match arguments {
            [first, further @ ..] if name.text == "able" && further.len() <= 3 => (Some(first), further),
            _ => (self.one(name, arguments, scope), &[][..]),
        };
        let Some(argument) = first else { return NOTHING };
        let ExprKind::Name(act) = &*argument.kind else {
            let message = format!("`{}` takes the name of an act", name.text);
            return self.error(codes::TYPE_MISMATCH, argument.span, message, scope);
        };
        if name.text == "able" && scope.contexts & ABLE == 0 {
            let message =
                "`able` cannot be asked here: which acts are possible depends on this clause".into();
            return self.error(codes::ACT_CYCLE, name.span, message, scope);
        }
        if name.text == "able" && act.text == "ply" && !further.is_empty() {
            return self.able(None, further, scope);
        }
        match self.act(&act.text, act.span, &scope.source) {
            Some(act) if name.text == "able" => self.able(Some(act), further, scope),
            Some(act) => (Term::Last(act), Type::Truth),
            None => NOTHING,
        }
    }

    /// Whether there is a legal ply for which conditions hold: one on the ply, one on the position after it.
    fn able(&mut self, act: Option<u16>, conditions: &[Expr], scope: &mut Scope) -> Typed {
        let (around, outside) = (scope.contexts, scope.bindings.len());
        scope.bindings.extend(self.of_plies.clone());
        let of_ply = [Context::From, Context::To, Context::Piece, Context::Taken];
        let known = of_ply.iter().fold(around, |bits, context| bits | bit(*context));
        let asking = ABLE | bit(Context::Stuck);
        // What is supposed to have been played is not played on: one ply is looked ahead, and whether another
        // one follows.
        let ahead = around & bit(Context::Changed) != 0 && around != ALL_CONTEXTS;
        let mut held = Vec::new();
        let mut conditions = conditions.iter();
        let asked = conditions.by_ref().take(2);
        for (at, condition) in asked.enumerate() {
            if at > 0 && ahead {
                let message = "only one ply is looked ahead";
                self.fault(&scope.source, codes::ACT_CYCLE, condition.span, message);
            }
            let after = (known | bit(Context::Changed)) & !bit(Context::Tied);
            scope.contexts = if at == 0 { known & !asking } else { after };
            held.push(Box::new(self.wanted(condition, &Type::Truth, scope)));
        }
        let mut held = held.into_iter();
        let (before, after) = (held.next(), held.next());
        scope.contexts = around;
        scope.bindings.truncate(outside);
        let most = conditions.next().and_then(|most| self.most(most, scope));
        (Term::Able(act, before, after, most), Type::Truth)
    }

    /// How many positions a search looks at: a number that is known beforehand.
    fn most(&mut self, expr: &Expr, scope: &mut Scope) -> Option<u32> {
        let most = match self.wanted(expr, &Type::Number(COUNT), scope) {
            Term::Const(Value::Number(number)) => {
                number.to_whole().and_then(|number| u32::try_from(number).ok())
            }
            _ => None,
        };
        let most = most.filter(|most| (1..=MAX_SOUGHT).contains(most));
        if most.is_none() {
            let message =
                format!("how many positions are looked at is a fixed number from 1 to {MAX_SOUGHT}");
            self.fault(&scope.source, codes::TYPE_MISMATCH, expr.span, message);
        }
        most
    }

    /// The number of an act; an unknown one is reported.
    pub(super) fn act(&mut self, name: &str, span: Span, source: &Arc<Source>) -> Option<u16> {
        if let Some(at) = self.rules.acts.iter().position(|act| act == name) {
            return Some(at as u16);
        }
        if self.lost.contains(name) {
            return None;
        }
        let message = format!("there is no act `{name}`");
        let fault = Diagnostic::error(codes::NAME_UNKNOWN, source, span, message);
        let fault = suggest(fault, name, self.rules.acts.iter().map(String::as_str).chain(["ply"]));
        self.out.push(fault);
        None
    }

    fn times(&mut self, name: &Name, arguments: &[Expr], scope: &Scope) -> Typed {
        let words: Vec<&str> = arguments
            .iter()
            .map(|argument| match &*argument.kind {
                ExprKind::Name(name) => name.text.as_str(),
                _ => "",
            })
            .collect();
        let features = match words[..] {
            ["position"] => Features { identity: true, turn: true },
            ["board"] => Features { identity: false, turn: false },
            ["board", "turn"] => Features { identity: false, turn: true },
            _ => {
                let message = "`times` takes `position`, `board`, or `board, turn`".into();
                return self.error(codes::TYPE_ARITY, name.span, message, scope);
            }
        };
        if features.identity && scope.contexts & ABLE == 0 {
            let message = "`times(position)` cannot be asked here: what a position is depends on this clause";
            return self.error(codes::ACT_CYCLE, name.span, message.into(), scope);
        }
        (Term::Times(features), Type::Number(COUNT))
    }

    fn builtin(
        &mut self,
        (name, builtin, takes, gives): &(&str, Builtin, &[Takes], Gives),
        arguments: &[Expr],
        span: Span,
        scope: &mut Scope,
    ) -> Typed {
        let many = takes.first() == Some(&Takes::Counts);
        if arguments.len() != takes.len() && (!many || arguments.is_empty()) {
            let message = format!("`{name}` takes {} argument(s), not {}", takes.len(), arguments.len());
            return self.error(codes::TYPE_ARITY, span, message, scope);
        }
        if matches!(builtin, Builtin::Attacked | Builtin::Attackers) && scope.contexts & ATTACK == 0 {
            let message = format!("`{name}` cannot be asked here: what attacks what depends on this clause");
            return self.error(codes::ACT_CYCLE, span, message, scope);
        }
        let mut terms = Vec::new();
        let mut first = Type::Unknown;
        for (index, argument) in arguments.iter().enumerate() {
            let (term, ty) = self.term(argument, scope);
            let takes = takes.get(index).or(takes.last()).copied().unwrap_or(Takes::Count);
            let wanted = match takes {
                Takes::Player => Type::Player,
                Takes::Site => Type::Site,
                Takes::Sites => Type::Sites,
                Takes::Count | Takes::Counts => Type::Number(COUNT),
                Takes::Moves => Type::Number(MOVES),
                Takes::Plies => Type::Number(PLIES),
                Takes::Number if index == 0 && matches!(ty, Type::Number(_) | Type::Unknown) => ty.clone(),
                Takes::Number if index == 0 => Type::Number(COUNT),
                Takes::Number => first.clone(),
                Takes::Collection if ty.member().is_some() => ty.clone(),
                Takes::Collection => Type::Sites,
            };
            self.expect(&ty, &wanted, argument.span, scope);
            if index == 0 {
                first = ty;
            }
            terms.push(term);
        }
        let ty = match gives {
            Gives::Truth => Type::Truth,
            Gives::Player => Type::Player,
            Gives::Kind => Type::Kind,
            Gives::Site => Type::Site,
            Gives::Sites => Type::Sites,
            Gives::Count => Type::Number(COUNT),
            Gives::Plies => Type::Number(PLIES),
            Gives::Moves => Type::Number(MOVES),
            Gives::Outcome => Type::Outcome,
            Gives::Groups => Type::List(Box::new(Type::Sites)),
            Gives::PlayerList => Type::List(Box::new(Type::Player)),
            Gives::KindList => Type::List(Box::new(Type::Kind)),
            Gives::Same => first,
            Gives::Member => first.member().unwrap_or(Type::Unknown),
        };
        (self.fold(*builtin, terms), ty)
    }

    /// Calls that are known when the file is checked.
    fn fold(&self, builtin: Builtin, terms: Vec<Term>) -> Term {
        let numbers: Option<Vec<Number>> = terms
            .iter()
            .map(|term| match term {
                Term::Const(Value::Number(number)) => Some(*number),
                _ => None,
            })
            .collect();
        let board = &self.rules.board;
        let Some(numbers) = numbers.filter(|numbers| !numbers.is_empty()) else {
            return Term::Call(builtin, terms);
        };
        let line = |of: &dyn Fn(u16) -> u16| {
            let on = |site: &u16| numbers.iter().any(|n| n.to_whole() == Some(i64::from(of(*site))));
            Some(Value::sites((0..board.len() as u16).filter(on).collect()))
        };
        let folded = match builtin {
            Builtin::Ranks => line(&|site| board.rank(site)),
            Builtin::Files => line(&|site| board.file(site)),
            Builtin::Plies => numbers
                .first()
                .and_then(|n| n.times(Number::whole(self.rules.players.len() as i64)))
                .map(Value::Number),
            _ => None,
        };
        folded.map_or_else(|| Term::Call(builtin, terms), Term::Const)
    }
}
