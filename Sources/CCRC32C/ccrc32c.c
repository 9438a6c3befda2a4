#include "ccrc32c.h"

#include <stdatomic.h>
#include <string.h>

// Slice-by-8: table[k][b] advances byte b by k further zero bytes, so that eight table reads
// digest eight bytes at once. Filled on first use; every thread would write the same numbers, and
// the flag is released only after they are all there.
static uint32_t table[8][256];
static atomic_int table_ready;

static void fill_table(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t remainder = byte;
        for (int bit = 0; bit < 8; bit++) {
            remainder = (remainder >> 1) ^ (0x82F63B78u & (0u - (remainder & 1u)));
        }
        __atomic_store_n(&table[0][byte], remainder, __ATOMIC_RELAXED);
    }
    for (int slice = 1; slice < 8; slice++) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t previous = __atomic_load_n(&table[slice - 1][byte], __ATOMIC_RELAXED);
            uint32_t low = __atomic_load_n(&table[0][previous & 0xFF], __ATOMIC_RELAXED);
            __atomic_store_n(&table[slice][byte], (previous >> 8) ^ low, __ATOMIC_RELAXED);
        }
    }
    atomic_store_explicit(&table_ready, 1, memory_order_release);
}

static uint32_t load_little_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16
        | (uint32_t)bytes[3] << 24;
}

uint32_t ccrc32c_portable(uint32_t seed, const void *bytes, size_t length) {
    if (!atomic_load_explicit(&table_ready, memory_order_acquire)) fill_table();
    const uint8_t *next = bytes;
    uint32_t crc = ~seed;
    for (; length >= 8; next += 8, length -= 8) {
        uint32_t low = crc ^ load_little_endian(next);
        uint32_t high = load_little_endian(next + 4);
        crc = table[7][low & 0xFF] ^ table[6][low >> 8 & 0xFF] ^ table[5][low >> 16 & 0xFF]
            ^ table[4][low >> 24] ^ table[3][high & 0xFF] ^ table[2][high >> 8 & 0xFF]
            ^ table[1][high >> 16 & 0xFF] ^ table[0][high >> 24];
    }
    for (; length > 0; next++, length--) {
        crc = crc >> 8 ^ table[0][(crc ^ *next) & 0xFF];
    }
    return ~crc;
}

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) static uint32_t ccrc32c_sse42(
    uint32_t seed, const void *bytes, size_t length
) {
    const uint8_t *next = bytes;
    uint64_t crc = ~seed;
    for (; length >= 8; next += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        crc = __builtin_ia32_crc32di(crc, word);
    }
    uint32_t narrow = (uint32_t)crc;
    for (; length > 0; next++, length--) {
        narrow = __builtin_ia32_crc32qi(narrow, *next);
    }
    return ~narrow;
}

int ccrc32c_is_accelerated(void) {
    return __builtin_cpu_supports("sse4.2") != 0;
}

uint32_t ccrc32c(uint32_t seed, const void *bytes, size_t length) {
    if (ccrc32c_is_accelerated()) return ccrc32c_sse42(seed, bytes, length);
    return ccrc32c_portable(seed, bytes, length);
}

#else

int ccrc32c_is_accelerated(void) {
    return 0;
}

uint32_t ccrc32c(uint32_t seed, const void *bytes, size_t length) {
    return ccrc32c_portable(seed, bytes, length);
}

#endif
