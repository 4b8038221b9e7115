//! `show`: what is in force after layering.

use clap::Args;
use rulebook::model::ruleset::{Form, VarId};
use rulebook::notation::position::picture;
use rulebook::{Lang, RuleSet, State};
use serde::Serialize;

use super::{Answer, Given, Language};
use crate::describe::{self, say};
use crate::failure::Failure;
use crate::json::Words;
use crate::out::{Out, table};

/// Arguments of `show`.
#[derive(Args)]
pub(super) struct Arguments {
    /// A rule file, or the id of a built-in rule set.
    file: String,
    #[command(flatten)]
    language: Language,
}

/// The JSON answer of `show`.
#[derive(Serialize)]
struct Report {
    /// The id of the rule set.
    id: String,
    /// Its title.
    title: Words,
    /// The ids of the files it is layered from, the base first.
    lineage: Vec<String>,
    /// The players, in the order of their turns.
    players: Vec<String>,
    /// The kinds of pieces.
    pieces: Vec<String>,
    /// The phases of a game, the first one first.
    phases: Vec<String>,
    /// The board, if there is one.
    board: Option<Board>,
    /// Parameters with their values.
    params: Vec<Param>,
    /// State variables.
    state: Vec<Var>,
    /// The names of acts.
    acts: Vec<String>,
    /// The names of events.
    events: Vec<String>,
    /// Tables of records.
    tables: Vec<Table>,
    /// The time control, period by period, in words.
    clock: Vec<String>,
    /// The clauses in force, in their order.
    clauses: Vec<Row>,
    /// Clauses that a layer replaced or dropped.
    replaced: Vec<Replaced>,
}

/// A board.
#[derive(Serialize)]
struct Board {
    /// Number of files.
    files: u16,
    /// Number of ranks.
    ranks: u16,
}

/// A parameter.
#[derive(Serialize)]
struct Param {
    /// Its name.
    name: String,
    /// Its value, with its unit.
    value: String,
    /// Its type.
    #[serde(rename = "type")]
    ty: String,
    /// The file that gave the value, or `given`.
    origin: String,
    /// Since when the value holds, as written.
    since: String,
    /// What it cites.
    cites: Vec<String>,
}

/// A state variable.
#[derive(Serialize)]
struct Var {
    /// Its name.
    name: String,
    /// Its type.
    #[serde(rename = "type")]
    ty: String,
    /// What there is one of it for: `each player`, `each kind`, both, or nothing.
    each: &'static str,
    /// Its first value.
    start: String,
    /// Whether it belongs to the identity of a position: `always`, `while it matters` or `never`.
    identity: &'static str,
}

/// A table of records.
#[derive(Serialize)]
struct Table {
    /// Its name.
    name: String,
    /// Its fields, each a name and a type.
    fields: Vec<(String, String)>,
}

/// A clause.
#[derive(Serialize)]
struct Row {
    /// Its id.
    id: String,
    /// Its title.
    title: Words,
    /// Its sentence.
    says: Words,
    /// What it cites.
    cites: Vec<String>,
    /// Its form: `move`, `act`, `event`, `after`, `forbid`, `most`, `turn`, `ends`, `rank`, `list` or `advice`.
    form: &'static str,
    /// Its form in words.
    kind: String,
    /// The id of the file it stands in.
    origin: String,
    /// The clause it replaced.
    overrides: Option<String>,
    /// The clauses that go before it when both decide.
    yields: Vec<String>,
}

/// A clause that is no longer in force.
#[derive(Serialize)]
struct Replaced {
    /// Its id.
    id: String,
    /// The id of the file it stood in.
    origin: String,
    /// The clause that took its place, or the file that dropped it.
    by: String,
}

/// Runs `show`.
pub(super) fn run(arguments: &Arguments, given: &Given, out: &mut Out) -> Result<Answer, Failure> {
    let rules = rulebook::open(&arguments.file, given)?;
    let lang = arguments.language.get();
    let report = report(&rules, lang);
    if out.is_json() {
        out.document(&report);
    } else {
        draw(&rules, &report, lang, out);
    }
    Ok(Answer::Good)
}

fn report(rules: &RuleSet, lang: Lang) -> Report {
    let params = rules.params.iter().map(|param| Param {
        name: param.name.clone(),
        value: describe::value(rules, &param.value, &param.ty),
        ty: describe::ty(rules, &param.ty),
        origin: param.origin.clone(),
        since: param.since.clone(),
        cites: param.cites.clone(),
    });
    let vars = rules.vars.iter().enumerate().map(|(at, var)| Var {
        name: var.name.clone(),
        ty: describe::ty(rules, &var.ty),
        each: describe::each(&var.each),
        start: describe::start(rules, var),
        identity: identity(rules, at as VarId),
    });
    let tables = rules.tables.iter().map(|table| Table {
        name: table.name.clone(),
        fields: table.fields.iter().map(|(name, ty)| (name.clone(), describe::ty(rules, ty))).collect(),
    });
    let clauses = rules.clauses.iter().map(|clause| Row {
        id: clause.id.clone(),
        title: (&clause.title).into(),
        says: (&clause.says).into(),
        cites: clause.cites.clone(),
        form: describe::form(&clause.form),
        kind: describe::kind(rules, clause, lang),
        origin: clause.origin.clone(),
        overrides: clause.overrides.clone(),
        yields: describe::clauses(rules, &clause.yields)
            .into_iter()
            .map(|clause| clause.id.clone())
            .collect(),
    });
    let replaced = rules.replaced.iter().map(|gone| Replaced {
        id: gone.id.clone(),
        origin: gone.origin.clone(),
        by: gone.by.clone(),
    });
    Report {
        id: rules.id.clone(),
        title: (&rules.title).into(),
        lineage: rules.lineage.clone(),
        players: rules.players.clone(),
        pieces: rules.kinds.clone(),
        phases: rules.phases.clone(),
        board: (!rules.board.is_empty())
            .then_some(Board { files: rules.board.files, ranks: rules.board.ranks }),
        params: params.collect(),
        state: vars.collect(),
        acts: rules.acts.clone(),
        events: rules.events.clone(),
        tables: tables.collect(),
        clock: clock(rules, lang),
        clauses: clauses.collect(),
        replaced: replaced.collect(),
    }
}

fn identity(rules: &RuleSet, var: VarId) -> &'static str {
    if rules.identity.contains(&var) {
        "always"
    } else if rules.fleeting.contains(&var) {
        "while it matters"
    } else {
        "never"
    }
}

fn draw(rules: &RuleSet, report: &Report, lang: Lang, out: &mut Out) {
    out.line(format!("{}  {}", report.id, rules.title.get(lang)));
    let word = |en, zh| say(lang, en, zh);
    let mut about = table(&[]);
    about.add_row([word("layers", "层次").to_owned(), report.lineage.join(" → ")]);
    let lists = [
        (word("players", "棋手"), &report.players),
        (word("pieces", "棋子"), &report.pieces),
        (word("phases", "阶段"), &report.phases),
        (word("acts", "着法"), &report.acts),
        (word("events", "事件"), &report.events),
    ];
    for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        about.add_row([name.to_owned(), list.join(", ")]);
    }
    if !report.clock.is_empty() {
        about.add_row([word("clock", "时限").to_owned(), report.clock.join("\n")]);
    }
    for listed in &report.tables {
        let fields: Vec<String> = listed.fields.iter().map(|(name, ty)| format!("{name} ({ty})")).collect();
        about.add_row([format!("{} {}", word("table", "表"), listed.name), fields.join(", ")]);
    }
    if let Some(board) = &report.board {
        let size = match lang {
            Lang::En => format!("{} files, {} ranks", board.files, board.ranks),
            Lang::Zh => format!("{} 列，{} 行", board.files, board.ranks),
        };
        about.add_row([word("board", "棋盘").to_owned(), size]);
    }
    out.table(&about);
    if report.board.is_some() {
        out.line("");
        out.line(picture(rules, &State::first(rules)));
    }
    params(report, lang, out);
    vars(report, lang, out);
    clauses(rules, report, lang, out);
    if !report.replaced.is_empty() {
        out.heading(word("no longer in force", "已不适用"));
        let mut rows = table(&[word("clause", "条文"), word("of", "出自"), word("replaced by", "取代者")]);
        for gone in &report.replaced {
            rows.add_row([&gone.id, &gone.origin, &gone.by]);
        }
        out.table(&rows);
    }
}

fn params(report: &Report, lang: Lang, out: &mut Out) {
    if report.params.is_empty() {
        return;
    }
    let word = |en, zh| say(lang, en, zh);
    out.heading(word("parameters", "参数"));
    let mut rows =
        table(&[word("name", "名称"), word("value", "值"), word("from", "出自"), word("cites", "依据")]);
    for param in &report.params {
        let since = match param.since.as_str() {
            "" => String::new(),
            since => format!(", {} {since}", word("since", "始于")),
        };
        let cites = param.cites.join(", ");
        rows.add_row([param.name.clone(), param.value.clone(), format!("{}{since}", param.origin), cites]);
    }
    out.table(&rows);
}

fn vars(report: &Report, lang: Lang, out: &mut Out) {
    if report.state.is_empty() {
        return;
    }
    let word = |en, zh| say(lang, en, zh);
    out.heading(word("state", "状态"));
    let mut rows = table(&[
        word("name", "名称"),
        word("type", "类型"),
        word("at the start", "初值"),
        word("part of the position", "属于局面"),
    ]);
    for var in &report.state {
        let ty = if var.each.is_empty() {
            var.ty.clone()
        } else {
            let each = match var.each {
                "each player" => word("for each player", "（每方各一）"),
                "each kind" => word("for each kind", "（每种棋子各一）"),
                _ => word("for each player and kind", "（每方每种棋子各一）"),
            };
            format!("{} {each}", var.ty)
        };
        let identity = match var.identity {
            "always" => word("always", "始终"),
            "never" => word("never", "否"),
            _ => word("while it matters", "仅在有影响时"),
        };
        rows.add_row([var.name.clone(), ty, var.start.clone(), identity.to_owned()]);
    }
    out.table(&rows);
}

fn clauses(rules: &RuleSet, report: &Report, lang: Lang, out: &mut Out) {
    let word = |en, zh| say(lang, en, zh);
    out.heading(word("clauses", "条文"));
    // A column that says the same everywhere, or nothing, is left out.
    let layered = rules.clauses.iter().any(|clause| Some(&clause.origin) != rules.lineage.last());
    let overriding = report.clauses.iter().any(|clause| clause.overrides.is_some());
    let mut header = vec![word("id", "编号"), word("title", "标题"), word("kind", "种类")];
    if layered {
        header.push(word("from", "出自"));
    }
    if overriding {
        header.push(word("overrides", "取代"));
    }
    let mut rows = table(&header);
    for (row, clause) in report.clauses.iter().zip(&rules.clauses) {
        let mut cells = vec![row.id.clone(), clause.title.get(lang).to_owned(), row.kind.clone()];
        // An advice is told by its sentence, for it has nothing else.
        if matches!(clause.form, Form::Advice) {
            cells[2] = format!("{}: {}", row.kind, clause.says.get(lang));
        }
        if layered {
            cells.push(row.origin.clone());
        }
        if overriding {
            cells.push(row.overrides.clone().unwrap_or_default());
        }
        rows.add_row(cells);
    }
    out.table(&rows);
}

/// The time control, period by period; each player's own where they differ.
fn clock(rules: &RuleSet, lang: Lang) -> Vec<String> {
    let own = |periods: &Vec<_>| periods.iter().map(|period| describe::period(period, lang)).collect();
    match &rules.clock[..] {
        [first, rest @ ..] if rest.iter().any(|other| other != first) => {
            let all = rules.players.iter().zip(&rules.clock);
            all.map(|(player, periods)| {
                let periods: Vec<String> = own(periods);
                format!("{player}: {}", periods.join("; "))
            })
            .collect()
        }
        [first, ..] => own(first),
        [] => Vec::new(),
    }
}
