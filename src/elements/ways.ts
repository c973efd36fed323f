import type { CheckoutQuote } from '../flows/index.ts';

/** One way to pay a quote. */
export interface Way {
  readonly name: 'lightning' | 'onchain';
  /** What is copied. */
  readonly text: string;
  readonly link: string;
  readonly qrText: string;
}

/** Parts of a satoshi, which the chain does not know. */
const FINER = /\.\d{9}/;

/**
 * All ways to pay a quote: Lightning, and after it the address, if the code holds one. That is a
 * segwit address, which means the same in upper case.
 */
export function waysOf({ lnInvoice, link, qrText, onchain, amount }: CheckoutQuote): Way[] {
  const lightning: Way = { name: 'lightning', text: lnInvoice, link, qrText };
  if (!onchain || FINER.test(amount.amount)) return [lightning];
  const query = `?amount=${amount.amount}`;
  const alone = `bitcoin:${onchain}${query}`;
  const scanned = `BITCOIN:${onchain.toUpperCase()}${query}`;
  return [lightning, { name: 'onchain', text: onchain, link: alone, qrText: scanned }];
}
