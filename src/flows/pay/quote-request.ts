import { type CallResult, internals } from '../../core/http/index.ts';
import { millisOf } from '../../core/time/index.ts';
import {
  createLightning,
  createLnurl,
  createOnchain,
} from '../../resources/payment-quotes/operations.ts';
import type { PaymentQuote } from '../../resources/payment-quotes/model.ts';
import { list as listRates } from '../../resources/rates/operations.ts';
import { askForTerms } from './ask-for-terms.ts';
import {
  needsRate,
  objection,
  objectionToDestination,
  objectionToQuote,
  objectionToRate,
} from './guards.ts';
import { detailsOf } from './lnurl-details.ts';
import { objectionToRange } from './lnurl-range.ts';
import type { Asking, RowDecision } from './rail.ts';
import type { AgreedQuote, PayOrder, PayReason, PayRow } from './row.ts';
import { dayOf, reserve } from './reservations.ts';
import { LEAST_LEFT } from './schedule.ts';
import { skewBy } from './service-clock.ts';

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
  return askForTerms(row, async () => {
    const { quote, askedAt, why } = await requestTerms(row, asking);
    if (why) return { is: 'guard-failed', why };
    return await agree(row, quote, askedAt, asking);
  });
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
  const { value: quote } = await requestQuote(order, asking);
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

/** A new key each time: terms of a quote that was made before cannot be read. */
async function requestQuote(
  { order }: Ordered,
  { client, signal, queueTimeout, setSkew }: AskingTerms,
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

async function agree(
  { intent, limits, round }: Row,
  { paymentQuoteId, amount, totalFee, totalAmount, validUntil }: PaymentQuote,
  askedAt: number,
  { journal, now }: Asking,
): Promise<RowDecision> {
  const named = millisOf(validUntil ?? '');
  const endsAt = named ?? askedAt + UNNAMED_END;
  const day = dayOf(now(), totalAmount.currency);
  const { maxPerDay } = limits;
  const reservation = { name: day, intent, amount: totalAmount };
  if (maxPerDay && !(await reserve(journal, { ...reservation, most: maxPerDay })))
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
    id: paymentQuoteId,
    amount,
    totalFee,
    totalAmount,
    endsAt,
    day: maxPerDay && day,
  };
  return { is: 'agreed', quote, round };
}
