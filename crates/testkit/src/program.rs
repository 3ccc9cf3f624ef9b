//! Small programs as data: threads with registers, forward branches, assumptions and loops.
//!
//! A loop is the code from [`Instr::Round`] to [`Instr::Again`], and a branch to an instruction behind it leaves it. What a
//! round has put into registers is forgotten when the next one begins: so a round without a write is a round without effect.
//!
//! A state is a small `Copy` value. The main thread first publishes one object with all the locations, 8 bytes
//! each, all zero; then it does what its code says, creating the other threads among it. Values are 64 bits wide.

use base::{Access, FenceOrder, ReadOrder, RmwOrder, Site, ThreadId, Value, WriteOrder};
use program::{
    Await, AwaitOp, Blocker, Facts, Hint, LeftOutRounds, Object, Patience, Program, Refinements, Refusal,
    Request, RmwOp, Role, Section, SectionOrder, Storage,
};
use std::ops::Range;

/// Registers per thread.
pub const REGISTERS: usize = 6;
/// Most code lists besides `main`'s.
pub const CODES: usize = 16;
/// The address of the first location.
const BASE: u64 = 0x1000;

/// The location number `index`.
pub fn location(index: u8) -> Access {
    Access { address: BASE + 8 * u64::from(index), size: 8 }
}

/// A value that a thread computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expr {
    /// A constant.
    Const(Value),
    /// A register.
    Reg(u8),
    /// A register plus a constant.
    Plus(u8, Value),
}

/// A comparison of a register with a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    /// The register.
    pub reg: u8,
    /// Whether it must be equal, or else different.
    pub equal: bool,
    /// The constant.
    pub value: Value,
}

/// What a read-modify-write does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Modify {
    /// `fetch_add`
    Add(Expr),
    /// `exchange`
    Exchange(Expr),
    /// `compare_exchange_strong`, expected and new value.
    Cas(Expr, Expr),
}

/// An instruction. Locations are numbered from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Instr {
    /// Load into a register.
    Load {
        /// The register.
        dst: u8,
        /// The location.
        loc: u8,
        /// The order.
        order: ReadOrder,
    },
    /// Store.
    Store {
        /// The location.
        loc: u8,
        /// What is stored.
        value: Expr,
        /// The order.
        order: WriteOrder,
    },
    /// Read-modify-write; the register gets the value read.
    Rmw {
        /// The register.
        dst: u8,
        /// The location.
        loc: u8,
        /// What it does.
        op: Modify,
        /// The order.
        order: RmwOrder,
        /// The order of a compare-exchange that fails.
        failure: ReadOrder,
    },
    /// Fence.
    Fence(FenceOrder),
    /// Take the mutex at this location.
    Lock(u8),
    /// Release it.
    Unlock(u8),
    /// An atomic section begins.
    Begin,
    /// It ends.
    End,
    /// Pass the word at this location; the register gets the value read.
    Await {
        /// The register.
        dst: u8,
        /// The location.
        loc: u8,
        /// When it lets pass.
        op: AwaitOp,
        /// What to do otherwise.
        patience: Patience,
    },
    /// Create a thread that runs this code list. Each list runs at most once.
    Create(u8),
    /// Wait for the thread that this thread created for this code list. Nothing happens if it created none.
    Join(u8),
    /// Any number below `values` into a register.
    Choose {
        /// The register.
        dst: u8,
        /// How many numbers.
        values: Value,
    },
    /// Go to `target`, further down, if the condition holds.
    Branch {
        /// The condition.
        condition: Condition,
        /// The index of the next instruction.
        target: u16,
    },
    /// A round of a loop begins. Loops are not nested.
    Round,
    /// It ends, and another one begins, with the registers as they were when this one began.
    Again,
    /// Go no further unless the condition holds.
    Assume(Condition),
    /// Go no further unless two registers are equal.
    AssumeSame(u8, u8),
    /// Compute.
    Set {
        /// The register.
        dst: u8,
        /// The value.
        value: Expr,
    },
}

/// Which rounds block their thread at their end, because executions can do without them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub enum Cuts {
    /// None: this is what loops mean.
    #[default]
    None,
    /// Those without a write. Additions have their [`Role`].
    Unwritten,
    /// And those whose writes have changed nothing; without an order of all writes, other threads could observe these.
    Unchanged,
}

/// A program.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TestProgram {
    /// How many locations.
    pub locations: u8,
    /// What `main` does.
    pub main: Vec<Instr>,
    /// What the other threads do.
    pub codes: Vec<Vec<Instr>>,
    /// Whether it says which loads are one event with the compare-exchange after them.
    pub pairs: bool,
    /// Which atomic sections exclude each other. `None`: begin and end of a section are events that do nothing (choices among one
    /// number), for the oracle.
    pub order: Option<SectionOrder>,
    /// How many rounds after its first one a thread may begin.
    pub rounds: u8,
    /// Which rounds it leaves out; what it says about reads and additions follows from that.
    pub cuts: Cuts,
    /// Memory: each thread keeps its first round that accesses some of it.
    pub kept: Vec<Range<u64>>,
}

impl TestProgram {
    /// `main` creates one thread for each code list, in order, and finishes.
    pub fn parallel(locations: u8, codes: Vec<Vec<Instr>>) -> TestProgram {
        let main = (0..codes.len() as u8).map(Instr::Create).collect();
        TestProgram { locations, main, codes, ..TestProgram::default() }
    }

    /// ... and `main` then waits for all of them.
    pub fn joined(mut self) -> TestProgram {
        self.main.extend((0..self.codes.len() as u8).map(Instr::Join));
        self
    }

    /// Whether some thread uses a mutex.
    pub fn has_locks(&self) -> bool {
        self.lists()
            .flatten()
            .any(|instr| matches!(instr, Instr::Lock(_) | Instr::Unlock(_) | Instr::Await { .. }))
    }

    /// How many instructions.
    pub fn len(&self) -> usize {
        self.lists().map(Vec::len).sum()
    }

    /// Whether it does nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first code list that is the same as this one.
    pub fn function(&self, code: u8) -> u8 {
        let same = self.codes.iter().position(|other| *other == self.codes[usize::from(code)]);
        same.map_or(code, |same| same as u8)
    }

    /// All code, `main`'s first.
    pub fn lists(&self) -> impl Iterator<Item = &Vec<Instr>> {
        std::iter::once(&self.main).chain(&self.codes)
    }

    /// What the thread asks next to begin, or to end, the section that began at this instruction; `None`: it is done.
    fn section_step(&self, state: &State, begin: u16, ends: bool) -> Option<Request> {
        let left = if ends { state.taken.checked_sub(1)? } else { state.taken };
        let Some(order) = &self.order else {
            return (ends || left == 0).then_some(Request::Choose { values: 1 });
        };
        let mutex = *order.mutexes((state.thread, site(state.list, begin))).get(usize::from(left))?;
        let at = location(self.locations + mutex as u8);
        Some(if ends { Request::Unlock { at } } else { Request::Lock { at } })
    }

    /// The thread is at the begin or the end of a section: what it asks there, if it is not done with that.
    fn begin_or_end(&self, state: &mut State, ends: bool) -> Option<Request> {
        let begin = state.section.unwrap_or(state.pc);
        let request = self.section_step(state, begin, ends);
        if request.is_none() {
            state.section = (!ends).then_some(state.pc);
            state.pc += 1;
        }
        request
    }

    /// The thread is at the end of a round: why it goes no further, if it does not.
    fn next_round(&self, state: &mut State) -> Option<Request> {
        let round = state.round.expect("a round has begun");
        if round.writes.is_left_out(self.cuts) {
            if state.has_kept || !round.is_endangered {
                return Some(Request::Block(Blocker::Spin { since: round.events }));
            }
            state.has_kept = true;
        }
        if state.rounds == self.rounds {
            return Some(Request::Block(Blocker::Unroll));
        }
        state.rounds += 1;
        state.regs = round.regs;
        state.go_to(round.pc)
    }

    /// The thread's round, if it is in one, has made this access.
    fn note_access(&self, state: &mut State, request: &Request, answer: Value) {
        let Some(round) = &mut state.round else { return };
        round.writes = round.writes.max(Writes::of(request, answer));
        let Some(at) = request.at() else { return };
        round.is_endangered |= self.kept.iter().any(|bytes| bytes.contains(&at.address));
    }

    /// Whether the end of a round that has changed nothing is certain to block the thread.
    fn is_cutting(&self, state: &State) -> bool {
        self.cuts > Cuts::None && (self.kept.is_empty() || state.has_kept)
    }

    fn code(&self, list: Option<u8>) -> &[Instr] {
        list.map_or(&self.main, |code| &self.codes[usize::from(code)])
    }

    /// The rounds that are left out.
    fn left_out(&self) -> LeftOutRounds {
        let is_plain = |instr: &Instr| matches!(instr, Instr::Load { order: ReadOrder::NotAtomic, .. });
        let in_round = |code: &Vec<Instr>, at: usize| end_of_round(code, at).is_some();
        let has_plain =
            |code: &Vec<Instr>| (0..code.len()).any(|at| is_plain(&code[at]) && in_round(code, at));
        match self.cuts {
            Cuts::None => LeftOutRounds::None,
            _ if !self.lists().any(|code| code.contains(&Instr::Again)) => LeftOutRounds::None,
            _ if self.lists().any(has_plain) => LeftOutRounds::Plain,
            _ => LeftOutRounds::Atomic,
        }
    }

    fn object(&self) -> Object {
        let mutexes = self.order.as_ref().map_or(0, SectionOrder::len);
        Object {
            address: BASE,
            bytes: vec![0; 8 * (usize::from(self.locations) + mutexes)].into(),
            defined: None,
            written: None,
            allocated: None,
            storage: Storage::Static,
        }
    }
}

/// Where a thread is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Before its first step.
    Fresh,
    /// `main` publishes.
    Publishing,
    /// At the instruction `pc`.
    Running,
}

/// What the writes of a round have done.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Writes {
    /// There are none.
    None,
    /// Each has written what was there.
    Same,
    /// Something else.
    Other,
}

impl Writes {
    fn of(request: &Request, answer: Value) -> Writes {
        match *request {
            Request::Write { .. } => Writes::Other,
            Request::Rmw { at, op, .. } => match op.apply(answer, at.size) {
                None => Writes::None,
                Some(new) if new == answer => Writes::Same,
                Some(_) => Writes::Other,
            },
            _ => Writes::None,
        }
    }

    fn is_left_out(self, cuts: Cuts) -> bool {
        match self {
            Writes::None => cuts >= Cuts::Unwritten,
            Writes::Same => cuts >= Cuts::Unchanged,
            Writes::Other => false,
        }
    }
}

/// The round that a thread is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Round {
    /// Where it began, after how many events, and with which registers.
    pc: u16,
    events: u32,
    regs: [Value; REGISTERS],
    writes: Writes,
    /// Whether it has accessed memory for which it is to be kept.
    is_endangered: bool,
}

/// All that a thread knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    thread: ThreadId,
    /// The code list; `None` for `main`.
    list: Option<u8>,
    phase: Phase,
    pc: u16,
    /// How many events it has made.
    events: u32,
    regs: [Value; REGISTERS],
    /// Per code list the number of the thread that this one created for it; `main`'s for none.
    children: [u8; CODES],
    /// Where the section that it is in began.
    section: Option<u16>,
    /// How many mutexes it has taken for that.
    taken: u8,
    round: Option<Round>,
    /// How many rounds it has begun after its first one.
    rounds: u8,
    /// Whether it has kept a round.
    has_kept: bool,
}

impl State {
    fn new(thread: ThreadId, list: Option<u8>) -> State {
        let (regs, children) = ([0; REGISTERS], [0; CODES]);
        State {
            thread,
            list,
            phase: Phase::Fresh,
            pc: 0,
            events: 0,
            regs,
            children,
            section: None,
            taken: 0,
            round: None,
            rounds: 0,
            has_kept: false,
        }
    }

    /// The registers.
    pub fn registers(&self) -> [Value; REGISTERS] {
        self.regs
    }

    fn eval(&self, expr: Expr) -> Value {
        match expr {
            Expr::Const(value) => value,
            Expr::Reg(reg) => self.regs[usize::from(reg)],
            Expr::Plus(reg, value) => self.regs[usize::from(reg)].wrapping_add(value),
        }
    }

    fn holds(&self, condition: Condition) -> bool {
        (self.regs[usize::from(condition.reg)] == condition.value) == condition.equal
    }

    /// The instruction at `pc` has got its answer.
    fn take(&mut self, instr: Instr, answer: Value) {
        match instr {
            Instr::Load { dst, .. }
            | Instr::Rmw { dst, .. }
            | Instr::Await { dst, .. }
            | Instr::Choose { dst, .. } => {
                self.regs[usize::from(dst)] = answer;
            }
            Instr::Create(code) => self.children[usize::from(code)] = answer as u8,
            Instr::Begin => {
                self.taken += 1;
                return;
            }
            Instr::End => {
                self.taken -= 1;
                return;
            }
            Instr::Store { .. } | Instr::Fence(_) | Instr::Lock(_) | Instr::Unlock(_) | Instr::Join(_) => {}
            Instr::Branch { .. } | Instr::Assume(_) | Instr::AssumeSame(..) | Instr::Set { .. } => {
                unreachable!("asks nothing")
            }
            Instr::Round | Instr::Again => unreachable!("asks nothing"),
        }
        self.pc += 1;
    }

    /// What an instruction asks; `None` if it is done without asking.
    fn ask(&mut self, instr: Instr) -> Option<Request> {
        let request = match instr {
            Instr::Load { loc, order, .. } => Request::Read { at: location(loc), order },
            Instr::Store { loc, value, order } => {
                Request::Write { at: location(loc), value: self.eval(value), order }
            }
            Instr::Rmw { loc, op, order, failure, .. } => {
                Request::Rmw { at: location(loc), op: self.modify(op), order, failure }
            }
            Instr::Fence(order) => Request::Fence(order),
            Instr::Lock(loc) => Request::Lock { at: location(loc) },
            Instr::Unlock(loc) => Request::Unlock { at: location(loc) },
            Instr::Await { loc, op, patience, .. } => Request::Await { at: location(loc), op, patience },
            Instr::Create(code) => Request::Create { function: Value::from(code), argument: 0 },
            Instr::Join(code) => match self.children[usize::from(code)] {
                0 => return self.go_to(self.pc + 1),
                thread => Request::Join { thread: ThreadId(u32::from(thread)) },
            },
            Instr::Begin | Instr::End => unreachable!("the program knows what is asked for sections"),
            Instr::Round => {
                let (pc, events, regs) = (self.pc, self.events, self.regs);
                self.round = Some(Round { pc, events, regs, writes: Writes::None, is_endangered: false });
                return self.go_to(pc + 1);
            }
            Instr::Again => unreachable!("the program knows how many rounds there are"),
            Instr::Choose { values, .. } => Request::Choose { values },
            Instr::Branch { condition, target } => {
                return self.go_to(if self.holds(condition) { target } else { self.pc + 1 });
            }
            Instr::Assume(condition) if self.holds(condition) => return self.go_to(self.pc + 1),
            Instr::AssumeSame(a, b) if self.regs[usize::from(a)] == self.regs[usize::from(b)] => {
                return self.go_to(self.pc + 1);
            }
            Instr::Assume(_) | Instr::AssumeSame(..) => Request::Block(Blocker::Assume),
            Instr::Set { dst, value } => {
                self.regs[usize::from(dst)] = self.eval(value);
                return self.go_to(self.pc + 1);
            }
        };
        Some(request)
    }

    fn modify(&self, op: Modify) -> RmwOp {
        match op {
            Modify::Add(value) => RmwOp::Add(self.eval(value)),
            Modify::Exchange(value) => RmwOp::Exchange(self.eval(value)),
            Modify::Cas(expected, new) => {
                RmwOp::CompareExchange { expected: self.eval(expected), new: self.eval(new) }
            }
        }
    }

    /// An assumption right after the read that it is about, the instruction that was `answered`, stands for a loop around
    /// them. (A thread that has jumped over the read does not spin.)
    fn blocker(&self, code: &[Instr], answered: Option<u16>) -> Blocker {
        let read = answered.filter(|&at| at + 1 == self.pc).and_then(|at| awaited(code, usize::from(at)));
        match read {
            Some(_) => Blocker::Spin { since: self.events - 1 },
            None => Blocker::Assume,
        }
    }

    fn go_to(&mut self, pc: u16) -> Option<Request> {
        self.pc = pc;
        None
    }
}

/// The name of an instruction.
fn site(list: Option<u8>, pc: u16) -> Site {
    Site(u32::from(list.map_or(0, |code| code + 1)) * 1000 + u32::from(pc))
}

/// Where the round ends that the instruction at `at` is in.
fn end_of_round(code: &[Instr], at: usize) -> Option<usize> {
    let end = at + code[at..].iter().position(|instr| matches!(instr, Instr::Again | Instr::Round))?;
    (code[end] == Instr::Again && code[..at].contains(&Instr::Round)).then_some(end)
}

/// The read at `at`, if it decides whether its round is over: a branch leaves the round or goes to its end. The condition to
/// leave, if the round ends otherwise.
fn decides(code: &[Instr], at: usize) -> Option<Option<Condition>> {
    let (Instr::Load { dst, .. } | Instr::Rmw { dst, .. }) = *code.get(at)? else { return None };
    let Instr::Branch { condition, target } = *code.get(at + 1)? else { return None };
    let end = end_of_round(code, at)?;
    match usize::from(target) {
        _ if condition.reg != dst => None,
        target if target > end && end == at + 2 => Some(Some(condition)),
        target if target == end => Some(None),
        _ => None,
    }
}

/// The instructions of the round of an addition that makes up for the only other write of its round, an addition; and where
/// these two are.
fn undoing(code: &[Instr], at: usize) -> Option<(usize, usize)> {
    let end = end_of_round(code, at)?;
    let start = code[..end].iter().rposition(|&instr| instr == Instr::Round)?;
    let writes = |i: &usize| matches!(code[*i], Instr::Store { .. } | Instr::Rmw { .. });
    let writes: Vec<usize> = (start..end).filter(writes).collect();
    let [attempt, undo] = writes[..] else { return None };
    let is_addition = |i: usize| match code[i] {
        Instr::Rmw { loc, op: Modify::Add(_), .. } => Some(loc),
        _ => None,
    };
    let are_both = is_addition(attempt).is_some() && is_addition(attempt) == is_addition(undo);
    (are_both && undo + 1 == end).then_some((attempt, undo))
}

/// The read at `at`, if the next instruction is an assumption about it: both.
fn awaited(code: &[Instr], at: usize) -> Option<(Instr, Instr)> {
    let (&read, &next) = (code.get(at)?, code.get(at + 1)?);
    let (Instr::Load { dst, .. } | Instr::Rmw { dst, .. }) = read else { return None };
    let is_about = match next {
        Instr::Assume(condition) => condition.reg == dst,
        Instr::AssumeSame(a, b) => a == dst || b == dst,
        _ => false,
    };
    is_about.then_some((read, next))
}

impl Program for TestProgram {
    type State = State;

    fn main(&self) -> State {
        State::new(ThreadId::MAIN, None)
    }

    fn start(&self, thread: ThreadId, function: Value, _: Value) -> State {
        State::new(thread, Some(function as u8))
    }

    fn resume(&self, state: &mut State, answer: Value) -> Request {
        let code = self.code(state.list);
        let answered = (state.phase == Phase::Running).then_some(state.pc);
        match state.phase {
            Phase::Fresh if state.list.is_none() => {
                state.phase = Phase::Publishing;
                return Request::Publish([self.object()].into());
            }
            Phase::Fresh => state.phase = Phase::Running,
            Phase::Publishing => {
                state.phase = Phase::Running;
                state.events += 1;
            }
            Phase::Running => {
                let instr = code[usize::from(state.pc)];
                if state.round.is_some()
                    && let Some(request) = state.ask(instr)
                {
                    self.note_access(state, &request, answer);
                }
                state.take(instr, answer);
                state.events += 1;
            }
        }
        while let Some(&instr) = code.get(usize::from(state.pc)) {
            if end_of_round(code, usize::from(state.pc)).is_none() {
                state.round = None;
            }
            let request = match instr {
                Instr::Begin | Instr::End => self.begin_or_end(state, instr == Instr::End),
                Instr::Again => match self.next_round(state) {
                    Some(blocked) => return blocked,
                    None => None,
                },
                instr => state.ask(instr),
            };
            match request {
                // Threads with the same code run the same function.
                Some(Request::Create { function, argument }) => {
                    let function = Value::from(self.function(function as u8));
                    return Request::Create { function, argument };
                }
                Some(Request::Block(_)) => return Request::Block(state.blocker(code, answered)),
                Some(request) => return request,
                None => {}
            }
        }
        Request::Finish { value: state.regs[0] }
    }

    fn site(&self, state: &State) -> Site {
        site(state.list, state.pc)
    }

    fn is_private(&self, _: &State, _: u64) -> bool {
        false
    }

    fn facts(&self) -> Facts {
        let additions = || self.lists().any(|code| (0..code.len()).any(|at| undoing(code, at).is_some()));
        Facts {
            may_undo: self.cuts > Cuts::None && additions(),
            left_out: self.left_out(),
            tells_threads_apart: false,
            has_sections: self.order.is_some(),
            ..Facts::default()
        }
    }

    fn refine(&mut self, refinements: &Refinements) -> Result<(), Refusal> {
        assert!(refinements.conflicts.is_empty(), "locations do not overlap: {refinements:?}");
        if let Some(order) = &mut self.order {
            order.clone_from(&refinements.sections);
        }
        self.kept.clone_from(&refinements.kept);
        Ok(())
    }
}

impl Hint for TestProgram {
    /// `a = x; assume(.. a ..); b = cas(x, a, ..); assume(a == b)`, with no or any number of assumptions.
    fn pair(&self, state: &State) -> Option<RmwOrder> {
        if !self.pairs {
            return None;
        }
        let code = self.code(state.list).get(usize::from(state.pc)..)?;
        let Instr::Load { dst: a, loc, order } = *code.first()? else { return None };
        let guards = code[1..].iter().take_while(|it| matches!(it, Instr::Assume(c) if c.reg == a)).count();
        let Instr::Rmw { dst: b, loc: at, op: Modify::Cas(Expr::Reg(expected), _), order: rmw, .. } =
            *code.get(1 + guards)?
        else {
            return None;
        };
        let is_pair = at == loc
            && expected == a
            && a != b
            && order != ReadOrder::NotAtomic
            && rmw.read() >= order
            && code.get(2 + guards) == Some(&Instr::AssumeSame(a, b));
        is_pair.then_some(rmw)
    }

    fn read_ahead(&self, state: &mut State, value: Value) -> Request {
        let events = state.events;
        let request = self.resume(state, value);
        state.events = events;
        request
    }

    fn section(&self, state: &State) -> Option<Section> {
        let is_end = self.code(state.list).get(usize::from(state.pc)) == Some(&Instr::End);
        let begin = state.section.filter(|_| !is_end)?;
        Some(Section { site: site(state.list, begin), instance: u32::from(begin) })
    }

    fn awaits(&self, state: &State) -> Await {
        let (code, at) = (self.code(state.list), usize::from(state.pc));
        if self.cuts > Cuts::None && undoing(code, at).is_some_and(|(attempt, _)| attempt == at) {
            return Await::Attempt;
        }
        if self.is_cutting(state)
            && let Some(leaves) = decides(code, at)
        {
            return self.awaits_in_round(state, leaves);
        }
        let Some((read, next)) = awaited(code, at) else {
            return Await::No;
        };
        if let Instr::Load { dst, .. } = read {
            return match next {
                Instr::Assume(Condition { equal: true, value, .. }) => Await::Equal(value),
                Instr::AssumeSame(a, b) if a != b => {
                    let other = if a == dst { b } else { a };
                    Await::Equal(state.regs[usize::from(other)])
                }
                _ => Await::Value,
            };
        }
        let Instr::Rmw { dst, op, .. } = read else { return Await::Value };
        let Modify::Cas(expected, _) = op else { return self.awaits_change() };
        let wanted = Condition { reg: dst, equal: true, value: state.eval(expected) };
        let is_success = match next {
            Instr::Assume(condition) => condition == wanted,
            Instr::AssumeSame(a, b) => a != b && expected == Expr::Reg(if a == dst { b } else { a }),
            _ => false,
        };
        if is_success { Await::Success } else { Await::Value }
    }

    fn role(&self, state: &State) -> Role {
        let (code, at) = (self.code(state.list), usize::from(state.pc));
        let Some(Instr::Rmw { dst, op: Modify::Add(_), .. }) = code.get(at) else { return Role::Ordinary };
        match undoing(code, at) {
            _ if self.cuts == Cuts::None => Role::Ordinary,
            Some((_, undo)) if undo == at => Role::Undoes,
            Some((attempt, _)) if attempt == at => Role::Attempts,
            _ => match code.get(at + 1) {
                Some(Instr::Set { dst: forgotten, value: Expr::Const(_) }) if forgotten == dst => Role::Blind,
                _ => Role::Ordinary,
            },
        }
    }

    /// Registers that make no difference any more were set to a number.
    fn is_same(&self, a: &State, b: &State) -> bool {
        a == b
    }
}

impl TestProgram {
    /// The read that the thread is about to make decides whether its round is over; it leaves on this condition, if there is
    /// nothing else to decide.
    fn awaits_in_round(&self, state: &State, leaves: Option<Condition>) -> Await {
        let (code, at) = (self.code(state.list), usize::from(state.pc));
        match (code[at], leaves) {
            (Instr::Load { .. }, Some(Condition { equal: true, value, .. })) => Await::Equal(value),
            (Instr::Rmw { op: Modify::Cas(expected, _), .. }, Some(Condition { equal: true, value, .. }))
                if state.eval(expected) == value =>
            {
                let writes = |it: &Instr| matches!(it, Instr::Store { .. } | Instr::Rmw { .. });
                let start = code[..at].iter().rposition(|&it| it == Instr::Round).unwrap_or(0);
                if code[start..at].iter().any(writes) { Await::Failure } else { Await::Success }
            }
            (Instr::Rmw { op: Modify::Add(_) | Modify::Exchange(_), .. }, _) => self.awaits_change(),
            _ => Await::Value,
        }
    }

    /// A read-modify-write that is no compare-exchange may block its thread.
    fn awaits_change(&self) -> Await {
        if self.cuts == Cuts::Unchanged { Await::Change } else { Await::Value }
    }
}
