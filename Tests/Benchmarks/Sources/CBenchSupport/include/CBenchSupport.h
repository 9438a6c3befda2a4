#ifndef CBENCHSUPPORT_H
#define CBENCHSUPPORT_H

// The Glibc module shows neither epoll nor GNU extensions; this header does.
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>

/// Where a text of `length` bytes begins within `count` bytes; -1 if it does not occur.
ptrdiff_t bench_find(const void *bytes, size_t count, const void *text, size_t length);

/// How often a byte occurs within `count` bytes.
ptrdiff_t bench_count(const void *bytes, size_t count, uint8_t byte);

/// The CRC-32C of `count` bytes, continued from `crc`, which is 0 at first: eight bytes at a time with the
/// instruction of SSE4.2, and by table where the processor has none.
uint32_t bench_crc32c(uint32_t crc, const void *bytes, size_t count);

/// The same with one table lookup for each byte.
uint32_t bench_crc32c_by_table(uint32_t crc, const void *bytes, size_t count);

/// Removes a directory and everything in it; follows no link. Returns the number of entries that are left.
int bench_remove_tree(const char *path);

#endif
