import { client } from "./hey/client.gen.js";
import {
  createInstruction, createRecall, decideInstructionOfAnyScheme, getTransaction, listEvents, login,
} from "./hey/sdk.gen.js";
import { base, order, people, walk, type Made } from "./walk.js";

client.setConfig({ baseUrl: base(), throwOnError: true });
const headers = { "X-Request-Id": "walk" };

async function tokenOf(username: string): Promise<string> {
  const { data } = await login({ path: { realm: "demo" }, body: { ...people, username }, throwOnError: true });
  return data.access_token;
}

const maker = await tokenOf("maker1");
const checker = await tokenOf("checker1");

function made(of: Made | undefined): Made {
  if (!of) throw new Error("the answer has no transaction");
  return of;
}

await walk("hey-api", {
  create: async (name) => made((await createInstruction({
    path: { scheme: "sic-inst" }, headers, auth: maker, body: order(name), throwOnError: true,
  })).data.transaction),
  approve: async ({ internalId, contentHash }) => void await decideInstructionOfAnyScheme({
    headers, auth: checker, throwOnError: true,
    body: { identifiers: { internalId }, ApprovalDetails: { action: "approve", contentHash } },
  }),
  state: async (internalId) => (await getTransaction({ path: { internalId }, headers, auth: maker, throwOnError: true })).data.transaction.state,
  recall: async (internalId, externalId) => made((await createRecall({
    path: { scheme: "sic-inst" }, headers, auth: maker, throwOnError: true,
    body: { identifiers: { internalId, externalId }, RecallDetails: { reason: "DUPL" } },
  })).data.transaction),
  events: async (type) => (await listEvents({ query: { type: [type], limit: 1000 }, headers, auth: maker, throwOnError: true }))
    .data.events.flatMap((e) => e.transaction ? [e.transaction.internalId] : []),
});
