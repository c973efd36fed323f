// T9: every operation × 500 awkward texts, in every place that takes a text. What is sent keeps its form: origin,
// segments, query names, the tree of the filter, headers, the members of the body. Or nothing is sent and the error is typed.
import { AssertionError, deepStrictEqual, ok, strictEqual } from 'node:assert';
import { createClient, type Fetch, isPaystateError } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { awkward } from './awkward.ts';
import { type Place, placesOf } from './methods.ts';
import { NO_LIMITS, partOf, report } from './report.ts';

const BASE = 'https://pay.example/relay';
const HEADERS = ['accept', 'authorization', 'content-type', 'idempotency-key'];
const LONGEST_MESSAGE = 500;

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

let sent: Sent[] = [];
let wanted = 'GET';
const fetch: Fetch = async (url, init) => {
  const method = init?.method ?? 'GET';
  const body = typeof init?.body === 'string' ? init.body : undefined;
  const headers = Object.fromEntries(new Headers(init?.headers));
  sent.push({ url: `${url}`, method, body, headers });
  // A command may look first whether there is anything.
  if (method === 'GET' && wanted !== 'GET') return new Response('[]');
  return new Response('{"data":{"code":"NOT_FOUND"}}', { status: 404 });
};
const client = createClient({
  ...createSandbox({ signed: false }).clientOptions,
  apiKey: 'K',
  baseUrl: BASE,
  fetch,
  rateLimits: NO_LIMITS,
  maxAttempts: 1,
});

/** The words of a filter with its texts taken out; fails where a text does not end. */
function treeOf(filter: string): readonly string[] {
  const words = filter.replace(/'(?:[^']|'')*'/g, 'TEXT');
  ok(!words.includes("'"), `a text stays open: ${filter}`);
  return words.replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/gi, 'TIME').split(/\s+/);
}

const textsOf = (filter: string): readonly string[] =>
  (filter.match(/'(?:[^']|'')*'/g) ?? []).map((text) => text.slice(1, -1).replaceAll("''", "'"));

/** Calls, and returns the request of the place's own row, if there was one. */
async function run({ row, call }: Place, text: string): Promise<Sent | undefined> {
  [sent, wanted] = [[], row.method];
  try {
    await call(client, text);
  } catch (thrown) {
    ok(isPaystateError(thrown), `not one of ours: ${thrown}`);
    ok(thrown.message.length < LONGEST_MESSAGE, 'a message as long as what was given');
  }
  return sent.find(({ method }) => method === row.method);
}

/** The types of a value and of its members. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member)]));
}

function checkAddress(request: Sent, usual: Sent, { row, slot, what }: Place, text: string): void {
  const [url, plain] = [new URL(request.url), new URL(usual.url)];
  const [path, query] = request.url.split('?');
  const href = query === undefined ? path : `${path}?${query.replaceAll("'", '%27')}`;
  strictEqual(url.href, href, 'an address that a URL changes');
  deepStrictEqual([url.origin, url.hash, request.method], [plain.origin, '', usual.method]);
  const template = `/relay${row.path}`.split('/');
  const segments = url.pathname.split('/');
  strictEqual(segments.length, template.length, 'segments');
  for (const [at, segment] of template.entries()) {
    const isOwn = slot === 'segment' && segment === `{${what}}`;
    const id = isOwn ? text : 'x';
    strictEqual(decodeURIComponent(segments[at]!), segment.startsWith('{') ? id : segment);
  }
  const names = (one: URL): readonly string[] => [...one.searchParams.keys()];
  deepStrictEqual(names(url), names(plain), 'names in the query');
  if (slot === 'query') ok(url.searchParams.getAll(row.query![what]!).includes(text));
  const filter = url.searchParams.get('$filter');
  if (filter === null) return;
  deepStrictEqual(treeOf(filter), treeOf(plain.searchParams.get('$filter')!));
  if (slot === 'filter' && textsOf(filter).length > 0) ok(textsOf(filter).includes(text));
}

type Json = Readonly<Record<string | number, unknown>>;

function checkRequest(request: Sent, usual: Sent, place: Place, text: string): void {
  checkAddress(request, usual, place, text);
  const { headers } = request;
  deepStrictEqual(Object.keys(headers), Object.keys(usual.headers));
  ok(Object.keys(headers).every((name) => HEADERS.includes(name)));
  strictEqual(headers['authorization'], 'Bearer K');
  if (place.slot === 'key') strictEqual(headers['idempotency-key'], text);
  if (usual.body === undefined) return;
  const body: unknown = JSON.parse(request.body!);
  deepStrictEqual(shapeOf(body), shapeOf(JSON.parse(usual.body)));
  if (place.slot !== 'body') return;
  strictEqual(
    place.what.reduce<unknown>((value, key) => (value as Json)[key], body),
    text,
  );
}

/** Something that every check of the place lets through, to hold the others against. */
const PLAIN = [
  'x',
  '1.00',
  'USD',
  '2026-03-04T09:15:00Z',
  'https://shop.example',
  'a'.repeat(64),
  '1990-01-01',
  'ada@mail.example',
  '0b9e6a52-7c1d-4f0e-9a57-3d2f1c8b4e11',
  'SELF_CUSTODY_WALLET',
  'v1',
  '0123456789abcdef',
  'invoice.created',
];

async function usualOf(place: Place): Promise<Sent | undefined> {
  for (const text of PLAIN) {
    const first = await run(place, text);
    if (first) return first;
  }
  return undefined;
}

function wordsOf(thrown: unknown): string {
  if (!(thrown instanceof AssertionError)) return `${thrown}`;
  const values = JSON.stringify([thrown.actual, thrown.expected]).slice(0, 200);
  return `${thrown.message.split('\n')[0]} ${values}`;
}

const texts = partOf(awkward());
const places = placesOf(client);
const counts = {
  methods: new Set(places.map(({ name }) => name)).size,
  places: places.length,
  texts: texts.length,
  calls: 0,
  sent: 0,
};
const failures: string[] = [];
const membersOfObjects = (): string => Reflect.ownKeys(Object.prototype).map(String).join();
const before = membersOfObjects();
for (const place of places) {
  const usual = await usualOf(place);
  if (!usual) {
    failures.push(`${place.name} ${place.what}: nothing is ever sent`);
    continue;
  }
  for (const text of place.slot === 'none' ? [] : texts) {
    counts.calls++;
    try {
      const request = await run(place, text);
      if (request) checkRequest(request, usual, place, text);
      counts.sent += request ? 1 : 0;
    } catch (thrown) {
      const given = JSON.stringify(text).slice(0, 60);
      failures.push(`${place.name} ${place.slot} ${place.what} ${given}: ${wordsOf(thrown)}`);
    }
  }
}
if (membersOfObjects() !== before) failures.push('Object.prototype has changed');
report('T9 arguments', counts, failures);
