//! Calls: of functions with a body, of what the virtual machine knows, through pointers.

use super::body::Body;
use super::exception::calls_back;
use super::variadic::takes_list;
use crate::assigned::KEEP;
use crate::ffi::{Kind, Opcode, Type, Value, demangled};
use crate::loop_bounds;
use crate::symbols::Symbol;
use crate::types::scalars;
use std::ffi::CStr;
use vm::Builtin;
use vm::bytecode::{FunctionId, Op, Operand, Reg};

/// With this function the C runtime says what is not modelled.
pub(crate) const UNMODELLED: &str = "__threadbare_unmodelled";

impl<'m> Body<'_, 'm> {
    pub(super) fn call(&mut self, call: Value<'m>) -> Result<(), String> {
        let callee = call.callee();
        self.check_call(call)?;
        if call.must_tail() {
            self.end_variables()?;
        }
        match callee.kind() {
            Kind::InlineAsm => self.assembly(call, callee),
            Kind::Instruction | Kind::Argument => self.call_pointer(call, callee),
            Kind::Function if callee.name().starts_with("llvm.") => self.intrinsic(call, &callee.name()),
            _ => match self.symbols.resolve(callee)? {
                Symbol::Function(id) => self.call_function(call, id, function_of(callee)),
                Symbol::External(name) => self.call_external(call, &name),
                Symbol::Number(_) | Symbol::Global(..) | Symbol::ThreadLocal(..) => {
                    self.call_pointer(call, callee)
                }
            },
        }
    }

    /// `Ok` if it is nothing but a call.
    fn check_call(&self, call: Value<'m>) -> Result<(), String> {
        let callee = call.callee();
        // An assumption that does not hold is undefined behaviour, whatever it is about.
        let is_assumption = callee.kind() == Kind::Function && callee.name() == "llvm.assume";
        if call.has_bundles() && !is_assumption {
            return Err(format!("a call with operand bundles (`{}`) is not modelled", call.text().trim()));
        }
        Ok(())
    }

    /// The variables of a function end before a call that takes its place.
    fn end_variables(&mut self) -> Result<(), String> {
        let blocks = self.flow.blocks.iter().enumerate();
        let variables = blocks.flat_map(|(index, block)| block.instructions().map(move |it| (index, it)));
        let variables: Vec<_> = variables.filter(|(_, it)| it.is(Opcode::LLVMAlloca)).collect();
        if variables.iter().any(|&(block, _)| block != 0) {
            return Err(
                "a `musttail` call in a function with variables of variable size is not modelled".into()
            );
        }
        for (_, variable) in variables {
            let address = self.one(variable)?;
            self.asm.emit(Op::Lifetime { address, start: false });
        }
        Ok(())
    }

    fn call_function(
        &mut self,
        call: Value<'m>,
        function: FunctionId,
        callee: Value<'m>,
    ) -> Result<(), String> {
        let ty = callee.value_type();
        let mut arguments = self.arguments(call)?;
        let expected = self.parameter_registers(callee)?;
        if arguments.len() < expected {
            return Err(format!("a call of `{}` with too few arguments is not modelled", callee.name()));
        }
        let mut given = call.arguments().into_iter().zip(callee.parameters());
        if given.any(|(argument, parameter)| argument.ty() != parameter.ty()) {
            return Err(format!(
                "a call of `{}` with arguments of other types is not modelled",
                callee.name()
            ));
        }
        // Arguments beyond the parameters are those that `...` stands for.
        arguments.truncate(expected);
        let results = self.call_results(call, ty)?;
        let (arguments, results) = (self.asm.operands(&arguments), self.asm.results(&results));
        self.emit_call(call, takes_list(callee), Op::Call { function, arguments, results })
    }

    fn parameter_registers(&self, function: Value<'m>) -> Result<usize, String> {
        function.parameters().iter().map(|parameter| Ok(self.scalars(parameter.ty())?.len())).sum()
    }

    /// Registers for all that the callee returns, if anybody uses it; the call may think that it returns something else.
    fn call_results(&mut self, call: Value<'m>, callee: Type<'m>) -> Result<Vec<Reg>, String> {
        let returned = scalars(self.symbols.bitcode, callee.result())?;
        let registers = self.results(call)?;
        if !is_wanted(call) {
            return Ok(Vec::new());
        }
        match registers.len() == returned.len() {
            true => Ok(registers),
            false => Err("a call whose result has another type than its function is not modelled".into()),
        }
    }

    fn call_pointer(&mut self, call: Value<'m>, callee: Value<'m>) -> Result<(), String> {
        let callee = self.one(callee)?;
        let arguments = self.arguments(call)?;
        // Who returns something that has no model can be called by who does not use it.
        let results = self.results(call)?;
        let results = if is_wanted(call) { &results[..] } else { &[] };
        let (arguments, results) = (self.asm.operands(&arguments), self.asm.results(results));
        self.emit_call(call, true, Op::CallIndirect { callee, arguments, results })
    }

    fn call_external(&mut self, call: Value<'m>, name: &str) -> Result<(), String> {
        if KEEP.to_str() == Ok(name) {
            return Ok(());
        }
        if name == UNMODELLED {
            return Err(text_of(call.arguments()[0]).unwrap_or_default());
        }
        let Some(builtin) = Builtin::from_symbol(name) else {
            if matches!(
                name,
                "__atomic_load" | "__atomic_store" | "__atomic_exchange" | "__atomic_compare_exchange"
            ) {
                return Err(format!(
                    "`{name}`, an atomic access of more than 8 bytes, is not modelled: protect it with a mutex"
                ));
            }
            let name = demangled(name);
            return Err(format!("call of the external function `{name}`, which has no body and no model"));
        };
        if loop_bounds::is_bound(call) && loop_bounds::constant(call).is_none() {
            return Err(
                "a bound of a loop that is no constant is not modelled: use --unroll FUNCTION=N".into()
            );
        }
        if builtin.is_output() && call.is_used() {
            return Err(format!("the result of {name} is not modelled"));
        }
        let arguments = match builtin {
            // Arguments that are ignored may have any type.
            Builtin::Output | Builtin::Nothing | Builtin::Hint => Vec::new(),
            Builtin::OutputFormat(_) | Builtin::OutputList(_) => self.printed(call),
            _ => self.arguments(call)?,
        };
        let results = self.results(call)?;
        if results.len() > 1 {
            return Err(format!("`{name}` with a result of type `{}` is not modelled", call.ty().text()));
        }
        let result = results.first().copied().filter(|_| call.is_used());
        self.asm.builtin(builtin, &arguments, result);
        if calls_back(builtin) {
            self.land();
        }
        Ok(())
    }

    /// One operand for each argument of `printf`. Most are ignored and may have any type: what no register holds is 0.
    fn printed(&mut self, call: Value<'m>) -> Vec<Operand> {
        let zero = self.asm.number(0);
        let arguments = call.arguments().into_iter();
        arguments.map(|argument| self.one(argument).unwrap_or(zero)).collect()
    }

    /// The operands of all arguments. What is passed by value in memory is copied for the callee.
    fn arguments(&mut self, call: Value<'m>) -> Result<Vec<Operand>, String> {
        let mut operands = Vec::new();
        for (index, argument) in call.arguments().into_iter().enumerate() {
            match call.by_value(index as u32) {
                Some(ty) => operands.push(self.copy(argument, ty)?),
                None => operands.extend(self.all(argument)?),
            }
        }
        Ok(operands)
    }

    fn copy(&mut self, argument: Value<'m>, ty: Type<'m>) -> Result<Operand, String> {
        let bitcode = self.symbols.bitcode;
        let source = self.one(argument)?;
        let (size, align) = (bitcode.size_of(ty) as u32, bitcode.align_of(ty).clamp(8, 128) as u8);
        let count = self.asm.number(1);
        let copy = self.asm.result(|dst| Op::Alloca { dst, size, align, count });
        let length = self.asm.number(u64::from(size));
        self.asm.builtin(Builtin::MemCopy, &[copy, source, length], None);
        Ok(copy)
    }
}

/// The text of a constant string.
fn text_of(string: Value<'_>) -> Option<String> {
    let initialiser = Some(string).filter(|it| it.kind() == Kind::Global).and_then(Value::initialiser);
    let bytes = initialiser.filter(|it| it.kind() == Kind::Data)?.data();
    CStr::from_bytes_until_nul(&bytes).ok()?.to_str().ok().map(str::to_owned)
}

/// Whether the value is used. Taking it apart into members that are not used is no use.
fn is_wanted(value: Value<'_>) -> bool {
    value.users().any(|user| !user.is(Opcode::LLVMExtractValue) || is_wanted(user))
}

/// The function behind aliases.
fn function_of(callee: Value<'_>) -> Value<'_> {
    if callee.kind() == Kind::Alias { function_of(callee.aliasee()) } else { callee }
}
