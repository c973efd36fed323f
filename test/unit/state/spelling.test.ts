// The service takes ids in either case and prints them in lower case: a watch by an id in upper case sees what another sees.
import { expect } from 'chai';
import { invalidate, type InvoiceId, provide, watchInvoice, watchReceives } from 'paystate';
import { checkout, type CheckoutView } from 'paystate/flows';
import { describe, it, itLong } from '#test';
import { invoices } from './invoices.ts';
import { openShop, record } from './shop.ts';

const upper = (id: string) => id.toUpperCase() as InvoiceId;

describe('an id in upper case', () => {
  itLong('is found in lists and by events, next to 200 others', async () => {
    const shop = openShop();
    const all = await invoices(shop, 200);
    const others = all.slice(1).map((one) => record(watchInvoice(shop.client, one)));
    const seen = record(watchInvoice(shop.client, upper(all[0]!.invoiceId)));
    await shop.sandbox.advance(120_000);
    const alone = shop.requests.filter(({ path }) => path.endsWith('{invoiceId}')).length;
    expect(alone, 'read in lists').to.be.below(20);
    await shop.pay(all[0]!);
    await shop.sandbox.advance(10_000);
    expect([seen.values.at(-1)!.value.state, seen.ended]).to.deep.equal(['PAID', 'complete']);
    for (const other of others) other.stop();
  });

  it('shares its reads with the same id in lower case, and takes in what is said of that', async () => {
    const { sandbox, client, requests, invoice } = openShop();
    const one = await invoice();
    const logs = [one.invoiceId, upper(one.invoiceId)].map((id) =>
      record(watchInvoice(client, id)),
    );
    await sandbox.advance(10_000);
    const { length } = requests;
    logs[0]!.stop();
    await sandbox.advance(10_000);
    expect(requests.length - length, 'as many as by both').to.be.within(length - 3, length + 1);
    sandbox.move('invoice', one.invoiceId, 'PENDING');
    invalidate(client, 'invoice', one.invoiceId);
    await sandbox.advance(100);
    expect(logs[1]!.values.at(-1)!.value).to.include({
      state: 'PENDING',
      invoiceId: one.invoiceId,
    });
    logs[1]!.stop();
  });

  it('is provided and watched in either case, and the spelling of the caller stays', async () => {
    const { sandbox, client, invoice } = openShop();
    const one = await invoice();
    provide(client, 'invoice', one, { asOf: sandbox.clock.now() });
    expect(watchInvoice(client, upper(one.invoiceId)).current().value).to.deep.equal(one);
    const request = await sandbox.run(client.receiveRequests.create({ onchain: {} }));
    const id = request.receiveRequestId.toUpperCase();
    const seen = record(watchReceives(client, id));
    await sandbox.advance(1_000);
    expect(seen.values.at(-1)!.value).to.deep.equal({ receiveRequestId: id, receives: [] });
    seen.stop();
  });

  it('has one checkout with the same id in lower case: one code is payable', async () => {
    const { sandbox, client, invoice } = openShop({ signed: true });
    const one = await invoice();
    const logs = [one.invoiceId, upper(one.invoiceId)].map((invoiceId) =>
      record<CheckoutView>(checkout(client, { invoiceId })),
    );
    await sandbox.advance(5_000);
    const codes = logs.map(({ values }) => {
      const view = values.at(-1)!;
      return view.phase === 'awaiting' ? view.quote.lnInvoice : view.phase;
    });
    expect(new Set(codes).size).to.equal(1);
    expect(codes[0]).to.match(/^ln/);
    for (const log of logs) log.stop();
  });
});
