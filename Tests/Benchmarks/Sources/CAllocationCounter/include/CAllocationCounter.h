#ifndef CALLOCATIONCOUNTER_H
#define CALLOCATIONCOUNTER_H

#include <stdint.h>

/// The counts of the preloaded library, in a file that the benchmark reads too.
struct allocation_counts {
    uint64_t allocations;
    uint64_t bytes;
};

#endif
