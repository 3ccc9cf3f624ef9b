//! Inline assembly: what its operands, registers and flags hold, statement by statement. `execute` has the instructions.
//!
//! The assembly is executed here once, with operands of the bytecode for values. A register that nothing was put into has no
//! value, and assembly that reads one is refused; so is assembly of which anything is not understood. Where the assembly has
//! labels, each register and flag is a virtual register of its own, and a label knows only what all jumps to it agree on.
//!
//! A locked instruction, and `xchg` with memory, is a relaxed read-modify-write between two SC fences; a load is an acquire
//! load, a store a release store (`docs/assembly.md`). The fences and the orders are for assembly with the clobber `memory`.
//! Without it the compiler may move other accesses across it, so that the accesses of the assembly are relaxed, and a fence is
//! refused. Accesses to a local variable whose address goes nowhere else are plain.

mod execute;

use super::body::Body;
use crate::assembler::Label;
use crate::assembly::constraint::{self, Constraints, Place};
use crate::assembly::{self, Argument, Base, Memory, Number, Register, STACK_POINTER, Statement};
use crate::ffi::{Kind, Opcode, Value};
use base::{FenceOrder, ReadOrder, WriteOrder};
use std::collections::BTreeMap;
use vm::bytecode::{BinOp, CmpOp, Op, Operand, Reg};

/// What holds a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Spot {
    /// A general register, by its number.
    Register(u8),
    /// The register that the compiler chooses for an operand.
    Operand(usize),
    Flag(Flag),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Flag {
    Carry,
    Zero,
    Sign,
    Overflow,
}

const FLAGS: [Flag; 4] = [Flag::Carry, Flag::Zero, Flag::Sign, Flag::Overflow];

/// A value, of which the low `bits` bits are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Held {
    value: Operand,
    bits: u8,
}

type State = BTreeMap<Spot, Held>;

/// Where an access goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Address {
    at: Operand,
    /// It is a local variable that nobody else can reach.
    is_own: bool,
}

/// Inline assembly that is being lowered.
struct Assembly<'b, 'a, 'm> {
    body: &'b mut Body<'a, 'm>,
    constraints: Constraints,
    /// The argument of each operand that takes one.
    arguments: Vec<Option<Value<'m>>>,
    /// The number of bits of each output in a register, with the number of its operand.
    widths: Vec<(usize, u8)>,
    state: State,
    /// Whether control comes here from the statement before.
    is_reached: bool,
    /// The virtual register of each spot; `None` if there are no labels.
    variables: Option<BTreeMap<Spot, Reg>>,
    /// Per statement that is a label, where it is, and what is known there by jumps from before.
    labels: BTreeMap<usize, (Label, Option<State>)>,
}

impl<'a, 'm> Body<'a, 'm> {
    /// Lower a call of inline assembly. The error has its text.
    pub(super) fn assembly(&mut self, call: Value<'m>, callee: Value<'m>) -> Result<(), String> {
        let (text, constraints) = callee.assembly();
        let mark = self.asm.mark();
        self.execute_assembly(call, callee.is_intel(), &text, &constraints).map_err(|reason| {
            self.asm.rewind(mark);
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            format!("inline assembly `{text}` is not modelled: {reason}")
        })
    }

    fn execute_assembly(
        &mut self,
        call: Value<'m>,
        is_intel: bool,
        text: &str,
        constraints: &str,
    ) -> Result<(), String> {
        if !self.symbols.bitcode.is_x86() && !text.trim().is_empty() {
            return Err("it is for another processor than x86".into());
        }
        let statements = assembly::parse(text).map_err(|part| format!("`{part}` is not known"))?;
        if statements.is_empty() {
            let values = self.tied_outputs(call, constraints).ok_or("an output has no value")??;
            self.define(call, values);
            return Ok(());
        }
        if is_intel {
            return Err("it is in the syntax of Intel".into());
        }
        let constraints = constraint::parse(constraints)
            .map_err(|constraint| format!("the constraint `{constraint}` is not known"))?;
        let mut given = call.arguments().into_iter();
        let arguments =
            constraints.operands.iter().map(|operand| operand.takes_argument.then(|| given.next()).flatten());
        let arguments = arguments.collect();
        let mut assembly = Assembly {
            body: self,
            constraints,
            arguments,
            widths: Vec::new(),
            state: State::new(),
            is_reached: true,
            variables: None,
            labels: BTreeMap::new(),
        };
        assembly.measure_outputs(call)?;
        assembly.take_inputs()?;
        assembly.run(&statements)?;
        let values = assembly.outputs()?;
        self.define(call, values);
        Ok(())
    }

    /// The outputs of empty assembly: each is the input that is in the same place.
    fn tied_outputs(&mut self, call: Value<'m>, constraints: &str) -> Option<Result<Vec<Operand>, String>> {
        let mut arguments = call.arguments().into_iter();
        let (mut outputs, mut tied) = (0usize, Vec::new());
        for constraint in constraints.split(',').filter(|c| !c.is_empty() && !c.starts_with('~')) {
            match constraint.strip_prefix('=') {
                Some(output) if output.contains('*') => drop(arguments.next()),
                Some(_) => outputs += 1,
                None => {
                    let argument = arguments.next()?;
                    tied.extend(constraint.parse::<usize>().ok().map(|output| (output, argument)));
                }
            }
        }
        let mut values = Vec::new();
        for output in 0..outputs {
            let (_, argument) = tied.iter().find(|(to, _)| *to == output)?;
            match self.all(*argument) {
                Ok(operands) => values.extend(operands),
                Err(text) => return Some(Err(text)),
            }
        }
        Some(Ok(values))
    }
}

impl<'m> Assembly<'_, '_, 'm> {
    /// Put the inputs where the assembly finds them.
    fn take_inputs(&mut self) -> Result<(), String> {
        for index in 0..self.arguments.len() {
            let operand = &self.constraints.operands[index];
            if operand.place == Place::Memory || operand.is_output {
                continue;
            }
            let argument = self.arguments[index].ok_or("an argument is missing")?;
            let value = self.body.one(argument)?;
            let bits = self.body.width(argument)?;
            let spot = self.spot(index)?;
            self.state.insert(spot, Held { value, bits });
        }
        Ok(())
    }

    fn run(&mut self, statements: &[Statement]) -> Result<(), String> {
        let is_label = |statement: &Statement| matches!(statement, Statement::Label(_));
        if statements.iter().any(is_label) {
            self.give_variables();
        }
        for (at, _) in statements.iter().enumerate().filter(|(_, statement)| is_label(statement)) {
            self.labels.insert(at, (self.body.asm.label(), None));
        }
        for (at, statement) in statements.iter().enumerate() {
            match statement {
                Statement::Label(_) => self.arrive(at, is_jumped_back_to(statements, at)),
                Statement::Instruction(instruction) if instruction.name.starts_with('j') => {
                    let [Argument::Label(name)] = &instruction.arguments[..] else {
                        return Err(format!("`{}` is not known", instruction.name));
                    };
                    let to = find_label(statements, at, name).ok_or_else(|| format!("no label `{name}`"))?;
                    self.jump(&instruction.name[1..], at, to)?;
                }
                Statement::Instruction(instruction) if self.is_reached => self.instruction(instruction)?,
                Statement::Instruction(_) => return Err("some of it is never reached".into()),
            }
        }
        match self.is_reached {
            true => Ok(()),
            false => Err("it does not end".into()),
        }
    }

    /// Give each spot that holds something, or may, a virtual register of its own.
    fn give_variables(&mut self) {
        let spots = (0..16).map(Spot::Register).chain(FLAGS.map(Spot::Flag));
        let spots = spots.chain((0..self.arguments.len()).map(Spot::Operand));
        self.variables = Some(spots.map(|spot| (spot, self.body.asm.fresh())).collect());
        for (spot, Held { value, bits }) in std::mem::take(&mut self.state) {
            self.hold(spot, value, bits);
        }
    }

    /// A label: what is known is what all ways to it agree on.
    fn arrive(&mut self, at: usize, is_looped_to: bool) {
        let (label, before) = &self.labels[&at];
        self.body.asm.place(*label);
        match before {
            Some(before) if !self.is_reached => self.state = before.clone(),
            Some(before) => agree(&mut self.state, before),
            None => {}
        }
        self.is_reached |= before.is_some();
        if is_looped_to {
            self.forget(&FLAGS);
        }
    }

    fn jump(&mut self, condition: &str, at: usize, to: usize) -> Result<(), String> {
        let is_always = condition == "mp";
        let taken = if is_always { None } else { Some(self.condition(condition)?) };
        let known = self.state.clone();
        let (label, before) = self.labels.get_mut(&to).ok_or("a jump to no label")?;
        let label = *label;
        if to > at {
            match before {
                Some(before) => agree(before, &known),
                None => *before = Some(known),
            }
        }
        match taken {
            None => {
                self.body.asm.jump(label);
                self.is_reached = false;
            }
            Some(taken) => {
                let next = self.body.asm.label();
                self.body.asm.branch(taken, label, next);
                self.body.asm.place(next);
            }
        }
        Ok(())
    }

    /// The outputs that are in registers have the members of the result in order.
    fn measure_outputs(&mut self, call: Value<'m>) -> Result<(), String> {
        let parts = self.body.scalars(call.ty())?;
        let operands = self.constraints.operands.iter().enumerate();
        let outputs = operands.filter(|(_, it)| it.is_output && it.place != Place::Memory);
        let outputs: Vec<usize> = outputs.map(|(index, _)| index).collect();
        if outputs.len() != parts.len() {
            return Err(format!("a result of type `{}` is not modelled here", call.ty().text()));
        }
        self.widths = outputs.into_iter().zip(parts.iter().map(|part| part.width)).collect();
        Ok(())
    }

    /// The values of the outputs that are in registers, in order.
    fn outputs(&mut self) -> Result<Vec<Operand>, String> {
        let outputs = self.widths.clone().into_iter();
        let values = outputs.map(|(index, bits)| match self.constraints.operands[index].place {
            Place::Flag(letters) => {
                let letters = letters.iter().take_while(|&&letter| letter != 0).copied().collect();
                self.condition(&String::from_utf8(letters).unwrap_or_default())
            }
            _ => {
                let spot = self.spot(index)?;
                self.held(spot, bits)
            }
        });
        values.collect()
    }
}

/// Registers and flags.
impl Assembly<'_, '_, '_> {
    /// The spot of an operand that is not in memory.
    fn spot(&self, index: usize) -> Result<Spot, String> {
        match self.constraints.operands.get(index).map(|operand| operand.place) {
            Some(Place::Any) => Ok(Spot::Operand(index)),
            Some(Place::Register(register)) => Ok(Spot::Register(register.number)),
            Some(Place::Same(other)) if other < index => self.spot(other),
            _ => Err(format!("operand {index} is in no register")),
        }
    }

    /// The low bits of what a spot holds.
    fn held(&mut self, spot: Spot, bits: u8) -> Result<Operand, String> {
        match self.state.get(&spot) {
            Some(held) if held.bits == bits && self.variables.is_none() => Ok(held.value),
            // A variable changes: this is a copy.
            Some(held) if held.bits >= bits => Ok(self.body.asm.truncate(bits, held.value)),
            Some(_) => Err("it reads more of a register than was written".into()),
            None => Err("it reads a register or a flag that has no value".into()),
        }
    }

    /// Put a value into a register: 32 bits clear the high half, fewer leave the rest as it is.
    fn put(&mut self, spot: Spot, bits: u8, value: Operand) {
        match self.state.get(&spot).copied() {
            Some(old) if bits < 32 && old.bits > bits => {
                let mask = self.body.asm.number(!0 << bits);
                let rest = self.body.asm.bin(BinOp::And, 64, old.value, mask);
                let whole = self.body.asm.bin(BinOp::Or, 64, rest, value);
                self.hold(spot, whole, old.bits);
            }
            _ => self.hold(spot, value, if bits == 32 { 64 } else { bits }),
        }
    }

    fn hold(&mut self, spot: Spot, value: Operand, bits: u8) {
        let value = match self.variables.as_ref().map(|variables| variables[&spot]) {
            Some(dst) => {
                self.body.asm.emit(Op::Move { dst, a: value });
                Operand::Reg(dst)
            }
            None => value,
        };
        self.state.insert(spot, Held { value, bits });
    }

    fn set(&mut self, flag: Flag, value: Operand) {
        self.hold(Spot::Flag(flag), value, 1);
    }

    fn forget(&mut self, flags: &[Flag]) {
        self.state.retain(|spot, _| flags.iter().all(|&flag| *spot != Spot::Flag(flag)));
    }

    /// Whether a condition holds, by the letters of the instructions that test for it.
    fn condition(&mut self, letters: &str) -> Result<Operand, String> {
        let mut flag = |flag| self.held(Spot::Flag(flag), 1);
        let (is_negated, value) = match letters {
            "z" | "e" => (false, flag(Flag::Zero)?),
            "nz" | "ne" => (true, flag(Flag::Zero)?),
            "c" | "b" | "nae" => (false, flag(Flag::Carry)?),
            "nc" | "nb" | "ae" => (true, flag(Flag::Carry)?),
            "s" => (false, flag(Flag::Sign)?),
            "ns" => (true, flag(Flag::Sign)?),
            "o" => (false, flag(Flag::Overflow)?),
            "no" => (true, flag(Flag::Overflow)?),
            "be" | "na" | "a" | "nbe" => {
                let (carry, zero) = (flag(Flag::Carry)?, flag(Flag::Zero)?);
                (matches!(letters, "a" | "nbe"), self.body.asm.bin(BinOp::Or, 1, carry, zero))
            }
            "l" | "nge" | "ge" | "nl" => {
                let (sign, overflow) = (flag(Flag::Sign)?, flag(Flag::Overflow)?);
                (matches!(letters, "ge" | "nl"), self.body.asm.bin(BinOp::Xor, 1, sign, overflow))
            }
            "le" | "ng" | "g" | "nle" => {
                let (sign, overflow, zero) = (flag(Flag::Sign)?, flag(Flag::Overflow)?, flag(Flag::Zero)?);
                let less = self.body.asm.bin(BinOp::Xor, 1, sign, overflow);
                (matches!(letters, "g" | "nle"), self.body.asm.bin(BinOp::Or, 1, less, zero))
            }
            _ => return Err(format!("the condition `{letters}` is not known")),
        };
        let zero = self.body.asm.number(0);
        Ok(if is_negated { self.body.asm.cmp(CmpOp::Eq, 1, value, zero) } else { value })
    }
}

/// Memory.
impl<'m> Assembly<'_, '_, 'm> {
    /// The address of an operand in memory.
    fn operand_address(&mut self, index: usize) -> Result<Address, String> {
        let pointer = self.arguments.get(index).copied().flatten().ok_or("an argument is missing")?;
        Ok(Address { at: self.body.one(pointer)?, is_own: is_own(pointer) })
    }

    fn address(&mut self, memory: &Memory) -> Result<Address, String> {
        let mut address = match memory.base {
            Base::Operand(index) if self.is_memory(index) => self.operand_address(index)?,
            base => Address { at: self.base(base)?, is_own: false },
        };
        if let Some((index, scale)) = memory.index {
            let (base, index) = (address.at, self.base(index)?);
            let scale = i32::try_from(scale).map_err(|_| "a scale that is too large")?;
            address.at = self.body.asm.result(|dst| Op::Index { dst, base, index, scale });
        }
        let offset = self.constant(memory.offset)?;
        address.at = self.body.asm.offset(address.at, offset);
        Ok(address)
    }

    fn base(&mut self, base: Base) -> Result<Operand, String> {
        match base {
            Base::Register(Register { number: STACK_POINTER, .. }) => {
                Err("it accesses the stack of its function".into())
            }
            Base::Register(register) => self.held(Spot::Register(register.number), 64),
            Base::Operand(index) => {
                let spot = self.spot(index)?;
                self.held(spot, 64)
            }
        }
    }

    fn is_memory(&self, index: usize) -> bool {
        self.constraints.operands.get(index).is_some_and(|operand| operand.place == Place::Memory)
    }

    /// The value of a number in the text, or of an operand that is a constant.
    fn constant(&mut self, number: Number) -> Result<i64, String> {
        match number {
            Number::Value(value) => Ok(value),
            Number::Operand(index) => {
                let argument = self.arguments.get(index).copied().flatten();
                argument.and_then(Value::signed).ok_or_else(|| format!("operand {index} is no constant"))
            }
        }
    }

    fn load(&mut self, address: Address, bits: u8) -> Operand {
        let order = match self.constraints.clobbers_memory {
            _ if address.is_own => ReadOrder::NotAtomic,
            true => ReadOrder::Acquire,
            false => ReadOrder::Relaxed,
        };
        let (size, address) = (bits / 8, address.at);
        self.body.asm.result(|dst| Op::Load { size, order, partial: false, dst, address })
    }

    fn store(&mut self, address: Address, bits: u8, value: Operand) {
        let order = match self.constraints.clobbers_memory {
            _ if address.is_own => WriteOrder::NotAtomic,
            true => WriteOrder::Release,
            false => WriteOrder::Relaxed,
        };
        self.body.asm.emit(Op::Store { size: bits / 8, order, address: address.at, value });
    }

    /// A fence that the program wants.
    fn fence(&mut self, order: FenceOrder) -> Result<(), String> {
        match self.constraints.clobbers_memory {
            true => self.body.asm.emit(Op::Fence(order)),
            false => {
                return Err("a fence without the clobber `memory`, across which the compiler may move \
                            other accesses: add the clobber"
                    .into());
            }
        }
        Ok(())
    }

    /// The fence on either side of a locked instruction.
    fn locked_fence(&mut self) {
        if self.constraints.clobbers_memory {
            self.body.asm.emit(Op::Fence(FenceOrder::SeqCst));
        }
    }
}

/// Keep what both states know.
fn agree(state: &mut State, other: &State) {
    state.retain(|spot, held| match other.get(spot) {
        Some(there) => {
            held.bits = held.bits.min(there.bits);
            true
        }
        None => false,
    });
}

/// The label that a jump names: `1b` is the last one before, `1f` the next one after.
fn find_label(statements: &[Statement], at: usize, name: &str) -> Option<usize> {
    let is = |place: &usize, name: &str| statements[*place] == Statement::Label(name.to_owned());
    let local = |name: &str| !name.is_empty() && name.bytes().all(|c| c.is_ascii_digit());
    match (name.strip_suffix('b'), name.strip_suffix('f')) {
        (Some(name), _) if local(name) => (0..at).rev().find(|place| is(place, name)),
        (_, Some(name)) if local(name) => (at + 1..statements.len()).find(|place| is(place, name)),
        _ => (0..statements.len()).find(|place| is(place, name)),
    }
}

fn is_jumped_back_to(statements: &[Statement], label: usize) -> bool {
    statements.iter().enumerate().skip(label).any(|(at, statement)| match statement {
        Statement::Instruction(instruction) => match &instruction.arguments[..] {
            [Argument::Label(name)] => find_label(statements, at, name) == Some(label),
            _ => false,
        },
        Statement::Label(_) => false,
    })
}

/// Whether it is the address of a local variable, or of a part of one, that is loaded, stored, and a memory operand of inline
/// assembly, but goes nowhere.
fn is_own(pointer: Value<'_>) -> bool {
    let mut variable = pointer;
    while variable.is(Opcode::LLVMGetElementPtr) {
        variable = variable.operand(0);
    }
    variable.is(Opcode::LLVMAlloca) && stays(variable)
}

fn stays(pointer: Value<'_>) -> bool {
    pointer.users().all(|user| match user.kind() {
        Kind::Instruction => match user.opcode() {
            Opcode::LLVMLoad => true,
            Opcode::LLVMStore => user.operand(0) != pointer,
            Opcode::LLVMGetElementPtr => stays(user),
            Opcode::LLVMCall => match user.callee().kind() {
                Kind::Function => user.callee().name().starts_with("llvm.lifetime."),
                Kind::InlineAsm => is_memory_operand(user, pointer),
                _ => false,
            },
            _ => false,
        },
        _ => false,
    })
}

/// Whether all arguments that are this pointer are memory operands.
fn is_memory_operand(call: Value<'_>, pointer: Value<'_>) -> bool {
    let Ok(constraints) = constraint::parse(&call.callee().assembly().1) else { return false };
    let operands = constraints.operands.iter().filter(|operand| operand.takes_argument);
    let mut taken = operands.zip(call.arguments());
    taken.all(|(operand, argument)| argument != pointer || operand.place == Place::Memory)
}
