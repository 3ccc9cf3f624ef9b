//! Exceptions: `invoke`, `landingpad` and `resume`.
//!
//! An `invoke` is a call with a landing behind it (`Op::Landing`); the values of the `landingpad` are two registers that the
//! machine sets. What a pad takes is a constant of words, which `_Unwind_RaiseException` and `_Unwind_Resume` of the runtime
//! (`runtime/unwind.cpp`) read; a `resume` is a call of the latter. So no personality is looked at: that of C++ and that of Rust
//! read the same clauses.
//!
//! A pad that does nothing but end the program (clang's way to say `noexcept`) says so among its words: no function is left then,
//! and the exception is told of where it is thrown. The standard leaves it open whether functions are left before
//! `std::terminate` is called.
//!
//! Not modelled: exceptions of Windows; a program with exceptions and without the runtime, for which there must be a clang.

use super::body::Body;
use super::edge::Edges;
use crate::assembler::Label;
use crate::ffi::{Kind, Opcode, TypeKind, Value};
use crate::symbols::{Symbol, Symbols};
use std::collections::BTreeMap;
use vm::bytecode::{Constant, Global, GlobalId, Op, Operand, Reg, Relocation};
use vm::{Builtin, SyncCall};

/// The function of the runtime that goes on with an exception.
pub(super) const RESUME: &str = "_Unwind_Resume";

/// The selector of a clause that takes everything.
const ANY: u64 = 0x7fff_ffff;

const CLEANS_UP: u64 = 1;
const TERMINATES: u64 = 2;

/// A word of a table of clauses.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Word {
    Number(u64),
    Type(GlobalId, i64),
}

/// The tables of landing pads, or why one cannot be made.
pub(crate) type Tables<'m> = BTreeMap<Value<'m>, Result<GlobalId, String>>;

/// Where an exception lands that leaves the call that comes next.
pub(super) struct Landing {
    pad: Label,
    clauses: Operand,
    exception: Reg,
    selector: Reg,
}

/// The table of each landing pad, and the globals that they are, the first of which has this number.
pub(super) fn tables<'m>(
    symbols: &Symbols<'m>,
    functions: &[Value<'m>],
    first: usize,
) -> (Tables<'m>, Vec<Global>) {
    let (mut tables, mut known, mut globals) = (Tables::new(), BTreeMap::new(), Vec::new());
    let blocks = functions.iter().flat_map(|function| function.blocks());
    for pad in blocks.flat_map(Value::instructions).filter(|it| it.is(Opcode::LLVMLandingPad)) {
        let table = words(symbols, pad).map(|words| {
            *known.entry(words).or_insert_with_key(|words| {
                globals.push(global(words));
                GlobalId((first + globals.len() - 1) as u32)
            })
        });
        tables.insert(pad, table);
    }
    (tables, globals)
}

fn words<'m>(symbols: &Symbols<'m>, pad: Value<'m>) -> Result<Vec<Word>, String> {
    let clauses = pad.clauses();
    let flags = u64::from(pad.is_cleanup()) * CLEANS_UP + u64::from(terminates(pad)) * TERMINATES;
    let mut words = vec![Word::Number(flags), Word::Number(clauses.len() as u64)];
    for (index, clause) in (1..).zip(clauses) {
        if clause.ty().kind() != TypeKind::Array {
            words.push(Word::Number(number_of(symbols, clause)?));
            words.push(word(symbols, clause)?);
            continue;
        }
        let types = clause.ty().members().len() as u32;
        words.extend([Word::Number(i64::wrapping_neg(index).cast_unsigned()), Word::Number(types.into())]);
        for index in 0..types {
            words.push(word(symbols, clause.element(index).expect("an element for each member"))?);
        }
    }
    Ok(words)
}

fn word<'m>(symbols: &Symbols<'m>, ty: Value<'m>) -> Result<Word, String> {
    match symbols.resolve(ty)? {
        Symbol::Number(number) => Ok(Word::Number(number)),
        Symbol::Global(id, offset) => Ok(Word::Type(id, offset)),
        _ => Err(unmodelled(ty)),
    }
}

/// The selector of a type.
fn number_of<'m>(symbols: &Symbols<'m>, ty: Value<'m>) -> Result<u64, String> {
    match symbols.resolve(ty)? {
        Symbol::Number(0) => Ok(ANY),
        Symbol::Global(id, 0) => Ok(u64::from(id.0) + 1),
        _ => Err(unmodelled(ty)),
    }
}

fn unmodelled(ty: Value<'_>) -> String {
    format!("a handler for the type `{}` is not modelled", ty.text())
}

fn global(words: &[Word]) -> Global {
    let bytes = |word: &Word| match word {
        Word::Number(number) => number.to_le_bytes(),
        Word::Type(..) => [0; 8],
    };
    let places = (0..).step_by(8).zip(words).filter_map(|(at, word)| match word {
        Word::Type(id, offset) => Some((at, Relocation::Global(*id, *offset))),
        Word::Number(_) => None,
    });
    Global {
        name: "clauses".to_owned(),
        bytes: words.iter().flat_map(bytes).collect(),
        relocations: places.collect(),
        align: 8,
        constant: true,
        ..Global::default()
    }
}

/// Whether the pad takes everything and does nothing but end the program.
fn terminates(pad: Value<'_>) -> bool {
    let is_terminate = |it: Value<'_>| {
        it.is(Opcode::LLVMCall)
            && it.callee().kind() == Kind::Function
            && it.callee().name() == "__clang_call_terminate"
    };
    let only = |it: Value<'_>| {
        it == pad
            || it.is(Opcode::LLVMExtractValue)
            || is_terminate(it)
            || it.is(Opcode::LLVMUnreachable)
            || it.is_phi()
    };
    let instructions = || pad.block().instructions();
    let takes_all = matches!(pad.clauses()[..], [clause] if clause.kind() == Kind::Zero);
    takes_all && instructions().any(is_terminate) && instructions().all(only)
}

impl<'m> Body<'_, 'm> {
    pub(super) fn invoke(&mut self, from: usize, call: Value<'m>) -> Result<(), String> {
        let [normal, unwind] = self.flow.successors[from][..] else { return Err("an `invoke`".into()) };
        let mut edges = Edges::new(from);
        self.landing = Some(self.landing(&mut edges, unwind)?);
        let called = self.call(call);
        self.landing = None;
        called?;
        let normal = self.edge(&mut edges, normal);
        self.asm.jump(normal);
        self.finish_edges(edges);
        Ok(())
    }

    fn landing(&mut self, edges: &mut Edges, unwind: usize) -> Result<Landing, String> {
        let pad = self.flow.blocks[unwind].instructions().find(|it| it.is(Opcode::LLVMLandingPad));
        let pad = pad.ok_or("exceptions of Windows are not modelled")?;
        let table = self.symbols.tables[&pad].clone()?;
        let [Operand::Reg(exception), Operand::Reg(selector)] = self.all(pad)?[..] else {
            return Err(format!("a landing pad of type `{}` is not modelled", pad.ty().text()));
        };
        let clauses = self.asm.constant(Constant::Global(table, 0));
        Ok(Landing { pad: self.edge(edges, unwind), clauses, exception, selector })
    }

    /// The call that was just emitted can be left by an exception, if it was an `invoke`.
    pub(super) fn land(&mut self) {
        let Some(Landing { pad, clauses, exception, selector }) = self.landing.take() else { return };
        let normal = self.asm.label();
        self.asm.emit(Op::Landing { normal: normal.0, pad: pad.0, clauses, exception, selector });
        self.asm.place(normal);
    }

    pub(super) fn resume(&mut self, instruction: Value<'m>) -> Result<(), String> {
        let exception = self.all(instruction.operand(0))?[0];
        let unwinder = self.symbols.resume.ok_or("exceptions are not modelled without the C++ runtime")?;
        let (arguments, results) = (self.asm.operands(&[exception]), self.asm.results(&[]));
        self.asm.emit(Op::Call { function: unwinder, arguments, results });
        self.asm.emit(Op::Unreachable);
        Ok(())
    }

    /// `llvm.eh.typeid.for`: the selector of a type.
    pub(super) fn type_number(&mut self, ty: Value<'m>) -> Result<Operand, String> {
        let number = number_of(self.symbols, ty)?;
        Ok(self.asm.number(number))
    }
}

/// Whether a function with a model calls one of the program, so that an exception may leave it.
pub(super) fn calls_back(builtin: Builtin) -> bool {
    builtin == Builtin::Sync(SyncCall::Once)
}
