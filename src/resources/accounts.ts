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

/** Account id. */
export type AccountId = Id<'account'>;

/** The public profile of an account. */
export interface AccountProfile {
  /** The account's id. The service may omit it. */
  readonly id?: string | undefined;
  /** Public handle. */
  readonly handle: string;
  /** Profile picture URL. */
  readonly avatarUrl?: string | undefined;
  /** The account's public description. */
  readonly description?: string | undefined;
  /** Whether the account can receive payments. */
  readonly canReceive: boolean;
  /** Currencies that the account holds. */
  readonly currencies: readonly AccountCurrency[];
}

/** A currency that an account holds. */
export interface AccountCurrency {
  /** Currency code. */
  readonly currency: Open<CurrencyCode>;
  /** Whether this is the default currency for requests that don't specify one. */
  readonly isDefaultCurrency: boolean;
  /** Whether the account can currently use the currency. */
  readonly isAvailable: boolean;
  /** Whether you can create invoices in this currency. */
  readonly isInvoiceable: boolean;
}

/** The account's limits. The service omits limits that it doesn't publish. */
export interface AccountLimits {
  /** Limit on deposits. */
  readonly deposit?: AccountLimit | undefined;
  /** Limit on ACH deposits. */
  readonly achDeposit?: AccountLimit | undefined;
  /** Limit on outgoing payments other than bank transfers. */
  readonly send?: AccountLimit | undefined;
  /** Limit on outgoing bank transfers. */
  readonly withdrawal?: AccountLimit | undefined;
  /** Limit on spending money that hasn't settled yet. */
  readonly instant?: AccountLimit | undefined;
}

/** Limits on the number and amount of transactions. */
export interface AccountLimit {
  /** Limits on the number of transactions. */
  readonly count?: CountLimit | undefined;
  /** Limits on the amount of transactions. */
  readonly amount?: AmountLimit | undefined;
}

/** Limits on the number of transactions. */
export interface CountLimit {
  /** Number of transactions that the account can still make within all limits. */
  readonly effective: number;
  /** Limit over the account's entire lifetime. */
  readonly lifetime?: UsedCount | undefined;
  /** Limit for the current calendar year. */
  readonly calendarYear?: UsedCount | undefined;
  /** Limits for periods of several days. */
  readonly cycles?: readonly CountCycle[] | undefined;
}

/** A limit on the number of transactions, with the number used so far. */
export interface UsedCount {
  /** Maximum number of transactions. */
  readonly limit: number;
  /** Number of transactions made so far. */
  readonly used: number;
}

/** A limit on the number of transactions within a period of several days. */
export interface CountCycle extends UsedCount {
  /** Period length in days. */
  readonly days: number;
}

/** Limits on the amount of transactions. */
export interface AmountLimit {
  /** Amount that the account can still use within all limits. */
  readonly effective: Money;
  /** Maximum amount of a single transaction. */
  readonly single?: Money | undefined;
  /** Limit over the account's entire lifetime. */
  readonly lifetime?: UsedAmount | undefined;
  /** Limit for the current calendar year. */
  readonly calendarYear?: UsedAmount | undefined;
  /** Limits for periods of several days. */
  readonly cycles?: readonly AmountCycle[] | undefined;
}

/** A limit on the amount of transactions, with the amount used so far. */
export interface UsedAmount {
  /** Maximum amount. */
  readonly limit?: Money | undefined;
  /** Amount used so far. */
  readonly used?: Money | undefined;
}

/** A limit on the amount of transactions within a period of several days. */
export interface AmountCycle extends UsedAmount {
  /** Period length in days. */
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
 * @throws RefusedError `FORBIDDEN` if the credential lacks the scope `read-own`, which is different
 * from the scope for reading profiles
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
 * @throws RefusedError `NOT_FOUND` if the account doesn't exist or its profile is private
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
 * @throws RefusedError `NOT_FOUND` if the account doesn't exist or its profile is private
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
