// Checks of quotes of invoices and of the Lightning invoices inside.
import { createHash } from 'node:crypto';
import { checkRefusal } from './checks.mjs';
import { unitsOf } from './checks-money.mjs';
import { check, same } from './verdict.mjs';

const INVOICE = '/v1/invoices/{invoiceId}';
const PARTS = { m: 3, u: 6, n: 9, p: 12 };
const DIGITS = 12;

/** What a BOLT11 text asks for, in the smallest part that it can name (a tenth of a millisatoshi). */
function amountOf(lnInvoice) {
  const [, count, unit] = /^lntb(\d+)([munp])1/.exec(lnInvoice) ?? [];
  return count && BigInt(count) * 10n ** BigInt(DIGITS - PARTS[unit]);
}

/** The Lightning invoice asks for what is said beside it, in bitcoin. */
export const asksFor = (thing, textOf, bitcoinOf) => async (stage) => {
  const json = await stage.thing(thing);
  same(`${unitsOf(bitcoinOf(json)) * 100n}`, `${amountOf(textOf(json))}`);
};

/** The end of a quote is as far away as the seconds say. */
export const secondsFit = (thing, least, most) => async (stage) => {
  const quote = await stage.make(thing);
  const distance = (Date.parse(quote.expiration) - (await stage.world.now())) / 1_000;
  const isNear = Math.abs(distance - quote.expirationInSec) <= 2;
  check(isNear, `expiration ${quote.expirationInSec} s away`, distance);
  const { expirationInSec } = quote;
  check(expirationInSec >= least && expirationInSec <= most, `${least} to ${most} s`, quote);
};

/** What is paid is at most a satoshi more than the rate asks for. */
export const rateFits = () => async (stage) => {
  const { sourceAmount, targetAmount, conversionRate } = await stage.thing('invoiceQuote');
  const [source, target, rate] = [sourceAmount, targetAmount, conversionRate].map(({ amount }) =>
    Number(amount),
  );
  const exact = target / rate;
  const isNear = source >= exact - 1e-8 && source <= exact + 2e-8;
  check(isNear, `about ${exact} BTC`, sourceAmount);
};

const quoteOf = (stage, values) => stage.ask(`POST ${INVOICE}/quote`, { values });

/** Each quote is one of its own. */
export const anotherQuote = (wait) => async (stage) => {
  const invoice = await stage.make('invoice');
  const first = await quoteOf(stage, invoice);
  await stage.world.advance(wait);
  const second = await quoteOf(stage, invoice);
  same([201, 201], [first.status, second.status]);
  const isOther = first.json.quoteId !== second.json.quoteId;
  check(isOther && first.json.lnInvoice !== second.json.lnInvoice, 'another quote', second.json);
};

/** A quote that has ended cannot be paid. */
export const endsUnpaid = () => async (stage) => {
  const invoice = await stage.make('invoice');
  const { json } = await quoteOf(stage, invoice);
  await stage.world.advance((json.expirationInSec + 1) * 1_000);
  const code = await stage.world.pay(json.lnInvoice).then(
    () => 'paid',
    (thrown) => thrown.code,
  );
  const { state } = await stage.get(INVOICE, { values: invoice });
  same(['INVALID_STATE_FOR_INVOICE_EXPIRED', 'UNPAID'], [code, state]);
};

/** An invoice outlives its quotes. */
export const outlives = () => async (stage) => {
  const invoice = await stage.make('invoice');
  await quoteOf(stage, invoice);
  await stage.world.advance(86_400_000);
  same('UNPAID', (await stage.get(INVOICE, { values: invoice })).state);
};

/** The preimage that a payer gets is that of the payment hash. */
export const preimageFits = () => async (stage) => {
  const { json } = await quoteOf(stage, await stage.make('invoice'));
  const { paymentHash, preimage } = await stage.world.pay(json.lnInvoice);
  const made = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex');
  same(paymentHash, made);
};

/** A payment of a quote brings what the invoice asked for. */
export const bringsAll = () => async (stage) => {
  const invoice = await stage.make('invoice');
  const { json } = await quoteOf(stage, invoice);
  await stage.world.pay(json.lnInvoice);
  const query = '?includeTransactions=true';
  const { transactions } = await stage.get(INVOICE, { values: invoice, query });
  same(
    [invoice.amount],
    transactions.map(({ amountReceived }) => amountReceived),
  );
};

/** A quote that is paid is paid once. */
export const quotePaidTwice = () => async (stage) => {
  const { json } = await quoteOf(stage, await stage.make('invoice'));
  await stage.world.pay(json.lnInvoice);
  const code = await stage.world.pay(json.lnInvoice).then(
    () => 'paid again',
    (thrown) => thrown.code,
  );
  same('INVALID_STATE_FOR_INVOICE_PAID', code);
};

export const failedAgain = () => async (stage) => {
  const invoice = await stage.make('failedInvoice');
  same([201, 'UNPAID'], [(await quoteOf(stage, invoice)).status, invoice.state]);
};

export const badHash = (descriptionHash) => async (stage) => {
  const values = await stage.make('invoice');
  const response = await stage.ask(`POST ${INVOICE}/quote`, { values, body: { descriptionHash } });
  checkRefusal(response, 400, 'INVALID_DATA');
};
