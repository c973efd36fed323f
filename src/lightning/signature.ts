import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hashes, sign } from '@noble/secp256k1';
import { badInput } from '../core/errors/index.ts';
import { encodeBech32 } from './bech32.ts';
import type { Bolt11Draft } from './encode.ts';
import { hexBytes, encodeUnsigned } from './encode.ts';
import type { Bolt11, RawBolt11 } from './bolt11.ts';
import { badBolt11, readBolt11, SIGNATURE_WORDS } from './bolt11.ts';
import { payeeOf, withoutThrowing } from './payee.ts';
import { messageOf, signaturePartsOf } from './signature-parts.ts';
import { wordsOfBytes } from './words.ts';

export type { Bolt11Draft } from './encode.ts';
export type { Bolt11 } from './bolt11.ts';

/** An invoice whose signature fits, and who gave it. */
export interface VerifiedBolt11 extends Bolt11 {
  /** The receiver's key, proved by the signature, hex. */
  readonly payee: string;
}

/**
 * Writes and signs an invoice. The same draft and key give the same text (RFC 6979, low S).
 * @param draft what the invoice says
 * @param privateKey 32 bytes, or their hex; appears in no error
 * @returns the invoice in lower case; throws `InputError` naming the member that cannot be written
 * @example
 * const draft = { timestamp: 1700000000, paymentHash, paymentSecret, description: 'tea' };
 * const text = encodeBolt11({ ...draft, network: 'regtest' }, key);
 */
export function encodeBolt11(draft: Bolt11Draft, privateKey: Uint8Array | string): string {
  const { prefix, words } = encodeUnsigned(draft);
  const key = typeof privateKey === 'string' ? hexBytes(privateKey, 'privateKey', 32) : privateKey;
  setHashes();
  const hash = sha256(messageOf(prefix, words));
  const signed = withoutThrowing(() => sign(hash, key, { prehash: false, format: 'recovered' }));
  if (!signed) throw badInput('privateKey', 'is no key of secp256k1');
  const [recovery = 0, ...rest] = signed;
  const text = encodeBech32(prefix, [...words, ...wordsOfBytes(Uint8Array.of(...rest, recovery))]);
  // A payee that is named must be the one who signed.
  if (draft.payee !== undefined) recoverPayee(text);
  return text;
}

/**
 * FOR SIMULATION ONLY: writes an invoice with a right checksum and an all-zero signature, which no
 * wallet pays. Saves the cost of signing where thousands are made; `decodeBolt11` reads it,
 * `verifyBolt11` refuses it.
 * @param draft what the invoice says
 * @returns the invoice in lower case; throws `InputError` naming the member that cannot be written
 * @example
 * const draft = { timestamp: 1700000000, paymentHash, paymentSecret, description: 'tea' };
 * const text = encodeUnsignedBolt11({ ...draft, network: 'regtest' });
 */
export function encodeUnsignedBolt11(draft: Bolt11Draft): string {
  const { prefix, words } = encodeUnsigned(draft);
  return encodeBech32(prefix, [...words, ...new Array<number>(SIGNATURE_WORDS).fill(0)]);
}

/**
 * Finds who signed an invoice.
 * @param text a BOLT11 invoice, as for `decodeBolt11`
 * @returns the receiver's key, hex; throws `InputError` when the invoice cannot be read or its
 * signature does not fit
 * @example recoverPayee(quote.lnInvoice) // '03e7156a…'
 */
export function recoverPayee(text: string): string {
  return provePayee(readBolt11(text));
}

/**
 * Reads an invoice and proves its signature.
 * @param text a BOLT11 invoice, as for `decodeBolt11`
 * @returns what it says, `payee` proved; throws `InputError` when it cannot be read or its
 * signature does not fit
 * @example verifyBolt11(quote.lnInvoice).payee === shopNode
 */
export function verifyBolt11(text: string): VerifiedBolt11 {
  const raw = readBolt11(text);
  return { ...raw.invoice, payee: provePayee(raw) };
}

function provePayee(raw: RawBolt11): string {
  const key = payeeOf(signaturePartsOf(raw));
  if (!key) throw badBolt11('signature', 'has a signature that does not fit');
  return key;
}

/**
 * The curve's synchronous functions borrow their hashes from here; set when used, for an import
 * must do nothing.
 */
function setHashes(): void {
  hashes.sha256 ??= sha256;
  hashes.hmacSha256 ??= (key, message) => hmac(sha256, key, message);
}
