// Protects: requests are counted by who asks: one address of IPv4, or the network of IPv6 that one visitor has as a whole.
import { expect } from 'chai';
import { describe, it } from '#test';
import { fromPage, openRelay, read } from './shop.ts';

describe('who asks', () => {
  it('is an address of IPv4, or a network of IPv6 however it is written', async () => {
    const { relay, invoice, asked, sandbox } = openRelay();
    const { invoiceId } = await invoice();
    const token = await sandbox.run(relay.createToken(invoiceId));
    const visitor = async (headers: Record<string, string>): Promise<unknown> => {
      const path = `/pay/v1/invoices/${invoiceId}`;
      await read(relay.handle(fromPage(token, 'GET', path, headers)));
      return (asked.at(-1)!.body as { readonly visitor?: string }).visitor;
    };
    const from = (address: string) => visitor({ 'cf-connecting-ip': address });
    expect(await visitor({})).to.equal(undefined);
    expect(await from('192.0.2.1')).to.equal('192.0.2.1');
    expect(await from('::ffff:192.0.2.1')).to.equal('192.0.2.1');
    for (const same of [
      '2001:db8:0:7::1',
      '2001:0DB8:0000:0007:1:2:3:4',
      '2001:db8::7:a:b:c:d',
      '2001:db8:0:7::',
    ])
      expect(await from(same), same).to.equal('2001:db8:0:7::/64');
    expect(await from('2001:db8::1')).to.equal('2001:db8:0:0::/64');
    expect(await from('::1')).to.equal('0:0:0:0::/64');
  });
});
