// What is rendered on a server, in Node: only what suspends reads, and once; nothing goes on after the page is sent.
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from '#test';
import { expect } from 'chai';
import { type Client, provide, watchBalances } from 'paystate';
import * as react from 'paystate/react';
import * as vue from 'paystate/vue';
import { type ReactElement, type ReactNode, Suspense } from 'react';
import { renderToPipeableStream, renderToString } from 'react-dom/server';
import { createSSRApp, h } from 'vue';
import { renderToString as renderVue } from 'vue/server-renderer';
import { refusal } from '../unit/state/shop.ts';
import { closedShop, expectSilence, openInvoice, openShop } from './shop-page.ts';

const wordsOf = (html: string): string => html.replaceAll(/<!--.*?-->|<[^>]*>/g, '');

function Page({ id }: { readonly id: string }) {
  const client = react.useClient();
  const { freshness } = react.useInvoice(id);
  const { phase } = react.useCheckout({ invoiceId: id });
  const balances = react.useWatch(() => watchBalances(client), [client]);
  return <p>{`${freshness} ${phase} ${balances.freshness}`}</p>;
}

const vuePage = (client: Client, id: string) =>
  createSSRApp({
    setup() {
      const invoice = vue.useInvoice(id);
      const view = vue.useCheckout({ invoiceId: id });
      const balances = vue.useWatch(() => watchBalances(vue.useClient()));
      return () =>
        h('p', [invoice.value.freshness, view.value.phase, balances.value.freshness].join(' '));
    },
  }).use(vue.createPaystate(client));

function Suspending({ id }: { readonly id: string }) {
  const { value, freshness } = react.useSuspenseInvoice(id);
  return <p>{`${value.state} ${freshness}`}</p>;
}

const suspending = (client: Client, id: string): ReactElement => (
  <react.PaystateProvider client={client}>
    <Suspense fallback="waiting">
      <Suspending id={id} />
    </Suspense>
  </react.PaystateProvider>
);

interface Streamed {
  readonly html: Promise<string>;
  readonly errors: readonly unknown[];
  abort(): void;
}

/** Streams a page as soon as all of it is there, as to a crawler. */
function stream(page: ReactNode): Streamed {
  const body = new PassThrough();
  const errors: unknown[] = [];
  const { pipe, abort } = renderToPipeableStream(page, {
    onAllReady: () => void pipe(body),
    onError: (error) => void errors.push(error),
  });
  return { html: text(body), errors, abort };
}

describe('on a server', () => {
  it('runs where no page is', () => expect('document' in globalThis).to.equal(false));

  for (const isProvided of [false, true])
    it(`hooks and refs read nothing${isProvided ? ', and show what was provided' : ''}`, async () => {
      const shop = await openInvoice();
      const { client, created, sandbox } = shop;
      if (isProvided) provide(client, 'invoice', created, { asOf: sandbox.clock.now() });
      shop.requests.length = 0;
      const page = (
        <react.PaystateProvider client={client}>
          <Page id={created.invoiceId} />
        </react.PaystateProvider>
      );
      for (const html of [
        renderToString(page),
        await stream(page).html,
        await renderVue(vuePage(client, created.invoiceId)),
      ])
        expect(wordsOf(html)).to.equal(`${isProvided ? 'stale' : 'loading'} loading loading`);
      expect([shop.requests.length, shop.timers()]).to.deep.equal([0, 0]);
      await expectSilence(shop);
    });

  it('useSuspenseInvoice reads once, and stops when the value is there', async () => {
    const shop = await openInvoice();
    shop.requests.length = 0;
    const { html, errors } = stream(suspending(shop.client, shop.created.invoiceId));
    await shop.sandbox.advance(1_000);
    expect(await html).to.equal('<!--$--><p>UNPAID live</p><!--/$-->');
    expect([errors.length, shop.requests.length, shop.timers()]).to.deep.equal([0, 1, 0]);
    await expectSilence(shop);
  });

  it('useSuspenseInvoice throws a refusal to where the server shows errors', async () => {
    const shop = closedShop();
    const { html, errors } = stream(suspending(shop.client, 'invoice-1'));
    await shop.sandbox.advance(5_000);
    expect(wordsOf(await html)).to.equal('waiting');
    expect(errors).to.have.length(1);
    expect(errors[0]).to.have.property('code', 'FORBIDDEN');
    await expectSilence(shop);
  });

  it('useSuspenseInvoice ends by itself where a page is given up before anything is known', async () => {
    const shop = openShop({}, () => Promise.resolve(refusal(503, 'SERVICE_UNAVAILABLE')));
    const { abort } = stream(suspending(shop.client, 'invoice-1'));
    await shop.sandbox.advance(1_000);
    abort();
    await shop.sandbox.advance(15_000);
    await expectSilence(shop);
  });
});
