#pragma once

// What the service manager and the journal offer to a daemon. The printf-style and macro forms of
// these headers are invisible to Swift; the plain functions are what the Systemd target calls.
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

// The C library declares it for _GNU_SOURCE only, which Swift's view of that library does not define.
extern int memfd_create(const char *name, unsigned int flags);
