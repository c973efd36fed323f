// T7: whatever comes to the address of the webhooks. A hundred thousand requests made up by chance: methods, paths,
// headers, bodies, signatures, a store that fails. Another implementation of the signature says what may be kept.
//   --seed N   another world
import { createHmac } from 'node:crypto';
import { createClient } from 'paystate';
import { memoryInboxStore } from 'paystate/stores';
import { createInbox, type Inbox } from 'paystate/webhooks';
import { chanceOf } from '../shared/chance.ts';
import { option } from '../shared/options.ts';
import { part, report } from './report.ts';

const COUNT = Math.round(100_000 * part);
const ALLOWED = [200, 400, 401, 405, 413, 415, 500, 503];
const NEW_SECRET = 'the new secret of the shop';
const SECRETS = [NEW_SECRET, 'the old secret of the shop'];
const STRANGE = 'the secret of another shop';
const LONGEST = 65_536;
const REQUESTS_PER_INBOX = 2_000;
const MOST_GIVEN_UP = 20;

const chance = chanceOf(`deliveries/${option(process.argv, 'seed') ?? '1'}`);
const { pick } = chance;
const below = (limit: number): number => chance.between(0, limit - 1);
const hits = (percent: number): boolean => chance.hits(percent / 100);

type Bytes = Uint8Array<ArrayBuffer>;
const bytesOf = (text: string): Bytes => new TextEncoder().encode(text);
const json = (value: unknown): Bytes => bytesOf(JSON.stringify(value));
const hmac = (secret: string, bytes: Bytes): string =>
  createHmac('sha256', secret).update(bytes).digest('hex');

let events = 0;
const event = (more: object = {}): object => ({
  id: `event-${++events}`,
  eventType: pick(['invoice.updated', 'invoice.created', 'payout.updated', 'parcel.lost', '']),
  webhookVersion: pick(['v1', 'v2', 'v9']),
  data: pick<object>([
    { entityId: `entity-${below(50)}`, changes: ['state'] },
    { entityId: '../..' },
    {},
  ]),
  created: pick([
    '2026-01-05T09:00:00Z',
    '1970-01-01T00:00:00Z',
    'yesterday',
    '9999-12-31T23:59:59.9999999Z',
  ]),
  ...more,
});

interface Body {
  /** An inbox has to keep it if it is signed. */
  readonly isEvent: boolean;
  readonly make: () => Bytes;
}
const good = (make: () => Bytes): Body => ({ isEvent: true, make });
const bad = (make: () => Bytes): Body => ({ isEvent: false, make });

const BODIES: readonly Body[] = [
  good(() => json(event())),
  good(() => json(event({ data: pick<unknown>([null, 7, 'text', [], {}]) }))),
  good(() => bytesOf(JSON.stringify(event(), undefined, below(5)))),
  good(() => json(event({ note: 'x'.repeat(below(60_000)) }))),
  bad(() =>
    json(event({ id: pick<unknown>([7, null, '', 'a\nb', 'x'.repeat(201), {}, '\ud800']) })),
  ),
  bad(() => Uint8Array.from({ length: below(300) }, () => below(256))),
  bad(() => json(event()).slice(0, below(100))),
  bad(() => bytesOf('['.repeat(below(50_000)))),
  bad(() => bytesOf(pick(['', 'null', '[]', '{}', '"text"', '1e999', '{"__proto__":{"id":"x"}}']))),
  bad(() => json(event({ note: 'x'.repeat(LONGEST) }))),
];

/** Signatures by the body; those of another form or of other bytes are wrong. */
const WRONG: readonly ((body: Bytes) => string | undefined)[] = [
  () => undefined,
  () => '',
  () => '0'.repeat(below(130)),
  (body) => hmac(STRANGE, body),
  (body) => hmac(pick(SECRETS), body).slice(0, below(64)),
  (body) => `sha256=${hmac(NEW_SECRET, body)}`,
  (body) => `${hmac(NEW_SECRET, body)}, ${hmac(NEW_SECRET, body)}`,
  (body) => hmac(NEW_SECRET, Uint8Array.of(...body.subarray(0, 999), 32)),
  () => String.fromCharCode(...Array.from({ length: below(80) }, () => 33 + below(94))),
];
const cased = (hex: string): string => (hits(50) ? hex.toUpperCase() : hex);

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
const HEADERS: Readonly<Record<string, () => string>> = {
  'content-type': () => pick(['text/plain', 'application/xml', 'multipart/form-data', '']),
  'content-encoding': () => pick(['gzip', 'br', 'identity', 'deflate, gzip']),
  'content-length': () => pick(['0', '-1', '99999999', 'x']),
  'x-webhook-signature-2': () => hmac(NEW_SECRET, bytesOf('x')),
  expect: () => '100-continue',
  'x-http-method-override': () => pick(['DELETE', 'GET']),
  'x-forwarded-for': () => 'x'.repeat(below(2_000)),
};

interface Delivery {
  readonly request: Request;
  readonly isSigned: boolean;
  readonly mustBeKept: boolean;
}

function headersWith(signature: string | undefined): Headers {
  const headers = new Headers({ 'content-type': 'application/json' });
  if (signature !== undefined) headers.set('x-webhook-signature', signature);
  for (const [name, valueOf] of Object.entries(HEADERS)) if (hits(4)) headers.set(name, valueOf());
  return headers;
}

/** A body that comes at once, and may break. */
const streamOf = (bytes: Bytes, isBroken: boolean): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull(controller) {
      if (isBroken) return controller.error(new Error('the line broke'));
      controller.enqueue(bytes);
      controller.close();
    },
  });

/** Makes one request, and says what it may come to. */
function makeDelivery(): Delivery {
  const { isEvent, make } = pick(BODIES);
  const bytes = make();
  const isSigned = hits(40);
  const signature = isSigned ? cased(hmac(pick(SECRETS), bytes)) : pick(WRONG)(bytes);
  const method = hits(85) ? 'POST' : pick(METHODS);
  const headers = headersWith(signature);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const isBroken = hits(1);
  const isStream = hasBody && (isBroken || hits(10));
  const streamed = { body: streamOf(bytes, isBroken), duplex: 'half' } as const;
  const body = isStream ? streamed : { body: bytes };
  const url = `https://shop.example${pick(PATHS)}`;
  const request = new Request(url, { method, headers, ...(hasBody && body) });
  const isPlain = /^(identity)?$/.test(headers.get('content-encoding') ?? '');
  const isLong = Number.parseInt(headers.get('content-length') ?? '', 10) > LONGEST;
  // fetch writes some methods in capitals
  const arrives = request.method === 'POST' && !(isStream && isBroken) && isPlain && !isLong;
  const mustBeKept = isEvent && isSigned && arrives && bytes.byteLength <= LONGEST;
  return { request, isSigned, mustBeKept };
}

const asked: string[] = [];
const client = createClient({
  baseUrl: 'https://pay.example',
  apiKey: 'none',
  fetch: async (url) => {
    asked.push(`${url}`);
    return new Response(null, { status: 503 });
  },
});
let kept = 0;
let isFull = false;

/** An inbox whose store counts what it keeps, and fails while the disk is full. */
function openInbox(): Inbox {
  const store = memoryInboxStore({ mayForget: true });
  const add: typeof store.add = async (received, cursor) => {
    if (isFull) throw new Error('the disk is full');
    const results = await store.add(received, cursor);
    kept += received.length;
    return results;
  };
  const counting = Object.assign(Object.create(store) as typeof store, { add });
  return createInbox({ client, secrets: SECRETS, store: counting, on: {}, drainTimeout: 0 });
}

/** Lists the faults of a response. */
function faultsOf(
  { isSigned, mustBeKept }: Delivery,
  response: Response | undefined,
  wasKept: boolean,
): readonly (string | false)[] {
  const status = response?.status ?? 0;
  return [
    !ALLOWED.includes(status) && `status ${status}`,
    response?.headers.has('location') === true && 'a redirect',
    wasKept && !isSigned && 'kept without a signature',
    wasKept && status !== 200 && `kept and answered ${status}`,
    status === 200 && !wasKept && '200, and nothing was kept',
    mustBeKept && !isFull && status !== 200 && `an event of the service: ${status}`,
    mustBeKept && isFull && status !== 503 && `an event that could not be kept: ${status}`,
  ];
}

const failures: string[] = [];
const statuses = new Map<number | undefined, number>();
const counts = { requests: 0, signed: 0, kept: 0, 'while the store fails': 0 };
let inbox = openInbox();
for (; counts.requests < COUNT; counts.requests++) {
  if ((counts.requests + 1) % REQUESTS_PER_INBOX === 0) inbox = openInbox();
  const delivery = makeDelivery();
  isFull = hits(3);
  const before = kept;
  const response = await inbox.handle(delivery.request).catch(() => undefined);
  const wasKept = kept > before;
  statuses.set(response?.status, (statuses.get(response?.status) ?? 0) + 1);
  if (delivery.isSigned) counts.signed++;
  if (isFull) counts['while the store fails']++;
  if (wasKept) counts.kept++;
  for (const fault of faultsOf(delivery, response, wasKept))
    if (fault) failures.push(`request ${counts.requests}: ${fault}`);
}
if (asked.length > 0) failures.push(`the service was asked ${asked.length} times`);
if (counts.kept < COUNT / MOST_GIVEN_UP)
  failures.push('hardly anything was kept: this shows nothing');
const seen = [...statuses].map(([status, count]) => [`with ${status ?? 'no response'}`, count]);
report('T7 deliveries', { ...counts, ...Object.fromEntries(seen) }, failures);
process.exit();
