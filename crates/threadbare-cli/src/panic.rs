//! Our own bugs: said as such, with the exit status of an error and not the one of a violation.

use crate::{Status, leftovers, output};

/// From now on a panic in any thread ends the process.
pub(crate) fn install_hook() {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        default(info);
        output::log(
            "this is a bug in Threadbare, not in your program: please report it with the program, the command line \
             and the lines above",
        );
        leftovers::remove_all();
        std::process::exit(Status::Failed as i32);
    }));
}
