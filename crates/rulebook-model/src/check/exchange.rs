//! What other programs call things: the size of the board, properties of records, words of controllers.
//!
//! Invariant: parameters and definitions are those of the rule set, and a word of an option means a value of
//! the type of its parameter.

use rulebook_syntax::codes;

use super::Checker;
use crate::draft::{Draft, GtpDraft, Loc, OptionDraft, SgfDraft, TrfDraft, suggest};
use crate::exchange::{GtpTerms, Hundredths, OptionTerms, SgfTerms, SizeTerms, TrfTerms};
use crate::types::Type;
use crate::value::Number;

impl Checker<'_> {
    /// What records and controllers call things, once parameters and definitions are known.
    pub(super) fn exchange(&mut self, drafts: &[Draft]) {
        let sections = || drafts.iter().rev().filter_map(|draft| draft.notation.as_ref());
        if let Some(section) = sections().find(|section| !section.size.is_empty()) {
            let mut size = SizeTerms::default();
            for (key, param) in &section.size {
                let found = self.param_of(param).map(|_| param.text.clone());
                match key.text.as_str() {
                    "square" => size.square = found,
                    "files" => size.files = found,
                    _ => size.ranks = found,
                }
            }
            self.rules.notation.size = Some(size);
        }
        if let Some(sgf) = sections().find_map(|section| section.sgf.as_ref()) {
            self.rules.notation.sgf = Some(self.sgf_terms(sgf));
        }
        if let Some(trf) = sections().find_map(|section| section.trf.as_ref()) {
            self.rules.notation.trf = Some(self.trf_terms(trf));
        }
        if let Some(gtp) = sections().find_map(|section| section.gtp.as_ref()) {
            self.rules.notation.gtp = Some(self.gtp_terms(gtp, drafts));
        }
    }

    /// The type of a parameter.
    fn param_of(&mut self, name: &Loc) -> Option<Type> {
        self.used.insert(name.text.clone());
        if let Some(param) = self.rules.params.iter().find(|param| param.name == name.text) {
            return Some(param.ty.clone());
        }
        if !self.lost.contains(&name.text) {
            let message = format!("there is no parameter `{}`", name.text);
            let known = self.rules.params.iter().map(|param| param.name.as_str());
            let fault = suggest(name.error(codes::NAME_UNKNOWN, message), &name.text, known);
            self.out.push(fault);
        }
        None
    }

    /// Names and the parameters that they set.
    fn params_by_name(&mut self, pairs: &[(Loc, Loc)]) -> Vec<(String, String)> {
        let mut terms = Vec::new();
        for (name, param) in pairs {
            if self.param_of(param).is_some() {
                terms.push((name.text.clone(), param.text.clone()));
            }
        }
        terms
    }

    fn sgf_terms(&mut self, sgf: &SgfDraft) -> SgfTerms {
        let terms = self.params_by_name(&sgf.terms);
        let game = sgf.game.as_ref().filter(|game| {
            let fine = game.text.parse::<u8>().is_ok();
            if !fine {
                let message = "the number of a game is a whole number, such as `1`";
                self.out.push(game.error(codes::NOTATION_INVALID, message));
            }
            fine
        });
        let game = game.map(|game| game.text.clone()).unwrap_or_default();
        let mut hundredths = None;
        if let Some(of) = &sgf.of {
            if !sgf.terms.iter().any(|(property, _)| property.text == of.text) {
                let message = format!("`{}` is none of the properties under `terms`", of.text);
                self.out.push(of.error(codes::NOTATION_INVALID, message));
            }
            let mut doubled = Vec::new();
            for number in &sgf.doubled {
                match Number::parse(&number.text) {
                    Some(number) => doubled.push(number),
                    None => self.out.push(number.error(codes::NOTATION_INVALID, "this must be a number")),
                }
            }
            let by = sgf.by.iter().map(|name| name.text.clone()).collect();
            hundredths = Some(Hundredths { of: of.text.clone(), by, doubled });
        }
        let mut results = Vec::new();
        for (words, meaning) in &sgf.results {
            let (first, then) = words.text.split_once('…').unwrap_or((&words.text, ""));
            if first.is_empty() {
                self.out.push(words.error(codes::NOTATION_INVALID, "a result in words has a beginning"));
            }
            results.push((first.to_owned(), then.to_owned(), meaning.text.clone()));
        }
        SgfTerms { game, terms, hundredths, results }
    }

    fn trf_terms(&mut self, trf: &TrfDraft) -> TrfTerms {
        let terms = self.params_by_name(&trf.terms);
        let mut keys = Vec::new();
        for key in &trf.keys {
            match self.param_of(key) {
                Some(Type::List(member)) if *member == Type::Text => keys.push(key.text.clone()),
                Some(_) => {
                    let message =
                        format!("`{}` is no list of texts, so it is no key with its words", key.text);
                    self.out.push(key.error(codes::NOTATION_INVALID, message));
                }
                None => {}
            }
        }
        let words = trf.words.iter().map(|word| word.text.clone()).collect();
        TrfTerms { terms, keys, words }
    }

    fn gtp_terms(&mut self, gtp: &GtpDraft, drafts: &[Draft]) -> GtpTerms {
        let terms = self.params_by_name(&gtp.terms);
        let handicap = gtp.handicap.as_ref();
        let handicap = handicap.filter(|name| self.param_of(name).is_some()).map(|name| name.text.clone());
        let score = gtp.score.as_ref().and_then(|name| self.answered(name, 1, drafts));
        let between = gtp.between.as_ref().and_then(|name| self.answered(name, 0, drafts));
        let options = gtp.options.iter().filter_map(|option| self.option(option)).collect();
        let named = gtp.named.as_ref().map(|named| named.text.clone()).unwrap_or_default();
        GtpTerms { terms, handicap, score, between, named, options }
    }

    /// A definition that can be asked for, with so many arguments and perhaps a set of sites.
    fn answered(&mut self, name: &Loc, arguments: usize, drafts: &[Draft]) -> Option<String> {
        let define = self.defines.iter().find(|define| define.head.name.text == name.text);
        let Some(define) = define else {
            let message = format!("there is no definition `{}`", name.text);
            let known = self.defines.iter().map(|define| define.head.name.text.as_str());
            let fault = suggest(name.error(codes::NAME_UNKNOWN, message), &name.text, known);
            self.out.push(fault);
            return None;
        };
        let has = define.head.parameters.len();
        if !(arguments..=arguments + 1).contains(&has) {
            let message = format!(
                "`{}` has {has} parameters; here {arguments} or {} are wanted, the last one being a set of sites",
                name.text,
                arguments + 1
            );
            self.out.push(name.error(codes::TYPE_ARITY, message));
            return None;
        }
        if !drafts.iter().flat_map(|draft| &draft.answers).any(|answer| answer.text == name.text) {
            let message = format!("`{}` is not among the `answers`, so nobody can ask for it", name.text);
            self.out.push(name.error(codes::NOTATION_INVALID, message));
            return None;
        }
        Some(name.text.clone())
    }

    fn option(&mut self, option: &OptionDraft) -> Option<OptionTerms> {
        let ty = self.param_of(&option.sets)?;
        let mut words = Vec::new();
        for (word, value) in &option.words {
            let fits = match &ty {
                Type::Number(_) => Number::parse(&value.text).is_some(),
                Type::Truth => matches!(value.text.as_str(), "true" | "false"),
                Type::Player => self.rules.player(&value.text).is_some(),
                Type::Text => !value.text.contains('\''),
                _ => false,
            };
            if fits {
                words.push((word.text.clone(), value.text.clone()));
            } else {
                let message = format!("`{}` is no value of `{}`", value.text, option.sets.text);
                self.out.push(value.error(codes::NOTATION_INVALID, message));
            }
        }
        Some(OptionTerms { name: option.name.text.clone(), param: option.sets.text.clone(), words })
    }
}
