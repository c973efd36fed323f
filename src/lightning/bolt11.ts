import { badInput } from '../core/errors/index.ts';
import type { Network } from '../core/http/index.ts';
import { bytesOfWords, decodeBech32, networkOf, numberOfWords } from './bech32.ts';
import { type Bolt11Fields, readFields } from './bolt11-fields.ts';

/**
 * Everything that a BOLT11 invoice says, as plain data that survives JSON. Hex is in lower case.
 */
export interface Bolt11 extends Bolt11Fields {
  /** The invoice itself, in lower case, without `lightning:`. */
  readonly text: string;
  /** The network of its prefix; compare it with the network that you pay on. */
  readonly network: Network;
  /** Whole millisatoshi as text; absent when the payer chooses. `fromMsat` converts it to money. */
  readonly amountMsat?: string | undefined;
  /** When it was made, seconds since 1970. */
  readonly timestamp: number;
  /** When it stops being payable, milliseconds since 1970. */
  readonly expiresAt: number;
}

/** An invoice with the parts that the check of its signature needs. */
export interface RawBolt11 {
  readonly prefix: string;
  /** Timestamp, fields and signature, five bits each. */
  readonly words: Uint8Array;
  readonly invoice: Bolt11;
}

const MAX_LENGTH = 8_000;
const TIMESTAMP_WORDS = 7;
/** 64 bytes of signature and one byte that identifies the key. */
export const SIGNATURE_WORDS = 104;
const LATEST_DATE_MS = 8.64e15;

/**
 * Reads a BOLT11 invoice and checks its checksum; `verifyBolt11` also checks its signature.
 * @param text the invoice in either case, also with `lightning:` before it and blanks around it
 * @returns what it says, with the defaults of the specification filled in; throws `InputError`
 * naming the broken rule
 * @example decodeBolt11(quote.lnInvoice).amountMsat // such as '250000000'
 */
export function decodeBolt11(text: string): Bolt11 {
  return readBolt11(text).invoice;
}

/** Reads an invoice like `decodeBolt11` and also returns the words that were signed. */
export function readBolt11(given: string): RawBolt11 {
  const text = bareBolt11(given);
  const { prefix, words, kind } = decodeBech32(text, MAX_LENGTH, 'invoice');
  const parts = /^ln(bcrt|tbs|bc|tb)(\d{1,18}[munp]?)?$/.exec(prefix);
  if (kind !== 'bech32' || !parts)
    throw badBolt11('prefix', 'is not a Lightning invoice of a known network with a whole amount');
  const end = words.length - SIGNATURE_WORDS;
  if (end < TIMESTAMP_WORDS) throw badBolt11('shape', 'is too short to contain a signature');
  const timestamp = numberOfWords(words, 0, TIMESTAMP_WORDS);
  const fields = readFields(words, TIMESTAMP_WORDS, end);
  const invoice: Bolt11 = {
    text: text.toLowerCase(),
    network: networkOf(parts[1] as string) as Network,
    timestamp,
    expiresAt: Math.min((timestamp + fields.expirySeconds) * 1000, LATEST_DATE_MS),
    ...(parts[2] === undefined ? undefined : { amountMsat: amountOfPrefix(parts[2]) }),
    ...fields,
  };
  return { prefix, words, invoice };
}

/**
 * Tells whether an invoice can no longer be paid.
 * @param invoice what `decodeBolt11` returned
 * @param now milliseconds since 1970, from the connection's clock
 * @example isBolt11Expired(invoice, clock.now())
 */
export function isBolt11Expired(invoice: Pick<Bolt11, 'expiresAt'>, now: number): boolean {
  return now >= invoice.expiresAt;
}

/** Removes blanks and the scheme around an invoice. */
function bareBolt11(text: string): string {
  if (typeof text !== 'string') throw badBolt11('type', 'must be a text');
  if (text.length > MAX_LENGTH + 100)
    throw badBolt11('too-long', `is longer than ${MAX_LENGTH} characters`);
  return text.trim().replace(/^lightning:(?:\/\/)?/i, '');
}

export function badBolt11(rule: string, advice: string): Error {
  return badInput('invoice', advice, { values: { rule } });
}

/**
 * Writes the link that opens a wallet.
 * @param text an invoice, in either case; its checksum is not checked
 * @returns `lightning:` and the invoice in lower case, as wallets expect it in links; throws
 * `InputError` for other texts
 * @example bolt11Link(lnInvoice) // 'lightning:lnbc1…'
 */
export function bolt11Link(text: string): string {
  return `lightning:${checkShape(text)}`;
}

/**
 * Writes an invoice for a QR code.
 * @param text an invoice, in either case; its checksum is not checked
 * @returns the invoice in upper case, which makes a code of fewer dots; throws `InputError` for
 * other texts
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

/** How many zeros convert a count of this unit to millisatoshi. */
const ZEROS = { '': 11, m: 8, u: 5, n: 2 } as const;

/**
 * Reads the amount of an invoice's prefix, such as `2500u`, as millisatoshi. It works on texts, so
 * that nothing is rounded.
 */
function amountOfPrefix(text: string): string {
  const unit = text.replace(/\d+/, '');
  const count = text.slice(0, text.length - unit.length);
  if (count.startsWith('0')) throw badAmount('has an amount that begins with a zero');
  if (unit !== 'p') return count + '0'.repeat(ZEROS[unit as keyof typeof ZEROS]);
  if (!count.endsWith('0')) throw badAmount('has an amount finer than a millisatoshi');
  return count.slice(0, -1);
}

/** Writes millisatoshi in the largest unit that needs no fraction. */
export function prefixOfAmount(msat: string): string {
  if (!/^[1-9]\d{0,17}$/.test(msat)) throw badAmount('needs a whole amount above zero, as text');
  const zeros = msat.length - msat.replace(/0+$/, '').length;
  for (const [unit, power] of Object.entries(ZEROS)) {
    if (zeros >= power) return msat.slice(0, msat.length - power) + unit;
  }
  return `${msat}0p`;
}

function badAmount(advice: string): Error {
  return badInput('invoice', advice, { values: { rule: 'amount' } });
}

/** What the check of an invoice's signature needs. */
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

/** Returns what BOLT 11 signs: prefix and data as bytes, the last byte filled with zeros. */
export function messageOf(prefix: string, words: ArrayLike<number>): Uint8Array {
  const padded = Uint8Array.from([...Array.from(words), 0, 0]);
  const data = bytesOfWords(padded).subarray(0, Math.ceil((words.length * 5) / 8));
  return Uint8Array.from([...new TextEncoder().encode(prefix), ...data]);
}
