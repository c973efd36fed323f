/**
 * Whose orders are counted together: an address, or of an IPv6 address its network, for who has one
 * address of a network has all of them.
 */
export function visitorOf(request: Request): string {
  const address = request.headers.get('cf-connecting-ip') ?? 'nearby';
  if (!address.includes(':')) return address;
  // `new URL` writes an IPv6 address in its one short form (RFC 5952)
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = '', after = ''] = short.split('::');
  const zeros = short.includes('::')
    ? 8 - `${before}:${after}`.split(':').filter(Boolean).length
    : 0;
  const groups = [...before.split(':'), ...Array<string>(zeros).fill('0'), ...after.split(':')];
  return `${groups.filter(Boolean).slice(0, 4).join(':')}::/64`;
}
