//! Which local variables may be read before they are written, or accessed after their life.
//!
//! Promoting a variable to registers makes a read before any write invisible: `int x; if (c) x = 1; return x;`
//! becomes `return 1`. So a forward may-be-unassigned analysis runs first, byte by byte, and a variable that some
//! load may find unassigned is kept in memory, where the virtual machine sees the read happen (or not). The same
//! with `int *p; { int x = 1; p = &x; } *p = 2;`: one bit more says whether the life of a variable may have ended.
//!
//! Accesses through pointers are seen when the pointers are in registers: variables that hold one are promoted before
//! all others, if they are not read unassigned themselves, and the analysis runs again.
//!
//! A variable that is copied as a whole (struct assignment) to or from memory that stays memory is kept, too:
//! promoting it would turn the copy into loads of single members and of padding, reads that the program does not
//! have. Variables whose address goes anywhere else (calls, other memory) cannot be promoted anyhow.
//!
//! A store to a bit-field reads the bits around it, which may be unassigned: that read is not one of the program.
//!
//! A variable is kept by passing its address to a function that does not exist ([`KEEP`]); the lowering drops
//! that call.
//!
//! Not modelled: a union's smaller members have padding that its type does not show; a bit-field that is read while
//! only its neighbours were written; accesses through a pointer that is in a struct, which LLVM then promotes together
//! with what it points to.
//! Cost: linear in instructions times iterations; one bit a byte of local variables.

use crate::bit_field::is_load_of_write;
use crate::ffi::{Bitcode, Kind, Opcode, Type, TypeKind, Value};
use crate::flow::Flow;
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::ops::Range;

/// The function that keeps a variable in memory.
pub(crate) const KEEP: &CStr = c"__threadbare_keep";

/// Larger variables are arrays in practice, indexed by variables: LLVM does not promote those. They are kept.
const LARGEST: u64 = 256;

/// No more bytes than this are tracked in one function; variables beyond are kept.
const MOST: u64 = 1 << 14;

/// But a function may have more of them if it has few blocks: so many bits all together.
const MOST_BITS: u64 = 1 << 28;

/// Mark the variables that have to stay in memory.
pub(crate) fn keep_unassigned(bitcode: &Bitcode) {
    let mut kept = Vec::new();
    for function in bitcode.functions().filter(|function| !function.is_declaration()) {
        kept.extend(Locals::new(bitcode, function).kept());
    }
    if !kept.is_empty() {
        bitcode.insert_calls(KEEP, &kept);
    }
}

/// Mark all variables but those that hold a pointer and may be promoted.
pub(crate) fn keep_all_but_pointers(bitcode: &Bitcode) {
    let mut kept = Vec::new();
    for function in bitcode.functions().filter(|function| !function.is_declaration()) {
        let locals = Locals::new(bitcode, function);
        let all: Vec<_> = locals.locals.iter().map(|local| local.alloca).collect();
        kept.extend(locals.kept());
        kept.extend(all.into_iter().filter(|local| local.allocated_type().kind() != TypeKind::Pointer));
    }
    bitcode.insert_calls(KEEP, &kept);
}

/// What an instruction does to the bytes of variables that are tracked. Ranges are of bits of the state.
#[derive(Clone, Debug)]
enum Effect {
    /// They have a value from here on.
    Assign(Range<usize>),
    /// All of a variable has none.
    Unassign(usize),
    /// The life of a variable has ended.
    End(usize),
    /// The second gets what the first has.
    Copy(Range<usize>, Range<usize>),
    /// They are read.
    Read(Range<usize>),
    /// They are read, and may be unassigned.
    Look(Range<usize>),
}

/// A local variable.
struct Local<'m> {
    alloca: Value<'m>,
    /// Its bytes are the bits `first .. first + size` of the state; the next bit is its life.
    first: usize,
    size: usize,
    /// Its address goes where we do not follow it: LLVM will not promote it.
    escapes: bool,
    /// It has to stay in memory.
    keep: bool,
}

/// A pointer into a variable; the offset if it is known.
#[derive(Clone, Copy)]
struct Pointer {
    local: usize,
    offset: Option<i64>,
}

struct Locals<'m> {
    bitcode: &'m Bitcode,
    locals: Vec<Local<'m>>,
    pointers: BTreeMap<Value<'m>, Pointer>,
    /// Per block.
    effects: Vec<Vec<Effect>>,
    /// Variables that are copied from one to the other, or (`None`) to or from other memory.
    copies: Vec<(usize, Option<usize>)>,
    /// Per bit, whether this byte is padding of its variable.
    padding: Vec<bool>,
    /// How many bytes are tracked at most.
    most: u64,
    flow: Flow<'m>,
}

/// Per byte whether it may be unassigned.
#[derive(Clone, Debug)]
struct State(Vec<u64>);

impl State {
    fn new(bits: usize) -> State {
        State(vec![0; bits.div_ceil(64)])
    }

    fn get(&self, bit: usize) -> bool {
        self.0[bit / 64] >> (bit % 64) & 1 != 0
    }

    fn set(&mut self, bit: usize, value: bool) {
        self.0[bit / 64] &= !(1 << (bit % 64));
        self.0[bit / 64] |= u64::from(value) << (bit % 64);
    }

    /// Add all of `other`; says if any was new.
    fn union(&mut self, other: &State) -> bool {
        let mut is_new = false;
        for (a, &b) in self.0.iter_mut().zip(&other.0) {
            is_new |= b & !*a != 0;
            *a |= b;
        }
        is_new
    }

    /// Some bits, or what they were, go where `to` starts.
    fn copy(&mut self, from: Range<usize>, to: usize) {
        let bits: Vec<bool> = from.map(|bit| self.get(bit)).collect();
        bits.into_iter().enumerate().for_each(|(at, bit)| self.set(to + at, bit));
    }
}

impl<'m> Locals<'m> {
    fn new(bitcode: &'m Bitcode, function: Value<'m>) -> Locals<'m> {
        let flow = Flow::new(function);
        let mut locals = Locals {
            bitcode,
            locals: Vec::new(),
            pointers: BTreeMap::new(),
            effects: vec![Vec::new(); flow.blocks.len()],
            copies: Vec::new(),
            padding: Vec::new(),
            most: MOST.max(MOST_BITS / flow.blocks.len() as u64),
            flow,
        };
        // Definitions come before uses in reverse postorder, except uses in phis, which make a pointer escape our
        // view: those are looked at once all pointers are known.
        for block in 0..locals.flow.blocks.len() {
            for instruction in locals.flow.blocks[block].instructions() {
                locals.visit(block, instruction);
            }
        }
        locals.visit_phis();
        locals
    }

    fn visit(&mut self, block: usize, instruction: Value<'m>) {
        match instruction.opcode() {
            Opcode::LLVMAlloca => self.alloca(block, instruction),
            Opcode::LLVMGetElementPtr => self.element(instruction),
            Opcode::LLVMBitCast => {
                if let Some(&pointer) = self.pointers.get(&instruction.operand(0)) {
                    self.pointers.insert(instruction, pointer);
                }
            }
            Opcode::LLVMLoad if is_load_of_write(instruction) => {}
            Opcode::LLVMLoad => self.access(block, instruction.operand(0), instruction.ty(), Effect::Read),
            Opcode::LLVMStore => {
                let value = instruction.operand(0);
                self.escape(value);
                self.access(block, instruction.operand(1), value.ty(), Effect::Assign);
            }
            Opcode::LLVMCall => self.call(block, instruction),
            Opcode::LLVMPHI => {}
            Opcode::LLVMSelect => self.keep_operands(instruction),
            _ => instruction.operands().into_iter().for_each(|operand| self.escape(operand)),
        }
    }

    fn alloca(&mut self, block: usize, alloca: Value<'m>) {
        let ty = alloca.allocated_type();
        let size = self.bitcode.size_of(ty);
        let is_single = alloca.operand(0).integer() == Some(1);
        let first = self.padding.len();
        let is_tracked = is_single && size <= LARGEST && first as u64 + size <= self.most;
        let size = if is_tracked { size as usize } else { 0 };
        let index = self.locals.len();
        self.locals.push(Local { alloca, first, size, escapes: false, keep: !is_tracked });
        self.pointers.insert(alloca, Pointer { local: index, offset: Some(0) });
        self.padding.resize(first + size + 1, true);
        if is_tracked {
            mark_contents(self.bitcode, ty, &mut self.padding[first..]);
        }
        self.effects[block].push(Effect::Unassign(index));
    }

    fn element(&mut self, gep: Value<'m>) {
        let Some(&base) = self.pointers.get(&gep.operand(0)) else { return };
        let offset = constant_offset(self.bitcode, gep);
        let offset = base.offset.zip(offset).map(|(base, more)| base + more);
        if offset.is_none() {
            // A variable index: LLVM does not promote such a variable.
            self.locals[base.local].escapes = true;
        }
        self.pointers.insert(gep, Pointer { local: base.local, offset });
    }

    fn access(&mut self, block: usize, at: Value<'m>, ty: Type<'m>, effect: fn(Range<usize>) -> Effect) {
        let size = self.bitcode.store_size_of(ty);
        if let Some(range) = self.range(at, size) {
            self.effects[block].push(effect(range));
        }
    }

    fn call(&mut self, block: usize, call: Value<'m>) {
        let arguments = call.arguments();
        let callee = call.callee();
        let name = if callee.kind() == Kind::Function { callee.name() } else { String::new() };
        if name.starts_with("llvm.lifetime.") {
            if let Some(pointer) = arguments.last().and_then(|argument| self.pointers.get(argument)) {
                let is_end = name.starts_with("llvm.lifetime.end");
                let effect = if is_end { Effect::End } else { Effect::Unassign };
                self.effects[block].push(effect(pointer.local));
            }
        } else if name.starts_with("llvm.memset.") {
            self.fill(block, arguments[0], arguments[2].integer());
        } else if name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.") {
            self.copy(block, arguments[0], arguments[1], arguments[2].integer());
        } else {
            arguments.into_iter().for_each(|argument| self.escape(argument));
            self.escape(callee);
        }
    }

    fn fill(&mut self, block: usize, to: Value<'m>, size: Option<u64>) {
        match size {
            Some(size) => {
                let range = self.range(to, size);
                self.effects[block].extend(range.map(Effect::Assign));
            }
            None => self.escape(to),
        }
    }

    fn copy(&mut self, block: usize, to: Value<'m>, from: Value<'m>, size: Option<u64>) {
        let locals = [to, from].map(|at| self.pointers.get(&at).map(|pointer| pointer.local));
        match locals {
            [Some(to), from] => self.copies.push((to, from)),
            [None, Some(from)] => self.copies.push((from, None)),
            [None, None] => return,
        }
        let Some(size) = size else {
            [to, from].into_iter().for_each(|at| self.escape(at));
            return;
        };
        let effect = match (self.range(to, size), self.range(from, size)) {
            (Some(to), Some(from)) => Effect::Copy(from, to),
            (Some(to), None) => Effect::Assign(to),
            // Unassigned bytes are copied as they are.
            (None, from) => {
                self.effects[block].extend(from.map(Effect::Look));
                return;
            }
        };
        self.effects[block].push(effect);
    }

    /// The bits of `size` bytes at a pointer, if it is one into a variable, at a known place inside.
    fn range(&mut self, at: Value<'m>, size: u64) -> Option<Range<usize>> {
        let pointer = *self.pointers.get(&at)?;
        let local = &mut self.locals[pointer.local];
        let offset = pointer.offset.and_then(|offset| usize::try_from(offset).ok());
        match offset {
            Some(offset) if offset as u64 + size <= local.size as u64 => {
                Some(local.first + offset..local.first + offset + size as usize)
            }
            // Out of its bounds: keep it, so that the virtual machine reports it.
            _ => {
                local.keep = true;
                None
            }
        }
    }

    fn escape(&mut self, value: Value<'m>) {
        if let Some(pointer) = self.pointers.get(&value) {
            self.locals[pointer.local].escapes = true;
        }
    }

    /// LLVM can promote through a choice of pointers, and would then load from both.
    fn keep_operands(&mut self, choice: Value<'m>) {
        for operand in choice.operands() {
            if let Some(pointer) = self.pointers.get(&operand) {
                self.locals[pointer.local].keep = true;
            }
        }
    }

    fn visit_phis(&mut self) {
        for block in self.flow.blocks.clone() {
            block.instructions().take_while(|i| i.is_phi()).for_each(|phi| self.keep_operands(phi));
        }
    }

    /// The variables to keep.
    fn kept(mut self) -> Vec<Value<'m>> {
        self.keep_read_unassigned();
        while self.keep_copied() {}
        self.locals.iter().filter(|local| local.keep && !local.escapes).map(|local| local.alloca).collect()
    }

    /// A variable that is copied to or from memory is kept; says if there was one.
    fn keep_copied(&mut self) -> bool {
        let mut changed = false;
        for &(a, b) in &self.copies {
            let in_memory = |local: &Local<'_>| local.keep || local.escapes;
            let any = in_memory(&self.locals[a]) || b.is_none_or(|b| in_memory(&self.locals[b]));
            for local in std::iter::once(a).chain(b).filter(|_| any) {
                changed |= !in_memory(&self.locals[local]);
                self.locals[local].keep = true;
            }
        }
        changed
    }

    fn keep_read_unassigned(&mut self) {
        let is_needed = |effect: &Effect| matches!(effect, Effect::Read(_) | Effect::End(_));
        if !self.effects.iter().flatten().any(is_needed) {
            return;
        }
        let states = self.solve();
        for (block, state) in states.into_iter().enumerate() {
            let mut state = state;
            for effect in std::mem::take(&mut self.effects[block]) {
                self.keep_wrong(&effect, &state);
                self.apply(&effect, &mut state);
            }
        }
    }

    /// Keep the variables that an instruction may access when it must not.
    fn keep_wrong(&mut self, effect: &Effect, state: &State) {
        let (accessed, must_be_assigned) = match effect {
            Effect::Read(range) => ([Some(range), None], true),
            Effect::Assign(range) | Effect::Look(range) => ([Some(range), None], false),
            Effect::Copy(from, to) => ([Some(from), Some(to)], false),
            Effect::Unassign(_) | Effect::End(_) => return,
        };
        for range in accessed.into_iter().flatten() {
            let owner = self.locals.partition_point(|local| local.first <= range.start) - 1;
            let local = &mut self.locals[owner];
            local.keep |= state.get(local.first + local.size);
            local.keep |= must_be_assigned && range.clone().any(|bit| state.get(bit));
        }
    }

    /// The state at the start of each block: per byte, whether it may be unassigned.
    fn solve(&self) -> Vec<State> {
        let mut states = vec![State::new(self.padding.len()); self.flow.blocks.len()];
        let mut pending: std::collections::BTreeSet<usize> = (0..states.len()).collect();
        while let Some(block) = pending.pop_first() {
            let mut state = states[block].clone();
            self.effects[block].iter().for_each(|effect| self.apply(effect, &mut state));
            for &to in &self.flow.successors[block] {
                if states[to].union(&state) {
                    pending.insert(to);
                }
            }
        }
        states
    }

    fn apply(&self, effect: &Effect, state: &mut State) {
        match effect {
            Effect::Assign(range) => range.clone().for_each(|bit| state.set(bit, false)),
            Effect::Unassign(index) | Effect::End(index) => {
                let local = &self.locals[*index];
                state.set(local.first + local.size, matches!(effect, Effect::End(_)));
                // Padding is never assigned, and reading it with the rest is no fault.
                (local.first..local.first + local.size).for_each(|bit| state.set(bit, !self.padding[bit]));
            }
            Effect::Copy(from, to) => state.copy(from.clone(), to.start),
            Effect::Read(_) | Effect::Look(_) => {}
        }
    }
}

/// Clear the flags of the bytes that hold something.
fn mark_contents(bitcode: &Bitcode, ty: Type<'_>, padding: &mut [bool]) {
    match ty.kind() {
        TypeKind::Struct | TypeKind::Array => {
            for (index, member) in ty.members().into_iter().enumerate() {
                let offset = bitcode.offset_of(ty, index as u64) as usize;
                mark_contents(bitcode, member, &mut padding[offset..]);
            }
        }
        _ => padding[..bitcode.store_size_of(ty) as usize].fill(false),
    }
}

/// The number of bytes that a `getelementptr` adds, if all its indices are constants.
pub(crate) fn constant_offset(bitcode: &Bitcode, gep: Value<'_>) -> Option<i64> {
    let mut ty = gep.indexed_type();
    let mut offset = 0i64;
    for (position, index) in gep.operands().into_iter().enumerate().skip(1) {
        let index = index.signed()?;
        if position == 1 {
            offset = offset.wrapping_add(index.wrapping_mul(bitcode.size_of(ty).cast_signed()));
        } else {
            offset = offset.wrapping_add(bitcode.offset_of(ty, index.cast_unsigned()).cast_signed());
            ty = if ty.kind() == TypeKind::Struct { ty.member(index as u32) } else { ty.element() };
        }
    }
    Some(offset)
}
