import { isPaystateError } from '../../../core/errors/index.ts';
import { checkReadable } from '../../../core/lists/index.ts';
import { type CallOptions, type Connection, internals } from '../../../core/http/index.ts';
import { create, type DepositDraft, estimateFee, get, list } from '../../../resources/deposits.ts';
import { idKey } from '../../../resources/resource.ts';
import type { AgreedQuote, MoveRow, View } from '../facts.ts';
import { isWithFee, reusedBy } from '../guards.ts';
import { checkMove, type MoveCommand } from '../intent.ts';
import type { BankOrder } from '../order.ts';
import {
  type Answer,
  answerOfError,
  type AskedTerms,
  type Asking,
  type Desk,
  type SearchFinding,
  MAX_FOUND,
  type Rail,
  refuse,
  searchAmong,
  type Span,
} from '../rail.ts';
import type { DepositResult, DepositStep } from '../result.ts';
import { begin, type Run } from '../runs.ts';
import {
  BANK_OPTIONS,
  type DepositFlowOptions,
  isLikeOrder,
  objectionToBankTerms,
  readBank,
} from './payout.ts';

/**
 * Deposits money from a bank account. Reads the fee, checks it, writes the intent to the journal,
 * creates the deposit under a single idempotency key, and watches its outcome. Starts right away.
 * Like `pay`, it charges the bank account at most once per `intent`.
 *
 * @param options `intent`, `bankPaymentMethodId`, `amount` (decimal string), `maxFee`, `journal`.
 * See `DepositFlowOptions`
 * @returns a run. Its `result` never rejects, and is `unknown` if the outcome is unclear.
 * @throws InputError if the amount or limit is invalid, or the journal isn't durable
 *
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
 * Deposits money from a bank account. Creating a deposit moves the money right away. There's no
 * quote to accept, only an idempotency key.
 */
export const depositRail: Rail<BankOrder> = {
  operation: 'deposit',
  kind: 'deposit',
  member: 'deposit',
  ask: estimate,
  send: makeDeposit,
  async read(client, _, id, options) {
    return { movement: await get(client, id, options) };
  },
  search: searchDeposit,
};

function makeDraft({ bankPaymentMethodId, amount, feePolicy }: BankOrder): DepositDraft {
  return { paymentMethodId: bankPaymentMethodId, amount, feePolicy };
}

async function estimate(row: Row, { client, signal, key }: Asking): Promise<AskedTerms> {
  const options = { signal, reason: 'terms of a deposit' };
  const { amount, fee, total } = await estimateFee(client, makeDraft(row.order), options);
  const terms = { amount, totalFee: fee, totalAmount: total };
  const why = objectionToBankTerms(row, terms);
  return why ? refuse(why) : { is: 'agreed', quote: { id: key, ...terms } };
}

/** Creates the deposit under its key. Resolves to the service's response and never rejects. */
async function makeDeposit(
  client: Connection,
  { order }: Row,
  { id: idempotencyKey }: AgreedQuote,
  { options, firstSentAt }: { readonly options: CallOptions; readonly firstSentAt: number },
  { client: reading, now }: Desk,
): Promise<Answer> {
  const { clock } = client[internals];
  const keyed = { ...options, idempotencyKey, firstSentAt: clock.now() - (now() - firstSentAt) };
  try {
    const movement = await create(client, makeDraft(order), keyed);
    return { how: 'ok', id: movement.id, movement };
  } catch (thrown) {
    const answer = answerOfError(thrown, { code: 'DUPLICATE_DEPOSIT', value: 'depositId' });
    return answer.how === 'ok' && answer.id ? compareOriginal(reading, order, answer.id) : answer;
  }
}

/** Checks whether the deposit that already exists under the key is the one we ordered. */
async function compareOriginal(client: Connection, order: BankOrder, id: string): Promise<Answer> {
  const code = 'DUPLICATE_DEPOSIT';
  try {
    const movement = await get(client, id, { reason: 'check its owner' });
    const { amount, fee, totalAmount } = movement;
    const asked = { ...amount, amount: order.amount };
    const isOurs =
      [amount, totalAmount].some((found) => isWithFee(asked, found, fee)) ||
      isLikeOrder(order, [amount, totalAmount]);
    return isOurs ? { how: 'ok', id, movement, code } : { how: 'no', code, why: reusedBy(id) };
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    return { how: 'none', code }; // the outcome is unknown, so the request is repeated
  }
}

/**
 * Searches for deposits that may belong to this intent. Deposits can't be looked up by their key.
 */
function searchDeposit(row: Row, view: View, _: Span, desk: Desk): Promise<SearchFinding> {
  const failed = view.numbers.flatMap(({ seen }) => (seen ? [idKey(seen.id)] : []));
  const options = { signal: desk.signal, reason: 'search for an unconfirmed deposit' };
  const found = new Map<string, Parameters<typeof isLikeOrder>[1]>();
  const all = async () => {
    // reads the newest deposits, because a deposit has no creation time to filter by
    const newest = await list(desk.client, options).toArray({ limit: MAX_FOUND });
    checkReadable(newest);
    for (const { id, amount, totalAmount } of newest) found.set(id, [amount, totalAmount]);
    return [...found.keys()];
  };
  return searchAmong(row, depositRail, desk, all, async (id) => {
    return !failed.includes(idKey(id)) && isLikeOrder(row.order, found.get(id)!);
  });
}
