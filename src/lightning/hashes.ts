import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { bytesOfHex, toHex } from '../core/platform.ts';

/**
 * Decodes base58 and verifies its checksum, which is the start of a double hash.
 * @returns version and content, or `undefined` for other texts
 */
export function decodeBase58check(text: string): Uint8Array | undefined {
  try {
    return createBase58check(sha256).decode(text);
  } catch {
    // the library's message would repeat the text, which may be a key
    return undefined;
  }
}

export function encodeBase58check(bytes: Uint8Array): string {
  return createBase58check(sha256).encode(bytes);
}

/**
 * Hashes synchronously, so decoding doesn't have to wait. Only this file, `signature.ts` and
 * `payee.ts` load hashing code.
 */
export function sha256Hex(bytes: Uint8Array): string {
  return toHex(sha256(bytes));
}

/**
 * Checks whether a preimage proves that an invoice was paid.
 * @param preimage 32 bytes in hex, as the service reports it
 * @param paymentHash of the invoice, in hex
 * @returns true only if the preimage's hash is the payment hash. False doesn't prove the opposite
 *
 * @example isPreimageOf(payment.lightning!.preImage!, decodeBolt11(invoice).paymentHash)
 */
export function isPreimageOf(preimage: string, paymentHash: string): boolean {
  if (!/^[\da-f]{64}$/i.test(preimage) || typeof paymentHash !== 'string') return false;
  return sha256Hex(bytesOfHex(preimage)!) === paymentHash.toLowerCase();
}
