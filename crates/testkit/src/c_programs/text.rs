//! A program as C: only what its threads mention is declared.

use super::statement::mentions;
use super::{CProgram, CThread, Record};

/// How many outcomes the complement has room for.
pub const ALLOWED: usize = 256;

const HEADER: &str = "\
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define AR memory_order_acq_rel
#define SC memory_order_seq_cst
#define SEE(value) (r = r * 5 + (unsigned)(value))
";

/// A shared variable, with what `main` does to it before it creates threads.
struct Variable {
    name: &'static str,
    declaration: &'static str,
    setup: &'static str,
}

/// In the order of their declaration. `N` in a set-up is the number of threads that mention the variable.
const VARIABLES: &[Variable] = &[
    Variable { name: "d0", declaration: "int d0;", setup: "" },
    Variable { name: "d1", declaration: "int d1;", setup: "" },
    Variable { name: "g0", declaration: "int g0;", setup: "" },
    Variable { name: "soon", declaration: "const struct timespec soon;", setup: "" },
    Variable { name: "m0", declaration: "pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER;", setup: "" },
    Variable { name: "m1", declaration: "pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER;", setup: "" },
    Variable {
        name: "q0",
        declaration: "pthread_mutex_t q0;",
        setup: "pthread_mutexattr_t kind; pthread_mutexattr_init(&kind);\n  \
                pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&q0, &kind);",
    },
    Variable { name: "c0", declaration: "pthread_cond_t c0 = PTHREAD_COND_INITIALIZER;", setup: "" },
    Variable { name: "w0", declaration: "pthread_rwlock_t w0 = PTHREAD_RWLOCK_INITIALIZER;", setup: "" },
    Variable { name: "s0", declaration: "sem_t s0;", setup: "sem_init(&s0, 0, PERMITS);" },
    Variable { name: "b0", declaration: "pthread_barrier_t b0;", setup: "pthread_barrier_init(&b0, 0, N);" },
    Variable {
        name: "o0",
        declaration: "pthread_once_t o0 = PTHREAD_ONCE_INIT;\nstatic void once(void) { d1++; }",
        setup: "",
    },
    Variable {
        name: "k0",
        declaration: "pthread_key_t k0;\nstatic void drop(void *value) { atomic_fetch_add_explicit(&x0, (int)(long)value, RLX); }",
        setup: "pthread_key_create(&k0, drop);",
    },
    Variable { name: "h0", declaration: "_Atomic(struct node *) h0;", setup: "FILL" },
    Variable {
        name: "rc",
        declaration: "struct node *shared;\natomic_int rc;",
        setup: "shared = node(1); atomic_init(&rc, N);",
    },
];

const NODE: &str = "\
struct node { _Atomic(struct node *) next; int value; };
static struct node *node(int value) {
  struct node *new = malloc(sizeof *new);
  atomic_init(&new->next, (struct node *)0); new->value = value;
  return new;
}
";

impl CProgram {
    /// The program, with an entry function for each order of creation in `orders`: a list of numbers of threads, copies counted.
    pub fn text(&self, orders: &[Vec<usize>]) -> String {
        let threads: String = (0..self.threads.len()).map(|thread| self.thread(thread)).collect();
        let mut text = HEADER.to_owned();
        text += &self.declarations(&threads);
        text += &threads;
        text +=
            &format!("const volatile int complement;\nconst volatile unsigned long allowed[{ALLOWED}];\n");
        text += &self.ending();
        for (number, order) in orders.iter().enumerate() {
            text += &self.entry(number, order, &threads);
        }
        text + &main(orders.len())
    }

    fn declarations(&self, threads: &str) -> String {
        let mut text = String::new();
        let used = self.used(threads);
        for (place, initial) in self.initial.iter().enumerate() {
            let name = format!("x{place}");
            if mentions(threads, &name) || (place == 0 && used.iter().any(|variable| variable.name == "k0")) {
                text += &format!("atomic_int {name} = {initial};\n");
            }
        }
        if used.iter().any(|variable| matches!(variable.name, "h0" | "rc")) {
            text += NODE;
        }
        if used.iter().any(|variable| variable.name == "o0") && !mentions(threads, "d1") {
            text += "int d1;\n";
        }
        used.iter().for_each(|variable| text += &format!("{}\n", variable.declaration));
        text
    }

    fn used(&self, threads: &str) -> Vec<&'static Variable> {
        VARIABLES.iter().filter(|variable| mentions(threads, variable.name)).collect()
    }

    /// How many threads mention the variable.
    fn users(&self, name: &str) -> usize {
        let uses = |thread: &&CThread| thread.statements.iter().any(|statement| statement.mentions(name));
        self.threads.iter().filter(uses).map(|thread| thread.copies).sum()
    }

    fn thread(&self, number: usize) -> String {
        let thread = &self.threads[number];
        let mut text = match self.record(thread) {
            Record::Slot => format!("unsigned out{number};\n"),
            Record::Tally => format!("atomic_ulong tally{number};\n"),
            Record::Return => String::new(),
        };
        text += &format!("static void *t{number}(void *_) {{\n  unsigned r = 0;\n");
        thread.statements.iter().for_each(|statement| statement.write(&mut text, 1));
        text += &match self.record(thread) {
            Record::Slot => format!("  out{number} = r;\n  return 0;\n}}\n"),
            Record::Tally => format!(
                "  atomic_fetch_add_explicit(&tally{number}, 1UL << r % 13 * 4, RLX);\n  return 0;\n}}\n"
            ),
            Record::Return => "  return (void *)(long)r;\n}\n".to_owned(),
        };
        text
    }

    fn record(&self, thread: &CThread) -> Record {
        if thread.copies > 1 && thread.record == Record::Slot { Record::Tally } else { thread.record }
    }

    /// From what was recorded to the outcome; `result` are the values that threads returned, by number.
    fn ending(&self) -> String {
        let mut text = "static unsigned long ending(void *result[]) {\n  unsigned long o = 0;\n".to_owned();
        let mut first = 0;
        for (number, thread) in self.threads.iter().enumerate() {
            let results = first..first + thread.copies;
            first = results.end;
            let seen = match self.record(thread) {
                Record::Slot => format!("out{number}"),
                Record::Tally => format!("tally{number}"),
                Record::Return if thread.copies == 1 => format!("(unsigned long)result[{}]", results.start),
                // Which one has returned what makes no difference.
                Record::Return => results
                    .map(|place| format!("(1UL << (unsigned long)result[{place}] % 13 * 4)"))
                    .collect::<Vec<_>>()
                    .join(" + "),
            };
            text += &format!("  o = (o ^ (o >> 29)) * 1000003 + ({seen});\n");
        }
        let threads: String = (0..self.threads.len()).map(|thread| self.thread(thread)).collect();
        for place in (0..self.initial.len()).filter(|place| mentions(&threads, &format!("x{place}"))) {
            text += &format!(
                "  o = o * 31 + (unsigned long)(unsigned char)atomic_load_explicit(&x{place}, RLX);\n"
            );
        }
        text += "  if (complement) {\n    int known = 0;\n";
        text += "    for (int i = 0; i < complement - 1; i++) known |= allowed[i] == o;\n";
        text + "    assert(known);\n  }\n  return o;\n}\n"
    }

    fn entry(&self, number: usize, order: &[usize], threads: &str) -> String {
        let mut text = format!("__attribute__((noinline)) unsigned long entry_{number}(void) {{\n");
        for variable in self.used(threads) {
            let setup = match variable.setup {
                "" => continue,
                "FILL" => self.fill(),
                setup => setup
                    .replace("PERMITS", &self.permits.to_string())
                    .replace("N)", &format!("{})", self.users(variable.name))),
            };
            text += &format!("  {setup}\n");
        }
        let functions: Vec<usize> =
            (0..self.threads.len()).flat_map(|t| std::iter::repeat_n(t, self.threads[t].copies)).collect();
        let count = functions.len();
        text += &format!("  pthread_t id[{count}]; void *result[{count}];\n");
        for &thread in order {
            text += &format!("  pthread_create(&id[{thread}], 0, t{}, 0);\n", functions[thread]);
        }
        for thread in 0..count {
            text += &format!("  pthread_join(id[{thread}], &result[{thread}]);\n");
        }
        text + "  return ending(result);\n}\n"
    }

    /// The nodes that are in the list at the start.
    fn fill(&self) -> String {
        let push = |value: usize| {
            format!(
                "{{ struct node *n = node({value}); atomic_init(&n->next, atomic_load_explicit(&h0, RLX)); atomic_init(&h0, n); }}"
            )
        };
        (1..=self.nodes).map(push).collect::<Vec<_>>().join("\n  ")
    }
}

/// `main` takes the first way unless it is told otherwise: all of them are used, so none is dropped.
fn main(entries: usize) -> String {
    let mut text = "int main(int arguments, char **_) {\n".to_owned();
    for entry in 1..entries {
        text += &format!("  if (arguments == {}) return (int)entry_{entry}();\n", entry + 1);
    }
    text + "  return (int)entry_0();\n}\n"
}
