// How the examples end: one line instead of a trace for what may happen to anybody.

import { ConnectionFailure, ServerError } from "../index.js";

/** Ends the program because it was not called like this. */
export function usage(words) {
  console.error(`usage: ${words}`);
  process.exit(3);
}

/** Says what ends the program: 1 if the daemon said no, 2 if no answer came. */
export function fail(error) {
  const isKnown = error instanceof ConnectionFailure || error instanceof ServerError;
  if (!isKnown) throw error;
  console.error(error.message);
  process.exitCode = error instanceof ConnectionFailure ? 2 : 1;
}
