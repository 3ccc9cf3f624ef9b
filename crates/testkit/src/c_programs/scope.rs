//! What idioms choose from: shared variables, orders, small values, fresh names.

use super::Statement;
use base::Rng;

/// The choices of one program.
#[derive(Debug)]
pub(super) struct Scope<'r> {
    /// Where they come from.
    pub(super) rng: &'r mut Rng,
    /// How many shared atomics there are.
    pub(super) atomics: usize,
    /// Whether there are SC accesses.
    pub(super) strong: bool,
    /// Which side of a conversation the thread is on.
    pub(super) side: bool,
    /// How many local names there are already.
    locals: usize,
}

/// Orders of loads, and of failing compare-exchanges.
const LOADS: [&str; 3] = ["RLX", "ACQ", "SC"];
const STORES: [&str; 3] = ["RLX", "REL", "SC"];
const UPDATES: [&str; 5] = ["RLX", "ACQ", "REL", "AR", "SC"];

impl Scope<'_> {
    pub(super) fn new(rng: &mut Rng, atomics: usize, strong: bool) -> Scope<'_> {
        Scope { rng, atomics, strong, side: false, locals: 0 }
    }

    /// A shared atomic, rather one of the first, so that idioms meet.
    pub(super) fn atomic(&mut self) -> String {
        let mut one = || self.rng.below(self.atomics as u64);
        format!("x{}", one().min(one()))
    }

    /// Which side of a conversation this statement is on: mostly its thread's.
    pub(super) fn takes_first_part(&mut self) -> bool {
        self.side != self.rng.percent(20)
    }

    /// A plain variable.
    pub(super) fn plain(&mut self) -> &'static str {
        self.rng.pick(&["d0", "d0", "d1"])
    }

    /// A value that is likely to be met somewhere else.
    pub(super) fn value(&mut self) -> u64 {
        self.rng.pick(&[0, 1, 1, 1, 1, 2, 2])
    }

    /// A name that nobody has.
    pub(super) fn local(&mut self) -> String {
        self.locals += 1;
        format!("v{}", self.locals)
    }

    fn order(&mut self, of: &[&'static str]) -> &'static str {
        let usual = &of[..of.len() - 1];
        if self.strong && self.rng.percent(40) { "SC" } else { self.rng.pick(usual) }
    }

    pub(super) fn load_order(&mut self) -> &'static str {
        self.order(&LOADS)
    }

    pub(super) fn store_order(&mut self) -> &'static str {
        self.order(&STORES)
    }

    pub(super) fn update_order(&mut self) -> &'static str {
        self.order(&UPDATES)
    }

    /// A load of `x`, as an expression.
    pub(super) fn load(&mut self, x: &str) -> String {
        format!("atomic_load_explicit(&{x}, {})", self.load_order())
    }

    /// A store to `x`, as a statement.
    pub(super) fn store(&mut self, x: &str, value: impl std::fmt::Display) -> Statement {
        Statement::line(format!("atomic_store_explicit(&{x}, {value}, {});", self.store_order()))
    }

    /// A call of `atomic_fetch_…` or `atomic_exchange`, as an expression.
    pub(super) fn update(&mut self, operation: &str, x: &str, value: impl std::fmt::Display) -> String {
        format!("atomic_{operation}_explicit(&{x}, {value}, {})", self.update_order())
    }

    /// A compare-exchange of `x`, as an expression; `expected` is a variable.
    pub(super) fn cas(&mut self, x: &str, expected: &str, new: impl std::fmt::Display) -> String {
        let kind = if self.rng.percent(30) { "weak" } else { "strong" };
        self.cas_of(kind, x, expected, new)
    }

    /// The same, of this kind.
    pub(super) fn cas_of(
        &mut self,
        kind: &str,
        x: &str,
        expected: &str,
        new: impl std::fmt::Display,
    ) -> String {
        let (order, failure) = (self.update_order(), self.load_order());
        format!("atomic_compare_exchange_{kind}_explicit(&{x}, &{expected}, {new}, {order}, {failure})")
    }
}
