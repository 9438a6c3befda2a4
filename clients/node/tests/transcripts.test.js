// The golden conversations: every line that a daemon ever sent must be understood.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { NotUnderstood, ServerError } from "../index.js";
import wire from "../lib/wire.cjs";

const { parse, resultOf } = wire;
const folder = new URL("../../transcripts/", import.meta.url);

test("every line is understood", () => {
  let count = 0;
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".jsonl"))) {
    for (const line of readFileSync(new URL(name, folder), "utf8").split("\n").filter(Boolean)) {
      const message = JSON.parse(line.replaceAll(/"\$n\d+"/g, "7"))["<"];
      if (typeof message !== "object") continue;
      count += 1;
      const text = JSON.stringify(message);
      if (Array.isArray(message)) {
        // This library sends no batches; an answer to one is none of its business.
        assert.throws(() => parse(text), NotUnderstood);
      } else if (message.method) {
        assert.deepEqual(parse(text).notification.params, message.params);
      } else if (message.error) {
        const { reply } = parse(text);
        assert.throws(() => resultOf("any", reply), (error) =>
          error instanceof ServerError && error.code === message.error.code
          && error.kind === message.error.data.kind);
      } else {
        assert.deepEqual(resultOf("any", parse(text).reply), message.result);
      }
    }
  }
  assert.ok(count > 50);
});
