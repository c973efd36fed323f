import type { Endpoint } from '../../core/http/index.ts';
import { reading } from '../rows.ts';
import type { AccountId, AccountLimits, AccountProfile } from './model.ts';
import { AccountLimitsSchema, AccountProfileSchema } from './schemas.ts';

const SCOPE = 'partner.account.profile.read';

/** @source seed */
export const getLimits: Endpoint<{}, void, AccountLimits> = reading(
  '/v1/accounts/limits',
  'partner.account.profile.read-own',
  AccountLimitsSchema,
);

/** @source seed */
export const getProfile: Endpoint<{ accountId: AccountId }, void, AccountProfile> = reading(
  '/v1/accounts/{accountId}/profile',
  SCOPE,
  AccountProfileSchema,
  { echo: { accountId: 'id' } },
);

/** @source seed */
export const getProfileByHandle: Endpoint<{ handle: string }, void, AccountProfile> = reading(
  '/v1/accounts/handle/{handle}/profile',
  SCOPE,
  AccountProfileSchema,
  { echo: { handle: 'handle' } },
);
