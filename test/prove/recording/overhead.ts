// Processor time of a call with a recorder, as a ratio to one without: calls in turns, over HTTP to a
// server in another process, so that only the client's time counts.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Client, createClient, productionRateLimits } from 'paystate';
import { createRecorder, makeInvoice } from 'paystate/testing';

const TURNS = 20_000;
const WARM_UP = 2_000;

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

/** Microseconds of processor time of one call. */
async function timeOf(client: Client): Promise<number> {
  const begun = process.cpuUsage();
  await client.invoices.get(invoiceId);
  const { user, system } = process.cpuUsage(begun);
  return user + system;
}

/** The mean without the dearest hundredth, in which the process was interrupted. */
function meanOf(times: readonly number[]): number {
  const kept = [...times]
    .sort((one, other) => one - other)
    .slice(0, Math.ceil(times.length * 0.99));
  return kept.reduce((sum, time) => sum + time, 0) / kept.length;
}

const medianOf = (times: readonly number[]): number =>
  [...times].sort((one, other) => one - other)[times.length >> 1]!;

/** Times of each client's calls, which take turns in an order that chance draws. */
async function timesOf(clients: readonly Client[]): Promise<readonly (readonly number[])[]> {
  const times = clients.map((): number[] => []);
  for (let turn = -WARM_UP; turn < TURNS; turn++) {
    const order = [...clients.keys()].sort(() => Math.random() - 0.5);
    for (const index of order) {
      const time = await timeOf(clients[index]!);
      if (turn >= 0) times[index]!.push(time);
    }
  }
  return times;
}

/** Prints what recording adds to a call, and returns whether it is within 2 %. */
export async function measureOverhead(): Promise<boolean> {
  const { child, baseUrl } = await startServer();
  try {
    const options = { baseUrl, apiKey: 'KEY-OF-THE-BENCH', rateLimits };
    const recorder = createRecorder();
    const recorded = createClient({ ...options, ...recorder.clientOptions });
    recorder.attach(recorded);
    const clients = [createClient(options), recorded, createClient(options)];
    const [plain = [], own = [], other = []] = await timesOf(clients);
    const base = [...plain, ...other];
    const percent = (part: number, whole: number): string =>
      `${((part / whole - 1) * 100).toFixed(1)} %`;
    console.log(`a call without a recorder: ${medianOf(base).toFixed(0)} µs of processor time`);
    for (const [name, of] of Object.entries({ median: medianOf, mean: meanOf }))
      console.log(
        `${name}: ${percent(of(own), of(base))} more with a recorder; two equal clients differ ` +
          `by ${percent(of(plain), of(other))}`,
      );
    const bytes = new TextEncoder().encode(JSON.stringify(await recorder.recording())).length;
    console.log(`${TURNS} calls of each; the recording is ${bytes} bytes`);
    return medianOf(own) <= medianOf(base) * 1.02 && bytes <= 256_000;
  } finally {
    child.kill();
  }
}
