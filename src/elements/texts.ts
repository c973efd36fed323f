import type { CheckoutPhase } from '../flows/index.ts';

/** Checkout states that have their own texts. Most of them are phases. */
export type TextStage =
  | CheckoutPhase
  | 'noPicture'
  | 'unconfirmed'
  | 'late'
  | 'over'
  | 'less'
  | 'notFound';
type Trouble = 'stale' | 'offline' | 'blocked';
type Label =
  | 'order'
  | 'test'
  | 'way'
  | 'lightning'
  | 'onchain'
  | 'onchainHint'
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
  | 'valid'
  | 'renewed'
  | 'same'
  | 'reference'
  | 'details'
  | 'time'
  | 'amount'
  | 'print'
  | 'back';

/**
 * Texts of `<paystate-checkout>` in one language. `locale` is the language tag. A state's text
 * consists of a title and, after `|`, an optional sentence. The placeholders `{time}`, `{before}`,
 * `{now}`, `{part}` and `{amount}` are replaced with values.
 */
export type CheckoutTexts = Readonly<Record<'locale' | TextStage | Trouble | Label, string>>;

type ListLabel =
  | 'receives'
  | 'none'
  | 'incoming'
  | 'listLoading'
  | 'listStale'
  | 'listOffline'
  | 'listBlocked'
  | 'listFailed';

/**
 * Texts of `<paystate-receives>` in one language. `locale` and `again` are the same as for a
 * checkout.
 */
export type ReceivesTexts = Readonly<Record<ListLabel, string>> &
  Pick<CheckoutTexts, 'locale' | 'again'>;

/**
 * Text for `<paystate-pay-button>` and its checkout in one language. `{amount}` is replaced with the
 * price.
 */
export type PayButtonTexts = CheckoutTexts &
  Readonly<Record<'payAmount' | 'pay' | 'close' | 'orderFailed', string>>;

/** Texts of all elements in one language. */
export type ElementTexts = PayButtonTexts & ReceivesTexts;

/** English texts for a checkout. */
export const checkoutEn: CheckoutTexts = {
  locale: 'en',
  loading: 'Preparing your payment …',
  awaiting: 'Waiting for your payment|Scan the code with a Lightning wallet, or copy it.',
  noPicture: 'Waiting for your payment|The QR code didn’t load. Copy the code instead.',
  renewing: 'Updating the rate …',
  paused: 'Still there?|The code was paused. It costs nothing to continue.',
  pending: 'Payment received|Confirming. This takes a few seconds. Please don’t pay again.',
  unconfirmed:
    'Checking your payment|It may have failed. We’ll know in {time}. Please don’t pay again yet.',
  partial:
    'Partial payment received|{part} of {amount} arrived. Contact the shop to finish or get a refund.',
  less: 'Partial payment received|Less than {amount} arrived. Contact the shop to finish or get a refund.',
  paid: 'Paid|Thank you.',
  late: 'Paid|Your payment arrived after the code expired. It was accepted.',
  over: 'Paid|You paid more than the price. The shop can refund the difference.',
  cancelled: 'Order cancelled|If you paid, contact the shop.',
  reversed: 'Payment returned|The payment was sent back. Contact the shop.',
  unsafe:
    'Don’t pay this code|It failed a safety check of amount, network or rate. Contact the shop.',
  unknown: 'Checking your order|We can’t confirm its state yet. Don’t pay again.',
  failed: 'We can’t show this order|If you paid, your payment is not lost. Contact the shop.',
  notFound: 'We couldn’t find this order|Check the link, or start again in the shop.',
  stale: 'Connection problem|Retrying … Already paid? Don’t pay again.',
  offline: 'You’re offline|Already paid? Don’t pay again. We’ll check when you’re back.',
  blocked: 'The payment service is busy|Next check at {time}. Already paid? Don’t pay again.',
  order: 'Your order',
  test: 'Test money',
  way: 'Pay with a Lightning wallet',
  lightning: 'Lightning',
  onchain: 'Bitcoin on-chain',
  onchainHint: 'Scan the code with a Bitcoin wallet, or copy the address.',
  code: 'Payment code',
  wallet: 'Open in wallet',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'Couldn’t copy the code. It’s selected.',
  replaced: 'Updated. The code you copied is no longer valid. Copy it again.',
  webln: 'Pay in this browser',
  weblnFailed: 'Your wallet didn’t confirm. Check it before you pay again.',
  fresh: 'Continue',
  again: 'Try again',
  fixed: 'Rate valid for {time}',
  valid: 'Code valid for {time}',
  renewed: 'Updated from {before} to {now}.',
  same: 'Updated. Same amount.',
  reference: 'Order',
  details: 'Details',
  time: 'Time',
  amount: 'Amount paid',
  print: 'Print receipt',
  back: 'Back to the shop',
};

/** Returns the English texts for a pay button and its checkout. */
export const payButtonEn = (): PayButtonTexts => ({
  ...checkoutEn,
  payAmount: 'Pay {amount}',
  pay: 'Pay',
  close: 'Close',
  orderFailed: 'We couldn’t start the payment. Nothing was charged. Try again.',
});

/** English texts for a list of receives. */
export const receivesEn: ReceivesTexts = {
  locale: 'en',
  receives: 'Received so far',
  none: 'Nothing received yet.',
  incoming: 'on its way',
  listLoading: 'Loading …',
  listStale: 'Connection problem. Retrying …',
  listOffline: 'You’re offline. The list will update when you’re back.',
  listBlocked: 'The payment service is busy. We’ll try again soon.',
  listFailed: 'The list can’t be shown.',
  again: 'Try again',
};
