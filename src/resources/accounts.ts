// Account limits and public account profiles.
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
  /** Id of the account. The service may omit it. */
  readonly id?: string | undefined;
  /** Public handle. */
  readonly handle: string;
  /** URL of the profile picture. */
  readonly avatarUrl?: string | undefined;
  /** The account's description of itself. */
  readonly description?: string | undefined;
  /** Whether the account can receive payments. */
  readonly canReceive: boolean;
  /** Currencies the account has. */
  readonly currencies: readonly AccountCurrency[];
}

/** A currency of an account. */
export interface AccountCurrency {
  /** Currency code. */
  readonly currency: Open<CurrencyCode>;
  /** Whether it's the default for requests that don't specify a currency. */
  readonly isDefaultCurrency: boolean;
  /** Whether the account can use it now. */
  readonly isAvailable: boolean;
  /** Whether you can create invoices in it. */
  readonly isInvoiceable: boolean;
}

/** Limits of the account. The service omits limits it doesn't publish. */
export interface AccountLimits {
  /** Limit on deposits. */
  readonly deposit?: AccountLimit | undefined;
  /** Limit on ACH deposits. */
  readonly achDeposit?: AccountLimit | undefined;
  /** Limit on everything leaving the account, except bank transfers. */
  readonly send?: AccountLimit | undefined;
  /** Limit on bank transfers out of the account. */
  readonly withdrawal?: AccountLimit | undefined;
  /** Limit on spending unsettled money. */
  readonly instant?: AccountLimit | undefined;
}

/** Limits on the number and the amount of transactions. */
export interface AccountLimit {
  /** Limits on the number of transactions. */
  readonly count?: CountLimit | undefined;
  /** Limits on their amount. */
  readonly amount?: AmountLimit | undefined;
}

/** How many transactions are left, and the limits behind that number. */
export interface CountLimit {
  /** Transactions left. */
  readonly effective: number;
  /** Since the account was created. */
  readonly lifetime?: UsedCount | undefined;
  /** In this calendar year. */
  readonly calendarYear?: UsedCount | undefined;
  /** Limits over a number of days. */
  readonly cycles?: readonly CountCycle[] | undefined;
}

/** A limit on the number of transactions and how much of it is used. */
export interface UsedCount {
  /** Maximum number. */
  readonly limit: number;
  /** Number used so far. */
  readonly used: number;
}

/** A limit on the number of transactions over a number of days. */
export interface CountCycle extends UsedCount {
  /** Length of the period, in days. */
  readonly days: number;
}

/** The amount that's left, and the limits behind it. */
export interface AmountLimit {
  /** Amount left. */
  readonly effective: Money;
  /** Maximum for a single transaction. */
  readonly single?: Money | undefined;
  /** Since the account was created. */
  readonly lifetime?: UsedAmount | undefined;
  /** In this calendar year. */
  readonly calendarYear?: UsedAmount | undefined;
  /** Limits over a number of days. */
  readonly cycles?: readonly AmountCycle[] | undefined;
}

/** A limit on the amount and how much of it is used. */
export interface UsedAmount {
  /** Maximum amount. */
  readonly limit?: Money | undefined;
  /** Amount used so far. */
  readonly used?: Money | undefined;
}

/** A limit on the amount over a number of days. */
export interface AmountCycle extends UsedAmount {
  /** Length of the period, in days. */
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
 * Reads the account's limits on deposits, payments and withdrawals, and how much of each is used.
 * `GET /v1/accounts/limits` (documented).
 *
 * @throws RefusedError `FORBIDDEN` without the scope `read-own`, which isn't the scope for reading
 * profiles
 *
 * @example
 * const { deposit } = await client.accounts.getLimits();
 */
export function getLimits(connection: Connection, options: CallOptions = {}): Call<AccountLimits> {
  return send(connection, getLimitsEndpoint, { where: {} }, options);
}

/**
 * Reads the public profile of an account. `GET /v1/accounts/{accountId}/profile` (documented).
 *
 * @throws RefusedError `NOT_FOUND`, even for a private profile
 *
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
 * Reads the public profile of the account with the given handle. `GET
 * /v1/accounts/handle/{handle}/profile` (documented).
 *
 * @throws RefusedError `NOT_FOUND`, even for a private profile
 *
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
