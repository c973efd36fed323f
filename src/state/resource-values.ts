import type { QuotedRate } from '../resources/amounts/model.ts';
import type { Balance } from '../resources/balances/model.ts';
import type { BankPaymentMethod } from '../resources/bank-payment-methods/model.ts';
import type { CurrencyExchangeQuote } from '../resources/currency-exchange-quotes/model.ts';
import type { Deposit } from '../resources/deposits/model.ts';
import type { Invoice } from '../resources/invoices/model.ts';
import type { Payment } from '../resources/payments/model.ts';
import type { PayoutOriginator } from '../resources/payout-originators/model.ts';
import type { Payout } from '../resources/payouts/model.ts';
import type { Receives } from '../resources/receive-requests/model.ts';

/**
 * The value of each resource that can be watched. Written out, for the types of the registry reach the schemas and their
 * package; `invalidate.ts` compiles only while both name the same.
 */
export interface ResourceValues {
  /** An invoice. */
  readonly invoice: Invoice;
  /** A payment. */
  readonly payment: Payment;
  /** A payout. */
  readonly payout: Payout;
  /** A deposit. */
  readonly deposit: Deposit;
  /** All that came in for a receive request. */
  readonly receiveRequest: Receives;
  /** A currency exchange quote. */
  readonly currencyExchangeQuote: CurrencyExchangeQuote;
  /** A bank payment method. */
  readonly bankPaymentMethod: BankPaymentMethod;
  /** A payout originator. */
  readonly payoutOriginator: PayoutOriginator;
  /** All balances. */
  readonly balances: readonly Balance[];
  /** All rates. */
  readonly rates: readonly QuotedRate[];
}

/** The name of a resource that can be watched. */
export type ResourceName = keyof ResourceValues;
