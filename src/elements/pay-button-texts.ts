import { checkoutEn, type PayButtonTexts } from './texts.ts';

/** Returns the English texts of a pay button and of the checkout in its dialog. */
export const payButtonEn = (): PayButtonTexts => ({
  ...checkoutEn,
  payAmount: 'Pay {amount}',
  pay: 'Pay',
  close: 'Close',
  orderFailed: 'We couldn’t start the payment. Nothing was charged. Try again.',
});
