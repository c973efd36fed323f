// The one table of what lists can be asked. What it does not name is refused on every list.

/** What a field holds, which decides what it can be compared with. */
export type FieldKind = 'text' | 'id' | 'time' | 'flag';

/** How a field is compared with a literal. */
export type Operator = 'eq' | 'gt' | 'ge' | 'lt' | 'le' | 'in';

/** How the value of a parameter is read. */
export type ParameterKind = 'filter' | 'order' | 'top' | 'skip' | 'texts' | 'action';

/** A query parameter: the member of the request that it becomes, and how it is read. */
interface ListParameter {
  readonly member: string;
  readonly kind: ParameterKind;
}

/** What one list can be asked. */
export interface ListGrammar {
  /** By their names on the wire. */
  readonly parameters: Readonly<Record<string, ListParameter>>;
  /** What `$filter` can name; empty where there is none. */
  readonly fields: Readonly<Record<string, FieldKind>>;
}

type Parameters = ListGrammar['parameters'];

const PAGING: Parameters = {
  $top: { member: 'top', kind: 'top' },
  $skip: { member: 'skip', kind: 'skip' },
};
const FILTERED: Parameters = Object.assign(
  {
    $filter: { member: 'filter', kind: 'filter' },
    $orderby: { member: 'orderBy', kind: 'order' },
  } as const,
  PAGING,
);
const REQUESTS: Parameters = Object.assign({}, PAGING, {
  $onchainAddress: { member: 'onchainAddress', kind: 'texts' },
  $bolt11Invoice: { member: 'bolt11Invoice', kind: 'texts' },
  $paymentHash: { member: 'paymentHash', kind: 'texts' },
} as const);
// the description prints this name bare, other material with a dollar
const REQUEST_ID = { member: 'requestId', kind: 'texts' } as const;
const RECEIVES: Parameters = Object.assign({}, REQUESTS, {
  $receiveId: { member: 'receiveId', kind: 'texts' },
  receiveRequestId: REQUEST_ID,
  $receiveRequestId: REQUEST_ID,
} as const);
// this one too
const ACTION = { member: 'supportedAction', kind: 'action' } as const;
const ACTIONS: Parameters = Object.assign({}, PAGING, {
  supportedAction: ACTION,
  $supportedAction: ACTION,
});

export const INVOICE_FIELDS = {
  invoiceId: 'id',
  created: 'time',
  currency: 'text',
  state: 'text',
  issuerId: 'id',
  receiverId: 'id',
  payerId: 'id',
  correlationId: 'text',
} as const;
export const EVENT_FIELDS = {
  eventType: 'text',
  created: 'time',
  deliverySuccess: 'flag',
} as const;

/** Every list of the service by its path. */
export const LISTS: Readonly<Record<string, ListGrammar>> = {
  '/v1/invoices': { parameters: FILTERED, fields: INVOICE_FIELDS },
  '/v1/events': { parameters: FILTERED, fields: EVENT_FIELDS },
  '/v1/payment-methods/bank': {
    parameters: ACTIONS,
    fields: {},
  },
  '/v1/payout-originators': { parameters: PAGING, fields: {} },
  '/v1/payouts': { parameters: PAGING, fields: {} },
  '/v1/deposits': { parameters: PAGING, fields: {} },
  '/v1/receive-requests': { parameters: REQUESTS, fields: {} },
  '/v1/receive-requests/receives': { parameters: RECEIVES, fields: {} },
  '/v1/receive-requests/{receiveRequestId}/receives': { parameters: RECEIVES, fields: {} },
  '/v1/balances': { parameters: {}, fields: {} },
  '/v1/rates/ticker': { parameters: {}, fields: {} },
  '/v1/subscriptions': { parameters: {}, fields: {} },
};

/** What a field can be compared by. */
export const OPERATORS: Readonly<Record<FieldKind, readonly Operator[]>> = {
  text: ['eq', 'in'],
  id: ['eq', 'in'],
  time: ['eq', 'gt', 'ge', 'lt', 'le'],
  flag: ['eq'],
};
