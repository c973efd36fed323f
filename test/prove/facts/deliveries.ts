// Checks of webhooks: what arrives at a receiver, and when it arrives again.
import { createHmac } from 'node:crypto';
import type { ThingName } from './things.ts';
import { eventsOf } from './events.ts';
import {
  type Answer,
  check,
  type Fact,
  type Delivery,
  type HookReceiver,
  type Respond,
  same,
  section,
  type Stage,
  type Thing,
  type Values,
} from './fact.ts';
import { absent, like, members, object, type ValueForm, time, uuid } from './shapes.ts';

const SECRET = 'a-secret-of-30-characters-long';
const CREATED = ['invoice.created'];

/** The responses of a receiver, and the options of its subscription. */
interface SubscribeOptions {
  readonly respond?: Respond | undefined;
  readonly set?: Values | undefined;
}

/** A receiver with a subscription of its own. */
interface Subscribed extends HookReceiver {
  readonly made: Thing;
}

async function subscribe(
  stage: Stage,
  { respond, set = {} }: SubscribeOptions = {},
): Promise<Subscribed> {
  const receiver = await stage.world.receiver(respond);
  const made = await stage.json('subscription', {
    set: { webhookUrl: receiver.url, enabled: true, eventTypes: CREATED, secret: SECRET, ...set },
  });
  return { ...receiver, made };
}

const end = (stage: Stage, { made }: Subscribed): Promise<Answer> =>
  stage.ask('DELETE /v1/subscriptions/{id}', { values: made });

/** An invoice is made, and its webhook gets the time to arrive. */
async function makeInvoice(stage: Stage): Promise<Thing> {
  const invoice = await stage.make('invoice');
  await stage.world.advance(1);
  return invoice;
}

/** A webhook with what it is about. */
interface Looked extends Delivery {
  readonly json: Thing;
  readonly invoice: Thing;
  readonly stage: Stage;
  readonly receiver: HookReceiver;
}

/** Creates an invoice and passes its webhook to `look`, with the invoice and the receiver. */
const delivers =
  (look: (got: Looked) => unknown, options?: SubscribeOptions): Fact =>
  async (stage) => {
    const receiver = await subscribe(stage, options);
    const invoice = await makeInvoice(stage);
    const [got] = receiver.got;
    check(got, 'a webhook', 'none');
    await look({
      ...got,
      json: JSON.parse(got.body),
      invoice,
      stage,
      receiver,
    });
    await end(stage, receiver);
  };

const header = (name: string, pattern: RegExp): Fact =>
  delivers(({ headers }) => check(pattern.test(headers[name] ?? ''), pattern.source, headers));

const bodyHas = (path: keyof Thing, shape: ValueForm, options?: SubscribeOptions): Fact =>
  delivers(
    ({ json }) => check(shape.test(json[path]), `${path} to be ${shape.name}`, json),
    options,
  );

const about = (): Fact =>
  delivers(({ json, invoice }) => same(invoice.invoiceId, json.data.entityId));

const isTheEvent = (): Fact =>
  delivers(async ({ json, invoice, stage }) => {
    const [event] = await eventsOf(stage, invoice.invoiceId);
    const { id, eventType, data } = json;
    same([event?.id, event?.eventType, event?.data], [id, eventType, data]);
  });

const hmac = (secret: string, body: string): string =>
  createHmac('sha256', secret).update(body).digest('hex');

const signed = (): Fact => delivers(signedBy(SECRET));

/** The success of an event after its receiver answered so, and so much time. */
const successIs =
  (value: unknown, respond: Respond, wait = 0): Fact =>
  async (stage) => {
    const receiver = await subscribe(stage, { respond });
    const { invoiceId } = await makeInvoice(stage);
    if (wait) await stage.world.advance(wait);
    const [event] = await eventsOf(stage, invoiceId);
    await end(stage, receiver);
    same(value, event?.deliverySuccess);
  };

/** Number of webhooks that a receiver gets until so much time is over. */
const arrives =
  (count: number, respond: Respond | undefined, wait: number, set?: Values): Fact =>
  async (stage) => {
    const receiver = await subscribe(stage, { respond, set });
    await makeInvoice(stage);
    await stage.world.advance(wait);
    const { length } = receiver.got;
    await end(stage, receiver);
    same(count, length);
  };

/** Something is changed in a subscription before an invoice is made. */
const afterChange =
  (body: object, count: number, look: (got: Delivery) => unknown = () => {}): Fact =>
  async (stage) => {
    const receiver = await subscribe(stage);
    await stage.ask('PATCH /v1/subscriptions/{id}', { values: receiver.made, body });
    await makeInvoice(stage);
    const got = [...receiver.got];
    await end(stage, receiver);
    same(count, got.length);
    for (const one of got) look(one);
  };

const signedBy =
  (secret: string) =>
  ({ body, headers }: Delivery): void =>
    same(hmac(secret, body).toUpperCase(), headers['x-webhook-signature']?.toUpperCase());

const afterRemoval = (): Fact => async (stage) => {
  const receiver = await subscribe(stage);
  await end(stage, receiver);
  await makeInvoice(stage);
  same(0, receiver.got.length);
};

const newAddress = (): Fact => async (stage) => {
  const [old, other] = [await subscribe(stage), await stage.world.receiver()];
  await stage.ask('PATCH /v1/subscriptions/{id}', {
    values: old.made,
    body: { webhookUrl: other.url },
  });
  await makeInvoice(stage);
  await end(stage, old);
  same([0, 1], [old.got.length, other.got.length]);
};

const bothGet = (): Fact => async (stage) => {
  const [one, other] = [await subscribe(stage), await subscribe(stage)];
  await makeInvoice(stage);
  for (const receiver of [one, other]) await end(stage, receiver);
  same([1, 1], [one.got.length, other.got.length]);
  const [first, second] = [...one.got, ...other.got].map(({ body }) => JSON.parse(body).id);
  same(first, second);
};

/** The account gets the webhook whichever of its keys made the invoice. */
const accountWide = (): Fact => async (stage) => {
  const receiver = await subscribe(stage);
  const as = { scopes: ['partner.invoice.create'] };
  await stage.json('invoice', { as });
  await stage.world.advance(1);
  await end(stage, receiver);
  same(1, receiver.got.length);
};

const GAPS = Array.from({ length: 12 }, (_, at) => 3 ** (at + 1) * 1_000);
const failing: Respond = () => ({ status: 500 });

/**
 * Retry `number` comes this number of seconds after the failure before it, not sooner and not
 * later.
 */
const retryAt =
  (number: number, respond = failing): Fact =>
  async (stage) => {
    const receiver = await subscribe(stage, { respond });
    await makeInvoice(stage);
    for (const gap of GAPS.slice(0, number - 1)) await stage.world.advance(gap + 1);
    const before = receiver.got.length;
    await stage.world.advance(GAPS[number - 1]! - 1 - number);
    const early = receiver.got.length;
    await stage.world.advance(2 + number);
    const after = receiver.got.length;
    await end(stage, receiver);
    same([number, number, number + 1], [before, early, after]);
  };

/** Attempts are alike. */
const sameAgain =
  (look: (got: Delivery) => unknown): Fact =>
  async (stage) => {
    const receiver = await subscribe(stage, { respond: failing });
    await makeInvoice(stage);
    await stage.world.advance(4_000);
    await end(stage, receiver);
    const [first, second, third] = receiver.got;
    check(first && second && !third, 'two attempts', receiver.got.length);
    same(look(first), look(second));
  };

/** The members by which an event can name a thing. */
export type DeliveredId = 'id' | 'invoiceId' | 'paymentId' | 'receiveRequestId';

/** A webhook of a type comes to who subscribed to it alone, and names the thing. */
export const delivered =
  (type: string, thing: ThingName, id: DeliveredId): Fact =>
  async (stage) => {
    await stage.make(thing); // what it needs is there afterwards
    const receiver = await subscribe(stage, { set: { eventTypes: [type] } });
    const made = await stage.make(thing);
    await stage.world.advance(1);
    await end(stage, receiver);
    const bodies = receiver.got.map(({ body }): Thing => JSON.parse(body));
    const types = [...new Set(bodies.map(({ eventType }) => eventType))];
    same([type], types);
    check(
      bodies.some(({ data }) => data.entityId === made[id]),
      `one about ${made[id]}`,
      bodies,
    );
  };

// Webhooks: headers, body, signature, who gets them; failures and retries.

const [SECOND, DAY] = [1_000, 86_400_000];
const answer =
  (...statuses: readonly number[]): Respond =>
  (count) => ({ status: statuses[count - 1] ?? statuses.at(-1)! });
const LONG = 60 * DAY;
const OTHER = 'another secret of thirty';

export const deliveries = section('deliveries', [
  delivers(({ method }) => same('POST', method)),
  delivers(({ url, receiver }) => same(receiver.url, url)),
  header('content-type', /^application\/json/),
  header('x-webhook-signature', /^[0-9a-f]{64}$/i),
  header('x-webhook-signature', /^[0-9A-F]{64}$/),
  signed(),
  bodyHas('id', uuid),
  bodyHas('eventType', like(/^invoice\.created$/)),
  bodyHas('webhookVersion', like(/^v1$/)),
  bodyHas('webhookVersion', like(/^v2$/), { set: { webhookVersion: 'v2' } }),
  bodyHas('data', object),
  about(),
  bodyHas('created', time),
  bodyHas('deliverySuccess', absent),
  delivers(({ json }) =>
    same(true, members('id', 'eventType', 'webhookVersion', 'data', 'created').test(json)),
  ),
  isTheEvent(),
  arrives(0, undefined, SECOND, { eventTypes: ['payment.created'] }),
  arrives(0, undefined, SECOND, { eventTypes: [] }),
  arrives(0, undefined, SECOND, { enabled: false }),
  afterChange({ enabled: false }, 0),
  afterRemoval(),
  afterChange({ eventTypes: ['payout.created'] }, 0),
  afterChange({ secret: OTHER }, 1, signedBy(OTHER)),
  newAddress(),
  bothGet(),
  accountWide(),
  successIs(true, answer(200)),
  successIs(true, answer(201)),
  successIs(true, answer(204)),
  successIs(true, answer(299)),
  successIs(false, answer(500)),
  successIs(true, answer(500, 200), 4 * SECOND),
  successIs(false, answer(410), SECOND),
  successIs(false, answer(500), 12 * DAY),
]);

export const retries = section('retries', [
  arrives(1, answer(200), LONG),
  arrives(2, answer(500), 4 * SECOND),
  arrives(2, answer(404), 4 * SECOND),
  arrives(2, answer(400), 4 * SECOND),
  arrives(2, answer(401), 4 * SECOND),
  arrives(2, answer(429), 4 * SECOND),
  arrives(2, answer(503), 4 * SECOND),
  arrives(2, answer(302), 4 * SECOND),
  arrives(2, answer(304), 4 * SECOND),
  arrives(1, () => ({ late: 4_500 }), 30 * SECOND),
  arrives(2, (count: number) => (count === 1 ? { never: true } : {}), 9 * SECOND),
  arrives(1, answer(410), LONG),
  arrives(1, answer(501), LONG),
  arrives(3, answer(500, 500, 410), LONG),
  arrives(3, answer(500, 500, 200), LONG),
  ...Array.from({ length: 12 }, (_, at) => at + 1).map((number): Fact => retryAt(number)),
  arrives(13, answer(500), LONG),
  sameAgain(({ body }) => body),
  sameAgain(({ headers }) => headers['x-webhook-signature']),
  sameAgain(({ headers }) => Object.keys(headers).sort()),
]);
