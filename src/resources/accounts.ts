// Limits of the account, and the profiles that accounts show to others.
import type { Id, Open } from '../core/errors/index.ts';
import {
  type Call,
  type CallOptions,
  type Connection,
  type Endpoint,
  send,
} from '../core/http/index.ts';
import type { Money } from '../money/index.ts';
import { AccountLimitsSchema, AccountProfileSchema } from './accounts.schemas.ts';
import type { CurrencyCode } from './amounts.ts';
import type { NamedResource } from './resource.ts';
import { shapeOf } from './wire.ts';

/** Id of an account. */
export type AccountId = Id<'account'>;

/** What an account shows to others. */
export interface AccountProfile {
  /** Id of the account; the service may leave it out. */
  readonly id?: string | undefined;
  /** Its public name. */
  readonly handle: string;
  /** Its picture. */
  readonly avatarUrl?: string | undefined;
  /** What it says of itself. */
  readonly description?: string | undefined;
  /** It can be paid. */
  readonly canReceive: boolean;
  /** Its currencies. */
  readonly currencies: readonly AccountCurrency[];
}

/** A currency of an account. */
export interface AccountCurrency {
  /** Code of the currency. */
  readonly currency: Open<CurrencyCode>;
  /** Used where a request names none. */
  readonly isDefaultCurrency: boolean;
  /** The account can use it now. */
  readonly isAvailable: boolean;
  /** An invoice can be created in it. */
  readonly isInvoiceable: boolean;
}

/** What the account may still do; a limit that is absent is not published for it. */
export interface AccountLimits {
  /** Deposits. */
  readonly deposit?: AccountLimit | undefined;
  /** Deposits by ACH. */
  readonly achDeposit?: AccountLimit | undefined;
  /** All that leaves, but for bank transfers. */
  readonly send?: AccountLimit | undefined;
  /** Bank transfers. */
  readonly withdrawal?: AccountLimit | undefined;
  /** Spending of what is not settled yet. */
  readonly instant?: AccountLimit | undefined;
}

/** One limit, in number and in amount. */
export interface AccountLimit {
  /** How many. */
  readonly count?: CountLimit | undefined;
  /** How much. */
  readonly amount?: AmountLimit | undefined;
}

/** A limit in number, with what is used of it. */
export interface CountLimit {
  /** How many are left now. */
  readonly effective: number;
  /** Since the account exists. */
  readonly lifetime?: UsedCount | undefined;
  /** In the calendar year. */
  readonly calendarYear?: UsedCount | undefined;
  /** Over some days, for each number of days that has a limit. */
  readonly cycles?: readonly CountCycle[] | undefined;
}

/** A limit in number, and what is used of it. */
export interface UsedCount {
  /** The most. */
  readonly limit: number;
  /** Used until now. */
  readonly used: number;
}

/** A limit in number over some days. */
export interface CountCycle extends UsedCount {
  /** Number of days. */
  readonly days: number;
}

/** A limit in amount, with what is used of it. */
export interface AmountLimit {
  /** How much is left now. */
  readonly effective: Money;
  /** The most at once. */
  readonly single?: Money | undefined;
  /** Since the account exists. */
  readonly lifetime?: UsedAmount | undefined;
  /** In the calendar year. */
  readonly calendarYear?: UsedAmount | undefined;
  /** Over some days, for each number of days that has a limit. */
  readonly cycles?: readonly AmountCycle[] | undefined;
}

/** A limit in amount, and what is used of it. */
export interface UsedAmount {
  /** The most. */
  readonly limit?: Money | undefined;
  /** Used until now. */
  readonly used?: Money | undefined;
}

/** A limit in amount over some days. */
export interface AmountCycle extends UsedAmount {
  /** Number of days. */
  readonly days: number;
}

/** GET /v1/accounts/limits @source documented */
export const getLimitsEndpoint: Endpoint<{}, void, AccountLimits> = {
  operation: 'accounts.getLimits',
  method: 'GET',
  path: '/v1/accounts/limits',
  scope: 'partner.account.profile.read-own',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: shapeOf(AccountLimitsSchema),
};

/** GET /v1/accounts/{accountId}/profile @source documented */
export const getProfileEndpoint: Endpoint<{ accountId: AccountId }, void, AccountProfile> = {
  operation: 'accounts.getProfile',
  method: 'GET',
  path: '/v1/accounts/{accountId}/profile',
  scope: 'partner.account.profile.read',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: shapeOf(AccountProfileSchema),
  echo: { accountId: 'id' },
};

/** GET /v1/accounts/handle/{handle}/profile @source documented */
export const getProfileByHandleEndpoint: Endpoint<{ handle: string }, void, AccountProfile> = {
  operation: 'accounts.getProfileByHandle',
  method: 'GET',
  path: '/v1/accounts/handle/{handle}/profile',
  scope: 'partner.account.profile.read',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: shapeOf(AccountProfileSchema),
  echo: { handle: 'handle' },
};

/**
 * Reads what the account may still deposit, send and withdraw. Resolves to the limits with what is
 * used of them. `GET /v1/accounts/limits` (documented).
 *
 * @throws RefusedError `FORBIDDEN` without the scope for the own profile, which is another than
 * that for profiles
 * @example
 * const { deposit } = await client.accounts.getLimits();
 */
export function getLimits(connection: Connection, options: CallOptions = {}): Call<AccountLimits> {
  return send(connection, getLimitsEndpoint, { where: {} }, options);
}

/**
 * Reads what an account shows to others. Resolves to the profile. `GET
 * /v1/accounts/{accountId}/profile` (documented).
 *
 * @throws RefusedError `NOT_FOUND`, also for a private one
 * @example
 * const { handle } = await client.accounts.getProfile(invoice.receiverId);
 */
export function getProfile(
  connection: Connection,
  accountId: AccountId,
  options: CallOptions = {},
): Call<AccountProfile> {
  return send(connection, getProfileEndpoint, { where: { accountId } }, options);
}

/**
 * Reads what the account with this handle shows to others. Resolves to the profile.
 * `GET /v1/accounts/handle/{handle}/profile` (documented).
 *
 * @throws RefusedError `NOT_FOUND`, also for a private one
 * @example
 * const { currencies } = await client.accounts.getProfileByHandle('shop');
 */
export function getProfileByHandle(
  connection: Connection,
  handle: string,
  options: CallOptions = {},
): Call<AccountProfile> {
  return send(connection, getProfileByHandleEndpoint, { where: { handle } }, options);
}

export const resource: NamedResource<'account', AccountProfile> = {
  name: 'account',
  idOf: ({ id = '' }) => id,
  read: getProfile,
};
