//! How events, values and places are written: `R.acq flag = 1`, `1:2`, `mp.c:11`.

use crate::objects::{NamedObject, Objects};
use crate::source_map::{SiteInfo, SourceMap};
use crate::stack::{in_line, own_line};
use base::{Access, EventId, Order, Place, Site, ThreadId, Value};
use explore::outcome::{Execution, ThreadEnd};
use graph::{Label, Source};
use program::LIFE_WORDS;

/// Up to here a number is a number, even if it happens to be an address, too.
const SMALL: Value = u32::MAX as Value >> 1;

/// An execution together with the words for it.
#[derive(Clone, Copy)]
pub(crate) struct Notation<'a> {
    pub(crate) execution: &'a Execution,
    pub(crate) map: &'a dyn SourceMap,
    pub(crate) objects: &'a Objects,
}

impl Notation<'_> {
    /// What the event does; `None` if the execution has no such event.
    pub(crate) fn label(&self, event: EventId) -> Option<&Label> {
        self.execution.graph.threads.get(event.thread.index())?.get(event.index as usize)
    }

    /// The instruction of the event.
    pub(crate) fn event_site(&self, event: EventId) -> Option<Site> {
        self.execution.sites.get(event.thread.index())?.get(event.index as usize).copied()
    }

    fn event_info(&self, event: EventId) -> SiteInfo {
        self.event_site(event).map(|site| self.map.site(site)).unwrap_or_default()
    }

    /// Where the event is in the source: `mp.c:11`, or its name if that is not known. With the caller of a function that
    /// has several: `ck_pr.h:102 (called from ring.c:41)`.
    pub(crate) fn event_place(&self, event: EventId) -> String {
        let stack = self.event_stack(event);
        let Some(frame) = stack.first() else { return event.to_string() };
        let at = line_of(&frame.place);
        match self.event_caller(event) {
            Some(caller) => format!("{at} (called from {})", line_of(&caller.place)),
            None => at,
        }
    }

    /// The line that the user would look at first for the event.
    fn event_line(&self, event: EventId) -> String {
        let stack = self.event_stack(event);
        let frame = self.event_caller(event).or_else(|| own_line(&stack).cloned());
        frame.map_or_else(|| event.to_string(), |frame| line_of(&frame.place))
    }

    /// A message with the names of the allocated objects that it has addresses of.
    pub(crate) fn with_names(&self, message: &str) -> String {
        let named = |word: &str| {
            let address = u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()?;
            self.objects.part(Access { address, size: 0 })?;
            Some(format!("`{}`", self.named(address)))
        };
        let words = message.split(' ').map(|word| named(word).unwrap_or_else(|| word.to_owned()));
        words.collect::<Vec<_>>().join(" ")
    }

    /// What the event accesses, in the user's words if possible.
    pub(crate) fn event_object(&self, event: EventId) -> String {
        let operand = self.event_info(event).operand;
        let at = self.label(event).and_then(Label::at);
        self.object(&operand, at)
    }

    /// The location by its path, or `operand`, or the name of the object at `at`, or its address.
    pub(crate) fn object(&self, operand: &str, at: Option<Access>) -> String {
        let known = at.and_then(|at| self.location(at));
        match (known, at) {
            // An instruction that frees a block or gets one names the block, not its life.
            (Some(name), Some(at)) if at.address >= LIFE_WORDS => name,
            (Some(name), _) if is_path(&name) => name,
            // An instruction with two operands (a copy) has one name only: it may be the other's.
            (Some(name), _) if !operand.is_empty() && is_other_variable(operand, &name) => name,
            _ if !operand.is_empty() => operand.to_owned(),
            (Some(name), _) => name,
            (None, Some(at)) => self.named(at.address),
            (None, None) => "?".to_owned(),
        }
    }

    /// The name of a location, if its object and its type are known.
    pub(crate) fn location(&self, at: Access) -> Option<String> {
        match self.objects.part(at) {
            Some(part) if at.address >= LIFE_WORDS => Some(format!("life of {}", part.with_offset())),
            Some(part) => part.path(self.map),
            None => self.map.location(at),
        }
    }

    /// A whole event: `W.rel flag = 1`.
    pub(crate) fn event(&self, event: EventId) -> String {
        let object = || self.event_object(event);
        match self.label(event) {
            None => "?".to_owned(),
            Some(&Label::Read { at, order, value }) => {
                format!("R.{} {} = {}", Order::from(order), object(), self.value(value, at.size))
            }
            Some(&Label::Write { at, order, value }) => {
                format!("W.{} {} = {}", Order::from(order), object(), self.value(value, at.size))
            }
            Some(&Label::Rmw { at, order, read, written }) => {
                let (read, written) = (self.value(read, at.size), self.value(written, at.size));
                format!("RMW.{} {} = {read} → {written}", Order::from(order), object())
            }
            Some(&Label::Fence(order)) => format!("F.{}", Order::from(order)),
            Some(&Label::Create(child)) => format!("create thread {child}"),
            Some(&Label::Join(child)) => format!("join thread {child}"),
            Some(Label::Publish(objects)) => self.publication(objects),
            Some(&Label::Free(address)) => {
                format!("free {}", self.named(address))
            }
            Some(&Label::Choose(value)) => format!("choose {value}"),
            Some(&Label::Sleep(on, value)) => {
                let end = if value == 0 { ", wake up" } else { "" };
                format!("sleep on {}{end}", self.named(on))
            }
            Some(&Label::Notify(on)) => format!("notify {}", self.named(on)),
        }
    }

    /// What is at an address, by name if it has one.
    fn named(&self, address: u64) -> String {
        self.name(address).unwrap_or_else(|| format!("{address:#x}"))
    }

    fn name(&self, address: u64) -> Option<String> {
        match self.objects.part(Access { address, size: 0 }) {
            Some(part) => Some(part.path(self.map).unwrap_or_else(|| part.with_offset())),
            None => self.map.address(address),
        }
    }

    /// The objects by name if they are few; what the front end added for itself is not among them.
    fn publication(&self, objects: &[(u64, u64)]) -> String {
        let name = |&(address, _): &(u64, u64)| self.named(address);
        let mut names: Vec<String> =
            objects.iter().map(name).filter(|name| !name.starts_with("__VERIFIER")).collect();
        names.sort();
        match names.len() {
            // A thread that throws for the first time says that much.
            0 if objects.is_empty() => "throw".to_owned(),
            0 => "share memory".to_owned(),
            1..=3 => format!("share {}", names.join(", ")),
            number => format!("share {number} objects"),
        }
    }

    /// A value of `size` bytes: a pointer by what it points to, a small negative number as such.
    pub(crate) fn value(&self, value: Value, size: u8) -> String {
        if size == 8
            && value > SMALL
            && let Some(name) = self.name(value)
        {
            // What has no name of its own has a description, which fits several addresses.
            return if name.contains(' ') { format!("{value:#x} ({name})") } else { format!("&{name}") };
        }
        let unused = 64 - 8 * u32::from(size.clamp(1, 8));
        let signed = (value << unused).cast_signed() >> unused;
        if (-65536..0).contains(&signed) { signed.to_string() } else { value.to_string() }
    }

    /// Where the value of a read comes from: `from 1:1 (mp.c:7)`; `None` for what reads nothing.
    pub(crate) fn origin(&self, event: EventId) -> Option<String> {
        Some(match *self.execution.graph.rf.get(&event)? {
            Source::Init => "initial value".to_owned(),
            Source::Event(write) => format!("from {write} ({})", self.event_line(write)),
        })
    }

    /// Where an object comes from: `node#2, 16 bytes, allocated at queue.c:31`.
    pub(crate) fn origin_of(&self, object: &NamedObject) -> String {
        let at = in_line(&self.stack(object.allocated.site, &[]));
        let at = if at.is_empty() { "an unknown place".to_owned() } else { at };
        format!("`{}`, {}, allocated at {at}", object.name, counted(object.allocated.size, "byte"))
    }

    /// The function that the thread runs: the outermost one of its first instruction that is known.
    pub(crate) fn thread_function(&self, thread: ThreadId) -> String {
        if thread == ThreadId::MAIN {
            return "main".to_owned();
        }
        let first = EventId { thread, index: 0 };
        let (site, calls) = match self.event_site(first) {
            Some(site) => (Some(site), self.event_calls(first)),
            None => self.end_calls(thread.index()),
        };
        calls.last().copied().or(site).map_or(String::new(), |site| self.map.site(site).function.to_string())
    }

    /// `thread 1 (writer)`
    pub(crate) fn thread(&self, thread: ThreadId) -> String {
        match self.thread_function(thread) {
            function if function.is_empty() => format!("thread {thread}"),
            function => format!("thread {thread} ({function})"),
        }
    }
}

/// Whether a name is a path of members and elements, down to what is accessed.
fn is_path(name: &str) -> bool {
    !name.contains([' ', '+'])
}

/// Whether `operand` is a plain variable, and `name` (with an offset, perhaps) another one.
fn is_other_variable(operand: &str, name: &str) -> bool {
    let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
    let variable = operand.split('.').next().unwrap_or_default();
    let (base, _) = name.split_once('+').unwrap_or((name, ""));
    // A static local variable is named after its function, too: `next.last`.
    is_plain(operand) && is_plain(base) && base.split('.').all(|part| part != variable)
}

/// The instruction at which a thread stands.
pub(crate) fn end_site(end: &ThreadEnd) -> Option<Site> {
    match *end {
        ThreadEnd::Finished => None,
        ThreadEnd::Running(site)
        | ThreadEnd::Blocked(site)
        | ThreadEnd::Spins(site)
        | ThreadEnd::WaitsForLock(site)
        | ThreadEnd::WaitsForThread(site, _)
        | ThreadEnd::Waits(site, _)
        | ThreadEnd::Faulted(site) => Some(site),
    }
}

/// File and line; the column only where a single place is pointed at.
pub(crate) fn line_of(place: &Place) -> String {
    format!("{}:{}", place.file, place.line)
}

/// `relaxed`, as C spells it.
pub(crate) fn spelled(order: Order) -> &'static str {
    match order {
        Order::NotAtomic => "plain",
        Order::Relaxed => "relaxed",
        Order::Acquire => "acquire",
        Order::Release => "release",
        Order::AcqRel => "acq_rel",
        Order::SeqCst => "seq_cst",
    }
}

/// `1 execution`, `2 executions`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_operand_of_another_variable_is_recognised() {
        assert!(is_other_variable("target", "source+7"));
        for (operand, name) in [
            ("x", "x"),
            ("q.head", "q+8"),
            ("last", "next.last"),
            ("p->next", "node+8"),
            ("a[i]", "b+4"),
            ("x", "heap object of thread 0"),
        ] {
            assert!(!is_other_variable(operand, name), "{operand} at {name}");
        }
    }
}
