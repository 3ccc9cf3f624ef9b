//! Consistency one event at a time with an order of writes that is always transitively closed: what the incremental algorithm of
//! \[RF\] is compared with.
//!
//! Idea: as C11Tester's mo-graph (\[RF\] section 5.2, "main differences"). A node is a write with the read-modify-writes that
//! hang off it; its clock says which writes of each thread come before it or are in it. Whoever gets a new predecessor hands
//! what it has learnt to all nodes after it, at once: a question is one comparison, an answer may cost the whole graph.
//! For RA only, in which every read acquires: happens-before is then a clock per thread and per write.
//!
//! Cost: O(nodes · threads) for an event at worst.

use consistency::{Event, Location, Op, Source, Thread};

/// A chain: a write and the read-modify-writes that hang off it.
#[derive(Clone, Debug)]
struct Node {
    /// Its first write: lane and position. Lane 0 is that of initial writes.
    top: (usize, u32),
    /// Per lane the last position of a write that is before it or in it.
    mo: Vec<u32>,
    after: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Write {
    node: usize,
    /// How many writes of its chain come before it.
    place: u32,
    hb: Vec<u32>,
    updated: bool,
}

/// A partial execution under RA that is consistent, and can grow.
#[derive(Clone, Debug)]
pub struct ClosedMo {
    lanes: usize,
    known: Vec<Vec<u32>>,
    nodes: Vec<Node>,
    writes: Vec<Write>,
    /// Per event the write that it is.
    events: Vec<Option<usize>>,
    /// Per location and lane, which write was seen since when.
    seen: Vec<Vec<Vec<(u32, usize)>>>,
}

/// The source cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inconsistent;

impl ClosedMo {
    /// Without events, for that many threads and locations.
    pub fn new(threads: usize, locations: usize) -> ClosedMo {
        let lanes = threads + 1;
        let mut known = vec![0; lanes];
        known[0] = 1;
        let mut mo = ClosedMo {
            lanes,
            known: vec![known.clone(); threads],
            nodes: Vec::new(),
            writes: Vec::new(),
            events: Vec::new(),
            seen: vec![vec![Vec::new(); lanes]; locations],
        };
        for location in 0..locations {
            let init = mo.begin((0, 1), known.clone());
            mo.seen[location][0].push((1, init));
        }
        mo
    }

    /// Add a write.
    pub fn push(&mut self, thread: Thread, location: Location) -> Event {
        let (lane, at) = (thread.0 as usize + 1, location.0 as usize);
        let before = self.seen_by(thread, at);
        let position = self.step(thread);
        let write = self.begin((lane, position), self.known[thread.0 as usize].clone());
        for earlier in before {
            self.order(self.writes[earlier].node, self.writes[write].node);
        }
        self.seen[at][lane].push((position, write));
        self.add(Some(write))
    }

    /// Add a read or read-modify-write that reads from `source`. Nothing changes if it cannot.
    ///
    /// # Errors
    /// The execution would be inconsistent.
    pub fn bind(
        &mut self,
        thread: Thread,
        op: Op,
        location: Location,
        source: Source,
    ) -> Result<Event, Inconsistent> {
        let (lane, at) = (thread.0 as usize + 1, location.0 as usize);
        let source = match source {
            Source::Init => self.seen[at][0][0].1,
            Source::Event(event) => self.events[event.index()].expect("a source is a write"),
        };
        let before = self.seen_by(thread, at);
        let is_update = op == Op::Rmw;
        if (is_update && self.writes[source].updated)
            || before.iter().any(|&seen| self.precedes(source, seen))
        {
            return Err(Inconsistent);
        }
        let node = self.writes[source].node;
        for seen in before {
            self.order(self.writes[seen].node, node);
        }
        let position = self.step(thread);
        let hb = self.writes[source].hb.clone();
        join(&mut self.known[thread.0 as usize], &hb);
        let write = is_update.then(|| self.extend(source, lane, position, thread));
        self.seen[at][lane].push((position, write.unwrap_or(source)));
        Ok(self.add(write))
    }

    fn add(&mut self, write: Option<usize>) -> Event {
        self.events.push(write);
        Event(self.events.len() as u32 - 1)
    }

    fn step(&mut self, thread: Thread) -> u32 {
        let known = &mut self.known[thread.0 as usize][thread.0 as usize + 1];
        *known += 1;
        *known
    }

    fn begin(&mut self, top: (usize, u32), hb: Vec<u32>) -> usize {
        let mut mo = vec![0; self.lanes];
        mo[top.0] = top.1;
        self.nodes.push(Node { top, mo, after: Vec::new() });
        self.writes.push(Write { node: self.nodes.len() - 1, place: 0, hb, updated: false });
        self.writes.len() - 1
    }

    /// A read-modify-write joins the chain of its source: whoever is after the chain is after it, too.
    fn extend(&mut self, source: usize, lane: usize, position: u32, thread: Thread) -> usize {
        let Write { node, place, .. } = self.writes[source];
        self.writes[source].updated = true;
        let hb = self.known[thread.0 as usize].clone();
        self.writes.push(Write { node, place: place + 1, hb, updated: false });
        let mut more = vec![0; self.lanes];
        more[lane] = position;
        self.learn(node, &more);
        self.writes.len() - 1
    }

    /// Of each thread the write that it saw last, as far as `thread` knows of it.
    fn seen_by(&self, thread: Thread, at: usize) -> Vec<usize> {
        let known = &self.known[thread.0 as usize];
        let last = |(lane, list): (usize, &Vec<(u32, usize)>)| {
            let count = list.partition_point(|&(position, _)| position <= known[lane]);
            count.checked_sub(1).map(|last| list[last].1)
        };
        self.seen[at].iter().enumerate().filter_map(last).collect()
    }

    /// Whether one write is before another.
    fn precedes(&self, one: usize, other: usize) -> bool {
        let (one, other) = (&self.writes[one], &self.writes[other]);
        match one.node == other.node {
            true => one.place < other.place,
            false => self.is_before(one.node, other.node),
        }
    }

    fn is_before(&self, one: usize, other: usize) -> bool {
        let (lane, position) = self.nodes[one].top;
        self.nodes[other].mo[lane] >= position
    }

    /// One chain comes before another.
    fn order(&mut self, one: usize, other: usize) {
        if one == other {
            return;
        }
        if !self.nodes[one].after.contains(&other) {
            self.nodes[one].after.push(other);
        }
        let mo = self.nodes[one].mo.clone();
        self.learn(other, &mo);
    }

    /// A chain comes after more than was known, and so does whatever is after it.
    fn learn(&mut self, node: usize, mo: &[u32]) {
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            if join(&mut self.nodes[node].mo, mo) {
                todo.extend_from_slice(&self.nodes[node].after);
            }
        }
    }
}

fn join(clock: &mut [u32], other: &[u32]) -> bool {
    let mut more = false;
    for (mine, &theirs) in clock.iter_mut().zip(other) {
        more |= *mine < theirs;
        *mine = (*mine).max(theirs);
    }
    more
}
