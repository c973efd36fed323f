// Protects: one home with many networks leaves every other customer served, and a secret that nobody has sealed wakes no object.
import { expect } from 'chai';
import { after, describe, it } from '#test';
import { openRelay } from './relay-harness.ts';

const { world, close } = await openRelay();
after(close);

const AMOUNT = { amount: { amount: '1.00', currency: 'EUR' } };
const order = () => world.call<{ orderId: string; orderSecret: string }>('order', AMOUNT);

const exchange = async (orderId: string, secret: string, address = '192.0.2.1') => {
  const headers = { authorization: `Bearer ${secret}`, 'cf-connecting-ip': address };
  const body = JSON.stringify({ orderId });
  return (await world.ask('/pay/token', { method: 'POST', headers, body })).status;
};

/** Opens a new order from this address; the status. */
const open = async (address: string) => {
  const { orderId, orderSecret } = await order();
  return exchange(orderId, orderSecret, address);
};

describe('a secret of an order at the relay', () => {
  it('that nobody has sealed wakes no object', async () => {
    const { orderId, orderSecret } = await order();
    const wokenOf = async () => (await world.call<{ woken: number }>('woken', {})).woken;
    const before = await wokenOf();
    const wrong = ['0'.repeat(32), orderSecret.split('.')[0]!, `${orderSecret.slice(0, -1)}g`];
    for (const secret of wrong) expect(await exchange(orderId, secret)).to.equal(401);
    expect(await wokenOf()).to.equal(before);
    expect(await exchange(orderId, orderSecret)).to.equal(200);
  });
});

describe('a flood at the relay', () => {
  it('of orders from 21 networks of one home leaves every other customer served', async () => {
    const network = (n: number) => `2001:db8:0:${(0x700 + (n % 21)).toString(16)}::${n + 1}`;
    const flood: number[] = [];
    await world.call('account/stop-time', {}); // a window must not end meanwhile
    while (flood.length < 200)
      flood.push(
        ...(await Promise.all(
          Array.from({ length: 50 }, (_, n) => open(network(flood.length + n))),
        )),
      );
    expect(flood.filter((status) => status === 200)).to.have.length(100); // half of the share
    const honest = await Promise.all(Array.from({ length: 8 }, (_, n) => open(`192.0.${n}.7`)));
    expect(honest).to.deep.equal(honest.map(() => 200));
    await world.call('account/stop-time', {});
  });
});
