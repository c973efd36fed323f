import { badInput } from '../core/errors/index.ts';

/** What a text with a bech32 or bech32m checksum holds. */
interface Bech32 {
  /** Lower case. */
  readonly prefix: string;
  /** Five bits each, without the checksum. */
  readonly words: Uint8Array;
  readonly kind: 'bech32' | 'bech32m';
}

const LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const SUMS = { bech32: 1, bech32m: 0x2bc830a3 };
const CHECKSUM_LENGTH = 6;

/**
 * Reads a text and proves its checksum, in one pass.
 * @param longest refused beyond this many characters, before anything else is looked at
 * @param field names the text in the error
 */
export function decodeBech32(text: string, longest: number, field: string): Bech32 {
  if (text.length > longest)
    throw badText(field, 'too-long', `is longer than ${longest} characters`);
  const separator = text.lastIndexOf('1');
  if (separator < 1 || text.length - separator <= CHECKSUM_LENGTH) {
    throw badText(field, 'shape', 'is cut off or no code of this kind');
  }
  const lower = toLower(text, field);
  const prefix = lower.slice(0, separator);
  const words = wordsOf(lower, separator + 1, field);
  const sum = sumOf(prefix, words);
  const kind = sum === SUMS.bech32 ? 'bech32' : 'bech32m';
  if (sum !== SUMS[kind])
    throw badText(field, 'checksum', 'has a wrong checksum: a character is wrong or missing');
  return { prefix, words: words.subarray(0, -CHECKSUM_LENGTH), kind };
}

/** Writes words with their checksum, in lower case. */
export function encodeBech32(
  prefix: string,
  words: ArrayLike<number>,
  kind: Bech32['kind'] = 'bech32',
): string {
  const padded = new Uint8Array(words.length + CHECKSUM_LENGTH);
  padded.set(words);
  const sum = sumOf(prefix, padded) ^ SUMS[kind];
  let text = `${prefix}1`;
  for (let at = 0; at < words.length; at++) text += LETTERS[words[at] as number];
  for (let at = 0; at < CHECKSUM_LENGTH; at++) text += LETTERS[(sum >> (5 * (5 - at))) & 31];
  return text;
}

/**
 * Only plain ASCII, and one case: letters such as the Kelvin sign would otherwise turn into a `k`.
 */
function toLower(text: string, field: string): string {
  if (/[^!-~]/.test(text))
    throw badText(field, 'character', 'holds a character that cannot be part of it');
  const lower = text.toLowerCase();
  if (lower !== text && text !== text.toUpperCase())
    throw badText(field, 'case', 'mixes upper and lower case');
  return lower;
}

function wordsOf(text: string, start: number, field: string): Uint8Array {
  const words = new Uint8Array(text.length - start);
  for (let at = start; at < text.length; at++) {
    const value = LETTERS.indexOf(text.charAt(at));
    if (value < 0) throw badText(field, 'character', 'holds a character that cannot be part of it');
    words[at - start] = value;
  }
  return words;
}

function sumOf(prefix: string, words: Uint8Array): number {
  let sum = 1;
  for (let at = 0; at < prefix.length; at++) sum = next(sum) ^ (prefix.charCodeAt(at) >> 5);
  sum = next(sum);
  for (let at = 0; at < prefix.length; at++) sum = next(sum) ^ (prefix.charCodeAt(at) & 31);
  for (let at = 0; at < words.length; at++) sum = next(sum) ^ (words[at] as number);
  return sum;
}

/** One step of the checksum's polynomial; each constant is taken when its bit is set. */
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
