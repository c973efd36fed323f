/** Known event types and the resources they belong to. The service may add more. */
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

/** A known event type. The service may add more. */
export type EventType = keyof typeof eventTypes;

/** The part of an event type before its last dot. Known event types have at most two dots. */
type PrefixOf<Type extends string> = Type extends `${infer A}.${infer B}.${string}`
  ? `${A}.${B}`
  : Type extends `${infer A}.${string}`
    ? A
    : never;

/** Prefixes of a resource's event types. */
export type EventPrefixOf<Name extends string> = {
  [Type in EventType]: (typeof eventTypes)[Type] extends Name ? PrefixOf<Type> : never;
}[EventType];

/** Returns the part of an event type before its last dot, in lowercase. */
export function readEventPrefix(eventType: string): string {
  return eventType.slice(0, eventType.lastIndexOf('.')).toLowerCase();
}

export function isOfCreation(eventType: string): boolean {
  return eventType.toLowerCase().endsWith('.created');
}
