//! Probe.
#![allow(missing_docs, clippy::all)]
use rulebook_machine::position::Small;
fn main() {
    let lib = rulebook_model::library::Library::at("rules");
    let name = std::env::args().nth(1).unwrap_or("chess/board".into());
    let depth: u32 = std::env::args().nth(2).and_then(|d| d.parse().ok()).unwrap_or(4);
    let rules = lib.check(&name, &[]).and_then(|c| c.rules).unwrap();
    let (program, notes) = rulebook_compiler::probe(&rules);
    for n in notes.iter().filter(|n| n.player == Some(0)) {
        println!(
            "{:8} {:?} fast={} {}",
            rules.clauses[n.clause as usize].id,
            n.kind.map(|k| &rules.kinds[k as usize]),
            n.fast,
            n.text
        );
    }
    for lane in &program.lanes {
        println!(
            "acts {:?} royal {:?} other {} turn {} doubles {} attacks {:?}",
            lane.acts,
            lane.royal,
            lane.other_bans,
            lane.passes_turn,
            lane.doubles,
            lane.attacks.as_ref().map(|a| a.len())
        );
    }
    let p = rulebook_machine::probe::start::<Small>(&program);
    for d in 1..=depth {
        for bulk in [true, false] {
            let t = std::time::Instant::now();
            let n = rulebook_machine::probe::perft(&program, &p, d, bulk);
            let s = t.elapsed().as_secs_f64();
            println!("{d} bulk={bulk} {n:?} {:.3}s {:.1} M/s", s, n.unwrap_or(0) as f64 / s / 1e6);
        }
    }
}
