import { expect } from 'chai';
import type { RequestView } from 'paystate';
import { describe, it } from '#test';
import {
  type Answer,
  answering,
  asRead,
  DRAFT,
  failureOf,
  INVOICE,
  json,
  openShop,
  refusal,
} from '../core/shop.ts';

const NAMED = { ...DRAFT, correlationId: 'order-1' };
const HOUR = 3_600_000;

describe('ensure', () => {
  it('creates what is not there, and finds it the next time', async () => {
    const { client, run } = openShop();
    const first = await run(client.invoices.ensure(NAMED));
    const second = await run(client.invoices.ensure(NAMED));
    expect([first.existed, second.existed]).to.deep.equal([false, true]);
    expect(second.invoice).to.deep.equal(asRead(first.invoice));
    expect(await run(client.invoices.list().count())).to.equal(1);
  });

  it('C6: tells the state as it is now', async () => {
    for (const [state, act] of [
      ['PAID', async ({ sandbox }, id) => sandbox.payer.pay(id)],
      ['CANCELLED', async ({ client }, id) => client.invoices.cancel(id)],
      ['PENDING', async ({ sandbox }, id) => void sandbox.payer.pay(id, { pendingFor: HOUR })],
      [
        'REVERSED',
        async ({ sandbox }, id) => {
          await sandbox.payer.pay(id);
          await sandbox.payer.reverse(id);
        },
      ],
    ] as readonly [string, (shop: ReturnType<typeof openShop>, id: string) => Promise<unknown>][]) {
      const shop = openShop();
      const { invoice } = await shop.run(shop.client.invoices.ensure(NAMED));
      await shop.run(act(shop, invoice.invoiceId));
      const again = await shop.run(shop.client.invoices.ensure(NAMED));
      expect([again.invoice.state, again.existed]).to.deep.equal([state, true]);
    }
  });

  it('C3: finds an older one also after a lost try', async () => {
    for (const action of ['lost-before', 'lost-after', { status: 502 }] as const) {
      const { sandbox, client, run } = openShop();
      const { invoiceId } = await run(client.invoices.create(NAMED));
      await sandbox.advance(HOUR);
      sandbox.fault({ method: 'POST', nth: 1, action });
      const { invoice, existed } = await run(client.invoices.ensure(NAMED));
      expect([invoice.invoiceId, existed]).to.deep.equal([invoiceId, true]);
    }
  });

  it('knows its own after a lost answer', async () => {
    const { sandbox, client, run } = openShop();
    sandbox.fault({ method: 'POST', nth: [1, 2], action: 'lost-after' });
    const { invoice, existed } = await run(client.invoices.ensure(NAMED));
    expect([invoice.correlationId, existed]).to.deep.equal(['order-1', false]);
    expect(await run(client.invoices.list().count())).to.equal(1);
  });

  it('looks for what exists at the rank of a call that somebody waits for', async () => {
    const ranks: string[] = [];
    const onRequest = ({ operation, priority }: RequestView) =>
      void ranks.push(`${operation} ${priority}`);
    const { client, run } = openShop({ onRequest });
    await run(client.invoices.create(NAMED));
    await run(client.invoices.ensure(NAMED));
    expect(ranks.at(-1)).to.equal('invoices.list high');
  });

  it('C4: never passes off an invoice of another amount', async () => {
    const { client, run } = openShop();
    await run(client.invoices.create(NAMED));
    const error = await failureOf(
      run(client.invoices.ensure({ ...NAMED, amount: { amount: '20.00', currency: 'EUR' } })),
    );
    expect(error).to.include({
      kind: 'refused',
      code: 'DUPLICATE_INVOICE',
      status: 409,
      outcome: 'unknown',
      next: 'read-first',
      correlationId: 'order-1',
    });
    expect(error.values).to.have.nested.property('existing.amount.amount', '12.50');
    expect(error.message).to.contain('cancel it');
  });

  it('keeps to one deadline, the look-up included', async () => {
    const { sandbox, client, run, now } = openShop();
    await run(client.invoices.create(NAMED));
    sandbox.fault({ method: 'POST', nth: 1, action: { delay: 8_000 } });
    sandbox.fault({ method: 'GET', action: { delay: HOUR } });
    const error = await failureOf(run(client.invoices.ensure(NAMED, { callTimeout: 12_000 })));
    expect(error).to.include({
      code: 'EXISTS_UNREAD',
      outcome: 'unknown',
      correlationId: 'order-1',
    });
    expect(now()).to.be.at.most(12_100);
  });

  it('wants a name', async () => {
    const { sandbox, client, run } = openShop();
    for (const correlationId of ['', undefined as unknown as string]) {
      const error = await failureOf(run(client.invoices.ensure({ ...DRAFT, correlationId })));
      expect([error.kind, Object.keys(error.validationErrors!)]).to.deep.equal([
        'input',
        ['correlationId'],
      ]);
    }
    expect(sandbox.log).to.have.length(0);
  });

  it('makes one of many that are asked for at once', async () => {
    const { client, run } = openShop();
    const all = await run(
      Promise.all(Array.from({ length: 10 }, () => client.invoices.ensure(NAMED))),
    );
    expect(new Set(all.map(({ invoice }) => invoice.invoiceId)).size).to.equal(1);
    expect(all.filter(({ existed }) => !existed)).to.have.length(1);
  });
});

describe('cancelling', () => {
  it('answers CANCELLED, also after lost answers', async () => {
    for (const action of [
      'lost-after',
      'lost-before',
      'cut-body',
      { status: 502, processed: true },
      { status: 500, code: 'INTERNAL_SERVER_ERROR' },
    ] as const)
      for (const nth of [[1], [1, 2]]) {
        const { sandbox, client, run } = openShop();
        const { invoiceId } = await run(client.invoices.create(DRAFT));
        sandbox.fault({ method: 'PATCH', nth, action });
        expect((await run(client.invoices.cancel(invoiceId))).state).to.equal('CANCELLED');
      }
  });

  it('says so when it was cancelled before', async () => {
    const { client, run } = openShop();
    const { invoiceId } = await run(client.invoices.create(DRAFT));
    await run(client.invoices.cancel(invoiceId));
    const error = await failureOf(run(client.invoices.cancel(invoiceId)));
    expect([error.code, error.outcome, error.status]).to.deep.equal([
      'INVALID_STATE_FOR_INVOICE_CANCELLED',
      'unknown',
      422,
    ]);
  });

  it('is not believed while a read shows the invoice as it was', async () => {
    const lost: Answer = () => Promise.reject(new TypeError('socket hang up'));
    for (const state of ['UNPAID', 'PENDING']) {
      const refused = refusal(422, 'INVALID_STATE_FOR_INVOICE_CANCELLED');
      const { fetch } = answering(lost, refused, json({ ...INVOICE, state }));
      const { client, run } = openShop({ fetch });
      const error = await failureOf(run(client.invoices.cancel(INVOICE.invoiceId)));
      expect(error, state).to.include({ code: 'EXISTS_UNREAD', outcome: 'unknown' });
    }
  });

  it('PAID is a real answer, also after a lost try', async () => {
    for (const action of [undefined, 'lost-before', { status: 504 }] as const) {
      const { sandbox, client, run } = openShop();
      const { invoiceId } = await run(client.invoices.create(DRAFT));
      await run(sandbox.payer.pay(invoiceId));
      if (action) sandbox.fault({ method: 'PATCH', nth: 1, action });
      const error = await failureOf(run(client.invoices.cancel(invoiceId)));
      expect(error).to.include({
        kind: 'refused',
        code: 'INVALID_STATE_FOR_INVOICE_PAID',
        outcome: 'not-done',
        next: 'ask-user',
      });
    }
  });

  it('is refused while a payment runs', async () => {
    const { sandbox, client, run } = openShop();
    const { invoiceId } = await run(client.invoices.create(DRAFT));
    void sandbox.payer.pay(invoiceId, { pendingFor: HOUR });
    expect((await failureOf(run(client.invoices.cancel(invoiceId)))).code).to.equal(
      'PROCESSING_PAYMENT',
    );
  });

  it('is unknown when no answer comes', async () => {
    const { sandbox, client, run } = openShop();
    const { invoiceId } = await run(client.invoices.create(DRAFT));
    sandbox.fault({ method: 'PATCH', action: 'lost-after' });
    const error = await failureOf(run(client.invoices.cancel(invoiceId)));
    expect(error).to.include({
      code: 'UNREACHABLE',
      outcome: 'unknown',
      next: 'read-first',
      attempts: 3,
    });
  });
});
