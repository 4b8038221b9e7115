//! Embeds the rule files of the project, so that a file anywhere can extend them by id.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn collect(dir: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            found.push(path);
        }
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let var = |name: &str| env::var(name).map_err(io::Error::other);
    let root = Path::new(&var("CARGO_MANIFEST_DIR")?).join("../../rules").canonicalize()?;
    println!("cargo::rerun-if-changed={}", root.display());
    let mut found = Vec::new();
    collect(&root, &mut found)?;
    found.sort();
    let mut text = String::from("&[\n");
    for path in found {
        let id = path.strip_prefix(&root).map_err(io::Error::other)?.with_extension("");
        let id = id.to_string_lossy().replace('\\', "/");
        let _ = writeln!(text, "    ({id:?}, include_str!({:?})),", path.display().to_string());
    }
    text.push(']');
    fs::write(Path::new(&var("OUT_DIR")?).join("library.rs"), text)
}
