// Protects: the example's Worker takes so many orders of one visitor and no more, and reads no long body, in real workerd.
import { expect } from 'chai';
import { after, describe, it } from '#test';
import { startShop } from '../../demo/serve/shop.ts';
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

/** Plays it until a minute was enough for all of it: a busy machine may need longer to begin anew. */
async function withinAMinute(play: (round: number) => Promise<void>): Promise<void> {
  for (let round = 1; ; round++) {
    const started = performance.now();
    const problem = await play(round).catch((error: unknown) => ({ error }));
    if (!problem) return;
    if (performance.now() - started < 55_000 || round === 5) throw problem.error;
  }
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

  it('exchanges a token that was refused, once, though by its own clock it is not over', async () => {
    const { fetch: usual } = globalThis;
    let count = 0;
    globalThis.fetch = async () =>
      Response.json({ token: `t${(count += 1)}`, invoiceId: 'i', expiresIn: 900 });
    try {
      const pass = passesFor({ orderId: 'o', orderSecret: 's' });
      const tokens = [await pass(), await pass()];
      const refused = { refused: 't1' };
      tokens.push(...(await Promise.all([pass(refused), pass(refused), pass()])));
      tokens.push(await pass(refused), await pass());
      expect(tokens.map(({ token }) => token)).to.deep.equal([
        't1',
        't1',
        't2',
        't2',
        't2',
        't2',
        't2',
      ]);
    } finally {
      globalThis.fetch = usual;
    }
  });

  it('does not ask again for an order that is over', async () => {
    const { end, left } = await answering([401, 200]);
    expect([(end as Error).message, left]).to.deep.equal([
      'This order can no longer be opened.',
      1,
    ]);
  });
});

describe("the example's Worker", () => {
  it('takes ten orders a minute of one address, also after it has begun anew', () =>
    withinAMinute(async (round) => {
      const eight = Array(8).fill(`198.51.100.${70 + round}`) as string[];
      expect(await orderAll(eight)).to.deep.equal({ 201: 8 });
      await shop.kill();
      await shop.start();
      expect(await orderAll(eight)).to.deep.equal({ 201: 2, 429: 6 });
    }));

  it('takes ten orders a minute of one network of IPv6, however its addresses are written', () =>
    withinAMinute(async (round) => {
      expect(await orderAll(ofNetwork(`2001:db8:${round}:7`, 8))).to.deep.equal({ 201: 8 });
      expect(await orderAll(ofNetwork(`2001:0DB8:000${round}:0007:ffff`, 8))).to.deep.equal({
        201: 2,
        429: 6,
      });
      expect(await orderAll(ofNetwork(`2001:db8:${round}:8`, 2))).to.deep.equal({ 201: 2 });
    }));

  it('takes no order of a long body', async () => {
    expect(await order('198.51.100.8', 'x'.repeat(2_000))).to.equal(400);
  });
});
