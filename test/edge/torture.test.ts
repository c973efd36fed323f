// Protects: the relay's own receiver, in a real Worker whose object is killed in between, makes none of the usual mistakes.
import { expect } from 'chai';
import { torture } from 'paystate/testing';
import { after, describe, it } from '#test';
import { tryByCommand } from '../e2e/command.ts';
import { openRelay, WEBHOOK_SECRET } from './relay-harness.ts';
import { until } from './until.ts';

const { world, close } = await openRelay();
after(close);

const handle = (request: Request): Promise<Response> => fetch(request, { redirect: 'manual' });

/** Sells to a customer who pays; resolves to the id of the invoice, of which nobody has told yet. */
async function sell(): Promise<string> {
  const invoice = await world.invoice();
  await world.pay(invoice);
  return invoice.invoiceId;
}

async function shippedOf(invoiceId: string): Promise<number> {
  const query = 'SELECT key FROM shipped WHERE key = ?';
  return (await world.call<unknown[]>('account/sql', [query, `invoice:${invoiceId}:PAID`])).length;
}

const url = world.at('/hooks/main').href;

describe('the receiver of the relay in workerd', () => {
  it('has no mistake that the command finds', async () => {
    const trial = { url, secret: WEBHOOK_SECRET, event: sell, effects: shippedOf };
    const { code, output } = await tryByCommand(trial);
    expect([code, output.includes('no mistake found')], output).to.deep.equal([0, true]);
  });

  it('is tried with everything, and nothing is found', async () => {
    let events = 0;
    const { mistakes, skipped, requests } = await torture(handle, {
      secret: WEBHOOK_SECRET,
      url,
      async event() {
        const data = { entityId: await sell() };
        const created = new Date().toISOString();
        const id = `sale-${++events}`;
        return { id, eventType: 'invoice.updated', webhookVersion: 'v1', data, created };
      },
      effects: shippedOf,
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
