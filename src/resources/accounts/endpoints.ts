import type { Endpoint } from '../../core/http/index.ts';
import type { AccountId, AccountLimits, AccountProfile } from './model.ts';
import { AccountLimitsSchema, AccountProfileSchema } from './schemas.ts';

/** GET /v1/accounts/limits @source documented */
export const getLimits: Endpoint<{}, void, AccountLimits> = {
  operation: 'accounts.getLimits',
  method: 'GET',
  path: '/v1/accounts/limits',
  scope: 'partner.account.profile.read-own',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: AccountLimitsSchema,
};

/** GET /v1/accounts/{accountId}/profile @source documented */
export const getProfile: Endpoint<{ accountId: AccountId }, void, AccountProfile> = {
  operation: 'accounts.getProfile',
  method: 'GET',
  path: '/v1/accounts/{accountId}/profile',
  scope: 'partner.account.profile.read',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: AccountProfileSchema,
  echo: { accountId: 'id' },
};

/** GET /v1/accounts/handle/{handle}/profile @source documented */
export const getProfileByHandle: Endpoint<{ handle: string }, void, AccountProfile> = {
  operation: 'accounts.getProfileByHandle',
  method: 'GET',
  path: '/v1/accounts/handle/{handle}/profile',
  scope: 'partner.account.profile.read',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: AccountProfileSchema,
  echo: { handle: 'handle' },
};
