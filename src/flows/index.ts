export { type Checkout, checkout } from './checkout.ts';
export type { CheckoutOptions } from './checkout-options.ts';
export type { CheckoutPhase, CheckoutView } from './checkout-view.ts';
export type { QuoteProblem, CheckoutQuote } from './quote.ts';
export { countdown } from './countdown.ts';
