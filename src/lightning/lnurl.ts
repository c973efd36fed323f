import { badInput } from '../core/errors/index.ts';
import { parseJson, parseUrl } from '../core/platform.ts';
import { compareMoney, fromMsat } from '../money/index.ts';
import { bytesOfWords, decodeBech32, encodeBech32, wordsOfBytes } from './bech32.ts';
import { sha256Hex } from './hashes.ts';

/** The web address of an LNURL, and its purpose where the text names it. */
export interface Lnurl {
  /** The web address to request, exactly as the text contains it. */
  readonly url: string;
  /**
   * The purpose, from the scheme (LUD-17) or from `tag=` in the address; when absent, only the
   * response tells it.
   */
  readonly tag?: 'payRequest' | 'withdrawRequest' | 'channelRequest' | 'login' | undefined;
}

const MAX_LNURL_LENGTH = 4_000;
const SCHEMES = {
  lnurlp: 'payRequest',
  lnurlw: 'withdrawRequest',
  lnurlc: 'channelRequest',
  keyauth: 'login',
} as const;

/**
 * Reads an LNURL in any of its forms: bech32, with `lightning:`, as `lightning=` of a web address,
 * or LUD-17's schemes.
 * @param text the LNURL, with blanks around it if need be
 * @returns where it leads; throws `InputError` naming the broken rule. Nothing is fetched
 * @example decodeLnurl('lnurlp://service.example/pay').url // 'https://service.example/pay'
 */
export function decodeLnurl(text: string): Lnurl {
  if (typeof text !== 'string' || text.length > MAX_LNURL_LENGTH)
    throw badLnurl('too-long', `must be a text of at most ${MAX_LNURL_LENGTH} characters`);
  const bare = text.trim().replace(/^lightning:(?:\/\/)?/i, '');
  const scheme = /^(lnurl[pwc]|keyauth):\/\/(.+)$/i.exec(bare);
  if (scheme) {
    const tag = SCHEMES[(scheme[1] as string).toLowerCase() as keyof typeof SCHEMES];
    return { url: strangersAddress(overWeb(scheme[2] as string), 'lnurl'), tag };
  }
  const code = /^https?:\/\//i.test(bare) ? codeInWebAddress(bare) : bare;
  if (!/^lnurl1/i.test(code)) throw badLnurl('prefix', 'is not an LNURL');
  const { words, kind, prefix } = decodeBech32(code, MAX_LNURL_LENGTH, 'lnurl');
  if (kind !== 'bech32' || prefix !== 'lnurl') throw badLnurl('prefix', 'is not an LNURL');
  const url = strangersAddress(asciiOf(bytesOfWords(words)), 'lnurl');
  return new URL(url).searchParams.get('tag') === 'login' ? { url, tag: 'login' } : { url };
}

/**
 * Writes a web address as LNURL in bech32.
 * @param url https, or http to an onion host
 * @returns the LNURL in lower case; upper case is as good, and better in a QR code. Throws
 * `InputError` for other addresses
 * @example encodeLnurl('https://service.example/pay') // 'lnurl1dp68g…'
 */
export function encodeLnurl(url: string): string {
  return encodeBech32(
    'lnurl',
    wordsOfBytes(new TextEncoder().encode(strangersAddress(url, 'url'))),
  );
}

/** Uses http only for onion hosts, whose network encrypts. */
function overWeb(rest: string): string {
  const host = /^[^/?#:]*/.exec(rest)?.[0] ?? '';
  return `${/\.onion$/i.test(host) ? 'http' : 'https'}://${rest}`;
}

function codeInWebAddress(text: string): string {
  const code = parseUrl(text)?.searchParams.get('lightning');
  if (!code) throw badLnurl('web-address', 'is a web page, not an LNURL');
  return code;
}

function asciiOf(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function badLnurl(rule: string, advice: string): Error {
  return badInput('lnurl', advice, { values: { rule } });
}

/** A Lightning address (LUD-16) and its web address. */
export interface LightningAddress {
  /** The whole address, without `lightning:` and blanks. */
  readonly text: string;
  /** The part before the `@`. */
  readonly name: string;
  /** The part after the `@`: the host that is requested. */
  readonly domain: string;
  /** The web address that responds with a payRequest. */
  readonly url: string;
}

const ADDRESS =
  /^([a-z\d_.+-]{1,64})@((?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.){1,8}[a-z](?:[a-z\d-]{0,61}[a-z\d])?)$/;

/**
 * Reads a Lightning address.
 * @param text such as `satoshi@bitcoin.org`, with `lightning:` or blanks around it if need be
 * @returns its parts and the web address to ask; throws `InputError` naming the broken rule.
 * Nothing is fetched
 * @example parseLightningAddress('satoshi@bitcoin.org').url // 'https://bitcoin.org/.well-known/lnurlp/satoshi'
 */
export function parseLightningAddress(text: string): LightningAddress {
  if (typeof text !== 'string' || text.length > 330)
    throw badAddress('too-long', 'must be a text of at most 320 characters');
  const bare = text.trim().replace(/^lightning:(?:\/\/)?/i, '');
  const [, name, domain] = ADDRESS.exec(bare) ?? [];
  if (name === undefined || domain === undefined) {
    throw ADDRESS.test(bare.toLowerCase())
      ? badAddress('case', 'must be in lower case')
      : badAddress('shape', 'must look like name@domain.example');
  }
  const scheme = domain.endsWith('.onion') ? 'http' : 'https';
  return {
    text: bare,
    name,
    domain,
    url: strangersAddress(`${scheme}://${domain}/.well-known/lnurlp/${name}`, 'address'),
  };
}

function badAddress(rule: string, advice: string): Error {
  return badInput('address', advice, { values: { rule } });
}

/** The offer of a payRequest (LUD-06). */
export interface PayRequest {
  /** The address that returns an invoice; `lnurlCallback` completes it. */
  readonly callback: string;
  /** The smallest amount, whole millisatoshi as text. */
  readonly minSendableMsat: string;
  /** The largest amount, whole millisatoshi as text. */
  readonly maxSendableMsat: string;
  /** The metadata exactly as received: the invoice contains its hash. */
  readonly metadata: string;
  /** The purpose of the payment, from the metadata. */
  readonly description: string;
  /** The longest comment in characters; 0 where comments are not accepted (LUD-12). */
  readonly commentAllowed: number;
}

const MAX_METADATA_LENGTH = 200_000;

/**
 * Reads the response of an LNURL that accepts payments.
 * @param body parsed JSON of the answer
 * @returns what it offers; throws `InputError` when it breaks a rule or reports an error
 * @example readPayRequest(await response.json()).description
 */
export function readPayRequest(body: unknown): PayRequest {
  const given = (body ?? {}) as Record<string, unknown>;
  if (given['status'] === 'ERROR') throw badPayRequest('answer', 'reports an error');
  if (given['tag'] !== 'payRequest') throw badPayRequest('tag', 'is not a payRequest');
  const minSendableMsat = msatOf(given['minSendable']);
  const maxSendableMsat = msatOf(given['maxSendable']);
  if (compareMoney(fromMsat(minSendableMsat), fromMsat(maxSendableMsat)) > 0)
    throw badPayRequest('amount', 'has a least amount above its greatest');
  const comment = given['commentAllowed'] ?? 0;
  if (!Number.isSafeInteger(comment) || (comment as number) < 0)
    throw badPayRequest('comment', 'has a comment length that is not a whole number');
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
 * Hashes metadata in the same way as the invoice for it.
 * @param metadata exactly as it came
 * @returns SHA-256 of its bytes, hex; to be compared with `descriptionHash` of the invoice
 * @example metadataHash(request.metadata) === decodeBolt11(answer.pr).descriptionHash
 */
export function metadataHash(metadata: string): string {
  return sha256Hex(new TextEncoder().encode(metadata));
}

/**
 * Writes the address that returns an invoice.
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

/** Converts a JSON number to a text; it must be whole and within the exact range. */
function msatOf(given: unknown): string {
  if (!Number.isSafeInteger(given) || (given as number) <= 0)
    throw badPayRequest('amount', 'must have amounts that are whole and above zero');
  return `${given as number}`;
}

function descriptionIn(metadata: string): string {
  const texts = entriesOf(metadata).filter(([type]) => type === 'text/plain');
  if (texts.length !== 1) throw badPayRequest('metadata', 'must have metadata with one text/plain');
  return texts[0]?.[1] as string;
}

function entriesOf(metadata: string): [string, string][] {
  if (typeof metadata !== 'string' || metadata.length > MAX_METADATA_LENGTH) {
    throw badPayRequest('metadata', 'must have metadata that is a text of bounded size');
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
  if (!fine)
    throw badPayRequest('metadata', 'must have metadata that is a list of type and content');
  return entries as [string, string][];
}

function badPayRequest(rule: string, advice: string): Error {
  return badInput('payRequest', advice, { values: { rule } });
}

const MAX_WEB_ADDRESS_LENGTH = 2_048;

/**
 * Checks an address from a stranger's text before it is fetched. It must be https, or http to an
 * onion host, without password, control character or host of a private network. Returns it as
 * written.
 */
function strangersAddress(text: string, field: string): string {
  if (typeof text !== 'string' || text.length > MAX_WEB_ADDRESS_LENGTH || /[^!-~]/.test(text)) {
    throw badWebAddress(field, 'is too long or contains a character that is not allowed');
  }
  const url = parseUrl(text);
  if (!url || url.username || url.password) throw badWebAddress(field, 'is not a web address');
  const onion = url.hostname.endsWith('.onion');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && onion))
    throw badWebAddress(field, 'must begin with https');
  if (isInner(url.hostname)) throw badWebAddress(field, 'leads into a private network');
  return text;
}

/**
 * Tells whether a host is in a private network. `URL` normalises every form of an IPv4 address to
 * four numbers.
 */
function isInner(host: string): boolean {
  return (
    /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(
      host,
    ) ||
    /^\[(?:::|::1|::ffff:.*|f[cd].*|fe[89ab].*)\]$/.test(host) ||
    /(?:^|\.)(?:localhost|local|internal)\.?$/.test(host)
  );
}

function badWebAddress(field: string, advice: string): Error {
  return badInput(field, advice, { values: { rule: 'web-address' } });
}
