import * as rows from '../../generated/endpoints/balances.ts';
import type { Balance } from '../../resources/balances.ts';
import { type ResourceRoute, makeRoutes } from './repository.ts';
import { type SubAccount, listSubAccounts, sumIn } from '../ledger/ledger.ts';
import type { Account, World } from '../world/world.ts';

function balanceIn(world: World, account: Account, currency: string): Balance {
  const subAccounts = listSubAccounts(account);
  const sum = (...names: readonly SubAccount[]): string =>
    sumIn(
      world,
      names.map((name) => subAccounts[name]),
      currency,
    );
  return {
    currency,
    current: sum('free', 'unsettled', 'held'),
    pending: sum('unsettled'),
    reserved: sum('held'),
    available: sum('free'),
    outgoing: sum('held'),
    total: sum('free', 'held'),
  };
}

export const routes: readonly ResourceRoute[] = makeRoutes<typeof rows>(rows, {
  list: (world, { account }) => ({
    body: account.currencies.map((currency) => balanceIn(world, account, currency)),
  }),
});
