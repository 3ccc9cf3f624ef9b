//! A program as one line of text, for messages.

use crate::program::{Condition, Expr, Instr, Modify, TestProgram};
use base::Order;

/// The text: threads separated by `‖`, what `main` does before them unless it only creates them in order.
/// Instructions have their numbers in front where there are branches.
pub fn show(program: &TestProgram) -> String {
    let workers = program.codes.iter().map(|code| list(code)).collect::<Vec<_>>().join("  ‖  ");
    let creates: Vec<Instr> = (0..program.codes.len() as u8).map(Instr::Create).collect();
    if program.main == creates { workers } else { format!("main: {}  ‖  {workers}", list(&program.main)) }
}

fn list(code: &[Instr]) -> String {
    let numbered = code.iter().any(|instr| matches!(instr, Instr::Branch { .. }));
    let line = |(index, &instr): (usize, &Instr)| match numbered {
        true => format!("{index}: {}", instruction(instr)),
        false => instruction(instr),
    };
    code.iter().enumerate().map(line).collect::<Vec<_>>().join("; ")
}

fn instruction(instr: Instr) -> String {
    match instr {
        Instr::Load { dst, loc, order } => format!("r{dst} = {}.{}", name(loc), Order::from(order)),
        Instr::Store { loc, value, order } => {
            format!("{}.{} = {}", name(loc), Order::from(order), expr(value))
        }
        Instr::Rmw { dst, loc, op, order, failure } => {
            let (x, order) = (name(loc), Order::from(order));
            match op {
                Modify::Add(value) => format!("r{dst} = fadd.{order}({x}, {})", expr(value)),
                Modify::Exchange(value) => format!("r{dst} = xchg.{order}({x}, {})", expr(value)),
                Modify::Cas(expected, new) => {
                    let failure = Order::from(failure);
                    format!("r{dst} = cas.{order}.{failure}({x}, {}, {})", expr(expected), expr(new))
                }
            }
        }
        Instr::Fence(order) => format!("fence.{}", Order::from(order)),
        Instr::Await { dst, loc, op, patience } => {
            format!("r{dst} = pass {} {op:?} {patience:?}", name(loc))
        }
        Instr::Lock(loc) => format!("lock {}", name(loc)),
        Instr::Unlock(loc) => format!("unlock {}", name(loc)),
        Instr::Round => "round".to_owned(),
        Instr::Again => "again".to_owned(),
        Instr::Begin => "{".to_owned(),
        Instr::End => "}".to_owned(),
        Instr::Create(code) => format!("create #{code}"),
        Instr::Join(code) => format!("join #{code}"),
        Instr::Choose { dst, values } => format!("r{dst} = choose {values}"),
        Instr::Branch { condition, target } => format!("if {} goto {target}", comparison(condition)),
        Instr::Assume(condition) => format!("assume {}", comparison(condition)),
        Instr::AssumeSame(a, b) => format!("assume r{a} == r{b}"),
        Instr::Set { dst, value } => format!("r{dst} = {}", expr(value)),
    }
}

/// x, y, z, a, b, …
fn name(loc: u8) -> char {
    char::from(b'a' + (loc + 23) % 26)
}

fn expr(expr: Expr) -> String {
    match expr {
        Expr::Const(value) => value.to_string(),
        Expr::Reg(reg) => format!("r{reg}"),
        Expr::Plus(reg, value) => format!("r{reg}+{value}"),
    }
}

fn comparison(condition: Condition) -> String {
    format!("r{} {} {}", condition.reg, if condition.equal { "==" } else { "!=" }, condition.value)
}
