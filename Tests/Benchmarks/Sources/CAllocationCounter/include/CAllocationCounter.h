#ifndef CALLOCATIONCOUNTER_H
#define CALLOCATIONCOUNTER_H

#include <stdint.h>

/// What the preloaded library counts, in a file that the benchmark maps too.
struct allocation_counts {
    uint64_t allocations;
    uint64_t bytes;
};

#endif
