//! The explicit stack of the exploration: one frame for each thing that is under way.
//!
//! A frame holds the local variables of a recursive procedure, and its `Stage` is the place at which that would go on
//! when the call it waits for returns.

use base::ThreadId;
use live::EventRef;

/// Something that is under way.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Frame {
    /// An event that left no choice was added: take it out again.
    Only(EventRef),
    /// A thread's step failed: put it back where it was.
    Stopped(ThreadId),
    /// No thread can step: threads from this one on that wait for a mutex sweep as if they had got it.
    Waiting(ThreadId),
    /// A lock has displaced another one: undo.
    Displaced(EventRef),
    /// A number is chosen: the next one.
    Choice { e: EventRef, next: u64, values: u64 },
    /// A read (or read-modify-write) goes through its sources.
    Read(Read),
    /// A write goes through its places.
    Write(Write),
    /// A write revisits the reads outside its prefix.
    Sweep(Sweep),
    /// A read is revisited by a write, which goes through its places.
    Revisit(Revisit),
    // Where the order of sections is open (`transactional.rs`):
    /// A read goes through its sources.
    OpenRead(OpenRead),
    /// A transaction ends.
    Commit(Commit),
    /// The end of a transaction revisits the reads outside its prefix.
    OpenSweep(OpenSweep),
    /// A read is revisited by the writes of a transaction.
    OpenRevisit(OpenRevisit),
}

/// `r` reads from `u`, or will next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenRead {
    pub(crate) r: EventRef,
    pub(crate) u: EventRef,
    pub(crate) stage: OpenStage,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum OpenStage {
    /// Bind the read to its source.
    Bind,
    /// It was visited: undo.
    Undo,
}

/// `end` ends a transaction with writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Commit {
    pub(crate) end: EventRef,
    pub(crate) stage: CommitStage,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum CommitStage {
    /// It has swept: its writes get their places.
    Link,
    /// It was visited: undo.
    Undo,
}

/// The sweep of `end`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenSweep {
    pub(crate) end: EventRef,
    /// How many events were peeled when the sweep began.
    pub(crate) base: u32,
    /// The event that was just revisited and is to be peeled now, or `NONE`.
    pub(crate) revisited: EventRef,
}

/// `w`, of the transaction of `end`, revisits `r`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenRevisit {
    pub(crate) r: EventRef,
    pub(crate) end: EventRef,
    pub(crate) w: EventRef,
    pub(crate) stage: OpenStage,
}

/// `r` reads from `u`, or will next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    pub(crate) r: EventRef,
    /// The source.
    pub(crate) u: EventRef,
    /// Another read-modify-write that reads from `u`, or `NONE`.
    pub(crate) clash: EventRef,
    /// The smallest stamp among the writes co-after `clash`.
    pub(crate) oldest: u32,
    pub(crate) stage: ReadStage,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum ReadStage {
    /// Bind `r` to `u`.
    Bind,
    /// `r` is bound and writes, and has swept: give it a place and visit.
    Place,
    /// `r` was visited, with a place in co or without: undo.
    Undo { placed: bool },
}

/// `w` is placed after `p`, or will be next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Write {
    pub(crate) w: EventRef,
    pub(crate) p: EventRef,
    pub(crate) stage: WriteStage,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum WriteStage {
    /// Put `w` after `p`.
    Place,
    /// It was visited there: take it out of co.
    Undo,
}

/// The sweep of `w`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sweep {
    pub(crate) w: EventRef,
    /// A read-modify-write that must be peeled before anything else is revisited, or `NONE`.
    pub(crate) clash: EventRef,
    /// How many events were peeled when the sweep began.
    pub(crate) base: u32,
    /// The event that was just revisited and is to be peeled now, or `NONE`.
    pub(crate) revisited: EventRef,
}

/// `w`, placed after `p`, revisits `r`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Revisit {
    pub(crate) r: EventRef,
    pub(crate) w: EventRef,
    pub(crate) p: EventRef,
    pub(crate) stage: RevisitStage,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum RevisitStage {
    /// Put `w` after `p` and let `r` read from it.
    Take,
    /// `r` writes and has swept: put it after `w` and visit.
    Place,
    /// It was visited, and `r` wrote or did not: undo.
    Undo { writes: bool },
}
