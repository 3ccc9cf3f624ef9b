//! Functions that come to their end without a `return`.
//!
//! That is no error in C unless the caller uses the result. Clang keeps what a function returns in a variable of its own,
//! `retval`, if there is more than one way out, and loads it at the end, whether or not it was written. That load is not
//! one of the program: whether a value is missing is decided where the function returns (`Builtin::Returned`), or, if the
//! function was inlined, by whether anybody uses what was loaded. The name tells it from a variable of the program:
//! clang makes it first, so another variable of that name is called `retval1`.

use crate::ffi::{Opcode, Type, TypeKind, Value};

/// Whether the load only fetches the result of its function.
pub(crate) fn is_load_of_result(load: Value<'_>) -> bool {
    result_variable(load).is_some_and(|name| name == "retval") && is_returned(load)
}

/// Whether the load only hands over an object of a class in registers, as a result or as an argument.
///
/// It reads whole words, also members that have no value, as an empty `std::optional` has one: those are 0 then, which is no
/// access of the program. Clang looks at the object as a struct without a name, or makes a copy whose name says so: no access of
/// the program does. (In C a function may come to its end without a result, which is told apart from that by
/// [`is_load_of_result`]; in C++ it may not.)
pub(crate) fn is_load_of_object(load: Value<'_>) -> bool {
    let (address, variable) = (load.operand(0), loaded_variable(load));
    let is_nameless = |ty: Type<'_>| ty.kind() == TypeKind::Struct && ty.text().starts_with('{');
    let is_words = is_nameless(load.ty())
        || address.is(Opcode::LLVMGetElementPtr) && is_nameless(address.indexed_type())
        || address.name().contains("coerce");
    is_words && variable.is_some_and(|variable| variable.allocated_type().kind() == TypeKind::Struct)
}

/// Whether it is returned, alone or as a member of a struct, and not used otherwise.
fn is_returned(value: Value<'_>) -> bool {
    value.only_user().is_some_and(|user| match user.opcode() {
        Opcode::LLVMInsertValue => is_returned(user),
        opcode => opcode == Opcode::LLVMRet,
    })
}

/// Whether it is the result of a function that was inlined, and is not used.
pub(crate) fn is_load_of_unused_result(load: Value<'_>) -> bool {
    let is_inlined = |name: String| name == "retval" || name.starts_with("retval.i");
    !load.is_used() && result_variable(load).is_some_and(is_inlined)
}

/// The name of the variable that is loaded, or that a member of is.
fn result_variable(load: Value<'_>) -> Option<String> {
    loaded_variable(load).map(Value::name)
}

fn loaded_variable(load: Value<'_>) -> Option<Value<'_>> {
    let mut at = load.operand(0);
    while at.is(Opcode::LLVMGetElementPtr) {
        at = at.operand(0);
    }
    at.is(Opcode::LLVMAlloca).then_some(at)
}
