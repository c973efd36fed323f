import { isPaystateError, type PaystateError } from '../../core/errors/index.ts';
import { type CallResult, type Connection, internals, serviceTime } from '../../core/http/index.ts';
import { millisOf } from '../../core/time/index.ts';
import {
  createLightning,
  createLnurl,
  createOnchain,
} from '../../resources/payment-quotes/operations.ts';
import type { PaymentQuote } from '../../resources/payment-quotes/model.ts';
import { list as listRates } from '../../resources/rates/operations.ts';
import type { PayEvent } from './apply-event.ts';
import { dayOf, reserveForDay } from './day-guard.ts';
import {
  needsRate,
  objection,
  objectionToDestination,
  objectionToQuote,
  objectionToRate,
} from './guards.ts';
import type { PayJournal } from './journal.ts';
import type { AgreedQuote, PayReason, PayRow } from './row.ts';
import { LEAST_LEFT } from './schedule.ts';
import { refusalOf } from './try-outcome.ts';

/** Quotes of one round whose answers may be lost. */
const MOST_LOSSES = 3;
/** A quote without an end is executed at this age at most, milliseconds, and closed after two minutes. */
const MOST_AGE = 20_000;
const UNNAMED_END = 120_000;
/** How far the service's clock may be ahead of one that no response has told, milliseconds. */
const UNTOLD_SKEW = 10_000;
/** A `Date` header names a whole second. */
const SECOND = 999;

/** How far the service's clock is ahead of ours at most, by a response. */
export function skewBy({ headers }: CallResult<unknown>, now: number): number {
  const isTold = headers.has('date');
  return isTold ? serviceTime(headers, now) + SECOND - now : UNTOLD_SKEW;
}

interface Asking {
  readonly client: Connection;
  readonly journal: PayJournal;
  readonly by: string;
  readonly signal: AbortSignal;
  /** Longest wait for a place in the rate limit, milliseconds. */
  readonly queueTimeout?: number | undefined;
  /** Told when the service's clock is known. */
  setSkew(skew: number): void;
  /** By the service's clock. */
  now(): number;
}

type Decision = Omit<PayEvent, 'at' | 'by'>;

/** Asks for a quote and checks it: what happened is that it is agreed to, or why it is not. */
export async function askForQuote(row: PayRow, asking: Asking): Promise<Decision> {
  const { settings } = asking.client[internals];
  const before =
    objectionToDestination(row.order, settings.network) ?? (await objectionToText(row, asking));
  if (before) return { is: 'guard-failed', why: before };
  const askedAt = asking.now();
  try {
    const { value: quote } = await requestQuote(row, asking);
    const why = await objectionTo(row, quote, asking);
    if (why) return { is: 'guard-failed', why };
    return await agree(row, quote, askedAt, asking);
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    const isLost = mayBeAskedAgain(thrown) && row.quoteLosses + 1 < MOST_LOSSES;
    return isLost ? { is: 'quote-lost' } : { is: 'quote-refused', why: refusalOf(thrown) };
  }
}

/** One text is paid by one intent: another one has it only where that has ended without a payment. */
async function objectionToText(
  { order: { hash }, intent }: PayRow,
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

/** A new key each time: terms of a quote that was made before cannot be read. */
export async function requestQuote(
  { order }: Pick<PayRow, 'order'>,
  { client, signal, queueTimeout, setSkew }: Omit<Asking, 'journal' | 'by' | 'now'>,
): Promise<CallResult<PaymentQuote>> {
  const { rail, destination, sourceCurrency, amount, description, beneficiary } = order;
  const options = { signal, queueTimeout, reason: 'terms of a payment' };
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

/** Why a quote must not be executed; it is compared with the ticker where that is needed. */
export async function objectionTo(
  { order, limits }: Pick<PayRow, 'order' | 'limits'>,
  quote: PaymentQuote,
  { client, signal, queueTimeout, now }: Omit<Asking, 'journal' | 'by' | 'setSkew'>,
): Promise<PayReason | undefined> {
  const { network } = client[internals].settings;
  const found =
    objectionToDestination(order, network, now()) ?? objectionToQuote(order, limits, quote);
  if (found || !needsRate(order, limits)) return found;
  const reason = 'compare a quote with the ticker';
  const rates = await listRates(client, { signal, queueTimeout, reason });
  return objectionToRate(order, limits, quote, rates);
}

async function agree(
  { intent, limits, round }: PayRow,
  { paymentQuoteId, amount, totalFee, totalAmount, validUntil }: PaymentQuote,
  askedAt: number,
  { journal, now }: Asking,
): Promise<Decision> {
  const named = validUntil === undefined ? undefined : millisOf(validUntil);
  const endsAt = named ?? askedAt + UNNAMED_END;
  const day = dayOf(now(), totalAmount.currency);
  const { maxPerDay } = limits;
  if (maxPerDay && !(await reserveForDay(journal, day, intent, totalAmount, maxPerDay)))
    return {
      is: 'guard-failed',
      why: objection('per-day', 'the day has no room for it within maxPerDay'),
    };
  const isLate = named === undefined ? now() - askedAt > MOST_AGE : named - now() < LEAST_LEFT;
  if (isLate)
    return {
      is: 'guard-failed',
      why: objection('quote-end', 'the quote ends too soon to be executed'),
    };
  const quote: AgreedQuote = {
    paymentQuoteId,
    amount,
    totalFee,
    totalAmount,
    endsAt,
    day: maxPerDay && day,
  };
  return { is: 'agreed', quote, round };
}

/** Nothing was decided: the answer was lost, or names a quote whose terms cannot be read. */
export function mayBeAskedAgain({ kind, code }: PaystateError): boolean {
  return kind === 'unreachable' || kind === 'response' || code === 'DUPLICATE_PAYMENT_QUOTE';
}
