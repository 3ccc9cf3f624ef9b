//! Which build of Threadbare this is.
//!
//! Linkers note a digest of the whole file near its beginning (`--build-id`): reading that takes no time, whereas a digest of
//! the file takes more than the rest of a short command. A file without one is read as a whole.

use crate::compiler::MYSELF;
use md5::{Digest, Md5};
use std::fs::File;
use std::io::{self, Read};

/// The linker's note is within so many bytes of the beginning.
const BEGINNING: u64 = 4096;
/// How that note begins: a name of four bytes, a digest of twenty, a note of type 3, of the owner `GNU`.
const NOTE: &[u8] = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0";

/// A number of this build: another one has another.
pub(crate) fn build_id() -> u32 {
    let bytes = identifying(MYSELF).unwrap_or_default();
    let digest = Md5::digest(&bytes);
    u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]])
}

/// Bytes that two builds do not have in common.
fn identifying(file: &str) -> io::Result<Vec<u8>> {
    let mut file = File::open(file)?;
    let mut bytes = Vec::new();
    file.by_ref().take(BEGINNING).read_to_end(&mut bytes)?;
    if !bytes.windows(NOTE.len()).any(|window| window == NOTE) {
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(bytes).expect("it is written");
        file
    }

    fn count(bytes: &[u8]) -> usize {
        identifying(file(bytes).path().to_str().expect("a name")).expect("it is read").len()
    }

    #[test]
    fn a_file_is_read_as_a_whole_unless_it_begins_with_the_note_of_a_linker() {
        let long = vec![7; 10_000];
        assert_eq!(count(&long), 10_000);
        assert_eq!(count(&[b"ELF", NOTE, &long].concat()), 4096);
        assert_eq!(count(&[&long, NOTE].concat()), 10_000 + NOTE.len());
    }
}
