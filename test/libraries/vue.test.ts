// Vue: a shallow ref that follows a watch for as long as its scope lives.
import { describe, it } from '#test';
import { expect } from 'chai';
import type { Client } from 'paystate';
import { createApp, createSSRApp, defineComponent, h, nextTick } from 'vue';
import { renderToString } from 'vue/server-renderer';
import { useInvoice } from './.cache/vue.ts';
import {
  closedShop,
  costOf,
  element,
  expectSilence,
  openInvoice,
  withReports,
} from './shop-page.ts';

const page = (client: Client, id: string) =>
  defineComponent(() => {
    const snapshot = useInvoice(client, id);
    return () => h('p', `${snapshot.value.value?.state ?? 'none'} ${snapshot.value.freshness}`);
  });

describe('Vue', () => {
  it('shows what is true, and leaves nothing', async () => {
    const shop = await openInvoice();
    const place = element();
    const app = createApp(page(shop.client, shop.created.invoiceId));
    shop.requests.length = 0;
    app.mount(place);
    expect(place.textContent).to.equal('none loading');
    await shop.sandbox.advance(30_000);
    await nextTick();
    expect(place.textContent).to.equal('UNPAID live');
    expect(shop.requests.length).to.equal(await costOf(30_000));
    app.unmount();
    await expectSilence(shop);
  });

  it('shows a refusal as failed', () =>
    withReports(async (reports) => {
      const shop = closedShop();
      const place = element();
      const app = createApp(page(shop.client, 'a'));
      app.mount(place);
      await shop.sandbox.advance(10_000);
      await nextTick();
      expect(place.textContent).to.equal('none failed');
      expect(reports).to.have.length(1);
      app.unmount();
      await expectSilence(shop);
    }));

  it('renders on a server without a request, and goes on in the page', async () => {
    const shop = await openInvoice();
    shop.requests.length = 0;
    const html = await renderToString(createSSRApp(page(shop.client, shop.created.invoiceId)));
    expect(html).to.contain('none loading');
    await expectSilence(shop);
    const place = element();
    place.innerHTML = html;
    const first = place.firstElementChild;
    const app = createSSRApp(page(shop.client, shop.created.invoiceId));
    app.mount(place);
    await shop.sandbox.advance(5_000);
    await nextTick();
    expect([place.textContent, place.firstElementChild === first]).to.deep.equal([
      'UNPAID live',
      true,
    ]);
    app.unmount();
    await expectSilence(shop);
  });
});
