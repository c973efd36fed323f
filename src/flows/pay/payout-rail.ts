import type { Connection } from '../../core/http/index.ts';
import { addMoney } from '../../money/index.ts';
import type { Payout } from '../../resources/payouts/model.ts';
import { get, initiate } from '../../resources/payouts/operations.ts';
import { askForTerms, FOREIGN, lose } from './ask-for-terms.ts';
import { objectionToReadiness } from './bank-readiness.ts';
import { type Executed, oneTry, outcomeOf, UNSENT } from './execute-try.ts';
import { allow } from './journal-limits.ts';
import { preparePayout } from './prepare-payout.ts';
import type { Asking, RowDecision, Rail } from './rail.ts';
import { hasMoved, readUntilMoved } from './read-until-moved.ts';
import type { BankOrder, PayRow } from './row.ts';
import { agreeTo, objectionToBankTerms, type MoneyTerms } from './terms.ts';
import { readingOf } from './try-outcome.ts';

type Row = PayRow<BankOrder>;

/** A prepared payout never ends: it is tried for so long, milliseconds. */
const TRIED_FOR = 600_000;

/**
 * Money to a bank account: prepared, and then initiated. Of all that were prepared, one is ever
 * initiated.
 */
export const payoutRail: Rail<BankOrder> = {
  operation: 'payOut',
  member: 'payout',
  quote: (row, asking) => askForTerms(row, () => prepare(row, asking)),
  execute: executePayout,
  async read(client, row, options) {
    const payment = await get(client, row.paymentId!, options);
    return { is: payment.state === 'NEW' ? 'read-unmoved' : readingOf(payment.state), payment };
  },
  search: (row, search) =>
    readUntilMoved(row.quote!.id, search, (options) => get(search.client, row.quote!.id, options)),
};

async function prepare(row: Row, asking: Asking): Promise<RowDecision> {
  const notReady = await objectionToReadiness(row, asking);
  if (notReady) return { is: 'guard-failed', why: notReady };
  const payout =
    (await earlierPayout(row, asking)) ?? (await preparePayout(row.order, row.intent, asking));
  if (!payout) return lose(row, FOREIGN);
  if (payout.state !== 'NEW') return { is: 'processed', paymentId: payout.id };
  const terms = termsOf(payout);
  const why = objectionToBankTerms(row, terms);
  if (why) return { is: 'guard-failed', why };
  const { why: limit, day } = await allow(row, terms.totalAmount, asking);
  if (limit) return { is: 'guard-failed', why: limit };
  return agreeTo(row, { id: payout.id, endsAt: asking.now() + TRIED_FOR, ...terms, day }, asking);
}

/** What an earlier round has tried to initiate: a late copy of its request could still do it. */
async function earlierPayout(
  { past }: Row,
  { client, signal }: Asking,
): Promise<Payout | undefined> {
  const id = past.findLast(({ quote }) => quote)?.quote?.id;
  const hasFailed = past.some(({ paymentId }) => paymentId === id);
  if (id === undefined || hasFailed) return undefined;
  return get(client, id, { signal, reason: 'take the same payout again' });
}

function termsOf({ amount, fee }: Payout): MoneyTerms {
  const totalFee = fee && { amount: fee.amount, currency: fee.currency };
  const isSame = totalFee?.currency === amount.currency;
  return { amount, totalFee, totalAmount: isSame ? addMoney(amount, totalFee) : amount };
}

/** After a first try it is read before it is tried again. */
async function executePayout(client: Connection, row: Row, now: number): Promise<Executed> {
  const { id, endsAt } = row.quote!;
  if (endsAt <= now) return UNSENT;
  if (row.tries.length > 1 && (await hasMoved((options) => get(client, id, options))))
    return { outcome: { is: 'processed', paymentId: id } };
  return outcomeOf(
    client,
    initiate(client, id, oneTry(endsAt - now)),
    () => ({ is: 'accepted', paymentId: id }),
    { code: 'PAYOUT_ALREADY_INITIATED', id },
  );
}
