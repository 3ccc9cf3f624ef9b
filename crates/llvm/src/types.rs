//! Which types registers hold: one register a scalar; integers of more than 64 bits are two scalars.

use crate::ffi::{Bitcode, Type, TypeKind};

/// More scalars than this are an array that somebody loads as one value.
const MOST: usize = 256;

/// A scalar of a type, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Scalar {
    /// Its number of bits, 1 to 64.
    pub(crate) width: u8,
    /// Where it is in memory.
    pub(crate) offset: u64,
    /// How many bytes it takes there, 1 to 8.
    pub(crate) size: u8,
}

/// The scalars of a type; none for `void`. The error says what no register holds.
pub(crate) fn scalars(bitcode: &Bitcode, ty: Type<'_>) -> Result<Vec<Scalar>, String> {
    let mut found = Vec::new();
    collect(bitcode, ty, 0, &mut found)
        .map(|()| found)
        .map_err(|part| format!("a value of type `{}` is not modelled", part.text()))
}

fn collect<'m>(
    bitcode: &Bitcode,
    ty: Type<'m>,
    offset: u64,
    found: &mut Vec<Scalar>,
) -> Result<(), Type<'m>> {
    match ty.kind() {
        TypeKind::Void => {}
        TypeKind::Integer(1..=64) | TypeKind::Float | TypeKind::Double | TypeKind::Pointer => {
            let (width, size) = (bitcode.bits_of(ty) as u8, bitcode.store_size_of(ty) as u8);
            found.push(Scalar { width, offset, size });
        }
        // Two registers: the low 64 bits come first.
        TypeKind::Integer(bits @ 65..=128) => {
            let size = bitcode.store_size_of(ty) as u8;
            found.push(Scalar { width: 64, offset, size: 8 });
            found.push(Scalar { width: (bits - 64) as u8, offset: offset + 8, size: size - 8 });
        }
        TypeKind::Struct => {
            for (index, member) in ty.members().into_iter().enumerate() {
                collect(bitcode, member, offset + bitcode.offset_of(ty, index as u64), found)?;
            }
        }
        TypeKind::Array | TypeKind::Vector if ty.length() as usize <= MOST => {
            for index in 0..ty.length() {
                collect(bitcode, ty.element(), offset + bitcode.offset_of(ty, index), found)?;
            }
        }
        _ => return Err(ty),
    }
    if found.len() > MOST { Err(ty) } else { Ok(()) }
}
