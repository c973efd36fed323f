// Pays a list from a file. If you kill it and start it again, each row is still paid once.
//   deno run --allow-net=HOST:PORT --allow-read=. --allow-write=. demo/deno/payouts.ts http://HOST:PORT KEY LIST.csv
import { createClient } from 'paystate';
import { applyPlan, formatReport, parseRows, type Plan, plan } from 'paystate/flows';
import { fileStore } from 'paystate/stores/file';

declare const Deno: {
  readonly args: readonly string[];
  readTextFile(path: string): Promise<string>;
  writeTextFile(path: string, text: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
};

/** Writes the file at once, because the next start couldn't read a part of it. */
async function write(path: string, text: string): Promise<void> {
  await Deno.writeTextFile(`${path}.new`, text);
  await Deno.rename(`${path}.new`, path);
}

const [baseUrl, apiKey, list] = Deno.args;
if (!baseUrl || !apiKey || !list)
  throw new Error('Give the address of the service, a key and a list.');

const client = createClient({ baseUrl, apiKey });
const journal = fileStore(`${list}.journal.db`);
const rows = parseRows(await Deno.readTextFile(list), { format: 'csv' });
const common = { sourceCurrency: 'EUR', maxFee: { percent: '2' } } as const;

/** Every start applies the agreed plan. A list that has changed needs a new plan. */
const kept = await Deno.readTextFile(`${list}.plan.json`).catch(() => undefined);
const known = kept === undefined ? undefined : (JSON.parse(kept) as { rows: string; made: Plan });
const isSame = known?.rows === JSON.stringify(rows);
const made = isSame ? known.made : await plan(client, rows, { journal, ...common });
for (const { row, text } of made.problems)
  console.log(`Problem${row ? ` in row ${row}` : ''}: ${text}`);
if (made.problems.length > 0) throw new Error('Nothing was paid.');
if (!isSame) await write(`${list}.plan.json`, JSON.stringify({ rows: JSON.stringify(rows), made }));

for (const { amount, currency } of made.totals) console.log(`To pay: ${amount} ${currency}`);
const run = applyPlan(client, made, { journal });
run.subscribe(({ done, total }) => console.log(`${done} of ${total}`));
console.log(formatReport(await run.result));
