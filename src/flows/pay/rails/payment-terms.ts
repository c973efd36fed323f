import {
  type CallOptions,
  type CallResult,
  type Connection,
  internals,
  stateOf,
} from '../../../core/http/index.ts';
import { millisOf } from '../../../core/time.ts';
import {
  addMoney,
  compareMoney,
  convertMoney,
  fromMsat,
  type Money,
  subtractMoney,
} from '../../../money/index.ts';
import {
  createLightning,
  createLnurl,
  createOnchain,
  getLnurl,
  type LnurlDetails,
  type PaymentQuote,
} from '../../../resources/payment-quotes.ts';
import { list as listRates } from '../../../resources/rates.ts';
import {
  needsRate,
  objection,
  objectionToDestination,
  objectionToQuote,
  objectionToRate,
  shareOf,
  textOf,
} from '../guards.ts';
import { allow } from '../limits.ts';
import { type Asking, type RowDecision, skewBy } from '../rail.ts';
import type { AgreedQuote, PayOrder, PayReason, PayRow } from '../row.ts';
import { LEAST_LEFT } from '../schedule.ts';
import { askForTerms, type TakenNumber } from '../terms.ts';

/** A quote without an end is executed at this age at most, milliseconds, and closed after two minutes. */
const MOST_AGE = 20_000;
const UNNAMED_END = 120_000;

type Row = PayRow<PayOrder>;
type Ordered = Pick<Row, 'order' | 'limits'>;
type AskingTerms = Omit<Asking, 'journal'>;

/** Asks for a quote of a payment and checks it: what happened is that it is agreed to, or why it is not. */
export async function askForQuote(row: Row, asking: Asking): Promise<RowDecision> {
  const { settings } = asking.client[internals];
  const before =
    objectionToDestination(row.order, settings.network) ?? (await objectionToText(row, asking));
  if (before) return { is: 'guard-failed', why: before };
  return askForTerms(
    row,
    async () => {
      const { quote, askedAt, why } = await requestTerms(row, asking);
      if (why) return { is: 'guard-failed', why };
      return await agree(row, quote, askedAt, asking);
    },
    (taken) => decideOnTaken(row, taken, asking),
  );
}

/** A journal that is younger may have been made after another one was lost, milliseconds. */
const YOUNG_PIN = 86_400_000;

/**
 * The service has a quote under this number, and nobody can read it. It is that of another life of
 * the intent where no request was lost; else it may be. One text is settled once by the network.
 */
async function decideOnTaken(
  { order, round }: Row,
  { id, isFirst }: TakenNumber,
  { journal }: Asking,
): Promise<RowDecision | undefined> {
  const isOnce = order.rail === 'bolt11';
  const isOurs = !isFirst && (isOnce || (await journal.pinAge()) >= YOUNG_PIN);
  return isOurs ? undefined : { is: 'duplicate', original: id, round };
}

interface Terms {
  readonly quote: PaymentQuote;
  /** By the service's clock. */
  readonly askedAt: number;
  readonly why?: PayReason | undefined;
}

/** A quote, and why it must not be executed. Nothing is reserved by it. */
export async function requestTerms(order: Ordered, asking: AskingTerms): Promise<Terms> {
  const { rail, destination } = order.order;
  const { client, queueTimeout } = asking;
  // others wait for it too: no signal of one of them ends it
  const reading = { queueTimeout, reason: 'what the receiver takes' };
  const details = rail === 'lnurl' ? await detailsOf(client, destination, reading) : undefined;
  const askedAt = asking.now();
  const { ask = (send) => send() } = asking;
  const { value: quote } = await ask((idempotencyKey) =>
    requestQuote(order, asking, idempotencyKey),
  );
  const why =
    (details && objectionToRange(order.order, quote, details)) ??
    (await objectionTo(order, quote, asking));
  return { quote, askedAt, why };
}

/** One text is paid by one intent: another one has it only where that has ended without a payment. */
async function objectionToText(
  { order: { hash }, intent }: Row,
  { journal }: Asking,
): Promise<PayReason | undefined> {
  if (!hash) return undefined;
  const isFree = async (holder: string) => {
    const phase = (await journal.read(holder))?.phase;
    return phase === 'REFUSED' || phase === 'FAILED' || phase === 'STOPPED';
  };
  const isOurs = await journal.claim(`pay-text/${hash}`, intent, isFree);
  return isOurs
    ? undefined
    : objection('known-text', 'this invoice is paid under another intent of the same journal');
}

async function requestQuote(
  { order }: Ordered,
  { client, signal, queueTimeout, setSkew }: AskingTerms,
  idempotencyKey: string | undefined,
): Promise<CallResult<PaymentQuote>> {
  const { rail, destination, sourceCurrency, amount, description, beneficiary } = order;
  const options = { signal, queueTimeout, idempotencyKey, reason: 'terms of a payment' };
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
  setSkew(skewBy(result, client[internals].clock.now()));
  return result;
}

async function objectionTo(
  { order, limits }: Ordered,
  quote: PaymentQuote,
  { client, signal, queueTimeout, now }: AskingTerms,
): Promise<PayReason | undefined> {
  const { network } = client[internals].settings;
  const found =
    objectionToDestination(order, network, now()) ?? objectionToQuote(order, limits, quote);
  if (found || !needsRate(order, limits)) return found;
  const reason = 'compare a quote with the ticker';
  const rates = await listRates(client, { signal, queueTimeout, reason });
  return objectionToRate(order, limits, quote, rates);
}

/** The quote within the limits of the journal, if it still lives long enough by then. */
async function agree(
  { intent, round }: Row,
  { paymentQuoteId, amount, totalFee, totalAmount, validUntil }: PaymentQuote,
  askedAt: number,
  asking: Asking,
): Promise<RowDecision> {
  const { now } = asking;
  const named = millisOf(validUntil ?? '');
  const endsAt = named ?? askedAt + UNNAMED_END;
  const isLate = () =>
    named === undefined ? now() - askedAt > MOST_AGE : named - now() < LEAST_LEFT;
  const { why, day } = isLate() ? {} : await allow({ intent, round }, totalAmount, asking);
  if (why) return { is: 'guard-failed', why };
  if (isLate())
    return {
      is: 'guard-failed',
      why: objection('quote-end', 'the quote ends too soon to be executed'),
    };
  const quote: AgreedQuote = { id: paymentQuoteId, amount, totalFee, totalAmount, endsAt, day };
  return { is: 'agreed', quote, round };
}

/** What an address takes counts for so long, milliseconds. The service compares each quote anyway. */
const FRESH = 60_000;
/** More addresses are not kept. */
const MOST = 1_000;

interface Known {
  readonly details: Promise<LnurlDetails>;
  /** Monotonic. */
  readonly askedAt: number;
}

/** What this client has asked of an address within the last minute. */
export function knownDetails(
  client: Connection,
  address: string,
): Promise<LnurlDetails> | undefined {
  const found = knownTo(client).get(address);
  const now = client[internals].clock.monotonic();
  return found && now - found.askedAt < FRESH ? found.details : undefined;
}

function knownTo(client: Connection): Map<string, Known> {
  return stateOf(client, 'flows.lnurl', () => new Map());
}

/** What a Lightning address or LNURL takes; asked once a minute, however many are paid to it. */
function detailsOf(
  client: Connection,
  address: string,
  options: CallOptions,
): Promise<LnurlDetails> {
  const found = knownDetails(client, address);
  if (found) return found;
  const known = knownTo(client);
  if (known.size >= MOST) known.clear();
  const details = getLnurl(client, address, options);
  known.set(address, { details, askedAt: client[internals].clock.monotonic() });
  details.catch(() => known.delete(address));
  return details;
}

/** An amount of another currency is compared give or take so much. */
const SLACK = { percent: '1' } as const;

/** What a Lightning address or LNURL takes, against what it is to get. */
function objectionToRange(
  { description = '' }: PayOrder,
  { amount, conversionRate }: Pick<PaymentQuote, 'amount' | 'conversionRate'>,
  { minSendable, maxSendable, commentAllowed = 0 }: LnurlDetails,
): PayReason | undefined {
  if ([...description].length > commentAllowed)
    return objection('range', `the receiver takes comments of ${commentAllowed} characters`);
  const [least, most] = [minSendable, maxSendable].map((msat) => fromMsat(`${msat}`)) as [
    Money,
    Money,
  ];
  const bitcoin = bitcoinOf(amount, conversionRate);
  if (!bitcoin) return undefined; // the service has compared it, and refuses such a quote
  const [low, high] = bitcoin.isExact ? [least, most] : rangeAround(least, most);
  return compareMoney(bitcoin.value, low) < 0 || compareMoney(bitcoin.value, high) > 0
    ? objection('range', `the receiver takes ${textOf(least)} to ${textOf(most)}`)
    : undefined;
}

function bitcoinOf(
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
  return [subtractMoney(least, shareOf(least, SLACK)), addMoney(most, shareOf(most, SLACK))];
}
