import { isPaystateError } from '../../../core/errors/index.ts';
import type { CallOptions, Connection } from '../../../core/http/index.ts';
import { isSameMoney } from '../../../money/index.ts';
import { list as listEvents } from '../../../resources/events.ts';
import { execute } from '../../../resources/payment-quotes.ts';
import { get, type Payment } from '../../../resources/payments.ts';
import { EVENT_HISTORY_MS, EVENT_LATENESS_MS } from '../../../resources/service-facts.ts';
import { type PaymentOptions, readRequest } from '../intent.ts';
import {
  claimOf,
  type Executed,
  hasTermsOf,
  oneTry,
  outcomeOf,
  outcomeOfResponse,
  proofOf,
  type Rail,
  readingOf,
  type Search,
  type TryOutcome,
  UNSENT,
  withoutPreimage,
} from '../rail.ts';
import type { PayResult, PayStep } from '../result.ts';
import type { PayEvidence, PayOrder, PayRow } from '../row.ts';
import { begin, type Run } from '../runs.ts';
import { TRY_TIMEOUT } from '../schedule.ts';
import { type PayEvent, QUOTE_EXPIRED } from '../transitions.ts';
import { askForQuote } from './payment-terms.ts';

/**
 * Pays a BOLT11 text, a Lightning address, an LNURL or an on-chain address: reads it, asks for a
 * quote, checks its terms against your limits, writes it down, executes it, and watches how it ends.
 * Starts at the call. One `intent` is paid at most once: whatever is lost, doubled or killed in
 * between, the same intent joins what was begun, here or in another process with the same journal.
 *
 * @param options `to`, `amount` or `maxTotal`, `sourceCurrency`, `maxFee`, `journal`; see
 * `PaymentOptions`
 * @returns a run: its `result` never rejects, and says `unknown` where nobody knows
 * @throws InputError for what cannot be paid, an amount that is not the one of the BOLT11 text, a limit
 * that cannot be read or is missing, or a journal that forgets
 * @example
 * const run = pay(client, {
 *   to: sandbox.payer.createBolt11({ sat: '2100' }),
 *   sourceCurrency: 'EUR',
 *   maxTotal: { amount: '5.00', currency: 'EUR' },
 *   maxFee: { amount: '0.50', currency: 'EUR' },
 *   journal: memoryStore(),
 * });
 * console.log((await sandbox.run(run.result)).phase); // paid
 */
export function pay(client: Connection, options: PaymentOptions): Run<PayStep, PayResult> {
  return begin<PayStep, PayResult>(client, paymentRail, readRequest(client, options), options);
}

/** Payments over Lightning and on the chain. */
export const paymentRail: Rail<PayOrder> = {
  operation: 'pay',
  kind: 'pay',
  member: 'payment',
  quote: askForQuote,
  execute: executePayment,
  read: readPayment,
  search: searchPayment,
};

/** Reads a payment: how it ended, and its proof. */
export async function readPayment(
  client: Connection,
  row: PayRow<PayOrder>,
  options: CallOptions,
): ReturnType<Rail<PayOrder>['read']> {
  const payment = await get(client, row.paymentId!, options);
  const proof = proofOf(row, payment);
  return { is: readingOf(payment.state, proof), payment: withoutPreimage(payment), proof };
}

/**
 * Sends one request to execute the row's quote, and says what came of it; never rejects. The first
 * one waits no longer for its place in the rate limit than the quote lives.
 */
export async function executePayment(
  client: Connection,
  row: PayRow<PayOrder>,
  now: number,
): Promise<Executed> {
  const { id, endsAt } = row.quote!;
  const left = row.tries.length > 1 ? TRY_TIMEOUT : endsAt - now;
  if (left <= 0) return UNSENT;
  const executed = await outcomeOf(
    client,
    execute(client, id, oneTry(left)),
    (response) => outcomeOfResponse(row, response),
    { code: 'PAYMENT_PROCESSED', value: 'paymentId' },
  );
  return { ...executed, outcome: await withTerms(client, row, executed.outcome) };
}

/**
 * A payment that is named without its terms is read: where it cannot be, or has other terms, nobody
 * knows that it is this one.
 */
async function withTerms(
  client: Connection,
  row: PayRow<PayOrder>,
  outcome: TryOutcome,
): Promise<TryOutcome> {
  const { is, paymentId, payment, code } = outcome;
  if (!paymentId || payment || (is !== 'processed' && is !== 'accepted')) return outcome;
  const read = await get(client, paymentId, { maxAttempts: 1, reason: 'whose it is' }).catch(
    () => undefined,
  );
  const isOurs = read && isSameMoney(row.quote!.totalAmount, read.totalAmount);
  const proof = isOurs && proofOf(row, read) === 'bad' ? 'bad' : undefined;
  if (isOurs && !proof) return outcome;
  return { is: is === 'processed' ? 'processed-blind' : 'blind', code, proof };
}

/** More payments of one window are not read. */
const MOST = 500;
/** The clocks of our tries and of events may differ, milliseconds. */
const EARLIER = 60_000;

const PAYMENT = { member: 'payment' } as const;

type Row = PayRow<PayOrder>;

/**
 * Looks for the payment of a row in doubt among all payments that began while its quote could be
 * executed. Equal terms are no proof: they count only where the service said that the quote was
 * executed, and one payment has them.
 */
export async function searchPayment(row: Row, search: Search): Promise<PayEvent> {
  const at = search.now;
  // of another life of the intent nobody knows the terms, or when it was
  if (!row.quote) return { is: 'unclear', at, evidence: { searchedAt: at, candidates: [] } };
  const { payments, ...gap } = await readPayments(row, search);
  const certain = payments.find((payment) => proofOf(row, payment) === 'ok');
  const candidates = payments.filter((payment) => isCandidate(row, payment));
  const evidence: PayEvidence = {
    searchedAt: at,
    candidates: candidates.map(({ paymentId }) => paymentId),
    ...gap,
  };
  const isOnly = row.executed && !gap.isIncomplete && candidates.length === 1;
  const hit = certain ?? candidates.find((one) => isOnly && proofOf(row, one) !== 'bad');
  if (hit && (await search.journal.claim(claimOf(PAYMENT, hit.paymentId), row.intent))) {
    const payment = withoutPreimage(hit);
    return { is: 'found', at, evidence, paymentId: hit.paymentId, payment };
  }
  if (gap.isIncomplete || candidates.length > 0 || !hasEndedUnused(row))
    return { is: 'unclear', at, evidence };
  const text = 'the service has no trace of this payment, and its quote has ended';
  const why = { code: QUOTE_EXPIRED, kind: 'refused', next: 'new-quote', text } as const;
  return { is: 'no-trace', at, evidence, why };
}

/** A wrong answer here could not pay twice: one hash is settled once. */
function hasEndedUnused({ order, executed, tries }: Row): boolean {
  return (
    order.rail === 'bolt11' &&
    !executed &&
    tries.every(({ end }) => end !== 'accepted') &&
    tries.at(-1)?.code === QUOTE_EXPIRED
  );
}

function isCandidate({ order, quote }: Row, payment: Payment): boolean {
  const fits = order.rail === 'onchain' ? !payment.lightning : !payment.onchain;
  return fits && hasTermsOf(quote!, payment);
}

interface ReadPayments extends Pick<PayEvidence, 'neededScope' | 'isIncomplete'> {
  readonly payments: readonly Payment[];
}

/** All payments of the window that no other intent holds. */
async function readPayments(row: Row, search: Search): Promise<ReadPayments> {
  const { client, journal, signal, now } = search;
  const payments: Payment[] = [];
  // older events are not listed any more: nobody can say what they told
  if (windowOf(row).from < now - EVENT_HISTORY_MS) return { payments, isIncomplete: true };
  const options = { signal, reason: 'look for a payment in doubt' };
  try {
    const created = await listCreated(row, search);
    if (created.length > MOST) return { payments, isIncomplete: true };
    // what was disproved may read differently now
    for (const paymentId of new Set([...(row.paymentId ? [row.paymentId] : []), ...created])) {
      const holder = await journal.holderOf(claimOf(PAYMENT, paymentId));
      if (holder === undefined || holder === row.intent)
        payments.push(await get(client, paymentId, options));
    }
    return { payments };
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    return { payments, isIncomplete: true, neededScope: thrown.neededScope };
  }
}

/** When a payment of the row can have begun. */
function windowOf({ tries, quote }: Row): { readonly from: number; readonly to: number } {
  return { from: tries[0]!.sentAt - EARLIER, to: quote!.endsAt + EVENT_LATENESS_MS };
}

async function listCreated(row: Row, { client, signal }: Search): Promise<readonly string[]> {
  const { from, to } = windowOf(row);
  const filter = {
    eventType: 'payment.created',
    createdAfter: new Date(from),
    createdBefore: new Date(to),
  };
  const events = listEvents(client, filter, { signal, reason: 'look for a payment in doubt' });
  const found = await events.toArray({ limit: MOST + 1 });
  return [...new Set(found.map(({ data }) => data.entityId))];
}
