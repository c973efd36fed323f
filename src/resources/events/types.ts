/** Event types by the noun that they say "look" about; the service may add others. */
export const EVENT_TYPES = {
  'invoice.created': 'invoice',
  'invoice.updated': 'invoice',
  'payment-method.bank.created': 'payment-method.bank',
  'payment-method.bank.updated': 'payment-method.bank',
  'payout.created': 'payout',
  'payout.updated': 'payout',
  'payout-originator.created': 'payout-originator',
  'payout-originator.updated': 'payout-originator',
  'currency-exchange-quote.updated': 'currency-exchange-quote',
  'payment.created': 'payment',
  'payment.updated': 'payment',
  'deposit.updated': 'deposit',
  'receive-request.receive-pending': 'receive-request',
  'receive-request.receive-completed': 'receive-request',
} as const;

/** The types of events that are known; the service may add others. */
export type EventType = keyof typeof EVENT_TYPES;

/** The noun of an event type, also of a type that we do not know: what stands before its last dot. */
export function nounOf(eventType: string): string {
  return eventType.slice(0, eventType.lastIndexOf('.'));
}
