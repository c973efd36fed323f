import { type Finding, findingOf } from './finding.ts';

const found = findingOf('address');

/** What can be said of an address without asking it. */
export function checkAddress(baseUrl: string | undefined): Finding {
  if (baseUrl === undefined)
    return found(
      'problem',
      'ADDRESS_MISSING',
      'no address: set PAYSTATE_BASE_URL or give --base-url',
    );
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol))
    return found(
      'problem',
      'ADDRESS_INVALID',
      'the address must begin with https:// (http:// for this machine alone)',
    );
  const { pathname, origin, protocol, hostname } = new URL(baseUrl);
  if (/\/v\d+\/?$/.test(pathname))
    return found(
      'problem',
      'ADDRESS_HAS_VERSION',
      `the address ends with ${pathname}; paths begin with the version themselves: give ${origin}${pathname.replace(/\/v\d+\/?$/, '')}`,
    );
  if (protocol === 'http:' && !isLoopback(hostname))
    return found('problem', 'ADDRESS_NOT_SECURE', 'the key would travel unencrypted: use https://');
  return found('ok', 'ADDRESS_OK', origin + pathname.replace(/\/$/, ''));
}

/** Whether a host name is this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
