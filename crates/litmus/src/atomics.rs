//! The functions of `<stdatomic.h>` and their memory orders.

use crate::error::Problem;
use base::{FenceOrder, Order, ReadOrder, RmwOrder, WriteOrder};
use vm::bytecode::RmwKind;

/// What a function does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Atomic {
    Load,
    Store,
    /// Exchanges and fetch-and-modify functions.
    Rmw(RmwKind),
    CompareExchange(Strength),
    Fence,
}

/// Whether a compare-exchange may fail for no reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Strength {
    Weak,
    Strong,
}

/// Whether a call names its orders, or is seq_cst.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Explicit,
    Short,
}

/// All of them, without `_explicit`.
const FUNCTIONS: [(&str, Atomic); 10] = [
    ("atomic_load", Atomic::Load),
    ("atomic_store", Atomic::Store),
    ("atomic_exchange", Atomic::Rmw(RmwKind::Exchange)),
    ("atomic_fetch_add", Atomic::Rmw(RmwKind::Add)),
    ("atomic_fetch_sub", Atomic::Rmw(RmwKind::Sub)),
    ("atomic_fetch_or", Atomic::Rmw(RmwKind::Or)),
    ("atomic_fetch_xor", Atomic::Rmw(RmwKind::Xor)),
    ("atomic_fetch_and", Atomic::Rmw(RmwKind::And)),
    ("atomic_compare_exchange_strong", Atomic::CompareExchange(Strength::Strong)),
    ("atomic_compare_exchange_weak", Atomic::CompareExchange(Strength::Weak)),
];

impl Atomic {
    /// The function of this name.
    pub(crate) fn find(name: &str) -> Result<(Atomic, Form), Problem> {
        match name {
            "atomic_thread_fence" => return Ok((Atomic::Fence, Form::Explicit)),
            // Herd's short names.
            "SCAS" => return Ok((Atomic::CompareExchange(Strength::Strong), Form::Short)),
            "WCAS" => return Ok((Atomic::CompareExchange(Strength::Weak), Form::Short)),
            "atomic_init" => {
                return Err(Problem::Unsupported(
                    "`atomic_init` is neither atomic nor ordered: give the value in the initial state `{ … }`"
                        .to_owned(),
                ));
            }
            _ => {}
        }
        let (short, form) = match name.strip_suffix("_explicit") {
            Some(short) => (short, Form::Explicit),
            None => (name, Form::Short),
        };
        let found = FUNCTIONS.iter().find(|(known, _)| *known == short);
        let unknown =
            || Problem::UnknownFunction { name: crate::parse::shortened(name), nearest: nearest(name) };
        found.map(|&(_, atomic)| (atomic, form)).ok_or_else(unknown)
    }

    /// How many arguments it takes.
    pub(crate) fn arguments(self, form: Form) -> usize {
        let (values, orders) = match self {
            Atomic::Load => (1, 1),
            Atomic::Store | Atomic::Rmw(_) => (2, 1),
            Atomic::CompareExchange(_) => (3, 2),
            Atomic::Fence => (0, 1),
        };
        match form {
            Form::Explicit => values + orders,
            Form::Short => values,
        }
    }
}

/// The function that was meant, perhaps.
fn nearest(name: &str) -> Option<String> {
    let names = FUNCTIONS.iter().flat_map(|(known, _)| [format!("{known}_explicit"), (*known).to_owned()]);
    let all = names.chain(["atomic_thread_fence".to_owned()]);
    let (distance, known) = all.map(|known| (distance(name, &known), known)).min()?;
    (distance <= 4).then_some(known)
}

/// How many letters must be changed, added or dropped; a name that is much longer is far away.
fn distance(a: &str, b: &str) -> usize {
    if a.len() > b.len() + 8 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// A memory order as written. `memory_order_consume` is read as acquire, as compilers do; the flag says so.
pub(crate) fn order(name: &str) -> Option<(Order, bool)> {
    Some(match name {
        "memory_order_relaxed" => (Order::Relaxed, false),
        "memory_order_consume" => (Order::Acquire, true),
        "memory_order_acquire" => (Order::Acquire, false),
        "memory_order_release" => (Order::Release, false),
        "memory_order_acq_rel" => (Order::AcqRel, false),
        "memory_order_seq_cst" => (Order::SeqCst, false),
        _ => return None,
    })
}

fn written(order: Order) -> &'static str {
    match order {
        Order::NotAtomic => "a plain access",
        Order::Relaxed => "memory_order_relaxed",
        Order::Acquire => "memory_order_acquire",
        Order::Release => "memory_order_release",
        Order::AcqRel => "memory_order_acq_rel",
        Order::SeqCst => "memory_order_seq_cst",
    }
}

/// The order of a load (C11 7.17.7.2).
pub(crate) fn read_order(order: Order, operation: &'static str) -> Result<ReadOrder, Problem> {
    match order {
        Order::NotAtomic => Ok(ReadOrder::NotAtomic),
        Order::Relaxed => Ok(ReadOrder::Relaxed),
        Order::Acquire => Ok(ReadOrder::Acquire),
        Order::SeqCst => Ok(ReadOrder::SeqCst),
        Order::Release | Order::AcqRel => Err(Problem::WrongOrder {
            order: written(order),
            operation,
            allowed: "memory_order_relaxed, memory_order_acquire or memory_order_seq_cst",
        }),
    }
}

/// The order of a store (C11 7.17.7.1).
pub(crate) fn write_order(order: Order) -> Result<WriteOrder, Problem> {
    match order {
        Order::NotAtomic => Ok(WriteOrder::NotAtomic),
        Order::Relaxed => Ok(WriteOrder::Relaxed),
        Order::Release => Ok(WriteOrder::Release),
        Order::SeqCst => Ok(WriteOrder::SeqCst),
        Order::Acquire | Order::AcqRel => Err(Problem::WrongOrder {
            order: written(order),
            operation: "a store",
            allowed: "memory_order_relaxed, memory_order_release or memory_order_seq_cst",
        }),
    }
}

/// The order of a read-modify-write: any.
pub(crate) fn rmw_order(order: Order) -> RmwOrder {
    match order {
        Order::NotAtomic | Order::Relaxed => RmwOrder::Relaxed,
        Order::Acquire => RmwOrder::Acquire,
        Order::Release => RmwOrder::Release,
        Order::AcqRel => RmwOrder::AcqRel,
        Order::SeqCst => RmwOrder::SeqCst,
    }
}

/// The order of a fence; `None`: a relaxed fence does nothing (C11 7.17.4.1).
pub(crate) fn fence_order(order: Order) -> Option<FenceOrder> {
    match order {
        Order::NotAtomic | Order::Relaxed => None,
        Order::Acquire => Some(FenceOrder::Acquire),
        Order::Release => Some(FenceOrder::Release),
        Order::AcqRel => Some(FenceOrder::AcqRel),
        Order::SeqCst => Some(FenceOrder::SeqCst),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_function_is_recognised() {
        assert_eq!(nearest("atomic_laod_explicit").as_deref(), Some("atomic_load_explicit"));
        assert_eq!(nearest("atomic_fetchadd").as_deref(), Some("atomic_fetch_add"));
        assert_eq!(nearest("printf"), None);
        assert_eq!(nearest(&"a".repeat(1000)), None);
    }

    #[test]
    fn every_function_takes_its_arguments() {
        let count = |name: &str| Atomic::find(name).map(|(atomic, form)| atomic.arguments(form)).ok();
        assert_eq!(count("atomic_load"), Some(1));
        assert_eq!(count("atomic_load_explicit"), Some(2));
        assert_eq!(count("atomic_compare_exchange_weak_explicit"), Some(5));
        assert_eq!(count("atomic_thread_fence"), Some(1));
        assert_eq!(count("atomic_init"), None);
    }
}
