import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Grants } from "../examples/grants.js";
import { entitling, MerchantAPI, merchantToken, nextPlace, verified } from "../examples/merchant.js";

const order = "3e46c75a-7e04-4530-979a-e275f3a7c50c";
const now = Date.parse("2026-01-26T10:05:00Z");
const purchase = (changes = {}) => ({
  order_id: order, bundle_id: "com.example.app", app_account_token: "user-1", expires_at: null,
  revocation_date: null, fetched_at: "2026-01-26T10:05:00.000Z", ...changes,
});
const decide = (purchases, user = "user-1") =>
  entitling(purchases, order, "com.example.app", user, now);

test("a purchase of the user is granted, everything else is refused for its reason", async () => {
  assert.equal((await decide([purchase()])).order_id, order);
  const later = purchase({ expires_at: "2026-01-26T10:05:00.001Z" });
  assert.equal((await decide([later])).order_id, order);
  const wrong = [
    [[], "unknownOrder"],
    [[purchase({ bundle_id: "com.example.other" })], "foreign"],
    [[purchase({ app_account_token: null })], "foreign"],
    [[purchase({ revocation_date: "2026-01-26T10:00:00.000Z" })], "revoked"],
    [[purchase({ expires_at: "2026-01-26T10:05:00.000Z" })], "expired"],
    [[purchase({ expires_at: "no time" })], "expired"],
  ];
  for (const [purchases, reason] of wrong) {
    await assert.rejects(decide(purchases), { message: reason });
  }
});

test("a link leads on within the store only", () => {
  assert.equal(nextPlace('</history/x?page=1>; rel="next"'), "/history/x?page=1");
  for (const link of [null, "", '<https://other.example/x>; rel="next"', '</x>; rel="prev"']) {
    assert.equal(nextPlace(link), undefined);
  }
});

test("an old order is found on a later page, and no page is asked for in vain", async (context) => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keys = [{ ...publicKey.export({ format: "jwk" }), kid: "one", alg: "ES256" }];
  const spell = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const page = (id) => {
    const transactions = [purchase({ order_id: id })];
    const signed = `${spell({ alg: "ES256", kid: "one" })}.${spell({ transactions })}`;
    const options = { key: privateKey, dsaEncoding: "ieee-p1363" };
    return `${signed}.${sign("sha256", Buffer.from(signed), options).toString("base64url")}`;
  };
  const first = `/merchant-api/v1/purchases/in-app/history/${order}`;
  const pages = { [first]: ["new", "/2"], "/2": [order, "/3"], "/3": ["old"] };
  const tokens = new Set();
  context.mock.method(globalThis, "fetch", async (url, { headers }) => {
    const place = url.replace("http://store.example", "");
    if (place === "/.well-known/jwks.json") return Response.json({ keys });
    tokens.add(headers.Authorization);
    const [id, next] = pages[place];
    return new Response(page(id), { headers: next ? { link: `<${next}>; rel="next"` } : {} });
  });
  const api = new MerchantAPI("http://store.example", {
    merchant: "mer_1", keyId: "key_1", secret: "s".repeat(43),
  });
  const found = await entitling(api.history(order), order, "com.example.app", "user-1", now);
  assert.equal(found.order_id, order);
  assert.equal(tokens.size, 2);
});

test("an order is granted once, whatever is written in the name of a user", () => {
  const file = join(mkdtempSync(join(tmpdir(), "grants-")), "grants");
  const bought = { order_id: order, product_id: "remove-ads" };
  const other = "4f57d86b-8f15-4641-880b-f386a4b8d61d";
  for (const line of [`${other} u p`, `{"order":"${other}"}`]) {
    const user = `x\n${line}\n`;
    new Grants(file).grant({ ...bought, order_id: `${order}-${line.length}` }, user);
  }
  assert.equal(new Grants(file).grant(bought, "user-1"), true);
  assert.equal(new Grants(file).grant(bought, "user-1"), false);
  assert.equal(new Grants(file).grant({ ...bought, order_id: other }, "user-1"), true);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(lines[2], { order, user: "user-1", product: "remove-ads" });
  assert.equal(lines.length, 4);
});

test("a grant that a crash cut off is given again", () => {
  const file = join(mkdtempSync(join(tmpdir(), "grants-")), "grants");
  const bought = { order_id: order, product_id: "remove-ads" };
  const other = { ...bought, order_id: "4f57d86b-8f15-4641-880b-f386a4b8d61d" };
  const third = { ...bought, order_id: "5a1f0c7e-8f15-4641-880b-f386a4b8d61d" };
  new Grants(file).grant(other, "user-2");
  new Grants(file).grant(bought, "u\u{1F600}");
  const whole = readFileSync(file);
  // In the middle of a character too.
  const begin = whole.indexOf("\n") + 1;
  for (let end = begin + 1; end < whole.length; end += 1) {
    writeFileSync(file, whole.subarray(0, end));
    const isWhole = end === whole.length - 1;
    const grants = new Grants(file);
    assert.equal(grants.grant(other, "user-2"), false);
    assert.equal(grants.grant(bought, "u\u{1F600}"), !isWhole);
    // A disk that was full for a moment.
    appendFileSync(file, '\n{"order"');
    assert.equal(grants.grant(third, "user-3"), true);
    for (const one of [bought, other, third]) {
      assert.equal(new Grants(file).grant(one, "user-1"), false);
    }
  }
});

test("a token says what it has to and is signed with the secret", () => {
  const token = merchantToken({ merchant: "mer_1", keyId: "key_1", secret: "s".repeat(43) });
  const [header, claims, signature] = token.split(".");
  const read = (part) => JSON.parse(Buffer.from(part, "base64url"));
  assert.deepEqual(read(header), { alg: "HS256", kid: "key_1", typ: "JWT" });
  const { nbf, exp, jti, ...others } = read(claims);
  assert.deepEqual(others, { aud: "onside", iss: "onside", sub: "mer_1" });
  assert.equal(exp - nbf, 30);
  assert.match(jti, /^[0-9a-f-]{36}$/);
  const mac = createHmac("sha256", "s".repeat(43)).update(`${header}.${claims}`);
  assert.equal(signature, mac.digest("base64url"));
});

for (const [alg, kind, options] of [
  ["RS256", ["rsa", { modulusLength: 2048 }], {}],
  ["ES256", ["ec", { namedCurve: "P-256" }], { dsaEncoding: "ieee-p1363" }],
]) {
  test(`a history signed with ${alg} is verified by its key and by nothing else`, () => {
    const { publicKey, privateKey } = generateKeyPairSync(...kind);
    const key = { ...publicKey.export({ format: "jwk" }), kid: "one", alg };
    const spell = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const make = (header) => {
      const signed = `${spell(header)}.${spell({ transactions: [] })}`;
      const bytes = sign("sha256", Buffer.from(signed), { key: privateKey, ...options });
      return `${signed}.${bytes.toString("base64url")}`;
    };
    const jws = make({ alg, kid: "one" });
    assert.deepEqual(verified(jws, [key]), { transactions: [] });
    const wrong = [
      make({ alg: "none", kid: "one" }), make({ alg: "HS256", kid: "one" }), `${jws}=`,
      make({ alg, kid: "one", crit: ["b64"] }), jws.slice(0, -9), `${jws}.x`,
    ];
    for (const text of wrong) {
      assert.throws(() => verified(text, [key]), { message: "badSignature" });
    }
    assert.throws(() => verified(make({ alg, kid: "two" }), [key]), { message: "unknownKey" });
  });
}
