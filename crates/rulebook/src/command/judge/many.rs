//! The games of a record in PGN, each in one line, on as many threads as there are cores.
//!
//! Law: what is told, and its order, is what one thread would tell. A text is cut where games seem to begin; a piece
//! counts only if the one before it ends exactly where it begins, and is read again from there otherwise.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use rulebook::Engine;
use rulebook::notation::pgn::Games;
use rulebook::notation::{clocked, pgn};
use rulebook::records::{Next, Reader, Seed};
use rulebook::syntax::Source;

use super::brief::{Line, Report};
use super::{Answer, Arguments, brief, pgn_game};
use crate::command::Given;
use crate::failure::Failure;
use crate::out::Out;

/// How much of a text one thread reads at a time, in bytes.
const PIECE: usize = 256 << 10;

/// What came of a game.
enum Told {
    Line(Line, Answer),
    Failed(Failure),
}

/// A piece of a text: where the game after its last one begins, and what came of its games.
struct Piece {
    end: usize,
    games: Vec<Told>,
}

/// What pieces are judged with.
struct Judge<'a> {
    engine: &'a Engine,
    arguments: &'a Arguments,
    given: &'a Given,
    source: &'a Arc<Source>,
}

impl Judge<'_> {
    /// Judges the games that begin from one offset on and before another one.
    fn piece(&self, reader: &mut Option<Reader<'_>>, from: usize, to: usize) -> Piece {
        let mut games = pgn::games(self.source).from(from);
        let mut told = Vec::new();
        while games.at() < to {
            let next = match reader {
                Some(reader) => reader.next(self.source, &mut games),
                None => games.next().map(Next::from),
            };
            let Some(next) = next else { break };
            told.push(self.tell(next));
        }
        Piece { end: games.at(), games: told }
    }

    fn tell(&self, next: Next) -> Told {
        match next {
            Next::Brief(game) => Told::Line(Line::replayed(self.engine.rules(), &game), brief::answer(&game)),
            Next::Full(game) => match pgn_game(self.engine, self.arguments, self.given, self.source, &game) {
                Ok(judged) => Told::Line(Line::judged(&judged, self.source), judged.answer()),
                Err(failure) => Told::Failed(failure),
            },
            Next::Broken(error) => Told::Failed(Failure::new("the game cannot be read").at(vec![*error])),
        }
    }
}

/// Judges all games of a record in PGN.
pub(super) fn judge(
    engine: &Engine,
    arguments: &Arguments,
    given: &Given,
    source: &Arc<Source>,
    mut report: Report,
    out: &mut Out,
) -> Result<Answer, Failure> {
    let lang = arguments.language.get();
    let controls = |control: &str| {
        let clock = (clocked::CLOCK.to_owned(), control.to_owned());
        let given: Vec<(String, String)> = given.iter().cloned().chain([clock]).collect();
        crate::command::engine(&arguments.file, &given).ok().map(|engine| Arc::clone(engine.rules()))
    };
    // What the caller says goes before what the record says.
    let is_given = given.iter().any(|(name, _)| name == clocked::CLOCK);
    let reader = Reader::new(Arc::clone(engine.rules()))
        .map(|reader| if is_given { reader } else { reader.with_controls(Arc::new(controls)) });
    let mut starts = vec![0];
    starts.extend(Games::seams(source, PIECE));
    let judge = Judge { engine, arguments, given, source };
    let mut answer = None;
    let mut take = |piece: Piece| {
        for told in piece.games {
            let this = match told {
                Told::Line(line, this) => {
                    report.line(engine.rules(), line, lang, out);
                    this
                }
                Told::Failed(failure) => {
                    report.failed(failure, out);
                    Answer::Bad
                }
            };
            answer = answer.max(Some(this));
        }
        piece.end
    };
    let seed = reader.as_ref().map(Reader::seed);
    in_order(&judge, (reader, seed), &starts, &mut take);
    let answer = answer.ok_or_else(|| Failure::new(format!("there is no game in `{}`", arguments.game)))?;
    if out.is_json() {
        out.document(&report);
    }
    Ok(answer)
}

/// Judges pieces on some threads and takes them in their order; each take says where the next game begins.
fn in_order(
    judge: &Judge<'_>,
    (mut reader, seed): (Option<Reader<'_>>, Option<Seed<'_>>),
    starts: &[usize],
    take: &mut dyn FnMut(Piece) -> usize,
) {
    let end = |piece: usize| starts.get(piece + 1).copied().unwrap_or(judge.source.text.len());
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from).min(starts.len());
    let (send, receive) = mpsc::channel();
    let work = &|send: mpsc::Sender<(usize, Piece)>| {
        let mut reader = seed.clone().and_then(Seed::reader);
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(start) = starts.get(at) else { break };
            // Nobody listens any more only where the program is about to end.
            if send.send((at, judge.piece(&mut reader, *start, end(at)))).is_err() {
                break;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads {
            let send = send.clone();
            scope.spawn(move || work(send));
        }
        drop(send);
        let mut early = BTreeMap::new();
        let mut expected = 0;
        for (at, start) in starts.iter().enumerate() {
            while !early.contains_key(&at) {
                let Ok((at, piece)) = receive.recv() else { return };
                early.insert(at, piece);
            }
            let Some(piece) = early.remove(&at) else { return };
            expected =
                take(if *start == expected { piece } else { judge.piece(&mut reader, expected, end(at)) });
        }
    });
}
