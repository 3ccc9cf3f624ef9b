//! What the user calls the memory that an instruction accesses: `x`, `q.head`, `a[i]`, `p->next`.
//!
//! Best effort, from debug information: the name of a global or local variable, the path of members to an offset,
//! the name of a pointer or index variable. Where something is not known the name stops short or is missing;
//! nothing but the reports depends on it.

use crate::assigned::constant_offset;
use crate::ffi::{Bitcode, Kind, Metadata, Opcode, TypeKind, Value};
use crate::flow::Flow;
use crate::source_types::{ADDRESSES, ARRAY, CLASS, MEMBER, STRUCT, UNION, pointee, record_name, strip};
use base::Place;
use std::collections::BTreeMap;

/// Pointers to pointers to pointers: names get no better beyond this.
const DEEPEST: u32 = 6;

/// An object in memory, or a pointer to one: its name and its type.
#[derive(Clone)]
struct Named<'m> {
    text: String,
    ty: Option<Metadata<'m>>,
}

/// The source variables of a function.
pub(crate) struct Names<'m> {
    bitcode: &'m Bitcode,
    variables: BTreeMap<Value<'m>, Metadata<'m>>,
    /// Where the results of calls are stored.
    stored: BTreeMap<Value<'m>, Value<'m>>,
}

impl<'m> Names<'m> {
    pub(crate) fn new(bitcode: &'m Bitcode, flow: &Flow<'m>) -> Names<'m> {
        let (mut variables, mut stored) = (BTreeMap::new(), BTreeMap::new());
        for instruction in flow.blocks.iter().flat_map(|block| block.instructions()) {
            if instruction.is(Opcode::LLVMStore) && instruction.operand(0).is_call() {
                stored.entry(instruction.operand(0)).or_insert_with(|| instruction.operand(1));
            }
            for (variable, value) in instruction.variables() {
                if matches!(value.kind(), Kind::Instruction | Kind::Argument) && !points_to(variable, value) {
                    let known = variables.entry(value).or_insert(variable);
                    // The `void *` of a function that was inlined says less than what its caller makes of it, and a
                    // variable of a library less than one of the user.
                    let says_more = |of: fn(Metadata<'_>) -> bool| of(variable) && !of(*known);
                    if says_more(points_to_record) || (is_users(variable) && !is_users(*known)) {
                        *known = variable;
                    }
                }
            }
        }
        Names { bitcode, variables, stored }
    }

    /// The object whose life begins at an instruction: its name, and its type or that of its elements.
    pub(crate) fn made(&self, instruction: Value<'m>) -> Option<(String, Option<Metadata<'m>>)> {
        if instruction.is(Opcode::LLVMAlloca) {
            return self.local(instruction);
        }
        let callee = Some(instruction).filter(|it| it.is_call())?.callee();
        if callee.kind() != Kind::Function {
            return None;
        }
        if callee.name().starts_with("llvm.lifetime.start") {
            let variable = instruction.arguments().pop()?;
            return self.local(variable).filter(|_| variable.is(Opcode::LLVMAlloca));
        }
        let allocates = callee.is_declaration() && instruction.ty().kind() == TypeKind::Pointer;
        if allocates { self.allocated(instruction) } else { None }
    }

    fn local(&self, alloca: Value<'m>) -> Option<(String, Option<Metadata<'m>>)> {
        let Named { text, ty } = self.variable(alloca)?;
        // A variable may be only a part of the one in the source.
        let size = self.bitcode.size_of(alloca.allocated_type());
        let is_whole = |ty: &Metadata<'_>| strip(*ty).is_some_and(|ty| ty.extent().1 == 8 * size);
        Some((text, ty.filter(is_whole)))
    }

    /// What a call returns a pointer to: it has the name of its type, or that of the pointer.
    fn allocated(&self, call: Value<'m>) -> Option<(String, Option<Metadata<'m>>)> {
        let stored = self.stored.get(&call).and_then(|&address| self.object_at(address, 0)).map(first_scalar);
        let pointers: Vec<Named<'m>> = self.variable(call).into_iter().chain(stored).collect();
        let has_record = |named: &&Named<'m>| named.ty.and_then(pointee).and_then(record_name).is_some();
        let pointer = pointers.iter().find(has_record).or(pointers.first())?;
        let ty = pointer.ty.and_then(pointee);
        let last = pointer.text.rsplit(['.', '>', '*']).next().unwrap_or_default();
        Some((ty.and_then(record_name).unwrap_or_else(|| last.to_owned()), ty))
    }

    /// The name of the object at an address. An access to a scalar names the first scalar there, a call the whole
    /// object.
    pub(crate) fn object(&self, address: Value<'m>, is_scalar: bool) -> Option<String> {
        let named = self.object_at(address, 0)?;
        let named = if is_scalar { first_scalar(named) } else { named };
        // Names that the compiler made up (string literals) say nothing.
        Some(named.text).filter(|text| !text.starts_with('.'))
    }

    fn object_at(&self, address: Value<'m>, depth: u32) -> Option<Named<'m>> {
        if depth > DEEPEST {
            return None;
        }
        match address.kind() {
            Kind::Global => {
                let variable = address.global_variable();
                let text = variable.and_then(Metadata::variable_name).unwrap_or_else(|| address.name());
                Some(Named { text, ty: variable.and_then(Metadata::variable_type) })
            }
            Kind::Expression if address.expression() == Opcode::LLVMGetElementPtr => {
                self.element(address, depth)
            }
            Kind::Instruction => match address.opcode() {
                Opcode::LLVMAlloca => self.variable(address),
                _ if self.variables.contains_key(&address) => self.pointee(address, depth),
                Opcode::LLVMGetElementPtr => self.element(address, depth),
                Opcode::LLVMCall if address.callee().name().starts_with("llvm.threadlocal") => {
                    self.object_at(address.arguments()[0], depth + 1)
                }
                _ => self.pointee(address, depth),
            },
            Kind::Argument => self.pointee(address, depth),
            _ => None,
        }
    }

    fn variable(&self, value: Value<'m>) -> Option<Named<'m>> {
        let variable = self.variables.get(&value)?;
        Some(Named { text: variable.variable_name()?, ty: variable.variable_type() })
    }

    /// What a pointer points to.
    fn pointee(&self, pointer: Value<'m>, depth: u32) -> Option<Named<'m>> {
        let named = self.value(pointer, depth)?;
        Some(Named { text: format!("*{}", named.text), ty: named.ty.and_then(pointee) })
    }

    /// The name of a value: the variable that holds it, or the object that it was loaded from.
    fn value(&self, value: Value<'m>, depth: u32) -> Option<Named<'m>> {
        if depth > DEEPEST {
            return None;
        }
        if let Some(named) = self.variable(value)
            && !value.is(Opcode::LLVMAlloca)
        {
            return Some(named);
        }
        if value.kind() != Kind::Instruction {
            return None;
        }
        match value.opcode() {
            Opcode::LLVMLoad => self.object_at(value.operand(0), depth + 1),
            Opcode::LLVMIntToPtr
            | Opcode::LLVMPtrToInt
            | Opcode::LLVMBitCast
            | Opcode::LLVMSExt
            | Opcode::LLVMZExt
            | Opcode::LLVMTrunc => self.value(value.operand(0), depth + 1),
            _ => None,
        }
    }

    /// A member or an element of the object at the base.
    fn element(&self, gep: Value<'m>, depth: u32) -> Option<Named<'m>> {
        let base = self.object_at(gep.operand(0), depth + 1)?;
        if let Some(offset) = constant_offset(self.bitcode, gep) {
            return Some(at_offset(base, offset));
        }
        let mut ty = gep.indexed_type();
        let mut named = base;
        for (position, index) in gep.operands().into_iter().enumerate().skip(1) {
            let is_struct = position > 1 && ty.kind() == TypeKind::Struct;
            if position > 1 && !is_struct {
                ty = ty.element();
            }
            named = match index.signed() {
                Some(index) if is_struct => {
                    let offset = self.bitcode.offset_of(ty, index.cast_unsigned());
                    ty = ty.member(index as u32);
                    at_offset(named, offset.cast_signed())
                }
                // The first index of an array object only says that it is one.
                Some(0) if position == 1 => named,
                Some(index) => indexed(named, &index.to_string()),
                None => indexed(named, &self.value(index, depth + 1).map_or("…".into(), |index| index.text)),
            };
        }
        Some(named)
    }
}

/// Whether the variable holds the address of this memory, as `this` of a function that was inlined does, and is not the
/// variable that is there.
fn points_to(variable: Metadata<'_>, memory: Value<'_>) -> bool {
    let holds_address = |ty| strip(ty).is_some_and(|ty| ADDRESSES.contains(&ty.tag()));
    memory.is(Opcode::LLVMAlloca)
        && memory.allocated_type().kind() != TypeKind::Pointer
        && variable.variable_type().is_some_and(holds_address)
}

/// Whether a variable points to a struct, a class or a union.
fn points_to_record(variable: Metadata<'_>) -> bool {
    variable.variable_type().and_then(pointee).and_then(record_name).is_some()
}

/// Whether a variable is one of the user's source.
fn is_users(variable: Metadata<'_>) -> bool {
    let place = |file: String| Place { file: file.into(), line: 0, column: 0 };
    variable.variable_scope().map(place).is_some_and(|place| !place.is_system())
}

/// The element of an array, or of what a pointer points into.
fn indexed<'m>(named: Named<'m>, index: &str) -> Named<'m> {
    let array = named.ty.and_then(strip).filter(|ty| ty.tag() == ARRAY);
    let ty = match array {
        // The type of an array of arrays is one array with several dimensions.
        Some(array) if array.dimensions().len() > 1 => None,
        Some(array) => array.base_type(),
        None => named.ty,
    };
    let base =
        if array.is_some() { &named.text } else { named.text.strip_prefix('*').unwrap_or(&named.text) };
    Named { text: format!("{base}[{index}]"), ty }
}

/// The first scalar of an object.
fn first_scalar(mut named: Named<'_>) -> Named<'_> {
    let is_aggregate = |ty: Metadata<'_>| matches!(ty.tag(), STRUCT | UNION | CLASS | ARRAY);
    for _ in 0..DEEPEST {
        if named.ty.and_then(strip).is_some_and(is_aggregate) {
            named = at_offset(named, 0);
        }
    }
    named
}

/// The member, or the element, at an offset of an object.
fn at_offset(named: Named<'_>, offset: i64) -> Named<'_> {
    inside(named, offset, 0)
}

fn inside(named: Named<'_>, offset: i64, depth: u32) -> Named<'_> {
    let ty = named.ty.and_then(strip).filter(|_| depth <= DEEPEST);
    let Some(ty) = ty else { return Named { text: named.text, ty: None } };
    let size = (ty.extent().1 / 8).cast_signed();
    if ty.tag() != ARRAY && size > 0 && !(0..size).contains(&offset) {
        let element = indexed(Named { text: named.text, ty: Some(ty) }, &offset.div_euclid(size).to_string());
        return inside(Named { ty: Some(ty), ..element }, offset.rem_euclid(size), depth + 1);
    }
    match ty.tag() {
        STRUCT | UNION | CLASS => {
            let found =
                ty.type_members().into_iter().filter(|member| member.tag() == MEMBER).find(|member| {
                    let (start, bits) = member.extent();
                    (start..start.saturating_add(bits)).contains(&offset.cast_unsigned().wrapping_mul(8))
                });
            let Some(member) = found else { return Named { text: named.text, ty: None } };
            let name = member.type_name().unwrap_or_default();
            let text = match named.text.strip_prefix('*') {
                Some(pointer) => format!("{pointer}->{name}"),
                None => format!("{}.{name}", named.text),
            };
            let rest = offset.wrapping_sub((member.extent().0 / 8).cast_signed());
            let member = Named { text, ty: member.base_type() };
            if rest == 0 { member } else { inside(member, rest, depth + 1) }
        }
        ARRAY => {
            let element =
                ty.base_type().and_then(strip).map_or(0, |element| element.extent().1 / 8).cast_signed();
            if element == 0 || ty.dimensions().len() > 1 {
                return Named { text: named.text, ty: None };
            }
            let element_at = indexed(named, &(offset / element).to_string());
            if offset % element == 0 { element_at } else { inside(element_at, offset % element, depth + 1) }
        }
        _ => Named { text: named.text, ty: Some(ty) },
    }
}
