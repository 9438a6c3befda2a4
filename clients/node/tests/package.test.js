// The package: how it is loaded, and what is in it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("..", import.meta.url));
const description = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

test("a program that imports and one that requires get the same library", async () => {
  const imported = await import("payqueued");
  const required = createRequire(import.meta.url)("payqueued");
  assert.deepEqual(Object.keys(imported).sort(), Object.keys(required).sort());
  for (const name of Object.keys(required)) assert.equal(imported[name], required[name], name);
});

test("the library says the version of its package", async () => {
  const { version } = await import("payqueued");
  assert.equal(version, description.version);
});

test("the package has the library, its types, licence and description, and nothing else", (t) => {
  const packed = spawnSync("npm", ["pack", "--dry-run", "--json", "--offline"], {
    cwd: folder, encoding: "utf8", env: { ...process.env, npm_config_update_notifier: "false" },
  });
  if (packed.error?.code === "ENOENT") return t.skip("npm is not installed");
  assert.equal(packed.status, 0, packed.stderr);
  const files = JSON.parse(packed.stdout)[0].files.map(({ path }) => path).sort();
  const library = [
    "client", "contract", "discovery", "errors", "files", "methods", "observing", "purchase",
    "subscription", "wire",
  ].map((name) => `lib/${name}.cjs`);
  assert.deepEqual(files, [
    "LICENSE", "README.md", "contract.d.cts", "index.cjs", "index.d.cts", "index.d.ts", "index.js",
    ...library, "package.json",
  ]);
});
