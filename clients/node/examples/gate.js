// Answers the question whether a purchase goes on in another country, up to a price:
// gate.js HIGHEST [--once].
//
// Plays: "A queued purchase that would now run in a different storefront is gated by the delegate so
// you can confirm or cancel it."

import { PaymentQueue, ServerError } from "../index.js";

const highest = Number(process.argv[2]);
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

await queue.delegate({ mode: "ask", timeout: 60, fallback: false });
// Subscribed before the list is asked for, so that none is missed in between.
const opened = await queue.subscribe({ kinds: ["questionOpened"], after: "now" }).open();
const waiting = (await queue.questions()).questions;
console.log("ready");
for (const question of waiting) await decide(question);
for await (const { params } of opened) {
  if (params.kind !== "questionOpened" || params.type !== "shouldContinue") continue;
  await decide(params);
  if (process.argv.includes("--once")) break;
}
await queue.close();
