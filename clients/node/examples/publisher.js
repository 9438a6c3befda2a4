// A publisher's backend: applications name an order, it asks the store and grants.
//
//   STORE=http://127.0.0.1:8080 MERCHANT=mer_… MERCHANT_KEY=key_… MERCHANT_SECRET_FILE=secret \
//     BUNDLE=com.example.app node examples/publisher.js
//
//   curl -d '{"order": "…", "user": "user-1"}' http://127.0.0.1:PORT/validate
//
// With an order and a user as arguments it validates that one order, says so and ends.
//
// The application finishes its transaction when it received {"granted": true}: asking again for the
// same order grants nothing twice.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { Grants } from "./grants.js";
import { entitling, MerchantAPI, Refused } from "./merchant.js";
import { kept } from "./program.js";

const { STORE, MERCHANT, MERCHANT_KEY, MERCHANT_SECRET_FILE, BUNDLE = "com.example.app" } =
  process.env;

const missing = Object.entries({ STORE, MERCHANT, MERCHANT_KEY, MERCHANT_SECRET_FILE })
  .filter(([, value]) => !value)
  .map(([name]) => name);
if (missing.length > 0) {
  end(`set ${missing.join(", ")}; the head of the file shows how`);
}

const api = new MerchantAPI(STORE, {
  merchant: MERCHANT,
  keyId: MERCHANT_KEY,
  secret: merchantSecret(),
});

const grants = new Grants(kept("GRANTS", "grants"));

/** Ends the program in words. */
function end(reason) {
  console.error(`publisher.js: ${reason}`);
  process.exit(1);
}

function merchantSecret() {
  try {
    return readFileSync(MERCHANT_SECRET_FILE, "utf8").trim();
  } catch (error) {
    return end(`cannot read the merchant's secret: ${error.message}`);
  }
}

/** What the application sent, if it is a request that makes sense. */
async function asked(request) {
  let text = "";
  for await (const piece of request) {
    text += piece;
    if (text.length > 4096) return undefined;
  }
  try {
    const { order, user } = JSON.parse(text);
    return typeof order === "string" && typeof user === "string" ? { order, user } : undefined;
  } catch {
    return undefined;
  }
}

/** The answer to the application about an order. */
async function validate(order, user) {
  try {
    const purchase = await entitling(api.history(order), order, BUNDLE, user);
    return { granted: true, new: grants.grant(purchase, user), product: purchase.product_id };
  } catch (error) {
    if (error instanceof Refused) return { granted: false, reason: error.message };
    throw error;
  }
}

async function answer(request) {
  if (request.method !== "POST" || request.url !== "/validate") return [404, { error: "notFound" }];
  const wanted = await asked(request);
  if (!wanted) return [400, { error: "badRequest" }];
  try {
    return [200, await validate(wanted.order, wanted.user)];
  } catch {
    return [503, { error: "the store cannot be asked" }];
  }
}

const [order, user] = process.argv.slice(2);
if (user !== undefined) {
  console.log(JSON.stringify(await validate(order, user)));
  process.exit(0);
}

const server = createServer(async (request, response) => {
  const [status, value] = await answer(request);
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));
});
server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => {
  console.log(`ready on http://127.0.0.1:${server.address().port}`);
});
process.on("SIGTERM", () => process.exit(0));
