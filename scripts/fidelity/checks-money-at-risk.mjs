// Checks of what could cost somebody money: proofs, keys that live long, balances that are too small, receivers' bounds.
import { createHash } from 'node:crypto';
import { readBolt11 } from './bolt11.mjs';
import { checkRefusal } from './checks.mjs';
import { queryOf, valueAt } from './json.mjs';
import { check, same } from './verdict.mjs';

const EXECUTE = 'PATCH /v1/payment-quotes/{paymentQuoteId}/execute';
const MONTH = 31 * 86_400_000;

/** A field of the Lightning invoice of a thing is what the thing says. */
export const bolt11Has = (thing, textAt, field, wanted) => async (stage) => {
  const json = await stage.make(thing);
  const fields = readBolt11(valueAt(json, textAt));
  same(typeof wanted === 'function' ? wanted(json) : wanted, fields[field]);
};

/** The proof of a payment is that of the invoice that was paid. */
export const proofFits = () => async (stage) => {
  const lnInvoice = await stage.world.bolt11({ sat: '10' });
  const quote = await stage.json('lightning', { set: { lnInvoice } });
  const { json } = await stage.ask(EXECUTE, { values: quote });
  const proof = Buffer.from(json.lightning.preImage, 'hex');
  same(readBolt11(lnInvoice).paymentHash, createHash('sha256').update(proof).digest('hex'));
};

export const receiveProofFits = () => async (stage) => {
  const { lightning } = await stage.thing('lightningReceive');
  const made = createHash('sha256').update(Buffer.from(lightning.preimage, 'hex')).digest('hex');
  same(lightning.paymentHash, made);
};

/** A key is used for a long time. */
export const keyLives =
  (name, code, act = () => {}) =>
  async (stage) => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = await stage.json(name, { headers });
    await act(stage, first);
    await stage.world.advance(MONTH);
    checkRefusal(await stage.request(name, { headers }), 422, code);
  };

export const execute = (stage, values) => stage.ask(EXECUTE, { values });

/** An account that has so many dollars, and a key of it. */
async function having(stage, dollars) {
  const as = { account: 'poor' };
  const rows = await stage.get('/v1/balances', { as });
  const { available } = rows.find(({ currency }) => currency === 'USD');
  if (Number(available) < dollars)
    await stage.world.fund('poor', (dollars - Number(available)).toFixed(2), 'USD');
  return as;
}

/** Of two quotes that are too much together one is paid. */
export const notBelowZero = () => async (stage) => {
  const as = await having(stage, 20);
  const set = () => ({ 'amount.amount': '15.00', beneficiary: undefined });
  const quotes = [];
  for (let at = 0; at < 2; at++) {
    const { status, json, text } = await stage.request('zeroLightning', { as, set: set() });
    check(status === 200, 'a quote', `${status} ${text}`);
    quotes.push(json);
  }
  const [first, second] = [
    await stage.ask(EXECUTE, { values: quotes[0], as }),
    await stage.ask(EXECUTE, { values: quotes[1], as }),
  ];
  same([200, 422, 'BALANCE_TOO_LOW'], [first.status, second.status, second.error?.code]);
};

/** More than there is cannot be paid out, whether creation or initiation says so. */
export const notPaidOut = () => async (stage) => {
  const made = await stage.request('payout', { set: { amount: '99999999.00' } });
  const last =
    made.status === 201
      ? await stage.ask('PATCH /v1/payouts/{id}/initiate', { values: made.json })
      : made;
  check(last.status === 422, 422, `${last.status} ${last.text}`);
};

export const notExchanged = () => async (stage) => {
  const as = await having(stage, 5);
  const made = await stage.request('exchange', { as });
  const last =
    made.status === 200
      ? await stage.ask('PATCH /v1/currency-exchange-quotes/{id}/execute', {
          values: made.json,
          as,
        })
      : made;
  checkRefusal(last, 422, 'BALANCE_TOO_LOW');
};

/** A Lightning address takes amounts between two bounds. */
export const outsideOf = (amount, code) => async (stage) => {
  const set = { sourceCurrency: 'BTC', amount: { amount, currency: 'BTC' } };
  checkRefusal(await stage.request('lnurl', { set }), 422, code);
};

export const ownRequest = () => async (stage) => {
  const { bolt11 } = await stage.make('receiveRequest');
  const response = await stage.request('lightning', { set: { lnInvoice: bolt11.invoice } });
  checkRefusal(response, 422, 'SELF_PAYMENT_NOT_ALLOWED');
};

/** Receives of one request, filtered by another one. */
export const intersects = () => async (stage) => {
  const [one, other] = [await stage.thing('lightningReceive'), await stage.make('receiveRequest')];
  const query = queryOf({ receiveRequestId: other.receiveRequestId });
  const path = '/v1/receive-requests/{receiveRequestId}/receives';
  same(0, (await stage.get(path, { values: one, query })).count);
};
