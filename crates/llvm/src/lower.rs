//! From a module of LLVM to a module of bytecode.
//!
//! Functions are lowered one by one, each to virtual registers (`body`), and then get real ones (`registers`).
//! What is not modelled becomes an instruction that says so when it is reached (`Op::Refuse`); code that is never
//! reached may contain anything.
//!
//! `undef` and `poison` are lowered as 0. They come from reads of variables that have no value yet, and those are
//! kept in memory, where the virtual machine reports them (`assigned`); what remains are values that do not matter
//! (padding of structs in registers). Where one decides something (a branch, `freeze`) it is refused.
//!
//! Not modelled, and refused where it is reached: exceptions of Windows, values of more than 128 bits,
//! `long double`, inline assembly but for what `assembly` knows, other address spaces, atomics of the order
//! `unordered` or of a `syncscope`, operand bundles, `musttail` where there are variables of variable size, `fma`, intrinsics that
//! `intrinsic` does not list, symbols of the linker, external functions without a model. Refused before anything runs
//! (`startup`): assembly outside of functions, functions and tables in sections that the C library runs, `ifunc`, prologue
//! data, instrumented functions, constructors that take arguments or have no body.
//!
//! Left out or simplified, with the reason why no wrong program is `verified` for it:
//!
//! | construct | what becomes of it | why that is right |
//! |---|---|---|
//! | aliases | the function or variable behind | an alias is another name of it |
//! | weak, `linkonce`, `common`, `available_externally` definitions, comdats | ordinary definitions | the module is the whole program: there is no other definition to choose |
//! | undefined weak symbols | null, unless they have a model | so does the linker; what has a model is in the C library |
//! | visibility, `dso_local`, `unnamed_addr`, partitions | nothing | matter to linking only; whether equal constants share an address is unspecified in C, here they do not |
//! | other sections, alignment of globals | the section: nothing; the alignment is kept | only the linker's symbols, which are refused, show where a section is |
//! | `llvm.used`, `llvm.compiler.used`, annotations | nothing | keep symbols alive; what would run unseen is found before passes drop anything |
//! | `llvm.global_ctors`, `llvm.global_dtors` | run by priority; their third field is ignored | it ties an entry to a symbol that the linker might drop, and nothing is dropped |
//! | `externally_initialized`, initialisers without a model, external variables | an access is refused | nothing is known of the contents |
//! | thread-local models | one | they differ in speed |
//! | prefix data | nothing | an access to the code of a function is a fault |
//! | `volatile` | nothing, or relaxed atomic accesses if that is asked for | a plain access is plain, and races as one; no pass that runs removes or merges accesses |
//! | `nontemporal`, `!tbaa`, `!range`, `!nonnull`, `!noundef`, `!invariant.load`, `noalias`, `dereferenceable`, `memory(…)`, `willreturn` and other promises | nothing | no pass that runs removes or moves an access because of one; a promise that is broken is undefined behaviour that is not reported, and the program goes on as its machine would |
//! | `llvm.assume`, its bundles | nothing | as a promise: executions are kept that need not be |
//! | `nsw`, `nuw`, `exact`, `disjoint`, `nneg`, `inbounds` | arithmetic wraps | signed overflow is not among what is reported; an address outside of its object is, where it is accessed or computed into a global array |
//! | shifts by the width or more, `clz(0)`, `abs` of the smallest | one fixed value | as above |
//! | fast-math flags, `fmuladd` | IEEE arithmetic, rounded twice | one of the results that they allow |
//! | `freeze` | its operand | values that are undefined stay in memory, where reading them is a fault |
//! | `expect`, `is.constant`, `objectsize`, `ssa.copy`, invariant groups, `prefetch`, debug records, pseudo-probes | their operand, "unknown", or nothing | hints; "unknown" is one of their answers |
//! | `lifetime` of what is no variable | nothing | optimisation has left it behind; the variable ends with its function |
//! | arguments for `...` | words in memory that ends with the call | see `variadic`: a list is as the ABI says, if there were no registers left |
//! | `va_end`, arguments for `...` that no function looks at | nothing | there is nothing to end, and nothing to look at |
//! | signal fences | nothing | they order nothing between threads, and no handler runs |
//! | empty inline assembly, clobbers, memory operands | outputs are the inputs in the same place | nothing is executed; an output without input is refused |
//! | inline assembly of x86 | the accesses and fences that it makes (`lower/assembly`, `docs/assembly.md`) | its instructions are executed one by one, with orders that are no stronger than those of the processor |
//! | `personality` | nothing | the clauses of landing pads say all; see `exception` |
//! | `nounwind`, `uwtable`, `gc` | nothing | promises, and how a frame is laid out |
//! | `returns_twice` | nothing | `vfork` and `longjmp` have no model and are refused; a function with a body returns once |
//! | `musttail` | the variables of the function end, then an ordinary call | as if the function had returned before it; only the depth of calls differs |
//! | `tail`, `notail`, calling conventions, `zeroext`, `sret`, `inreg` | nothing | how a call is made, not what it does; `byval` is copied |
//! | `naked` | an ordinary function | its body is assembly, which is refused unless it is known |
//! | calls through pointers of another type | missing arguments are refused, wide ones are cut to what the function takes | undefined behaviour that does what calling conventions do |
//! | results that nobody uses | not returned | see `returned` |

mod access;
mod assembly;
mod body;
mod call;
mod edge;
mod exception;
mod instruction;
mod intrinsic;
mod lanes;
mod variadic;
mod wide;

use crate::ffi::{Bitcode, Value, demangled};
use crate::places::Sites;
use crate::shapes::Shapes;
use crate::startup::{self, Refusal};
use crate::symbols::{Image, Symbols, is_stream};
use crate::{Volatile, layout, registers};
use base::Place;
use vm::bytecode::{Function, FunctionId, Global, GlobalId, Module};

pub(crate) use call::UNMODELLED;
pub(crate) use exception::Tables;

/// What to make of the module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options<'a> {
    /// The function that the program starts with.
    pub(crate) entry: &'a str,
    /// What `volatile` accesses are.
    pub(crate) volatile: Volatile,
    /// Count the rounds of loops.
    pub(crate) unroll: bool,
    /// Whether some of the program is no C.
    pub(crate) is_cxx: bool,
    /// Give virtual registers real ones; switched off to test that this changes nothing.
    pub(crate) allocate: bool,
}

/// A global variable with which all of them together are larger than what is modelled.
#[derive(Clone, Debug)]
pub(crate) struct TooLarge {
    pub(crate) variable: String,
    pub(crate) size: u64,
}

/// Lower everything. If something is to be refused before the program runs, that comes first.
pub(crate) fn lower(
    bitcode: &Bitcode,
    refusal: Option<Refusal>,
    options: Options<'_>,
) -> Result<Module, TooLarge> {
    let functions: Vec<Value<'_>> = bitcode.functions().filter(|f| !f.is_declaration()).collect();
    let globals: Vec<Value<'_>> = bitcode.globals().filter(|g| !is_compiler_table(&g.name())).collect();
    check_sizes(bitcode, &globals)?;
    let position = |name: &str| functions.iter().position(|f| f.name() == name).map(|i| FunctionId(i as u32));
    let mut symbols = Symbols {
        bitcode,
        functions: functions.iter().enumerate().map(|(i, &f)| (f, FunctionId(i as u32))).collect(),
        globals: globals.iter().enumerate().map(|(i, &g)| (g, GlobalId(i as u32))).collect(),
        blocks: functions.iter().flat_map(|f| f.blocks()).zip(0..).collect(),
        variadic: variadic::variable_after(globals.len(), &functions),
        tables: Tables::new(),
        resume: position(exception::RESUME),
    };
    let made = globals.len() + usize::from(symbols.variadic.is_some());
    let (tables, clauses) = exception::tables(&symbols, &functions, made);
    symbols.tables = tables;
    let [constructors, destructors] = startup::constructors_and_destructors(&symbols);
    let mut shapes = Shapes::default();
    let mut module = Module {
        globals: globals.iter().map(|&global| lower_global(&symbols, &mut shapes, global)).collect(),
        main: position(options.entry),
        constructors,
        destructors,
        ..Module::default()
    };
    module.globals.extend(symbols.variadic.map(|_| variadic::variable()));
    module.globals.extend(clauses);
    let mut sites = Sites::default();
    for &function in &functions {
        let notes = (&mut sites, &mut shapes);
        let (lowered, bounds) = body::lower(&symbols, &module.globals, notes, function, options);
        module.functions.push(finish(lowered, options));
        module.bounds.extend(bounds);
    }
    if let Some(refusal) = refusal {
        module.constructors.insert(0, FunctionId(module.functions.len() as u32));
        module.functions.push(startup::refusing(refusal, &mut sites));
    }
    (module.sites, module.files) = sites.finish(&mut module.functions);
    (module.shapes, module.objects) = shapes.finish();
    Ok(module)
}

/// All global variables are held as bytes, several times over: there must be room for them.
fn check_sizes(bitcode: &Bitcode, globals: &[Value<'_>]) -> Result<(), TooLarge> {
    let mut total = 0u64;
    for &global in globals {
        let size = bitcode.size_of(global.value_type());
        total = total.saturating_add(size);
        if total > vm::MAX_BYTES {
            return Err(TooLarge { variable: source_name(global), size });
        }
    }
    Ok(())
}

/// The name of a global variable in the source. An object that describes a type is called by that type.
fn source_name(global: Value<'_>) -> String {
    let symbol = || match global.name() {
        name if name.starts_with("_ZTI") => demangled(&name),
        name => name,
    };
    global.global_variable().and_then(|variable| variable.variable_name()).unwrap_or_else(symbol)
}

fn finish(mut function: Function, options: Options<'_>) -> Function {
    layout::compact(&mut function);
    if options.allocate {
        registers::drop_dead(&mut function);
        registers::allocate(&mut function);
        layout::compact(&mut function);
    }
    function
}

/// Tables that the compiler keeps in globals of reserved names.
fn is_compiler_table(name: &str) -> bool {
    name.starts_with("llvm.")
}

fn lower_global<'m>(symbols: &Symbols<'m>, shapes: &mut Shapes<'m>, global: Value<'m>) -> Global {
    let ty = global.value_type();
    let variable = global.global_variable();
    let symbol = global.name();
    let mut image = Image { bytes: vec![0; symbols.bitcode.size_of(ty) as usize], ..Image::default() };
    let is_stream = is_stream(&symbol) && global.is_declaration();
    // An initialiser that is not modelled makes the variable one that we know nothing of.
    let unmodelled = global.initialiser().and_then(|value| symbols.flatten(value, 0, &mut image).err());
    let from_outside = || "what it holds at the start comes from outside of the program".to_owned();
    let unmodelled = unmodelled.or_else(|| global.is_externally_initialised().then(from_outside));
    // The streams are only handed to functions that ignore them.
    let known = if global.is_declaration() { is_stream } else { unmodelled.is_none() };
    if !known {
        image.relocations.clear();
    }
    Global {
        name: source_name(global),
        bytes: image.bytes,
        relocations: image.relocations,
        align: global.align().max(symbols.bitcode.align_of(ty)),
        constant: global.is_constant_global() || is_stream,
        thread_local: global.is_thread_local(),
        place: variable.and_then(|v| v.variable_place()).map(|(file, line)| Place {
            file: file.into(),
            line,
            column: 0,
        }),
        shape: variable.and_then(|v| v.variable_type()).and_then(|ty| shapes.shape(ty)),
        external: !known,
        unmodelled,
    }
}
