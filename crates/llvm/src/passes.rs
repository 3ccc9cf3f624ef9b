//! The passes of LLVM that run: none of them removes or invents an access to memory that threads share.
//!
//! Inlining comes first, so that variables whose address is only passed down are seen whole; then the variables
//! that may be read before they are written are marked (`assigned`), and all others are promoted to registers.
//! Never add instcombine, simplifycfg, early-cse, gvn, dse, adce, licm: each of them removes reads that race,
//! merges stores, or speculates loads.

use crate::assigned;
use crate::ffi::Bitcode;

const INLINE: &str = "internalize<preserve-gv=main>,globaldce,always-inline,cgscc(inline)";
const PROMOTE: &str = "function(sroa<preserve-cfg>,mem2reg),globaldce";

/// Inline and promote.
pub(crate) fn run(bitcode: &mut Bitcode) -> Result<(), String> {
    bitcode.run_passes(INLINE)?;
    assigned::keep_unassigned(bitcode);
    bitcode.run_passes(PROMOTE)
}
