#ifndef CBENCHSUPPORT_H
#define CBENCHSUPPORT_H

// The Glibc module shows neither epoll nor GNU extensions; this header does.
#include <stddef.h>
#include <sys/epoll.h>

/// Where a text of `length` bytes begins within `count` bytes; -1 if it does not occur.
ptrdiff_t bench_find(const void *bytes, size_t count, const void *text, size_t length);

/// Removes a directory and everything in it; follows no link.
void bench_remove_tree(const char *path);

#endif
