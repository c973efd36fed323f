import { badInput } from '../core/errors/index.ts';
import { decodeBech32, encodeBech32 } from './bech32.ts';
import { parseUrl, strangersAddress } from './web-address.ts';
import { bytesOfWords, wordsOfBytes } from './words.ts';

/** Where an LNURL leads, and what waits there if the text says so. */
export interface Lnurl {
  /** Web address to ask, exactly as the text holds it. */
  readonly url: string;
  /**
   * Known from the scheme (LUD-17) or from `tag=` in the address; otherwise only the answer tells.
   */
  readonly tag?: 'payRequest' | 'withdrawRequest' | 'channelRequest' | 'login' | undefined;
}

const LONGEST = 4_000;
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
  if (typeof text !== 'string' || text.length > LONGEST)
    throw bad('too-long', `must be a text of at most ${LONGEST} characters`);
  const bare = text.trim().replace(/^lightning:(?:\/\/)?/i, '');
  const scheme = /^(lnurl[pwc]|keyauth):\/\/(.+)$/i.exec(bare);
  if (scheme) {
    const tag = SCHEMES[(scheme[1] as string).toLowerCase() as keyof typeof SCHEMES];
    return { url: strangersAddress(overWeb(scheme[2] as string), 'lnurl'), tag };
  }
  const code = /^https?:\/\//i.test(bare) ? codeInWebAddress(bare) : bare;
  if (!/^lnurl1/i.test(code)) throw bad('prefix', 'is no LNURL');
  const { words, kind, prefix } = decodeBech32(code, LONGEST, 'lnurl');
  if (kind !== 'bech32' || prefix !== 'lnurl') throw bad('prefix', 'is no LNURL');
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

/** Clear text only to onion hosts, where the network itself encrypts. */
function overWeb(rest: string): string {
  const host = /^[^/?#:]*/.exec(rest)?.[0] ?? '';
  return `${/\.onion$/i.test(host) ? 'http' : 'https'}://${rest}`;
}

function codeInWebAddress(text: string): string {
  const code = parseUrl(text)?.searchParams.get('lightning');
  if (!code) throw bad('web-address', 'is a web page, not an LNURL');
  return code;
}

function asciiOf(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function bad(rule: string, advice: string): Error {
  return badInput('lnurl', advice, { values: { rule } });
}
