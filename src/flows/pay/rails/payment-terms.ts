import { isPaystateError } from '../../../core/errors/index.ts';
import {
  beginPair,
  type CallOptions,
  type CallResult,
  type Connection,
  internals,
  type Slot,
  slotState,
} from '../../../core/http/index.ts';
import { parseMillis } from '../../../core/time.ts';
import { sendableMsat } from '../../../lightning/lnurl.ts';
import {
  addMoney,
  compareMoney,
  convertMoney,
  fromMsat,
  type Money,
  subtractMoney,
} from '../../../money/index.ts';
import {
  chooseTier,
  createLightning,
  createLnurl,
  createOnchain,
  getLnurl,
  listTiers,
  type LnurlDetails,
  type PaymentQuote,
} from '../../../resources/payment-quotes.ts';
import { isSameId } from '../../../resources/resource.ts';
import { list as listRates } from '../../../resources/rates.ts';
import {
  needsRate,
  objection,
  objectionToDestination,
  objectionToQuote,
  objectionToRate,
  computeShare,
  formatMoney,
} from '../guards.ts';
import { allow } from '../limits.ts';
import { readLimits, type MoveRow, readView } from '../facts.ts';
import { UNSEEN_LIFETIME_MS } from '../next.ts';
import type { MoveReason, PayOrder } from '../order.ts';
import {
  type AskedTerms,
  type Asking,
  duplicateIn,
  FOREIGN,
  KEYS_IGNORED,
  nameAgain,
  refuse,
  nameTermsClaim,
  UNNAMED,
} from '../rail.ts';

/** The age above which a quote without an expiry isn't accepted. */
const MAX_QUOTE_AGE_MS = 20_000;

type Row = MoveRow<PayOrder>;
type Ordered = Pick<Row, 'order' | 'limits'>;
type AskingTerms = Pick<Asking, 'client' | 'signal' | 'now'> &
  Partial<Pick<Asking, 'key'>> & {
    /** The longest time to wait for the rate limit, in milliseconds. */
    readonly queueTimeout?: number | undefined;
  };

/**
 * Requests a payment quote under the key of an attempt, checks it, and confirms its id with a
 * second request. If an earlier quote exists under the key, it can't be read and is never accepted.
 */
export async function askForQuote(row: Row, asking: Asking): Promise<AskedTerms> {
  const { settings } = asking.client[internals];
  const before =
    objectionToDestination(row.order, settings.network) ?? (await objectionToText(row, asking));
  if (before) return refuse(before);
  await untilPair(asking);
  try {
    const terms = await requestTerms({ order: row.order, limits: readLimits(row) }, asking);
    const { quote, why } = terms;
    if (!quote || (why && asking.isBelieved)) return refuse(why!, quote !== undefined);
    const named = await nameAgain(asking, async () => {
      const again = await requestQuote(terms.order, asking);
      return { id: again.value.paymentQuoteId, isDuplicate: false };
    });
    if (!named) return { is: 'refused', why: UNNAMED, isPassing: true };
    if (!isSameId(named.id, quote.paymentQuoteId))
      return named.isDuplicate
        ? { is: 'original', id: named.id, endsAt: endLike(terms, asking) }
        : KEYS_IGNORED;
    return why ? refuse(why, true) : await agree(row, quote, terms.askedAt, asking);
  } catch (thrown) {
    const id = duplicateIn(thrown);
    if (id === undefined) throw thrown;
    return { is: 'original', id, endsAt: await endLikeUnused(row, asking) };
  }
}

/**
 * Estimates when an earlier quote for the same order has expired, assuming that all quotes for the
 * same order have the same validity period.
 */
function endLike({ quote, askedAt = 0 }: Terms, { now }: Asking): number | undefined {
  const endsAt = parseMillis(quote?.validUntil ?? '');
  return endsAt === undefined ? undefined : now() + Math.max(0, endsAt - askedAt);
}

/**
 * Requests another quote for the same order to find out how long quotes are valid. The quote isn't
 * used.
 */
async function endLikeUnused(row: Row, asking: Asking): Promise<number | undefined> {
  const order = { order: row.order, limits: readLimits(row) };
  const key = asking.client[internals].uuid();
  const terms = await requestTerms(order, { ...asking, key }).catch((thrown: unknown) => {
    if (!isPaystateError(thrown)) throw thrown;
    return undefined;
  });
  return terms && endLike(terms, asking);
}

/**
 * Waits until the rate limit allows two requests. If the second request had to wait, the quote
 * could expire before its id is confirmed.
 */
async function untilPair({ client, signal }: Asking): Promise<void> {
  const { clock } = client[internals];
  for (let wait = 1; wait > 0 && !signal.aborted; ) {
    wait = beginPair(client, 'payment-quotes');
    if (wait > 0) await clock.wait(wait, signal);
  }
}

type Terms =
  | {
      readonly quote: PaymentQuote;
      /** When the quote was requested, according to the service's clock. */
      readonly askedAt: number;
      readonly order: PayOrder;
      readonly why?: MoveReason | undefined;
    }
  | { readonly why: MoveReason; readonly quote?: undefined; readonly askedAt?: undefined };

/** Requests a quote and checks it without reserving anything. */
export async function requestTerms(row: Ordered, asking: AskingTerms): Promise<Terms> {
  const { rail, destination } = row.order;
  const { client, queueTimeout } = asking;
  // other payments share these details, so one payment's signal must not abort the request
  const reading = { queueTimeout, reason: 'limits of the receiver' };
  const details = rail === 'lnurl' ? await findDetails(client, destination, reading) : undefined;
  const onchainTierId = await tierFor(row.order, asking);
  if (rail === 'onchain' && onchainTierId === undefined)
    return {
      why: objection('tier', 'the service offers no on-chain tier that onchainTier allows'),
    };
  const askedAt = asking.now();
  const order = { ...row.order, onchainTierId };
  const { value: quote } = await requestQuote(order, asking);
  const why =
    (details && objectionToRange(order, quote, details)) ?? (await objectionTo(row, quote, asking));
  return { quote, askedAt, order, why };
}

async function tierFor(order: PayOrder, asking: AskingTerms): Promise<string | undefined> {
  const { amount, destination, onchainTier, onchainTierId } = order;
  if (!onchainTier || !amount) return onchainTierId;
  const { client, signal, queueTimeout } = asking;
  const options = { signal, queueTimeout, reason: 'choose a tier' };
  const { feePolicy: _, ...sum } = amount;
  const tiers = await listTiers(client, { btcAddress: destination, amount: sum }, options);
  const isForeign = tiers.some(
    ({ minimumAmount }) => minimumAmount && minimumAmount.currency !== sum.currency,
  );
  const rates = isForeign ? await listRates(client, options) : [];
  const rate = rates.find(
    ({ sourceCurrency, targetCurrency }) =>
      sourceCurrency === 'BTC' && targetCurrency === sum.currency,
  );
  return chooseTier(tiers, convertToBitcoin(sum, rate)?.value ?? sum, onchainTier)?.id;
}

/**
 * Claims a BOLT11 invoice for this intent. If another intent has already claimed the invoice, that
 * intent must have ended without a payment.
 */
async function objectionToText(
  { order: { hash }, intent }: Row,
  { journal }: Asking,
): Promise<MoveReason | undefined> {
  if (!hash) return undefined;
  const isFree = async (holder: string) => {
    const found = await journal.read(holder);
    const end = found && readView(found).over?.as;
    return end === 'refused' || end === 'failed' || end === 'stopped';
  };
  const isOurs = await journal.claim(`pay-text/${hash}`, intent, isFree);
  return isOurs
    ? undefined
    : objection('known-text', 'another intent in this journal already pays this invoice');
}

async function requestQuote(
  order: PayOrder,
  { client, signal, queueTimeout, key }: AskingTerms,
): Promise<CallResult<PaymentQuote>> {
  const { rail, destination, sourceCurrency, amount, description, beneficiary } = order;
  const options = { signal, queueTimeout, idempotencyKey: key, reason: 'terms of a payment' };
  const { feePolicy: _, ...sum } = amount ?? { amount: '', currency: '' };
  const call =
    rail === 'bolt11'
      ? createLightning(
          client,
          { lnInvoice: destination, sourceCurrency, amount, beneficiary },
          options,
        )
      : rail === 'lnurl'
        ? createLnurl(
            client,
            { lnAddressOrUrl: destination, sourceCurrency, amount: sum, description },
            options,
          )
        : createOnchain(
            client,
            {
              btcAddress: destination,
              sourceCurrency,
              amount: amount!,
              description,
              onchainTierId: order.onchainTierId!,
              beneficiary,
            },
            options,
          );
  const result = await call.withResponse();
  return result;
}

async function objectionTo(
  { order, limits }: Ordered,
  quote: PaymentQuote,
  { client, signal, queueTimeout, now }: AskingTerms,
): Promise<MoveReason | undefined> {
  const { network } = client[internals].settings;
  const found =
    objectionToDestination(order, network, now()) ?? objectionToQuote(order, limits, quote);
  if (found || !needsRate(order, limits)) return found;
  const reason = 'compare a quote with the ticker';
  const rates = await listRates(client, { signal, queueTimeout, reason });
  return objectionToRate(order, limits, quote, rates);
}

/**
 * Claims the quote for this intent, checks it against the journal's limits, and accepts it if
 * there's enough time left.
 */
async function agree(
  row: Row,
  { paymentQuoteId: id, amount, totalFee, totalAmount, validUntil }: PaymentQuote,
  askedAt: number,
  asking: Asking,
): Promise<AskedTerms> {
  const { now, journal, view } = asking;
  const named = parseMillis(validUntil ?? '');
  const isLate = () =>
    named === undefined ? now() - askedAt > MAX_QUOTE_AGE_MS : named - now() < MIN_QUOTE_LEFT_MS;
  if (isLate()) return refuse(tooLate());
  if (!(await journal.claim(nameTermsClaim({ member: 'payment' }, id), row.intent)))
    return { is: 'refused', why: FOREIGN, isPassing: true };
  const { why, day } = await allow(row.intent, view.round, totalAmount, asking);
  if (why) return refuse(why);
  if (isLate()) return refuse(tooLate());
  const endsAt = named ?? askedAt + UNSEEN_LIFETIME_MS;
  return { is: 'agreed', quote: { id, amount, totalFee, totalAmount, endsAt, day } };
}

/** The least time that a quote must have left to be accepted. */
const MIN_QUOTE_LEFT_MS = 5_000;

function tooLate(): MoveReason {
  return objection('quote-end', 'the quote expires too soon to be executed');
}

/**
 * How long the details of a Lightning address are cached. The service checks each quote against the
 * current details anyway.
 */
const DETAILS_FRESH_MS = 60_000;
const MAX_ADDRESSES = 1_000;

interface Known {
  readonly details: Promise<LnurlDetails>;
  /** When the details were requested, on the monotonic clock. */
  readonly askedAt: number;
}

export function knownDetails(
  client: Connection,
  address: string,
): Promise<LnurlDetails> | undefined {
  const found = slotState(client, KNOWN).get(address);
  const now = client[internals].clock.monotonic();
  return found && now - found.askedAt < DETAILS_FRESH_MS ? found.details : undefined;
}

const KNOWN: Slot<Map<string, Known>> = { name: 'flows.lnurl', make: () => new Map() };

/**
 * Reads the amounts that a Lightning address or LNURL accepts. The result is cached for a minute
 * and shared by all payments.
 */
function findDetails(
  client: Connection,
  address: string,
  options: CallOptions,
): Promise<LnurlDetails> {
  const found = knownDetails(client, address);
  if (found) return found;
  const known = slotState(client, KNOWN);
  if (known.size >= MAX_ADDRESSES) known.clear();
  const details = getLnurl(client, address, options);
  known.set(address, { details, askedAt: client[internals].clock.monotonic() });
  details.catch(() => known.delete(address));
  return details;
}

/** The tolerance for an amount that had to be converted from another currency. */
const RATE_SLACK = { percent: '1' } as const;

function objectionToRange(
  { description = '' }: PayOrder,
  { amount, conversionRate }: Pick<PaymentQuote, 'amount' | 'conversionRate'>,
  { minSendable, maxSendable, commentAllowed = 0 }: LnurlDetails,
): MoveReason | undefined {
  if ([...description].length > commentAllowed)
    return objection(
      'range',
      `the receiver accepts comments of up to ${commentAllowed} characters`,
    );
  const [least, most] = sendableMsat(minSendable, maxSendable).map(fromMsat) as [Money, Money];
  const bitcoin = convertToBitcoin(amount, conversionRate);
  // the service compares the amount itself and refuses a quote outside the range
  if (!bitcoin) return undefined;
  const [low, high] = bitcoin.isExact ? [least, most] : rangeAround(least, most);
  return compareMoney(bitcoin.value, low) < 0 || compareMoney(bitcoin.value, high) > 0
    ? objection(
        'range',
        `the receiver accepts amounts from ${formatMoney(least)} to ${formatMoney(most)}`,
      )
    : undefined;
}

function convertToBitcoin(
  amount: Money,
  rate: PaymentQuote['conversionRate'],
): { readonly value: Money; readonly isExact: boolean } | undefined {
  if (amount.currency === 'BTC') return { value: amount, isExact: true };
  const pair = [rate?.sourceCurrency, rate?.targetCurrency];
  if (!rate || !pair.includes('BTC') || !pair.includes(amount.currency)) return undefined;
  const options = { asOf: 0, digits: 12, rounding: 'half-even' } as const;
  return { value: convertMoney(amount, rate, options).value, isExact: false };
}

function rangeAround(least: Money, most: Money): readonly [Money, Money] {
  return [
    subtractMoney(least, computeShare(least, RATE_SLACK)),
    addMoney(most, computeShare(most, RATE_SLACK)),
  ];
}
