//! Whether leaving the order of critical sections open pays: the first classes of a pass are measured, and if a class does not
//! stand for enough executions with chains, `Assumption::Commuting` is refuted.
//!
//! A class stands for as many executions with chains as its sections have valid orders. That number is estimated by one
//! random order: it is built section by section, and the product of the numbers of sections that could have been next is right on
//! average (Knuth, Estimating the Efficiency of Backtrack Programs, Mathematics of Computation 29, 1975). A graph with a stuck
//! transaction stands for none, and so does one with more than 64 sections, which is expensive. What a class costs is counted: a
//! question of `decide.rs` looks at every event, and [`LOOKS`] of these looks cost about as much as adding an event. With chains
//! there are no questions. Chains are explored up to symmetry, classes are not: a class must stand for more executions by the
//! number of ways to exchange symmetric threads.
//!
//! Relies on: nothing. It is about cost, not about what is explored. The decision is a function of the first classes of a pass: it is
//! not cut into parts before (`Explorer::look`), and parts that begin later do not measure.
//!
//! Cost: for each of the first [`MEASURED`] classes as much as a question.

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::ledger::Assumption;
use crate::reductions::lock_order::decide::{Question, Standpoint};
use crate::reductions::lock_order::implied::Implied;
use base::{Rng, ThreadId};
use live::EventRef;
use program::{Hint, Request};

/// So many events that questions look at cost as much as one that is added.
const LOOKS: f64 = 20.0;

/// After so many looks the decision is made, however few classes there were.
const MOST_LOOKS: u64 = 4_000_000;

/// After so many, if there was no class at all.
const MOST_WITHOUT_CLASS: u64 = 10 * MOST_LOOKS;

/// So many graphs are measured.
const MEASURED: u32 = 256;

/// Before so many graphs a program without symmetric threads is small: then there is no decision, and no class more than executions.
const FEW: u32 = 64;

/// The same with symmetric threads, of which chains may have fewer executions than classes.
const FEW_SYMMETRIC: u32 = 4;

/// The measure of a pass.
#[derive(Debug)]
pub(crate) struct Gain {
    /// Whether chains are explored up to symmetry.
    is_symmetric: bool,
    /// The graphs without a next step, and the orders of all of them together.
    graphs: u32,
    orders: f64,
    rng: Rng,
    is_over: bool,
}

impl Default for Gain {
    /// Nothing is measured.
    fn default() -> Gain {
        Gain { is_over: true, ..Gain::new(false) }
    }
}

impl Gain {
    pub(crate) fn new(is_symmetric: bool) -> Gain {
        Gain { is_symmetric, graphs: 0, orders: 0.0, rng: Rng::new(0), is_over: false }
    }

    /// Whether nothing is measured any more.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Do not measure.
    pub(crate) fn skip(&mut self) {
        self.is_over = true;
    }

    /// Whether a decision is made now.
    fn is_due(&self, exchanges: f64, looks: u64) -> bool {
        let few = if exchanges > 1.0 { FEW_SYMMETRIC } else { FEW };
        looks >= MOST_LOOKS || self.graphs >= few && self.graphs.is_power_of_two()
    }
}

impl<P: Hint, C: Shape> Construction<'_, P, C> {
    /// No thread can step: measure the graph, which is a class or has a stuck transaction. So many events were added so far.
    pub(crate) fn measure_gain(&mut self, is_class: bool, added: u64) {
        if self.transactions.gain.is_over {
            return;
        }
        let orders = if is_class { self.estimate_orders() } else { 0.0 };
        let exchanges = if self.transactions.gain.is_symmetric { self.exchanges() } else { 1.0 };
        let looks = self.transactions.looks();
        let cost = 1.0 + looks as f64 / (LOOKS * added as f64);
        let gain = &mut self.transactions.gain;
        gain.graphs += 1;
        gain.orders += orders;
        let is_due = gain.is_due(exchanges, looks);
        gain.is_over = gain.graphs >= MEASURED || looks >= MOST_LOOKS;
        if is_due && gain.orders < cost * exchanges * f64::from(gain.graphs) {
            self.notes.refute(Assumption::Commuting);
        }
    }

    /// End a measure that has taken long.
    pub(crate) fn bound_measure(&mut self) {
        if !self.transactions.gain.is_over && self.transactions.looks() >= MOST_WITHOUT_CLASS {
            self.transactions.gain.is_over = true;
            self.notes.refute(Assumption::Commuting);
        }
    }

    /// About how many orders the sections of the class have.
    fn estimate_orders(&mut self) -> f64 {
        let question = Question::new(&self.graph, &self.transactions, Standpoint::default());
        let Some(mut implied) = Implied::of(&question, &[]) else { return 0.0 };
        drop(question);
        match implied.close() {
            Some(()) => implied.estimate_orders(&mut self.transactions.gain.rng),
            None => unreachable!("a class has an order of its sections"),
        }
    }

    /// In how many ways symmetric threads can be exchanged: those that a thread has created right after each other with the same
    /// function and argument.
    fn exchanges(&self) -> f64 {
        self.graph.thread_ids().map(|thread| self.exchanges_of_children(thread)).product()
    }

    fn exchanges_of_children(&self, thread: ThreadId) -> f64 {
        let creation = |e: EventRef| match &self.before(e).request {
            Request::Create { function, argument } => Some((*function, *argument)),
            _ => None,
        };
        let runs =
            self.graph.po(thread).chunk_by(|&a, &b| creation(a).is_some() && creation(a) == creation(b));
        runs.map(|run| (1..=run.len()).map(|n| n as f64).product::<f64>()).product()
    }
}
