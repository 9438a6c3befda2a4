// What a publisher has granted: a line of JSON for each order, written before the application is notified.

import {
  closeSync, existsSync, fstatSync, fsyncSync, openSync, readFileSync, readSync, writeFileSync,
} from "node:fs";

/** What a line grants; nothing if it was cut off: that grant was not reported. */
const order = (line) => {
  try {
    return JSON.parse(line).order;
  } catch {
    return undefined;
  }
};

/** A file of grants. The user is a text that the application made up; in JSON it cannot look like a
 * line of its own. */
export class Grants {
  #file;
  #orders;

  constructor(file) {
    this.#file = file;
    const lines = (existsSync(file) ? readFileSync(file, "utf8") : "").split("\n");
    this.#orders = new Set(lines.map(order).filter(Boolean));
  }

  /** Grants a purchase unless it was granted before; says whether it was new. */
  grant(purchase, user) {
    if (this.#orders.has(purchase.order_id)) return false;
    const entry = { order: purchase.order_id, user, product: purchase.product_id };
    const file = openSync(this.#file, "a+");
    try {
      // What a crash or a full disk left of a line is not to take this one along.
      const { size } = fstatSync(file);
      const last = Buffer.alloc(1);
      const isCut = size > 0 && readSync(file, last, 0, 1, size - 1) > 0 && last[0] !== 10;
      writeFileSync(file, `${isCut ? "\n" : ""}${JSON.stringify(entry)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    this.#orders.add(purchase.order_id);
    return true;
  }
}
