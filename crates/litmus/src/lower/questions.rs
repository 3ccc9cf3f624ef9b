//! What is asked about the final states, resolved: every variable exists, and every value fits it.

use super::body::Returned;
use super::locations::Locations;
use super::{Lowered, Observed, ValueSource};
use crate::condition::{Atom, Condition, Operand, Proposition};
use crate::error::Problem;
use crate::lexer::Located;
use crate::source::At;
use crate::state::{Value, Variable};
use crate::syntax::{Syntax, Target};
use std::collections::{BTreeMap, BTreeSet};
use vm::bytecode::Module;

/// The registers that are asked for, by process.
#[derive(Debug)]
pub(super) struct Questions {
    registers: Vec<Vec<(String, At)>>,
}

impl Questions {
    pub(super) fn collect(syntax: &Syntax) -> Questions {
        let mut targets: Vec<&Target> = syntax.locations.iter().collect();
        let propositions = [Some(&syntax.condition.proposition), syntax.filter.as_ref()];
        propositions.into_iter().flatten().for_each(|proposition| proposition.variables(&mut targets));
        let mut registers = vec![Vec::new(); syntax.processes.len()];
        for target in targets {
            let thread = target.thread.and_then(|thread| usize::try_from(thread).ok());
            if let Some(asked) = thread.and_then(|thread| registers.get_mut(thread)) {
                asked.push((target.name.clone(), target.at));
            }
        }
        Questions { registers }
    }

    pub(super) fn registers(&self, thread: usize) -> &[(String, At)] {
        &self.registers[thread]
    }

    /// The questions with what each variable is. The module is the caller's to add.
    pub(super) fn resolve(
        &self,
        syntax: &Syntax,
        locations: &Locations,
        registers: &[Returned],
    ) -> Result<Lowered, Located> {
        for init in &syntax.init {
            check_thread(&init.target, registers)?;
        }
        let mut resolver = Resolver { locations, registers, observed: BTreeMap::new() };
        let mut shown = BTreeSet::new();
        for target in &syntax.locations {
            shown.insert(resolver.variable(target)?);
        }
        let condition = Condition {
            quantifier: syntax.condition.quantifier,
            proposition: resolver.proposition(&syntax.condition.proposition)?,
        };
        let mut in_condition = Vec::new();
        condition.proposition.variables(&mut in_condition);
        shown.extend(in_condition.into_iter().cloned());
        let filter = match &syntax.filter {
            Some(filter) => Some(resolver.proposition(filter)?),
            None => None,
        };
        let observed: Vec<Observed> = resolver.observed.into_values().collect();
        let is_shown = |&index: &usize| shown.contains(&observed[index].variable);
        let shown = (0..observed.len()).filter(is_shown).collect();
        Ok(Lowered { module: Module::default(), observed, shown, filter, condition, warnings: Vec::new() })
    }
}

fn check_thread(target: &Target, registers: &[Returned]) -> Result<(), Located> {
    match target.thread {
        Some(thread) if thread >= registers.len() as u64 => Err((Problem::UnknownThread(thread), target.at)),
        _ => Ok(()),
    }
}

#[derive(Debug)]
struct Resolver<'a> {
    locations: &'a Locations,
    registers: &'a [Returned],
    observed: BTreeMap<Variable, Observed>,
}

impl Resolver<'_> {
    fn proposition(&mut self, written: &Proposition<Target>) -> Result<Proposition<Variable>, Located> {
        written.map(&mut |atom| self.atom(atom))
    }

    fn atom(&mut self, atom: &Atom<Target>) -> Result<Atom<Variable>, Located> {
        let variable = self.variable(&atom.variable)?;
        let declared = self.observed.get(&variable).map(|known| &known.declared);
        let operand = match &atom.operand {
            Operand::Number(number) => {
                Operand::Number(declared.map_or(*number, |declared| Value::wrapped(*number, declared)))
            }
            Operand::Address(name, at) => {
                self.locations.get(name).ok_or_else(|| (Problem::UnknownLocation(name.clone()), *at))?;
                if let Some(declared) = declared.filter(|declared| !declared.is_pointer()) {
                    let (from, to) = (format!("&{name}"), declared.to_string());
                    return Err((Problem::Mismatch { from, to }, *at));
                }
                Operand::Address(name.clone(), *at)
            }
            Operand::Variable(other) => Operand::Variable(self.variable(other)?),
        };
        Ok(Atom { variable, operand })
    }

    /// The variable, which is observed from now on.
    fn variable(&mut self, target: &Target) -> Result<Variable, Located> {
        check_thread(target, self.registers)?;
        let name = target.name.clone();
        let thread = target.thread.and_then(|thread| usize::try_from(thread).ok());
        let (variable, declared, source) = match thread {
            Some(thread) => {
                let (index, declared) = self.registers[thread]
                    .get(&name)
                    .ok_or_else(|| (Problem::UnknownRegister { thread, name: name.clone() }, target.at))?;
                let source = ValueSource::Returned { thread, index: *index };
                (Variable::Register { thread, name }, declared.clone(), source)
            }
            None => {
                let location = self.locations.get(&name);
                let location = location.ok_or_else(|| (Problem::UnknownLocation(name.clone()), target.at))?;
                let source = ValueSource::Memory { global: location.global, init: location.init.clone() };
                (Variable::Location(name), location.declared.clone(), source)
            }
        };
        let observed = Observed { variable: variable.clone(), declared, source };
        self.observed.insert(variable.clone(), observed);
        Ok(variable)
    }
}
