import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hashes, sign } from '@noble/secp256k1';
import { badInput, checkOptions, type Expected } from '../core/errors/index.ts';
import type { Network } from '../core/http/index.ts';
import {
  encodeBech32,
  hexBytes,
  NETWORKS,
  PREFIXES,
  wordsOfBytes,
  wordsOfNumber,
} from './bech32.ts';
import {
  badBolt11,
  type Bolt11,
  type Fallback,
  packMessage,
  prefixOfAmount,
  type RawBolt11,
  readBolt11,
  type RouteHop,
  SIGNATURE_WORDS,
  splitSignature,
  TAGS,
} from './bolt11.ts';
import { findPayee, withoutThrowing } from './payee.ts';

export type { Bolt11 } from './bolt11.ts';

/** The content of a new BOLT11 invoice. Hex can be in either case. */
export interface Bolt11Draft {
  /** The network, which determines the invoice's prefix. */
  readonly network: Network;
  /** Amount in millisatoshi, as an integer string. If absent, the payer chooses the amount. */
  readonly amountMsat?: string | undefined;
  /** When the invoice is created, in seconds since 1970. */
  readonly timestamp: number;
  /** SHA-256 hash of the preimage, 32 bytes in hex. */
  readonly paymentHash: string;
  /** A secret that only the payer gets, 32 bytes in hex. */
  readonly paymentSecret: string;
  /** The purpose of the payment, at most 639 bytes. Can't be combined with `descriptionHash`. */
  readonly description?: string | undefined;
  /** SHA-256 hash of a description outside the invoice, 32 bytes in hex. */
  readonly descriptionHash?: string | undefined;
  /**
   * How long the invoice is valid, in seconds. Left out of the invoice if it's 3,600, which is the
   * default.
   */
  readonly expirySeconds?: number | undefined;
  /**
   * Minimum number of blocks for the last hop's time lock. Left out of the invoice if it's 18,
   * which is the default.
   */
  readonly minFinalCltvExpiryDelta?: number | undefined;
  /**
   * The receiver's public key, 33 bytes in hex. It's optional, because the signature identifies the
   * key.
   */
  readonly payee?: string | undefined;
  /** Data that the payer must send back, in hex. */
  readonly metadata?: string | undefined;
  /** On-chain addresses that can be paid instead, in order of preference. Defaults to none. */
  readonly fallbacks?: readonly Fallback[] | undefined;
  /**
   * Routes to a receiver that isn't publicly visible on the network. Each route lists its hops in
   * order. Defaults to none.
   */
  readonly routeHints?: readonly (readonly RouteHop[])[] | undefined;
  /** Feature bits to set. Defaults to 8 and 14, which every wallet supports. */
  readonly features?: readonly number[] | undefined;
}

// Includes a decoded invoice's members, so that it can be encoded again.
const DRAFT_MEMBERS: Expected<Bolt11Draft & Partial<Bolt11>> = {
  text: 'string',
  expiresAt: 'number',
  network: NETWORKS,
  amountMsat: 'string',
  timestamp: 'number!',
  paymentHash: 'string!',
  paymentSecret: 'string!',
  description: 'string',
  descriptionHash: 'string',
  expirySeconds: 'number',
  minFinalCltvExpiryDelta: 'number',
  payee: 'string',
  metadata: 'string',
  fallbacks: 'array',
  routeHints: 'array',
  features: 'array',
};

interface UnsignedBolt11 {
  readonly prefix: string;
  /** Five-bit words that contain the timestamp and the fields. */
  readonly words: readonly number[];
}

const MAX_FIELD_WORDS = 1023;
const TIMESTAMP_LIMIT = 2 ** 35;

/** An invoice whose signature is correct. */
export interface VerifiedBolt11 extends Bolt11 {
  /** The receiver's public key in hex, verified by the signature. */
  readonly payee: string;
}

/**
 * Encodes and signs an invoice. The same draft and key always produce the same invoice, because
 * signatures are deterministic (RFC 6979, low S).
 * @param draft the invoice's content
 * @param privateKey 32 bytes, as they are or in hex. It's never part of an error message
 * @returns the invoice in lowercase. Throws `InputError` with the invalid member
 *
 * @example
 * const draft = { timestamp: 1700000000, paymentHash, paymentSecret, description: 'tea' };
 * const text = encodeBolt11({ ...draft, network: 'regtest' }, key);
 */
export function encodeBolt11(draft: Bolt11Draft, privateKey: Uint8Array | string): string {
  const { prefix, words } = encodeUnsigned(draft);
  const key = typeof privateKey === 'string' ? hexBytes(privateKey, 'privateKey', 32) : privateKey;
  setHashes();
  const hash = sha256(packMessage(prefix, words));
  const signed = withoutThrowing(() => sign(hash, key, { prehash: false, format: 'recovered' }));
  if (!signed) throw badInput('privateKey', 'is not a secp256k1 key');
  const [recovery = 0, ...rest] = signed;
  const text = encodeBech32(prefix, [...words, ...wordsOfBytes(Uint8Array.of(...rest, recovery))]);
  // if the draft has a `payee`, it must be the signer
  if (draft.payee !== undefined) recoverPayee(text);
  return text;
}

/**
 * FOR SIMULATION ONLY. Encodes an invoice with a correct checksum and an all-zero signature. No
 * wallet pays such an invoice. If you need thousands of invoices, this is much faster than signing
 * them. `decodeBolt11` accepts the result, but `verifyBolt11` rejects it.
 * @param draft the invoice's content
 * @returns the invoice in lowercase. Throws `InputError` with the invalid member
 *
 * @example
 * const draft = { timestamp: 1700000000, paymentHash, paymentSecret, description: 'tea' };
 * const text = encodeUnsignedBolt11({ ...draft, network: 'regtest' });
 */
export function encodeUnsignedBolt11(draft: Bolt11Draft): string {
  const { prefix, words } = encodeUnsigned(draft);
  return encodeBech32(prefix, [...words, ...new Array<number>(SIGNATURE_WORDS).fill(0)]);
}

/**
 * Returns the public key that signed an invoice.
 * @param text a BOLT11 invoice, as for `decodeBolt11`
 * @returns the receiver's public key in hex. Throws `InputError` if the invoice is invalid or its
 * signature doesn't match
 *
 * @example recoverPayee(quote.lnInvoice) // '03e7156a…'
 */
export function recoverPayee(text: string): string {
  return provePayee(readBolt11(text));
}

/**
 * Decodes an invoice and verifies its signature.
 * @param text a BOLT11 invoice, as for `decodeBolt11`
 * @returns the invoice's content, with a `payee` that the signature proves. Throws `InputError` if
 * the invoice is invalid or its signature doesn't match
 *
 * @example verifyBolt11(quote.lnInvoice).payee === shopNode
 */
export function verifyBolt11(text: string): VerifiedBolt11 {
  const raw = readBolt11(text);
  return { ...raw.invoice, payee: provePayee(raw) };
}

function provePayee(raw: RawBolt11): string {
  const key = findPayee(splitSignature(raw));
  if (!key) throw badBolt11('signature', 'has a signature that does not match');
  return key;
}

/**
 * Sets the elliptic curve library's hash functions on first use, because an import must not have
 * side effects.
 */
function setHashes(): void {
  hashes.sha256 ??= sha256;
  hashes.hmacSha256 ??= (key, message) => hmac(sha256, key, message);
}

/**
 * Encodes everything before the signature. Fields have a fixed order, so equal drafts produce equal
 * invoices.
 */
function encodeUnsigned(draft: Bolt11Draft): UnsignedBolt11 {
  checkOptions(draft ?? null, DRAFT_MEMBERS);
  const amount = draft.amountMsat === undefined ? '' : prefixOfAmount(draft.amountMsat);
  const words = [
    ...wordsOfNumber(count(draft.timestamp, 'timestamp', TIMESTAMP_LIMIT), 7),
    ...hexField('s', draft.paymentSecret, 'paymentSecret', 32),
    ...hexField('p', draft.paymentHash, 'paymentHash', 32),
    ...descriptionField(draft),
    ...optional(draft.metadata, (hex) => hexField('m', hex, 'metadata')),
    ...optional(draft.payee, (hex) => hexField('n', hex, 'payee', 33)),
    ...numberField('x', draft.expirySeconds, 'expirySeconds', 3600),
    ...numberField('c', draft.minFinalCltvExpiryDelta, 'minFinalCltvExpiryDelta', 18),
    ...(draft.fallbacks ?? []).flatMap(fallbackField),
    ...(draft.routeHints ?? []).flatMap((hops) =>
      hexField('r', hops.map(hexOfHop).join(''), 'routeHints', 51 * hops.length),
    ),
    ...featuresField(draft.features ?? [8, 14]),
  ];
  if (!Object.hasOwn(PREFIXES, draft.network))
    throw badInput('network', 'must be one of mainnet, testnet, signet, regtest');
  return { prefix: `ln${PREFIXES[draft.network]}${amount}`, words };
}

function field(tag: keyof typeof TAGS, words: readonly number[]): number[] {
  if (words.length > MAX_FIELD_WORDS) throw badInput('invoice', 'a field is longer than 639 bytes');
  return [TAGS[tag], words.length >> 5, words.length & 31, ...words];
}

function hexField(tag: keyof typeof TAGS, hex: string, name: string, length?: number): number[] {
  return field(tag, wordsOfBytes(hexBytes(hex, name, length)));
}

function numberField(
  tag: 'x' | 'c',
  value: number | undefined,
  name: string,
  usual: number,
): number[] {
  return value === undefined || value === usual
    ? []
    : field(tag, wordsOfNumber(count(value, name, Number.MAX_SAFE_INTEGER)));
}

function descriptionField({ description, descriptionHash }: Bolt11Draft): number[] {
  if ((description === undefined) === (descriptionHash === undefined)) {
    throw badInput('description', 'must be either a description or its hash');
  }
  if (descriptionHash !== undefined) return hexField('h', descriptionHash, 'descriptionHash', 32);
  return field('d', wordsOfBytes(new TextEncoder().encode(description)));
}

function fallbackField({ version, program }: Fallback): number[] {
  return field('f', [
    count(version, 'fallbacks', 19),
    ...wordsOfBytes(hexBytes(program, 'fallbacks')),
  ]);
}

function hexOfHop(hop: RouteHop): string {
  const sizes = [6, 6, 4, 8, 8, 4];
  const numbers = [
    ...hop.channel.split('x'),
    hop.feeBaseMsat,
    hop.feeMillionths,
    hop.cltvExpiryDelta,
  ].map((value, at) => hexOfCount(value).padStart(sizes[at] ?? 0, '0'));
  const fits =
    hop.node.length === 66 &&
    numbers.length === sizes.length &&
    numbers.every((hex, at) => hex.length === sizes[at]);
  if (!fits) throw badInput('routeHints', 'must be a list of hops, as in a decoded invoice');
  return hop.node + numbers.join('');
}

/** Formats an integer as hex. Any other value becomes `x`, which the caller rejects. */
function hexOfCount(value: string | number): string {
  return /^\d{1,10}$/.test(`${value}`) ? BigInt(value).toString(16) : 'x';
}

function featuresField(bits: readonly number[]): number[] {
  if (bits.length === 0) return [];
  const words = new Array<number>(
    Math.floor(Math.max(...bits.map((bit) => count(bit, 'features', 5115))) / 5) + 1,
  ).fill(0);
  for (const bit of bits) words[words.length - 1 - Math.floor(bit / 5)]! |= 1 << (bit % 5);
  return field(9, words);
}

function count(value: number, name: string, limit: number): number {
  if (!Number.isInteger(value) || value < 0 || value >= limit)
    throw badInput(name, `must be a whole number from 0 to ${limit - 1}`);
  return value;
}

function optional<T>(value: T | undefined, write: (value: T) => number[]): number[] {
  return value === undefined ? [] : write(value);
}
