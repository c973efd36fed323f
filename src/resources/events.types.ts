/** The known event types, each with the resource that it is about. The service may add others. */
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

/** A known event type. The service may add others. */
export type EventType = keyof typeof eventTypes;

/** The part of an event type before its last dot. No known type has more than two dots. */
type PrefixOf<Type extends string> = Type extends `${infer A}.${infer B}.${string}`
  ? `${A}.${B}`
  : Type extends `${infer A}.${string}`
    ? A
    : never;

/** The prefixes of all event types about a resource. */
export type EventPrefixOf<Name extends string> = {
  [Type in EventType]: (typeof eventTypes)[Type] extends Name ? PrefixOf<Type> : never;
}[EventType];

/** The part of any event type before its last dot, in lower case; also of an unknown type. */
export function readEventPrefix(eventType: string): string {
  return eventType.slice(0, eventType.lastIndexOf('.')).toLowerCase();
}

/** Tells whether the event says that something was created, not that it changed. */
export function isOfCreation(eventType: string): boolean {
  return eventType.toLowerCase().endsWith('.created');
}
