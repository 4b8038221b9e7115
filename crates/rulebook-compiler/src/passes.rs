//! The passes of the compiler, each with a name and a switch.
//!
//! Law of all of them: with any of them on or off, a program gives the same answers.

/// Which passes run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passes {
    /// Movement patterns are turned into relations over sites.
    pub forms: bool,
    /// Rays are looked up line by line.
    pub rays: bool,
    /// Rays beyond one piece are looked up line by line.
    pub screens: bool,
    /// What happens besides a movement becomes a short list of steps.
    pub recipes: bool,
    /// A clause that only narrows a set is skipped while nothing it looks at has changed.
    pub settle: bool,
    /// A ban on leaving a piece attacked becomes a mask for the movements.
    pub legality: bool,
    /// Ways with conditions are looked at site by site.
    pub instances: bool,
    /// What is seen along lines is looked up by multiplication.
    pub lookups: bool,
    /// Conditions and sets become questions: short programs on a stack of sets.
    pub queries: bool,
    /// Acts that put pieces on empty sites are looked for as sets.
    pub drops: bool,
    /// A choice that depends on where a piece comes from and goes to is parted by these.
    pub zones: bool,
    /// Ways of different forms in one pattern are told apart.
    pub splits: bool,
    /// A measure that only asks for captures is looked at before the plies are made.
    pub forced: bool,
    /// Groups of pieces and recorded boards are kept from ply to ply.
    pub surround: bool,
    /// What only events set is taken to be as it was at first.
    pub conduct: bool,
}

impl Passes {
    /// The names of the passes, with a way to switch each.
    pub const NAMES: [&str; 15] = [
        "forms",
        "rays",
        "screens",
        "recipes",
        "settle",
        "legality",
        "instances",
        "lookups",
        "queries",
        "drops",
        "zones",
        "splits",
        "forced",
        "surround",
        "conduct",
    ];

    /// All on.
    pub fn all() -> Self {
        Self {
            forms: true,
            rays: true,
            screens: true,
            recipes: true,
            settle: true,
            legality: true,
            instances: true,
            lookups: true,
            queries: true,
            drops: true,
            zones: true,
            splits: true,
            forced: true,
            surround: true,
            conduct: true,
        }
    }

    /// All off.
    pub fn none() -> Self {
        Self {
            forms: false,
            rays: false,
            screens: false,
            recipes: false,
            settle: false,
            legality: false,
            instances: false,
            lookups: false,
            queries: false,
            drops: false,
            zones: false,
            splits: false,
            forced: false,
            surround: false,
            conduct: false,
        }
    }

    /// All but the named one; `None` if there is no such pass.
    pub fn without(name: &str) -> Option<Self> {
        let mut passes = Self::all();
        let slot = match name {
            "forms" => &mut passes.forms,
            "rays" => &mut passes.rays,
            "screens" => &mut passes.screens,
            "recipes" => &mut passes.recipes,
            "settle" => &mut passes.settle,
            "legality" => &mut passes.legality,
            "instances" => &mut passes.instances,
            "lookups" => &mut passes.lookups,
            "queries" => &mut passes.queries,
            "drops" => &mut passes.drops,
            "zones" => &mut passes.zones,
            "splits" => &mut passes.splits,
            "forced" => &mut passes.forced,
            "surround" => &mut passes.surround,
            "conduct" => &mut passes.conduct,
            _ => return None,
        };
        *slot = false;
        Some(passes)
    }
}
