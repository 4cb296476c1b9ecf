// The way of a payment that each generated client takes: create, approve, settled, recall, answer.
export interface Made { internalId: string; contentHash: string; state: string }

export interface Calls {
  create(name: string): Promise<Made>;
  approve(made: Made): Promise<void>;
  state(internalId: string): Promise<string>;
  recall(internalId: string, name: string): Promise<Made>;
  events(type: "message.settled" | "recall.answered"): Promise<string[]>;
}

export const people = {
  grant_type: "password" as const, client_id: "demo-backoffice", client_secret: "demo-secret", password: "countersign-demo",
};

export function order(name: string) {
  const today = new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Zurich" }).format(new Date());
  return {
    identifiers: { externalId: name },
    Document: { CstmrCdtTrfInitn: {
      GrpHdr: { MsgId: name, CreDtTm: new Date().toISOString(), NbOfTxs: "1", CtrlSum: "199.20", InitgPty: { Nm: "Muster AG" } },
      PmtInf: [{
        PmtInfId: "P-1", PmtMtd: "TRF" as const, PmtTpInf: { LclInstrm: { Cd: "INST" } }, ReqdExctnDt: { Dt: today },
        Dbtr: { Nm: "Muster AG" }, DbtrAcct: { Id: { IBAN: "CH5021977000004331346" } },
        DbtrAgt: { FinInstnId: { ClrSysMmbId: { ClrSysId: { Cd: "CHBCC" }, MmbId: "21977" } } },
        CdtTrfTxInf: [{
          PmtId: { InstrId: "I-1", EndToEndId: "E-1" }, Amt: { InstdAmt: { Ccy: "CHF", value: "199.20" } },
          Cdtr: { Nm: "Peter Haller", PstlAdr: { TwnNm: "Zuerich", Ctry: "CH" } },
          CdtrAcct: { Id: { IBAN: "CH4821966000009613388" } }, RmtInf: { Ustrd: ["Invoice 118"] },
        }],
      }],
    } },
  };
}

// A transaction is read as JSON, or as a page for print.
export function stateOf(answer: string | { transaction: { state: string } }): string {
  if (typeof answer === "string") throw new Error("the answer is no JSON");
  return answer.transaction.state;
}

export function base(): string {
  const given = (globalThis as unknown as { process: { argv: string[] } }).process.argv[2];
  if (given === undefined) throw new Error("the address of the gateway is missing");
  return given;
}

export async function walk(client: string, calls: Calls): Promise<void> {
  const until = async (id: string, state: string, type: "message.settled" | "recall.answered") => {
    for (let i = 0; i < 300; i++) {
      if (await calls.state(id) === state && (await calls.events(type)).includes(id)) return;
      await new Promise((done) => setTimeout(done, 100));
    }
    throw new Error(`${client}: ${id} is ${await calls.state(id)}, not ${state}`);
  };
  const name = `${client}-${Date.now()}`;
  const made = await calls.create(name);
  if (made.state !== "Approval Pending") throw new Error(`${client}: the new payment is ${made.state}`);
  await calls.approve(made);
  await until(made.internalId, "Settled", "message.settled");
  const recall = await calls.recall(made.internalId, `${name}-r`);
  await calls.approve(recall);
  await until(recall.internalId, "Accepted", "recall.answered");
  console.log(`${client}: created, approved, settled, recalled, answered`);
}
