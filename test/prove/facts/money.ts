// Checks of sums, balances and times.
import { createHash } from 'node:crypto';
import { type Bolt11Fields, decodeBolt11 } from 'paystate/lightning';
import type { RequestName, ThingName } from './things.ts';
import { checkRefusal } from './checks.ts';
import {
  type Answer,
  check,
  type Fact,
  type ListedRows,
  same,
  section,
  type Stage,
  type Thing,
  type Who,
} from './fact.ts';
import { valueAt, wholeUnits } from './shapes.ts';

const SCALE = 10;

/** A decimal text as a whole number of the smallest part that is counted. */
export function unitsOf(amount: unknown): bigint {
  const [, sign, whole, part = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(amount)) ?? [];
  check(whole !== undefined, 'a decimal text', amount);
  const units = BigInt(whole + part.padEnd(SCALE, '0').slice(0, SCALE));
  return sign ? -units : units;
}

/** One amount is the sum of others. */
export const sums =
  (thing: ThingName, total: string, ...parts: readonly string[]): Fact =>
  async (stage) => {
    const json = await stage.thing(thing);
    const wanted = parts.reduce((sum, path) => sum + unitsOf(valueAt(json, path)), 0n);
    const got = unitsOf(valueAt(json, total));
    check(wanted === got, `${total} = ${parts.join(' + ')}`, json);
  };

/** Number of digits of an amount behind its point. */
export const digits =
  (thing: ThingName, path: string, count: number): Fact =>
  async (stage) => {
    const amount = valueAt(await stage.thing(thing), path);
    const [, part = ''] = String(amount).split('.');
    check(part.length === count, `${path} with ${count} digits behind the point`, amount);
  };

export const balanceOf = async (
  stage: Stage,
  currency: string,
  member = 'available',
): Promise<bigint> => {
  const rows = await stage.get<ListedRows>('/v1/balances');
  return unitsOf(
    valueAt(
      rows.find((row) => row.currency === currency),
      member,
    ),
  );
};

/** The paths of amounts; undefined for none. */
type Paths = string | readonly string[] | undefined;

/** An action on a thing. */
type Act = (stage: Stage, thing: Thing) => unknown;

/** The amounts at one or several paths, taken `times` times. */
const amountOf = (json: Thing, path: Paths, times: number): bigint =>
  [path ?? []].flat().reduce((sum, one) => sum + BigInt(times) * unitsOf(valueAt(json, one)), 0n);

/** Making a thing changes a figure of the balance by the amount at `path`, taken `times` times. */
export const costs =
  (thing: ThingName, currency: string, path: Paths, times: number, member?: string): Fact =>
  async (stage) => {
    await stage.make(thing); // what it needs is there afterwards
    const before = await balanceOf(stage, currency, member);
    const made = await stage.make(thing);
    const change = (await balanceOf(stage, currency, member)) - before;
    const wanted = amountOf(made, path, times);
    check(change === wanted, `a change by ${times} × ${path} of ${currency}`, `${change}`);
  };

/** The action changes a figure of the balance by the amount at `path`, taken `times` times. */
export const pays =
  (
    thing: ThingName,
    act: Act,
    currency: string,
    path: Paths,
    times: number,
    member?: string,
  ): Fact =>
  async (stage) => {
    const made = await stage.make(thing);
    const before = await balanceOf(stage, currency, member);
    await act(stage, made);
    const change = (await balanceOf(stage, currency, member)) - before;
    const wanted = amountOf(made, path, times);
    check(change === wanted, `a change by ${times} × ${path} of ${currency}`, `${change}`);
  };

/** A time lies between two distances from now, in milliseconds. */
export const within =
  (thing: ThingName, path: string, least: number, most: number): Fact =>
  async (stage) => {
    const json = await stage.make(thing);
    const distance = Date.parse(valueAt(json, path)) - (await stage.world.now());
    check(
      distance >= least && distance <= most,
      `${path} from ${least} to ${most} ms from now`,
      distance,
    );
  };

// Checks of proofs, lifetimes of keys, balances that are too low, and limits of receivers.

const EXECUTE = 'PATCH /v1/payment-quotes/{paymentQuoteId}/execute';
const MONTH = 31 * 86_400_000;

/** A field of the Lightning invoice of a thing is what the thing says. */
const bolt11Has =
  (thing: ThingName, textAt: string, field: keyof Bolt11Fields, wanted: unknown): Fact =>
  async (stage) => {
    const json = await stage.make(thing);
    const fields = decodeBolt11(valueAt(json, textAt));
    same(typeof wanted === 'function' ? wanted(json) : wanted, fields[field]);
  };

/** The proof of a payment is that of the invoice that was paid. */
const proofFits = (): Fact => async (stage) => {
  const lnInvoice = await stage.world.bolt11({ sat: '10' });
  const quote = await stage.json('lightning', { set: { lnInvoice } });
  const { json } = await stage.ask(EXECUTE, { values: quote });
  const proof = Buffer.from(json.lightning.preImage, 'hex');
  same(decodeBolt11(lnInvoice).paymentHash, createHash('sha256').update(proof).digest('hex'));
};

const receiveProofFits = (): Fact => async (stage) => {
  const { lightning } = await stage.thing('lightningReceive');
  const made = createHash('sha256').update(Buffer.from(lightning.preimage, 'hex')).digest('hex');
  same(lightning.paymentHash, made);
};

/** A key is used for a long time. */
const keyLives =
  (name: RequestName, code: string, act: Act = () => {}): Fact =>
  async (stage) => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = await stage.json(name, { headers });
    await act(stage, first);
    await stage.world.advance(MONTH);
    checkRefusal(await stage.request(name, { headers }), 422, code);
  };

const execute = (stage: Stage, values: object): Promise<Answer> => stage.ask(EXECUTE, { values });

/** An account with this number of dollars, and a key of it. */
async function having(stage: Stage, dollars: number): Promise<Who> {
  const as = { account: 'poor' };
  const rows = await stage.get<ListedRows>('/v1/balances', { as });
  const { available } = rows.find(({ currency }) => currency === 'USD')!;
  const cents = BigInt(100 * dollars) - wholeUnits(available, 2);
  const lacking = `${cents / 100n}.${`${cents % 100n}`.padStart(2, '0')}`;
  if (cents > 0n) await stage.world.fund('poor', lacking, 'USD');
  return as;
}

/** Only one of two quotes is paid where the balance is too low for both. */
const notBelowZero = (): Fact => async (stage) => {
  const as = await having(stage, 20);
  const set = () => ({ 'amount.amount': '15.00', beneficiary: undefined });
  const quotes: Thing[] = [];
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
const notPaidOut = (): Fact => async (stage) => {
  const made = await stage.request('payout', { set: { amount: '99999999.00' } });
  const last =
    made.status === 201
      ? await stage.ask('PATCH /v1/payouts/{id}/initiate', { values: made.json })
      : made;
  check(last.status === 422, 422, `${last.status} ${last.text}`);
};

const notExchanged = (): Fact => async (stage) => {
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
const outsideOf =
  (amount: string, code: string): Fact =>
  async (stage) => {
    const set = { sourceCurrency: 'BTC', amount: { amount, currency: 'BTC' } };
    checkRefusal(await stage.request('lnurl', { set }), 422, code);
  };

const ownRequest = (): Fact => async (stage) => {
  const { bolt11 } = await stage.make('receiveRequest');
  const response = await stage.request('lightning', { set: { lnInvoice: bolt11.invoice } });
  checkRefusal(response, 422, 'SELF_PAYMENT_NOT_ALLOWED');
};

// Facts about losses: proofs, lifetimes of keys, balances that are too low, limits of receivers.

const HASH = 'ab'.repeat(32);
const REQUEST = 'bolt11.invoice';

export const moneyAtRisk = section(
  'money at risk',
  [
    bolt11Has('receiveRequest', REQUEST, 'paymentHash', ({ bolt11 }: Thing) => bolt11.paymentHash),
    bolt11Has('receiveRequest', REQUEST, 'description', 'Support our choir'),
    bolt11Has('receiveRequest', REQUEST, 'expirySeconds', 600),
    bolt11Has('hashedRequest', REQUEST, 'descriptionHash', HASH),
    bolt11Has('invoiceQuote', 'lnInvoice', 'description', 'Tea'),
    bolt11Has(
      'invoiceQuote',
      'lnInvoice',
      'expirySeconds',
      ({ expirationInSec }: Thing) => expirationInSec,
    ),
    bolt11Has('hashedQuote', 'lnInvoice', 'descriptionHash', HASH),
    bolt11Has('hashedQuote', 'lnInvoice', 'description', undefined),
    proofFits(),
    receiveProofFits(),
    keyLives('onchain', 'DUPLICATE_PAYMENT_QUOTE'),
    keyLives('exchange', 'DUPLICATE_CURRENCY_EXCHANGE_QUOTE'),
    keyLives('deposit', 'DUPLICATE_DEPOSIT'),
    keyLives('onchain', 'DUPLICATE_PAYMENT_QUOTE', execute),
    notBelowZero(),
    notPaidOut(),
    notExchanged(),
    outsideOf('0.00000000', 'INVALID_AMOUNT'),
    outsideOf('15.00000000', 'AMOUNT_TOO_HIGH'),
    ownRequest(),
  ],
  { pause: 8 * 86_400_000 },
);
