// Deposits, which pull money from a bank account.
import {
  badInput,
  checkOptions,
  type Expected,
  type Id,
  InputError,
  type Open,
} from '../core/errors/index.ts';
import {
  type Call,
  callBy,
  type CallOptions,
  type Connection,
  type Endpoint,
  KEYED_OPTIONS,
  type KeyedOptions,
  type NameLifetime,
  readEndpoint,
  send,
} from '../core/http/index.ts';
import {
  type List,
  listBySkip,
  type ListOptions,
  type Page,
  SKIP_QUERY,
  type SkipQuery,
} from '../core/lists/index.ts';
import type { Money } from '../money/index.ts';
import type { FeePolicy } from './amounts.ts';
import {
  DepositDraftSchema,
  DepositFeeSchema,
  DepositPageSchema,
  DepositSchema,
  DepositStateSchema,
} from './deposits.schemas.ts';
import { knownTexts, makeAnswer, makeShape, makeDraftShape } from './wire.ts';
import { createWithKey } from './lost-responses.ts';
import {
  type KnownTexts,
  type StateMachine,
  stateMachine,
  type WatchedResource,
  type Extendable,
} from './resource.ts';

/** Deposit id. */
export type DepositId = Id<'deposit'>;

/** A transfer of money from a bank account to your account. */
export interface Deposit {
  /** The deposit's id. */
  readonly id: string;
  /** Amount credited to your account. */
  readonly amount: Money;
  /** Fee for the deposit. */
  readonly fee: Money;
  /** Amount charged to the bank account. */
  readonly totalAmount: Money;
  /** The deposit's state. */
  readonly state: Open<DepositState>;
  /** Why the deposit failed, as reported by the service. */
  readonly failureReason?: string | undefined;
}

/** Input for depositing money from a bank account. */
export interface DepositDraft extends Extendable {
  /** Id of the bank payment method to charge. */
  readonly paymentMethodId: string;
  /** Amount to deposit, as a decimal string in the currency of the bank payment method. */
  readonly amount: string;
  /** Whether the amount includes the fee. Defaults to `EXCLUSIVE`. */
  readonly feePolicy?: Open<FeePolicy> | undefined;
}

/** Options for `deposits.create`. */
export interface DepositOptions extends KeyedOptions {
  /**
   * When `idempotencyKey` was first sent, in milliseconds since 1970. For a new key, pass
   * `Date.now()`. This option is required if you pass your own key and this client hasn't sent it
   * yet. After ten minutes, the service may have forgotten the key and could charge the bank
   * account twice.
   */
  readonly firstSentAt?: number | undefined;
}

/** An estimate of a deposit's fee and settlement time. */
export interface DepositFee {
  /** Amount that would be credited to your account. */
  readonly amount: Money;
  /** Fee for the deposit. */
  readonly fee: Money;
  /** Amount that would be charged to the bank account. */
  readonly total: Money;
  /** Percentage part of the fee, as a decimal string. */
  readonly feePercent?: string | undefined;
  /** Fixed part of the fee, as a decimal string in the currency of `fee`. */
  readonly feeFixed?: string | undefined;
  /**
   * When the deposit would settle, as an ISO 8601 date-time. Absent if it would settle immediately.
   */
  readonly settledAt?: string | undefined;
  /** @deprecated See `settledAt`. */
  readonly settlementPeriodInDay?: number | undefined;
}

/** A known deposit state. The service may add more. */
export type DepositState = 'NEW' | 'PENDING' | 'COMPLETED' | 'FAILED' | 'REVERSED';

/**
 * State machine for deposits. A deposit may start as PENDING, and a bank may reverse a COMPLETED
 * deposit.
 */
export const depositStates: StateMachine<DepositState> = stateMachine(
  {
    NEW: ['PENDING', 'FAILED'],
    PENDING: ['COMPLETED', 'FAILED'],
    COMPLETED: ['FAILED', 'REVERSED'],
    FAILED: [],
    REVERSED: [],
  },
  ['COMPLETED', 'FAILED', 'REVERSED'],
);

/** POST /v1/deposits @source documented */
export const createEndpoint: Endpoint<{}, DepositDraft, Deposit> = {
  operation: 'deposits.create',
  method: 'POST',
  path: '/v1/deposits',
  scope: 'partner.deposit.manage',
  bucket: 'others',
  priority: 'critical',
  idempotency: 'key-then-read-money',
  statuses: [200, 201],
  input: makeDraftShape(DepositDraftSchema),
  output: makeAnswer(DepositSchema),
  assumes: { EXCLUSIVE: ['amount'], INCLUSIVE: ['totalAmount'] },
  original: { code: 'DUPLICATE_DEPOSIT', id: 'depositId' },
};

/** GET /v1/deposits/{depositId} @source documented */
export const getEndpoint: Endpoint<{ depositId: DepositId }, void, Deposit> = readEndpoint({
  operation: 'deposits.get',
  path: '/v1/deposits/{depositId}',
  scope: 'partner.deposit.manage',
  output: makeAnswer(DepositSchema),
  echo: { depositId: 'id' },
});

/** GET /v1/deposits @source documented */
export const listEndpoint: Endpoint<SkipQuery, void, Page<Deposit>> = readEndpoint({
  operation: 'deposits.list',
  path: '/v1/deposits',
  scope: 'partner.deposit.manage',
  priority: 'low',
  output: makeAnswer(DepositPageSchema),
  query: SKIP_QUERY,
});

/** POST /v1/deposits/fee @source documented */
export const estimateFeeEndpoint: Endpoint<{}, DepositDraft, DepositFee> = {
  operation: 'deposits.estimateFee',
  method: 'POST',
  path: '/v1/deposits/fee',
  scope: 'partner.deposit.manage',
  bucket: 'others',
  idempotency: 'pure',
  statuses: [200],
  input: makeDraftShape(DepositDraftSchema),
  output: makeAnswer(DepositFeeSchema),
};

/**
 * Deposits money from a bank account, which moves money. Resolves to the deposit. If the response
 * was lost, the SDK repeats the request with the same idempotency key for up to ten minutes, and
 * reads the deposit that was created. `POST /v1/deposits` (documented).
 *
 * @throws InputError for a bad field · RefusedError `PAYMENT_METHOD_NOT_READY`,
 * `UNSUPPORTED_PAYMENT_METHOD`, `DEPOSIT_LIMIT_EXCEEDED`, `DUPLICATE_DEPOSIT` with
 * `values.depositId` and outcome unknown for a key that was used before · InputError
 * `IDEMPOTENCY_KEY_EXPIRED` for a key first sent over ten minutes ago, or of unknown age · any
 * error with `outcome: 'unknown'`: list the deposits before you create another
 *
 * @example
 * const deposit = await client.deposits.create({ paymentMethodId: method.id, amount: '500.00' });
 */
export function create(
  connection: Connection,
  draft: DepositDraft,
  options: DepositOptions = {},
): Call<Deposit> {
  return callBy(() => {
    checkOptions(options, DEPOSIT_OPTIONS);
    const { firstSentAt, ...keyed } = options;
    return createWithKey(connection, createEndpoint, draft, keyed, {
      lifetime: keyAge(firstSentAt),
      get: (id, rest) => get(connection, id, rest),
    });
  });
}

const DEPOSIT_OPTIONS: Expected<DepositOptions> = /* @__PURE__ */ Object.assign(
  { firstSentAt: 'number' } as const,
  KEYED_OPTIONS,
);

/**
 * Reads one deposit. `GET /v1/deposits/{depositId}` (documented).
 *
 * @throws RefusedError `NOT_FOUND`
 *
 * @example
 * const { state } = await client.deposits.get(deposit.id);
 */
export function get(
  connection: Connection,
  depositId: DepositId,
  options: CallOptions = {},
): Call<Deposit> {
  return send(connection, getEndpoint, { where: { depositId } }, options);
}

/**
 * Lists deposits. `GET /v1/deposits` (documented).
 *
 * @example
 * const deposits = await client.deposits.list().toArray({ limit: 20 });
 */
export function list(connection: Connection, options: ListOptions = {}): List<Deposit> {
  return listBySkip(connection, listEndpoint, {}, (deposit) => deposit.id, options);
}

/**
 * Estimates the fee and the settlement time of a deposit, without moving money. `POST
 * /v1/deposits/fee` (documented).
 *
 * @throws InputError for a bad field · RefusedError `UNSUPPORTED_PAYMENT_METHOD`
 *
 * @example
 * const { fee, total } = await client.deposits.estimateFee({
 *   paymentMethodId: method.id,
 *   amount: '500.00',
 * });
 */
export function estimateFee(
  connection: Connection,
  draft: DepositDraft,
  options: CallOptions = {},
): Call<DepositFee> {
  return send(connection, estimateFeeEndpoint, { where: {}, draft }, options);
}

/**
 * How long a deposit's idempotency key may be used. The service doesn't document how long it
 * remembers keys.
 */
const KEY_LIFETIME_MS = 600_000;
/**
 * How far `firstSentAt` may be in the future. Later times are rejected, because they can't have
 * come from this machine's clock.
 */
const MAX_AHEAD_MS = 60_000;

/**
 * Limits how long an idempotency key may be used. Uses both the monotonic clock and the wall clock,
 * because the monotonic clock may stop while the machine sleeps.
 */
function keyAge(firstSentAt: number | undefined): NameLifetime {
  return {
    firstSentAt,
    checkAge(now) {
      if (firstSentAt === undefined)
        throw expiredKeyError(
          'this key is of unknown age: set firstSentAt, or list what it created',
        );
      if (!(firstSentAt <= now + MAX_AHEAD_MS))
        throw badInput('firstSentAt', 'must be a time in the past, in milliseconds since 1970');
    },
    remaining(clock, { begunAt, firstSentAt: sentAt }) {
      const left = KEY_LIFETIME_MS - Math.max(clock.monotonic() - begunAt, clock.now() - sentAt);
      if (left > 0) return left;
      throw expiredKeyError('this key is over 10 minutes old: list what it created');
    },
  };
}

function expiredKeyError(why: string): InputError {
  return new InputError(`idempotencyKey: ${why}`, {
    code: 'IDEMPOTENCY_KEY_EXPIRED',
    outcome: 'unknown',
    next: 'read-first',
    maybeCreated: true,
  });
}

export const resource: WatchedResource<'deposit', Deposit> = {
  name: 'deposit',
  events: 'deposit',
  states: depositStates,
  idOf: ({ id }) => id,
  stateOf: ({ state }) => state,
  read: get,
  watch: { wokenBy: 'events', shape: makeShape(DepositSchema), page: makeShape(DepositPageSchema) },
};

export function known(): readonly KnownTexts[] {
  return [knownTexts(DepositStateSchema, depositStates.transitions)];
}
