//! Pictures of executions made by hand: their files, and that no name can break them.
//!
//! `THREADBARE_BLESS=1` rewrites the files.

use crate::fixtures::{DATA, FLAG, Mp, deadlock, event, mp, place, race, run, use_after_free, violated};
use base::{Place, ReadOrder, Site, ThreadId, WriteOrder};
use explore::outcome::{Execution, Justification, Outcome, ThreadEnd, ViolationPlace};
use graph::{ExecutionGraph, Label, Source};
use model::Model;
use program::FaultKind;
use report::{Picture, Run, SiteInfo, SourceMap};
use std::path::PathBuf;
use std::sync::Arc;

fn picture(outcome: &Outcome) -> Picture {
    let xmm = Model::Xmm.rules();
    let violation = &outcome.violations[0];
    let has_cycle = violation.execution.justification.is_some();
    let run = Run { model: if has_cycle { xmm } else { run().model }, ..run() };
    Picture::new(violation, &run, &Mp)
}

fn failed_assertion(execution: Execution) -> Outcome {
    let (thread, role) = (ThreadId(2), "this assertion".into());
    let assertion = ViolationPlace { thread, event: None, site: Site(11), role };
    violated(FaultKind::Assertion, execution, vec![assertion])
}

/// Message passing as it should be: the assertion is about something else.
fn assertion() -> Outcome {
    let mut execution = mp(WriteOrder::Release, ReadOrder::Acquire);
    execution.ends[2] = ThreadEnd::Faulted(Site(11));
    failed_assertion(execution)
}

/// Both threads read what the other one writes later, and fail.
fn load_buffering() -> Outcome {
    let read = |at, value| Label::Read { at, order: ReadOrder::Relaxed, value };
    let write = |at| Label::Write { at, order: WriteOrder::Relaxed, value: 1 };
    let graph = |first: Source, value| ExecutionGraph {
        threads: vec![vec![], vec![read(DATA, value), write(FLAG)], vec![read(FLAG, 1), write(DATA)]],
        rf: [(event(1, 0), first), (event(2, 0), Source::Event(event(1, 1)))].into(),
        co: [(DATA, vec![event(2, 1)]), (FLAG, vec![event(1, 1)])].into(),
    };
    let committed = [event(1, 1), event(2, 0)].map(|event| (event, event)).into();
    let justification = Justification {
        cycle: vec![event(1, 0), event(1, 1), event(2, 0), event(2, 1)],
        committed,
        source: graph(Source::Init, 0),
        earlier: None,
    };
    let execution = Execution {
        graph: graph(Source::Event(event(2, 1)), 1),
        sites: vec![vec![], vec![Site(5), Site(6)], vec![Site(10), Site(11)]],
        ends: vec![ThreadEnd::Finished, ThreadEnd::Finished, ThreadEnd::Faulted(Site(11))],
        justification: Some(Arc::new(justification)),
        ..Execution::default()
    };
    failed_assertion(execution)
}

fn waiting() -> Outcome {
    let places =
        vec![place(event(1, 1), 6, "waits for this lock"), place(event(2, 1), 11, "waits for this lock")];
    violated(FaultKind::Deadlock, deadlock(), places)
}

/// More events than are shown.
fn long() -> Outcome {
    let mut execution = mp(WriteOrder::Release, ReadOrder::Relaxed);
    for _ in 0..100 {
        execution.graph.threads[1].push(Label::Choose(0));
        execution.sites[1].push(Site(7));
    }
    race(execution)
}

fn all() -> Vec<(&'static str, Picture)> {
    vec![
        ("race", picture(&race(mp(WriteOrder::Release, ReadOrder::Relaxed)))),
        ("assertion", picture(&assertion())),
        ("cycle", picture(&load_buffering())),
        ("deadlock", picture(&waiting())),
        ("use_after_free", picture(&use_after_free())),
    ]
}

fn check(file: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/pictures").join(file);
    if std::env::var_os("THREADBARE_BLESS").is_some() {
        std::fs::write(&path, text).expect("the expected picture can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(text == expected, "{file} is another picture; THREADBARE_BLESS=1 rewrites it");
}

#[test]
fn the_pictures_are_as_expected() {
    for (name, picture) in all() {
        check(&format!("{name}.dot"), &report::dot(&picture));
        check(&format!("{name}.svg"), &report::svg(&picture));
        check(&format!("{name}.html"), &words(report::html(&picture)));
    }
}

/// A page without its styles, script and drawing, which are the same in all, or compared on their own.
fn words(mut page: String) -> String {
    for (start, end) in [("<style", "</style>"), ("<script", "</script>"), ("<svg", "</svg>")] {
        while let Some(from) = page.find(start) {
            let length = page[from..].find(end).expect("every element ends") + end.len();
            page.replace_range(from..from + length, "");
        }
    }
    page
}

#[test]
fn dot_has_the_events_the_arrows_and_the_reasons() {
    let text = report::dot(&picture(&race(mp(WriteOrder::Release, ReadOrder::Relaxed))));
    for part in [
        r##"label="mp.c: data-race under RC11\l"##,
        "why: no happens-before between (1) and (2)",
        r#"subgraph cluster_2 {"#,
        r##""1:0" [label="W.na data = 42\l1:0 · mp.c:5 · (1)\l", style="rounded,filled,bold""##,
        r##""1:1" -> "2:0" [color="#00694d", style=solid, label="rf""##,
        r##""2:1" -> "1:0" [color="#a84300", style=dotted, label="fr""##,
        r##""0:0" -> "1:0" [color="#5b6470", style=dashed, constraint=false];"##,
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    assert!(!text.contains("sw"), "a relaxed read does not synchronise: {text}");
    let text = report::dot(&picture(&assertion()));
    assert!(text.contains(r##""1:1" -> "2:0" [color="#00694d", style=solid, label="rf, sw""##), "{text}");
    assert!(text.contains(r##""2 end" [label="fails\lmp.c:11 · here it goes wrong\l""##), "{text}");
}

#[test]
fn a_cycle_is_marked_and_justified() {
    let picture = picture(&load_buffering());
    let words =
        "not thin air: 1:1 W.rlx flag = 1, 2:0 R.rlx flag = 1 are in another execution without a cycle";
    let text = report::dot(&picture);
    assert!(text.contains(words), "{text}");
    assert!(text.contains("2:0 · mp.c:10 · on the cycle · committed"), "{text}");
    assert_eq!(text.matches("penwidth=2.5").count(), 4, "four steps: {text}");
    let text = report::svg(&picture);
    assert_eq!(text.matches("class=\"edge rf cycle\"").count(), 2, "{text}");
    assert_eq!(text.matches("class=\"edge po cycle\"").count(), 2, "{text}");
    assert!(report::html(&picture).contains("<dt>not thin air</dt>"));
}

#[test]
fn a_long_thread_has_a_gap() {
    let text = report::svg(&picture(&long()));
    assert!(text.contains("… 76 events"), "{text}");
    assert!(text.matches("class=\"node").count() < 40, "{text}");
}

/// Every thread reads what the one before it wrote last.
#[test]
fn many_threads_have_room() {
    let mut execution = mp(WriteOrder::Release, ReadOrder::Relaxed);
    for thread in 3..40 {
        let write = Label::Write { at: FLAG, order: WriteOrder::Relaxed, value: 1 };
        let read = Label::Read { at: FLAG, order: ReadOrder::Relaxed, value: 1 };
        execution.graph.threads.push([vec![read; 12], vec![write; 12]].concat());
        execution.sites.push(vec![Site(7); 24]);
        execution.ends.push(ThreadEnd::Finished);
        let source = if thread == 3 { event(1, 1) } else { event(thread - 1, 23) };
        execution.graph.rf.extend((0..12).map(|index| (event(thread, index), Source::Event(source))));
    }
    let text = report::svg(&picture(&race(execution)));
    balanced(&text);
    assert_eq!(text.matches("class=\"column\"").count(), 40);
}

#[test]
fn who_waits_is_of_interest_in_deadlocks_only() {
    let mut execution = mp(WriteOrder::Release, ReadOrder::Relaxed);
    execution.ends[0] = ThreadEnd::WaitsForThread(Site(3), ThreadId(1));
    let text = report::dot(&picture(&race(execution)));
    assert!(text.contains("waits for thread 1") && !text.contains("label=\"waits for\""), "{text}");
    assert_eq!(report::dot(&picture(&waiting())).matches("label=\"waits for\"").count(), 3);
}

#[test]
fn a_line_is_not_hidden_by_its_events() {
    let text = report::html(&picture(&long()));
    assert!(text.contains("</a><span>+22</span></span>"), "{text}");
}

#[test]
fn an_execution_without_a_violation_can_be_drawn() {
    let execution = mp(WriteOrder::Release, ReadOrder::Acquire);
    let picture = Picture::of_execution(&execution, &run(), &Mp).with_note("condition", "r0 = 1".into());
    let text = report::svg(&picture);
    assert!(
        text.contains(">mp.c: an execution under RC11<") && text.contains(">condition: r0 = 1<"),
        "{text}"
    );
    assert!(!text.contains("class=\"badge\"") && !text.contains("here it goes wrong"), "{text}");
}

#[test]
fn an_execution_without_events_can_be_drawn() {
    let mut nothing = mp(WriteOrder::Release, ReadOrder::Acquire);
    (nothing.graph, nothing.sites, nothing.ends) = (ExecutionGraph::default(), vec![], vec![]);
    for outcome in [race(nothing.clone()), failed_assertion(nothing)] {
        let picture = picture(&outcome);
        balanced(&report::svg(&picture));
        balanced(&report::html(&picture));
    }
}

// --- names that nobody should trust -----------------------------------------------------------------------------------

const EVIL: &str =
    "</text></title><script>alert(1)</script>'\"];&lt;&amp\\N\\\u{0}\u{1b}\u{202e}\u{ffff}-->]]>`";

/// Everything is called like this.
struct Evil;

impl SourceMap for Evil {
    fn site(&self, site: Site) -> SiteInfo {
        let place = Some(Place { file: format!("{EVIL}.c").into(), line: site.0, column: 3 });
        SiteInfo { place, function: EVIL.into(), operand: EVIL.into(), ..SiteInfo::default() }
    }

    fn address(&self, _: u64) -> Option<String> {
        Some(EVIL.to_owned())
    }

    fn line(&self, _: &str, line: u32) -> Option<String> {
        (line <= 12).then(|| EVIL.to_owned())
    }
}

fn evil_pictures() -> Vec<Picture> {
    let model = Model::Rc11.rules();
    let run = Run { program: EVIL.into(), files: EVIL.into(), options: EVIL.into(), model, ..run() };
    let outcomes =
        [race(mp(WriteOrder::Release, ReadOrder::Relaxed)), waiting(), load_buffering(), use_after_free()];
    let evil = |mut outcome: Outcome| {
        outcome.violations[0].message = EVIL.into();
        outcome.violations[0].replay = EVIL.into();
        Picture::new(&outcome.violations[0], &run, &Evil).with_note("note", EVIL.into())
    };
    outcomes.into_iter().map(evil).collect()
}

#[test]
fn no_name_is_markup() {
    for picture in evil_pictures() {
        let (svg, html) = (report::svg(&picture), report::html(&picture));
        balanced(&svg);
        balanced(&html);
        assert_eq!((svg.matches("<script").count(), html.matches("<script").count()), (0, 1));
        let visible = |c: char| !c.is_control() || c == '\n' || c == '\t';
        assert!(svg.chars().chain(html.chars()).all(visible));
        assert!(!svg.contains('\u{202e}') && !svg.contains('\u{ffff}'));
    }
}

#[test]
fn no_name_is_dot() {
    let code = |picture: &Picture| {
        let (text, mut code, mut quoted, mut escaped) = (report::dot(picture), String::new(), false, false);
        for c in text.chars() {
            match c {
                '"' if !escaped => quoted = !quoted,
                c if !quoted => code.push(c),
                _ => {}
            }
            escaped = quoted && c == '\\' && !escaped;
        }
        assert!(!quoted, "a string ends: {text}");
        code
    };
    for (evil, (_, tame)) in evil_pictures().iter().zip([&all()[0], &all()[3], &all()[2], &all()[4]]) {
        assert_eq!(code(evil), code(tame), "what is outside of strings is the same whatever the names");
    }
}

/// Fails unless this is well-formed, as far as tags, attributes and references go.
fn balanced(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut ids: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        references(before);
        assert!(!before.contains('>') || matches!(open.last(), Some(&"style" | &"script")), "{before}");
        let (tag, behind) = after.split_once('>').expect("a tag ends");
        rest = behind;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "at {after:.80}");
        } else if !tag.starts_with('!') {
            let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
            let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
            attributes_of(attributes, &mut ids);
            open.extend((!is_empty).then_some(name));
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} is open before {rest:?}");
    let number = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), number, "an id names one element");
    for goal in text.split("href=\"#").skip(1).filter_map(|part| part.split('"').next()) {
        assert!(ids.contains(&goal), "a link leads to {goal}, which is nowhere");
    }
}

fn attributes_of<'a>(text: &'a str, ids: &mut Vec<&'a str>) {
    let mut rest = text.trim();
    while let Some((name, after)) = rest.split_once("=\"") {
        assert!(
            name.chars().all(|c| c.is_ascii_alphabetic() || c == '-' || "XY".contains(c)),
            "{name} in {text}"
        );
        let (value, behind) = after.split_once('"').expect("a value ends");
        references(value);
        ids.extend((name == "id").then_some(value));
        rest = behind.trim_start();
    }
    assert!(rest.is_empty(), "{rest} in {text}");
}

/// Every `&` starts one of the references that we write.
fn references(text: &str) {
    for part in text.split('&').skip(1) {
        let known = ["amp;", "lt;", "gt;", "quot;", "#39;"];
        assert!(known.iter().any(|reference| part.starts_with(reference)), "&{part:.20}");
    }
}
