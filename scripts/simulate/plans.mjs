// What can be simulated, by its name and by that of the reliability plan.

const PLANS = {
  payments: () => import('./payments.mjs'),
  watches: () => import('./watches.mjs'),
  feed: () => import('./feed.mjs'),
  orders: () => import('./orders.mjs'),
  clients: () => import('./clients.mjs'),
};
const ALSO = { T1: 'watches', T2: 'payments', T3: 'feed' };

export const planNames = Object.keys(PLANS);

/**
 * A plan draws a schedule from a seed, plays it and judges it: `groups` of faults, `scheduleOf`, `play`, `smaller`, `testOf`,
 * `shares`.
 */
export const planOf = (name) => {
  const load = PLANS[ALSO[name] ?? name];
  if (!load) throw new Error(`--plan takes ${[...planNames, ...Object.keys(ALSO)].join(', ')}`);
  return load();
};
