// Protects: an inbox keeps up with a busy shop within the limits of the service.
import { expect } from 'chai';
import { createClient, productionRateLimits } from 'paystate';
import { describe, it } from '#test';
import { openShop, type Shop } from '../unit/webhooks/shop.ts';

const MINUTE = 60_000;
const DRAFT = { amount: { amount: '12.50', currency: 'EUR' } };
/** The service's limits, with a fifth of the long window and of its requests. */
const rateLimits = {
  ...productionRateLimits,
  others: { limit: 200, window: 2 * MINUTE, block: 12 * MINUTE },
};

/** Invoices, made from many addresses so that their creation takes nothing of the inbox's limit. */
async function invoicesOf({ sandbox }: Shop, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let part = 1; ids.length < count; part++) {
    const client = createClient(sandbox.clientOptionsFor({ address: `203.0.113.${part}` }));
    for (let each = 0; each < 200 && ids.length < count; each++)
      ids.push((await sandbox.run(client.invoices.create(DRAFT))).invoiceId);
  }
  return ids;
}

describe('an inbox', () => {
  it('handles 250 sales a minute within five seconds each, for longer than a window of the rate limit', async () => {
    const paidAt = new Map<string, number>();
    const waits: number[] = [];
    const shop = await openShop(
      ({ sandbox }) => ({
        client: createClient({ ...sandbox.clientOptions, rateLimits }),
        on: {
          invoicePaid: ({ invoiceId }) =>
            void waits.push(sandbox.clock.now() - paidAt.get(invoiceId)!),
        },
      }),
      { rateLimits },
    );
    const { sandbox } = shop;
    const ids = await invoicesOf(shop, 1_000);
    await sandbox.advance(3 * MINUTE);
    const before = sandbox.log.length;
    for (const id of ids) {
      paidAt.set(id, sandbox.clock.now());
      await sandbox.payer.pay(id);
      await sandbox.advance(MINUTE / 250);
    }
    await sandbox.advance(MINUTE);
    waits.sort((a, b) => a - b);
    const [half, most] = [0.5, 0.99].map((part) => waits[Math.floor(waits.length * part)]!);
    const requests = sandbox.log.length - before;
    console.log(`${waits.length} sales: p50 ${half} ms, p99 ${most} ms, ${requests} requests`);
    expect(waits).to.have.length(ids.length);
    expect(most).to.be.at.most(5_000);
  });
});
