import { checkReadable } from '../../../core/lists/index.ts';
import { isPaystateError } from '../../../core/errors/index.ts';
import { type Connection, internals, serviceTime } from '../../../core/http/index.ts';
import { isSameMoney } from '../../../money/index.ts';
import { create, type DepositDraft, estimateFee, get, list } from '../../../resources/deposits.ts';
import { keyOf } from '../account.ts';
import { isWithFee, reusedBy } from '../guards.ts';
import { checkMove, type MoveCommand } from '../intent.ts';
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
import { type AgreedQuote, type BankOrder, nextNumber, type MoveRow } from '../row.ts';
import { begin, type Run } from '../runs.ts';
import { MAX_CLOCK_DIFFERENCE_MS, isKeyFresh, NOT_SENT } from '../schedule.ts';
import { agreeTo, askForTerms, mayBeAskedAgain } from '../terms.ts';
import type { MoveEvent } from '../transitions.ts';
import { BANK_OPTIONS, type DepositFlowOptions, objectionToBankTerms, readBank } from './payout.ts';

/**
 * Draws money from a bank account: reads the fee, checks it, writes the intent to the journal,
 * makes the deposit under one key, and watches how it ends. Starts at the call; one `intent` is
 * drawn at most once, as with `pay`.
 *
 * @param options `intent`, `bankPaymentMethodId`, `amount` (decimal text), `maxFee`, `journal`; see
 * `DepositFlowOptions`
 * @returns a run: its `result` never rejects, and is `unknown` where the outcome is not known
 * @throws InputError for an invalid amount or limit, or a journal that is not durable
 * @example
 * const run = deposit(client, {
 *   intent: 'top-up-17',
 *   bankPaymentMethodId: method.id,
 *   amount: '500.00',
 *   maxFee: { percent: '1' },
 *   journal: memoryStore(),
 * });
 * console.log((await run.result).phase); // completed
 */
export function deposit(
  client: Connection,
  options: DepositFlowOptions,
): Run<DepositStep, DepositResult> {
  return begin(client, depositRail, readDeposit(client, options), options);
}

/** Checks the options of a deposit. Sends nothing. Throws InputError. */
function readDeposit(client: Connection, options: DepositFlowOptions): MoveCommand {
  const { bankPaymentMethodId, amount, feePolicy } = checkMove(client, options, BANK_OPTIONS);
  return readBank(options, {
    rail: 'deposit',
    bankPaymentMethodId,
    amount,
    feePolicy,
  });
}

type Row = MoveRow<BankOrder>;

/**
 * Time for which the service is certain to know a key; later the same key could debit a second
 * time.
 */
const KEY_LIFETIME_MS = 600_000;
/** A search reads at most this many deposits. */
const MAX_DEPOSITS = 500;

/**
 * Deposits from a bank account. A deposit moves money when it is created, so what is agreed to is
 * its key.
 */
export const depositRail: Rail<BankOrder> = {
  operation: 'deposit',
  kind: 'deposit',
  member: 'deposit',
  quote: (row, asking) => askForTerms(row, () => estimate(row, asking)),
  execute: executeDeposit,
  async read(client, row, options) {
    const movement = await get(client, row.movementId!, options);
    return { is: readingOf(movement.state), movement };
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

/**
 * Returns the key of the last round, of which a late copy may still arrive, so that both make one
 * deposit; or a new key.
 */
async function keyFor(
  row: Row,
  { journal, now }: Asking,
  told: number,
): Promise<Key & Pick<MoveEvent, 'number'>> {
  const { past, intent } = row;
  const last = past.findLast(({ quote }) => quote);
  const isSame = last && last.movementId === undefined && isKeyFresh(last.quote!, now());
  if (isSame) {
    const { id, endsAt, toldAt, isReadOnly } = last.quote!;
    return { id, endsAt, toldAt, isReadOnly };
  }
  const { pin } = await journal.pin();
  // the write that agrees to the number claims it, so no other process sends it first
  const number = nextNumber(row);
  const id = keyOf('deposit', pin, intent, number);
  const toldAt = Number.isNaN(told) ? undefined : told;
  return { id, endsAt: now() + KEY_LIFETIME_MS, toldAt, number };
}

async function executeDeposit(client: Connection, row: Row, now: number): Promise<Executed> {
  const { order, quote, tries } = row;
  const age = await ageOf(client, row, now);
  if (age === undefined) return { outcome: { is: 'busy', code: 'UNREACHABLE' } };
  const left = KEY_LIFETIME_MS - age;
  const isInDoubt = tries.slice(0, -1).some(({ end }) => end !== 'refused');
  const tooOld: Executed = isInDoubt ? AGED : UNSENT;
  if (!(left > 0)) return tooOld;
  const firstSentAt = client[internals].clock.now() - age;
  const options = { ...oneTry(left), idempotencyKey: quote!.id, firstSentAt };
  const executed = await outcomeOf(
    client,
    create(client, draftOf(order), options),
    (deposit) => ({ is: 'accepted', movementId: deposit.id }),
    { code: 'DUPLICATE_DEPOSIT', value: 'depositId' },
  );
  const { is, movementId, code } = executed.outcome;
  if (code === 'IDEMPOTENCY_KEY_EXPIRED') return tooOld;
  if (is !== 'processed' || movementId === undefined) return executed;
  return { ...executed, outcome: await compareOriginal(client, row, movementId) };
}

/** The key is too old, or of unknown age, so that what it made is only read from now on. */
const AGED: Executed = { outcome: { is: 'aged', code: NOT_SENT } };

/**
 * Resolves to the age of the key, milliseconds: the largest of its ages by the wall clock, by the
 * times in the journal and, where another run has sent it, by the service's clock. NaN where the
 * age is not known, because the clock was set back and responses have no date; `undefined` where
 * the service cannot be reached now. `deposits.create` also checks the age of what this client has
 * sent by its monotonic clock.
 */
async function ageOf(client: Connection, row: Row, now: number): Promise<number | undefined> {
  const { order, quote, tries, past } = row;
  const { by, sentAt } = tries.at(-1)!;
  const { id, endsAt, toldAt = NaN } = quote!;
  const firstSentAt = endsAt - KEY_LIFETIME_MS;
  const before = past.filter((one) => one.quote?.id === id).flatMap((one) => one.tries);
  const others = [...before, ...tries].filter((one) => one.by !== by);
  const age = Math.max(now, sentAt) - firstSentAt;
  if (others.length === 0) return age;
  const told = await serviceNow(client, order);
  if (told === undefined) return undefined;
  const ageTold = told - toldAt;
  const behind = Math.max(...others.map((one) => one.endedAt ?? one.sentAt)) - now;
  // clocks of two machines differ a little; a clock that is further behind was set back
  if (behind > (Number.isNaN(ageTold) ? 0 : MAX_CLOCK_DIFFERENCE_MS)) return NaN;
  return Number.isNaN(ageTold) ? age : Math.max(age, ageTold);
}

/**
 * Resolves to the service's time, NaN where the response has no date; `undefined` where none comes.
 */
async function serviceNow(client: Connection, order: BankOrder): Promise<number | undefined> {
  const options = { reason: 'age of an idempotency key', maxAttempts: 1 };
  try {
    const { headers } = await estimateFee(client, draftOf(order), options).withResponse();
    return serviceTime(headers, NaN);
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    return mayBeAskedAgain(thrown) ? undefined : NaN;
  }
}

/** Reads what the service has under the key, and compares it with the order. */
async function compareOriginal(
  client: Connection,
  { order }: Row,
  movementId: string,
): Promise<TryOutcome> {
  const code = 'DUPLICATE_DEPOSIT';
  try {
    const { amount, fee, totalAmount } = await get(client, movementId, { reason: 'whose it is' });
    const asked = { ...amount, amount: order.amount };
    const isOurs = [amount, totalAmount].some((found) => isWithFee(asked, found, fee));
    return isOurs
      ? { is: 'processed', movementId, code }
      : { is: 'refused', code, why: reusedBy(movementId) };
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    return { is: 'busy', code }; // the request is repeated
  }
}

/**
 * Searches for deposits of the same amounts. A deposit does not name its key, so none is known to
 * be this one.
 */
async function searchDeposit(row: Row, search: Search): Promise<MoveEvent> {
  const { client, signal, journal, now: at } = search;
  const { amount, totalAmount } = row.quote!;
  const candidates: string[] = [];
  try {
    const deposits = await list(client, {
      signal,
      reason: 'search for an unconfirmed deposit',
    }).toArray({
      limit: MAX_DEPOSITS,
    });
    for (const one of deposits) {
      const isLike = isSameMoney(one.amount, amount) && isSameMoney(one.totalAmount, totalAmount);
      const isFree = isLike && !(await journal.holderOf(claimOf(depositRail, one.id)));
      if (isFree) candidates.push(one.id);
    }
    checkReadable(deposits);
    return { is: 'unclear', at, evidence: { searchedAt: at, candidates } };
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    const { neededScope } = thrown;
    const evidence = { searchedAt: at, candidates, isIncomplete: true, neededScope };
    return { is: 'unclear', at, evidence };
  }
}
