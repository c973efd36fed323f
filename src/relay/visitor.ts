/** Where the platform says which address a request came from. */
export const ADDRESS_HEADER = 'cf-connecting-ip';

/**
 * Who asks, as far as an address says: the platform's word for it. Of an IPv6 address the first 64
 * bits (RFC 6177 2), for whoever has one of that network has all of them. Nothing where the platform
 * does not say.
 */
export function visitorOf(headers: Headers): string | undefined {
  const address = headers.get(ADDRESS_HEADER)?.trim();
  return address ? networkOf(address) : undefined;
}

function networkOf(address: string): string {
  const plain = /^(::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[2];
  if (plain || !address.includes(':')) return plain ?? address;
  const [head = '', tail = ''] = address.toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const groups = address.includes('::') ? [...before, ...zeros, ...after] : before;
  const network = groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}
