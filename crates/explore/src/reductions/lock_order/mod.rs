//! Lock order: up to `rf`, the critical sections of a mutex are explored without their order.
//!
//! A mutex makes its critical sections one chain, so `N` threads that only look something up under one lock have `N!`
//! executions. Here an execution is a *class*: `po`, and `rf` of ordinary locations. Locks and unlocks are events
//! without `rf`; a class is consistent iff some order of the sections of each mutex makes it so (`decide.rs`). The loop
//! is another one (`core/transactional.rs`), because a critical section behaves like one event with many reads and writes:
//! its *transaction* (`transactions.rs`).
//!
//! Implements: the goal of lock-aware partial order reduction \[LAPOR\], by peeling.
//!
//! Argument: as for peeling, with transactions for events; `core/transactional.rs` has the changes. A write can be
//! read by other threads once its transaction has ended, so every prefix consists of whole transactions. Nothing is
//! lost by that as long as no transaction is on a cycle, which `discipline.rs` sees to. What a class leaves open makes no
//! difference to the values that threads read, so none to assertions. Races are decided by the order of sections that
//! every valid order has (`races.rs`).
//!
//! **It only ever verifies.** If a class has a race, a fault, a thread that does not come to its end, or anything that was
//! never compared with brute force, `Assumption::Disciplined` is refuted, and the exploration starts again with mutexes
//! as chains (`waiting.rs`). So violations are found and shown as they would be without this reduction.
//!
//! Relies on:
//! * `Assumption::Disciplined`. Refuted by everything that `core/transactional.rs` and `discipline.rs` do not cover.
//! * `Assumption::Conflicting`: sections that come after each other conflict (`conflicts.rs`). It is refuted in a pass with
//!   chains; only then is something gained, and the next pass leaves their order open.
//! * `Assumption::Commuting`: they commute so often that it pays (`gain.rs`). It is refuted in a pass that leaves the order open;
//!   the next one has chains. Both are about cost alone.
//!
//! Symmetric threads are not exchanged in a pass that leaves the order open (`symmetry.rs`): the two reductions were never
//! shown to be exact together. So there may be more classes than executions with chains, and `gain.rs` decides.
//!
//! No other reduction is on in a pass that leaves the order open. It is off under a global axiom (an SC event of RC11
//! refutes `Disciplined`), where orders do not synchronise, and for programs that reuse memory.
//!
//! Compared by: `tests/programs/lock_order.rs`, brute force on random programs: the same classes, none twice, the same
//! races and deadlocks.
//!
//! Cost: a question of `decide.rs` for each source of a read and each end of a transaction that writes: what reads imply
//! (`implied.rs`), where one mutex protects everything, else O(events · threads) besides. In passes with chains a few comparisons at each
//! unlock (`conflicts.rs`). Nothing for programs without mutexes.

pub(crate) mod accesses;
pub(crate) mod conflicts;
pub(crate) mod decide;
pub(crate) mod discipline;
pub(crate) mod gain;
pub(crate) mod implied;
pub(crate) mod races;
pub(crate) mod transactions;
pub(crate) mod witness;
