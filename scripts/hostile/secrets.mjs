// T10: a canary in every place that holds a secret, every operation driven through every kind of failure. What is thrown,
// shown, logged, cloned or printed is searched for the canaries in every form; a child process prints all of it.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { createClient } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { createRecorder } from 'paystate/testing';
import { createInbox, verifyWebhook } from 'paystate/webhooks';
import { placesOf } from './methods.mjs';
import { part, report } from './report.mjs';

const CANARIES = {
  apiKey: 'K3y-C4n4ry/+=_0123456789',
  token: 'T0k3n.C4n4ry-+/=9876543210',
  provider: 'Pr0v1d3r~C4n4ry*55501234',
  webhook: 'wh-s3cr3t-C4n4ry-77012345',
  body: 'B0dy-s3cr3t-C4n4ry-3141592',
};

const hexOf = (text) => Buffer.from(text).toString('hex');
/** Base64 in each of its three alignments, without the edges that depend on neighbours. */
const base64Of = (text) =>
  [0, 1, 2].map((before) =>
    Buffer.from('\0'.repeat(before) + text)
      .toString('base64')
      .slice(before + 2, -4),
  );
const formsOf = (text) =>
  new Set(
    [
      text,
      ...base64Of(text),
      ...base64Of(text).map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
      encodeURIComponent(text),
      hexOf(text),
      text.slice(0, 8),
      [...text].reverse().join(''),
    ].flatMap((form) => [form, form.toLowerCase(), form.toUpperCase()]),
  );

const clone = (value) => {
  try {
    return inspect(structuredClone(value), { depth: 12 });
  } catch {
    return '';
  }
};

const json = (value) => {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
};

/** All that can be seen of a value. */
const seenOf = (value) =>
  [
    inspect(value, { depth: 12, showHidden: true, getters: true }),
    `${value}`,
    json(value),
    clone(value),
    clone({ ...value }),
    value?.stack ?? '',
    inspect(value?.cause),
    inspect(Object.getOwnPropertyDescriptors(Object(value))),
  ].join('\n');

const FAILURES = {
  'a 401': () => new Response('{"data":{"code":"UNAUTHORIZED","message":"x"}}', { status: 401 }),
  'a 422': () => new Response('{"data":{"code":"BALANCE_TOO_LOW"}}', { status: 422 }),
  'a 500': () => new Response('{"data":{"code":"INTERNAL_SERVER_ERROR"}}', { status: 500 }),
  'an unreadable answer': () => new Response('{"state":7}'),
  'no JSON': () => new Response('x'),
  'a redirect': () =>
    new Response(null, { status: 302, headers: { location: 'https://evil.example' } }),
  'an echo': (init) => new Response(inspect(Object.fromEntries(new Headers(init.headers)))),
  'an echo that refuses': (init) =>
    new Response(`<p>${inspect(Object.fromEntries(new Headers(init.headers)))}</p>`, {
      status: 502,
    }),
  'a throw that tells': (init) => {
    throw new TypeError(
      `Headers.append: "${new Headers(init.headers).get('authorization')}" is an invalid header value`,
      { cause: init },
    );
  },
  'a rejection that tells': (init) =>
    Promise.reject(Object.assign(new Error(inspect(init)), { request: init, cause: init })),
  'an abort that tells': (init) =>
    Promise.reject(
      new DOMException(String(new Headers(init.headers).get('authorization')), 'AbortError'),
    ),
};

const CREDENTIALS = {
  apiKey: { apiKey: CANARIES.apiKey },
  token: { token: CANARIES.token },
  provider: { token: async () => CANARIES.provider },
  'provider that fails': { token: () => Promise.reject(new Error(CANARIES.provider)) },
  'provider of nonsense': { token: () => `${CANARIES.provider}\n` },
};

const counts = {
  methods: 0,
  failures: Object.keys(FAILURES).length,
  credentials: Object.keys(CREDENTIALS).length,
  errors: 0,
  views: 0,
  recorded: 0,
};

const drive = async () => {
  const world = createSandbox({ signed: false });
  const limits = Object.fromEntries(
    Object.keys(world.clientOptions.rateLimits).map((group) => [
      group,
      { limit: 1e9, window: 1, block: 1 },
    ]),
  );
  const { apiKey: _own, ...connection } = world.clientOptions;
  for (const [who, credential] of Object.entries(CREDENTIALS))
    for (const [how, answer] of Object.entries(FAILURES)) {
      const note = (view) => {
        counts.views++;
        console.log(seenOf(view));
      };
      const recorder = createRecorder({ fetch: async (_url, init) => answer(init) });
      const client = createClient({
        ...connection,
        ...credential,
        rateLimits: limits,
        maxAttempts: 2,
        fetch: recorder.fetch,
        onRequest: note,
        onResponse: note,
        onRetry: note,
      });
      // One place of each operation is enough: the way to the wire is one.
      const places = [
        ...new Map(
          placesOf(client)
            .filter(({ name }) => !name.endsWith('.feed'))
            .map((place) => [place.name, place]),
        ).values(),
      ].filter((_, at) => part === 1 || at % Math.round(1 / part) === 0);
      counts.methods = places.length;
      for (const place of places) {
        const thrown = await world
          .run((async () => place.call(client, 'x'))())
          .catch((reason) => reason);
        counts.errors++;
        console.log(who, how, place.name, seenOf(thrown));
        if (thrown instanceof Error) console.error(thrown);
      }
      const recording = await recorder.recording();
      counts.recorded += recording.exchanges.length + recording.dropped;
      console.log(JSON.stringify(recording));
      console.log(
        client,
        seenOf(client),
        seenOf(client.withOptions({ maxAttempts: 1 })),
        inspect(client, { depth: 12, showHidden: true }),
      );
    }
};

const driveWebhooks = async () => {
  for (const given of ['', CANARIES.webhook, [CANARIES.webhook], `${CANARIES.webhook}\n`])
    for (const body of ['{}', CANARIES.body, `{"id":"${CANARIES.body}"}`]) {
      const request = () =>
        new Request('https://shop.example/hook', {
          method: 'POST',
          body,
          headers: { 'x-webhook-signature': 'ab'.repeat(32) },
        });
      const thrown = await verifyWebhook(request(), given).catch((reason) => reason);
      counts.errors++;
      console.log(seenOf(thrown));
    }
  try {
    const client = createClient(createSandbox().clientOptions);
    console.log(
      seenOf(createInbox({ client, secrets: [CANARIES.webhook], store: undefined, on: {} })),
    );
  } catch (thrown) {
    console.log(seenOf(thrown));
  }
};

const driveOptions = () => {
  const made = [
    { apiKey: `${CANARIES.apiKey}\n` },
    { token: ` ${CANARIES.token}` },
    { apiKey: CANARIES.apiKey, token: CANARIES.token },
    { apiKey: { key: CANARIES.apiKey } },
    { apiKey: CANARIES.apiKey, attempts: -1 },
  ];
  for (const options of made) {
    try {
      console.log(seenOf(createClient({ baseUrl: 'https://pay.example', ...options })));
    } catch (thrown) {
      counts.errors++;
      console.log(seenOf(thrown));
    }
  }
  try {
    createClient({ baseUrl: `https://user:${CANARIES.apiKey}@pay.example` });
  } catch (thrown) {
    console.log(seenOf(thrown));
  }
};

if (process.argv.includes('--child')) {
  await drive();
  await driveWebhooks();
  driveOptions();
  console.log(`COUNTS ${JSON.stringify(counts)}`);
} else {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [fileURLToPath(import.meta.url), '--child', ...process.argv.slice(2)],
    { encoding: 'utf8', maxBuffer: 2 ** 30, timeout: 300_000 },
  );
  const output = stdout + stderr;
  const told = JSON.parse(/COUNTS (.*)/.exec(stdout)?.[1] ?? '{}');
  const forms = Object.entries(CANARIES).flatMap(([slot, text]) =>
    [...formsOf(text)].map((form) => [slot, form]),
  );
  const failures = forms
    .filter(([, form]) => output.includes(form))
    .map(
      ([slot, form]) =>
        `${slot} is seen as ${form.slice(0, 3)}… (${form.length} letters): …${output.slice(output.indexOf(form) - 150, output.indexOf(form)).replace(/\s+/g, ' ')}`,
    );
  if (status !== 0) failures.push(`the child ended with ${status}: ${stderr.slice(-500)}`);
  report(
    'T10 secrets',
    { ...told, forms: forms.length, 'letters searched': output.length },
    failures,
  );
}
