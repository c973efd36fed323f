// Processor time of a call with a recorder, as a ratio to one without: pairs of equal rounds in turns, over HTTP
// to a server in another process, so that only the client's time counts.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Client, createClient, productionRateLimits } from 'paystate';
import { createRecorder, makeInvoice, type Recorder } from 'paystate/testing';

const PAIRS = 101;
const CALLS = 300;

const SERVER = `
import { createServer } from 'node:http';
const body = process.argv[1];
const server = createServer((request, response) => {
  request.resume();
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.end(body);
}).listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

const { invoiceId, ...facts } = makeInvoice();

async function startServer(): Promise<{ readonly child: ChildProcess; readonly baseUrl: string }> {
  const body = JSON.stringify({ invoiceId, ...facts });
  const given = ['--input-type=module', '-e', SERVER, body];
  const child = spawn(process.execPath, given, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(child.stdout!, 'data')) as [Buffer];
  return { child, baseUrl: `http://127.0.0.1:${String(port).trim()}` };
}

/** Limits that this run does not reach. */
const rateLimits = Object.fromEntries(
  Object.entries(productionRateLimits).map(([bucket, limit]) => [
    bucket,
    { ...limit, limit: 1e9, window: 50 },
  ]),
);

/** Microseconds of processor time of a call. */
async function timeOf(client: Client): Promise<number> {
  const begun = process.cpuUsage();
  for (let call = 0; call < CALLS; call++) await client.invoices.get(invoiceId);
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / CALLS;
}

const at = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!;

/** Prints the median of the ratios, and whether it is within 2 %. */
export async function measureOverhead(): Promise<boolean> {
  const { child, baseUrl } = await startServer();
  try {
    const options = { baseUrl, apiKey: 'KEY-OF-THE-BENCH', rateLimits };
    const recorder: Recorder = createRecorder();
    const plain = createClient(options);
    const recorded = createClient({ ...options, ...recorder.clientOptions });
    recorder.attach(recorded);
    const other = createClient(options);
    const ratios: number[] = [];
    const noise: number[] = [];
    const times: number[] = [];
    for (let pair = -5; pair < PAIRS; pair++) {
      const order = pair % 2 ? [plain, recorded, other] : [other, recorded, plain];
      const spent = new Map<Client, number>();
      for (const client of order) spent.set(client, await timeOf(client));
      if (pair < 0) continue; // the first rounds only warm up
      const base = (spent.get(plain)! + spent.get(other)!) / 2;
      ratios.push(spent.get(recorded)! / base);
      noise.push(spent.get(plain)! / spent.get(other)!);
      times.push(base);
    }
    for (const all of [ratios, noise, times]) all.sort((one, two) => one - two);
    const percent = (ratio: number): string => `${((ratio - 1) * 100).toFixed(1)} %`;
    console.log(`a call without a recorder: ${at(times, 0.5).toFixed(0)} µs of processor time`);
    console.log(
      `with one: ${percent(at(ratios, 0.5))} more (quartiles ${percent(at(ratios, 0.25))}, ` +
        `${percent(at(ratios, 0.75))}); two equal clients differ by ${percent(at(noise, 0.5))} ` +
        `(${percent(at(noise, 0.25))}, ${percent(at(noise, 0.75))}); ${PAIRS} pairs of ${CALLS} calls`,
    );
    const bytes = JSON.stringify(await recorder.recording()).length;
    console.log(`the recording is ${bytes} bytes`);
    return at(ratios, 0.5) <= 1.02 && bytes <= 256_000;
  } finally {
    child.kill();
  }
}
