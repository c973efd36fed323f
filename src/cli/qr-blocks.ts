import { renderUnicodeCompact } from 'uqr';

/** Light modules around the code; a camera needs fewer of them on a screen than on paper. */
const FRAME = 2;

/** A QR code as lines of blocks, two rows of modules a line: light blocks on a dark ground. */
export function qrLines(text: string): readonly string[] {
  return renderUnicodeCompact(text, { border: FRAME, ecc: 'L' }).split('\n');
}
