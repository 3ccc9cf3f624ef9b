//! Calls: of functions with a body, of what the virtual machine knows, through pointers; inline assembly.

use super::body::Body;
use crate::assigned::KEEP;
use crate::ffi::{Kind, Opcode, Type, Value, demangled};
use crate::loop_bounds;
use crate::symbols::Symbol;
use crate::types::scalars;
use base::FenceOrder;
use vm::Builtin;
use vm::bytecode::{FunctionId, Op, Operand, Reg};

impl<'m> Body<'_, 'm> {
    pub(super) fn call(&mut self, call: Value<'m>) -> Result<(), String> {
        let callee = call.callee();
        self.check_call(call)?;
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
        let mut instructions = self.flow.blocks.iter().flat_map(|block| block.instructions());
        if call.must_tail() && instructions.any(|instruction| instruction.is(Opcode::LLVMAlloca)) {
            return Err("a `musttail` call in a function with variables in memory, which end before it, \
                        is not modelled"
                .into());
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
        self.asm.emit(Op::Call { function, arguments, results });
        Ok(())
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
        self.asm.emit(Op::CallIndirect { callee, arguments, results });
        Ok(())
    }

    fn call_external(&mut self, call: Value<'m>, name: &str) -> Result<(), String> {
        if KEEP.to_str() == Ok(name) {
            return Ok(());
        }
        let Some(builtin) = Builtin::from_symbol(name) else {
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

    /// Inline assembly that we know: the compiler barrier, fences, the spin hint.
    fn assembly(&mut self, call: Value<'m>, assembly: Value<'m>) -> Result<(), String> {
        let (text, constraints) = assembly.assembly();
        let unknown = || format!("inline assembly `{}` is not modelled", text.trim());
        match assembly_of(&text).as_str() {
            "" => {
                let values = self.tied_outputs(call, &constraints).ok_or_else(unknown)??;
                self.define(call, values);
            }
            _ if call.is_used() => return Err(unknown()),
            "mfence" => self.asm.emit(Op::Fence(FenceOrder::SeqCst)),
            code if is_locked_add(code) => self.asm.emit(Op::Fence(FenceOrder::SeqCst)),
            "pause" | "rep nop" | "nop" => self.asm.builtin(Builtin::Hint, &[], None),
            _ => return Err(unknown()),
        }
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

/// Whether the value is used. Taking it apart into members that are not used is no use.
fn is_wanted(value: Value<'_>) -> bool {
    value.users().any(|user| !user.is(Opcode::LLVMExtractValue) || is_wanted(user))
}

/// The instructions of some assembly, `;` between them. A prefix may stand alone.
fn assembly_of(text: &str) -> String {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = text.split(['\n', ';']).map(words).filter(|line| !line.is_empty()).collect();
    lines.join(";").replace("lock;", "lock ").replace("rep;", "rep ")
}

/// Whether it is `lock add` of 0 to the top of the stack, and nothing else: the older way to write `mfence`.
fn is_locked_add(code: &str) -> bool {
    let Some(rest) = code.strip_prefix("lock add") else { return false };
    let (suffix, operands) = rest.split_once(' ').unwrap_or((rest, ""));
    let Some((zero, memory)) = operands.split_once(',') else { return false };
    let offset = memory.trim().strip_suffix("(%rsp)").or_else(|| memory.trim().strip_suffix("(%esp)"));
    let is_offset = |text: &str| text.is_empty() || text.parse::<i32>().is_ok();
    matches!(suffix, "" | "b" | "w" | "l" | "q") && zero.trim() == "$$0" && offset.is_some_and(is_offset)
}

/// The function behind aliases.
fn function_of(callee: Value<'_>) -> Value<'_> {
    if callee.kind() == Kind::Alias { function_of(callee.aliasee()) } else { callee }
}
