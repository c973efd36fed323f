import { encode } from 'uqr';

/** Width of the light border around a QR code, in modules. The standard requires it. */
const QUIET_ZONE = 4;

/** A QR code to draw. `path` is an SVG path of all dark modules, in a square of `size` modules. */
interface QrPath {
  readonly size: number;
  readonly path: string;
}

/**
 * Encodes text as a QR code. Returns an SVG path, because some pages can't insert markup from
 * strings.
 */
export function qrPath(text: string): QrPath {
  const { data, size } = encode(text, { border: QUIET_ZONE, ecc: text.length > 300 ? 'L' : 'M' });
  return { size, path: data.map(rowPath).join('') };
}

/** Returns the runs of dark modules in a row as rectangles. */
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
