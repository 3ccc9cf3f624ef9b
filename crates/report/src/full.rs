//! The format for people: the verdict, then each violation with its places, its threads and its reason, then the
//! summary.

use crate::diagnostic::{Diagnostic, Participant, Report};
use crate::escape::Escape;
use crate::notation::counted;
use crate::stack::{Frame, caller};
use crate::threads::{ThreadLine, ThreadStory};
use anstyle::{AnsiColor, Style};
use base::ThreadId;
use model::Cycles;
use std::fmt::Write;

/// Whether to write terminal colours. Who prints decides: it knows the terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// Plain text.
    Never,
    /// ANSI escapes.
    Always,
}

/// The whole report as text, with no character that a terminal would obey but for colours.
pub fn full(report: &Report, colour: Colour) -> String {
    let report = &report.escaped();
    let mut text = String::new();
    let paint = Paint(colour);
    verdict_line(&mut text, report, paint);
    for (place, line) in report.answer.places.iter().zip(&report.answer_lines) {
        pointer(&mut text, &place.to_string(), line.as_deref(), place.line, paint);
    }
    if let (Some(help), true) = (&report.answer.help, report.diagnostics.is_empty()) {
        note(&mut text, "help", help, paint);
    }
    for diagnostic in &report.diagnostics {
        violation(&mut text, diagnostic, report, paint);
    }
    for words in &report.missing_lines {
        push(&mut text, &format!("{}: {words}", paint.bold("note")));
    }
    if let Some(words) = incomplete(report) {
        push(&mut text, &format!("{}: {words}", paint.yellow("incomplete")));
    }
    if report.answer.word != "verified" {
        push(&mut text, &summary(report));
    }
    text
}

/// `3 executions, 0 blocked, 4 ms`
pub(crate) fn counts(report: &Report) -> String {
    let executions = report.executions;
    let mut counts = format!("{}, {} blocked", counted(executions.complete, "execution"), executions.blocked);
    match (executions.duplicate, report.run.model.cycles) {
        (0, _) => {}
        // Their cyclic parts only; no execution is explored again.
        (duplicate, Cycles::Justified) => _ = write!(counts, ", {} found again", counted(duplicate, "cycle")),
        (duplicate, Cycles::Forbidden) => _ = write!(counts, ", {duplicate} DUPLICATE"),
    }
    format!("{counts}, {}", duration(report.run.exploration_seconds))
}

/// Something is wrong, and the exploration was not completed for another reason than that.
pub(crate) fn incomplete(report: &Report) -> Option<String> {
    let why = report.answer.incomplete.as_ref()?;
    Some(format!("the exploration was not completed, and there may be more violations: {why}"))
}

/// The last line: what was found and how much was explored.
pub(crate) fn summary(report: &Report) -> String {
    let program = &report.run.program;
    let found = match report.diagnostics.len() as u64 {
        0 => "no violation found".to_owned(),
        number => counted(number, "violation"),
    };
    format!("{program}: {found} under {} — {}", report.run.model.title, counts(report))
}

fn verdict_line(text: &mut String, report: &Report, paint: Paint) {
    let (program, model, answer) = (&report.run.program, report.run.model.title, &report.answer);
    let detail = match (&answer.reason, report.diagnostics.first()) {
        (Some(reason), _) => format!(": {reason}"),
        (None, Some(first)) => format!(": {}", first.code),
        (None, None) if answer.word == "verified" => format!(" — {}", counts(report)),
        (None, None) => String::new(),
    };
    let word = match answer.word {
        "verified" => paint.green(answer.word),
        "violated" => paint.red(answer.word),
        word => paint.yellow(word),
    };
    push(text, &format!("{program}: {word} under {model}{detail}"));
}

fn violation(text: &mut String, diagnostic: &Diagnostic, report: &Report, paint: Paint) {
    let head = paint.red(&format!("error[{}]", diagnostic.code));
    push(text, &format!("\n{head}: {}", paint.bold(&diagnostic.message)));
    places(text, &diagnostic.participants, paint);
    push(text, "");
    for story in &diagnostic.threads {
        thread(text, story, paint);
    }
    for object in &diagnostic.objects {
        note(text, "object", object, paint);
    }
    for why in &diagnostic.why {
        note(text, "why", why, paint);
    }
    for (key, words) in &diagnostic.cycle {
        note(text, key, words, paint);
    }
    let total = if report.diagnostics.len() > 1 { " of those explored" } else { "" };
    note(text, "execution", &format!("number {}{total}", diagnostic.number), paint);
    note(text, "replay", &diagnostic.replay_command, paint);
    if let Some(help) = &diagnostic.help {
        note(text, "help", help, paint);
    }
    push(text, "");
}

/// Both places of a race, or the one of an assertion, with the line of source and the calls that led there.
fn places(text: &mut String, participants: &[Participant], paint: Paint) {
    let several = participants.len() > 1;
    for (index, participant) in participants.iter().enumerate() {
        let at = participant.place().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        let number = if several { format!("({})", index + 1) } else { String::new() };
        let event = participant.event_text.clone().unwrap_or_default();
        let thread = thread_name(participant.thread, &participant.function);
        let who = match participant.event {
            Some(event) => format!("{thread}, event {event}"),
            None => thread,
        };
        let parts = [at, format!("{number} {event}").trim().to_owned(), who];
        let mut what = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ");
        if !participant.role.is_empty() {
            let _ = write!(what, " — {}", participant.role);
        }
        let frame = participant.stack.first();
        let line = frame.and_then(|frame| frame.line.as_deref());
        pointer(text, &what, line, frame.map_or(0, |frame| frame.place.line), paint);
        calls(text, &participant.stack, paint);
    }
}

/// The calls, with the text of the line that the user would look at first.
fn calls(text: &mut String, stack: &[Frame], paint: Paint) {
    let [_, calls @ ..] = stack else { return };
    for same in calls.chunk_by(|one, other| one == other) {
        let frame = &same[0];
        let times = if same.len() > 1 { format!(", {} times", same.len()) } else { String::new() };
        push(text, &format!("      called from {} in {}{times}", frame.place, frame.function));
        if caller(stack) == Some(frame) {
            source_line(text, frame.line.as_deref(), frame.place.line, paint);
        }
    }
}

/// `thread 1 (writer)`
fn thread_name(thread: ThreadId, function: &str) -> String {
    if function.is_empty() { format!("thread {thread}") } else { format!("thread {thread} ({function})") }
}

fn pointer(text: &mut String, what: &str, line: Option<&str>, number: u32, paint: Paint) {
    push(text, &format!("  {} {what}", paint.blue("-->")));
    source_line(text, line, number, paint);
}

fn source_line(text: &mut String, line: Option<&str>, number: u32, paint: Paint) {
    if let Some(line) = line {
        push(text, &format!("{} {}", paint.blue(&format!("{number:6} |")), line.trim_end()));
    }
}

/// One block per thread: name, event, place and origin in columns.
fn thread(text: &mut String, story: &ThreadStory, paint: Paint) {
    let function = if story.function.is_empty() { String::new() } else { format!(" ({})", story.function) };
    push(text, &format!("  {}{function}", paint.bold(&format!("thread {}", story.thread))));
    let rows: Vec<[String; 4]> = story.lines.iter().map(row).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    for row in &rows {
        let columns = (0..3).map(|column| pad(&row[column], widths[column])).collect::<Vec<_>>().join("  ");
        push(text, format!("    {columns}  {}", row[3]).trim_end());
    }
}

fn row(line: &ThreadLine) -> [String; 4] {
    match line {
        ThreadLine::Event { event, text, place, origin, participant } => {
            let mark = participant.map(|number| format!("({number})"));
            let notes: Vec<String> = origin.iter().cloned().chain(mark).collect();
            [event.to_string(), text.clone(), place.clone(), notes.join("  ")]
        }
        ThreadLine::LeftOut(events) => {
            [String::new(), format!("… {}", counted(*events as u64, "event")), String::new(), String::new()]
        }
        ThreadLine::End { text, place } => [String::new(), text.clone(), place.clone(), String::new()],
    }
}

fn note(text: &mut String, key: &str, value: &str, paint: Paint) {
    push(text, &format!("  = {} {value}", paint.bold(&format!("{key}:"))));
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// `{:width$}` counts bytes of some characters wrongly only when they are wide; ours are not.
fn pad(cell: &str, width: usize) -> String {
    format!("{cell:width$}")
}

/// `4 ms`, `1.25 s`
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.001 => "<1 ms".to_owned(),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

/// Terminal colours, or none.
#[derive(Clone, Copy)]
struct Paint(Colour);

const BOLD: Style = Style::new().bold();

impl Paint {
    fn wrap(self, style: Style, text: &str) -> String {
        match self.0 {
            Colour::Never => text.to_owned(),
            Colour::Always => format!("{style}{text}{style:#}"),
        }
    }

    fn colour(self, colour: AnsiColor, text: &str) -> String {
        self.wrap(BOLD.fg_color(Some(colour.into())), text)
    }

    fn bold(self, text: &str) -> String {
        self.wrap(BOLD, text)
    }

    fn red(self, text: &str) -> String {
        self.colour(AnsiColor::Red, text)
    }

    fn green(self, text: &str) -> String {
        self.colour(AnsiColor::Green, text)
    }

    fn yellow(self, text: &str) -> String {
        self.colour(AnsiColor::Yellow, text)
    }

    fn blue(self, text: &str) -> String {
        self.colour(AnsiColor::Blue, text)
    }
}
