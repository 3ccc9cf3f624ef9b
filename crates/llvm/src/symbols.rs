//! Symbols: which functions and globals there are, and what constants and initialisers say about their addresses.

use crate::assigned::{KEEP, constant_offset};
use crate::ffi::{Bitcode, Kind, Opcode, TypeKind, Value};
use crate::fold::truncate;
use crate::lower::{Tables, UNMODELLED};
use std::collections::BTreeMap;
use vm::Builtin;
use vm::bytecode::{FunctionId, GlobalId, Relocation};

/// Symbols of linker scripts, besides those for each section.
const LINKER_SYMBOLS: &[&str] = &[
    "end",
    "_end",
    "edata",
    "_edata",
    "etext",
    "_etext",
    "__etext",
    "__bss_start",
    "data_start",
    "__data_start",
    "__executable_start",
    "__ehdr_start",
    "__init_array_start",
    "__init_array_end",
    "__fini_array_start",
    "__fini_array_end",
    "__preinit_array_start",
    "__preinit_array_end",
];

/// What a scalar constant is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Symbol {
    Number(u64),
    /// The address of a global plus an offset.
    Global(GlobalId, i64),
    /// The address of this thread's copy of a global plus an offset.
    ThreadLocal(GlobalId, i64),
    Function(FunctionId),
    /// A function without a body.
    External(String),
}

/// The functions and globals of a module and their numbers.
pub(crate) struct Symbols<'m> {
    pub(crate) bitcode: &'m Bitcode,
    pub(crate) functions: BTreeMap<Value<'m>, FunctionId>,
    pub(crate) globals: BTreeMap<Value<'m>, GlobalId>,
    /// The blocks of all functions, each with its number.
    pub(crate) blocks: BTreeMap<Value<'m>, u64>,
    /// Where variable arguments are told.
    pub(crate) variadic: Option<GlobalId>,
    /// What each landing pad takes.
    pub(crate) tables: Tables<'m>,
    /// The function that goes on with an exception.
    pub(crate) resume: Option<FunctionId>,
}

/// Where the addresses of labels are: no memory is there, and no function.
const LABELS: u64 = 3 << 31;

impl<'m> Symbols<'m> {
    /// The value of a scalar constant. The error says what is not modelled.
    pub(crate) fn resolve(&self, constant: Value<'m>) -> Result<Symbol, String> {
        Ok(match constant.kind() {
            Kind::Zero | Kind::Undefined => Symbol::Number(0),
            Kind::Integer | Kind::Float => {
                let bits = self.bitcode.bits_of(constant.ty());
                let number = constant.number_bits(bits).filter(|_| bits <= 64);
                Symbol::Number(number.ok_or_else(|| unmodelled(constant))? as u64)
            }
            Kind::Function | Kind::Global if is_made_by_linker(constant) => {
                return Err(format!(
                    "`{}`, an address that the linker makes up, is not modelled",
                    constant.name()
                ));
            }
            Kind::Function => match self.functions.get(&constant) {
                Some(&id) => Symbol::Function(id),
                None if is_null(constant) => Symbol::Number(0),
                None => Symbol::External(constant.name()),
            },
            Kind::Global if is_null(constant) && constant.is_thread_local() => {
                let name = constant.name();
                return Err(format!(
                    "`{name}`, a thread-local variable that is weak and undefined, is not modelled"
                ));
            }
            Kind::Global if is_null(constant) => Symbol::Number(0),
            Kind::Global => match self.globals.get(&constant) {
                Some(&id) if constant.is_thread_local() => Symbol::ThreadLocal(id, 0),
                Some(&id) => Symbol::Global(id, 0),
                None => return Err(unmodelled(constant)),
            },
            Kind::BlockAddress => {
                let address = self.label(constant.addressed_block()).ok_or_else(|| unmodelled(constant))?;
                Symbol::Number(address)
            }
            Kind::Resolved => {
                return Err(format!("`{}`, which a resolver chooses, is not modelled", constant.name()));
            }
            Kind::Alias => self.resolve(constant.aliasee())?,
            Kind::Expression => self.expression(constant)?,
            _ => return Err(unmodelled(constant)),
        })
    }

    /// The address of a label.
    pub(crate) fn label(&self, block: Value<'m>) -> Option<u64> {
        self.blocks.get(&block).map(|number| LABELS + 16 * (number + 1))
    }

    fn expression(&self, constant: Value<'m>) -> Result<Symbol, String> {
        let operand = |index| self.resolve(constant.operand(index));
        let width = self.bitcode.bits_of(constant.ty()).min(64) as u8;
        let value = match constant.expression() {
            Opcode::LLVMGetElementPtr => {
                let offset = constant_offset(self.bitcode, constant).ok_or_else(|| unmodelled(constant))?;
                plus(operand(0)?, offset)
            }
            Opcode::LLVMPtrToInt
            | Opcode::LLVMPtrToAddr
            | Opcode::LLVMIntToPtr
            | Opcode::LLVMBitCast
            | Opcode::LLVMTrunc => Some(operand(0)?),
            Opcode::LLVMAdd => match (operand(0)?, operand(1)?) {
                (symbol, Symbol::Number(n)) | (Symbol::Number(n), symbol) => plus(symbol, n.cast_signed()),
                _ => None,
            },
            Opcode::LLVMSub => match (operand(0)?, operand(1)?) {
                (symbol, Symbol::Number(n)) => plus(symbol, n.cast_signed().wrapping_neg()),
                (Symbol::Global(a, i), Symbol::Global(b, j)) if a == b => {
                    Some(Symbol::Number(i.wrapping_sub(j).cast_unsigned()))
                }
                _ => None,
            },
            _ => None,
        };
        match value {
            Some(Symbol::Number(n)) => Ok(Symbol::Number(truncate(n, width))),
            Some(symbol) if width == 64 => Ok(symbol),
            _ => Err(unmodelled(constant)),
        }
    }

    /// Write an initialiser into `image`, from `offset` on.
    pub(crate) fn flatten(&self, constant: Value<'m>, offset: u64, image: &mut Image) -> Result<(), String> {
        let ty = constant.ty();
        let size = self.bitcode.store_size_of(ty) as usize;
        let start = offset as usize;
        match (constant.kind(), ty.kind()) {
            (Kind::Zero | Kind::Undefined, _) => {}
            (Kind::Data, _) => {
                let data = constant.data();
                image.bytes[start..start + data.len()].copy_from_slice(&data);
            }
            (Kind::Aggregate, _) => {
                for (index, element) in constant.operands().into_iter().enumerate() {
                    let at = offset + self.bitcode.offset_of(ty, index as u64);
                    self.flatten(element, at, image)?;
                }
            }
            (Kind::Integer | Kind::Float, _) => {
                let bits = self.bitcode.bits_of(ty);
                let number = constant.number_bits(bits).ok_or_else(|| unmodelled(constant))?.to_le_bytes();
                let number = number.get(..size).ok_or_else(|| unmodelled(constant))?;
                image.bytes[start..start + size].copy_from_slice(number);
            }
            (_, TypeKind::Pointer | TypeKind::Integer(_)) => match self.resolve(constant)? {
                Symbol::Number(number) => {
                    let number = number.to_le_bytes();
                    let number = number.get(..size).ok_or_else(|| unmodelled(constant))?;
                    image.bytes[start..start + size].copy_from_slice(number);
                }
                Symbol::Global(id, more) => image.relocations.push((offset, Relocation::Global(id, more))),
                Symbol::Function(id) => image.relocations.push((offset, Relocation::Function(id))),
                Symbol::External(name) => image.relocations.push((offset, Relocation::External(name))),
                Symbol::ThreadLocal(..) => return Err(unmodelled(constant)),
            },
            _ => return Err(unmodelled(constant)),
        }
        Ok(())
    }
}

/// The initial contents of a global.
#[derive(Debug, Default)]
pub(crate) struct Image {
    pub(crate) bytes: Vec<u8>,
    pub(crate) relocations: Vec<(u64, Relocation)>,
}

fn plus(symbol: Symbol, more: i64) -> Option<Symbol> {
    Some(match symbol {
        Symbol::Number(n) => Symbol::Number(n.wrapping_add_signed(more)),
        Symbol::Global(id, offset) => Symbol::Global(id, offset.wrapping_add(more)),
        Symbol::ThreadLocal(id, offset) => Symbol::ThreadLocal(id, offset.wrapping_add(more)),
        symbol if more == 0 => symbol,
        Symbol::Function(_) | Symbol::External(_) => return None,
    })
}

/// A stream of the C library: its pointer may be read and passed on.
pub(crate) fn is_stream(symbol: &str) -> bool {
    matches!(symbol, "stdin" | "stdout" | "stderr")
}

/// Whether the symbol is weak and defined nowhere. The C library defines the symbols that have a model.
fn is_null(symbol: Value<'_>) -> bool {
    let is_known = |name: &str| is_stream(name) || Builtin::from_symbol(name).is_some();
    symbol.is_undefined_weak() && !is_known(&symbol.name())
}

/// Whether it is a symbol that linkers define: a bound of a section. Unlike other variables two of them may have the
/// same address, and they are compared to find out what is between them.
fn is_made_by_linker(symbol: Value<'_>) -> bool {
    if !symbol.is_declaration() {
        return false;
    }
    let name = symbol.name();
    let is_bound = |prefix: &str| name.strip_prefix(prefix).is_some_and(|section| !section.is_empty());
    is_bound("__start_") || is_bound("__stop_") || LINKER_SYMBOLS.contains(&name.as_str())
}

/// The names of functions and variables that are used and have neither a body nor a model, sorted. (What is weak may be
/// missing, and what the linker makes up has a message of its own.)
pub(crate) fn missing(bitcode: &Bitcode) -> Vec<String> {
    let is_missing =
        |symbol: &Value<'_>| symbol.is_declaration() && !is_null(*symbol) && !is_made_by_linker(*symbol);
    let has_model = |name: &str| {
        name.starts_with("llvm.")
            || KEEP.to_str() == Ok(name)
            || name == UNMODELLED
            || Builtin::from_symbol(name).is_some()
    };
    let functions = bitcode.functions().filter(is_missing).map(Value::name).filter(|name| !has_model(name));
    let globals = bitcode.globals().filter(is_missing).map(Value::name).filter(|name| !is_stream(name));
    let mut names: Vec<String> = functions.chain(globals).collect();
    names.sort();
    names
}

fn unmodelled(constant: Value<'_>) -> String {
    format!("the constant `{}` is not modelled", constant.text())
}
