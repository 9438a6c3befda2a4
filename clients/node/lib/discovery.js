import { existsSync } from "node:fs";
import { join } from "node:path";

/** The socket to use: the one named, `$PAYQUEUED_SOCKET`, the user's own, the system's. */
export function socketPath(named, environment = process.env) {
  if (named) return named;
  if (environment.PAYQUEUED_SOCKET) return environment.PAYQUEUED_SOCKET;
  if (environment.XDG_RUNTIME_DIR) {
    const own = join(environment.XDG_RUNTIME_DIR, "payqueued", "payqueued.sock");
    if (existsSync(own)) return own;
  }
  return "/run/payqueued/payqueued.sock";
}
