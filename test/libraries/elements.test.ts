// The recipes of the chapter on elements: in each framework a page shows a checkout, hears that it is paid, and goes.
import { describe, it } from '#test';
import '@angular/compiler';
import { createComponent, inputBinding, outputBinding } from '@angular/core';
import { createApplication } from '@angular/platform-browser';
import { expect } from 'chai';
import type { Client } from 'paystate';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { createComponent as createSolid } from 'solid-js';
import { render } from 'solid-js/web';
import { mount, unmount } from 'svelte';
import { createApp } from 'vue';
import { Checkout as AngularCheckout } from './.cache/angular/angularCheckout.js';
import { Checkout as ReactCheckout } from './.cache/reactCheckout.tsx';
import { Checkout as SolidCheckout } from './.cache/solidCheckout.tsx';
import SvelteCheckout from './.cache/svelteCheckout.svelte';
import VueCheckout from './.cache/vueCheckout.vue';
import { element, expectSilence, openInvoice } from './shop-page.ts';

interface Given {
  readonly client: Client;
  readonly invoiceId: string;
  onPaid(): void;
}

/** Shows the page in `place`, and returns what takes it away. */
type Page = (place: HTMLElement, given: Given) => Promise<() => unknown> | (() => unknown);

const pages: Readonly<Record<string, Page>> = {
  React(place, given) {
    const root = createRoot(place);
    root.render(createElement(ReactCheckout, given));
    return () => root.unmount();
  },
  Vue(place, given) {
    const app = createApp(VueCheckout, { ...given });
    app.mount(place);
    return () => app.unmount();
  },
  Svelte(target, given) {
    const page = mount(SvelteCheckout, { target, props: { ...given } });
    return () => unmount(page);
  },
  Solid: (place, given) => render(() => createSolid(SolidCheckout, given), place),
  async Angular(hostElement, { client, invoiceId, onPaid }) {
    const app = await createApplication();
    const bindings = [
      inputBinding('client', () => client),
      inputBinding('invoiceId', () => invoiceId),
      outputBinding('paid', onPaid),
    ];
    const page = createComponent(AngularCheckout, {
      environmentInjector: app.injector,
      hostElement,
      bindings,
    });
    app.attachView(page.hostView);
    app.tick();
    return () => app.destroy();
  },
};

/** Frameworks render with a frame or a task of the page, which the sandbox does not move. */
const rendered = () =>
  new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

describe('the recipes of paystate/elements', () => {
  for (const [framework, open] of Object.entries(pages))
    it(`show a checkout in ${framework}, which says when it is paid`, async () => {
      const shop = await openInvoice();
      const { client, created, sandbox } = shop;
      const place = element();
      let paid = 0;
      const close = await open(place, {
        client,
        invoiceId: created.invoiceId,
        onPaid: () => void paid++,
      });
      await rendered();
      await sandbox.advance(3_000);
      const text = () => place.querySelector('paystate-checkout')!.shadowRoot!.textContent;
      expect([text().includes('€12.50'), paid]).to.deep.equal([true, 0]);
      await sandbox.run(sandbox.payer.pay(created.invoiceId));
      await sandbox.advance(30_000);
      expect(text()).to.include('Thank you.');
      expect(paid).to.be.greaterThan(0);
      await close();
      await rendered();
      place.remove();
      await expectSilence(shop);
    });
});
