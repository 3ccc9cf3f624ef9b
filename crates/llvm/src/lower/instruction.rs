//! Instructions that compute: arithmetic, comparisons, casts, addresses, parts of structs.

use super::body::Body;
use super::lanes::is_packed;
use crate::ffi::{IntPredicate, Kind, Opcode, Type, TypeKind, Value};
use vm::bytecode::*;

impl<'m> Body<'_, 'm> {
    /// Lower one instruction. The error says what is not modelled.
    pub(super) fn instruction(&mut self, block: usize, instruction: Value<'m>) -> Result<(), String> {
        let opcode = instruction.opcode();
        if let Some(op) = integer_operation(opcode) {
            return self.integer(op, instruction);
        }
        if let Some(op) = float_operation(opcode) {
            return self.float(op, instruction);
        }
        match opcode {
            Opcode::LLVMLoad => self.load(instruction),
            Opcode::LLVMStore => self.store(instruction),
            Opcode::LLVMAtomicRMW => self.rmw(instruction),
            Opcode::LLVMAtomicCmpXchg => self.compare_exchange(instruction),
            Opcode::LLVMFence => self.fence(instruction),
            Opcode::LLVMCall => self.call(instruction),
            Opcode::LLVMAlloca => self.alloca(instruction),
            Opcode::LLVMGetElementPtr => self.element(instruction),
            Opcode::LLVMICmp => self.compare(instruction),
            Opcode::LLVMFCmp => {
                let (a, b) = (instruction.operand(0), instruction.operand(1));
                let (width, op) = (self.lane_width(a.ty())?, FloatCmp(instruction.float_predicate()));
                let values = self.lane_by_lane(a, b, |body, a, b| {
                    let (a, b) = (a[0], b[0]);
                    Ok(vec![body.asm.result(|dst| Op::FloatCmp { op, width, dst, a, b })])
                })?;
                self.define(instruction, values);
                Ok(())
            }
            Opcode::LLVMSelect => self.select(instruction),
            Opcode::LLVMExtractElement => self.extract_element(instruction),
            Opcode::LLVMInsertElement => self.insert_element(instruction),
            Opcode::LLVMShuffleVector => self.shuffle(instruction),
            Opcode::LLVMBitCast => self.reinterpret(instruction),
            Opcode::LLVMExtractValue => self.extract(instruction),
            Opcode::LLVMInsertValue => self.insert(instruction),
            Opcode::LLVMFreeze if instruction.operand(0).kind() == Kind::Undefined => {
                Err("a value that may be any (`freeze` of an undefined one) is not modelled".into())
            }
            Opcode::LLVMFreeze => {
                let values = self.all(instruction.operand(0))?;
                self.define(instruction, values);
                Ok(())
            }
            Opcode::LLVMTrunc
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMFPToUI
            | Opcode::LLVMFPToSI
            | Opcode::LLVMUIToFP
            | Opcode::LLVMSIToFP
            | Opcode::LLVMFPTrunc
            | Opcode::LLVMFPExt
            | Opcode::LLVMPtrToInt
            | Opcode::LLVMPtrToAddr
            | Opcode::LLVMIntToPtr
            | Opcode::LLVMAddrSpaceCast => self.cast(instruction),
            Opcode::LLVMRet
            | Opcode::LLVMBr
            | Opcode::LLVMSwitch
            | Opcode::LLVMIndirectBr
            | Opcode::LLVMInvoke
            | Opcode::LLVMUnreachable
            | Opcode::LLVMCallBr
            | Opcode::LLVMResume
            | Opcode::LLVMCleanupRet
            | Opcode::LLVMCatchRet
            | Opcode::LLVMCatchSwitch => self.terminator(block, instruction),
            Opcode::LLVMVAArg => Err("variable arguments are not modelled".into()),
            // Its registers are set by whatever leads there.
            Opcode::LLVMLandingPad => Ok(()),
            Opcode::LLVMCatchPad | Opcode::LLVMCleanupPad => {
                Err("exceptions of Windows are not modelled".into())
            }
            _ => Err(format!("the instruction `{}` is not modelled", instruction.text().trim())),
        }
    }

    fn integer(&mut self, op: BinOp, instruction: Value<'m>) -> Result<(), String> {
        let width = self.lane_width(instruction.ty())?;
        let (a, b) = (instruction.operand(0), instruction.operand(1));
        let values = self.lane_by_lane(a, b, |body, a, b| {
            Ok(match (a, b) {
                (&[a, more], &[b, other]) => body.wide_bin(op, width, [a, more], [b, other]).to_vec(),
                _ => vec![body.asm.bin(op, width, a[0], b[0])],
            })
        })?;
        self.define(instruction, values);
        Ok(())
    }

    fn float(&mut self, op: FloatOp, instruction: Value<'m>) -> Result<(), String> {
        let width = self.lane_width(instruction.ty())?;
        let a = instruction.operand(0);
        let b = if op == FloatOp::Neg { a } else { instruction.operand(1) };
        let values = self.lane_by_lane(a, b, |body, a, b| Ok(vec![body.asm.float(op, width, a[0], b[0])]))?;
        self.define(instruction, values);
        Ok(())
    }

    fn compare(&mut self, instruction: Value<'m>) -> Result<(), String> {
        let (a, b) = (instruction.operand(0), instruction.operand(1));
        let width = self.lane_width(a.ty())?;
        let (op, a, b) = match instruction.int_predicate() {
            IntPredicate::LLVMIntEQ => (CmpOp::Eq, a, b),
            IntPredicate::LLVMIntNE => (CmpOp::Ne, a, b),
            IntPredicate::LLVMIntULT => (CmpOp::Ult, a, b),
            IntPredicate::LLVMIntULE => (CmpOp::Ule, a, b),
            IntPredicate::LLVMIntUGT => (CmpOp::Ult, b, a),
            IntPredicate::LLVMIntUGE => (CmpOp::Ule, b, a),
            IntPredicate::LLVMIntSLT => (CmpOp::Slt, a, b),
            IntPredicate::LLVMIntSLE => (CmpOp::Sle, a, b),
            IntPredicate::LLVMIntSGT => (CmpOp::Slt, b, a),
            IntPredicate::LLVMIntSGE => (CmpOp::Sle, b, a),
        };
        let values = self.lane_by_lane(a, b, |body, a, b| {
            Ok(vec![match (a, b) {
                (&[a, more], &[b, other]) => body.wide_cmp(op, width, [a, more], [b, other]),
                _ => body.asm.cmp(op, width, a[0], b[0]),
            }])
        })?;
        self.define(instruction, values);
        Ok(())
    }

    fn cast(&mut self, instruction: Value<'m>) -> Result<(), String> {
        let source = instruction.operand(0);
        let (from, to) = (self.lane_width(source.ty())?, self.lane_width(instruction.ty())?);
        let opcode = instruction.opcode();
        let values = self.lane_by_lane(source, source, |body, a, _| match from > 64 || to > 64 {
            true => body.wide_cast(opcode, from, to, a),
            false => Ok(vec![body.narrow_cast(opcode, from, to, a[0])]),
        })?;
        self.define(instruction, values);
        Ok(())
    }

    fn narrow_cast(&mut self, opcode: Opcode, from: u8, to: u8, a: Operand) -> Operand {
        match opcode {
            Opcode::LLVMTrunc => self.asm.truncate(to, a),
            Opcode::LLVMSExt => self.asm.sign_extend(from, to, a),
            Opcode::LLVMFPToUI => self.float_cast(FloatCast::ToUnsigned, from, to, a),
            Opcode::LLVMFPToSI => self.float_cast(FloatCast::ToSigned, from, to, a),
            Opcode::LLVMUIToFP => self.float_cast(FloatCast::FromUnsigned, from, to, a),
            Opcode::LLVMSIToFP => self.float_cast(FloatCast::FromSigned, from, to, a),
            Opcode::LLVMFPTrunc | Opcode::LLVMFPExt => self.float_cast(FloatCast::Float, from, to, a),
            Opcode::LLVMPtrToInt if to < from => self.asm.truncate(to, a),
            // Registers are zero-extended, and pointers are numbers: nothing to do.
            _ => a,
        }
    }

    /// A cast from or to more than 64 bits.
    fn wide_cast(&mut self, opcode: Opcode, from: u8, to: u8, a: &[Operand]) -> Result<Vec<Operand>, String> {
        let words = match opcode {
            Opcode::LLVMTrunc | Opcode::LLVMIntToPtr => a.to_vec(),
            Opcode::LLVMZExt | Opcode::LLVMPtrToInt | Opcode::LLVMPtrToAddr if a.len() == 1 => {
                vec![a[0], self.asm.number(0)]
            }
            Opcode::LLVMZExt => a.to_vec(),
            Opcode::LLVMSExt if a.len() == 2 => self.wide_extended(from, [a[0], a[1]]).to_vec(),
            Opcode::LLVMSExt => {
                let low = self.asm.sign_extend(from, 64, a[0]);
                let sign = self.asm.number(63);
                vec![low, self.asm.bin(BinOp::AShr, 64, low, sign)]
            }
            _ => {
                return Err(
                    "a conversion between floating point and more than 64 bits is not modelled".into()
                );
            }
        };
        Ok(match to {
            65.. => vec![words[0], self.asm.truncate_to(to - 64, words[1])],
            _ => vec![self.asm.truncate_to(to, words[0])],
        })
    }

    fn float_cast(&mut self, op: FloatCast, from: u8, to: u8, a: Operand) -> Operand {
        self.asm.result(|dst| Op::FloatCast { op, from, to, dst, a })
    }

    fn extract(&mut self, instruction: Value<'m>) -> Result<(), String> {
        let whole = instruction.operand(0);
        let first = self.part(whole.ty(), &instruction.indices())?;
        let count = self.scalars(instruction.ty())?.len();
        let values = self.all(whole)?[first..first + count].to_vec();
        self.define(instruction, values);
        Ok(())
    }

    fn insert(&mut self, instruction: Value<'m>) -> Result<(), String> {
        let first = self.part(instruction.ty(), &instruction.indices())?;
        let mut values = self.all(instruction.operand(0))?;
        let part = self.all(instruction.operand(1))?;
        values[first..first + part.len()].copy_from_slice(&part);
        self.define(instruction, values);
        Ok(())
    }

    /// Which scalar of a type is the first of the part at `indices`.
    fn part(&self, mut ty: Type<'m>, indices: &[u32]) -> Result<usize, String> {
        let mut first = 0;
        for &index in indices {
            let members = ty.members();
            for &before in &members[..index as usize] {
                first += self.scalars(before)?.len();
            }
            ty = members[index as usize];
        }
        Ok(first)
    }

    fn alloca(&mut self, instruction: Value<'m>) -> Result<(), String> {
        let bitcode = self.symbols.bitcode;
        let ty = instruction.allocated_type();
        let size = bitcode.size_of(ty);
        // Inlining adds to the name.
        let name = || instruction.name().split('.').next().unwrap_or_default().to_owned();
        let size = u32::try_from(size)
            .map_err(|_| format!("the local variable `{}` of {size} bytes is not modelled", name()))?;
        let align = instruction.align().max(bitcode.align_of(ty));
        let align = u8::try_from(align).map_err(|_| {
            format!("the local variable `{}`, aligned to {align} bytes, is not modelled", name())
        })?;
        let count = self.one(instruction.operand(0))?;
        let dst = self.result(instruction)?;
        self.asm.emit(Op::Alloca { dst, size, align, count });
        Ok(())
    }

    /// `getelementptr`: constant offsets are added up, each variable index is one `Index`.
    fn element(&mut self, instruction: Value<'m>) -> Result<(), String> {
        let bitcode = self.symbols.bitcode;
        self.scalar(instruction.ty())?;
        let mut ty = instruction.indexed_type();
        let mut offset = 0i64;
        let mut steps = Vec::new();
        for (position, index) in instruction.operands().into_iter().enumerate().skip(1) {
            let scale = match (position, ty.kind()) {
                (1, _) => bitcode.size_of(ty),
                (_, TypeKind::Struct) => {
                    let member = index.integer().ok_or("a variable index of a struct member")?;
                    offset = offset.wrapping_add(bitcode.offset_of(ty, member).cast_signed());
                    ty = ty.member(member as u32);
                    continue;
                }
                (_, TypeKind::Array) => {
                    ty = ty.element();
                    bitcode.size_of(ty)
                }
                (_, TypeKind::Vector) if !is_packed(ty) => {
                    ty = ty.element();
                    bitcode.size_of(ty)
                }
                _ => return Err(format!("an address of type `{}` is not modelled", ty.text())),
            };
            match index.signed() {
                Some(index) => offset = offset.wrapping_add(index.wrapping_mul(scale.cast_signed())),
                None => steps.push((index, scale)),
            }
        }
        let base = self.one(instruction.operand(0))?;
        let mut address = self.asm.offset(base, offset);
        for (index, scale) in &steps {
            address = self.step(address, *index, *scale)?;
        }
        if !steps.is_empty() {
            self.check_bounds(base, address);
        }
        self.define(instruction, vec![address]);
        Ok(())
    }

    fn step(&mut self, base: Operand, index: Value<'m>, scale: u64) -> Result<Operand, String> {
        let width = self.width(index)?;
        let index = self.one(index)?;
        let index = self.asm.sign_extend(width, 64, index);
        Ok(match i32::try_from(scale) {
            Ok(scale) => self.asm.result(|dst| Op::Index { dst, base, index, scale }),
            Err(_) => {
                let scale = self.asm.number(scale);
                let offset = self.asm.bin(BinOp::Mul, 64, index, scale);
                self.asm.bin(BinOp::Add, 64, base, offset)
            }
        })
    }

    /// An index computed into a global array must stay in it: behind its end is the next global.
    fn check_bounds(&mut self, base: Operand, address: Operand) {
        let (Some(Constant::Global(id, _)), Operand::Reg(address)) = (self.asm.constant_of(base), address)
        else {
            return;
        };
        let global = &self.globals[id.0 as usize];
        if let Ok(size) = u32::try_from(global.bytes.len())
            && !global.external
            && size > 0
        {
            let base = self.asm.constant(Constant::Global(id, 0));
            self.asm.emit(Op::InBounds { address, base, size });
        }
    }
}

fn integer_operation(opcode: Opcode) -> Option<BinOp> {
    Some(match opcode {
        Opcode::LLVMAdd => BinOp::Add,
        Opcode::LLVMSub => BinOp::Sub,
        Opcode::LLVMMul => BinOp::Mul,
        Opcode::LLVMUDiv => BinOp::UDiv,
        Opcode::LLVMSDiv => BinOp::SDiv,
        Opcode::LLVMURem => BinOp::URem,
        Opcode::LLVMSRem => BinOp::SRem,
        Opcode::LLVMShl => BinOp::Shl,
        Opcode::LLVMLShr => BinOp::LShr,
        Opcode::LLVMAShr => BinOp::AShr,
        Opcode::LLVMAnd => BinOp::And,
        Opcode::LLVMOr => BinOp::Or,
        Opcode::LLVMXor => BinOp::Xor,
        _ => return None,
    })
}

fn float_operation(opcode: Opcode) -> Option<FloatOp> {
    Some(match opcode {
        Opcode::LLVMFAdd => FloatOp::Add,
        Opcode::LLVMFSub => FloatOp::Sub,
        Opcode::LLVMFMul => FloatOp::Mul,
        Opcode::LLVMFDiv => FloatOp::Div,
        Opcode::LLVMFRem => FloatOp::Rem,
        Opcode::LLVMFNeg => FloatOp::Neg,
        _ => return None,
    })
}
