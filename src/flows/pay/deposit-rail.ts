import { isPaystateError } from '../../core/errors/index.ts';
import { type Connection, internals } from '../../core/http/index.ts';
import { isSameMoney } from '../../money/index.ts';
import type { DepositDraft } from '../../resources/deposits/model.ts';
import { create, estimateFee, get, list } from '../../resources/deposits/operations.ts';
import type { PayEvent } from './apply-event.ts';
import { askForTerms } from './ask-for-terms.ts';
import { type Executed, oneTry, outcomeOf, UNSENT } from './execute-try.ts';
import { type Asking, claimOf, type RowDecision, type Rail, type Search } from './rail.ts';
import type { BankOrder, PayRow } from './row.ts';
import { isKeyFresh } from './schedule.ts';
import { agreeTo, objectionToBankTerms } from './terms.ts';
import { readingOf } from './try-outcome.ts';

type Row = PayRow<BankOrder>;

/** The service surely knows a key for so long, milliseconds: later it could debit a second time. */
const KEY_LIFETIME = 600_000;
/** More deposits are not looked through. */
const MOST = 500;

/** Money drawn from a bank account. It moves when it is created: what is agreed to is its key. */
export const depositRail: Rail<BankOrder> = {
  operation: 'deposit',
  member: 'deposit',
  quote: (row, asking) => askForTerms(row, () => estimate(row, asking)),
  execute: executeDeposit,
  async read(client, row, options) {
    const payment = await get(client, row.paymentId!, options);
    return { is: readingOf(payment.state), payment };
  },
  search: searchDeposit,
};

function draftOf({ bankPaymentMethodId, amount, feePolicy }: BankOrder): DepositDraft {
  return { paymentMethodId: bankPaymentMethodId, amount, feePolicy };
}

async function estimate(row: Row, asking: Asking): Promise<RowDecision> {
  const { client, signal, now } = asking;
  const options = { signal, reason: 'terms of a deposit' };
  const { amount, fee, total } = await estimateFee(client, draftOf(row.order), options);
  const terms = { amount, totalFee: fee, totalAmount: total };
  const why = objectionToBankTerms(row, terms);
  if (why) return { is: 'guard-failed', why };
  return agreeTo(row, { ...keyOf(row, asking), ...terms }, { now });
}

/** The key of the last round, which a late copy of its request may bring: both make one deposit. */
function keyOf({ past }: Row, { client, now }: Asking): { id: string; endsAt: number } {
  const last = past.findLast(({ quote }) => quote);
  const isSame = last && last.paymentId === undefined && isKeyFresh(last.quote!, now());
  if (isSame) return { id: last.quote!.id, endsAt: last.quote!.endsAt };
  return { id: client[internals].uuid(), endsAt: now() + KEY_LIFETIME };
}

function executeDeposit(client: Connection, { order, quote }: Row, now: number): Promise<Executed> {
  const { id, endsAt } = quote!;
  if (endsAt <= now) return Promise.resolve(UNSENT);
  const skew = now - client[internals].clock.now();
  const firstSentAt = endsAt - KEY_LIFETIME - skew;
  const options = { ...oneTry(endsAt - now), idempotencyKey: id, firstSentAt };
  return outcomeOf(
    client,
    create(client, draftOf(order), options),
    (deposit) => ({ is: 'accepted', paymentId: deposit.id }),
    { code: 'DUPLICATE_DEPOSIT', value: 'depositId' },
  );
}

/** Deposits of the same amounts. None of them names its key, so that none is known to be this one. */
async function searchDeposit(row: Row, search: Search): Promise<PayEvent> {
  const { client, signal, journal, now: at } = search;
  const { amount, totalAmount } = row.quote!;
  const candidates: string[] = [];
  try {
    const deposits = await list(client, { signal, reason: 'look for a deposit in doubt' }).toArray({
      limit: MOST,
    });
    for (const one of deposits) {
      const isLike = isSameMoney(one.amount, amount) && isSameMoney(one.totalAmount, totalAmount);
      const isFree = isLike && !(await journal.holderOf(claimOf(depositRail, one.id)));
      if (isFree) candidates.push(one.id);
    }
    return { is: 'unclear', at, evidence: { searchedAt: at, candidates } };
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    const { neededScope } = thrown;
    const evidence = { searchedAt: at, candidates, isIncomplete: true, neededScope };
    return { is: 'unclear', at, evidence };
  }
}
