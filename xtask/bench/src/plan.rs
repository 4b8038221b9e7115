//! What is measured: the positions, the peers of each, and the bars.
//!
//! Invariant: a bar is the least ratio of our pace to that of the peer; it stands here and nowhere else.

/// How leaves are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The last plies are counted and not made.
    Bulk,
    /// Every position that is counted is made.
    Making,
}

impl Mode {
    /// The word for it on command lines and in rows.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bulk => "bulk",
            Self::Making => "leaves made",
        }
    }
}

/// A program that we are measured against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    /// cozy-chess, in this process.
    Cozy,
    /// shakmaty, a program of its own.
    Shakmaty,
    /// Fairy-Stockfish, a program of its own.
    Fairy,
}

impl Peer {
    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cozy => "cozy-chess",
            Self::Shakmaty => "shakmaty",
            Self::Fairy => "fairy-stockfish",
        }
    }
}

/// A count that several sides make.
pub(crate) struct Count {
    /// The name of the position.
    pub(crate) name: &'static str,
    /// Our rule set.
    pub(crate) rules: &'static str,
    /// What the peers call the game.
    pub(crate) variant: &'static str,
    /// The position, as the peers write it.
    pub(crate) fen: &'static str,
    /// The position, as our rule set writes it.
    pub(crate) position: &'static str,
    /// How deep, where our side is not too slow for it.
    pub(crate) depth: u32,
    /// How leaves are counted.
    pub(crate) mode: Mode,
    /// Whether the module that the rule set became counts, and not the machine.
    pub(crate) generated: bool,
    /// The peers with their bars.
    pub(crate) peers: &'static [(Peer, f64)],
}

const POSITIONS: &[(&str, &str, u32)] = &[
    ("chess start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 6),
    ("chess kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 5),
    ("chess position 4", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 5),
    ("chess position 5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 5),
];

const VARIANTS: &[(&str, &str, &str)] = &[
    ("crazyhouse", "variants/crazyhouse", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1"),
    ("atomic", "variants/atomic", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    ("antichess", "variants/antichess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"),
    ("racingkings", "variants/racingkings", "8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w - - 0 1"),
    ("horde", "variants/horde", "rnbqkbnr/pppppppp/8/1PP2PP1/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP w kq - 0 1"),
];

const OTHERS: &[(&str, &str, &str, u32)] = &[
    (
        "xiangqi",
        "variants/xiangqi",
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
        4,
    ),
    ("shogi", "variants/shogi", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL[] w - - 0 1", 4),
    ("makruk", "variants/makruk", "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1", 4),
    (
        "janggi",
        "variants/janggi",
        "rnba1abnr/4k4/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/4K4/RNBA1ABNR w - - 0 1",
        4,
    ),
];

/// Every count.
pub(crate) fn counts() -> Vec<Count> {
    let mut counts = Vec::new();
    for mode in [Mode::Bulk, Mode::Making] {
        let peers: &[(Peer, f64)] = match mode {
            Mode::Bulk => &[(Peer::Cozy, 1.0), (Peer::Shakmaty, 2.0)],
            Mode::Making => &[(Peer::Cozy, 1.0), (Peer::Shakmaty, 1.2)],
        };
        for &(name, fen, depth) in POSITIONS {
            counts.push(Count {
                name,
                rules: "chess/board",
                variant: "chess",
                fen,
                position: fen,
                depth,
                mode,
                generated: false,
                peers,
            });
        }
        for &(name, fen, depth) in POSITIONS {
            counts.push(Count {
                name,
                rules: "chess/board",
                variant: "chess",
                fen,
                position: fen,
                depth,
                mode,
                generated: true,
                peers: &[(Peer::Cozy, 1.8)],
            });
        }
    }
    let mode = Mode::Bulk;
    for &(name, rules, fen) in VARIANTS {
        let peers = &[(Peer::Shakmaty, 1.2)];
        counts.push(Count {
            name,
            rules,
            variant: name,
            fen,
            position: fen,
            depth: 5,
            mode,
            generated: false,
            peers,
        });
    }
    for &(name, rules, fen, depth) in OTHERS {
        // These rule sets write the board and the turn, and number plies on their own.
        let position = fen.split(" - ").next().unwrap_or(fen);
        counts.push(Count {
            name,
            rules,
            variant: name,
            fen,
            position,
            depth,
            mode,
            generated: false,
            peers: &[(Peer::Fairy, 5.0)],
        });
    }
    counts
}

/// What is of interest and cannot be measured yet, with the reason.
pub(crate) const NOT_MEASURED: &[(&str, &str)] = &[
    ("go counts", "no peer counts sequences of plies of this game"),
];

/// The least ratio of our pace of reading records to that of the peer.
pub(crate) const RECORDS: f64 = 1.0;
/// The same where the clocks of the records are judged too, and the peer skips them.
pub(crate) const CLOCKS: f64 = 0.5;
/// The most time from the rule files of chess to a machine, in milliseconds.
pub(crate) const COMPILE: f64 = 200.0;
/// The most time to load a compiled file, in milliseconds.
pub(crate) const LOAD: f64 = 1.0;
/// The most milliseconds to rank 5,000 entries over nine rounds by ten keys.
pub(crate) const RANKING: f64 = 1000.0;
/// The most bytes of a compiled file.
pub(crate) const SIZE: f64 = 1_500_000.0;
