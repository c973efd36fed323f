// Protects: what is done about a payment after its first end: another round, later looks, hints.
import { expect } from 'chai';
import { type Client, createClient, invalidate, watchInvoice } from 'paystate';
import { pay, type PaymentOptions, resume } from 'paystate/flows';
import { createSandbox, type SandboxOptions } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { describe, it, itLong } from '#test';
import { altered, openShop } from '../state/shop.ts';
import { EUR, paymentsMoved } from './pay-lives.ts';

type Wire = (url: string, send: () => Promise<Response>) => Promise<Response>;

const LIMITS = { sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any' } as const;

const openDesk = (wire: Wire = (_url, send) => send(), world: SandboxOptions = {}) => {
  const sandbox = createSandbox({ signed: false, ...world });
  const base = sandbox.clientOptions;
  const client = createClient({
    ...base,
    fetch: (url, init) => wire(String(url), () => base.fetch(url, init)),
  });
  const journal = memoryStore();
  const start = (options: Partial<PaymentOptions>, by: Client = client) =>
    pay(by, { to: '', intent: 'a', ...LIMITS, journal, ...options });
  return { sandbox, client, journal, start };
};

type Desk = ReturnType<typeof openDesk>;

const ADA = { to: 'ada@wallet.example', amount: EUR('20.00') };
const EXECUTE = { method: 'PATCH', path: '/v1/payment-quotes/{paymentQuoteId}/execute' };

/** A payment that does not end by itself, and is read every ten minutes by now. */
const startPending = async ({ sandbox, start }: Pick<Desk, 'sandbox' | 'start'>) => {
  sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: Infinity });
  const run = start(ADA);
  await sandbox.advance(5_400_000);
  const { payment } = run.current() as { readonly payment: { readonly paymentId: string } };
  return { result: run.result, current: run.current, paymentId: payment.paymentId };
};

/** What these tests read of a fact in the journal. */
interface Seen {
  readonly is: string;
  readonly as?: string;
  readonly id?: string;
  readonly state?: string;
}

/** Nothing arrives, and the account cannot be searched. */
const loseAll = ({ sandbox }: Pick<Desk, 'sandbox'>) => [
  sandbox.fault({ ...EXECUTE, action: 'lost-before' }),
  sandbox.fault({ path: '/v1/events', action: { status: 403, code: 'FORBIDDEN' } }),
];

describe('a payment on the chain that has failed', () => {
  itLong(
    'is not begun anew before somebody has named its transaction, which may still be confirmed',
    async () => {
      const { sandbox, start } = openDesk();
      sandbox.fault({ subject: 'payment', state: 'FAILED', delay: 1_000, nth: 1 });
      const run = start({
        to: sandbox.payer.createAddress(),
        amount: EUR('50.00'),
        onchainTierId: 'tier_fast',
      });
      const failed = await sandbox.run(run.result);
      if (failed.phase !== 'failed') throw new Error(failed.phase);
      const { txnId } = failed.payment.onchain!;
      for (const acknowledge of [undefined, 'another']) {
        const held = await sandbox.run(run.retry({ acknowledge }).result);
        if (held.phase !== 'refused') throw new Error(held.phase);
        expect([held.guard, held.error.outcome]).to.deep.equal(['acknowledge', 'unknown']);
        expect(held.error.message).to.include(txnId);
        expect(held.error.next).to.equal('ask-user');
      }
      expect(paymentsMoved(sandbox)).to.deep.equal([]);
      const again = run.retry({ acknowledge: txnId });
      expect((await sandbox.run(again.result)).phase).to.equal('paid');
      expect((await sandbox.run(again.retry().result)).phase).to.equal('paid');
      expect(paymentsMoved(sandbox)).to.have.length(1);
    },
  );

  it('is read again first: the service may have learned that it was paid', async () => {
    let isWrong = true;
    const { sandbox, journal, start } = openDesk(async (url, send) =>
      isWrong && url.includes('/v1/payments/')
        ? altered(await send(), (json: object) => ({ ...json, state: 'FAILED' }))
        : send(),
    );
    sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: 5_000 });
    const run = start(ADA);
    expect((await sandbox.run(run.result)).phase).to.equal('failed');
    isWrong = false;
    await sandbox.advance(10_000);
    expect((await sandbox.run(run.retry().result)).phase).to.equal('paid');
    const { facts } = (await journal.get('pay/a'))!.value as { readonly facts: readonly Seen[] };
    // who reads the journal sees that both cannot be true
    const ends = facts.filter(({ is }) => is === 'over').map((one) => one.as);
    const states = facts.filter(({ is }) => is === 'moved').map(({ id, state }) => [id, state]);
    expect(ends).to.deep.equal(['failed', 'paid']);
    const [paymentId] = paymentsMoved(sandbox);
    expect(states).to.deep.equal([
      [paymentId, 'pending'],
      [paymentId, 'failed'],
      [paymentId, 'completed'],
    ]);
    expect(paymentsMoved(sandbox)).to.have.length(1);
  });
});

describe('a payment that has ended', () => {
  it('says so to who subscribes later, and whatever is done about it', async () => {
    const { sandbox, start } = openDesk();
    const run = start(ADA);
    await sandbox.run(run.result);
    const heard: string[] = [];
    run.subscribe({
      next: ({ phase }) => void heard.push(phase),
      complete: () => void heard.push('complete'),
    });
    run.detach();
    expect(await sandbox.run(run.stop())).to.equal(false);
    expect([heard, run.current().phase, run.status().reason]).to.deep.equal([
      ['paid', 'complete'],
      'paid',
      'paid',
    ]);
  });

  it('is unknown where the preimage is not that of its text', async () => {
    const { sandbox, start } = openDesk(async (url, send) => {
      const isRead = url.endsWith('/execute') || url.includes('/v1/payments/');
      const lightning = { preImage: '00'.repeat(32) };
      return isRead
        ? altered(await send(), (payment: object) => ({ ...payment, lightning }))
        : send();
    });
    const to = sandbox.payer.createBolt11({ sat: '21000' });
    const result = await sandbox.run(start({ to }).result);
    expect(result.phase).to.equal('unknown');
    expect(result.phase === 'unknown' && result.error.message).to.contain('preimage');
  });
});

describe('a payment that is unknown', () => {
  it('is looked for again as long as somebody listens, and then not any more', async () => {
    let isAway = false;
    const { sandbox, start } = openDesk(async (url, send) => {
      if (isAway) throw new TypeError('lost');
      isAway = url.endsWith('/execute');
      const answer = await send();
      return isAway ? Promise.reject(new TypeError('lost')) : answer;
    });
    const run = start({ to: sandbox.payer.createBolt11({ sat: '21000' }) });
    const phases: string[] = [];
    const stop = run.subscribe(({ phase }) => void phases.push(phase));
    expect((await sandbox.run(run.result)).phase).to.equal('unknown');
    isAway = false;
    await sandbox.advance(605_000);
    expect(phases.at(-1)).to.equal('paid');
    expect(paymentsMoved(sandbox)).to.have.length(1);
    stop();
    const other = openDesk();
    loseAll(other);
    const lonely = other.start(ADA);
    const leave = lonely.subscribe(() => {});
    expect((await other.sandbox.run(lonely.result)).phase).to.equal('unknown');
    leave();
    const before = other.sandbox.log.length;
    await other.sandbox.advance(48 * 3_600_000);
    expect(other.sandbox.log.length).to.equal(before);
  });

  it('is not begun anew by itself once a caller was told so, only found out', async () => {
    const { sandbox, client, journal, start } = openDesk();
    const ends = loseAll({ sandbox });
    const run = start(ADA);
    const phases: string[] = [];
    run.subscribe({
      next: ({ phase }) => void phases.push(phase),
      complete: () => void phases.push('complete'),
    });
    expect((await sandbox.run(run.result)).phase).to.equal('unknown');
    for (const end of ends) end();
    await sandbox.advance(86_400_000);
    expect([phases.slice(-2), paymentsMoved(sandbox)]).to.deep.equal([['unknown', 'complete'], []]);
    expect(run.status().reason).to.equal('unknown');
    // the search has shown that nothing was moved: who calls again is told so, and may retry
    const again = start(ADA);
    const found = await sandbox.run(again.result);
    expect(found.phase === 'refused' && found.error.outcome).to.equal('not-done');
    expect((await sandbox.run(again.retry().result)).phase).to.equal('paid');
    expect(await sandbox.run(resume(client, { journal }))).to.have.length(1);
    expect(paymentsMoved(sandbox)).to.have.length(1);
  });

  it('leaves no timer behind once nobody listens any more', async () => {
    const { sandbox, client, timers } = openShop();
    loseAll({ sandbox });
    const options = { intent: 'a', sourceCurrency: 'EUR', maxFee: 'any' } as const;
    const run = pay(client, { ...ADA, ...options, journal: memoryStore() });
    const leave = run.subscribe(() => {});
    expect((await sandbox.run(run.result)).phase).to.equal('unknown');
    await sandbox.advance(0);
    expect(timers()).to.equal(1); // until it is looked for again
    leave();
    await sandbox.advance(0);
    expect(timers()).to.equal(0);
  });

  it('is found out by who takes it up with the scope that was missing', async () => {
    for (const [isText, action, isStillLost, phase, count] of [
      [true, 'lost-after', true, 'paid', 1],
      [true, 'lost-before', true, 'refused', 0],
      [false, 'lost-before', true, 'refused', 0],
      [false, 'lost-before', false, 'refused', 0],
      [false, 'lost-after', false, 'paid', 1], // its quote names it twice
      [false, 'lost-after', true, 'unknown', 1],
    ] as const) {
      const { sandbox, client, journal, start } = openDesk();
      const path = '/v1/events';
      const refusal = { status: 403, code: 'FORBIDDEN' };
      const later = Array.from({ length: 30 }, (_, at) => at + 2);
      const ends = [
        sandbox.fault({ path, action: refusal }),
        sandbox.fault({ ...EXECUTE, action: 'lost-before', nth: later }),
        sandbox.fault({ ...EXECUTE, action, nth: 1 }),
      ];
      const to = sandbox.payer.createBolt11({ sat: '21000', expirySeconds: 86_400 });
      const run = start(isText ? { to } : ADA);
      const first = await sandbox.run(run.result);
      expect(first.phase === 'unknown' && first.error.neededScope).to.equal(
        'partner.webhooks.manage',
      );
      for (const end of isStillLost ? ends.slice(0, 1) : ends) end();
      const [open] = await sandbox.run(resume(client, { journal }));
      const result = await sandbox.run(open!.result);
      const moved = paymentsMoved(sandbox);
      const what = `${isText} ${action} ${isStillLost}`;
      expect([what, result.phase, moved.length]).to.deep.equal([what, phase, count]);
      if (result.phase === 'paid') expect([result.payment.paymentId]).to.deep.equal(moved);
      if (result.phase !== 'unknown') continue;
      expect([result.candidates, result.error.neededScope]).to.deep.equal([moved, undefined]);
    }
  });

  it('is not refused by a list of events that no longer goes back so far', async () => {
    const { sandbox, client, journal, start } = openDesk();
    sandbox.fault({ ...EXECUTE, nth: 1, action: 'lost-after' });
    const run = start({ to: sandbox.payer.createBolt11({ sat: '21000' }) });
    await sandbox.advance(500);
    run.detach();
    await sandbox.advance(31 * 86_400_000);
    sandbox.fault({ ...EXECUTE, action: { status: 422, code: 'PAYMENT_QUOTE_EXPIRED' } });
    const [open] = await sandbox.run(resume(client, { journal }));
    expect((await sandbox.run(open!.result)).phase).to.equal('unknown');
  });
});

describe('a payment that is pending', () => {
  it('is read at once where somebody says that it may have changed', async () => {
    const { sandbox, client, start } = openDesk();
    const run = await startPending({ sandbox, start });
    sandbox.move('payment', run.paymentId, 'COMPLETED');
    const before = sandbox.log.length;
    invalidate(client, 'payment', 'another');
    await sandbox.advance(1_000);
    expect(sandbox.log.length).to.equal(before);
    invalidate(client, 'payment', run.paymentId);
    const began = sandbox.clock.monotonic();
    expect((await sandbox.run(run.result)).phase).to.equal('paid');
    expect(sandbox.clock.monotonic() - began).to.be.below(1_000);
  });

  it('is read once more half a minute after word of it: a copy of the data may lag behind', async () => {
    let isBehind = false;
    const { sandbox, client, start } = openDesk(async (url, send) => {
      const answer = await send();
      return isBehind && url.includes('/v1/payments/')
        ? altered(answer, (json: object) => ({ ...json, state: 'PENDING' }))
        : answer;
    });
    const run = await startPending({ sandbox, start });
    const began = sandbox.clock.monotonic();
    isBehind = true;
    sandbox.move('payment', run.paymentId, 'COMPLETED');
    invalidate(client, 'payment', run.paymentId);
    await sandbox.advance(5_000);
    expect(run.current().phase).to.equal('pending');
    isBehind = false;
    expect((await sandbox.run(run.result)).phase).to.equal('paid');
    expect(sandbox.clock.monotonic() - began).to.be.below(31_000);
  });

  it('is read at once where a watch of the same client hears an event of it', async () => {
    // no lists: the event feed is the soonest way to see them all
    const { sandbox, start } = openDesk();
    const client = createClient({ ...sandbox.clientOptions, capabilities: { list: false } });
    const { invoiceId } = await sandbox.run(client.invoices.create({ amount: EUR('1.00') }));
    const run = await startPending({ sandbox, start: (options) => start(options, client) });
    const others = await sandbox.run(
      Promise.all(
        Array.from({ length: 40 }, () => client.invoices.create({ amount: EUR('1.00') })),
      ),
    );
    const stops = [invoiceId, ...others.map((one) => one.invoiceId)].map((id) =>
      watchInvoice(client, id).subscribe(() => {}),
    );
    await sandbox.advance(60_000);
    const began = sandbox.clock.monotonic();
    sandbox.move('payment', run.paymentId, 'COMPLETED');
    expect((await sandbox.run(run.result)).phase).to.equal('paid');
    expect(sandbox.clock.monotonic() - began).to.be.below(60_000); // else within ten minutes
    for (const stop of stops) stop();
  });
});
