// Solid: `from` makes a signal of a watch.
import { describe, it } from '#test';
import { expect } from 'chai';
import type { Client } from 'paystate';
import { createEffect, createRoot } from 'solid-js';
import { createInvoice } from './.cache/solid.ts';
import { closedShop, costOf, expectSilence, openInvoice, withReports } from './shop-page.ts';

/** Shows an invoice until it is disposed of. */
function show(client: Client, id: string) {
  const shown: string[] = [];
  const dispose = createRoot((end) => {
    const snapshot = createInvoice(client, id);
    createEffect(() => shown.push(`${snapshot().value?.state ?? 'none'} ${snapshot().freshness}`));
    return end;
  });
  return { shown, dispose };
}

describe('Solid', () => {
  it('shows what is true at once and later, and leaves nothing', async () => {
    const shop = await openInvoice();
    shop.requests.length = 0;
    const { shown, dispose } = show(shop.client, shop.created.invoiceId);
    await shop.sandbox.advance(30_000);
    expect(shown).to.deep.equal(['none loading', 'UNPAID live']);
    expect(shop.requests.length).to.equal(await costOf(30_000));
    dispose();
    await expectSilence(shop);
  });

  it('shows a refusal as failed, and it is reported once', () =>
    withReports(async (reports) => {
      const shop = closedShop();
      const { shown, dispose } = show(shop.client, 'a');
      await shop.sandbox.advance(10_000);
      expect([shown.at(-1), reports.length]).to.deep.equal(['none failed', 1]);
      dispose();
      await expectSilence(shop);
    }));
});
