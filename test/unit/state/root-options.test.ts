// All watches of a client share one hub: it has the options of the client, whoever of its children watches first.
import { expect } from 'chai';
import { watchInvoice } from 'paystate';
import { checkout, type CheckoutView } from 'paystate/flows';
import { describe, it } from '#test';
import { openShop, record, type Shop } from './shop.ts';

/** A shop whose service needs 300 ms for each response. */
function slowShop(signed: boolean = false): Shop {
  const shop: Shop = openShop({ signed }, async (_url, ask) => {
    await shop.sandbox.clock.wait(300);
    return ask();
  });
  return shop;
}

describe('a derived client that watches first', () => {
  it('does not impose its time limit on the watches of the client', async () => {
    const shop = slowShop();
    const one = await shop.invoice();
    const hasty = shop.client.withOptions({ attemptTimeout: 100 });
    const first = record(watchInvoice(hasty, one));
    const seen = record(watchInvoice(shop.client, one));
    await shop.sandbox.advance(3_000);
    expect(seen.values.at(-1)?.freshness).to.equal('live');
    first.stop();
    await shop.sandbox.advance(3_000);
    expect(seen.values.at(-1)?.freshness).to.equal('live');
    seen.stop();
  });

  it('has its observer called for its calls, and that of the client for the watches of both', async () => {
    const shop = openShop();
    const one = await shop.invoice();
    const heard: string[] = [];
    const child = shop.client.withOptions({
      onRequest: ({ operation }) => void heard.push(operation),
    });
    shop.requests.length = 0;
    const seen = record(watchInvoice(child, one));
    await shop.sandbox.advance(1_000);
    expect([heard, shop.requests[0]?.operation]).to.deep.equal([[], 'invoices.get']);
    await shop.sandbox.run(child.invoices.get(one.invoiceId));
    expect(heard).to.deep.equal(['invoices.get']);
    seen.stop();
  });

  it('does not impose its time limit on a checkout of the client', async () => {
    const shop = slowShop(true);
    const { invoiceId } = await shop.invoice();
    const hasty = shop.client.withOptions({ attemptTimeout: 100, maxAttempts: 1 });
    const first = record<CheckoutView>(checkout(hasty, { invoiceId }));
    const seen = record<CheckoutView>(checkout(shop.client, { invoiceId }));
    await shop.sandbox.advance(5_000);
    expect(seen.values.at(-1)!.phase).to.equal('awaiting');
    first.stop();
    seen.stop();
  });
});
