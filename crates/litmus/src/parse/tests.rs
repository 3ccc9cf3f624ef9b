//! What the parser makes of a text.

use super::*;
use crate::condition::{Atom, Operand, Proposition, Quantifier};
use crate::syntax::{Expression, ExpressionKind, InitValue, Statement, StatementKind};

fn test(init: &str, body: &str, rest: &str) -> Syntax {
    let text = format!("C t\n{{ {init} }}\nP0(atomic_int* x, int* y) {{ {body} }}\n{rest}");
    parse(&text).unwrap_or_else(|error| panic!("{error:?} in {text}"))
}

fn problem(text: &str) -> Problem {
    parse(text).expect_err("it is wrong").0
}

/// The expression with parentheses around every operator.
fn shape(expression: &Expression) -> String {
    match &expression.kind {
        ExpressionKind::Number(value, declared) => format!("{value}:{declared}"),
        ExpressionKind::Name(name) => name.clone(),
        ExpressionKind::Unary(unary, a) => format!("({unary:?} {})", shape(a)),
        ExpressionKind::Deref(a) => format!("(* {})", shape(a)),
        ExpressionKind::AddressOf(name) => format!("&{name}"),
        ExpressionKind::Binary(op, a, b) => format!("({} {op:?} {})", shape(a), shape(b)),
        ExpressionKind::Logical(op, a, b) => format!("({} {op:?}{op:?} {})", shape(a), shape(b)),
        ExpressionKind::Assign(a, b) => format!("({} = {})", shape(a), shape(b)),
        ExpressionKind::Update(op, a, b) => format!("({} {op:?}= {})", shape(a), shape(b)),
        ExpressionKind::PostUpdate(op, a, b) => format!("({} post{op:?} {})", shape(a), shape(b)),
        ExpressionKind::Cast(to, a) => format!("(({to}) {})", shape(a)),
        ExpressionKind::Call(name, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(shape).collect();
            format!("{name}({})", arguments.join(", "))
        }
    }
}

fn expression(text: &str) -> String {
    let syntax = test("", &format!("{text};"), "");
    match &syntax.processes[0].body[..] {
        [Statement { kind: StatementKind::Expression(expression), .. }] => shape(expression),
        other => panic!("{other:?}"),
    }
}

#[test]
fn operators_bind_as_in_c() {
    assert_eq!(expression("a = b = c + d * e"), "(a = (b = (c Add (d Mul e))))");
    assert_eq!(expression("a - b - c"), "((a Sub b) Sub c)");
    assert_eq!(
        expression("a | b ^ c & d == e < f << g"),
        "(a Or (b Xor (c And (d Equal (e Less (f Shl g))))))"
    );
    assert_eq!(expression("a || b && !c"), "(a OrOr (b AndAnd (Not c)))");
    assert_eq!(expression("*x++ + -*y"), "((* (x postAdd 1:int)) Add (Minus (* y)))");
    assert_eq!(expression("(*x) -= 2, 1".trim_end_matches(", 1")), "((* x) Sub= 2:int)");
    assert_eq!(expression("(int) a + (volatile int *) b"), "(((int) a) Add ((int*) b))");
    assert_eq!(expression("f(a, &b, g())"), "f(a, &b, g())");
}

#[test]
fn integer_constants_have_the_first_type_that_holds_them() {
    let types = ["1", "0x7fffffff", "0xffffffff", "2147483648", "1u", "1L", "010", "0xffffffffffffffff"];
    let found: Vec<String> = types.iter().map(|text| expression(text)).collect();
    let expected = [
        "1:int",
        "2147483647:int",
        "4294967295:unsigned",
        "2147483648:long",
        "1:unsigned",
        "1:long",
        "8:int",
        "18446744073709551615:unsigned long",
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_initial_state_has_all_of_herds_spellings() {
    let init = "x = 1; int y = -2; [z] = 0x10; int *p = &x; q = x; 0:r1 = 3; P0:r2 = y; _Atomic int w; \
                unsigned long l = 7; atomic_t a = ATOMIC_INIT(4)";
    let syntax = test(init, "", "");
    let show = |init: &crate::syntax::Init| {
        let declared = init.declared.as_ref().map(ToString::to_string).unwrap_or_default();
        let thread = init.target.thread.map(|thread| format!("{thread}:")).unwrap_or_default();
        let value = match &init.value {
            InitValue::Number(number) => number.to_string(),
            InitValue::Address(name) => format!("&{name}"),
        };
        format!("{declared} {thread}{}={value}", init.target.name)
    };
    let found: Vec<String> = syntax.init.iter().map(show).collect();
    let expected = [
        " x=1",
        "int y=-2",
        " z=16",
        "int* p=&x",
        " q=&x",
        " 0:r1=3",
        " 0:r2=&y",
        "atomic_int w=0",
        "unsigned long l=7",
        "atomic_int a=4",
    ];
    assert_eq!(found, expected);
}

#[test]
fn types_of_parameters_and_registers() {
    let text = "C t\n{}\nvoid P0(volatile int* a, atomic_int *b, _Atomic(int)* c, _Atomic int* d, int** e, \
                _Atomic(int*)* f, unsigned char* g, long long int *h, uint16_t* i, atomic_bool* j, _Bool* k) { \
                unsigned r0, *r1; int volatile r2 = 1; }";
    let syntax = parse(text).expect("a test");
    let process = &syntax.processes[0];
    let types: Vec<String> = process.parameters.iter().map(|found| found.declared.to_string()).collect();
    let expected = [
        "int*",
        "atomic_int*",
        "atomic_int*",
        "atomic_int*",
        "int**",
        "_Atomic(int*)*",
        "unsigned char*",
        "long*",
        "unsigned short*",
        "_Atomic(_Bool)*",
        "_Bool*",
    ];
    assert_eq!(types, expected);
    let StatementKind::Declare(registers) = &process.body[0].kind else { panic!("{:?}", process.body) };
    assert_eq!(
        [&registers[0], &registers[1]].map(|found| found.declared.to_string()),
        ["unsigned", "unsigned*"]
    );
}

#[test]
fn conditions_have_herds_precedence() {
    let syntax =
        test("", "", "locations [x; 0:r0 ;]\nfilter (true)\n~exists a=1 \\/ b=2 /\\ not c=3 => d<>x");
    assert_eq!((syntax.locations.len(), syntax.condition.quantifier), (2, Quantifier::NotExists));
    assert_eq!(syntax.filter, Some(Proposition::And(Vec::new())));
    let Proposition::Or(parts) = &syntax.condition.proposition else { panic!("{:?}", syntax.condition) };
    let [Proposition::Atom(Atom { operand: Operand::Number(1), .. }), Proposition::And(parts)] = &parts[..]
    else {
        panic!("{parts:?}")
    };
    let [_, Proposition::Implies(not, not_equal)] = &parts[..] else { panic!("{parts:?}") };
    assert!(matches!(**not, Proposition::Not(_)), "{not:?}");
    assert!(matches!(&**not_equal, Proposition::Not(atom) if matches!(**atom, Proposition::Atom(_))));
}

#[test]
fn a_test_without_a_condition_requires_nothing() {
    let syntax = test("", "", "");
    assert_eq!(syntax.condition.quantifier, Quantifier::Forall);
    assert_eq!(syntax.condition.proposition, Proposition::And(Vec::new()));
}

#[test]
fn titles_comments_and_keys_before_the_initial_state_are_skipped() {
    let text = "(* first *)\nC a+b.c-d/e[f]:g \"title { with brace\"\n(* { *)\n/* { */ // {\nKey=value here\n{}\n\
                P0() { /* c */ ; // d\n }";
    assert_eq!(parse(text).expect("a test").name, "a+b.c-d/e[f]:g");
}

#[test]
fn what_is_not_there_is_said() {
    assert!(matches!(problem("X86 t\n{}"), Problem::Architecture(_)));
    assert!(matches!(problem("C\n{}"), Problem::Header(_)));
    assert_eq!(problem("C t\nP0(int* x) { }"), Problem::NoInit);
    assert_eq!(problem("C t\n{}"), Problem::NoProcess);
    assert_eq!(problem("C t\n{}\nP0() {} P0() {}"), Problem::DuplicateProcess(0));
    assert_eq!(problem("C t\n{}\nP1() {}"), Problem::ProcessOrder { expected: 0, found: 1 });
    assert_eq!(problem("C t\n{}\nP0(int x) {}"), Problem::Parameter("int".into()));
}

/// Deep texts of every kind of recursion, and a long chain, which is a deep tree.
#[test]
fn depth_is_bounded_everywhere() {
    let (many, body) = (20_000, |body: String| format!("C t\n{{}}\nP0(int* x) {{ {body} }}"));
    let repeated = |text: &str| text.repeat(many);
    let texts = [
        body(repeated("{")) + &repeated("}"),
        body(repeated("if (1) ")),
        body(repeated("if (1) ; else ")),
        body(repeated("while (1) ")),
        body(repeated("do ")),
        body(repeated("for (;;) ")),
        body(format!("int r = {}1;", repeated("("))),
        body(format!("int r = {}1;", repeated("- "))),
        body(format!("int r = {}x;", repeated("*"))),
        body(format!("int r = {}1;", repeated("(int)"))),
        body(format!("int r = 1{};", repeated(" + 1"))),
        body(format!("int r = 1{};", repeated(" && 1"))),
        body(format!("int r; r{};", repeated(" = r"))),
        body(format!("int r; r{};", repeated("++"))),
        body(format!("int r = {}", repeated("f("))),
        body(repeated("_Atomic(")),
        format!("C t\n{{}}\nP0() {{ }} exists {}true", repeated("(")),
        format!("C t\n{{}}\nP0() {{ }} exists {}true", repeated("not ")),
        format!("C t\n{{}}\nP0() {{ }} exists true{}", repeated(" => true")),
    ];
    for text in texts {
        let found = problem(&text);
        let shown = &text[..80];
        assert!(matches!(found, Problem::TooDeep(_) | Problem::OpenBrace), "{found:?} in {shown}");
    }
    assert!(matches!(problem(&body(format!("int {}r;", repeated("*")))), Problem::TooMany { .. }));
}
