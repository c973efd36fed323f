import type { Money } from '../../money/model.ts';
import type { CurrencyCode } from '../amounts/model.ts';
import type { BankPaymentMethod } from './model.ts';

/**
 * A bare amount, as drafts of payouts and deposits hold it, with the currency that it has there:
 * its bank method's.
 *
 * @example
 * const { amount, currency } = amountBy(bankMethod, draft.amount);
 */
export function amountBy(method: Pick<BankPaymentMethod, 'currency'>, amount: string): Money {
  return { amount, currency: method.currency };
}

/**
 * The currency that a transfer type moves; `undefined` for a type that this version does not know.
 *
 * @example
 * currencyBy('SEPA'); // 'EUR'
 */
export function currencyBy(transferType: string): CurrencyCode | undefined {
  switch (transferType) {
    case 'ACH':
    case 'US_DOMESTIC_WIRE':
      return 'USD';
    case 'SEPA':
      return 'EUR';
    case 'FPS':
      return 'GBP';
    case 'BSB':
      return 'AUD';
    default:
      return undefined;
  }
}
