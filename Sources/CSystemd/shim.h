#pragma once

// What the service manager and the journal offer to a daemon. The printf-style and macro forms of
// these headers are invisible to Swift; the plain functions are what the Systemd target calls.
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

// The C library declares it for _GNU_SOURCE only, which Swift's view of that library does not define.
extern int memfd_create(const char *name, unsigned int flags);

// Takes a varying number of arguments there, which Swift cannot call. This one needs no more.
#include <sys/prctl.h>
static inline int payqueue_set_dumpable(unsigned long value) { return prctl(PR_SET_DUMPABLE, value, 0UL, 0UL, 0UL); }

// Swift's view of the C library leaves the header out.
#include <malloc.h>
static inline int payqueue_map_pieces_from(int bytes) { return mallopt(M_MMAP_THRESHOLD, bytes); }

// The C library declares it, and the structure that it hands out, for _GNU_SOURCE only. The members that
// all versions have come first (dl_iterate_phdr(3)).
#include <link.h>
struct payqueue_loaded_object { ElfW(Addr) address; const char *name; const ElfW(Phdr) *headers; ElfW(Half) count; };
extern int payqueue_each_loaded_object(
    int (*body)(const struct payqueue_loaded_object *, size_t, void *), void *data) __asm__("dl_iterate_phdr");
