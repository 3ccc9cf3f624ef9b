//! Writes to bit-fields.
//!
//! Clang loads the unit that the field is in (`bf.load`), clears the field, sets it, and stores the unit. That load is
//! not one of the program: the bits around the field may never have been written. The name tells it from
//! `x = (x & ~7) | 3`, which does read `x`.
//!
//! Not modelled: a bit-field that is read while only its neighbours in the unit were written.

use crate::ffi::{Opcode, Value};

/// Whether the loaded value only goes back to where it came from, around a new bit-field.
pub(crate) fn is_load_of_write(load: Value<'_>) -> bool {
    is_named(load) && stored_back(load).is_some()
}

fn is_named(load: Value<'_>) -> bool {
    load.is(Opcode::LLVMLoad) && load.name().starts_with("bf.load")
}

/// The store at the end of load, and, or, store, each of them used by the next one only. (A field that is cleared may
/// do without the or.)
fn stored_back(load: Value<'_>) -> Option<Value<'_>> {
    let cleared = load.only_user().filter(|user| user.is(Opcode::LLVMAnd))?;
    cleared.operand(1).integer()?;
    let next = cleared.only_user()?;
    let (set, store) = if next.is(Opcode::LLVMOr) { (next, next.only_user()?) } else { (cleared, next) };
    let is_back =
        store.is(Opcode::LLVMStore) && store.operand(0) == set && store.operand(1) == load.operand(0);
    (is_back && store.block() == load.block()).then_some(store)
}
