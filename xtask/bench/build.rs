//! Writes the module that is measured beside the machine.

use std::env;
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let rules = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../rules/chess/board.yaml");
    rulebook_emit::build(rules, env::var("OUT_DIR")?)?;
    Ok(())
}
