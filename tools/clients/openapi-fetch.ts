import createClient from "openapi-fetch";
import type { paths } from "./typescript.js";
import { base, order, people, stateOf, walk, type Made } from "./walk.js";

const client = createClient<paths>({ baseUrl: base() });
const header = { "X-Request-Id": "walk" };

async function tokenOf(username: string): Promise<string> {
  const { data, error } = await client.POST("/api/auth/v1/realms/{realm}/login", {
    params: { path: { realm: "demo" } }, body: { ...people, username },
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    bodySerializer: (body) => new URLSearchParams(body as Record<string, string>),
  });
  if (!data) throw new Error(error.message);
  return data.access_token;
}

const maker = { Authorization: `Bearer ${await tokenOf("maker1")}` };
const checker = { Authorization: `Bearer ${await tokenOf("checker1")}` };

function taken<T>(answer: { data?: T; error?: unknown }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

function made(of: Made | undefined): Made {
  if (!of) throw new Error("the answer has no transaction");
  return of;
}

await walk("openapi-fetch", {
  create: async (name) => made(taken(await client.POST("/api/{scheme}/v1/instruction/create", {
    params: { path: { scheme: "sic-inst" }, header }, headers: maker, body: order(name),
  })).transaction),
  approve: async ({ internalId, contentHash }) => void taken(await client.POST("/api/common/v1/instruction/approval", {
    params: { header }, headers: checker,
    body: { identifiers: { internalId }, ApprovalDetails: { action: "approve", contentHash } },
  })),
  state: async (internalId) => stateOf(taken(await client.GET("/api/common/v1/transaction/{internalId}", {
    params: { path: { internalId }, header }, headers: maker,
  }))),
  recall: async (internalId, externalId) => made(taken(await client.POST("/api/{scheme}/v1/recall/create", {
    params: { path: { scheme: "sic-inst" }, header }, headers: maker,
    body: { identifiers: { internalId, externalId }, RecallDetails: { reason: "DUPL" } },
  })).transaction),
  events: async (type) => taken(await client.GET("/api/common/v1/event/list", {
    params: { query: { type: [type], limit: 1000 }, header }, headers: maker,
  })).events.flatMap((e) => e.transaction ? [e.transaction.internalId] : []),
});
