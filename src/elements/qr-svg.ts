import { qrMatrix } from './qr-code.ts';

/** Light modules around the code, as the standard asks. */
const QUIET_ZONE = 4;

/** How a QR code is drawn. */
export interface QrOptions {
  /** Read out by screen readers. */
  readonly label?: string | undefined;
}

/** A QR code to draw: dark modules as one path in a square of `size` modules. */
interface QrPath {
  readonly size: number;
  readonly path: string;
}

/**
 * Draws a QR code as SVG text: one path, dark on light whatever the page's colours, quiet zone of
 * four modules. Give it `bolt11QrText(lnInvoice)`: upper case makes a BOLT11 code a third smaller.
 *
 * @param text what the code holds · @param options label for screen readers
 * @example
 * element.innerHTML = qrSvg(bolt11QrText(lnInvoice), { label: 'Lightning invoice' });
 */
export function qrSvg(text: string, options: QrOptions = {}): string {
  const { size, path } = qrPath(text);
  const label = escape(options.label ?? 'QR code');
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges">` +
    `<rect width="${size}" height="${size}" fill="#fff"/><path fill="#000" d="${path}"/></svg>`
  );
}

/** A QR code as data, for who may not write markup as text. */
export function qrPath(text: string): QrPath {
  const code = qrMatrix(text, text.length > 300 ? 'L' : 'M');
  return { size: code.length + 2 * QUIET_ZONE, path: code.map(rowPath).join('') };
}

/** One row's dark runs as rectangles. */
function rowPath(row: readonly number[], y: number): string {
  const runs = row.join('').matchAll(/1+/g);
  return [...runs]
    .map(({ 0: { length }, index }) => {
      const x = index + QUIET_ZONE;
      return `M${x} ${y + QUIET_ZONE}h${length}v1H${x}z`;
    })
    .join('');
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
