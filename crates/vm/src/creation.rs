//! Whether a thread could be created after one was joined.
//!
//! Most programs create all their threads before they join any. The code shows it if `main` alone creates and joins,
//! and no join in it leads to a creation.
//!
//! Says "yes" too often: if a function other than `main` creates or joins, and if code is never run.
//! Cost: linear in the code of `main`.

use crate::Builtin;
use crate::bytecode::{FunctionId, Module, Op};
use crate::cfg::effects::successors;
use crate::identity::is_used;
use crate::sync::SyncCall;
use crate::system::SystemCall;

/// Whether a thread could be created after one was joined.
pub(crate) fn creates_after_join(module: &Module) -> bool {
    let is_other = |f: &usize| module.main != Some(FunctionId(*f as u32));
    let others = (0..module.functions.len()).filter(is_other);
    let matters = |op: &Op| creates(op) || joins(op);
    let is_elsewhere = others.into_iter().any(|f| module.functions[f].code.iter().any(matters));
    is_elsewhere || module.main.is_none_or(|main| is_used(module, main) || leads_to_creation(module, main))
}

/// Whether a join in this function leads to a creation.
fn leads_to_creation(module: &Module, main: FunctionId) -> bool {
    let function = &module.functions[main.0 as usize];
    let mut seen = vec![false; function.code.len()];
    let mut todo: Vec<usize> = Vec::new();
    for (pc, _) in function.code.iter().enumerate().filter(|(_, op)| joins(op)) {
        successors(function, pc, |next| todo.push(next));
    }
    while let Some(pc) = todo.pop() {
        if !std::mem::replace(&mut seen[pc], true) {
            if creates(&function.code[pc]) {
                return true;
            }
            successors(function, pc, |next| todo.push(next));
        }
    }
    false
}

fn creates(op: &Op) -> bool {
    matches!(op, Op::Builtin { builtin: Builtin::PthreadCreate | Builtin::Sync(SyncCall::ThreadCreate), .. })
}

fn joins(op: &Op) -> bool {
    let Op::Builtin { builtin, .. } = *op else { return false };
    let calls = [SystemCall::TryJoin, SystemCall::TimedJoin].map(Builtin::System);
    matches!(builtin, Builtin::PthreadJoin | Builtin::Sync(SyncCall::ThreadJoin)) || calls.contains(&builtin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::{Function, List};

    fn op(builtin: Builtin) -> Op {
        Op::Builtin { builtin, arguments: List::default(), result: None }
    }

    fn late(main: &[Op], other: &[Op]) -> bool {
        let function = |code: &[Op]| Function { code: code.to_vec(), ..Function::default() };
        let functions = vec![function(main), function(other)];
        creates_after_join(&Module { functions, main: Some(FunctionId(0)), ..Module::default() })
    }

    #[test]
    fn it_is_seen_along_jumps() {
        let (create, join) = (op(Builtin::PthreadCreate), op(Builtin::PthreadJoin));
        let end = Op::Return { values: List::default() };
        assert!(!late(&[create, create, join, join, end], &[end]));
        assert!(late(&[create, join, create, join, end], &[end]));
        assert!(late(&[create, join, Op::Jump(0)], &[end]));
        assert!(!late(&[create, end, join, end], &[end]));
    }

    #[test]
    fn other_functions_are_not_looked_into() {
        let (create, join) = (op(Builtin::PthreadCreate), op(Builtin::PthreadJoin));
        let end = Op::Return { values: List::default() };
        assert!(late(&[end], &[create, end]));
        assert!(late(&[create, end], &[join, end]));
    }
}
