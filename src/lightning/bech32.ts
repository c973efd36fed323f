import { badInput } from '../core/errors/index.ts';
import type { Network } from '../core/http/index.ts';
import { bytesOfHex, toHex } from '../core/platform.ts';

interface Bech32 {
  readonly prefix: string;
  /** Five-bit words, without the checksum. */
  readonly words: Uint8Array;
  readonly kind: 'bech32' | 'bech32m';
}

const LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const SUMS = { bech32: 1, bech32m: 0x2bc830a3 };
const CHECKSUM_LENGTH = 6;

/**
 * Decodes a bech32 or bech32m string and verifies its checksum in one pass.
 * @param longest the maximum length in characters, which is checked first
 * @param field the string's name in errors
 */
export function decodeBech32(text: string, longest: number, field: string): Bech32 {
  if (text.length > longest)
    throw badText(field, 'too-long', `is longer than ${longest} characters`);
  const separator = text.lastIndexOf('1');
  if (separator < 1 || text.length - separator <= CHECKSUM_LENGTH) {
    throw badText(field, 'shape', 'is incomplete or of an unknown type');
  }
  const lower = toLower(text, field);
  const prefix = lower.slice(0, separator);
  const words = readWords(lower, separator + 1, field);
  const sum = computeChecksum(prefix, words);
  const kind = sum === SUMS.bech32 ? 'bech32' : 'bech32m';
  if (sum !== SUMS[kind])
    throw badText(field, 'checksum', 'has a wrong checksum: a character is wrong or missing');
  return { prefix, words: words.subarray(0, -CHECKSUM_LENGTH), kind };
}

export function encodeBech32(
  prefix: string,
  words: ArrayLike<number>,
  kind: Bech32['kind'] = 'bech32',
): string {
  const padded = new Uint8Array(words.length + CHECKSUM_LENGTH);
  padded.set(words);
  const sum = computeChecksum(prefix, padded) ^ SUMS[kind];
  let text = `${prefix}1`;
  for (let at = 0; at < words.length; at++) text += LETTERS[words[at] as number];
  for (let at = 0; at < CHECKSUM_LENGTH; at++) text += LETTERS[(sum >> (5 * (5 - at))) & 31];
  return text;
}

/**
 * Converts text to lowercase. Rejects mixed case and anything but ASCII, because `toLowerCase`
 * would convert the Kelvin sign to `k`.
 */
function toLower(text: string, field: string): string {
  if (/[^!-~]/.test(text))
    throw badText(field, 'character', 'contains a character that is not allowed');
  const lower = text.toLowerCase();
  if (lower !== text && text !== text.toUpperCase())
    throw badText(field, 'case', 'mixes upper and lower case');
  return lower;
}

function readWords(text: string, start: number, field: string): Uint8Array {
  const words = new Uint8Array(text.length - start);
  for (let at = start; at < text.length; at++) {
    const value = LETTERS.indexOf(text.charAt(at));
    if (value < 0) throw badText(field, 'character', 'contains a character that is not allowed');
    words[at - start] = value;
  }
  return words;
}

function computeChecksum(prefix: string, words: Uint8Array): number {
  let sum = 1;
  for (let at = 0; at < prefix.length; at++) sum = next(sum) ^ (prefix.charCodeAt(at) >> 5);
  sum = next(sum);
  for (let at = 0; at < prefix.length; at++) sum = next(sum) ^ (prefix.charCodeAt(at) & 31);
  for (let at = 0; at < words.length; at++) sum = next(sum) ^ (words[at] as number);
  return sum;
}

/**
 * Computes one step of the checksum's polynomial. Each bit of `top` selects one of the constants.
 */
function next(sum: number): number {
  const top = sum >> 25;
  return (
    ((sum & 0x1ffffff) << 5) ^
    (-(top & 1) & 0x3b6a57b2) ^
    (-((top >> 1) & 1) & 0x26508e6d) ^
    (-((top >> 2) & 1) & 0x1ea119fa) ^
    (-((top >> 3) & 1) & 0x3d4233dd) ^
    (-((top >> 4) & 1) & 0x2a1462b3)
  );
}

function badText(field: string, rule: string, advice: string): Error {
  return badInput(field, advice, { values: { rule } });
}

/**
 * Prefixes of each network's SegWit addresses. An invoice has the same prefix after `ln`. Longer
 * prefixes come first, because they're tried in this order.
 */
export const PREFIXES: Readonly<Record<Network, string>> = {
  regtest: 'bcrt',
  signet: 'tbs',
  mainnet: 'bc',
  testnet: 'tb',
};

export const NETWORKS: readonly Network[] = ['mainnet', 'testnet', 'signet', 'regtest'];

export function findNetwork(prefix: string): Network | undefined {
  return (Object.keys(PREFIXES) as Network[]).find((network) => PREFIXES[network] === prefix);
}

// The functions below convert between five-bit words, bytes, hex and numbers. Incomplete trailing
// bytes are dropped.

export function hexOfWords(words: Uint8Array, start: number, stop: number): string {
  return toHex(bytesOfWords(words, start, stop));
}

export function bytesOfWords(
  words: Uint8Array,
  start: number = 0,
  stop: number = words.length,
): Uint8Array {
  const bytes = new Uint8Array(((stop - start) * 5) >> 3);
  let bits = 0;
  let held = 0;
  let to = 0;
  for (let at = start; at < stop; at++) {
    held = ((held << 5) | (words[at] as number)) & 0xfff;
    bits += 5;
    if (bits >= 8) bytes[to++] = held >> (bits -= 8);
  }
  return bytes;
}

/**
 * Parses a big-endian number. Returns the largest safe integer if the number is larger than that.
 */
export function numberOfWords(words: Uint8Array, start: number, stop: number): number {
  let value = 0;
  for (let at = start; at < stop && value <= Number.MAX_SAFE_INTEGER; at++)
    value = value * 32 + (words[at] as number);
  return Math.min(value, Number.MAX_SAFE_INTEGER);
}

/** Converts bytes to five-bit words. The last word is padded with zeros. */
export function wordsOfBytes(bytes: Uint8Array): number[] {
  const words: number[] = [];
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) words.push((held >> (bits -= 5)) & 31);
  }
  if (bits > 0) words.push((held << (5 - bits)) & 31);
  return words;
}

/** Encodes a big-endian number. Pads it to at least `least` words. */
export function wordsOfNumber(value: number, least: number = 1): number[] {
  const words: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 32)) words.unshift(rest % 32);
  while (words.length < least) words.unshift(0);
  return words;
}

/** Parses whole bytes in hex. Error messages don't contain the value. */
export function hexBytes(hex: string, field: string, length?: number): Uint8Array {
  const bytes = hex === '' ? new Uint8Array() : typeof hex === 'string' && bytesOfHex(hex);
  if (!bytes || (length !== undefined && bytes.length !== length))
    throw badInput(field, `must be ${length ?? 'whole'} bytes in hex`);
  return bytes;
}
