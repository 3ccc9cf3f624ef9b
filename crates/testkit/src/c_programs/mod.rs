//! Random C programs that wait, retry, undo, publish and free: the food of the metamorphic campaign.
//!
//! A program is a value ([`CProgram`]): threads of statements, which [`CProgram::text`] writes as C and [`shrink`] makes smaller.
//! Idioms are mixed freely over few shared variables, each family in a file of its own, so that they disturb each other:
//! a store amid additions that are undone, a free of what a failed round has read. Races and deadlocks happen.
//!
//! Each thread records in `r` what it saw. The *outcome* of an execution is what all threads have recorded and what the
//! shared atomics hold in the end, packed into one number that the entry function returns. There is an entry
//! function for each order in which the threads can be created: `entry_0`, `entry_1`, …; `main` calls the first. If
//! `complement` is n + 1, an outcome that is not among the first n of `allowed` fails an assertion: the harness writes
//! both into the compiled program.
//!
//! | file | what it knows |
//! |---|---|
//! | `statement`, `text` | statements as lines of C; a program as C |
//! | `random`, `scope`, `shrink` | from a seed to a program; what idioms choose from; the smallest program that still fails |
//! | `accesses`, `flags`, `loops` | single accesses and fences; flags; loops that wait |
//! | `cas_loops`, `undone`, `seqlocks` | compare-exchange loops; additions that are undone; double reads |
//! | `locks`, `conditions`, `waits` | mutexes and locks of one word; condition variables; semaphores, barriers and the rest |
//! | `lists`, `references` | a stack of nodes; reference counts, and nodes that failed rounds have read |

mod accesses;
mod cas_loops;
mod conditions;
mod flags;
mod lists;
mod locks;
mod loops;
mod random;
mod references;
mod scope;
mod seqlocks;
mod shrink;
mod statement;
mod text;
mod undone;
mod waits;

pub use random::random_c_program;
pub use shrink::shrink;
pub use statement::Statement;
pub use text::ALLOWED;

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CProgram {
    /// The initial values of the shared atomics `x0`, `x1`, ….
    pub initial: Vec<u64>,
    /// The initial value of the semaphore.
    pub permits: u64,
    /// How many nodes are in the list when the threads start.
    pub nodes: usize,
    /// What the threads do.
    pub threads: Vec<CThread>,
}

/// What one thread does, or several that do the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CThread {
    /// What it does.
    pub statements: Vec<Statement>,
    /// How many threads do it.
    pub copies: usize,
    /// How it tells what it saw.
    pub record: Record,
}

/// How a thread tells what it saw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Record {
    /// By a plain variable of its own. (Several copies: by [`Record::Tally`], for they must not know which one they are.)
    Slot,
    /// By an addition to a variable in common, which counts how often each result is there.
    Tally,
    /// By the value that it returns.
    Return,
}

impl CProgram {
    /// How many threads there are, copies counted.
    pub fn thread_count(&self) -> usize {
        self.threads.iter().map(|thread| thread.copies).sum()
    }
}
