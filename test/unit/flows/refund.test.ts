// Protects: refunds of one invoice together never give back more than came in, whatever dies and however many run at once.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { type PayResult, refund, type RefundOptions, resume } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore, type Store } from 'paystate/stores';
import { describe, it } from '#test';
import type { MoveRow } from '../../../src/flows/pay/facts.ts';
import { altered } from '../state/shop.ts';
import { EUR, paymentsMoved } from './pay-lives.ts';

const EXECUTE = { method: 'PATCH', path: '/v1/payment-quotes/{paymentQuoteId}/execute' };

/** A shop with an invoice over 20 EUR, paid unless it says otherwise. */
const openDesk = async (isPaid = true) => {
  const sandbox = createSandbox({ signed: false });
  const client = createClient(sandbox.clientOptions);
  const { invoiceId } = await sandbox.run(client.invoices.create({ amount: EUR('20.00') }));
  if (isPaid) await sandbox.run(sandbox.payer.pay(invoiceId));
  const journal = memoryStore();
  const start = (options: Partial<RefundOptions> = {}, by = client) =>
    refund(by, { ...ADA, invoiceId, journal, ...options });
  return {
    sandbox,
    client,
    invoiceId,
    journal,
    start,
    give: (options: Partial<RefundOptions> = {}) => sandbox.run(start(options).result),
  };
};

const ADA = { to: 'ada@wallet.example', sourceCurrency: 'EUR', maxFee: 'any' } as const;
const sumOf = (results: readonly PayResult[]): number =>
  results.reduce(
    (cents, result) =>
      result.phase === 'paid' ? cents + Number(result.payment.amount.amount) * 100 : cents,
    0,
  );
/** Who holds what of an invoice. */
const heldOf = async (journal: Store, invoiceId: string) => {
  const stored = await journal.get(`pay-refund/invoice/${invoiceId}`);
  const { held } = stored!.value as { readonly held: readonly Readonly<Record<string, string>>[] };
  return held.map(({ intent, round, amount }) => `${intent} round ${round}: ${amount}`);
};
const guardOf = (result: PayResult) =>
  result.phase === 'refused' ? [result.guard, result.error.outcome] : result.phase;

describe('a refund', () => {
  it('gives back all that came in, once', async () => {
    const { sandbox, start, give, invoiceId } = await openDesk();
    const run = start();
    const result = await sandbox.run(run.result);
    expect(result.phase === 'paid' && result.payment.amount).to.deep.equal(EUR('20.00'));
    expect(run.intent).to.equal(`refund/${invoiceId}`);
    expect((await give()).phase).to.equal('paid');
    expect(paymentsMoved(sandbox)).to.have.length(1);
    expect(guardOf(await give({ intent: 'another' }))).to.deep.equal(['refund', 'not-done']);
  });

  it('in parts gives back no more than all, and the last part is what is left', async () => {
    const { sandbox, give } = await openDesk();
    const results = [
      await give({ intent: 'a', amount: EUR('8.00') }),
      await give({ intent: 'b', amount: EUR('13.00') }),
      await give({ intent: 'c' }),
      await give({ intent: 'd', amount: EUR('0.01') }),
    ];
    expect(results.map(({ phase }) => phase)).to.deep.equal(['paid', 'refused', 'paid', 'refused']);
    expect(sumOf(results)).to.equal(2_000);
    expect(paymentsMoved(sandbox)).to.have.length(2);
  });

  it('in parts by two processes at once gives back no more than all', async () => {
    const { sandbox, start } = await openDesk();
    const other = createClient(sandbox.clientOptions);
    const runs = ['a', 'b', 'c', 'd', 'e'].map((intent, index) =>
      start(
        { intent, amount: EUR('9.00') },
        index % 2 ? other : createClient(sandbox.clientOptions),
      ),
    );
    const results = await sandbox.run(Promise.all(runs.map(({ result }) => result)));
    expect(sumOf(results)).to.equal(1_800);
    expect(paymentsMoved(sandbox)).to.have.length(2);
  });

  it('that was not made leaves room for another one, as soon as no late copy can make it', async () => {
    const { sandbox, give, journal, invoiceId } = await openDesk();
    const end = sandbox.fault({ ...EXECUTE, action: { status: 422, code: 'BALANCE_TOO_LOW' } });
    expect((await give({ intent: 'a' })).phase).to.equal('refused');
    end();
    // a late copy of its request may still pay it
    expect(guardOf(await give({ intent: 'early' }))).to.deep.equal(['refund', 'not-done']);
    await sandbox.advance(70_000);
    expect(await heldOf(journal, invoiceId)).to.deep.equal(['a round 1: 20.00']);
    expect((await give({ intent: 'b' })).phase).to.equal('paid');
    expect(guardOf(await give({ intent: 'a2' }))).to.deep.equal(['refund', 'not-done']);
    expect(paymentsMoved(sandbox)).to.have.length(1);
  });

  it('that has failed leaves room for another one once its quote has ended', async () => {
    const { sandbox, give } = await openDesk();
    sandbox.fault({ subject: 'payment', state: 'FAILED', delay: 2_000, nth: 1 });
    expect((await give({ intent: 'a' })).phase).to.equal('failed');
    // a late copy of the request might execute the quote once more
    expect(guardOf(await give({ intent: 'b' }))).to.deep.equal(['refund', 'not-done']);
    await sandbox.advance(600_000);
    const again = await give({ intent: 'c' });
    expect(again.phase).to.equal('paid');
    expect(guardOf(await give({ intent: 'd' }))).to.deep.equal(['refund', 'not-done']);
    expect(paymentsMoved(sandbox)).to.have.length(1);
  });

  it('that has failed on the chain keeps its part: its transaction may still be confirmed', async () => {
    const { sandbox, start, give } = await openDesk();
    sandbox.fault({ subject: 'payment', state: 'FAILED', delay: 1_000, nth: 1 });
    const run = start({
      intent: 'a',
      to: sandbox.payer.createAddress(),
      onchainTierId: 'tier_fast',
      sourceCurrency: 'EUR',
    });
    const failed = await sandbox.run(run.result);
    expect(failed.phase === 'failed' && failed.payment.onchain?.txnId).to.be.a('string');
    await sandbox.advance(600_000);
    expect(guardOf(await give({ intent: 'b' }))).to.deep.equal(['refund', 'not-done']);
    expect(paymentsMoved(sandbox)).to.have.length(0);
  });

  it('that has failed on the chain without a transaction leaves room for another one', async () => {
    const { sandbox, start, give } = await openDesk();
    sandbox.fault({ subject: 'payment', state: 'FAILED', delay: 1_000, nth: 1 });
    const { fetch, ...others } = sandbox.clientOptions;
    const unnamed = createClient({
      ...others,
      fetch: async (url, init) => {
        const answer = await fetch(url, init);
        if (!String(url).includes('/v1/payments/')) return answer;
        return altered(answer, (one: object) => ({ ...one, onchain: { txnId: '' } }));
      },
    });
    const to = sandbox.payer.createAddress();
    const run = start({ intent: 'a', to, onchainTierId: 'tier_fast' }, unnamed);
    expect((await sandbox.run(run.result)).phase).to.equal('failed');
    await sandbox.advance(600_000);
    expect((await give({ intent: 'b' })).phase).to.equal('paid');
  });

  it('that another process goes on with is still a refund: it holds its part of what came in', async () => {
    const { sandbox, start, give, journal } = await openDesk();
    const deaf = createClient({ ...sandbox.clientOptions, fetch: () => new Promise(() => {}) });
    const dying = start({ intent: 'a' }, deaf);
    void dying.result.catch(() => {});
    await sandbox.advance(1_000);
    const next = createClient(sandbox.clientOptions);
    const [run, ...others] = await sandbox.run(resume(next, { journal }));
    const result = await sandbox.run(run!.result);
    expect([run!.intent, result.phase, others.length]).to.deep.equal(['a', 'paid', 0]);
    expect(result.phase === 'paid' && result.payment.amount).to.deep.equal(EUR('20.00'));
    expect(guardOf(await give({ intent: 'b' }))).to.deep.equal(['refund', 'not-done']);
    expect(paymentsMoved(sandbox)).to.have.length(1);
  });

  it('that was held back before it was sent leaves room at once', async () => {
    const { give, journal, invoiceId } = await openDesk();
    expect(guardOf(await give({ intent: 'a', maxTotal: EUR('1.00') }))[0]).to.equal('total');
    expect(await heldOf(journal, invoiceId)).to.deep.equal([]);
    expect((await give({ intent: 'b' })).phase).to.equal('paid');
  });

  it('whose row is gone keeps its part: nobody knows that it was not paid', async () => {
    const { sandbox, give, journal, invoiceId } = await openDesk();
    const held = [{ intent: 'gone', round: 1, amount: '15.00' }];
    await journal.compareAndSet(`pay-refund/invoice/${invoiceId}`, 0, { spent: '0', held });
    const refused = await give({ intent: 'b', amount: EUR('5.01') });
    expect(guardOf(refused)).to.deep.equal(['refund', 'not-done']);
    expect((await give({ intent: 'c' })).phase).to.equal('paid');
    expect(paymentsMoved(sandbox)).to.have.length(1);
    expect(await heldOf(journal, invoiceId)).to.deep.equal([
      'gone round 1: 15.00',
      'c round 1: 5.00',
    ]);
  });

  it('in doubt keeps its part for itself until it shows that nothing was given back', async () => {
    const { sandbox, start, give } = await openDesk();
    const end = sandbox.fault({ ...EXECUTE, action: 'lost-before' });
    const first = start({ intent: 'a', amount: EUR('15.00') });
    await sandbox.advance(300_000);
    expect(first.current().phase).to.equal('unconfirmed');
    const second = start({ intent: 'b', amount: EUR('6.00') });
    expect(guardOf(await sandbox.run(second.result))).to.deep.equal(['refund', 'not-done']);
    expect(guardOf(await sandbox.run(first.result))).to.deep.equal([undefined, 'not-done']);
    end();
    expect((await give({ intent: 'c', amount: EUR('20.00') })).phase).to.equal('paid');
    expect(paymentsMoved(sandbox)).to.have.length(1);
  });

  it('that is unknown keeps its part for itself until a person has looked', async () => {
    const { sandbox, client, start, give } = await openDesk();
    // another payment of the same amount
    const draft = { lnAddressOrUrl: ADA.to, sourceCurrency: 'EUR', amount: EUR('15.00') };
    const { paymentQuoteId } = await sandbox.run(client.paymentQuotes.createLnurl(draft));
    await sandbox.run(client.paymentQuotes.execute(paymentQuoteId));
    const end = sandbox.fault({ ...EXECUTE, action: 'lost-before' });
    const result = await give({ intent: 'a', amount: EUR('15.00') });
    expect(result.phase === 'unknown' && result.candidates).to.deep.equal(paymentsMoved(sandbox));
    end();
    expect(guardOf(await give({ intent: 'b', amount: EUR('6.00') }))).to.deep.equal([
      'refund',
      'not-done',
    ]);
    await start({ intent: 'a', amount: EUR('15.00') }).resolve('not-paid');
    await give({ intent: 'a', amount: EUR('15.00') });
    await sandbox.advance(70_000);
    expect((await give({ intent: 'c', amount: EUR('6.00') })).phase).to.equal('paid');
    expect(paymentsMoved(sandbox)).to.have.length(2);
  });

  it('goes on after a restart, with what it had reserved', async () => {
    const { sandbox, start, client, journal } = await openDesk();
    sandbox.fault({ ...EXECUTE, nth: 1, action: 'lost-after' });
    const run = start();
    await sandbox.advance(500);
    run.detach();
    const [open] = await sandbox.run(resume(client, { journal }));
    expect((await sandbox.run(open!.result)).phase).to.equal('paid');
    expect(paymentsMoved(sandbox)).to.have.length(1);
  });

  it('keeps its part through a retry, while the process that ended its first round is slow to give it back', async () => {
    const { sandbox, start, give, journal, invoiceId } = await openDesk();
    let waits = 0;
    const slow: Store = {
      ...journal,
      async get(key) {
        const row = (await journal.get('pay/x'))?.value as MoveRow | undefined;
        const isReleasing = key.startsWith('pay-refund/') && row?.facts.at(-1)?.is === 'over';
        if (isReleasing) await sandbox.clock.wait(60_000);
        if (isReleasing) waits++;
        return journal.get(key);
      },
    };
    // the way to the journal takes time of this clock
    const clock = { ...sandbox.clock, external: <T>(work: Promise<T>) => work };
    const client = createClient({ ...sandbox.clientOptions, clock });
    const first = start({ intent: 'x', maxTotal: EUR('1.00'), journal: slow }, client);
    await sandbox.advance(1_000);
    const other = createClient(sandbox.clientOptions);
    const second = start({ intent: 'x' }, other);
    expect((await sandbox.run(second.result)).phase).to.equal('refused');
    expect((await sandbox.run(second.retry().result)).phase).to.equal('paid');
    expect((await sandbox.run(first.result)).phase).to.equal('refused');
    expect(waits).to.be.greaterThan(0);
    expect(guardOf(await give({ intent: 'y' }))).to.deep.equal(['refund', 'not-done']);
    expect(paymentsMoved(sandbox)).to.have.length(1);
    expect(await heldOf(journal, invoiceId)).to.deep.equal(['x round 2: 20.00']);
  });

  for (const intent of ['__proto__', 'constructor', 'toString', 'held'])
    it(`of the name ${intent} is given back once, as any other`, async () => {
      const { sandbox, give } = await openDesk();
      expect((await give({ intent })).phase).to.equal('paid');
      for (const next of ['b', `${intent} 2`, 'constructor.name'])
        expect(guardOf(await give({ intent: next }))).to.deep.equal(['refund', 'not-done']);
      expect(paymentsMoved(sandbox)).to.have.length(1);
    });

  it('of a text that names its own amount is compared with what came in', async () => {
    const { sandbox, give } = await openDesk();
    const small = sandbox.payer.createBolt11({ sat: '2100' });
    const big = sandbox.payer.createBolt11({ sat: '210000' });
    expect(guardOf(await give({ to: big, intent: 'big' }))).to.deep.equal(['refund', 'not-done']);
    expect((await give({ to: small, intent: 'small' })).phase).to.equal('paid');
    expect(guardOf(await give({ to: small, intent: 'usd', sourceCurrency: 'USD' }))[0]).to.match(
      /refund|known-text/,
    );
    expect(paymentsMoved(sandbox)).to.have.length(1);
  });

  it('is refused where nothing came in, or it is of another currency', async () => {
    const unpaid = await openDesk(false);
    expect(guardOf(await unpaid.give())).to.deep.equal(['refund', 'not-done']);
    const { give, sandbox, invoiceId } = await openDesk();
    const amount = { amount: '1.00', currency: 'USD' };
    expect(guardOf(await give({ amount }))).to.deep.equal(['refund', 'not-done']);
    sandbox.payer.reverse(invoiceId);
    expect(guardOf(await give({ intent: 'later' }))).to.deep.equal(['refund', 'not-done']);
    expect(paymentsMoved(sandbox)).to.deep.equal([]);
  });

  it('of a receive gives back what was credited', async () => {
    const { sandbox, client, give } = await openDesk();
    const { bolt11, receiveRequestId } = await sandbox.run(
      client.receiveRequests.create({ bolt11: { amount: EUR('7.00') }, targetCurrency: 'EUR' }),
    );
    await sandbox.run(sandbox.payer.pay(bolt11!.invoice));
    const [receive] = await sandbox.run(
      client.receiveRequests.listReceives(receiveRequestId).toArray({ limit: 1 }),
    );
    const result = await give({ invoiceId: undefined, receiveId: receive!.receiveId });
    expect(result.phase === 'paid' && result.payment.amount).to.deep.equal(receive!.amountCredited);
  });

  it('names one thing that came in', async () => {
    const { start } = await openDesk();
    expect(() => start({ invoiceId: undefined })).to.throw(/^invoiceId: /);
    expect(() => start({ receiveId: 'both' })).to.throw(/^invoiceId: /);
  });
});

describe('a refund whose journal was lost', () => {
  for (const rail of ['address', 'text'] as const)
    it(`is met under the first key of its receipt, and none is made beside it: ${rail}`, async () => {
      const desk = await openDesk();
      const { sandbox, client, invoiceId } = desk;
      const of = (intent: string, cents: string, journal: Store) => {
        const to = rail === 'address' ? ADA.to : sandbox.payer.createBolt11({ sat: '5000' });
        const amount = rail === 'address' ? EUR(cents) : undefined;
        return refund(client, { ...ADA, invoiceId, to, amount, intent, journal });
      };
      const first = await sandbox.run(of('a', '5.00', desk.journal).result);
      expect(first.phase).to.equal('paid');
      const journal = memoryStore();
      // another one comes first, and is given the first key
      const other = of('b', '3.00', journal);
      const met = await sandbox.run(other.result);
      expect(met.phase).to.equal('unknown');
      const same = await sandbox.run(of('a', '5.00', journal).result);
      expect(guardOf(same)).to.deep.equal(['refund', 'not-done']);
      expect(paymentsMoved(sandbox)).to.have.length(1);
      // a person knows that it is not this one
      await sandbox.run(other.resolve('not-paid'));
      expect((await sandbox.run(of('c', '2.00', journal).result)).phase).to.equal('paid');
      expect(paymentsMoved(sandbox)).to.have.length(2);
    });

  it('waits for another one that has not heard yet what was given back before', async () => {
    const desk = await openDesk();
    const { sandbox, client, invoiceId } = desk;
    const of = (intent: string, journal: Store) =>
      refund(client, { ...ADA, invoiceId, amount: EUR('5.00'), intent, journal });
    await sandbox.run(of('a', desk.journal).result);
    const journal = memoryStore();
    const runs = [of('b', journal), of('a', journal)];
    const results = await sandbox.run(Promise.all(runs.map(({ result }) => result)));
    expect(results.map(({ phase }) => phase).sort()).to.deep.equal(['refused', 'unknown']);
    expect(paymentsMoved(sandbox)).to.have.length(1);
  });

  it('is unknown where the earlier one has failed on the chain: its transaction may be confirmed', async () => {
    const desk = await openDesk();
    const { sandbox, invoiceId } = desk;
    sandbox.fault({ subject: 'payment', state: 'FAILED', delay: 1_000, nth: 1 });
    const to = sandbox.payer.createAddress();
    const of = (journal: Store) => {
      const client = createClient(sandbox.clientOptions);
      const order = { ...ADA, to, onchainTierId: 'tier_fast', invoiceId, intent: 'a' };
      return refund(client, { ...order, journal });
    };
    expect((await sandbox.run(of(desk.journal).result)).phase).to.equal('failed');
    sandbox.fault({ ...EXECUTE, nth: 1, action: { status: 422, code: 'PAYMENT_QUOTE_EXPIRED' } });
    const again = await sandbox.run(of(memoryStore()).result);
    expect(again.phase).to.equal('unknown');
    expect(again.phase === 'unknown' && again.candidates).to.have.length(1);
    expect(paymentsMoved(sandbox)).to.have.length(0);
  });
});
