//! Variable arguments: the caller puts them into memory and says where, and `va_start` points a list there.
//!
//! That memory ends with the call. Where it is, and how many arguments the caller takes to have a name, is told in a
//! thread-local variable of our own. The callee takes it from there when it begins, and leaves nothing: a function that is
//! called as if it had other parameters finds none, or another number, and refuses.
//!
//! A list is that of the System V ABI for x86-64 with all registers used up, so that each argument is found in memory. Not
//! modelled: other targets, arguments that are neither words nor structs of them.

use super::body::Body;
use crate::ffi::{Bitcode, Kind, Opcode, Type, TypeKind, Value};
use base::{ReadOrder, WriteOrder};
use vm::Builtin;
use vm::bytecode::{BinOp, CmpOp, Global, GlobalId, Op, Operand};

/// The size of a list, and what it holds: how much of each kind of registers is used up, the next argument in memory.
const LIST: u64 = 24;
const GENERAL_REGISTERS: u64 = 48;
const ALL_REGISTERS: u64 = 176;
const NEXT_IN_MEMORY: i64 = 8;

/// What a function with variable arguments was told: where they are, and how many have a name.
pub(super) type Told = [Operand; 2];

/// The variable in which it is told.
pub(super) fn variable() -> Global {
    Global {
        name: "variable arguments".to_owned(),
        bytes: vec![0; 16],
        align: 8,
        thread_local: true,
        ..Global::default()
    }
}

/// Whether a function looks at its variable arguments.
pub(super) fn takes_list(function: Value<'_>) -> bool {
    let is_start = |instruction: Value<'_>| {
        instruction.is(Opcode::LLVMCall)
            && instruction.callee().kind() == Kind::Function
            && instruction.callee().name().starts_with("llvm.va_start")
    };
    function.blocks().into_iter().any(|block| block.instructions().any(is_start))
}

/// An argument: what is stored of it, or the struct that is copied.
enum Argument<'m> {
    Words(Vec<Operand>),
    Struct(Operand, Type<'m>),
}

impl<'m> Body<'_, 'm> {
    /// Emit a call, and before it hand over its variable arguments, if it has some that anybody may look at.
    pub(super) fn emit_call(&mut self, call: Value<'m>, is_looked_at: bool, op: Op) -> Result<(), String> {
        let (Some(told), Some(named)) = (self.symbols.variadic, call.named_arguments()) else {
            self.asm.emit(op);
            self.land();
            return Ok(());
        };
        if !is_looked_at {
            self.asm.emit(op);
            self.land();
            return Ok(());
        }
        let arguments = self.variable_arguments(call, named)?;
        let mark = self.asm.fresh();
        self.asm.builtin(Builtin::StackSave, &[], Some(mark));
        let area = self.fill(&arguments);
        let named = self.asm.number(named as u64);
        let variable = self.asm.result(|dst| Op::ThreadLocal { dst, global: told });
        self.store_word(variable, 0, area);
        self.store_word(variable, 8, named);
        self.asm.emit(op);
        self.land();
        self.asm.builtin(Builtin::StackRestore, &[Operand::Reg(mark)], None);
        Ok(())
    }

    fn variable_arguments(&mut self, call: Value<'m>, named: usize) -> Result<Vec<Argument<'m>>, String> {
        let unmodelled =
            |ty: Type<'m>| format!("a variable argument of type `{}` is not modelled", ty.text());
        let mut found = Vec::new();
        for (index, argument) in call.arguments().into_iter().enumerate().skip(named) {
            found.push(match (call.by_value(index as u32), argument.ty().kind()) {
                (Some(ty), _) if call.argument_align(index as u32) <= 8 => {
                    Argument::Struct(self.one(argument)?, ty)
                }
                (Some(ty), _) => return Err(unmodelled(ty)),
                (None, TypeKind::Integer(..=64) | TypeKind::Pointer | TypeKind::Double) => {
                    Argument::Words(self.all(argument)?)
                }
                (None, _) => return Err(unmodelled(argument.ty())),
            });
        }
        Ok(found)
    }

    /// The arguments in memory, each from the next multiple of eight bytes on.
    fn fill(&mut self, arguments: &[Argument<'m>]) -> Operand {
        let bitcode = self.symbols.bitcode;
        let size_of = |argument: &Argument<'m>| match argument {
            Argument::Words(words) => 8 * words.len() as u64,
            Argument::Struct(_, ty) => bitcode.size_of(*ty).next_multiple_of(8),
        };
        let size = arguments.iter().map(size_of).sum::<u64>().max(8) as u32;
        let count = self.asm.number(1);
        let area = self.asm.result(|dst| Op::Alloca { dst, size, align: 16, count });
        let mut offset = 0;
        for argument in arguments {
            match argument {
                Argument::Words(words) => {
                    for (at, &word) in (offset..).step_by(8).zip(words) {
                        self.store_word(area, at, word);
                    }
                }
                Argument::Struct(from, ty) => {
                    let to = self.asm.offset(area, offset);
                    let length = self.asm.number(bitcode.size_of(*ty));
                    self.asm.builtin(Builtin::MemCopy, &[to, *from, length], None);
                }
            }
            offset += size_of(argument).cast_signed();
        }
        area
    }

    fn store_word(&mut self, base: Operand, offset: i64, value: Operand) {
        self.store_part(base, offset, 8, value);
    }

    fn store_part(&mut self, base: Operand, offset: i64, size: u8, value: Operand) {
        let address = self.asm.offset(base, offset);
        self.asm.emit(Op::Store { size, order: WriteOrder::NotAtomic, address, value });
    }

    /// When a function begins: what it was told.
    pub(super) fn take_told(&mut self) -> Option<Told> {
        let global = self.symbols.variadic?;
        let variable = self.asm.result(|dst| Op::ThreadLocal { dst, global });
        let told = [0, 8].map(|offset| {
            let address = self.asm.offset(variable, offset);
            let order = ReadOrder::NotAtomic;
            self.asm.result(|dst| Op::Load { size: 8, order, partial: false, dst, address })
        });
        let zero = self.asm.number(0);
        self.store_word(variable, 0, zero);
        Some(told)
    }

    /// `va_start`
    pub(super) fn start_list(&mut self, call: Value<'m>) -> Result<(), String> {
        if !has_list_of_system_v(self.symbols.bitcode) {
            return Err("variable arguments (`va_start`) are modelled for x86-64 alone".into());
        }
        let [area, named] = self.told.ok_or("`va_start` without variable arguments is not modelled")?;
        let list = self.one(call.arguments()[0])?;
        let (zero, mine) = (self.asm.number(0), self.asm.number(self.named_parameters as u64));
        let is_told = self.asm.cmp(CmpOp::Ne, 64, area, zero);
        let is_same = self.asm.cmp(CmpOp::Eq, 64, named, mine);
        let is_fine = self.asm.bin(BinOp::And, 1, is_told, is_same);
        let (fine, otherwise) = (self.asm.label(), self.asm.label());
        self.asm.branch(is_fine, fine, otherwise);
        self.asm.place(otherwise);
        self.asm
            .refuse("variable arguments of a call that declares other parameters are not modelled".into());
        self.asm.place(fine);
        let (general, all) = (self.asm.number(GENERAL_REGISTERS), self.asm.number(ALL_REGISTERS));
        self.store_part(list, 0, 4, general);
        self.store_part(list, 4, 4, all);
        self.store_word(list, NEXT_IN_MEMORY, area);
        self.store_word(list, NEXT_IN_MEMORY + 8, area);
        Ok(())
    }

    /// `va_copy`
    pub(super) fn copy_list(&mut self, call: Value<'m>) -> Result<(), String> {
        let (to, from) = (self.one(call.arguments()[0])?, self.one(call.arguments()[1])?);
        let length = self.asm.number(LIST);
        self.asm.builtin(Builtin::MemCopy, &[to, from, length], None);
        Ok(())
    }
}

fn has_list_of_system_v(bitcode: &Bitcode) -> bool {
    let target = bitcode.target();
    target.starts_with("x86_64") && !target.contains("windows")
}

/// The variable in which variable arguments are told, after all others, if any function looks at them.
pub(super) fn variable_after(globals: usize, functions: &[Value<'_>]) -> Option<GlobalId> {
    functions.iter().any(|&function| takes_list(function)).then_some(GlobalId(globals as u32))
}
