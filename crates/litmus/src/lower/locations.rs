//! The shared locations: those of the initial state, and those that processes get as parameters.

use crate::error::Problem;
use crate::lexer::Located;
use crate::source::{At, Source};
use crate::state::Value;
use crate::syntax::{Init, InitValue, Parameter, Syntax};
use crate::types::{INT, Kind, Type};
use std::collections::BTreeMap;
use vm::bytecode::{Global, GlobalId, Relocation};

/// More locations than any test has.
const MAX_LOCATIONS: usize = 1024;

#[derive(Debug)]
pub(super) struct Location {
    pub(super) declared: Type,
    pub(super) init: InitValue,
    pub(super) global: GlobalId,
    at: At,
    /// Whether its type was written down somewhere.
    is_typed: bool,
    value_at: At,
}

#[derive(Debug, Default)]
pub(super) struct Locations {
    by_name: BTreeMap<String, Location>,
    in_order: Vec<String>,
}

impl Locations {
    /// All locations of a test, with types that agree and initial values that fit them.
    pub(super) fn collect(syntax: &Syntax) -> Result<Locations, Located> {
        let mut locations = Locations::default();
        for init in syntax.init.iter().filter(|init| init.target.thread.is_none()) {
            locations.declare(init)?;
        }
        for parameter in syntax.processes.iter().flat_map(|process| &process.parameters) {
            locations.pass(parameter)?;
        }
        for name in &locations.in_order {
            locations.check_value(&locations.by_name[name])?;
        }
        Ok(locations)
    }

    pub(super) fn get(&self, name: &str) -> Option<&Location> {
        self.by_name.get(name)
    }

    fn declare(&mut self, init: &Init) -> Result<(), Located> {
        let name = &init.target.name;
        if self.by_name.contains_key(name) {
            return Err((Problem::Twice(name.clone()), init.target.at));
        }
        let guessed = match &init.value {
            InitValue::Number(_) => INT,
            InitValue::Address(_) => INT.pointer(),
        };
        if let Some(Type { kind: Kind::Void, .. }) = init.declared {
            return Err((Problem::Unsupported("a location has no type `void`".to_owned()), init.target.at));
        }
        let location = Location {
            is_typed: init.declared.is_some(),
            declared: init.declared.clone().unwrap_or(guessed),
            init: init.value.clone(),
            global: GlobalId(0),
            at: init.target.at,
            value_at: init.value_at,
        };
        self.add(name, location)
    }

    /// A parameter: the location that it points to.
    fn pass(&mut self, parameter: &Parameter) -> Result<(), Located> {
        let pointee = parameter.declared.pointee().expect("checked when it was parsed");
        let Some(known) = self.by_name.get_mut(&parameter.name) else {
            let location = Location {
                declared: pointee.clone(),
                init: InitValue::Number(0),
                global: GlobalId(0),
                at: parameter.at,
                is_typed: true,
                value_at: parameter.at,
            };
            return self.add(&parameter.name, location);
        };
        if !known.is_typed {
            known.declared = pointee.clone();
            known.is_typed = true;
        }
        // Atomic or not, signed or not: the same bytes.
        if known.declared.size() != pointee.size() || known.declared.is_pointer() != pointee.is_pointer() {
            let (before, now) = (known.declared.to_string(), pointee.to_string());
            return Err((Problem::OtherType { name: parameter.name.clone(), before, now }, parameter.at));
        }
        Ok(())
    }

    fn add(&mut self, name: &str, location: Location) -> Result<(), Located> {
        let index = self.in_order.len();
        if index == MAX_LOCATIONS {
            return Err((Problem::TooMany { what: "locations", limit: MAX_LOCATIONS }, location.at));
        }
        let location = Location { global: GlobalId(index as u32), ..location };
        self.by_name.insert(name.to_owned(), location);
        self.in_order.push(name.to_owned());
        Ok(())
    }

    fn check_value(&self, location: &Location) -> Result<(), Located> {
        let mismatch =
            |from: &str| Problem::Mismatch { from: from.to_owned(), to: location.declared.to_string() };
        match &location.init {
            InitValue::Address(to) if !self.by_name.contains_key(to) => {
                Err((Problem::UnknownLocation(to.clone()), location.value_at))
            }
            InitValue::Address(to) if !location.declared.is_pointer() => {
                Err((mismatch(&format!("&{to}")), location.value_at))
            }
            InitValue::Number(number) if location.declared.is_pointer() && *number != 0 => {
                Err((mismatch(&number.to_string()), location.value_at))
            }
            InitValue::Number(_) | InitValue::Address(_) => Ok(()),
        }
    }

    /// The locations as globals of the bytecode.
    pub(super) fn globals(&self, source: &Source<'_>) -> Vec<Global> {
        self.in_order.iter().map(|name| self.global(name, &self.by_name[name], source)).collect()
    }

    fn global(&self, name: &str, location: &Location, source: &Source<'_>) -> Global {
        let size = usize::from(location.declared.size());
        let (value, relocations) = match &location.init {
            InitValue::Number(number) => (Value::wrapped(*number, &location.declared), Vec::new()),
            InitValue::Address(to) => (0, vec![(0, Relocation::Global(self.by_name[to].global, 0))]),
        };
        Global {
            name: name.to_owned(),
            bytes: value.to_le_bytes()[..size].to_vec(),
            relocations,
            align: size as u64,
            place: Some(source.place(location.at)),
            ..Global::default()
        }
    }
}
