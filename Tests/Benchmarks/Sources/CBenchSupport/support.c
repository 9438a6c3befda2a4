#define _GNU_SOURCE
#include "CBenchSupport.h"

#include <ftw.h>
#include <stdio.h>
#include <string.h>

ptrdiff_t bench_find(const void *bytes, size_t count, const void *text, size_t length) {
    const char *found = memmem(bytes, count, text, length);
    return found == NULL ? -1 : found - (const char *)bytes;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *at) {
    (void)status;
    (void)kind;
    (void)at;
    return remove(path);
}

void bench_remove_tree(const char *path) {
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
