//! The shapes of objects: which members and elements they have, and the path to those at an offset.
//!
//! `ring.p_tail`, `nodes[2].next`. Reports alone depend on it. Where nothing fits the path stops short, and says the
//! rest as a number of bytes.

use crate::bytecode::Module;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A shape of `Module::shapes`. The parts of a shape have smaller numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct ShapeId(pub u32);

/// A type of the source, as far as its parts have names.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Shape {
    /// So many bytes without parts.
    Scalar(u64),
    /// A struct, a class or a union.
    Record {
        /// Its size in bytes.
        size: u64,
        /// Its members, in the order of their declaration.
        members: Vec<Member>,
    },
    /// Elements one after the other.
    Array {
        /// The shape of each.
        element: ShapeId,
        /// The size of each in bytes.
        stride: u64,
        /// How many there are; 0 if the type does not say.
        count: u64,
    },
}

/// A member of a struct or union.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Member {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its first bit.
    pub start: u64,
    /// How many bits it has; 0 if the type does not say.
    pub bits: u64,
    /// Its shape.
    pub shape: ShapeId,
}

/// The name and the shape of an object that an instruction makes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct ObjectInfo {
    /// Of a variable its name, of a heap object that of its type or of the pointer to it; empty if not known.
    pub name: String,
    /// Its shape, or, of a heap object, that of each of its elements.
    pub shape: Option<ShapeId>,
}

/// A path is no longer than this. (In a file that is made up, shapes may be inside each other without a sensible end.)
const DEEPEST: u32 = 32;
/// Nor are more parts than this looked at for one.
const MOST_PARTS: u32 = 10_000;
/// Of the members that one access covers, so many are named.
const MOST_NAMES: usize = 3;

impl Module {
    /// The path to some bytes of an object of `object_size` bytes that consists of such shapes. No bytes: the path to
    /// the largest part that starts at the offset.
    pub fn path(&self, shape: ShapeId, object_size: u64, offset: u64, size: u64) -> String {
        let size_of_one = size_of(&self.shapes, shape);
        let mut walk = Walk { shapes: &self.shapes, parts: 0, is_whole: size == 0 };
        if walk.is_whole && offset == 0 {
            return String::new();
        }
        let bytes = offset..offset.saturating_add(size.max(1));
        let elements = object_size.checked_div(size_of_one).unwrap_or(0);
        if elements > 1 && object_size.is_multiple_of(size_of_one) && !walk.is_open(shape) {
            walk.elements(shape, size_of_one, bytes, 0).text
        } else {
            walk.part(shape, bytes, 0).text
        }
    }
}

/// The size of a shape in bytes.
pub(crate) fn size_of(shapes: &[Shape], ShapeId(shape): ShapeId) -> u64 {
    match shapes.get(shape as usize) {
        None => 0,
        Some(Shape::Scalar(size) | Shape::Record { size, .. }) => *size,
        Some(Shape::Array { stride, count, .. }) => stride.saturating_mul(*count),
    }
}

/// A path, and whether what it leads to is exactly the bytes.
struct Path {
    text: String,
    is_exact: bool,
}

impl Path {
    fn of(text: String) -> Path {
        Path { text, is_exact: false }
    }

    fn after(mut self, start: &str) -> Path {
        self.text.insert_str(0, start);
        self
    }
}

/// A search for a path.
struct Walk<'a> {
    shapes: &'a [Shape],
    /// How many parts were looked at.
    parts: u32,
    /// The path is to what starts there, however large it is.
    is_whole: bool,
}

impl Walk<'_> {
    /// Whether the shape ends with an array of unknown length.
    fn is_open(&self, ShapeId(shape): ShapeId) -> bool {
        match self.shapes.get(shape as usize) {
            Some(Shape::Record { members, .. }) => members.last().is_some_and(|member| member.bits == 0),
            _ => false,
        }
    }

    /// The path from a shape to its bytes.
    fn part(&mut self, id: ShapeId, bytes: Range<u64>, depth: u32) -> Path {
        if self.is_whole && bytes.start == 0 {
            return Path { text: String::new(), is_exact: true };
        }
        self.parts += 1;
        let known = depth <= DEEPEST && self.parts <= MOST_PARTS;
        match self.shapes.get(id.0 as usize).filter(|_| known) {
            Some(Shape::Record { size, members }) => match self.member(members, &bytes, depth) {
                Some(path) => path,
                None if bytes == (0..*size) => Path::of(String::new()),
                None => Path::of(covered(members, &bytes)),
            },
            Some(&Shape::Array { element, stride, .. }) if stride > 0 => {
                self.elements(element, stride, bytes, depth)
            }
            _ => {
                let is_exact = bytes == (0..size_of(self.shapes, id));
                Path { text: offset(bytes.start), is_exact }
            }
        }
    }

    fn elements(&mut self, element: ShapeId, stride: u64, bytes: Range<u64>, depth: u32) -> Path {
        let (first, last) = (bytes.start / stride, (bytes.end - 1) / stride);
        if first < last {
            return Path::of(format!("[{first}..{last}]"));
        }
        let start = first * stride;
        let inside = self.part(element, bytes.start - start..bytes.end - start, depth + 1);
        inside.after(&format!("[{first}]"))
    }

    /// Of the members that all of the bytes are in, the first that has them as a part of its own, or simply the first.
    fn member(&mut self, members: &[Member], bytes: &Range<u64>, depth: u32) -> Option<Path> {
        let mut first = None;
        for member in members.iter().filter(|member| is_in(bytes, member)) {
            let start = member.start / 8;
            let dot = if member.name.is_empty() { "" } else { "." };
            let inside = self.part(member.shape, bytes.start - start..bytes.end - start, depth + 1);
            let path = inside.after(&format!("{dot}{}", member.name));
            if path.is_exact {
                return Some(path);
            }
            first.get_or_insert(path);
        }
        first
    }
}

/// Whether a member has all of these bytes. Nothing is known of the end of an array without a length.
fn is_in(bytes: &Range<u64>, member: &Member) -> bool {
    let (start, end) = (bytes.start.saturating_mul(8), bytes.end.saturating_mul(8));
    let is_whole = member.start.is_multiple_of(8) && (member.bits.is_multiple_of(8) || member.bits == 0);
    is_whole && member.start <= start && (member.bits == 0 || end <= member.start.saturating_add(member.bits))
}

/// The members that some bytes have a part of: bit-fields, or several that are copied at once. `.ready|done`
fn covered(members: &[Member], bytes: &Range<u64>) -> String {
    let (start, end) = (bytes.start.saturating_mul(8), bytes.end.saturating_mul(8));
    let is_covered =
        |member: &&Member| member.start < end && member.start.saturating_add(member.bits) > start;
    let named = members.iter().filter(is_covered).filter(|member| !member.name.is_empty());
    let names: Vec<&str> = named.map(|member| &member.name[..]).collect();
    match names.len() {
        0 => offset(bytes.start),
        1..=MOST_NAMES => format!(".{}", names.join("|")),
        _ => format!(".{}|…", names[..MOST_NAMES].join("|")),
    }
}

/// `+8`
fn offset(bytes: u64) -> String {
    if bytes == 0 { String::new() } else { format!("+{bytes}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: ShapeId = ShapeId(0);
    const POINTER: ShapeId = ShapeId(1);
    const NODE: ShapeId = ShapeId(2);
    const NODES: ShapeId = ShapeId(3);
    const QUEUE: ShapeId = ShapeId(4);
    const BITS: ShapeId = ShapeId(5);
    const INTS: ShapeId = ShapeId(6);
    const WORDS: ShapeId = ShapeId(7);
    const MATRIX: ShapeId = ShapeId(8);
    const MESSAGE: ShapeId = ShapeId(9);

    fn member(name: &str, start: u64, size: u64, shape: ShapeId) -> Member {
        bits(name, 8 * start, 8 * size, shape)
    }

    fn bits(name: &str, start: u64, bits: u64, shape: ShapeId) -> Member {
        Member { name: name.into(), start, bits, shape }
    }

    fn module() -> Module {
        let shapes = vec![
            Shape::Scalar(4),
            Shape::Scalar(8),
            // struct node { struct node *next; int value; };
            Shape::Record {
                size: 16,
                members: vec![member("next", 0, 8, POINTER), member("value", 8, 4, INT)],
            },
            // struct node[4]
            Shape::Array { element: NODE, stride: 16, count: 4 },
            // struct queue { int size; struct node nodes[4]; union { long both; struct { int low, high; }; }; };
            Shape::Record {
                size: 80,
                members: vec![
                    member("size", 0, 4, INT),
                    member("nodes", 8, 64, NODES),
                    member("", 72, 8, ShapeId(11)),
                ],
            },
            // struct { unsigned ready : 1, done : 1, count : 6; int rest; }
            Shape::Record {
                size: 8,
                members: vec![
                    bits("ready", 0, 1, INT),
                    bits("done", 1, 1, INT),
                    bits("count", 2, 6, INT),
                    member("rest", 4, 4, INT),
                ],
            },
            // int[3], and int[2][3]
            Shape::Array { element: INT, stride: 4, count: 3 },
            Shape::Array { element: POINTER, stride: 8, count: 0 },
            Shape::Array { element: INTS, stride: 12, count: 2 },
            // struct { int length; long words[]; }
            Shape::Record {
                size: 8,
                members: vec![member("length", 0, 4, INT), member("words", 8, 0, WORDS)],
            },
            Shape::Record { size: 8, members: vec![member("low", 0, 4, INT), member("high", 4, 4, INT)] },
            Shape::Record {
                size: 8,
                members: vec![member("both", 0, 8, POINTER), member("", 0, 8, ShapeId(10))],
            },
        ];
        Module { shapes, ..Module::default() }
    }

    #[track_caller]
    fn check(shape: ShapeId, object_size: u64, cases: &[(u64, u64, &str)]) {
        for &(offset, size, path) in cases {
            assert_eq!(module().path(shape, object_size, offset, size), path, "{size} bytes at {offset}");
        }
    }

    #[test]
    fn a_path_leads_through_structs_in_arrays_in_structs() {
        check(
            QUEUE,
            80,
            &[
                (0, 4, ".size"),
                (8, 8, ".nodes[0].next"),
                (48, 4, ".nodes[2].value"),
                (4, 4, "+4"),
                (24, 16, ".nodes[1]"),
                (8, 32, ".nodes[0..1]"),
            ],
        );
    }

    #[test]
    fn of_a_union_the_member_that_is_as_large_as_the_access_is_named() {
        check(QUEUE, 80, &[(72, 8, ".both"), (72, 4, ".low"), (76, 4, ".high"), (77, 1, ".both+5")]);
    }

    #[test]
    fn a_pointer_is_to_the_largest_part_that_starts_there() {
        check(QUEUE, 80, &[(0, 0, ""), (8, 0, ".nodes"), (24, 0, ".nodes[1]"), (32, 0, ".nodes[1].value")]);
    }

    #[test]
    fn bit_fields_that_are_accessed_together_are_named_together() {
        check(
            BITS,
            8,
            &[(0, 1, ".ready|done|count"), (0, 5, ".ready|done|count|…"), (0, 8, ""), (4, 4, ".rest")],
        );
    }

    #[test]
    fn arrays_of_arrays_have_two_indices() {
        check(MATRIX, 24, &[(20, 4, "[1][2]"), (4, 8, "[0][1..2]"), (12, 0, "[1]")]);
    }

    #[test]
    fn a_heap_object_may_be_an_array_or_end_with_one() {
        check(NODE, 16, &[(8, 4, ".value")]);
        check(NODE, 48, &[(40, 4, "[2].value"), (32, 0, "[2]"), (0, 0, ""), (0, 8, "[0].next")]);
        check(MESSAGE, 24, &[(0, 4, ".length"), (16, 8, ".words[1]")]);
        check(INT, 12, &[(8, 4, "[2]")]);
        check(POINTER, 8, &[(0, 8, ""), (4, 4, "+4")]);
        // Not so many of them that they fill it.
        check(NODE, 20, &[(8, 4, ".value"), (16, 4, "+16")]);
    }

    #[test]
    fn shapes_that_are_made_up_have_some_path() {
        let twice = |shape| Shape::Record { size: 8, members: vec![member("a", 0, 8, shape); 2] };
        let shapes = (0..200).map(|id| twice(ShapeId(id - id.min(1)))).collect();
        let module = Module { shapes, ..Module::default() };
        assert!(module.path(ShapeId(199), 8, 1, 2).starts_with(".a.a.a"));
        assert_eq!(module.path(ShapeId(1000), 8, 4, 4), "+4");
    }
}
