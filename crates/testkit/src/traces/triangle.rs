//! Triangles of graphs as partial executions: the lower bound of \[RF\] section 4.6.
//!
//! The execution of a graph is consistent under RA, WRA and SRA iff the graph has no triangle. Edges of `hb`
//! are made of a write and a read of a location of their own.

use base::Order;
use consistency::{Event, Location, Op, PartialExecution, Source, Thread};

/// The execution of an undirected graph on `0..nodes`, given its edges `(a, b)` with a < b.
///
/// The names are the paper's. There `hb` is between events that all have their own thread; here it is from
/// all that a thread has done so far to all that another one will do, so the order of the lines matters.
pub fn execution(nodes: u32, edges: &[(u32, u32)]) -> PartialExecution {
    let mut gadget = Gadget { execution: PartialExecution::new(), threads: 0, locations: nodes };
    let w: Vec<Event> = (0..nodes).map(|a| gadget.access_of_new_thread(Op::Write, Location(a))).collect();
    let [wjxn, rjxn] = [(); 2].map(|()| (0..nodes).map(|_| gadget.thread()).collect::<Vec<Thread>>());
    for &(a, b) in edges {
        let thread = gadget.thread();
        gadget.hb(gadget.execution.thread(w[a as usize]), thread);
        gadget.access(thread, Op::Write, Location(a));
        gadget.hb(thread, wjxn[b as usize]);
    }
    for &(a, b) in edges {
        let e = gadget.thread();
        gadget.hb(wjxn[b as usize], e);
        gadget.hb(e, rjxn[a as usize]);
    }
    for &(a, b) in edges {
        let thread = gadget.thread();
        gadget.hb(rjxn[a as usize], thread);
        let r = gadget.access(thread, Op::Read, Location(b));
        gadget.execution.set_source(r, Source::Event(w[b as usize]));
    }
    gadget.execution
}

/// Whether the graph has a triangle.
pub fn has_triangle(edges: &[(u32, u32)]) -> bool {
    let is_edge = |a, b| edges.contains(&(a, b));
    edges.iter().any(|&(a, b)| edges.iter().any(|&(c, d)| c == b && is_edge(a, d)))
}

struct Gadget {
    execution: PartialExecution,
    threads: u32,
    locations: u32,
}

impl Gadget {
    fn thread(&mut self) -> Thread {
        self.threads += 1;
        Thread(self.threads - 1)
    }

    fn access(&mut self, thread: Thread, op: Op, location: Location) -> Event {
        let order = if op == Op::Read { Order::Acquire } else { Order::Release };
        self.execution.access(thread, op, order, location)
    }

    fn access_of_new_thread(&mut self, op: Op, location: Location) -> Event {
        let thread = self.thread();
        self.access(thread, op, location)
    }

    /// All that a thread has done so far happens before all that another one will do.
    fn hb(&mut self, from: Thread, to: Thread) {
        let location = Location(self.locations);
        self.locations += 1;
        let write = self.access(from, Op::Write, location);
        let read = self.access(to, Op::Read, location);
        self.execution.set_source(read, Source::Event(write));
    }
}
