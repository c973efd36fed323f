// What a QR code holds, as codewords: ISO/IEC 18004 in alphanumeric and byte mode, levels L and M.
import { correctionOf } from './qr-correction.ts';

/** How much of a code may be unreadable: 7 or 15 %. */
export type QrLevel = 'L' | 'M';

/** The codewords of a code, in the order of their places. */
export interface QrData {
  /** 1 to 40: the size. */
  readonly version: number;
  readonly level: QrLevel;
  readonly codewords: readonly number[];
}

// The standard's table: for each version a character, whose code above that of `0` is the number.
const CORRECTION = {
  L: '7:?DJBDHNBDHJNFHLNLLLLNNJLNNNNNNNNNNNNNN',
  M: ':@JBH@BFFJNFFHHLLJJJJLLLLLLLLLLLLLLLLLLL',
} as const;
const BLOCKS = {
  L: '11111222244444666678899:<<<=>?@ABCCDEFHI',
  M: '11122444555899::;=>@AABDEGIJLMOQSUVX[]_a',
} as const;
const LAST_VERSION = 40;

const SIGNS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:';

/** The smallest code that holds the text, at this level or, where there is room, at the higher one. */
export function dataOf(text: string, wanted: QrLevel): QrData {
  for (let version = 1; version <= LAST_VERSION; version++) {
    const bits = bitsOf(text, version);
    const fits = (level: QrLevel): boolean => bits.length <= 8 * capacity(version, level);
    if (!fits(wanted)) continue;
    const level = fits('M') ? 'M' : wanted;
    return { version, level, codewords: interleave(padOut(bits, version, level), version, level) };
  }
  throw new RangeError('the text is too long for a QR code');
}

function numberOf(table: string, version: number): number {
  return table.charCodeAt(version - 1) - 48;
}

/** Codewords that a code of this size has in all. */
function total(version: number): number {
  const marks = version > 1 ? Math.floor(version / 7) + 2 : 0;
  const taken = marks && (25 * marks - 10) * marks - 55;
  return ((16 * version + 128) * version + 64 - taken - (version > 6 ? 36 : 0)) >> 3;
}

function capacity(version: number, level: QrLevel): number {
  const correction = numberOf(CORRECTION[level], version) * numberOf(BLOCKS[level], version);
  return total(version) - correction;
}

function binary(value: number, length: number): string {
  return value.toString(2).padStart(length, '0');
}

/** Mode, length and text in bits: `0` and `1`. */
function bitsOf(text: string, version: number): string {
  const step = version < 10 ? 0 : version < 27 ? 1 : 2;
  if ([...text].some((sign) => !SIGNS.includes(sign))) {
    const bytes = [...new TextEncoder().encode(text)];
    const count = binary(bytes.length, step ? 16 : 8);
    return `0100${count}${bytes.map((byte) => binary(byte, 8)).join('')}`;
  }
  const pairs = (text.match(/..?/g) ?? []).map(([first = '', second]) =>
    second
      ? binary(SIGNS.indexOf(first) * 45 + SIGNS.indexOf(second), 11)
      : binary(SIGNS.indexOf(first), 6),
  );
  return `0010${binary(text.length, 9 + 2 * step)}${pairs.join('')}`;
}

/** Filled up with the standard's padding. */
function padOut(bits: string, version: number, level: QrLevel): number[] {
  const size = capacity(version, level);
  const ended = `${bits}0000`.slice(0, 8 * size);
  const bytes = (ended.match(/.{1,8}/g) ?? []).map((byte) => parseInt(byte.padEnd(8, '0'), 2));
  const used = bytes.length;
  while (bytes.length < size) bytes.push((bytes.length - used) % 2 ? 0x11 : 0xec);
  return bytes;
}

/** Split into blocks, each with its correction, and read across them. */
function interleave(data: readonly number[], version: number, level: QrLevel): number[] {
  const count = numberOf(BLOCKS[level], version);
  const degree = numberOf(CORRECTION[level], version);
  const short = Math.floor(total(version) / count) - degree;
  const longFrom = count - (total(version) % count);
  let at = 0;
  const blocks = Array.from({ length: count }, (_, block) =>
    data.slice(at, (at += short + (block < longFrom ? 0 : 1))),
  );
  const corrections = blocks.map((block) => correctionOf(block, degree));
  return [...across(blocks), ...across(corrections)];
}

function across(blocks: readonly (readonly number[])[]): number[] {
  const longest = blocks.at(-1)!.length;
  return Array.from({ length: longest }, (_, at) =>
    blocks.flatMap((block) => block[at] ?? []),
  ).flat();
}
