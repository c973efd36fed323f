import { encode } from 'uqr';

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
  const { data, size } = encode(text, { border: QUIET_ZONE, ecc: text.length > 300 ? 'L' : 'M' });
  return { size, path: data.map(rowPath).join('') };
}

/** One row's dark runs as rectangles. */
function rowPath(row: readonly boolean[], y: number): string {
  let path = '';
  for (let x = 0; x < row.length; x++) {
    if (!row[x]) continue;
    const start = x;
    while (row[x + 1]) x++;
    path += `M${start} ${y}h${x - start + 1}v1H${start}z`;
  }
  return path;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
