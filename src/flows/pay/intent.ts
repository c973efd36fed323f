import { badInput, type Open } from '../../core/errors/index.ts';
import { type Connection, internals, refuseClient } from '../../core/http/index.ts';
import { sha256Hex } from '../../lightning/hashes.ts';
import { type Destination, parseDestination } from '../../lightning/destination.ts';
import { encodeLnurl } from '../../lightning/lnurl.ts';
import { fromMsat, isSameMoney, type Money, parseMoney, roundMoney } from '../../money/index.ts';
import type { CurrencyCode, SpendAmount } from '../../resources/amounts.ts';
import type { Beneficiary } from '../../resources/payment-quotes.ts';
import { checkLasting } from '../../stores/check-lasting.ts';
import type { Store } from '../../stores/store.ts';
import { accountOf } from './account.ts';
import type { MoneyOrder, PayLimits, PayOrder, Percentage } from './row.ts';

/** What every payment takes, whether you state its amount or limit its total. */
export interface CommonPaymentOptions {
  /**
   * Whatever a payer can paste: a BOLT11 text, a Lightning address, an LNURL, an on-chain address, or
   * a `bitcoin:` URI, of which the Lightning way is taken where it has one.
   */
  readonly to: string;
  /** What to spend. */
  readonly sourceCurrency: Open<CurrencyCode>;
  /**
   * The highest fee: money in `sourceCurrency`, a share of the total, or `any`. A share grows with the
   * total, so it does not limit what is spent: `amount` or `maxTotal` does.
   */
  readonly maxFee: Money | Percentage | 'any';
  /** Where intents are kept. It has to be durable, except beside a sandbox. */
  readonly journal: Store;
  /**
   * Your name for this one payment: it is paid at most once, whatever happens. Up to 200 characters.
   * The payment hash of a BOLT11 text when absent; required for everything else.
   */
  readonly intent?: string | undefined;
  /** Whether the fee is inside `amount` or comes on top; `EXCLUSIVE`. */
  readonly feePolicy?: SpendAmount['feePolicy'];
  /**
   * How far the quote's rate may be from the ticker's, as a share; 1 %. `any`: it is not compared.
   */
  readonly maxRateSlip?: Percentage | 'any' | undefined;
  /** A comment for the receiver, where he takes one; on-chain a note. */
  readonly description?: string | undefined;
  /** Who gets the money: what the travel rule asks for. */
  readonly beneficiary?: Beneficiary | undefined;
  /** Required for an on-chain address: one of `paymentQuotes.listTiers`. */
  readonly onchainTierId?: string | undefined;
  /** Stops the payment while nothing was executed, else `detach`; not where others have joined. */
  readonly signal?: AbortSignal | undefined;
}

/** A payment whose amount you state. */
export interface PaymentWithAmount extends CommonPaymentOptions {
  /**
   * How much. A BOLT11 text that names an amount is paid only if this is the same one, in BTC. To
   * limit such a text in another currency, omit it and give `maxTotal`.
   */
  readonly amount: Money;
  /** The most to spend, with its fee, in `sourceCurrency`; no limit when absent or `any`. */
  readonly maxTotal?: Money | 'any' | undefined;
}

/** A payment whose amount `to` names: without an `amount` of yours, `maxTotal` limits it. */
export interface PaymentWithoutAmount extends CommonPaymentOptions {
  /** Absent: what `to` names is paid, up to `maxTotal`. */
  readonly amount?: undefined;
  /** The most to spend, with its fee, in `sourceCurrency`. `any`: whatever `to` asks for. */
  readonly maxTotal: Money | 'any';
}

/**
 * What is paid, what it may cost, and where that is written down. Who writes `to` would otherwise
 * decide how much you pay: state the `amount`, or limit it by `maxTotal`.
 */
export type PaymentOptions = PaymentWithAmount | PaymentWithoutAmount;

/** What every movement of money takes. */
export interface MoveOptions {
  /** Your name for this one movement: it is made at most once. Up to 200 characters. */
  readonly intent: string;
  /** Where intents are kept. It has to be durable, except beside a sandbox. */
  readonly journal: Store;
  /** Stops it while nothing was executed, else `detach`; not where others have joined. */
  readonly signal?: AbortSignal | undefined;
}

/** What was asked for, checked. */
export interface PayCommand<Order extends MoneyOrder = MoneyOrder> {
  readonly intent: string;
  readonly fingerprint: string;
  readonly order: Order;
  readonly limits: PayLimits;
}

const LONGEST_INTENT = 200;
/** How far a rate may be from the ticker's. */
export const DEFAULT_SLIP: Percentage = { percent: '1' };

/** The options of a payment or a refund before they are checked: of a refund both may be absent. */
interface GivenPayment extends CommonPaymentOptions {
  readonly amount?: Money | undefined;
  readonly maxTotal?: Money | 'any' | undefined;
}

/** Reads what a caller asks for; nothing is sent. Throws InputError. */
export function readRequest(
  client: Connection,
  options: GivenPayment,
  refundOf?: string,
): PayCommand<PayOrder> {
  const { intent, sourceCurrency } = checkOptions(client, options);
  if (typeof sourceCurrency !== 'string' || !sourceCurrency)
    throw badInput('sourceCurrency', 'is required: the account may have another default');
  const order = readOrder(options, refundOf);
  const name = readIntent(intent ?? order.hash);
  const fingerprint = fingerprintOf(partsOf(order));
  return { intent: name, fingerprint, order, limits: readLimits(options) };
}

/** The caller's name for one movement of money. */
export function readIntent(name: string | undefined): string {
  if (typeof name === 'string' && name !== '' && name.length <= LONGEST_INTENT) return name;
  throw badInput('intent', `must name this one movement with up to ${LONGEST_INTENT} characters`);
}

/** What every movement of money is given. */
interface GivenOptions {
  readonly journal: Store;
  readonly signal?: AbortSignal | undefined;
}

/** The options, after a look at what all of them share: plain JavaScript can give anything. */
export function checkOptions<T extends GivenOptions>(client: Connection, options: T): T {
  const refused = refuseClient(client);
  if (refused) throw refused;
  if (typeof options !== 'object' || options === null)
    throw badInput('options', 'must be an object that says what to move, and its journal');
  checkJournal(client, options.journal);
  // a limit that is ignored would be none
  if ((options as { readonly maxPerDay?: unknown }).maxPerDay !== undefined)
    throw badInput('maxPerDay', 'is a limit of the journal: createGuards({ journal, maxPerDay })');
  if (options.signal !== undefined && typeof options.signal?.addEventListener !== 'function')
    throw badInput('signal', 'must be an AbortSignal');
  return options;
}

/** A text that may be absent. */
export function readText(field: string, text: unknown): string | undefined {
  if (text === undefined || typeof text === 'string') return text;
  throw badInput(field, 'must be a text');
}

/** A copy of plain data, as every store can keep it. */
export function readPlain<T>(field: string, data: T): T {
  try {
    if (data === undefined || (typeof data === 'object' && data !== null))
      return data && (JSON.parse(JSON.stringify(data)) as T);
  } catch {
    // it holds what JSON has no form for
  }
  throw badInput(field, 'must be an object of plain data');
}

/** Throws for a store that forgets: what it held could be paid again. */
function checkJournal(client: Connection, journal: Store): void {
  if (typeof journal?.compareAndSet !== 'function')
    throw badInput('journal', 'is required: a Store, such as durableObjectStore(storage)');
  const url = client[internals].baseUrl();
  checkLasting(journal, url, 'journal', 'what a crash forgets is paid twice');
  if (!accountOf(client) && journal.durable)
    throw badInput(
      'account',
      'is required by a durable journal: createClient({ account }) names whose journal it is',
    );
}

/** A refund without an amount is one of all that came in. */
function readOrder(options: GivenPayment, refundOf: string | undefined): PayOrder {
  const { sourceCurrency } = options;
  const feePolicy = readText('feePolicy', options.feePolicy);
  const onchainTierId = readText('onchainTierId', options.onchainTierId);
  const { asked, named, ...way } = readWay(options.to);
  const stated = options.amount === undefined ? undefined : parseMoney(options.amount);
  if (named && stated) checkStated(stated, named, feePolicy);
  const amount = named ? undefined : (stated ?? asked);
  if (!named && !amount && !refundOf)
    throw badInput('amount', 'is required: the destination names none');
  if (!stated && !refundOf) checkBounded(options);
  if (way.rail === 'onchain' && !onchainTierId)
    throw badInput('onchainTierId', 'is required for an address; see paymentQuotes.listTiers');
  if (way.rail === 'lnurl' && feePolicy === 'INCLUSIVE')
    throw badInput('feePolicy', 'must be EXCLUSIVE for a Lightning address or LNURL');
  return {
    ...way,
    sourceCurrency,
    amount: amount && { ...amount, feePolicy },
    description: readText('description', options.description),
    beneficiary: readPlain('beneficiary', options.beneficiary),
    onchainTierId: way.rail === 'onchain' ? onchainTierId : undefined,
    refundOf,
  };
}

/** Compares the caller's amount with the invoice's own one, exactly. Throws InputError. */
function checkStated(stated: Money, named: Money<'BTC'>, feePolicy: string | undefined): void {
  const own = `${named.amount} BTC`;
  const instead = 'omit amount and limit the payment by maxTotal';
  if (stated.currency !== 'BTC')
    throw badInput('amount', `must be in BTC, as the invoice asks for ${own}; or ${instead}`);
  if (!isSameMoney(stated, named))
    throw badInput('amount', `must be what the invoice asks for, ${own}; or ${instead}`);
  if (feePolicy === 'INCLUSIVE')
    throw badInput('feePolicy', 'must be EXCLUSIVE: the invoice names what has to arrive');
}

/** Who writes `to` must not decide alone how much is paid. Throws InputError. */
function checkBounded({ maxTotal, maxFee }: GivenPayment): void {
  if (maxTotal !== undefined) return;
  const isShare = typeof maxFee === 'object' && 'percent' in Object(maxFee);
  const note = isShare ? '; maxFee as a percentage limits nothing by itself' : '';
  const advice = "is required without amount: the most to spend, fee included, or 'any'";
  throw badInput('maxTotal', `${advice}${note}`);
}

interface Way extends Pick<PayOrder, 'rail' | 'destination' | 'hash'> {
  /** What a link asks for. */
  readonly asked?: Money | undefined;
  /** The amount that a BOLT11 text itself names. */
  readonly named?: Money<'BTC'> | undefined;
}

/** Reads what a payer can paste. Throws InputError for what cannot be paid. */
export function readWay(to: string): Way {
  return wayOf(parseDestination(to));
}

/** The one way that is paid. */
function wayOf(destination: Destination): Way {
  switch (destination.kind) {
    case 'refused':
      throw badInput('to', `cannot be paid. ${destination.advice}`, {
        values: { reason: destination.reason },
      });
    case 'bolt11': {
      const { text, paymentHash, amountMsat } = destination.bolt11;
      const named = amountMsat === undefined ? undefined : fromMsat(amountMsat);
      return { rail: 'bolt11', destination: text, hash: paymentHash, named };
    }
    case 'lightning-address':
      return { rail: 'lnurl', destination: destination.address.text };
    case 'lnurl':
      return { rail: 'lnurl', destination: encodeLnurl(destination.lnurl.url) };
    case 'address':
      return { rail: 'onchain', destination: destination.address.text };
    default: {
      const { lightning, addresses, amount } = destination;
      return {
        asked: amount,
        ...wayOf(lightning ?? { kind: 'address', address: addresses[0]! }),
      };
    }
  }
}

function readLimits(options: GivenPayment): PayLimits {
  const { maxFee, maxTotal, maxRateSlip = DEFAULT_SLIP, sourceCurrency } = options;
  return {
    maxFee: readMaxFee(maxFee, (most) => readLimit('maxFee', most, sourceCurrency)),
    maxTotal:
      maxTotal === undefined || maxTotal === 'any'
        ? undefined
        : readLimit('maxTotal', maxTotal, sourceCurrency),
    maxRateSlip: readShare('maxRateSlip', maxRateSlip),
  };
}

/** The highest fee: a share, or an amount as `readAmount` takes it. Throws InputError. */
export function readMaxFee(
  most: PayLimits['maxFee'] | undefined,
  readAmount: (most: Money) => Money,
): PayLimits['maxFee'] {
  if (most === undefined) throw badInput('maxFee', "is required; 'any' has to be written out");
  return most === 'any' || 'percent' in Object(most)
    ? readShare('maxFee', most)
    : readAmount(most as Money);
}

function readLimit(field: string, limit: Money, currency: string): Money {
  if (typeof (limit as Partial<Money> | null)?.amount !== 'string')
    throw badInput(field, `must be money such as { amount: '25.00', currency: '${currency}' }`);
  const read = parseMoney(limit);
  if (read.currency === currency) return read;
  throw badInput(field, `must be in ${currency}, which is spent`);
}

/** A share of unknown origin, checked. Throws InputError. */
export function readShare(field: string, share: unknown): Percentage | 'any' {
  if (share === 'any') return share;
  const { percent } = (share ?? {}) as Partial<Percentage>;
  if (typeof percent === 'string' && /^\d{1,3}(\.\d{1,9})?$/.test(percent)) return { percent };
  throw badInput(field, 'must be a share such as { percent: "1.5" }');
}

/** Of what makes two orders the same; limits may change. */
export function fingerprintOf(parts: readonly (string | undefined)[]): string {
  return sha256Hex(new TextEncoder().encode(JSON.stringify(parts.map((part) => part ?? ''))));
}

/** The same text for the same amount. */
export function plainAmount(amount: Money): string {
  return roundMoney(parseMoney(amount), { digits: 18 }).amount;
}

function partsOf({
  rail,
  destination,
  amount,
  sourceCurrency,
  description,
  refundOf,
}: PayOrder): readonly (string | undefined)[] {
  const { feePolicy = 'EXCLUSIVE' } = amount ?? {};
  return [
    rail,
    destination,
    amount && plainAmount(amount),
    amount?.currency,
    sourceCurrency,
    feePolicy,
    description,
    refundOf,
  ];
}
