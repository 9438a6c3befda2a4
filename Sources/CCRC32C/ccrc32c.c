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

// The instruction takes three cycles, and a new one can begin in each. So three blocks that follow each
// other are digested at the same time. The sums of the first two then advance by the zero bytes that
// stand for the blocks behind them: shifted[0] by one block, shifted[1] by two.
#define BLOCK 1024
static uint32_t shifted[2][4][256];
static atomic_int shifted_ready;

__attribute__((target("sse4.2"))) static void fill_shifted(void) {
    uint32_t advanced[2][32];
    for (int bit = 0; bit < 32; bit++) {
        uint64_t crc = 1u << bit;
        for (int blocks = 0; blocks < 2; blocks++) {
            for (int word = 0; word < BLOCK / 8; word++) crc = __builtin_ia32_crc32di(crc, 0);
            advanced[blocks][bit] = (uint32_t)crc;
        }
    }
    for (int blocks = 0; blocks < 2; blocks++) {
        for (int place = 0; place < 4; place++) {
            for (int byte = 0; byte < 256; byte++) {
                uint32_t sum = 0;
                for (int bit = 0; bit < 8; bit++) {
                    if (byte >> bit & 1) sum ^= advanced[blocks][8 * place + bit];
                }
                __atomic_store_n(&shifted[blocks][place][byte], sum, __ATOMIC_RELAXED);
            }
        }
    }
    atomic_store_explicit(&shifted_ready, 1, memory_order_release);
}

static uint32_t advance(uint32_t crc, int blocks) {
    uint32_t sum = 0;
    for (int place = 0; place < 4; place++) {
        sum ^= __atomic_load_n(&shifted[blocks - 1][place][crc >> 8 * place & 0xFF], __ATOMIC_RELAXED);
    }
    return sum;
}

__attribute__((target("sse4.2"))) static uint64_t digest_word(uint64_t crc, const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    return __builtin_ia32_crc32di(crc, word);
}

__attribute__((target("sse4.2"))) static uint32_t ccrc32c_sse42(
    uint32_t seed, const void *bytes, size_t length
) {
    const uint8_t *next = bytes;
    uint64_t crc = ~seed;
    if (length >= 3 * BLOCK && !atomic_load_explicit(&shifted_ready, memory_order_acquire)) {
        fill_shifted();
    }
    for (; length >= 3 * BLOCK; next += 3 * BLOCK, length -= 3 * BLOCK) {
        uint64_t second = 0, third = 0;
        for (const uint8_t *at = next; at < next + BLOCK; at += 8) {
            crc = digest_word(crc, at);
            second = digest_word(second, at + BLOCK);
            third = digest_word(third, at + 2 * BLOCK);
        }
        crc = advance((uint32_t)crc, 2) ^ advance((uint32_t)second, 1) ^ third;
    }
    for (; length >= 8; next += 8, length -= 8) {
        crc = digest_word(crc, next);
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
