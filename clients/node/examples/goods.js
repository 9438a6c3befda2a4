// What stands for the application in these examples: a file of unlocked products by order. Several
// programs may unlock at once, a worker and a purchase for example.

import { spawnSync } from "node:child_process";
import {
  closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { mayUnlock } from "../index.js";
import { kept } from "./program.js";

const path = kept("GOODS", "goods.json");

/**
 * Unlocks what may be unlocked and takes back what was refunded; on disk before this returns, because
 * `finish` comes next. Two transactions of one order are unlocked once.
 */
export function settle(transaction) {
  const { transactionIdentifier, payment, revocation } = transaction;
  if (mayUnlock(transaction)) write(transactionIdentifier, payment.product.productIdentifier);
  else if (revocation) write(transactionIdentifier, undefined);
}

/** Takes back what was refunded after it was finished. */
export function hear({ params }) {
  if (params.kind !== "entitlementsRevoked") return;
  for (const order of params.orders) write(order, undefined);
}

function write(order, product) {
  alone(() => {
    const goods = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
    if (goods[order] === product) return;
    goods[order] = product; // what is undefined is not written
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

/** A transaction in a few words: what was bought, for whom or by whom, and where it stands. */
export function describe(transaction) {
  const { payment, transactionState, by, waitingFor, offer, revocation, error } = transaction;
  const words = [payment.product.productIdentifier, transactionState];
  if (payment.appAccountToken) words.push(`for ${payment.appAccountToken}`);
  else if (by?.client) words.push(`by ${by.client}`);
  if (waitingFor) words.push(`waits for ${waitingFor}`);
  if (offer) words.push(offer);
  if (revocation) words.push("refunded");
  if (error) words.push(transaction.failureReason ?? Object.keys(error)[0]);
  return words.join(" ");
}
