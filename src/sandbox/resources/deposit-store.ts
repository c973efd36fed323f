import type { WireMoney } from '../../resources/amounts/model.ts';
import { depositLife, type DepositState } from '../../resources/deposits/states.ts';
import { book, type Move, potsOf } from '../ledger/ledger.ts';
import { moving } from '../ledger/transfer.ts';
import { relies } from '../provenance/recorder.ts';
import { later, type World } from '../world/world.ts';
import type { StoredBankMethod } from './bank-payment-method-store.ts';
import { emit } from './events.ts';
import {} from '../faults/state-rules.ts';
import { decide, type Kept, type Shelf, shelfOf } from './repository.ts';

export interface StoredDeposit extends Kept {
  readonly method: StoredBankMethod;
  readonly amount: WireMoney;
  readonly fee: WireMoney;
  readonly totalAmount: WireMoney;
  state: DepositState;
}

export const depositShelf: Shelf<StoredDeposit> = shelfOf('deposit', depositLife);

const SECOND = 1_000;
/** Milliseconds until a deposit by ACH has settled; others settle in two seconds. */
export const ACH_SETTLES: number = 432_000_000;

/** The bank draws an ACH deposit at once; others wait for the customer's transfer. */
export function beginDeposit(world: World, deposit: StoredDeposit): void {
  if (deposit.method.transferType === 'ACH') return enter(world, deposit, 'PENDING');
  later(world, SECOND, () => {
    if (deposit.state === 'NEW') moveDeposit(world, deposit, 'PENDING');
  });
}

/** Moves a deposit along its life, with its money and its event. */
export function moveDeposit(world: World, deposit: StoredDeposit, to: string): void {
  enter(world, deposit, to);
  emit(world, deposit.account, 'deposit.updated', deposit.id, ['state']);
}

function enter(world: World, deposit: StoredDeposit, to: string): void {
  if (to === 'FAILED' || to === 'REVERSED') relies(world, 'deposits.returns');
  book(world, `deposit ${to}`, deposit.id, movesOf(deposit, to));
  deposit.state = to as DepositState;
  const after = deposit.method.transferType === 'ACH' ? ACH_SETTLES : 2 * SECOND;
  if (to === 'PENDING')
    decide(world, depositShelf, deposit, 'deposit', { state: 'COMPLETED', after }, (state) =>
      moveDeposit(world, deposit, state),
    );
}

function movesOf({ account, amount, fee, state }: StoredDeposit, to: string): readonly Move[] {
  const { free, unsettled } = potsOf(account);
  if (to === 'PENDING')
    return [...moving('bank', unsettled, amount), ...moving('bank', 'fees', fee)];
  if (to === 'COMPLETED') return moving(unsettled, free, amount);
  if (state === 'NEW') return []; // nothing had come
  if (state === 'PENDING')
    return [...moving(unsettled, 'bank', amount), ...moving('fees', 'bank', fee)];
  return moving(free, 'bank', amount, true); // the fee is kept
}
