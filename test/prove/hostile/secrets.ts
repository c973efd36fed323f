// T10: a canary in every place that holds a secret, every operation driven through every kind of failure. What is thrown,
// shown, logged, cloned or printed is searched for the canaries in every form; a child process prints all of it.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { type ClientOptions, createClient } from 'paystate';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { memoryInboxStore } from 'paystate/stores';
import { createRecorder } from 'paystate/testing';
import { createInbox, type InboxOptions, verifyWebhook } from 'paystate/webhooks';
import { type Place, placesOf } from './methods.ts';
import { NO_LIMITS, partOf, report } from './report.ts';

const CANARIES = {
  apiKey: 'K3y-C4n4ry/+=_0123456789',
  token: 'T0k3n.C4n4ry-+/=9876543210',
  provider: 'Pr0v1d3r~C4n4ry*55501234',
  webhook: 'wh-s3cr3t-C4n4ry-77012345',
  body: 'B0dy-s3cr3t-C4n4ry-3141592',
};

/** Base64 in each of its three alignments, without the edges that depend on neighbours. */
const base64Of = (text: string): readonly string[] =>
  [0, 1, 2].map((before) =>
    Buffer.from('\0'.repeat(before) + text)
      .toString('base64')
      .slice(before + 2, -4),
  );

/** Forms in which a secret may be seen. */
function formsOf(text: string): ReadonlySet<string> {
  const base64 = base64Of(text);
  const forms = [
    text,
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
    encodeURIComponent(text),
    Buffer.from(text).toString('hex'),
    text.slice(0, 8),
    [...text].reverse().join(''),
  ];
  return new Set(forms.flatMap((form) => [form, form.toLowerCase(), form.toUpperCase()]));
}

/** Returns the text of a view; nothing where it throws. */
function viewed(view: () => string | undefined): string {
  try {
    return view() ?? '';
  } catch {
    return '';
  }
}
const cloned = (value: unknown): string =>
  viewed(() => inspect(structuredClone(value), { depth: 12 }));

/** All that can be seen of a value. */
function seenOf(value: unknown): string {
  const { stack = '', cause } = Object(value) as { readonly stack?: string; cause?: unknown };
  return [
    inspect(value, { depth: 12, showHidden: true, getters: true }),
    `${value}`,
    viewed(() => JSON.stringify(value)),
    cloned(value),
    cloned({ ...Object(value) }),
    stack,
    inspect(cause),
    inspect(Object.getOwnPropertyDescriptors(Object(value))),
  ].join('\n');
}

type Answer = (init: RequestInit) => Response | Promise<Response>;
const headersIn = ({ headers }: RequestInit): string =>
  inspect(Object.fromEntries(new Headers(headers)));
const authorizationIn = ({ headers }: RequestInit): string =>
  String(new Headers(headers).get('authorization'));

const FAILURES: Readonly<Record<string, Answer>> = {
  'a 401': () => new Response('{"data":{"code":"UNAUTHORIZED","message":"x"}}', { status: 401 }),
  'a 422': () => new Response('{"data":{"code":"BALANCE_TOO_LOW"}}', { status: 422 }),
  'a 500': () => new Response('{"data":{"code":"INTERNAL_SERVER_ERROR"}}', { status: 500 }),
  'an unreadable answer': () => new Response('{"state":7}'),
  'no JSON': () => new Response('x'),
  'a redirect': () =>
    new Response(null, { status: 302, headers: { location: 'https://evil.example' } }),
  'an echo': (init) => new Response(headersIn(init)),
  'an echo that refuses': (init) => new Response(`<p>${headersIn(init)}</p>`, { status: 502 }),
  'a throw that tells': (init) => {
    const text = `Headers.append: "${authorizationIn(init)}" is an invalid header value`;
    throw new TypeError(text, { cause: init });
  },
  'a rejection that tells': (init) =>
    Promise.reject(Object.assign(new Error(inspect(init)), { request: init, cause: init })),
  'an abort that tells': (init) =>
    Promise.reject(new DOMException(authorizationIn(init), 'AbortError')),
};

const CREDENTIALS: Readonly<Record<string, Pick<ClientOptions, 'apiKey' | 'token'>>> = {
  apiKey: { apiKey: CANARIES.apiKey },
  token: { token: CANARIES.token },
  provider: { token: async () => CANARIES.provider },
  'provider that fails': { token: () => Promise.reject(new Error(CANARIES.provider)) },
  'provider of nonsense': { token: async () => `${CANARIES.provider}\n` },
};

const counts = {
  methods: 0,
  failures: Object.keys(FAILURES).length,
  credentials: Object.keys(CREDENTIALS).length,
  errors: 0,
  views: 0,
  recorded: 0,
};

/** One place of each operation is enough: the way to the wire is one. */
function oneOfEach(places: readonly Place[]): readonly Place[] {
  const byName = new Map(
    places.filter(({ name }) => !name.endsWith('.feed')).map((place) => [place.name, place]),
  );
  return partOf([...byName.values()]);
}

/** Drives operations with one credential through one failure, and prints all that can be seen. */
async function driveOne(world: Sandbox, who: string, how: string): Promise<void> {
  const { apiKey: _own, ...connection } = world.clientOptions;
  const note = (view: unknown): void => {
    counts.views++;
    console.log(seenOf(view));
  };
  const answer = FAILURES[how]!;
  const recorder = createRecorder({ fetch: async (_url, init = {}) => answer(init) });
  const client = createClient({
    ...connection,
    ...CREDENTIALS[who],
    rateLimits: NO_LIMITS,
    maxAttempts: 2,
    fetch: recorder.fetch,
    onRequest: note,
    onResponse: note,
    onRetry: note,
  });
  const places = oneOfEach(placesOf(client));
  counts.methods = places.length;
  for (const place of places) {
    const called = (async () => place.call(client, 'x'))();
    const thrown = await world.run(called).catch((reason: unknown) => reason);
    counts.errors++;
    console.log(who, how, place.name, seenOf(thrown));
    if (thrown instanceof Error) console.error(thrown);
  }
  const recording = await recorder.recording();
  counts.recorded += recording.exchanges.length + recording.dropped;
  console.log(JSON.stringify(recording));
  const views = [seenOf(client), seenOf(client.withOptions({ maxAttempts: 1 }))];
  console.log(client, ...views, inspect(client, { depth: 12, showHidden: true }));
}

async function driveWebhooks(): Promise<void> {
  const secrets = ['', CANARIES.webhook, [CANARIES.webhook], `${CANARIES.webhook}\n`];
  for (const given of secrets)
    for (const body of ['{}', CANARIES.body, `{"id":"${CANARIES.body}"}`]) {
      const request = new Request('https://shop.example/hook', {
        method: 'POST',
        body,
        headers: { 'x-webhook-signature': 'ab'.repeat(32) },
      });
      const thrown = await verifyWebhook(request, given).catch((reason: unknown) => reason);
      counts.errors++;
      console.log(seenOf(thrown));
    }
  const client = createClient(createSandbox().clientOptions);
  const store = memoryInboxStore({ mayForget: true });
  console.log(seenOf(createInbox({ client, secrets: [CANARIES.webhook], store, on: {} })));
  showMade(() => createInbox({ client, secrets: [`${CANARIES.webhook}\n`], store, on: {} }));
  const withoutStore: object = { client, secrets: [CANARIES.webhook], on: {} };
  // only JavaScript can leave the store out
  showMade(() => createInbox(withoutStore as InboxOptions<unknown>));
}

/** Prints what is made, or what is thrown instead. */
function showMade(make: () => unknown): void {
  try {
    console.log(seenOf(make()));
  } catch (thrown) {
    counts.errors++;
    console.log(seenOf(thrown));
  }
}

/** Options that are wrong; some are of types that only JavaScript can give. */
const WRONG_OPTIONS: readonly object[] = [
  { apiKey: `${CANARIES.apiKey}\n` },
  { token: ` ${CANARIES.token}` },
  { apiKey: CANARIES.apiKey, token: CANARIES.token },
  { apiKey: { key: CANARIES.apiKey } },
  { apiKey: CANARIES.apiKey, attempts: -1 },
  { baseUrl: `https://user:${CANARIES.apiKey}@pay.example` },
];

function driveOptions(): void {
  const baseUrl = 'https://pay.example';
  for (const options of WRONG_OPTIONS)
    showMade(() => createClient({ baseUrl, ...options } as ClientOptions));
}

/** Drives everything, in a child process. */
async function drive(): Promise<void> {
  const world = createSandbox({ signed: false });
  for (const who of Object.keys(CREDENTIALS))
    for (const how of Object.keys(FAILURES)) await driveOne(world, who, how);
  await driveWebhooks();
  driveOptions();
  console.log(`COUNTS ${JSON.stringify(counts)}`);
}

/** Searches what a child process has printed. */
function search(): void {
  const script = fileURLToPath(import.meta.url);
  const args = [script, '--child', ...process.argv.slice(2)];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    timeout: 300_000,
  });
  const output = stdout + stderr;
  const told = JSON.parse(/COUNTS (.*)/.exec(stdout)?.[1] ?? '{}') as Partial<typeof counts>;
  const forms = Object.entries(CANARIES).flatMap(([slot, text]) =>
    [...formsOf(text)].map((form) => ({ slot, form })),
  );
  const failures: string[] = [];
  for (const { slot, form } of forms) {
    const at = output.indexOf(form);
    if (at < 0) continue;
    const before = output.slice(Math.max(0, at - 150), at).replace(/\s+/g, ' ');
    const seen = `${form.slice(0, 3)}… (${form.length} letters)`;
    failures.push(`${slot} is seen as ${seen}: …${before}`);
  }
  if (status !== 0) failures.push(`the child ended with ${status}: ${stderr.slice(-500)}`);
  const letters = { forms: forms.length, 'letters searched': output.length };
  report('T10 secrets', { ...told, ...letters }, failures);
}

if (process.argv.includes('--child')) await drive();
else search();
