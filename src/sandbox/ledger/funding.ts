import type { Money } from '../../money/index.ts';
import { accountOf, type World } from '../world/world.ts';
import { post, subAccountsOf } from './ledger.ts';

/** Puts money from nowhere into an account, as only a sandbox can. */
export function fund(world: World, handle: string, given: Money): void {
  const account = accountOf(world, handle);
  post(world, 'fund', account.id, [
    { from: 'bank', to: subAccountsOf(account).free, money: given },
  ]);
}
