import type { WireMoney } from '../../resources/amounts/model.ts';
import { accountOf, type World } from '../world/world.ts';
import { post, subAccountsOf } from './ledger.ts';

/** Puts money from nowhere into an account, as only a sandbox can. */
export function fund(world: World, handle: string, given: WireMoney): void {
  const account = accountOf(world, handle);
  post(world, 'fund', account.id, [
    { from: 'bank', to: subAccountsOf(account).free, money: given },
  ]);
}
