import type { QuotedRate } from '../amounts/model.ts';
import type { WatchedResource } from '../resource.ts';
import { list } from './operations.ts';
import { RatesSchema } from './schemas.ts';

/** All rates at once. No event is about them. */
export const resource: WatchedResource<'rates', readonly QuotedRate[]> = {
  name: 'rates',
  idOf: () => 'all',
  stateOf: (value) => JSON.stringify(value),
  read: (connection, _all, options) => list(connection, options),
  watch: { wokenBy: 'time', schema: RatesSchema },
};
