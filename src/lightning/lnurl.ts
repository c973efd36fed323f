import { badInput, checkArgument, checkOptions, type Open } from '../core/errors/index.ts';
import { isPrivateHost } from '../core/hosts.ts';
import { parseJson, parseUrl } from '../core/platform.ts';
import { compareMoney, fromMsat } from '../money/index.ts';
import { bytesOfWords, decodeBech32, encodeBech32, wordsOfBytes } from './bech32.ts';
import { sha256Hex } from './hashes.ts';

/** The URL in an LNURL, with its purpose if it's known. */
export interface Lnurl {
  /** The URL to request, unchanged. */
  readonly url: string;
  /**
   * The purpose, from the scheme (LUD-17) or from `tag=` in the URL. If it's absent, only the URL's
   * response contains it. If the scheme and the tag differ, this is the one that isn't for
   * payments.
   */
  readonly tag?: Open<'payRequest' | 'withdrawRequest' | 'channelRequest' | 'login'> | undefined;
}

const MAX_LNURL_LENGTH = 4_000;
const SCHEMES = {
  lnurlp: 'payRequest',
  lnurlw: 'withdrawRequest',
  lnurlc: 'channelRequest',
  keyauth: 'login',
} as const;

/** Matches the start of an LNURL that isn't inside another link. */
export const LNURL_START: RegExp = /^(?:lnurl1|lnurl[pwc]:|keyauth:)/i;

/**
 * Decodes an LNURL in any of its formats, which are plain bech32, bech32 with `lightning:`,
 * `lightning=` in a link, and a URL with a LUD-17 scheme.
 * @param text the LNURL, optionally with surrounding whitespace
 * @returns the LNURL's URL. Throws `InputError` with the violated rule. No request is sent
 *
 * @example decodeLnurl('lnurlp://service.example/pay').url // 'https://service.example/pay'
 */
export function decodeLnurl(text: string): Lnurl {
  if (typeof text !== 'string' || text.length > MAX_LNURL_LENGTH)
    throw badLnurl('too-long', `must be a string of at most ${MAX_LNURL_LENGTH} characters`);
  const bare = text.trim().replace(/^lightning:(?:\/\/)?/i, '');
  if (/^https?:|^[a-z][a-z\d+.-]*:.*[?&]lightning=/i.test(bare)) return decodeLnurl(lnurlIn(bare));
  const [, scheme, rest] = /^(lnurl[pwc]|keyauth):(?:\/\/)?(.+)$/i.exec(bare) ?? [];
  if (scheme && rest)
    return lnurlTo(overWeb(rest), SCHEMES[scheme.toLowerCase() as keyof typeof SCHEMES]);
  if (!LNURL_START.test(bare)) throw badLnurl('prefix', BEGINNING);
  const { words, kind, prefix } = decodeBech32(bare, MAX_LNURL_LENGTH, 'lnurl');
  if (kind !== 'bech32' || prefix !== 'lnurl') throw badLnurl('prefix', BEGINNING);
  return lnurlTo(decodeAscii(bytesOfWords(words)));
}

const BEGINNING = 'must start with lnurl1 or lnurlp://';

/** Finds the LNURL in another link's query (LUD-01, fallback scheme). */
function lnurlIn(link: string): string {
  const found = [...(parseUrl(link)?.searchParams ?? [])].find(
    ([key, value]) => key.toLowerCase() === 'lightning' && LNURL_START.test(value),
  );
  if (found) return found[1];
  throw badWebAddress('uri', 'contains no LNURL');
}

function lnurlTo(url: string, purpose?: string): Lnurl {
  strangersAddress(url, 'lnurl');
  const tags = [purpose, ...new URL(url).searchParams.getAll('tag')].filter(Boolean);
  const tag = tags.find((each) => each !== 'payRequest') ?? tags[0];
  return tag === undefined ? { url } : { url, tag };
}

/**
 * Encodes a URL as a bech32 LNURL.
 * @param url an https URL, or an http URL with an onion host
 * @returns the LNURL in lowercase. Uppercase is also valid, and makes a QR code smaller. Throws
 * `InputError` for other URLs
 *
 * @example encodeLnurl('https://service.example/pay') // 'lnurl1dp68g…'
 */
export function encodeLnurl(url: string): string {
  return encodeBech32(
    'lnurl',
    wordsOfBytes(new TextEncoder().encode(strangersAddress(url, 'url'))),
  );
}

/**
 * Returns an https URL, or an http URL for onion hosts, because the onion network encrypts
 * requests.
 */
function overWeb(rest: string): string {
  const host = /^[^/?#:]*/.exec(rest)?.[0] ?? '';
  return `${/\.onion$/i.test(host) ? 'http' : 'https'}://${rest}`;
}

function decodeAscii(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function badLnurl(rule: string, advice: string): Error {
  return badInput('lnurl', advice, { values: { rule } });
}

/** A Lightning address (LUD-16) and its URL. */
export interface LightningAddress {
  /** The whole address, without `lightning:` or whitespace. Its host is in lowercase. */
  readonly text: string;
  /** The part before the `@`. */
  readonly name: string;
  /** The part after the `@`, the host that provides invoices. */
  readonly domain: string;
  /** The URL that returns a payRequest. */
  readonly url: string;
}

const ADDRESS =
  /^([a-z\d_.+-]{1,64})@((?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.){1,8}[a-z](?:[a-z\d-]{0,61}[a-z\d])?)$/i;

/**
 * Parses a Lightning address.
 * @param text such as `satoshi@bitcoin.org`, optionally with `lightning:` or surrounding whitespace
 * @returns the address's parts and the URL to request. Throws `InputError` with the violated rule.
 * No request is sent
 *
 * @example parseLightningAddress('satoshi@bitcoin.org').url // 'https://bitcoin.org/.well-known/lnurlp/satoshi'
 */
export function parseLightningAddress(text: string): LightningAddress {
  if (typeof text !== 'string' || text.length > 330)
    throw badAddress('too-long', 'must be a string of at most 320 characters');
  const bare = text.trim().replace(/^lightning:(?:\/\/)?/i, '');
  const [, name, host] = ADDRESS.exec(bare) ?? [];
  if (name === undefined || host === undefined)
    throw badAddress('shape', 'must look like name@domain.example');
  if (name !== name.toLowerCase()) throw badAddress('case', 'must be lowercase before the @');
  const domain = host.toLowerCase();
  const scheme = domain.endsWith('.onion') ? 'http' : 'https';
  return {
    text: `${name}@${domain}`,
    name,
    domain,
    url: strangersAddress(`${scheme}://${domain}/.well-known/lnurlp/${name}`, 'address'),
  };
}

function badAddress(rule: string, advice: string): Error {
  return badInput('address', advice, { values: { rule } });
}

/** The content of a payRequest (LUD-06). */
export interface PayRequest {
  /** The URL that returns an invoice. Use `lnurlCallback` to add the parameters. */
  readonly callback: string;
  /** Smallest amount in millisatoshi, as an integer string. */
  readonly minSendableMsat: string;
  /** Largest amount in millisatoshi, as an integer string. */
  readonly maxSendableMsat: string;
  /** The metadata exactly as it was received, because the invoice contains its hash. */
  readonly metadata: string;
  /** The purpose of the payment, from the metadata. */
  readonly description: string;
  /** Maximum length of a comment in characters (LUD-12). 0 if comments aren't accepted. */
  readonly commentAllowed: number;
}

const MAX_METADATA_LENGTH = 200_000;

/**
 * Validates a payRequest, the response to an LNURL for payments.
 * @param body the parsed JSON of the response
 * @returns the payRequest's content. Throws `InputError` if it's invalid or reports an error
 *
 * @example readPayRequest(await response.json()).description
 */
export function readPayRequest(body: unknown): PayRequest {
  const given = (body ?? {}) as Record<string, unknown>;
  if (given['status'] === 'ERROR') throw badPayRequest('answer', 'reports an error');
  if (given['tag'] !== 'payRequest') throw badPayRequest('tag', 'is not a payRequest');
  const bounds = [given['minSendable'], given['maxSendable']];
  if (!bounds.every((bound) => typeof bound === 'number' && bound > 0))
    throw badPayRequest('amount', 'must have amounts above zero');
  const [least, most] = sendableMsat(...(bounds as [number, number]));
  if (least > most) throw badPayRequest('amount', 'has a minimum above its maximum');
  const comment = given['commentAllowed'] ?? 0;
  if (!Number.isSafeInteger(comment) || (comment as number) < 0)
    throw badPayRequest('comment', 'has a comment length that is not a whole number');
  const metadata = given['metadata'] as string;
  return {
    callback: strangersAddress(given['callback'] as string, 'callback'),
    minSendableMsat: `${least}`,
    maxSendableMsat: `${most}`,
    metadata,
    description: descriptionIn(metadata),
    commentAllowed: comment as number,
  };
}

/**
 * Hashes metadata the same way as an invoice's description hash.
 * @param metadata the metadata exactly as it was received
 * @returns the SHA-256 hash in hex. Compare it with the invoice's `descriptionHash`
 *
 * @example metadataHash(request.metadata) === decodeBolt11(answer.pr).descriptionHash
 */
export function metadataHash(metadata: string): string {
  checkArgument('metadata', metadata ?? null, 'string');
  return sha256Hex(new TextEncoder().encode(metadata));
}

/**
 * Builds the URL that returns an invoice.
 * @param request the result of `readPayRequest`
 * @param choice the amount in millisatoshi as an integer string, and a comment if the receiver
 * accepts one
 * @returns the URL to fetch. Throws `InputError` for an amount or comment that the receiver doesn't
 * accept
 *
 * @example lnurlCallback(request, { amountMsat: '21000' })
 */
export function lnurlCallback(
  request: PayRequest,
  choice: { readonly amountMsat: string; readonly comment?: string | undefined },
): string {
  checkArgument('request', request, 'object!');
  const members = { amountMsat: 'string!', comment: 'string' } as const;
  checkOptions<typeof choice>(choice ?? null, members, 'choice.');
  const { amountMsat, comment = '' } = choice;
  const amount = fromMsat(amountMsat);
  if (
    compareMoney(amount, fromMsat(request.minSendableMsat)) < 0 ||
    compareMoney(amount, fromMsat(request.maxSendableMsat)) > 0
  ) {
    throw badInput('amountMsat', "is outside the receiver's limits");
  }
  if ([...comment].length > request.commentAllowed)
    throw badInput('comment', 'is longer than the receiver accepts');
  const added = new URLSearchParams({ amount: amountMsat, ...(comment && { comment }) });
  return withParameters(request.callback, added);
}

/**
 * Adds or replaces URL parameters. All other parameters stay exactly as they are, because the
 * receiver may have signed them.
 */
function withParameters(address: string, added: URLSearchParams): string {
  const [, start = '', query, hash = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/.exec(address) ?? [];
  const isReplaced = (pair: string) => [...new URLSearchParams(pair).keys()].some(isAdded);
  const isAdded = (name: string) => added.has(name);
  const kept = query ? query.split('&').filter((pair) => !isReplaced(pair)) : [];
  return `${start}?${[...kept, added].join('&')}${hash}`;
}

const MAX_MSAT = 2_100_000_000_000_000_000;

/**
 * Converts the receiver's limits to whole millisatoshi. The given values can be fractional or very
 * large.
 */
export function sendableMsat(least: number, most: number): readonly [least: bigint, most: bigint] {
  const possible = (bound: number) => BigInt(Math.max(0, Math.min(bound, MAX_MSAT)));
  return [possible(Math.ceil(least)), possible(Math.floor(most))];
}

function descriptionIn(metadata: string): string {
  const [text, ...others] = parseEntries(metadata).filter(([type]) => type === 'text/plain');
  if (typeof text?.[1] === 'string' && others.length === 0) return text[1];
  throw badPayRequest('metadata', 'must have metadata with exactly one text/plain entry');
}

/**
 * Parses the metadata, a list of entries that each have a type and content. The content
 * can be any JSON value (LUD-06).
 */
function parseEntries(metadata: string): readonly (readonly unknown[])[] {
  if (typeof metadata !== 'string' || metadata.length > MAX_METADATA_LENGTH) {
    throw badPayRequest('metadata', 'must have metadata that is a string and not too long');
  }
  const entries = parseJson(metadata);
  if (
    !Array.isArray(entries) ||
    !entries.every((entry) => Array.isArray(entry) && typeof entry[0] === 'string')
  )
    throw badPayRequest('metadata', 'must have metadata that is a list of [type, content] pairs');
  return entries as unknown[][];
}

function badPayRequest(rule: string, advice: string): Error {
  return badInput('payRequest', advice, { values: { rule } });
}

const MAX_WEB_ADDRESS_LENGTH = 2_048;

/**
 * Checks a URL from an untrusted source before it's fetched. It must be an https URL, or an http
 * URL with an onion host. It must not have a password, control characters, or a host in a private
 * network.
 */
function strangersAddress(text: string, field: string): string {
  if (typeof text !== 'string' || text.length > MAX_WEB_ADDRESS_LENGTH || /[^!-~]/.test(text)) {
    throw badWebAddress(field, 'is too long or contains a character that is not allowed');
  }
  const url = parseUrl(text);
  if (!url || url.username || url.password) throw badWebAddress(field, 'is not a URL');
  const onion = url.hostname.endsWith('.onion');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && onion))
    throw badWebAddress(field, 'must point to an https address');
  if (isPrivateHost(url.hostname)) throw badWebAddress(field, 'points to a private network');
  return text;
}

function badWebAddress(field: string, advice: string): Error {
  return badInput(field, advice, { values: { rule: 'web-address' } });
}
