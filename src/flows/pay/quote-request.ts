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
import { allow } from './journal-limits.ts';
import { detailsOf } from './lnurl-details.ts';
import { objectionToRange } from './lnurl-range.ts';
import type { TakenNumber } from './numbered-asking.ts';
import type { Asking, RowDecision } from './rail.ts';
import type { AgreedQuote, PayOrder, PayReason, PayRow } from './row.ts';
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
