//! Answers requests with one sequentially consistent memory; a thread runs to its end when it is created.

use base::{Access, ThreadId, Value};
use program::{Blocker, FaultKind, Object, Program, Request, Storage};
use std::collections::BTreeMap;
use vm::bytecode::{Function, Global, Module};
use vm::{Machine, Options, ThreadState};

/// How a thread ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Finish(Value),
    Fault(FaultKind, String),
    Refuse(String),
    Block(Blocker),
    /// It waits for a mutex.
    Wait,
}

pub(crate) struct Driver {
    pub(crate) machine: Machine,
    /// Published bytes.
    memory: BTreeMap<u64, u8>,
    /// What was asked, in words.
    pub(crate) log: Vec<String>,
    /// What was published, in order.
    pub(crate) published: Vec<Object>,
    finished: BTreeMap<u32, Value>,
    /// Answers to `Choose`.
    pub(crate) choices: Vec<Value>,
    /// States before each request.
    pub(crate) states: Vec<ThreadState>,
}

impl Driver {
    pub(crate) fn new(module: Module, options: Options) -> Driver {
        Driver::of(Machine::new(module, options).expect("the module is well-formed"))
    }

    pub(crate) fn of(machine: Machine) -> Driver {
        Driver {
            machine,
            memory: BTreeMap::new(),
            log: Vec::new(),
            published: Vec::new(),
            finished: BTreeMap::new(),
            choices: Vec::new(),
            states: Vec::new(),
        }
    }

    pub(crate) fn main(&mut self) -> End {
        let state = self.machine.main();
        self.run(state)
    }

    pub(crate) fn run(&mut self, mut state: ThreadState) -> End {
        let mut answer = 0;
        loop {
            // Go on from a clone: a state that shares memory with another one must behave alike.
            let before = state.clone();
            self.states.push(before);
            let request = self.machine.resume(&mut state, answer);
            answer = match request {
                Request::Read { at, order } => {
                    self.note(format!("read {order:?} {}", self.name(at)));
                    self.read(at)
                }
                Request::Write { at, value, order } => {
                    self.note(format!("write {order:?} {} {value:#x}", self.name(at)));
                    self.write(at, value);
                    0
                }
                Request::Rmw { at, op, order, failure } => {
                    self.note(format!("rmw {order:?} {failure:?} {} {op:x?}", self.name(at)));
                    let old = self.read(at);
                    if let Some(new) = op.apply(old, at.size) {
                        self.write(at, new);
                    }
                    old
                }
                Request::Lock { at } => {
                    self.note(format!("lock {}", self.name(at)));
                    if self.read(at) != 0 {
                        return End::Wait;
                    }
                    self.write(at, u64::from(state.thread().0) + 1);
                    0
                }
                Request::Unlock { at } => {
                    self.note(format!("unlock {}", self.name(at)));
                    self.write(at, 0);
                    0
                }
                Request::Fence(order) => {
                    self.note(format!("fence {order:?}"));
                    0
                }
                Request::Create { function, argument } => {
                    let thread = ThreadId(self.finished.len() as u32 + 1);
                    self.note(format!("create {thread}"));
                    self.finished.insert(thread.0, 0);
                    let child = self.machine.start(thread, function, argument);
                    match self.run(child) {
                        End::Finish(value) => self.finished.insert(thread.0, value),
                        end => return end,
                    };
                    u64::from(thread.0)
                }
                Request::Join { thread } => {
                    self.note(format!("join {thread}"));
                    self.finished[&thread.0]
                }
                Request::Publish(objects) => {
                    let what: Vec<_> = objects.iter().map(|object| self.object(object)).collect();
                    self.note(format!("publish {}", what.join(", ")));
                    for object in objects.iter() {
                        self.publish(object);
                    }
                    0
                }
                Request::Free { address, storage } => {
                    let object = self.published.iter().find(|object| object.address == address);
                    assert!(object.is_some_and(|object| object.storage == storage), "{address:#x}");
                    self.note(format!("free {storage:?}"));
                    0
                }
                Request::SizeOf { address } => {
                    let mut objects = self.published.iter();
                    let object = objects.find(|object| object.address == address);
                    object.map_or(0, |object| object.bytes.len() as u64)
                }
                Request::Choose { values } => self.choices.pop().expect("a choice") % values,
                request @ (Request::Await { .. }
                | Request::Depart(_)
                | Request::Sleep { .. }
                | Request::Notify { .. }) => unreachable!("one thread alone does not ask {request:?}"),
                Request::Block(blocker) => return End::Block(blocker),
                Request::Finish { value } => return End::Finish(value),
                Request::Fault(fault) => return End::Fault(fault.kind, fault.message),
                Request::Refuse(refusal) => return End::Refuse(refusal.message),
            };
        }
    }

    fn note(&mut self, text: String) {
        self.log.push(text);
    }

    fn name(&self, at: Access) -> String {
        let holder = self.published.iter().rev().find(|object| object.contains(at));
        let object = holder.unwrap_or_else(|| panic!("access to {at}, which is not published"));
        format!("{}/{}", self.machine.describe_object(object.address, at.address).unwrap(), at.size)
    }

    fn object(&self, object: &Object) -> String {
        let name = self.machine.describe_address(object.address).unwrap();
        format!("{name} ({} bytes)", object.bytes.len())
    }

    fn publish(&mut self, object: &Object) {
        for (i, &byte) in object.bytes.iter().enumerate() {
            let before = self.memory.insert(object.address + i as u64, byte);
            assert_eq!(before, None, "published twice");
        }
        self.published.push(object.clone());
    }

    fn read(&self, at: Access) -> Value {
        (at.address..at.end()).rev().fold(0, |value, address| value << 8 | u64::from(self.memory[&address]))
    }

    fn write(&mut self, at: Access, value: Value) {
        for i in 0..at.size {
            self.memory.insert(at.address + u64::from(i), (value >> (8 * i)) as u8);
        }
    }

    /// The log without what is about creating and publishing.
    pub(crate) fn accesses(&self) -> Vec<&str> {
        let is_access =
            |line: &&str| ["read", "write", "rmw", "free"].iter().any(|word| line.starts_with(word));
        self.log.iter().map(|line| &line[..]).filter(is_access).collect()
    }

    /// Who is private, by the names of `describe_address`.
    pub(crate) fn last_state(&self) -> &ThreadState {
        self.states.last().expect("something has run")
    }
}

pub(crate) fn run(functions: Vec<Function>, globals: Vec<Global>) -> (End, Driver) {
    let mut driver = Driver::new(crate::builder::module(functions, globals), Options::default());
    (driver.main(), driver)
}

/// The value that a program without requests returns.
pub(crate) fn value(functions: Vec<Function>, globals: Vec<Global>) -> Value {
    let (end, driver) = run(functions, globals);
    assert!(driver.log.is_empty(), "{:?}", driver.log);
    match end {
        End::Finish(value) => value,
        other => panic!("{other:?}"),
    }
}

/// The fault of a program.
pub(crate) fn fault(functions: Vec<Function>, globals: Vec<Global>) -> (FaultKind, String) {
    match run(functions, globals).0 {
        End::Fault(kind, message) => (kind, message),
        other => panic!("{other:?}"),
    }
}

/// The refusal of a program.
pub(crate) fn refusal(functions: Vec<Function>, globals: Vec<Global>) -> String {
    match run(functions, globals).0 {
        End::Refuse(message) => message,
        other => panic!("{other:?}"),
    }
}

pub(crate) const STACK: Storage = Storage::Stack;
