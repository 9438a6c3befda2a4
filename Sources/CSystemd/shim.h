#pragma once

// The functions of libsystemd that the Systemd target calls, as its manual pages give them, from
// sd_notify(3) to sd_journal_sendv(3). They never change: a build needs the library that every Debian
// has, and no package with its headers.
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>
#define SD_LISTEN_FDS_START 3
extern int sd_notify(int unset_environment, const char *state);
extern int sd_pid_notify_with_fds(
    pid_t pid, int unset_environment, const char *state, const int *fds, unsigned n_fds);
extern int sd_notify_barrier(int unset_environment, uint64_t timeout);
extern int sd_listen_fds_with_names(int unset_environment, char ***names);
extern int sd_is_socket_unix(int fd, int type, int listening, const char *path, size_t length);
extern int sd_watchdog_enabled(int unset_environment, uint64_t *usec);
extern int sd_journal_sendv(const struct iovec *iov, int n);

// The C library declares it for _GNU_SOURCE only, which Swift's view of that library does not define.
extern int memfd_create(const char *name, unsigned int flags);

// Takes a varying number of arguments there, which Swift cannot call. This one needs no more.
#include <sys/prctl.h>
static inline int payqueue_set_dumpable(unsigned long value) { return prctl(PR_SET_DUMPABLE, value, 0UL, 0UL, 0UL); }

// Swift's view of the C library leaves the header out.
#include <malloc.h>
static inline int payqueue_map_pieces_from(int bytes) { return mallopt(M_MMAP_THRESHOLD, bytes); }
static inline int payqueue_release_free_memory(void) { return malloc_trim(0); }

// The C library declares it, and the structure that it hands out, for _GNU_SOURCE only. The members that
// all versions have come first (dl_iterate_phdr(3)).
#include <link.h>
struct payqueue_loaded_object { ElfW(Addr) address; const char *name; const ElfW(Phdr) *headers; ElfW(Half) count; };
extern int payqueue_each_loaded_object(
    int (*body)(const struct payqueue_loaded_object *, size_t, void *), void *data) __asm__("dl_iterate_phdr");
