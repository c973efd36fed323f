// The first program of the chapter of paystate/vue: a plugin gives the client to the app.
import { describe, it } from '#test';
import { expect } from 'chai';
import { nextTick } from 'vue';
import { openShop } from './.cache/plugin.ts';
import { element, expectSilence, openInvoice } from './shop-page.ts';

describe('the chapter of paystate/vue', () => {
  it('gives a client to the app, whose order is cancelled', async () => {
    const { client, created, sandbox, ...shop } = await openInvoice();
    for (const [invoiceId, before, after] of [
      [undefined, 'idle', 'idle'],
      [created.invoiceId, 'loading', 'Cancel (UNPAID, awaiting, live)'],
    ] as const) {
      const place = element();
      const app = openShop(client, invoiceId);
      app.mount(place);
      expect(place.textContent).to.equal(before);
      await sandbox.advance(3_000);
      await nextTick();
      expect(place.textContent).to.equal(after);
      place.querySelector('button')!.click();
      await sandbox.advance(3_000);
      await nextTick();
      if (invoiceId) expect(place.textContent).to.equal('Cancel (CANCELLED, cancelled, live)');
      app.unmount();
    }
    await expectSilence({ client, sandbox, ...shop });
  });
});
