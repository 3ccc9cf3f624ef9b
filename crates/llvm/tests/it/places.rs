//! Reports show the user's lines and the user's names.

use crate::common::{function, module, write};
use vm::bytecode::{Module, Op, ShapeId, SiteInfo};

fn sites<'a>(module: &'a Module, name: &str, wanted: impl Fn(&Op) -> bool) -> Vec<&'a SiteInfo> {
    let function = function(module, name);
    let code = function.code.iter().zip(&function.sites);
    code.filter(|(op, _)| wanted(op)).map(|(_, site)| &module.sites[site.0 as usize]).collect()
}

fn is_access(op: &Op) -> bool {
    matches!(op, Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } | Op::CompareExchange { .. })
}

/// The names of what `main` accesses.
fn names(declarations: &str, body: &str) -> Vec<String> {
    let source =
        format!("#include <stdatomic.h>\n{declarations}\nint main(int argc, char **argv) {{ {body} }}\n");
    let module = module(&source);
    sites(&module, "main", is_access).iter().map(|site| site.operand.to_string()).collect()
}

#[test]
fn an_inlined_helper_keeps_its_own_line() {
    let source = "int x;\nstatic int get(void) {\n  return x;\n}\nint main(void) {\n  return get();\n}\n";
    let module = module(source);
    let [site] = sites(&module, "main", is_access)[..] else { panic!("one access") };
    let place = site.place.as_ref().expect("a place");
    assert_eq!((place.line, place.column, &*site.function, &*site.operand), (3, 10, "get", "x"));
    assert!(place.file.ends_with("test.c"), "{place}");
}

/// The line of the call, and which function that is in.
fn callers(module: &Module, site: &SiteInfo) -> Vec<(u32, String)> {
    let caller = |site: &SiteInfo| site.caller.map(|site| module.sites[site.0 as usize].clone());
    let calls = std::iter::successors(caller(site), caller);
    calls.map(|call| (call.place.expect("a place").line, call.function.to_string())).collect()
}

#[test]
fn an_inlined_helper_knows_its_callers() {
    let source = "int x;\nstatic int get(void) {\n  return x;\n}\nstatic int twice(void) {\n  return get() + get();\n}\n\
                  int main(void) {\n  return twice();\n}\n";
    let module = module(source);
    let sites = sites(&module, "main", is_access);
    let expected = [(6, "twice".to_owned()), (9, "main".to_owned())];
    assert_eq!(sites.iter().map(|site| callers(&module, site)).collect::<Vec<_>>(), [&expected, &expected]);
    // To the exploration both are one instruction or two, as they are to the user.
    assert_eq!(sites[0].instruction(), sites[1].instruction());
}

/// The names of the objects that instructions of `main` make, each with the path to its fifth to eighth bytes.
fn objects(declarations: &str, body: &str) -> Vec<String> {
    let source = format!(
        "#include <stdlib.h>\nvoid *volatile keep;\n{declarations}\nint main(int argc, char **argv) {{ {body} }}\n"
    );
    let module = module(&source);
    let makes = |op: &Op| matches!(op, Op::Alloca { .. } | Op::Builtin { .. });
    let made = sites(&module, "main", makes).into_iter().filter_map(|site| site.object);
    let named = made.map(|object| &module.objects[object as usize]);
    let path = |shape: Option<ShapeId>| shape.map_or("?".to_owned(), |shape| module.path(shape, 16, 4, 4));
    named.map(|object| format!("{}{}", object.name, path(object.shape))).collect()
}

#[test]
fn objects_have_the_names_of_variables_and_types() {
    let node = "struct node { int value, count; struct node *next; }; struct node *head; int *numbers;";
    let objects = |body| objects(node, body);
    assert_eq!(objects("struct node n; keep = &n;"), ["n.count"]);
    assert_eq!(objects("int a[4]; keep = a;"), ["a[1]"]);
    assert_eq!(objects("struct node *n = malloc(16); n->next = n; keep = n;"), ["node.count"]);
    assert_eq!(objects("head = malloc(16);"), ["node.count"]);
    assert_eq!(objects("numbers = malloc(16);"), ["numbers[1]"]);
    let first =
        "struct list { int *items; } *list; list = malloc(16); list->items = malloc(16); keep = list;";
    assert_eq!(objects(first), ["list[0].items+4", "items[1]"]);
    assert_eq!(objects("void *p = malloc(16); keep = p;"), ["p?"]);
}

#[test]
fn globals_have_the_paths_of_their_types() {
    let source = "\
        typedef struct { unsigned ready : 1, done : 1; int rest; } bits;\n\
        struct queue { int size; bits states[3]; union { long both; struct { int low, high; }; }; int m[2][3]; };\n\
        struct queue q;\nint main(void) { return q.size; }\n";
    let module = module(source);
    let q = module.globals.iter().find(|global| global.name == "q").expect("it is there");
    let path = |offset, size| module.path(q.shape.expect("a shape"), q.bytes.len() as u64, offset, size);
    assert_eq!(path(0, 4), ".size");
    assert_eq!(path(12, 1), ".states[1].ready|done");
    assert_eq!(path(24, 4), ".states[2].rest");
    assert_eq!((path(32, 8), path(36, 4)), (".both".into(), ".high".into()));
    assert_eq!(path(60, 4), ".m[1][2]");
}

#[test]
fn code_of_a_system_header_is_at_the_line_that_calls_it() {
    let source = "#include <atomic>\nstd::atomic<int> x;\nint main() {\n  return x.load();\n}\n";
    let compiled = llvm::compile(&llvm::CompileRequest::new(write("x.cpp", source))).expect("compiles");
    let [site] = sites(&compiled.module, "main", is_access)[..] else { panic!("one access") };
    let place = site.place.as_ref().expect("a place");
    assert_eq!((place.line, &*site.function), (4, "main"));
    assert!(place.file.ends_with("x.cpp"), "{place}");
}

#[test]
fn names_of_globals_members_and_elements() {
    let declarations = "struct in { short x, y; }; struct s { char c; _Atomic int a; struct in in; int v[3]; struct s *next; } s, *p, arr[4]; _Atomic(struct s *) top; int grid[2][3]; int a[8]; _Thread_local int tl;";
    assert_eq!(
        names(declarations, "s.c = 1; s.a = 2; s.in.y = 3; s.v[2] = 4;"),
        ["s.c", "s.a", "s.in.y", "s.v[2]"]
    );
    assert_eq!(names(declarations, "p->next->a = 1;"), ["p", "p->next", "p->next->a"]);
    assert_eq!(names(declarations, "struct s *t = top; t->c = 1;"), ["top", "t->c"]);
    assert_eq!(names(declarations, "a[argc] = 1; arr[argc].in.x = 2;"), ["a[argc]", "arr[argc].in.x"]);
    assert_eq!(names(declarations, "int *q = &a[argc]; *q = 1; q[2] = 2;"), ["*q", "q[2]"]);
    assert_eq!(names(declarations, "tl = 1; a[3] = 2;"), ["tl", "a[3]"]);
}

#[test]
fn the_site_of_a_counted_loop_is_in_the_loop() {
    let source = "#include <stdatomic.h>\natomic_int x;\nint main(void) {\n  while (!x)\n    ;\n  for (int i = 0; i < 3; i++)\n    x = i;\n}\n";
    let module =
        crate::common::try_compile(source, |request| request.unroll = true).expect("compiles").module;
    let mut lines: Vec<u32> = sites(&module, "main", |op| matches!(op, Op::Unroll { .. }))
        .iter()
        .map(|site| site.place.as_ref().expect("a place").line)
        .collect();
    lines.sort();
    assert_eq!(lines, [4, 6]);
}

#[test]
fn globals_know_where_they_are_declared() {
    let module = module("int unused;\nstatic int x = 3;\nint main(void) { static int y; y++; return x; }\n");
    let globals: Vec<_> =
        module.globals.iter().map(|g| (g.name.as_str(), g.place.as_ref().map(|p| p.line))).collect();
    assert_eq!(globals, [("y", Some(3)), ("x", Some(2))]);
}
