import { checkReadable } from '../../../core/lists/index.ts';
import { isPaystateError } from '../../../core/errors/index.ts';
import { type CallOptions, type Connection, internals } from '../../../core/http/index.ts';
import { isPreimageOf } from '../../../lightning/hashes.ts';
import { isSameMoney, type Money } from '../../../money/index.ts';
import { isFarOff } from '../../../resources/amounts.ts';
import { list as listEvents } from '../../../resources/events.ts';
import { execute } from '../../../resources/payment-quotes.ts';
import { type ExecutedPayment, get, type Payment } from '../../../resources/payments.ts';
import { isSameId } from '../../../resources/resource.ts';
import { EVENT_HISTORY_MS, EVENT_LATENESS_MS } from '../../../resources/service-facts.ts';
import { type PaymentOptions, readRequest } from '../intent.ts';
import {
  claimOf,
  type Executed,
  MIN_READS,
  oneTry,
  outcomeOf,
  type Rail,
  READ_PAUSE_MS,
  readingOf,
  type Search,
  type TryOutcome,
  UNSENT,
} from '../rail.ts';
import type { PayResult, PayStep } from '../result.ts';
import type { AgreedQuote, MoveRow, PayOrder, PayProof, SearchEvidence } from '../row.ts';
import { begin, type Run } from '../runs.ts';
import { TRY_TIMEOUT_MS } from '../schedule.ts';
import { type MoveEvent, QUOTE_EXPIRED } from '../transitions.ts';
import { askForQuote } from './payment-terms.ts';

/**
 * Pays a BOLT11 text, a Lightning address, an LNURL or an on-chain address: requests a quote,
 * checks its terms against your limits, writes it to the journal, executes it, and watches how it
 * ends. Starts at the call. One `intent` is paid at most once: whatever is lost, doubled or killed
 * in between, the same intent joins what was begun, here or in another process with the same
 * journal.
 *
 * @param options `to`, `amount` or `maxTotal`, `sourceCurrency`, `maxFee`, `journal`; see
 * `PaymentOptions`
 * @returns a run: its `result` never rejects, and is `unknown` where the outcome is not known
 * @throws InputError for what cannot be paid, an amount that is not the one of the BOLT11 text, a
 * limit that cannot be read or is missing, or a journal that is not durable
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

/** Payments over Lightning and on-chain. */
export const paymentRail: Rail<PayOrder> = {
  operation: 'pay',
  kind: 'pay',
  member: 'payment',
  quote: askForQuote,
  execute: executePayment,
  read: readPayment,
  search: searchPayment,
};

/** Reads a payment; resolves to how it ended, and to its proof. */
export async function readPayment(
  client: Connection,
  row: MoveRow<PayOrder>,
  options: CallOptions,
): ReturnType<Rail<PayOrder>['read']> {
  const payment = await get(client, row.movementId!, options);
  const proof = proofOf(row, payment);
  return { is: readingOf(payment.state, proof), movement: withoutPreimage(payment), proof };
}

/**
 * Sends one request to execute the row's quote; resolves to its outcome, and never rejects. The
 * first request waits for the rate limit only while the quote is valid.
 */
export async function executePayment(
  client: Connection,
  row: MoveRow<PayOrder>,
  now: number,
): Promise<Executed> {
  const { id, endsAt } = row.quote!;
  const left = row.tries.length > 1 ? TRY_TIMEOUT_MS : endsAt - now;
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
 * The outcome where the service accepted the quote. A payment with other terms or another hash is
 * not this one.
 */
function outcomeOfResponse(row: MoveRow<PayOrder>, response: ExecutedPayment): TryOutcome {
  const { paymentId, state, amount, totalAmount } = response;
  const { quote } = row;
  if (!paymentId || !agrees(quote!.totalAmount, totalAmount)) return { is: 'blind' };
  const payment =
    amount && totalAmount ? ({ ...response, amount, totalAmount } as Payment) : undefined;
  const proof = proofOf(row, payment);
  if (proof === 'bad') return { is: 'blind', proof };
  // a payment without its terms, or without the proof of a text, is read before it ends the intent
  const isUnproved = state === 'COMPLETED' && proof === 'none' && !!row.order.hash;
  const is = payment && !isUnproved ? outcomeOfState(state) : 'accepted';
  return { is, movementId: paymentId, movement: payment && withoutPreimage(payment), proof };
}

/** Tells whether a total is the agreed one, but for one rounded unit. */
function agrees(wanted: Money, found: Money | undefined): boolean {
  if (found?.currency !== wanted.currency) return found === undefined;
  return !isFarOff({ asked: wanted, found }, { ...wanted, amount: '0' });
}

function outcomeOfState(state: string): 'completed' | 'failed' | 'accepted' {
  if (state === 'COMPLETED') return 'completed';
  return state === 'FAILED' ? 'failed' : 'accepted';
}

/**
 * Reads a payment that the response names without its terms. Where it cannot be read, or has other
 * terms, it does not count as this payment.
 */
async function withTerms(
  client: Connection,
  row: MoveRow<PayOrder>,
  outcome: TryOutcome,
): Promise<TryOutcome> {
  const { is, movementId: paymentId, movement: payment, code } = outcome;
  if (!paymentId || payment || (is !== 'processed' && is !== 'accepted')) return outcome;
  const read = await get(client, paymentId, { maxAttempts: 1, reason: 'whose it is' }).catch(
    () => undefined,
  );
  const isOurs = read && agrees(row.quote!.totalAmount, read.totalAmount);
  const proof = isOurs && proofOf(row, read) === 'bad' ? 'bad' : undefined;
  if (isOurs && !proof) return outcome;
  return { is: is === 'processed' ? 'processed-blind' : 'blind', code, proof };
}

/** Removes the preimage, which proves the payment and is never written to a journal. */
function withoutPreimage(payment: Payment): Payment {
  const { lightning, ...rest } = payment;
  return { ...rest, ...(lightning && { lightning: { networkFee: lightning.networkFee } }) };
}

/** Compares the preimage of a completed payment with the hash of the text that was paid. */
function proofOf(
  { order: { hash } }: MoveRow<PayOrder>,
  payment: Payment | undefined,
): PayProof | undefined {
  if (payment?.state !== 'COMPLETED') return undefined;
  const preimage = payment.lightning?.preImage;
  if (!hash || !preimage) return 'none';
  return isPreimageOf(preimage, hash) ? 'ok' : 'bad';
}

/** Tells whether a payment has the terms of a quote. */
function hasTermsOf({ totalFee, totalAmount, amount }: AgreedQuote, payment: Payment): boolean {
  const isSameFee =
    totalFee && payment.totalFee
      ? isSameMoney(totalFee, payment.totalFee)
      : totalFee === payment.totalFee;
  return (
    isSameFee &&
    isSameMoney(totalAmount, payment.totalAmount) &&
    isSameMoney(amount, payment.amount)
  );
}

/** A search reads at most this many payments. */
const MAX_PAYMENTS = 500;
/** Greatest difference between the clocks of tries and of events. */
const CLOCK_SLACK_MS = 60_000;

const PAYMENT = { member: 'payment' } as const;

type Row = MoveRow<PayOrder>;

/**
 * Searches for the payment of an unconfirmed row among all payments that began while its quote
 * could be executed. Equal terms are no proof: they count only where the service has said that the
 * quote was executed, and exactly one payment has them.
 */
export async function searchPayment(row: Row, search: Search): Promise<MoveEvent> {
  const at = search.now;
  // the terms and the time of another life of the intent are not known
  if (!row.quote) return { is: 'unclear', at, evidence: { searchedAt: at, candidates: [] } };
  const isHold = row.phase === 'REFUSED' || row.phase === 'FAILED';
  const { payments, ...gap } = await (isHold ? readRepeatedly : readPayments)(row, search);
  const certain = payments.find((payment) => proofOf(row, payment) === 'ok');
  const candidates = payments.filter((payment) => isCandidate(row, payment));
  const evidence: SearchEvidence = {
    searchedAt: at,
    candidates: candidates.map(({ paymentId }) => paymentId),
    ...gap,
  };
  if (isHold) return eventOfHold(row, evidence);
  // a failed payment explains why the service says that the quote was executed
  const isExecuted = row.executed && row.movement?.state !== 'FAILED';
  const isOnly = isExecuted && !gap.isIncomplete && candidates.length === 1;
  const hit = certain ?? candidates.find((one) => isOnly && proofOf(row, one) !== 'bad');
  if (hit && (await search.journal.claim(claimOf(PAYMENT, hit.paymentId), row.intent))) {
    const payment = withoutPreimage(hit);
    return { is: 'found', at, evidence, movementId: hit.paymentId, movement: payment };
  }
  if (gap.isIncomplete || candidates.length > 0 || !hasEndedUnused(row))
    return { is: 'unclear', at, evidence };
  const text = 'the service has no such payment, and the quote has ended';
  const why = { code: QUOTE_EXPIRED, kind: 'refused', next: 'new-quote', text } as const;
  return { is: 'no-trace', at, evidence, why };
}

/**
 * Returns the event of a search before another round. A payment with the terms of the quote makes
 * the intent unknown. So does a search that could not read everything, unless the payment has
 * failed: the service's description says that a quote is executed once.
 */
function eventOfHold({ phase }: Row, evidence: SearchEvidence): MoveEvent {
  const { candidates, isIncomplete, searchedAt: at } = evidence;
  const isUnused = candidates.length === 0 && (phase === 'FAILED' || !isIncomplete);
  return {
    is: isUnused ? 'quote-unused' : 'quote-unclear',
    at,
    evidence: { ...evidence, isUnused },
  };
}

/**
 * Tells whether the quote ended unused. A wrong answer could not pay twice: a hash is settled once.
 */
function hasEndedUnused({ order, executed, tries }: Row): boolean {
  return (
    order.rail === 'bolt11' &&
    !executed &&
    tries.every(({ end }) => end !== 'accepted') &&
    tries.at(-1)?.code === QUOTE_EXPIRED
  );
}

function isCandidate(row: Row, payment: Payment): boolean {
  const fits = row.order.rail === 'onchain' ? !payment.lightning : !payment.onchain;
  return fits && hasTermsOf(row.quote!, payment) && !hasFailed(row, payment);
}

/** Tells whether the row knows a payment as the failed one of this round or of an earlier one. */
function hasFailed({ movementId, movement, past }: Row, { paymentId }: Payment): boolean {
  const failed = past.map((one) => one.movementId);
  if (movement?.state === 'FAILED') failed.push(movementId);
  return failed.some((id) => id !== undefined && isSameId(id, paymentId));
}

interface ReadPayments extends Pick<SearchEvidence, 'neededScope' | 'isIncomplete'> {
  readonly payments: readonly Payment[];
}

/** Reads the payments several times, until one of them may be the one: a single list may be old. */
async function readRepeatedly(row: Row, search: Search): Promise<ReadPayments> {
  for (let reads = 1; ; reads++) {
    const found = await readPayments(row, search);
    const isDecided = found.isIncomplete || found.payments.some((one) => isCandidate(row, one));
    if (isDecided || reads === MIN_READS) return found;
    await search.client[internals].clock.wait(READ_PAUSE_MS, search.signal);
  }
}

/** Reads all payments of the window that no other intent holds. */
async function readPayments(row: Row, search: Search): Promise<ReadPayments> {
  const { client, journal, signal, now } = search;
  const payments: Payment[] = [];
  // older events are not listed any more
  if (windowOf(row).from < now - EVENT_HISTORY_MS) return { payments, isIncomplete: true };
  const options = { signal, reason: 'search for an unconfirmed payment' };
  try {
    const created = await listCreated(row, search);
    if (created.length > MAX_PAYMENTS) return { payments, isIncomplete: true };
    // a payment that was disproved may read differently now
    for (const paymentId of new Set([...(row.movementId ? [row.movementId] : []), ...created])) {
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

/** Returns the time within which a payment of the row can have begun. */
function windowOf({ tries, quote }: Row): { readonly from: number; readonly to: number } {
  return { from: tries[0]!.sentAt - CLOCK_SLACK_MS, to: quote!.endsAt + EVENT_LATENESS_MS };
}

async function listCreated(row: Row, { client, signal }: Search): Promise<readonly string[]> {
  const { from, to } = windowOf(row);
  const filter = {
    eventType: 'payment.created',
    createdAfter: new Date(from),
    createdBefore: new Date(to),
  };
  const events = listEvents(client, filter, {
    signal,
    reason: 'search for an unconfirmed payment',
  });
  const found = await events.toArray({ limit: MAX_PAYMENTS + 1 });
  checkReadable(found);
  return [...new Set(found.map(({ data }) => data.entityId))];
}
