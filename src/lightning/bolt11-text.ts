import { bareBolt11, badBolt11 } from './bolt11.ts';

/**
 * Writes the link that opens a wallet.
 * @param text an invoice, in either case; its checksum is not looked at
 * @returns `lightning:` and the invoice in lower case, as wallets expect it in links; throws
 * `InputError` for other texts
 * @example bolt11Link(lnInvoice) // 'lightning:lnbc1…'
 */
export function bolt11Link(text: string): string {
  return `lightning:${checkShape(text)}`;
}

/**
 * Writes an invoice for a QR code.
 * @param text an invoice, in either case; its checksum is not looked at
 * @returns the invoice in upper case, which makes a code of fewer dots; throws `InputError` for
 * other texts
 * @example qrSvg(bolt11QrText(quote.lnInvoice))
 */
export function bolt11QrText(text: string): string {
  return checkShape(text).toUpperCase();
}

function checkShape(text: string): string {
  const bare = bareBolt11(text);
  if (!/^ln[a-z]{2}[a-z0-9]{6,}$/i.test(bare)) throw badBolt11('shape', 'is no Lightning invoice');
  return bare.toLowerCase();
}
