//! The bytecode file: a module with its source map, to be handed to another process, kept, or sent to another machine.
//!
//! | bytes | contents |
//! |---|---|
//! | 20 | `threadbare bytecode` and a newline |
//! | 4 | the version of the format |
//! | 8 | the length of the payload |
//! | 8 | the checksum of the payload |
//! | the rest | the payload: the module in the [postcard](https://postcard.jamesmunns.com/wire-format) encoding |
//!
//! Numbers of the header are little-endian. The checksum is 64-bit FNV-1a: each byte changes it one to one, so that no
//! change of a single byte is missed, and of other damage one case in 2^64. It is no signature: a file whose checksum
//! was made to fit can hold any program. So a module that is read is checked as one from a front end is, and is either
//! refused or a program that the machine can run.
//!
//! The payload follows the declarations in `bytecode`: a change there is another format, and wants another [`VERSION`].

use crate::bytecode::{Function, Module};
use crate::fnv::Fnv;
use crate::machine::BuildError;
use crate::verify;
use std::cmp::Ordering;
use thiserror::Error;

const MAGIC: &[u8; 20] = b"threadbare bytecode\n";
/// The version of the format.
const VERSION: u32 = 4;
const HEADER: usize = MAGIC.len() + 4 + 8 + 8;

/// Why a bytecode file is refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FileError {
    /// It does not start as a bytecode file does.
    #[error(
        "this is no Threadbare bytecode file: give the program itself, or have it compiled to bytecode again"
    )]
    NotBytecode,
    /// It is of another version of the format.
    #[error(
        "the bytecode file has format {0}, and this version of Threadbare reads format {VERSION} only: compile the \
         program again, with this version"
    )]
    OtherVersion(u32),
    /// Its end is missing.
    #[error(
        "the bytecode file is cut short ({found} bytes of {expected}): copy it or compile the program again"
    )]
    Truncated {
        /// How many bytes there are.
        found: u64,
        /// How many there should be, as far as is known.
        expected: u64,
    },
    /// There is something after its end.
    #[error(
        "the bytecode file is too long ({found} bytes instead of {expected}): copy it or compile the program again"
    )]
    Extended {
        /// How many bytes there are.
        found: u64,
        /// How many there should be.
        expected: u64,
    },
    /// The checksum is another.
    #[error("the bytecode file is damaged (its checksum is wrong): copy it or compile the program again")]
    Damaged,
    /// The checksum is right, and it is not the encoding of a module.
    #[error(
        "the bytecode file does not hold a program, although its checksum is right: compile the program again"
    )]
    Undecodable,
    /// It holds a module, which is not well-formed.
    #[error("the bytecode file holds a program that cannot be run ({0}): compile the program again")]
    Malformed(#[source] BuildError),
}

impl Module {
    /// The module as a file.
    ///
    /// # Panics
    /// If it is not as a front end makes it: a file cannot hold the instructions and tables that the passes of the
    /// machine add.
    pub fn to_bytes(&self) -> Vec<u8> {
        assert!(
            self.functions.iter().all(is_as_made),
            "files are for modules before the passes of the machine"
        );
        let header = vec![0; HEADER];
        let mut file = postcard::to_extend(self, header).expect("a module from a front end can be encoded");
        reseal(&mut file);
        file
    }

    /// The module that a file holds. It is well-formed.
    pub fn from_bytes(file: &[u8]) -> Result<Module, FileError> {
        let payload = checked_payload(file)?;
        let (module, rest) = postcard::take_from_bytes(payload).map_err(|_| FileError::Undecodable)?;
        if !rest.is_empty() {
            return Err(FileError::Undecodable);
        }
        verify::check(&module).and_then(|()| verify::check_sites(&module)).map_err(FileError::Malformed)?;
        Ok(module)
    }
}

/// Whether no pass has changed it. (Instructions of passes cannot be encoded at all.)
fn is_as_made(function: &Function) -> bool {
    function.watches.is_empty() && function.roles.is_empty()
}

/// Give a file whose payload has changed the header that belongs to it. For tests: a damaged program must be found
/// without the checksum, too.
///
/// # Panics
/// If it has no room for a header.
pub fn reseal(file: &mut [u8]) {
    let (header, payload) = file.split_at_mut(HEADER);
    let (magic, numbers) = header.split_at_mut(MAGIC.len());
    magic.copy_from_slice(MAGIC);
    numbers[..4].copy_from_slice(&VERSION.to_le_bytes());
    numbers[4..12].copy_from_slice(&(payload.len() as u64).to_le_bytes());
    numbers[12..].copy_from_slice(&Fnv::of(payload).to_le_bytes());
}

/// The payload, of which the header is right.
fn checked_payload(file: &[u8]) -> Result<&[u8], FileError> {
    let magic = &file[..file.len().min(MAGIC.len())];
    if !MAGIC.starts_with(magic) {
        return Err(FileError::NotBytecode);
    }
    let found = file.len() as u64;
    let cut = FileError::Truncated { found, expected: HEADER as u64 };
    let Some((header, payload)) = file.split_at_checked(HEADER) else { return Err(cut) };
    let version = number(header, MAGIC.len(), 4) as u32;
    if version != VERSION {
        return Err(FileError::OtherVersion(version));
    }
    let expected = number(header, MAGIC.len() + 4, 8).saturating_add(HEADER as u64);
    match found.cmp(&expected) {
        Ordering::Less => Err(FileError::Truncated { found, expected }),
        Ordering::Greater => Err(FileError::Extended { found, expected }),
        Ordering::Equal if number(header, MAGIC.len() + 12, 8) != Fnv::of(payload) => Err(FileError::Damaged),
        Ordering::Equal => Ok(payload),
    }
}

/// The number in these bytes.
fn number(bytes: &[u8], at: usize, size: usize) -> u64 {
    crate::contents::value(&bytes[at..at + size])
}
