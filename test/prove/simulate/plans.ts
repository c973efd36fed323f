// Plans that can be simulated, by their names and by those of the reliability plan.
import type { AnyPlan } from './plan.ts';

const PLANS: Readonly<Record<string, () => Promise<{ readonly plan: AnyPlan }>>> = {
  payments: () => import('./payments.ts'),
  watches: () => import('./watches.ts'),
  feed: () => import('./feed.ts'),
  orders: () => import('./orders.ts'),
  clients: () => import('./clients.ts'),
};
const ALSO: Readonly<Record<string, string>> = { T1: 'watches', T2: 'payments', T3: 'feed' };

export async function planOf(name: string): Promise<AnyPlan> {
  const load = PLANS[ALSO[name] ?? name];
  const names = [...Object.keys(PLANS), ...Object.keys(ALSO)];
  if (!load) throw new Error(`--plan takes ${names.join(', ')}`);
  return (await load()).plan;
}
