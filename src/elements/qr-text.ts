import { qrMatrix } from './qr-code.ts';

/** Both halves of a character: light above and below, light above, light below, none. */
const HALVES = [' ', '▄', '▀', '█'];

/**
 * A QR code for a terminal: two rows of modules in a line of text. What is drawn is light, so it is
 * read in light letters on a dark ground.
 */
export function qrLines(text: string, border: number): readonly string[] {
  const code = qrMatrix(text, 'L');
  const size = code.length + 2 * border;
  const isLight = (x: number, y: number): boolean => code[y - border]?.[x - border] !== 1;
  return Array.from({ length: Math.ceil(size / 2) }, (_, line) =>
    Array.from({ length: size }, (_column, x) => {
      const [top, below] = [isLight(x, 2 * line), isLight(x, 2 * line + 1)];
      return HALVES[(top ? 2 : 0) + (below ? 1 : 0)];
    }).join(''),
  );
}
