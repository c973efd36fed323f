// Bank accounts: where deposits come from and payouts go.
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

/** Id of a bank payment method. */
export type BankPaymentMethodId = Id<'bank-method'>;

/** The kind of bank transfer. It decides the currency. */
export type TransferType = 'ACH' | 'US_DOMESTIC_WIRE' | 'SEPA' | 'FPS' | 'BSB';

/** A use of a bank payment method. */
export type SupportedAction = 'DEPOSIT' | 'WITHDRAWAL';

/** A bank account that payouts go to or deposits come from. */
export interface BankPaymentMethod {
  /** Id of the bank payment method. */
  readonly id: string;
  /** Its state. It can be used only while READY. */
  readonly state: Open<BankPaymentMethodState>;
  /** Its possible uses. */
  readonly supportedActions: readonly Open<SupportedAction>[];
  /** ISO 8601 date-time with offset. */
  readonly created: string;
  /** The kind of bank transfer. */
  readonly transferType: Open<TransferType>;
  /** IBAN for SEPA. */
  readonly accountNumber: string;
  /** BIC for SEPA, sort code for FPS, BSB code for BSB. */
  readonly routingNumber: string;
  /** The reference to give in a bank transfer that is a deposit. */
  readonly referenceCode?: string | undefined;
  /** For accounts in the USA. */
  readonly accountType?: Open<'CHECKING' | 'SAVINGS'> | undefined;
  /** Name of the bank. */
  readonly bankName?: string | undefined;
  /** Address of the bank. */
  readonly bankAddress?: Address | undefined;
  /** Currency of its transfers. */
  readonly currency: Open<CurrencyCode>;
  /** The owners of the bank account. */
  readonly beneficiaries: readonly Party[];
}

/** Everything that is needed to add a bank account. */
export interface BankPaymentMethodDraft extends Extendable {
  /** The kind of bank transfer. It decides the currency. */
  readonly transferType: Open<TransferType>;
  /** IBAN for SEPA. */
  readonly accountNumber: string;
  /** Required for ACH and US_DOMESTIC_WIRE. BIC for SEPA, sort code for FPS, BSB code for BSB. */
  readonly routingNumber?: string | undefined;
  /** Required for ACH. */
  readonly accountType?: Open<'CHECKING' | 'SAVINGS'> | undefined;
  /** The name of the bank. */
  readonly bankName?: string | undefined;
  /** Address of the bank. */
  readonly bankAddress?: Address | undefined;
  /** At least one; for SEPA and FPS the owner of the account must be among them. */
  readonly beneficiaries: readonly Party[];
}

/** A filter of bank methods. */
export interface BankPaymentMethodFilter {
  /** Only methods that support this action. */
  readonly supportedAction?: Open<SupportedAction> | undefined;
}

/** The known states. The service may add others. */
export type BankPaymentMethodState = 'PENDING' | 'READY' | 'SUSPENDED' | 'INVALID' | 'INACTIVE';

/**
 * The states of a bank payment method. None is settled, because a method can return to earlier
 * states. The service does not publish most of the moves.
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
 * Adds a bank account. The SDK never repeats it: after a lost response the method may exist, so
 * list before you create it again. Resolves to the method, PENDING until the bank is verified.
 * `POST /v1/payment-methods/bank` (documented).
 *
 * @throws InputError for a bad field · RefusedError `PLAID_LINKING_FAILED` · UnreachableError with
 * `maybeCreated` if no response came
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
 * Reads one bank payment method. Resolves to the method.
 * `GET /v1/payment-methods/bank/{bankMethodId}` (documented).
 *
 * @throws RefusedError `NOT_FOUND`
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
 * Lists bank payment methods, including those for deposits. Returns a list to iterate, to page or
 * to count. `GET /v1/payment-methods/bank` (documented).
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
 * Removes a bank payment method. Resolves to nothing, also if an earlier attempt, whose response
 * was lost, had removed it. `DELETE /v1/payment-methods/bank/{bankMethodId}` (seed; its scope is
 * inferred).
 *
 * @throws RefusedError `NOT_FOUND` if it did not exist
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
