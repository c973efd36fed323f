import * as rows from '../../generated/endpoints/accounts.ts';
import type { AccountLimits, AccountProfile } from '../../resources/accounts.ts';
import { CURRENCIES } from '../../resources/amounts.ts';
import { type ResourceRoute, routesOf } from './repository.ts';
import { notFound } from '../world/responses.ts';
import { highestOf } from '../ledger/amounts.ts';
import { recordUse } from '../provenance/recorder.ts';
import type { Account, World } from '../world/world.ts';
import { limitOf } from './account-limits.ts';
import { depositedOf } from './deposits.ts';
import { withdrawnOf } from './payouts.ts';

/** A profile that others may see; one's own also where it is private. */
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

function limitsOf(world: World, account: Account): AccountLimits {
  const shown = {
    deposit: limitOf(world, account, 'deposit', depositedOf(world, account, 'deposit')),
    achDeposit: limitOf(world, account, 'achDeposit', depositedOf(world, account, 'achDeposit')),
    send: { amount: { effective: highestOf(account.defaultCurrency) } },
    withdrawal: limitOf(world, account, 'withdrawal', withdrawnOf(world, account)),
    instant: null,
  };
  return shown as unknown as AccountLimits; // a null on the wire is read as absent
}

export const routes: readonly ResourceRoute[] = routesOf<typeof rows>(rows, {
  getLimits: (world, { account }) => ({ body: limitsOf(world, account) }),
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
