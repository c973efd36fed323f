// Bank accounts for deposits and payouts.
import { checkOptions, type Id, type Open } from '../core/errors/index.ts';
import {
  type Call,
  type CallOptions,
  type Connection,
  type Endpoint,
  readEndpoint,
  send,
} from '../core/http/index.ts';
import {
  type List,
  listBySkip,
  type ListOptions,
  type Page,
  type SkipQuery,
} from '../core/lists/index.ts';
import type { CurrencyCode } from './amounts.ts';
import {
  BankAccountTypeSchema,
  BankPaymentMethodDraftSchema,
  bankPaymentMethodDraftRules,
  BankPaymentMethodPageSchema,
  BankPaymentMethodSchema,
  BankPaymentMethodStateSchema,
  SupportedActionSchema,
  TransferTypeSchema,
} from './bank-payment-methods.schemas.ts';
import { knownTexts, makeAnswer, makeShape, makeDraftShape } from './wire.ts';
import type { Address, Party } from './payout-originators.ts';
import {
  type KnownTexts,
  type StateMachine,
  stateMachine,
  type WatchedResource,
  type Extendable,
} from './resource.ts';

/** Bank payment method id. */
export type BankPaymentMethodId = Id<'bank-method'>;

/** A bank transfer type, which determines the currency. */
export type TransferType = 'ACH' | 'US_DOMESTIC_WIRE' | 'SEPA' | 'FPS' | 'BSB';

/** An action that a bank payment method can support. */
export type SupportedAction = 'DEPOSIT' | 'WITHDRAWAL';

/** A bank account for payouts or deposits. */
export interface BankPaymentMethod {
  /** The bank payment method's id. */
  readonly id: string;
  /** The bank payment method's state. You can only use it while it's READY. */
  readonly state: Open<BankPaymentMethodState>;
  /** Actions that the bank payment method supports. */
  readonly supportedActions: readonly Open<SupportedAction>[];
  /** When the bank payment method was created, as an ISO 8601 date-time with offset. */
  readonly created: string;
  /** Type of bank transfer. */
  readonly transferType: Open<TransferType>;
  /** Account number, or the IBAN for SEPA. */
  readonly accountNumber: string;
  /** Routing number. It's the BIC for SEPA, the sort code for FPS and the BSB code for BSB. */
  readonly routingNumber: string;
  /** Reference to use in bank transfers that should count as deposits. */
  readonly referenceCode?: string | undefined;
  /** Account type, for US accounts. */
  readonly accountType?: Open<'CHECKING' | 'SAVINGS'> | undefined;
  /** The bank's name. */
  readonly bankName?: string | undefined;
  /** The bank's postal address. */
  readonly bankAddress?: Address | undefined;
  /** Currency of transfers to and from this bank account. */
  readonly currency: Open<CurrencyCode>;
  /** The bank account's owners. */
  readonly beneficiaries: readonly Party[];
}

/** Input for adding a bank account. */
export interface BankPaymentMethodDraft extends Extendable {
  /** Type of bank transfer, which determines the currency. */
  readonly transferType: Open<TransferType>;
  /** Account number, or the IBAN for SEPA. */
  readonly accountNumber: string;
  /**
   * Routing number. It's required for ACH and US_DOMESTIC_WIRE. It's the BIC for SEPA, the sort
   * code for FPS and the BSB code for BSB.
   */
  readonly routingNumber?: string | undefined;
  /** Account type. Required for ACH. */
  readonly accountType?: Open<'CHECKING' | 'SAVINGS'> | undefined;
  /** The bank's name. */
  readonly bankName?: string | undefined;
  /** The bank's postal address. */
  readonly bankAddress?: Address | undefined;
  /**
   * The bank account's owners. There must be at least one. For SEPA and FPS, they must include the
   * owner of your account.
   */
  readonly beneficiaries: readonly Party[];
}

/** Filter for bank payment methods. */
export interface BankPaymentMethodFilter {
  /** Selects methods that support this action. */
  readonly supportedAction?: Open<SupportedAction> | undefined;
}

/** A known bank payment method state. The service may add more. */
export type BankPaymentMethodState = 'PENDING' | 'READY' | 'SUSPENDED' | 'INVALID' | 'INACTIVE';

/**
 * State machine for bank payment methods. No state counts as settled, because a method can return
 * to an earlier state. The service hasn't published most of the transitions.
 */
export const bankPaymentMethodStates: StateMachine<BankPaymentMethodState> = stateMachine(
  {
    PENDING: ['READY', 'INVALID', 'INACTIVE'],
    READY: ['SUSPENDED', 'INVALID', 'INACTIVE'],
    SUSPENDED: ['READY', 'INVALID', 'INACTIVE'],
    INVALID: ['INACTIVE'],
    INACTIVE: [],
  },
  [],
);

/** POST /v1/payment-methods/bank @source documented */
export const createEndpoint: Endpoint<{}, BankPaymentMethodDraft, BankPaymentMethod> = {
  operation: 'bankPaymentMethods.create',
  method: 'POST',
  path: '/v1/payment-methods/bank',
  scope: 'partner.payment-method.bank.create',
  bucket: 'others',
  idempotency: 'none',
  statuses: [201, 200],
  input: makeDraftShape(BankPaymentMethodDraftSchema, bankPaymentMethodDraftRules),
  output: makeAnswer(BankPaymentMethodSchema),
  agrees: {
    exact: { transferType: 'transferType' },
    text: { accountNumber: 'accountNumber' },
  },
};

/** GET /v1/payment-methods/bank/{bankMethodId} @source documented */
export const getEndpoint: Endpoint<{ bankMethodId: BankPaymentMethodId }, void, BankPaymentMethod> =
  readEndpoint({
    operation: 'bankPaymentMethods.get',
    path: '/v1/payment-methods/bank/{bankMethodId}',
    scope: 'partner.payment-method.bank.read',
    output: makeAnswer(BankPaymentMethodSchema),
    echo: { bankMethodId: 'id' },
  });

/** GET /v1/payment-methods/bank @source documented */
export const listEndpoint: Endpoint<
  BankPaymentMethodFilter & SkipQuery,
  void,
  Page<BankPaymentMethod>
> = readEndpoint({
  operation: 'bankPaymentMethods.list',
  path: '/v1/payment-methods/bank',
  scope: 'partner.payment-method.bank.read',
  priority: 'low',
  output: makeAnswer(BankPaymentMethodPageSchema),
  query: { top: '$top', skip: '$skip', supportedAction: '$supportedAction' },
});

/** DELETE /v1/payment-methods/bank/{bankMethodId} @source documented */
export const removeEndpoint: Endpoint<{ bankMethodId: BankPaymentMethodId }, void, void> = {
  operation: 'bankPaymentMethods.remove',
  method: 'DELETE',
  path: '/v1/payment-methods/bank/{bankMethodId}',
  scope: 'partner.payment-method.bank.delete',
  bucket: 'others',
  idempotency: 'convergent',
  statuses: [204],
  echo: { bankMethodId: 'id' },
  original: { code: 'NOT_FOUND', id: 'bankMethodId' },
};

/**
 * Adds a bank account. The SDK never retries this request. If the response was lost, the method may
 * exist, so list the methods before you try again. Resolves to the method, which is PENDING until
 * the bank account is verified. `POST /v1/payment-methods/bank` (documented).
 *
 * @throws InputError for a bad field · RefusedError `PLAID_LINKING_FAILED` · UnreachableError with
 * `maybeCreated` if there was no response
 *
 * @example
 * const method = await client.bankPaymentMethods.create({
 *   transferType: 'SEPA',
 *   accountNumber: 'DE00000000000000000000',
 *   beneficiaries: [{ type: 'COMPANY', name: 'Sample GmbH' }],
 * });
 */
export function create(
  connection: Connection,
  draft: BankPaymentMethodDraft,
  options: CallOptions = {},
): Call<BankPaymentMethod> {
  return send(connection, createEndpoint, { where: {}, draft }, options);
}

/**
 * Reads one bank payment method. `GET /v1/payment-methods/bank/{bankMethodId}` (documented).
 *
 * @throws RefusedError `NOT_FOUND`
 *
 * @example
 * const { state } = await client.bankPaymentMethods.get(method.id);
 */
export function get(
  connection: Connection,
  bankMethodId: BankPaymentMethodId,
  options: CallOptions = {},
): Call<BankPaymentMethod> {
  return send(connection, getEndpoint, { where: { bankMethodId } }, options);
}

/**
 * Lists bank payment methods, including those for deposits. `GET /v1/payment-methods/bank`
 * (documented).
 *
 * @example
 * const methods = await client.bankPaymentMethods
 *   .list({ supportedAction: 'WITHDRAWAL' })
 *   .toArray({ limit: 20 });
 */
export function list(
  connection: Connection,
  filter: BankPaymentMethodFilter = {},
  options: ListOptions = {},
): List<BankPaymentMethod> {
  checkOptions<BankPaymentMethodFilter>(filter, { supportedAction: 'string' }, 'filter.');
  return listBySkip(connection, listEndpoint, filter, (method) => method.id, options);
}

/**
 * Removes a bank payment method. Resolves without a value, even if an earlier attempt succeeded but
 * its response was lost. `DELETE /v1/payment-methods/bank/{bankMethodId}` (documented, except its
 * scope, which is inferred).
 *
 * @throws RefusedError `NOT_FOUND` if the method doesn't exist
 *
 * @example
 * await client.bankPaymentMethods.remove(method.id);
 */
export function remove(
  connection: Connection,
  bankMethodId: BankPaymentMethodId,
  options: CallOptions = {},
): Call<void> {
  return send(
    connection,
    removeEndpoint,
    { where: { bankMethodId }, resolve: async () => {} },
    options,
  );
}

export const resource: WatchedResource<'bankPaymentMethod', BankPaymentMethod> = {
  name: 'bankPaymentMethod',
  events: 'payment-method.bank',
  states: bankPaymentMethodStates,
  idOf: ({ id }) => id,
  stateOf: ({ state }) => state,
  read: get,
  watch: {
    wokenBy: 'events',
    isDeletable: true,
    shape: makeShape(BankPaymentMethodSchema),
    page: makeShape(BankPaymentMethodPageSchema),
  },
};

export function known(): readonly KnownTexts[] {
  return [
    knownTexts(BankPaymentMethodStateSchema, bankPaymentMethodStates.transitions),
    knownTexts(BankAccountTypeSchema, { CHECKING: true, SAVINGS: true }),
    knownTexts(SupportedActionSchema, { DEPOSIT: true, WITHDRAWAL: true }),
    knownTexts(TransferTypeSchema, {
      ACH: true,
      US_DOMESTIC_WIRE: true,
      SEPA: true,
      FPS: true,
      BSB: true,
    }),
  ];
}
