// Protects: the example's Worker takes so many orders of one visitor and no more, and reads no long body, in real workerd.
import { after } from 'node:test';
import { expect } from 'chai';
import { describe, it } from '#test';
import { startShop } from '../../scripts/shop.mjs';
import { firstPass, passesFor } from '../../worker-example/page/order.ts';

const shop = await startShop();
after(() => shop.close());

const order = async (address: string, note = '') => {
  const body = JSON.stringify({ key: crypto.randomUUID(), cart: { morning: 1 }, note });
  const answer = await fetch(`${shop.url}/orders`, {
    method: 'POST',
    body,
    headers: { origin: shop.url, 'cf-connecting-ip': address },
  });
  await answer.body?.cancel();
  return answer.status;
};

/** Statuses of so many orders, how often each. */
async function orderAll(addresses: readonly string[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const address of addresses) {
    const status = await order(address);
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

const ofNetwork = (network: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${network}::${(at + 1).toString(16)}`);

describe("the example's page", () => {
  const answering = async (statuses: readonly number[]) => {
    const { fetch: usual } = globalThis;
    const left = [...statuses];
    const waits: number[] = [];
    globalThis.fetch = async () =>
      Response.json({ token: 't', invoiceId: 'i' }, { status: left.shift()! });
    try {
      const pass = passesFor({ orderId: 'o', orderSecret: 's' });
      const end = await firstPass(pass, async (ms) => void waits.push(ms)).catch(
        (error: Error) => error,
      );
      return { end, waits, left: left.length };
    } finally {
      globalThis.fetch = usual;
    }
  };

  it('that met a shop which was away goes on by itself when that is back', async () => {
    const { end, waits } = await answering([503, 429, 500, 200]);
    expect([(end as { invoiceId: string }).invoiceId, waits]).to.deep.equal([
      'i',
      [1_000, 2_000, 4_000],
    ]);
  });

  it('does not ask again for an order that is over', async () => {
    const { end, left } = await answering([401, 200]);
    expect([(end as Error).message, left]).to.deep.equal([
      'The order cannot be opened any more.',
      1,
    ]);
  });
});

describe("the example's Worker", () => {
  it('takes ten orders a minute of one address, also after it has begun anew', async () => {
    expect(await orderAll(Array(8).fill('198.51.100.7'))).to.deep.equal({ 201: 8 });
    await shop.kill();
    await shop.start();
    expect(await orderAll(Array(8).fill('198.51.100.7'))).to.deep.equal({ 201: 2, 429: 6 });
  });

  it('takes ten orders a minute of one network of IPv6, however its addresses are written', async () => {
    expect(await orderAll(ofNetwork('2001:db8:0:7', 8))).to.deep.equal({ 201: 8 });
    expect(await orderAll(ofNetwork('2001:0DB8:0000:0007:ffff', 8))).to.deep.equal({
      201: 2,
      429: 6,
    });
    expect(await orderAll(ofNetwork('2001:db8:0:8', 2))).to.deep.equal({ 201: 2 });
  });

  it('takes no order of a long body', async () => {
    expect(await order('198.51.100.8', 'x'.repeat(2_000))).to.equal(400);
  });
});
