#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include "cfilesystem.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/vfs.h>

int cfilesystem_allocate(int descriptor, int64_t offset, int64_t length) {
    return fallocate(descriptor, 0, offset, length);
}

int64_t cfilesystem_longest_file(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0) return INT64_MAX;
    return limit.rlim_cur > INT64_MAX ? INT64_MAX : (int64_t)limit.rlim_cur;
}

int cfilesystem_examine(int descriptor, struct cfilesystem_info *info) {
    struct statfs answer;
    if (fstatfs(descriptor, &answer) != 0) return -1;
    uint64_t block = (uint64_t)answer.f_bsize;
    uint64_t blocks = (uint64_t)answer.f_bavail;
    // The magic numbers have 32 bits; on some platforms the field is signed and longer.
    info->magic = (uint32_t)answer.f_type;
    info->free_bytes = block != 0 && blocks > UINT64_MAX / block ? UINT64_MAX : block * blocks;
    info->files = (uint64_t)answer.f_files;
    info->free_files = (uint64_t)answer.f_ffree;
    return 0;
}
