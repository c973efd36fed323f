// Protects: pages behind the relay's real objects show the same as pages without it, and ask for next to nothing.
import { expect } from 'chai';
import { type Invoice, watchInvoice } from 'paystate';
import { checkout, type CheckoutView } from 'paystate/flows';
import { describe, it } from '#test';
import { codeOf } from '../unit/flows/sale.ts';
import { altered, record, refusal } from '../unit/state/shop.ts';
import { openObjects, type RelayObjects } from './relay-objects.ts';

const MINUTE = 60_000;
type Page = ReturnType<RelayObjects['page']>;

describe('pages of one invoice behind a relay', () => {
  for (const count of [1, 10, 100])
    it(`read it once each when they open, and never again: ${count}`, async () => {
      const world = openObjects();
      const { sandbox, pay } = world;
      const invoice = await world.invoice();
      const pages = Array.from({ length: count }, () => world.page(invoice.invoiceId));
      const logs = pages.map(({ client }) => record(watchInvoice(client, invoice.invoiceId)));
      await sandbox.advance(5_000);
      const opening = pages.flatMap(({ asked }) => asked.splice(0)).length;
      expect(opening).to.be.at.most(2 * count);
      await sandbox.advance(10 * MINUTE);
      expect(logs.map(({ values }) => values.at(-1)!.freshness)).to.include('live');
      await pay(invoice);
      await sandbox.advance(5_000);
      expect(pages.flatMap(({ asked }) => asked)).to.deep.equal([]);
      for (const { values, ended } of logs)
        expect([values.at(-1)!.value.state, values.at(-1)!.freshness, ended]).to.deep.equal([
          'PAID',
          'live',
          'complete',
        ]);
    });

  it('are not live for longer than two and a half minutes while the service is away, and are again when it is back', async () => {
    const world = openObjects();
    const { sandbox } = world;
    const { invoiceId } = await world.invoice();
    const { client } = world.page(invoiceId);
    const log = record(watchInvoice(client, invoiceId));
    await sandbox.advance(40 * MINUTE);
    expect(log.values.at(-1)!.freshness).to.equal('live');
    const endOutage = sandbox.fault({ action: { status: 503, code: 'SERVICE_UNAVAILABLE' } });
    await sandbox.advance(150_000);
    expect(log.values.at(-1)!.freshness).to.equal('stale');
    await sandbox.advance(10 * MINUTE);
    endOutage();
    await sandbox.advance(2 * MINUTE);
    expect(log.values.at(-1)!.freshness).to.equal('live');
    log.stop();
  });
});

const received = (amount: string, state = 'COMPLETED') => ({
  transactionId: 'of the payer',
  state,
  amountReceived: { amount, currency: 'EUR' },
  payerName: 'of the payer',
  completed: '2026-01-05T09:00:05+00:00',
});

interface Sale {
  readonly world: RelayObjects;
  readonly invoice: Invoice;
  readonly page: Page;
  readonly sale: ReturnType<typeof checkout>;
  readonly log: ReturnType<typeof record<CheckoutView>>;
}

/** A checkout in a page behind the relay; `payments` changes what is read with payments. */
async function openSale(
  payments: (ask: () => Promise<Response>) => Promise<Response> = (ask) => ask(),
): Promise<Sale> {
  const world = openObjects(
    (url, ask) => (url.includes('includeTransactions') ? payments(ask) : ask()),
    {},
    true,
  );
  const invoice = await world.invoice();
  const page = world.page(invoice.invoiceId);
  const sale = checkout(page.client, { invoiceId: invoice.invoiceId });
  const log = record(sale);
  await world.sandbox.advance(5_000);
  return { world, invoice, page, sale, log };
}

const showing = (transactions: readonly object[]) => async (ask: () => Promise<Response>) =>
  altered(await ask(), (one: Invoice) => ({ ...one, transactions }));

describe('a checkout behind a relay', () => {
  it('is paid in time and exactly, and has asked for nothing to say so', async () => {
    const { world, invoice, page, log } = await openSale();
    page.asked.length = 0;
    await world.sandbox.payer.pay(codeOf(log.values.at(-1))!.lnInvoice);
    await world.sandbox.advance(5_000);
    expect(log.values.at(-1)).to.deep.include({ phase: 'paid', late: false, over: false });
    expect(log.values.filter(({ phase }) => phase === 'paid')).to.have.length(1);
    expect(page.asked).to.deep.equal([]);
    expect(invoice.state).to.equal('UNPAID');
  });

  it('says that more came in', async () => {
    const { world, log } = await openSale(showing([received('12.50'), received('12.50')]));
    await world.sandbox.payer.pay(codeOf(log.values.at(-1))!.lnInvoice);
    await world.sandbox.advance(5_000);
    expect(log.values.at(-1)).to.deep.include({ phase: 'paid', over: true });
  });

  it('says that the payment was late', async () => {
    const { world, log } = await openSale();
    const { sandbox } = world;
    const code = codeOf(log.values.at(-1))!;
    sandbox.fault({ method: 'POST', action: { status: 503, code: 'LN_UNAVAILABLE' } });
    await sandbox.advance(20_000);
    void sandbox.payer.pay(code.lnInvoice, { pendingFor: 20_000 });
    await sandbox.advance(30_000);
    expect(log.values.at(-1)).to.deep.include({ phase: 'paid', late: true, over: false });
  });

  it('shows no code for the whole amount where a part has come in', async () => {
    const { world, sale, log } = await openSale(
      showing([received('5.00'), received('1', 'PENDING')]),
    );
    await world.sandbox.advance(11 * MINUTE);
    expect(log.values.at(-1)!.phase).to.equal('paused');
    sale.touch();
    await world.sandbox.advance(5_000);
    expect(log.values.at(-1)!.phase).to.equal('partial');
    log.stop();
  });

  it('is paid at once and told of no payments where they cannot be read', async () => {
    const { world, log } = await openSale(async () => refusal(403, 'FORBIDDEN'));
    await world.sandbox.payer.pay(codeOf(log.values.at(-1))!.lnInvoice);
    await world.sandbox.advance(5_000);
    expect(log.values.at(-1)).to.deep.include({ phase: 'paid', late: false, over: false });
  });

  it('has nothing of the payer', async () => {
    const { world, invoice, log } = await openSale(showing([received('12.50')]));
    await world.sandbox.payer.pay(codeOf(log.values.at(-1))!.lnInvoice);
    await world.sandbox.advance(5_000);
    const { body } = await world.ask(invoice.invoiceId, 'GET', '?includeTransactions=true');
    const said = JSON.stringify([log.values, body]);
    expect(said).to.include('amountReceived');
    expect(said).not.to.include('of the payer');
  });
});
