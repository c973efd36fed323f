import * as rows from '../../generated/endpoints/accounts.ts';
import type { AccountLimits, AccountProfile } from '../../resources/accounts.ts';
import { CURRENCIES } from '../../resources/amounts.ts';
import { type ResourceRoute, makeRoutes } from './repository.ts';
import { notFound } from '../world/responses.ts';
import { findHighest } from '../ledger/amounts.ts';
import { recordUse } from '../provenance/recorder.ts';
import type { Account, World } from '../world/world.ts';
import { makeLimit } from './account-limits.ts';
import { listDeposited } from './deposits.ts';
import { listWithdrawn } from './payouts.ts';

/** Returns an account's profile. Private profiles are only visible to their owner. */
function profileFor(world: World, asking: Account, found: Account | undefined): AccountProfile {
  if (!found || (found.isPrivate && found !== asking)) throw notFound();
  if (found.isPrivate) recordUse(world, 'accounts.own');
  const { handle, avatarUrl, description, canReceive, currencies, defaultCurrency } = found;
  return {
    id: found.id,
    handle,
    ...(avatarUrl !== undefined && { avatarUrl }),
    ...(description !== undefined && { description }),
    canReceive,
    currencies: CURRENCIES.map((currency) => {
      const isAvailable = currencies.includes(currency);
      return {
        currency,
        isDefaultCurrency: currency === defaultCurrency,
        isAvailable,
        isInvoiceable: isAvailable && canReceive,
      };
    }),
  };
}

function listLimits(world: World, account: Account): AccountLimits {
  const shown = {
    deposit: makeLimit(world, account, 'deposit', listDeposited(world, account, 'deposit')),
    achDeposit: makeLimit(
      world,
      account,
      'achDeposit',
      listDeposited(world, account, 'achDeposit'),
    ),
    send: { amount: { effective: findHighest(account.defaultCurrency) } },
    withdrawal: makeLimit(world, account, 'withdrawal', listWithdrawn(world, account)),
    instant: null,
  };
  return shown as unknown as AccountLimits; // clients parse null as absent
}

export const routes: readonly ResourceRoute[] = makeRoutes<typeof rows>(rows, {
  getLimits: (world, { account }) => ({ body: listLimits(world, account) }),
  getProfile: (world, { account, where: { accountId } }) => ({
    body: profileFor(
      world,
      account,
      [...world.accounts.values()].find(({ id }) => id === accountId),
    ),
  }),
  getProfileByHandle: (world, { account, where: { handle } }) => ({
    body: profileFor(world, account, world.accounts.get(handle)),
  }),
});
