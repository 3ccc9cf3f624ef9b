//! The shapes of source types, from debug information: members and elements, for the paths that reports name.

use crate::ffi::Metadata;
use crate::source_types::{ARRAY, CLASS, INHERITANCE, MEMBER, STRUCT, UNION, strip};
use base::Place;
use std::collections::BTreeMap;
use vm::bytecode::{Member, ObjectInfo, Shape, ShapeId};

/// Types inside each other are not followed further: in a file that is made up, they may go round in circles.
const DEEPEST: u32 = 32;

fn is_of_system(ty: Metadata<'_>) -> bool {
    let place = |file: String| Place { file: file.into(), line: 0, column: 0 };
    ty.type_file().is_some_and(|file| place(file).is_system())
}

/// The shapes and the objects of a module, each of which is there once.
#[derive(Debug, Default)]
pub(crate) struct Shapes<'m> {
    shapes: Vec<Shape>,
    scalars: BTreeMap<u64, ShapeId>,
    known: BTreeMap<Metadata<'m>, ShapeId>,
    objects: BTreeMap<ObjectInfo, u32>,
}

impl<'m> Shapes<'m> {
    /// The shape of a type.
    pub(crate) fn shape(&mut self, ty: Metadata<'m>) -> Option<ShapeId> {
        self.inside(ty, 0)
    }

    /// The number of the object with this name and type, for sites.
    pub(crate) fn object(&mut self, name: String, ty: Option<Metadata<'m>>) -> u32 {
        let shape = ty.and_then(|ty| self.shape(ty));
        let next = self.objects.len() as u32;
        *self.objects.entry(ObjectInfo { name, shape }).or_insert(next)
    }

    /// The shapes, and the objects by number.
    pub(crate) fn finish(self) -> (Vec<Shape>, Vec<ObjectInfo>) {
        let mut objects: Vec<(u32, ObjectInfo)> =
            self.objects.into_iter().map(|(object, number)| (number, object)).collect();
        objects.sort_unstable();
        (self.shapes, objects.into_iter().map(|(_, object)| object).collect())
    }

    fn inside(&mut self, ty: Metadata<'m>, depth: u32) -> Option<ShapeId> {
        let ty = strip(ty).filter(|_| depth <= DEEPEST)?;
        if let Some(&shape) = self.known.get(&ty) {
            return Some(shape);
        }
        let size = ty.extent().1 / 8;
        let shape = match ty.tag() {
            // Nobody knows the members of `pthread_mutex_t` by name.
            STRUCT | UNION | CLASS if is_of_system(ty) => self.scalar(size),
            STRUCT | UNION | CLASS => {
                let members = ty.type_members().into_iter();
                let members = members.filter_map(|member| self.member(member, depth)).collect();
                self.add(Shape::Record { size, members })
            }
            ARRAY => self.array(ty, depth)?,
            _ => self.scalar(size),
        };
        self.known.insert(ty, shape);
        Some(shape)
    }

    fn add(&mut self, shape: Shape) -> ShapeId {
        self.shapes.push(shape);
        ShapeId(self.shapes.len() as u32 - 1)
    }

    fn scalar(&mut self, size: u64) -> ShapeId {
        if let Some(&shape) = self.scalars.get(&size) {
            return shape;
        }
        let shape = self.add(Shape::Scalar(size));
        self.scalars.insert(size, shape);
        shape
    }

    fn member(&mut self, member: Metadata<'m>, depth: u32) -> Option<Member> {
        let name = match member.tag() {
            MEMBER => member.type_name().unwrap_or_default(),
            INHERITANCE => String::new(),
            _ => return None,
        };
        let ty = member.base_type()?;
        let (start, bits) = member.extent();
        // Static members of classes have no place. An array without a length has one.
        if bits == 0 && strip(ty)?.tag() != ARRAY {
            return None;
        }
        Some(Member { name, start, bits, shape: self.inside(ty, depth + 1)? })
    }

    /// The type of an array of arrays is one array with several dimensions.
    fn array(&mut self, ty: Metadata<'m>, depth: u32) -> Option<ShapeId> {
        let mut element = self.inside(ty.base_type()?, depth + 1)?;
        let mut stride = strip(ty.base_type()?)?.extent().1 / 8;
        for count in ty.dimensions().into_iter().rev() {
            let count = count.unwrap_or(0);
            element = self.add(Shape::Array { element, stride, count });
            stride = stride.saturating_mul(count);
        }
        Some(element)
    }
}
