//! A program of the campaign, compiled once and made into as many machines as there are configurations.

use base::Site;
use engine::Model;
use std::io::Write;
use tempfile::NamedTempFile;
use testkit::c_programs::{ALLOWED, CProgram};
use vm::bytecode::{Function, FunctionId, List, Module, Op};

/// A program in bytecode.
pub(crate) struct Compiled {
    /// How many orders of creation there are.
    pub(crate) orders: usize,
    plain: Module,
    /// The same with counters of rounds, for `--unroll`.
    counted: Module,
}

/// What a machine is made of.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    /// The model that it will be explored under.
    pub(crate) model: Model,
    /// Which rounds are cut.
    pub(crate) spin: vm::Spin,
    /// Are rounds run to their ends?
    pub(crate) whole_rounds: bool,
    /// The bound on rounds.
    pub(crate) unroll: Option<u32>,
    /// In which order the threads are created.
    pub(crate) order: usize,
    /// If any, every outcome but these fails.
    pub(crate) complement: Option<Vec<u64>>,
}

impl Compiled {
    /// Run clang, and lower twice.
    pub(crate) fn new(program: &CProgram) -> Result<Compiled, llvm::CompileError> {
        let orders = permutations(program.thread_count());
        let file = source_file(&program.text(&orders));
        let mut request = llvm::CompileRequest::new(file.path());
        request.cflags = vec!["-w".to_owned()];
        let (bitcode, _) = llvm::bitcode(&request)?;
        let plain = llvm::lower(&request, &bitcode)?;
        request.unroll = true;
        let counted = llvm::lower(&request, &bitcode)?;
        Ok(Compiled { orders: orders.len(), plain, counted })
    }

    /// The bytecode, for questions about it.
    pub(crate) fn module(&self) -> &Module {
        &self.plain
    }

    /// A machine that runs it.
    pub(crate) fn machine(&self, setting: &Setting) -> vm::Machine {
        let mut module = if setting.unroll.is_some() { &self.counted } else { &self.plain }.clone();
        enter(&mut module, &format!("entry_{}", setting.order));
        if let Some(allowed) = &setting.complement {
            write(&mut module, "complement", &(allowed.len() as u32 + 1).to_le_bytes());
            let bytes: Vec<u8> = allowed.iter().flat_map(|outcome| outcome.to_le_bytes()).collect();
            write(&mut module, "allowed", &bytes);
        }
        let options = vm::Options {
            unroll: setting.unroll,
            spin: setting.spin,
            whole_rounds: setting.whole_rounds,
            has_co: setting.model.rules().has_co(),
            ..vm::Options::default()
        };
        vm::Machine::new(module, options).expect("clang's modules are well-formed")
    }

    /// Is there room for so many outcomes in the complement?
    pub(crate) fn has_room(outcomes: usize) -> bool {
        outcomes <= ALLOWED
    }
}

/// Make this function `main`, and all other ways into the program empty: what they would do must not count for the analyses.
fn enter(module: &mut Module, entry: &str) {
    for (place, function) in module.functions.iter_mut().enumerate() {
        if function.name == entry {
            module.main = Some(FunctionId(place as u32));
        } else if function.name == "main" || function.name.starts_with("entry_") {
            let name = std::mem::take(&mut function.name);
            let code = vec![Op::Return { values: List { first: 0, len: 0 } }];
            *function = Function { name, code, sites: vec![Site(0)], ..Function::default() };
        }
    }
}

/// Another initial value for a global.
fn write(module: &mut Module, name: &str, bytes: &[u8]) {
    let global = module.globals.iter_mut().find(|global| global.name == name).expect("every program has it");
    global.bytes[..bytes.len()].copy_from_slice(bytes);
}

/// All orders of `n` threads, the natural one first.
fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(n - 1);
    let with_last = |place: usize| {
        shorter.iter().map(move |order| {
            let mut order = order.clone();
            order.insert(place, n - 1);
            order
        })
    };
    (0..n).rev().flat_map(with_last).collect()
}

/// A file with the text, gone when dropped.
fn source_file(text: &str) -> NamedTempFile {
    let mut file =
        tempfile::Builder::new().prefix("campaign-").suffix(".c").tempfile().expect("a file can be made");
    file.write_all(text.as_bytes()).expect("the temporary directory can be written");
    file
}
