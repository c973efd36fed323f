// Pay a list from a CSV file. Read it, plan it, look at the sums, apply it. After a crash run it
// again, and nothing is paid twice.
import { type Client, createClient } from 'paystate';
import { applyPlan, formatReport, parseRows, plan } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore, type Store } from 'paystate/stores';

export async function payList(client: Client, csv: string, journal: Store): Promise<string> {
  const rows = parseRows(csv, { format: 'csv' }); // throws with line and column of each mistake
  const limits = { journal, sourceCurrency: 'EUR', maxFee: { percent: '2' } } as const;
  const planned = await plan(client, rows, limits); // asks for terms, moves nothing
  if (planned.problems.length > 0)
    throw new Error(planned.problems.map(({ text }) => text).join('\n'));
  console.log(planned.totals, planned.fees); // ask a person here
  const report = await applyPlan(client, planned, { journal }).result;
  return formatReport(report);
}

const CSV = `intent,to,amount,currency
may-ada,ada@wallet.example,12.50,EUR
may-ben,ben@wallet.example,8.00,EUR
`;

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions);
  const journal = memoryStore(); // only with a sandbox; otherwise fileStore('journal.db')
  const report = await sandbox.run(payList(client, CSV, journal));
  await sandbox.run(payList(client, CSV, journal)); // again, and nothing more is paid
  const paid = sandbox.ledger.postings.filter(({ why }) => why === 'payment COMPLETED');
  return {
    report: report.split('\n')[0]?.replace(/^.*: /, ''),
    payments: new Set(paid.map(({ entityId }) => entityId)).size,
  };
}

if (import.meta.main) console.log(await example());
