//! The passes of LLVM that run: none of them removes or invents an access to memory that threads share.
//!
//! Coroutines become functions first, by LLVM's own passes: variables that live across a suspension become members of an object
//! on the heap, each access to them an access there. Without a coroutine these passes do nothing.
//!
//! Inlining comes next, so that variables whose address is only passed down are seen whole. Then pointer variables
//! are promoted to registers, so that it can be seen which variables they point to; then the variables that may be
//! read before they are written or after their life are marked (`assigned`), and all others are promoted.
//! Never add instcombine, simplifycfg, early-cse, gvn, dse, adce, licm: each of them removes reads that race,
//! merges stores, or speculates loads.

use crate::assigned;
use crate::atomic;
use crate::ffi::Bitcode;

const COROUTINES: &str = "coro-cond(coro-early,cgscc(coro-split),coro-cleanup)";
const INLINE: &str = "globaldce,always-inline,cgscc(inline)";
const PROMOTE_POINTERS: &str = "function(mem2reg)";
const PROMOTE: &str = "function(sroa<preserve-cfg>,mem2reg),globaldce";

/// Mark, split coroutines, inline and promote. The program starts with `entry`.
pub(crate) fn run(bitcode: &mut Bitcode, entry: &str) -> Result<(), String> {
    atomic::mark(bitcode);
    bitcode.run_passes(&format!("internalize<preserve-gv={entry}>,{COROUTINES},{INLINE}"))?;
    assigned::keep_all_but_pointers(bitcode);
    bitcode.run_passes(PROMOTE_POINTERS)?;
    bitcode.remove_calls(assigned::KEEP);
    assigned::keep_unassigned(bitcode);
    bitcode.run_passes(PROMOTE)
}
