// What useSuspenseInvoice of paystate/react holds for suspended components: for whom, for how long, and after a failure.
import { describe, it } from '#test';
import { expect } from 'chai';
import { type Client, isPaystateError, provide, watchInvoice } from 'paystate';
import { useSuspenseInvoice } from 'paystate/react';
import { act, Component, type ReactNode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { refusal } from '../unit/state/shop.ts';
import { element, expectSilence, openInvoice, openShop, type Shop } from './shop-page.ts';

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

type Shown = ReturnType<typeof useSuspenseInvoice>;

interface Watched {
  readonly client: Client;
  readonly id: string;
  /** Is given each value that is rendered. */
  tell?(shown: Shown): void;
}

function Invoice({ client, id, tell }: Watched) {
  const shown = useSuspenseInvoice(client, id);
  tell?.(shown);
  return <p>{`${shown.value.state} ${shown.freshness}`}</p>;
}

/** Shows the code of an error on a button that tries again. */
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

const Waiting = (props: Watched) => (
  <Boundary>
    <Suspense fallback="waiting">
      <Invoice {...props} />
    </Suspense>
  </Boundary>
);

const never = new Promise(() => {});

/** Suspends forever, so React never mounts the components beside it. */
const Never = (): ReactNode => {
  throw never;
};

const Abandoned = (props: Watched) => (
  <Suspense fallback="waiting">
    <Invoice {...props} />
    <Never />
  </Suspense>
);

interface Page {
  readonly place: HTMLElement;
  show(page: ReactNode): Promise<void>;
  leave(): Promise<void>;
}

function openPage(): Page {
  const place = element();
  const root = createRoot(place, { onCaughtError() {} });
  return {
    place,
    show: (page) => act(async () => root.render(page)),
    leave: () => act(async () => root.unmount()),
  };
}

const textOf = ({ place }: Page): string => place.innerText.replaceAll(/\s+/g, ' ').trim();

/** Advances the time of a shop, in steps short enough to see each rendering. */
async function pass({ sandbox }: Shop, ms: number, step = 100): Promise<void> {
  for (let at = 0; at < ms; at += step) await act(() => sandbox.advance(step));
}

/** Shows a page and returns the entries that this makes the hook hold, by the invoice's ID. */
async function heldBy(id: string, show: () => Promise<void>): Promise<ReadonlyMap<string, object>> {
  const { set } = Map.prototype;
  const maps = new Set<Map<string, object>>();
  Map.prototype.set = function (this: Map<string, object>, key: string, value: object) {
    if (key === id && 'suspend' in value) maps.add(this);
    return set.call(this, key, value);
  } as typeof set;
  try {
    await show();
  } finally {
    Map.prototype.set = set;
  }
  expect(maps.size).to.equal(1);
  return [...maps][0]!;
}

/** A shop that refuses requests for invoices with `state.code`, if it's set. */
async function openFailing() {
  const state: { code?: readonly [number, string] | undefined } = {};
  const shop = openShop({}, (_url, ask) =>
    state.code ? Promise.resolve(refusal(...state.code)) : ask(),
  );
  const { invoiceId } = await shop.invoice();
  shop.requests.length = 0;
  return { shop, invoiceId, state };
}

/** Passes the time until an error boundary shows the refusal, which takes two reads. */
async function untilRefused(page: Page, shop: Shop): Promise<void> {
  for (let at = 0; at < 200 && textOf(page) === 'waiting'; at++) await pass(shop, 100);
  expect(textOf(page)).to.equal('FORBIDDEN');
}

const tryAgain = ({ place }: Page): Promise<void> =>
  act(async () => place.querySelector('button')!.click());

describe('what useSuspenseInvoice of paystate/react holds', () => {
  it('belongs to one client and one invoice', async () => {
    const [one, other] = [await openInvoice(), await openInvoice()];
    const { invoiceId } = one.created;
    expect(other.created.invoiceId).to.equal(invoiceId);
    const second = await one.invoice();
    await other.pay(other.created);
    await one.sandbox.run(one.client.invoices.cancel(second.invoiceId));
    const page = openPage();
    await page.show(
      <>
        <Waiting client={one.client} id={invoiceId} />
        <Waiting client={other.client} id={invoiceId} />
        <Waiting client={one.client} id={second.invoiceId} />
      </>,
    );
    await pass(one, 500);
    await pass(other, 500);
    expect(textOf(page)).to.equal('UNPAID live PAID live CANCELLED live');
    await page.leave();
    await expectSilence(one);
    await expectSilence(other);
  });

  it('is left by a mounted component that gets another client', async () => {
    const [one, other] = [await openInvoice(), await openInvoice()];
    const { invoiceId } = one.created;
    await other.pay(other.created);
    const page = openPage();
    await page.show(<Waiting client={one.client} id={invoiceId} />);
    await pass(one, 1_000);
    expect(textOf(page)).to.equal('UNPAID live');
    await page.show(<Waiting client={other.client} id={invoiceId} />);
    expect(textOf(page)).to.equal('waiting');
    await pass(other, 500);
    expect(textOf(page)).to.equal('PAID live');
    await page.show(<p>another page</p>);
    await expectSilence(one);
    await expectSilence(other);
    await page.leave();
  });

  it('wakes all components that wait for it, for one read', async () => {
    const shop = await openInvoice();
    const props = { client: shop.client, id: shop.created.invoiceId };
    shop.requests.length = 0;
    const page = openPage();
    await page.show([1, 2, 3].map((key) => <Waiting key={key} {...props} />));
    expect(textOf(page)).to.equal('waitingwaitingwaiting');
    await pass(shop, 500);
    expect(textOf(page)).to.equal('UNPAID live UNPAID live UNPAID live');
    expect(shop.requests).to.have.length(1);
    await page.leave();
    await expectSilence(shop);
  });

  it('is the same watch as long as the component is mounted', async () => {
    const shop = await openInvoice();
    const actions = new Set<unknown>();
    const props = {
      client: shop.client,
      id: shop.created.invoiceId,
      tell: ({ retry, refresh }: Shown) => void actions.add(retry).add(refresh),
    };
    const page = openPage();
    await page.show(<Waiting {...props} />);
    await pass(shop, 1_000);
    actions.clear();
    for (let at = 0; at < 4; at++) {
      await pass(shop, 5_000);
      await page.show(<Waiting {...props} />);
    }
    expect(actions.size).to.equal(2);
    expect(shop.timers(), 'still polling').to.be.greaterThan(0);
    await page.leave();
    await expectSilence(shop);
  });

  it('ends five seconds after its value, if the component never mounts', async () => {
    const shop: Shop = openShop({}, async (url, ask) => {
      const answer = await ask();
      if (url.includes('/v1/invoices/')) await shop.sandbox.clock.wait(4_000);
      return answer;
    });
    const { invoiceId } = await shop.invoice();
    const page = openPage();
    shop.requests.length = 0;
    await page.show(<Abandoned client={shop.client} id={invoiceId} />);
    await pass(shop, 4_200);
    await page.leave();
    await pass(shop, 3_500);
    expect(shop.timers()).to.be.greaterThan(0);
    await pass(shop, 2_000);
    await expectSilence(shop);
  });

  it('ends ten seconds after the last rendering, if there is never a value', async () => {
    const { shop, invoiceId, state } = await openFailing();
    state.code = [503, 'SERVICE_UNAVAILABLE'];
    const page = openPage();
    await page.show(<Waiting client={shop.client} id={invoiceId} />);
    await pass(shop, 12_000);
    expect(shop.timers(), 'while somebody waits').to.be.greaterThan(0);
    await page.leave();
    await pass(shop, 11_000);
    await expectSilence(shop);
  });

  it('is kept while a component waits, and dropped with the next invoice after that', async () => {
    const { shop, invoiceId, state } = await openFailing();
    const [second, third] = [await shop.invoice(), await shop.invoice()];
    state.code = [503, 'SERVICE_UNAVAILABLE'];
    const waiting = (...ids: readonly string[]) =>
      ids.map((id) => <Waiting key={id} client={shop.client} id={id} />);
    const page = openPage();
    const held = await heldBy(invoiceId, () => page.show(waiting(invoiceId)));
    const entry = held.get(invoiceId);
    for (const ms of [2_000, 10_000]) {
      await pass(shop, ms);
      expect(held.get(invoiceId) === entry, `after another ${ms} ms`).to.equal(true);
    }
    await page.show(waiting(invoiceId, second.invoiceId));
    expect([...held.keys()]).to.deep.equal([invoiceId, second.invoiceId]);
    expect(held.get(invoiceId) === entry, 'beside another invoice').to.equal(true);
    await page.show(<p>another page</p>);
    await pass(shop, 11_000);
    await page.show(waiting(third.invoiceId));
    expect([...held.keys()]).to.deep.equal([third.invoiceId]);
    await page.leave();
    await pass(shop, 11_000);
    await expectSilence(shop);
  });

  it('serves the next component for five seconds', async () => {
    const shop = await openInvoice();
    const { invoiceId } = shop.created;
    provide(shop.client, 'invoice', shop.created, { asOf: shop.sandbox.clock.now() });
    const page = openPage();
    const shownPage = <Waiting client={shop.client} id={invoiceId} />;
    const held = await heldBy(invoiceId, () => page.show(shownPage));
    const entry = held.get(invoiceId);
    const comeBack = async (): Promise<boolean> => {
      await page.show(<p>another page</p>);
      await page.show(shownPage);
      return held.get(invoiceId) === entry;
    };
    await pass(shop, 4_900);
    expect(await comeBack()).to.equal(true);
    await pass(shop, 100);
    expect(await comeBack()).to.equal(false);
    await page.leave();
    await expectSilence(shop);
  });

  it('is one failure for a second, then a new watch', async () => {
    const { shop, invoiceId, state } = await openFailing();
    state.code = [403, 'FORBIDDEN'];
    const page = openPage();
    await page.show(<Waiting client={shop.client} id={invoiceId} />);
    await untilRefused(page, shop);
    state.code = undefined;
    shop.requests.length = 0;
    await pass(shop, 600);
    await tryAgain(page);
    expect(textOf(page), 'the same failure').to.equal('FORBIDDEN');
    await pass(shop, 500);
    expect(shop.requests).to.have.length(0);
    await tryAgain(page);
    expect(textOf(page)).to.equal('waiting');
    await pass(shop, 500);
    expect(textOf(page)).to.equal('UNPAID live');
    await page.leave();
    await expectSilence(shop);
  });

  it('is a failure also after a long time without a value', async () => {
    const { shop, invoiceId, state } = await openFailing();
    state.code = [503, 'SERVICE_UNAVAILABLE'];
    const page = openPage();
    await page.show(<Waiting client={shop.client} id={invoiceId} />);
    await pass(shop, 8_000);
    expect(textOf(page)).to.equal('waiting');
    let isRefused = false;
    watchInvoice(shop.client, invoiceId).subscribe({ error: () => void (isRefused = true) });
    state.code = [403, 'FORBIDDEN'];
    for (let at = 0; at < 200 && !isRefused; at++) await pass(shop, 100);
    expect(textOf(page)).to.equal('FORBIDDEN');
    await page.leave();
    await expectSilence(shop);
  });

  it('forgets a failure when the page retries before the next rendering', async () => {
    const { shop, invoiceId, state } = await openFailing();
    let shown!: Shown;
    const tell = (one: Shown) => void (shown = one);
    const page = openPage();
    await page.show(<Waiting client={shop.client} id={invoiceId} tell={tell} />);
    await pass(shop, 1_000);
    let isRefused = false;
    const stop = watchInvoice(shop.client, invoiceId).subscribe({
      error() {
        isRefused = true;
        state.code = undefined;
        shown.retry();
      },
    });
    state.code = [401, 'UNAUTHORIZED'];
    for (let at = 0; at < 100 && !isRefused; at++) await pass(shop, 10_000, 10_000);
    expect(isRefused).to.equal(true);
    stop();
    await pass(shop, 1_000);
    expect(textOf(page)).to.equal('UNPAID live');
    await page.leave();
    await expectSilence(shop);
  });
});
