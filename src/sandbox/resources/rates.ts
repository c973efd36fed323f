import { CURRENCIES } from '../../resources/amounts/model.ts';
import type * as rows from '../../resources/rates/endpoints.ts';
import type { ResourceHandlers } from './handlers.ts';
import { rateOf } from '../ledger/exchange-rates.ts';

/** Every currency against every other, in both directions. */
export const rateHandlers: ResourceHandlers<typeof rows> = {
  list: (world) => ({
    body: CURRENCIES.flatMap((source) =>
      CURRENCIES.flatMap((target) =>
        source === target ? [] : (rateOf(world, source, target) ?? []),
      ),
    ),
  }),
};
