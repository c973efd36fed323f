// T8: hostile answers as success, as refusal and as webhook, in a process with 256 MB. Nothing crashes or hangs, every
// failure is typed and keeps its status, memory stays below the cap on bodies and 64 MB.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createClient, isPaystateError } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { signWebhook } from 'paystate/testing';
import { verifyWebhook } from 'paystate/webhooks';
import { placesOf } from './methods.mjs';
import { part, report } from './report.mjs';
import { deepBodies, GOOD, oddBodies, smallBodies } from './texts.mjs';

const MEGABYTE = 1_000_000;
const CAP = 5 * MEGABYTE;
const STATUSES = [400, 401, 403, 404, 409, 422, 429, 500, 503];

const counts = {
  kinds: 0,
  answers: 0,
  values: 0,
  errors: 0,
  webhooks: 0,
  'MB at most above the beginning': 0,
};
const failures = [];
const world = createSandbox({ signed: false });
// Reading a body takes virtual time here.
const clock = { ...world.clock, external: (work) => work };
const limits = Object.fromEntries(
  Object.keys(world.clientOptions.rateLimits).map((group) => [
    group,
    { limit: 1e9, window: 1, block: 1 },
  ]),
);
let respond;
const openClient = () =>
  createClient({
    ...world.clientOptions,
    clock,
    rateLimits: limits,
    maxAttempts: 1,
    callTimeout: 9_000,
    queueTimeout: 9_000,
    fetch: async (_url, init) => respond(init),
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
const memory = () => {
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return (heapUsed + external + arrayBuffers) / MEGABYTE;
};
let start = Infinity;
let peak = 0;

/** What the last call was rejected with. */
let last;

const call = async (name, place, status) => {
  last = undefined;
  const begun = clock.monotonic();
  counts.answers++;
  try {
    await world.run((async () => place.call(client, 'x'))(), { timeout: 60_000 });
    counts.values++;
    if (status >= 300) failures.push(`${place.name} ${name}: ${status} became a value`);
  } catch (thrown) {
    last = thrown;
    counts.errors++;
    if (!isPaystateError(thrown)) failures.push(`${place.name} ${name}: ${thrown}`);
    else if (status !== undefined && thrown.status !== status)
      failures.push(`${place.name} ${name}: ${status} became ${thrown.status} ${thrown.code}`);
    else if (thrown.message.length > 5_000)
      failures.push(`${place.name} ${name}: a message of ${thrown.message.length} letters`);
  }
  if (clock.monotonic() - begun > 9_100)
    failures.push(`${place.name} ${name}: it took ${clock.monotonic() - begun} ms`);
  if (status === 429) client = openClient(); // the other one waits for a minute
  peak = Math.max(peak, memory() - start);
};

const head = (status) => ({ status, headers: { 'content-type': 'application/json' } });
const pick = (list, at) => list[at % list.length];

/** A body as success of one read, and as a refusal of one read and one command. */
const tryText = async (text, at, everywhere = false) => {
  counts.kinds++;
  const name = JSON.stringify(text.slice(0, 50));
  respond = () => new Response(text, head(200));
  for (const place of everywhere ? reads : [pick(reads, at)]) await call(name, place, undefined);
  const status = pick(STATUSES, at);
  respond = () => new Response(text, head(status));
  await call(name, pick(reads, at + 1), status);
  await call(name, pick(writes, at), status);
};

const tryWebhook = async (text) => {
  counts.webhooks++;
  const signature = await signWebhook(text, 'secret-of-a-test');
  const request = new Request('https://shop.example/hook', {
    method: 'POST',
    body: text,
    headers: { 'x-webhook-signature': signature },
  });
  await verifyWebhook(request, 'secret-of-a-test').catch((thrown) => {
    if (!isPaystateError(thrown)) failures.push(`webhook ${text.slice(0, 50)}: ${thrown}`);
  });
};

/** Bytes that streams were asked for. */
let given = 0;

/** A stream of so many bytes; `slowly` gives one each second, for ever if need be. */
const stream = (size, { chunk = 65_536, slowly = false, fails = false, first = '' } = {}) => {
  let left = size;
  return new ReadableStream(
    {
      start: (to) => void (first && to.enqueue(new TextEncoder().encode(first))),
      async pull(to) {
        if (slowly) await clock.wait(1_000);
        if (left <= 0) return fails ? to.error(new Error('cut')) : to.close();
        const length = slowly ? 1 : Math.min(chunk, left);
        left -= length;
        given += length;
        to.enqueue(new Uint8Array(length).fill(0x61));
      },
    },
    { highWaterMark: 0 },
  );
};

const BYTES = [
  [0xff, 0xfe, 0x7b],
  [0xc3, 0x28],
  [0xed, 0xa0, 0x80],
  [0xf8, 0x88, 0x80, 0x80, 0x80],
  [0x00],
  [0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d],
];
const sizes = [CAP - 1, CAP, CAP + 1, 8 * MEGABYTE, 16 * MEGABYTE, 64 * MEGABYTE].slice(
  0,
  part === 1 ? 6 : 4,
);

const tryStreams = async () => {
  globalThis.gc();
  start = memory();
  const streams = [
    ...sizes.map((size) => [`${size} bytes`, () => stream(size)]),
    ...sizes.map((size) => [`a text of ${size} bytes`, () => stream(size, { first: '"' })]),
    ['a drop a second', () => stream(1e9, { slowly: true })],
    ['a drop a second after a good beginning', () => stream(1e9, { slowly: true, first: GOOD })],
    ['cut', () => stream(100_000, { fails: true })],
    ['cut after a whole body', () => stream(0, { fails: true, first: GOOD })],
    ['never ends', () => new ReadableStream({})],
    ...BYTES.map((bytes) => [`bytes ${bytes}`, () => new Uint8Array(bytes)]),
  ];
  for (const [at, [name, make]] of streams.entries()) {
    counts.kinds++;
    const isTooLong = Number.parseInt(name.replace(/\D+/, ''), 10) > CAP;
    for (const status of [200, 422, 500]) {
      respond = () => new Response(make(), head(status));
      globalThis.gc();
      given = 0;
      await call(name, pick(reads, at), status === 200 ? undefined : status);
      if (isTooLong && last?.code !== 'RESPONSE_TOO_LARGE')
        failures.push(`${name}: was read to its end`);
      if (given > CAP + 200_000) failures.push(`${name}: ${given} bytes were asked for`);
      await call(name, pick(writes, at), status === 200 ? undefined : status);
    }
  }
};

const main = async () => {
  const texts = [
    ...oddBodies(),
    ...smallBodies().filter((_, at) => part === 1 || at % Math.round(1 / part) === 0),
  ];
  for (const [at, text] of texts.entries()) {
    await tryText(text, at, part === 1);
    await tryWebhook(text);
  }
  for (const [at, make] of deepBodies(part === 1 ? 1e6 : 1e5).entries()) {
    const text = make();
    await tryText(text, at);
    await tryWebhook(text);
  }
  await tryStreams();
  if ({}.polluted !== undefined || Object.keys(Object.prototype).length > 0)
    failures.push('Object.prototype has changed');
  counts['MB at most above the beginning'] = Math.round(peak);
  if (peak > CAP / MEGABYTE + 64)
    failures.push(`${Math.round(peak)} MB more than at the beginning`);
  report('T8 bodies', counts, failures);
};

if (process.execArgv.some((flag) => flag.startsWith('--max-old-space-size'))) await main();
else {
  const { status } = spawnSync(
    process.execPath,
    [
      '--max-old-space-size=256',
      '--expose-gc',
      fileURLToPath(import.meta.url),
      ...process.argv.slice(2),
    ],
    { stdio: 'inherit', timeout: 300_000 },
  );
  process.exitCode = status ?? 1;
}
