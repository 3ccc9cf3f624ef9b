//! The passes of LLVM that run: none of them removes or invents an access to memory that threads share.
//!
//! Inlining comes first, so that variables whose address is only passed down are seen whole. Then pointer variables
//! are promoted to registers, so that it can be seen which variables they point to; then the variables that may be
//! read before they are written or after their life are marked (`assigned`), and all others are promoted.
//! Never add instcombine, simplifycfg, early-cse, gvn, dse, adce, licm: each of them removes reads that race,
//! merges stores, or speculates loads.

use crate::assigned;
use crate::atomic;
use crate::ffi::Bitcode;

const INLINE: &str = "globaldce,always-inline,cgscc(inline)";
const PROMOTE_POINTERS: &str = "function(mem2reg)";
const PROMOTE: &str = "function(sroa<preserve-cfg>,mem2reg),globaldce";

/// Mark, inline and promote. The program starts with `entry`.
pub(crate) fn run(bitcode: &mut Bitcode, entry: &str) -> Result<(), String> {
    atomic::mark(bitcode);
    bitcode.run_passes(&format!("internalize<preserve-gv={entry}>,{INLINE}"))?;
    assigned::keep_all_but_pointers(bitcode);
    bitcode.run_passes(PROMOTE_POINTERS)?;
    bitcode.remove_calls(assigned::KEEP);
    assigned::keep_unassigned(bitcode);
    bitcode.run_passes(PROMOTE)
}
