//! Words for people, in both languages: kinds of clauses, types, values, reasons.
//!
//! Invariant: nothing here decides anything; names of players, acts and events are those of the rule set.
//! A new language is a new arm of `say`.

use rulebook::model::pairing::PairingForm;
use rulebook::model::ruleset::{ActFilter, Author, Clause, Form, Index, MOVES, PLIES, SECONDS, Var};
use rulebook::model::types::Type;
use rulebook::syntax::ast::{AfterPeriod, Period};
use rulebook::{Lang, Outcome, Person, Reason, RuleSet, Value};

/// The language of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Tongue {
    /// English
    #[default]
    En,
    /// Chinese
    Zh,
}

impl From<Tongue> for Lang {
    fn from(tongue: Tongue) -> Self {
        match tongue {
            Tongue::En => Self::En,
            Tongue::Zh => Self::Zh,
        }
    }
}

/// The text of a language.
pub(crate) fn say<'t>(lang: Lang, en: &'t str, zh: &'t str) -> &'t str {
    match lang {
        Lang::En => en,
        Lang::Zh => zh,
    }
}

/// A word and what it is about; after the wide colon there is no blank.
pub(crate) fn about(word: &str, what: &str) -> String {
    if word.ends_with('：') { format!("{word}{what}") } else { format!("{word} {what}") }
}

/// One clause as a line: id, title, sentence, citations.
pub(crate) fn clause(clause: &Clause, lang: Lang) -> String {
    let (stop, open, close) = match lang {
        Lang::En => (": ", " [", "]"),
        Lang::Zh => ("：", "［", "］"),
    };
    let mut text = clause.id.clone();
    let (title, says) = (clause.title.get(lang), clause.says.get(lang));
    if !title.is_empty() {
        text = format!("{text}  {title}");
    }
    if !says.is_empty() {
        text = format!("{text}{stop}{says}");
    }
    if !clause.cites.is_empty() {
        text = format!("{text}{open}{}{close}", clause.cites.join(", "));
    }
    text
}

/// Clauses by number.
pub(crate) fn clauses<'r>(rules: &'r RuleSet, numbers: &[u16]) -> Vec<&'r Clause> {
    numbers.iter().filter_map(|at| rules.clauses.get(usize::from(*at))).collect()
}

fn names(all: &[String], numbers: impl IntoIterator<Item = usize>) -> String {
    let names: Vec<&str> = numbers.into_iter().filter_map(|at| all.get(at)).map(String::as_str).collect();
    names.join(", ")
}

fn acts(rules: &RuleSet, filter: &ActFilter, lang: Lang) -> String {
    match filter {
        ActFilter::Any => say(lang, "every act", "每一着").to_owned(),
        ActFilter::Only(acts) => names(&rules.acts, acts.iter().map(|act| usize::from(*act))),
    }
}

/// The name of the formal part of a clause, for programs.
pub(crate) fn form(form: &Form) -> &'static str {
    match form {
        Form::Advice => "advice",
        Form::Move { .. } => "move",
        Form::Act { .. } => "act",
        Form::Event { .. } => "event",
        Form::Applied { .. } => "applied",
        Form::After { .. } => "after",
        Form::Forbid { .. } => "forbid",
        Form::Most { .. } => "most",
        Form::Turn(_) => "turn",
        Form::Ends { .. } => "ends",
        Form::Rank(_) => "rank",
        Form::Pairing(_) => "pairing",
        Form::List { .. } => "list",
    }
}

/// What kind of clause it is, in words.
pub(crate) fn kind(rules: &RuleSet, clause: &Clause, lang: Lang) -> String {
    let act = |act: u16| names(&rules.acts, [usize::from(act)]);
    match (&clause.form, lang) {
        (Form::Advice, _) => say(lang, "advice", "说明").to_owned(),
        (Form::Move { kinds, act: name, .. }, _) => {
            let kinds = names(&rules.kinds, kinds.iter().map(|kind| usize::from(*kind)));
            let own = act(*name);
            let own = if own == "move" { String::new() } else { format!(" ({own})") };
            about(say(lang, "movement of", "走法："), &format!("{kinds}{own}"))
        }
        (Form::Act { act: name, .. }, _) => about(say(lang, "act", "着法："), &act(*name)),
        (Form::Applied { .. }, _) => say(lang, "what other clauses apply", "供其他条文适用").to_owned(),
        (Form::Event { event, by, .. }, _) => {
            let by = match by {
                Author::Anyone => say(lang, "by any player", "任何一方"),
                Author::Arbiter => say(lang, "by the arbiter", "裁判"),
                Author::Player(_) => say(lang, "by one player", "特定一方"),
            };
            let event = names(&rules.events, [usize::from(*event)]);
            about(say(lang, "event", "事件："), &format!("{event}, {by}"))
        }
        (Form::After { acts: filter, .. }, Lang::En) => {
            format!("consequence of {}", acts(rules, filter, lang))
        }
        (Form::After { acts: filter, .. }, Lang::Zh) => format!("后果：{}之后", acts(rules, filter, lang)),
        (Form::Forbid { acts: filter, before, .. }, Lang::En) => {
            let judged = if *before { "before" } else { "after" };
            format!("ban, judged {judged} {}", acts(rules, filter, lang))
        }
        (Form::Forbid { acts: filter, before, .. }, Lang::Zh) => {
            format!("禁止：{}{}判定", acts(rules, filter, lang), if *before { "之前" } else { "之后" })
        }
        (Form::Most { acts: filter, .. }, _) => {
            about(say(lang, "only the largest of", "只许最多："), &acts(rules, filter, lang))
        }
        (Form::Turn(_), _) => say(lang, "turn", "轮次").to_owned(),
        (Form::Ends { .. }, _) => say(lang, "ending", "终局").to_owned(),
        (Form::Rank(_), _) => say(lang, "ranking key", "排名依据").to_owned(),
        (Form::Pairing(form), _) => pairing(form, lang).to_owned(),
        (Form::List { name, .. }, _) => about(say(lang, "list", "列表："), name),
    }
}

/// What a clause about pairings is, in words.
fn pairing(form: &PairingForm, lang: Lang) -> &'static str {
    match form {
        PairingForm::Forbid(_) => say(lang, "ban of pairs", "禁止的配对"),
        PairingForm::Pair(_) => say(lang, "measure of pairs", "配对的衡量"),
        PairingForm::NotAlone(_) => say(lang, "ban of being left alone", "不得轮空"),
        PairingForm::Alone { .. } => say(lang, "measure of the one left alone", "轮空者的衡量"),
        PairingForm::Leaves(_) => say(lang, "measure of those who leave the bracket", "离组者的衡量"),
        PairingForm::Completes => say(lang, "the rest can be paired", "其余仍可配对"),
        PairingForm::Next(_) => say(lang, "measures of the next bracket", "下一组的衡量"),
        PairingForm::Prefer(_) => say(lang, "order of equal pairings", "同等配对的先后"),
        PairingForm::Side(_) => say(lang, "sides of a pair", "先后手"),
    }
}

/// A type in words.
pub(crate) fn ty(rules: &RuleSet, ty: &Type) -> String {
    match ty {
        Type::Unknown => "unknown".into(),
        Type::Nothing => "none".into(),
        Type::Truth => "truth".into(),
        Type::Number(PLIES) => "plies".into(),
        Type::Number(MOVES) => "moves".into(),
        Type::Number(SECONDS) => "seconds".into(),
        Type::Number(_) => "number".into(),
        Type::Text => "text".into(),
        Type::Player => "player".into(),
        Type::Kind => "kind".into(),
        Type::Site => "site".into(),
        Type::Sites => "sites".into(),
        Type::List(member) => format!("list of {}", self::ty(rules, member)),
        Type::Row(table) => {
            let table = rules.tables.get(usize::from(*table));
            format!("row of {}", table.map_or("a table", |table| table.name.as_str()))
        }
        Type::Outcome => "outcome".into(),
        Type::Phase => "phase".into(),
    }
}

/// A value with the unit of its type.
pub(crate) fn value(rules: &RuleSet, value: &Value, of: &Type) -> String {
    let text = show(rules, value);
    match (value, of) {
        (Value::Number(number), Type::Number(SECONDS)) => match number.to_whole() {
            Some(seconds) => duration(seconds),
            None => format!("{text} s"),
        },
        (Value::Number(_), Type::Number(PLIES)) => format!("{text} plies"),
        (Value::Number(_), Type::Number(MOVES)) => format!("{text} moves"),
        _ => text,
    }
}

/// A value; rows of tables by their first field would need the tables, so they are numbered.
pub(crate) fn show(rules: &RuleSet, value: &Value) -> String {
    match value {
        Value::Sites(sites) if sites.len() > 12 => format!("{} sites", sites.len()),
        value => rules.show(value),
    }
}

/// What there is one of a variable for.
pub(crate) fn each(each: &[Index]) -> &'static str {
    match each {
        [] => "",
        [Index::Player] => "each player",
        [Index::Kind] => "each kind",
        _ => "each player and kind",
    }
}

/// The first value of a variable; the one value where all of several are the same.
pub(crate) fn start(rules: &RuleSet, var: &Var) -> String {
    match &var.start {
        Value::List(values) if values.windows(2).all(|pair| pair.first() == pair.last()) => {
            values.first().map(|value| show(rules, value)).unwrap_or_default()
        }
        value => show(rules, value),
    }
}

/// A duration such as `1:30:00`, `3:05` or `30 s`.
pub(crate) fn duration(seconds: i64) -> String {
    let (sign, seconds) =
        if seconds < 0 { ("-", seconds.unsigned_abs()) } else { ("", seconds.unsigned_abs()) };
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{sign}{rest} s"),
        (0, _) => format!("{sign}{minutes}:{rest:02}"),
        _ => format!("{sign}{hours}:{minutes:02}:{rest:02}"),
    }
}

/// A period of a time control.
pub(crate) fn period(period: &Period, lang: Lang) -> String {
    let time = duration(period.seconds);
    let mut text = match (period.moves, lang) {
        (_, Lang::En) if period.times > 0 => format!("{} times {time} for a move", period.times),
        (_, Lang::Zh) if period.times > 0 => format!("每着{time}，共{}次", period.times),
        (Some(moves), Lang::En) => format!("{moves} moves in {time}"),
        (Some(moves), Lang::Zh) => format!("{time}走{moves}着"),
        (None, Lang::En) => format!("{time} for the rest"),
        (None, Lang::Zh) => format!("其余{time}"),
    };
    if period.increment != 0 {
        let each = say(lang, "more for each move", "（每着加时）");
        text = format!("{text}, {} {each}", duration(period.increment));
    }
    if period.back != 0 {
        let each = say(lang, "at most given back for each move", "（每着至多返还）");
        text = format!("{text}, {} {each}", duration(period.back));
    }
    if period.delay != 0 {
        let each = say(lang, "of delay for each move", "（每着延时）");
        text = format!("{text}, {} {each}", duration(period.delay));
    }
    if period.from > 1 {
        let from = match lang {
            Lang::En => format!("from move {} on", period.from),
            Lang::Zh => format!("自第{}着起", period.from),
        };
        text = format!("{text}, {from}");
    }
    match period.after {
        AfterPeriod::Next => {}
        AfterPeriod::Repeating => text = format!("{text}, {}", say(lang, "again and again", "循环")),
        AfterPeriod::Renewed => text = format!("{text}, {}", say(lang, "each time anew", "每次重计")),
    }
    if period.hourglass {
        text = format!("{text}, {}", say(lang, "as an hourglass", "沙漏计时"));
    }
    text
}

/// An outcome in words.
pub(crate) fn outcome(rules: &RuleSet, outcome: Outcome, lang: Lang) -> String {
    if lang == Lang::En {
        return rules.show_outcome(outcome);
    }
    let name = |player: u8| rules.players.get(usize::from(player)).cloned().unwrap_or_default();
    match outcome {
        Outcome::Win(player) => format!("{} 胜", name(player)),
        Outcome::Lose(player) if rules.players.len() == 2 => format!("{} 胜", name(1 - player.min(1))),
        Outcome::Lose(player) => format!("{} 负", name(player)),
        Outcome::Draw => "和棋".into(),
        Outcome::Void => "对局无效".into(),
        Outcome::AllLose => "双方均负".into(),
    }
}

/// Why something is refused.
pub(crate) fn reason(reason: Reason, lang: Lang) -> &'static str {
    match reason {
        Reason::Forbidden => say(lang, "a clause forbids it", "条文禁止"),
        Reason::NotGranted => say(lang, "no clause allows it", "没有条文允许"),
        Reason::NotOnTurn => say(lang, "it is not this player's turn", "未轮到该方"),
        Reason::GameOver => say(lang, "the game has already ended", "对局已经结束"),
        Reason::ConditionFails => say(lang, "the condition of the clause does not hold", "条文的条件不成立"),
        Reason::NotTheirs => say(lang, "this is not for this person to do", "此人无权这样做"),
    }
}

/// The name of a person.
pub(crate) fn person(rules: &RuleSet, person: Person, lang: Lang) -> String {
    match person {
        Person::Arbiter => say(lang, "arbiter", "裁判").to_owned(),
        Person::Player(player) => rules.players.get(usize::from(player)).cloned().unwrap_or_default(),
    }
}

/// `1 word` or `2 words`.
pub(crate) fn count(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}
