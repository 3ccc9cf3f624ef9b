//! The assembler: instructions go in one by one, with fresh registers and labels; a function comes out.
//!
//! Registers are virtual here, as many as there are values, and jump targets are labels; `registers` and `layout`
//! make real ones of them. Arithmetic on constants is folded on the way in.

use crate::fold;
use base::Site;
use std::collections::BTreeMap;
use vm::Builtin;
use vm::bytecode::*;

/// A place in the code that can be jumped to, before it has a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Label(pub(crate) u32);

#[derive(Debug, Default)]
pub(crate) struct Assembler {
    function: Function,
    /// Constants that there are already, by [`key`].
    constants: BTreeMap<(u8, u64, i64), u16>,
    texts: BTreeMap<String, u16>,
    /// Position of each label, once it is placed.
    labels: Vec<Option<u32>>,
    registers: usize,
    /// Registers that are another operand plus an offset.
    offsets: BTreeMap<Reg, (Operand, i64)>,
    site: Site,
}

impl Assembler {
    /// A function whose parameters take the registers `0..parameters`.
    pub(crate) fn new(name: String, parameters: usize) -> Assembler {
        let function = Function { name, parameters: parameters as u16, ..Function::default() };
        Assembler { function, registers: parameters, ..Assembler::default() }
    }

    /// The site of the instructions that follow.
    pub(crate) fn at(&mut self, site: Site) {
        self.site = site;
    }

    /// The site of the code that comes next.
    pub(crate) fn site(&self) -> Site {
        self.site
    }

    pub(crate) fn fresh(&mut self) -> Reg {
        let register = Reg(self.registers.min(usize::from(u16::MAX)) as u16);
        self.registers += 1;
        register
    }

    pub(crate) fn emit(&mut self, op: Op) {
        self.function.code.push(op);
        self.function.sites.push(self.site);
    }

    /// How much code there is.
    pub(crate) fn mark(&self) -> usize {
        self.function.code.len()
    }

    /// Drop the code after a mark. No jump goes there.
    pub(crate) fn rewind(&mut self, mark: usize) {
        self.function.code.truncate(mark);
        self.function.sites.truncate(mark);
    }

    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() as u32 - 1)
    }

    /// The label is here.
    pub(crate) fn place(&mut self, label: Label) {
        self.labels[label.0 as usize] = Some(self.function.code.len() as u32);
    }

    pub(crate) fn constant(&mut self, constant: Constant) -> Operand {
        let constants = &mut self.function.constants;
        let index = *self.constants.entry(key(constant)).or_insert_with(|| {
            constants.push(constant);
            (constants.len() - 1).min(usize::from(u16::MAX)) as u16
        });
        Operand::Const(index)
    }

    pub(crate) fn number(&mut self, value: u64) -> Operand {
        self.constant(Constant::Value(value))
    }

    /// The constant that an operand is.
    pub(crate) fn constant_of(&self, operand: Operand) -> Option<Constant> {
        match operand {
            Operand::Const(index) => Some(self.function.constants[usize::from(index)]),
            Operand::Reg(_) => None,
        }
    }

    /// The number that an operand is.
    pub(crate) fn known(&self, operand: Operand) -> Option<u64> {
        match self.constant_of(operand)? {
            Constant::Value(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn text(&mut self, text: String) -> u16 {
        let texts = &mut self.function.texts;
        *self.texts.entry(text).or_insert_with_key(|text| {
            texts.push(text.clone());
            (texts.len() - 1).min(usize::from(u16::MAX)) as u16
        })
    }

    pub(crate) fn refuse(&mut self, text: String) {
        let text = self.text(text);
        self.emit(Op::Refuse(text));
    }

    pub(crate) fn operands(&mut self, operands: &[Operand]) -> List {
        let first = self.function.operands.len() as u32;
        self.function.operands.extend_from_slice(operands);
        List { first, len: operands.len() as u16 }
    }

    pub(crate) fn results(&mut self, registers: &[Reg]) -> List {
        let first = self.function.registers_list.len() as u32;
        self.function.registers_list.extend_from_slice(registers);
        List { first, len: registers.len() as u16 }
    }

    pub(crate) fn switch(&mut self, value: Operand, cases: Vec<(u64, Label)>, default: Label) {
        if let Some(known) = self.known(value) {
            let case = cases.iter().find(|(case, _)| *case == known);
            return self.jump(case.map_or(default, |&(_, label)| label));
        }
        let cases = cases.into_iter().map(|(value, label)| (value, label.0)).collect();
        self.function.switches.push(Switch { cases, default: default.0 });
        self.emit(Op::Switch { value, table: self.function.switches.len() as u32 - 1 });
    }

    pub(crate) fn jump(&mut self, label: Label) {
        self.emit(Op::Jump(label.0));
    }

    pub(crate) fn branch(&mut self, condition: Operand, then: Label, otherwise: Label) {
        match self.known(condition) {
            Some(value) => self.jump(if value != 0 { then } else { otherwise }),
            None => self.emit(Op::Branch { condition, then: then.0, otherwise: otherwise.0 }),
        }
    }

    /// The code, with labels replaced by positions. A function that is too large for the bytecode becomes one that
    /// says so when it is called.
    pub(crate) fn finish(mut self) -> Function {
        let function = &self.function;
        let most = usize::from(u16::MAX);
        if self.registers > most || function.constants.len() > most || function.texts.len() > most {
            let text = format!("the function `{}` is too large", function.name);
            let parameters = usize::from(function.parameters);
            let mut small = Assembler::new(function.name.clone(), parameters);
            small.refuse(text);
            return small.finish();
        }
        let position = |label: &mut u32| {
            *label = self.labels[*label as usize].expect("every label that is jumped to is placed");
        };
        for op in &mut self.function.code {
            match op {
                Op::Jump(to) => position(to),
                Op::Branch { then, otherwise, .. } | Op::Landing { normal: then, pad: otherwise, .. } => {
                    position(then);
                    position(otherwise);
                }
                _ => {}
            }
        }
        for switch in &mut self.function.switches {
            switch.cases.iter_mut().for_each(|(_, to)| position(to));
            position(&mut switch.default);
        }
        self.function.registers = self.registers as u16;
        self.function
    }
}

/// Instructions with a result; the result is a constant when it can be told.
impl Assembler {
    pub(crate) fn bin(&mut self, op: BinOp, width: u8, a: Operand, b: Operand) -> Operand {
        if let (Some(a), Some(b)) = (self.known(a), self.known(b))
            && let Some(value) = fold::bin(op, width, a, b)
        {
            return self.number(value);
        }
        if self.known(b) == Some(0) && op_ignores_zero(op) {
            return a;
        }
        if self.known(a) == Some(0) && matches!(op, BinOp::Add | BinOp::Or | BinOp::Xor) {
            return b;
        }
        self.result(|dst| Op::Bin { op, width, dst, a, b })
    }

    pub(crate) fn cmp(&mut self, op: CmpOp, width: u8, a: Operand, b: Operand) -> Operand {
        if let (Some(a), Some(b)) = (self.known(a), self.known(b)) {
            return self.number(u64::from(fold::cmp(op, width, a, b)));
        }
        self.result(|dst| Op::Cmp { op, width, dst, a, b })
    }

    pub(crate) fn truncate(&mut self, width: u8, a: Operand) -> Operand {
        match self.known(a) {
            Some(a) => self.number(fold::truncate(a, width)),
            None => self.result(|dst| Op::Trunc { width, dst, a }),
        }
    }

    /// The low `width` bits of a word, which is the word itself if they are all.
    pub(crate) fn truncate_to(&mut self, width: u8, a: Operand) -> Operand {
        if width >= 64 { a } else { self.truncate(width, a) }
    }

    pub(crate) fn sign_extend(&mut self, from: u8, to: u8, a: Operand) -> Operand {
        match self.known(a) {
            Some(a) => self.number(fold::truncate(fold::signed(a, from).cast_unsigned(), to)),
            None if from == to => a,
            None => self.result(|dst| Op::SignExtend { from, to, dst, a }),
        }
    }

    pub(crate) fn select(&mut self, condition: Operand, a: Operand, b: Operand) -> Operand {
        match self.known(condition) {
            Some(0) => b,
            Some(_) => a,
            None => self.result(|dst| Op::Select { dst, condition, a, b }),
        }
    }

    pub(crate) fn unary(&mut self, op: UnaryOp, width: u8, a: Operand) -> Operand {
        self.result(|dst| Op::Unary { op, width, dst, a })
    }

    /// The result and the overflow bit.
    pub(crate) fn overflow(
        &mut self,
        op: OverflowOp,
        width: u8,
        a: Operand,
        b: Operand,
    ) -> (Operand, Operand) {
        let overflow = self.fresh();
        let value = self.result(|dst| Op::Overflow { op, width, dst, overflow, a, b });
        (value, Operand::Reg(overflow))
    }

    pub(crate) fn float(&mut self, op: FloatOp, width: u8, a: Operand, b: Operand) -> Operand {
        self.result(|dst| Op::Float { op, width, dst, a, b })
    }

    /// `base + offset`, folded if the base is an address that is known.
    pub(crate) fn offset(&mut self, base: Operand, offset: i64) -> Operand {
        if offset == 0 {
            return base;
        }
        if let Some(Constant::Global(id, start)) = self.constant_of(base) {
            return self.constant(Constant::Global(id, start.wrapping_add(offset)));
        }
        // An offset from an offset is one offset. The first base still has its value wherever the second is used:
        // a register changes only where its phi is entered again, and then the second is computed again, too.
        let (base, offset) = match base {
            Operand::Reg(register) if self.offsets.contains_key(&register) => {
                let (first, before) = self.offsets[&register];
                (first, before.wrapping_add(offset))
            }
            _ => (base, offset),
        };
        if offset == 0 {
            return base;
        }
        let number = self.number(offset.cast_unsigned());
        let sum = self.bin(BinOp::Add, 64, base, number);
        if let Operand::Reg(register) = sum {
            self.offsets.insert(register, (base, offset));
        }
        sum
    }

    /// Call something that the virtual machine knows, and take its result if it is wanted.
    pub(crate) fn builtin(&mut self, builtin: Builtin, arguments: &[Operand], result: Option<Reg>) {
        let arguments = self.operands(arguments);
        self.emit(Op::Builtin { builtin, arguments, result });
    }

    /// Emit an instruction with a fresh destination.
    pub(crate) fn result(&mut self, op: impl FnOnce(Reg) -> Op) -> Operand {
        let dst = self.fresh();
        self.emit(op(dst));
        Operand::Reg(dst)
    }
}

/// Whether `a op 0` is the same as `a`.
fn op_ignores_zero(op: BinOp) -> bool {
    matches!(op, BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::LShr | BinOp::AShr)
}

/// Constants have no order of their own.
fn key(constant: Constant) -> (u8, u64, i64) {
    match constant {
        Constant::Value(value) => (0, value, 0),
        Constant::Global(id, offset) => (1, u64::from(id.0), offset),
        Constant::Function(id) => (2, u64::from(id.0), 0),
        Constant::External(name) => (3, u64::from(name), 0),
    }
}
