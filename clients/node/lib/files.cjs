"use strict";

const { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } = require("node:fs");
const { dirname, resolve } = require("node:path");
const { randomBytes } = require("node:crypto");

/** A unique key. */
function freshKey() {
  return randomBytes(16).toString("hex");
}

/** Replaces a file as a whole; a reader never sees half of it. */
function write(path, value, durable) {
  const aside = `${path}.${process.pid}.new`;
  const file = openSync(aside, "w", 0o600);
  try {
    writeSync(file, JSON.stringify(value) + "\n");
    if (durable) fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(aside, path);
  if (!durable) return;
  const folder = openSync(dirname(resolve(path)), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function read(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Idempotency keys by intent, on disk before they are used. An intent is your own name for one wish
 * to buy; as long as the file is there, the same intent is never paid twice. For one process.
 */
class KeyFile {
  constructor(path) {
    this.path = path;
  }

  /** The key of an intent; a new one is on stable storage before this returns. */
  key(intent) {
    const keys = new Map(Object.entries(read(this.path) ?? {}));
    if (!keys.has(intent)) {
      keys.set(intent, freshKey());
      write(this.path, Object.fromEntries(keys), true);
    }
    return keys.get(intent);
  }

  /** Drops an intent whose goods are delivered; the same name may buy again. */
  forget(intent) {
    const keys = new Map(Object.entries(read(this.path) ?? {}));
    if (keys.delete(intent)) write(this.path, Object.fromEntries(keys), true);
  }
}

/** How far a reader of the log has come, on disk. */
class CursorFile {
  constructor(path) {
    this.path = path;
  }

  /** Epoch and position; undefined if none was stored. */
  load() {
    const found = read(this.path);
    return Number.isInteger(found?.seq) ? found : undefined;
  }

  /** Remembers a position. */
  store(epoch, seq) {
    write(this.path, { epoch, seq }, false);
  }
}

module.exports = { CursorFile, freshKey, KeyFile };
