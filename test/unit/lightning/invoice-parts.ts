// Takes an invoice apart into five-bit words and puts it together again, with a code of its own.
const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** The six words with which BIP 173 ends a text. */
function checksum(prefix: string, words: readonly number[]): number[] {
  const codes = [...prefix].map((char) => char.charCodeAt(0));
  let state = 1;
  for (const word of [
    ...codes.map((code) => code >> 5),
    0,
    ...codes.map((code) => code & 31),
    ...words,
    0,
    0,
    0,
    0,
    0,
    0,
  ]) {
    const top = state >>> 25;
    state = ((state & 0x1ffffff) << 5) ^ word;
    GENERATOR.forEach((part, bit) => void (state ^= (top >> bit) & 1 ? part : 0));
  }
  return Array.from({ length: 6 }, (_, at) => ((state ^ 1) >>> (5 * (5 - at))) & 31);
}

export interface Parts {
  readonly prefix: string;
  readonly time: number[];
  readonly fields: number[][];
  readonly signature: number[];
}

export function taken(text: string): Parts {
  const at = text.lastIndexOf('1');
  const words = [...text.slice(at + 1, -6)].map((char) => ALPHABET.indexOf(char));
  const signature = words.splice(-104);
  const time = words.splice(0, 7);
  const fields: number[][] = [];
  while (words.length > 0) fields.push(words.splice(0, 3 + words[1]! * 32 + words[2]!));
  return { prefix: text.slice(0, at), time, fields, signature };
}

export function written({ prefix, time, fields, signature }: Parts): string {
  const words = [...time, ...fields.flat(), ...signature];
  return `${prefix}1${[...words, ...checksum(prefix, words)].map((word) => ALPHABET[word]).join('')}`;
}
