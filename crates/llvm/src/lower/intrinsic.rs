//! LLVM's own functions (`llvm.*`): memory, lifetimes, bits, arithmetic.

use super::body::Body;
use crate::ffi::{Opcode, Value};
use crate::symbols::Symbol;
use base::FenceOrder;
use vm::bytecode::*;
use vm::{Builtin, Clock, SystemCall};

/// They tell the optimiser something, and do nothing.
const IGNORED: &[&str] = &[
    "assume",
    "codeview.annotation",
    "dbg.",
    "donothing",
    "experimental.noalias.scope.decl",
    "invariant.end",
    "prefetch",
    "pseudoprobe",
    "sideeffect",
    "va_end",
    "var.annotation",
];

/// Their result is their first argument.
const IDENTITIES: &[&str] = &[
    "annotation.",
    "arithmetic.fence.",
    "expect.",
    "launder.invariant.group.",
    "ptr.annotation.",
    "ssa.copy.",
    "strip.invariant.group.",
];

impl<'m> Body<'_, 'm> {
    pub(super) fn intrinsic(&mut self, call: Value<'m>, symbol: &str) -> Result<(), String> {
        let name = symbol.strip_prefix("llvm.").unwrap_or(symbol);
        let starts = |prefix: &&&str| name.starts_with(**prefix);
        if IGNORED.iter().any(|prefix| starts(&prefix)) {
            return Ok(());
        }
        if IDENTITIES.iter().any(|prefix| starts(&prefix)) {
            let values = self.all(call.arguments()[0])?;
            self.define(call, values);
            return Ok(());
        }
        if name.starts_with("eh.typeid.for") {
            let number = self.type_number(call.arguments()[0])?;
            self.define(call, vec![number]);
            return Ok(());
        }
        if self.memory(call, name)? || self.control(call, name)? {
            return Ok(());
        }
        match self.arithmetic(call, name)? {
            Some(values) => {
                self.define(call, values);
                Ok(())
            }
            None => Err(format!("the intrinsic `{symbol}` is not modelled")),
        }
    }

    /// Copies, lifetimes and addresses.
    fn memory(&mut self, call: Value<'m>, name: &str) -> Result<bool, String> {
        let arguments = call.arguments();
        let builtin = match name.split('.').next() {
            // An element-wise atomic copy is something else.
            _ if name.contains(".element.") => return Ok(false),
            Some("memcpy" | "memmove") => Builtin::MemCopy,
            Some("memset") => Builtin::MemSet,
            Some("lifetime") => {
                self.lifetime(call, name.starts_with("lifetime.start"))?;
                return Ok(true);
            }
            Some("threadlocal") => {
                self.thread_local(call)?;
                return Ok(true);
            }
            _ => return Ok(false),
        };
        let operands = arguments[..3].iter().map(|&a| self.one(a)).collect::<Result<Vec<_>, _>>()?;
        self.asm.builtin(builtin, &operands, None);
        Ok(true)
    }

    fn lifetime(&mut self, call: Value<'m>, start: bool) -> Result<(), String> {
        let variable = *call.arguments().last().expect("a lifetime has a variable");
        // Anything but a variable is a marker that optimisation left behind.
        if variable.is(Opcode::LLVMAlloca) {
            let address = self.one(variable)?;
            self.asm.emit(Op::Lifetime { address, start });
        }
        Ok(())
    }

    fn thread_local(&mut self, call: Value<'m>) -> Result<(), String> {
        match self.symbols.resolve(call.arguments()[0])? {
            Symbol::ThreadLocal(global, offset) => {
                let base = self.asm.result(|dst| Op::ThreadLocal { dst, global });
                let address = self.asm.offset(base, offset);
                self.define(call, vec![address]);
                Ok(())
            }
            symbol => Err(format!("a thread-local address of `{symbol:?}` is not modelled")),
        }
    }

    /// What ends or delays a thread, and what has no value that matters.
    fn control(&mut self, call: Value<'m>, name: &str) -> Result<bool, String> {
        match name {
            "trap" | "debugtrap" | "ubsantrap" => self.asm.builtin(Builtin::Abort, &[], None),
            // Fences of loads or stores alone order nothing that the processor does not order anyway, and nothing in C.
            "x86.sse2.pause" | "x86.sse2.lfence" | "x86.sse.sfence" => {
                self.asm.builtin(Builtin::Hint, &[], None)
            }
            "x86.rdtsc" | "x86.rdtscp" => {
                let time = self.answer_of(Builtin::System(SystemCall::Clock(Clock::Counter)));
                let processor = self.asm.number(0);
                self.define(call, if name == "x86.rdtscp" { vec![time, processor] } else { vec![time] });
            }
            _ if name.starts_with("thread.pointer") => {
                let own = self.answer_of(Builtin::PthreadSelf);
                self.define(call, vec![own]);
            }
            _ if name.starts_with("frameaddress") && call.arguments()[0].integer() == Some(0) => {
                let mark = self.result(call)?;
                self.asm.builtin(Builtin::StackSave, &[], Some(mark));
            }
            "x86.sse2.mfence" => self.asm.emit(Op::Fence(FenceOrder::SeqCst)),
            _ if name.starts_with("stacksave") => {
                let mark = self.result(call)?;
                self.asm.builtin(Builtin::StackSave, &[], Some(mark));
            }
            _ if name.starts_with("stackrestore") => {
                let mark = self.one(call.arguments()[0])?;
                self.asm.builtin(Builtin::StackRestore, &[mark], None);
            }
            _ if ["is.constant.", "invariant.start"].iter().any(|p| name.starts_with(p)) => {
                let zero = self.asm.number(0);
                self.define(call, vec![zero]);
            }
            _ if name.starts_with("objectsize.") => {
                let width = self.width(call)?;
                let wants_least = call.arguments()[1].integer() == Some(1);
                let unknown = if wants_least { 0 } else { crate::fold::truncate(u64::MAX, width) };
                let unknown = self.asm.number(unknown);
                self.define(call, vec![unknown]);
            }
            "va_start" | "va_start.p0" => self.start_list(call)?,
            "va_copy" | "va_copy.p0" => self.copy_list(call)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The answer of a function without arguments.
    fn answer_of(&mut self, builtin: Builtin) -> Operand {
        let arguments = self.asm.operands(&[]);
        self.asm.result(|dst| Op::Builtin { builtin, arguments, result: Some(dst) })
    }

    /// The result, or `None` for what is unknown.
    fn arithmetic(&mut self, call: Value<'m>, name: &str) -> Result<Option<Vec<Operand>>, String> {
        let arguments = call.arguments();
        let Some((operation, _)) = name.rsplit_once('.') else { return Ok(None) };
        let Some(&first) = arguments.first() else { return Ok(None) };
        let width = self.lane_width(first.ty())?;
        let lanes = arguments.iter().take(3).map(|&argument| self.lanes(argument));
        let lanes: Vec<Vec<Vec<Operand>>> = lanes.collect::<Result<_, _>>()?;
        if let Some(operation) = operation.strip_prefix("vector.reduce.") {
            return Ok(self.reduce(operation, width, &lanes[0]));
        }
        let to = self.lane_width(call.ty()).unwrap_or(width);
        let mut results = Vec::new();
        for lane in 0..lanes[0].len() {
            // What is no vector is the same for all lanes; what is not there is not looked at.
            let of = |index: usize| {
                let lanes = lanes.get(index).unwrap_or(&lanes[0]);
                lanes.get(lane).unwrap_or(&lanes[0]).clone()
            };
            let result = match width > 64 {
                true => self.wide_arithmetic(operation, width, &of(0), &of(1)),
                false => self.lane_arithmetic(operation, width, to, [of(0)[0], of(1)[0], of(2)[0]]),
            };
            match result {
                Some(result) => results.push(result),
                None => return Ok(None),
            }
        }
        // The first member of all lanes, then the second.
        let members = results.first().map_or(0, Vec::len);
        Ok(Some(match results.len() {
            1 => results.concat(),
            // Two words a lane, and an overflow.
            _ if members > 2 => return Ok(None),
            _ if width > 64 => results.concat(),
            _ => (0..members).flat_map(|member| results.iter().map(move |lane| lane[member])).collect(),
        }))
    }

    /// All lanes as one.
    fn reduce(&mut self, operation: &str, width: u8, lanes: &[Vec<Operand>]) -> Option<Vec<Operand>> {
        let op = match operation {
            "add" => BinOp::Add,
            "mul" => BinOp::Mul,
            "and" => BinOp::And,
            "or" => BinOp::Or,
            "xor" => BinOp::Xor,
            "umin" => BinOp::UMin,
            "umax" => BinOp::UMax,
            "smin" => BinOp::SMin,
            "smax" => BinOp::SMax,
            _ => return None,
        };
        let mut lanes = lanes.iter();
        let mut value = lanes.next()?.clone();
        for lane in lanes {
            value = match (&value[..], &lane[..]) {
                (&[a, more], &[b, other]) => self.wide_bin(op, width, [a, more], [b, other]).to_vec(),
                _ => vec![self.asm.bin(op, width, value[0], lane[0])],
            };
        }
        Some(value)
    }

    /// Arithmetic on more than 64 bits; `None` for what is unknown.
    fn wide_arithmetic(
        &mut self,
        operation: &str,
        width: u8,
        a: &[Operand],
        b: &[Operand],
    ) -> Option<Vec<Operand>> {
        let (&[a, more], &[b, other]) = (a, b) else { return None };
        let (a, b) = ([a, more], [b, other]);
        let zero = self.asm.number(0);
        let op = match operation {
            "umin" => BinOp::UMin,
            "umax" => BinOp::UMax,
            "smin" => BinOp::SMin,
            "smax" => BinOp::SMax,
            "uadd.with.overflow" | "sadd.with.overflow" => BinOp::Add,
            "usub.with.overflow" | "ssub.with.overflow" => BinOp::Sub,
            "bswap" if width == 128 => {
                return Some([a[1], a[0]].map(|word| self.asm.unary(UnaryOp::ByteSwap, 64, word)).to_vec());
            }
            "ctpop" => {
                let [low, high] = a.map(|word| self.asm.unary(UnaryOp::PopCount, 64, word));
                return Some(vec![self.asm.bin(BinOp::Add, 64, low, high), zero]);
            }
            _ => return None,
        };
        let value = self.wide_bin(op, width, a, b);
        let overflow = match operation {
            "uadd.with.overflow" => self.wide_cmp(CmpOp::Ult, width, value, a),
            "usub.with.overflow" => self.wide_cmp(CmpOp::Ult, width, a, b),
            "sadd.with.overflow" | "ssub.with.overflow" => {
                // The sign of a sum is that of its terms, if they have the same; a difference is a sum.
                let with = if op == BinOp::Add { value[1] } else { a[1] };
                let (x, y) =
                    (self.asm.bin(BinOp::Xor, 64, a[1], value[1]), self.asm.bin(BinOp::Xor, 64, b[1], with));
                let sign = self.asm.bin(BinOp::And, 64, x, y);
                self.asm.cmp(CmpOp::Slt, width - 64, sign, zero)
            }
            _ => return Some(value.to_vec()),
        };
        Some(vec![value[0], value[1], overflow])
    }

    /// Arithmetic on one lane; `None` for what is unknown.
    fn lane_arithmetic(
        &mut self,
        operation: &str,
        width: u8,
        to: u8,
        [a, b, c]: [Operand; 3],
    ) -> Option<Vec<Operand>> {
        let value = match operation {
            "umin" => self.asm.bin(BinOp::UMin, width, a, b),
            "umax" => self.asm.bin(BinOp::UMax, width, a, b),
            "smin" => self.asm.bin(BinOp::SMin, width, a, b),
            "smax" => self.asm.bin(BinOp::SMax, width, a, b),
            "ptrmask.p0" => self.asm.bin(BinOp::And, 64, a, b),
            "ctpop" => self.asm.unary(UnaryOp::PopCount, width, a),
            "ctlz" => self.asm.unary(UnaryOp::LeadingZeros, width, a),
            "cttz" => self.asm.unary(UnaryOp::TrailingZeros, width, a),
            "bswap" => self.asm.unary(UnaryOp::ByteSwap, width, a),
            "bitreverse" => self.asm.unary(UnaryOp::BitReverse, width, a),
            "abs" => self.asm.unary(UnaryOp::Abs, width, a),
            "fabs" => self.asm.float(FloatOp::Abs, width, a, a),
            // May be rounded once or twice. (`fma` is rounded once, which a product and a sum are not.)
            "fmuladd" => {
                let product = self.asm.float(FloatOp::Mul, width, a, b);
                self.asm.float(FloatOp::Add, width, product, c)
            }
            "fshl" | "fshr" => self.funnel_shift(operation == "fshl", width, [a, b, c]),
            "uadd.sat" | "usub.sat" | "sadd.sat" | "ssub.sat" => self.saturate(operation, width, a, b),
            _ if operation.starts_with("ucmp") => self.three_way(CmpOp::Ult, width, to, a, b),
            _ if operation.starts_with("scmp") => self.three_way(CmpOp::Slt, width, to, a, b),
            _ => match overflow_operation(operation) {
                Some(op) => {
                    let (value, overflow) = self.asm.overflow(op, width, a, b);
                    return Some(vec![value, overflow]);
                }
                None => return None,
            },
        };
        Some(vec![value])
    }

    /// The high (left) or low (right) half of `a:b`, shifted by `c` modulo the width.
    fn funnel_shift(&mut self, left: bool, width: u8, [a, b, c]: [Operand; 3]) -> Operand {
        let bits = self.asm.number(u64::from(width));
        let by = self.asm.bin(BinOp::URem, width, c, bits);
        let rest = self.asm.bin(BinOp::Sub, width, bits, by);
        let (shift_a, shift_b) = if left { (by, rest) } else { (rest, by) };
        // A shift by the whole width gives 0, as it should here.
        let high = self.asm.bin(BinOp::Shl, width, a, shift_a);
        let low = self.asm.bin(BinOp::LShr, width, b, shift_b);
        self.asm.bin(BinOp::Or, width, high, low)
    }

    fn saturate(&mut self, operation: &str, width: u8, a: Operand, b: Operand) -> Operand {
        let (op, limit) = match operation {
            "uadd.sat" => (OverflowOp::UAdd, self.asm.number(crate::fold::truncate(u64::MAX, width))),
            "usub.sat" => (OverflowOp::USub, self.asm.number(0)),
            _ => {
                // Overflow goes the way of the first operand's sign.
                let least = 1u64 << (width - 1);
                let (least, most, zero) =
                    (self.asm.number(least), self.asm.number(least - 1), self.asm.number(0));
                let negative = self.asm.cmp(CmpOp::Slt, width, a, zero);
                let limit = self.asm.select(negative, least, most);
                (if operation == "sadd.sat" { OverflowOp::SAdd } else { OverflowOp::SSub }, limit)
            }
        };
        let (value, overflow) = self.asm.overflow(op, width, a, b);
        self.asm.select(overflow, limit, value)
    }

    /// -1, 0 or 1.
    fn three_way(&mut self, less: CmpOp, width: u8, to: u8, a: Operand, b: Operand) -> Operand {
        let (below, above) = (self.asm.cmp(less, width, a, b), self.asm.cmp(less, width, b, a));
        self.asm.bin(BinOp::Sub, to, above, below)
    }
}

fn overflow_operation(operation: &str) -> Option<OverflowOp> {
    Some(match operation {
        "uadd.with.overflow" => OverflowOp::UAdd,
        "sadd.with.overflow" => OverflowOp::SAdd,
        "usub.with.overflow" => OverflowOp::USub,
        "ssub.with.overflow" => OverflowOp::SSub,
        "umul.with.overflow" => OverflowOp::UMul,
        "smul.with.overflow" => OverflowOp::SMul,
        _ => return None,
    })
}
