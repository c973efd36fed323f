import { isPaystateError } from '../../../core/errors/index.ts';
import { type Connection, internals, serviceTime } from '../../../core/http/index.ts';
import { isSameMoney } from '../../../money/index.ts';
import { create, type DepositDraft, estimateFee, get, list } from '../../../resources/deposits.ts';
import { keyOf } from '../account.ts';
import { isWithFee, reusedBy } from '../guards.ts';
import { checkOptions, type PayCommand } from '../intent.ts';
import {
  type Asking,
  claimOf,
  type Executed,
  oneTry,
  outcomeOf,
  type Rail,
  readingOf,
  type RowDecision,
  type Search,
  type TryOutcome,
  UNSENT,
} from '../rail.ts';
import type { DepositResult, DepositStep } from '../result.ts';
import { type AgreedQuote, type BankOrder, nextNumber, type PayRow } from '../row.ts';
import { begin, type Run } from '../runs.ts';
import { CLOCKS, isKeyFresh, NOT_SENT } from '../schedule.ts';
import { agreeTo, askForTerms, mayBeAskedAgain } from '../terms.ts';
import type { PayEvent } from '../transitions.ts';
import { type DepositFlowOptions, objectionToBankTerms, readBank } from './bank.ts';

/**
 * Draws money from a bank account: asks what it costs, checks that, writes it down, makes the deposit
 * under one key, and watches how it ends. Starts at the call; one `intent` is drawn at most once, as
 * with `pay`.
 *
 * @param options `intent`, `bankPaymentMethodId`, `amount` (decimal text), `maxFee`, `journal`; see
 * `DepositFlowOptions`
 * @returns a run: its `result` never rejects, and says `unknown` where nobody knows
 * @throws InputError for an amount or a limit that is none, or a journal that forgets
 * @example
 * const run = deposit(client, {
 *   intent: 'top-up-17',
 *   bankPaymentMethodId: method.id,
 *   amount: '500.00',
 *   maxFee: { percent: '1' },
 *   journal: memoryStore(),
 * });
 * console.log((await sandbox.run(run.result)).phase); // completed
 */
export function deposit(
  client: Connection,
  options: DepositFlowOptions,
): Run<DepositStep, DepositResult> {
  return begin(client, depositRail, readDeposit(client, options), options);
}

/** Reads what is to be drawn from a bank; nothing is sent. Throws InputError. */
function readDeposit(client: Connection, options: DepositFlowOptions): PayCommand {
  const { bankPaymentMethodId, amount, feePolicy } = checkOptions(client, options);
  return readBank(options, {
    rail: 'deposit',
    bankPaymentMethodId,
    amount,
    feePolicy,
  });
}

type Row = PayRow<BankOrder>;

/** The service surely knows a key for so long, milliseconds: later it could debit a second time. */
const KEY_LIFETIME = 600_000;
/** More deposits are not looked through. */
const MOST = 500;

/** Money drawn from a bank account. It moves when it is created: what is agreed to is its key. */
export const depositRail: Rail<BankOrder> = {
  operation: 'deposit',
  kind: 'deposit',
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
  const { value, headers } = await estimateFee(client, draftOf(row.order), options).withResponse();
  const { amount, fee, total } = value;
  const terms = { amount, totalFee: fee, totalAmount: total };
  const why = objectionToBankTerms(row, terms);
  if (why) return { is: 'guard-failed', why };
  const { number, ...key } = await keyFor(row, asking, serviceTime(headers, NaN));
  return { ...agreeTo(row, { ...key, ...terms }, { now }), number };
}

type Key = Pick<AgreedQuote, 'id' | 'endsAt' | 'toldAt' | 'isReadOnly'>;

/** The key of the last round, which a late copy of its request may bring: both make one deposit. */
async function keyFor(
  row: Row,
  { journal, now }: Asking,
  told: number,
): Promise<Key & Pick<PayEvent, 'number'>> {
  const { past, intent } = row;
  const last = past.findLast(({ quote }) => quote);
  const isSame = last && last.paymentId === undefined && isKeyFresh(last.quote!, now());
  if (isSame) {
    const { id, endsAt, toldAt, isReadOnly } = last.quote!;
    return { id, endsAt, toldAt, isReadOnly };
  }
  const { pin } = await journal.pin();
  // the write that agrees to it claims it: no other process sends it first
  const number = nextNumber(row);
  const id = keyOf('deposit', pin, intent, number);
  const toldAt = Number.isNaN(told) ? undefined : told;
  return { id, endsAt: now() + KEY_LIFETIME, toldAt, number };
}

async function executeDeposit(client: Connection, row: Row, now: number): Promise<Executed> {
  const { order, quote, tries } = row;
  const age = await ageOf(client, row, now);
  if (age === undefined) return { outcome: { is: 'busy', code: 'UNREACHABLE' } };
  const left = KEY_LIFETIME - age;
  const isInDoubt = tries.slice(0, -1).some(({ end }) => end !== 'refused');
  const tooOld: Executed = isInDoubt ? AGED : UNSENT;
  if (!(left > 0)) return tooOld;
  const firstSentAt = client[internals].clock.now() - age;
  const options = { ...oneTry(left), idempotencyKey: quote!.id, firstSentAt };
  const executed = await outcomeOf(
    client,
    create(client, draftOf(order), options),
    (deposit) => ({ is: 'accepted', paymentId: deposit.id }),
    { code: 'DUPLICATE_DEPOSIT', value: 'depositId' },
  );
  const { is, paymentId, code } = executed.outcome;
  if (code === 'IDEMPOTENCY_KEY_EXPIRED') return tooOld;
  if (is !== 'processed' || paymentId === undefined) return executed;
  return { ...executed, outcome: await compareOriginal(client, row, paymentId) };
}

/** The key is too old, or of unknown age: what it made is only read from now on. */
const AGED: Executed = { outcome: { is: 'aged', code: NOT_SENT } };

/**
 * How old the key is, milliseconds: the larger of its ages by the wall clock, by the times in the
 * journal and, where another run has sent it, by the service's clock. NaN where nobody knows,
 * because the clock was set back and the service does not tell the time; `undefined` where the
 * service cannot be asked now. What this client has sent itself ages by its monotonic clock too, in
 * `deposits.create`.
 */
async function ageOf(client: Connection, row: Row, now: number): Promise<number | undefined> {
  const { order, quote, tries, past } = row;
  const { by, sentAt } = tries.at(-1)!;
  const { id, endsAt, toldAt = NaN } = quote!;
  const firstSentAt = endsAt - KEY_LIFETIME;
  const before = past.filter((one) => one.quote?.id === id).flatMap((one) => one.tries);
  const others = [...before, ...tries].filter((one) => one.by !== by);
  const age = Math.max(now, sentAt) - firstSentAt;
  if (others.length === 0) return age;
  const told = await serviceNow(client, order);
  if (told === undefined) return undefined;
  const ageTold = told - toldAt;
  const behind = Math.max(...others.map((one) => one.endedAt ?? one.sentAt)) - now;
  // clocks of two machines differ a little; one that is further behind was set back
  if (behind > (Number.isNaN(ageTold) ? 0 : CLOCKS)) return NaN;
  return Number.isNaN(ageTold) ? age : Math.max(age, ageTold);
}

/** The service's time, NaN where it does not tell; `undefined` where no answer comes. */
async function serviceNow(client: Connection, order: BankOrder): Promise<number | undefined> {
  const options = { reason: 'how old a key is', maxAttempts: 1 };
  try {
    const { headers } = await estimateFee(client, draftOf(order), options).withResponse();
    return serviceTime(headers, NaN);
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    return mayBeAskedAgain(thrown) ? undefined : NaN;
  }
}

/** What the service has under the key, compared with the order. */
async function compareOriginal(
  client: Connection,
  { order }: Row,
  paymentId: string,
): Promise<TryOutcome> {
  const code = 'DUPLICATE_DEPOSIT';
  try {
    const { amount, fee, totalAmount } = await get(client, paymentId, { reason: 'whose it is' });
    const asked = { ...amount, amount: order.amount };
    const isOurs = [amount, totalAmount].some((found) => isWithFee(asked, found, fee));
    return isOurs
      ? { is: 'processed', paymentId, code }
      : { is: 'refused', code, why: reusedBy(paymentId) };
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    return { is: 'busy', code }; // it is asked for again
  }
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
