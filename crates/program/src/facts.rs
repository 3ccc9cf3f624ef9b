//! Facts: the knowledge of a front end about the whole program.

/// Facts about all threads and all executions of a program, as it is refined now.
///
/// The default claims nothing: without a fact it costs more to explore, and nothing else changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Some read-modify-write may have [`Role::Undoes`](crate::Role::Undoes). If not, roles are not asked for.
    pub may_undo: bool,
    /// The rounds that executions are left without.
    pub left_out: LeftOutRounds,
    /// A thread may do something else than another one that was created for the same function and argument and is told
    /// the same: because it knows its own name, or addresses of its own.
    pub tells_threads_apart: bool,
    /// A thread that may do so says it before, by publishing nothing.
    pub announces_it: bool,
    /// `main` may create a thread after it has joined one.
    pub creates_after_join: bool,
    /// There are atomic sections. If not, sections are not asked for.
    pub has_sections: bool,
    /// Threads may look at clocks. If not, [`Hint::clocks`](crate::Hint::clocks) is not asked for.
    pub looks_at_clocks: bool,
}

impl Default for Facts {
    fn default() -> Facts {
        Facts {
            may_undo: false,
            left_out: LeftOutRounds::None,
            tells_threads_apart: true,
            announces_it: false,
            creates_after_join: true,
            has_sections: false,
            looks_at_clocks: false,
        }
    }
}

/// Rounds of loops that are run once and then block their thread, because they have changed nothing. A race of such a
/// round with an access that comes about only through the thread's events after the loop may be missed, unless a round
/// is kept ([`crate::Refinements::kept`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LeftOutRounds {
    /// There are none.
    None,
    /// They make no plain reads.
    Atomic,
    /// They may read plainly.
    Plain,
}
