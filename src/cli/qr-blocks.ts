import { qrMatrix } from '../elements/qr-code.ts';

/** Light modules around the code; a camera needs fewer of them on a screen than on paper. */
const FRAME = 2;
/** By the module above and the one below: 1 is dark, and dark is what stays empty. */
const BLOCKS = ['█', '▀', '▄', ' '];

/** A QR code as lines of blocks, two rows of modules a line: light blocks on a dark ground. */
export function qrLines(text: string): readonly string[] {
  const code = qrMatrix(text, 'L');
  const size = code.length + 2 * FRAME;
  const moduleAt = (x: number, y: number): number => code[y - FRAME]?.[x - FRAME] ?? 0;
  return Array.from({ length: Math.ceil(size / 2) }, (_, line) =>
    Array.from(
      { length: size },
      (__, x) => BLOCKS[2 * moduleAt(x, 2 * line) + moduleAt(x, 2 * line + 1)]!,
    ).join(''),
  );
}
