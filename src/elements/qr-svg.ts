import { checkArgument, checkOptions } from '../core/errors/index.ts';
import { qrPath } from './qr-path.ts';

/** Options for a QR code. */
export interface QrOptions {
  /** Label for screen readers. Defaults to `QR code`. */
  readonly label?: string | undefined;
}

/**
 * Returns a QR code as an SVG string. It's black on white regardless of the page's colors, with a
 * four-module border. For BOLT11 invoices, pass `bolt11QrText(lnInvoice)`, because uppercase makes
 * the QR code a third smaller.
 *
 * @param text the code's content · @param options the label for screen readers
 *
 * @example
 * const svg = qrSvg(bolt11QrText(lnInvoice), { label: 'Lightning invoice' });
 * const { documentElement } = new DOMParser().parseFromString(svg, 'image/svg+xml');
 * element.replaceChildren(documentElement);
 */
export function qrSvg(text: string, options: QrOptions = {}): string {
  checkArgument('text', text ?? null, 'string');
  checkOptions<QrOptions>(options, { label: 'string' });
  const { size, path } = qrPath(text);
  const { label: given = 'QR code' } = options;
  const label = given.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges">` +
    `<rect width="${size}" height="${size}" fill="#fff"/><path fill="#000" d="${path}"/></svg>`
  );
}
