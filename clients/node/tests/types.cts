// What a program writes that requires the library instead of importing it. Checked, never run.

import payqueued = require("../index.cjs");

const queue: payqueued.PaymentQueue = new payqueued.PaymentQueue({ name: "shop" });

export async function state(transaction: payqueued.Transaction): Promise<string> {
  const { disposition } = await queue.finish({ transaction: transaction.id });
  return payqueued.mayUnlock(transaction) ? disposition : transaction.transactionState;
}
