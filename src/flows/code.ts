import { isPaystateError } from '../core/errors/index.ts';
import { millisOf } from '../core/time/index.ts';
import { bolt11Link, bolt11QrText, decodeBolt11 } from '../lightning/index.ts';
import { recoverPayee } from '../lightning/signature.ts';
import { isSameMoney, toMsat } from '../money/index.ts';
import type { WireMoney } from '../resources/amounts/model.ts';
import type { Invoice, InvoiceQuote } from '../resources/invoices/model.ts';

/** Why a code must not be shown. */
export type CodeProblem =
  | 'CODE_UNREADABLE'
  | 'CODE_AMOUNT_DIFFERS'
  | 'CODE_PRICE_DIFFERS'
  | 'CODE_DESCRIPTION_DIFFERS'
  | 'CODE_OUTLIVES_QUOTE'
  | 'CODE_NETWORK_CHANGED'
  | 'CODE_PAYEE_CHANGED';

/** A code that was checked and may be shown. */
export interface ShownCode {
  /** BOLT11 text. */
  readonly lnInvoice: string;
  /** For a link to a wallet: lower case. */
  readonly link: string;
  /** For the QR code: upper case, which makes it smaller. */
  readonly qrText: string;
  /** What the payer sends. */
  readonly amount: WireMoney;
  /** End of the code on the client's monotonic clock, milliseconds; give it to `countdown`. */
  readonly expiresAt: number;
}

/** Who is paid, on which network: must stay the same from one quote to the next. */
export interface Payee {
  readonly key: string;
  readonly network: string;
}

/** The code's `expiry` may be rounded up against the quote's end, milliseconds. */
const ROUNDING = 5_000;

export type CheckedCode =
  | { readonly problem: CodeProblem }
  | { readonly problem?: undefined; readonly payee: Payee };

/** Compares a quote with the invoice that it is for, and with the first quote's payee, before anybody sees it. */
export function checkCode(
  invoice: Invoice,
  quote: InvoiceQuote,
  first: Payee | undefined,
): CheckedCode {
  try {
    return check(invoice, quote, first);
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    return { problem: 'CODE_UNREADABLE' };
  }
}

function check(invoice: Invoice, quote: InvoiceQuote, first: Payee | undefined): CheckedCode {
  const code = decodeBolt11(quote.lnInvoice);
  if (!isSameMoney(quote.targetAmount, invoice.amount)) return { problem: 'CODE_PRICE_DIFFERS' };
  if (
    quote.sourceAmount.currency !== 'BTC' ||
    code.amountMsat !== toMsat({ amount: quote.sourceAmount.amount, currency: 'BTC' })
  )
    return { problem: 'CODE_AMOUNT_DIFFERS' };
  if (
    code.description !== undefined &&
    code.description !== (quote.description ?? invoice.description ?? '')
  )
    return { problem: 'CODE_DESCRIPTION_DIFFERS' };
  const end = millisOf(quote.expiration);
  if (end === undefined || code.expiresAt > end + ROUNDING)
    return { problem: 'CODE_OUTLIVES_QUOTE' };
  const payee = { key: recoverPayee(quote.lnInvoice), network: code.network };
  if (first && first.network !== payee.network) return { problem: 'CODE_NETWORK_CHANGED' };
  if (first && first.key !== payee.key) return { problem: 'CODE_PAYEE_CHANGED' };
  return { payee };
}

/** A checked quote as it is shown. `sentAt`: monotonic time at which it was asked for, so that its end is never over-stated. */
export function shownCode(quote: InvoiceQuote, sentAt: number): ShownCode {
  return {
    lnInvoice: quote.lnInvoice,
    link: bolt11Link(quote.lnInvoice),
    qrText: bolt11QrText(quote.lnInvoice),
    amount: quote.sourceAmount,
    expiresAt: sentAt + quote.expirationInSec * 1_000,
  };
}
