import type { Money } from '../money/index.ts';
import { isPaystateError } from '../core/errors/index.ts';
import { millisOf } from '../core/time/index.ts';
import { bolt11Link, bolt11QrText, decodeBolt11 } from '../lightning/index.ts';
import { readBolt11 } from '../lightning/bolt11.ts';
import { signaturePartsOf } from '../lightning/signature-parts.ts';
import { fromMsat, isSameMoney } from '../money/index.ts';
import type { Invoice, InvoiceQuote } from '../resources/invoices/model.ts';
import type { PayeeOf } from './signature-check.ts';

/** Why a code must not be shown. */
export type QuoteProblem =
  | 'QUOTE_UNREADABLE'
  | 'QUOTE_AMOUNT_DIFFERS'
  | 'QUOTE_PRICE_DIFFERS'
  | 'QUOTE_DESCRIPTION_DIFFERS'
  | 'QUOTE_END_DIFFERS'
  | 'QUOTE_NETWORK_CHANGED'
  | 'QUOTE_PAYEE_CHANGED';

/** A code that was checked and may be shown. */
export interface CheckoutQuote {
  /** BOLT11 text. */
  readonly lnInvoice: string;
  /** For a link to a wallet: lower case. */
  readonly link: string;
  /** For the QR code: upper case, which makes it smaller. */
  readonly qrText: string;
  /** What the payer sends. */
  readonly amount: Money;
  /** End of the code on the client's monotonic clock, milliseconds; give it to `countdown`. */
  readonly expiresAt: number;
}

/** The code's `expiry` may be rounded up against the quote's end, milliseconds. */
const ROUNDING = 5_000;

/**
 * Compares a quote with the invoice that it is for, and with the code that was shown first, before
 * it is shown itself. Without `payeeOf` only payees that both codes name are compared. `undefined`:
 * the code may be shown.
 */
export function problemOf(
  invoice: Invoice,
  quote: InvoiceQuote,
  first: string | undefined,
  payeeOf: PayeeOf | undefined,
): QuoteProblem | undefined {
  try {
    return (
      differenceFromInvoice(invoice, quote) ??
      (first === undefined ? undefined : differenceFromFirst(quote.lnInvoice, first, payeeOf))
    );
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    return 'QUOTE_UNREADABLE';
  }
}

function differenceFromInvoice(invoice: Invoice, quote: InvoiceQuote): QuoteProblem | undefined {
  const code = decodeBolt11(quote.lnInvoice);
  if (!isSameMoney(quote.targetAmount, invoice.amount)) return 'QUOTE_PRICE_DIFFERS';
  if (!code.amountMsat || !isSameMoney(quote.sourceAmount, fromMsat(code.amountMsat)))
    return 'QUOTE_AMOUNT_DIFFERS';
  if (
    code.description !== undefined &&
    code.description !== (quote.description ?? invoice.description ?? '')
  )
    return 'QUOTE_DESCRIPTION_DIFFERS';
  const end = millisOf(quote.expiration);
  if (end === undefined || code.expiresAt > end + ROUNDING) return 'QUOTE_END_DIFFERS';
  return undefined;
}

function differenceFromFirst(
  text: string,
  first: string,
  payeeOf: PayeeOf | undefined,
): QuoteProblem | undefined {
  const [before, now] = [readBolt11(first), readBolt11(text)];
  if (before.invoice.network !== now.invoice.network) return 'QUOTE_NETWORK_CHANGED';
  const [was, is] = payeeOf
    ? [payeeOf(signaturePartsOf(before)), payeeOf(signaturePartsOf(now))]
    : [before.invoice.payee, now.invoice.payee];
  if (payeeOf && !(was && is)) return 'QUOTE_UNREADABLE';
  return was && is && was !== is ? 'QUOTE_PAYEE_CHANGED' : undefined;
}

/**
 * A checked quote as it is shown. `sentAt`: monotonic time at which it was asked for, so that its
 * end is never over-stated.
 */
export function toCheckoutQuote(quote: InvoiceQuote, sentAt: number): CheckoutQuote {
  return {
    lnInvoice: quote.lnInvoice,
    link: bolt11Link(quote.lnInvoice),
    qrText: bolt11QrText(quote.lnInvoice),
    amount: quote.sourceAmount,
    expiresAt: sentAt + quote.expirationInSec * 1_000,
  };
}
