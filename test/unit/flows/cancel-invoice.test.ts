// Protects: cancelling an invoice says what became of it, also where its payer was faster, and takes no refusal for a failure.
import { expect } from 'chai';
import { type Client, createClient } from 'paystate';
import { cancelInvoice } from 'paystate/flows';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { altered } from '../state/shop.ts';
import { EUR } from './pay-lives.ts';

interface Desk {
  readonly sandbox: Sandbox;
  readonly client: Client;
  readonly invoiceId: string;
}

const openDesk = async (): Promise<Desk> => {
  const sandbox = createSandbox({ signed: false });
  const client = createClient(sandbox.clientOptions);
  const { invoiceId } = await sandbox.run(client.invoices.create({ amount: EUR('5.00') }));
  return { sandbox, client, invoiceId };
};
const cancelled = async ({ sandbox, client, invoiceId }: Desk) => {
  const { phase, invoice, error } = await sandbox.run(cancelInvoice(client, invoiceId));
  return [phase, invoice?.state, error?.code];
};
const CANCEL = { method: 'PATCH', path: '/v1/invoices/{invoiceId}/cancel' };

describe('cancelling an invoice', () => {
  it('says that it is cancelled, once or twice', async () => {
    const desk = await openDesk();
    expect(await cancelled(desk)).to.deep.equal(['cancelled', 'CANCELLED', undefined]);
    expect(await cancelled(desk)).to.deep.equal(['cancelled', 'CANCELLED', undefined]);
  });

  it('says that it was paid where the payer was faster, though a read lags behind', async () => {
    const desk = await openDesk();
    await desk.sandbox.run(desk.sandbox.payer.pay(desk.invoiceId));
    expect(await cancelled(desk)).to.deep.equal(['paid', 'PAID', undefined]);
    desk.sandbox.fault({ method: 'GET', action: { stale: 25_000 } });
    expect(await cancelled(desk)).to.deep.equal(['paid', undefined, undefined]);
  });

  it('says that it was paid where that came after it was cancelled, though a read lags behind', async () => {
    const desk = await openDesk();
    await cancelled(desk);
    desk.sandbox.move('invoice', desk.invoiceId, 'PAID');
    const { fetch, ...base } = desk.sandbox.clientOptions;
    const client = createClient({
      ...base,
      async fetch(url, init) {
        const answer = await fetch(url, init);
        if (init?.method !== 'GET') return answer;
        return altered(answer, (json: object) => ({ ...json, state: 'CANCELLED' }));
      },
    });
    expect(await cancelled({ ...desk, client })).to.deep.equal(['paid', undefined, undefined]);
  });

  it('waits for a payment that is under way', async () => {
    const desk = await openDesk();
    desk.sandbox.fault({
      ...CANCEL,
      nth: [1, 2],
      action: { status: 422, code: 'PROCESSING_PAYMENT' },
    });
    expect(await cancelled(desk)).to.deep.equal(['cancelled', 'CANCELLED', undefined]);
    const other = await openDesk();
    other.sandbox.fault({ ...CANCEL, action: { status: 422, code: 'PROCESSING_PAYMENT' } });
    expect(await cancelled(other)).to.deep.equal(['unknown', 'UNPAID', 'PROCESSING_PAYMENT']);
  });

  it('finds out what a lost response has done', async () => {
    const desk = await openDesk();
    desk.sandbox.fault({ ...CANCEL, action: 'lost-after' });
    expect(await cancelled(desk)).to.deep.equal(['cancelled', 'CANCELLED', undefined]);
  });

  it('does not say paid of an invoice that was paid and is reversed by the time it is read', async () => {
    const desk = await openDesk();
    await desk.sandbox.run(desk.sandbox.payer.pay(desk.invoiceId));
    const code = 'INVALID_STATE_FOR_INVOICE_PAID';
    desk.sandbox.fault({ ...CANCEL, action: { status: 422, code } });
    desk.sandbox.payer.reverse(desk.invoiceId);
    expect(await cancelled(desk)).to.deep.equal(['unknown', 'REVERSED', code]);
  });

  it('does not know where nothing can be reached, and of one that was paid and given back', async () => {
    const desk = await openDesk();
    const end = desk.sandbox.fault({ path: '/v1/invoices*', action: 'lost-before' });
    const [phase, invoice, code] = await cancelled(desk);
    expect([phase, invoice]).to.deep.equal(['unknown', undefined]);
    expect(code).to.be.a('string');
    end();
    await desk.sandbox.run(desk.sandbox.payer.pay(desk.invoiceId));
    desk.sandbox.payer.reverse(desk.invoiceId);
    expect((await cancelled(desk)).slice(0, 2)).to.deep.equal(['unknown', 'REVERSED']);
  });
});
