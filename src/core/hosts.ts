// Hosts are as `URL` writes them: lower case, IPv4 as four numbers, IPv6 in brackets and without dots.

/** Tells whether a host is this machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host);
}

/**
 * The blocks of IPv4 that are not public: the IANA special-purpose registry (RFC 6890), multicast
 * and what is reserved.
 */
const IPV4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 ' +
  '192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 ' +
  '224.0.0.0/3';

/** The blocks of 2000::/3 that are not public; nothing outside of it is, but for `INSIDE`. */
const IPV6 = '2001::/23 2001:db8::/32 3fff::/20';

/** The blocks whose addresses contain an IPv4 address, after as many bits: it decides. */
const INSIDE = { '::/96': 96, '::ffff:0:0/96': 96, '64:ff9b::/96': 96, '2002::/16': 16 };

/** Names that only networks at home, in companies and in clusters know (RFC 6761, 8375 and use). */
const NAMES =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|arpa|svc|test|invalid)$/;

/**
 * Tells whether a host cannot be a public one: addresses by the registries, names of a single label
 * and those of inner networks. What a public name resolves to is not looked up.
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
