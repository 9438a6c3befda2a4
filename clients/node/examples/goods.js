// What stands for the application in these examples: a file of unlocked products. Several programs
// may unlock at once, a worker and a purchase for example.

import { spawnSync } from "node:child_process";
import {
  closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";

const path = process.env.GOODS ?? "goods.json";

/** Grants the product; on disk before this returns, because `finish` comes next. */
export function unlock(transaction) {
  alone(() => {
    const goods = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
    goods[transaction.id] = transaction.payment.product.productIdentifier;
    const aside = `${path}.${process.pid}.new`;
    const file = openSync(aside, "w");
    try {
      writeFileSync(file, JSON.stringify(goods));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(aside, path);
    const folder = openSync(dirname(resolve(path)), "r");
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  });
}

/**
 * Takes turns with others: what they add between reading and writing would be lost. Node cannot
 * lock files; flock (of util-linux) locks the one that it inherits, for as long as it is open here.
 * So the system gives the lock back when its holder is killed.
 */
function alone(work) {
  const lock = openSync(`${path}.lock`, "a", 0o600);
  try {
    const { error, status } = spawnSync("flock", ["3"], {
      stdio: ["ignore", "ignore", "inherit", lock],
    });
    if (error || status !== 0) throw error ?? new Error(`cannot lock '${path}.lock'`);
    work();
  } finally {
    closeSync(lock);
  }
}

/** A transaction in a few words. */
export function describe({ payment, transactionState, waitingFor, error, failureReason }) {
  const words = [payment.product.productIdentifier, transactionState];
  if (waitingFor) words.push(`waits for ${waitingFor}`);
  if (error) words.push(failureReason ?? Object.keys(error)[0]);
  return words.join(" ");
}
