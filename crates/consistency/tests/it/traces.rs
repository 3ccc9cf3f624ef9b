//! Traces: read, written and answered, against brute force.

use consistency::trace::{self, ReadError};
use consistency::{
    Answer, Event, Location, Op, PartialExecution, Reason, Source, Trace, Witness, check_trace,
};
use model::Model;
use std::fmt::Write;
use testkit::traces::brute_force::{accepts, some_co};
use testkit::traces::random::{Shape, random_execution};

/// The trace text of an execution; `co` has the order of each location's writes, or nothing.
fn text(execution: &PartialExecution, co: &[Vec<Event>]) -> String {
    let mut text = format!("{}\n", trace::HEADER);
    for e in execution.events() {
        let op = match execution.op(e) {
            Op::Read => "R",
            Op::Write => "W",
            Op::Rmw => "RMW",
            Op::Fence => "F",
        };
        write!(text, "e{} t{} {op} {}", e.0, execution.thread(e).0, execution.order(e)).unwrap();
        if let Some(Location(location)) = execution.location(e) {
            write!(text, " x{location}").unwrap();
        }
        match execution.source(e) {
            None => {}
            Some(Source::Init) => text += " rf=init",
            Some(Source::Event(write)) => write!(text, " rf=e{}", write.0).unwrap(),
        }
        let position = co.iter().find_map(|writes| writes.iter().position(|&write| write == e));
        position.into_iter().for_each(|position| write!(text, " co={position}").unwrap());
        text.push('\n');
    }
    text
}

fn read(text: &str) -> Trace {
    trace::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}:\n{text}"))
}

/// Every order of the writes, location by location.
fn every_co(execution: &PartialExecution) -> Vec<Vec<Vec<Event>>> {
    let mut all = vec![vec![Vec::new(); execution.location_count()]];
    for e in execution.events().filter(|&e| execution.writes(e)) {
        let location = execution.location(e).expect("it writes").0 as usize;
        let inserted = move |co: &Vec<Vec<Event>>, place| {
            let mut co = co.clone();
            co[location].insert(place, e);
            co
        };
        all = all
            .iter()
            .flat_map(|co| (0..=co[location].len()).map(move |place| inserted(co, place)))
            .collect();
        if all.len() > 24 {
            return Vec::new();
        }
    }
    all
}

/// The events of a trace have other numbers than those of the execution only if its locations and threads do.
#[test]
fn a_trace_that_is_read_is_written_as_it_was() {
    for seed in 0..2000 {
        let execution = random_execution(&Shape::SC, seed);
        let text = text(&execution, &[]);
        let trace = read(&text);
        let mut written = Vec::new();
        trace::write(&trace, &Witness::default(), &mut written).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), text);
        assert_eq!((trace.execution().len(), trace.has_co()), (execution.len(), false));
    }
}

/// Whoever answers: an algorithm, a search, or the declarative texts.
#[test]
fn every_model_answers_small_traces_as_brute_force_does() {
    for model in Model::ALL {
        let (mut consistent, mut inconsistent) = (0, 0);
        for seed in 0..1500 {
            let shape = if seed % 2 == 0 { Shape::WEAK } else { Shape::SC };
            let execution = random_execution(&Shape { events: 8, ..shape }, seed);
            let trace = read(&text(&execution, &[]));
            match check_trace(&trace, model).unwrap_or_else(|error| panic!("{error}: {model:?} {seed}")) {
                Answer::Consistent(witness) => {
                    assert!(accepts(trace.execution(), model, &witness), "{model:?} {seed} {witness:?}");
                    let mut written = Vec::new();
                    trace::write(&trace, &witness, &mut written).unwrap();
                    let again = trace::read(written.as_slice()).expect("what is written can be read");
                    assert!(
                        matches!(check_trace(&again, model), Ok(Answer::Consistent(_))),
                        "{model:?} {seed}"
                    );
                    consistent += 1;
                }
                Answer::Inconsistent(reason) => {
                    assert_eq!(some_co(trace.execution(), model), None, "{model:?} {seed} {reason:?}");
                    inconsistent += 1;
                }
            }
        }
        assert!(consistent > 100 && inconsistent > 100, "{model:?}: {consistent} {inconsistent}");
    }
}

/// Does a cycle, if it is one, lead through events of the trace only?
fn leads_through(answer: &Answer, execution: &PartialExecution) -> bool {
    let is_event = |end| !matches!(end, Source::Event(e) if e.index() >= execution.len());
    match answer {
        Answer::Inconsistent(Reason::Cycle(steps)) => {
            steps.iter().all(|step| is_event(step.from) && is_event(step.to))
        }
        _ => true,
    }
}

#[test]
fn a_given_co_is_checked_and_no_other() {
    for model in Model::ALL.into_iter().filter(|model| model.rules().has_co()) {
        let (mut consistent, mut inconsistent) = (0, 0);
        for seed in 0..1000 {
            let shape = if seed % 2 == 0 { Shape::WEAK } else { Shape::SC };
            let execution = random_execution(&Shape { events: 8, wild: 40, ..shape }, seed);
            for co in every_co(&execution) {
                let text = text(&execution, &co);
                let answer =
                    check_trace(&read(&text), model).unwrap_or_else(|error| panic!("{error}: {text}"));
                assert!(leads_through(&answer, &execution), "{model:?} {answer:?}\n{text}");
                let is_consistent = matches!(answer, Answer::Consistent(_));
                let witness = Witness { co };
                assert_eq!(
                    is_consistent,
                    accepts(&execution, model, &witness),
                    "{model:?} {answer:?}\n{text}"
                );
                *if is_consistent { &mut consistent } else { &mut inconsistent } += 1;
            }
        }
        assert!(consistent > 100 && inconsistent > 100, "{model:?}: {consistent} {inconsistent}");
    }
}

/// What a thread wrote before its end, who joins it reads, under every model; and what its creator wrote, it reads.
#[test]
fn creation_and_join_order_events_under_every_model() {
    let joined = "e0 t0 W rel create.1\ne1 t1 R acq create.1 rf=e0\ne2 t1 W na x\ne3 t1 W rel end.1\n\
                  e4 t0 R acq end.1 rf=e3\ne5 t0 R na x rf=init\n";
    let created = "e0 t0 W na x\ne1 t0 W rel create.1\ne2 t1 R acq create.1 rf=e1\ne3 t1 R na x rf=init\n";
    for (events, fresh) in [(joined, "rf=e2"), (created, "rf=e0")] {
        let stale = read(&format!("{}\n{events}", trace::HEADER));
        let right =
            read(&format!("{}\n{}", trace::HEADER, events.replace("x rf=init", &format!("x {fresh}"))));
        for model in Model::ALL {
            assert!(matches!(check_trace(&stale, model), Ok(Answer::Inconsistent(_))), "{model:?}: {events}");
            assert!(matches!(check_trace(&right, model), Ok(Answer::Consistent(_))), "{model:?}: {events}");
        }
    }
    // Other names synchronise as their orders say: not at all under Relaxed.
    let named = read(&format!("{}\n{}", trace::HEADER, joined.replace("end.1", "done")));
    assert!(matches!(check_trace(&named, Model::Relaxed), Ok(Answer::Consistent(_))));
    assert!(matches!(check_trace(&named, Model::Rc20), Ok(Answer::Inconsistent(_))));
}

/// Store buffering in which each thread's store is before the creation of the thread that loads: creation drains the
/// store buffer, which a release does not.
#[test]
fn creation_drains_the_store_buffer_under_tso() {
    let events = "e0 t0 W rlx x\ne1 t0 W rel create.2\ne2 t0 R rlx y rf=init\n\
                  e3 t1 W rlx y\ne4 t1 W rel create.3\ne5 t1 R rlx x rf=init\n";
    let text = format!("{}\n{events}", trace::HEADER);
    assert!(matches!(check_trace(&read(&text), Model::Tso), Ok(Answer::Inconsistent(_))));
    assert!(matches!(
        check_trace(&read(&text.replace("create.", "c")), Model::Tso),
        Ok(Answer::Consistent(_))
    ));
}

/// Fences do nothing under Relaxed, also where it is checked by way of RC20.
#[test]
fn fences_do_nothing_beside_creation_under_relaxed() {
    let events = "e0 t0 W rel create.9\ne1 t0 W sc x\ne2 t0 F sc\ne3 t0 W sc y\n\
                  e4 t1 R sc y rf=e3\ne5 t1 F sc\ne6 t1 R sc x rf=init\n";
    let trace = read(&format!("{}\n{events}", trace::HEADER));
    assert!(matches!(check_trace(&trace, Model::Relaxed), Ok(Answer::Consistent(_))));
}

#[test]
fn what_only_the_whole_trace_can_tell() {
    let late = |events: &str, message: &str, line: u64, marked: &str| {
        let text = format!("{}\n{events}", trace::HEADER);
        let Err(ReadError::Fault(fault)) = trace::read(text.as_bytes()) else { panic!("{events}") };
        assert!(fault.to_string().contains(message), "{events}: {fault}");
        assert_eq!(fault.line, line, "{events}: {fault}");
        let on_line = text.lines().nth(line as usize - 1).expect("the line is there");
        let fault = if fault.lacks_text() { fault.on_line(on_line) } else { *fault };
        assert_eq!(
            (fault.text.as_deref(), &on_line[fault.span.clone()]),
            (Some(on_line), marked),
            "{events}"
        );
    };
    late("e0 t0 R acq x rf=e7\n", "there is no event `e7`", 2, "rf=e7");
    late("e0 t0 R acq x rf=e1\n\ne1 t1 R acq x rf=init\n", "`e1` (line 4) is an R", 2, "rf=e1");
    late("e0 t0 F sc\ne1 t0 R acq x rf=e0\n", "`e0` (line 2) is an F", 3, "rf=e0");
    late("e0 t0 W rel y\ne1 t1 R acq x rf=e0\n", "writes `y`, this reads `x`", 3, "rf=e0");
    late("e0 t0 W rel x\ne0 t0 W rel x\n", "in t0 on line 2", 3, "e0");
    late("e0 t0 W rel x\n# more\ne0 t1 W rel x\n", "in t0 on line 2", 4, "e0");
    late("e0 t0 W rel x co=0\ne1 t0 W rel x\n", "other writes to `x` have it (line 2)", 3, "e1 t0 W rel x");
    late("e0 t0 W rel x\ne1 t0 W rel x co=1\n", "other writes to `x` have it (line 3)", 2, "e0 t0 W rel x");
    late("e0 t0 W rel x co=0\ne1 t0 W rel x co=0\n", "another write already (line 2)", 3, "co=0");
    late("e0 t0 W rel x co=1\ne1 t0 W rel x co=2\n", "the positions 0 to 1", 3, "co=2");
}

#[test]
fn what_is_no_trace_at_all() {
    let fault = |bytes: &[u8]| match trace::read(bytes) {
        Err(ReadError::Fault(fault)) => (fault.line, fault.to_string()),
        other => panic!("{other:?}"),
    };
    let header = trace::HEADER;
    assert!(fault(b"").1.contains("no trace"));
    assert!(fault(b"e0 t0 W rel x\n").1.contains("the first line is not `# threadbare trace 1`"));
    assert!(fault(b"# threadbare trace 2\n").1.contains("version `2`"));
    assert!(fault(b"\x7fELF\x02\x01\x01\0\0\n").1.contains("no trace"));
    assert_eq!(
        fault(format!("{header}\ne0 t0 W rel \u{1}\n").as_bytes()),
        (2, "this is no text: byte 0x01".into())
    );
    let not_utf8 = [header.as_bytes(), b"\ne0 t0 W rel \xff\n"].concat();
    assert_eq!(fault(&not_utf8), (2, "this is no text: byte 0xff".into()));
    let long = format!("{header}\n# {}\n", "x".repeat(10 << 20));
    assert_eq!(fault(long.as_bytes()), (2, "the line is longer than 65536 bytes".into()));
    let fits = format!("{header}\r\ne0 t0 W rel {}\r\n", "x".repeat(trace::MAX_LINE - 12));
    assert_eq!(trace::read(fits.as_bytes()).expect("just fits").execution().len(), 1);
}

#[test]
fn a_cut_off_trace_is_noticed() {
    let whole = format!("{}\ne0 t0 W rel x\ne1 t1 R acq x rf=e0\n", trace::HEADER);
    assert!(!read(&whole).ends_in_a_line());
    for length in 0..whole.len() {
        match trace::read(&whole.as_bytes()[..length]) {
            Err(_) => {}
            Ok(trace) => assert!(trace.ends_in_a_line() || whole[..length].ends_with('\n'), "{length}"),
        }
    }
    assert!(read(whole.trim_end()).ends_in_a_line());
}
