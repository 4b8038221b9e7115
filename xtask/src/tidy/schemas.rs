//! Every YAML file of `rules/` and `conformance/` against the published schema of its folder.

use std::error::Error;

use jsonschema::Validator;

use super::tree::File;
use super::yaml::{self, Node};
use super::{Finding, Tree};

/// The longest message that is printed whole; longer ones repeat the value that they are about.
const LONGEST: usize = 200;

/// Every rule file matches `rules/schema.json`.
pub(super) fn rules_match_their_schema(tree: &Tree) -> Vec<Finding> {
    folder_matches(tree, "rules/")
}

/// Every file of the corpus, except those broken on purpose, matches `conformance/schema.json`.
pub(super) fn corpus_matches_its_schema(tree: &Tree) -> Vec<Finding> {
    folder_matches(tree, "conformance/")
}

fn folder_matches(tree: &Tree, folder: &str) -> Vec<Finding> {
    let path = format!("{folder}schema.json");
    let validator = match tree.file(&path).map(|file| compile(&file.text)) {
        None => return vec![Finding::new(path, 1, "the schema is missing")],
        Some(Err(error)) => return vec![Finding::new(path, 1, format!("not a usable schema: {error}"))],
        Some(Ok(validator)) => validator,
    };
    tree.yaml(folder).flat_map(|file| file_matches(file, &validator)).collect()
}

fn compile(text: &str) -> Result<Validator, Box<dyn Error>> {
    Ok(jsonschema::draft7::new(&serde_json::from_str(text)?)?)
}

fn file_matches(file: &File, validator: &Validator) -> Vec<Finding> {
    let root = match yaml::parse(&file.text) {
        Ok(root) => root.value,
        Err(error) => {
            let line = error.location().map_or(1, |place| usize::try_from(place.line()).unwrap_or(1));
            let message = error.to_string();
            return vec![Finding::new(&file.path, line, message.lines().next().unwrap_or("not YAML"))];
        }
    };
    breaches(&root, validator).map(|(line, message)| Finding::new(&file.path, line, message)).collect()
}

/// Where a document departs from a schema.
fn breaches(root: &Node, validator: &Validator) -> impl Iterator<Item = (usize, String)> {
    let errors: Vec<(usize, String)> = validator
        .iter_errors(&root.to_json())
        .map(|error| {
            let pointer = error.instance_path().to_string();
            let mut message = error.to_string();
            if message.chars().count() > LONGEST {
                message = error.masked().to_string();
            }
            (
                root.line_at(&pointer),
                if pointer.is_empty() { message } else { format!("{pointer}: {message}") },
            )
        })
        .collect();
    errors.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breach_is_found_on_its_line() {
        let schema = r#"{ "properties": { "players": { "items": { "type": "string" } } } }"#;
        let root = yaml::parse("id: x\nplayers:\n  - white\n  - 2\n").unwrap().value;
        let found: Vec<_> = breaches(&root, &compile(schema).unwrap()).collect();
        assert_eq!(found, [(4, "/players/1: 2 is not of type \"string\"".to_owned())]);
    }
}
