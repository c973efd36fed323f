import { addMoney, type Money } from '../../money/index.ts';
import type { Ticks } from '../../core/time.ts';
import type { SpendAmount } from '../../resources/amounts.ts';
import { payoutStates, type PayoutState } from '../../resources/payouts.ts';
import { post, type Transfer, subAccountsOf } from '../ledger/ledger.ts';
import { transfersOf } from '../ledger/transfer.ts';
import { recordUse } from '../provenance/recorder.ts';
import type { World } from '../world/world.ts';
import { emit } from './events.ts';
import type { StoredBankMethod } from './bank-payment-method-store.ts';
import type { StoredOriginator } from './payout-originators.ts';
import {
  scheduleTransition,
  type Entity,
  type Repository,
  createRepository,
} from './repository.ts';

export interface StoredPayout extends Entity {
  readonly method: StoredBankMethod;
  readonly originator: StoredOriginator | undefined;
  readonly amount: Money;
  readonly fee: Money & { readonly feePolicy: NonNullable<SpendAmount['feePolicy']> };
  readonly reference: string | undefined;
  state: PayoutState;
  initiated: Ticks | undefined;
  completed: Ticks | undefined;
}

export const payouts: Repository<StoredPayout> = createRepository('payout', payoutStates);

/** How long a bank takes to send. */
const SENT = { state: 'COMPLETED', delay: 2_000, behaviour: 'payouts.outcome' } as const;

/** Moves a payout to its next state, with its money and its event. */
export function movePayout(world: World, payout: StoredPayout, to: string): void {
  if (to === 'FAILED' || to === 'REVERSED')
    recordUse(world, payout.state === 'INITIATED' ? 'payouts.failed' : 'payouts.returned');
  post(world, `payout ${to}`, payout.id, transfersFor(payout, to));
  payout.state = to as PayoutState;
  if (to === 'INITIATED') payout.initiated = world.stamp();
  if (to === 'COMPLETED') payout.completed = world.stamp();
  emit(world, payout.account, 'payout.updated', payout.id, ['state']);
  if (to === 'INITIATED')
    scheduleTransition(world, payouts, payout, 'payout', SENT, (state) =>
      movePayout(world, payout, state),
    );
}

function transfersFor(
  { account, amount, fee, state }: StoredPayout,
  to: string,
): readonly Transfer[] {
  const { free, held } = subAccountsOf(account);
  const total = addMoney(amount, fee);
  if (to === 'INITIATED') return transfersOf(free, held, total);
  if (to === 'COMPLETED')
    return [...transfersOf(held, 'bank', amount), ...transfersOf(held, 'fees', fee)];
  // what has left comes back without its fee
  return state === 'INITIATED' ? transfersOf(held, free, total) : transfersOf('bank', free, amount);
}
