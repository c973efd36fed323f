import { badInput } from '../core/errors/index.ts';
import { strangersAddress } from './web-address.ts';

/** A Lightning address (LUD-16) and where it leads. */
export interface LightningAddress {
  /** The whole address, without `lightning:` and blanks. */
  readonly text: string;
  /** What stands before the `@`. */
  readonly name: string;
  /** What stands after the `@`: the host that is asked. */
  readonly domain: string;
  /** Web address that answers with a payRequest. */
  readonly url: string;
}

const SHAPE =
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
    throw bad('too-long', 'must be a text of at most 320 characters');
  const bare = text.trim().replace(/^lightning:(?:\/\/)?/i, '');
  const [, name, domain] = SHAPE.exec(bare) ?? [];
  if (name === undefined || domain === undefined) {
    throw SHAPE.test(bare.toLowerCase())
      ? bad('case', 'must be in lower case')
      : bad('shape', 'must look like name@domain.example');
  }
  const scheme = domain.endsWith('.onion') ? 'http' : 'https';
  return {
    text: bare,
    name,
    domain,
    url: strangersAddress(`${scheme}://${domain}/.well-known/lnurlp/${name}`, 'address'),
  };
}

function bad(rule: string, advice: string): Error {
  return badInput('address', advice, { values: { rule } });
}
