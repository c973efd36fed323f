export { checkout } from './checkout.ts';
export type { CheckoutPhase, CheckoutView } from './checkout-view.ts';
export type { CodeProblem, ShownCode } from './code.ts';
export { countdown } from './countdown.ts';
