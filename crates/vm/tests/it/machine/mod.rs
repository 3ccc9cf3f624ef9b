//! The machine from outside: functions assembled by hand, and a driver that answers their requests.

mod calls;
mod driver;
mod library;
mod limits;
mod mutex;
mod private;
mod publish;
mod split;
mod unwind;
