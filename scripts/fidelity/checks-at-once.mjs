// Checks of two requests at the same time, and of what is ready for what.
import { eventsOf } from './checks-events.mjs';
import { fresh } from './fresh.mjs';
import { check, same } from './verdict.mjs';

const statuses = (responses) => responses.map(({ status }) => status).toSorted();

/** Of two equal requests at once one succeeds, and the other is refused so. */
const one = async (stage, send, good, bad, code) => {
  const both = await Promise.all([send(), send()]);
  same([good, bad], statuses(both));
  same(code, both.find(({ status }) => status === bad).error?.code);
  return both.find(({ status }) => status === good);
};

export const onceAtOnce = (name, makeSame, good, bad, code) => async (stage) => {
  const more = makeSame();
  const { body, ...rest } = more;
  await one(stage, () => stage.request(name, { ...rest, set: body }), good, bad, code);
};

export const sameName = () => ({ body: { correlationId: fresh('at-once') } });
export const sameKey = () => ({ headers: { 'idempotency-key': crypto.randomUUID() } });

/** The same is done to one thing twice at once. */
export const doneAtOnce = (thing, call, good, bad, code) => async (stage) => {
  const values = await stage.make(thing);
  await one(stage, () => stage.ask(call, { values }), good, bad, code);
};

/** A payout by something that is not ready is never initiated. */
export const neverPaidOut = (set, codes) => async (stage) => {
  const draft = await set(stage);
  const made = await stage.request('payout', { set: draft });
  const last =
    made.status === 201
      ? await stage.ask('PATCH /v1/payouts/{id}/initiate', { values: made.json })
      : made;
  same([422, true], [last.status, codes.includes(last.error?.code)]);
};

export const bankIn = (thing) => async (stage) => ({
  paymentMethodId: (await stage.make(thing)).id,
});
export const senderIn = (thing) => async (stage) => ({
  originatorId: (await stage.make(thing)).id,
});

/** A method that stops being ready after a payout was made. */
export const notReadyAnyMore = () => async (stage) => {
  const { id } = await stage.make('readySepa');
  const payout = await stage.json('payout', { set: { paymentMethodId: id } });
  await stage.world.move('bankPaymentMethod', id, 'SUSPENDED');
  const { status, error } = await stage.ask('PATCH /v1/payouts/{id}/initiate', { values: payout });
  same([422, 'PAYMENT_METHOD_NOT_READY'], [status, error?.code]);
};

/** A deposit by a method that is not ready is refused. */
export const notDeposited = (thing) => async (stage) => {
  const { status, text } = await stage.request('deposit', { set: await bankIn(thing)(stage) });
  check(status === 422, 422, `${status} ${text}`);
};

/** A cancelled invoice is not paid by an older quote. */
export const cancelledIsNotPaid = () => async (stage) => {
  const invoice = await stage.make('invoice');
  const { json } = await stage.ask('POST /v1/invoices/{invoiceId}/quote', { values: invoice });
  await stage.ask('PATCH /v1/invoices/{invoiceId}/cancel', { values: invoice });
  const code = await stage.world.pay(json.lnInvoice).then(
    () => 'paid',
    (thrown) => thrown.code,
  );
  const { state } = await stage.get('/v1/invoices/{invoiceId}', { values: invoice });
  same(['INVALID_STATE_FOR_INVOICE_CANCELLED', 'CANCELLED'], [code, state]);
};

/** The Lightning invoice of a request that has ended. */
export const requestEnds = () => async (stage) => {
  const { bolt11 } = await stage.make('receiveRequest');
  await stage.world.advance(601_000);
  const code = await stage.world.pay(bolt11.invoice).then(
    () => 'paid',
    (thrown) => thrown.code,
  );
  same('INVALID_STATE_FOR_INVOICE_EXPIRED', code);
};

/** Events of a thing are not older than it, and in the order of what happened. */
export const eventsInOrder = () => async (stage) => {
  const { invoiceId, created } = await stage.make('reversedInvoice');
  const times = (await eventsOf(stage, invoiceId)).map((event) => Date.parse(event.created));
  const isOrdered = times.every((time, at) => time >= (times[at - 1] ?? Date.parse(created)));
  check(times.length === 4 && isOrdered, 'four events, each not before the other', times);
};

/** One rate is the inverse of the other. */
export const inverse = (one, other) => async (stage) => {
  const rows = await stage.thing('ticker');
  const of = (source, target) =>
    Number(
      rows.find((row) => row.sourceCurrency === source && row.targetCurrency === target).amount,
    );
  const product = of(one, other) * of(other, one);
  check(Math.abs(product - 1) < 0.001, `${one} to ${other} and back to be 1`, product);
};
