//! `cargo xtask bench`: builds the bench and the peers that stand apart, and measures.
//!
//! The bench is a workspace of its own, and so is each peer whose licence is not ours; here they are only built and
//! started. Invariant: a peer that cannot be built is named and left out, and no number is made up for it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::Outcome;

/// What to measure, and where the answers go.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Measure only the rows whose name matches this pattern.
    #[arg(long, value_name = "GLOB")]
    filter: Option<String>,
    /// Write the rows as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write `docs/benchmarks.md`.
    #[arg(long)]
    save: bool,
}

/// Builds and measures.
pub(crate) fn run(args: &Args) -> Outcome {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").ok_or("run this as `cargo xtask bench`")?;
    let here = Path::new(&manifest);
    let root = here.parent().ok_or("the workspace has no root folder")?;
    let folder = here.join("bench");
    let bench = build(&folder, "rulebook-bench", &[]).or_else(|error| {
        eprintln!("skipped: cozy-chess, because the bench cannot be built with it: {error}");
        build(&folder, "rulebook-bench", &["--no-default-features"])
    })?;
    let mut command = Command::new(bench);
    command.arg("--root").arg(root);
    match build(&folder.join("peers/shakmaty"), "peer-shakmaty", &[]) {
        Ok(program) => {
            command.arg("--shakmaty").arg(program);
        }
        Err(error) => eprintln!("skipped: shakmaty, because it cannot be built: {error}"),
    }
    if let Some(pattern) = &args.filter {
        command.arg("--filter").arg(pattern);
    }
    if let Some(path) = &args.json {
        command.arg("--json").arg(path);
    }
    if args.save {
        command.arg("--save");
    }
    let status = command.status().map_err(|error| format!("the bench cannot be started: {error}"))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Builds the program of a folder for the processor of this machine, and says where it is.
fn build(folder: &Path, name: &str, features: &[&str]) -> Result<PathBuf, String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = folder.join("target");
    let status = Command::new(cargo)
        .args(["build", "--release", "--quiet", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .args(features)
        .env("RUSTFLAGS", "-C target-cpu=native")
        .status()
        .map_err(|error| format!("cargo cannot be started: {error}"))?;
    if !status.success() {
        return Err(format!("cargo ends with {status}"));
    }
    Ok(target.join("release").join(format!("{name}{}", env::consts::EXE_SUFFIX)))
}
