import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  CallTimedOut, ClientClosed, ConnectionLost, CursorFile, KeyFile, NotConnected, PaymentQueue,
  ServerError, socketPath,
} from "../index.js";
import { opened, transaction, withServer } from "./server.js";

test("a lost answer is asked for again with the same key", () =>
  withServer(
    (connection, request, count) => {
      if (count === 1) connection.socket.destroy();
      else connection.reply(request, { transaction: "t", state: "purchasing" });
    },
    async ({ path, asked }) => {
      const queue = new PaymentQueue({ socket: path });
      assert.equal((await queue.add({ product: "coins.100" })).transaction, "t");
      assert.ok(asked[0].params.key);
      assert.deepEqual(asked[0].params, asked[1].params);
      await queue.close();
    },
  ));

test("what may not be repeated is not", () =>
  withServer(
    (connection) => connection.socket.destroy(),
    async ({ path, asked }) => {
      const queue = new PaymentQueue({ socket: path });
      const call = queue.decide({ transaction: "t", outcome: "approve" });
      await assert.rejects(call, ConnectionLost);
      assert.equal(asked.length, 1);
    },
  ));

test("processes that share a key file lose no key", () =>
  withServer(() => {}, async ({ file }) => {
    const path = file("keys");
    const program = `const { KeyFile } = await import(process.argv[1]);
      process.stdout.write(new KeyFile(process.argv[2]).key(process.argv[3]));`;
    const library = new URL("../index.js", import.meta.url).href;
    const keys = await Promise.all([0, 0, 1, 2, 3, 4].map((number) => new Promise((done, fail) =>
      execFile(process.execPath, ["--input-type=module", "-e", program, library, path, `order-${number}`],
        (error, output) => error ? fail(error) : done([`order-${number}`, output])))));
    for (const [intent, key] of keys) assert.equal(new KeyFile(path).key(intent), key);
  }));

test("an error keeps all that came", () =>
  withServer(
    (connection, request) =>
      connection.refuse(request, 1102, { kind: "keyReuse", retry: "no", effect: "none", x: 1 }),
    async ({ path }) => {
      const queue = new PaymentQueue({ socket: path });
      const error = await queue.add({ product: "p" }).catch((caught) => caught);
      assert.ok(error instanceof ServerError);
      assert.deepEqual([error.code, error.kind, error.retry, error.effect, error.data.x],
        [1102, "keyReuse", "no", "none", 1]);
      await queue.close();
    },
  ));

test("closing ends what is under way and nothing connects again", () =>
  withServer(
    (connection, request) => {
      if (request.method === "ping") connection.reply(request, {});
      if (request.method === "subscribe") connection.reply(request, opened);
    },
    async ({ path, asked, file }) => {
      const queue = new PaymentQueue({ socket: path });
      const waited = queue.wait({ transaction: "t" }).catch((error) => error);
      const bought = queue.buyOnce(new KeyFile(file("keys")), "order", "coins.100")
        .catch((error) => error);
      while (asked.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
      await queue.close();
      assert.ok((await waited) instanceof ClientClosed);
      assert.ok((await bought) instanceof ClientClosed);
      const connecting = queue.ping();
      await Promise.all([assert.rejects(connecting, ClientClosed), queue.close()]);
      assert.deepEqual(asked.map(({ method }) => method).sort(), ["add", "subscribe", "wait"]);
      await queue.ping();
      await queue.close();
    },
  ));

test("closing ends subscriptions and observers", () =>
  withServer(
    (connection, request) => {
      if (request.method === "subscribe") connection.reply(request, opened);
    },
    async ({ path, asked }) => {
      const queue = new PaymentQueue({ socket: path });
      const events = queue.subscribe();
      const read = (async () => {
        const seen = [];
        for await (const { method } of events) seen.push(method);
        return seen;
      })();
      const observing = queue.observe(() => assert.fail("there is nothing to hand out"));
      while (asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      await queue.close();
      assert.deepEqual(await read, ["opened"]);
      await observing;
      assert.ok(events.isClosed);
      assert.equal(asked.length, 2);
    },
  ));

test("a queue that is closed by a handler hands nothing more out and connects no more", () =>
  withServer(
    (connection, request) => {
      if (request.method !== "subscribe") return;
      connection.reply(request, opened);
      const transactions = ["t1", "t2", "t3"].map((id) => transaction(id, "purchased"));
      connection.notify("event", { seq: 2, kind: "transactionsUpdated", transactions });
      connection.notify("caughtUp", { seq: 2 });
    },
    async ({ path, asked }) => {
      const queue = new PaymentQueue({ socket: path });
      const handed = [];
      await queue.observe(async ({ id }) => {
        handed.push(id);
        await queue.close();
      });
      assert.deepEqual(handed, ["t1"]);
      assert.deepEqual(asked.map(({ method }) => method), ["subscribe"]);
    },
  ));

test("nobody listening is told at once, in words and with what the system said", async () => {
  const expected = [
    ["/nowhere", "there is no such file", "ENOENT"],
    ["/dev/null/s", "a part of the path is not a directory", "ENOTDIR"],
    ["/dev/null", "no program listens there; a daemon that has ended may have left it behind",
      "ECONNREFUSED"],
  ];
  for (const [socket, words, code] of expected) {
    const error = await new PaymentQueue({ socket }).ping().catch((caught) => caught);
    assert.ok(error instanceof NotConnected);
    assert.equal(error.message, `cannot connect to '${socket}': ${words}`);
    assert.equal(error.cause.code, code);
  }
});

test("the key is on disk before it is sent", () =>
  withServer(
    (connection, request) => {
      if (request.method === "subscribe") connection.reply(request, opened);
      else if (request.method === "add") {
        connection.reply(request, { transaction: "t", state: "purchasing" });
      } else {
        connection.reply(request, { transaction: transaction("t", "purchased"), reached: true });
      }
    },
    async ({ path, asked, file }) => {
      const queue = new PaymentQueue({ socket: path });
      const bought = await queue.buyOnce(new KeyFile(file("keys")), "order", "coins.100");
      assert.equal(bought.transactionState, "purchased");
      assert.deepEqual(asked.map(({ method }) => method), ["subscribe", "add", "wait"]);
      const stored = JSON.parse(readFileSync(file("keys"), "utf8"));
      assert.equal(stored.order, asked[1].params.key);
      await queue.close();
    },
  ));

test("a subscription continues after the last one taken, also in a new process", () =>
  withServer(
    (connection, request) => {
      const after = request.params.after ?? 0;
      connection.reply(request, opened);
      connection.notify("event", { seq: after + 1, kind: "productsChanged" });
      if (after === 0) connection.socket.end();
    },
    async ({ path, asked, file }) => {
      const positions = async (count) => {
        const found = [];
        const cursor = new CursorFile(file("cursor"));
        for await (const { params } of new PaymentQueue({ socket: path }).subscribe({ cursor })) {
          if (params.seq) found.push(params.seq);
          if (found.length > count) return found.slice(0, count);
        }
      };
      assert.deepEqual(await positions(1), [1]);
      // The second was taken but not handled to the end, so it comes again.
      const cursor = new CursorFile(file("cursor"));
      assert.deepEqual(cursor.load(), { epoch: "e1", seq: 1 });
      for await (const { params } of new PaymentQueue({ socket: path }).subscribe({ cursor })) {
        if (params.seq === 2) break;
      }
      assert.deepEqual(asked.map(({ params }) => params),
        [{}, { after: 1, epoch: "e1" }, { after: 1, epoch: "e1" }]);
    },
  ));

test("the place in another log is forgotten with that log", () =>
  withServer(
    (connection, request, count) => {
      if (count === 1) connection.refuse(request, 1303, { kind: "otherEpoch" });
      else {
        connection.reply(request, { ...opened, epoch: "e2", head: 900 });
        connection.socket.end();
      }
    },
    async ({ path, asked, file }) => {
      const cursor = new CursorFile(file("cursor"));
      cursor.store("e1", 500);
      const methods = [];
      for await (const { method } of new PaymentQueue({ socket: path }).subscribe({ cursor })) {
        methods.push(method);
        if (methods.length === 3) break;
      }
      assert.deepEqual(methods, ["opened", "gap", "opened"]);
      assert.deepEqual(asked.map(({ params }) => params), [{ after: 500, epoch: "e1" }, {}, {}]);
    },
  ));

test("it comes later when it is told so and has been there before", () => {
  const refusal = (retry) => ({
    id: null,
    error: {
      code: -32005, message: "no", data: { kind: "tooManyConnections", retry, retryAfterMs: 1 },
    },
  });
  return withServer(
    (connection, request, count) => {
      if (count === 1) connection.reply(request, opened);
      else connection.say(refusal(count === 2 ? "later" : "no"));
      connection.socket.end();
    },
    async ({ path, asked }) => {
      const events = new PaymentQueue({ socket: path }).subscribe()[Symbol.asyncIterator]();
      assert.equal((await events.next()).value.method, "opened");
      await assert.rejects(events.next(), ServerError);
      assert.equal(asked.length, 3);
      asked.length = 1;
      await assert.rejects(new PaymentQueue({ socket: path }).subscribe().open(), ServerError);
    },
  );
});

test("a daemon that does not answer keeps nobody longer than the time allowed", () =>
  withServer(
    (connection, request, count) => {
      if (count !== 2) return;
      connection.reply(request, opened);
      connection.socket.end();
    },
    async ({ path, asked }) => {
      const queue = new PaymentQueue({ socket: path, timeoutMs: 500 });
      await assert.rejects(queue.subscribe().open(), CallTimedOut);
      const events = queue.subscribe();
      const iterator = events[Symbol.asyncIterator]();
      assert.equal((await iterator.next()).value.method, "opened");
      const next = iterator.next();
      // It was there before, so it is tried again and again.
      while (asked.length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
      events.close();
      assert.equal((await next).done, true);
    },
  ));

test("an observer ends when it is told to, also while the daemon does not answer", () =>
  withServer(
    () => {},
    async ({ path, asked }) => {
      const ending = new AbortController();
      const observed = new PaymentQueue({ socket: path })
        .observe(async () => {}, { signal: ending.signal });
      while (asked.length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
      ending.abort();
      await observed;
    },
  ));

test("the signed history is followed to its last page", () =>
  withServer(
    (connection, request) => {
      const { page = "1" } = request.params;
      const next = page < "3" ? { next: String(Number(page) + 1) } : {};
      connection.reply(request, { jws: page, kid: "k", alg: "ES256", ...next });
    },
    async ({ path }) => {
      const queue = new PaymentQueue({ socket: path });
      const found = [];
      for await (const { jws } of queue.historyPages({ limit: 7 })) found.push(jws);
      assert.deepEqual(found, ["1", "2", "3"]);
      await queue.close();
    },
  ));

test("it finishes after the handler, holds what is replayed, and hands out again what failed", () =>
  withServer(
    (connection, request) => {
      if (request.method === "subscribe") {
        const transactions = [transaction("a", "purchased"), transaction("b", "purchased")];
        connection.reply(request, opened);
        connection.notify("event", { seq: 1, kind: "transactionsUpdated", transactions });
        connection.notify("event", {
          seq: 2, kind: "transactionsRemoved", transactions: transactions.slice(1),
        });
        connection.notify("somethingNew", {});
        connection.notify("caughtUp", { seq: 2 });
      } else if (request.method === "transactions") {
        connection.reply(request, { transactions: [transaction("a", "purchased")], seq: 2 });
      } else {
        steps.push(`finish ${request.params.transaction}`);
        connection.reply(request, { disposition: "completing" });
        stop.abort();
      }
    },
    async ({ path }) => {
      const queue = new PaymentQueue({ socket: path });
      const errors = [];
      await queue.observe(
        ({ id }) => {
          steps.push(`handle ${id}`);
          if (steps.length === 1) throw new Error("the disk is full");
        },
        { signal: stop.signal, retryEveryMs: 50, onError: (error) => errors.push(error.message) },
      );
      assert.deepEqual(steps, ["handle a", "handle a", "finish a"]);
      assert.deepEqual(errors, ["the disk is full"]);
      await queue.close();
    },
  ));

test("what failed comes again also while there is always something new", () =>
  withServer(
    (connection, request) => {
      const a = transaction("a", "purchased");
      if (request.method === "subscribe") {
        connection.reply(request, opened);
        connection.notify("event", { seq: 1, kind: "transactionsUpdated", transactions: [a] });
        connection.notify("caughtUp", { seq: 1 });
        let seq = 2;
        const pour = () => {
          for (const end = seq + 50; seq < end; seq += 1) {
            connection.notify("event", {
              seq, kind: "transactionsUpdated", transactions: [transaction(`t${seq}`, "purchased")],
            });
          }
          if (connection.socket.destroyed) return;
          if (connection.socket.writableNeedDrain) connection.socket.once("drain", pour);
          else setImmediate(pour);
        };
        pour();
      } else if (request.method === "transactions") {
        connection.reply(request, { transactions: [a], seq: 1 });
      } else connection.reply(request, { disposition: "completing" });
    },
    async ({ path }) => {
      const queue = new PaymentQueue({ socket: path });
      const handled = new Map();
      const ending = new AbortController();
      const timer = setTimeout(() => ending.abort(), 30_000);
      await queue.observe(
        async ({ id }) => {
          handled.set(id, (handled.get(id) ?? 0) + 1);
          if (handled.get("a") >= 5 && handled.size > 5) ending.abort();
          if (id !== "a") return;
          // Longer than from one round to the next; the others must have their turn, too.
          await new Promise((resolve) => setTimeout(resolve, 40));
          throw new Error("the disk is full");
        },
        { signal: ending.signal, retryEveryMs: 20, onError: () => {} },
      );
      clearTimeout(timer);
      assert.ok(handled.get("a") >= 5 && handled.size > 5);
      await queue.close();
    },
  ));

const steps = [];
const stop = new AbortController();

test("the socket is looked for in the agreed order", () => {
  assert.equal(socketPath("/a", { PAYQUEUED_SOCKET: "/b" }), "/a");
  assert.equal(socketPath(undefined, { PAYQUEUED_SOCKET: "/b" }), "/b");
  assert.equal(
    socketPath(undefined, { XDG_RUNTIME_DIR: "/nowhere" }), "/run/payqueued/payqueued.sock");
});
