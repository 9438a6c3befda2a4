// The publisher's side of the Merchant API, with nothing but Node's own cryptography: make a token,
// ask for an order, verify the answer.

import { createHmac, createPublicKey, randomUUID, verify } from "node:crypto";

/** The order gives no right to anything; the message says why in one word. */
export class Refused extends Error {}

/** How keys of each algorithm are made use of. */
const algorithms = {
  RS256: { kty: "RSA", options: {} },
  ES256: { kty: "EC", options: { dsaEncoding: "ieee-p1363" } },
};

const spell = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Reads base64url in the one spelling that an encoder writes. */
function read(text) {
  const bytes = Buffer.from(text, "base64url");
  if (!text || bytes.toString("base64url") !== text) throw new Refused("badSignature");
  return bytes;
}

/** A token for one request: 30 seconds, in which clocks may differ by five. */
export function merchantToken({ merchant, keyId, secret }) {
  const begin = Math.floor(Date.now() / 1000) - 5;
  const claims = {
    aud: "onside", iss: "onside", sub: merchant, nbf: begin, exp: begin + 30, jti: randomUUID(),
  };
  const signed = `${spell({ alg: "HS256", kid: keyId, typ: "JWT" })}.${spell(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

/** The payload of a signed history; throws if the signature is not by one of the keys. */
export function verified(jws, keys) {
  const parts = jws.split(".");
  if (parts.length !== 3) throw new Refused("badSignature");
  const [header, payload, signature] = parts.map(read);
  const { kid, alg, crit } = JSON.parse(header);
  const key = keys.find((each) => each.kid === kid);
  if (!key) throw new Refused("unknownKey");
  // How to verify is said by the key, never by the text that is verified.
  const algorithm = algorithms[key.alg];
  if (!algorithm || algorithm.kty !== key.kty || alg !== key.alg || crit !== undefined) {
    throw new Refused("badSignature");
  }
  const publicKey = createPublicKey({ key, format: "jwk" });
  const signed = Buffer.from(`${parts[0]}.${parts[1]}`);
  if (!verify("sha256", signed, { key: publicKey, ...algorithm.options }, signature)) {
    throw new Refused("badSignature");
  }
  return JSON.parse(payload);
}

/** One store, and the credentials of one merchant. */
export class MerchantAPI {
  #store;
  #credentials;
  #keys = [];
  #keysAt = 0;

  constructor(store, credentials) {
    this.#store = store.replace(/\/$/, "");
    this.#credentials = credentials;
  }

  /**
   * What the account of an order has paid for, the newest payment first, verified. A page is asked
   * for when the one before it was read to its end.
   */
  async *history(order) {
    const first = `/merchant-api/v1/purchases/in-app/history/${encodeURIComponent(order)}`;
    let place = first;
    while (place) {
      // The store takes no token twice.
      const answer = await this.#get(place, {
        Authorization: `Bearer ${merchantToken(this.#credentials)}`,
      });
      // Later on a page is missing, not the order: that is to be asked for again.
      const isUnknown = answer.status === 404 || answer.status === 400;
      if (isUnknown && place === first) throw new Refused("unknownOrder");
      if (!answer.ok) throw new Error(`the store answered ${answer.status}`);
      yield* (await this.#verified(await answer.text())).transactions;
      place = nextPlace(answer.headers.get("link"));
    }
  }

  async #verified(jws) {
    if (this.#keys.length === 0) await this.#fetchKeys();
    try {
      return verified(jws, this.#keys);
    } catch (error) {
      // The store may have changed its key; strangers must not make us ask all the time.
      const isOld = Date.now() - this.#keysAt > 60_000;
      if (error.message !== "unknownKey" || !isOld) throw error;
      await this.#fetchKeys();
      return verified(jws, this.#keys);
    }
  }

  async #fetchKeys() {
    const answer = await this.#get("/.well-known/jwks.json");
    if (!answer.ok) throw new Error(`the store answered ${answer.status}`);
    this.#keys = (await answer.json()).keys;
    this.#keysAt = Date.now();
  }

  #get(path, headers = {}) {
    return fetch(this.#store + path, { headers, signal: AbortSignal.timeout(10_000) });
  }
}

/** The place that a header `Link` names as the next; nothing if it is not of this store. */
export function nextPlace(link) {
  return /^\s*<(\/[^<>]*)>\s*;\s*rel="next"\s*$/.exec(link ?? "")?.[1];
}

/** The purchase of an order if it gives a right to something; throws `Refused` otherwise. */
export async function entitling(purchases, order, bundle, user, now = Date.now()) {
  let found;
  for await (const each of purchases) {
    if (each.order_id !== order) continue;
    found = each;
    break;
  }
  if (!found) throw new Refused("unknownOrder");
  if (found.bundle_id !== bundle || (found.app_account_token ?? null) !== user) {
    throw new Refused("foreign");
  }
  if ((found.revocation_date ?? null) !== null) throw new Refused("revoked");
  // A test store may be ahead of the time here; what it fetched is not older than its own clock.
  const latest = Math.max(now, Date.parse(found.fetched_at));
  if ((found.expires_at ?? null) !== null && !(Date.parse(found.expires_at) > latest)) {
    throw new Refused("expired");
  }
  return found;
}
