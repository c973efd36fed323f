// The hooks of paystate/react: one subscriber in strict mode, nothing left behind, the same on a server.
import { describe, it } from '#test';
import { expect } from 'chai';
import { type Client, createClient, watchBalances, watchInvoice } from 'paystate';
import { PaystateProvider, useCheckout, useClient, useInvoice, useWatch } from 'paystate/react';
import { act, Component, type ReactNode, StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import {
  costOf,
  element,
  expectSilence,
  openInvoice,
  refusingShop,
  withReports,
} from './shop-page.ts';

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

interface Shown {
  readonly client: Client;
  readonly id: string;
}

function Invoice({ client, id }: Shown) {
  const { value, freshness } = useInvoice(client, id);
  return <p>{`${value?.state ?? 'none'} ${freshness}`}</p>;
}

function Again({ client, id }: Shown) {
  const { freshness, retry } = useInvoice(client, id);
  const { phase } = useCheckout(client, { invoiceId: id });
  return <button onClick={retry}>{`${freshness} ${phase}`}</button>;
}

function Sale({ client, id }: Shown) {
  return <p>{useCheckout(client, { invoiceId: id, pauseAfter: 10_000 }).phase}</p>;
}

function Late({ client, id }: { readonly client: Client | undefined; readonly id: string }) {
  const { value, freshness } = useInvoice(client, id);
  return <p>{`${value?.state ?? 'none'} ${freshness}`}</p>;
}

/** Shows the error of what is inside. */
class Caught extends Component<{ readonly children: ReactNode }, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error instanceof Error ? `${error.name} ${error.message}` : this.props.children;
  }
}

describe('paystate/react', () => {
  it('shows an invoice in strict mode, for the requests of one subscriber, and leaves nothing', async () => {
    const shop = await openInvoice();
    const { client, created, requests, sandbox } = shop;
    const place = element();
    const root = createRoot(place);
    requests.length = 0;
    const page = <Invoice client={client} id={created.invoiceId} />;
    await act(() => root.render(<StrictMode>{page}</StrictMode>));
    await act(() => sandbox.advance(30_000));
    expect(place.textContent).to.equal('UNPAID live');
    expect(requests.length).to.equal(await costOf(30_000));
    await shop.pay(created);
    await act(() => sandbox.advance(5_000));
    expect(place.textContent).to.equal('PAID live');
    await act(() => root.unmount());
    await expectSilence(shop);
  });

  it('changes to another invoice', async () => {
    const shop = await openInvoice();
    const other = await shop.invoice();
    await shop.pay(other);
    const place = element();
    const root = createRoot(place);
    for (const [id, state] of [
      [shop.created.invoiceId, 'UNPAID'],
      [other.invoiceId, 'PAID'],
    ] as const) {
      await act(() => root.render(<Invoice client={shop.client} id={id} />));
      await act(() => shop.sandbox.advance(5_000));
      expect(place.textContent).to.equal(`${state} live`);
    }
    await act(() => root.unmount());
    await expectSilence(shop);
  });

  it('reads again when a button calls retry after a failure', async () => {
    const { shop, open } = refusingShop();
    const other = createClient(shop.sandbox.clientOptions);
    const { invoiceId } = await shop.sandbox.run(
      other.invoices.create({ amount: { amount: '1', currency: 'EUR' } }),
    );
    const place = element();
    const root = createRoot(place);
    await withReports(async (reports) => {
      await act(() => root.render(<Again client={shop.client} id={invoiceId} />));
      await act(() => shop.sandbox.advance(5_000));
      expect(reports).to.have.length(2); // of the invoice and of the checkout
    });
    expect(place.textContent).to.equal('failed failed');
    open();
    await act(() => place.querySelector('button')!.click());
    await act(() => shop.sandbox.advance(1_000));
    expect(place.textContent).to.equal('live failed');
    await act(() => root.unmount());
    await expectSilence(shop);
  });

  it('is idle until client and id are there, and asks nothing before', async () => {
    const shop = await openInvoice();
    const place = element();
    const root = createRoot(place);
    const Late = ({
      client,
      id,
    }: {
      client?: Client | undefined;
      id?: string | null | undefined;
    }) => {
      const { value, freshness } = useInvoice(client, id);
      const { phase } = useCheckout(client, { invoiceId: id });
      return <p>{`${value?.state ?? 'none'} ${freshness} ${phase}`}</p>;
    };
    shop.requests.length = 0;
    const cases: readonly (readonly [Client | undefined, string | null | undefined, string])[] = [
      [undefined, undefined, 'none idle idle'],
      [shop.client, null, 'none idle idle'],
      [shop.client, undefined, 'none idle idle'],
      [undefined, shop.created.invoiceId, 'none idle idle'],
      [shop.client, shop.created.invoiceId, 'UNPAID live awaiting'],
      [shop.client, undefined, 'none idle idle'],
    ];
    for (const [at, [client, id, text]] of cases.entries()) {
      await act(() => root.render(<Late client={client} id={id} />));
      await act(() => shop.sandbox.advance(5_000));
      expect(place.textContent).to.equal(text);
      if (at < 4) expect(shop.requests).to.have.length(0);
    }
    await act(() => root.unmount());
    await expectSilence(shop);
  });

  it('follows a checkout, and a tap on the page ends its pause', async () => {
    const shop = await openInvoice();
    const place = element();
    const root = createRoot(place);
    const page = <Sale client={shop.client} id={shop.created.invoiceId} />;
    await act(() => root.render(<StrictMode>{page}</StrictMode>));
    expect(place.textContent).to.equal('loading');
    await act(() => shop.sandbox.advance(3_000));
    expect(place.textContent).to.equal('awaiting');
    await act(() => shop.sandbox.advance(8_000));
    expect(place.textContent).to.equal('paused');
    document.dispatchEvent(new Event('pointerdown'));
    await act(() => shop.sandbox.advance(1_000));
    expect(place.textContent).to.equal('awaiting');
    await act(() => root.unmount());
    await expectSilence(shop);
  });

  it('renders on a server and goes on in the page without a difference', async () => {
    const shop = await openInvoice();
    const page = <Sale client={shop.client} id={shop.created.invoiceId} />;
    const place = element();
    place.innerHTML = renderToString(page);
    expect(place.textContent).to.equal('loading');
    const troubles: unknown[] = [];
    const onRecoverableError = (error: unknown) => void troubles.push(error);
    const root = await act(() => hydrateRoot(place, page, { onRecoverableError }));
    await act(() => shop.sandbox.advance(5_000));
    expect([place.textContent, troubles]).to.deep.equal(['awaiting', []]);
    await act(() => root.unmount());
    await expectSilence(shop);
  });

  it('takes the client of the nearest provider', async () => {
    const shop = await openInvoice();
    const other = await openInvoice();
    const { invoiceId } = shop.created;
    const Shop = ({ children }: { readonly children?: ReactNode }) => {
      const client = useClient();
      const { value } = useInvoice(invoiceId);
      const { phase } = useCheckout({ invoiceId });
      const { freshness } = useWatch(() => watchBalances(client), [client]);
      const isShop = client === shop.client;
      return <p>{[isShop, value?.state, phase, freshness, children].flat()}</p>;
    };
    const place = element();
    const root = createRoot(place);
    const page = (
      <PaystateProvider client={other.client}>
        <PaystateProvider client={shop.client}>
          <Shop>inside</Shop>
        </PaystateProvider>
      </PaystateProvider>
    );
    await act(() => root.render(<StrictMode>{page}</StrictMode>));
    await act(() => shop.sandbox.advance(5_000));
    expect(place.textContent).to.equal('UNPAIDawaitingliveinside');
    await act(() => root.unmount());
    await expectSilence(shop);
    await expectSilence(other);
  });

  it('says what to do where no provider is', async () => {
    const hooks: readonly (() => unknown)[] = [
      () => useClient(),
      () => useInvoice('invoice-1'),
      () => useCheckout({ invoiceId: 'invoice-1' }),
    ];
    for (const hook of hooks) {
      const Page = () => String(hook());
      const place = element();
      const root = createRoot(place, { onCaughtError() {} });
      await act(() =>
        root.render(
          <Caught>
            <Page />
          </Caught>,
        ),
      );
      expect(place.textContent).to.equal(
        'InputError client: wrap the page in <PaystateProvider client={client}>, or pass a client',
      );
      await act(() => root.unmount());
    }
  });

  it('comes back to an invoice within a second, and shows it at once', async () => {
    const shop = await openInvoice();
    const other = await shop.invoice();
    const place = element();
    let root = createRoot(place);
    shop.requests.length = 0;
    const show = (client: Client | undefined, id: string) =>
      act(() => root.render(<StrictMode>{<Late client={client} id={id} />}</StrictMode>));
    await show(undefined, shop.created.invoiceId);
    expect([place.textContent, shop.requests.length]).to.deep.equal(['none idle', 0]);
    await show(shop.client, shop.created.invoiceId);
    expect(place.textContent).to.equal('none loading');
    await act(() => shop.sandbox.advance(1_000));
    expect([place.textContent, shop.requests.length]).to.deep.equal(['UNPAID live', 1]);
    await show(shop.client, other.invoiceId);
    expect(place.textContent).to.equal('none loading');
    await act(() => shop.sandbox.advance(1_000));
    expect(place.textContent).to.equal('UNPAID live');
    await act(() => root.unmount());
    await act(() => shop.sandbox.advance(500));
    root = createRoot(place);
    const reads = shop.requests.length;
    await show(shop.client, other.invoiceId);
    await act(() => shop.sandbox.advance(1_000));
    expect(place.textContent).to.equal('UNPAID live');
    expect(shop.requests.length - reads).to.be.within(1, 2);
    await act(() => root.unmount());
    await expectSilence(shop);
  });

  it('is not disturbed by another listener of the invoice that throws', async () => {
    const shop = await openInvoice();
    const place = element();
    const root = createRoot(place);
    await withReports(async (reports) => {
      const stop = watchInvoice(shop.client, shop.created).subscribe(() => {
        throw new Error('a fault of the page');
      });
      await act(() => root.render(<Invoice client={shop.client} id={shop.created.invoiceId} />));
      await act(() => shop.sandbox.advance(5_000));
      stop();
      expect(place.textContent).to.equal('UNPAID live');
      expect(reports.length).to.be.greaterThan(0);
    });
    await act(() => root.unmount());
    await expectSilence(shop);
  });

  it('reads at once when a button calls refresh, and shows when that was', async () => {
    const shop = await openInvoice();
    const place = element();
    const root = createRoot(place);
    let shown: ReturnType<typeof useInvoice> | undefined;
    const Refreshed = () => {
      shown = useInvoice(shop.client, shop.created.invoiceId);
      return <button onClick={() => void shown?.refresh()}>{shown.freshness}</button>;
    };
    await act(() => root.render(<Refreshed />));
    await act(() => shop.sandbox.advance(900));
    const before = shown!;
    const { checkedAt } = before;
    await shop.pay(shop.created);
    shop.requests.length = 0;
    await act(async () => {
      place.querySelector('button')!.click();
      await shop.sandbox.advance(100);
    });
    expect(shop.requests.map(({ method }) => method)).to.deep.equal(['GET']);
    expect(shown!.value?.state).to.equal('PAID');
    expect([shown!.refresh, shown!.retry]).to.deep.equal([before.refresh, before.retry]);
    expect(shown!.checkedAt).to.be.greaterThan(checkedAt!);
    await act(() => root.unmount());
    await expectSilence(shop);
  });

  it('says when a read confirmed the value, without another rendering', async () => {
    const shop = await openInvoice();
    const place = element();
    const root = createRoot(place);
    const shown: ReturnType<typeof useInvoice>[] = [];
    const Checked = () => {
      const snapshot = useInvoice(shop.client, shop.created.invoiceId);
      shown.push(snapshot);
      return <p>{snapshot.freshness}</p>;
    };
    await act(() => root.render(<Checked />));
    await act(() => shop.sandbox.advance(900));
    const [last, { length }] = [shown.at(-1)!, shown];
    const checkedAt = last.checkedAt!;
    await act(() => shop.sandbox.advance(10_000));
    expect(last.checkedAt).to.be.greaterThan(checkedAt);
    expect(shown).to.have.length(length);
    await act(() => root.unmount());
    await expectSilence(shop);
  });

  it('refreshes nothing while it is idle', async () => {
    const root = createRoot(element());
    let read: Promise<unknown> | undefined;
    const Idle = () => {
      read = useInvoice(undefined, undefined).refresh();
      return null;
    };
    await act(() => root.render(<Idle />));
    expect(await read).to.deep.equal({ freshness: 'idle' });
    await act(() => root.unmount());
  });
});
