import type { Money } from '../money/index.ts';
import { isPaystateError } from '../core/errors/index.ts';
import type { Network } from '../core/http/index.ts';
import { type Clock, millisOf } from '../core/time/index.ts';
import { decodeBolt11 } from '../lightning/index.ts';
import { type Bolt11, readBolt11 } from '../lightning/bolt11.ts';
import { signaturePartsOf } from '../lightning/signature-parts.ts';
import { fromMsat, isSameMoney } from '../money/index.ts';
import type { Invoice, InvoiceQuote } from '../resources/invoices/model.ts';
import { hashOf } from './description-hash.ts';
import type { PayeeOf } from './signature-check.ts';

/** Why a code must not be shown. */
export type QuoteProblem =
  | 'QUOTE_UNREADABLE'
  | 'QUOTE_AMOUNT_DIFFERS'
  | 'QUOTE_PRICE_DIFFERS'
  | 'QUOTE_RATE_DIFFERS'
  | 'QUOTE_DESCRIPTION_DIFFERS'
  | 'QUOTE_END_DIFFERS'
  | 'QUOTE_NETWORK_DIFFERS'
  | 'QUOTE_NETWORK_CHANGED'
  | 'QUOTE_PAYEE_CHANGED'
  | 'QUOTE_HAS_ONCHAIN'
  | 'QUOTE_ONCHAIN_DIFFERS';

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
  /**
   * An address to pay on the chain, where `includeOnchain` asks for it and the code holds one. It
   * never ends and has no rate.
   */
  readonly onchain?: string | undefined;
}

/** What a code is compared with beside its invoice. */
interface Comparison {
  /** The code that was shown first. */
  readonly first: string | undefined;
  /** Without it only payees that both codes name are compared. */
  readonly payeeOf: PayeeOf | undefined;
  /** The client's network. */
  readonly network: Network | undefined;
  readonly clock: Clock;
}

/** The code's `expiry` may be rounded up against the quote's end, milliseconds. */
const ROUNDING = 5_000;

/**
 * Compares a quote with the invoice that it is for, and with the code that was shown first, before
 * it is shown itself. `undefined`: the code may be shown.
 */
export async function problemOf(
  invoice: Invoice,
  quote: InvoiceQuote,
  { first, payeeOf, network, clock }: Comparison,
): Promise<QuoteProblem | undefined> {
  try {
    const code = decodeBolt11(quote.lnInvoice);
    if (network !== undefined && code.network !== network) return 'QUOTE_NETWORK_DIFFERS';
    return (
      differenceFromInvoice(invoice, quote, code) ??
      (await differenceInHash(invoice, quote, code, clock)) ??
      (first === undefined ? undefined : differenceFromFirst(quote.lnInvoice, first, payeeOf))
    );
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    return 'QUOTE_UNREADABLE';
  }
}

function descriptionOf(invoice: Invoice, quote: InvoiceQuote): string {
  return quote.description ?? invoice.description ?? '';
}

function differenceFromInvoice(
  invoice: Invoice,
  quote: InvoiceQuote,
  code: Bolt11,
): QuoteProblem | undefined {
  if (!isSameMoney(quote.targetAmount, invoice.amount)) return 'QUOTE_PRICE_DIFFERS';
  if (!code.amountMsat || !isSameMoney(quote.sourceAmount, fromMsat(code.amountMsat)))
    return 'QUOTE_AMOUNT_DIFFERS';
  if (code.description !== undefined && code.description !== descriptionOf(invoice, quote))
    return 'QUOTE_DESCRIPTION_DIFFERS';
  const end = millisOf(quote.expiration);
  if (end === undefined || code.expiresAt > end + ROUNDING) return 'QUOTE_END_DIFFERS';
  return undefined;
}

/** BOLT 11: a code holds a description or its hash. */
async function differenceInHash(
  invoice: Invoice,
  quote: InvoiceQuote,
  { descriptionHash }: Bolt11,
  clock: Clock,
): Promise<QuoteProblem | undefined> {
  if (descriptionHash === undefined) return undefined;
  const hash = await clock.external(hashOf(descriptionOf(invoice, quote)));
  return hash === descriptionHash ? undefined : 'QUOTE_DESCRIPTION_DIFFERS';
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
