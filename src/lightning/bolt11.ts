import { badInput } from '../core/errors/index.ts';
import { decodeBech32 } from './bech32.ts';
import { amountOfPrefix } from './bolt11-amount.ts';
import type { Bolt11Fields } from './bolt11-fields.ts';
import { readFields } from './bolt11-fields.ts';
import type { Network } from './networks.ts';
import { networkOf } from './networks.ts';
import { numberOfWords } from './words.ts';

/**
 * Everything that a BOLT11 invoice says, as plain data that survives JSON. Hex is in lower case.
 */
export interface Bolt11 extends Bolt11Fields {
  /** The invoice itself, in lower case, without `lightning:`. */
  readonly text: string;
  /** Where it is payable, by its prefix; compare it with the network that you pay on. */
  readonly network: Network;
  /** Whole millisatoshi as text; absent when the payer chooses. `fromMsat` makes money of it. */
  readonly amountMsat?: string | undefined;
  /** When it was made, seconds since 1970. */
  readonly timestamp: number;
  /** When it stops being payable, milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Parts that the signature's reader needs beside the data. */
export interface RawBolt11 {
  readonly prefix: string;
  /** Timestamp, fields and signature, five bits each. */
  readonly words: Uint8Array;
  readonly invoice: Bolt11;
}

const LONGEST = 8_000;
const TIMESTAMP_WORDS = 7;
/** 64 bytes of signature and one that tells the key. */
export const SIGNATURE_WORDS = 104;
const LAST_INSTANT = 8.64e15;

/**
 * Reads a BOLT11 invoice and proves its checksum; who signed it is `verifyBolt11`'s matter.
 * @param text the invoice in either case, also with `lightning:` before it and blanks around it
 * @returns what it says, with the defaults of the specification filled in; throws `InputError`
 * naming the broken rule
 * @example decodeBolt11(quote.lnInvoice).amountMsat // such as '250000000'
 */
export function decodeBolt11(text: string): Bolt11 {
  return readBolt11(text).invoice;
}

/** `decodeBolt11`, together with the words that were signed. */
export function readBolt11(given: string): RawBolt11 {
  const text = bareBolt11(given);
  const { prefix, words, kind } = decodeBech32(text, LONGEST, 'invoice');
  const parts = /^ln(bcrt|tbs|bc|tb)(\d{1,18}[munp]?)?$/.exec(prefix);
  if (kind !== 'bech32' || !parts)
    throw badBolt11('prefix', 'is no Lightning invoice of a known network with a whole amount');
  const end = words.length - SIGNATURE_WORDS;
  if (end < TIMESTAMP_WORDS) throw badBolt11('shape', 'is too short to hold a signature');
  const timestamp = numberOfWords(words, 0, TIMESTAMP_WORDS);
  const fields = readFields(words, TIMESTAMP_WORDS, end);
  const invoice: Bolt11 = {
    text: text.toLowerCase(),
    network: networkOf(parts[1] as string) as Network,
    timestamp,
    expiresAt: Math.min((timestamp + fields.expirySeconds) * 1000, LAST_INSTANT),
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

/** Without blanks around it and without the scheme. */
export function bareBolt11(text: string): string {
  if (typeof text !== 'string') throw badBolt11('type', 'must be a text');
  if (text.length > LONGEST + 100)
    throw badBolt11('too-long', `is longer than ${LONGEST} characters`);
  return text.trim().replace(/^lightning:(?:\/\/)?/i, '');
}

export function badBolt11(rule: string, advice: string): Error {
  return badInput('invoice', advice, { values: { rule } });
}
