// Serve several accounts from one server. Each has its client, and all share one count of the rate
// limit, because the service counts by address and not by account.
import { type Client, type ClientOptions, createClient } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { memoryRateLimitStore, type RateLimitStore } from 'paystate/stores';

/**
 * Returns the client of an account, always the same one, so that its watches and limits are shared.
 */
export function clientsOf(
  optionsOf: (account: string) => ClientOptions,
  rateLimitStore: RateLimitStore,
): (account: string) => Client {
  const clients = new Map<string, Client>();
  return (account) => {
    const known = clients.get(account);
    if (known) return known;
    const client = createClient({ ...optionsOf(account), rateLimitStore });
    clients.set(account, client);
    return client;
  };
}

export async function example() {
  const sandbox = createSandbox({
    accounts: [
      { handle: 'bakery', balances: { EUR: '10.00' } },
      { handle: 'florist', balances: { EUR: '20.00' } },
    ],
  });
  const store = memoryRateLimitStore(sandbox.clock); // yours: memoryRateLimitStore()
  const clientOf = clientsOf((account) => sandbox.clientOptionsFor({ account }), store);
  const lists = ['bakery', 'florist'].map((account) => clientOf(account).balances.list());
  const balances = (await sandbox.run(Promise.all(lists))).flat();
  return balances.filter(({ currency }) => currency === 'EUR').map(({ available }) => available);
}

if (import.meta.main) console.log(await example());
