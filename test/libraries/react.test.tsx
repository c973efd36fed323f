// React: a watch is an external store. Strict mode subscribes twice, server rendering has no subscriber.
import { describe, it } from '#test';
import { expect } from 'chai';
import { type Client, provide } from 'paystate';
import { act, StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { useInvoice } from './.cache/react.ts';
import {
  closedShop,
  costOf,
  element,
  expectSilence,
  openInvoice,
  withReports,
} from './shop-page.ts';

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

function Invoice({ client, id }: { readonly client: Client; readonly id: string }) {
  const { value, freshness, error } = useInvoice(client, id);
  return <p>{`${value?.state ?? 'none'} ${freshness} ${error?.code ?? ''}`.trim()}</p>;
}

describe('React', () => {
  it('shows what is true in strict mode, for the requests of one subscriber, and leaves nothing', async () => {
    const shop = await openInvoice();
    const { client, created, requests, sandbox } = shop;
    const place = element();
    const root = createRoot(place);
    requests.length = 0;
    await act(() =>
      root.render(
        <StrictMode>
          <Invoice client={client} id={created.invoiceId} />
          <Invoice client={client} id={created.invoiceId} />
        </StrictMode>,
      ),
    );
    expect(place.textContent).to.equal('none loadingnone loading');
    await act(() => sandbox.advance(30_000));
    expect(place.textContent).to.equal('UNPAID liveUNPAID live');
    expect(requests.length).to.equal(await costOf(30_000));
    await shop.pay(created);
    await act(() => sandbox.advance(5_000));
    expect(place.textContent).to.equal('PAID livePAID live');
    await act(() => root.unmount());
    await expectSilence(shop);
  });

  it('that goes before the end stops the work', async () => {
    const shop = await openInvoice();
    const root = createRoot(element());
    await act(() => root.render(<Invoice client={shop.client} id={shop.created.invoiceId} />));
    await act(() => shop.sandbox.advance(5_000));
    await act(() => root.unmount());
    await expectSilence(shop);
  });

  it('shows a refusal as failed, and the refusal is reported once', () =>
    withReports(async (reports) => {
      const shop = closedShop();
      const place = element();
      const root = createRoot(place);
      await act(() =>
        root.render(
          <StrictMode>
            <Invoice client={shop.client} id="a" />
          </StrictMode>,
        ),
      );
      await act(() => shop.sandbox.advance(10_000));
      expect(place.textContent).to.equal('none failed FORBIDDEN');
      expect(reports).to.have.length(1);
      await act(() => root.unmount());
      await expectSilence(shop);
    }));

  for (const isProvided of [false, true])
    it(`renders on a server and goes on in the page without a difference: ${isProvided ? 'stale after provide' : 'loading'}`, async () => {
      const shop = await openInvoice();
      const server = await openInvoice();
      const { created, sandbox } = shop;
      const asOf = sandbox.clock.now();
      if (isProvided)
        for (const { client } of [shop, server]) provide(client, 'invoice', created, { asOf });
      shop.requests.length = 0;
      const page = (client: Client) => <Invoice client={client} id={created.invoiceId} />;
      const html = renderToString(page(server.client));
      expect(html).to.contain(isProvided ? 'UNPAID stale' : 'none loading');
      const place = element();
      place.innerHTML = html;
      const troubles: unknown[] = [];
      const onRecoverableError = (error: unknown) => void troubles.push(error);
      const root = await act(() => hydrateRoot(place, page(shop.client), { onRecoverableError }));
      await act(() => sandbox.advance(5_000));
      expect(place.textContent).to.equal('UNPAID live');
      expect(troubles).to.deep.equal([]);
      expect(server.timers()).to.equal(0);
      await act(() => root.unmount());
      await expectSilence(shop);
    });
});
