import { encode } from 'uqr';

/** Light modules around the code, as the standard requires. */
const QUIET_ZONE = 4;

/** A QR code to draw, with dark modules as one path in a square of `size` modules. */
interface QrPath {
  readonly size: number;
  readonly path: string;
}

/** Returns a QR code as data, for pages that can't insert markup as a string. */
export function qrPath(text: string): QrPath {
  const { data, size } = encode(text, { border: QUIET_ZONE, ecc: text.length > 300 ? 'L' : 'M' });
  return { size, path: data.map(rowPath).join('') };
}

/** Returns a row's dark runs as rectangles. */
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
