// A daemon that says what a test wants, on a real socket.

import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs a test's body with a server that answers each request by `serve(connection, request)`. */
export async function withServer(serve, body) {
  const folder = mkdtempSync(join(tmpdir(), "payqueued-"));
  const asked = [];
  const sockets = new Set();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    const say = (message) => socket.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
    const connection = {
      socket,
      say,
      reply: ({ id }, result) => say({ id, result }),
      refuse: ({ id }, code, data) => say({ id, error: { code, message: "no", data } }),
      notify: (method, params) => say({ method, params }),
    };
    let unread = "";
    socket.on("data", (bytes) => {
      unread += bytes;
      const lines = unread.split("\n");
      unread = lines.pop();
      for (const request of lines.map((line) => JSON.parse(line))) {
        if (request.method === "hello") continue;
        asked.push(request);
        serve(connection, request, asked.length);
      }
    });
  });
  const path = join(folder, "s");
  await new Promise((resolve) => server.listen(path, resolve));
  try {
    await body({ path, asked, file: (name) => join(folder, name) });
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}

export const opened = { subscription: "s1", epoch: "e1", oldest: 1, head: 0 };

/** A snapshot. */
export function transaction(id, transactionState, more = {}) {
  const product = { productIdentifier: "coins.100", price: { value: 1, currencyCode: "EUR" } };
  return { id, payment: { product }, transactionState, revision: 1, ...more };
}
