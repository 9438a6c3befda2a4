// What the examples share: where they keep their files, and how they end.

import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ConnectionFailure, ServerError } from "../index.js";

/**
 * The path of a file that outlives the program: what a variable names, or one in the user's state
 * directory, never in the directory that the program is started from.
 */
export function kept(variable, name) {
  if (process.env[variable]) return process.env[variable];
  const state = process.env.XDG_STATE_HOME || join(homedir(), ".local", "state");
  const folder = join(state, "payqueued-examples");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, name);
}

/** Ends the program because it was not called like this. */
export function usage(words) {
  console.error(`usage: ${words}`);
  process.exit(3);
}

/** Prints what ends the program: 1 if the daemon refused, 2 if no answer came. */
export function fail(error) {
  const isKnown = error instanceof ConnectionFailure || error instanceof ServerError;
  if (!isKnown) throw error;
  console.error(error.message);
  process.exitCode = error instanceof ConnectionFailure ? 2 : 1;
}
