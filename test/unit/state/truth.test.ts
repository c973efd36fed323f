import { describe, it, itLong } from '#test';
import { expect } from 'chai';
import { type Invoice, type KnownSnapshot, provide, watchInvoice } from 'paystate';
import { altered, type Answers, openShop, record, type Shop } from './shop.ts';

/** A shop whose watches' single reads answer with this state, for as long as it is set: a replica that lags, or the truth. */
function replica(): { shop: Shop; show(state: string | undefined): void } {
  let state: string | undefined;
  const answers: Answers = async (url, ask) =>
    state !== undefined && /\/v1\/invoices\/[^/?]+$/.test(url)
      ? altered(await ask(), (json: Invoice) => ({ ...json, state }))
      : ask();
  return { shop: openShop({}, answers), show: (next) => void (state = next) };
}

const statesOf = (log: { values: readonly KnownSnapshot<Invoice>[] }) =>
  log.values.map(
    ({ value, regressed, unconfirmed }) =>
      value.state + (regressed ? ' regressed' : unconfirmed ? ` (${unconfirmed}?)` : ''),
  );

describe('the order of states', () => {
  it('drops a lower state from a replica that lags', async () => {
    const { shop, show } = replica();
    const invoice = await shop.invoice();
    const seen = record(watchInvoice(shop.client, invoice));
    await shop.sandbox.advance(1_000);
    show('PENDING');
    await shop.sandbox.advance(2_000);
    show('UNPAID');
    await shop.sandbox.advance(20_000);
    show('PENDING');
    await shop.sandbox.advance(60_000);
    expect(statesOf(seen)).to.deep.equal(['UNPAID', 'PENDING', 'PENDING (UNPAID?)', 'PENDING']);
  });

  it('believes a lower state that two looks confirm after 30 s, and marks it', async () => {
    const { shop, show } = replica();
    const invoice = await shop.invoice();
    const seen = record(watchInvoice(shop.client, invoice));
    show('PENDING');
    await shop.sandbox.advance(2_000);
    show('UNPAID');
    await shop.sandbox.advance(27_000);
    expect(statesOf(seen)).to.deep.equal(['PENDING', 'PENDING (UNPAID?)']);
    await shop.sandbox.advance(9_000);
    expect(statesOf(seen)).to.deep.equal(['PENDING', 'PENDING (UNPAID?)', 'UNPAID regressed']);
  });

  it('needs the second look: one contradiction after 30 s is not enough', async () => {
    const { shop, show } = replica();
    const invoice = await shop.invoice();
    const seen = record(watchInvoice(shop.client, invoice));
    show('PENDING');
    await shop.sandbox.advance(40_000);
    show('UNPAID');
    await shop.sandbox.advance(2_100);
    show('PENDING');
    await shop.sandbox.advance(60_000);
    expect(statesOf(seen)).to.deep.equal(['PENDING', 'PENDING (UNPAID?)', 'PENDING']);
  });

  it('takes a higher state at once, whoever tells it', async () => {
    const { shop } = replica();
    const invoice = await shop.invoice();
    const seen = record(watchInvoice(shop.client, invoice, { until: 'never' }));
    await shop.sandbox.advance(1_000);
    const now = shop.sandbox.clock.now();
    provide(shop.client, 'invoice', { ...invoice, state: 'PAID' }, { asOf: now });
    provide(shop.client, 'invoice', { ...invoice, state: 'PENDING' }, { asOf: now });
    provide(shop.client, 'invoice', { ...invoice, state: 'UNPAID' }, { asOf: now - 60_000 });
    expect(statesOf(seen)).to.deep.equal(['UNPAID', 'PAID']);
    provide(shop.client, 'invoice', { ...invoice, state: 'REVERSED' }, { asOf: now });
    expect(statesOf(seen)).to.deep.equal(['UNPAID', 'PAID', 'REVERSED']);
  });

  it('of two reads of one state keeps the one that was sent later', async () => {
    const { shop } = replica();
    const invoice = await shop.invoice();
    const seen = record(watchInvoice(shop.client, invoice));
    await shop.sandbox.advance(1_000);
    const now = shop.sandbox.clock.now();
    provide(shop.client, 'invoice', { ...invoice, description: 'later' }, { asOf: now });
    provide(shop.client, 'invoice', { ...invoice, description: 'earlier' }, { asOf: now - 10 });
    expect(seen.values.at(-1)?.value.description).to.equal('later');
    seen.stop();
  });

  it('does not take two looks at one moment for a confirmation', async () => {
    const { shop, show } = replica();
    const { invoiceId } = await shop.invoice();
    const seen = record(watchInvoice(shop.client, invoiceId));
    show('PENDING');
    await shop.sandbox.advance(40_000);
    const own = [1, 2].map(() =>
      shop.client.invoices.get(invoiceId, { includeTransactions: true }),
    );
    await shop.sandbox.run(Promise.all(own));
    expect(statesOf(seen)).to.deep.equal(['PENDING', 'PENDING (UNPAID?)']);
    await shop.sandbox.advance(60_000);
    expect(statesOf(seen)).to.deep.equal(['PENDING', 'PENDING (UNPAID?)', 'PENDING']);
    seen.stop();
  });

  itLong(
    'of states that it does not know, keeps only those that a replica may still show',
    async () => {
      const { shop } = replica();
      const invoice = await shop.invoice();
      const seen = record(watchInvoice(shop.client, invoice, { until: 'never' }));
      await shop.sandbox.advance(1_000);
      const { filter } = Array.prototype;
      let largest = 0;
      Array.prototype.filter = function (this: unknown[], ...rest: Parameters<typeof filter>) {
        if (String(this[0]).startsWith('STEP_')) largest = Math.max(largest, this.length);
        return filter.apply(this, rest);
      } as typeof filter;
      try {
        for (let n = 0; n < 100; n++) {
          provide(
            shop.client,
            'invoice',
            { ...invoice, state: `STEP_${n}` },
            { asOf: shop.sandbox.clock.now() },
          );
          await shop.sandbox.advance(10_000);
        }
      } finally {
        Array.prototype.filter = filter;
      }
      expect(largest).to.be.within(2, 10);
      seen.stop();
    },
  );

  it('of states that it does not know: the later look counts, and none flaps back', async () => {
    const { shop } = replica();
    const invoice = await shop.invoice();
    const seen = record(watchInvoice(shop.client, invoice, { until: 'never' }));
    await shop.sandbox.advance(1_000);
    const now = shop.sandbox.clock.now();
    provide(shop.client, 'invoice', { ...invoice, state: 'ON_HOLD' }, { asOf: now });
    provide(shop.client, 'invoice', { ...invoice, state: 'IN_REVIEW' }, { asOf: now - 60_000 });
    expect(statesOf(seen)).to.deep.equal(['UNPAID', 'ON_HOLD']);
    provide(shop.client, 'invoice', { ...invoice, state: 'IN_REVIEW' }, { asOf: now });
    provide(shop.client, 'invoice', { ...invoice, state: 'ON_HOLD' }, { asOf: now });
    expect(statesOf(seen)).to.deep.equal(['UNPAID', 'ON_HOLD', 'IN_REVIEW']);
    seen.stop();
  });

  it('accepts PAID after CANCELLED: the payer was faster', async () => {
    const { shop } = replica();
    const invoice = await shop.invoice();
    const seen = record(watchInvoice(shop.client, invoice, { until: 'never' }));
    await shop.sandbox.advance(1_000);
    provide(
      shop.client,
      'invoice',
      { ...invoice, state: 'CANCELLED' },
      { asOf: shop.sandbox.clock.now() },
    );
    provide(
      shop.client,
      'invoice',
      { ...invoice, state: 'PAID' },
      { asOf: shop.sandbox.clock.now() },
    );
    expect(statesOf(seen)).to.deep.equal(['UNPAID', 'CANCELLED', 'PAID']);
  });

  it('sees a reversal when it was asked to go on after a settled state, for few requests', async () => {
    const { shop } = replica();
    const invoice = await shop.invoice();
    const seen = record(watchInvoice(shop.client, invoice, { until: 'never' }));
    await shop.pay(invoice);
    await shop.sandbox.advance(5_000);
    shop.requests.length = 0;
    await shop.sandbox.advance(600_000);
    expect([seen.ended, seen.values.at(-1)!.freshness]).to.deep.equal([undefined, 'live']);
    expect(shop.requests.length, 'a poll and a read each 18 s').to.be.within(60, 70);
    shop.sandbox.move('invoice', invoice.invoiceId, 'REVERSED');
    await shop.sandbox.advance(32_000);
    expect(seen.values.at(-1)!.value.state).to.equal('REVERSED');
    seen.stop();
  });

  it('shows what is told to it only to those who watch, and asks nothing for it', async () => {
    const { shop } = replica();
    const invoice = await shop.invoice();
    shop.requests.length = 0;
    provide(
      shop.client,
      'invoice',
      { ...invoice, state: 'PAID' },
      { asOf: shop.sandbox.clock.now() },
    );
    await shop.sandbox.advance(10_000);
    expect(shop.requests).to.have.length(0);
  });

  it('shows a payment that failed the moment no replica can hide that it did not', async () => {
    const { shop, show } = replica();
    const invoice = await shop.invoice();
    const seen = record(watchInvoice(shop.client, invoice));
    show('PENDING');
    await shop.sandbox.advance(2_000);
    show('UNPAID');
    await shop.sandbox.advance(33_000);
    expect(statesOf(seen).at(-1)).to.equal('UNPAID regressed');
    seen.stop();
  });

  it('hands an older value to a watch without making it fresh, and keeps what was read later', async () => {
    const { shop } = replica();
    const invoice = await shop.invoice();
    const seen = record(watchInvoice(shop.client, invoice));
    await shop.sandbox.advance(1_000);
    const now = shop.sandbox.clock.now();
    const old = { ...invoice, description: 'as it was' };
    provide(shop.client, 'invoice', old, { asOf: now - 50_000 });
    expect(seen.values.at(-1)!.value.description).to.equal(invoice.description);
    const endFault = shop.sandbox.fault({ method: 'GET', action: { status: 503 } });
    await shop.sandbox.advance(100_000);
    expect(seen.values.at(-1)!.freshness).to.equal('stale');
    const later = { asOf: shop.sandbox.clock.now() - 40_000 };
    provide(shop.client, 'invoice', { ...invoice, description: 'newer, and old' }, later);
    expect(seen.values.at(-1)).to.include({ freshness: 'stale', asOf: later.asOf });
    expect(seen.values.at(-1)!.value.description).to.equal('newer, and old');
    endFault();
    seen.stop();
  });

  itLong(
    'believes an announced change only when a read shows it: one lagging read hides no payment',
    async () => {
      let isLagging = false;
      const shop = openShop({}, async (url, ask) =>
        isLagging && /\/v1\/invoices/.test(url)
          ? altered(await ask(), (json: Invoice & { items?: Invoice[] }) =>
              json.items
                ? { ...json, items: json.items.map((one) => ({ ...one, state: 'UNPAID' })) }
                : { ...json, state: 'UNPAID' },
            )
          : ask(),
      );
      const all: Invoice[] = [];
      for (let n = 0; n < 100; n++) all.push(await shop.invoice());
      const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
      await shop.sandbox.advance(120_000);
      isLagging = true;
      await shop.pay(all[7]!);
      await shop.sandbox.advance(4_000);
      isLagging = false;
      await shop.sandbox.advance(32_000);
      expect(logs[7]!.values.at(-1)!.value.state).to.equal('PAID');
      for (const log of logs) log.stop();
    },
  );

  it('is not live by a read that says another state, after the service was away', async () => {
    const { shop, show } = replica();
    const invoice = await shop.invoice();
    const seen = record(watchInvoice(shop.client, invoice));
    show('PENDING');
    await shop.sandbox.advance(2_000);
    const endFault = shop.sandbox.fault({ method: 'GET', action: { status: 503 } });
    await shop.sandbox.advance(120_000);
    endFault();
    show('UNPAID');
    await shop.sandbox.advance(120_000);
    const after = seen.values.filter(({ unconfirmed }) => unconfirmed);
    expect(after.map(({ freshness }) => freshness)).to.deep.equal(['stale']);
    expect(statesOf(seen).at(-1)).to.equal('UNPAID regressed');
    seen.stop();
  });
});
