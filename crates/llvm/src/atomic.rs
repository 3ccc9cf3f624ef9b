//! Functions that are atomic sections: `__VERIFIER_atomic_*`, as SV-COMP has them.
//!
//! Each begins with a call of [`ENTER`] and has a call of [`LEAVE`] before each return. They are put there before anything is
//! inlined, so that the section stays where the function goes. A function that ends in a `musttail` call has none before that
//! return: a section that does not end is refused when its thread ends, or begins another one.

use crate::ffi::{Bitcode, Opcode, Value};
use std::ffi::CStr;

const ENTER: &CStr = c"__threadbare_atomic_enter";
const LEAVE: &CStr = c"__threadbare_atomic_leave";

/// Mark where such functions begin and end.
pub(crate) fn mark(bitcode: &Bitcode) {
    for function in bitcode.functions().filter(|&function| is_section(function)) {
        let instructions: Vec<Value<'_>> =
            function.blocks().into_iter().flat_map(Value::instructions).collect();
        let place = instructions.iter().copied().find(|i| i.location().is_some());
        let first = instructions.iter().copied().find(|i| !i.is(Opcode::LLVMAlloca) && !i.is_phi());
        bitcode.insert_call_before(ENTER, first.expect("a block has a terminator"), place);
        for (at, &end) in instructions.iter().enumerate().filter(|(_, i)| i.is(Opcode::LLVMRet)) {
            let is_tail = at > 0 && instructions[at - 1].is_must_tail();
            if !is_tail {
                bitcode.insert_call_before(LEAVE, end, Some(end));
            }
        }
    }
}

fn is_section(function: Value<'_>) -> bool {
    let name = function.name();
    let rest = name.strip_prefix("__VERIFIER_atomic_");
    !function.is_declaration() && rest.is_some_and(|rest| rest != "begin" && rest != "end")
}
