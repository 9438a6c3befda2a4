"use strict";

const { spawnSync } = require("node:child_process");
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
 * to buy; as long as the file is there, the same intent is never paid twice. Processes may share it: a
 * file `.lock` beside it orders their changes.
 */
class KeyFile {
  constructor(path) {
    this.path = path;
  }

  /** The key of an intent; a new one is on stable storage before this returns. */
  key(intent) {
    const known = keysOf(this.path).get(intent);
    if (known !== undefined) return known;
    changeAlone(this.path, "add", intent);
    return keysOf(this.path).get(intent);
  }

  /** Drops an intent whose goods are delivered; the same name may buy again. */
  forget(intent) {
    if (keysOf(this.path).has(intent)) changeAlone(this.path, "forget", intent);
  }
}

function keysOf(path) {
  return new Map(Object.entries(read(path) ?? {}));
}

/** Changes a key file while no other process does. Node has no locks of files: flock(1) holds one for a child. */
function changeAlone(path, action, intent) {
  const command = [`${resolve(path)}.lock`, process.execPath, __filename, action, path, intent];
  const child = spawnSync("flock", command, { stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" });
  if (child.error) throw child.error;
  if (child.status !== 0) throw new Error(`cannot change the key file '${path}': ${child.stderr.trim()}`);
}

/** A change of a key file, by the child that has the lock. */
function change(action, path, intent) {
  const keys = keysOf(path);
  if (action === "forget") keys.delete(intent);
  else if (!keys.has(intent)) keys.set(intent, freshKey());
  else return;
  write(path, Object.fromEntries(keys), true);
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

if (require.main === module) change(...process.argv.slice(2));

module.exports = { CursorFile, freshKey, KeyFile };
