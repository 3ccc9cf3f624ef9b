//! One function: its blocks in order, its values as operands.
//!
//! Most values of LLVM are one virtual register; a struct is one register a scalar, in order. Casts that change no
//! bits, `extractvalue`, `insertvalue` and `freeze` make no code: their result is the operand itself.

use super::Options;
use super::access::is_volatile;
use super::exception::Landing;
use super::lanes::is_wide;
use super::variadic::{Told, takes_list};
use crate::Volatile;
use crate::assembler::{Assembler, Label};
use crate::ffi::{Bitcode, Kind, Metadata, Opcode, Type, TypeKind, Value, demangled};
use crate::flow::Flow;
use crate::loop_bounds;
use crate::names::Names;
use crate::places::{Origin, Sites, origin_of};
use crate::runtime::ATTRIBUTE;
use crate::shapes::Shapes;
use crate::symbols::{Symbol, Symbols};
use crate::types::{Scalar, scalars};
use base::{Site, SiteInfo};
use std::collections::BTreeMap;
use std::sync::Arc;
use vm::bytecode::{Constant, Function, Global, Op, Operand, Reg};

/// A function that is being lowered.
pub(super) struct Body<'a, 'm> {
    pub(super) symbols: &'a Symbols<'m>,
    pub(super) globals: &'a [Global],
    pub(super) asm: Assembler,
    pub(super) flow: Flow<'m>,
    /// Where each block starts.
    pub(super) labels: Vec<Label>,
    /// The round counter of each block that is the head of a loop, if rounds are counted.
    pub(super) counters: Vec<Option<Reg>>,
    /// The bound that the program sets for the loop of each block that is the head of one.
    pub(super) set: Vec<Option<u32>>,
    /// Where loops with such a bound are closed, and the bound.
    pub(super) bounds: Vec<(Site, u32)>,
    values: BTreeMap<Value<'m>, Vec<Operand>>,
    /// Per phi the value for each block that control may come from, as far as somebody has asked.
    pub(super) incoming: BTreeMap<Value<'m>, BTreeMap<Value<'m>, Value<'m>>>,
    /// What `volatile` accesses are.
    pub(super) volatile: Volatile,
    /// Whether some of the program is no C.
    pub(super) is_cxx: bool,
    /// What it was told about its variable arguments, and how many parameters have a name.
    pub(super) told: Option<Told>,
    pub(super) named_parameters: usize,
    /// Where an exception lands that leaves the call that is being lowered.
    pub(super) landing: Option<Landing>,
    names: Names<'m>,
    sites: &'a mut Sites,
    shapes: &'a mut Shapes<'m>,
    name: Arc<str>,
    /// The site of the last instruction that has a place.
    last: Option<Site>,
}

/// The origin of the call that this only fetches the function of, as passes do when a coroutine is resumed.
fn origin_of_call(callee: Value<'_>) -> Option<Origin<'_>> {
    let call = callee.only_user().filter(|user| user.is(Opcode::LLVMCall))?;
    origin_of(call).filter(|_| call.callee() == callee)
}

/// The name of a function as the source has it, without the types of templates and parameters: `std::vector::push_back`.
fn plain_name(symbol: &str) -> String {
    let name = demangled(symbol);
    if name == symbol {
        return name;
    }
    let (mut plain, mut depth) = (String::new(), 0u32);
    for c in name.replace("(anonymous namespace)::", "").chars() {
        // Names of operators may have signs that otherwise begin or end arguments.
        let is_sign = plain.trim_end_matches(['<', '>', '=', '-', '(', ')']).ends_with("operator");
        match c {
            '(' if depth == 0 && !plain.ends_with("operator") => break,
            '<' if !is_sign => depth += 1,
            '>' if !is_sign => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain
}

/// Lower a function to virtual registers.
pub(super) fn lower<'a, 'm>(
    symbols: &'a Symbols<'m>,
    globals: &'a [Global],
    (sites, shapes): (&'a mut Sites, &'a mut Shapes<'m>),
    function: Value<'m>,
    options: Options<'_>,
) -> (Function, Vec<(Site, u32)>) {
    let flow = Flow::new(function);
    let set = loop_bounds::of(&flow);
    let (values, parameters, refusal) = parameters(symbols.bitcode, function);
    let mut asm = Assembler::new(plain_name(&function.name()), parameters);
    let labels = flow.blocks.iter().map(|_| asm.label()).collect();
    // How long the C runtime takes for something is no matter of the program's loops.
    let unroll = options.unroll && !function.has_attribute(ATTRIBUTE);
    let counter = |(&is_header, set): (&bool, &Option<u32>)| {
        (unroll && is_header || set.is_some()).then(|| asm.fresh())
    };
    let counters = flow.is_header.iter().zip(&set).map(counter).collect();
    let name = function
        .subprogram()
        .and_then(Metadata::scope_function)
        .unwrap_or_else(|| plain_name(&function.name()));
    let names = Names::new(symbols.bitcode, &flow);
    let mut body = Body {
        symbols,
        globals,
        asm,
        labels,
        counters,
        set,
        bounds: Vec::new(),
        values,
        incoming: BTreeMap::new(),
        volatile: options.volatile,
        is_cxx: options.is_cxx,
        told: None,
        named_parameters: function.parameters().len(),
        landing: None,
        names,
        sites,
        shapes,
        name: name.into(),
        last: None,
        flow,
    };
    match refusal {
        Some(text) => body.refuse_everything(function, text),
        None => {
            body.cut_parameters(function);
            if takes_list(function) {
                body.begin_at(function);
                body.told = body.take_told();
            }
            body.blocks();
        }
    }
    (body.asm.finish(), body.bounds)
}

/// The operands of the parameters, their number, and why a parameter cannot be held.
type Parameters<'m> = (BTreeMap<Value<'m>, Vec<Operand>>, usize, Option<String>);

fn parameters<'m>(bitcode: &Bitcode, function: Value<'m>) -> Parameters<'m> {
    let (mut values, mut next, mut refusal) = (BTreeMap::new(), 0usize, None);
    for parameter in function.parameters() {
        match scalars(bitcode, parameter.ty()) {
            Ok(parts) => {
                let registers = (next..next + parts.len()).map(|i| Operand::Reg(Reg(i as u16)));
                values.insert(parameter, registers.collect());
                next += parts.len();
            }
            Err(text) => refusal = Some(text),
        }
    }
    (values, next, refusal)
}

impl<'m> Body<'_, 'm> {
    fn refuse_everything(&mut self, function: Value<'m>, text: String) {
        self.begin_at(function);
        self.asm.refuse(text);
    }

    /// What comes next is where the function begins.
    fn begin_at(&mut self, function: Value<'m>) {
        let first = function.blocks()[0].instructions().find(|i| i.location().is_some());
        let site = self.site_of(first.unwrap_or_else(|| function.blocks()[0].terminator()), None);
        self.asm.at(site);
    }

    /// A call through a pointer of another type may give more bits than the function takes.
    fn cut_parameters(&mut self, function: Value<'m>) {
        let is_callee = |user: Value<'m>| user.is_call() && user.callee() == function;
        if function.users().all(is_callee) {
            return;
        }
        for parameter in function.parameters() {
            if let TypeKind::Integer(width @ 1..64) = parameter.ty().kind() {
                let whole = self.values[&parameter][0];
                let cut = self.asm.truncate(width as u8, whole);
                self.values.insert(parameter, vec![cut]);
            }
        }
    }

    fn blocks(&mut self) {
        for block in 0..self.flow.blocks.len() {
            self.phis_and_pads(block);
        }
        for block in 0..self.flow.blocks.len() {
            self.asm.place(self.labels[block]);
            for instruction in self.flow.blocks[block].instructions().filter(|i| !i.is_phi()) {
                let site = self.site_of(instruction, self.address_of(instruction));
                self.asm.at(site);
                if let Err(text) = self.instruction(block, instruction) {
                    self.asm.refuse(text);
                    self.define_zero(instruction);
                }
            }
        }
    }

    /// Give each phi of a block its registers, and the landing pad.
    fn phis_and_pads(&mut self, block: usize) {
        let is_one = |it: &Value<'m>| it.is_phi() || it.is(Opcode::LLVMLandingPad);
        for it in self.flow.blocks[block].instructions().take_while(is_one) {
            if let Ok(parts) = self.scalars(it.ty()) {
                let registers = parts.iter().map(|_| Operand::Reg(self.asm.fresh())).collect();
                self.values.insert(it, registers);
            }
        }
    }

    /// What follows an instruction that is refused is never reached, but has to have operands.
    fn define_zero(&mut self, instruction: Value<'m>) {
        if let Ok(parts) = self.scalars(instruction.ty()) {
            let zero = self.asm.number(0);
            self.values.insert(instruction, vec![zero; parts.len()]);
        }
    }

    /// The site of an instruction; code without a place of its own has the place of what came before it.
    fn site_of(&mut self, instruction: Value<'m>, address: Option<Value<'m>>) -> Site {
        let is_scalar = !instruction.is_call();
        let operand = address.and_then(|address| self.names.object(address, is_scalar)).unwrap_or_default();
        let made = self.names.made(instruction);
        let object = made.map(|(name, ty)| self.shapes.object(name, ty));
        match origin_of(instruction).or_else(|| origin_of_call(instruction)) {
            Some(origin) => {
                let volatile = is_volatile(instruction);
                let site = self.sites.site_at(origin, operand.into(), volatile, object);
                self.last = Some(site);
                site
            }
            None => {
                let site = self.last.unwrap_or_else(|| {
                    let (function, operand) = (self.name.clone(), operand.into());
                    self.sites.site(SiteInfo { function, operand, ..SiteInfo::default() })
                });
                object.map_or(site, |object| self.sites.site_of_object(site, object))
            }
        }
    }

    pub(super) fn scalars(&self, ty: Type<'m>) -> Result<Vec<Scalar>, String> {
        scalars(self.symbols.bitcode, ty)
    }

    /// The one scalar of a type.
    pub(super) fn scalar(&self, ty: Type<'m>) -> Result<Scalar, String> {
        match self.scalars(ty)?.as_slice() {
            [scalar] => Ok(*scalar),
            _ => Err(format!("a value of type `{}` is not modelled here", ty.text())),
        }
    }

    pub(super) fn width(&self, value: Value<'m>) -> Result<u8, String> {
        Ok(self.scalar(value.ty())?.width)
    }

    /// The operands of a value, one a scalar.
    pub(super) fn all(&mut self, value: Value<'m>) -> Result<Vec<Operand>, String> {
        if let Some(operands) = self.values.get(&value) {
            return Ok(operands.clone());
        }
        let parts = self.scalars(value.ty())?;
        match value.kind() {
            Kind::Instruction | Kind::Argument => {
                unreachable!("`{}` is used before it is defined", value.text())
            }
            Kind::Zero | Kind::Undefined => {
                let zero = self.asm.number(0);
                Ok(vec![zero; parts.len()])
            }
            Kind::Aggregate | Kind::Data => {
                let mut operands = Vec::new();
                for index in 0..value.ty().members().len() as u32 {
                    let element = value.element(index).expect("an element for each member");
                    operands.extend(self.all(element)?);
                }
                Ok(operands)
            }
            Kind::Integer if is_wide(value.ty()) => {
                let width = u32::from(parts[1].width);
                let number =
                    value.number_bits(64 + u64::from(width)).ok_or("a constant that cannot be read")?;
                let high = (number >> 64) as u64;
                let high = crate::fold::truncate(high, width as u8);
                Ok(vec![self.asm.number(number as u64), self.asm.number(high)])
            }
            _ if parts.len() != 1 || value.ty().kind() == TypeKind::Vector => {
                Err(format!("the constant `{}` is not modelled", value.text()))
            }
            _ => Ok(vec![self.symbol(value)?]),
        }
    }

    /// The operand of a scalar value.
    pub(super) fn one(&mut self, value: Value<'m>) -> Result<Operand, String> {
        match self.all(value)?.as_slice() {
            [operand] => Ok(*operand),
            _ => Err(format!("a value of type `{}` is not modelled here", value.ty().text())),
        }
    }

    fn symbol(&mut self, constant: Value<'m>) -> Result<Operand, String> {
        Ok(match self.symbols.resolve(constant)? {
            Symbol::Number(number) => self.asm.number(number),
            Symbol::Global(id, offset) => self.asm.constant(Constant::Global(id, offset)),
            Symbol::ThreadLocal(global, offset) => {
                let base = self.asm.result(|dst| Op::ThreadLocal { dst, global });
                self.asm.offset(base, offset)
            }
            Symbol::Function(id) => self.asm.constant(Constant::Function(id)),
            Symbol::External(name) => {
                let name = self.asm.text(name);
                self.asm.constant(Constant::External(name))
            }
        })
    }

    pub(super) fn define(&mut self, instruction: Value<'m>, operands: Vec<Operand>) {
        self.values.insert(instruction, operands);
    }

    /// Fresh registers for the result of an instruction.
    pub(super) fn results(&mut self, instruction: Value<'m>) -> Result<Vec<Reg>, String> {
        let parts = self.scalars(instruction.ty())?;
        let registers: Vec<Reg> = parts.iter().map(|_| self.asm.fresh()).collect();
        self.define(instruction, registers.iter().map(|&register| Operand::Reg(register)).collect());
        Ok(registers)
    }

    /// The one register of the result of an instruction.
    pub(super) fn result(&mut self, instruction: Value<'m>) -> Result<Reg, String> {
        self.scalar(instruction.ty())?;
        Ok(self.results(instruction)?[0])
    }
}
