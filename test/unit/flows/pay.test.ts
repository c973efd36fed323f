// Protects: what a payment says and does, step by step, and what holds it back.
import { expect } from 'chai';
import { type Client, type ClientOptions, createClient, isPaystateError } from 'paystate';
import {
  createGuards,
  pay,
  type PaymentOptions,
  type PayResult,
  type PayStep,
  resume,
  type Run,
} from 'paystate/flows';
import { isPreimageOf } from 'paystate/lightning';
import { toObservable } from 'paystate/rx';
import { createSandbox, type Sandbox, type SandboxOptions } from 'paystate/sandbox';
import { memoryStore, type Store } from 'paystate/stores';
import { describe, it } from '#test';
import { altered } from '../state/shop.ts';
import { EUR, paymentsMoved } from './pay-lives.ts';

type Wire = (url: string, send: () => Promise<Response>) => Promise<Response>;

/** A request that has left the client. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
}

interface Desk {
  readonly sandbox: Sandbox;
  readonly client: Client;
  readonly journal: Store;
  readonly sent: Sent[];
  /** Pays, and waits for the end. */
  pay(options: Partial<PaymentOptions>): Promise<PayResult>;
  start(options: Partial<PaymentOptions>): Run<PayStep, PayResult>;
}

const LIMITS = { sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any' } as const;

const openDesk = (
  world: SandboxOptions = {},
  wire: Wire = (_url, send) => send(),
  changes: Partial<ClientOptions> = {},
): Desk => {
  const sandbox = createSandbox({ signed: false, ...world });
  const sent: Sent[] = [];
  const base = sandbox.clientOptions;
  const client = createClient({
    ...base,
    ...changes,
    fetch(url, init) {
      const key = new Headers(init?.headers).get('idempotency-key');
      sent.push({ method: init?.method ?? 'GET', path: new URL(String(url)).pathname, key });
      return wire(String(url), () => base.fetch(url, init));
    },
  });
  const journal = memoryStore();
  const start = (options: Partial<PaymentOptions>) =>
    pay(client, { to: '', ...LIMITS, journal, ...options });
  return {
    sandbox,
    client,
    journal,
    sent,
    start,
    pay: (options) => sandbox.run(start(options).result),
  };
};

const bolt11 = ({ sandbox }: Desk, sat = '21000') => sandbox.payer.createBolt11({ sat });
const ADA = { to: 'ada@wallet.example', amount: EUR('20.00') };
const EXECUTE = { method: 'PATCH', path: '/v1/payment-quotes/{paymentQuoteId}/execute' };

const phasesOf = (run: Run<PayStep, PayResult>): string[] => {
  const phases: string[] = [];
  run.subscribe(({ phase }) => void (phases.at(-1) === phase || phases.push(phase)));
  return phases;
};

const executed = ({ sent }: Desk) => sent.filter(({ path }) => path.endsWith('/execute'));
/** Requests for quotes, each of which is made twice to hear its id twice. */
const quoteRequests = ({ sent }: Desk) =>
  sent.filter(
    ({ method, path }) => method === 'POST' && path.startsWith('/v1/payment-quotes/lightning'),
  );
/** Keys of quotes: one for each quote that was requested. */
const quoted = (desk: Desk) => [...new Set(quoteRequests(desk).map(({ key }) => key))];

const inputErrorOf = (call: () => unknown): string => {
  try {
    call();
  } catch (thrown) {
    return (thrown as Error).message;
  }
  return 'nothing was thrown';
};

/** Refuses to list events. */
const NO_SCOPE = {
  status: 403,
  code: 'FORBIDDEN',
  values: { neededScope: 'partner.webhooks.manage' },
};

const refusal = (status: number, code: string) =>
  new Response(JSON.stringify({ data: { status, code, message: 'for developers' } }), { status });

describe('pay', () => {
  it('quotes, executes and proves a BOLT11 payment', async () => {
    const desk = openDesk();
    const run = desk.start({ to: bolt11(desk) });
    const phases = phasesOf(run);
    const result = await desk.sandbox.run(run.result);
    expect(phases).to.deep.equal(['new', 'executing', 'paid']);
    if (result.phase !== 'paid') throw new Error(result.phase);
    expect([result.proof, result.payment.state]).to.deep.equal(['ok', 'COMPLETED']);
    expect(paymentsMoved(desk.sandbox)).to.deep.equal([result.payment.paymentId]);
    expect(isPreimageOf('00', run.intent)).to.equal(false); // the intent is the payment hash
    expect(run.intent).to.match(/^[0-9a-f]{64}$/);
    expect(run.current()).to.deep.equal(result);
    // two answers name one quote, and the payment is proved, so it is executed once
    expect([quoteRequests(desk).length, quoted(desk).length]).to.deep.equal([2, 1]);
    expect(executed(desk)).to.have.length(1);
  });

  it('pays an address on the chain, and waits until it has arrived', async () => {
    const desk = openDesk();
    const run = desk.start({
      to: desk.sandbox.payer.createAddress(),
      amount: EUR('50.00'),
      intent: 'rent',
      onchainTierId: 'tier_fast',
    });
    const phases = phasesOf(run);
    expect((await desk.sandbox.run(run.result)).phase).to.equal('paid');
    expect(phases.slice(0, 3)).to.deep.equal(['new', 'executing', 'pending']);
  });

  it('reads its proof where the response had none', async () => {
    const bare = (json: object) => ({ ...json, lightning: undefined });
    const desk = openDesk({}, async (url, send) =>
      url.endsWith('/execute') ? altered(await send(), bare) : send(),
    );
    const result = await desk.pay({ to: bolt11(desk) });
    expect(result.phase === 'paid' && result.proof).to.equal('ok');
  });

  it('works where the clock of the machine is wrong', async () => {
    for (const clockSkew of [-7_200_000, 7_200_000]) {
      const desk = openDesk();
      const client = createClient(desk.sandbox.clientOptionsFor({ clockSkew }));
      const { journal } = desk;
      const options = { to: bolt11(desk), ...LIMITS, journal } as const;
      expect((await desk.sandbox.run(pay(client, options).result)).phase).to.equal('paid');
    }
  });

  it('is refused, with nothing done, where no quote comes or no credential', async () => {
    const desk = openDesk();
    desk.sandbox.fault({ method: 'POST', action: 'lost-after' });
    const lost = await desk.pay({ ...ADA, intent: 'a' });
    expect(lost.phase === 'refused' && lost.error.outcome).to.equal('not-done');
    expect(quoted(desk)).to.have.length(1);
    expect(executed(desk)).to.deep.equal([]);
    const other = openDesk();
    const { apiKey, ...base } = other.sandbox.clientOptions;
    let calls = 0;
    const token = () => (calls++ === 0 ? apiKey! : Promise.reject(new Error('no token')));
    const client = createClient({ ...base, token });
    const options = {
      ...ADA,
      intent: 'a',
      sourceCurrency: 'EUR',
      maxFee: 'any',
      journal: other.journal,
    } as const;
    const result = await other.sandbox.run(pay(client, options).result);
    expect(result.phase === 'refused' && result.error.outcome).to.equal('not-done');
    expect(paymentsMoved(other.sandbox)).to.deep.equal([]);
  });

  it('is an Observable by toObservable, and subscribing sends nothing more', async () => {
    const desk = openDesk();
    const run = desk.start({ to: bolt11(desk) });
    const seen: string[] = [];
    let isComplete = false;
    for (const list of [seen, []])
      toObservable(run).subscribe({
        next: ({ phase }) => void list.push(phase),
        complete: () => void (isComplete = true),
      });
    await desk.sandbox.run(run.result);
    expect([seen.at(-1), isComplete, executed(desk).length]).to.deep.equal(['paid', true, 1]);
  });

  it('joins what the same intent has begun, in this process and in another', async () => {
    const desk = openDesk();
    const options = { ...ADA, intent: 'gift' };
    const [first, second] = [desk.start(options), desk.start(options)];
    const other = pay(createClient(desk.sandbox.clientOptions), {
      ...options,
      sourceCurrency: 'EUR',
      maxFee: 'any',
      journal: desk.journal,
    });
    const results = await desk.sandbox.run(
      Promise.all([first.result, second.result, other.result]),
    );
    expect(results.map(({ phase }) => phase)).to.deep.equal(['paid', 'paid', 'paid']);
    expect((await desk.pay(options)).phase).to.equal('paid');
    expect(paymentsMoved(desk.sandbox)).to.have.length(1);
  });

  it('refuses another order under the same intent', async () => {
    const desk = openDesk();
    await desk.pay({ ...ADA, intent: 'gift' });
    const again = await desk.pay({ ...ADA, amount: EUR('30.00'), intent: 'gift' });
    if (again.phase !== 'refused') throw new Error(again.phase);
    expect(again.error.message).to.match(/belongs to another payment/);
    const { kind, code, outcome, next } = again.error;
    expect([kind, code, outcome, next]).to.deep.equal([
      'input',
      'INPUT_INVALID',
      'not-done',
      'fix-input',
    ]);
    expect((await desk.pay({ ...ADA, amount: EUR('20'), intent: 'gift' })).phase).to.equal('paid');
    expect(paymentsMoved(desk.sandbox)).to.have.length(1);
  });

  it('throws for what cannot be right, before anything is sent', () => {
    const desk = openDesk();
    const cases: readonly (readonly [Partial<PaymentOptions>, RegExp])[] = [
      [{ to: 'nonsense' }, /^to: /],
      [ADA, /^intent: /],
      [{ to: 'ada@wallet.example', intent: 'a' }, /^amount: is required/],
      [{ to: bolt11(desk), amount: EUR('1.00') }, /^amount: must be in BTC/],
      [
        { to: desk.sandbox.payer.createAddress(), amount: EUR('9.00'), intent: 'a' },
        /^onchainTierId: /,
      ],
      [{ to: bolt11(desk), maxFee: undefined as never }, /^maxFee: /],
      [
        { to: bolt11(desk), maxFee: { amount: '1.00', currency: 'USD' } },
        /^maxFee: must be in EUR/,
      ],
      [{ to: bolt11(desk), maxFee: { percent: 'all' } }, /^maxFee: must be a percentage/],
      [{ to: bolt11(desk), sourceCurrency: undefined as never }, /^sourceCurrency: /],
      [{ to: bolt11(desk), journal: undefined as never }, /^journal: is required/],
    ];
    for (const [options, message] of cases)
      expect(inputErrorOf(() => desk.start(options))).to.match(message);
    expect(desk.sent).to.deep.equal([]);
  });

  it('refuses a journal that forgets, except beside a sandbox', async () => {
    const desk = openDesk({}, undefined, { baseUrl: 'https://service.example' });
    expect(inputErrorOf(() => desk.start({ to: bolt11(desk) }))).to.match(
      /^journal: must be durable/,
    );
    const thrown = await resume(desk.client, { journal: desk.journal }).catch((reason) => reason);
    expect((thrown as Error).message).to.match(/^journal: must be durable/);
  });
});

describe('the guards of a payment', () => {
  const guardOf = (result: PayResult) =>
    result.phase === 'refused' ? [result.guard, result.error.outcome] : result.phase;

  it('hold back a fee, a total, and amounts that do not add up', async () => {
    const changes: readonly (readonly [
      string,
      Partial<PaymentOptions>,
      (quote: Quote) => object,
    ])[] = [
      ['fee', { maxFee: EUR('0.02') }, (quote) => quote],
      ['fee', { maxFee: { percent: '0.1' } }, (quote) => quote],
      [
        'fee',
        { maxFee: EUR('5.00') },
        (quote) => ({ ...quote, totalFee: { amount: '0.00001', currency: 'BTC' } }),
      ],
      ['fee', { maxFee: EUR('0.02') }, (quote) => ({ ...quote, totalFee: undefined })],
      [
        'fee',
        { maxFee: EUR('5.00') },
        (quote) => ({ ...quote, totalFee: undefined, totalAmount: EUR('19.00') }),
      ],
      ['total', { maxTotal: EUR('20.00') }, (quote) => quote],
      ['amounts', {}, (quote) => ({ ...quote, totalAmount: EUR('25.00') })],
      ['amount', {}, (quote) => ({ ...quote, amount: EUR('19.00'), totalAmount: EUR('19.03') })],
      ['quote-end', {}, (quote) => ({ ...quote, validUntil: '2026-01-05T09:00:04Z' })],
    ];
    for (const [guard, options, change] of changes) {
      const desk = openDesk({}, async (url, send) =>
        url.endsWith('/lnurl') ? altered(await send(), change) : send(),
      );
      expect(guardOf(await desk.pay({ ...ADA, intent: 'a', ...options })), guard).to.deep.equal([
        guard,
        'not-done',
      ]);
      expect(executed(desk)).to.deep.equal([]);
      expect(paymentsMoved(desk.sandbox)).to.deep.equal([]);
    }
  });

  it('compare what an address is to get with what it takes', async () => {
    const BTC = (amount: string) => ({ amount, currency: 'BTC' });
    const cases: readonly (readonly [Partial<PaymentOptions>, object])[] = [
      [{ amount: BTC('0.00020000'), sourceCurrency: 'BTC' }, { minSendable: 20_001_000 }],
      [{ amount: BTC('0.00020000'), sourceCurrency: 'BTC' }, { maxSendable: 19_999_000 }],
      [{}, { maxSendable: 1_000_000 }],
      [{ description: 'thanks' }, { commentAllowed: 5 }],
    ];
    for (const [options, change] of cases) {
      const desk = openDesk({}, async (url, send) =>
        url.endsWith('wallet.example')
          ? altered(await send(), (json: object) => ({ ...json, ...change }))
          : send(),
      );
      desk.sandbox.fund('shop', BTC('1'));
      const result = await desk.pay({ ...ADA, intent: 'a', ...options });
      expect(guardOf(result), JSON.stringify(change)).to.deep.equal(['range', 'not-done']);
      expect(executed(desk)).to.deep.equal([]);
    }
  });

  it('compare the rate with the ticker where amounts are of two currencies', async () => {
    const twice = (quote: Quote) => ({
      ...quote,
      amount: EUR('23.20'),
      totalFee: EUR('0.03'),
      totalAmount: EUR('23.23'),
    });
    const desk = openDesk({}, async (url, send) =>
      url.endsWith('/lightning') ? altered(await send(), twice) : send(),
    );
    expect(guardOf(await desk.pay({ to: bolt11(desk) }))).to.deep.equal(['rate', 'not-done']);
    const loose = await desk.pay({ to: bolt11(desk), maxRateSlip: 'any' });
    expect(loose.phase).to.equal('paid');
    const noRates = openDesk({}, async (url, send) =>
      url.endsWith('/ticker') ? altered(await send(), () => []) : send(),
    );
    expect(guardOf(await noRates.pay({ to: bolt11(noRates) }))).to.deep.equal(['rate', 'not-done']);
  });

  it('hold back what is expired, of another network, or paid under another intent', async () => {
    const desk = openDesk({}, undefined, { network: 'testnet' });
    const old = desk.sandbox.payer.createBolt11({ sat: '2100', expirySeconds: 60 });
    await desk.sandbox.advance(61_000);
    expect(guardOf(await desk.pay({ to: old }))).to.deep.equal(['expired', 'not-done']);
    const other = desk.sandbox.payer.createBolt11({ sat: '2100', network: 'mainnet' });
    expect(guardOf(await desk.pay({ to: other }))).to.deep.equal(['network', 'not-done']);
    const to = bolt11(desk);
    await desk.pay({ to, intent: 'first' });
    expect(guardOf(await desk.pay({ to, intent: 'second' }))).to.deep.equal([
      'known-text',
      'not-done',
    ]);
    expect(paymentsMoved(desk.sandbox)).to.have.length(1);
  });

  it('tell an invoice of the account itself, and one that is paid', async () => {
    const desk = openDesk();
    const { invoiceId } = await desk.sandbox.run(
      desk.client.invoices.create({ amount: EUR('5.00') }),
    );
    const { lnInvoice } = await desk.sandbox.run(desk.client.invoices.quote(invoiceId));
    expect(guardOf(await desk.pay({ to: lnInvoice }))).to.deep.equal(['own-invoice', 'not-done']);
    const to = bolt11(desk);
    await desk.pay({ to });
    const elsewhere = await desk.pay({ to, intent: 'other', journal: memoryStore() });
    expect(guardOf(elsewhere)).to.deep.equal(['already-paid', 'unknown']); // by whom is not known
  });

  it('keep a day within its limit, and give back what was not paid', async () => {
    const desk = openDesk();
    await createGuards({ journal: desk.journal, maxPerDay: EUR('45.00') });
    const one = (intent: string) => desk.pay({ ...ADA, intent });
    expect((await one('a')).phase).to.equal('paid');
    const end = desk.sandbox.fault({
      ...EXECUTE,
      action: { status: 422, code: 'BALANCE_TOO_LOW' },
    });
    expect((await one('b')).phase).to.equal('refused');
    end();
    // a late copy of its request may still pay it
    expect(guardOf(await one('early'))).to.deep.equal(['per-day', 'not-done']);
    await desk.sandbox.advance(120_000);
    expect((await one('c')).phase).to.equal('paid');
    expect(guardOf(await one('d'))).to.deep.equal(['per-day', 'not-done']);
    await desk.sandbox.advance(24 * 3_600_000);
    expect((await one('e')).phase).to.equal('paid');
  });

  it('count one intent once a day, however many quotes it takes', async () => {
    const desk = openDesk();
    desk.sandbox.fault({
      ...EXECUTE,
      nth: 1,
      action: { status: 422, code: 'PAYMENT_QUOTE_EXPIRED' },
    });
    await createGuards({ journal: desk.journal, maxPerDay: EUR('25.00') });
    expect((await desk.pay({ ...ADA, intent: 'a' })).phase).to.equal('paid');
    expect(quoted(desk)).to.have.length(2);
  });
});

type Quote = Readonly<Record<string, { amount: string; currency: string }>>;

describe('a payment in doubt', () => {
  it('repeats the same quote and never asks for another', async () => {
    const desk = openDesk();
    desk.sandbox.fault({ ...EXECUTE, nth: [1, 2], action: 'lost-after' });
    const run = desk.start({ ...ADA, intent: 'a' });
    const phases = phasesOf(run);
    expect((await desk.sandbox.run(run.result)).phase).to.equal('paid');
    expect(phases).to.deep.equal(['new', 'executing', 'unconfirmed', 'pending', 'paid']);
    expect([quoted(desk).length, executed(desk).length]).to.deep.equal([1, 4]);
    expect(paymentsMoved(desk.sandbox)).to.have.length(1);
  });

  it('is unknown, never failed, where its account cannot be searched, and says what to do', async () => {
    const desk = openDesk();
    desk.sandbox.fault({ ...EXECUTE, action: 'lost-before' });
    desk.sandbox.fault({ path: '/v1/events', action: NO_SCOPE });
    const result = await desk.pay({ ...ADA, intent: 'a' });
    if (result.phase !== 'unknown') throw new Error(result.phase);
    const { outcome, next, neededScope } = result.error;
    expect([outcome, next, neededScope, result.candidates]).to.deep.equal([
      'unknown',
      'read-first',
      'partner.webhooks.manage',
      [],
    ]);
    expect(quoted(desk)).to.have.length(1);
  });

  it('is not done in the end where no request arrives, its quotes have ended and the account has nothing', async () => {
    for (const options of [{ ...ADA, intent: 'a' }, { intent: 'a' }]) {
      const desk = openDesk();
      desk.sandbox.fault({ ...EXECUTE, action: 'lost-before' });
      const startedAt = desk.sandbox.clock.now();
      const result = await desk.pay({ to: bolt11(desk), ...options });
      if (result.phase !== 'refused') throw new Error(result.phase);
      const { outcome, code } = result.error;
      expect([outcome, code]).to.deep.equal(['not-done', 'PAYMENT_QUOTE_EXPIRED']);
      expect(quoted(desk)).to.have.length(2); // none is begun after ten minutes
      expect(paymentsMoved(desk.sandbox)).to.deep.equal([]);
      // lists show everything only five minutes after the end of each quote
      expect(desk.sandbox.clock.now() - startedAt).to.be.above(2 * 300_000);
    }
  });

  it('is paid by another quote once its first has ended and the account has nothing', async () => {
    for (const options of [{ ...ADA, intent: 'a' }, { intent: 'a' }]) {
      const desk = openDesk();
      const to = desk.sandbox.clock.now() + 100_000;
      desk.sandbox.fault({ ...EXECUTE, to, action: 'lost-before' });
      expect((await desk.pay({ to: bolt11(desk), ...options })).phase).to.equal('paid');
      expect([quoted(desk).length, paymentsMoved(desk.sandbox).length]).to.deep.equal([2, 1]);
    }
  });

  it('is paid once where something else took its requests, and they arrived or not', async () => {
    const portal = () => new Response('<h1>hotel</h1>', { status: 200 });
    for (const isPassedOn of [true, false])
      for (const options of [{ ...ADA, intent: 'a' }, { intent: 'a' }]) {
        const desk: Desk = openDesk({}, async (url, send) => {
          if (!url.endsWith('/execute') || desk.sandbox.clock.monotonic() > 60_000) return send();
          if (isPassedOn) await send();
          return portal();
        });
        expect((await desk.pay({ to: bolt11(desk), ...options })).phase).to.equal('paid');
        expect(paymentsMoved(desk.sandbox)).to.have.length(1);
      }
  });

  it('stays unknown where not all could be read', async () => {
    for (const options of [{ ...ADA, intent: 'a' }, { intent: 'a' }]) {
      const desk = openDesk({}, async (url, send) => {
        if (url.endsWith('/execute')) throw new TypeError('lost');
        if (url.includes('/v1/events')) return refusal(503, 'SERVICE_UNAVAILABLE');
        return send();
      });
      expect((await desk.pay({ to: bolt11(desk), ...options })).phase).to.equal('unknown');
      expect([quoted(desk).length, paymentsMoved(desk.sandbox).length]).to.deep.equal([1, 0]);
    }
  });

  it('goes on where the service says that it is under way', async () => {
    let count = 0;
    const desk = openDesk({}, async (url, send) => {
      if (!url.endsWith('/execute') || ++count > 2) return send();
      await send();
      return refusal(
        count === 1 ? 422 : 409,
        count === 1 ? 'PROCESSING_PAYMENT' : 'PROCESSING_CONFLICT',
      );
    });
    expect((await desk.pay({ ...ADA, intent: 'a' })).phase).to.equal('paid');
    expect(paymentsMoved(desk.sandbox)).to.have.length(1);
  });

  it('is found by its proof where every answer was lost', async () => {
    const desk = openDesk();
    desk.sandbox.fault({ ...EXECUTE, action: 'lost-after' });
    expect((await desk.pay({ to: bolt11(desk) })).phase).to.equal('paid');
    expect(paymentsMoved(desk.sandbox)).to.have.length(1);
  });

  it("is not taken for a stranger's payment of the same amount", async () => {
    const desk = openDesk({}, async (url, send) => {
      if (url.endsWith('/execute')) throw new TypeError('lost');
      return send();
    });
    const run = desk.start({ ...ADA, intent: 'a' });
    await desk.sandbox.advance(2_000);
    const { paymentQuotes } = createClient(desk.sandbox.clientOptions);
    const draft = {
      lnAddressOrUrl: 'ben@wallet.example',
      sourceCurrency: 'EUR',
      amount: EUR('20.00'),
    };
    const { paymentQuoteId } = await desk.sandbox.run(paymentQuotes.createLnurl(draft));
    const { paymentId } = await desk.sandbox.run(paymentQuotes.execute(paymentQuoteId));
    const result = await desk.sandbox.run(run.result);
    expect(result.phase === 'unknown' && result.candidates).to.deep.equal([paymentId]);
  });

  it('is not ended by a clean refusal beside a try that may have been done', async () => {
    let count = 0;
    const desk = openDesk({}, async (url, send) => {
      if (!url.endsWith('/execute') || ++count > 2) return send();
      if (count === 2) return refusal(422, 'BALANCE_TOO_LOW');
      await send();
      throw new TypeError('lost');
    });
    expect((await desk.pay({ ...ADA, intent: 'a' })).phase).to.equal('paid');
    expect(paymentsMoved(desk.sandbox)).to.have.length(1);
  });

  it('does not take the payment of another intent for its own, nor one of other terms', async () => {
    for (const amount of ['20.00', '30.00']) {
      let other: string | undefined;
      let isMixedUp = false;
      const desk = openDesk({}, async (url, send) => {
        const answer = await send();
        if (!url.endsWith('/execute') || isMixedUp) return answer;
        if (other) isMixedUp = true;
        other ??= await answer.clone().text();
        return new Response(other, { status: 200 });
      });
      const first = await desk.pay({ ...ADA, amount: EUR(amount), intent: 'a' });
      const second = await desk.pay({ ...ADA, intent: 'b' });
      if (first.phase !== 'paid' || second.phase !== 'paid') throw new Error(second.phase);
      expect(isMixedUp).to.equal(true);
      expect(second.payment.paymentId).to.not.equal(first.payment.paymentId);
      expect(second.payment.totalAmount.amount).to.equal('20.03');
    }
  });

  it('does not take the first payment it hears of for its own where its terms are others', async () => {
    let isMixedUp = false;
    const desk = openDesk({}, async (url, send) => {
      const answer = await send();
      if (!url.endsWith('/execute') || isMixedUp) return answer;
      isMixedUp = true;
      return altered(answer, (json: object) => ({
        ...json,
        paymentId: 'strange',
        totalAmount: EUR('30.03'),
      }));
    });
    const result = await desk.pay({ ...ADA, intent: 'a' });
    expect(result.phase === 'paid' && result.payment.paymentId).to.equal(
      paymentsMoved(desk.sandbox)[0],
    );
  });

  it('says so where its credential cannot read how it ends', async () => {
    const desk = openDesk();
    const scopes = ['partner.payment-quote.lightning.create', 'partner.payment-quote.execute'];
    desk.sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: 60_000 });
    const account = 'shop';
    const client = createClient({ ...desk.sandbox.clientOptionsFor({ scopes }), account });
    const run = pay(client, {
      ...ADA,
      intent: 'a',
      sourceCurrency: 'EUR',
      maxFee: 'any',
      journal: desk.journal,
    });
    const result = await desk.sandbox.run(run.result);
    expect(result.phase === 'unknown' && result.error.neededScope).to.equal('partner.payment.read');
    const other = createClient({ ...desk.sandbox.clientOptions, account });
    const [open] = await desk.sandbox.run(resume(other, { journal: desk.journal }));
    expect((await desk.sandbox.run(open!.result)).phase).to.equal('paid');
  });

  for (const [seconds, end] of [
    [59, 'paid'],
    [600, 'paid'],
    [80_000, 'paid'],
    [100_000, 'unknown'],
  ] as const)
    it(`is followed to its end where its credential is refused for ${seconds} s: ${end}`, async () => {
      const desk = openDesk();
      desk.sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: 30_000 });
      const now = desk.sandbox.clock.now();
      const action = { status: 401, code: 'UNAUTHORIZED' };
      const span = { from: now, to: now + seconds * 1_000 };
      desk.sandbox.fault({ method: 'GET', path: '/v1/payments/{paymentId}', ...span, action });
      const run = desk.start({ ...ADA, intent: 'a' });
      const { phase } = await desk.sandbox.run(run.result, { timeout: 200_000_000 });
      expect([phase, paymentsMoved(desk.sandbox).length]).to.deep.equal([end, 1]);
    });

  it('is settled by a person', async () => {
    const desk = openDesk();
    const ends = [
      desk.sandbox.fault({ ...EXECUTE, action: 'lost-before' }),
      desk.sandbox.fault({ path: '/v1/events', action: NO_SCOPE }),
    ];
    const options = { ...ADA, intent: 'a' };
    const run = desk.start(options);
    expect((await desk.sandbox.run(run.result)).phase).to.equal('unknown');
    await run.resolve('not-paid');
    for (const end of ends) end();
    const [ended, ...open] = await desk.sandbox.run(resume(desk.client, { journal: desk.journal }));
    expect(open).to.deep.equal([]);
    expect((await desk.sandbox.run(ended!.result)).phase).to.equal('refused');
    expect((await desk.pay(options)).phase).to.equal('refused');
    const again = desk.start(options);
    await desk.sandbox.run(again.result);
    expect((await desk.sandbox.run(again.retry().result)).phase).to.equal('paid');
    expect(paymentsMoved(desk.sandbox)).to.have.length(1);
  });
});

describe('another round of a payment', () => {
  it('has the limits of its call', async () => {
    const desk = openDesk();
    const options = { ...ADA, intent: 'a' };
    expect((await desk.pay({ ...options, maxFee: EUR('0.01') })).phase).to.equal('refused');
    const run = desk.start({ ...options, maxFee: EUR('1.00') });
    expect((await desk.sandbox.run(run.result)).phase).to.equal('refused');
    expect((await desk.sandbox.run(run.retry().result)).phase).to.equal('paid');
  });

  it('is not begun where the last one has not ended', async () => {
    const desk = openDesk();
    desk.sandbox.fault({ subject: 'payment', state: 'FAILED', delay: 60_000 });
    const run = desk.start({ ...ADA, intent: 'a' });
    await desk.sandbox.advance(1_000);
    expect(run.retry()).to.equal(run);
    run.detach();
    await run.result;
    expect((await desk.sandbox.run(run.retry().result)).phase).to.equal('failed');
    expect(quoted(desk)).to.have.length(1);
  });

  /** Refuses the first try of a quote; the service gets a copy of it 20 s later. */
  const refuseOneEarly = (options: SandboxOptions, emptyLists = 0) => {
    let [isFirst, lists] = [true, 0];
    const desk = openDesk(
      { accounts: [{ handle: 'shop', balances: { EUR: '30.00' } }], ...options },
      async (url, send) => {
        if (url.includes('/v1/events?') && ++lists <= emptyLists)
          return Response.json({ items: [], count: 0, totalCount: 0 });
        if (!url.endsWith('/execute') || !isFirst) return send();
        isFirst = false;
        void desk.sandbox.clock.wait(20_000).then(send);
        return refusal(422, 'BALANCE_TOO_LOW');
      },
    );
    return desk;
  };
  const FIRST_END = { 'payments.checks': 'expired' } as const;

  it('waits for the end of a quote that a late copy of a request may still execute', async () => {
    const desk = refuseOneEarly({ assume: { 'payments.checks': 'processed' } });
    const run = desk.start({ ...ADA, intent: 'a' });
    expect((await desk.sandbox.run(run.result)).phase).to.equal('refused');
    desk.sandbox.fund('shop', EUR('100.00'));
    expect((await desk.sandbox.run(run.retry().result)).phase).to.equal('paid');
    expect(paymentsMoved(desk.sandbox)).to.have.length(1);
    expect(quoted(desk)).to.have.length(1);
  });

  it('is not begun where the old quote was executed, and its end is said all the same', async () => {
    const desk = refuseOneEarly({ assume: FIRST_END });
    const run = desk.start({ ...ADA, intent: 'a' });
    expect((await desk.sandbox.run(run.result)).phase).to.equal('refused');
    const again = run.retry();
    const result = await desk.sandbox.run(again.result);
    const [moved, ...others] = paymentsMoved(desk.sandbox);
    expect([result.phase, others]).to.deep.equal(['unknown', []]);
    expect(quoted(desk)).to.have.length(1);
    await again.resolve('paid', moved!);
    const [taken] = await desk.sandbox.run(resume(desk.client, { journal: desk.journal }));
    expect((await desk.sandbox.run(taken!.result)).phase).to.equal('paid');
  });

  it('is not begun where one list of the search was old', async () => {
    const desk = refuseOneEarly({ assume: FIRST_END }, 1);
    const run = desk.start({ ...ADA, intent: 'a' });
    await desk.sandbox.run(run.result);
    const result = await desk.sandbox.run(run.retry().result);
    if (result.phase !== 'unknown') throw new Error(result.phase);
    expect(result.candidates).to.deep.equal(paymentsMoved(desk.sandbox));
    expect(quoted(desk)).to.have.length(1);
  });

  it('is begun where a search finds nothing of the old quote', async () => {
    const desk = openDesk({ assume: FIRST_END });
    desk.sandbox.fault({ ...EXECUTE, nth: 1, action: { status: 422, code: 'BALANCE_TOO_LOW' } });
    const run = desk.start({ ...ADA, intent: 'a' });
    expect((await desk.sandbox.run(run.result)).phase).to.equal('refused');
    expect((await desk.sandbox.run(run.retry().result)).phase).to.equal('paid');
    expect([quoted(desk).length, paymentsMoved(desk.sandbox).length]).to.deep.equal([2, 1]);
  });

  it('is not begun where the credential may not search for what a late copy did', async () => {
    const desk = openDesk({ assume: FIRST_END });
    desk.sandbox.fault({ ...EXECUTE, nth: 1, action: { status: 422, code: 'BALANCE_TOO_LOW' } });
    desk.sandbox.fault({ path: '/v1/events', action: NO_SCOPE });
    const run = desk.start({ ...ADA, intent: 'a' });
    expect((await desk.sandbox.run(run.result)).phase).to.equal('refused');
    const result = await desk.sandbox.run(run.retry().result);
    expect(result.phase === 'unknown' && result.error.neededScope).to.equal(
      'partner.webhooks.manage',
    );
    expect([quoted(desk).length, paymentsMoved(desk.sandbox).length]).to.deep.equal([1, 0]);
  });

  it('is not begun where a late copy has executed the quote of a failed payment once more', async () => {
    let isFirst = true;
    const desk = openDesk({ assume: { 'payments.used': 'again' } }, async (url, send) => {
      if (url.endsWith('/execute') && isFirst) {
        isFirst = false;
        void desk.sandbox.clock.wait(10_000).then(send);
      }
      return send();
    });
    desk.sandbox.fault({ subject: 'payment', state: 'FAILED', delay: 5_000, nth: 1 });
    const run = desk.start({ ...ADA, intent: 'a' });
    const failed = await desk.sandbox.run(run.result);
    expect([failed.phase, paymentsMoved(desk.sandbox).length]).to.deep.equal(['failed', 0]);
    const result = await desk.sandbox.run(run.retry().result);
    const moved = paymentsMoved(desk.sandbox);
    // the quote of the failed payment is asked first, and names what the copy has moved
    expect(result.phase === 'paid' && [result.payment.paymentId]).to.deep.equal(moved);
    expect([quoted(desk).length, moved.length]).to.deep.equal([1, 1]);
  });

  it('is not read once more where the response to its execution says that it has failed', async () => {
    const desk = openDesk();
    desk.sandbox.fault({ subject: 'payment', state: 'FAILED', delay: 0, nth: 1 });
    const startedAt = desk.sandbox.clock.now();
    expect((await desk.pay({ ...ADA, intent: 'a' })).phase).to.equal('failed');
    const reads = desk.sent.filter(({ path }) => path.startsWith('/v1/payments/'));
    expect([reads.length, desk.sandbox.clock.now() - startedAt < 5_000]).to.deep.equal([0, true]);
  });

  it('does not take the payment of another program for its own where its own has failed', async () => {
    const desk = openDesk();
    desk.sandbox.fault({ subject: 'payment', state: 'FAILED', nth: 1 });
    const run = desk.start({ ...ADA, intent: 'a' });
    expect((await desk.sandbox.run(run.result)).phase).to.equal('failed');
    const stranger = desk.start({ ...ADA, intent: 'b', journal: memoryStore() });
    const theirs = await desk.sandbox.run(stranger.result);
    const ours = await desk.sandbox.run(run.retry().result);
    if (theirs.phase !== 'paid' || ours.phase !== 'paid') throw new Error(ours.phase);
    const ids = [theirs, ours].map(({ payment }) => payment.paymentId);
    expect(paymentsMoved(desk.sandbox)).to.have.members(ids).and.have.length(2);
    expect(quoted(desk)).to.have.length(3);
  });

  it('comes by itself where the quote has ended unused, twice at most', async () => {
    const desk = openDesk();
    desk.sandbox.fault({ ...EXECUTE, action: { status: 422, code: 'PAYMENT_QUOTE_EXPIRED' } });
    const result = await desk.pay({ ...ADA, intent: 'a' });
    expect(result.phase === 'refused' && result.error.code).to.equal('PAYMENT_QUOTE_EXPIRED');
    expect(quoted(desk)).to.have.length(3);
  });
});

describe('a payment that is given up', () => {
  it('is stopped while nothing was executed', async () => {
    const desk = openDesk();
    desk.sandbox.fault({ method: 'POST', action: { delay: 2_000 } });
    const run = desk.start({ ...ADA, intent: 'a' });
    await desk.sandbox.advance(500);
    expect(await desk.sandbox.run(run.stop())).to.equal(true);
    expect((await desk.sandbox.run(run.result)).phase).to.equal('stopped');
    expect(executed(desk)).to.deep.equal([]);
  });

  it('cannot be stopped or settled by who means another payment', async () => {
    const desk = openDesk();
    desk.sandbox.fault({ method: 'POST', action: { delay: 2_000 } });
    const run = desk.start({ ...ADA, intent: 'a' });
    await desk.sandbox.advance(500);
    const gone = AbortSignal.abort();
    const other = desk.start({ ...ADA, amount: EUR('30.00'), intent: 'a', signal: gone });
    expect(await desk.sandbox.run(other.stop())).to.equal(false);
    const thrown = other.resolve('not-paid').catch((reason: unknown) => reason);
    expect(isPaystateError(await desk.sandbox.run(thrown))).to.equal(true);
    expect((await desk.sandbox.run(run.result)).phase).to.equal('paid');
  });

  it('is not taken up by itself again once it was stopped', async () => {
    const desk = openDesk();
    desk.sandbox.fault({ ...EXECUTE, nth: 1, action: { status: 425, code: 'ACCOUNT_NOT_READY' } });
    const run = desk.start({ ...ADA, intent: 'a' });
    await desk.sandbox.advance(500);
    expect(executed(desk)).to.have.length(1);
    expect(await desk.sandbox.run(run.stop())).to.equal(true);
    expect((await desk.sandbox.run(run.result)).phase).to.equal('stopped');
    await desk.sandbox.advance(300_000);
    // nor by another process, later: what a caller was told binds all
    const other = createClient(desk.sandbox.clientOptions);
    const [left] = await desk.sandbox.run(resume(other, { journal: desk.journal }));
    expect((await desk.sandbox.run(left!.result)).phase).to.equal('stopped');
    const options = { ...ADA, ...LIMITS, intent: 'a', journal: desk.journal };
    expect((await desk.sandbox.run(pay(other, options).result)).phase).to.equal('stopped');
    expect(executed(desk)).to.have.length(1);
    expect(paymentsMoved(desk.sandbox)).to.deep.equal([]);
  });

  it('goes on where it was executed, and resume takes it up', async () => {
    const desk = openDesk();
    desk.sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: 60_000 });
    const leave = new AbortController();
    const run = desk.start({ ...ADA, intent: 'a', signal: leave.signal });
    await desk.sandbox.advance(1_000);
    leave.abort();
    const left = await desk.sandbox.run(run.result);
    expect([left.phase, left.phase === 'unknown' && left.error.outcome]).to.deep.equal([
      'unknown',
      'unknown',
    ]);
    const runs = await desk.sandbox.run(resume(desk.client, { journal: desk.journal }));
    expect(runs.map(({ intent }) => intent)).to.deep.equal(['a']);
    expect((await desk.sandbox.run(runs[0]!.result)).phase).to.equal('paid');
    expect(await desk.sandbox.run(runs[0]!.ack())).to.equal(true);
    expect(await desk.sandbox.run(resume(desk.client, { journal: desk.journal }))).to.deep.equal(
      [],
    );
    expect(paymentsMoved(desk.sandbox)).to.have.length(1);
  });

  it('is unknown where the journal fails, and sends nothing that is not written', async () => {
    const desk = openDesk();
    const fail = () => Promise.reject(new Error('disk full'));
    const broken: Store = { ...desk.journal, compareAndSet: fail, listOpen: fail };
    const result = await desk.pay({ ...ADA, intent: 'a', journal: broken });
    expect(result.phase).to.equal('unknown');
    expect(executed(desk)).to.deep.equal([]);
    const thrown = resume(desk.client, { journal: broken }).catch((reason: unknown) => reason);
    expect(isPaystateError(await desk.sandbox.run(thrown))).to.equal(true);
  });

  it('keeps no preimage in its journal', async () => {
    const desk = openDesk();
    const to = bolt11(desk);
    const run = desk.start({ to });
    const result = await desk.sandbox.run(run.result);
    if (result.phase !== 'paid') throw new Error(result.phase);
    const { lightning } = await desk.sandbox.run(
      desk.client.payments.get(result.payment.paymentId),
    );
    const row = JSON.stringify(await desk.journal.get(`pay/${run.intent}`));
    expect(row).to.include(result.payment.paymentId);
    expect(row).to.not.include(lightning!.preImage);
  });
});
