//! A ranking as one page for a browser.
//!
//! Invariant: the page needs nothing else, no script, no other file and no network; every text of the user is
//! escaped.

use std::fmt::Write as _;

use rulebook::model::ruleset::Clause;
use rulebook::{Lang, RuleSet};

use super::story::{Asked, shown};
use super::{Placed, places_of};
use crate::describe::{self, say};

/// What a page shows.
pub(super) struct Page<'a> {
    pub(super) rules: &'a RuleSet,
    /// What is ranked: the name of the file.
    pub(super) title: &'a str,
    pub(super) placed: &'a [Placed],
    pub(super) keys: &'a [&'a Clause],
    /// The rounds of each entry, if there are any.
    pub(super) rounds: Option<&'a [Vec<String>]>,
    /// How each key of each entry came about, where there are not too many.
    pub(super) stories: &'a [Vec<Vec<Asked>>],
    pub(super) terms: &'a [(String, String)],
    pub(super) notes: &'a [String],
    pub(super) lang: Lang,
}

const STYLE: &str = "body{font:15px/1.4 system-ui,sans-serif;margin:2em auto;max-width:80em;padding:0 1em;color:#222;background:#fff}\
table{border-collapse:collapse}th,td{padding:.25em .6em;text-align:right;border-bottom:1px solid #ddd;vertical-align:top}\
th{border-bottom:2px solid #888}td.name,th.name{text-align:left}tr.shared td{background:#f4f4f4}\
td.decided{font-weight:bold}td.round{font-family:ui-monospace,monospace;white-space:nowrap}\
details{margin:.3em 0}pre{overflow-x:auto;background:#f8f8f8;padding:.5em}small{color:#666}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}th,td{border-color:#444}tr.shared td,pre{background:#262626}small{color:#999}}\
@media print{details{display:none}}";

/// The page.
pub(super) fn html(page: &Page<'_>) -> String {
    let lang = page.lang;
    let mut out = String::new();
    let code = say(lang, "en", "zh");
    let (title, rules) = (escaped(page.title), escaped(page.rules.title.get(lang)));
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"{code}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>{rules} <small>{}</small></p>\n",
        escaped(&page.rules.id)
    );
    table(page, &mut out);
    if !page.terms.is_empty() {
        let terms: Vec<String> =
            page.terms.iter().map(|(name, value)| escaped(&format!("{name} = {value}"))).collect();
        let _ = writeln!(out, "<p><small>{}</small></p>", terms.join(", "));
    }
    for note in page.notes {
        let _ = writeln!(out, "<p><small>{}</small></p>", escaped(note));
    }
    let _ = writeln!(out, "<h2>{}</h2>\n<ol>", say(lang, "Keys", "排名依据"));
    for key in page.keys {
        let _ = writeln!(out, "<li>{}</li>", escaped(&describe::clause(key, lang)));
    }
    out.push_str("</ol>\n");
    if !page.stories.is_empty() {
        let _ = writeln!(out, "<h2>{}</h2>", say(lang, "How the values came about", "数值的由来"));
    }
    for (entry, keys) in page.placed.iter().zip(page.stories) {
        let mut lines = Vec::new();
        for (clause, asked) in page.keys.iter().zip(keys) {
            lines.push(format!("{}  {}", clause.id, clause.title.get(lang)));
            super::story::lines(asked, 1, &mut lines);
        }
        let _ = writeln!(
            out,
            "<details><summary>{}</summary>\n<pre>{}</pre></details>",
            escaped(&entry.name),
            escaped(&lines.join("\n"))
        );
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn table(page: &Page<'_>, out: &mut String) {
    let lang = page.lang;
    let _ = write!(
        out,
        "<table>\n<thead><tr><th></th><th>{}</th><th class=\"name\">{}</th>",
        say(lang, "place", "名次"),
        say(lang, "entry", "参赛者")
    );
    let count = page.rounds.and_then(|rounds| rounds.first()).map_or(0, Vec::len);
    for round in 1..=count {
        let _ = write!(out, "<th>{round}</th>");
    }
    for key in page.keys {
        let says = escaped(key.says.get(lang));
        let title = escaped(match key.title.get(lang) {
            "" => &key.id,
            title => title,
        });
        let _ = write!(out, "<th title=\"{says}\">{title}</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for (at, entry) in page.placed.iter().enumerate() {
        let class = if entry.place == entry.last { "" } else { " class=\"shared\"" };
        let _ = write!(
            out,
            "<tr{class}><td><small>{}</small></td><td>{}</td><td class=\"name\">{}</td>",
            at + 1,
            places_of(entry),
            escaped(&entry.name)
        );
        for cell in page.rounds.and_then(|rounds| rounds.get(at)).into_iter().flatten() {
            let _ = write!(out, "<td class=\"round\">{}</td>", escaped(cell));
        }
        for (clause, value) in &entry.keys {
            let class = if entry.decided == Some(*clause) { " class=\"decided\"" } else { "" };
            let _ = write!(out, "<td{class}>{}</td>", shown(*value));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n");
}

/// A text as it may stand in a page, within an attribute too.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            sign => out.push(sign),
        }
    }
    out
}
