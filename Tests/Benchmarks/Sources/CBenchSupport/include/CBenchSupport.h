#ifndef CBENCHSUPPORT_H
#define CBENCHSUPPORT_H

// The Glibc module shows neither epoll nor GNU extensions; this header does.
#include <stdbool.h>
#include <stddef.h>
#include <sys/epoll.h>

/// Whether a text of `length` bytes occurs within `count` bytes.
bool bench_contains(const void *bytes, size_t count, const void *text, size_t length);

/// Removes a directory and everything in it; follows no link.
void bench_remove_tree(const char *path);

#endif
