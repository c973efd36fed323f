/**
 * Between words of five bits, bytes, hex and numbers. Left-over bits at the end are dropped when
 * reading.
 */

const HEX = '0123456789abcdef';

/** Lower-case hex of as many whole bytes as the words hold. */
export function hexOfWords(words: Uint8Array, start: number, stop: number): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (let at = start; at < stop; at++) {
    held = ((held << 5) | (words[at] as number)) & 0x1ff;
    bits += 5;
    while (bits >= 4) text += HEX[(held >> (bits -= 4)) & 15];
  }
  return text.length % 2 ? text.slice(0, -1) : text;
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

/** Big-endian; saturates where a number stops being exact. */
export function numberOfWords(words: Uint8Array, start: number, stop: number): number {
  let value = 0;
  for (let at = start; at < stop && value <= Number.MAX_SAFE_INTEGER; at++)
    value = value * 32 + (words[at] as number);
  return Math.min(value, Number.MAX_SAFE_INTEGER);
}

/** Zeros fill the last word. */
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

/** Big-endian, with at least `least` words. */
export function wordsOfNumber(value: number, least: number = 1): number[] {
  const words: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 32)) words.unshift(rest % 32);
  while (words.length < least) words.unshift(0);
  return words;
}

export function hexOfBytes(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX.charAt(byte >> 4) + HEX.charAt(byte & 15);
  return text;
}

/** Reads hex of either case that its caller has checked. */
export function bytesOfHex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length >> 1);
  for (let at = 0; at < bytes.length; at++)
    bytes[at] = parseInt(text.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}
