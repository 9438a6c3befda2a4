#ifndef CFILESYSTEM_H
#define CFILESYSTEM_H

#include <stdint.h>

/// The type from `fstatfs(2)`; Swift's own C library modules leave that call out.
struct cfilesystem_info {
    /// The kind of file system, by the magic numbers of `statfs(2)`.
    uint64_t magic;
    /// Bytes that an unprivileged process may still write.
    uint64_t free_bytes;
    /// All files that the file system has room for; 0 if it has no such limit.
    uint64_t files;
    /// Files that may still be made.
    uint64_t free_files;
};

/// Asks about the file system of an open descriptor.
///
/// Returns 0, or -1 with `errno` set.
int cfilesystem_examine(int descriptor, struct cfilesystem_info *info);

/// Extends an open file by a range behind its end and takes the blocks for it, without writing them.
///
/// Returns 0, or -1 with `errno` set; `EOPNOTSUPP` where the file system cannot do that.
int cfilesystem_allocate(int descriptor, int64_t offset, int64_t length);

/// The greatest length in bytes to which this process may write a file; `INT64_MAX` without a limit.
///
/// In C, because the types of `getrlimit(2)` differ between the C libraries.
int64_t cfilesystem_longest_file(void);

#endif
