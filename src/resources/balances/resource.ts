import type { WatchedResource } from '../resource.ts';
import type { Balance } from './model.ts';
import { list } from './operations.ts';
import { BalancesSchema } from './schemas.ts';

/** All balances at once. Any event may have moved money. */
export const resource: WatchedResource<'balances', readonly Balance[]> = {
  name: 'balances',
  idOf: () => 'all',
  stateOf: (value) => JSON.stringify(value),
  read: (connection, _all, options) => list(connection, options),
  watch: { wokenBy: 'every-event', schema: BalancesSchema },
};
