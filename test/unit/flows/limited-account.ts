// Plans for an account that may send only so much.
import { createClient } from 'paystate';
import { plan, type Plan } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { altered } from '../state/shop.ts';
import { EUR } from './pay-lives.ts';

const ADA = { to: 'ada@wallet.example', sourceCurrency: 'EUR', maxFee: 'any' } as const;

/** Payments of so many euros to one address. */
export const rowsOf = (...amounts: readonly string[]) =>
  amounts.map((amount, index) => ({ ...ADA, intent: `row-${index + 1}`, amount: EUR(amount) }));

/** A limit over time, and what of it is used; only a cycle has days. */
export const used = (limit: string, spent: string, currency = 'EUR') => ({
  days: 30,
  limit: { amount: limit, currency },
  used: { amount: spent, currency },
});

/** Plans payments of such amounts in euros where the service names these limits on sending. */
export async function planWithin(send: object, ...amounts: readonly string[]): Promise<Plan> {
  const sandbox = createSandbox({ signed: false });
  const base = sandbox.clientOptions;
  const client = createClient({
    ...base,
    fetch: async (url, init) => {
      const answer = await base.fetch(url, init);
      if (!String(url).endsWith('/accounts/limits')) return answer;
      return altered(answer, (limits: object) => ({ ...limits, send }));
    },
  });
  return sandbox.run(plan(client, rowsOf(...amounts), { journal: memoryStore() }));
}
