// Where the modules of a QR code are: ISO/IEC 18004, versions 1 to 40.
import { dataOf, type QrData, type QrLevel } from './qr-codewords.ts';

/** Rows of modules: 1 is dark, 0 is light. */
type QrMatrix = number[][];

/** Not decided yet. */
const FREE = -1;
const LEVELS = { L: 1, M: 0 } as const;

/** A QR code of this text, without the light frame that it needs. */
export function qrMatrix(text: string, level: QrLevel): QrMatrix {
  const data = dataOf(text, level);
  const frame = frameOf(data.version);
  const codes = MASKS.map((_, mask) => fillIn(frame, data, mask));
  const penalties = codes.map(penaltyOf);
  return codes[penalties.indexOf(Math.min(...penalties))]!;
}

/** All that does not depend on the text, with the places of the format taken. */
function frameOf(version: number): QrMatrix {
  const size = 17 + 4 * version;
  const frame = Array.from({ length: size }, () => Array<number>(size).fill(FREE));
  const square = (x: number, y: number, radius: number, light: readonly number[]): void => {
    for (let dy = -radius; dy <= radius; dy++)
      for (let dx = -radius; dx <= radius; dx++) {
        const row = frame[y + dy];
        const isLight = light.includes(Math.max(Math.abs(dx), Math.abs(dy)));
        if (row && row[x + dx] !== undefined) row[x + dx] = isLight ? 0 : 1;
      }
  };
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    square(x, y, 4, [2, 4]);
  const places = marksOf(version, size);
  for (const x of places) for (const y of places) if (frame[y]![x] === FREE) square(x, y, 2, [1]);
  for (let at = 8; at < size - 8; at++) frame[6]![at] = frame[at]![6] = (at + 1) % 2;
  drawFormat(frame, 0);
  if (version > 6) drawVersion(frame, version);
  return frame;
}

/** Where the small marks are, on both axes. */
function marksOf(version: number, size: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = version === 32 ? 26 : 2 * Math.ceil((4 * version + 4) / (2 * count - 2));
  return [6, ...Array.from({ length: count - 1 }, (_, at) => size - 7 - at * step)];
}

/** `value` followed by the rest of its division by `polynomial`, which has `length` bits more. */
function withRest(value: number, polynomial: number, length: number): number {
  let rest = value;
  for (let bit = 0; bit < length; bit++) rest = (rest << 1) ^ ((rest >> (length - 1)) * polynomial);
  return (value << length) | rest;
}

function drawVersion(code: QrMatrix, version: number): void {
  const bits = withRest(version, 0x1f25, 12);
  for (let at = 0; at < 18; at++) {
    const [near, far] = [Math.floor(at / 3), code.length - 11 + (at % 3)];
    code[near]![far] = code[far]![near] = (bits >> at) & 1;
  }
}

/** Level and mask, twice. */
function drawFormat(code: QrMatrix, format: number): void {
  const bits = withRest(format, 0x537, 10) ^ 0x5412;
  const size = code.length;
  for (let at = 0; at < 15; at++) {
    const bit = (bits >> at) & 1;
    const near = at < 6 ? at : at < 8 ? at + 1 : at === 8 ? 7 : 14 - at;
    if (at < 8) code[near]![8] = code[8]![size - 1 - at] = bit;
    else code[8]![near] = code[size - 15 + at]![8] = bit;
  }
  code[size - 8]![8] = 1;
}

type Mask = (x: number, y: number) => number;

const MASKS: readonly Mask[] = [
  (x, y) => (x + y) % 2,
  (_, y) => y % 2,
  (x) => x % 3,
  (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];

/** The codewords on their way: two columns at a time, up and down, from the right. */
function fillIn(frame: QrMatrix, { codewords, level }: QrData, mask: number): QrMatrix {
  const code = frame.map((row) => [...row]);
  const size = code.length;
  const isMasked = MASKS[mask]!;
  let bit = 0;
  for (let right = size - 1, up = true; right > 0; right -= 2, up = !up) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++)
      for (const x of [right, right - 1]) {
        const y = up ? size - 1 - step : step;
        if (code[y]![x] !== FREE) continue;
        const value = (codewords[bit >> 3] ?? 0) >> (7 - (bit & 7));
        code[y]![x] = (value & 1) ^ (isMasked(x, y) ? 0 : 1);
        bit++;
      }
  }
  drawFormat(code, (LEVELS[level] << 3) | mask);
  return code;
}

/**
 * How hard a code is to read: runs, false corners and squares of one colour, as the standard counts
 * them. Its fourth rule, the share of dark modules, decides nothing in codes of payment texts.
 */
function penaltyOf(code: QrMatrix): number {
  const turned = code.map((_, x) => code.map((row) => row[x]!));
  const lines = [...code, ...turned].map((row) => row.join(''));
  let penalty = 0;
  for (const line of lines) {
    for (const run of line.match(/0{5,}|1{5,}/g) ?? []) penalty += run.length - 2;
    penalty += 40 * (line.match(/1011101(?=0000)/g)?.length ?? 0);
  }
  for (let y = 1; y < code.length; y++)
    for (let x = 1; x < code.length; x++) {
      const [own, left] = [code[y]![x], code[y]![x - 1]];
      if (own === left && own === code[y - 1]![x] && own === code[y - 1]![x - 1]) penalty += 3;
    }
  return penalty;
}
