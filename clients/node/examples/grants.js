// What a publisher has granted: a line of JSON for each order, written before anybody is told.

import { appendFileSync, existsSync, readFileSync, truncateSync } from "node:fs";

/** A file of grants. The user is a text that the application made up; in JSON it cannot look like a
 * line of its own. */
export class Grants {
  #file;
  #orders;

  constructor(file) {
    this.#file = file;
    const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
    // A last line without an end was cut off by a crash: nobody was told of that grant.
    const end = bytes.lastIndexOf("\n") + 1;
    if (end < bytes.length) truncateSync(file, end);
    const lines = bytes.toString("utf8", 0, end).split("\n");
    this.#orders = new Set(lines.filter(Boolean).map((line) => JSON.parse(line).order));
  }

  /** Grants a purchase unless it was granted before; says whether it was new. */
  grant(purchase, user) {
    if (this.#orders.has(purchase.order_id)) return false;
    const entry = { order: purchase.order_id, user, product: purchase.product_id };
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`, { flush: true });
    this.#orders.add(purchase.order_id);
    return true;
  }
}
