import {
  badInput,
  checkArgument,
  checkOptions,
  type Expected,
  type Open,
} from '../../core/errors/index.ts';
import { type Connection, internals, checkClient } from '../../core/http/index.ts';
import { sha256Hex } from '../../lightning/hashes.ts';
import { type Destination, parseDestination } from '../../lightning/destination.ts';
import { encodeLnurl } from '../../lightning/lnurl.ts';
import { fromMsat, isSameMoney, type Money, roundMoney } from '../../money/index.ts';
import { parseUnsignedMoney } from '../../money/money.ts';
import type { CurrencyCode, SpendAmount } from '../../resources/amounts.ts';
import type { Beneficiary, OnchainTierChoice } from '../../resources/payment-quotes.ts';
import { checkLasting } from '../../stores/store.ts';
import type { Store } from '../../stores/store.ts';
import { pinAccount } from './account.ts';
import type { MoneyOrder, MoveLimits, PayOrder, Percentage } from './order.ts';

/** Options for every payment, with or without an `amount`. */
export interface CommonPaymentOptions {
  /**
   * Where to send the payment, as a user would paste it. This can be a BOLT11 invoice, a Lightning
   * address, an LNURL, an on-chain address or a `bitcoin:` URI. If the URI includes a Lightning
   * invoice, that invoice is paid.
   */
  readonly to: string;
  /** The currency to spend. */
  readonly sourceCurrency: Open<CurrencyCode>;
  /**
   * The highest fee, as an amount in `sourceCurrency`, a percentage of the total, or `any`. A
   * percentage grows with the total, so only `amount` or `maxTotal` limits your spending.
   */
  readonly maxFee: Money | Percentage | 'any';
  /** The store that keeps your intents. It must be durable, except with a sandbox. */
  readonly journal: Store;
  /**
   * Your own id for this payment, up to 200 characters. An intent is paid at most once, even after
   * a crash. Defaults to the payment hash for a BOLT11 invoice. Required for everything else.
   */
  readonly intent?: string | undefined;
  /** Whether the fee is included in `amount` or added on top (`EXCLUSIVE`, the default). */
  readonly feePolicy?: SpendAmount['feePolicy'];
  /**
   * The largest allowed difference between the quote's rate and the ticker's, as a percentage.
   * Defaults to 1 %. `any` skips the comparison.
   */
  readonly maxRateSlip?: Percentage | 'any' | undefined;
  /** A comment for the receiver, if they accept comments. For on-chain payments, a note. */
  readonly description?: string | undefined;
  /** The person or company that receives the money, as required by the travel rule. */
  readonly beneficiary?: Beneficiary | undefined;
  /**
   * The id of a tier from `paymentQuotes.listTiers`. On-chain addresses require this or
   * `onchainTier`.
   */
  readonly onchainTierId?: string | undefined;
  /** Chooses the tier of an on-chain payment by delivery time or fee. See `chooseTier`. */
  readonly onchainTier?: OnchainTierChoice | undefined;
  /**
   * If nothing has been executed yet, aborting stops the payment. Otherwise it only detaches the
   * run. Has no effect while other callers share the run.
   */
  readonly signal?: AbortSignal | undefined;
}

/** A payment of an amount you specify. */
export interface PaymentWithAmount extends CommonPaymentOptions {
  /**
   * The amount to pay. If the BOLT11 invoice in `to` has an amount, `amount` must be exactly the
   * same, in BTC. To limit such an invoice in another currency, omit `amount` and set `maxTotal`.
   */
  readonly amount: Money;
  /** The most to spend including the fee, in `sourceCurrency`. No limit if absent or `any`. */
  readonly maxTotal?: Money | 'any' | undefined;
}

/** A payment of the amount in `to`, limited by `maxTotal`. */
export interface PaymentWithoutAmount extends CommonPaymentOptions {
  /** Absent, because the amount is in `to`. `maxTotal` limits it. */
  readonly amount?: undefined;
  /** The most to spend including the fee, in `sourceCurrency`. Use `any` for no limit. */
  readonly maxTotal: Money | 'any';
}

/**
 * A payment with its limits and its journal. Set `amount` or `maxTotal`. Without either, whoever
 * created the invoice in `to` decides how much you pay.
 */
export type PaymentOptions = PaymentWithAmount | PaymentWithoutAmount;

/** Options for every type of money transfer. */
export interface MoveOptions {
  /** Your own id for this transfer, up to 200 characters. It's executed at most once. */
  readonly intent: string;
  /** The store that keeps your intents. It must be durable, except with a sandbox. */
  readonly journal: Store;
  /**
   * If nothing has been executed yet, aborting stops the transfer. Otherwise it only detaches the
   * run. Has no effect while other callers share the run.
   */
  readonly signal?: AbortSignal | undefined;
}

export interface MoveCommand<Order extends MoneyOrder = MoneyOrder> {
  readonly intent: string;
  readonly fingerprint: string;
  readonly order: Order;
  readonly limits: MoveLimits;
}

const MAX_INTENT_LENGTH = 200;
export const DEFAULT_SLIP: Percentage = { percent: '1' };

/** Options for a payment or refund. For a refund, `amount` and `maxTotal` can be absent. */
interface GivenPayment extends CommonPaymentOptions {
  readonly amount?: Money | undefined;
  readonly maxTotal?: Money | 'any' | undefined;
}

/**
 * Types of the options shared by `pay`, `refund` and `plan`. Amounts and percentages are checked
 * separately.
 */
export const SHARED_OPTIONS = {
  sourceCurrency: 'any',
  maxTotal: 'any',
  maxFee: 'any',
  maxRateSlip: 'any',
  journal: 'any',
  description: 'string',
  beneficiary: 'object',
  onchainTierId: 'string',
  onchainTier: 'any',
  signal: 'signal',
} as const;

const PAYMENT_OPTIONS: Expected<GivenPayment> = /* @__PURE__ */ Object.assign(
  { to: 'string!', amount: 'any', intent: 'any', feePolicy: 'string' } as const,
  SHARED_OPTIONS,
);

/** Reads a payment's options without sending a request. Throws InputError. */
export function readRequest(
  client: Connection,
  options: GivenPayment,
  refundOf?: string,
): MoveCommand<PayOrder> {
  if (!refundOf) checkMove(client, options, PAYMENT_OPTIONS);
  const { intent, sourceCurrency } = options;
  if (typeof sourceCurrency !== 'string' || !sourceCurrency)
    throw badInput(
      'sourceCurrency',
      'is required, because the account may default to another currency',
    );
  const order = readOrder(options, refundOf);
  const name = readIntent(intent ?? order.hash);
  const fingerprint = makeFingerprint(listParts(order));
  return { intent: name, fingerprint, order, limits: readLimits(options) };
}

/** Checks an intent's name. Throws InputError. */
export function readIntent(name: string | undefined): string {
  if (typeof name === 'string' && name !== '' && name.length <= MAX_INTENT_LENGTH) return name;
  throw badInput(
    'intent',
    `must be an ID for this payment, with 1 to ${MAX_INTENT_LENGTH} characters`,
  );
}

/** Checks a money transfer's options and its journal. Throws InputError. */
export function checkMove<T extends { readonly journal: Store }>(
  client: Connection,
  options: T,
  members: Expected<T>,
): T {
  checkClient(client);
  for (const [name, value] of Object.entries(options ?? {}))
    if (value !== undefined && /^maxPer(Day|Run)$/.test(name))
      throw badInput(name, `can only be set with createGuards({ journal, ${name} })`);
  checkOptions(options ?? null, members);
  checkJournal(client, options.journal);
  return options;
}

/** Checks the options that apply to a whole plan. Throws InputError. */
export function checkShared(shared: Partial<GivenPayment>): void {
  const { sourceCurrency, maxTotal = 'any', maxFee = 'any', maxRateSlip = 'any' } = shared;
  // the currency is compared separately for each row of the plan
  const readMost = (field: string, most: Money) =>
    readLimit(field, most, (Object(most) as Money).currency);
  checkArgument('sourceCurrency', sourceCurrency, 'string');
  if (shared.onchainTier !== undefined) readTierChoice(shared.onchainTier);
  if (maxTotal !== 'any') readMost('maxTotal', maxTotal);
  readMaxFee(maxFee, (most) => readMost('maxFee', most));
  readShare('maxRateSlip', maxRateSlip);
}

function readText(field: string, text: unknown): string | undefined {
  if (text === undefined || typeof text === 'string') return text;
  throw badInput(field, 'must be a string');
}

/** Copies plain data, so that every store can hold it. Throws InputError. */
export function readPlain<T>(field: string, data: T): T {
  try {
    if (data === undefined || (typeof data === 'object' && data !== null))
      return data && (JSON.parse(JSON.stringify(data)) as T);
  } catch {
    // not JSON, so it's rejected below
  }
  throw badInput(field, 'must be a plain object');
}

/** Throws if the store isn't durable, because a forgotten payment could be made again. */
function checkJournal(client: Connection, journal: Store): void {
  if (typeof journal?.compareAndSet !== 'function')
    throw badInput('journal', 'is required: a Store, such as sqlStore(driver)');
  const url = client[internals].baseUrl();
  checkLasting(journal, url, 'journal', 'after a crash, money could be sent twice');
  if (!pinAccount(client) && journal.durable)
    throw badInput(
      'account',
      'is required with a durable journal: set it with createClient({ account })',
    );
}

/**
 * Reads a payment order. A refund without an amount returns everything that hasn't been refunded
 * yet.
 */
function readOrder(options: GivenPayment, refundOf: string | undefined): PayOrder {
  const { sourceCurrency } = options;
  const feePolicy = readText('feePolicy', options.feePolicy);
  const onchainTierId = readText('onchainTierId', options.onchainTierId);
  const { asked, named, ...way } = readWay(options.to);
  const stated = options.amount === undefined ? undefined : parseUnsignedMoney(options.amount);
  if (named && stated) checkStated(stated, named, feePolicy);
  const amount = named ? undefined : (stated ?? asked);
  if (!named && !amount && !refundOf)
    throw badInput('amount', 'is required, because the destination has no amount');
  if (!stated && !refundOf) checkBounded(options);
  const onchainTier =
    options.onchainTier === undefined ? undefined : readTierChoice(options.onchainTier);
  if (way.rail === 'onchain' && !onchainTierId && !onchainTier)
    throw badInput(
      'onchainTierId',
      'is required for an address, unless onchainTier chooses a tier',
    );
  if (onchainTierId && onchainTier)
    throw badInput('onchainTier', 'must not be combined with onchainTierId');
  if (way.rail === 'lnurl' && feePolicy === 'INCLUSIVE')
    throw badInput('feePolicy', 'must be EXCLUSIVE for a Lightning address or LNURL');
  return {
    ...way,
    sourceCurrency,
    amount: amount && { ...amount, feePolicy },
    description: readText('description', options.description),
    beneficiary: readPlain('beneficiary', options.beneficiary),
    onchainTierId: way.rail === 'onchain' ? onchainTierId : undefined,
    onchainTier: way.rail === 'onchain' ? onchainTier : undefined,
    refundOf,
  };
}

/** Checks the option that chooses the tier of an on-chain payment. Throws InputError. */
export function readTierChoice(choice: OnchainTierChoice): OnchainTierChoice {
  const members = { maxDeliveryInMin: 'any', maxFee: 'any' } as const;
  checkOptions<Partial<Record<keyof OnchainTierChoice, unknown>>>(
    choice,
    members as never,
    'onchainTier.',
  );
  const { maxDeliveryInMin, maxFee } = choice;
  if ((maxDeliveryInMin === undefined) === (maxFee === undefined))
    throw badInput('onchainTier', 'must have either maxDeliveryInMin or maxFee');
  if (maxFee !== undefined) return { maxFee: readLimit('onchainTier.maxFee', maxFee, 'BTC') };
  if (Number.isFinite(maxDeliveryInMin) && maxDeliveryInMin! > 0)
    return { maxDeliveryInMin: maxDeliveryInMin! };
  throw badInput('onchainTier.maxDeliveryInMin', 'must be a number of minutes');
}

/** Checks that the caller's amount exactly matches the invoice amount. Throws InputError. */
function checkStated(stated: Money, named: Money<'BTC'>, feePolicy: string | undefined): void {
  const own = `${named.amount} BTC`;
  const instead = 'omit amount and limit the payment by maxTotal';
  if (stated.currency !== 'BTC')
    throw badInput('amount', `must be in BTC, because the invoice asks for ${own}; or ${instead}`);
  if (!isSameMoney(stated, named))
    throw badInput('amount', `must be ${own}, the amount of the invoice; or ${instead}`);
  if (feePolicy === 'INCLUSIVE')
    throw badInput(
      'feePolicy',
      'must be EXCLUSIVE, because the invoice fixes the amount that arrives',
    );
}

/**
 * Requires `maxTotal` if whoever created `to` would otherwise decide the amount. Throws InputError.
 */
function checkBounded({ maxTotal, maxFee }: GivenPayment): void {
  if (maxTotal !== undefined) return;
  const isShare = typeof maxFee === 'object' && 'percent' in Object(maxFee);
  const note = isShare ? '; a percentage maxFee alone sets no limit' : '';
  const advice = "is required without amount: the most to spend, fee included, or 'any'";
  throw badInput('maxTotal', `${advice}${note}`);
}

interface Way extends Pick<PayOrder, 'rail' | 'destination' | 'hash'> {
  /** The amount requested by a link. */
  readonly asked?: Money | undefined;
  /** The amount in the BOLT11 invoice itself. */
  readonly named?: Money<'BTC'> | undefined;
}

/** Reads a payment's destination. Throws InputError if it can't be paid. */
export function readWay(to: string): Way {
  return chooseWay(parseDestination(to));
}

function chooseWay(destination: Destination): Way {
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
        ...chooseWay(lightning ?? { kind: 'address', address: addresses[0]! }),
      };
    }
  }
}

function readLimits(options: GivenPayment): MoveLimits {
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

/** Reads `maxFee` as a percentage, or as an amount with `readAmount`. Throws InputError. */
export function readMaxFee(
  most: MoveLimits['maxFee'] | undefined,
  readAmount: (most: Money) => Money,
): MoveLimits['maxFee'] {
  if (most === undefined) throw badInput('maxFee', "is required; write 'any' for no limit");
  return most === 'any' || 'percent' in Object(most)
    ? readShare('maxFee', most)
    : readAmount(most as Money);
}

function readLimit(field: string, limit: Money, currency: string): Money {
  if (typeof (limit as Partial<Money> | null)?.amount !== 'string')
    throw badInput(field, `must be an amount such as { amount: '25.00', currency: '${currency}' }`);
  const read = parseUnsignedMoney(limit);
  if (read.currency === currency) return read;
  throw badInput(field, `must be in ${currency}, the currency you spend`);
}

/** Reads a percentage, or `any`. Throws InputError. */
export function readShare(field: string, share: unknown): Percentage | 'any' {
  if (share === 'any') return share;
  const { percent } = (share ?? {}) as Partial<Percentage>;
  if (typeof percent === 'string' && /^\d{1,3}(\.\d{1,9})?$/.test(percent)) return { percent };
  throw badInput(field, 'must be a percentage such as { percent: "1.5" }');
}

/** Hashes the parts that identify an order. Limits aren't part of the hash. */
export function makeFingerprint(parts: readonly (string | undefined)[]): string {
  return sha256Hex(new TextEncoder().encode(JSON.stringify(parts.map((part) => part ?? ''))));
}

/** Formats equal amounts as equal strings. */
export function plainAmount(amount: Money): string {
  return roundMoney(parseUnsignedMoney(amount), { digits: 18 }).amount;
}

function listParts({
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
