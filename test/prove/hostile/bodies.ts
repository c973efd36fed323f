// T8: hostile answers as success, as refusal and as webhook, in a process with 256 MB. Nothing
// crashes or hangs, every failure is typed and keeps its status, memory stays below the cap on
// bodies and 64 MB.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Client, createClient, hasCode, isPaystateError } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { signWebhook } from 'paystate/testing';
import { verifyWebhook } from 'paystate/webhooks';
import { type Place, placesOf } from './methods.ts';
import { NO_LIMITS, part, partOf, report } from './report.ts';
import { deepBodies, GOOD, oddBodies, smallBodies } from './texts.ts';

const MEGABYTE = 1_000_000;
const CAP = 5 * MEGABYTE;
/** Bytes beyond the cap that may be asked for, and megabytes that may be held. */
const BEYOND_CAP = 200_000;
const MOST_ABOVE_MB = 64;
const CALL_TIMEOUT_MS = 9_000;
const SLACK_MS = 100;
const LONGEST_MESSAGE = 5_000;
const STATUSES = [400, 401, 403, 404, 409, 422, 429, 500, 503];
const SECRET = 'secret-of-a-test';

const counts = {
  kinds: 0,
  answers: 0,
  values: 0,
  errors: 0,
  webhooks: 0,
  'MB at most above the beginning': 0,
};
const failures: string[] = [];
const world = createSandbox({ signed: false });
// Reading a body takes virtual time here.
const clock = { ...world.clock, external: <T>(work: Promise<T>): Promise<T> => work };
let respond = (): Response => new Response();
const openClient = (): Client =>
  createClient({
    ...world.clientOptions,
    clock,
    rateLimits: NO_LIMITS,
    maxAttempts: 1,
    callTimeout: CALL_TIMEOUT_MS,
    queueTimeout: CALL_TIMEOUT_MS,
    fetch: async () => respond(),
  });
let client = openClient();
const reads = placesOf(client).filter(
  ({ row, slot, name }) =>
    row.method === 'GET' && (slot === 'none' || slot === 'segment') && !name.endsWith('.feed'),
);
const writes = placesOf(client).filter(
  ({ row, slot }) => row.method !== 'GET' && slot === 'segment',
);

process.on('unhandledRejection', (reason) => failures.push(`nobody heard: ${reason}`));

function memory(): number {
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return (heapUsed + external + arrayBuffers) / MEGABYTE;
}
let start = Infinity;
let peak = 0;

/** Returns the fault of a call's error, if it has one. */
function faultOf(thrown: unknown, status: number | undefined): string | undefined {
  if (!isPaystateError(thrown)) return `${thrown}`;
  if (status !== undefined && thrown.status !== status)
    return `${status} became ${thrown.status} ${thrown.code}`;
  const { length } = thrown.message;
  return length > LONGEST_MESSAGE ? `a message of ${length} letters` : undefined;
}

/** Calls; resolves to what it was rejected with. */
async function call(name: string, place: Place, status: number | undefined): Promise<unknown> {
  const begun = clock.monotonic();
  const fail = (what: string): void => void failures.push(`${place.name} ${name}: ${what}`);
  let rejection: unknown;
  counts.answers++;
  try {
    await world.run((async () => place.call(client, 'x'))(), { timeout: 60_000 });
    counts.values++;
    if (status !== undefined && status >= 300) fail(`${status} became a value`);
  } catch (thrown) {
    rejection = thrown;
    counts.errors++;
    const fault = faultOf(thrown, status);
    if (fault) fail(fault);
  }
  const took = clock.monotonic() - begun;
  if (took > CALL_TIMEOUT_MS + SLACK_MS) fail(`it took ${took} ms`);
  if (status === 429) client = openClient(); // the other one waits for a minute
  peak = Math.max(peak, memory() - start);
  return rejection;
}

const head = (status: number): ResponseInit => ({
  status,
  headers: { 'content-type': 'application/json' },
});
const pick = <T>(list: readonly T[], at: number): T => list[at % list.length]!;

/** A body as success of one read, and as a refusal of one read and one command. */
async function tryText(text: string, at: number, everywhere = false): Promise<void> {
  counts.kinds++;
  const name = JSON.stringify(text.slice(0, 50));
  respond = () => new Response(text, head(200));
  for (const place of everywhere ? reads : [pick(reads, at)]) await call(name, place, undefined);
  const status = pick(STATUSES, at);
  respond = () => new Response(text, head(status));
  await call(name, pick(reads, at + 1), status);
  await call(name, pick(writes, at), status);
}

async function tryWebhook(text: string): Promise<void> {
  counts.webhooks++;
  const request = new Request('https://shop.example/hook', {
    method: 'POST',
    body: text,
    headers: { 'x-webhook-signature': await signWebhook(text, SECRET) },
  });
  await verifyWebhook(request, SECRET).catch((thrown: unknown) => {
    if (!isPaystateError(thrown)) failures.push(`webhook ${text.slice(0, 50)}: ${thrown}`);
  });
}

/** Bytes that streams were asked for. */
let given = 0;

interface StreamOptions {
  /** One byte each second, for ever if need be. */
  readonly slowly?: boolean;
  /** It breaks at its end. */
  readonly fails?: boolean;
  readonly first?: string;
}
const CHUNK = 65_536;

/** A stream of this number of bytes. */
function stream(size: number, options: StreamOptions = {}): ReadableStream<Uint8Array> {
  const { slowly = false, fails = false, first = '' } = options;
  let left = size;
  const source: UnderlyingDefaultSource<Uint8Array> = {
    start: (to) => void (first && to.enqueue(new TextEncoder().encode(first))),
    async pull(to) {
      if (slowly) await clock.wait(1_000);
      if (left <= 0) return fails ? to.error(new Error('cut')) : to.close();
      const length = slowly ? 1 : Math.min(CHUNK, left);
      left -= length;
      given += length;
      to.enqueue(new Uint8Array(length).fill(0x61));
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}

const BYTES = [
  [0xff, 0xfe, 0x7b],
  [0xc3, 0x28],
  [0xed, 0xa0, 0x80],
  [0xf8, 0x88, 0x80, 0x80, 0x80],
  [0x00],
  [0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d],
];
const SIZES = [CAP - 1, CAP, CAP + 1, 8 * MEGABYTE, 16 * MEGABYTE, 64 * MEGABYTE];
const sizes = SIZES.slice(0, part === 1 ? SIZES.length : 4);

interface HostileStream {
  readonly name: string;
  readonly make: () => BodyInit;
  /** It has more bytes than may be read. */
  readonly isTooLong: boolean;
}

const named = (name: string, make: () => BodyInit, isTooLong = false): HostileStream => ({
  name,
  make,
  isTooLong,
});

const STREAMS: readonly HostileStream[] = [
  ...sizes.map((size) => named(`${size} bytes`, () => stream(size), size > CAP)),
  ...sizes.map((size) =>
    named(`a text of ${size} bytes`, () => stream(size, { first: '"' }), size > CAP),
  ),
  named('a drop a second', () => stream(1e9, { slowly: true })),
  named('a drop a second after a good beginning', () => stream(1e9, { slowly: true, first: GOOD })),
  named('cut', () => stream(100_000, { fails: true })),
  named('cut after a whole body', () => stream(0, { fails: true, first: GOOD })),
  named('never ends', () => new ReadableStream({})),
  ...BYTES.map((bytes) => named(`bytes ${bytes.join()}`, () => new Uint8Array(bytes))),
];

async function tryStreams(): Promise<void> {
  globalThis.gc?.();
  start = memory();
  for (const [at, { name, make, isTooLong }] of STREAMS.entries()) {
    counts.kinds++;
    for (const status of [200, 422, 500]) {
      const expected = status === 200 ? undefined : status;
      respond = () => new Response(make(), head(status));
      globalThis.gc?.();
      given = 0;
      const rejection = await call(name, pick(reads, at), expected);
      if (isTooLong && !hasCode(rejection, 'RESPONSE_TOO_LARGE'))
        failures.push(`${name}: was read to its end`);
      if (given > CAP + BEYOND_CAP) failures.push(`${name}: ${given} bytes were asked for`);
      await call(name, pick(writes, at), expected);
    }
  }
}

async function main(): Promise<void> {
  for (const [at, text] of [...oddBodies(), ...partOf(smallBodies())].entries()) {
    await tryText(text, at, part === 1);
    await tryWebhook(text);
  }
  for (const [at, make] of deepBodies(part === 1 ? 1e6 : 1e5).entries()) {
    const text = make();
    await tryText(text, at);
    await tryWebhook(text);
  }
  await tryStreams();
  if ('polluted' in {} || Object.keys(Object.prototype).length > 0)
    failures.push('Object.prototype has changed');
  counts['MB at most above the beginning'] = Math.round(peak);
  if (peak > CAP / MEGABYTE + MOST_ABOVE_MB)
    failures.push(`${Math.round(peak)} MB more than at the beginning`);
  report('T8 bodies', counts, failures);
}

if (process.execArgv.some((flag) => flag.startsWith('--max-old-space-size'))) await main();
else {
  const script = fileURLToPath(import.meta.url);
  const flags = ['--max-old-space-size=256', '--expose-gc'];
  const { status } = spawnSync(process.execPath, [...flags, script, ...process.argv.slice(2)], {
    stdio: 'inherit',
    timeout: 300_000,
  });
  process.exitCode = status ?? 1;
}
