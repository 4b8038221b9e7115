//! Temporary.
#![expect(clippy::print_stdout, reason = "cli")]
use rulebook_reference::Engine;
use std::sync::Arc;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let checked = rulebook_model::library::check_file(std::path::Path::new(&args[1]), &[]).unwrap();
    for d in &checked.diagnostics {
        let l = &d.labels[0];
        println!(
            "{:?} {} {:?} {} {:?}",
            d.severity,
            d.code,
            l.source.line_column(l.span.start),
            d.message,
            d.help
        );
    }
    let Some(rules) = checked.rules else { return };
    println!("identity {:?} fleeting {:?}", rules.identity, rules.fleeting);
    let engine = Engine::new(Arc::new(rules));
    let state = if args.len() > 3 {
        rulebook_notation::position::read_position(engine.rules(), &args[3]).unwrap()
    } else {
        engine.first()
    };
    println!(
        "{}\n{}",
        rulebook_notation::position::picture(engine.rules(), &state),
        rulebook_notation::position::write_position(engine.rules(), &state)
    );
    for d in 1..=args[2].parse::<u32>().unwrap() {
        let t = std::time::Instant::now();
        println!("{d} {:?} {:?}", engine.perft(&state, d), t.elapsed());
    }
}
