//! A report with every text in it escaped: for renderers that write to a terminal.
//!
//! Structs are taken apart field by field, so that a field that is added is thought of here.

use crate::diagnostic::{Diagnostic, Participant, Report};
use crate::run::Run;
use crate::stack::Frame;
use crate::threads::{ThreadLine, ThreadStory};
use crate::verdict::Answer;
use base::Place;

/// A value that has text from the program in it.
pub(crate) trait Escape {
    /// The same without hidden characters, and on one line where it is a text.
    fn escaped(&self) -> Self;
}

impl Escape for String {
    fn escaped(&self) -> String {
        base::escaped(self)
    }
}

impl<T: Escape> Escape for Option<T> {
    fn escaped(&self) -> Option<T> {
        self.as_ref().map(T::escaped)
    }
}

impl<T: Escape> Escape for Vec<T> {
    fn escaped(&self) -> Vec<T> {
        self.iter().map(T::escaped).collect()
    }
}

/// A text under a word of ours.
impl Escape for (&'static str, String) {
    fn escaped(&self) -> (&'static str, String) {
        (self.0, self.1.escaped())
    }
}

impl Escape for Place {
    fn escaped(&self) -> Place {
        let Place { file, line, column } = self;
        Place { file: base::escaped(file).into(), line: *line, column: *column }
    }
}

impl Escape for Report {
    fn escaped(&self) -> Report {
        let Report { run, answer, executions, restarts, diagnostics, answer_lines, missing_lines } = self;
        Report {
            run: run.escaped(),
            answer: answer.escaped(),
            executions: *executions,
            restarts: restarts.clone(),
            diagnostics: diagnostics.escaped(),
            answer_lines: answer_lines.escaped(),
            missing_lines: missing_lines.escaped(),
        }
    }
}

impl Escape for Run {
    fn escaped(&self) -> Run {
        let &Run { ref program, ref files, model, equivalence, ref options, ref cflags, .. } = self;
        let &Run { frontend_seconds, exploration_seconds, peak_memory_bytes, .. } = self;
        Run {
            program: program.escaped(),
            files: files.escaped(),
            model,
            equivalence,
            options: options.escaped(),
            cflags: cflags.escaped(),
            frontend_seconds,
            exploration_seconds,
            peak_memory_bytes,
        }
    }
}

impl Escape for Answer {
    fn escaped(&self) -> Answer {
        let Answer { word, reason, places, help, vacuous, incomplete } = self;
        Answer {
            word,
            reason: reason.escaped(),
            places: places.escaped(),
            help: help.escaped(),
            vacuous: *vacuous,
            incomplete: incomplete.escaped(),
        }
    }
}

impl Escape for Diagnostic {
    fn escaped(&self) -> Diagnostic {
        let Diagnostic { code, message, participants, threads, objects, why, cycle, help, .. } = self;
        let Diagnostic { cyclic_events, committed_events, number, replay, replay_command, .. } = self;
        Diagnostic {
            code,
            message: message.escaped(),
            participants: participants.escaped(),
            threads: threads.escaped(),
            objects: objects.escaped(),
            why: why.escaped(),
            cycle: cycle.escaped(),
            cyclic_events: cyclic_events.clone(),
            committed_events: committed_events.clone(),
            help: help.escaped(),
            number: *number,
            replay: replay.escaped(),
            replay_command: replay_command.escaped(),
        }
    }
}

impl Escape for Participant {
    fn escaped(&self) -> Participant {
        let Participant { thread, event, event_text, function, stack, caller, role } = self;
        Participant {
            thread: *thread,
            event: *event,
            event_text: event_text.escaped(),
            function: function.escaped(),
            stack: stack.escaped(),
            caller: caller.escaped(),
            role: role.escaped(),
        }
    }
}

impl Escape for Frame {
    fn escaped(&self) -> Frame {
        let Frame { place, function, line } = self;
        Frame { place: place.escaped(), function: base::escaped(function).into(), line: line.escaped() }
    }
}

impl Escape for ThreadStory {
    fn escaped(&self) -> ThreadStory {
        let ThreadStory { thread, function, lines } = self;
        ThreadStory { thread: *thread, function: function.escaped(), lines: lines.escaped() }
    }
}

impl Escape for ThreadLine {
    fn escaped(&self) -> ThreadLine {
        match self {
            ThreadLine::Event { event, text, place, origin, participant } => ThreadLine::Event {
                event: *event,
                text: text.escaped(),
                place: place.escaped(),
                origin: origin.escaped(),
                participant: *participant,
            },
            ThreadLine::LeftOut(events) => ThreadLine::LeftOut(*events),
            ThreadLine::End { text, place } => {
                ThreadLine::End { text: text.escaped(), place: place.escaped() }
            }
        }
    }
}
