//! Parses the small languages (`expr.pest`) into the trees of `ast.rs`.
//!
//! Invariant: no input makes a parser panic or recurse without bound: the length of a string and the
//! depth of its tree are limited. Each entry point reports its first error, at the exact place.

use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::{Pair, Pairs};
use pest::pratt_parser::{Assoc, Op, PrattParser};
use std::sync::{LazyLock, Once};

use crate::Span;
use crate::ast::*;

mod grammar {
    #[derive(pest_derive::Parser)]
    #[grammar = "expr.pest"]
    pub(super) struct Grammar;
}
use grammar::{Grammar, Rule};

/// Longest string of a small language, in bytes.
pub const MAX_LENGTH: usize = 4096;
/// Deepest tree of a small language.
pub const MAX_DEPTH: usize = 64;
/// Parser calls allowed for one string: ten times what the longest useful strings need.
const CALL_LIMIT: usize = 2_000_000;

/// Why a string could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The place in the file.
    pub span: Span,
    /// What is wrong, in a lower-case phrase.
    pub message: String,
    /// True when a limit was exceeded and the grammar was not the matter.
    pub limit: bool,
}

type Parsed<T> = Result<T, SyntaxError>;

static OPERATORS: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    let left = |rule| Op::infix(rule, Assoc::Left);
    PrattParser::new()
        .op(left(Rule::or))
        .op(left(Rule::and))
        .op(Op::prefix(Rule::negation))
        .op(left(Rule::eq)
            | left(Rule::ne)
            | left(Rule::le)
            | left(Rule::ge)
            | left(Rule::lt)
            | left(Rule::gt)
            | left(Rule::within)
            | left(Rule::not_in)
            | Op::postfix(Rule::emptiness))
        .op(left(Rule::range))
        .op(left(Rule::plus) | left(Rule::less))
        .op(left(Rule::times) | left(Rule::over) | left(Rule::modulo) | left(Rule::both))
        .op(Op::prefix(Rule::minus))
});

/// A string to parse, with the way from its bytes to those of its file.
pub struct Text<'a> {
    /// The decoded string.
    pub text: &'a str,
    /// Maps a range of the string to a range of the file.
    pub locate: &'a dyn Fn(usize, usize) -> Span,
}

impl Text<'_> {
    fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let span = pair.as_span();
        let trimmed = span.as_str().trim_end().len();
        (self.locate)(span.start(), span.start() + trimmed)
    }

    fn error(&self, start: usize, end: usize, message: String, limit: bool) -> SyntaxError {
        SyntaxError { span: (self.locate)(start, end), message, limit }
    }

    fn pairs(&self, rule: Rule) -> Parsed<Pairs<'_, Rule>> {
        static LIMIT: Once = Once::new();
        LIMIT.call_once(|| pest::set_call_limit(std::num::NonZeroUsize::new(CALL_LIMIT)));
        let length = self.text.len();
        if length > MAX_LENGTH {
            let message = format!("this string has {length} bytes; at most {MAX_LENGTH} are allowed");
            return Err(self.error(0, length, message, true));
        }
        let mut open = 0_usize;
        for (at, byte) in self.text.bytes().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => open += 1,
                b')' | b']' | b'}' => open = open.saturating_sub(1),
                _ => {}
            }
            if open > MAX_DEPTH {
                let message = format!("brackets are nested more than {MAX_DEPTH} deep");
                return Err(self.error(at, at + 1, message, true));
            }
        }
        Grammar::parse(rule, self.text).map_err(|error| self.explain(&error))
    }

    fn explain(&self, error: &pest::error::Error<Rule>) -> SyntaxError {
        let start = match error.location {
            InputLocation::Pos(start) | InputLocation::Span((start, _)) => start,
        };
        let rest = self.text.get(start..).unwrap_or("");
        let word = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        let end = start + if word > 0 { word } else { rest.chars().next().map_or(0, char::len_utf8) };
        match &error.variant {
            ErrorVariant::ParsingError { positives, .. } => {
                let mut wanted: Vec<&str> = positives.iter().filter_map(|rule| describe(*rule)).collect();
                wanted.sort_unstable();
                wanted.dedup();
                let found = if rest.is_empty() {
                    "the end of the text".to_owned()
                } else {
                    format!("`{}`", self.text.get(start..end).unwrap_or(""))
                };
                let message = if wanted.is_empty() || wanted.len() > 6 {
                    format!("did not expect {found} here")
                } else {
                    format!("expected {}, found {found}", wanted.join(" or "))
                };
                self.error(start, end, message, false)
            }
            ErrorVariant::CustomError { message } => self.error(start, end, message.clone(), true),
        }
    }
}

/// How a grammar rule is called in a message; `None` for rules that only repeat another one.
fn describe(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::name | Rule::word | Rule::head => "a name",
        Rule::number | Rule::quantity | Rule::integer => "a number",
        Rule::direction | Rule::dirs => "a direction",
        Rule::operand | Rule::expr => "an expression",
        Rule::or | Rule::and | Rule::plus | Rule::times | Rule::eq => "an operator",
        Rule::time | Rule::period => "a time such as `1:30:00`",

        Rule::choice => "`name in collection`",
        Rule::EOI => "the end of the text",
        _ => return None,
    })
}

/// Parses an expression.
pub fn expression(text: &Text<'_>) -> Parsed<Expr> {
    let pair = first(text, text.pairs(Rule::expression)?)?;
    Builder { text, depth: 0 }.expr(pair)
}

/// Parses a movement pattern.
pub fn pattern(text: &Text<'_>) -> Parsed<Path> {
    let pair = first(text, text.pairs(Rule::pattern)?)?;
    Builder { text, depth: 0 }.path(pair)
}

/// Parses one or more effects.
pub fn effects(text: &Text<'_>) -> Parsed<Vec<Effect>> {
    let pair = first(text, text.pairs(Rule::effects)?)?;
    Builder { text, depth: 0 }.block(pair)
}

/// Parses one or more choices.
pub fn choices(text: &Text<'_>) -> Parsed<Vec<Choice>> {
    let pairs = text.pairs(Rule::choices)?;
    let mut builder = Builder { text, depth: 0 };
    pairs
        .filter(|pair| pair.as_rule() == Rule::choice)
        .map(|pair| {
            let mut inner = pair.into_inner();
            let name = builder.name(&builder.next(&mut inner)?);
            let domain = builder.next(&mut inner)?;
            Ok(Choice { name, domain: builder.expr(domain)? })
        })
        .collect()
}

/// Parses a union of directions.
pub fn directions(text: &Text<'_>) -> Parsed<Dirs> {
    let pair = first(text, text.pairs(Rule::directions)?)?;
    Ok(Builder { text, depth: 0 }.dirs(pair))
}

/// Parses the head of a definition.
pub fn signature(text: &Text<'_>) -> Parsed<Head> {
    let pair = first(text, text.pairs(Rule::signature)?)?;
    let builder = Builder { text, depth: 0 };
    let mut names = pair.into_inner().map(|inner| builder.name(&inner));
    let name = names.next().ok_or_else(|| text.error(0, text.text.len(), "expected a name".into(), false))?;
    Ok(Head { name, parameters: names.collect() })
}

/// Parses a time control.
pub fn control(text: &Text<'_>) -> Parsed<Vec<Period>> {
    let pairs = text.pairs(Rule::control)?;
    let builder = Builder { text, depth: 0 };
    pairs.filter(|pair| pair.as_rule() == Rule::period).map(|pair| builder.period(pair)).collect()
}

/// Whether a word has the shape of a name, and whether it may be one: `and`, `of` and the like may not.
pub fn is_name(word: &str) -> (bool, bool) {
    let whole = |rule| {
        let pairs = Grammar::parse(rule, word).ok();
        pairs.and_then(|mut pairs| pairs.next()).is_some_and(|pair| pair.as_str() == word)
    };
    (whole(Rule::word), whole(Rule::name))
}

fn first<'i>(text: &Text<'_>, mut pairs: Pairs<'i, Rule>) -> Parsed<Pair<'i, Rule>> {
    pairs.next().ok_or_else(|| text.error(0, text.text.len(), "nothing is written here".into(), false))
}

struct Builder<'a> {
    text: &'a Text<'a>,
    depth: usize,
}

impl Builder<'_> {
    fn next<'i>(&self, pairs: &mut Pairs<'i, Rule>) -> Parsed<Pair<'i, Rule>> {
        more(pairs).ok_or_else(|| {
            self.text.error(0, self.text.text.len(), "something is missing here".into(), false)
        })
    }

    fn name(&self, pair: &Pair<'_, Rule>) -> Name {
        Name { text: pair.as_str().trim_end().to_owned(), span: self.text.span(pair) }
    }

    fn dirs(&self, pair: Pair<'_, Rule>) -> Dirs {
        pair.into_inner().map(|inner| self.name(&inner)).collect()
    }

    fn whole<T: TryFrom<i64>>(&self, pair: &Pair<'_, Rule>) -> Parsed<T> {
        let too_large = || self.fault(pair, "this number is too large or not whole");
        pair.as_str().trim().parse::<i64>().ok().and_then(|n| T::try_from(n).ok()).ok_or_else(too_large)
    }

    fn fault(&self, pair: &Pair<'_, Rule>, message: &str) -> SyntaxError {
        SyntaxError { span: self.text.span(pair), message: message.to_owned(), limit: false }
    }

    fn deeper<T>(&mut self, span: Span, build: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("expressions are nested more than {MAX_DEPTH} deep");
            return Err(SyntaxError { span, message, limit: true });
        }
        let built = build(self);
        self.depth -= 1;
        built
    }

    fn expr(&mut self, pair: Pair<'_, Rule>) -> Parsed<Expr> {
        let span = self.text.span(&pair);
        // A chain of operators becomes a tree as deep as the chain is long, so its length counts as depth.
        let chain = pair.clone().into_inner().count() / 2;
        if self.depth + chain > MAX_DEPTH * 2 {
            let message = format!("an expression may hold at most {MAX_DEPTH} operators in a row");
            return Err(SyntaxError { span, message, limit: true });
        }
        self.deeper(span, |this| {
            let this = std::cell::RefCell::new(this);
            OPERATORS
                .map_primary(|operand| this.borrow_mut().operand(operand))
                .map_prefix(|operator, operand| {
                    let (operand, place) = (operand?, this.borrow().text.span(&operator));
                    let unary = if operator.as_rule() == Rule::minus { Unary::Minus } else { Unary::Not };
                    Ok(node(place.join(operand.span), ExprKind::Unary(unary, operand)))
                })
                .map_infix(|left, operator, right| {
                    let (left, right) = (left?, right?);
                    let Some(binary) = binary(operator.as_rule()) else {
                        return Err(this.borrow().fault(&operator, "did not expect this operator here"));
                    };
                    Ok(node(left.span.join(right.span), ExprKind::Binary(binary, left, right)))
                })
                .map_postfix(|operand, suffix| {
                    let (operand, place) = (operand?, this.borrow().text.span(&suffix));
                    let negated = suffix.into_inner().next().is_some();
                    Ok(node(operand.span.join(place), ExprKind::Empty(operand, negated)))
                })
                .parse(pair.into_inner())
        })
    }

    fn operand(&mut self, pair: Pair<'_, Rule>) -> Parsed<Expr> {
        let start = self.text.span(&pair);
        let mut inner = pair.into_inner();
        let head = self.next(&mut inner)?;
        let mut expr = self.deeper(start, |this| this.primary(head))?;
        for suffix in inner {
            let span = expr.span.join(self.text.span(&suffix));
            expr = node(span, ExprKind::Field(expr, self.name(&suffix)));
        }
        Ok(expr)
    }

    fn primary(&mut self, pair: Pair<'_, Rule>) -> Parsed<Expr> {
        let span = self.text.span(&pair);
        let text = pair.as_str().trim();
        let kind = match pair.as_rule() {
            Rule::duration => ExprKind::Time(self.time(&pair)?),
            Rule::quantity => {
                let mut inner = pair.into_inner();
                let number = self.next(&mut inner)?;
                let value = decimal(number.as_str().trim())
                    .ok_or_else(|| self.fault(&number, "this number has too many digits"))?;
                ExprKind::Number(value, more(&mut inner).map(|unit| self.name(&unit)))
            }
            Rule::text => ExprKind::Text(text.get(1..text.len() - 1).unwrap_or("").to_owned()),
            Rule::truth => ExprKind::Truth(text == "true"),
            Rule::nothing => ExprKind::Nothing,
            Rule::name => ExprKind::Name(self.name(&pair)),
            Rule::expr => return self.expr(pair),
            Rule::list => ExprKind::List(self.exprs(pair.into_inner())?),
            Rule::call => {
                let mut inner = pair.into_inner();
                let name = self.name(&self.next(&mut inner)?);
                ExprKind::Call(name, self.exprs(inner)?)
            }
            Rule::attributed => {
                let mut inner = pair.into_inner();
                let name = self.name(&self.next(&mut inner)?);
                let (minus, operand): (Vec<_>, Vec<_>) = inner
                    .filter(|p| !is_keyword(p.as_rule()))
                    .partition(|p| matches!(p.as_rule(), Rule::minus | Rule::negation));
                if let Some(sign) = minus.first() {
                    return Err(self.fault(sign, "`of` must be followed by a name, a call or parentheses"));
                }
                let Some(operand) = operand.into_iter().next() else {
                    return Err(SyntaxError { span, message: "`of` what?".into(), limit: false });
                };
                ExprKind::Call(name, vec![self.deeper(span, |this| this.operand(operand))?])
            }
            Rule::conditional => {
                let [a, b, c] = self.three(pair)?;
                ExprKind::If(a, b, c)
            }
            Rule::quantified => {
                let mut inner = pair.into_inner();
                let quantifier = match self.next(&mut inner)?.as_str().trim() {
                    "any" => Quantifier::Any,
                    "all" => Quantifier::All,
                    _ => Quantifier::No,
                };
                let name = self.name(&self.next(&mut inner)?);
                let domain = self.next(&mut inner)?;
                let body = self.next(&mut inner)?;
                ExprKind::Quantified(quantifier, name, self.expr(domain)?, self.expr(body)?)
            }
            Rule::filtered => {
                let mut inner = pair.into_inner();
                let name = self.name(&self.next(&mut inner)?);
                let domain = self.next(&mut inner)?;
                let body = self.next(&mut inner)?;
                ExprKind::Filtered(name, self.expr(domain)?, self.expr(body)?)
            }
            Rule::folded => {
                let mut inner = pair.into_inner();
                let fold = match self.next(&mut inner)?.as_str().trim() {
                    "sum" => Fold::Sum,
                    "most" => Fold::Most,
                    "least" => Fold::Least,
                    "set" => Fold::Set,
                    _ => Fold::List,
                };
                let body = self.next(&mut inner)?;
                let name = self.name(&self.next(&mut inner)?);
                let domain = self.next(&mut inner)?;
                let condition = more(&mut inner);
                ExprKind::Folded(
                    fold,
                    self.expr(body)?,
                    name,
                    self.expr(domain)?,
                    condition.map(|c| self.expr(c)).transpose()?,
                )
            }
            Rule::traced => {
                let mut inner = pair.into_inner();
                let origin = self.next(&mut inner)?;
                let path = self.next(&mut inner)?;
                ExprKind::Traced(self.expr(origin)?, self.path(path)?)
            }
            _ => return Err(self.fault(&pair, "did not expect this here")),
        };
        Ok(node(span, kind))
    }

    fn exprs(&mut self, pairs: Pairs<'_, Rule>) -> Parsed<Vec<Expr>> {
        pairs.filter(|pair| !is_keyword(pair.as_rule())).map(|pair| self.expr(pair)).collect()
    }

    fn three(&mut self, pair: Pair<'_, Rule>) -> Parsed<[Expr; 3]> {
        let mut inner = pair.into_inner();
        let (a, b, c) = (self.next(&mut inner)?, self.next(&mut inner)?, self.next(&mut inner)?);
        Ok([self.expr(a)?, self.expr(b)?, self.expr(c)?])
    }

    fn path(&mut self, pair: Pair<'_, Rule>) -> Parsed<Path> {
        let span = self.text.span(&pair);
        let branches = self.deeper(span, |this| {
            pair.into_inner()
                .map(|branch| branch.into_inner().map(|item| this.item(item)).collect())
                .collect::<Parsed<Vec<Vec<Item>>>>()
        })?;
        Ok(Path { span, branches })
    }

    fn item(&mut self, pair: Pair<'_, Rule>) -> Parsed<Item> {
        let span = self.text.span(&pair);
        let mut inner = pair.into_inner();
        let head = self.next(&mut inner)?;
        let atom = self.atom(head)?;
        let Some(repeat) = inner.next() else {
            return Ok(Item { span, atom, least: 1, most: Some(1) });
        };
        let (least, most) = match repeat.as_str().trim() {
            "*" => (0, None),
            "+" => (1, None),
            "?" => (0, Some(1)),
            _ => {
                let mut bounds = repeat.clone().into_inner();
                let least: u16 = self.whole(&self.next(&mut bounds)?)?;
                let most = bounds.next().map_or(Ok(least), |bound| self.whole(&bound))?;
                if most < least {
                    return Err(self.fault(&repeat, "the upper bound is below the lower one"));
                }
                (least, Some(most))
            }
        };
        Ok(Item { span, atom, least, most })
    }

    fn atom(&mut self, pair: Pair<'_, Rule>) -> Parsed<Atom> {
        let rule = pair.as_rule();
        let mut inner = pair.into_inner();
        Ok(match rule {
            Rule::group => {
                let path = self.next(&mut inner)?;
                Atom::Group(self.path(path)?)
            }
            Rule::test => {
                let test = self.next(&mut inner)?;
                Atom::Test(self.expr(test)?)
            }
            Rule::step => Atom::Step(more(&mut inner).map(|dirs| self.dirs(dirs))),
            Rule::face => Atom::Face(self.dirs(self.next(&mut inner)?)),
            Rule::veer => Atom::Veer,
            Rule::take => Atom::Take,
            Rule::mark => Atom::Mark(self.name(&self.next(&mut inner)?)),
            Rule::back => Atom::Back(self.name(&self.next(&mut inner)?)),
            Rule::jump => {
                let target = self.next(&mut inner)?;
                if target.as_rule() == Rule::vector {
                    let (a, b) = self.vector(target)?;
                    Atom::Jump(a, b)
                } else {
                    Atom::JumpNamed(self.name(&target))
                }
            }
            _ => {
                let name = self.name(&self.next(&mut inner)?);
                let argument = match more(&mut inner) {
                    Some(pair) if pair.as_rule() == Rule::vector => {
                        let (a, b) = self.vector(pair)?;
                        Some(Argument::Vector(a, b))
                    }
                    Some(pair) => Some(Argument::Dirs(self.dirs(pair))),
                    None => None,
                };
                Atom::Expansion(name, argument)
            }
        })
    }

    fn vector(&self, pair: Pair<'_, Rule>) -> Parsed<(i16, i16)> {
        let mut inner = pair.into_inner();
        let (a, b) = (self.next(&mut inner)?, self.next(&mut inner)?);
        Ok((self.whole(&a)?, self.whole(&b)?))
    }

    fn block(&mut self, pair: Pair<'_, Rule>) -> Parsed<Vec<Effect>> {
        let span = self.text.span(&pair);
        self.deeper(span, |this| {
            let mut effects = Vec::new();
            for inner in pair.into_inner() {
                effects.extend(this.effect(inner)?);
            }
            Ok(effects)
        })
    }

    /// One effect, or all effects of a parenthesis.
    fn effect(&mut self, pair: Pair<'_, Rule>) -> Parsed<Vec<Effect>> {
        let span = self.text.span(&pair);
        let rule = pair.as_rule();
        if rule == Rule::effect_block {
            return self.block(pair);
        }
        let mut inner = pair.into_inner();
        let kind = match rule {
            Rule::branching => {
                let condition = self.next(&mut inner)?;
                let condition = self.expr(condition)?;
                let yes = self.next(&mut inner)?;
                let yes = self.deeper(span, |this| this.effect(yes))?;
                let no = match more(&mut inner) {
                    Some(no) => self.deeper(span, |this| this.effect(no))?,
                    None => Vec::new(),
                };
                EffectKind::If(condition, yes, no)
            }
            Rule::repeated => {
                let name = self.name(&self.next(&mut inner)?);
                let domain = self.next(&mut inner)?;
                let domain = self.expr(domain)?;
                let body = self.next(&mut inner)?;
                EffectKind::For(name, domain, self.deeper(span, |this| this.effect(body))?)
            }
            Rule::again => EffectKind::Again,
            Rule::applying => {
                let text = self.next(&mut inner)?;
                let inside = text.as_str().trim().trim_matches(['\'', '"']).to_owned();
                let name = Name { text: inside, span: self.text.span(&text) };
                EffectKind::Apply(name, self.exprs(inner)?)
            }
            Rule::assigning => {
                let target = self.next(&mut inner)?;
                let operator = self.next(&mut inner)?;
                let value = self.next(&mut inner)?;
                let mut target = target.into_inner();
                let name = self.name(&self.next(&mut target)?);
                let index = self.exprs(target)?;
                let assign = match operator.as_str().trim() {
                    "+=" => Assign::Add,
                    "-=" => Assign::Subtract,
                    _ => Assign::Set,
                };
                EffectKind::Assign(name, index, assign, self.expr(value)?)
            }
            _ => {
                let mut parts = self.exprs(inner)?.into_iter();
                let missing =
                    || SyntaxError { span, message: "this effect is not complete".into(), limit: false };
                let mut part = || parts.next().ok_or_else(missing);
                match rule {
                    Rule::moving => EffectKind::Move(part()?, part()?),
                    Rule::removing => EffectKind::Remove(part()?),
                    Rule::turning => EffectKind::Turn(part()?),
                    Rule::restoring => EffectKind::Restore(part()?),
                    Rule::giving => EffectKind::Give(part()?, part()?),
                    Rule::putting => {
                        let (kind, second) = (part()?, part()?);
                        match parts.next() {
                            Some(site) => EffectKind::Put(kind, Some(second), site),
                            None => EffectKind::Put(kind, None, second),
                        }
                    }
                    _ => EffectKind::End(part()?),
                }
            }
        };
        Ok(vec![Effect { span, kind }])
    }

    fn time(&self, pair: &Pair<'_, Rule>) -> Parsed<i64> {
        let parts: Option<Vec<i64>> = pair.as_str().trim().split(':').map(|part| part.parse().ok()).collect();
        if parts.iter().flatten().skip(1).any(|part| *part > 59) {
            return Err(self.fault(pair, "minutes and seconds behind a colon are below 60"));
        }
        let seconds = parts.and_then(|parts| {
            parts.iter().try_fold(0_i64, |sum, part| sum.checked_mul(60)?.checked_add(*part))
        });
        seconds.filter(|s| *s <= 1_000_000_000).ok_or_else(|| self.fault(pair, "this time is too long"))
    }

    fn period(&self, pair: Pair<'_, Rule>) -> Parsed<Period> {
        let span = self.text.span(&pair);
        let mut period = Period {
            span,
            moves: None,
            seconds: 0,
            increment: 0,
            delay: 0,
            back: 0,
            from: 0,
            times: 0,
            after: AfterPeriod::Next,
            hourglass: false,
        };
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::number => period.moves = Some(self.whole(&part)?),
                Rule::renewals => period.times = self.whole(&part)?,
                Rule::time => period.seconds = self.time(&part)?,
                Rule::repeating => period.after = AfterPeriod::Repeating,
                Rule::renewed => period.after = AfterPeriod::Renewed,
                Rule::hourglass => period.hourglass = true,
                Rule::bonus => self.bonus(part, &mut period)?,
                _ => {}
            }
        }
        Ok(period)
    }

    /// What a move adds, waits for or gets back, and from which move on.
    fn bonus(&self, pair: Pair<'_, Rule>, period: &mut Period) -> Parsed<()> {
        let (mut kind, mut amount, mut unit) = (Rule::added, 0_i64, 1);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::added | Rule::delay | Rule::returned => kind = part.as_rule(),
                Rule::number => amount = i64::from(self.whole::<i32>(&part)?),
                Rule::k_unit if part.as_str().trim() == "min" => unit = 60,
                Rule::from_move => period.from = self.whole(&part)?,
                _ => {}
            }
        }
        let slot = match kind {
            Rule::delay => &mut period.delay,
            Rule::returned => &mut period.back,
            _ => &mut period.increment,
        };
        *slot = amount.saturating_mul(unit);
        Ok(())
    }
}

/// Keyword tokens carry nothing that the rule around them does not say.
fn is_keyword(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::k_apply
            | Rule::k_at
            | Rule::k_back
            | Rule::k_do
            | Rule::k_else
            | Rule::k_face
            | Rule::k_for
            | Rule::k_from
            | Rule::k_give
            | Rule::k_have
            | Rule::k_if
            | Rule::k_in
            | Rule::k_jump
            | Rule::k_mark
            | Rule::k_move
            | Rule::k_moves
            | Rule::k_of
            | Rule::k_put
            | Rule::k_remove
            | Rule::k_restore
            | Rule::k_step
            | Rule::k_then
            | Rule::k_those
            | Rule::k_times
            | Rule::k_to
            | Rule::k_trace
            | Rule::k_turn
            | Rule::k_where
    )
}

fn more<'i>(pairs: &mut Pairs<'i, Rule>) -> Option<Pair<'i, Rule>> {
    pairs.find(|pair| !is_keyword(pair.as_rule()))
}

fn node(span: Span, kind: ExprKind) -> Expr {
    Expr { span, kind: Box::new(kind) }
}

fn binary(rule: Rule) -> Option<Binary> {
    Some(match rule {
        Rule::or => Binary::Or,
        Rule::and => Binary::And,
        Rule::eq => Binary::Eq,
        Rule::ne => Binary::Ne,
        Rule::lt => Binary::Lt,
        Rule::le => Binary::Le,
        Rule::gt => Binary::Gt,
        Rule::ge => Binary::Ge,
        Rule::within => Binary::In,
        Rule::not_in => Binary::NotIn,
        Rule::range => Binary::Range,
        Rule::plus => Binary::Plus,
        Rule::less => Binary::Less,
        Rule::times => Binary::Times,
        Rule::over => Binary::Over,
        Rule::modulo => Binary::Mod,
        Rule::both => Binary::Both,
        _ => return None,
    })
}

fn decimal(text: &str) -> Option<Decimal> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let denominator = 10_i64.checked_pow(u32::try_from(part.len()).ok()?)?;
    let numerator: i64 = format!("{whole}{part}").parse().ok()?;
    (numerator <= 1_000_000_000_000).then(|| {
        let divisor = gcd(numerator, denominator);
        Decimal { numerator: numerator / divisor, denominator: denominator / divisor }
    })
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Text<'_> {
        Text { text, locate: &Span::new }
    }

    fn parses(source: &str) {
        expression(&text(source)).unwrap_or_else(|error| panic!("{source}: {error:?}"));
    }

    #[test]
    fn expressions() {
        for source in [
            "times(position) >= 3 and not checked",
            "all s in others have kind(s) = b1 or kind(s) in [x, y]",
            "those g in groups(empties) where owners(neighbours(g)) = [black]",
            "sum of points(o) for o in opponents(p) where o != p",
            "set of chain(n) for n in neighbours(s) & owned(opponent) where liberties(chain(n)) is empty",
            "quiet >= plies(50 moves)",
            "if a then win(mover) else draw",
            "king of mover in 1..n - 1",
            "trace(s, face any (step [enemy] take)+ step [own])",
            "a not in b and c is not empty",
            "1:30:00 + 5 min",
            "-a + -b * 2.75",
            "g.white = p",
        ] {
            parses(source);
        }
    }

    #[test]
    fn precedence() {
        let tree = expression(&text("not a = b or c + d * e in f")).unwrap();
        let ExprKind::Binary(Binary::Or, left, right) = *tree.kind else { panic!("or is loosest") };
        assert!(matches!(*left.kind, ExprKind::Unary(Unary::Not, _)));
        let ExprKind::Binary(Binary::In, sum, _) = *right.kind else { panic!("in binds looser than plus") };
        assert!(matches!(*sum.kind, ExprKind::Binary(Binary::Plus, ..)));
    }

    #[test]
    fn patterns() {
        for source in [
            "slide diagonal",
            "leap (1,2)",
            "step forward [empty] mark middle step [empty]",
            "face orthogonal step [empty] mark crossed, step [empty] mark landed, (step [empty])* step [own and here in rights] mark tower back landed",
            "(face diagonal (step [empty])* step [enemy and not taken] take (step [empty])+)+",
            "step orthogonal [empty] veer step [not own]",
            "step{1,3} | jump (0,2)?",
        ] {
            pattern(&text(source)).unwrap_or_else(|error| panic!("{source}: {error:?}"));
        }
    }

    #[test]
    fn effect_lists() {
        for source in [
            "move tower to crossed",
            "put promoted at to; rights -= changed",
            "if kind(to) = x then rights += to else (quiet := 0 plies; draw)",
            "prisoners(mover) += count(taken)",
            "for g in lost do remove g",
            "give flanked to mover; again",
            "win(opponent of actor)",
        ] {
            effects(&text(source)).unwrap_or_else(|error| panic!("{source}: {error:?}"));
        }
    }

    #[test]
    fn controls() {
        let periods = control(&text("40 moves in 2:30:00, then 16 moves in 1:00:00 repeating")).unwrap();
        assert_eq!(periods.len(), 2);
        assert_eq!((periods[0].moves, periods[0].seconds), (Some(40), 9000));
        assert_eq!(periods[1].after, AfterPeriod::Repeating);
        let periods = control(&text("25:00 + 10 s")).unwrap();
        assert_eq!((periods[0].seconds, periods[0].increment), (1500, 10));
        let periods = control(&text("5:00 back 3 s from move 61, then 5 times 0:30")).unwrap();
        assert_eq!((periods[0].back, periods[0].from, periods[0].increment), (3, 61, 0));
        assert_eq!((periods[1].times, periods[1].seconds, periods[1].moves), (5, 30, None));
        let periods = control(&text("10:00, then 25 moves in 10:00 renewed")).unwrap();
        assert_eq!((periods[1].moves, periods[1].after), (Some(25), AfterPeriod::Renewed));
        assert!(control(&text("1:00 hourglass")).unwrap()[0].hourglass);
    }

    #[test]
    fn errors_point_at_the_word() {
        let error = expression(&text("a + ")).unwrap_err();
        assert_eq!(error.span, Span::new(4, 4));
        let error = expression(&text("count(a) >= >")).unwrap_err();
        assert_eq!(error.span, Span::new(12, 13));
    }

    #[test]
    fn limits() {
        let long = format!("a{}", " ".repeat(MAX_LENGTH - 1));
        assert!(expression(&text(&long)).is_ok());
        assert!(expression(&text(&format!("{long} "))).unwrap_err().limit);
        let nested = |n: usize| format!("{}a{}", "[".repeat(n), "]".repeat(n));
        assert!(expression(&text(&nested(31))).is_ok());
        assert!(expression(&text(&nested(MAX_DEPTH + 1))).unwrap_err().limit);
        for hostile in ["(".repeat(4000), "not ".repeat(1000), "-".repeat(4000), "a of ".repeat(800)] {
            assert!(expression(&text(&hostile)).is_err());
        }
    }
}
