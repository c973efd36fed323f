// What it takes to load entries in Node, beside peers and beside Node's own fetch, each in a process of its own; what
// a client takes to make; and what a Worker with a client takes to start.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createClient, createConnection } from 'paystate';
import { inTurns, median, rounded, type Taken } from './measure.ts';

const ROUNDS = 11;
const here = fileURLToPath(new URL('.', import.meta.url));
const peers = fileURLToPath(new URL('peers/', import.meta.url));

interface Loaded {
  readonly code: string;
  readonly from: string;
}

const ours = (entry: string): Loaded => ({ code: `import '${entry}';`, from: here });
const peer = (name: string): Loaded => ({ code: `import '${name}';`, from: peers });

/** The first one is what all are compared with. */
const LOADED: Readonly<Record<string, Loaded>> = {
  'platform fetch': { code: 'globalThis.fetch; globalThis.Response;', from: here },
  nothing: { code: '', from: here },
  paystate: ours('paystate'),
  'paystate/webhooks': ours('paystate/webhooks'),
  'paystate/operations/invoices': ours('paystate/operations/invoices'),
  'paystate/flows': ours('paystate/flows'),
  'paystate/sandbox': ours('paystate/sandbox'),
  ofetch: peer('ofetch'),
  ky: peer('ky'),
  axios: peer('axios'),
  'stripe-node': peer('stripe'),
  'openai-node': peer('openai'),
};

/** Prints the milliseconds of processor time that the process has used when everything is loaded. */
const REPORT =
  'const u = process.cpuUsage(); process.stdout.write(`${(u.user + u.system) / 1e3}`);';

/** Milliseconds of processor time of a whole process that loads this. */
function load({ code, from }: Loaded): number {
  const program = ['--input-type=module', '--eval', `${code}\n${REPORT}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, program, {
    cwd: from,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout);
}

export interface Start {
  /** Milliseconds of the process, and how many times those of one that only touches `fetch`. */
  readonly loads: Readonly<Record<string, Taken>>;
  /** Microseconds, and how many times those of a connection. */
  readonly clients: Readonly<Record<string, Taken>>;
}

export async function measureStart(): Promise<Start> {
  const names = Object.keys(LOADED);
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = -1; round < ROUNDS; round++)
    for (const name of names) {
      const time = load(LOADED[name]!);
      if (round >= 0) times.get(name)!.push(time);
    }
  const first = times.get(names[0]!)!;
  const loads: Record<string, Taken> = {};
  console.log(
    'a process that loads this; milliseconds of processor time, and times one with fetch',
  );
  for (const [name, all] of times) {
    const ratio = rounded(median(all.map((time, round) => time / first[round]!)), 2);
    loads[name] = [rounded(median(all), 1), ratio];
    console.log(
      `  ${name.padEnd(30)}${median(all).toFixed(0).padStart(6)}   ${ratio.toFixed(2)} ×`,
    );
  }
  return { loads, clients: await measureClients() };
}

async function measureClients(): Promise<Readonly<Record<string, Taken>>> {
  const options = { baseUrl: 'https://service.invalid', apiKey: 'KEY' };
  const clients = await inTurns(
    {
      'new Headers': () => new Headers({ accept: 'application/json', authorization: 'Bearer KEY' }),
      createConnection: () => createConnection(options),
      createClient: () => createClient(options),
      'createClient, one resource used': () => createClient(options).invoices,
    },
    { rounds: 61, count: 500, warm: 10 },
  );
  console.log('a client; microseconds of processor time, and times new Headers');
  for (const [name, [time, ratio]] of Object.entries(clients))
    console.log(`  ${name.padEnd(34)}${time.toFixed(1).padStart(6)}   ${ratio.toFixed(2)} ×`);
  return clients;
}
