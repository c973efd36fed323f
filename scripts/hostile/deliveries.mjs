// T7: whatever comes to the address of the webhooks. A hundred thousand requests made up by chance: methods, paths,
// headers, bodies, signatures, a store that fails. Another implementation of the signature says what may be kept.
//   --seed N   another world
import { createHmac } from 'node:crypto';
import { createClient } from 'paystate';
import { memoryInboxStore } from 'paystate/stores';
import { createInbox } from 'paystate/webhooks';
import { part, report } from './report.mjs';

const COUNT = Math.round(100_000 * part);
const ALLOWED = [200, 400, 401, 405, 413, 415, 500, 503];
const SECRETS = ['the new secret of the shop', 'the old secret of the shop'];
const STRANGE = 'the secret of another shop';
const LONGEST = 65_536;

const given = process.argv.indexOf('--seed');
let state = given < 0 ? 20_261 : Number(process.argv[given + 1]) | 1;
const below = (limit) => {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % limit;
};
const pick = (list) => list[below(list.length)];
const chance = (percent) => below(100) < percent;

const bytesOf = (text) => new TextEncoder().encode(text);
const hmac = (secret, bytes) => createHmac('sha256', secret).update(bytes).digest('hex');

let events = 0;
const event = (more = {}) => ({
  id: `event-${++events}`,
  eventType: pick(['invoice.updated', 'invoice.created', 'payout.updated', 'parcel.lost', '']),
  webhookVersion: pick(['v1', 'v2', 'v9']),
  data: pick([{ entityId: `entity-${below(50)}`, changes: ['state'] }, { entityId: '../..' }, {}]),
  created: pick([
    '2026-01-05T09:00:00Z',
    '1970-01-01T00:00:00Z',
    'yesterday',
    '9999-12-31T23:59:59.9999999Z',
  ]),
  ...more,
});
const noise = () => Uint8Array.from({ length: below(300) }, () => below(256));
const text = (value) => bytesOf(JSON.stringify(value));

/** Bodies, and whether an inbox has to keep them if they are signed. */
const BODIES = [
  [true, () => text(event())],
  [true, () => text(event({ data: pick([null, 7, 'text', [], {}]) }))],
  [true, () => bytesOf(JSON.stringify(event(), undefined, below(5)))],
  [true, () => text(event({ note: 'x'.repeat(below(60_000)) }))],
  [false, () => text(event({ id: pick([7, null, '', 'a\nb', 'x'.repeat(201), {}, '\ud800']) }))],
  [false, noise],
  [false, () => text(event()).slice(0, below(100))],
  [false, () => bytesOf('['.repeat(below(50_000)))],
  [
    false,
    () => bytesOf(pick(['', 'null', '[]', '{}', '"text"', '1e999', '{"__proto__":{"id":"x"}}'])),
  ],
  [false, () => text(event({ note: 'x'.repeat(LONGEST) }))],
];

/** Signatures by the body; those of another form or of other bytes are wrong. */
const WRONG = [
  () => undefined,
  () => '',
  () => '0'.repeat(below(130)),
  (body) => hmac(STRANGE, body),
  (body) => hmac(pick(SECRETS), body).slice(0, below(64)),
  (body) => `sha256=${hmac(SECRETS[0], body)}`,
  (body) => `${hmac(SECRETS[0], body)}, ${hmac(SECRETS[0], body)}`,
  (body) => hmac(SECRETS[0], Uint8Array.of(...body.subarray(0, 999), 32)),
  () => String.fromCharCode(...Array.from({ length: below(80) }, () => 33 + below(94))),
];
const cased = (hex) => (chance(50) ? hex.toUpperCase() : hex);

const METHODS = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND', 'post'];
const PATHS = [
  '/hooks/main',
  '/',
  '//x',
  '/hooks/main/',
  '/hooks/main?x=1',
  '/%00',
  '/../..',
  '/hooks/%E0%A4%A',
];
const MORE = [
  ['content-type', () => pick(['text/plain', 'application/xml', 'multipart/form-data', ''])],
  ['content-encoding', () => pick(['gzip', 'br', 'identity', 'deflate, gzip'])],
  ['content-length', () => pick(['0', '-1', '99999999', 'x'])],
  ['x-webhook-signature-2', () => hmac(SECRETS[0], bytesOf('x'))],
  ['expect', () => '100-continue'],
  ['x-http-method-override', () => pick(['DELETE', 'GET'])],
  ['x-forwarded-for', () => 'x'.repeat(below(2_000))],
];

/** One request, and what it may come to. */
function make() {
  const [isEvent, body] = pick(BODIES);
  const bytes = body();
  const isSigned = chance(40);
  const signature = isSigned ? cased(hmac(pick(SECRETS), bytes)) : pick(WRONG)(bytes);
  const isPost = chance(85);
  const method = isPost ? 'POST' : pick(METHODS);
  const headers = new Headers({ 'content-type': 'application/json' });
  if (signature !== undefined) headers.set('x-webhook-signature', signature);
  for (const [name, value] of MORE) if (chance(4)) headers.set(name, value());
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const isBroken = chance(1);
  const stream = () =>
    new ReadableStream({
      pull(controller) {
        if (isBroken) return controller.error(new Error('the line broke'));
        controller.enqueue(bytes);
        controller.close();
      },
    });
  const asStream = hasBody && (isBroken || chance(10));
  const request = new Request(`https://shop.example${pick(PATHS)}`, {
    method,
    headers,
    ...(hasBody && (asStream ? { body: stream(), duplex: 'half' } : { body: bytes })),
  });
  const isPlain = /^(identity)?$/.test(headers.get('content-encoding') ?? '');
  const isLong = Number.parseInt(headers.get('content-length') ?? '', 10) > LONGEST;
  // fetch writes some methods in capitals
  const arrives = request.method === 'POST' && !(asStream && isBroken) && isPlain && !isLong;
  return {
    request,
    isSigned,
    mustBeKept: isEvent && isSigned && arrives && bytes.byteLength <= LONGEST,
  };
}

const asked = [];
const client = createClient({
  baseUrl: 'https://pay.example',
  apiKey: 'none',
  fetch: async (url) => {
    asked.push(url);
    return new Response(null, { status: 503 });
  },
});
let kept = 0;
let isFull = false;
const fresh = () => {
  const store = memoryInboxStore({ mayForget: true });
  const add = store.add.bind(store);
  return Object.assign(store, {
    async add(received, cursor) {
      if (isFull) throw new Error('the disk is full');
      const results = await add(received, cursor);
      kept += received.length;
      return results;
    },
  });
};
const begin = () =>
  createInbox({ client, secrets: SECRETS, store: fresh(), on: {}, drainTimeout: 0 });

const failures = [];
const statuses = new Map();
const counts = { requests: 0, signed: 0, kept: 0, 'while the store fails': 0 };
let inbox = begin();
for (; counts.requests < COUNT; counts.requests++) {
  if (counts.requests % 2_000 === 1_999) inbox = begin();
  const { request, isSigned, mustBeKept } = make();
  isFull = chance(3);
  const before = kept;
  const say = (what) => failures.push(`request ${counts.requests}: ${what}`);
  const { status, headers } = await inbox.handle(request).catch(() => ({ status: 'rejected' }));
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  if (isSigned) counts.signed++;
  if (isFull) counts['while the store fails']++;
  if (kept > before) counts.kept++;
  if (!ALLOWED.includes(status)) say(`status ${status}`);
  if (headers?.has('location')) say('a redirect');
  if (kept > before && !isSigned) say('kept without a signature');
  if (kept > before && status !== 200) say(`kept and answered ${status}`);
  if (status === 200 && kept === before) say('200, and nothing was kept');
  if (mustBeKept && !isFull && status !== 200) say(`an event of the service: ${status}`);
  if (mustBeKept && isFull && status !== 503) say(`an event that could not be kept: ${status}`);
}
if (asked.length > 0) failures.push(`the service was asked ${asked.length} times`);
if (counts.kept < COUNT / 20) failures.push('hardly anything was kept: this shows nothing');
const seen = [...statuses].sort().map(([status, count]) => [`with ${status}`, count]);
report('T7 deliveries', { ...counts, ...Object.fromEntries(seen) }, failures);
process.exit();
