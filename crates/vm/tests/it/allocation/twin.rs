//! The reference: all interleavings, with an allocator that gives any block that is free, or a fresh one.

use super::program::{POINTERS, Program, Statement, WORDS};
use std::collections::BTreeSet;

/// What all interleavings come to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Ends {
    /// What the threads return.
    pub(crate) states: BTreeSet<Vec<u64>>,
    /// Is anything wrong in any of them?
    pub(crate) is_wrong: bool,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Block {
    is_alive: bool,
    holds: Option<u64>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Thread {
    next: usize,
    /// What is still to be written to the block that was just allocated.
    initialises: Option<(u64, u64)>,
    pointers: [u64; POINTERS as usize],
    kept: u64,
}

/// Pointers are numbers of blocks, from 1 on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct State {
    words: [u64; WORDS as usize],
    blocks: Vec<Block>,
    threads: Vec<Thread>,
}

/// Run; `None` if there are more states than that.
pub(crate) fn run(program: &Program, reuse: bool, most: usize) -> Option<Ends> {
    let mut ends = Ends::default();
    let (mut seen, mut open) = (BTreeSet::new(), starts(program));
    while let Some(state) = open.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        if seen.len() > most {
            return None;
        }
        let mut is_end = true;
        for thread in 0..state.threads.len() {
            match step(program, reuse, &state, thread) {
                Ok(next) => {
                    is_end &= next.is_empty();
                    open.extend(next);
                }
                Err(Wrong) => {
                    is_end = false;
                    ends.is_wrong = true;
                }
            }
        }
        if is_end {
            ends.states.insert(state.threads.iter().map(|thread| thread.kept).collect());
        }
    }
    Some(ends)
}

fn starts(program: &Program) -> Vec<State> {
    let threads = vec![Thread::default(); program.threads.len()];
    let mut states = vec![State { words: [0; WORDS as usize], blocks: Vec::new(), threads }];
    for word in (0..WORDS as usize).filter(|_| program.filled) {
        let failed = if program.fail { states.clone() } else { Vec::new() };
        for state in &mut states {
            state.blocks.push(Block { is_alive: true, holds: Some(4 + word as u64) });
            state.words[word] = state.blocks.len() as u64;
        }
        states.extend(failed);
    }
    states
}

/// A use of memory that was freed, a second free, or a read of what was never written.
struct Wrong;

fn step(program: &Program, reuse: bool, state: &State, thread: usize) -> Result<Vec<State>, Wrong> {
    let mut next = state.clone();
    if let Some((block, value)) = next.threads[thread].initialises.take() {
        next.alive(block)?.holds = Some(value);
        return Ok(vec![next]);
    }
    let me = &mut next.threads[thread];
    let Some(&statement) = program.threads[thread].get(me.next) else { return Ok(Vec::new()) };
    me.next += 1;
    let pointer = |p: u64| state.threads[thread].pointers[p as usize];
    match statement {
        Statement::Malloc(p, value) => return Ok(next.malloc(thread, p, value, reuse, program.fail)),
        Statement::Free(p) if pointer(p) == 0 => {}
        Statement::Free(p) => next.alive(pointer(p))?.is_alive = false,
        Statement::Load(p, x) => me.pointers[p as usize] = state.words[x as usize],
        Statement::Store(x, p) => next.words[x as usize] = pointer(p),
        Statement::Take(p, x) => {
            me.pointers[p as usize] = state.words[x as usize];
            next.words[x as usize] = 0;
        }
        Statement::CompareExchange(x, p, q) => {
            let succeeds = state.words[x as usize] == pointer(p);
            me.kept = me.kept * 10 + u64::from(succeeds);
            if succeeds {
                next.words[x as usize] = pointer(q);
            }
        }
        Statement::Compare(p, q) => me.kept = me.kept * 10 + u64::from(pointer(p) == pointer(q)),
        Statement::Read(p) if pointer(p) == 0 => {}
        Statement::Read(p) => {
            let holds = next.alive(pointer(p))?.holds.ok_or(Wrong)?;
            let me = &mut next.threads[thread];
            me.kept = me.kept * 10 + holds;
        }
    }
    Ok(vec![next])
}

impl State {
    fn alive(&mut self, pointer: u64) -> Result<&mut Block, Wrong> {
        let block = &mut self.blocks[pointer as usize - 1];
        if block.is_alive { Ok(block) } else { Err(Wrong) }
    }

    fn malloc(&self, thread: usize, p: u64, value: u64, reuse: bool, fail: bool) -> Vec<State> {
        let again = (0..self.blocks.len()).filter(|&i| reuse && !self.blocks[i].is_alive);
        let given = again.chain([self.blocks.len()]).map(|i| {
            let mut next = self.clone();
            let block = Block { is_alive: true, holds: None };
            if i < self.blocks.len() {
                next.blocks[i] = block
            } else {
                next.blocks.push(block)
            }
            let me = &mut next.threads[thread];
            me.pointers[p as usize] = i as u64 + 1;
            me.initialises = Some((i as u64 + 1, value));
            next
        });
        let mut next: Vec<State> = given.collect();
        if fail {
            let mut failed = self.clone();
            failed.threads[thread].pointers[p as usize] = 0;
            next.push(failed);
        }
        next
    }
}
