// What a watch begins, it ends: also where there was nothing to wait for.
import { expect } from 'chai';
import { watchInvoice } from 'paystate';
import { describe, it } from '#test';
import { inPage } from '../state/page.ts';
import { openShop, record } from '../state/shop.ts';

describe('a watch whose work is over as soon as it begins', () => {
  it('leaves nothing behind', () =>
    inPage(async (page) => {
      const shop = openShop();
      const { sandbox, client, requests } = shop;
      const invoice = await shop.invoice();
      await shop.pay(invoice);
      const kept = record(watchInvoice(client, invoice.invoiceId, { until: 'never' }));
      await sandbox.advance(10_000);
      expect(kept.values.at(-1)!.value.state).to.equal('PAID');
      const quick = [1, 2, 3].map(() => record(watchInvoice(client, invoice.invoiceId)));
      await sandbox.advance(1);
      for (const { values, ended } of quick)
        expect([values.at(-1)!.value.state, ended]).to.deep.equal(['PAID', 'complete']);
      kept.stop();
      await sandbox.advance(1);
      expect([shop.timers(), page.listeners()]).to.deep.equal([0, 0]);
      const asked = requests.length;
      await sandbox.advance(3_600_000);
      expect(requests).to.have.length(asked);
    }));
});
