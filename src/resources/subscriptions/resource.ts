import type { NamedResource } from '../resource.ts';
import type { Subscription } from './model.ts';
import { get } from './operations.ts';

export const resource: NamedResource<'subscription', Subscription> = {
  name: 'subscription',
  idOf: ({ id }) => id,
  read: get,
};
