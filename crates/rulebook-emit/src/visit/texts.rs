//! What the code that finds plies is put together from, as text with holes.

pub(super) const NODE: &str = "
/// What is known about a position of a player before plies are looked for.
#[allow(dead_code, reason = \"not every rule set asks for all of it\")]
struct Node$me {
    enemy: Set,
    occupied: Set,
    /// The only royal piece.
    royal: u8,
    /// Whether it is attacked.
    attacked: bool,
    /// The sites that matter to it, where they are asked for.
    danger: Set,
    /// Of the sites that it can come to or that its plies ask about those that are attacked, once that is known.
    struck: Option<Set>,";

pub(super) const ROYAL: &str = "
/// Whether a royal piece of a player is attacked.
fn is_royal_attacked_$me(tables: &Tables, position: &Position) -> bool {
    let own = position.owners[$me];
    let enemy = position.owners[$by];
    Sites(position.kinds[$kind] & own)
        .any(|site| attacked_$by(tables, position, site, $kind, own | enemy, enemy, NOBODY))
}";

pub(super) const ALLOWED_HEAD: &str = "
/// Whether a listed ply is allowed: the bans before it, and the royal piece after it.
#[inline(always)]
#[allow(unused_variables, reason = \"not every rule set asks for all of it\")]
fn allowed_$me<W: Way, const FREE: bool>(
    tables: &Tables,
    position: &Position,
    node: &mut $node,
    row: &Row,
) -> bool {";

/// While the royal piece is not attacked, no line to another site goes through it, and what was found out about the
/// sites around it holds before the ply, too.
pub(super) const ASKED: &str = "let royal = if node.royal == NONE {
    EMPTY
} else {
    one(usize::from(node.royal))
};
if node.attacked && row.before & royal != 0 {
    return false;
}
if W::KIND == $kind && royal != 0 && !node.attacked {
    let struck = match node.struck {
        Some(struck) => struck,
        None => threats_$me(tables, node),
    };
    node.struck = Some(struck);
    if row.before & !royal & struck != 0 {
        return false;
    }
    if row.closed && !FREE {
        return true;
    }
} else {";

pub(super) const ALLOWED_MASKED: &str = "if FREE {
    return true;
}
let moves = W::KIND == $kind;
let royal = if moves { row.royal } else { node.royal };
let touched = row.left | row.come;
if node.royal != NONE && row.known && (moves || !has(touched, usize::from(royal))) {
    let occupied = node.occupied & !row.left | row.come;
    let among = node.enemy & !touched;
    return !struck_$by(tables, &node.forces, usize::from(royal), occupied, among);
}
let picked = has(W::PICKED, usize::from(row.to));
let chosen = W::KINDS.first().copied().filter(|_| picked);
let next = W::make_row(tables, position, row, chosen.unwrap_or(NONE));
!is_royal_attacked_$me(tables, &next)";

pub(super) const ALLOWED_TRIED: &str = "if FREE {
    return true;
}
let picked = has(W::PICKED, usize::from(row.to));
let chosen = W::KINDS.first().copied().filter(|_| picked);
let next = W::make_row(tables, position, row, chosen.unwrap_or(NONE));
!is_royal_attacked_$me(tables, &next)";

pub(super) const NODE_FREE_SIMPLE: &str = "let mut node = Node$me {
    enemy,
    occupied,
    royal: NONE,
    attacked: false,
    danger: EMPTY,
    struck: None,
    forces,
};";

pub(super) const NODE_FREE: &str = "let mut node = Node$me {
    enemy,
    occupied,
    royal: NONE,
    attacked: false,
    danger: EMPTY,
    struck: None,
};";

pub(super) const PREPARE_MASKED: &str = "let forces = forces_$by(position);
let royals = position.kinds[$kind] & own;
let royal = first(royals);
let mut mask = BOARD;
let mut pinned = EMPTY;
let mut attackers = EMPTY;
if !FREE && royals != 0 {
    attackers = leapers_$by(&forces, royal);
    let mut block = EMPTY;
    for source in Sites(snipers_$by(&forces, royal)) {
        let between = tables.between[pair(royal, source)];
        let standing = between & occupied;
        if standing == 0 {
            attackers |= one(source);
            block |= between;
        } else if !several(standing) {
            pinned |= standing;
        }
    }
    if attackers != 0 {
        mask = if several(attackers) {
            EMPTY
        } else {
            attackers | block
        };
    }
    pinned &= own;
}
let free = own & !pinned;
let mut node = Node$me {
    enemy,
    occupied,
    royal: if FREE || royals == 0 { NONE } else { royal as u8 },
    attacked: attackers != 0,
    danger: EMPTY,
    struck: None,
    forces,
};";

pub(super) const PREPARE_DANGER: &str = "let royals = position.kinds[$kind] & own;
let known = !FREE && royals != 0;
let royal = first(royals);
let mut node = Node$me {
    enemy,
    occupied,
    royal: if known { royal as u8 } else { NONE },
    attacked: known && attacked_$by(tables, position, royal, $kind, occupied, enemy, NOBODY),
    danger: if known {
        danger_$by(tables, position, royal, enemy)
    } else {
        EMPTY
    },
    struck: None,
};";

pub(super) const REFUGE_MASKED: &str = "
/// Of the targets of the royal piece those where it is not attacked.
#[inline(always)]
fn refuge_$me<const FREE: bool>(
    tables: &Tables,
    _position: &Position,
    node: &mut Node$me,
    _from: usize,
    targets: Set,
) -> Set {
    if FREE || targets == 0 {
        return targets;
    }
    let struck = match node.struck {
        Some(struck) => struck,
        None => threats_$me(tables, node),
    };
    node.struck = Some(struck);
    targets & !struck
}";

pub(super) const REFUGE_DANGER: &str = "
/// Of the targets of the royal piece those where it is not attacked.
fn refuge_$me<const FREE: bool>(
    tables: &Tables,
    position: &Position,
    node: &mut Node$me,
    from: usize,
    targets: Set,
) -> Set {
    if FREE {
        return targets;
    }
    let gone = node.occupied & !one(from);
    let mut kept = EMPTY;
    for to in Sites(targets) {
        let come = one(to);
        let among = node.enemy & !come;
        if !attacked_$by(tables, position, to, $kind, gone | come, among, (to, $kind)) {
            kept |= come;
        }
    }
    kept
}

/// Of the targets of another piece those after which the royal piece is not attacked.
fn safe_$me<const FREE: bool>(
    tables: &Tables,
    position: &Position,
    node: &Node$me,
    kind: u8,
    from: usize,
    targets: Set,
) -> Set {
    if FREE || node.royal == NONE {
        return targets;
    }
    let (mut kept, tried) = match (node.attacked, has(node.danger, from)) {
        (_, true) => (EMPTY, targets),
        (true, _) => (EMPTY, targets & node.danger),
        _ => (targets & !node.danger, targets & node.danger),
    };
    let gone = node.occupied & !one(from);
    let royal = usize::from(node.royal);
    for to in Sites(tried) {
        let come = one(to);
        let among = node.enemy & !come;
        if !attacked_$by(tables, position, royal, $kind, gone | come, among, (to, kind)) {
            kept |= come;
        }
    }
    kept
}";

pub(super) const SPARED: &str = "
/// Whether no royal piece is attacked after a movement.
#[allow(dead_code, reason = \"not every rule set asks\")]
fn spared_$me<W: Way>(tables: &Tables, position: &Position, from: usize, to: usize) -> bool {
    let chosen = W::KINDS.first().copied().filter(|_| has(W::PICKED, to));
    let next = made::<W>(tables, position, from, to, chosen.unwrap_or(NONE));
    !is_royal_attacked_$me(tables, &next)
}";

pub(super) const QUIET_SIMPLE: &str = "
/// Whether a site is not attacked before a ply.
#[allow(dead_code, reason = \"not every rule set asks\")]
fn quiet_$me(tables: &Tables, _position: &Position, node: &$node, site: usize) -> bool {
    if site >= SITES {
        return true;
    }
    if site == usize::from(node.royal) {
        return !node.attacked;
    }
    !struck_$by(tables, &node.forces, site, node.occupied, node.enemy & !one(site))
}";

pub(super) const QUIET: &str = "
/// Whether a site is not attacked before a ply.
#[allow(dead_code, reason = \"not every rule set asks\")]
fn quiet_$me(tables: &Tables, position: &Position, node: &$node, site: usize) -> bool {
    if site >= SITES {
        return true;
    }
    let own = has(node.occupied & !node.enemy, site);
    let victim = if own { position.kind(site) } else { 127 };
    let among = node.enemy & !one(site);
    !attacked_$by(tables, position, site, victim, node.occupied, among, NOBODY)
}";
