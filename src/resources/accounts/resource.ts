import type { NamedResource } from '../resource.ts';
import type { AccountProfile } from './model.ts';
import { getProfile } from './operations.ts';

export const resource: NamedResource<'account', AccountProfile> = {
  name: 'account',
  idOf: ({ id = '' }) => id,
  read: getProfile,
};
