// What stands for the application in these examples: a file of unlocked products.

import { existsSync, fsyncSync, openSync, closeSync, readFileSync, renameSync, writeSync } from "node:fs";

const path = process.env.GOODS ?? "goods.json";

/** Grants the product; on disk before this returns, because `finish` comes next. */
export function unlock(transaction) {
  const goods = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  goods[transaction.id] = transaction.payment.product.productIdentifier;
  const file = openSync(`${path}.new`, "w");
  writeSync(file, JSON.stringify(goods));
  fsyncSync(file);
  closeSync(file);
  renameSync(`${path}.new`, path);
}

/** A transaction in a few words. */
export function describe({ payment, transactionState, waitingFor, error, failureReason }) {
  const words = [payment.product.productIdentifier, transactionState];
  if (waitingFor) words.push(`waits for ${waitingFor}`);
  if (error) words.push(failureReason ?? Object.keys(error)[0]);
  return words.join(" ");
}
