/*
 * What C++ programs find in the object file itself, and in the C library about threads: there may always be more than one.
 */

void *const __dso_handle = 0;
const char __libc_single_threaded = 0;
