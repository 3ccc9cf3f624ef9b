//! Roles: the use that threads make of answers.

/// The use that a thread makes of the answer to a read or a read-modify-write.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Role {
    /// Anything.
    #[default]
    Ordinary,
    /// It adds, and forgets the answer.
    Blind,
    /// The same; it makes up for the thread's last write, and then the thread is where it was before that one: the
    /// round of a loop has had no net effect. A round whose effects no thread has observed can be left out of an
    /// execution.
    Undoes,
    /// It adds, and may find that this has failed; then the thread makes up for it ([`Role::Undoes`]).
    Attempts,
}
