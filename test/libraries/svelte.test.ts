// Svelte: a watch is a store, so `$watch` in a component follows it.
import { describe, it } from '#test';
import { expect } from 'chai';
import { watchInvoice } from 'paystate';
import { flushSync, mount, unmount } from 'svelte';
import { fromStore, get } from 'svelte/store';
import Invoice from './.cache/svelte.svelte';
import {
  closedShop,
  costOf,
  element,
  expectSilence,
  openInvoice,
  withReports,
} from './shop-page.ts';

describe('Svelte', () => {
  it('shows what is true at once and later, and leaves nothing', async () => {
    const shop = await openInvoice();
    const target = element();
    shop.requests.length = 0;
    const props = { client: shop.client, invoiceId: shop.created.invoiceId };
    const page = mount(Invoice, { target, props });
    flushSync();
    expect(target.textContent).to.equal('loading');
    await shop.sandbox.advance(30_000);
    flushSync();
    expect(target.textContent).to.equal('UNPAID');
    expect(shop.requests.length).to.equal(await costOf(30_000));
    await unmount(page);
    await expectSilence(shop);
  });

  it('shows a refusal as failed, and it is reported once', () =>
    withReports(async (reports) => {
      const shop = closedShop();
      const target = element();
      const page = mount(Invoice, { target, props: { client: shop.client, invoiceId: 'a' } });
      await shop.sandbox.advance(10_000);
      flushSync();
      expect([target.textContent, reports.length]).to.deep.equal(['failed', 1]);
      await unmount(page);
      await expectSilence(shop);
    }));

  it('reads a watch by get() and fromStore(), which need a first call at once', async () => {
    const shop = await openInvoice();
    const watch = watchInvoice(shop.client, shop.created);
    expect(get(watch).freshness).to.equal('loading');
    expect(fromStore(watch).current.freshness).to.equal('loading');
    await expectSilence(shop);
  });
});
