// The examples where nothing is as they wish, and what they unlock with several at it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const examples = fileURLToPath(new URL("../examples/", import.meta.url));

const loading = `
  const { hear, settle } = await import(${JSON.stringify(join(examples, "goods.js"))});
  const bought = (transactionIdentifier, more) => ({
    id: "t-" + transactionIdentifier, transactionIdentifier, transactionState: "purchased",
    payment: { product: { productIdentifier: "coins.100" } }, ...more,
  });`;

/** Unlocks orders of its own, each as the real programs do. */
const program = (name, more = "") => `${loading}
  for (let number = 0; number < 25; number += 1) settle(bought("${name}-" + number));
  ${more}`;

async function inFolder(body) {
  const folder = mkdtempSync(join(tmpdir(), "payqueued-"));
  try {
    await body(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function start(folder, words) {
  const env = {
    ...process.env, GOODS: join(folder, "goods.json"), KEYS: join(folder, "keys"),
    PAYQUEUED_SOCKET: "/nowhere/at/all",
  };
  const child = spawn(process.execPath, words, { env, stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (bytes) => (errors += bytes));
  const ended = new Promise((resolve) => {
    child.on("close", (status) => resolve({ status, errors }));
  });
  return { child, ended };
}

const unlocking = (folder, name, more) =>
  start(folder, ["--input-type=module", "-e", program(name, more)]);

const unlocked = (folder) =>
  Object.keys(JSON.parse(readFileSync(join(folder, "goods.json"), "utf8"))).length;

test("several programs at once lose no unlock", () =>
  inFolder(async (folder) => {
    const programs = ["a", "b", "c", "d"].map((name) => unlocking(folder, name).ended);
    for (const ended of await Promise.all(programs)) {
      assert.deepEqual(ended, { status: 0, errors: "" });
    }
    assert.equal(unlocked(folder), 100);
  }));

test("a program that was killed is in nobody's way", () =>
  inFolder(async (folder) => {
    const more =
      'console.log("on"); for (;;) for (const more of [{}, { revocation: {} }]) settle(bought("k", more));';
    const { child, ended } = unlocking(folder, "a", more);
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.kill("SIGKILL");
    await ended;
    assert.deepEqual(await unlocking(folder, "b").ended, { status: 0, errors: "" });
    assert.ok(unlocked(folder) >= 50);
  }));

test("what was refunded or begins later is not unlocked, and an order only once", () =>
  inFolder(async (folder) => {
    const steps = `${loading}
      settle(bought("a"));
      settle(bought("a", { id: "t-again", transactionState: "restored" }));
      settle(bought("a", { id: "t-owned", offer: "alreadyOwned" }));
      const revocation = { at: "2026-01-05T10:00:00.000Z", reason: "refund" };
      settle(bought("b", { revocation }));
      settle(bought("c", { transactionState: "restored", revocation }));
      settle(bought("d", { offer: "scheduled", effectiveAt: "2026-02-05T10:00:00.000Z" }));
      settle(bought("e", { transactionState: "failed" }));
      settle(bought("f", { offer: "introductory" }));
      settle(bought("g"));
      settle(bought("g", { revocation }));
      settle(bought("h"));
      hear({ method: "event", params: { kind: "entitlementsRevoked", orders: ["h", "i"] } });`;
    const { status, errors } = await start(folder, ["--input-type=module", "-e", steps]).ended;
    assert.deepEqual({ status, errors }, { status: 0, errors: "" });
    const goods = JSON.parse(readFileSync(join(folder, "goods.json"), "utf8"));
    assert.deepEqual(goods, { a: "coins.100", f: "coins.100" });
  }));

const lines = [
  [["observer.js"], 2, "cannot connect to '/nowhere/at/all': there is no such file"],
  [["gate.js", "5.00"], 2, "cannot connect to '/nowhere/at/all': there is no such file"],
  [["buy.js", "order-1", "coins.100"], 2,
    "cannot connect to '/nowhere/at/all': there is no such file"],
  [["gate.js"], 3, "usage: gate.js "],
  [["gate.js", "much"], 3, "usage: gate.js "],
  [["buy.js"], 3, "usage: buy.js "],
  [["buy.js", "order-1"], 3, "usage: buy.js "],
];
for (const [[name, ...words], expected, beginning] of lines) {
  test(`'${[name, ...words].join(" ")}' without a daemon ends with ${expected} and a line`, () =>
    inFolder(async (folder) => {
      const { status, errors } = await start(folder, [join(examples, name), ...words]).ended;
      assert.equal(status, expected, errors);
      assert.ok(errors.startsWith(beginning), errors);
      assert.equal(errors.split("\n").length, 2, errors);
    }));
}
