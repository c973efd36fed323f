// useSuspenseInvoice of paystate/react: what it waits for, what it throws, and what a component leaves that never mounts.
import { describe, it } from '#test';
import { expect } from 'chai';
import { type Client, isPaystateError, provide } from 'paystate';
import { PaystateProvider, useSuspenseInvoice } from 'paystate/react';
import { act, Component, type ReactNode, StrictMode, Suspense } from 'react';
import { createRoot, hydrateRoot, type Root } from 'react-dom/client';
import { Order } from './.cache/suspense.tsx';
import { refusal } from '../unit/state/shop.ts';
import {
  element,
  expectSilence,
  openInvoice,
  openShop,
  refusingShop,
  type Shop,
  withReports,
} from './shop-page.ts';

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

function Invoice({ id }: { readonly id: string }) {
  const { value, freshness } = useSuspenseInvoice(id);
  return <p>{`${value.state} ${freshness}`}</p>;
}

/** An error boundary as users write it: the code of the error on a button that tries again. */
class Boundary extends Component<{ readonly children: ReactNode }, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    const text = isPaystateError(error) ? error.code : 'another error';
    return <button onClick={() => this.setState({ error: undefined })}>{text}</button>;
  }
}

const page = (client: Client, id: string) => (
  <StrictMode>
    <PaystateProvider client={client}>
      <Boundary>
        <Suspense fallback="waiting">
          <Invoice id={id} />
        </Suspense>
      </Boundary>
    </PaystateProvider>
  </StrictMode>
);

/** A root that keeps to itself what a boundary has caught. */
function rootAt(place: HTMLElement): Root {
  return createRoot(place, { onCaughtError() {} });
}

const readsOf = ({ requests }: Shop): number =>
  requests.filter(({ path }) => path.startsWith('/v1/invoices')).length;

/** What a page shows: React only hides the text before a fallback. */
const textOf = (place: HTMLElement): string => place.innerText.trim();

/** An invoice of another client of the service that a shop may not reach. */
async function invoiceIn({ sandbox }: Shop): Promise<string> {
  const { createClient } = await import('paystate');
  const other = createClient(sandbox.clientOptions);
  const draft = { amount: { amount: '1', currency: 'EUR' } };
  return (await sandbox.run(other.invoices.create(draft))).invoiceId;
}

describe('useSuspenseInvoice of paystate/react', () => {
  it('suspends until the first value is there, for one read', async () => {
    const shop = await openInvoice();
    const place = element();
    const root = rootAt(place);
    shop.requests.length = 0;
    await act(() => root.render(page(shop.client, shop.created.invoiceId)));
    expect(textOf(place)).to.equal('waiting');
    await act(() => shop.sandbox.advance(500));
    expect(textOf(place)).to.equal('UNPAID live');
    await act(() => shop.sandbox.advance(400));
    expect(readsOf(shop)).to.equal(1);
    await shop.pay(shop.created);
    await act(() => shop.sandbox.advance(5_000));
    expect(textOf(place)).to.equal('PAID live');
    await act(() => root.unmount());
    await expectSilence(shop);
  });

  it('suspends for another invoice, and not for one that is known', async () => {
    const shop = await openInvoice();
    const [other, known] = [await shop.invoice(), await shop.invoice()];
    await shop.pay(other);
    provide(shop.client, 'invoice', known, { asOf: shop.sandbox.clock.now() });
    const place = element();
    const root = rootAt(place);
    for (const [{ invoiceId }, before, after] of [
      [shop.created, 'waiting', 'UNPAID live'],
      [other, 'waiting', 'PAID live'],
      [known, 'UNPAID stale', 'UNPAID live'],
    ] as const) {
      await act(() => root.render(page(shop.client, invoiceId)));
      expect(textOf(place)).to.equal(before);
      await act(() => shop.sandbox.advance(2_000));
      expect(textOf(place)).to.equal(after);
    }
    await act(() => root.unmount());
    await expectSilence(shop);
  });

  it('stays suspended while reads fail, and keeps reading however long that takes', async () => {
    let isDown = true;
    const shop = openShop({}, (url, ask) =>
      isDown && url.includes('/v1/invoices')
        ? Promise.resolve(refusal(503, 'SERVICE_UNAVAILABLE'))
        : ask(),
    );
    const id = await invoiceIn(shop);
    const place = element();
    const root = rootAt(place);
    await act(() => root.render(page(shop.client, id)));
    for (let second = 0; second < 30; second++) {
      await act(() => shop.sandbox.advance(1_000));
      expect(textOf(place)).to.equal('waiting');
    }
    expect(readsOf(shop)).to.be.within(3, 15); // one subscriber's repetitions
    isDown = false;
    for (let second = 0; second < 20; second++) await act(() => shop.sandbox.advance(1_000));
    expect(textOf(place)).to.equal('UNPAID live');
    await act(() => root.unmount());
    await expectSilence(shop);
  });

  it('throws a refused credential to the error boundary, from which the page can try again', async () => {
    const { shop, open } = refusingShop();
    const id = await invoiceIn(shop);
    const place = element();
    const root = rootAt(place);
    await withReports(async (reports) => {
      await act(() => root.render(page(shop.client, id)));
      for (let second = 0; second < 5; second++) await act(() => shop.sandbox.advance(1_000));
      expect(textOf(place)).to.equal('UNAUTHORIZED');
      expect(reports).to.deep.equal([]); // the boundary has it
    });
    const tryAgain = () => act(() => place.querySelector('button')!.click());
    await tryAgain();
    expect(textOf(place)).to.equal('waiting');
    for (let second = 0; second < 5; second++) await act(() => shop.sandbox.advance(1_000));
    expect(textOf(place)).to.equal('UNAUTHORIZED');
    open();
    await tryAgain();
    await act(() => shop.sandbox.advance(1_000));
    expect(textOf(place)).to.equal('UNPAID live');
    await act(() => root.unmount());
    await expectSilence(shop);
  });

  it('throws what ends the watch of a component that is mounted', async () => {
    let isRefused = false;
    const shop = openShop({}, (_url, ask) =>
      isRefused ? Promise.resolve(refusal(401, 'UNAUTHORIZED')) : ask(),
    );
    const { invoiceId } = await shop.invoice();
    const place = element();
    const root = rootAt(place);
    await act(() => root.render(page(shop.client, invoiceId)));
    await act(() => shop.sandbox.advance(1_000));
    expect(textOf(place)).to.equal('UNPAID live');
    isRefused = true;
    await withReports(async (reports) => {
      for (let minute = 0; minute < 12; minute++) await act(() => shop.sandbox.advance(60_000));
      expect(textOf(place)).to.equal('UNAUTHORIZED');
      expect(reports).to.deep.equal([]);
    });
    await act(() => root.unmount());
    await expectSilence(shop);
  });

  for (const [name, delay] of [
    ['before the first value', 0],
    ['with a value', 1_000],
  ] as const)
    it(`leaves nothing where React gives the component up ${name}`, async () => {
      const shop = await openInvoice();
      const place = element();
      const root = rootAt(place);
      const never = new Promise(() => {});
      const Never = (): ReactNode => {
        throw never;
      };
      shop.requests.length = 0;
      const both = (
        <PaystateProvider client={shop.client}>
          <Suspense fallback="waiting">
            <Invoice id={shop.created.invoiceId} />
            <Never />
          </Suspense>
        </PaystateProvider>
      );
      await act(() => root.render(both));
      await act(() => shop.sandbox.advance(delay));
      expect(textOf(place)).to.equal('waiting');
      expect(shop.timers()).to.be.greaterThan(0);
      await act(() => root.unmount());
      await act(() => shop.sandbox.advance(11_000));
      expect(readsOf(shop)).to.be.within(1, 6);
      await expectSilence(shop);
    });

  it('goes on from the HTML of a server with one read in the page', async () => {
    const shop = await openInvoice();
    const { invoiceId } = shop.created;
    const place = element();
    place.innerHTML = '<!--$--><p>UNPAID live</p><!--/$-->'; // as server.test.tsx gets it
    const html = place.firstElementChild;
    shop.requests.length = 0;
    const troubles: unknown[] = [];
    const onRecoverableError = (error: unknown) => void troubles.push(error);
    const root = await act(() =>
      hydrateRoot(place, page(shop.client, invoiceId), { onRecoverableError }),
    );
    await act(() => shop.sandbox.advance(500));
    expect(textOf(place)).to.equal('UNPAID live');
    await act(() => shop.sandbox.advance(400));
    expect([troubles, readsOf(shop)]).to.deep.equal([[], 1]);
    expect(place.firstElementChild).to.equal(html);
    await act(() => root.unmount());
    await expectSilence(shop);
  });

  it('is shown by the chapter: it suspends, and tries again after a refusal', async () => {
    const { shop, open } = refusingShop();
    const place = element();
    const root = createRoot(place, { onCaughtError() {} });
    const page = (
      <PaystateProvider client={shop.client}>
        <Order invoiceId="invoice-1" />
      </PaystateProvider>
    );
    await act(() => root.render(page));
    expect(place.textContent).to.equal('One moment …');
    await act(() => shop.sandbox.advance(3_000));
    expect(place.textContent).to.equal('UNAUTHORIZED. Try again');
    await act(() => shop.sandbox.advance(1_000));
    open();
    await act(() => place.querySelector('button')!.click());
    await act(() => shop.sandbox.advance(3_000));
    expect(place.textContent).to.equal('NOT_FOUND. Try again');
    await act(() => root.unmount());
    await shop.sandbox.advance(11_000);
    await expectSilence(shop);
  });
});
