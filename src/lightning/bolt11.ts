import { badInput, checkArgument } from '../core/errors/index.ts';
import type { Network } from '../core/http/index.ts';
import { toHex } from '../core/platform.ts';
import {
  bytesOfWords,
  decodeBech32,
  encodeBech32,
  hexBytes,
  hexOfWords,
  findNetwork,
  numberOfWords,
  PREFIXES,
  wordsOfBytes,
} from './bech32.ts';

/** A BOLT11 invoice's tagged fields. */
export interface Bolt11Fields {
  /** SHA-256 hash of the preimage that proves payment, in hex. */
  readonly paymentHash: string;
  /** A secret in hex (32 bytes). It proves to the receiver that the payer has this invoice. */
  readonly paymentSecret: string;
  /**
   * The purpose of the payment, up to 639 bytes of UTF-8. Absent if there's a `descriptionHash`.
   */
  readonly description?: string | undefined;
  /** SHA-256 hash of a description outside the invoice, in hex. */
  readonly descriptionHash?: string | undefined;
  /** How long the invoice is valid, in seconds from its timestamp. Defaults to 3,600. */
  readonly expirySeconds: number;
  /** Minimum number of blocks for the last hop's time lock. Defaults to 18. */
  readonly minFinalCltvExpiryDelta: number;
  /**
   * The receiver's public key in hex, according to the invoice. Use `verifyBolt11` to verify it.
   */
  readonly payee?: string | undefined;
  /** Data that the payer must send back, in hex. */
  readonly metadata?: string | undefined;
  /** On-chain addresses that can be paid instead. The receiver prefers the first ones. */
  readonly fallbacks: readonly Fallback[];
  /** Routes to a receiver that isn't publicly visible on the network. */
  readonly routeHints: readonly (readonly RouteHop[])[];
  /** Positions of the feature bits that are set. Even-numbered features are required. */
  readonly features: readonly number[];
}

type Draft = { -readonly [Name in keyof Bolt11Fields]?: Bolt11Fields[Name] } & {
  fallbacks: Fallback[];
  routeHints: RouteHop[][];
};

/** Position of each field's letter in the bech32 alphabet. */
export const TAGS = {
  p: 1,
  r: 3,
  9: 5,
  x: 6,
  f: 9,
  d: 13,
  s: 16,
  n: 19,
  h: 23,
  c: 24,
  m: 27,
} as const;
const HASH_WORDS = 52;
const KEY_WORDS = 53;

/**
 * Reads the fields between the timestamp and the signature. Skips unknown fields and fields with
 * the wrong size.
 */
function readFields(words: Uint8Array, start: number, end: number): Bolt11Fields {
  const found: Draft = { fallbacks: [], routeHints: [] };
  for (let at = start; at < end; ) {
    const from = at + 3;
    const to = from + (words[at + 1] as number) * 32 + (words[at + 2] as number);
    if (from > end || to > end) throw badBolt11('shape', 'contains an incomplete field');
    readField(found, words, at, to);
    at = to;
  }
  const { paymentHash, paymentSecret } = found;
  if (paymentHash === undefined) throw badBolt11('payment-hash', 'has no payment hash');
  if (paymentSecret === undefined) throw badBolt11('payment-secret', 'has no payment secret');
  const features = found.features ?? [];
  refuseUnknownFeatures(features);
  return {
    expirySeconds: 3600,
    minFinalCltvExpiryDelta: 18,
    ...found,
    paymentHash,
    paymentSecret,
    features,
  };
}

function readField(found: Draft, words: Uint8Array, at: number, to: number): void {
  const from = at + 3;
  const hex = (length: number) => (to - from === length ? hexOfWords(words, from, to) : undefined);
  switch (words[at]) {
    case TAGS.p:
      return keep(found, 'paymentHash', hex(HASH_WORDS));
    case TAGS.s:
      return keep(found, 'paymentSecret', hex(HASH_WORDS));
    case TAGS.h:
      return keep(found, 'descriptionHash', hex(HASH_WORDS));
    case TAGS.n:
      return keep(found, 'payee', hex(KEY_WORDS));
    case TAGS.m:
      return keep(found, 'metadata', hexOfWords(words, from, to));
    case TAGS.d:
      return keep(found, 'description', decodeText(bytesOfWords(words, from, to)));
    case TAGS.x:
      return keep(found, 'expirySeconds', numberOfWords(words, from, to));
    case TAGS.c:
      return keep(found, 'minFinalCltvExpiryDelta', numberOfWords(words, from, to));
    case TAGS[9]:
      return keep(found, 'features', readFeatures(words, from, to));
    case TAGS.r:
      return void found.routeHints.push(readHops(bytesOfWords(words, from, to)));
    case TAGS.f:
      return void found.fallbacks.push(...readFallback(words, from, to));
  }
}

/** Sets a field unless it's already set, so that a repeated field can't replace the first one. */
function keep<Name extends keyof Bolt11Fields>(
  found: Draft,
  name: Name,
  value: Draft[Name] | undefined,
): void {
  if (value !== undefined && found[name] === undefined) found[name] = value;
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw badBolt11('description', 'has a description that is not readable text');
  }
}

/** An on-chain fallback address in an invoice. Use `fallbackAddress` to format it. */
export interface Fallback {
  /**
   * Address type. 0 to 16 are SegWit versions, 17 is pay-to-pubkey-hash, and 18 is
   * pay-to-script-hash.
   */
  readonly version: number;
  /** The key hash, script hash or witness program, in hex. */
  readonly program: string;
}

/** One channel on a private route to the receiver. */
export interface RouteHop {
  /** Public key of the node where the hop starts, in hex. */
  readonly node: string;
  /** Channel id, which consists of the block, transaction and output, such as `103x1x0`. */
  readonly channel: string;
  /** Base fee in millisatoshi, as an integer string. */
  readonly feeBaseMsat: string;
  /** Proportional fee, in millionths of the amount. */
  readonly feeMillionths: number;
  /** Number of blocks that this hop adds to the payment's time lock. */
  readonly cltvExpiryDelta: number;
}

const HOP_BYTES = 51;
/** Required features that this package supports, as BOLT 9 feature bits. */
const UNDERSTOOD = [8, 14, 16, 24, 36, 48];

/** Reads one fallback address. Returns an empty array if its version or length is unknown. */
function readFallback(words: Uint8Array, from: number, to: number): Fallback[] {
  const version = to > from ? (words[from] as number) : 31;
  const length = ((to - from - 1) * 5) >> 3;
  const fits =
    version > 18
      ? false
      : version > 16
        ? length === 20
        : version > 0
          ? length >= 2 && length <= 40
          : length === 20 || length === 32;
  return fits ? [{ version, program: hexOfWords(words, from + 1, to) }] : [];
}

function readHops(bytes: Uint8Array): RouteHop[] {
  const hops: RouteHop[] = [];
  for (let at = 0; at + HOP_BYTES <= bytes.length; at += HOP_BYTES) {
    const view = new DataView(bytes.buffer, at, HOP_BYTES);
    hops.push({
      node: toHex(bytes.subarray(at, at + 33)),
      channel: `${view.getUint32(33) >>> 8}x${view.getUint32(36) >>> 8}x${view.getUint16(39)}`,
      feeBaseMsat: `${view.getUint32(41)}`,
      feeMillionths: view.getUint32(45),
      cltvExpiryDelta: view.getUint16(49),
    });
  }
  return hops;
}

/** Lists the feature bits that are set, counted from the end of the field. */
function readFeatures(words: Uint8Array, from: number, to: number): number[] {
  const bits: number[] = [];
  for (let at = to - 1; at >= from; at--) {
    for (let bit = 0; bit < 5; bit++)
      if (((words[at] as number) >> bit) & 1) bits.push((to - 1 - at) * 5 + bit);
  }
  return bits;
}

/** Throws for an unknown even bit, because a payer must support such a feature. */
function refuseUnknownFeatures(features: readonly number[]): void {
  const unknown = features.find((bit) => bit % 2 === 0 && !UNDERSTOOD.includes(bit));
  if (unknown !== undefined) {
    throw badInput('invoice', `requires the unknown feature ${unknown}`, {
      values: { rule: 'feature', bit: unknown },
    });
  }
}

/**
 * Formats a SegWit fallback address (BIP 173, BIP 350). Returns `undefined` for other address types.
 */
export function segwitFallback(
  { version, program }: Fallback,
  network: Network,
): string | undefined {
  if (version > 16) return undefined;
  // Signet invoices have their own prefix, but signet addresses use the testnet prefix.
  const prefix = PREFIXES[network === 'signet' ? 'testnet' : network];
  const words = [version, ...wordsOfBytes(hexBytes(program, 'fallback'))];
  return encodeBech32(prefix, words, version === 0 ? 'bech32' : 'bech32m');
}

/** A decoded BOLT11 invoice. It's plain data, so it can be stored as JSON. Hex is in lowercase. */
export interface Bolt11 extends Bolt11Fields {
  /** The invoice as a lowercase string, without `lightning:`. */
  readonly text: string;
  /** The invoice's network. Compare it with the network that you're paying on. */
  readonly network: Network;
  /**
   * Amount in millisatoshi, as an integer string. Absent if the payer chooses the amount. Use
   * `fromMsat` to convert it to money.
   */
  readonly amountMsat?: string | undefined;
  /** When the invoice was created, in seconds since 1970. */
  readonly timestamp: number;
  /** When the invoice expires, in milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface RawBolt11 {
  readonly prefix: string;
  /** Five-bit words that contain the timestamp, the fields and the signature. */
  readonly words: Uint8Array;
  readonly invoice: Bolt11;
}

const MAX_LENGTH = 8_000;
const TIMESTAMP_WORDS = 7;
/**
 * Number of five-bit words in a signature, which has 64 bytes and one byte for recovering the key.
 */
export const SIGNATURE_WORDS = 104;
const LATEST_DATE_MS = 8.64e15;

/**
 * Decodes a BOLT11 invoice and verifies its checksum. Use `verifyBolt11` to also verify its
 * signature.
 * @param text the invoice in either case, optionally with `lightning:` and surrounding whitespace
 * @returns the invoice's content, with the specification's defaults. Throws `InputError` with the
 * violated rule
 *
 * @example decodeBolt11(quote.lnInvoice).amountMsat // such as '250000000'
 */
export function decodeBolt11(text: string): Bolt11 {
  return readBolt11(text).invoice;
}

/** Decodes an invoice like `decodeBolt11`, and also returns the signed words. */
export function readBolt11(given: string): RawBolt11 {
  const text = bareBolt11(given);
  const { prefix, words, kind } = decodeBech32(text, MAX_LENGTH, 'invoice');
  const parts = /^ln(bcrt|tbs|bc|tb)(\d{1,18}[munp]?)?$/.exec(prefix);
  if (kind !== 'bech32' || !parts)
    throw badBolt11('prefix', 'is for an unknown network, or has an invalid amount');
  const end = words.length - SIGNATURE_WORDS;
  if (end < TIMESTAMP_WORDS) throw badBolt11('shape', 'is too short to contain a signature');
  const timestamp = numberOfWords(words, 0, TIMESTAMP_WORDS);
  const fields = readFields(words, TIMESTAMP_WORDS, end);
  const invoice: Bolt11 = {
    text: text.toLowerCase(),
    network: findNetwork(parts[1] as string) as Network,
    timestamp,
    expiresAt: Math.min((timestamp + fields.expirySeconds) * 1000, LATEST_DATE_MS),
    ...(parts[2] === undefined ? undefined : { amountMsat: amountOfPrefix(parts[2]) }),
    ...fields,
  };
  return { prefix, words, invoice };
}

/**
 * Returns whether an invoice has expired and can no longer be paid.
 * @param invoice the result of `decodeBolt11`
 * @param now the current time in milliseconds since 1970, by the client's clock
 *
 * @example isBolt11Expired(invoice, clock.now())
 */
export function isBolt11Expired(invoice: Pick<Bolt11, 'expiresAt'>, now: number): boolean {
  checkArgument('invoice.expiresAt', (Object(invoice) as Bolt11).expiresAt, 'number!');
  checkArgument('now', now, 'number!');
  return now >= invoice.expiresAt;
}

function bareBolt11(text: string): string {
  if (typeof text !== 'string') throw badBolt11('type', 'must be a string');
  if (text.length > MAX_LENGTH + 100)
    throw badBolt11('too-long', `is longer than ${MAX_LENGTH} characters`);
  return text.trim().replace(/^lightning:(?:\/\/)?/i, '');
}

export function badBolt11(rule: string, advice: string): Error {
  return badInput('invoice', advice, { values: { rule } });
}

/**
 * Creates a link that opens a wallet to pay an invoice.
 * @param text an invoice in either case. Its checksum isn't verified
 * @returns `lightning:` and the invoice in lowercase, as wallets expect. Throws `InputError` for
 * any other text
 *
 * @example bolt11Link(lnInvoice) // 'lightning:lnbc1…'
 */
export function bolt11Link(text: string): string {
  return `lightning:${checkShape(text)}`;
}

/**
 * Formats an invoice for a QR code.
 * @param text an invoice in either case. Its checksum isn't verified
 * @returns the invoice in uppercase, which makes the QR code smaller. Throws `InputError` for any
 * other text
 *
 * @example qrSvg(bolt11QrText(quote.lnInvoice))
 */
export function bolt11QrText(text: string): string {
  return checkShape(text).toUpperCase();
}

function checkShape(text: string): string {
  const bare = bareBolt11(text);
  if (!/^ln[a-z]{2}[a-z0-9]{6,}$/i.test(bare))
    throw badBolt11('shape', 'is not a Lightning invoice');
  return bare.toLowerCase();
}

/** Number of zeros to append when converting an amount in this unit to millisatoshi. */
const ZEROS = { '': 11, m: 8, u: 5, n: 2 } as const;

/**
 * Converts the amount in a prefix, such as `2500u`, to millisatoshi. Works on strings, so nothing
 * is rounded.
 */
function amountOfPrefix(text: string): string {
  const unit = text.replace(/\d+/, '');
  const count = text.slice(0, text.length - unit.length);
  if (count.startsWith('0')) throw badBolt11('amount', 'has an amount that starts with a zero');
  if (unit !== 'p') return count + '0'.repeat(ZEROS[unit as keyof typeof ZEROS]);
  if (!count.endsWith('0')) throw badBolt11('amount', 'has an amount smaller than a millisatoshi');
  return count.slice(0, -1);
}

/** Formats an amount in millisatoshi with the largest unit that doesn't need a fraction. */
export function prefixOfAmount(msat: string): string {
  if (!/^[1-9]\d{0,17}$/.test(msat))
    throw badBolt11('amount', 'must be a whole number above zero, as a string');
  const zeros = msat.length - msat.replace(/0+$/, '').length;
  for (const [unit, power] of Object.entries(ZEROS)) {
    if (zeros >= power) return msat.slice(0, msat.length - power) + unit;
  }
  return `${msat}0p`;
}

export interface SignatureParts {
  readonly message: Uint8Array;
  /** The signature values R and S, 32 bytes each, and the flag for recovering the key. */
  readonly signature: Uint8Array;
  /** The receiver's public key in hex, according to the invoice. */
  readonly payee: string | undefined;
}

export function splitSignature({ prefix, words, invoice }: RawBolt11): SignatureParts {
  const end = words.length - SIGNATURE_WORDS;
  return {
    message: packMessage(prefix, words.subarray(0, end)),
    signature: bytesOfWords(words, end),
    payee: invoice.payee,
  };
}

/**
 * Returns the bytes to sign according to BOLT 11: the prefix and the data, padded with
 * zeros.
 */
export function packMessage(prefix: string, words: ArrayLike<number>): Uint8Array {
  const padded = Uint8Array.from([...Array.from(words), 0, 0]);
  const data = bytesOfWords(padded).subarray(0, Math.ceil((words.length * 5) / 8));
  return Uint8Array.from([...new TextEncoder().encode(prefix), ...data]);
}
