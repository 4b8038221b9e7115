//! Options of controllers: other rule sets by name, and values for the parameters that the rule file offers.
//!
//! Invariant: an option means what the notation section of the rule file says; a name means the rule file that stands
//! beside the one in force. Options that were set for one rule set are forgotten with the next one.

use std::path::Path;

use rulebook_model::Value;
use rulebook_model::exchange::OptionTerms;
use rulebook_model::library::BUILT_IN;
use serde_json::Map;

use super::{Answer, Referee};
use crate::closest;

impl Referee {
    fn offered(&self) -> &[OptionTerms] {
        self.engine.rules().notation.gtp.as_ref().map_or(&[], |gtp| &gtp.options)
    }

    /// The rule file of a name: the one that the rule set says, else the one beside it, else the one with that id.
    fn beside(&self, name: &str) -> Option<String> {
        let name = name.trim().to_lowercase().replace(['_', ' '], "-");
        let fine = |sign: char| sign.is_ascii_alphanumeric() || sign == '-' || sign == '/';
        if name.is_empty() || !name.chars().all(fine) {
            return None;
        }
        let is_built_in = |id: &String| BUILT_IN.iter().any(|(known, _)| known == id);
        let rules = self.engine.rules();
        let begins = rules.notation.gtp.as_ref().map_or("", |gtp| &gtp.named);
        let meant = format!("{begins}{name}");
        if !begins.is_empty() && is_built_in(&meant) {
            return Some(meant);
        }
        let path = Path::new(&self.rules);
        let other = path.with_file_name(format!("{name}.yaml"));
        if path.is_file() && other.is_file() {
            return Some(other.display().to_string());
        }
        let folder = rules.id.rsplit_once('/').map_or("", |(folder, _)| folder);
        [format!("{folder}/{name}"), name].into_iter().find(is_built_in)
    }

    /// Another rule set by name, or several options as one JSON object.
    pub(super) fn set_rules(&mut self, text: &str) -> Answer {
        if text.starts_with('{') {
            let options: Map<String, serde_json::Value> =
                serde_json::from_str(text).map_err(|error| format!("syntax error: {error}"))?;
            let before = self.clone();
            for (name, value) in &options {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                if let Err(error) = self.set_option(name, &value) {
                    *self = before;
                    return Err(error);
                }
            }
            return Ok(String::new());
        }
        let Some(rules) = self.beside(text) else {
            let folder = self.engine.rules().id.rsplit_once('/').map_or("", |(folder, _)| folder);
            let names = BUILT_IN.iter().filter_map(|(id, _)| id.strip_prefix(folder)?.strip_prefix('/'));
            let similar = closest(&text.to_lowercase(), names);
            let hint = similar.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
            return Err(format!("there is no rule set `{text}`{hint}"));
        };
        self.change(|this| {
            this.options.clear();
            rules
        })?;
        Ok(String::new())
    }

    /// Another value for an option.
    pub(super) fn set_option(&mut self, name: &str, value: &str) -> Answer {
        let Some(option) = self.offered().iter().find(|option| option.name == name) else {
            let names: Vec<&str> = self.offered().iter().map(|option| option.name.as_str()).collect();
            return Err(format!("there is no option `{name}`; the options are {}", names.join(", ")));
        };
        let known = option.words.iter().find(|(word, _)| word.eq_ignore_ascii_case(value));
        let text = match known {
            Some((_, text)) => text.clone(),
            None if option.words.is_empty() => value.to_owned(),
            None => {
                let words: Vec<&str> = option.words.iter().map(|(word, _)| word.as_str()).collect();
                return Err(format!(
                    "`{value}` is no value of `{name}`; the values are {}",
                    words.join(", ")
                ));
            }
        };
        let param = option.param.clone();
        let rules = self.rules.clone();
        let now = self.engine.rules().params.iter().find(|known| known.name == param);
        let value = now.map_or_else(|| text.clone(), |now| super::worded(self.engine.rules(), now, &text));
        self.change(|this| {
            this.options.retain(|(known, _)| *known != param);
            this.options.push((param, value));
            rules
        })?;
        Ok(String::new())
    }

    /// The options with their values, as one JSON object.
    pub(super) fn options_now(&self) -> String {
        let rules = self.engine.rules();
        let mut map = Map::new();
        for option in self.offered() {
            let param = rules.params.iter().find(|param| param.name == option.param);
            let Some(param) = param else { continue };
            let shown = rules.show(&param.value);
            let word = option.words.iter().find(|(_, value)| *value == shown).map(|(word, _)| word.clone());
            let value = match (word, &param.value) {
                (Some(word), _) if word == "true" || word == "false" => (word == "true").into(),
                (Some(word), _) => word.into(),
                (None, Value::Truth(truth)) => (*truth).into(),
                (None, _) => shown.into(),
            };
            map.insert(option.name.clone(), value);
        }
        map.insert("rules".to_owned(), rules.id.clone().into());
        serde_json::Value::Object(map).to_string()
    }
}
