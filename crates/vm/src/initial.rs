//! The globals as they are in a file: of the initial bytes of each, those up to the last that is not 0, and their
//! number.
//!
//! Most large globals are arrays that start as zeros: these take a few bytes of a file.

use crate::address::MAX_BYTES;
use crate::bytecode::Global;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) fn serialize<S: Serializer>(globals: &[Global], to: S) -> Result<S::Ok, S::Error> {
    let sizes: Vec<u64> = globals.iter().map(|global| global.bytes.len() as u64).collect();
    (globals, sizes).serialize(to)
}

/// The bytes without the zeros at their end.
pub(crate) fn without_zeros<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    let len = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    bytes[..len].serialize(to)
}

pub(crate) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<Global>, D::Error> {
    let (mut globals, sizes) = <(Vec<Global>, Vec<u64>)>::deserialize(from)?;
    // Before any room is made: a damaged file may ask for more than there is.
    let total = sizes.iter().try_fold(0, |total: u64, &size| total.checked_add(size));
    if sizes.len() != globals.len() || total.is_none_or(|total| total > MAX_BYTES) {
        return Err(D::Error::custom("sizes of globals"));
    }
    for (global, size) in globals.iter_mut().zip(sizes) {
        if (size as usize) < global.bytes.len() {
            return Err(D::Error::custom("a global that is smaller than its contents"));
        }
        let mut bytes = vec![0; size as usize];
        bytes[..global.bytes.len()].copy_from_slice(&global.bytes);
        global.bytes = bytes;
    }
    Ok(globals)
}
