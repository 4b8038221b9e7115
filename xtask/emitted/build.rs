//! Writes the modules that are compared, and the list of them.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// Rule sets of every sort: plain ones, such with several royal pieces, screens, wide boards, endings that stop the
/// counting, conditions that become functions, and some that the machine keeps.
const RULES: &[&str] = &[
    "chess/board",
    "chess/laws-2023",
    "chess/chess960",
    "variants/makruk",
    "variants/3check",
    "variants/kingofthehill",
    "variants/horde",
    "variants/losalamos",
    "variants/capablanca",
    "variants/shako",
    "variants/grasshopper",
    "variants/threekings",
    "variants/extinction",
    "games/breakthrough",
    "games/three-musketeers",
    "variants/crazyhouse",
    "variants/xiangqi",
];

fn main() -> Result<(), Box<dyn Error>> {
    let out = env::var("OUT_DIR")?;
    let rules = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../rules");
    let mut text = String::new();
    let mut list = String::new();
    for (at, id) in RULES.iter().enumerate() {
        let path = rulebook_emit::build(rules.join(format!("{id}.yaml")), &out)?;
        let folder = Path::new(&out).join(format!("rules_{at}.rs"));
        // The first one is the example's, too.
        fs::copy(&path, &folder)?;
        writeln!(text, "/// `{id}`.\npub mod rules_{at} {{ include!({folder:?}); }}")?;
        writeln!(text, "face!(rules_{at});")?;
        writeln!(list, "    (rules_{at}::RULES, <rules_{at}::Position as Named>::opens),")?;
    }
    writeln!(text, "/// Every module, by the rule set that it was made of.")?;
    writeln!(text, "pub const ALL: &[(&str, fn() -> Box<dyn Open>)] = &[\n{list}];")?;
    fs::write(Path::new(&out).join("modules.rs"), text)?;
    println!("cargo::rerun-if-changed=build.rs");
    Ok(())
}
