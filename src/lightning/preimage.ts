import { sha256Hex } from './base58.ts';
import { bytesOfHex } from './words.ts';

/**
 * Tells whether a preimage proves that an invoice was paid.
 * @param preimage 32 bytes in hex, as the service reports it
 * @param paymentHash of the invoice, hex
 * @returns true only when the hash of the preimage is the payment hash; false for anything else,
 * which is no proof
 * @example isPreimageOf(payment.lightning!.preImage!, decodeBolt11(invoice).paymentHash)
 */
export function isPreimageOf(preimage: string, paymentHash: string): boolean {
  if (!/^[\da-f]{64}$/i.test(preimage) || typeof paymentHash !== 'string') return false;
  return sha256Hex(bytesOfHex(preimage)) === paymentHash.toLowerCase();
}
