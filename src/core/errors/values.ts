import { type ErrorCode, isPaystateError, type PaystateError } from './errors.ts';
import type { ServiceCode, ValidationCode } from './codes.ts';

/** An amount as the service prints it. */
interface Bound {
  readonly amount: string;
  readonly currency: string;
}

/**
 * What the service says beside each of its codes; nothing for most. Open: `declare module` may add
 * to it.
 */
export interface ServiceValues extends Readonly<Record<ServiceCode, object>> {
  /** The id that was not found. */
  readonly NOT_FOUND: { readonly id: string };
  /** The name that is taken. */
  readonly DUPLICATE_INVOICE: { readonly correlationId: string };
  /** The currency that the account does not have. */
  readonly USER_CURRENCY_UNAVAILABLE: { readonly currency: string };
  /** The highest amount that is taken. */
  readonly AMOUNT_TOO_HIGH: { readonly limit: Bound };
  /** The lowest amount that is taken. */
  readonly AMOUNT_TOO_LOW: { readonly limit: Bound };
  /** The currency that was asked for. */
  readonly CURRENCY_UNSUPPORTED: { readonly requestedCurrency: string };
  /** The payment that the quote was executed as. */
  readonly PAYMENT_PROCESSED: { readonly paymentId: string };
  /** The network that the service works on. */
  readonly INVALID_LN_INVOICE: { readonly activeNetwork: string };
  /** The quote that was made under the same key. */
  readonly DUPLICATE_PAYMENT_QUOTE: { readonly paymentQuoteId: string };
  /** The quote that was made under the same key. */
  readonly DUPLICATE_CURRENCY_EXCHANGE_QUOTE: { readonly currencyExchangeQuoteId: string };
  /** The deposit that was made under the same key. */
  readonly DUPLICATE_DEPOSIT: { readonly depositId: string };
}

/** What is said beside each code of a single broken field. */
export interface ValidationValues extends Readonly<Record<ValidationCode, object>> {
  /** The field that is missing. */
  readonly INVALID_DATA_REQUIRED: { readonly field: string };
  /** The field, and the length it must have. */
  readonly INVALID_DATA_LENGTH: { readonly field: string; readonly length: number };
  /** The field, and its least length. */
  readonly INVALID_DATA_MINLENGTH: { readonly field: string; readonly minLength: number };
  /** The field, and its greatest length. */
  readonly INVALID_DATA_MAXLENGTH: { readonly field: string; readonly maxLength: number };
  /** The field whose value is not allowed. */
  readonly INVALID_DATA_VALUE: { readonly field: string };
  /** The field, and the currency that is not allowed there. */
  readonly INVALID_DATA_CURRENCY: { readonly field: string; readonly currency: string };
}

/** What an error with this code may carry; the service may leave anything out. */
export type ValuesOf<Code extends string> = Partial<
  Code extends keyof ServiceValues ? ServiceValues[Code] : Readonly<Record<string, unknown>>
>;

/**
 * Tells whether a thrown value is an error of this package with this code, and types its `values`.
 * Nothing is sent.
 *
 * @param thrown whatever was caught
 * @param code a code of the service or of this package
 * @example
 * try {
 *   await client.invoices.get(invoiceId);
 * } catch (thrown) {
 *   if (hasCode(thrown, 'NOT_FOUND')) console.log(thrown.values?.id);
 *   else throw thrown;
 * }
 */
export function hasCode<Code extends ErrorCode>(
  thrown: unknown,
  code: Code,
): thrown is PaystateError & { readonly code: Code; readonly values?: ValuesOf<Code> } {
  return isPaystateError(thrown) && thrown.code === code;
}
