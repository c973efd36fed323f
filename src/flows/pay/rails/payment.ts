import { type CallOptions, type Connection } from '../../../core/http/index.ts';
import { isPreimageOf } from '../../../lightning/hashes.ts';
import { isFarOff } from '../../../resources/amounts.ts';
import { execute } from '../../../resources/payment-quotes.ts';
import { type ExecutedPayment, get, type Payment } from '../../../resources/payments.ts';
import { idKey } from '../../../resources/resource.ts';
import { EVENT_HISTORY_MS } from '../../../resources/service-facts.ts';
import { type AgreedQuote, findBroadcast, type MoveRow, type View } from '../facts.ts';
import { type PaymentOptions, readRequest } from '../intent.ts';
import type { PayOrder, PayProof } from '../order.ts';
import {
  type Answer,
  answerOfError,
  type Desk,
  type SearchFinding,
  listNamed,
  type Rail,
  type Reading,
  searchAmong,
  type Span,
} from '../rail.ts';
import type { PayResult, PayStep } from '../result.ts';
import { begin, type Run } from '../runs.ts';
import { askForQuote } from './payment-terms.ts';

/**
 * Pays a BOLT11 invoice, a Lightning address, an LNURL or an on-chain address. Requests a quote,
 * checks its terms against your limits, writes it to the journal, executes it, and watches its
 * outcome. The payment starts as soon as you call `pay`. Each `intent` is paid at most once. If you
 * call `pay` again with the same intent, for example after a crash, you join the payment that any
 * process with the same journal has already started.
 *
 * @param options `to`, `amount` or `maxTotal`, `sourceCurrency`, `maxFee`, `journal`. See
 * `PaymentOptions`
 * @returns a run. Its `result` never rejects, and is `unknown` if the outcome is unclear.
 * @throws InputError if the destination can't be paid, the amount differs from the BOLT11 invoice
 * amount, a limit is invalid or missing, or the journal isn't durable
 *
 * @example
 * const run = pay(client, {
 *   to: sandbox.payer.createBolt11({ sat: '2100' }),
 *   sourceCurrency: 'EUR',
 *   maxTotal: { amount: '5.00', currency: 'EUR' },
 *   maxFee: { amount: '0.50', currency: 'EUR' },
 *   journal: memoryStore(),
 * });
 * console.log((await run.result).phase); // paid
 */
export function pay(client: Connection, options: PaymentOptions): Run<PayStep, PayResult> {
  return begin<PayStep, PayResult>(client, paymentRail, readRequest(client, options), options);
}

type Row = MoveRow<PayOrder>;

export const paymentRail: Rail<PayOrder> = {
  operation: 'pay',
  kind: 'pay',
  member: 'payment',
  ask: askForQuote,
  send: executePayment,
  read: readPayment,
  search: searchPayment,
};

export async function readPayment(
  client: Connection,
  row: Row,
  id: string,
  options: CallOptions,
): Promise<Reading> {
  const payment = await get(client, id, options);
  return { movement: withoutPreimage(payment), proof: readProof(row, payment) };
}

/** Sends one request to execute a quote. Resolves to the response and never rejects. */
export async function executePayment(
  client: Connection,
  row: Row,
  { id, amount }: Partial<AgreedQuote> & { readonly id: string },
  { options }: { readonly options: CallOptions },
): Promise<Answer> {
  try {
    const response = await execute(client, id, options);
    // if other refunds can use the key too, the preimage might belong to another invoice
    const isStrange = row.order.refundOf !== undefined && amount === undefined;
    return isStrange ? { how: 'ok', id: response.paymentId } : answerIn(row, response);
  } catch (thrown) {
    return answerOfError(thrown, { code: 'PAYMENT_PROCESSED', value: 'paymentId' });
  }
}

/**
 * Converts the response to a request to execute a quote. A different payment hash means a different
 * payment.
 */
function answerIn(row: Row, response: ExecutedPayment): Answer {
  const { paymentId: id, amount, totalAmount } = response;
  if (!id) return { how: 'ok' };
  const isWhole = amount !== undefined && totalAmount !== undefined;
  const payment = isWhole ? ({ ...response, amount, totalAmount } as Payment) : undefined;
  const proof = readProof(row, payment);
  if (proof === 'bad') return { how: 'none', code: 'RESPONSE_MISMATCH' };
  // without a valid preimage, an invoice payment is read before the intent ends
  const isProved = proof === 'ok' || !row.order.hash || payment?.state !== 'COMPLETED';
  return {
    how: 'ok',
    id,
    movement: payment && isProved ? withoutPreimage(payment) : undefined,
    proof,
  };
}

/** Removes the preimage. It proves the payment, so it's never written to a journal. */
function withoutPreimage(payment: Payment): Payment {
  const { lightning, ...rest } = payment;
  return { ...rest, ...(lightning && { lightning: { networkFee: lightning.networkFee } }) };
}

/** Compares the preimage of a completed payment with the payment hash of its invoice. */
function readProof({ order: { hash } }: Row, payment: Payment | undefined): PayProof | undefined {
  if (payment?.state !== 'COMPLETED') return undefined;
  const preimage = payment.lightning?.preImage;
  if (!hash || !preimage) return 'none';
  return isPreimageOf(preimage, hash) ? 'ok' : 'bad';
}

/**
 * Searches for an intent's payment within a given period. Only the preimage proves that a payment
 * belongs to the intent. A payment that is merely similar becomes a candidate.
 */
export async function searchPayment(
  row: Row,
  view: View,
  span: Span,
  desk: Desk,
): Promise<SearchFinding> {
  // the service no longer lists older events
  if (span.from < desk.now() - EVENT_HISTORY_MS) return { candidates: [], isUnread: true };
  const options = { signal: desk.signal, reason: 'search for an unconfirmed payment' };
  const isUnseen = view.numbers.some(
    ({ original, shown, isClosed }) => original && !shown && !isClosed,
  );
  const failed = new Set(view.numbers.flatMap(({ seen }) => (seen ? [idKey(seen.id)] : [])));
  const list = async () => {
    const created = await listNamed('payment.created', span, desk);
    return [...new Set([...(view.moved ? [view.moved.id] : []), ...created])];
  };
  return searchAmong(row, paymentRail, desk, list, async (id) => {
    if (failed.has(idKey(id))) return false;
    const payment = await get(desk.client, id, options);
    const proof = readProof(row, payment);
    if (proof === 'ok') return { id, movement: withoutPreimage(payment), proof };
    // if the journal was lost, an earlier refund may have had a different amount and a different
    // invoice
    if (row.order.refundOf !== undefined && isUnseen)
      return payment.state !== 'FAILED' || findBroadcast({ movement: payment }) !== undefined;
    return proof !== 'bad' && isLike(row, view, payment);
  });
}

/**
 * Returns whether a payment's type and amounts match an order. Doesn't compare anything else.
 */
function isLike({ order }: Row, { numbers }: View, payment: Payment): boolean {
  if (order.rail === 'onchain' ? payment.lightning : payment.onchain) return false;
  const quotes = numbers.flatMap(({ shown }) => (shown ? [shown.quote] : []));
  const asked = quotes.length > 0 ? quotes.map((one) => one.totalAmount) : [order.amount];
  return asked.some((one) => {
    const found = [payment.totalAmount, payment.amount].filter(
      ({ currency }) => currency === one?.currency,
    );
    return (
      found.length === 0 || found.some((each) => !isFarOff({ asked: one!, found: each }, undefined))
    );
  });
}
