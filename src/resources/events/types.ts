/** Event types by the noun that they say "look" about; the service may add others. */
export const EVENT_TYPES = {
  'invoice.created': 'invoice',
  'invoice.updated': 'invoice',
  'payment-method.bank.created': 'bank-method',
  'payment-method.bank.updated': 'bank-method',
  'payout.created': 'payout',
  'payout.updated': 'payout',
  'payout-originator.created': 'originator',
  'payout-originator.updated': 'originator',
  'currency-exchange-quote.updated': 'exchange',
  'payment.created': 'payment',
  'payment.updated': 'payment',
  'deposit.updated': 'deposit',
  'receive-request.receive-pending': 'receive-request',
  'receive-request.receive-completed': 'receive-request',
} as const;

export type EventType = keyof typeof EVENT_TYPES;

/** The noun of an event type; `undefined` for a type we do not know. */
export function nounOf(eventType: string): string | undefined {
  return Object.hasOwn(EVENT_TYPES, eventType) ? EVENT_TYPES[eventType as EventType] : undefined;
}
