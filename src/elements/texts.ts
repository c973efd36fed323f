import type { CheckoutPhase } from '../flows/index.ts';

type Stage = CheckoutPhase | 'unconfirmed' | 'late' | 'over' | 'noPicture';
type Trouble = 'stale' | 'offline' | 'blocked';
type Label =
  | 'order'
  | 'test'
  | 'code'
  | 'wallet'
  | 'copy'
  | 'copied'
  | 'copyFailed'
  | 'replaced'
  | 'webln'
  | 'weblnFailed'
  | 'fresh'
  | 'again'
  | 'fixed'
  | 'renewed'
  | 'same'
  | 'any'
  | 'lightning'
  | 'onchain'
  | 'reference'
  | 'time'
  | 'amount'
  | 'print';

/**
 * Texts of `<paystate-checkout>` in one language; `locale` is its tag. A stage of a checkout has a
 * title and, behind `|`, a sentence. `{time}`, `{before}` and `{now}` are replaced.
 */
export type CheckoutTexts = Readonly<Record<'locale' | Stage | Trouble | Label, string>>;

/** Texts of `<paystate-receives>` in one language; it needs no more of those of a checkout. */
export type ReceivesTexts = Readonly<
  Record<'receives' | 'none' | 'incoming' | 'listFailed', string>
> &
  Pick<CheckoutTexts, 'locale' | Trouble | 'loading' | 'again'>;

/** Texts of all elements in one language. */
export type ElementTexts = CheckoutTexts & ReceivesTexts;

/** English texts of a checkout. */
export const checkoutEn: CheckoutTexts = {
  locale: 'en',
  loading: 'One moment …',
  awaiting: 'Waiting for your payment|Scan or copy the code.',
  noPicture: 'Waiting for your payment|The picture did not load. Please copy the code.',
  renewing: 'Renewing the code|Please do not pay the last one.',
  paused: 'Paused',
  pending: 'Your payment is on its way|Please do not pay again.',
  unconfirmed: 'Your payment seems to have failed|Please do not pay again yet.',
  partial: 'A part of the amount came in|Please ask the shop.',
  paid: 'Paid|Thank you!',
  late: 'Paid|It came after its code had ended, and counts.',
  over: 'Paid|More than the amount came in. Please ask the shop.',
  cancelled: 'Cancelled|Please do not pay.',
  reversed: 'Payment reversed|The order is not paid.',
  unsafe: 'Please do not pay|The code is not right. Please ask the shop.',
  unknown: 'Please do not pay|We do not know this state.',
  failed: 'The order cannot be shown|Your payment is not lost. Please ask the shop.',
  stale: 'No answer. We ask again.',
  offline: 'You are offline.',
  blocked: 'Too many requests. We ask again.',
  order: 'Your order',
  test: 'Test money',
  code: 'Payment code',
  wallet: 'Open wallet',
  copy: 'Copy code',
  copied: 'Copied',
  copyFailed: 'Your browser did not copy. The code is selected.',
  replaced: 'The code was replaced. Please copy again.',
  webln: 'Pay in browser',
  weblnFailed: 'Your wallet did not confirm.',
  fresh: 'Show a code',
  again: 'Try again',
  fixed: 'Rate fixed for {time}',
  renewed: 'New rate: {now}, before {before}.',
  same: 'New code, same amount.',
  any: 'Any',
  lightning: 'Lightning',
  onchain: 'On-chain',
  reference: 'Reference',
  time: 'Time',
  amount: 'Amount',
  print: 'Print receipt',
};
