import type { CallOptions, Connection } from '../core/http/index.ts';
import type { BankPaymentMethod } from '../resources/bank-payment-methods/model.ts';
import { get as getBankPaymentMethod } from '../resources/bank-payment-methods/operations.ts';
import {
  type BankPaymentMethodState,
  bankPaymentMethodStates,
} from '../resources/bank-payment-methods/states.ts';
import type { CurrencyExchangeQuote } from '../resources/currency-exchange-quotes/model.ts';
import { get as getCurrencyExchangeQuote } from '../resources/currency-exchange-quotes/operations.ts';
import {
  type CurrencyExchangeQuoteState,
  currencyExchangeQuoteStates,
} from '../resources/currency-exchange-quotes/states.ts';
import type { Deposit } from '../resources/deposits/model.ts';
import { get as getDeposit } from '../resources/deposits/operations.ts';
import { type DepositState, depositStates } from '../resources/deposits/states.ts';
import type { ServiceEventSubject } from '../resources/events/model.ts';
import { EVENT_TYPES, type EventType, nounOf } from '../resources/events/types.ts';
import type { Invoice } from '../resources/invoices/model.ts';
import { get as getInvoice } from '../resources/invoices/operations.ts';
import { type InvoiceState, invoiceStates } from '../resources/invoices/states.ts';
import type { Payment } from '../resources/payments/model.ts';
import { get as getPayment } from '../resources/payments/operations.ts';
import { type PaymentState, paymentStates } from '../resources/payments/states.ts';
import type { PayoutOriginator } from '../resources/payout-originators/model.ts';
import { get as getPayoutOriginator } from '../resources/payout-originators/operations.ts';
import {
  type PayoutOriginatorState,
  payoutOriginatorStates,
} from '../resources/payout-originators/states.ts';
import type { Payout } from '../resources/payouts/model.ts';
import { get as getPayout } from '../resources/payouts/operations.ts';
import { type PayoutState, payoutStates } from '../resources/payouts/states.ts';
import type { Receive } from '../resources/receive-requests/model.ts';
import { listReceives } from '../resources/receive-requests/operations.ts';
import { type ReceiveState, receiveStates } from '../resources/receive-requests/states.ts';
import type { StateMachine } from '../resources/state-machine.ts';

// The resources whose states an inbox reads: one member here and one row in the table for each.

/** What is read of each resource, and the states that it is known to have. */
export interface ResourceValues {
  readonly invoice: { readonly value: Invoice; readonly state: InvoiceState };
  readonly payment: { readonly value: Payment; readonly state: PaymentState };
  readonly payout: { readonly value: Payout; readonly state: PayoutState };
  readonly deposit: { readonly value: Deposit; readonly state: DepositState };
  /** One receive of a receive request: the request itself has no state. */
  readonly receive: { readonly value: Receive; readonly state: ReceiveState };
  readonly currencyExchangeQuote: {
    readonly value: CurrencyExchangeQuote;
    readonly state: CurrencyExchangeQuoteState;
  };
  readonly bankPaymentMethod: {
    readonly value: BankPaymentMethod;
    readonly state: BankPaymentMethodState;
  };
  readonly payoutOriginator: {
    readonly value: PayoutOriginator;
    readonly state: PayoutOriginatorState;
  };
}

export type HandledResource = keyof ResourceValues;

/** What an inbox reads of any resource. */
export type ResourceValue = ResourceValues[HandledResource]['value'];

/** How an inbox reads one resource. */
export interface ResourceReader<R extends HandledResource = HandledResource> {
  /** What stands before the last dot of its event types. */
  readonly eventNoun: string;
  readonly states: StateMachine<string>;
  /** States come back, so that none is behind another. */
  readonly recurs?: true;
  /** What an event names, as an id that `get` reads; nothing where the event does not say. */
  subjectId(subject: ServiceEventSubject): string | undefined;
  idOf(value: ResourceValues[R]['value']): string;
  /** Resolves to nothing, or throws `NOT_FOUND`, where there is no such thing. */
  get(
    connection: Connection,
    id: string,
    options: CallOptions,
  ): Promise<ResourceValues[R]['value'] | undefined>;
}

const entityId = ({ entityId: id }: ServiceEventSubject): string | undefined => id || undefined;

export const RESOURCES: { readonly [R in HandledResource]: ResourceReader<R> } = {
  invoice: {
    eventNoun: 'invoice',
    states: invoiceStates,
    subjectId: entityId,
    idOf: ({ invoiceId }) => invoiceId,
    get: getInvoice,
  },
  payment: {
    eventNoun: 'payment',
    states: paymentStates,
    subjectId: entityId,
    idOf: ({ paymentId }) => paymentId,
    get: getPayment,
  },
  payout: {
    eventNoun: 'payout',
    states: payoutStates,
    subjectId: entityId,
    idOf: ({ id }) => id,
    get: getPayout,
  },
  deposit: {
    eventNoun: 'deposit',
    states: depositStates,
    subjectId: entityId,
    idOf: ({ id }) => id,
    get: getDeposit,
  },
  receive: {
    eventNoun: 'receive-request',
    states: receiveStates,
    subjectId: ({ entityId: requestId, receiveId }) =>
      requestId && receiveId ? `${requestId}/${receiveId}` : undefined,
    idOf: ({ receiveRequestId, receiveId }) => `${receiveRequestId}/${receiveId}`,
    get: getReceive,
  },
  currencyExchangeQuote: {
    eventNoun: 'currency-exchange-quote',
    states: currencyExchangeQuoteStates,
    subjectId: entityId,
    idOf: ({ id }) => id,
    get: getCurrencyExchangeQuote,
  },
  bankPaymentMethod: {
    eventNoun: 'payment-method.bank',
    states: bankPaymentMethodStates,
    recurs: true,
    subjectId: entityId,
    idOf: ({ id }) => id,
    get: getBankPaymentMethod,
  },
  payoutOriginator: {
    eventNoun: 'payout-originator',
    states: payoutOriginatorStates,
    recurs: true,
    subjectId: entityId,
    idOf: ({ id }) => id,
    get: getPayoutOriginator,
  },
};

/** A receive is read through its request: `<receiveRequestId>/<receiveId>`. */
async function getReceive(
  connection: Connection,
  id: string,
  options: CallOptions,
): Promise<Receive | undefined> {
  const slash = id.lastIndexOf('/');
  const [requestId, receiveId] = [id.slice(0, slash), id.slice(slash + 1)];
  const found = await listReceives(connection, requestId, { receiveId }, options).toArray({
    limit: 1,
  });
  return found[0];
}

const NAMES = Object.keys(RESOURCES) as readonly HandledResource[];

/** The resource that an event is about, where an inbox reads it; also for an event type that is not known here. */
export function resourceOf(eventType: string): HandledResource | undefined {
  const noun = nounOf(eventType);
  return NAMES.find((name) => RESOURCES[name].eventNoun === noun);
}

/** The handler's name for a state, such as `invoicePaid` or `payoutOriginatorPendingReview`. */
export function handlerName(resource: HandledResource, state: string): string {
  const words = state.toLowerCase().split('_');
  return resource + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
}

/** The names of all handlers for known states of a resource. */
export function handlerNames(resource: HandledResource): readonly string[] {
  return Object.keys(RESOURCES[resource].states.transitions).map((state) =>
    handlerName(resource, state),
  );
}

/** The event types that announce what these handlers are for. */
export function eventTypesFor(on: object, events: object = {}): readonly EventType[] {
  return (Object.keys(EVENT_TYPES) as readonly EventType[]).filter((type) => {
    const resource = resourceOf(type);
    const names = resource ? handlerNames(resource) : [];
    return Object.hasOwn(events, type) || names.some((name) => Object.hasOwn(on, name));
  });
}
