import {
  createInstruction, createRecall, decideInstructionOfAnyScheme, getTransaction, listEvents, login,
} from "./orval/client.js";
import { base, order, people, stateOf, walk, type Made } from "./walk.js";

const send = globalThis.fetch; // the client sends to the origin of its page, which a program has not
globalThis.fetch = (path, options) => send(base() + path, options);

async function tokenOf(username: string): Promise<string> {
  const answer = await login("demo", { ...people, username });
  if (answer.status !== 200) throw new Error(answer.data.message);
  return answer.data.access_token;
}

const optionsOf = async (name: string) => ({ headers: { "X-Request-Id": "walk", Authorization: `Bearer ${await tokenOf(name)}` } });
const maker = await optionsOf("maker1");
const checker = await optionsOf("checker1");

function made(of: Made | undefined): Made {
  if (!of) throw new Error("the answer has no transaction");
  return of;
}

function refused(answer: { data: unknown }): never { throw new Error(JSON.stringify(answer.data)); }

await walk("orval", {
  create: async (name) => {
    const answer = await createInstruction("sic-inst", order(name), maker);
    return answer.status === 200 ? made(answer.data.transaction) : refused(answer);
  },
  approve: async ({ internalId, contentHash }) => {
    const answer = await decideInstructionOfAnyScheme(
      { identifiers: { internalId }, ApprovalDetails: { action: "approve", contentHash } }, checker);
    if (answer.status !== 200) refused(answer);
  },
  state: async (internalId) => {
    const answer = await getTransaction(internalId, maker);
    return answer.status === 200 ? stateOf(answer.data) : refused(answer);
  },
  recall: async (internalId, externalId) => {
    const answer = await createRecall("sic-inst", { identifiers: { internalId, externalId }, RecallDetails: { reason: "DUPL" } }, maker);
    return answer.status === 200 ? made(answer.data.transaction) : refused(answer);
  },
  events: async (type) => {
    const answer = await listEvents({ type: [type], limit: 1000 }, maker);
    return answer.status === 200 ? answer.data.events.flatMap((e) => e.transaction ? [e.transaction.internalId] : []) : refused(answer);
  },
});
