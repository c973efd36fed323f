import { badInput, type Expected } from '../../../core/errors/index.ts';
import type { Connection } from '../../../core/http/index.ts';
import { decodeBolt11 } from '../../../lightning/bolt11.ts';
import { addMoney, compareMoney, type Money, subtractMoney } from '../../../money/index.ts';
import { get as getInvoice } from '../../../resources/invoices.ts';
import { listAllReceives } from '../../../resources/receive-requests.ts';
import { listCompleted } from '../../checkout/settled.ts';
import { objection } from '../guards.ts';
import { checkMove, type CommonPaymentOptions, readRequest, SHARED_OPTIONS } from '../intent.ts';
import { heldBy, readReserved, reserve, addReserved, tidy } from '../limits.ts';
import type { MoveRow } from '../facts.ts';
import type { PayOrder } from '../order.ts';
import { type AskedTerms, type Asking, type Rail, refuse } from '../rail.ts';
import type { PayResult, PayStep } from '../result.ts';
import { begin, type Run } from '../runs.ts';
import { askForQuote } from './payment-terms.ts';
import { executePayment, readPayment, searchPayment } from './payment.ts';

/** Options for a refund, including the receipt it refunds, its destination and its limits. */
export interface RefundOptions extends Omit<CommonPaymentOptions, 'feePolicy'> {
  /** The id of the paid invoice. Set this or `receiveId`. */
  readonly invoiceId?: string | undefined;
  /** The id of the credited receive. Set this or `invoiceId`. */
  readonly receiveId?: string | undefined;
  /**
   * The amount to refund, in the received currency. Defaults to the amount that hasn't been
   * refunded yet. Fees are added on top.
   */
  readonly amount?: Money | undefined;
  /**
   * The most to spend including the fee, in `sourceCurrency`. If absent, the received amount limits
   * the refund and `maxFee` limits the fee.
   */
  readonly maxTotal?: Money | 'any' | undefined;
  /**
   * Your own id for this refund. Defaults to `refund/` followed by the invoice's or receive's id.
   * If you make several refunds of one invoice, each needs its own `intent`.
   */
  readonly intent?: string | undefined;
}

const REFUND_OPTIONS: Expected<RefundOptions> = /* @__PURE__ */ Object.assign(
  {
    invoiceId: 'string',
    receiveId: 'string',
    to: 'string!',
    amount: 'any',
    intent: 'any',
  } as const,
  SHARED_OPTIONS,
);

/**
 * Refunds an invoice or a receive, in full or in part, by paying the BOLT11 invoice, on-chain
 * address or Lightning address the payer gave you. The refunds of an invoice that use the same
 * journal never exceed the received amount in total, even if they run at the same time. If you call
 * `refund` twice, the refund is only made once.
 *
 * @param options `invoiceId` or `receiveId`, `to`, `sourceCurrency`, `maxFee`, `journal`. See
 * `RefundOptions`
 * @returns a run like the one `pay` returns. It's `refused` with guard `refund` if the refund would
 * exceed the received amount
 * @throws InputError in the same cases as `pay`
 *
 * @example
 * const run = refund(client, {
 *   invoiceId,
 *   to: 'ada@wallet.example',
 *   sourceCurrency: 'USD',
 *   maxFee: { percent: '2' },
 *   journal: memoryStore(),
 * });
 * console.log((await run.result).phase); // refused: nothing has come in
 */
export function refund(client: Connection, options: RefundOptions): Run<PayStep, PayResult> {
  const { invoiceId, receiveId } = checkMove(client, options, REFUND_OPTIONS);
  const id = invoiceId ?? receiveId;
  if (!id || (invoiceId && receiveId))
    throw badInput('invoiceId', 'exactly one of invoiceId and receiveId is required');
  const refundOf = `${invoiceId ? 'invoice' : 'receive'}/${id}`;
  const { intent = `refund/${id}` } = options;
  const request = readRequest(client, { ...options, intent }, refundOf);
  return begin(client, refundRail, request, options);
}

type Row = MoveRow<PayOrder>;

/** Payments that return received money. Their total never exceeds the received amount. */
export const refundRail: Rail<PayOrder> = {
  operation: 'refund',
  kind: 'refund',
  member: 'payment',
  ask: askForRefund,
  send: executePayment,
  read: readPayment,
  search: searchPayment,
  reservationOf: ({ order }) => nameRefund(order.refundOf!),
};

function nameRefund(refundOf: string): string {
  return `pay-refund/${refundOf}`;
}

async function askForRefund(row: Row, asking: Asking): Promise<AskedTerms> {
  const { order, intent } = row;
  const { round } = asking.view;
  const most = await receivedBy(order.refundOf!, asking);
  if (!most) return tooMuch('nothing was received that can be refunded');
  const name = nameRefund(order.refundOf!);
  const take = async (amount: Money) =>
    amount.currency === most.currency &&
    reserve(asking.journal, { name, intent, round, amount, most, now: asking.now() });
  const refused = tooMuch(
    'the refund exceeds the amount received, or is in a currency that cannot be compared',
  );
  const asked = order.amount ?? (isFixed(order) ? undefined : await computeLeft(row, most, asking));
  if (asked && !(await take(asked))) return refused;
  const found = await askForQuote({ ...row, order: { ...order, amount: asked } }, asking);
  if (asked || found.is !== 'agreed') return found;
  return (await take(found.quote.amount)) ? found : refused;
}

function tooMuch(text: string): AskedTerms {
  return refuse(objection('refund', text));
}

function isFixed({ rail, destination }: PayOrder): boolean {
  return rail === 'bolt11' && decodeBolt11(destination).amountMsat !== undefined;
}

/**
 * Reads the received amount in its own currency. Resolves to `undefined` if nothing was received,
 * or if the service has already returned the money.
 */
async function receivedBy(
  refundOf: string,
  { client, signal }: Asking,
): Promise<Money | undefined> {
  const options = { signal, reason: 'received amount' };
  const [kind, id = ''] = refundOf.split(/\/(.*)/s);
  if (kind === 'receive') {
    const [receive] = await listAllReceives(client, { receiveId: id }, options).toArray({
      limit: 1,
    });
    if (receive?.receiveId !== id || receive.state !== 'COMPLETED') return undefined;
    return receive.amountCredited ?? receive.amountReceived;
  }
  const invoice = await getInvoice(client, id, { ...options, includeTransactions: true });
  const { state, amount } = invoice;
  if (state === 'REVERSED') return undefined;
  const parts = listCompleted(invoice) ?? [];
  const isSame = parts.every(({ amountReceived }) => amountReceived.currency === amount.currency);
  if (parts.length === 0 || !isSame) return state === 'PAID' ? amount : undefined;
  const nothing: Money = { amount: '0', currency: amount.currency };
  return parts.reduce((sum, { amountReceived }) => addMoney(sum, amountReceived), nothing);
}

/**
 * Resolves to the amount that this intent may still refund, or to the amount it reserved earlier.
 */
async function computeLeft(
  { order, intent }: Row,
  most: Money,
  { journal, now }: Asking,
): Promise<Money> {
  const { currency } = most;
  const reserved = await readReserved(journal, nameRefund(order.refundOf!));
  const own = heldBy(reserved, intent);
  if (own !== undefined) return { amount: own, currency };
  const used = addReserved(await tidy(journal, reserved, now(), currency, intent), currency);
  return compareMoney(used, most) < 0 ? subtractMoney(most, used) : most;
}
