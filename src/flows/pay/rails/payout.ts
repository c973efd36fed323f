import { badInput, isPaystateError, type Expected, type Open } from '../../../core/errors/index.ts';
import {
  type CallOptions,
  type Connection,
  internals,
  serviceTime,
} from '../../../core/http/index.ts';
import { parseMillis } from '../../../core/time.ts';
import { addMoney, isSameMoney, type Money } from '../../../money/index.ts';
import { parseUnsignedMoney } from '../../../money/money.ts';
import { type FeePolicy, isFarOff } from '../../../resources/amounts.ts';
import { get as getMethod } from '../../../resources/bank-payment-methods.ts';
import { get as getOriginator } from '../../../resources/payout-originators.ts';
import {
  create,
  get,
  initiate,
  list,
  type Payout,
  type PayoutDraft,
} from '../../../resources/payouts.ts';
import { idKey } from '../../../resources/resource.ts';
import { objection, objectionToFee, formatMoney } from '../guards.ts';
import {
  checkMove,
  makeFingerprint,
  type MoveCommand,
  type MoveOptions,
  plainAmount,
  readIntent,
  readMaxFee,
} from '../intent.ts';
import { allow } from '../limits.ts';
import { type AgreedQuote, readLimits, type MoveRow, type View } from '../facts.ts';
import type { BankOrder, MoveLimits, MoveReason, Percentage } from '../order.ts';
import {
  type Answer,
  answerOfError,
  type AskedTerms,
  type Asking,
  nameClaim,
  type Desk,
  type SearchFinding,
  FOREIGN,
  listSince,
  type MoneyTerms,
  type Rail,
  refuse,
  searchAmong,
  type Span,
} from '../rail.ts';
import type { PayOutResult, PayOutStep } from '../result.ts';
import { begin, type Run } from '../runs.ts';

/** Options for a deposit from a bank account, including its limits. */
export interface DepositFlowOptions extends MoveOptions {
  /** The id of the bank payment method. */
  readonly bankPaymentMethodId: string;
  /** A decimal string, in the bank payment method's currency. */
  readonly amount: string;
  /** The highest fee, as an amount in that currency, a percentage of the total, or `any`. */
  readonly maxFee: Money | Percentage | 'any';
  /** Whether the fee is included in `amount` or added on top (`EXCLUSIVE`, the default). */
  readonly feePolicy?: Open<FeePolicy> | undefined;
}

export const BANK_OPTIONS: Expected<DepositFlowOptions> = {
  intent: 'any',
  bankPaymentMethodId: 'string!',
  amount: 'any!',
  maxFee: 'any',
  feePolicy: 'string',
  journal: 'any',
  signal: 'signal',
};

export function readBank(
  { intent, maxFee }: DepositFlowOptions,
  order: BankOrder,
  more: Partial<MoveLimits> = {},
): MoveCommand {
  const { rail, bankPaymentMethodId, amount, feePolicy = 'EXCLUSIVE' } = order;
  const { reference, originatorId } = order;
  if (!bankPaymentMethodId)
    throw badInput('bankPaymentMethodId', 'must be the id of a bank payment method');
  const plain = plainAmount({ amount, currency: 'USD' });
  const parts = [rail, bankPaymentMethodId, plain, feePolicy, reference, originatorId];
  return {
    intent: readIntent(intent),
    fingerprint: makeFingerprint(parts),
    order,
    limits: {
      maxFee: readMaxFee(maxFee, parseUnsignedMoney),
      maxRateSlip: 'any',
      ...more,
    },
  };
}

/** Checks the amounts of a payout or deposit against the order and the limits. */
export function objectionToBankTerms(
  row: MoveRow<BankOrder>,
  terms: MoneyTerms,
): MoveReason | undefined {
  const { order } = row;
  const limits = readLimits(row);
  const { amount, totalAmount, totalFee } = terms;
  if (!totalFee && limits.maxFee !== 'any')
    return objection('fee', 'the service returned no fee to compare with maxFee');
  const found = objectionToFee(terms, limits.maxFee);
  if (found) return found;
  const named = order.feePolicy === 'INCLUSIVE' ? totalAmount : amount;
  return isSameMoney(named, parseUnsignedMoney({ ...named, amount: order.amount }))
    ? undefined
    : objection('amount', `the payout is for ${formatMoney(named)} instead of ${order.amount}`);
}

/** Options for a payout to a bank account, including its limits. */
export interface PayOutOptions extends DepositFlowOptions {
  /**
   * The reference on the receiver's bank statement. Most transfer types only allow a few
   * characters.
   */
  readonly reference?: string | undefined;
  /** The id of the payout originator, if the account's owner isn't the sender. */
  readonly originatorId?: string | undefined;
  /**
   * The longest time to wait for the bank payment method to be READY and the originator to be
   * APPROVED, in milliseconds. Defaults to 60,000.
   */
  readonly readyTimeout?: number | undefined;
}

const PAYOUT_OPTIONS: Expected<PayOutOptions> = /* @__PURE__ */ Object.assign(
  { reference: 'string', originatorId: 'string', readyTimeout: 'number' } as const,
  BANK_OPTIONS,
);

/**
 * Sends money to a bank account. Waits until the bank payment method and the originator are usable,
 * prepares a payout, checks its fee, writes it to the journal, initiates it, and watches until the
 * money has left. Starts right away. Like `pay`, it initiates at most one payout per `intent`.
 *
 * @param options `intent`, `bankPaymentMethodId`, `amount` (decimal string), `maxFee`, `journal`.
 * See `PayOutOptions`
 * @returns a run. Its `result` never rejects, and is `unknown` if the outcome is unclear.
 * @throws InputError if the amount or limit is invalid, or the journal isn't durable
 *
 * @example
 * const run = payOut(client, {
 *   intent: 'salary-2026-08-edith',
 *   bankPaymentMethodId: method.id,
 *   amount: '250.00',
 *   reference: 'SALARY 08',
 *   maxFee: { percent: '1' },
 *   journal: memoryStore(),
 * });
 * console.log((await run.result).phase); // completed
 */
export function payOut(client: Connection, options: PayOutOptions): Run<PayOutStep, PayOutResult> {
  return begin(client, payoutRail, readPayOut(client, options), options);
}

const READY_TIMEOUT_MS = 60_000;

export function readPayOut(client: Connection, options: PayOutOptions): MoveCommand {
  const { bankPaymentMethodId, amount, feePolicy } = checkMove(client, options, PAYOUT_OPTIONS);
  const { readyTimeout = READY_TIMEOUT_MS } = options;
  if (!(readyTimeout >= 0))
    throw badInput('readyTimeout', 'must be a number of milliseconds, 0 or more');
  const order: BankOrder = {
    rail: 'payout',
    bankPaymentMethodId,
    amount,
    feePolicy,
    reference: options.reference,
    originatorId: options.originatorId,
  };
  return readBank(options, order, { readyTimeout });
}

type Row = MoveRow<BankOrder>;

/**
 * Payouts to a bank account. A payout is prepared first and then initiated. Each intent initiates
 * at most one of its prepared payouts.
 */
export const payoutRail: Rail<BankOrder> = {
  operation: 'payOut',
  kind: 'payout',
  member: 'payout',
  ask: prepare,
  send: initiatePayout,
  async read(client, _, id, options) {
    return { movement: await get(client, id, options) };
  },
  search: searchPayout,
};

async function prepare(row: Row, asking: Asking): Promise<AskedTerms> {
  const notReady = await objectionToReadiness(row, asking);
  if (notReady) return refuse(notReady);
  const payout = (await earlierPayout(asking)) ?? (await preparePayout(row, asking));
  if (!payout) return { is: 'refused', why: FOREIGN, isPassing: true };
  if (payout.state !== 'NEW') return { is: 'moved', id: payout.id, movement: payout };
  const terms = readTerms(payout);
  const why = objectionToBankTerms(row, terms);
  if (why) return refuse(why);
  const { why: limit, day } = await allow(row.intent, asking.view.round, terms.totalAmount, asking);
  if (limit) return refuse(limit);
  return { is: 'agreed', quote: { id: payout.id, ...terms, day } };
}

/**
 * Reads the payout that an earlier round tried to initiate. It's used again, because a delayed copy
 * of the earlier request could still initiate it.
 */
async function earlierPayout({ client, signal, view, n }: Asking): Promise<Payout | undefined> {
  const shown = view.numbers.find((one) => one.n === n)?.shown;
  return (
    shown &&
    get(client, shown.quote.id, { signal, reason: 'read the payout of an earlier attempt' })
  );
}

function readTerms({ amount, fee }: Payout): MoneyTerms {
  const totalFee = fee && { amount: fee.amount, currency: fee.currency };
  const isSame = totalFee?.currency === amount.currency;
  return { amount, totalFee, totalAmount: isSame ? addMoney(amount, totalFee) : amount };
}

/** Sends one request to initiate a payout. Resolves to the response and never rejects. */
async function initiatePayout(
  client: Connection,
  _: Row,
  { id }: AgreedQuote,
  { options }: { readonly options: CallOptions },
): Promise<Answer> {
  try {
    return { how: 'ok', id, movement: await initiate(client, id, options) };
  } catch (thrown) {
    return answerOfError(thrown, { code: 'PAYOUT_ALREADY_INITIATED', id });
  }
}

/**
 * Searches for payouts that may belong to this intent. Skips NEW payouts, which were never
 * initiated.
 */
function searchPayout(row: Row, view: View, { from }: Span, desk: Desk): Promise<SearchFinding> {
  const failed = view.numbers.flatMap(({ seen }) => (seen ? [idKey(seen.id)] : []));
  const options = { signal: desk.signal, reason: 'search for an unconfirmed payout' };
  const found = new Map<string, Payout>();
  const all = async () => {
    for (const one of await listSince(list(desk.client, options), from))
      if (one.state !== 'NEW') found.set(one.id, one);
    return [...found.keys()];
  };
  return searchAmong(row, payoutRail, desk, all, async (id, isOurs) => {
    const movement = found.get(id)!;
    if (failed.includes(idKey(id))) return false;
    if (isOurs) return { id, movement };
    return isLikeOrder(row.order, [movement.amount, readTerms(movement).totalAmount]);
  });
}

/**
 * Returns whether one of the amounts could match the order. Ignores the currency, because the order
 * doesn't have one.
 */
export function isLikeOrder({ amount }: BankOrder, found: readonly Money[]): boolean {
  return found.some((one) => !isFarOff({ asked: { ...one, amount }, found: one }, undefined));
}

/** A payout older than the response by more than this belongs to another request. */
const MAX_PAYOUT_AGE_MS = 120_000;

/**
 * Prepares a payout. Resolves to `undefined` if the service returned the payout of another request.
 * After a lost response, another payout is prepared. The first one stays NEW and moves no money. We
 * don't search for it, because we couldn't distinguish it from a payout that another program
 * prepared.
 */
async function preparePayout(
  { order, intent }: Row,
  { client, journal, signal }: Asking,
): Promise<Payout | undefined> {
  const options = { signal, reason: 'prepare a payout' };
  const { value: payout, headers } = await create(client, makeDraft(order), options).withResponse();
  const age = serviceTime(headers, NaN) - (parseMillis(payout.created) ?? NaN);
  if (payout.state !== 'NEW' || age > MAX_PAYOUT_AGE_MS) return undefined;
  return (await journal.claim(nameClaim(payoutRail, payout.id), intent)) ? payout : undefined;
}

function makeDraft(order: BankOrder): PayoutDraft {
  const {
    bankPaymentMethodId: paymentMethodId,
    amount,
    originatorId,
    reference,
    feePolicy,
  } = order;
  return { paymentMethodId, amount, originatorId, reference, feePolicy };
}

const MAX_READ_PAUSE_MS = 10_000;

/** A resource that the service must approve before a payout can use it. */
interface Approval {
  readonly guard: 'bank-method' | 'originator';
  readonly name: string;
  readonly wanted: string;
  /** Final states. If the resource has reached any of these, there's no point in waiting. */
  readonly dead: readonly string[];
  read(options: CallOptions): Promise<{ readonly state: string }>;
}

/** Waits until the bank payment method is READY and the originator is APPROVED. */
async function objectionToReadiness(
  row: MoveRow<BankOrder>,
  asking: Asking,
): Promise<MoveReason | undefined> {
  const { order } = row;
  const { readyTimeout = 0 } = readLimits(row);
  const { client, now } = asking;
  const { bankPaymentMethodId, originatorId } = order;
  const until = now() + readyTimeout;
  const method: Approval = {
    guard: 'bank-method',
    name: 'bank payment method',
    wanted: 'READY',
    dead: ['SUSPENDED', 'INVALID', 'INACTIVE'],
    read: (options) => getMethod(client, bankPaymentMethodId, options),
  };
  const found = await waitFor(method, until, asking);
  if (found || originatorId === undefined) return found;
  const originator: Approval = {
    guard: 'originator',
    name: 'payout originator',
    wanted: 'APPROVED',
    dead: ['REJECTED', 'INACTIVE'],
    read: (options) => getOriginator(client, originatorId, options),
  };
  return waitFor(originator, until, asking);
}

async function waitFor(
  { guard, name, wanted, dead, read }: Approval,
  until: number,
  { client, signal, now }: Asking,
): Promise<MoveReason | undefined> {
  const { clock } = client[internals];
  for (let pause = 1_000; ; pause = Math.min(MAX_READ_PAUSE_MS, 2 * pause)) {
    const state = await read({ signal, reason: `is it ${wanted}` }).then(
      (found) => found.state,
      unlessForbidden,
    );
    if (state === wanted || state === undefined) return undefined;
    if (dead.includes(state) || now() + pause > until)
      return objection(guard, `the ${name} is ${state}, but must be ${wanted}`);
    await clock.wait(pause, signal);
  }
}

/**
 * Ignores an error caused by a missing scope. The payout is prepared anyway, and the service checks
 * the approval then.
 */
function unlessForbidden(thrown: unknown): undefined {
  if (!isPaystateError(thrown) || thrown.neededScope === undefined) throw thrown;
}
