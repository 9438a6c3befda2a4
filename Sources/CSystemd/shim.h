#pragma once

// What the service manager and the journal offer to a daemon. The printf-style and macro forms of
// these headers are invisible to Swift; the plain functions are what the Systemd target calls.
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
