/** Event types by the resource that they are about; the service may add others. */
export const eventTypes = {
  'invoice.created': 'invoice',
  'invoice.updated': 'invoice',
  'payment-method.bank.created': 'bankPaymentMethod',
  'payment-method.bank.updated': 'bankPaymentMethod',
  'payout.created': 'payout',
  'payout.updated': 'payout',
  'payout-originator.created': 'payoutOriginator',
  'payout-originator.updated': 'payoutOriginator',
  'currency-exchange-quote.updated': 'currencyExchangeQuote',
  'payment.created': 'payment',
  'payment.updated': 'payment',
  'deposit.updated': 'deposit',
  'receive-request.receive-pending': 'receiveRequest',
  'receive-request.receive-completed': 'receiveRequest',
} as const;

/** The types of events that are known; the service may add others. */
export type EventType = keyof typeof eventTypes;

/** What stands before the last dot of an event type; no known type has more than two. */
type PrefixOf<Type extends string> = Type extends `${infer A}.${infer B}.${string}`
  ? `${A}.${B}`
  : Type extends `${infer A}.${string}`
    ? A
    : never;

/** The prefixes of the event types about a resource. */
export type EventPrefixOf<Name extends string> = {
  [Type in EventType]: (typeof eventTypes)[Type] extends Name ? PrefixOf<Type> : never;
}[EventType];

/** What stands before the last dot of an event type in any case, also of one that is not known yet. */
export function eventPrefixOf(eventType: string): string {
  return eventType.slice(0, eventType.lastIndexOf('.')).toLowerCase();
}

/** It tells that something was made, and not that it has changed. */
export function isOfCreation(eventType: string): boolean {
  return eventType.toLowerCase().endsWith('.created');
}
