import { badInput } from '../core/errors/index.ts';
import { compareMoney, fromMsat } from '../money/index.ts';
import { sha256Hex } from './base58.ts';
import { strangersAddress } from './web-address.ts';

/** What a payRequest (LUD-06) offers. */
export interface PayRequest {
  /** Where to ask for an invoice; `lnurlCallback` completes it. */
  readonly callback: string;
  /** Least amount, whole millisatoshi as text. */
  readonly minSendableMsat: string;
  /** Greatest amount, whole millisatoshi as text. */
  readonly maxSendableMsat: string;
  /** Exactly as it came: the invoice carries its hash. */
  readonly metadata: string;
  /** What is paid for, from the metadata. */
  readonly description: string;
  /** Longest comment in characters; 0 when none is taken (LUD-12). */
  readonly commentAllowed: number;
}

const LONGEST_METADATA = 200_000;

/**
 * Reads the answer of an LNURL that takes payments.
 * @param body parsed JSON of the answer
 * @returns what it offers; throws `InputError` when it breaks a rule or reports an error
 * @example readPayRequest(await response.json()).description
 */
export function readPayRequest(body: unknown): PayRequest {
  const given = (body ?? {}) as Record<string, unknown>;
  if (given['status'] === 'ERROR') throw bad('answer', 'is an answer that reports an error');
  if (given['tag'] !== 'payRequest') throw bad('tag', 'is no request to pay');
  const minSendableMsat = msatOf(given['minSendable']);
  const maxSendableMsat = msatOf(given['maxSendable']);
  if (compareMoney(fromMsat(minSendableMsat), fromMsat(maxSendableMsat)) > 0)
    throw bad('amount', 'has a least amount above its greatest');
  const comment = given['commentAllowed'] ?? 0;
  if (!Number.isSafeInteger(comment) || (comment as number) < 0)
    throw bad('comment', 'has a length of comments that is no whole number');
  const metadata = given['metadata'] as string;
  return {
    callback: strangersAddress(given['callback'] as string, 'callback'),
    minSendableMsat,
    maxSendableMsat,
    metadata,
    description: descriptionIn(metadata),
    commentAllowed: comment as number,
  };
}

/**
 * Hashes metadata as an invoice for it does.
 * @param metadata exactly as it came
 * @returns SHA-256 of its bytes, hex; to be compared with `descriptionHash` of the invoice
 * @example metadataHash(request.metadata) === decodeBolt11(answer.pr).descriptionHash
 */
export function metadataHash(metadata: string): string {
  return sha256Hex(new TextEncoder().encode(metadata));
}

/**
 * Writes the address that answers with an invoice.
 * @param request what `readPayRequest` returned
 * @param choice amount in whole millisatoshi as text, and a comment if one is taken
 * @returns the address to fetch; throws `InputError` for an amount or comment that the receiver
 * does not take
 * @example lnurlCallback(request, { amountMsat: '21000' })
 */
export function lnurlCallback(
  request: PayRequest,
  choice: { readonly amountMsat: string; readonly comment?: string | undefined },
): string {
  const { amountMsat, comment = '' } = choice;
  const amount = fromMsat(amountMsat);
  if (
    compareMoney(amount, fromMsat(request.minSendableMsat)) < 0 ||
    compareMoney(amount, fromMsat(request.maxSendableMsat)) > 0
  ) {
    throw badInput(
      'amountMsat',
      'is not between the least and the greatest amount of the receiver',
    );
  }
  if ([...comment].length > request.commentAllowed)
    throw badInput('comment', 'is longer than the receiver takes');
  const url = new URL(request.callback);
  url.searchParams.set('amount', amountMsat);
  if (comment) url.searchParams.set('comment', comment);
  return url.href;
}

/** JSON has only numbers for these; a whole one within the exact range becomes a text unharmed. */
function msatOf(given: unknown): string {
  if (!Number.isSafeInteger(given) || (given as number) <= 0)
    throw bad('amount', 'must have amounts that are whole and above zero');
  return `${given as number}`;
}

function descriptionIn(metadata: string): string {
  const texts = entriesOf(metadata).filter(([type]) => type === 'text/plain');
  if (texts.length !== 1) throw bad('metadata', 'must have metadata with one text/plain');
  return texts[0]?.[1] as string;
}

function entriesOf(metadata: string): [string, string][] {
  if (typeof metadata !== 'string' || metadata.length > LONGEST_METADATA) {
    throw bad('metadata', 'must have metadata that is a text of bounded size');
  }
  const entries = parseJson(metadata);
  const fine =
    Array.isArray(entries) &&
    entries.every(
      (entry) =>
        Array.isArray(entry) &&
        entry.length === 2 &&
        entry.every((part) => typeof part === 'string'),
    );
  if (!fine) throw bad('metadata', 'must have metadata that is a list of type and content');
  return entries as [string, string][];
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function bad(rule: string, advice: string): Error {
  return badInput('payRequest', advice, { values: { rule } });
}
