// Pass hosts as `URL` normalizes them. They're lowercase, with IPv4 addresses as four numbers and
// IPv6 addresses in brackets without dots.

export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host);
}

/** The reason a client can't send requests to a URL, with advice for fixing it. */
export interface AddressFault {
  readonly rule: 'shape' | 'parts' | 'version' | 'insecure';
  readonly advice: string;
}

/**
 * Validates a service URL without sending a request.
 *
 * @param url the parsed URL, or `undefined` if the string couldn't be parsed
 * @param isNear whether the host is localhost or the page's own host, for which http:// is allowed
 */
export function addressFault(url: URL | undefined, isNear: boolean): AddressFault | undefined {
  if (!url || !/^https?:$/.test(url.protocol))
    return {
      rule: 'shape',
      advice: 'must start with https:// (http:// only on localhost, a path only in a browser)',
    };
  const plain = plainAddress(url);
  if (url.username || url.password || /[?#]/.test(url.href))
    return {
      rule: 'parts',
      advice: `must not contain a user, query or fragment: use ${plain}, and set apiKey`,
    };
  const [version] = /\/v\d+$/.exec(plain) ?? [];
  if (version)
    return {
      rule: 'version',
      advice: `ends with ${version}, which the SDK adds: use ${plain.slice(0, -version.length)}`,
    };
  if (url.protocol === 'https:' || isNear) return undefined;
  return {
    rule: 'insecure',
    advice: 'must start with https://: the credential would be sent unencrypted',
  };
}

/** Returns the URL's origin and path, without credentials, query, fragment or trailing slashes. */
export function plainAddress({ origin, pathname }: URL): string {
  let { length } = pathname;
  // A regular expression would take quadratic time on long runs of slashes.
  while (pathname[length - 1] === '/') length--;
  return origin + pathname.slice(0, length);
}

/**
 * Non-public IPv4 blocks, which are those in the IANA special-purpose registry (RFC 6890),
 * multicast addresses and reserved addresses.
 */
const IPV4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 ' +
  '192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 ' +
  '224.0.0.0/3';

/**
 * Non-public IPv6 blocks within 2000::/3. Addresses outside 2000::/3 aren't public, except for the
 * blocks in `INSIDE`.
 */
const IPV6 = '2001::/23 2001:db8::/32 3fff::/20';

/**
 * IPv6 blocks that embed an IPv4 address, with its offset in bits. Such an address is public if the
 * embedded IPv4 address is.
 */
const INSIDE = { '::/96': 96, '::ffff:0:0/96': 96, '64:ff9b::/96': 96, '2002::/16': 16 };

/** Domain names used in home, company and cluster networks (RFC 6761, RFC 8375 and common use). */
const NAMES =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|arpa|svc|test)$/;

/**
 * Checks whether a host belongs to a private network. IP addresses are checked against the IANA
 * registries. Host names are private if they have a single label or an internal domain. This
 * function doesn't resolve names.
 */
export function isPrivateHost(host: string): boolean {
  const name = host.replace(/\.+$/, '');
  if (name.startsWith('[')) return isPrivateIpv6(ipv6Bits(name.slice(1, -1)));
  if (/^[\d.]+$/.test(name)) return isIn(ipv4Bits(name), IPV4, ipv4Bits);
  return !name.includes('.') || NAMES.test(name);
}

function isPrivateIpv6(bits: string): boolean {
  for (const [block, at] of Object.entries(INSIDE))
    if (isIn(bits, block, ipv6Bits)) return isIn(bits.slice(at, at + 32), IPV4, ipv4Bits);
  return !bits.startsWith('001') || isIn(bits, IPV6, ipv6Bits);
}

function isIn(bits: string, blocks: string, bitsOf: (address: string) => string): boolean {
  return blocks.split(' ').some((block) => {
    const [start = '', length = ''] = block.split('/');
    return bits.startsWith(bitsOf(start).slice(0, Number.parseInt(length)));
  });
}

function ipv4Bits(address: string): string {
  return address
    .split('.')
    .map((part) => Number.parseInt(part).toString(2).padStart(8, '0'))
    .join('');
}

function ipv6Bits(address: string): string {
  const [start = '', end = ''] = address.split('::').map(hexBits);
  return start + end.padStart(128 - start.length, '0');
}

function hexBits(groups: string): string {
  return groups.replace(/([\da-f]+):?/g, (_, hex: string) =>
    Number.parseInt(hex, 16).toString(2).padStart(16, '0'),
  );
}
