// Unlocks what was bought and finishes it, until Ctrl-C.
//
// Plays: "Treat every transaction your observer delivers the same way: act on its state and finish
// it."

import { PaymentQueue } from "../index.js";
import { describe, hear, settle } from "./goods.js";
import { fail } from "./program.js";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stop.abort());

const queue = new PaymentQueue({ name: "observer" });
try {
  await queue.observe(
    (transaction) => {
      settle(transaction);
      console.log("handled", describe(transaction));
    },
    {
      signal: stop.signal,
      onEvent: (notification) => {
        const { method, params } = notification;
        hear(notification);
        if (method === "caughtUp") console.log("ready");
        if (params.kind === "transactionsRemoved") {
          for (const transaction of params.transactions) console.log("removed", transaction.id);
        }
      },
    },
  );
} catch (error) {
  fail(error);
} finally {
  await queue.close();
}
