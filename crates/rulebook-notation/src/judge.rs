//! What this crate asks of an engine.
//!
//! Invariant: an engine answers about the state it is given and changes nothing; two engines of the same rule
//! set give the same answers.

use std::sync::Arc;

use rulebook_model::Value;
use rulebook_model::ruleset::{ActText, RuleSet};
use rulebook_reference::{Act, Engine, Listed, Outcomes, Person, Plies, Ranked, State, Verdict};

/// An engine with its rule set.
#[expect(clippy::missing_errors_doc, reason = "each gives a fault of the rule set in this situation")]
pub trait Judge: Send + Sync {
    /// The rule set.
    fn rules(&self) -> &Arc<RuleSet>;
    /// The first state.
    fn first(&self) -> State;
    /// Every ply that clauses grant in a state, legal or forbidden.
    fn plies(&self, state: &State) -> Outcomes<Plies>;
    /// Judges a ply that is meant by a test on acts; `grants` are the clauses that could grant such an act.
    fn judge(&self, state: &State, meant: &dyn Fn(&Act) -> bool, grants: &[u16]) -> Outcomes<Verdict>;
    /// Judges an event that is not a ply, with what it comes with.
    fn event(&self, state: &State, event: u16, with: &[Value], person: Person) -> Outcomes<Verdict>;
    /// Looks whether the game has ended, and writes it into the state.
    fn settle(&self, state: &mut State) -> Outcomes<()>;
    /// Counts sequences of plies.
    fn perft(&self, state: &State, depth: u32) -> Outcomes<u64>;
    /// Counts the games that can be played from here to an end.
    fn games(&self, state: &State) -> Outcomes<u64> {
        if state.ended.is_some() {
            return Ok(1);
        }
        let mut count = 0;
        for ply in self.plies(state)?.legal {
            let mut next = ply.next;
            self.settle(&mut next)?;
            count += self.games(&next)?;
        }
        Ok(count)
    }
    /// The value of a definition for some arguments; `None` when it is used nowhere with such arguments.
    fn define(&self, state: &State, name: &str, arguments: Vec<Value>) -> Outcomes<Option<Value>>;
    /// Whether the condition of a text of the notation section holds for an act.
    fn text_holds(&self, state: &State, text: &ActText, act: Option<&Act>) -> Outcomes<bool>;
    /// The clauses on whose turn it is.
    fn turn_clauses(&self) -> Vec<u16>;
    /// Ranks the entries of the first table: groups of entries that share a place, best first.
    fn rank(&self, state: &State) -> Outcomes<Vec<Vec<Ranked>>>;
    /// The rows of a list that the rule set makes.
    fn list(&self, state: &State, name: &str) -> Outcomes<Option<Listed>>;
}

impl Judge for Engine {
    fn rules(&self) -> &Arc<RuleSet> {
        self.rules()
    }
    fn first(&self) -> State {
        self.first()
    }
    fn plies(&self, state: &State) -> Outcomes<Plies> {
        self.plies(state)
    }
    fn judge(&self, state: &State, meant: &dyn Fn(&Act) -> bool, grants: &[u16]) -> Outcomes<Verdict> {
        self.judge(state, meant, grants)
    }
    fn event(&self, state: &State, event: u16, with: &[Value], person: Person) -> Outcomes<Verdict> {
        self.event(state, event, with, person)
    }
    fn settle(&self, state: &mut State) -> Outcomes<()> {
        self.settle(state)
    }
    fn perft(&self, state: &State, depth: u32) -> Outcomes<u64> {
        self.perft(state, depth)
    }
    fn define(&self, state: &State, name: &str, arguments: Vec<Value>) -> Outcomes<Option<Value>> {
        self.define(state, name, arguments)
    }
    fn text_holds(&self, state: &State, text: &ActText, act: Option<&Act>) -> Outcomes<bool> {
        text.when.as_ref().map_or(Ok(true), |when| self.holds_for(state, when, act))
    }
    fn turn_clauses(&self) -> Vec<u16> {
        self.turn_clauses()
    }
    fn rank(&self, state: &State) -> Outcomes<Vec<Vec<Ranked>>> {
        self.rank(state)
    }
    fn list(&self, state: &State, name: &str) -> Outcomes<Option<Listed>> {
        self.list(state, name)
    }
}
