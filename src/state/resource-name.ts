/** Resources that can be watched. */
export const RESOURCE_NAMES = [
  'invoice',
  'payment',
  'payout',
  'deposit',
  'receiveRequest',
  'currencyExchangeQuote',
  'bankPaymentMethod',
  'payoutOriginator',
  'balances',
  'rates',
] as const;

export type ResourceName = (typeof RESOURCE_NAMES)[number];
