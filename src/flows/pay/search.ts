import { isPaystateError } from '../../core/errors/index.ts';
import { list as listEvents } from '../../resources/events/operations.ts';
import type { Payment } from '../../resources/payments/model.ts';
import { get } from '../../resources/payments/operations.ts';
import { EVENT_HISTORY, EVENT_LATENESS } from '../../resources/service-facts.ts';
import { type PayEvent, QUOTE_EXPIRED } from './apply-event.ts';
import { claimOf, type Search } from './rail.ts';
import type { PayEvidence, PayOrder, PayRow } from './row.ts';
import { hasTermsOf, proofOf, withoutPreimage } from './try-outcome.ts';

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
  if (windowOf(row).from < now - EVENT_HISTORY) return { payments, isIncomplete: true };
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
  return { from: tries[0]!.sentAt - EARLIER, to: quote!.endsAt + EVENT_LATENESS };
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
