import { CURRENCIES } from '../../resources/amounts.ts';
import * as rows from '../../generated/endpoints/rates.ts';
import { type ResourceRoute, routesOf } from './repository.ts';
import { rateOf } from '../ledger/amounts.ts';

/** Every currency against every other, in both directions. */
export const routes: readonly ResourceRoute[] = routesOf<typeof rows>(rows, {
  list: (world) => ({
    body: CURRENCIES.flatMap((source) =>
      CURRENCIES.flatMap((target) =>
        source === target ? [] : (rateOf(world, source, target) ?? []),
      ),
    ),
  }),
});
