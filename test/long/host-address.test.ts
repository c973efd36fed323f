// Protects: on a server of its own the relay counts requests by the address that the server knows; what a page says of its own
// address in the header of another platform counts for nothing.
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { createClient } from 'paystate';
import { createHostedRelay } from 'paystate/host';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';

const ORIGIN = 'https://shop.example';

async function openShop() {
  const sandbox = createSandbox({ seed: 'address' });
  const { clock } = sandbox;
  const relay = createHostedRelay({
    ...{ clock, origin: ORIGIN, client: createClient(sandbox.clientOptions) },
    open: () => new DatabaseSync(':memory:'),
    tokenSecret: 'a secret for the tokens of tests, long enough',
    on: { orderPaid: () => {} },
  });
  const draft = { amount: { amount: '1.00', currency: 'EUR' }, description: 'tea' };
  return {
    /** Opens a new order as a page that says it is at `said`; the status. */
    async open(said: string, address: string | undefined): Promise<number> {
      const { orderId, orderSecret } = await relay.createOrder(draft);
      const request = new Request(`${ORIGIN}/pay/token`, {
        method: 'POST',
        headers: {
          ...{ origin: ORIGIN, 'cf-connecting-ip': said },
          authorization: `Bearer ${orderSecret}`,
        },
        body: JSON.stringify({ orderId }),
      });
      return (await relay.handle(request, address)).status;
    },
  };
}

describe('the address of a page', () => {
  it('is what the server says, whatever the page says', async () => {
    const { open } = await openShop();
    const statuses: number[] = [];
    for (let n = 0; n < 100; n += 1) statuses.push(await open(`192.0.2.${n}`, '203.0.113.7'));
    const served = statuses.indexOf(429);
    expect(served, 'a third of what all pages may').to.be.within(50, 80);
    expect(new Set(statuses.slice(served))).to.deep.equal(new Set([429]));
    expect(await open('203.0.113.7', '203.0.113.8')).to.equal(200);
  });

  it('is none where the server says none, and nobody is kept out by it', async () => {
    const { open } = await openShop();
    for (let n = 0; n < 80; n += 1) expect(await open('203.0.113.7', undefined)).to.equal(200);
  });
});
