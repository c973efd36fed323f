import { CURRENCIES } from '../../resources/amounts.ts';
import * as rows from '../../generated/endpoints/rates.ts';
import { type ResourceRoute, makeRoutes } from './repository.ts';
import { findRate } from '../ledger/amounts.ts';

/** Every currency against every other, in both directions. */
export const routes: readonly ResourceRoute[] = makeRoutes<typeof rows>(rows, {
  list: (world) => ({
    body: CURRENCIES.flatMap((source) =>
      CURRENCIES.flatMap((target) =>
        source === target ? [] : (findRate(world, source, target) ?? []),
      ),
    ),
  }),
});
