//! From C to bytecode: clang, the bitcode reader, the lowering.
//!
//! [`compile`] runs clang-22 (or reads bitcode), lets LLVM inline and promote local variables and nothing else,
//! copies the module into our bytecode, and drops LLVM. Every access of the source to memory that threads can
//! share is in the bytecode once, with the order it was written with.
//!
//! ```no_run
//! use llvm::{CompileRequest, compile, dump};
//! let compiled = compile(&CompileRequest::new("mp.c"))?;
//! print!("{}{}", compiled.warnings, dump(&compiled.module));
//! # Ok::<(), llvm::CompileError>(())
//! ```
//!
//! This is the one crate that calls foreign code: `ffi` is the wrapper, and holds all of the `unsafe`.
//!
//! | file | what it knows |
//! |---|---|
//! | `clang` | from a source file to bitcode in memory |
//! | `ffi` | LLVM behind safe handles |
//! | `ffi/value`, `ffi/types`, `ffi/debug` | functions, globals, constants, instructions; types and their layout; debug information |
//! | `passes` | the passes of LLVM that run, and those that never may |
//! | `assigned` | local variables that may be read before they are written, or after their life |
//! | `atomic`, `bit_field`, `returned` | functions that are atomic sections; writes to bit-fields; functions without a `return` |
//! | `lower` | from a module of LLVM to bytecode; what is left out, and why |
//! | `lower/body`, `lower/edge` | one function, its blocks and values; phis and loops on edges |
//! | `lower/instruction`, `lower/access` | instructions that compute; memory accesses |
//! | `lower/call`, `lower/intrinsic` | calls and inline assembly; functions of LLVM itself |
//! | `startup` | constructors and destructors, and what no function shows |
//! | `symbols`, `types` | functions, globals and initialisers; which types registers hold |
//! | `flow` | blocks in reverse postorder, and loops |
//! | `assembler`, `fold` | instructions one by one; arithmetic on constants |
//! | `registers`, `layout` | from virtual registers to few real ones; the order of the code |
//! | `places`, `names` | the source place of each instruction; what the user calls the memory it accesses |
//! | `dump` | bytecode as text |
//! | `error` | what can go wrong before a program runs |

mod assembler;
mod assigned;
mod atomic;
mod bit_field;
mod clang;
mod dump;
mod error;
#[allow(unsafe_code, reason = "LLVM is a foreign library; this module is the only one that calls it")]
mod ffi;
mod flow;
mod fold;
mod layout;
mod lower;
mod names;
mod passes;
mod places;
mod registers;
mod returned;
mod startup;
mod symbols;
mod types;

pub use clang::HEADER;
pub use dump::dump;
pub use error::CompileError;

use std::path::PathBuf;
use vm::bytecode::Module;

/// What to compile, and how.
#[derive(Clone, Debug)]
pub struct CompileRequest {
    /// The source file: `.c .cc .cpp .cxx`, or bitcode `.bc`, or its text `.ll`.
    pub file: PathBuf,
    /// Passed on to clang, after our own flags.
    pub cflags: Vec<String>,
    /// The clang to run, instead of the one in the path.
    pub clang: Option<PathBuf>,
    /// Count the rounds of loops, so that the virtual machine can bound them.
    pub unroll: bool,
    /// Let values share registers. Off, every value has its own: slower, and the same otherwise.
    pub allocate_registers: bool,
}

impl CompileRequest {
    /// Compile this file, with nothing special.
    pub fn new(file: impl Into<PathBuf>) -> CompileRequest {
        let file = file.into();
        CompileRequest { file, cflags: Vec::new(), clang: None, unroll: false, allocate_registers: true }
    }
}

/// A program that was compiled.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program.
    pub module: Module,
    /// Clang's warnings, as it words them.
    pub warnings: String,
}

/// Compile a file to bytecode.
pub fn compile(request: &CompileRequest) -> Result<Compiled, CompileError> {
    let (bytes, warnings) = bitcode(request)?;
    Ok(Compiled { module: lower(request, &bytes)?, warnings })
}

/// The bitcode of a file, and clang's warnings: what [`lower`] makes bytecode of, more than once if need be.
pub fn bitcode(request: &CompileRequest) -> Result<(Vec<u8>, String), CompileError> {
    let file = &request.file;
    let unreadable = |source| CompileError::Unreadable { file: file.clone(), source };
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("bc" | "ll") => Ok((std::fs::read(file).map_err(unreadable)?, String::new())),
        Some("c" | "cc" | "cpp" | "cxx") => {
            // Clang would say so as well, but not as an error about the input of ours.
            std::fs::File::open(file).map_err(unreadable)?;
            let compiled = clang::compile(request)?;
            Ok((compiled.bitcode, compiled.warnings))
        }
        _ => Err(CompileError::UnknownFile { file: file.clone() }),
    }
}

/// From the bitcode of the file to bytecode.
pub fn lower(request: &CompileRequest, bitcode: &[u8]) -> Result<Module, CompileError> {
    let file = &request.file;
    let mut bitcode = ffi::Bitcode::parse(file, bitcode)
        .map_err(|message| CompileError::NotBitcode { file: file.clone(), message })?;
    if !bitcode.functions().any(|function| function.name() == "main" && !function.is_declaration()) {
        return Err(CompileError::NoMain { file: file.clone() });
    }
    if bitcode.pointer_size() != 8 || !bitcode.is_little_endian() {
        return Err(CompileError::Target { file: file.clone() });
    }
    // The passes leave out what nobody uses, among it what the program would start with.
    let refusal = startup::refusals(&bitcode).into_iter().next();
    passes::run(&mut bitcode).map_err(|message| CompileError::Passes { file: file.clone(), message })?;
    let options = lower::Options { unroll: request.unroll, allocate: request.allocate_registers };
    lower::lower(&bitcode, refusal, options).map_err(|lower::TooLarge { variable, size }| {
        CompileError::TooLarge { file: file.clone(), variable, size }
    })
}
