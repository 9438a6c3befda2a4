// Buys a product once, whatever crashes in between: buy.js ORDER PRODUCT [TOKEN]. Run it again with
// the same ORDER: nothing is paid twice.
//
// Plays: "A purchase is initiated by adding a payment to the payment queue."

import {
  ConnectionFailure, KeyFile, LeftTheQueue, PaymentQueue, StillWaiting,
} from "../index.js";
import { describe, settle } from "./goods.js";
import { fail, kept, usage } from "./program.js";

const [order, product, appAccountToken] = process.argv.slice(2);
if (product === undefined) usage("buy.js ORDER PRODUCT [TOKEN]");
const queue = new PaymentQueue({ name: "buy" });
try {
  const keys = new KeyFile(kept("KEYS", "keys.json"));
  const bought = await queue.buyOnce(keys, order, product, { appAccountToken });
  console.log(`${order}: ${describe(bought)}`);
  settle(bought);
  if (bought.transactionState !== "purchased" || bought.revocation) process.exitCode = 1;
  console.log("finish:", (await queue.finish({ transaction: bought.id })).disposition);
} catch (error) {
  // Whether it is bought is not known then; the same ORDER tells.
  if (error instanceof ConnectionFailure) fail(error);
  else {
    console.log(error.message);
    if (error instanceof StillWaiting) process.exitCode = 4;
    else if (!(error instanceof LeftTheQueue && error.reason === "finished")) process.exitCode = 1;
  }
} finally {
  await queue.close();
}
