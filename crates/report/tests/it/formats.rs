//! The formats, on executions made by hand.

use crate::fixtures::{
    DATA, FLAG, Mp, cut_short, deadlock, event, mp, place, race, run, use_after_free, violated,
};
use base::{Place, ReadOrder, RmwOrder, Site, ThreadId, WriteOrder, escaped, is_hidden};
use explore::outcome::{
    Allocated, Execution, Executions, Limits, Outcome, StopReason, ThreadEnd, Verdict, ViolationPlace,
};
use graph::{Label, Source};
use model::Model;
use program::FaultKind;
use report::{Colour, Report, Run, SiteInfo, SourceMap};

fn full(outcome: &Outcome) -> String {
    report::full(&Report::new(outcome, &run(), &Mp), Colour::Never)
}

#[test]
fn a_race_in_full() {
    let expected = "\
mp.c: violated under RC11: data-race

error[data-race]: write of `data` races with read of `data`
  --> mp.c:5:3  (1) W.na data = 42  thread 1 (writer), event 1:0
     5 |   data = 42;
  --> mp.c:11:3  (2) R.na data = 0  thread 2 (reader), event 2:1
    11 |     assert(data == 42);

  thread 0 (main)
    0:0  create thread 1  mp.c:1
    0:1  create thread 2  mp.c:2
  thread 1 (writer)
    1:0  W.na data = 42  mp.c:5  (1)
    1:1  W.rel flag = 1  mp.c:6
  thread 2 (reader)
    2:0  R.rlx flag = 1  mp.c:10  from 1:1 (mp.c:6)
    2:1  R.na data = 0   mp.c:11  initial value  (2)
  = why: no happens-before between (1) and (2): `flag` is read with relaxed at mp.c:10, so reading from the release \
at mp.c:6 does not synchronise
  = execution: number 2
  = replay: threadbare verify mp.c --replay r2:1.2
  = help: make the load at mp.c:10 acquire

mp.c: 1 violation under RC11 — 2 executions, 0 blocked, 4 ms
";
    assert_eq!(full(&race(mp(WriteOrder::Release, ReadOrder::Relaxed))), expected);
}

/// The orders of [`mp`] are in functions of a header, which both threads call.
fn with_calls() -> Execution {
    let mut execution = mp(WriteOrder::Release, ReadOrder::Relaxed);
    execution.calls.events = vec![vec![vec![]; 2], vec![vec![], vec![Site(6)]], vec![vec![Site(10)], vec![]]];
    execution.sites[1][1] = Site(100);
    execution.sites[2][0] = Site(101);
    execution
}

#[test]
fn calls_are_told_with_the_line_of_the_caller() {
    let text = full(&race(with_calls()));
    for part in [
        "    1:1  W.rel flag = 1  atomics.h:100 ← mp.c:6\n",
        "    2:0  R.rlx flag = 1  atomics.h:101 ← mp.c:10  from 1:1 (mp.c:6)\n",
        "`flag` is read with relaxed at atomics.h:101 (called from mp.c:10), so reading from the release at \
         atomics.h:100 (called from mp.c:6) does not synchronise\n",
        "help: make the load at atomics.h:101 acquire (or use an acquire load at mp.c:10)\n",
        "  thread 2 (reader)\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let mut outcome = race(with_calls());
    outcome.violations[0].places[1] = place(event(2, 0), 101, "read");
    let text = full(&outcome);
    let called = "  --> atomics.h:101:3  (2) R.rlx flag = 1  thread 2 (reader), event 2:0\n      \
                  called from mp.c:10:3 in reader\n    10 |   if (atomic_load";
    assert!(text.contains(called), "{text}");
    let report = Report::new(&outcome, &run(), &Mp);
    let concise = report::concise(&report);
    assert!(concise.contains("(also atomics.h:101:3, called from mp.c:10:3)\n"), "{concise}");
    let stack = r#""stack":[{"file":"atomics.h","line":101,"function":"get"},{"file":"mp.c","line":10,"function":"reader"}]"#;
    assert!(report::json(&report).contains(stack), "{}", report::json(&report));
}

#[test]
fn code_of_the_system_belongs_to_its_caller() {
    let mut execution = with_calls();
    execution.sites[2][0] = Site(200);
    let mut outcome = race(execution);
    outcome.violations[0].places[1] = place(event(2, 0), 200, "read");
    let text = full(&outcome);
    assert!(text.contains("  --> mp.c:10:3  (2) R.rlx flag = 1  thread 2 (reader), event 2:0\n"), "{text}");
    assert!(!text.contains("/usr/include"), "{text}");
}

/// The name of an allocated object is that of its type, with a number, and then the path inside.
#[test]
fn allocated_objects_have_names_and_origins() {
    let mut execution = mp(WriteOrder::Release, ReadOrder::Relaxed);
    let node = |address, site| Allocated { address, size: 16, site: Site(site), is_heap: true };
    execution.objects = vec![node(DATA.address - 64, 300), node(DATA.address - 8, 300), node(1 << 40, 301)];
    let text = full(&race(execution));
    for part in [
        "error[data-race]: write of `node#2.next` races with read of `node#2.next`\n",
        "    1:0  W.na node#2.next = 42  mp.c:5  (1)\n",
        "    1:1  W.rel flag = 1         mp.c:6\n",
        "  = object: `node#2`, 16 bytes, allocated at list.c:300\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn the_missing_half_is_named() {
    let text = full(&race(mp(WriteOrder::Relaxed, ReadOrder::Acquire)));
    assert!(
        text.contains("written with relaxed at mp.c:6, so the acquire at mp.c:10 that reads it"),
        "{text}"
    );
    assert!(text.contains("help: make the store at mp.c:6 release\n"), "{text}");
    let text = full(&race(mp(WriteOrder::Relaxed, ReadOrder::Relaxed)));
    assert!(text.contains("written with relaxed at mp.c:6 and read with relaxed at mp.c:10"), "{text}");
    let text = full(&race(mp(WriteOrder::NotAtomic, ReadOrder::NotAtomic)));
    assert!(text.contains("with plain accesses, which never synchronise"), "{text}");
    assert!(
        text.contains("help: make `flag` atomic, with release at mp.c:6 and acquire at mp.c:10"),
        "{text}"
    );
}

#[test]
fn that_one_reads_the_other_orders_nothing() {
    let mut execution = mp(WriteOrder::Release, ReadOrder::Relaxed);
    execution.graph.rf.insert(event(2, 1), Source::Event(event(1, 0)));
    let text = full(&race(execution.clone()));
    assert!(text.contains("help: make the load at mp.c:10 acquire\n"), "{text}");
    execution.graph.rf.insert(event(2, 0), Source::Init);
    let text = full(&race(execution));
    assert!(text.contains("why: nothing orders (1) and (2)"), "{text}");
}

#[test]
fn without_a_chain_nothing_orders_them() {
    let mut execution = mp(WriteOrder::Release, ReadOrder::Acquire);
    execution.graph.rf.insert(event(2, 0), Source::Init);
    let text = full(&race(execution));
    assert!(text.contains("why: nothing orders (1) and (2): no chain of reads-from leads"), "{text}");
}

#[test]
fn a_relaxed_rmw_continues_the_release_sequence() {
    let mut execution = mp(WriteOrder::Release, ReadOrder::Relaxed);
    execution.graph.threads.push(vec![Label::Rmw {
        at: FLAG,
        order: RmwOrder::Relaxed,
        read: 1,
        written: 2,
    }]);
    execution.sites.push(vec![Site(7)]);
    execution.ends.push(ThreadEnd::Finished);
    execution.graph.rf.insert(event(3, 0), Source::Event(event(1, 1)));
    execution.graph.rf.insert(event(2, 0), Source::Event(event(3, 0)));
    execution.graph.co.insert(FLAG, vec![event(1, 1), event(3, 0)]);
    let text = full(&race(execution));
    assert!(text.contains("read with relaxed at mp.c:10, so reading from the release at mp.c:6"), "{text}");
    assert!(text.contains("help: make the load at mp.c:10 acquire\n"), "the RMW is not to blame: {text}");
}

#[test]
fn an_acquire_fence_after_the_read_leaves_the_write_to_blame() {
    let mut execution = mp(WriteOrder::Relaxed, ReadOrder::Relaxed);
    execution.graph.threads[2].insert(1, Label::Fence(base::FenceOrder::Acquire));
    execution.sites[2].insert(1, Site(10));
    execution.graph.rf.remove(&event(2, 1));
    execution.graph.rf.insert(event(2, 2), Source::Init);
    let places = vec![place(event(1, 0), 5, ""), place(event(2, 2), 11, "")];
    let text = full(&violated(FaultKind::DataRace, execution, places));
    assert!(text.contains("help: make the store at mp.c:6 release\n"), "{text}");
}

#[test]
fn under_a_uniform_model_atomics_are_not_to_blame() {
    let mut run = run();
    run.model = Model::Ra.rules();
    let report = Report::new(&race(mp(WriteOrder::NotAtomic, ReadOrder::Relaxed)), &run, &Mp);
    assert!(report.diagnostics[0].why[0].contains("plain accesses"), "{:?}", report.diagnostics[0].why);
}

/// C++20 has no later writes of the same thread in a release sequence: the second store is to blame there, not under C11.
#[test]
fn a_relaxed_store_after_a_release_is_to_blame_where_it_continues_nothing() {
    let mut execution = mp(WriteOrder::Release, ReadOrder::Acquire);
    let second = Label::Write { at: FLAG, order: WriteOrder::Relaxed, value: 2 };
    execution.graph.threads[1].push(second);
    execution.sites[1].push(Site(6));
    execution.graph.rf.insert(event(2, 0), Source::Event(event(1, 2)));
    let outcome = race(execution);
    let help = |model: Model| {
        let report = Report::new(&outcome, &Run { model: model.rules(), ..run() }, &Mp);
        report.diagnostics[0].help.clone()
    };
    assert_eq!(help(Model::Rc20).as_deref(), Some("make the store at mp.c:6 release"));
    assert_eq!(help(Model::Rc11), None);
}

#[test]
fn a_failed_assertion_tells_the_stale_read() {
    let execution = mp(WriteOrder::Release, ReadOrder::Relaxed);
    let places = vec![ViolationPlace {
        thread: ThreadId(2),
        event: None,
        site: Site(11),
        role: "this assertion".into(),
    }];
    let text = full(&violated(FaultKind::Assertion, execution, places));
    assert!(
        text.contains(
            "error[assertion]: engine's words\n  --> mp.c:11:3  thread 2 (reader) — this assertion\n"
        ),
        "{text}"
    );
    assert!(
        text.contains(
            "why: thread 2 (reader) reads `data` at mp.c:11 without the write of thread 1 (writer) at mp.c:5"
        ),
        "{text}"
    );
    assert!(text.contains("help: make the load at mp.c:10 acquire\n"), "{text}");
}

#[test]
fn a_deadlock_tells_who_waits_for_whom() {
    let text = full(&violated(FaultKind::Deadlock, deadlock(), vec![]));
    assert!(text.contains("thread 0 (main) waits at mp.c:3 for the end of thread 1 (writer)\n"), "{text}");
    assert!(
        text.contains(
            "thread 1 (writer) waits at mp.c:6 for `flag`, which thread 2 (reader) holds (locked at mp.c:10)"
        ),
        "{text}"
    );
    assert!(
        text.contains(
            "thread 2 (reader) waits at mp.c:11 for `data`, which thread 1 (writer) holds (locked at mp.c:5)"
        ),
        "{text}"
    );
    assert!(text.contains("help: lock the mutexes in the same order"), "{text}");
}

#[test]
fn a_use_after_free_tells_where_it_was_freed() {
    let text = full(&use_after_free());
    assert!(
        text.contains(
            "why: thread 1 (writer) ends the object's life at mp.c:7, and nothing orders that after"
        ),
        "{text}"
    );
    assert!(text.contains("1:2  free data       mp.c:7  (2)\n"), "{text}");
}

#[test]
fn long_threads_are_cut_to_what_matters() {
    let mut execution = mp(WriteOrder::Release, ReadOrder::Relaxed);
    for _ in 0..100 {
        execution.graph.threads[1].push(Label::Choose(0));
        execution.sites[1].push(Site(7));
    }
    let text = full(&race(execution));
    assert!(text.contains("1:1    W.rel flag = 1  mp.c:6\n           … 76 events\n"), "{text}");
    assert!(text.lines().count() < 60);
}

#[test]
fn a_race_in_one_line() {
    let report = Report::new(&race(mp(WriteOrder::Release, ReadOrder::Relaxed)), &run(), &Mp);
    assert_eq!(
        report::concise(&report),
        "mp.c:5:3: error[data-race]: write of `data` races with read of `data` (also mp.c:11:3)\n\
         mp.c: 1 violation under RC11 — 2 executions, 0 blocked, 4 ms\n"
    );
}

#[test]
fn a_race_for_machines() {
    let report = Report::new(&race(mp(WriteOrder::Release, ReadOrder::Relaxed)), &run(), &Mp);
    assert_eq!(
        report::json(&report),
        concat!(
            r#"{"schema":1,"command":"verify","program":"mp.c","model":"rc11","equivalence":"co","#,
            r#""verdict":"violated","reason":null,"executions":{"complete":2,"blocked":0,"duplicate":0},"#,
            r#""vacuous":false,"incomplete":null,"restarts":[],"#,
            r#""violations":[{"code":"data-race","message":"write of `data` races with read of `data`","#,
            r#""replay":"r2:1.2","places":[{"file":"mp.c","line":5,"column":3,"thread":1,"event":"1:0","#,
            r#""stack":[{"file":"mp.c","line":5,"function":"writer"}]},"#,
            r#"{"file":"mp.c","line":11,"column":3,"thread":2,"event":"2:1","#,
            r#""stack":[{"file":"mp.c","line":11,"function":"reader"}]}]}],"#,
            r#""seconds":{"frontend":0.05,"exploration":0.004},"peak_memory_bytes":123456}"#,
            "\n"
        )
    );
}

/// The report on an exploration that found nothing wrong.
fn without_violation(verdict: &Verdict) -> Report {
    let executions = Executions { complete: 3, blocked: 1, duplicate: 0 };
    let outcome = Outcome::cut_short(StopReason::Timeout, executions, Vec::new());
    Report::answering(verdict, &outcome, &run(), &Mp)
}

#[test]
fn the_other_verdicts_say_why_where_and_what_next() {
    let step_limit = StopReason::StepLimit { site: Site(10), thread: ThreadId(2), limit: 1000 };
    let unsupported = StopReason::Unsupported {
        message: "`fork` is not modelled".into(),
        site: Some(Site(6)),
        thread: ThreadId(1),
    };
    let table = [
        (
            Verdict::Bounded(Limits { cut: vec![Site(10), Site(5), Site(10)], clocks: Vec::new() }),
            "mp.c: bounded under RC11: --unroll cut the loops at mp.c:5, mp.c:10: longer runs were not explored\n",
            "= help: raise --unroll",
        ),
        (
            Verdict::Bounded(Limits { cut: Vec::new(), clocks: vec![Site(5)] }),
            "mp.c: bounded under RC11: time was taken to stand still at mp.c:5\n",
            "= help: to look at what happens when time passes",
        ),
        (
            Verdict::Inconclusive(StopReason::NothingEnded { cut: Vec::new() }),
            "mp.c: inconclusive under RC11: nothing ran to its end\n",
            "= help: in every execution `main` waits, spins, or stops at an assumption that does not hold",
        ),
        (
            Verdict::Inconclusive(StopReason::NothingEnded { cut: vec![Site(10)] }),
            "mp.c: inconclusive under RC11: nothing ran to its end\n  --> mp.c:10:3\n",
            "= help: --unroll cut the loop at mp.c:10: raise it",
        ),
        (
            Verdict::Inconclusive(StopReason::Timeout),
            "mp.c: inconclusive under RC11: the time was up before everything was explored\n",
            "= help: raise --timeout",
        ),
        (
            Verdict::Inconclusive(step_limit),
            "mp.c: inconclusive under RC11: mp.c:10 (thread 2, in reader) made 1000 steps",
            "= help: bound the loops with --unroll N",
        ),
        (
            Verdict::Inconclusive(unsupported),
            "mp.c: inconclusive under RC11: mp.c:6 (thread 1, in writer): `fork` is not modelled\n  --> mp.c:6:3\n",
            "     6 |   atomic_store_explicit(&flag, 1, memory_order_release);",
        ),
    ];
    for (verdict, first, then) in table {
        let text = report::full(&without_violation(&verdict), Colour::Never);
        assert!(text.starts_with(first) && text.contains(then), "{text}");
        assert!(
            text.ends_with("mp.c: no violation found under RC11 — 3 executions, 1 blocked, 4 ms\n"),
            "{text}"
        );
    }
}

#[test]
fn a_violated_run_that_was_cut_short_says_both() {
    let race = race(mp(WriteOrder::Release, ReadOrder::Relaxed)).violations.remove(0);
    let mut outcome = cut_short(StopReason::Timeout, race);
    outcome.restarts = vec!["lock".to_owned(), "symmetry".to_owned()];
    let report = Report::new(&outcome, &run(), &Mp);
    let why = "the exploration was not completed, and there may be more violations: the time was up before everything \
               was explored\n";
    let summary = "mp.c: 1 violation under RC11 — 2 executions, 0 blocked, 4 ms\n";
    assert!(full(&outcome).ends_with(&format!("\n\nincomplete: {why}{summary}")), "{}", full(&outcome));
    let concise = report::concise(&report);
    assert!(concise.ends_with(&format!("(also mp.c:11:3)\nmp.c: {why}{summary}")), "{concise}");
    let json = report::json(&report);
    assert!(
        json.contains(concat!(
            r#""verdict":"violated","reason":null,"executions":{"complete":2,"blocked":0,"duplicate":0},"#,
            r#""vacuous":false,"incomplete":"the time was up before everything was explored","#,
            r#""restarts":["lock","symmetry"],"#
        )),
        "{json}"
    );
}

#[test]
fn a_replayed_violation_is_not_incomplete() {
    let race = race(mp(WriteOrder::Release, ReadOrder::Relaxed)).violations.remove(0);
    let outcome = cut_short(StopReason::Replayed, race);
    assert!(!full(&outcome).contains("not completed"), "{}", full(&outcome));
}

#[test]
fn that_nothing_ended_is_said_to_machines() {
    let nothing_ended = Verdict::Inconclusive(StopReason::NothingEnded { cut: Vec::new() });
    let json = report::json(&without_violation(&nothing_ended));
    assert!(json.contains(r#""verdict":"inconclusive","reason":"nothing ran to its end""#), "{json}");
    assert!(json.contains(r#""vacuous":true,"incomplete":null"#), "{json}");
}

#[test]
fn races_with_different_second_places_look_different() {
    let mut outcome = race(mp(WriteOrder::Release, ReadOrder::Relaxed));
    let mut other = outcome.violations[0].clone();
    other.places[1].site = Site(10);
    outcome.violations.push(other);
    let concise = report::concise(&Report::new(&outcome, &run(), &Mp));
    let lines: Vec<&str> = concise.lines().collect();
    assert_eq!(lines.len(), 3, "{concise}");
    assert_ne!(lines[0], lines[1]);
}

#[test]
fn colours_are_escapes_around_the_same_text() {
    let report = Report::new(&race(mp(WriteOrder::Release, ReadOrder::Relaxed)), &run(), &Mp);
    let coloured = report::full(&report, Colour::Always);
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after.split_once('m').expect("an escape ends with m").1;
    }
    plain.push_str(rest);
    assert_eq!(plain, report::full(&report, Colour::Never));
}

#[test]
fn the_trace_has_creation_and_join_as_synchronisation() {
    let mut execution = mp(WriteOrder::Release, ReadOrder::Relaxed);
    execution.graph.threads[0].push(Label::Join(ThreadId(2)));
    execution.sites[0].push(Site(3));
    assert_eq!(
        report::trace(&execution, &Mp),
        "\
# threadbare trace 1
e0 t0 W rel create.1
e1 t0 W rel create.2
e2 t1 R acq create.1 rf=e0
e3 t1 W na data co=0
e4 t1 W rel flag co=0
e5 t2 R acq create.2 rf=e1
e6 t2 R rlx flag rf=e4
e7 t2 R na data rf=init
e8 t2 W rel end.2
e9 t0 R acq end.2 rf=e8
"
    );
}

// --- names that nobody should trust -----------------------------------------------------------------------------------

const EVIL: &str = "a\u{1b}[31m\u{1b}]0;b\u{7}\nmp.c: verified under RC11\r\u{9b}2J\u{202e}\u{2028}";

/// Everything is called like this, and so is the reason for lines that are missing.
struct Evil {
    has_lines: bool,
}

impl SourceMap for Evil {
    fn site(&self, site: Site) -> SiteInfo {
        let place = Some(Place { file: EVIL.into(), line: site.0, column: 3 });
        SiteInfo { place, function: EVIL.into(), operand: EVIL.into(), ..SiteInfo::default() }
    }

    fn address(&self, _: u64) -> Option<String> {
        Some(EVIL.to_owned())
    }

    fn line(&self, _: &str, _: u32) -> Option<String> {
        self.has_lines.then(|| EVIL.to_owned())
    }

    fn why_no_line(&self, _: &str, _: u32) -> Option<String> {
        (!self.has_lines).then(|| EVIL.to_owned())
    }
}

/// Violations and other answers in which every text is evil.
fn evil_reports() -> Vec<Report> {
    let run =
        Run { program: EVIL.into(), files: EVIL.into(), options: EVIL.into(), cflags: EVIL.into(), ..run() };
    let unsupported =
        StopReason::Unsupported { message: EVIL.into(), site: Some(Site(3)), thread: ThreadId(1) };
    let waiting = || violated(FaultKind::Deadlock, deadlock(), vec![place(event(1, 0), 5, EVIL)]);
    let wrong = [race(mp(WriteOrder::Release, ReadOrder::Relaxed)), waiting(), use_after_free()];
    let mut outcomes: Vec<(Verdict, Outcome)> = Vec::new();
    for mut outcome in wrong {
        let mut violation = outcome.violations.remove(0);
        violation.message = EVIL.into();
        violation.replay = EVIL.into();
        outcomes.push((Verdict::Violated, cut_short(unsupported.clone(), violation)));
    }
    let bounded = Verdict::Bounded(Limits { cut: vec![Site(3)], clocks: vec![Site(3)] });
    for verdict in [Verdict::Inconclusive(unsupported), bounded] {
        let mut outcome = waiting();
        outcome.violations.clear();
        outcomes.push((verdict, outcome));
    }
    let reports = |has_lines| outcomes.iter().map(move |outcome| (has_lines, outcome));
    let all = reports(true).chain(reports(false));
    all.map(|(has_lines, (verdict, outcome))| Report::answering(verdict, outcome, &run, &Evil { has_lines }))
        .collect()
}

/// The text without the colours that are our own.
fn uncoloured(text: &str) -> String {
    let bold = "\u{1b}[1m";
    let colours = ["31", "32", "33", "34"].map(|code| format!("{bold}\u{1b}[{code}m"));
    let codes = colours.iter().map(String::as_str).chain([bold, "\u{1b}[0m"]);
    codes.fold(text.to_owned(), |text, code| text.replace(code, ""))
}

#[test]
fn a_terminal_obeys_no_name() {
    for report in evil_reports() {
        let plain = report::full(&report, Colour::Never);
        assert_eq!(uncoloured(&report::full(&report, Colour::Always)), plain);
        for text in [&plain, &report::concise(&report)] {
            assert!(!text.contains(|c| c != '\n' && is_hidden(c)), "{text:?}");
            assert!(text.contains(&escaped(EVIL)), "{text:?}");
            assert!(!text.lines().any(|line| line.starts_with("mp.c: verified")), "{text}");
        }
    }
}

#[test]
fn machines_get_names_as_they_are() {
    for report in evil_reports() {
        let object: serde_json::Value = serde_json::from_str(&report::json(&report)).expect("it is JSON");
        assert_eq!(object["program"], EVIL);
    }
}

#[test]
fn a_missing_line_has_its_reason_once() {
    struct Unseen;
    impl SourceMap for Unseen {
        fn site(&self, site: Site) -> SiteInfo {
            Mp.site(site)
        }
        fn address(&self, address: u64) -> Option<String> {
            Mp.address(address)
        }
        fn line(&self, _: &str, _: u32) -> Option<String> {
            None
        }
        fn why_no_line(&self, _: &str, line: u32) -> Option<String> {
            Some(format!("it has no line {line}"))
        }
    }
    let outcome = race(mp(WriteOrder::Release, ReadOrder::Relaxed));
    let report = Report::new(&outcome, &run(), &Unseen);
    let text = report::full(&report, Colour::Never);
    let expected = "\n\nnote: no line of mp.c is shown: it has no line 5\nmp.c: 1 violation under RC11";
    assert!(text.contains(expected) && text.matches("note:").count() == 1, "{text}");
    assert!(!report::concise(&report).contains("note:"));
}
