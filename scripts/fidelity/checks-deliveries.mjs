// Checks of webhooks: what arrives at a receiver, and when it arrives again.
import { createHmac } from 'node:crypto';
import { eventsOf } from './checks-events.mjs';
import { check, same } from './verdict.mjs';

const SECRET = 'a-secret-of-30-characters-long';
const CREATED = ['invoice.created'];

/** A receiver with a subscription of its own. */
async function subscribed(stage, { respond, set = {} } = {}) {
  const receiver = await stage.world.receiver(respond);
  const made = await stage.json('subscription', {
    set: { webhookUrl: receiver.url, enabled: true, eventTypes: CREATED, secret: SECRET, ...set },
  });
  return Object.assign(receiver, { made });
}

const end = (stage, { made }) => stage.ask('DELETE /v1/subscriptions/{id}', { values: made });

/** An invoice is made, and its webhook gets the time to arrive. */
async function invoiceMade(stage) {
  const invoice = await stage.make('invoice');
  await stage.world.advance(1);
  return invoice;
}

/** Of one webhook: `look` gets it, the invoice and the receiver. */
export const delivers = (look, options) => async (stage) => {
  const receiver = await subscribed(stage, options);
  const invoice = await invoiceMade(stage);
  check(receiver.got.length > 0, 'a webhook', 'none');
  await look({
    ...receiver.got[0],
    json: JSON.parse(receiver.got[0].body),
    invoice,
    stage,
    receiver,
  });
  await end(stage, receiver);
};

export const header = (name, pattern) =>
  delivers(({ headers }) => check(pattern.test(headers[name] ?? ''), pattern.source, headers));

export const bodyHas = (path, shape, options) =>
  delivers(
    ({ json }) => check(shape.test(json[path]), `${path} to be ${shape.name}`, json),
    options,
  );

export const about = () =>
  delivers(({ json, invoice }) => same(invoice.invoiceId, json.data.entityId));

export const isTheEvent = () =>
  delivers(async ({ json, invoice, stage }) => {
    const [event] = await eventsOf(stage, invoice.invoiceId);
    const { id, eventType, data } = json;
    same([event.id, event.eventType, event.data], [id, eventType, data]);
  });

const hmac = (secret, body) => createHmac('sha256', secret).update(body).digest('hex');

export const signed = () =>
  delivers(({ headers, body }) =>
    same(hmac(SECRET, body).toUpperCase(), headers['x-webhook-signature'].toUpperCase()),
  );

/** The success of an event after its receiver answered so, and so much time. */
export const successIs =
  (value, respond, wait = 0) =>
  async (stage) => {
    const receiver = await subscribed(stage, { respond });
    const { invoiceId } = await invoiceMade(stage);
    if (wait) await stage.world.advance(wait);
    const [event] = await eventsOf(stage, invoiceId);
    await end(stage, receiver);
    same(value, event.deliverySuccess);
  };

/** How many webhooks a receiver gets until so much time is over. */
export const arrives = (count, respond, wait, set) => async (stage) => {
  const receiver = await subscribed(stage, { respond, set });
  await invoiceMade(stage);
  await stage.world.advance(wait);
  const { length } = receiver.got;
  await end(stage, receiver);
  same(count, length);
};

/** Something is changed in a subscription before an invoice is made. */
export const afterChange =
  (body, count, look = () => {}) =>
  async (stage) => {
    const receiver = await subscribed(stage);
    const change = typeof body === 'function' ? await body(stage) : body;
    await stage.ask('PATCH /v1/subscriptions/{id}', { values: receiver.made, body: change });
    await invoiceMade(stage);
    const got = [...receiver.got];
    await end(stage, receiver);
    same(count, got.length);
    for (const one of got) look(one);
  };

export const signedBy =
  (secret) =>
  ({ body, headers }) =>
    same(hmac(secret, body).toUpperCase(), headers['x-webhook-signature'].toUpperCase());

export const afterRemoval = () => async (stage) => {
  const receiver = await subscribed(stage);
  await end(stage, receiver);
  await invoiceMade(stage);
  same(0, receiver.got.length);
};

export const newAddress = () => async (stage) => {
  const [old, other] = [await subscribed(stage), await stage.world.receiver()];
  await stage.ask('PATCH /v1/subscriptions/{id}', {
    values: old.made,
    body: { webhookUrl: other.url },
  });
  await invoiceMade(stage);
  await end(stage, old);
  same([0, 1], [old.got.length, other.got.length]);
};

export const bothGet = () => async (stage) => {
  const [one, other] = [await subscribed(stage), await subscribed(stage)];
  await invoiceMade(stage);
  for (const receiver of [one, other]) await end(stage, receiver);
  same([1, 1], [one.got.length, other.got.length]);
  same(JSON.parse(one.got[0].body).id, JSON.parse(other.got[0].body).id);
};

/** Whoever made it by whichever key: it is the account that hears of it. */
export const accountWide = () => async (stage) => {
  const receiver = await subscribed(stage);
  const as = { scopes: ['partner.invoice.create'] };
  await stage.json('invoice', { as });
  await stage.world.advance(1);
  await end(stage, receiver);
  same(1, receiver.got.length);
};

const GAPS = Array.from({ length: 12 }, (_, at) => 3 ** (at + 1) * 1_000);
const failing = () => ({ status: 500 });

/** Milliseconds by which an attempt may be early or late; over HTTP the clock goes on by itself. */
const slackOf = ({ kind }) => (kind === 'fetch' ? 1 : 1_400);

/** Retry `number` comes so many seconds after the failure before it, not sooner and not later. */
export const retryAt =
  (number, respond = failing) =>
  async (stage) => {
    const receiver = await subscribed(stage, { respond });
    await invoiceMade(stage);
    for (const gap of GAPS.slice(0, number - 1)) await stage.world.advance(gap + 1);
    const before = receiver.got.length;
    const slack = slackOf(stage.world);
    await stage.world.advance(GAPS[number - 1] - slack - number);
    const early = receiver.got.length;
    await stage.world.advance(2 * slack + number);
    const after = receiver.got.length;
    await end(stage, receiver);
    same([number, number, number + 1], [before, early, after]);
  };

/** Attempts are alike. */
export const sameAgain = (look) => async (stage) => {
  const receiver = await subscribed(stage, { respond: failing });
  await invoiceMade(stage);
  await stage.world.advance(4_000);
  await end(stage, receiver);
  check(receiver.got.length === 2, 'two attempts', receiver.got.length);
  same(look(receiver.got[0]), look(receiver.got[1]));
};

/** Digits behind the point of the seconds; zeros at the end are not printed. */
export const fractionOf = (time) => (/\.(\d+)/.exec(time)?.[1] ?? '').length;

/** Of many webhooks some have a seventh digit, which the list does not have. */
export const sevenDigits = () => async (stage) => {
  const receiver = await subscribed(stage);
  for (let at = 0; at < 12; at++) await invoiceMade(stage);
  await end(stage, receiver);
  const most = Math.max(...receiver.got.map(({ body }) => fractionOf(JSON.parse(body).created)));
  same(7, most);
};

/** A webhook of a type comes to who subscribed to it alone, and names the thing. */
export const delivered = (type, thing, id) => async (stage) => {
  await stage.make(thing); // what it needs is there afterwards
  const receiver = await subscribed(stage, { set: { eventTypes: [type] } });
  const made = await stage.make(thing);
  await stage.world.advance(1);
  await end(stage, receiver);
  const bodies = receiver.got.map(({ body }) => JSON.parse(body));
  const types = [...new Set(bodies.map(({ eventType }) => eventType))];
  same([type], types);
  check(
    bodies.some(({ data }) => data.entityId === made[id]),
    `one about ${made[id]}`,
    bodies,
  );
};
