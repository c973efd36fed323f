// Node only: the sandbox computes the same in every engine.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { rejectDrift } from 'paystate/schemas';
import { describe, it } from '#test';

const amount = { amount: '12.50', currency: 'EUR' } as const;

describe('sandbox: the client in front of it', () => {
  it('reads every answer strictly: nothing missing, nothing more', async () => {
    const sandbox = createSandbox();
    const { invoices, events } = createClient({ ...sandbox.clientOptions, drift: rejectDrift });
    const story = async (): Promise<readonly string[]> => {
      const [one, two] = [
        await invoices.create({ amount, description: 'tea' }),
        await invoices.create({ amount }),
      ];
      const quote = await invoices.quote(one.invoiceId);
      await invoices.quote(two.invoiceId, { descriptionHash: 'ab'.repeat(32) });
      await sandbox.payer.pay(quote.lnInvoice, { pendingFor: 300 });
      await invoices.cancel(two.invoiceId);
      await invoices.get(one.invoiceId, { includeTransactions: true });
      const [listed] = await invoices.list({ state: 'CANCELLED' }).toArray({ limit: 10 });
      const history = await events.list({ eventType: 'invoice.updated' }).toArray({ limit: 10 });
      await events.get(history[0]!.id);
      return [
        `${listed!.invoiceId === two.invoiceId}`,
        ...history.map(({ eventType }) => eventType),
      ];
    };
    expect(await sandbox.run(story())).to.deep.equal([
      'true',
      'invoice.updated',
      'invoice.updated',
      'invoice.updated',
    ]);
  });

  it('gets what it may have created after a lost answer, once', async () => {
    const sandbox = createSandbox();
    const { invoices } = createClient(sandbox.clientOptions);
    sandbox.fault({ method: 'POST', nth: 1, action: 'lost-after' });
    const invoice = await sandbox.run(invoices.create({ amount }));
    expect(await sandbox.run(invoices.list().count())).to.equal(1);
    expect(sandbox.log.map(({ method, status }) => `${method} ${status}`)).to.deep.equal([
      'POST undefined',
      'POST 409',
      'GET 200',
      'GET 200',
    ]);
    expect((await sandbox.run(invoices.get(invoice.invoiceId))).state).to.equal('UNPAID');
  });

  it('gives up on a delayed answer in virtual time', async () => {
    const sandbox = createSandbox();
    const { invoices } = createClient({ ...sandbox.clientOptions, maxAttempts: 1 });
    sandbox.fault({ action: { delay: 60_000 } });
    const code = await sandbox.run(
      invoices.get('x').then(
        () => 'found',
        (error: { code?: string }) => error.code,
      ),
    );
    expect(code).to.equal('TIMEOUT');
    expect(sandbox.clock.monotonic()).to.equal(10_000);
  });

  it('never has its budget shut it out', async () => {
    const sandbox = createSandbox({ rateLimits: 'test' });
    const { invoices } = createClient(sandbox.clientOptions);
    const many = async (): Promise<void> => {
      for (let count = 0; count < 400; count++) await invoices.list().count();
    };
    await sandbox.run(many().catch(() => {}));
    expect(sandbox.blocks).to.equal(0);
    expect(sandbox.log.length).to.be.above(250);
  });
});
