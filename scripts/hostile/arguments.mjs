// T9: every operation × 500 awkward texts, in every place that takes a text. What is sent keeps its form: origin,
// segments, query names, the tree of the filter, headers, the members of the body. Or nothing is sent and the error is typed.
import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { createClient, isPaystateError } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { awkward } from './awkward.mjs';
import { placesOf } from './methods.mjs';
import { part, report } from './report.mjs';

const BASE = 'https://pay.example/relay';
const HEADERS = ['accept', 'authorization', 'content-type', 'idempotency-key'];

const sandbox = createSandbox({ signed: false });
let sent = [];
let wanted = 'GET';
const fetch = async (url, init) => {
  sent.push({
    url,
    method: init.method,
    body: init.body,
    headers: Object.fromEntries(new Headers(init.headers)),
  });
  // A command may look first whether there is anything.
  if (init.method === 'GET' && wanted !== 'GET') return new Response('[]');
  return new Response('{"data":{"code":"NOT_FOUND"}}', { status: 404 });
};
// Limits would only make it slow: nothing leaves this process.
const limits = Object.fromEntries(
  Object.keys(sandbox.clientOptions.rateLimits).map((group) => [
    group,
    { limit: 1e9, window: 1, block: 1 },
  ]),
);
const client = createClient({
  ...sandbox.clientOptions,
  apiKey: 'K',
  baseUrl: BASE,
  fetch,
  rateLimits: limits,
  maxAttempts: 1,
});

/** The words of a filter with its texts taken out; fails where a text does not end. */
const treeOf = (filter) => {
  const words = filter.replace(/'(?:[^']|'')*'/g, 'TEXT');
  ok(!words.includes("'"), `a text stays open: ${filter}`);
  return words.replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/gi, 'TIME').split(/\s+/);
};

const textsOf = (filter) =>
  (filter.match(/'(?:[^']|'')*'/g) ?? []).map((text) => text.slice(1, -1).replaceAll("''", "'"));

/** Calls, and returns the request of the place's own row, if there was one. */
const run = async ({ row, call }, text) => {
  [sent, wanted] = [[], row.method];
  try {
    await call(client, text);
  } catch (thrown) {
    ok(isPaystateError(thrown), `not one of ours: ${thrown}`);
    ok(thrown.message.length < 500, 'a message as long as what was given');
  }
  return sent.find(({ method }) => method === row.method);
};

const shapeOf = (value) =>
  value && typeof value === 'object'
    ? Array.isArray(value)
      ? value.map(shapeOf)
      : Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member)]))
    : typeof value;

const checkRequest = (request, usual, { row, slot, what }, text) => {
  const [url, plain] = [new URL(request.url), new URL(usual.url)];
  const [path, query] = request.url.split('?');
  strictEqual(
    url.href,
    query === undefined ? path : `${path}?${query.replaceAll("'", '%27')}`,
    'an address that a URL changes',
  );
  deepStrictEqual([url.origin, url.hash, request.method], [plain.origin, '', usual.method]);
  const template = `/relay${row.path}`.split('/');
  const segments = url.pathname.split('/');
  strictEqual(segments.length, template.length, 'segments');
  template.forEach((segment, at) =>
    strictEqual(
      decodeURIComponent(segments[at]),
      segment.startsWith('{')
        ? slot === 'segment' && segment === `{${what}}`
          ? text
          : 'x'
        : segment,
    ),
  );
  deepStrictEqual(
    [...url.searchParams.keys()],
    [...plain.searchParams.keys()],
    'names in the query',
  );
  if (slot === 'query') ok(url.searchParams.getAll(row.query[what]).includes(text));
  const filter = url.searchParams.get('$filter');
  if (filter !== null) deepStrictEqual(treeOf(filter), treeOf(plain.searchParams.get('$filter')));
  if (slot === 'filter' && textsOf(filter).length > 0) ok(textsOf(filter).includes(text));
  deepStrictEqual(Object.keys(request.headers), Object.keys(usual.headers));
  ok(Object.keys(request.headers).every((name) => HEADERS.includes(name)));
  strictEqual(request.headers.authorization, 'Bearer K');
  if (slot === 'key') strictEqual(request.headers['idempotency-key'], text);
  if (usual.body !== undefined)
    deepStrictEqual(shapeOf(JSON.parse(request.body)), shapeOf(JSON.parse(usual.body)));
  if (slot === 'body')
    strictEqual(
      what.reduce((value, key) => value[key], JSON.parse(request.body)),
      text,
    );
};

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

const usualOf = async (place) => {
  for (const text of PLAIN) {
    const first = await run(place, text);
    if (first) return first;
  }
  return undefined;
};

const texts = awkward().filter((_, at) => part === 1 || at % Math.round(1 / part) === 0);
const places = placesOf(client);
const counts = {
  methods: new Set(places.map(({ name }) => name)).size,
  places: places.length,
  texts: texts.length,
  calls: 0,
  sent: 0,
};
const failures = [];
const before = JSON.stringify(Reflect.ownKeys(Object.prototype).map(String));
for (const place of places) {
  const usual = await usualOf(place);
  if (!usual) failures.push(`${place.name} ${place.what}: nothing is ever sent`);
  for (const text of usual && place.slot !== 'none' ? texts : []) {
    counts.calls++;
    try {
      const request = await run(place, text);
      if (request) checkRequest(request, usual, place, text);
      counts.sent += request ? 1 : 0;
    } catch (thrown) {
      failures.push(
        `${place.name} ${place.slot} ${place.what} ${JSON.stringify(text).slice(0, 60)}: ${thrown.message.split('\n')[0]} ${JSON.stringify([thrown.actual, thrown.expected]).slice(0, 200)}`,
      );
    }
  }
}
if (JSON.stringify(Reflect.ownKeys(Object.prototype).map(String)) !== before)
  failures.push('Object.prototype has changed');
report('T9 arguments', counts, failures);
