//! What the user calls the memory that an instruction accesses: `x`, `q.head`, `a[i]`, `p->next`.
//!
//! Best effort, from debug information: the name of a global or local variable, the path of members to an offset,
//! the name of a pointer or index variable. Where something is not known the name stops short or is missing;
//! nothing but the reports depends on it.

use crate::assigned::constant_offset;
use crate::ffi::{Bitcode, Kind, Metadata, Opcode, TypeKind, Value};
use crate::flow::Flow;
use std::collections::BTreeMap;

/// DWARF's numbers for kinds of types.
const ARRAY: u16 = 0x01;
const MEMBER: u16 = 0x0d;
const POINTER: u16 = 0x0f;
const STRUCT: u16 = 0x13;
const UNION: u16 = 0x17;
const CLASS: u16 = 0x02;
/// Typedef, const, volatile, restrict, `_Atomic`: what stands for another type.
const TRANSPARENT: &[u16] = &[0x16, 0x26, 0x35, 0x37, 0x47];

/// Pointers to pointers to pointers: names get no better beyond this.
const DEEPEST: u32 = 6;
/// Nor is a type behind more typedefs and qualifiers than this.
const MOST_TYPEDEFS: usize = 100;

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
}

impl<'m> Names<'m> {
    pub(crate) fn new(bitcode: &'m Bitcode, flow: &Flow<'m>) -> Names<'m> {
        let mut variables = BTreeMap::new();
        let named = flow.blocks.iter().flat_map(|block| block.instructions()).flat_map(|i| i.variables());
        for (variable, value) in named {
            if matches!(value.kind(), Kind::Instruction | Kind::Argument) {
                variables.entry(value).or_insert(variable);
            }
        }
        Names { bitcode, variables }
    }

    /// The name of the object at an address. An access to a scalar names the first scalar there, a call the whole
    /// object.
    pub(crate) fn object(&self, address: Value<'m>, is_scalar: bool) -> Option<String> {
        let mut named = self.object_at(address, 0)?;
        let is_aggregate = |ty: Metadata<'_>| matches!(ty.tag(), STRUCT | UNION | CLASS | ARRAY);
        for _ in 0..DEEPEST {
            if is_scalar && named.ty.and_then(strip).is_some_and(is_aggregate) {
                named = at_offset(named, 0);
            }
        }
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
        let ty = named.ty.and_then(strip).filter(|ty| ty.tag() == POINTER).and_then(Metadata::base_type);
        Some(Named { text: format!("*{}", named.text), ty })
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

/// The element of an array, or of what a pointer points into.
fn indexed<'m>(named: Named<'m>, index: &str) -> Named<'m> {
    let array = named.ty.and_then(strip).filter(|ty| ty.tag() == ARRAY);
    let ty = match array {
        // The type of an array of arrays is one array with several dimensions.
        Some(array) if array.dimensions() > 1 => None,
        Some(array) => array.base_type(),
        None => named.ty,
    };
    let base =
        if array.is_some() { &named.text } else { named.text.strip_prefix('*').unwrap_or(&named.text) };
    Named { text: format!("{base}[{index}]"), ty }
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
            if element == 0 || ty.dimensions() > 1 {
                return Named { text: named.text, ty: None };
            }
            let element_at = indexed(named, &(offset / element).to_string());
            if offset % element == 0 { element_at } else { inside(element_at, offset % element, depth + 1) }
        }
        _ => Named { text: named.text, ty: Some(ty) },
    }
}

/// The type behind typedefs and qualifiers. (In a file that is made up, these may go round in circles.)
fn strip(ty: Metadata<'_>) -> Option<Metadata<'_>> {
    let mut behind = std::iter::successors(Some(ty), |ty| ty.base_type()).take(MOST_TYPEDEFS);
    behind.find(|ty| !TRANSPARENT.contains(&ty.tag()))
}
