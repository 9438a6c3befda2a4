"use strict";

const { createConnection } = require("node:net");
const { ConnectionLost, NotConnected, NotUnderstood, ServerError } = require("./errors.cjs");

/** The daemon pages what would be longer than 4 MiB. */
const LINE_LIMIT = 16 * 1024 * 1024;

/** Why the system refuses a connection, in words; its own code otherwise. */
const REASONS = {
  EACCES: "permission denied; a daemon may run there, but this user may not use its socket",
  ECONNREFUSED: "no program listens there; a daemon that has ended may have left it behind",
  ENOENT: "there is no such file",
  ENOTDIR: "a part of the path is not a directory",
};

/** Reads one line: `{notification}` or `{reply}`; throws `NotUnderstood` for anything else. */
function parse(line) {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    throw new NotUnderstood("the daemon sent a line that is not JSON");
  }
  if (typeof message === "object" && message !== null && !Array.isArray(message)) {
    if (typeof message.method === "string" && !("id" in message)) {
      return { notification: { method: message.method, params: message.params ?? {} } };
    }
    if ("id" in message && ("result" in message || "error" in message)) return { reply: message };
  }
  throw new NotUnderstood("the daemon sent a line that is neither an answer nor a notification");
}

/** The result of a reply; throws its error. */
function resultOf(method, reply) {
  if (reply.error) throw new ServerError(method, reply.error);
  return reply.result;
}

/** One connection: lines out, lines in. The socket is read only as lines are asked for. */
class Wire {
  #socket;
  #lines;

  constructor(path, socket) {
    this.path = path;
    this.#socket = socket;
    this.#lines = this.#read();
  }

  /** Connects; throws `NotConnected`. */
  static open(path, timeoutMs = 5000) {
    return new Promise((resolve, reject) => {
      const socket = createConnection({ path });
      const fail = (why, cause) => {
        clearTimeout(timer);
        socket.destroy();
        const options = cause === undefined ? undefined : { cause };
        reject(new NotConnected(`cannot connect to '${path}': ${why}`, options));
      };
      const timer = setTimeout(() => fail("it did not accept in time"), timeoutMs);
      socket.once("error", (error) => {
        fail(REASONS[error.code] ?? error.code ?? error.message, error);
      });
      socket.once("connect", () => {
        clearTimeout(timer);
        socket.removeAllListeners("error");
        // What goes wrong shows when the next line is read.
        socket.on("error", () => {});
        resolve(new Wire(path, socket));
      });
    });
  }

  /** Writes a request; without an id nothing is answered. */
  send(method, params, id) {
    const message = { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method, params };
    this.#socket.write(JSON.stringify(message) + "\n");
  }

  /** Waits for the next message; throws `ConnectionLost` at the end. */
  async receive() {
    const { done, value } = await this.#lines.next();
    if (done) throw new ConnectionLost(`the connection to '${this.path}' ended too early`);
    return parse(value);
  }

  /** Ends the connection; a second call changes nothing. */
  close() {
    this.#socket.destroy();
  }

  async *#read() {
    let parts = [];
    let size = 0;
    try {
      // A stream that is iterated is paused while no more is asked for.
      for await (const chunk of this.#socket) {
        let start = 0;
        for (let end; (end = chunk.indexOf(10, start)) >= 0; start = end + 1) {
          parts.push(chunk.subarray(start, end));
          const line = Buffer.concat(parts).toString("utf8");
          parts = [];
          size = 0;
          yield line;
        }
        parts.push(chunk.subarray(start));
        size += chunk.length - start;
        if (size > LINE_LIMIT) throw new NotUnderstood(`a line of more than ${LINE_LIMIT} bytes`);
      }
    } catch (error) {
      if (error instanceof NotUnderstood) throw error;
      // A connection that broke ends like one that was closed.
    }
  }
}

module.exports = { parse, resultOf, Wire };
