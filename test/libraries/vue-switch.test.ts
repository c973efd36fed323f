// The refs of paystate/vue when the client, the invoice or the options change, and when their scope ends.
import { describe, it } from '#test';
import { expect } from 'chai';
import { type Client, type Invoice, type Watch, watchInvoice } from 'paystate';
import { checkout } from 'paystate/flows';
import { useCheckout, useInvoice, useWatch } from 'paystate/vue';
import {
  createApp,
  defineComponent,
  effectScope,
  h,
  KeepAlive,
  nextTick,
  onBeforeMount,
  ref,
  shallowRef,
} from 'vue';
import { costOf, element, expectSilence, openInvoice, openShop, type Shop } from './shop-page.ts';

/** Advances the time of a shop, in steps short enough to see each change. */
async function pass({ sandbox }: Shop, ms: number, see = (): void => {}): Promise<void> {
  for (let at = 0; at < ms; at += 500) {
    await sandbox.advance(500);
    await nextTick();
    see();
  }
}

/** Runs `setup` in a scope of its own, as a store does. */
function inScope<T>(setup: () => T): { readonly made: T; stop(): void } {
  const scope = effectScope(true);
  return { made: scope.run(setup)!, stop: () => scope.stop() };
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
  asked.length = 0;
  return { shop, first, second, asked };
}

describe('a ref of paystate/vue', () => {
  for (const isGetter of [false, true])
    it(`shows the invoice of another client in ${isGetter ? 'a getter' : 'a ref'}, and ends the former watch`, async () => {
      const [one, other] = [await openInvoice(), await openInvoice()];
      const { invoiceId } = one.created;
      expect(other.created.invoiceId).to.equal(invoiceId);
      await other.pay(other.created);
      const client = shallowRef<Client>(one.client);
      const given = isGetter ? () => client.value : client;
      const { made, stop } = inScope(() => ({
        snapshot: useInvoice(given, invoiceId),
        view: useCheckout(given, { invoiceId }),
      }));
      const text = () => {
        const { value, freshness } = made.snapshot.value;
        return `${value?.state ?? 'none'} ${freshness} ${made.view.value.phase}`;
      };
      await pass(one, 3_000);
      expect(text()).to.equal('UNPAID live awaiting');
      client.value = other.client;
      await nextTick();
      expect(text()).to.equal('none loading loading');
      await expectSilence(one);
      await pass(other, 3_000);
      expect(text()).to.equal('PAID live paid');
      stop();
      await expectSilence(other);
    });

  it('is empty for another invoice at once, and ignores the late response for the former', async () => {
    const { shop, first, second, asked } = await openSlow();
    const id = ref(first.invoiceId);
    const { made, stop } = inScope(() => ({
      snapshot: useInvoice(shop.client, id),
      view: useCheckout(shop.client, () => ({ invoiceId: id.value })),
      watched: useWatch(() => watchInvoice(shop.client, id.value)),
    }));
    const texts = new Set<string>();
    const see = () => {
      const { snapshot, view, watched } = made;
      const ids = [snapshot.value.value, watched.value.value].map((one) => one?.invoiceId);
      texts.add([...ids, view.value.phase].join(' '));
    };
    await pass(shop, 1_000);
    id.value = second.invoiceId;
    await nextTick();
    see();
    expect([...texts]).to.deep.equal(['  loading']);
    await pass(shop, 10_000, see);
    expect([...texts].at(-1)).to.equal(`${second.invoiceId} ${second.invoiceId} awaiting`);
    expect([...texts].join())
      .to.not.contain(first.invoiceId)
      .and.not.contain('paid');
    asked.length = 0;
    await pass(shop, 20_000);
    expect(asked.join(' ')).to.contain(second.invoiceId).and.not.contain(first.invoiceId);
    stop();
    await expectSilence(shop);
  });

  it('is empty again when the former invoice had a value', async () => {
    const shop = await openInvoice();
    const other = await shop.invoice();
    const id = ref<string | undefined>(shop.created.invoiceId);
    const watch = () => (id.value === undefined ? undefined : watchInvoice(shop.client, id.value));
    const { made, stop } = inScope(() => ({
      snapshot: useInvoice(shop.client, () => id.value),
      view: useCheckout(shop.client, () => ({ invoiceId: id.value })),
      watched: useWatch<{ readonly freshness: string; readonly value?: Invoice } | undefined>(
        () => watch() as Watch<{ readonly freshness: string; readonly value?: Invoice }>,
      ),
    }));
    const text = () => {
      const { snapshot, view, watched } = made;
      const states = [snapshot.value.value?.state, watched.value?.value?.state];
      const { freshness } = snapshot.value;
      return [...states, freshness, watched.value?.freshness, view.value.phase].join(' ');
    };
    await pass(shop, 2_000);
    expect(text()).to.equal('UNPAID UNPAID live live awaiting');
    id.value = other.invoiceId;
    await nextTick();
    expect(text()).to.equal('  loading loading loading');
    await pass(shop, 2_000);
    expect(text()).to.equal('UNPAID UNPAID live live awaiting');
    id.value = undefined;
    await nextTick();
    expect(text()).to.equal('  idle  idle');
    await expectSilence(shop);
    stop();
  });

  it('refreshes the invoice that it shows, also before there is a value', async () => {
    const shop = await openInvoice();
    const other = await shop.invoice();
    const id = ref(shop.created.invoiceId);
    const { made: snapshot, stop } = inScope(() => useInvoice(shop.client, id));
    const former = snapshot.value;
    id.value = other.invoiceId;
    await nextTick();
    expect([former.freshness, snapshot.value.freshness]).to.deep.equal(['loading', 'loading']);
    expect(snapshot.value.refresh).to.not.equal(former.refresh);
    const read = snapshot.value.refresh() as Promise<{ readonly value?: Invoice }>;
    await pass(shop, 1_000);
    expect((await read).value?.invoiceId).to.equal(other.invoiceId);
    stop();
    await expectSilence(shop);
  });

  it('keeps its watch for an invoice that becomes a new object', async () => {
    const shop = await openInvoice();
    const invoice = shallowRef(shop.created);
    const actions = new Set<unknown>();
    shop.requests.length = 0;
    const { made: snapshot, stop } = inScope(() => useInvoice(shop.client, invoice));
    for (let second = 0; second < 10; second++) {
      invoice.value = { ...shop.created };
      await pass(shop, 1_000);
      actions.add(snapshot.value.retry).add(snapshot.value.refresh);
    }
    expect(actions.size).to.equal(2);
    expect(shop.requests).to.have.length(await costOf(10_000));
    stop();
    await expectSilence(shop);
  });

  it('runs another checkout when the order changes, and none without options', async () => {
    const shop = await openInvoice();
    const other = await shop.invoice();
    const options = shallowRef<{ readonly invoiceId: string | null } | undefined>();
    const { made: view, stop } = inScope(() => useCheckout(shop.client, options));
    const codes: string[] = [];
    for (const { invoiceId } of [shop.created, other]) {
      options.value = { invoiceId };
      await nextTick();
      expect(view.value.phase).to.equal('loading');
      await pass(shop, 2_000);
      codes.push(view.value.phase === 'awaiting' ? view.value.quote.lnInvoice : '');
    }
    expect(codes[0]).to.match(/^ln/);
    expect(codes[1]).to.match(/^ln/).and.not.equal(codes[0]);
    await shop.pay(shop.created);
    await pass(shop, 5_000);
    expect(view.value.phase).to.equal('awaiting');
    for (const none of [undefined, { invoiceId: null }]) {
      options.value = none;
      await nextTick();
      expect(view.value.phase).to.equal('idle');
      await expectSilence(shop);
    }
    stop();
  });

  for (const type of ['pointerdown', 'keydown'])
    it(`tells only the checkout that it shows of a ${type}`, async () => {
      const shop = await openInvoice();
      const other = await shop.invoice();
      const pauseAfter = 10_000;
      const id = ref(shop.created.invoiceId);
      // another part of the page, which does not listen to taps
      let former = '';
      const end = checkout(shop.client, { invoiceId: id.value, pauseAfter }).subscribe(
        ({ phase }) => void (former = phase),
      );
      const { made: view, stop } = inScope(() =>
        useCheckout(shop.client, () => ({ invoiceId: id.value, pauseAfter })),
      );
      const phases = () => [view.value.phase, former];
      await pass(shop, 2_000);
      id.value = other.invoiceId;
      await pass(shop, 13_000);
      expect(phases()).to.deep.equal(['paused', 'paused']);
      document.dispatchEvent(new Event(type));
      await pass(shop, 1_000);
      expect(phases()).to.deep.equal(['awaiting', 'paused']);
      stop();
      end();
      await expectSilence(shop);
    });

  it('hears no tap when its component is in the cache of KeepAlive, or its scope has ended', async () => {
    const shop = openShop({ signed: true });
    const pauseAfter = 10_000;
    const { invoiceId } = await shop.invoice();
    const options = { invoiceId, pauseAfter };
    let other = '';
    const end = checkout(shop.client, options).subscribe(({ phase }) => void (other = phase));
    const isShown = ref(true);
    const Sale = defineComponent(() => {
      const view = useCheckout(shop.client, options);
      return () => h('p', view.value.phase);
    });
    const app = createApp(
      defineComponent(() => () => h(KeepAlive, () => (isShown.value ? h(Sale) : h('hr')))),
    );
    app.mount(element());
    const { stop } = inScope(() => useCheckout(shop.client, options));
    await pass(shop, 2_000);
    isShown.value = false;
    stop();
    await pass(shop, 13_000);
    expect(other).to.equal('paused');
    document.dispatchEvent(new Event('pointerdown'));
    await pass(shop, 1_000);
    expect(other).to.equal('paused');
    isShown.value = true;
    await pass(shop, 13_000);
    document.dispatchEvent(new Event('pointerdown'));
    await pass(shop, 1_000);
    expect(other, 'shown again').to.equal('awaiting');
    app.unmount();
    await pass(shop, 13_000);
    document.dispatchEvent(new Event('pointerdown'));
    await pass(shop, 1_000);
    expect(other, 'after the page has gone').to.equal('paused');
    end();
    await expectSilence(shop);
  });

  it('shows another invoice also before its component mounts, and in the cache of KeepAlive', async () => {
    const shop = await openInvoice();
    const other = await shop.invoice();
    await shop.pay(other);
    const id = ref<string>();
    const isShown = ref(true);
    let snapshot!: ReturnType<typeof useInvoice>;
    let beforeMount = '';
    const Text = defineComponent(() => {
      snapshot = useInvoice(shop.client, id);
      id.value = shop.created.invoiceId;
      onBeforeMount(() => void (beforeMount = snapshot.value.freshness));
      return () => h('p', `${snapshot.value.value?.state ?? 'none'} ${snapshot.value.freshness}`);
    });
    const place = element();
    const app = createApp(
      defineComponent(() => () => h(KeepAlive, () => (isShown.value ? h(Text) : h('hr')))),
    );
    shop.requests.length = 0;
    app.mount(place);
    await nextTick();
    expect([beforeMount, place.textContent]).to.deep.equal(['idle', 'none loading']);
    await pass(shop, 2_000);
    expect(place.textContent).to.equal('UNPAID live');
    isShown.value = false;
    await nextTick();
    id.value = other.invoiceId;
    await nextTick();
    expect([snapshot.value.value, snapshot.value.freshness]).to.deep.equal([undefined, 'loading']);
    await expectSilence(shop);
    isShown.value = true;
    await nextTick();
    expect(place.textContent).to.equal('none loading');
    await pass(shop, 2_000);
    expect(place.textContent).to.equal('PAID live');
    app.unmount();
    await expectSilence(shop);
  });

  it('sends nothing more when its scope ends during the first read', async () => {
    const { shop, first, asked } = await openSlow();
    const { invoiceId } = first;
    const { made, stop } = inScope(() => [
      useInvoice(shop.client, invoiceId),
      useWatch(() => watchInvoice(shop.client, invoiceId)),
      useCheckout(shop.client, { invoiceId }),
    ]);
    await pass(shop, 1_000);
    expect(asked).to.have.length(1);
    const before = made.map((one) => one.value);
    stop();
    await pass(shop, 10_000);
    expect(made.map((one) => one.value)).to.deep.equal(before);
    expect(asked).to.have.length(1);
    await expectSilence(shop);
  });
});
