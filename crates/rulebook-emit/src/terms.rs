//! Terms of a program as expressions of a module.
//!
//! Law: an expression has the value that the machine gives the term. A term for which that is not plain to see
//! has no expression; whoever asked leaves the rule set to the machine.
//!
//! Sites, players and kinds are numbers of type `usize`, `NOTHING` for none; a filter or a quantifier over sites is
//! made of sets where its condition allows, and a loop elsewhere.

use rulebook_machine::program::{
    Builtin, Code, Const, Context, Effect, Index, Node, NodeId, Operator, Quantifier, Run, Type,
};

use crate::forms::of_words;
use crate::text::Page;

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Nothing,
    Truth,
    Number,
    Player,
    Kind,
    Site,
    Sites,
    Outcome,
    List(Vec<Term>),
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    pub(crate) sort: Sort,
    pub(crate) text: String,
    /// Its value, if that is known and a number.
    known: Option<i64>,
}

impl Term {
    fn new(sort: Sort, text: impl Into<String>) -> Self {
        Self { sort, text: text.into(), known: None }
    }

    fn known(sort: Sort, value: i64) -> Self {
        let text = if sort == Sort::Number { format!("{value}_i64") } else { format!("{value}_usize") };
        Self { sort, text, known: Some(value) }
    }

    fn truth(text: impl Into<String>) -> Self {
        Self::new(Sort::Truth, text)
    }

    fn nothing() -> Self {
        Self::new(Sort::Nothing, "NOTHING")
    }

    /// The sites that it means.
    fn sites(&self) -> Option<String> {
        Some(match &self.sort {
            Sort::Sites => self.text.clone(),
            Sort::Site => format!("one_or_none({})", self.text),
            Sort::List(members) => {
                let members: Option<Vec<String>> = members.iter().map(Self::sites).collect();
                let members = members?;
                if members.is_empty() { "EMPTY".into() } else { format!("({})", members.join(" | ")) }
            }
            _ => "EMPTY".into(),
        })
    }

    fn is_point(&self) -> bool {
        matches!(self.sort, Sort::Player | Sort::Kind | Sort::Site | Sort::Nothing)
    }
}

/// An act that a term can refer to, as texts.
#[derive(Clone, Debug)]
pub(crate) struct Acting {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) kind: u8,
    pub(crate) taken: String,
    pub(crate) changed: String,
}

/// What a term is about.
pub(crate) struct Scene<'a, 'p> {
    pub(crate) page: &'a Page<'p>,
    /// The text for the position.
    pub(crate) position: &'a str,
    /// Who has the turn.
    pub(crate) mover: u8,
    pub(crate) act: Option<Acting>,
    /// For each player, whether its attacks are leaps and plain lines that are all known.
    pub(crate) attacks: [bool; 2],
}

/// Local names.
type Names = Vec<Option<Term>>;

impl Scene<'_, '_> {
    /// The expression of a code.
    pub(crate) fn code(&self, code: Code) -> Option<Term> {
        self.term(code.root, &mut vec![None; usize::from(code.slots)])
    }

    /// The sites that a code means.
    pub(crate) fn code_sites(&self, code: Code) -> Option<String> {
        self.code(code)?.sites()
    }

    /// Whether a code holds.
    pub(crate) fn holds(&self, code: Code) -> Option<String> {
        let term = self.code(code)?;
        Some(if term.sort == Sort::Truth { term.text } else { "false".into() })
    }

    /// Whether a clause applies.
    pub(crate) fn applies(&self, when: Option<Code>, unless: Option<Code>) -> Option<String> {
        let when = match when {
            Some(code) => self.holds(code)?,
            None => "true".into(),
        };
        Some(match unless {
            Some(code) => format!("({when}) && !({})", self.holds(code)?),
            None => when,
        })
    }

    fn list(&self, run: Run) -> &[NodeId] {
        run.of(&self.page.program.lists)
    }

    fn truth(&self, id: NodeId, names: &mut Names) -> Option<String> {
        let term = self.term(id, names)?;
        Some(if term.sort == Sort::Truth { term.text } else { "false".into() })
    }

    fn sites(&self, id: NodeId, names: &mut Names) -> Option<String> {
        self.term(id, names)?.sites()
    }

    fn constant(&self, at: u32) -> Option<Term> {
        Some(match self.page.program.consts.get(at as usize)? {
            Const::Nothing => Term::nothing(),
            Const::Truth(truth) => Term::truth(truth.to_string()),
            Const::Number(number, 1) => Term::known(Sort::Number, *number),
            Const::Player(player) => Term::known(Sort::Player, (*player).into()),
            Const::Kind(kind) => Term::known(Sort::Kind, (*kind).into()),
            Const::Site(site) => Term::known(Sort::Site, (*site).into()),
            Const::Sites(words) => Term::new(Sort::Sites, self.literal(of_words(words))),
            Const::List(members) => {
                let members: Option<Vec<Term>> = members.iter().map(|at| self.constant(*at)).collect();
                Term::new(Sort::List(members?), "")
            }
            Const::Outcome(_) => Term::new(Sort::Outcome, ""),
            Const::Number(..) | Const::Text(_) => return None,
        })
    }

    fn literal(&self, set: crate::forms::Bits) -> String {
        if set == 0 { "EMPTY".into() } else { self.page.set(set) }
    }

    fn variable(&self, var: u16, run: Run, names: &mut Names) -> Option<Term> {
        let declared = self.page.program.vars.get(usize::from(var))?;
        let mut place = 0_u16;
        let members = self.list(run);
        if members.len() != declared.each.len() {
            return None;
        }
        for (member, index) in members.iter().zip(&declared.each) {
            let width = match index {
                Index::Player => self.page.program.players.len(),
                Index::Kind => self.page.program.kinds.len(),
            };
            let known = u16::try_from(self.term(*member, names)?.known?).ok()?;
            place = place * width as u16 + known;
        }
        Some(self.field(declared.ty, declared.slot + place))
    }

    fn field(&self, ty: Type, slot: u16) -> Term {
        let position = self.position;
        if ty == Type::Sites {
            return Term::new(Sort::Sites, format!("{position}.{}", self.page.set_field(slot)));
        }
        let text = format!("{position}.{}", self.page.field(slot).0);
        let point = format!("usize::from({text})");
        match ty {
            Type::Truth => Term::truth(text),
            Type::Number => Term::new(Sort::Number, text),
            Type::Player => Term::new(Sort::Player, point),
            Type::Kind => Term::new(Sort::Kind, point),
            _ => Term::new(Sort::Site, point),
        }
    }

    fn term(&self, id: NodeId, names: &mut Names) -> Option<Term> {
        let node = self.page.program.nodes.get(id as usize)?;
        Some(match *node {
            Node::Const(at) => self.constant(at)?,
            Node::Slot(slot) => names.get(usize::from(slot))?.clone()?,
            Node::Context(context) => self.context(context)?,
            Node::Var(var, run) => {
                let ty = self.page.program.vars.get(usize::from(var))?.ty;
                if matches!(ty, Type::Text | Type::Row) {
                    return None;
                }
                self.variable(var, run, names)?
            }
            Node::Call(builtin, run) => self.call(builtin, run, names)?,
            Node::Apply(body, run) => self.apply(body, run, names)?,
            Node::List(run, is_set) => {
                let members: Option<Vec<Term>> =
                    self.list(run).iter().map(|id| self.term(*id, names)).collect();
                let list = Term::new(Sort::List(members?), "");
                if is_set { Term::new(Sort::Sites, list.sites()?) } else { list }
            }
            Node::Not(inner) => Term::truth(format!("!({})", self.truth(inner, names)?)),
            Node::Minus(inner) => match self.term(inner, names)? {
                term if term.sort == Sort::Number => Term::new(Sort::Number, format!("(-{})", term.text)),
                _ => return None,
            },
            Node::IsEmpty(inner) => {
                let term = self.term(inner, names)?;
                Term::truth(match &term.sort {
                    Sort::Sites => format!("{} == EMPTY", term.text),
                    Sort::List(members) => members.is_empty().to_string(),
                    Sort::Site => format!("{} == NOTHING", term.text),
                    _ => "true".into(),
                })
            }
            Node::If(condition, yes, no) => {
                let condition = self.truth(condition, names)?;
                let (yes, no) = (self.term(yes, names)?, self.term(no, names)?);
                if yes.sort != no.sort || matches!(yes.sort, Sort::List(_)) {
                    return None;
                }
                let text = format!("(if {condition} {{ {} }} else {{ {} }})", yes.text, no.text);
                Term::new(yes.sort, text)
            }
            Node::Binary(operator, a, b) => self.binary(operator, a, b, names)?,
            Node::Quantified(quantifier, slot, domain, body) => {
                self.quantified(quantifier, slot, domain, body, names)?
            }
            Node::Filtered(slot, domain, body) => {
                let domain = self.term(domain, names)?;
                if !matches!(domain.sort, Sort::Sites | Sort::Site) {
                    return None;
                }
                let domain = domain.sites()?;
                match self.those(slot, body, names) {
                    Some(set) => Term::new(Sort::Sites, format!("({domain} & {set})")),
                    None => {
                        let (name, body) = self.within(slot, body, names)?;
                        Term::new(
                            Sort::Sites,
                            format!(
                                "Sites({domain}).filter(|{name}| {{ let {name} = *{name}; {body} }}).fold(EMPTY, |set, site| set | one(site))"
                            ),
                        )
                    }
                }
            }
            Node::Bound(_)
            | Node::Mark(_)
            | Node::Able(..)
            | Node::Last(_)
            | Node::Times(..)
            | Node::Rows(_)
            | Node::Field(..)
            | Node::Folded(..)
            | Node::Traced(..) => return None,
        })
    }

    fn context(&self, context: Context) -> Option<Term> {
        let point = |text: &str| format!("({text})");
        Some(match context {
            Context::Mover | Context::Actor => Term::known(Sort::Player, self.mover.into()),
            Context::From => Term::new(Sort::Site, point(&self.act.as_ref()?.from)),
            Context::To => Term::new(Sort::Site, point(&self.act.as_ref()?.to)),
            Context::Piece => Term::known(Sort::Kind, self.act.as_ref()?.kind.into()),
            Context::Taken => Term::new(Sort::Sites, self.act.as_ref()?.taken.clone()),
            Context::Changed => Term::new(Sort::Sites, self.act.as_ref()?.changed.clone()),
            Context::Played => Term::new(Sort::Number, format!("i64::from({}.plies)", self.position)),
            _ => return None,
        })
    }

    /// A name for a slot, and a term in which the slot is a site of that name.
    fn within(&self, slot: u16, body: NodeId, names: &mut Names) -> Option<(String, String)> {
        let name = format!("site_{slot}");
        let before = names.clone();
        *names.get_mut(usize::from(slot))? = Some(Term::new(Sort::Site, name.clone()));
        let body = self.truth(body, names);
        *names = before;
        Some((name, body?))
    }

    fn quantified(
        &self,
        quantifier: Quantifier,
        slot: u16,
        domain: NodeId,
        body: NodeId,
        names: &mut Names,
    ) -> Option<Term> {
        let domain = self.term(domain, names)?;
        if let Sort::List(members) = &domain.sort {
            let mut parts = Vec::new();
            for member in members {
                let before = names.clone();
                *names.get_mut(usize::from(slot))? = Some(member.clone());
                let part = self.truth(body, names);
                *names = before;
                parts.push(format!("({})", part?));
            }
            let (word, none) =
                if quantifier == Quantifier::All { (" && ", "true") } else { (" || ", "false") };
            let text = if parts.is_empty() { none.to_owned() } else { format!("({})", parts.join(word)) };
            return Some(Term::truth(if quantifier == Quantifier::No { format!("!{text}") } else { text }));
        }
        if !matches!(domain.sort, Sort::Sites | Sort::Site) {
            return None;
        }
        let domain = domain.sites()?;
        if let Some(set) = self.those(slot, body, names) {
            return Some(Term::truth(match quantifier {
                Quantifier::All => format!("{domain} & !{set} == EMPTY"),
                Quantifier::Any => format!("{domain} & {set} != EMPTY"),
                Quantifier::No => format!("{domain} & {set} == EMPTY"),
            }));
        }
        let (name, body) = self.within(slot, body, names)?;
        Some(Term::truth(match quantifier {
            Quantifier::All => format!("Sites({domain}).all(|{name}| {body})"),
            Quantifier::Any => format!("Sites({domain}).any(|{name}| {body})"),
            Quantifier::No => format!("!Sites({domain}).any(|{name}| {body})"),
        }))
    }

    /// The sites for which a condition on a slot holds, as a set that needs no loop.
    fn those(&self, slot: u16, body: NodeId, names: &mut Names) -> Option<String> {
        if !self.mentions(slot, body) {
            let holds = self.truth(body, names)?;
            return Some(format!("(if {holds} {{ BOARD }} else {{ EMPTY }})"));
        }
        Some(match *self.page.program.nodes.get(body as usize)? {
            Node::Not(inner) => format!("!{}", self.those(slot, inner, names)?),
            Node::Binary(Operator::And, a, b) => {
                format!("({} & {})", self.those(slot, a, names)?, self.those(slot, b, names)?)
            }
            Node::Binary(Operator::Or, a, b) => {
                format!("({} | {})", self.those(slot, a, names)?, self.those(slot, b, names)?)
            }
            Node::Binary(operator @ (Operator::Eq | Operator::Ne), a, b) => {
                let (about, other) = if self.mentions(slot, a) { (a, b) } else { (b, a) };
                if self.mentions(slot, other) {
                    return None;
                }
                let set = self.alike(slot, about, other, names)?;
                if operator == Operator::Eq { set } else { format!("!{set}") }
            }
            Node::Binary(operator @ (Operator::In | Operator::NotIn), a, b) => {
                if !self.is_slot(slot, a) || self.mentions(slot, b) {
                    return None;
                }
                let term = self.term(b, names)?;
                let set = format!("({})", term.sites().filter(|_| term.sort == Sort::Sites)?);
                if operator == Operator::In { set } else { format!("!{set}") }
            }
            _ => return None,
        })
    }

    /// The sites of which something is equal to a value.
    fn alike(&self, slot: u16, about: NodeId, value: NodeId, names: &mut Names) -> Option<String> {
        let value = self.term(value, names)?;
        let position = self.position;
        if self.is_slot(slot, about) {
            return (value.sort == Sort::Site).then(|| format!("one_or_none({})", value.text));
        }
        let Node::Call(builtin, run) = *self.page.program.nodes.get(about as usize)? else { return None };
        let [argument] = self.list(run) else { return None };
        if !self.is_slot(slot, *argument) {
            return None;
        }
        // What is alike in something to a site needs no look for what that is.
        let of = |call: &str| value.text.strip_prefix(call).and_then(|rest| rest.strip_suffix(')'));
        let same = match builtin {
            Builtin::Owner => of(&format!("{position}.owner_or_none("))
                .map(|site| format!("{position}.with_owner_of({site})")),
            Builtin::Kind => of(&format!("{position}.kind_or_none("))
                .map(|site| format!("{position}.with_kind_of({site})")),
            Builtin::Rank => of("rank_of(").map(|site| format!("rank_through({site})")),
            _ => None,
        };
        if same.is_some() {
            return same;
        }
        Some(match (builtin, &value.sort) {
            (Builtin::Owner, Sort::Player | Sort::Nothing) => format!("{position}.owned({})", value.text),
            (Builtin::Kind, Sort::Kind | Sort::Nothing) => format!("{position}.of_kind({})", value.text),
            (Builtin::Rank, Sort::Number) => format!("rank({})", value.text),
            (Builtin::File, Sort::Number) => format!("file({})", value.text),
            _ => return None,
        })
    }

    fn is_slot(&self, slot: u16, id: NodeId) -> bool {
        self.page.program.nodes.get(id as usize) == Some(&Node::Slot(slot))
    }

    /// Whether a term looks at a slot; one that opens a definition or other names is said to.
    fn mentions(&self, slot: u16, id: NodeId) -> bool {
        let any = |run: Run| self.list(run).iter().any(|id| self.mentions(slot, *id));
        match self.page.program.nodes.get(id as usize) {
            Some(Node::Slot(at)) => *at == slot,
            Some(Node::Const(_) | Node::Context(_)) => false,
            Some(Node::Var(_, run) | Node::Call(_, run) | Node::Apply(_, run) | Node::List(run, _)) => {
                any(*run)
            }
            Some(Node::Not(inner) | Node::Minus(inner) | Node::IsEmpty(inner)) => self.mentions(slot, *inner),
            Some(Node::Binary(_, a, b)) => self.mentions(slot, *a) || self.mentions(slot, *b),
            _ => true,
        }
    }

    fn apply(&self, body: u16, run: Run, names: &mut Names) -> Option<Term> {
        let body = self.page.program.bodies.get(usize::from(body))?;
        let arguments: Option<Vec<Term>> = self.list(run).iter().map(|id| self.term(*id, names)).collect();
        let arguments = arguments?;
        let code = match &body.codes[..] {
            [code] => code,
            codes => codes.get(usize::try_from(arguments.first()?.known?).ok()?)?,
        };
        let mut inner: Names = arguments.into_iter().map(Some).collect();
        inner.resize(inner.len().max(code.slots.into()), None);
        self.term(code.root, &mut inner)
    }

    fn equal(&self, a: &Term, b: &Term) -> Option<String> {
        Some(match (&a.sort, &b.sort) {
            (Sort::Sites, _) | (_, Sort::Sites) => format!("{} == {}", a.sites()?, b.sites()?),
            (Sort::Truth, Sort::Truth) => format!("({}) == ({})", a.text, b.text),
            (x, y) if x == y && (a.is_point() || *x == Sort::Number) => format!("{} == {}", a.text, b.text),
            (Sort::Nothing, _) if b.is_point() => format!("{} == NOTHING", b.text),
            (_, Sort::Nothing) if a.is_point() => format!("{} == NOTHING", a.text),
            // Nothing is equal to nothing, whatever it could have been.
            _ if a.is_point() && b.is_point() => format!("{} == NOTHING && {} == NOTHING", a.text, b.text),
            (Sort::Number, _) if b.is_point() => "false".into(),
            (_, Sort::Number) if a.is_point() => "false".into(),
            _ => return None,
        })
    }

    fn binary(&self, operator: Operator, a: NodeId, b: NodeId, names: &mut Names) -> Option<Term> {
        use Operator as Op;
        Some(match operator {
            Op::And => Term::truth(format!("({}) && ({})", self.truth(a, names)?, self.truth(b, names)?)),
            Op::Or => Term::truth(format!("(({}) || ({}))", self.truth(a, names)?, self.truth(b, names)?)),
            Op::Eq => Term::truth(format!("({})", self.equal(&self.term(a, names)?, &self.term(b, names)?)?)),
            Op::Ne => {
                Term::truth(format!("!({})", self.equal(&self.term(a, names)?, &self.term(b, names)?)?))
            }
            Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                let (a, b) = (self.term(a, names)?, self.term(b, names)?);
                if (&a.sort, &b.sort) != (&Sort::Number, &Sort::Number) {
                    return None;
                }
                let sign = match operator {
                    Op::Lt => "<",
                    Op::Le => "<=",
                    Op::Gt => ">",
                    _ => ">=",
                };
                Term::truth(format!("{} {sign} {}", a.text, b.text))
            }
            Op::In | Op::NotIn => {
                let inside = self.inside(a, b, names)?;
                Term::truth(if operator == Op::In { inside } else { format!("!({inside})") })
            }
            Op::Plus | Op::Less => {
                let (x, y) = (self.term(a, names)?, self.term(b, names)?);
                if (&x.sort, &y.sort) == (&Sort::Number, &Sort::Number) {
                    let call = if operator == Op::Plus { "wrapping_add" } else { "wrapping_sub" };
                    return Some(Term::new(Sort::Number, format!("({}).{call}({})", x.text, y.text)));
                }
                if !matches!(x.sort, Sort::Sites | Sort::Site) {
                    return None;
                }
                let sign = if operator == Op::Plus { "|" } else { "& !" };
                Term::new(Sort::Sites, format!("({} {sign} ({}))", x.sites()?, y.sites()?))
            }
            Op::Both => {
                Term::new(Sort::Sites, format!("(({}) & ({}))", self.sites(a, names)?, self.sites(b, names)?))
            }
            Op::Times | Op::Mod => {
                let (x, y) = (self.term(a, names)?, self.term(b, names)?);
                if (&x.sort, &y.sort) != (&Sort::Number, &Sort::Number) {
                    return None;
                }
                match operator {
                    Op::Times => Term::new(Sort::Number, format!("({}).wrapping_mul({})", x.text, y.text)),
                    _ if y.known.is_some_and(|y| y > 0) => {
                        Term::new(Sort::Number, format!("({}).rem_euclid({})", x.text, y.text))
                    }
                    _ => return None,
                }
            }
            Op::Over | Op::Range => return None,
        })
    }

    fn inside(&self, a: NodeId, b: NodeId, names: &mut Names) -> Option<String> {
        let a = self.term(a, names)?;
        if let Some(Node::Binary(Operator::Range, from, to)) = self.page.program.nodes.get(b as usize) {
            let (from, to) = (self.term(*from, names)?, self.term(*to, names)?);
            let numbers = [&a, &from, &to].iter().all(|term| term.sort == Sort::Number);
            return numbers.then(|| format!("({}..={}).contains(&{})", from.text, to.text, a.text));
        }
        let b = self.term(b, names)?;
        Some(match &b.sort {
            Sort::Sites if a.sort == Sort::Site => format!("has_or_none({}, {})", b.text, a.text),
            Sort::Sites => "false".into(),
            Sort::List(members) => {
                let parts: Option<Vec<String>> =
                    members.iter().map(|member| self.equal(member, &a)).collect();
                let parts: Vec<String> = parts?.iter().map(|part| format!("({part})")).collect();
                if parts.is_empty() { "false".into() } else { format!("({})", parts.join(" || ")) }
            }
            _ => return None,
        })
    }

    fn call(&self, builtin: Builtin, run: Run, names: &mut Names) -> Option<Term> {
        let position = self.position;
        let arguments = self.list(run).to_vec();
        let argument = |at: usize| arguments.get(at).copied();
        let sites = |text: String| Term::new(Sort::Sites, text);
        Some(match builtin {
            Builtin::Empties => sites(format!("{position}.owned(NOTHING)")),
            Builtin::Occupied => sites(format!("{position}.occupied()")),
            Builtin::AllSites => sites("BOARD".into()),
            Builtin::Owned => match self.term(argument(0)?, names)? {
                term if term.known.is_some() => sites(format!("{position}.owners[{}]", term.known?)),
                _ => return None,
            },
            Builtin::Pieces => {
                let (kind, player) = (self.term(argument(0)?, names)?, self.term(argument(1)?, names)?);
                if (&kind.sort, &player.sort) != (&Sort::Kind, &Sort::Player) {
                    return None;
                }
                sites(format!("({position}.kinds[{}] & {position}.owners[{}])", kind.known?, player.known?))
            }
            Builtin::Kind | Builtin::Owner => match self.term(argument(0)?, names)? {
                term if term.sort == Sort::Site => {
                    let (sort, call) = if builtin == Builtin::Kind {
                        (Sort::Kind, "kind_or_none")
                    } else {
                        (Sort::Player, "owner_or_none")
                    };
                    Term::new(sort, format!("{position}.{call}({})", term.text))
                }
                _ => return None,
            },
            // Of no site there is neither.
            Builtin::File | Builtin::Rank => match self.term(argument(0)?, names)? {
                term if term.sort == Sort::Site && !term.text.contains("its_") => Term::new(
                    Sort::Number,
                    if builtin == Builtin::File {
                        format!("file_of({})", term.text)
                    } else {
                        format!("rank_of({})", term.text)
                    },
                ),
                _ => return None,
            },
            Builtin::Ranks | Builtin::Files => {
                let board = &self.page.program.board;
                let mut set = 0;
                for at in arguments {
                    let wanted = self.term(at, names)?;
                    let wanted = wanted.known.filter(|_| wanted.sort == Sort::Number)?;
                    for site in 0..board.len() as u16 {
                        let line =
                            if builtin == Builtin::Ranks { board.rank(site) } else { board.file(site) };
                        if i64::from(line) == wanted {
                            set |= crate::forms::one(site);
                        }
                    }
                }
                sites(self.literal(set))
            }
            Builtin::Count => {
                let term = self.term(argument(0)?, names)?;
                match &term.sort {
                    Sort::Sites => {
                        Term::new(Sort::Number, format!("i64::from(({}).count_ones())", term.text))
                    }
                    _ => return None,
                }
            }
            Builtin::Next => match self.term(argument(0)?, names)? {
                term if term.sort == Sort::Player => Term::known(Sort::Player, 1 - term.known?),
                _ => return None,
            },
            Builtin::Attacked => {
                let targets = self.sites(argument(0)?, names)?;
                let by = self.term(argument(1)?, names)?;
                let by = by.known.filter(|_| by.sort == Sort::Player)?;
                if !*self.attacks.get(usize::try_from(by).ok()?)? {
                    return None;
                }
                let position =
                    if position == "position" { position.to_owned() } else { format!("&{position}") };
                Term::truth(format!("any_attacked_{by}(tables, {position}, {targets})"))
            }
            Builtin::Win | Builtin::Lose => match self.term(argument(0)?, names)? {
                term if term.sort == Sort::Player => Term::new(Sort::Outcome, ""),
                _ => return None,
            },
            Builtin::Draw | Builtin::Void | Builtin::AllLose => Term::new(Sort::Outcome, ""),
            _ => return None,
        })
    }

    /// Effects that only give values to variables, as statements about the position.
    pub(crate) fn effects(&self, effects: Run) -> Option<Vec<String>> {
        let mut lines = Vec::new();
        for effect in effects.of(&self.page.program.effects) {
            match effect {
                Effect::If(code, yes, no) => {
                    lines.push(format!("if {} {{", self.holds(*code)?));
                    lines.extend(self.effects(*yes)?.into_iter().map(|line| format!("    {line}")));
                    if no.len > 0 {
                        lines.push("} else {".into());
                        lines.extend(self.effects(*no)?.into_iter().map(|line| format!("    {line}")));
                    }
                    lines.push("}".into());
                }
                Effect::Set(var, index, value) => {
                    let declared = self.page.program.vars.get(usize::from(*var))?;
                    let mut place = 0_u16;
                    for (code, index) in index.iter().zip(&declared.each) {
                        let width = match index {
                            Index::Player => self.page.program.players.len(),
                            Index::Kind => self.page.program.kinds.len(),
                        };
                        place = place * width as u16 + u16::try_from(self.code(*code)?.known?).ok()?;
                    }
                    let slot = declared.slot + place;
                    let value = self.code(*value)?;
                    let position = self.position;
                    if declared.ty == Type::Sites {
                        let field = self.page.set_field(slot);
                        lines.push(format!("{position}.{field} = {};", value.sites()?));
                        continue;
                    }
                    let value = match (declared.ty, &value.sort) {
                        (Type::Truth, Sort::Truth) | (Type::Number, Sort::Number) => value.text,
                        (Type::Site, Sort::Site | Sort::Nothing)
                        | (Type::Player, Sort::Player | Sort::Nothing)
                        | (Type::Kind, Sort::Kind | Sort::Nothing) => format!("({}) as u8", value.text),
                        _ => return None,
                    };
                    lines.push(format!("{position}.{} = {value};", self.page.field(slot).0));
                }
                _ => return None,
            }
        }
        Some(lines)
    }
}

/// What the expressions of a module need.
pub(crate) const HELPERS: &str = r#"
/// No site, kind or player, as a number.
#[allow(dead_code, reason = "not every rule set asks")]
const NOTHING: usize = NONE as usize;

/// The set of one site, or none.
#[allow(dead_code, reason = "not every rule set asks")]
fn one_or_none(site: usize) -> Set {
    if site < SITES { one(site) } else { EMPTY }
}

/// Whether a set has a site; it has not what is none.
#[allow(dead_code, reason = "not every rule set asks")]
fn has_or_none(set: Set, site: usize) -> bool {
    site < SITES && has(set, site)
}

/// The file of a site, from one.
#[allow(dead_code, reason = "not every rule set asks")]
fn file_of(site: usize) -> i64 {
    (site % FILES) as i64 + 1
}

/// The rank of a site, from one.
#[allow(dead_code, reason = "not every rule set asks")]
fn rank_of(site: usize) -> i64 {
    (site / FILES) as i64 + 1
}

/// The sites of a rank, from one.
#[allow(dead_code, reason = "not every rule set asks")]
fn rank(rank: i64) -> Set {
    let line = BOARD & ((1 << (FILES - 1) << 1) - 1);
    match usize::try_from(rank) {
        Ok(rank) if (1..=SITES / FILES).contains(&rank) => line << (FILES * (rank - 1)),
        _ => EMPTY,
    }
}

/// The sites of the rank of a site.
#[allow(dead_code, reason = "not every rule set asks")]
#[inline(always)]
fn rank_through(site: usize) -> Set {
    (BOARD & ((1 << (FILES - 1) << 1) - 1)) << (site / FILES * FILES)
}

/// The sites of a file, from one.
#[allow(dead_code, reason = "not every rule set asks")]
fn file(file: i64) -> Set {
    let sites = (0..SITES).filter(|site| file_of(*site) == file);
    sites.fold(EMPTY, |set, site| set | one(site))
}

#[allow(dead_code, reason = "not every rule set asks")]
impl Position {
    /// The sites of a player; those of nobody for none.
    #[inline(always)]
    fn owned(&self, player: usize) -> Set {
        match self.owners.get(player) {
            Some(owned) => *owned,
            None => BOARD & !self.occupied(),
        }
    }

    /// The sites of a kind; those of none for none.
    #[inline(always)]
    fn of_kind(&self, kind: usize) -> Set {
        match self.kinds.get(kind) {
            Some(pieces) => *pieces,
            None => BOARD & !self.occupied(),
        }
    }

    /// The sites with the owner of what stands on a site; those of nobody for none.
    #[inline(always)]
    fn with_owner_of(&self, site: usize) -> Set {
        // All of the set or none of it.
        let part = |set: Set| set & Set::from(has_or_none(set, site)).wrapping_neg();
        let alike = part(self.owners[0]) | part(self.owners[1]);
        if alike == EMPTY {
            BOARD & !self.occupied()
        } else {
            alike
        }
    }

    /// The sites with the kind that stands on a site; those of none for none.
    #[inline(always)]
    fn with_kind_of(&self, site: usize) -> Set {
        let mut alike = EMPTY;
        for set in &self.kinds {
            // All of the set or none of it.
            alike |= *set & Set::from(has_or_none(*set, site)).wrapping_neg();
        }
        if alike == EMPTY {
            BOARD & !self.occupied()
        } else {
            alike
        }
    }

    #[inline(always)]
    fn occupied(&self) -> Set {
        self.owners[0] | self.owners[1]
    }

    fn kind_or_none(&self, site: usize) -> usize {
        if site < SITES {
            usize::from(self.kind(site))
        } else {
            NOTHING
        }
    }

    fn owner_or_none(&self, site: usize) -> usize {
        if site < SITES {
            usize::from(self.owner(site))
        } else {
            NOTHING
        }
    }
}
"#;
