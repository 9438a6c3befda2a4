// What a program in TypeScript writes. Checked, never run.

import {
  CursorFile, ErrorCode, KeyFile, LeftTheQueue, mayUnlock, NotConnected, PaymentQueue, ServerError,
  StillWaiting, version, type Transaction,
} from "../index.js";

const queue = new PaymentQueue({ socket: "./pay.sock", name: "shop" });

export async function buy(order: string): Promise<Transaction | undefined> {
  try {
    const bought = await queue.buyOnce(new KeyFile("keys.json"), order, "coins.100", {
      appAccountToken: "player-12",
    });
    const answer = await queue.finish({ transaction: bought.id });
    return answer.disposition === "completing" ? bought : undefined;
  } catch (error) {
    if (error instanceof StillWaiting) console.log(error.waitingFor?.length);
    if (error instanceof LeftTheQueue) console.log(error.reason.length);
    if (error instanceof NotConnected) console.log(error.cause?.code?.length);
    if (error instanceof ServerError && error.retry === "no") console.log(error.code.toFixed());
    throw error;
  }
}

export async function work(signal: AbortSignal): Promise<void> {
  await queue.observe(
    async (transaction) => {
      const state: string = transaction.transactionState;
      console.log(state, transaction.payment.product.price.value.toFixed(2));
      if (mayUnlock(transaction)) console.log(transaction.charged?.amount.length);
      console.log(transaction.revocation?.reason.length, transaction.effectiveAt?.length);
    },
    { signal, products: ["coins.100"], onEvent: ({ method }) => console.log(method) },
  );
}

export async function watch(): Promise<void> {
  for await (const { method, params } of queue.subscribe({
    cursor: new CursorFile("cursor.json"), passive: true, kinds: ["questionOpened"],
  })) {
    if (method === "event") console.log(params.seq.toFixed(), params.kind === "questionOpened");
    if (method === "ended") console.log(params.reason, params.last.toFixed());
  }
}

export async function look(): Promise<number> {
  const status = await queue.status();
  console.log(status.store.state, status.queue.byState.purchased.toFixed(), status.account?.length);
  const { questions } = await queue.questions();
  for (const { question, product } of questions) console.log(question, product?.price.amount);
  const { orders, next } = await queue.test("orders", { limit: 10 });
  console.log(next?.length, orders.map(({ order }) => order));
  await queue.test("set", { timeRate: { monthSeconds: 30 }, simulatedErrors: { login: null } });
  const { clock } = { clock: await queue.test("clock.get") };
  return Date.parse(clock.now);
}

const code: number = ErrorCode.unknownProduct;
console.log(code, version.length);

// @ts-expect-error A product is a text.
queue.add({ product: 7 });
// @ts-expect-error There is no such outcome.
queue.decide({ transaction: "t", outcome: "perhaps" });
// @ts-expect-error There is no such control.
queue.test("everything");
// @ts-expect-error A result has the members of the contract only.
queue.finish({ transaction: "t" }).then((answer) => answer.finished);
