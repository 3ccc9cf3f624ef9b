//! A tiny assembler.

use base::{ReadOrder, Site, WriteOrder};
use vm::Builtin;
use vm::bytecode::{
    BinOp, CmpOp, Constant, Function, FunctionId, Global, GlobalId, List, Module, Op, Operand, Reg, SiteInfo,
};

pub(crate) const NA: ReadOrder = ReadOrder::NotAtomic;

/// A function under construction. Every instruction is its own site.
pub(crate) struct Build {
    function: Function,
}

impl Build {
    pub(crate) fn new(name: &str, parameters: u16) -> Build {
        let function =
            Function { name: name.into(), parameters, registers: parameters, ..Function::default() };
        Build { function }
    }

    pub(crate) fn parameter(&self, i: u16) -> Operand {
        Operand::Reg(Reg(i))
    }

    pub(crate) fn register(&mut self) -> Reg {
        self.function.registers += 1;
        Reg(self.function.registers - 1)
    }

    pub(crate) fn constant(&mut self, constant: Constant) -> Operand {
        self.function.constants.push(constant);
        Operand::Const(self.function.constants.len() as u16 - 1)
    }

    pub(crate) fn number(&mut self, value: u64) -> Operand {
        self.constant(Constant::Value(value))
    }

    pub(crate) fn global(&mut self, global: u32) -> Operand {
        self.constant(Constant::Global(GlobalId(global), 0))
    }

    pub(crate) fn function(&mut self, function: u32) -> Operand {
        self.constant(Constant::Function(FunctionId(function)))
    }

    pub(crate) fn external(&mut self, name: &str) -> Operand {
        self.function.texts.push(name.into());
        self.constant(Constant::External(self.function.texts.len() as u16 - 1))
    }

    /// The position of the next instruction.
    pub(crate) fn here(&self) -> u32 {
        self.function.code.len() as u32
    }

    pub(crate) fn op(&mut self, op: Op) {
        let site = Site(self.here());
        self.function.code.push(op);
        self.function.sites.push(site);
    }

    /// Replace an instruction whose target was not known.
    pub(crate) fn patch(&mut self, at: u32, op: Op) {
        self.function.code[at as usize] = op;
    }

    fn operands(&mut self, operands: &[Operand]) -> List {
        let first = self.function.operands.len() as u32;
        self.function.operands.extend(operands);
        List { first, len: operands.len() as u16 }
    }

    fn result(&mut self) -> (Reg, List) {
        let register = self.register();
        self.function.registers_list.push(register);
        (register, List { first: self.function.registers_list.len() as u32 - 1, len: 1 })
    }

    pub(crate) fn bin(&mut self, op: BinOp, width: u8, a: Operand, b: Operand) -> Operand {
        let dst = self.register();
        self.op(Op::Bin { op, width, dst, a, b });
        Operand::Reg(dst)
    }

    pub(crate) fn cmp(&mut self, op: CmpOp, width: u8, a: Operand, b: Operand) -> Operand {
        let dst = self.register();
        self.op(Op::Cmp { op, width, dst, a, b });
        Operand::Reg(dst)
    }

    pub(crate) fn plus(&mut self, a: Operand, b: u64) -> Operand {
        let b = self.number(b);
        self.bin(BinOp::Add, 64, a, b)
    }

    pub(crate) fn load(&mut self, size: u8, address: Operand) -> Operand {
        self.load_as(size, address, false)
    }

    /// The load of a store to a bit-field.
    pub(crate) fn load_partial(&mut self, size: u8, address: Operand) -> Operand {
        self.load_as(size, address, true)
    }

    fn load_as(&mut self, size: u8, address: Operand, partial: bool) -> Operand {
        let dst = self.register();
        self.op(Op::Load { size, order: NA, partial, dst, address });
        Operand::Reg(dst)
    }

    pub(crate) fn store(&mut self, size: u8, address: Operand, value: Operand) {
        self.op(Op::Store { size, order: WriteOrder::NotAtomic, address, value });
    }

    pub(crate) fn store_number(&mut self, size: u8, address: Operand, value: u64) {
        let value = self.number(value);
        self.store(size, address, value);
    }

    pub(crate) fn alloca(&mut self, size: u32) -> Operand {
        let (dst, count) = (self.register(), self.number(1));
        self.op(Op::Alloca { dst, size, align: 8, count });
        Operand::Reg(dst)
    }

    pub(crate) fn call(&mut self, function: u32, arguments: &[Operand]) -> Operand {
        let arguments = self.operands(arguments);
        let (register, results) = self.result();
        self.op(Op::Call { function: FunctionId(function), arguments, results });
        Operand::Reg(register)
    }

    pub(crate) fn call_indirect(&mut self, callee: Operand, arguments: &[Operand]) -> Operand {
        let arguments = self.operands(arguments);
        let (register, results) = self.result();
        self.op(Op::CallIndirect { callee, arguments, results });
        Operand::Reg(register)
    }

    pub(crate) fn builtin(&mut self, builtin: Builtin, arguments: &[Operand]) -> Operand {
        let arguments = self.operands(arguments);
        let result = self.register();
        self.op(Op::Builtin { builtin, arguments, result: Some(result) });
        Operand::Reg(result)
    }

    #[allow(dead_code, reason = "for the tests of waiting, which share this file")]
    pub(crate) fn builtin_without_result(&mut self, builtin: Builtin, arguments: &[Operand]) {
        let arguments = self.operands(arguments);
        self.op(Op::Builtin { builtin, arguments, result: None });
    }

    pub(crate) fn malloc(&mut self, size: u64) -> Operand {
        let size = self.number(size);
        self.builtin(Builtin::Malloc, &[size])
    }

    /// `pthread_create`; the handle.
    pub(crate) fn create(&mut self, function: u32, argument: Operand) -> Operand {
        let handle = self.alloca(8);
        let (null, function) = (self.number(0), self.function(function));
        self.builtin(Builtin::PthreadCreate, &[handle, null, function, argument]);
        self.load(8, handle)
    }

    pub(crate) fn ret(mut self, value: Operand) -> Function {
        let values = self.operands(&[value]);
        self.op(Op::Return { values });
        self.function
    }

    pub(crate) fn ret_number(mut self, value: u64) -> Function {
        let value = self.number(value);
        self.ret(value)
    }

    /// The end of a function that ends in a jump.
    pub(crate) fn end(self) -> Function {
        self.function
    }
}

pub(crate) fn global(name: &str, bytes: &[u8]) -> Global {
    Global { name: name.into(), bytes: bytes.into(), align: 8, ..Global::default() }
}

/// The first function is `main`.
pub(crate) fn module(functions: Vec<Function>, globals: Vec<Global>) -> Module {
    let longest = functions.iter().map(|function| function.code.len()).max().unwrap_or(0);
    let info = SiteInfo { operand: "p".into(), ..SiteInfo::default() };
    let sites = vec![info; longest];
    Module { functions, globals, main: Some(FunctionId(0)), sites, ..Module::default() }
}

/// A `main` that does this and returns the operand.
pub(crate) fn main_of(body: impl FnOnce(&mut Build) -> Operand) -> Function {
    let mut build = Build::new("main", 0);
    let value = body(&mut build);
    build.ret(value)
}
