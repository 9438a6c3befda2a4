"use strict";

const { existsSync } = require("node:fs");
const { join } = require("node:path");

/** The socket to use: the one named, `$PAYQUEUED_SOCKET`, the user's own, the system's. */
function socketPath(named, environment = process.env) {
  if (named) return named;
  if (environment.PAYQUEUED_SOCKET) return environment.PAYQUEUED_SOCKET;
  if (environment.XDG_RUNTIME_DIR) {
    const own = join(environment.XDG_RUNTIME_DIR, "payqueued", "payqueued.sock");
    if (existsSync(own)) return own;
  }
  return "/run/payqueued/payqueued.sock";
}

module.exports = { socketPath };
