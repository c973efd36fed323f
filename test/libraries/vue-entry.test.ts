// The refs of paystate/vue: they follow as long as their component lives, and are the same on a server.
import { describe, it } from '#test';
import { expect } from 'chai';
import { type Client, createClient, type Watch, watchBalances, watchInvoice } from 'paystate';
import {
  createPaystate,
  providePaystate,
  useCheckout,
  useClient,
  useInvoice,
  useWatch,
} from 'paystate/vue';
import {
  createApp,
  createSSRApp,
  defineComponent,
  effectScope,
  h,
  KeepAlive,
  nextTick,
  ref,
  shallowRef,
} from 'vue';
import { renderToString } from 'vue/server-renderer';
import {
  costOf,
  element,
  expectSilence,
  openInvoice,
  refusingShop,
  withReports,
} from './shop-page.ts';

type Texts = () => () => string;

const page = (setup: Texts) =>
  defineComponent(() => {
    const text = setup();
    return () => h('p', text());
  });

describe('paystate/vue', () => {
  it('shows an invoice for the requests of one subscriber, and leaves nothing', async () => {
    const shop = await openInvoice();
    const place = element();
    const app = createApp(
      page(() => {
        const snapshot = useInvoice(shop.client, shop.created);
        return () => `${snapshot.value.value?.state ?? 'none'} ${snapshot.value.freshness}`;
      }),
    );
    shop.requests.length = 0;
    app.mount(place);
    expect(place.textContent).to.equal('none loading');
    await shop.sandbox.advance(30_000);
    await nextTick();
    expect(place.textContent).to.equal('UNPAID live');
    expect(shop.requests.length).to.equal(await costOf(30_000));
    app.unmount();
    await expectSilence(shop);
  });

  it('reads again when a button calls retry after a failure', async () => {
    const { shop, open } = refusingShop();
    const other = createClient(shop.sandbox.clientOptions);
    const created = await shop.sandbox.run(
      other.invoices.create({ amount: { amount: '1', currency: 'EUR' } }),
    );
    const place = element();
    const app = createApp(
      defineComponent(() => {
        const invoice = useInvoice(shop.client, created.invoiceId);
        return () => h('button', { onClick: invoice.value.retry }, invoice.value.freshness);
      }),
    );
    await withReports(async (reports) => {
      app.mount(place);
      await shop.sandbox.advance(5_000);
      expect(reports).to.have.length(1);
    });
    await nextTick();
    expect(place.textContent).to.equal('failed');
    open();
    place.querySelector('button')!.click();
    await shop.sandbox.advance(1_000);
    await nextTick();
    expect(place.textContent).to.equal('live');
    app.unmount();
    await expectSilence(shop);
  });

  it('makes its watch anew when what it reads has changed', async () => {
    const shop = await openInvoice();
    const other = await shop.invoice();
    await shop.pay(other);
    const id = ref(shop.created.invoiceId);
    const place = element();
    const app = createApp(
      page(() => {
        const snapshot = useWatch(() => watchInvoice(shop.client, id.value));
        return () => snapshot.value.value?.state ?? 'none';
      }),
    );
    app.mount(place);
    await shop.sandbox.advance(5_000);
    await nextTick();
    expect(place.textContent).to.equal('UNPAID');
    id.value = other.invoiceId;
    await nextTick();
    await shop.sandbox.advance(5_000);
    await nextTick();
    expect(place.textContent).to.equal('PAID');
    app.unmount();
    await expectSilence(shop);
  });

  it('follows refs and getters of client and id, and is idle while one is missing', async () => {
    const shop = await openInvoice();
    const other = await shop.invoice();
    await shop.pay(other);
    const id = ref<string | null>();
    const client = shallowRef<Client>();
    const place = element();
    const app = createApp(
      page(() => {
        const snapshot = useInvoice(client, id);
        const view = useCheckout(client, () => ({ invoiceId: id.value }));
        return () =>
          [snapshot.value.value?.state, snapshot.value.freshness, view.value.phase].join(' ');
      }),
    );
    shop.requests.length = 0;
    app.mount(place);
    expect(place.textContent).to.equal(' idle idle');
    const cases: readonly (readonly [Client | undefined, string | null | undefined, string])[] = [
      [shop.client, null, ' idle idle'],
      [shop.client, undefined, ' idle idle'],
      [shop.client, shop.created.invoiceId, 'UNPAID live awaiting'],
      [shop.client, other.invoiceId, 'PAID live paid'],
      [undefined, other.invoiceId, ' idle idle'],
    ];
    for (const [by, one, text] of cases) {
      client.value = by;
      id.value = one;
      await nextTick();
      await shop.sandbox.advance(5_000);
      await nextTick();
      expect(place.textContent).to.equal(text);
      if (one === undefined || one === null) expect(shop.requests).to.have.length(0);
    }
    app.unmount();
    await expectSilence(shop);
  });

  it('follows a checkout on a server and in the page, where a tap ends its pause', async () => {
    const shop = await openInvoice();
    const sale = page(() => {
      const options = { invoiceId: shop.created.invoiceId, pauseAfter: 10_000 };
      const view = useCheckout(shop.client, options);
      return () => view.value.phase;
    });
    shop.requests.length = 0;
    const place = element();
    place.innerHTML = await renderToString(createSSRApp(sale));
    expect(place.textContent).to.equal('loading');
    expect(shop.requests).to.have.length(0);
    const app = createSSRApp(sale);
    app.mount(place);
    for (const [time, phase] of [
      [3_000, 'awaiting'],
      [8_000, 'paused'],
      [1_000, 'awaiting'],
    ] as const) {
      await shop.sandbox.advance(time);
      await nextTick();
      expect(place.textContent).to.equal(phase);
      if (phase === 'paused') document.dispatchEvent(new Event('pointerdown'));
    }
    app.unmount();
    await expectSilence(shop);
  });

  it('takes the client of the app, or of a component around it', async () => {
    const shop = await openInvoice();
    const other = await openInvoice();
    const Balance = page(() => {
      const client = useClient();
      const snapshot = useInvoice(shop.created.invoiceId);
      const view = useCheckout({ invoiceId: shop.created.invoiceId });
      const balances = useWatch(watchBalances(client));
      return () =>
        [
          client === shop.client,
          snapshot.value.value?.state,
          view.value.phase,
          balances.value.freshness,
        ].join(' ');
    });
    const Inner = defineComponent(() => {
      providePaystate(shop.client);
      return () => h(Balance);
    });
    for (const app of [
      createApp(Balance).use(createPaystate(shop.client)),
      createApp(Inner).use(createPaystate(other.client)),
    ]) {
      const place = element();
      app.mount(place);
      await shop.sandbox.advance(5_000);
      await nextTick();
      expect(place.textContent).to.equal('true UNPAID awaiting live');
      app.unmount();
      await expectSilence(shop);
    }
    await expectSilence(other);
  });

  it('says what to do where no client is provided', () => {
    const advice =
      'client: call app.use(createPaystate(client)) first, or pass a client; this only works in setup';
    const refs: readonly (() => unknown)[] = [
      () => useClient(),
      () => useInvoice('invoice-1'),
      () => useCheckout({ invoiceId: 'invoice-1' }),
    ];
    for (const make of refs) {
      expect(make).to.throw(advice);
      const app = createApp(defineComponent(() => () => h('p', String(make()))));
      app.config.warnHandler = () => {};
      expect(() => app.mount(element())).to.throw(advice);
    }
  });

  it('comes back to an invoice within a second', async () => {
    const shop = await openInvoice();
    const place = element();
    const isShown = ref(true);
    const Invoice = page(() => {
      const snapshot = useInvoice(shop.client, shop.created);
      return () => `${snapshot.value.value?.state ?? 'none'} ${snapshot.value.freshness}`;
    });
    const app = createApp(defineComponent(() => () => isShown.value && h(Invoice)));
    app.mount(place);
    await shop.sandbox.advance(900);
    await nextTick();
    isShown.value = false;
    await nextTick();
    await shop.sandbox.advance(500);
    expect([place.textContent, shop.timers()]).to.deep.equal(['', 0]);
    shop.requests.length = 0;
    isShown.value = true;
    await nextTick();
    await shop.sandbox.advance(900);
    await nextTick();
    expect(place.textContent).to.equal('UNPAID live');
    expect(shop.requests).to.have.length(1);
    app.unmount();
    await expectSilence(shop);
  });

  it('reads nothing for a component in the cache of KeepAlive', async () => {
    const shop = await openInvoice();
    const place = element();
    const isShown = ref(true);
    const Invoice = page(() => {
      const snapshot = useInvoice(shop.client, shop.created);
      const view = useCheckout(shop.client, { invoiceId: shop.created.invoiceId });
      return () => `${snapshot.value.value?.state ?? 'none'} ${view.value.phase}`;
    });
    const app = createApp(
      defineComponent(() => () => h(KeepAlive, () => (isShown.value ? h(Invoice) : h('hr')))),
    );
    app.mount(place);
    await shop.sandbox.advance(3_000);
    await nextTick();
    expect(place.textContent).to.equal('UNPAID awaiting');
    isShown.value = false;
    await nextTick();
    await expectSilence(shop);
    await shop.pay(shop.created);
    isShown.value = true;
    await nextTick();
    await shop.sandbox.advance(3_000);
    await nextTick();
    expect(place.textContent).to.equal('PAID paid');
    app.unmount();
    await expectSilence(shop);
  });

  it('follows outside of components until its effect scope ends', async () => {
    const shop = await openInvoice();
    const watch = shallowRef<Watch<{ readonly freshness: string }>>();
    const scope = effectScope();
    const [snapshot, balances] = scope.run(() => [
      useInvoice(shop.client, shop.created),
      useWatch(watch),
    ])!;
    expect([snapshot.value.freshness, balances.value]).to.deep.equal(['loading', undefined]);
    await shop.sandbox.advance(1_000);
    expect(snapshot.value.freshness).to.equal('live');
    watch.value = watchBalances(shop.client);
    await nextTick();
    await shop.sandbox.advance(1_000);
    expect(balances.value?.freshness).to.equal('live');
    scope.stop();
    await expectSilence(shop);
  });

  it('belongs to a scope of its own within a component, such as that of a store', async () => {
    const shop = await openInvoice();
    const store = effectScope(true);
    const app = createApp(
      page(() => {
        const snapshot = store.run(() => useInvoice(shop.client, shop.created))!;
        return () => snapshot.value.freshness;
      }),
    );
    const place = element();
    app.mount(place);
    await shop.sandbox.advance(1_000);
    await nextTick();
    expect(place.textContent).to.equal('live');
    app.unmount();
    expect(shop.timers()).to.be.greaterThan(0);
    store.stop();
    await expectSilence(shop);
  });

  it('is not disturbed by another listener of the invoice that throws', async () => {
    const shop = await openInvoice();
    const place = element();
    const app = createApp(
      page(() => {
        const snapshot = useInvoice(shop.client, shop.created);
        return () => snapshot.value.freshness;
      }),
    );
    await withReports(async (reports) => {
      const stop = watchInvoice(shop.client, shop.created).subscribe(() => {
        throw new Error('a fault of the page');
      });
      app.mount(place);
      await shop.sandbox.advance(5_000);
      await nextTick();
      stop();
      expect(reports.length).to.be.greaterThan(0);
    });
    expect(place.textContent).to.equal('live');
    app.unmount();
    await expectSilence(shop);
  });

  it('reads at once when refresh is called, and says when a read confirmed the value', async () => {
    const shop = await openInvoice();
    let snapshot!: ReturnType<typeof useInvoice>;
    const app = createApp(
      page(() => {
        snapshot = useInvoice(shop.client, shop.created);
        return () => snapshot.value.freshness;
      }),
    );
    app.mount(element());
    await shop.sandbox.advance(900);
    const { checkedAt, refresh } = snapshot.value;
    shop.requests.length = 0;
    const read = refresh();
    await shop.sandbox.advance(100);
    expect((await read).value?.state).to.equal('UNPAID');
    expect(shop.requests.map(({ method }) => method)).to.deep.equal(['GET']);
    expect(snapshot.value.checkedAt).to.be.greaterThan(checkedAt!);
    expect(snapshot.value.refresh).to.equal(refresh);
    app.unmount();
    await expectSilence(shop);
  });
});
