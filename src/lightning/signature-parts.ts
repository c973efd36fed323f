import type { RawBolt11 } from './bolt11.ts';
import { SIGNATURE_WORDS } from './bolt11.ts';
import { bytesOfWords } from './words.ts';

/** What the signature of an invoice is checked with. */
export interface SignatureParts {
  /** What was signed, before hashing. */
  readonly message: Uint8Array;
  /** R and S, 32 bytes each, and the flag by which the key is recovered. */
  readonly signature: Uint8Array;
  /** The receiver's key as the invoice claims, hex. */
  readonly payee: string | undefined;
}

export function signaturePartsOf({ prefix, words, invoice }: RawBolt11): SignatureParts {
  const end = words.length - SIGNATURE_WORDS;
  return {
    message: messageOf(prefix, words.subarray(0, end)),
    signature: bytesOfWords(words, end),
    payee: invoice.payee,
  };
}

/** BOLT 11: prefix and data as bytes, the last one filled up with zeros. */
export function messageOf(prefix: string, words: ArrayLike<number>): Uint8Array {
  const padded = Uint8Array.from([...Array.from(words), 0, 0]);
  const data = bytesOfWords(padded).subarray(0, Math.ceil((words.length * 5) / 8));
  return Uint8Array.from([...new TextEncoder().encode(prefix), ...data]);
}
