#ifndef CCRC32C_H
#define CCRC32C_H

#include <stddef.h>
#include <stdint.h>

/// CRC-32C (Castagnoli) of `length` bytes, continuing from `seed`.
///
/// `ccrc32c(ccrc32c(0, a), b)` is the checksum of `a` followed by `b`. Uses the processor's own
/// instruction where it has one.
uint32_t ccrc32c(uint32_t seed, const void *bytes, size_t length);

/// The same checksum from tables alone, for processors without the instruction and for tests.
uint32_t ccrc32c_portable(uint32_t seed, const void *bytes, size_t length);

/// Whether `ccrc32c` uses the processor's own instruction here.
int ccrc32c_is_accelerated(void);

#endif
