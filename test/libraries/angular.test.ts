// Angular: signals by toSignal, and the async pipe, in an application without zones.
import { describe, it } from '#test';
import '@angular/compiler';
import { AsyncPipe } from '@angular/common';
import { Component, ErrorHandler, type Type } from '@angular/core';
import { createApplication } from '@angular/platform-browser';
import { toSignal } from '@angular/core/rxjs-interop';
import { expect } from 'chai';
import { type Client, watchInvoice } from 'paystate';
import { invoiceSignal } from './.cache/angular.ts';
import { closedShop, costOf, element, expectSilence, openInvoice, type Shop } from './shop-page.ts';

const TEMPLATE = `{{ snapshot().value?.state ?? 'none' }} {{ snapshot().freshness }}`;

/** A component that is compiled in the page, as its decorator would. */
const component = (template: string, fields: () => object): Type<object> =>
  Component({ selector: 'shop-page', template, imports: [AsyncPipe] })(
    class {
      constructor() {
        Object.assign(this, fields());
      }
    },
  ) as Type<object>;

const byRecipe = (client: Client, id: string) =>
  component(TEMPLATE, () => ({ snapshot: invoiceSignal(client, id) }));
const bySignal = (client: Client, id: string) =>
  component(TEMPLATE, () => ({
    snapshot: toSignal(watchInvoice(client, id), { requireSync: true }),
  }));
const byPipe = (client: Client, id: string) =>
  component(
    `@let now = watch | async; {{ now?.value?.state ?? 'none' }} {{ now?.freshness }}`,
    () => ({ watch: watchInvoice(client, id) }),
  );

/** Runs the component in an application of its own. */
async function show(shop: Shop, page: Type<object>) {
  const errors: unknown[] = [];
  const handler = { handleError: (error: unknown) => void errors.push(error) };
  const app = await createApplication({
    providers: [{ provide: ErrorHandler, useValue: handler }],
  });
  const place = element();
  app.bootstrap(page, place);
  const advance = async (ms: number) => {
    await shop.sandbox.advance(ms);
    app.tick();
  };
  return { app, errors, advance, text: () => place.textContent!.trim() };
}

describe('Angular', () => {
  for (const [name, page] of Object.entries({
    'the recipe': byRecipe,
    'toSignal with requireSync': bySignal,
    'the async pipe': byPipe,
  }))
    it(`shows by ${name} what is true at once and later, and leaves nothing`, async () => {
      const shop = await openInvoice();
      shop.requests.length = 0;
      const { app, errors, advance, text } = await show(
        shop,
        page(shop.client, shop.created.invoiceId),
      );
      expect(text()).to.equal('none loading');
      await advance(30_000);
      expect([text(), errors]).to.deep.equal(['UNPAID live', []]);
      expect(shop.requests.length).to.equal(await costOf(30_000));
      app.destroy();
      await expectSilence(shop);
    });

  it('shows a refusal as failed by the recipe', async () => {
    const shop = closedShop();
    const { app, errors, advance, text } = await show(shop, byRecipe(shop.client, 'a'));
    await advance(10_000);
    expect([text(), errors]).to.deep.equal(['none failed', []]);
    app.destroy();
    await expectSilence(shop);
  });

  it('shows a refusal as failed by the async pipe, and its error handler hears it once', async () => {
    const shop = closedShop();
    const { app, errors, advance, text } = await show(shop, byPipe(shop.client, 'a'));
    await advance(10_000);
    expect([text(), errors.length]).to.deep.equal(['none failed', 1]);
    app.destroy();
    await expectSilence(shop);
  });
});
