//! Delta debugging: the smallest program that still fails.

use crate::program::{Expr, Instr, Modify, TestProgram};
use base::{ReadOrder, RmwOrder, WriteOrder};

/// Make a program smaller as long as it fails: leave out threads and instructions, weaken orders, simplify values.
/// A mutex is left out with its release, so that the result is as disciplined as the program.
pub fn shrink(program: &TestProgram, fails: &mut dyn FnMut(&TestProgram) -> bool) -> TestProgram {
    let mut best = program.clone();
    while let Some(smaller) = candidates(&best).into_iter().find(|candidate| fails(candidate)) {
        best = smaller;
    }
    best
}

/// Everything that is one step smaller.
fn candidates(program: &TestProgram) -> Vec<TestProgram> {
    let mut candidates = Vec::new();
    for code in 0..program.codes.len() {
        candidates.push(without_thread(program, code as u8));
    }
    for list in 0..=program.codes.len() {
        let code = list_of(program, list);
        for index in 0..code.len() {
            let mut change = |changed: Vec<Instr>| {
                let mut candidate = program.clone();
                *list_of_mut(&mut candidate, list) = changed;
                candidates.push(candidate);
            };
            if let Some(shorter) = without_instruction(code, index) {
                change(shorter);
            }
            for simpler in simpler_instructions(code[index]) {
                let mut changed = code.clone();
                changed[index] = simpler;
                change(changed);
            }
        }
    }
    candidates
}

fn list_of(program: &TestProgram, list: usize) -> &Vec<Instr> {
    if list == 0 { &program.main } else { &program.codes[list - 1] }
}

fn list_of_mut(program: &mut TestProgram, list: usize) -> &mut Vec<Instr> {
    if list == 0 { &mut program.main } else { &mut program.codes[list - 1] }
}

/// Leave a code list out, and who creates or joins it.
fn without_thread(program: &TestProgram, gone: u8) -> TestProgram {
    let mut program = program.clone();
    program.codes.remove(usize::from(gone));
    for list in 0..=program.codes.len() {
        let code = list_of_mut(&mut program, list);
        while let Some(index) = code.iter().position(|&i| i == Instr::Create(gone) || i == Instr::Join(gone))
        {
            remove(code, index);
        }
        for instr in code {
            if let Instr::Create(other) | Instr::Join(other) = instr
                && *other > gone
            {
                *other -= 1;
            }
        }
    }
    program
}

/// Leave an instruction out; `None` if it may not be left out alone.
fn without_instruction(code: &[Instr], index: usize) -> Option<Vec<Instr>> {
    let mut shorter = code.to_vec();
    match code[index] {
        Instr::Unlock(_) | Instr::Create(_) | Instr::End | Instr::Again => return None,
        Instr::Round => {
            let end = code[index..].iter().position(|&instr| instr == Instr::Again);
            end.into_iter().for_each(|distance| remove(&mut shorter, index + distance));
        }
        Instr::Begin => {
            let end = code[index..].iter().position(|&instr| instr == Instr::End);
            end.into_iter().for_each(|distance| remove(&mut shorter, index + distance));
        }
        Instr::Lock(loc) => {
            let unlock = code[index..].iter().position(|&instr| instr == Instr::Unlock(loc));
            unlock.into_iter().for_each(|distance| remove(&mut shorter, index + distance));
        }
        // A compare-exchange or a branch may be a trylock: its release would stay.
        Instr::Rmw { .. } | Instr::Branch { .. } if code.iter().any(|i| matches!(i, Instr::Unlock(_))) => {
            return None;
        }
        _ => {}
    }
    remove(&mut shorter, index);
    Some(shorter)
}

/// Remove an instruction; branches lead where they led.
fn remove(code: &mut Vec<Instr>, index: usize) {
    code.remove(index);
    for instr in code {
        if let Instr::Branch { target, .. } = instr
            && usize::from(*target) > index
        {
            *target -= 1;
        }
    }
}

/// What can stand for an instruction and is simpler. Each step weakens, so that shrinking ends.
fn simpler_instructions(instr: Instr) -> Vec<Instr> {
    let one = Expr::Const(1);
    match instr {
        Instr::Load { dst, loc, order } if order > ReadOrder::Relaxed => {
            vec![Instr::Load { dst, loc, order: ReadOrder::Relaxed }]
        }
        Instr::Store { loc, value, order } => {
            let mut simpler = Vec::new();
            if order > WriteOrder::Relaxed {
                simpler.push(Instr::Store { loc, value, order: WriteOrder::Relaxed });
            }
            if value != one {
                simpler.push(Instr::Store { loc, value: one, order });
            }
            simpler
        }
        Instr::Rmw { dst, loc, op, order, failure } => {
            let mut simpler = vec![
                Instr::Load { dst, loc, order: ReadOrder::Relaxed },
                Instr::Store { loc, value: one, order: WriteOrder::Relaxed },
            ];
            if op != Modify::Add(one) {
                simpler.push(Instr::Rmw { dst, loc, op: Modify::Add(one), order, failure });
            }
            if (order, failure) != (RmwOrder::Relaxed, ReadOrder::Relaxed) {
                let (order, failure) = (RmwOrder::Relaxed, ReadOrder::Relaxed);
                simpler.push(Instr::Rmw { dst, loc, op, order, failure });
            }
            simpler
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mix, random_program};

    /// Whatever is asked for, the result has it and is no longer than needed.
    #[test]
    fn what_is_not_needed_goes() {
        let stores_twice = |program: &TestProgram| {
            program
                .codes
                .iter()
                .any(|code| code.iter().filter(|i| matches!(i, Instr::Store { .. })).count() >= 2)
        };
        let seeds = (0..100).filter(|&seed| stores_twice(&random_program(Mix::General, seed)));
        for seed in seeds {
            let small = shrink(&random_program(Mix::General, seed), &mut |p| stores_twice(p));
            assert_eq!(crate::show(&small), {
                let name = |loc: u8| char::from(b'x' + loc);
                let locs: Vec<char> = small.codes[0]
                    .iter()
                    .map(|i| if let Instr::Store { loc, .. } = i { name(*loc) } else { '?' })
                    .collect();
                format!("{}.rlx = 1; {}.rlx = 1", locs[0], locs[1])
            });
        }
    }

    #[test]
    fn mutexes_stay_disciplined() {
        for seed in 0..100 {
            let program = random_program(Mix::Locks, seed);
            let mut seen = 0;
            shrink(&program, &mut |p| {
                seen += 1;
                for code in &p.codes {
                    let held = |i: &Instr, yes: fn(&Instr) -> bool| usize::from(yes(i));
                    let locks: usize = code.iter().map(|i| held(i, |i| matches!(i, Instr::Lock(_)))).sum();
                    let tries: usize =
                        code.iter().map(|i| held(i, |i| matches!(i, Instr::Branch { .. }))).sum();
                    let unlocks: usize =
                        code.iter().map(|i| held(i, |i| matches!(i, Instr::Unlock(_)))).sum();
                    assert_eq!(locks + tries, unlocks, "{}", crate::show(p));
                }
                seen % 2 == 0
            });
        }
    }
}
