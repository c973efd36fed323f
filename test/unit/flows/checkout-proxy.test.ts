import { describe, it } from '#test';
import { expect } from 'chai';
import { checkout, type CheckoutView } from 'paystate/flows';
import { openShop, record } from '../state/shop.ts';

describe('a checkout behind a proxy', () => {
  for (const status of [403, 404])
    it(`shows a code once the proxy lets it through, whatever its ${status} page said of quotes`, async () => {
      let isBefore = true;
      const shop = openShop({ signed: true }, (url, ask) =>
        isBefore && url.endsWith('/quote')
          ? Promise.resolve(new Response('<h1>not here</h1>', { status }))
          : ask(),
      );
      const invoice = await shop.invoice();
      const log = record<CheckoutView>(checkout(shop.client, { invoiceId: invoice.invoiceId }));
      await shop.sandbox.advance(20_000);
      isBefore = false;
      await shop.sandbox.advance(60_000);
      expect(log.values.at(-1)!.phase).to.equal('awaiting');
      log.stop();
    });
});
