// Protects: the relay's own receiver, in a real Worker whose object is killed in between, makes none of the usual mistakes.
import { expect } from 'chai';
import { torture } from 'paystate/testing';
import { after, describe, it } from '#test';
import { openRelay, WEBHOOK_SECRET } from './relay-harness.ts';
import { until } from './until.ts';

const { world, close } = await openRelay();
after(close);

const handle = (request: Request): Promise<Response> => fetch(request, { redirect: 'manual' });

describe('the receiver of the relay in workerd', () => {
  it('is tried with everything, and nothing is found', async () => {
    let events = 0;
    const { mistakes, skipped, requests } = await torture(handle, {
      secret: WEBHOOK_SECRET,
      url: world.at('/hooks/main').href,
      async event() {
        const invoice = await world.invoice();
        await world.pay(invoice);
        const data = { entityId: invoice.invoiceId };
        const created = new Date().toISOString();
        const id = `sale-${++events}`;
        return { id, eventType: 'invoice.updated', webhookVersion: 'v1', data, created };
      },
      async effects(invoiceId) {
        const query = 'SELECT key FROM shipped WHERE key = ?';
        const rows = await world.call<unknown[]>('account/sql', [
          query,
          `invoice:${invoiceId}:PAID`,
        ]);
        return rows.length;
      },
      async restart() {
        await world.call('account/kill', {}).catch(() => {});
        const isThere = () =>
          world.call('account/ring', {}).then(
            () => true,
            () => false,
          );
        await until('another object', isThere);
        return handle;
      },
    });
    expect([mistakes, skipped]).to.deep.equal([[], []]);
    expect(requests).to.be.above(50);
  });
});
