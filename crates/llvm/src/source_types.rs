//! Types of the source, as debug information has them.

use crate::ffi::Metadata;

// DWARF's numbers for kinds of types.
pub(crate) const ARRAY: u16 = 0x01;
pub(crate) const CLASS: u16 = 0x02;
pub(crate) const MEMBER: u16 = 0x0d;
const POINTER: u16 = 0x0f;
pub(crate) const STRUCT: u16 = 0x13;
const TYPEDEF: u16 = 0x16;
pub(crate) const UNION: u16 = 0x17;
pub(crate) const INHERITANCE: u16 = 0x1c;
/// Pointers, and references of both kinds.
pub(crate) const ADDRESSES: [u16; 3] = [POINTER, 0x10, 0x42];
/// Typedef, const, volatile, restrict, `_Atomic`: what stands for another type.
const TRANSPARENT: &[u16] = &[TYPEDEF, 0x26, 0x35, 0x37, 0x47];

/// A type behind more typedefs and qualifiers than this gets no name.
const MOST_TYPEDEFS: usize = 100;

/// The type, and the types that it stands for, one behind the other, without the last. (In a file that is made up, these
/// may go round in circles.)
fn names_of(ty: Metadata<'_>) -> impl Iterator<Item = Metadata<'_>> {
    let is_name = |ty: &Metadata<'_>| TRANSPARENT.contains(&ty.tag());
    std::iter::successors(Some(ty), |ty| ty.base_type()).take(MOST_TYPEDEFS).take_while(is_name)
}

/// The type behind typedefs and qualifiers.
pub(crate) fn strip(ty: Metadata<'_>) -> Option<Metadata<'_>> {
    let behind = names_of(ty).last().map_or(Some(ty), Metadata::base_type);
    behind.filter(|ty| !TRANSPARENT.contains(&ty.tag()))
}

/// The name that the source has for a struct, a class or a union: that of a typedef or its own.
pub(crate) fn record_name(ty: Metadata<'_>) -> Option<String> {
    let record = strip(ty).filter(|ty| matches!(ty.tag(), STRUCT | CLASS | UNION))?;
    let name = names_of(ty).find(|ty| ty.tag() == TYPEDEF).and_then(Metadata::type_name);
    name.or_else(|| record.type_name()).map(shortened)
}

/// Longer arguments of a template are left out of names.
const LONGEST: usize = 24;

/// The name of a type, with short arguments or none: `_State_impl<…>`.
fn shortened(name: String) -> String {
    match name.split_once('<') {
        Some((template, arguments)) if arguments.len() > LONGEST => format!("{template}<…>"),
        _ => name,
    }
}

/// The type that a pointer points to.
pub(crate) fn pointee(ty: Metadata<'_>) -> Option<Metadata<'_>> {
    strip(ty).filter(|ty| ty.tag() == POINTER).and_then(Metadata::base_type)
}
