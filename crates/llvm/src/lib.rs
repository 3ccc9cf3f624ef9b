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
//! | `runtime`, `runtime/cxx`, `cache` | the parts of the C library and of libstdc++ that are written in C and C++; what is compiled once |
//! | `runtime/shortcuts` | functions in headers of libstdc++ that are there for speed, in short |
//! | `link` | several files as one program; archives, stubs |
//! | `language` | whether a program is C, or C++ or Rust |
//! | `ffi` | LLVM behind safe handles |
//! | `ffi/value`, `ffi/types`, `ffi/debug` | functions, globals, constants, instructions; types and their layout; debug information |
//! | `passes` | the passes of LLVM that run, and those that never may |
//! | `assigned` | local variables that may be read before they are written, or after their life |
//! | `atomic`, `bit_field`, `returned` | functions that are atomic sections; writes to bit-fields; functions without a `return` |
//! | `lower` | from a module of LLVM to bytecode; what is left out, and why |
//! | `lower/body`, `lower/edge` | one function, its blocks and values; phis and loops on edges |
//! | `lower/instruction`, `lower/access` | instructions that compute; memory accesses |
//! | `lower/lanes`, `lower/wide` | vectors, lane by lane; integers of more than 64 bits |
//! | `lower/call`, `lower/intrinsic` | calls; functions of LLVM itself |
//! | `lower/variadic`, `lower/exception` | variable arguments; landing pads and what they take |
//! | `assembly`, `assembly/constraint` | inline assembly as text: its statements, its operands |
//! | `lower/assembly`, `lower/assembly/execute` | inline assembly: registers, flags and memory; its instructions |
//! | `startup` | constructors and destructors, and what no function shows |
//! | `symbols`, `types` | functions, globals and initialisers; which types registers hold |
//! | `flow`, `loop_bounds` | blocks in reverse postorder, and loops; bounds that the program sets for them |
//! | `assembler`, `fold` | instructions one by one; arithmetic on constants |
//! | `registers`, `layout` | from virtual registers to few real ones; the order of the code |
//! | `places`, `names` | the source place of each instruction; what the user calls the memory it accesses |
//! | `source_types`, `shapes` | types of the source; their members and elements |
//! | `dump` | bytecode as text |
//! | `error` | what can go wrong before a program runs |

mod assembler;
mod assembly;
mod assigned;
mod atomic;
mod bit_field;
mod cache;
mod clang;
mod dump;
mod error;
#[allow(unsafe_code, reason = "LLVM is a foreign library; this module is the only one that calls it")]
mod ffi;
mod flow;
mod fold;
mod language;
mod layout;
mod link;
mod loop_bounds;
mod lower;
mod names;
mod passes;
mod places;
mod registers;
mod returned;
mod runtime;
mod shapes;
mod source_types;
mod startup;
mod symbols;
mod types;

pub use cache::Cache;
pub use clang::HEADER;
pub use dump::dump;
pub use error::CompileError;
pub use link::Piece;
pub use runtime::{cxx_runtime_sources, runtime_sources};

use link::Part;
use std::path::PathBuf;
use vm::bytecode::Module;

/// A file of the program, and how it is compiled.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The file: `.c .i .cc .cpp .cxx .C .ii`, or bitcode `.bc`, or its text `.ll`, or an archive `.a` of bitcode.
    pub file: PathBuf,
    /// Flags for clang, of this file alone. Those of the whole request come after them.
    pub cflags: Vec<String>,
    /// The directory that clang runs in; `None`: this one.
    pub directory: Option<PathBuf>,
}

impl Unit {
    /// This file, with nothing special.
    pub fn new(file: impl Into<PathBuf>) -> Unit {
        Unit { file: file.into(), cflags: Vec::new(), directory: None }
    }
}

/// What `volatile` accesses are that are not atomic.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Volatile {
    /// Plain accesses, as in C.
    #[default]
    Plain,
    /// Relaxed atomic accesses, as much code takes them for.
    Relaxed,
}

/// What to compile, and how.
#[derive(Clone, Debug)]
pub struct CompileRequest {
    /// The files of the program.
    pub units: Vec<Unit>,
    /// A file with functions that are part of the program where it has no others of their names.
    pub stubs: Option<PathBuf>,
    /// Passed on to clang, after our own flags.
    pub cflags: Vec<String>,
    /// The clang to run, instead of the one in the path.
    pub clang: Option<PathBuf>,
    /// Where what is compiled of the C runtime is kept, if it is.
    pub cache: Option<Cache>,
    /// The function that the program starts with.
    pub entry: String,
    /// What `volatile` accesses are.
    pub volatile: Volatile,
    /// Count the rounds of loops, so that the virtual machine can bound them.
    pub unroll: bool,
    /// Let values share registers. Off, every value has its own: slower, and the same otherwise.
    pub allocate_registers: bool,
}

impl CompileRequest {
    /// Compile this file, with nothing special.
    pub fn new(file: impl Into<PathBuf>) -> CompileRequest {
        CompileRequest {
            units: vec![Unit::new(file)],
            stubs: None,
            cflags: Vec::new(),
            clang: None,
            cache: None,
            entry: "main".to_owned(),
            volatile: Volatile::Plain,
            unroll: false,
            allocate_registers: true,
        }
    }

    /// The first file, by which errors about the whole program name it.
    fn program(&self) -> PathBuf {
        self.units.first().map(|unit| unit.file.clone()).unwrap_or_default()
    }
}

/// A program that was compiled.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program.
    pub module: Module,
    /// Clang's warnings, as it words them, and one of the symbols that are missing; lines.
    pub warnings: String,
}

/// Compile a program to bytecode.
pub fn compile(request: &CompileRequest) -> Result<Compiled, CompileError> {
    let (pieces, mut warnings) = bitcode(request)?;
    let (module, missing) = lower_noting(request, &pieces)?;
    warnings += &warning_of(&missing);
    Ok(Compiled { module, warnings })
}

/// One warning of all symbols that the program uses and that have neither a body nor a model.
fn warning_of(missing: &[String]) -> String {
    let names: Vec<String> = missing.iter().map(|name| format!("`{}`", ffi::demangled(name))).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!(
            "warning: no body and no model: {}; a thread that reaches one stops there, and there is no verdict then \
             (--stubs FILE adds functions)\n",
            names.join(", ")
        ),
    }
}

/// The bitcode of the files, and clang's warnings: what [`lower`] makes bytecode of, more than once if need be.
pub fn bitcode(request: &CompileRequest) -> Result<(Vec<Piece>, String), CompileError> {
    let (mut pieces, mut warnings) = (Vec::new(), String::new());
    let stubs = request.stubs.iter().map(|file| (Unit::new(file), Part::Stubs));
    let units = request.units.iter().map(|unit| (unit.clone(), Part::Whole));
    for (unit, part) in units.chain(stubs) {
        let (bytes, said) = bitcode_of(request, &unit)?;
        let is_archive = unit.file.extension().is_some_and(|extension| extension == "a");
        let part = if is_archive { Part::Archive } else { part };
        pieces.push(Piece { file: unit.file, bytes, part });
        warnings += &said;
    }
    Ok((pieces, warnings))
}

fn bitcode_of(request: &CompileRequest, unit: &Unit) -> Result<(Vec<u8>, String), CompileError> {
    let file = &unit.file;
    let unreadable = |source| CompileError::Unreadable { file: file.clone(), source };
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("bc" | "ll" | "a") => Ok((std::fs::read(file).map_err(unreadable)?, String::new())),
        Some("c" | "i" | "cc" | "cpp" | "cxx" | "C" | "ii") => {
            // Clang would say so as well, but not as an error about the input of ours.
            std::fs::File::open(file).map_err(unreadable)?;
            let compiled = clang::compile(request, unit)?;
            Ok((compiled.bitcode, compiled.warnings))
        }
        _ => Err(CompileError::UnknownFile { file: file.clone() }),
    }
}

/// From the bitcode of the files to bytecode.
pub fn lower(request: &CompileRequest, pieces: &[Piece]) -> Result<Module, CompileError> {
    lower_noting(request, pieces).map(|(module, _)| module)
}

/// The same, with the names of all symbols that have neither a body nor a model, sorted.
fn lower_noting(request: &CompileRequest, pieces: &[Piece]) -> Result<(Module, Vec<String>), CompileError> {
    let file = request.program();
    let mut bitcode = link::link(pieces, &request.entry)?;
    check_entry(request, &bitcode)?;
    runtime::complete(&mut bitcode, request)?;
    if bitcode.pointer_size() != 8 || !bitcode.is_little_endian() {
        return Err(CompileError::Target { file });
    }
    // The passes leave out what nobody uses, among it what the program would start with.
    let refusal = startup::refusals(&bitcode).into_iter().next();
    let is_cxx = language::is_cxx(&bitcode);
    let entry = &request.entry;
    passes::run(&mut bitcode, entry)
        .map_err(|message| CompileError::Passes { file: file.clone(), message })?;
    let options = lower::Options {
        entry,
        volatile: request.volatile,
        unroll: request.unroll,
        is_cxx,
        allocate: request.allocate_registers,
    };
    let missing = symbols::missing(&bitcode);
    lower::lower(&bitcode, refusal, options)
        .map(|module| (Module { is_cxx, ..module }, missing))
        .map_err(|lower::TooLarge { variable, size }| CompileError::TooLarge { file, variable, size })
}

/// The program has the function that it starts with, and that can be called without saying more.
fn check_entry(request: &CompileRequest, bitcode: &ffi::Bitcode) -> Result<(), CompileError> {
    let is_it = |function: &ffi::Value<'_>| function.name() == request.entry && !function.is_declaration();
    let found = bitcode.functions().find(is_it);
    let (file, entry) = (request.program(), request.entry.clone());
    match found {
        None => Err(CompileError::NoEntry { file, entry }),
        Some(function) if entry != "main" && !function.parameters().is_empty() => {
            Err(CompileError::EntryWithParameters { file, entry })
        }
        Some(_) => Ok(()),
    }
}
