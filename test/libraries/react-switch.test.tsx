// The hooks of paystate/react when the client, the invoice or the options change, and when the component unmounts.
import { describe, it } from '#test';
import { expect } from 'chai';
import { type Client, type Invoice, type Watch, watchInvoice } from 'paystate';
import { checkout } from 'paystate/flows';
import { PaystateProvider, useCheckout, useInvoice, useWatch } from 'paystate/react';
import { act, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { costOf, element, expectSilence, openInvoice, openShop, type Shop } from './shop-page.ts';

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

interface Shown {
  readonly client: Client;
  readonly id: string;
}

interface Page {
  readonly place: HTMLElement;
  show(page: ReactNode): Promise<void>;
  leave(): Promise<void>;
}

function openPage(): Page {
  const place = element();
  const root = createRoot(place);
  return {
    place,
    show: (page) => act(async () => root.render(page)),
    leave: () => act(async () => root.unmount()),
  };
}

/** Advances the time of a shop, in steps short enough to see each rendering. */
async function pass({ sandbox }: Shop, ms: number): Promise<void> {
  for (let at = 0; at < ms; at += 500) await act(() => sandbox.advance(500));
}

/** Two shops whose invoices have the same ID. The second one's is paid. */
async function openTwo() {
  const [one, other] = [await openInvoice(), await openInvoice()];
  expect(one.created.invoiceId).to.equal(other.created.invoiceId);
  await other.pay(other.created);
  return [one, other] as const;
}

/** A shop that takes three seconds to show its first invoice, which is paid. The other is not. */
async function openSlow() {
  let slow = '';
  const asked: string[] = [];
  const shop: Shop = openShop({}, async (url, ask) => {
    asked.push(url);
    const answer = await ask();
    if (slow && url.includes(slow)) await shop.sandbox.clock.wait(3_000);
    return answer;
  });
  const [first, second] = [await shop.invoice(), await shop.invoice()];
  await shop.pay(first);
  slow = first.invoiceId;
  shop.requests.length = 0;
  return { shop, first, second, asked };
}

describe('a mounted hook of paystate/react', () => {
  for (const isProvided of [false, true])
    it(`shows the invoice of another ${isProvided ? 'provided ' : ''}client at once, and ends the former watch`, async () => {
      const [one, other] = await openTwo();
      const { invoiceId } = one.created;
      const texts: string[] = [];
      const Text = ({ client }: { readonly client?: Client }) => {
        const { value, freshness } = client ? useInvoice(client, invoiceId) : useInvoice(invoiceId);
        const view = client ? useCheckout(client, { invoiceId }) : useCheckout({ invoiceId });
        texts.push(`${value?.state ?? 'none'} ${freshness} ${view.phase}`);
        return null;
      };
      const pageOf = (client: Client) => (
        <PaystateProvider client={client}>
          {isProvided ? <Text /> : <Text client={client} />}
        </PaystateProvider>
      );
      const page = openPage();
      await page.show(pageOf(one.client));
      await pass(one, 3_000);
      expect(texts.at(-1)).to.equal('UNPAID live awaiting');
      texts.length = 0;
      await page.show(pageOf(other.client));
      expect(new Set(texts)).to.deep.equal(new Set(['none loading loading']));
      await expectSilence(one);
      await pass(other, 3_000);
      expect(texts.at(-1)).to.equal('PAID live paid');
      await page.leave();
      await expectSilence(other);
    });

  it('shows another invoice at once, and not the late response for the former', async () => {
    const { shop, first, second, asked } = await openSlow();
    const texts: string[] = [];
    const Text = ({ client, id }: Shown) => {
      const { value, freshness } = useInvoice(client, id);
      const { phase } = useCheckout(client, { invoiceId: id });
      texts.push(`${value?.invoiceId ?? 'none'} ${freshness} ${phase}`);
      return null;
    };
    const page = openPage();
    await page.show(<Text client={shop.client} id={first.invoiceId} />);
    await pass(shop, 1_000);
    await page.show(<Text client={shop.client} id={second.invoiceId} />);
    expect(new Set(texts)).to.deep.equal(new Set(['none loading loading']));
    await pass(shop, 10_000);
    expect(texts.at(-1)).to.equal(`${second.invoiceId} live awaiting`);
    expect(texts.join()).to.not.contain(first.invoiceId).and.not.contain('paid');
    asked.length = 0;
    await pass(shop, 20_000);
    expect(asked.join(' ')).to.contain(second.invoiceId).and.not.contain(first.invoiceId);
    await page.leave();
    await expectSilence(shop);
  });

  it('refreshes the invoice that it shows, also before there is a value', async () => {
    const shop = await openInvoice();
    const other = await shop.invoice();
    let shown!: ReturnType<typeof useInvoice>;
    const Text = ({ client, id }: Shown) => {
      shown = useInvoice(client, id);
      return null;
    };
    const page = openPage();
    await page.show(<Text client={shop.client} id={shop.created.invoiceId} />);
    const former = shown;
    await page.show(<Text client={shop.client} id={other.invoiceId} />);
    expect([former.freshness, shown.freshness]).to.deep.equal(['loading', 'loading']);
    expect(shown.refresh).to.not.equal(former.refresh);
    const read = shown.refresh() as Promise<{ readonly value?: Invoice }>;
    await pass(shop, 1_000);
    expect((await read).value?.invoiceId).to.equal(other.invoiceId);
    await page.leave();
    await expectSilence(shop);
  });

  it('keeps its watch for an invoice that is a new object at each rendering', async () => {
    const shop = await openInvoice();
    const actions = new Set<unknown>();
    const Text = ({ invoice }: { readonly invoice: Invoice }) => {
      const { retry, refresh } = useInvoice(shop.client, invoice);
      actions.add(retry).add(refresh);
      return null;
    };
    const page = openPage();
    shop.requests.length = 0;
    for (let second = 0; second < 10; second++) {
      await page.show(<Text invoice={{ ...shop.created }} />);
      await pass(shop, 1_000);
    }
    expect(actions.size).to.equal(2);
    expect(shop.requests).to.have.length(await costOf(10_000));
    await page.leave();
    await expectSilence(shop);
  });

  it('makes a watch anew only when a dependency changes', async () => {
    const shop = await openInvoice();
    const other = await shop.invoice();
    const made: string[] = [];
    let shown: string | undefined;
    const Text = ({ id }: { readonly id: string | undefined }) => {
      const create = () => {
        if (id === undefined) return undefined;
        made.push(id);
        return watchInvoice(shop.client, id) as Watch<{ readonly value?: Invoice }>;
      };
      const snapshot = useWatch(create, [id]);
      shown = snapshot && (snapshot.value?.invoiceId ?? 'loading');
      return null;
    };
    const page = openPage();
    const ids = [shop.created.invoiceId, other.invoiceId];
    for (const id of ids) {
      await page.show(<Text id={id} />);
      expect(shown).to.equal('loading');
      await pass(shop, 2_000);
      await page.show(<Text id={id} />);
      expect(shown).to.equal(id);
    }
    expect(made).to.deep.equal(ids);
    await page.show(<Text id={undefined} />);
    expect(shown).to.equal(undefined);
    await expectSilence(shop);
    await page.leave();
  });

  it('runs one checkout for options that are new objects at each rendering', async () => {
    const shop = await openInvoice();
    const phases: string[] = [];
    const actions = new Set<unknown>();
    const Sale = ({ pauseAfter }: { readonly pauseAfter: number }) => {
      const { invoiceId } = shop.created;
      const view = useCheckout(shop.client, { invoiceId, pauseAfter });
      phases.push(view.phase);
      actions.add(view.retry);
      return null;
    };
    const page = openPage();
    await page.show(<Sale pauseAfter={20_000} />);
    await pass(shop, 2_000);
    expect(phases.at(-1)).to.equal('awaiting');
    phases.length = 0;
    const methods: string[] = [];
    shop.requests.length = 0;
    for (const pauseAfter of [20_000, 20_000, 90_000, 90_000]) {
      await page.show(<Sale pauseAfter={pauseAfter} />);
      await pass(shop, 1_000);
    }
    methods.push(...shop.requests.map(({ method }) => method));
    expect(new Set(phases)).to.deep.equal(new Set(['awaiting']));
    expect(methods, 'no new code').to.not.contain('POST');
    expect(actions.size).to.equal(1);
    await pass(shop, 15_000);
    expect(phases.at(-1), 'by the first options').to.equal('paused');
    await page.leave();
    await expectSilence(shop);
  });

  it('runs another checkout when the order changes', async () => {
    const shop = await openInvoice();
    const other = await shop.invoice();
    const texts: string[] = [];
    const Sale = ({ client, id }: Shown) => {
      const view = useCheckout(client, { invoiceId: id });
      texts.push(view.phase === 'awaiting' ? view.quote.lnInvoice : view.phase);
      return null;
    };
    const page = openPage();
    const codes: string[] = [];
    for (const { invoiceId } of [shop.created, other]) {
      await page.show(<Sale client={shop.client} id={invoiceId} />);
      expect(texts.at(-1)).to.equal('loading');
      await pass(shop, 2_000);
      codes.push(texts.at(-1)!);
    }
    expect(codes[0]).to.match(/^ln/);
    expect(codes[1]).to.match(/^ln/).and.not.equal(codes[0]);
    await shop.pay(shop.created);
    await pass(shop, 5_000);
    expect(texts.at(-1)).to.equal(codes[1]);
    await shop.pay(other);
    await pass(shop, 5_000);
    expect(texts.at(-1)).to.equal('paid');
    await page.leave();
    await expectSilence(shop);
  });

  it('tells only the checkout that it shows that the payer is present', async () => {
    const shop = openShop({ signed: true });
    const [{ invoiceId }, other] = [await shop.invoice(), await shop.invoice()];
    const pauseAfter = 10_000;
    let shown = '';
    const Sale = ({ id }: { readonly id: string }) => {
      shown = useCheckout(shop.client, { invoiceId: id, pauseAfter }).phase;
      return null;
    };
    // another part of the page, which does not listen to taps
    let former = '';
    const stop = checkout(shop.client, { invoiceId, pauseAfter }).subscribe(
      ({ phase }) => void (former = phase),
    );
    const page = openPage();
    await page.show(<Sale id={invoiceId} />);
    await pass(shop, 2_000);
    await page.show(<Sale id={other.invoiceId} />);
    for (const type of ['pointerdown', 'keydown']) {
      await pass(shop, 13_000);
      expect([shown, former]).to.deep.equal(['paused', 'paused']);
      document.dispatchEvent(new Event(type));
      await pass(shop, 1_000);
      expect([shown, former], type).to.deep.equal(['awaiting', 'paused']);
    }
    await page.show(<Sale id={invoiceId} />);
    await pass(shop, 13_000);
    expect([shown, former]).to.deep.equal(['paused', 'paused']);
    await page.leave();
    document.dispatchEvent(new Event('pointerdown'));
    await pass(shop, 1_000);
    expect(former, 'after the page has gone').to.equal('paused');
    stop();
    await expectSilence(shop);
  });

  it('sends nothing more when it unmounts during the first read', async () => {
    const { shop, first } = await openSlow();
    let renderings = 0;
    const Text = ({ client, id }: Shown) => {
      renderings++;
      const { freshness } = useInvoice(client, id);
      const { phase } = useCheckout(client, { invoiceId: id });
      const watched = useWatch(() => watchInvoice(client, id), [client, id]);
      return <p>{`${freshness} ${phase} ${watched.freshness}`}</p>;
    };
    const page = openPage();
    await page.show(<Text client={shop.client} id={first.invoiceId} />);
    await pass(shop, 1_000);
    expect(page.place.textContent).to.equal('loading loading loading');
    expect(shop.requests).to.have.length(1);
    await page.leave();
    const before = renderings;
    await pass(shop, 10_000);
    expect([renderings, shop.requests.length]).to.deep.equal([before, 1]);
    await expectSilence(shop);
  });
});
