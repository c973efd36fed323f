import { decodeBolt11 } from '../lightning/index.ts';
import { segwitFallback } from '../lightning/segwit-fallback.ts';
import type { InvoiceQuote } from '../resources/invoices/model.ts';
import type { QuoteProblem } from './quote.ts';

/** How a code goes together with the on-chain address that it holds. */
export interface OnchainWay {
  /** The one address that the code holds. */
  readonly onchain?: string | undefined;
  /** Why the code must not be shown together with an address. */
  readonly onchainProblem?: QuoteProblem;
  /** Why it must not be shown without one: wallets find the address in the code. */
  readonly fallbackProblem?: QuoteProblem;
}

/**
 * An address never ends and has no rate, and wallets read it out of a code that holds it. One that
 * the signed code does not hold is not shown, nor one that the quote names differently. Only segwit
 * addresses are compared.
 */
export function onchainOf({ lnInvoice, onchainAddress }: InvoiceQuote): OnchainWay {
  const { network, fallbacks } = decodeBolt11(lnInvoice);
  if (fallbacks.length === 0) return {};
  const addresses = fallbacks.map((fallback) => segwitFallback(fallback, network));
  const [onchain] = addresses;
  const fallbackProblem = 'QUOTE_HAS_ONCHAIN';
  const isOne = new Set([...addresses, onchainAddress?.toLowerCase() ?? onchain]).size === 1;
  return isOne && onchain
    ? { onchain, fallbackProblem }
    : { onchainProblem: 'QUOTE_ONCHAIN_DIFFERS', fallbackProblem };
}
