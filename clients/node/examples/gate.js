// Answers the question whether a purchase continues in another country, up to a price:
// gate.js HIGHEST [--once].
//
// Plays: "A queued purchase that would now run in a different storefront is gated by the delegate so
// you can confirm or cancel it."

import { PaymentQueue, ServerError } from "../index.js";
import { fail, usage } from "./program.js";

if (!/^[0-9]+(\.[0-9]+)?$/.test(process.argv[2] ?? "")) {
  usage("gate.js HIGHEST [--once], where HIGHEST is an amount such as 5.00");
}
const highest = Number(process.argv[2]);
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stop.abort());

const queue = new PaymentQueue({ name: "gate" });

async function decide(question) {
  let product = question.product;
  if (!product && question.transaction) {
    const { transactions } = await queue.transactions({ ids: [question.transaction] });
    product = transactions[0]?.payment.product;
  }
  const amount = Number(product?.price.amount ?? Infinity);
  try {
    await queue.answer({ question: question.question, value: amount <= highest });
    console.log(question.type, amount, amount <= highest ? "yes" : "no");
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    console.log(error.message);
  }
}

/** Answers what is open and what comes; with --once only until the first that came. */
async function answerAll() {
  // Subscribed before the list is asked for, so that none is missed in between.
  const opened = await queue
    .subscribe({ kinds: ["questionOpened"], after: "now", signal: stop.signal }).open();
  const waiting = (await queue.questions()).questions;
  console.log("ready");
  for (const question of waiting) await decide(question);
  for await (const { params } of opened) {
    if (params.kind !== "questionOpened" || params.type !== "shouldContinue") continue;
    await decide(params);
    if (process.argv.includes("--once")) return;
  }
}

try {
  // The policy is one for the whole queue and outlives this program: without anybody to answer each
  // question would wait for its time to run out. So it is put back at the end, as far as there is
  // one: a gate that was killed leaves "ask" behind, and so does the last of several.
  const { mode, timeout, fallback } = await queue.delegate();
  try {
    await queue.delegate({ mode: "ask", timeout: 60, fallback: false });
    await answerAll();
  } finally {
    await queue.delegate({ mode, timeout, fallback });
  }
} catch (error) {
  fail(error);
} finally {
  await queue.close();
}
