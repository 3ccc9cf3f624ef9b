//! Several files as one program: bitcode is linked as a linker links object files.
//!
//! Every file of the program is part of it; a member of an archive is, if it defines something that is missing; a stub
//! defines what no other file does.

use crate::CompileError;
use crate::ffi::Bitcode;
use object::read::archive::ArchiveFile;
use std::path::{Path, PathBuf};

/// The bitcode of a file, and its part in the program.
#[derive(Clone, Debug)]
pub struct Piece {
    pub(crate) file: PathBuf,
    pub(crate) bytes: Vec<u8>,
    pub(crate) part: Part,
}

/// When a file is part of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// Always.
    Whole,
    /// Its members are, if they define something that is missing.
    Archive,
    /// Its definitions are, where there are no others.
    Stubs,
}

/// A member of an archive.
struct Member {
    /// `lib.a(queue.o)`
    name: PathBuf,
    bytes: Vec<u8>,
    defines: Vec<String>,
}

/// The program that these files are, which starts with `entry`.
pub(crate) fn link(pieces: &[Piece], entry: &str) -> Result<Bitcode, CompileError> {
    let of = |part| pieces.iter().filter(move |piece| piece.part == part);
    let mut whole = of(Part::Whole);
    let mut program = match whole.next() {
        Some(first) => parse(&first.file, &first.bytes)?,
        // The text of a module without anything.
        None => parse(Path::new(""), b"")?,
    };
    for piece in whole {
        add(&mut program, parse(&piece.file, &piece.bytes)?, &piece.file)?;
    }
    for piece in of(Part::Stubs) {
        let stubs = parse(&piece.file, &piece.bytes)?;
        stubs.weaken_definitions();
        add(&mut program, stubs, &piece.file)?;
    }
    let members: Vec<Vec<Member>> = of(Part::Archive).map(members).collect::<Result<_, _>>()?;
    let mut members: Vec<Member> = members.into_iter().flatten().collect();
    while let Some(next) = first_needed(&program, entry, &members) {
        let member = members.remove(next);
        add(&mut program, parse(&member.name, &member.bytes)?, &member.name)?;
    }
    Ok(program)
}

fn parse(file: &Path, bytes: &[u8]) -> Result<Bitcode, CompileError> {
    Bitcode::parse(file, bytes).map_err(|message| CompileError::NotBitcode { file: file.to_owned(), message })
}

fn add(program: &mut Bitcode, other: Bitcode, file: &Path) -> Result<(), CompileError> {
    program.link(&other).map_err(|message| CompileError::Link { file: file.to_owned(), message })
}

/// The first member that defines something the program lacks.
fn first_needed(program: &Bitcode, entry: &str, members: &[Member]) -> Option<usize> {
    let mut missing = program.missing();
    if !program.defined().iter().any(|name| name == entry) {
        missing.insert(entry.to_owned());
    }
    members.iter().position(|member| member.defines.iter().any(|name| missing.contains(name)))
}

fn members(archive: &Piece) -> Result<Vec<Member>, CompileError> {
    let damaged = |error: object::read::Error| CompileError::NotArchive {
        file: archive.file.clone(),
        message: error.to_string(),
    };
    let parsed = ArchiveFile::parse(archive.bytes.as_slice()).map_err(damaged)?;
    let mut members = Vec::new();
    for member in parsed.members() {
        let member = member.map_err(damaged)?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let name = PathBuf::from(format!("{}({name})", archive.file.display()));
        let bytes = member.data(archive.bytes.as_slice()).map_err(damaged)?.to_vec();
        let defines = parse(&name, &bytes)?.defined();
        members.push(Member { name, bytes, defines });
    }
    Ok(members)
}
