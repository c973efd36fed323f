import { badInput } from '../core/errors/index.ts';
import type { Connection } from '../core/http/index.ts';
import type { ConversionRate } from '../resources/amounts/model.ts';
import type { Balance } from '../resources/balances/model.ts';
import type { BankPaymentMethod } from '../resources/bank-payment-methods/model.ts';
import type { CurrencyExchangeQuote } from '../resources/currency-exchange-quotes/model.ts';
import type { Deposit } from '../resources/deposits/model.ts';
import type { Invoice } from '../resources/invoices/model.ts';
import type { Payment } from '../resources/payments/model.ts';
import type { PayoutOriginator } from '../resources/payout-originators/model.ts';
import type { Payout } from '../resources/payouts/model.ts';
import { checkName } from './invalidate.ts';
import type { Receives } from './receives.ts';
import type { ResourceName } from './resource-name.ts';
import { hubOf } from './watch-one.ts';

/** The value of each resource that can be watched. */
export interface ResourceValues {
  readonly invoice: Invoice;
  readonly payment: Payment;
  readonly payout: Payout;
  readonly deposit: Deposit;
  readonly receiveRequest: Receives;
  readonly currencyExchangeQuote: CurrencyExchangeQuote;
  readonly bankPaymentMethod: BankPaymentMethod;
  readonly payoutOriginator: PayoutOriginator;
  readonly balances: readonly Balance[];
  readonly rates: readonly ConversionRate[];
}

/**
 * Hands a value that was read elsewhere, such as by your own relay, to the watches of its resource. They treat it as a read
 * of that time: an older state may be dropped.
 *
 * @param options `asOf`: when it was read, milliseconds since 1970
 * @throws InputError for a name that is none, or a time that is none
 * @example
 * provide(client, 'invoice', invoice, { asOf });
 */
export function provide<Name extends ResourceName>(
  client: Connection,
  resource: Name,
  value: ResourceValues[Name],
  options: { readonly asOf: number },
): void {
  checkName(resource);
  if (!Number.isFinite(options?.asOf)) throw badInput('asOf', 'must be milliseconds since 1970');
  hubOf(client).hub?.provide(resource, value, options.asOf);
}
