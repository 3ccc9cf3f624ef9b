//! The instructions of inline assembly that are understood.

use super::{Address, Assembly, FLAGS, Flag, Spot};
use crate::assembly::{AX, Argument, BX, Base, CX, DX, Instruction, Memory, Register, STACK_POINTER};
use crate::fold::truncate;
use base::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use vm::Builtin;
use vm::bytecode::{BinOp, CmpOp, Op, Operand, OverflowOp, RmwKind, UnaryOp};

/// Instructions whose names may end with a size.
const SIZED: &[&str] = &[
    "mov", "movabs", "xchg", "cmpxchg", "xadd", "add", "sub", "sbb", "and", "or", "xor", "cmp", "test",
    "inc", "dec", "neg", "not", "bt", "bts", "btr", "btc", "lea", "shl", "sal", "shr", "sar", "bsf", "bsr",
    "tzcnt", "lzcnt", "popcnt", "bswap",
];

/// Loads and moves of fewer bits than they write: their name, the bits that they read, and whether they keep the sign.
const EXTENSIONS: &[(&str, u8, u8, bool)] = &[
    ("movzbw", 8, 16, false),
    ("movzbl", 8, 32, false),
    ("movzbq", 8, 64, false),
    ("movzwl", 16, 32, false),
    ("movzwq", 16, 64, false),
    ("movsbw", 8, 16, true),
    ("movsbl", 8, 32, true),
    ("movsbq", 8, 64, true),
    ("movswl", 16, 32, true),
    ("movswq", 16, 64, true),
    ("movslq", 32, 64, true),
];

/// Where an instruction finds or leaves a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    Spot(Spot),
    Memory(Address),
}

/// The name of an instruction without its size, and the size.
fn without_size(name: &str) -> Option<(&str, Option<u8>)> {
    if SIZED.contains(&name) {
        return Some((name, None));
    }
    let (base, size) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let bits = match size {
        "b" => 8,
        "w" => 16,
        "l" => 32,
        "q" => 64,
        _ => return None,
    };
    SIZED.contains(&base).then_some((base, Some(bits)))
}

impl Assembly<'_, '_, '_> {
    pub(super) fn instruction(&mut self, instruction: &Instruction) -> Result<(), String> {
        let name = instruction.name.as_str();
        let unknown = || format!("`{name}` is not known, or not with these operands");
        if let Some(&(_, from, to, is_signed)) = EXTENSIONS.iter().find(|extension| extension.0 == name) {
            let [source, target] = &instruction.arguments[..] else { return Err(unknown()) };
            let mut value = self.read(source, from)?;
            if is_signed {
                value = self.body.asm.sign_extend(from, to, value);
            }
            return self.write(target, to, value);
        }
        if let Some((name, bits)) = without_size(name) {
            let bits = match bits {
                Some(bits) => bits,
                None => self.size(&instruction.arguments).ok_or_else(unknown)?,
            };
            return self.sized(name, bits, instruction);
        }
        if let Some(condition) = name.strip_prefix("set") {
            let [target] = &instruction.arguments[..] else { return Err(unknown()) };
            let value = self.condition(condition)?;
            return self.write(target, 8, value);
        }
        if let Some(condition) = name.strip_prefix("cmov") {
            let [source, target] = &instruction.arguments[..] else { return Err(unknown()) };
            let bits = self.size(&instruction.arguments).ok_or_else(unknown)?;
            let condition = self.condition(condition)?;
            let (new, old) = (self.read(source, bits)?, self.read(target, bits)?);
            let value = self.body.asm.select(condition, new, old);
            return self.write(target, bits, value);
        }
        match (name, &instruction.arguments[..]) {
            ("nop", _) => {}
            ("pause", []) => self.body.asm.builtin(Builtin::Hint, &[], None),
            ("mfence", []) => self.fence(FenceOrder::SeqCst)?,
            // Ordinary memory is ordered without them but for stores before loads, which they do not order either: what is
            // left is the compiler, as for a fence that needs no instruction.
            ("lfence" | "sfence", []) => self.fence(FenceOrder::AcqRel)?,
            ("ud2" | "int3" | "hlt", []) => self.body.asm.builtin(Builtin::Abort, &[], None),
            ("cmpxchg8b", [memory]) if instruction.is_locked => self.exchange_eight(memory)?,
            ("cmpxchg16b", [memory]) if instruction.is_locked => self.exchange_sixteen(memory)?,
            ("rdtsc" | "rdtscp", []) => return Err("the time is not modelled".into()),
            _ if name.starts_with("prefetch") => {}
            _ => return Err(unknown()),
        }
        Ok(())
    }

    /// The number of bits that a register among the arguments has.
    fn size(&self, arguments: &[Argument]) -> Option<u8> {
        arguments.iter().rev().find_map(|argument| match argument {
            Argument::Register(register) => Some(register.bits),
            Argument::Operand(index, modifier) if !self.is_memory(*index) => match modifier {
                Some('b') => Some(8),
                Some('w') => Some(16),
                Some('k') => Some(32),
                Some('q') => Some(64),
                _ => self.operand_bits(*index),
            },
            _ => None,
        })
    }

    /// The number of bits of the type of an operand in a register; `None` for a constant.
    fn operand_bits(&self, index: usize) -> Option<u8> {
        let argument = match self.arguments.get(index)? {
            Some(argument) => *argument,
            // An output: an input in the same place has its type.
            None => {
                let spot = self.spot(index).ok()?;
                let tied = |&other: &usize| self.arguments[other].is_some() && self.spot(other) == Ok(spot);
                return match (0..self.arguments.len()).find(tied) {
                    Some(other) => self.operand_bits(other),
                    None => self.widths.iter().find(|it| it.0 == index).map(|it| it.1),
                };
            }
        };
        self.body.width(argument).ok()
    }

    fn read(&mut self, argument: &Argument, bits: u8) -> Result<Operand, String> {
        match argument {
            Argument::Immediate(number) => {
                let value = self.constant(*number)?;
                Ok(self.body.asm.number(truncate(value.cast_unsigned(), bits)))
            }
            Argument::ThreadPointer(0) if bits == 64 => {
                let register = self.body.asm.fresh();
                self.body.asm.builtin(Builtin::PthreadSelf, &[], Some(register));
                Ok(Operand::Reg(register))
            }
            Argument::ThreadPointer(_) => Err("it accesses the memory of its thread".into()),
            _ => match self.target(argument)? {
                Target::Spot(spot) => self.held(spot, bits),
                Target::Memory(address) => Ok(self.load(address, bits)),
            },
        }
    }

    fn write(&mut self, argument: &Argument, bits: u8, value: Operand) -> Result<(), String> {
        let target = self.target(argument)?;
        self.write_to(target, bits, value);
        Ok(())
    }

    fn write_to(&mut self, target: Target, bits: u8, value: Operand) {
        match target {
            Target::Spot(spot) => self.put(spot, bits, value),
            Target::Memory(address) => self.store(address, bits, value),
        }
    }

    fn target(&mut self, argument: &Argument) -> Result<Target, String> {
        Ok(match argument {
            Argument::Operand(index, _) if self.is_memory(*index) => {
                Target::Memory(self.operand_address(*index)?)
            }
            Argument::Operand(index, _) => Target::Spot(self.spot(*index)?),
            Argument::Register(Register { number: STACK_POINTER, .. }) => {
                return Err("it uses the stack pointer".into());
            }
            Argument::Register(register) => Target::Spot(Spot::Register(register.number)),
            Argument::Memory(memory) => Target::Memory(self.address(memory)?),
            Argument::Immediate(_) | Argument::ThreadPointer(_) | Argument::Label(_) => {
                return Err("an operand that cannot be written".into());
            }
        })
    }

    /// An instruction on `bits` bits.
    fn sized(&mut self, name: &str, bits: u8, instruction: &Instruction) -> Result<(), String> {
        let unknown = || Err(format!("`{name}` is not known with these operands"));
        match (name, &instruction.arguments[..]) {
            ("add" | "sub" | "or" | "xor", [Argument::Immediate(number), Argument::Memory(memory)])
                if instruction.is_locked && is_stack(memory) =>
            {
                // Of no effect but that of the lock.
                match self.constant(*number)? {
                    0 => self.fence(FenceOrder::SeqCst),
                    _ => unknown(),
                }
            }
            ("xchg", [a, b]) => self.exchange(bits, a, b),
            ("cmpxchg", [source, target]) => {
                self.compare_exchange(bits, source, target, instruction.is_locked)
            }
            ("xadd", [source, target]) => {
                let addend = self.read(source, bits)?;
                let (old, new) = self.change(BinOp::Add, bits, target, addend, instruction.is_locked)?;
                self.flags_of_sum(bits, [old, addend, new], true);
                self.write(source, bits, old)
            }
            ("add" | "sub" | "and" | "or" | "xor", [source, target]) => {
                let zeroes = matches!(name, "xor" | "sub") && source == target;
                let operand = match zeroes && !self.is_in_memory(target) {
                    // Clears the register, whatever it holds.
                    true => return self.clear(bits, target),
                    false => self.read(source, bits)?,
                };
                let op = match name {
                    "add" => BinOp::Add,
                    "sub" => BinOp::Sub,
                    "and" => BinOp::And,
                    "or" => BinOp::Or,
                    _ => BinOp::Xor,
                };
                let (old, new) = self.change(op, bits, target, operand, instruction.is_locked)?;
                match op {
                    BinOp::Add => self.flags_of_sum(bits, [old, operand, new], true),
                    BinOp::Sub => self.flags_of_difference(bits, [old, operand, new], true),
                    _ => self.flags_of_bits(bits, new),
                }
                Ok(())
            }
            ("inc" | "dec", [target]) => {
                let one = self.body.asm.number(1);
                let op = if name == "inc" { BinOp::Add } else { BinOp::Sub };
                let (old, new) = self.change(op, bits, target, one, instruction.is_locked)?;
                match op {
                    BinOp::Add => self.flags_of_sum(bits, [old, one, new], false),
                    _ => self.flags_of_difference(bits, [old, one, new], false),
                }
                Ok(())
            }
            ("not", [target]) => {
                let ones = self.body.asm.number(truncate(u64::MAX, bits));
                self.change(BinOp::Xor, bits, target, ones, instruction.is_locked).map(|_| ())
            }
            ("neg", [target]) => self.negate(bits, target, instruction.is_locked),
            ("bts" | "btr" | "btc", [bit, target]) => {
                self.change_bit(name, bits, bit, target, instruction.is_locked)
            }
            _ if instruction.is_locked => unknown(),
            ("mov" | "movabs", [source, target]) => {
                let value = self.read(source, bits)?;
                self.write(target, bits, value)
            }
            ("cmp" | "test", [source, target]) => {
                let (b, a) = (self.read(source, bits)?, self.read(target, bits)?);
                let op = if name == "cmp" { BinOp::Sub } else { BinOp::And };
                let value = self.body.asm.bin(op, bits, a, b);
                match op {
                    BinOp::Sub => self.flags_of_difference(bits, [a, b, value], true),
                    _ => self.flags_of_bits(bits, value),
                }
                Ok(())
            }
            // The carry flag in every bit.
            ("sbb", [source, target]) if source == target && !self.is_in_memory(target) => {
                let carry = self.held(Spot::Flag(Flag::Carry), 1)?;
                let value = self.body.asm.sign_extend(1, bits, carry);
                self.forget(&FLAGS);
                self.write(target, bits, value)
            }
            ("bt", [bit, target]) if !self.is_in_memory(target) => {
                let (bit, value) = (self.read(bit, bits)?, self.read(target, bits)?);
                let bit = self.low_bits(bits, bit);
                self.flag_of_bit(bits, value, bit);
                Ok(())
            }
            ("lea", [Argument::Memory(memory), target]) => {
                let address = self.address(memory)?;
                if address.is_own {
                    return Err("it takes the address of an operand in memory".into());
                }
                let address = self.body.asm.truncate_to(bits, address.at);
                self.write(target, bits, address)
            }
            ("shl" | "sal" | "shr" | "sar", [count, target]) => {
                let op = match name {
                    "shr" => BinOp::LShr,
                    "sar" => BinOp::AShr,
                    _ => BinOp::Shl,
                };
                let count = self.read(count, 8)?;
                let mask = self.body.asm.number(if bits == 64 { 63 } else { 31 });
                let count = self.body.asm.bin(BinOp::And, 8, count, mask);
                let old = self.read(target, bits)?;
                let value = self.body.asm.bin(op, bits, old, count);
                self.forget(&FLAGS);
                self.write(target, bits, value)
            }
            ("bsf" | "bsr" | "tzcnt" | "lzcnt" | "popcnt", [source, target]) => {
                let source = self.read(source, bits)?;
                let value = self.count_bits(name, bits, source);
                self.write(target, bits, value)
            }
            ("bswap", [target]) => {
                let old = self.read(target, bits)?;
                let value = self.body.asm.unary(UnaryOp::ByteSwap, bits, old);
                self.write(target, bits, value)
            }
            _ => unknown(),
        }
    }

    fn is_in_memory(&self, argument: &Argument) -> bool {
        match argument {
            Argument::Operand(index, _) => self.is_memory(*index),
            Argument::Memory(_) => true,
            _ => false,
        }
    }

    fn clear(&mut self, bits: u8, target: &Argument) -> Result<(), String> {
        let zero = self.body.asm.number(0);
        self.flags_of_bits(bits, zero);
        self.write(target, bits, zero)
    }

    /// `target op= operand`: the old and the new value.
    fn change(
        &mut self,
        op: BinOp,
        bits: u8,
        target: &Argument,
        operand: Operand,
        is_locked: bool,
    ) -> Result<(Operand, Operand), String> {
        let target = self.target(target)?;
        let old = match target {
            Target::Memory(address) if is_locked => {
                let kind = match op {
                    BinOp::Add => RmwKind::Add,
                    BinOp::Sub => RmwKind::Sub,
                    BinOp::And => RmwKind::And,
                    BinOp::Or => RmwKind::Or,
                    _ => RmwKind::Xor,
                };
                let old = self.locked(kind, bits, address, operand);
                return Ok((old, self.body.asm.bin(op, bits, old, operand)));
            }
            Target::Spot(_) if is_locked => return Err("`lock` without memory".into()),
            Target::Memory(address) => self.load(address, bits),
            Target::Spot(spot) => self.held(spot, bits)?,
        };
        let new = self.body.asm.bin(op, bits, old, operand);
        self.write_to(target, bits, new);
        Ok((old, new))
    }

    /// A read-modify-write with its fences; the old value.
    fn locked(&mut self, kind: RmwKind, bits: u8, address: Address, value: Operand) -> Operand {
        self.locked_fence();
        let (size, order, address) = (bits / 8, RmwOrder::Relaxed, address.at);
        let old = self.body.asm.result(|dst| Op::Rmw { kind, size, order, dst, address, value });
        self.locked_fence();
        old
    }

    /// A compare-exchange with its fences; the old value and whether it has succeeded.
    fn locked_compare_exchange(
        &mut self,
        bits: u8,
        address: Address,
        expected: Operand,
        new: Operand,
    ) -> (Operand, Operand) {
        self.locked_fence();
        let (dst, success) = (self.body.asm.fresh(), self.body.asm.fresh());
        self.body.asm.emit(Op::CompareExchange {
            size: bits / 8,
            order: RmwOrder::Relaxed,
            failure: ReadOrder::Relaxed,
            weak: false,
            dst,
            success,
            address: address.at,
            expected,
            new,
        });
        self.locked_fence();
        (Operand::Reg(dst), Operand::Reg(success))
    }

    /// `xchg`, which is locked without saying so.
    fn exchange(&mut self, bits: u8, a: &Argument, b: &Argument) -> Result<(), String> {
        let (a, b) = (self.target(a)?, self.target(b)?);
        match (a, b) {
            (Target::Spot(spot), Target::Memory(address)) | (Target::Memory(address), Target::Spot(spot)) => {
                let value = self.held(spot, bits)?;
                let old = self.locked(RmwKind::Exchange, bits, address, value);
                self.put(spot, bits, old);
            }
            (Target::Spot(a), Target::Spot(b)) => {
                let (old_a, old_b) = (self.held(a, bits)?, self.held(b, bits)?);
                self.put(a, bits, old_b);
                self.put(b, bits, old_a);
            }
            (Target::Memory(_), Target::Memory(_)) => return Err("`xchg` of memory with memory".into()),
        }
        Ok(())
    }

    fn compare_exchange(
        &mut self,
        bits: u8,
        source: &Argument,
        target: &Argument,
        is_locked: bool,
    ) -> Result<(), String> {
        let accumulator = Spot::Register(AX.number);
        if is_locked && !self.state.contains_key(&accumulator) {
            return self.locked_load(bits, source, target);
        }
        let (expected, new) = (self.held(accumulator, bits)?, self.read(source, bits)?);
        let Target::Memory(address) = self.target(target)? else {
            return Err("`cmpxchg` without memory".into());
        };
        if !is_locked {
            return Err("`cmpxchg` of memory without `lock` is not atomic".into());
        }
        let (old, success) = self.locked_compare_exchange(bits, address, expected, new);
        let difference = self.body.asm.bin(BinOp::Sub, bits, expected, old);
        self.flags_of_difference(bits, [expected, old, difference], true);
        self.set(Flag::Zero, success);
        // If it has succeeded, the register keeps all that it has; the high half of 32 bits is left unknown.
        match self.state.get(&accumulator) {
            Some(held) if bits >= 32 || held.bits <= bits => self.hold(accumulator, old, bits),
            _ => self.put(accumulator, bits, old),
        }
        Ok(())
    }

    /// `lock cmpxchg` of the accumulator, whatever is in it, with memory: if the two are equal, it writes what is there already.
    fn locked_load(&mut self, bits: u8, source: &Argument, target: &Argument) -> Result<(), String> {
        let accumulator = Spot::Register(AX.number);
        match (self.target(source)?, self.target(target)?) {
            (Target::Spot(spot), Target::Memory(Address { at: address, .. })) if spot == accumulator => {
                self.locked_fence();
                let (size, order) = (bits / 8, ReadOrder::Relaxed);
                let old = self.body.asm.result(|dst| Op::Load { size, order, partial: false, dst, address });
                self.locked_fence();
                self.forget(&FLAGS);
                self.hold(accumulator, old, bits);
                Ok(())
            }
            _ => Err("it reads a register or a flag that has no value".into()),
        }
    }

    /// `cmpxchg8b`: `edx:eax` with the memory, and if they are equal, `ecx:ebx` into it.
    fn exchange_eight(&mut self, memory: &Argument) -> Result<(), String> {
        let Target::Memory(address) = self.target(memory)? else {
            return Err("`cmpxchg8b` without memory".into());
        };
        let (expected, new) = (self.pair(DX, AX)?, self.pair(CX, BX)?);
        let (old, success) = self.locked_compare_exchange(64, address, expected, new);
        let low = self.body.asm.truncate(32, old);
        let bits = self.body.asm.number(32);
        let high = self.body.asm.bin(BinOp::LShr, 64, old, bits);
        self.hold(Spot::Register(AX.number), low, 32);
        self.hold(Spot::Register(DX.number), high, 32);
        self.set(Flag::Zero, success);
        Ok(())
    }

    /// `cmpxchg16b`: `rdx:rax` with the memory, and if they are equal, `rcx:rbx` into it. Values have eight bytes: it is an atomic
    /// section that accesses both halves, which other accesses to a half see, too. Conflicting sections synchronise, as locked
    /// instructions with their fences do.
    fn exchange_sixteen(&mut self, memory: &Argument) -> Result<(), String> {
        if !self.constraints.clobbers_memory {
            return Err("`cmpxchg16b` without the clobber `memory`: add the clobber".into());
        }
        let Target::Memory(Address { at, .. }) = self.target(memory)? else {
            return Err("`cmpxchg16b` without memory".into());
        };
        let mut whole = |register: Register| self.held(Spot::Register(register.number), 64);
        let (expected, new) = ([whole(AX)?, whole(DX)?], [whole(BX)?, whole(CX)?]);
        let halves = [at, self.body.asm.offset(at, 8)];
        self.locked_fence();
        self.body.asm.builtin(Builtin::AtomicEnter, &[], None);
        let old = halves.map(|address| {
            let order = ReadOrder::Relaxed;
            self.body.asm.result(|dst| Op::Load { size: 8, order, partial: false, dst, address })
        });
        let same = [0, 1].map(|half| self.body.asm.cmp(CmpOp::Eq, 64, old[half], expected[half]));
        let success = self.body.asm.bin(BinOp::And, 1, same[0], same[1]);
        let (write, done) = (self.body.asm.label(), self.body.asm.label());
        self.body.asm.branch(success, write, done);
        self.body.asm.place(write);
        for (address, value) in halves.into_iter().zip(new) {
            self.body.asm.emit(Op::Store { size: 8, order: WriteOrder::Relaxed, address, value });
        }
        self.body.asm.jump(done);
        self.body.asm.place(done);
        self.body.asm.builtin(Builtin::AtomicLeave, &[], None);
        self.locked_fence();
        self.hold(Spot::Register(AX.number), old[0], 64);
        self.hold(Spot::Register(DX.number), old[1], 64);
        self.set(Flag::Zero, success);
        Ok(())
    }

    fn pair(&mut self, high: Register, low: Register) -> Result<Operand, String> {
        let (high, low) =
            (self.held(Spot::Register(high.number), 32)?, self.held(Spot::Register(low.number), 32)?);
        let bits = self.body.asm.number(32);
        let high = self.body.asm.bin(BinOp::Shl, 64, high, bits);
        Ok(self.body.asm.bin(BinOp::Or, 64, high, low))
    }

    /// Zero minus the target. There is no such read-modify-write: a locked one is tried until it succeeds.
    fn negate(&mut self, bits: u8, target: &Argument, is_locked: bool) -> Result<(), String> {
        let target = self.target(target)?;
        let zero = self.body.asm.number(0);
        let (old, new) = match target {
            Target::Memory(address) if is_locked => {
                let (again, done) = (self.body.asm.label(), self.body.asm.label());
                self.body.asm.jump(again);
                self.body.asm.place(again);
                let (size, order, at) = (bits / 8, ReadOrder::Relaxed, address.at);
                let old =
                    self.body.asm.result(|dst| Op::Load { size, order, partial: false, dst, address: at });
                let new = self.body.asm.bin(BinOp::Sub, bits, zero, old);
                let (_, success) = self.locked_compare_exchange(bits, address, old, new);
                self.body.asm.branch(success, done, again);
                self.body.asm.place(done);
                (old, new)
            }
            Target::Spot(_) if is_locked => return Err("`lock` without memory".into()),
            _ => {
                let old = match target {
                    Target::Memory(address) => self.load(address, bits),
                    Target::Spot(spot) => self.held(spot, bits)?,
                };
                let new = self.body.asm.bin(BinOp::Sub, bits, zero, old);
                self.write_to(target, bits, new);
                (old, new)
            }
        };
        self.flags_of_difference(bits, [zero, old, new], true);
        Ok(())
    }

    /// `bts`, `btr`, `btc`: set, reset or complement a bit. In memory a bit in a register may be beyond the operand.
    fn change_bit(
        &mut self,
        name: &str,
        bits: u8,
        bit: &Argument,
        target: &Argument,
        is_locked: bool,
    ) -> Result<(), String> {
        let number = self.read(bit, bits)?;
        let mut target = self.target(target)?;
        if let Target::Memory(address) = &mut target
            && !matches!(bit, Argument::Immediate(_))
        {
            let log = self.body.asm.number(u64::from(bits.trailing_zeros()));
            let index = self.body.asm.bin(BinOp::AShr, bits, number, log);
            let index = self.body.asm.sign_extend(bits, 64, index);
            if self.body.asm.known(index) != Some(0) {
                let (base, scale) = (address.at, i32::from(bits / 8));
                address.at = self.body.asm.result(|dst| Op::Index { dst, base, index, scale });
                address.is_own = false;
            }
        }
        let number = self.low_bits(bits, number);
        let one = self.body.asm.number(1);
        let mask = self.body.asm.bin(BinOp::Shl, bits, one, number);
        let ones = self.body.asm.number(truncate(u64::MAX, bits));
        let (op, kind, mask) = match name {
            "bts" => (BinOp::Or, RmwKind::Or, mask),
            "btr" => (BinOp::And, RmwKind::And, self.body.asm.bin(BinOp::Xor, bits, mask, ones)),
            _ => (BinOp::Xor, RmwKind::Xor, mask),
        };
        let old = match target {
            Target::Memory(address) if is_locked => self.locked(kind, bits, address, mask),
            Target::Spot(_) if is_locked => return Err("`lock` without memory".into()),
            Target::Memory(address) => self.load(address, bits),
            Target::Spot(spot) => self.held(spot, bits)?,
        };
        if !is_locked {
            let new = self.body.asm.bin(op, bits, old, mask);
            self.write_to(target, bits, new);
        }
        self.flag_of_bit(bits, old, number);
        Ok(())
    }

    /// The number of a bit, modulo the number of bits.
    fn low_bits(&mut self, bits: u8, number: Operand) -> Operand {
        let mask = self.body.asm.number(u64::from(bits) - 1);
        self.body.asm.bin(BinOp::And, bits, number, mask)
    }

    fn count_bits(&mut self, name: &str, bits: u8, source: Operand) -> Operand {
        let zero = self.body.asm.number(0);
        let is_zero = self.body.asm.cmp(CmpOp::Eq, bits, source, zero);
        if matches!(name, "bsf" | "bsr") {
            // The result for 0 is undefined.
            let (undefined, defined) = (self.body.asm.label(), self.body.asm.label());
            self.body.asm.branch(is_zero, undefined, defined);
            self.body.asm.place(undefined);
            self.body
                .asm
                .refuse(format!("`{name}` of 0 in inline assembly, which is undefined, is not modelled"));
            self.body.asm.place(defined);
        }
        self.forget(&FLAGS);
        if matches!(name, "bsf" | "bsr") {
            self.set(Flag::Zero, is_zero);
        }
        match name {
            "bsf" | "tzcnt" => self.body.asm.unary(UnaryOp::TrailingZeros, bits, source),
            "popcnt" => self.body.asm.unary(UnaryOp::PopCount, bits, source),
            "lzcnt" => self.body.asm.unary(UnaryOp::LeadingZeros, bits, source),
            _ => {
                let zeros = self.body.asm.unary(UnaryOp::LeadingZeros, bits, source);
                let last = self.body.asm.number(u64::from(bits) - 1);
                self.body.asm.bin(BinOp::Sub, bits, last, zeros)
            }
        }
    }

    fn flags_of_sum(&mut self, bits: u8, [a, b, sum]: [Operand; 3], has_carry: bool) {
        self.flags_of_overflow(bits, [a, b, sum], [OverflowOp::UAdd, OverflowOp::SAdd], has_carry);
    }

    fn flags_of_difference(&mut self, bits: u8, values: [Operand; 3], has_carry: bool) {
        self.flags_of_overflow(bits, values, [OverflowOp::USub, OverflowOp::SSub], has_carry);
    }

    fn flags_of_overflow(
        &mut self,
        bits: u8,
        [a, b, value]: [Operand; 3],
        [unsigned, signed]: [OverflowOp; 2],
        has_carry: bool,
    ) {
        if has_carry {
            let (_, carry) = self.body.asm.overflow(unsigned, bits, a, b);
            self.set(Flag::Carry, carry);
        }
        let (_, overflow) = self.body.asm.overflow(signed, bits, a, b);
        self.set(Flag::Overflow, overflow);
        self.flags_of_value(bits, value);
    }

    /// The flags after an operation on bits.
    fn flags_of_bits(&mut self, bits: u8, value: Operand) {
        let zero = self.body.asm.number(0);
        self.set(Flag::Carry, zero);
        self.set(Flag::Overflow, zero);
        self.flags_of_value(bits, value);
    }

    fn flags_of_value(&mut self, bits: u8, value: Operand) {
        let zero = self.body.asm.number(0);
        let (is_zero, is_negative) = (
            self.body.asm.cmp(CmpOp::Eq, bits, value, zero),
            self.body.asm.cmp(CmpOp::Slt, bits, value, zero),
        );
        self.set(Flag::Zero, is_zero);
        self.set(Flag::Sign, is_negative);
    }

    /// The carry flag is the bit; the zero flag stays, the others are undefined.
    fn flag_of_bit(&mut self, bits: u8, value: Operand, number: Operand) {
        let shifted = self.body.asm.bin(BinOp::LShr, bits, value, number);
        let bit = self.body.asm.truncate(1, shifted);
        self.set(Flag::Carry, bit);
        self.forget(&[Flag::Sign, Flag::Overflow]);
    }
}

/// Whether it is the memory at the top of the stack, or near it.
fn is_stack(memory: &Memory) -> bool {
    matches!(memory.base, Base::Register(Register { number: STACK_POINTER, .. })) && memory.index.is_none()
}
