//! The bytecode file: what is written is read again, and what is damaged is refused.

mod programs;

use base::Rng;
use engine::{Control, Ending, Job, Observer, View};
use model::Model;
use programs::{every_op, everything, locked_counter};
use std::collections::BTreeSet;
use std::sync::Arc;
use vm::bytecode::{List, Module, Op, Operand, Reg, Watch};
use vm::{BuildError, FileError, Machine, Options, ThreadState};

/// Where the header has its numbers, and where the payload starts.
const VERSION: usize = 20;
const PAYLOAD: usize = 40;

fn read(file: &[u8]) -> Result<Module, FileError> {
    Module::from_bytes(file)
}

/// The file of the module, with another payload and the checksum that belongs to it.
fn with_payload(payload: &[u8]) -> Vec<u8> {
    let mut file = everything().to_bytes();
    file.truncate(PAYLOAD);
    file.extend(payload);
    vm::reseal(&mut file);
    file
}

#[test]
fn what_is_written_is_read() {
    for module in [everything(), locked_counter()] {
        assert_eq!(read(&module.to_bytes()), Ok(module));
    }
}

/// The number of an instruction in files, if it can be in one.
fn number(op: Op) -> Option<u32> {
    Some(match op {
        Op::Move { .. } => 0,
        Op::Bin { .. } => 1,
        Op::Overflow { .. } => 2,
        Op::Unary { .. } => 3,
        Op::Cmp { .. } => 4,
        Op::Trunc { .. } => 5,
        Op::SignExtend { .. } => 6,
        Op::Select { .. } => 7,
        Op::Index { .. } => 8,
        Op::InBounds { .. } => 9,
        Op::Float { .. } => 10,
        Op::FloatCmp { .. } => 11,
        Op::FloatCast { .. } => 12,
        Op::Load { .. } => 13,
        Op::Store { .. } => 14,
        Op::Rmw { .. } => 15,
        Op::CompareExchange { .. } => 16,
        Op::Fence(_) => 17,
        Op::Alloca { .. } => 18,
        Op::Lifetime { .. } => 19,
        Op::ThreadLocal { .. } => 20,
        Op::Jump(_) => 21,
        Op::Branch { .. } => 22,
        Op::Switch { .. } => 23,
        Op::Unroll { .. } => 24,
        Op::Call { .. } => 25,
        Op::CallIndirect { .. } => 26,
        Op::Builtin { .. } => 27,
        Op::Return { .. } => 28,
        Op::Unreachable => 29,
        Op::Refuse(_) => 30,
        Op::Landing { .. } => 31,
        Op::LoopHead { .. } | Op::SpinCheck { .. } | Op::RoundStart { .. } | Op::SpinAssume { .. } => {
            return None;
        }
    })
}

#[test]
fn every_instruction_is_among_those_that_are_written() {
    let numbers: BTreeSet<u32> = every_op().into_iter().filter_map(number).collect();
    assert_eq!(numbers, (0..=31).collect());
}

#[test]
fn the_format_is_the_one_of_its_version() {
    let file = everything().to_bytes();
    let (header, checksum) = (&file[..VERSION + 4], &file[PAYLOAD - 8..PAYLOAD]);
    assert_eq!(header, b"threadbare bytecode\n\x04\0\0\0");
    let checksum = u64::from_le_bytes(checksum.try_into().expect("eight bytes"));
    assert_eq!(
        (file.len(), checksum),
        (1745, 0xfd5c_0ee7_eb23_b4e6),
        "{checksum:#x}: another format wants another version"
    );
}

#[test]
#[should_panic(expected = "before the passes")]
fn what_passes_note_cannot_be_written() {
    let mut module = everything();
    module.functions[0].watches.push(Watch::default());
    module.to_bytes();
}

#[test]
#[should_panic(expected = "a module from a front end can be encoded")]
fn what_passes_insert_cannot_be_written() {
    let mut module = everything();
    module.functions[0].code[0] = Op::RoundStart { dst: Reg(0) };
    module.to_bytes();
}

#[test]
fn names_in_the_source_map_are_shared_again() {
    let module = read(&everything().to_bytes()).expect("it was just written");
    let file = |site: usize| &module.sites[site].place.as_ref().expect("it has a place").file;
    assert!(Arc::ptr_eq(file(1), file(2)));
    assert!(Arc::ptr_eq(&module.sites[1].function, &module.sites[2].function));
}

#[test]
fn every_truncation_is_refused() {
    let file = everything().to_bytes();
    for found in 0..file.len() {
        let header = found < PAYLOAD;
        let expected = if header { PAYLOAD } else { file.len() } as u64;
        assert_eq!(read(&file[..found]), Err(FileError::Truncated { found: found as u64, expected }));
    }
}

#[test]
fn what_comes_after_the_end_is_refused() {
    let file = everything().to_bytes();
    let (expected, found) = (file.len() as u64, file.len() as u64 + 1);
    assert_eq!(read(&[&file[..], &[0]].concat()), Err(FileError::Extended { found, expected }));
    // Also if the length and the checksum say that it belongs there.
    let longer = with_payload(&[&file[PAYLOAD..], &[0]].concat());
    assert_eq!(read(&longer), Err(FileError::Undecodable));
}

#[test]
fn every_changed_byte_is_refused() {
    let file = everything().to_bytes();
    for at in 0..file.len() {
        for change in (0..8).map(|bit| 1 << bit).chain([0xff]) {
            let mut changed = file.clone();
            changed[at] ^= change;
            let error = read(&changed).expect_err("it was changed");
            let fits = match error {
                FileError::NotBytecode => at < VERSION,
                FileError::OtherVersion(_) => (VERSION..VERSION + 4).contains(&at),
                FileError::Truncated { .. } | FileError::Extended { .. } => (24..32).contains(&at),
                FileError::Damaged => (32..).contains(&at),
                FileError::Undecodable | FileError::Malformed(_) => false,
            };
            assert!(fits, "byte {at}: {error}");
        }
    }
}

#[test]
fn refusals_say_what_to_do() {
    let mut file = locked_counter().to_bytes();
    let told = |file: &[u8]| read(file).expect_err("it is refused").to_string();
    assert!(told(b"int main(void) {}").contains("no Threadbare bytecode file"));
    let cut = told(&file[..100]);
    assert!(cut.contains(&format!("cut short (100 bytes of {})", file.len())), "{cut}");
    file[200] ^= 1;
    let damaged = told(&file);
    assert!(damaged.contains("checksum") && damaged.contains("compile the program again"), "{damaged}");
    file[VERSION] = 1;
    let other = told(&file);
    assert!(other.contains("has format 1") && other.contains("reads format 4 only"), "{other}");
}

#[test]
fn a_payload_that_is_no_module_is_refused() {
    assert_eq!(read(&with_payload(&[])), Err(FileError::Undecodable));
    // More functions than there is memory for.
    assert_eq!(read(&with_payload(&[0xff; 9])), Err(FileError::Undecodable));
    assert_eq!(read(&Module::default().to_bytes()), Err(FileError::Malformed(BuildError::NoMain)));
}

#[test]
fn a_module_that_is_not_well_formed_is_refused() {
    let bad: [fn(&mut Module); 6] = [
        |module| module.main = None,
        |module| module.sites.clear(),
        |module| module.functions[0].code[0] = Op::Move { dst: Reg(9), a: Operand::Reg(Reg(0)) },
        |module| module.functions[1].sites.clear(),
        |module| module.functions[1].code[0] = Op::Return { values: List { first: 1, len: 0 } },
        |module| module.globals[0].bytes.clear(),
    ];
    for bad in bad {
        let mut module = everything();
        bad(&mut module);
        let error = read(&module.to_bytes()).expect_err("it is not well-formed");
        assert!(matches!(error, FileError::Malformed(_)), "{error}");
    }
}

/// Change, add or take away a few bytes.
fn damage(payload: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..1 + rng.below(3) {
        let at = rng.index(payload.len());
        match rng.below(8) {
            0 => payload.insert(at, rng.below(256) as u8),
            1 if payload.len() > 1 => drop(payload.remove(at)),
            2 => payload[at] = rng.pick(&[0, 1, 0x7f, 0x80, 0xff]),
            3 | 4 => payload[at] = payload[at].wrapping_add(1),
            5 => payload[at] = payload[at].wrapping_sub(1),
            _ => payload[at] = rng.below(40) as u8,
        }
    }
}

/// Stops after a few executions.
struct Few<'a>(&'a Control);

impl Observer<ThreadState> for Few<'_> {
    fn execution(&mut self, _: Ending, _: &dyn View<ThreadState>) {
        if self.0.executions().total() > 20 {
            self.0.stop(engine::Cut::Time);
        }
    }
}

/// Run what was read, for a while.
fn run(module: Module) -> bool {
    let options = Options { step_limit: 2_000, ..Options::default() };
    let Ok(mut machine) = Machine::new(module, options) else { return false };
    let how = engine::Options { max_events: 100, visits_with_bounds: 100, ..engine::Options::default() };
    let control = Control::new();
    engine::explore(
        &mut machine,
        &Job { options: how, ..Job::new(Model::Rc11) },
        &control,
        &mut Few(&control),
    );
    true
}

/// Damage that the checksum does not tell: what is read is a program, or it is refused, and nothing panics.
#[test]
fn damaged_payloads_are_refused_or_are_programs() {
    let mut rng = Rng::new(1);
    let mut counts = [0; 3];
    for module in [everything(), locked_counter()] {
        let file = module.to_bytes();
        for _ in 0..5_000 {
            let mut payload = file[PAYLOAD..].to_vec();
            damage(&mut payload, &mut rng);
            match read(&with_payload(&payload)) {
                Err(FileError::Undecodable) => counts[0] += 1,
                Err(FileError::Malformed(_)) => counts[1] += 1,
                Err(other) => panic!("the header is right: {other}"),
                Ok(module) => counts[2] += i32::from(run(module)),
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 1_000), "all kinds are met: {counts:?}");
}

#[test]
fn arrays_of_zeros_take_no_room() {
    let mut module = everything();
    let small = module.to_bytes().len();
    module.globals[0].bytes.resize(100 << 20, 0);
    let file = module.to_bytes();
    assert!(file.len() < small + 10, "{} bytes instead of {small}", file.len());
    assert_eq!(read(&file).map(|module| module.globals[0].bytes.len()), Ok(100 << 20));
    // More than there can be is refused before it is allocated, one by one and together.
    for sizes in [[vm::MAX_BYTES + 1, 0], [vm::MAX_BYTES, 1]] {
        let at = find(&file, &varint(100 << 20));
        let more = [&file[PAYLOAD..at], &sizes.map(varint).concat(), &file[at + 5..]].concat();
        assert_eq!(read(&with_payload(&more)), Err(FileError::Undecodable));
    }
}

/// Seven bits a byte, the lowest first.
fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn find(bytes: &[u8], wanted: &[u8]) -> usize {
    bytes.windows(wanted.len()).position(|window| window == wanted).expect("it is there")
}
