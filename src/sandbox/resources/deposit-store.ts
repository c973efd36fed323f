import type { Money } from '../../money/index.ts';
import { depositStates, type DepositState } from '../../resources/deposits.ts';
import { post, type Transfer, subAccountsOf } from '../ledger/ledger.ts';
import { transfersOf } from '../ledger/transfer.ts';
import type { BehaviourId } from '../provenance/behaviours.ts';
import { recordUse } from '../provenance/recorder.ts';
import { runLater, type World } from '../world/world.ts';
import type { StoredBankMethod } from './bank-payment-method-store.ts';
import { emit } from './events.ts';
import {
  scheduleTransition,
  type Entity,
  type Repository,
  createRepository,
} from './repository.ts';

export interface StoredDeposit extends Entity {
  readonly method: StoredBankMethod;
  readonly amount: Money;
  readonly fee: Money;
  readonly totalAmount: Money;
  state: DepositState;
}

export const deposits: Repository<StoredDeposit> = createRepository('deposit', depositStates);

const SECOND = 1_000;
/** Milliseconds until a deposit by ACH has settled; others settle in two seconds. */
export const ACH_SETTLES: number = 432_000_000;

/** The bank draws an ACH deposit at once; others wait for the customer's transfer. */
export function beginDeposit(world: World, deposit: StoredDeposit): void {
  const isDrawn = deposit.method.transferType === 'ACH';
  recordUse(world, isDrawn ? 'deposits.ach-begin' : 'deposits.begin');
  if (isDrawn) return enter(world, deposit, 'PENDING');
  runLater(world, SECOND, () => {
    if (deposit.state !== 'NEW') return;
    recordUse(world, 'deposits.arrival');
    moveDeposit(world, deposit, 'PENDING');
  });
}

/** Moves a deposit to its next state, with its money and its event. */
export function moveDeposit(world: World, deposit: StoredDeposit, to: string): void {
  enter(world, deposit, to);
  emit(world, deposit.account, 'deposit.updated', deposit.id, ['state']);
}

/** The behaviours that a state rests on. */
const RESTS: Readonly<Record<string, readonly BehaviourId[]>> = {
  FAILED: ['deposits.failed', 'deposits.reason'],
  REVERSED: ['deposits.reversed', 'deposits.returned'],
};

function enter(world: World, deposit: StoredDeposit, to: string): void {
  for (const id of RESTS[to] ?? []) recordUse(world, id);
  post(world, `deposit ${to}`, deposit.id, transfersFor(deposit, to));
  deposit.state = to as DepositState;
  const [delay, behaviour]: [number, BehaviourId] =
    deposit.method.transferType === 'ACH'
      ? [ACH_SETTLES, 'deposits.ach']
      : [2 * SECOND, 'deposits.outcome'];
  if (to === 'PENDING')
    scheduleTransition(
      world,
      deposits,
      deposit,
      'deposit',
      { state: 'COMPLETED', delay, behaviour },
      (state) => moveDeposit(world, deposit, state),
    );
}

function transfersFor(
  { account, amount, fee, state }: StoredDeposit,
  to: string,
): readonly Transfer[] {
  const { free, unsettled } = subAccountsOf(account);
  if (to === 'PENDING')
    return [...transfersOf('bank', unsettled, amount), ...transfersOf('bank', 'fees', fee)];
  if (to === 'COMPLETED') return transfersOf(unsettled, free, amount);
  if (state === 'NEW') return []; // nothing had come
  if (state === 'PENDING')
    return [...transfersOf(unsettled, 'bank', amount), ...transfersOf('fees', 'bank', fee)];
  return transfersOf(free, 'bank', amount, true); // the fee is kept
}
