import { badInput } from '../core/errors/index.ts';

const LONGEST = 2_048;

/**
 * Checks an address that a stranger's text leads to, before it is fetched: https, or http to
 * an onion host; no password, no control character, no host of the inner network. Returns it as
 * written.
 */
export function strangersAddress(text: string, field: string): string {
  if (typeof text !== 'string' || text.length > LONGEST || /[^!-~]/.test(text)) {
    throw bad(field, 'is too long or holds a character that cannot be part of it');
  }
  const url = parseUrl(text);
  if (!url || url.username || url.password) throw bad(field, 'is no web address');
  const onion = url.hostname.endsWith('.onion');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && onion))
    throw bad(field, 'must begin with https');
  if (isInner(url.hostname)) throw bad(field, 'leads into a private network');
  return text;
}

/** `URL.canParse` is younger than some browsers that shops still see. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** `URL` has written every form of an IPv4 address as four numbers. */
function isInner(host: string): boolean {
  return (
    /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(
      host,
    ) ||
    /^\[(?:::|::1|::ffff:.*|f[cd].*|fe[89ab].*)\]$/.test(host) ||
    /(?:^|\.)(?:localhost|local|internal)\.?$/.test(host)
  );
}

function bad(field: string, advice: string): Error {
  return badInput(field, advice, { values: { rule: 'web-address' } });
}
