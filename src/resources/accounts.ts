// The limits of the account, and the public profiles of accounts.
import type { Id, Open } from '../core/errors/index.ts';
import {
  type Call,
  type CallOptions,
  type Connection,
  type Endpoint,
  readEndpoint,
  send,
} from '../core/http/index.ts';
import type { Money } from '../money/index.ts';
import { AccountLimitsSchema, AccountProfileSchema } from './accounts.schemas.ts';
import type { CurrencyCode } from './amounts.ts';
import type { NamedResource } from './resource.ts';
import { makeAnswer } from './wire.ts';

/** Id of an account. */
export type AccountId = Id<'account'>;

/** The public profile of an account. */
export interface AccountProfile {
  /** Id of the account; the service may leave it out. */
  readonly id?: string | undefined;
  /** Its public name. */
  readonly handle: string;
  /** Its picture. */
  readonly avatarUrl?: string | undefined;
  /** The text that the account wrote about itself. */
  readonly description?: string | undefined;
  /** True if the account can be paid. */
  readonly canReceive: boolean;
  /** Its currencies. */
  readonly currencies: readonly AccountCurrency[];
}

/** A currency of an account. */
export interface AccountCurrency {
  /** Code of the currency. */
  readonly currency: Open<CurrencyCode>;
  /** True if requests without a currency use this one. */
  readonly isDefaultCurrency: boolean;
  /** True if the account can use it now. */
  readonly isAvailable: boolean;
  /** True if an invoice can be created in it. */
  readonly isInvoiceable: boolean;
}

/** The limits of the account. The service leaves out limits that it does not publish. */
export interface AccountLimits {
  /** Deposits. */
  readonly deposit?: AccountLimit | undefined;
  /** Deposits by ACH. */
  readonly achDeposit?: AccountLimit | undefined;
  /** Everything that leaves the account, except bank transfers. */
  readonly send?: AccountLimit | undefined;
  /** Bank transfers. */
  readonly withdrawal?: AccountLimit | undefined;
  /** Spending of money that has not settled yet. */
  readonly instant?: AccountLimit | undefined;
}

/** A limit on the number and on the amount of movements. */
export interface AccountLimit {
  /** Limits on the number. */
  readonly count?: CountLimit | undefined;
  /** Limits on the amount. */
  readonly amount?: AmountLimit | undefined;
}

/** The number of movements that are left, and the limits behind it. */
export interface CountLimit {
  /** Number of movements that are left now. */
  readonly effective: number;
  /** Since the account exists. */
  readonly lifetime?: UsedCount | undefined;
  /** In the calendar year. */
  readonly calendarYear?: UsedCount | undefined;
  /** One entry for each number of days that has a limit. */
  readonly cycles?: readonly CountCycle[] | undefined;
}

/** A limit on the number, and how much of it is used. */
export interface UsedCount {
  /** The maximum. */
  readonly limit: number;
  /** The used part of it. */
  readonly used: number;
}

/** A limit on the number within some days. */
export interface CountCycle extends UsedCount {
  /** Number of days. */
  readonly days: number;
}

/** The amount that is left, and the limits behind it. */
export interface AmountLimit {
  /** The amount that is left now. */
  readonly effective: Money;
  /** The maximum of one movement. */
  readonly single?: Money | undefined;
  /** Since the account exists. */
  readonly lifetime?: UsedAmount | undefined;
  /** In the calendar year. */
  readonly calendarYear?: UsedAmount | undefined;
  /** One entry for each number of days that has a limit. */
  readonly cycles?: readonly AmountCycle[] | undefined;
}

/** A limit on the amount, and how much of it is used. */
export interface UsedAmount {
  /** The maximum. */
  readonly limit?: Money | undefined;
  /** The used part of it. */
  readonly used?: Money | undefined;
}

/** A limit on the amount within some days. */
export interface AmountCycle extends UsedAmount {
  /** Number of days. */
  readonly days: number;
}

/** GET /v1/accounts/limits @source documented */
export const getLimitsEndpoint: Endpoint<{}, void, AccountLimits> = readEndpoint({
  operation: 'accounts.getLimits',
  path: '/v1/accounts/limits',
  scope: 'partner.account.profile.read-own',
  output: makeAnswer(AccountLimitsSchema),
});

/** GET /v1/accounts/{accountId}/profile @source documented */
export const getProfileEndpoint: Endpoint<{ accountId: AccountId }, void, AccountProfile> =
  readEndpoint({
    operation: 'accounts.getProfile',
    path: '/v1/accounts/{accountId}/profile',
    scope: 'partner.account.profile.read',
    output: makeAnswer(AccountProfileSchema),
    echo: { accountId: 'id' },
  });

/** GET /v1/accounts/handle/{handle}/profile @source documented */
export const getProfileByHandleEndpoint: Endpoint<{ handle: string }, void, AccountProfile> =
  readEndpoint({
    operation: 'accounts.getProfileByHandle',
    path: '/v1/accounts/handle/{handle}/profile',
    scope: 'partner.account.profile.read',
    output: makeAnswer(AccountProfileSchema),
    echo: { handle: 'handle' },
  });

/**
 * Reads what the account may still deposit, send and withdraw. Resolves to the limits and how much
 * of each is used. `GET /v1/accounts/limits` (documented).
 *
 * @throws RefusedError `FORBIDDEN` without the scope `read-own`, which differs from the scope that
 * reads profiles
 * @example
 * const { deposit } = await client.accounts.getLimits();
 */
export function getLimits(connection: Connection, options: CallOptions = {}): Call<AccountLimits> {
  return send(connection, getLimitsEndpoint, { where: {} }, options);
}

/**
 * Reads the public profile of an account. Resolves to the profile.
 * `GET /v1/accounts/{accountId}/profile` (documented).
 *
 * @throws RefusedError `NOT_FOUND`, also for a private profile
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
 * Reads the public profile of the account with this handle. Resolves to the profile.
 * `GET /v1/accounts/handle/{handle}/profile` (documented).
 *
 * @throws RefusedError `NOT_FOUND`, also for a private profile
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
