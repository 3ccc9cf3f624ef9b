//! Writing a trace back, with the `co` that was found.

use super::{HEADER, Trace};
use crate::answer::Witness;
use crate::execution::{Event, Op, PartialExecution, Source};
use std::io::{self, Write};

/// Writes the trace, with every write's position in the witness. A witness without `co` gives no positions.
pub fn write(trace: &Trace, witness: &Witness, output: &mut impl Write) -> io::Result<()> {
    let positions = positions(&trace.execution, witness);
    writeln!(output, "{HEADER}")?;
    trace.execution.events().try_for_each(|event| {
        trace.write_event(event, output)?;
        match positions.get(event.index()) {
            Some(&position) if position != NONE => writeln!(output, " co={position}"),
            _ => writeln!(output),
        }
    })
}

const NONE: u32 = u32::MAX;

/// Per event its position in `co`; nothing at all if there is none.
fn positions(execution: &PartialExecution, witness: &Witness) -> Vec<u32> {
    let has_co = witness.co.iter().any(|writes| !writes.is_empty());
    let mut positions = vec![NONE; if has_co { execution.len() } else { 0 }];
    for writes in &witness.co {
        writes.iter().zip(0..).for_each(|(write, position)| positions[write.index()] = position);
    }
    positions
}

impl Trace {
    /// The event's line without `co=` and without an end.
    fn write_event(&self, event: Event, output: &mut impl Write) -> io::Result<()> {
        let execution = &self.execution;
        let (thread, order) = (self.thread(execution.thread(event)), execution.order(event));
        write!(output, "{} {thread} {} {order}", self.id(event), operation(execution.op(event)))?;
        if let Some(location) = execution.location(event) {
            write!(output, " {}", self.location(location))?;
        }
        match execution.source(event) {
            None => Ok(()),
            Some(Source::Init) => write!(output, " rf=init"),
            Some(Source::Event(write)) => write!(output, " rf={}", self.id(write)),
        }
    }

    /// What the event does, as its line says it: `W rel x`.
    pub fn label(&self, event: Event) -> String {
        let (op, order) = (operation(self.execution.op(event)), self.execution.order(event));
        match self.execution.location(event) {
            None => format!("{op} {order}"),
            Some(location) => format!("{op} {order} {}", self.location(location)),
        }
    }
}

fn operation(op: Op) -> &'static str {
    match op {
        Op::Read => "R",
        Op::Write => "W",
        Op::Rmw => "RMW",
        Op::Fence => "F",
    }
}
