//! Final states of executions: what every thread has in its registers when all have finished.
//!
//! Programs whose loops are left out have other executions than with every round, but the same final states. `main` can look at
//! memory at its end, so that this is part of them, too.

use crate::program::{REGISTERS, TestProgram};
use base::{ThreadId, Value};
use graph::{ExecutionGraph, Label};
use program::{Program, Request};

/// The registers of each thread, `main`'s first.
pub type Registers = Vec<[Value; REGISTERS]>;

/// The registers in the end of a complete execution, found by telling every thread again what it has read.
///
/// # Panics
/// If the graph is not of the program, or if other threads than `main` create threads.
pub fn registers(program: &TestProgram, graph: &ExecutionGraph) -> Registers {
    let mut functions = vec![0];
    let mut all = Vec::new();
    for (thread, labels) in graph.threads.iter().enumerate() {
        let mut state = match thread {
            0 => program.main(),
            _ => program.start(ThreadId(thread as u32), functions[thread], 0),
        };
        let mut request = program.resume(&mut state, 0);
        for label in labels {
            if let (Request::Create { function, .. }, Label::Create(child)) = (&request, label) {
                assert_eq!(
                    (thread, child.index()),
                    (0, functions.len()),
                    "`main` creates all threads, in order"
                );
                functions.push(*function);
            }
            request = program.resume(&mut state, answer(label));
        }
        assert!(matches!(request, Request::Finish { .. }), "thread {thread} asks {request:?}");
        all.push(state.registers());
    }
    all
}

fn answer(label: &Label) -> Value {
    match label {
        Label::Create(child) => Value::from(child.0),
        Label::Choose(value) => *value,
        // Programs do not look at the value that a join is told.
        label => label.value_read().unwrap_or(0),
    }
}
