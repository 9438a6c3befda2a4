#define _GNU_SOURCE
#include "CBenchSupport.h"

#include <ftw.h>
#include <stdio.h>
#include <string.h>

ptrdiff_t bench_find(const void *bytes, size_t count, const void *text, size_t length) {
    const char *found = memmem(bytes, count, text, length);
    return found == NULL ? -1 : found - (const char *)bytes;
}

ptrdiff_t bench_count(const void *bytes, size_t count, uint8_t byte) {
    const uint8_t *each = bytes;
    ptrdiff_t found = 0;
    for (size_t index = 0; index < count; index++) found += each[index] == byte;
    return found;
}

uint32_t bench_crc32c_by_table(uint32_t crc, const void *bytes, size_t count) {
    static uint32_t table[256];
    if (table[1] == 0) {
        for (uint32_t value = 0; value < 256; value++) {
            uint32_t entry = value;
            for (int bit = 0; bit < 8; bit++) entry = (entry >> 1) ^ (entry & 1 ? 0x82F63B78u : 0);
            table[value] = entry;
        }
    }
    const uint8_t *each = bytes;
    crc = ~crc;
    for (size_t index = 0; index < count; index++) crc = (crc >> 8) ^ table[(crc ^ each[index]) & 0xFF];
    return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc32c_by_instruction(
    uint32_t crc, const uint8_t *each, size_t count) {
    uint64_t wide = ~crc;
    for (; count >= 8; count -= 8, each += 8) {
        uint64_t word;
        memcpy(&word, each, 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    uint32_t narrow = (uint32_t)wide;
    for (; count > 0; count--, each++) narrow = __builtin_ia32_crc32qi(narrow, *each);
    return ~narrow;
}

uint32_t bench_crc32c(uint32_t crc, const void *bytes, size_t count) {
    if (__builtin_cpu_supports("sse4.2")) return crc32c_by_instruction(crc, bytes, count);
    return bench_crc32c_by_table(crc, bytes, count);
}
#else
uint32_t bench_crc32c(uint32_t crc, const void *bytes, size_t count) {
    return bench_crc32c_by_table(crc, bytes, count);
}
#endif

/// The entries that the running `bench_remove_tree` of this thread could not remove.
static _Thread_local int kept;

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *at) {
    (void)status;
    (void)kind;
    (void)at;
    if (remove(path) != 0) kept++;
    // Anything else would end the walk, and the rest would stay.
    return 0;
}

int bench_remove_tree(const char *path) {
    kept = 0;
    return nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0 ? kept : kept + 1;
}
