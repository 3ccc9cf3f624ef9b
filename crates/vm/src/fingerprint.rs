//! A number that distinguishes programs: a replay string of one means nothing in another.
//!
//! FNV-1a over the code and the variables as they are run, and the options that change their meaning; the same on every
//! machine and in every run. Places in the source are left out, and so are the names of source files that `assert`
//! keeps in constants: a file may be moved.
//!
//! Not noticed: other step limits, which change how far a thread may run and nothing it does.

use crate::bytecode::{Function, Global};
use crate::fnv::Fnv;
use crate::machine::Machine;
use std::collections::BTreeSet;
use std::fmt::{self, Write};

impl Machine {
    /// The number of this program with its options, under the model of this name.
    pub fn fingerprint(&self, model: &str) -> u32 {
        let mut hash = Fnv::new();
        self.write_all(&mut hash, model).expect("hashing does not fail");
        (hash.0 >> 32) as u32 ^ hash.0 as u32
    }

    fn write_all(&self, to: &mut impl Write, model: &str) -> fmt::Result {
        let (module, options) = (self.module(), self.options());
        write!(to, "{model:?}{:?}{:?}", options.unroll, options.spin)?;
        if !options.loops.is_empty() {
            write!(to, "{:?}", options.loops)?;
        }
        // (The model decides whether there is a coherence order.)
        // (The steps of a replay say which addresses come back.)
        write!(to, "{:?}", options.whole_rounds)?;
        if options.alloc.fail {
            write!(to, "fail")?;
        }
        write!(to, "{:?}{:?}{:?}", module.main, module.constructors, module.destructors)?;
        module.functions.iter().try_for_each(|function| write_function(to, function))?;
        let places = module.sites.iter().filter_map(|site| site.place.as_ref());
        let files: BTreeSet<&str> = places.map(|place| &*place.file).collect();
        module.globals.iter().try_for_each(|global| write_global(to, global, &files))
    }
}

fn write_function(to: &mut impl Write, function: &Function) -> fmt::Result {
    write!(to, "{:?}{}{}", function.name, function.parameters, function.registers)?;
    write!(to, "{:?}{:?}", function.constants, function.code)?;
    write!(to, "{:?}{:?}", function.operands, function.registers_list)?;
    write!(to, "{:?}{:?}", function.switches, function.texts)
}

fn write_global(to: &mut impl Write, global: &Global, files: &BTreeSet<&str>) -> fmt::Result {
    write!(to, "{:?}{}{}{}", global.name, global.constant, global.thread_local, global.external)?;
    match file_name(global) {
        Some(name) if is_file(name, files) => write!(to, "the name of a file"),
        _ => write!(to, "{:?}{:?}", global.bytes, global.relocations),
    }
}

/// Whether it is the name of one of these files, or a longer path to it.
fn is_file(name: &str, files: &BTreeSet<&str>) -> bool {
    let ends: Vec<usize> = name.match_indices('/').map(|(slash, _)| slash + 1).collect();
    files.contains(name) || ends.into_iter().any(|start| files.contains(&name[start..]))
}

/// The text of a constant, which may be the name of a file.
fn file_name(global: &Global) -> Option<&str> {
    let text = global.bytes.strip_suffix(&[0]).filter(|_| global.constant)?;
    std::str::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use crate::bytecode::{Constant, Function, FunctionId, Global, List, Module, Op, Operand, SiteInfo};
    use crate::{Alloc, Machine, Options};
    use base::{Place, Site};

    /// A program of the file `file` that returns `value`.
    fn module(file: &str, line: u32, value: u64) -> Module {
        let main = Function {
            name: "main".into(),
            constants: vec![Constant::Value(value)],
            operands: vec![Operand::Const(0)],
            code: vec![Op::Return { values: List { first: 0, len: 1 } }],
            sites: vec![Site(0)],
            ..Function::default()
        };
        let place = Some(Place { file: file.into(), line, column: 1 });
        let text = |text: &str| Global {
            name: ".str".into(),
            bytes: [text.as_bytes(), &[0]].concat(),
            constant: true,
            align: 1,
            ..Global::default()
        };
        Module {
            functions: vec![main],
            globals: vec![text(file), text("text")],
            main: Some(FunctionId(0)),
            sites: vec![SiteInfo { place, ..SiteInfo::default() }],
            ..Module::default()
        }
    }

    fn number(module: Module, options: Options, model: &str) -> u32 {
        Machine::new(module, options).expect("well-formed").fingerprint(model)
    }

    #[test]
    fn it_is_the_same_everywhere() {
        let usual = number(module("a.c", 1, 3), Options::default(), "rc11");
        assert_eq!(usual, 0xfdd4_672f, "{usual:#x}: it changes with the bytecode, and with nothing else");
        assert_eq!(usual, number(module("b/c.c", 7, 3), Options::default(), "rc11"), "the file was moved");
    }

    #[test]
    fn what_changes_the_meaning_changes_it() {
        let usual = number(module("a.c", 1, 3), Options::default(), "rc11");
        let mut other_text = module("a.c", 1, 3);
        other_text.globals[1].bytes[0] = b'T';
        let unrolled = Options { unroll: Some(3), ..Options::default() };
        let uncut = Options { spin: crate::Spin::None, ..Options::default() };
        let failing = Options { alloc: Alloc { fail: true, ..Alloc::default() }, ..Options::default() };
        let others = [
            number(module("a.c", 1, 4), Options::default(), "rc11"),
            number(other_text, Options::default(), "rc11"),
            number(module("a.c", 1, 3), Options::default(), "sc"),
            number(module("a.c", 1, 3), unrolled, "rc11"),
            number(module("a.c", 1, 3), uncut, "rc11"),
            number(module("a.c", 1, 3), failing, "rc11"),
        ];
        assert!(others.iter().all(|&other| other != usual), "{usual:#x} {others:x?}");
    }
}
