// Reads the tagged fields of a Lightning invoice (BOLT 11), as a payer does.
import { bech32 } from '@scure/base';

const TAGS = { 1: 'paymentHash', 6: 'expiry', 13: 'description', 23: 'descriptionHash' };
const SIGNATURE_WORDS = 104;
const TIME_WORDS = 7;

const hex = (words) => Buffer.from(bech32.fromWordsUnsafe(words) ?? []).toString('hex');
const number = (words) => words.reduce((sum, word) => sum * 32 + word, 0);
const READERS = {
  paymentHash: (words) => hex(words),
  descriptionHash: (words) => hex(words),
  expiry: number,
  description: (words) => Buffer.from(bech32.fromWordsUnsafe(words)).toString('utf8'),
};

export function readBolt11(text) {
  const words = bech32.decode(text, false).words.slice(0, -SIGNATURE_WORDS);
  const fields = { time: number(words.slice(0, TIME_WORDS)) };
  for (let at = TIME_WORDS; at + 3 <= words.length; ) {
    const [tag, high, low] = words.slice(at, at + 3);
    const end = at + 3 + high * 32 + low;
    const name = TAGS[tag];
    if (name) fields[name] ??= READERS[name](words.slice(at + 3, end));
    at = end;
  }
  return fields;
}
