// Protects: a journal that is lost moves no money twice, as the idempotency keys of an intent are the same in its next life.
import { expect } from 'chai';
import { createClient } from 'paystate';
import {
  deposit,
  exchange,
  type MoneyResult,
  type MoneyStep,
  pay,
  resume,
  type Run,
} from 'paystate/flows';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { memoryStore, type Store } from 'paystate/stores';
import { describe, it } from '#test';
import { readyMethod } from './moves-desk.ts';
import { EUR, idOf, movedOf, orderOf, paymentsMoved } from './pay-lives.ts';

const RAILS = ['bolt11', 'lnurl', 'onchain', 'exchange', 'deposit'] as const;
type KeyedRail = (typeof RAILS)[number];
const KINDS = { exchange: 'exchange', deposit: 'deposit' } as const;
const kindOf = (rail: KeyedRail) => KINDS[rail as 'deposit'] ?? 'payment';
const HOUR = 3_600_000;

type Begun = Run<MoneyStep, MoneyResult>;

/** An account where each process has a client of its own, and every key that is sent is noted. */
const openBooks = async (rail: KeyedRail) => {
  const sandbox = createSandbox({ signed: false });
  const subject = rail === 'exchange' ? 'currencyExchangeQuote' : kindOf(rail);
  sandbox.fault({ subject, state: 'COMPLETED', delay: 60_000 });
  const { fetch, ...base } = sandbox.clientOptions;
  const method = await readyMethod(sandbox, createClient(sandbox.clientOptions));
  const sent: { readonly process: number; readonly key: string }[] = [];
  let processes = 0;
  const startProcess = (ahead = 0) => {
    const process = ++processes;
    const client = createClient({
      ...base,
      clock: { ...sandbox.clock, now: () => sandbox.clock.now() + ahead },
      fetch(url, init) {
        const key = new Headers(init.headers).get('idempotency-key');
        if (key) sent.push({ process, key });
        return fetch(url, init);
      },
    });
    return client;
  };
  const order = rail === 'exchange' || rail === 'deposit' ? undefined : orderOf(sandbox, rail);
  const begin = (journal: Store, client = startProcess(), amount = '20.00'): Begun => {
    const common = { intent: 'one', journal } as const;
    if (order) return pay(client, { ...order, journal });
    if (rail === 'deposit')
      return deposit(client, { ...common, maxFee: 'any', bankPaymentMethodId: method, amount });
    return exchange(client, { ...common, sell: 'EUR', buy: 'USD', amount: EUR(amount) });
  };
  return {
    sandbox,
    sent,
    begin,
    startProcess,
    end: async (run: Begun) => sandbox.run(run.result),
    moved: () => movedOf(sandbox, kindOf(rail)).length,
  };
};

/** Tells whether the service says that a text is paid before it says that a key was used. */
const isSaidPaid = (rail: KeyedRail, { assumptions }: Sandbox): boolean =>
  rail === 'bolt11' && assumptions.find(({ id }) => id === 'keys.checks')?.value === 'last';

/** A text that is paid or being paid is refused, and by whom it is paid stays unknown. */
function checkPaidBefore(result: MoneyResult) {
  if (result.phase !== 'refused') throw new Error(result.phase);
  const { guard, error } = result;
  expect(error.outcome).to.equal('unknown');
  expect(error.code).to.be.oneOf(['LN_INVOICE_PROCESSED', 'PROCESSING_PAYMENT']);
  if (error.code === 'LN_INVOICE_PROCESSED') {
    expect(guard).to.equal('already-paid');
    expect(error.message).to.include('check by whom');
  }
}

/** What a life says that finds what an earlier one has done: its movement, by its id, and no other. */
function checkSecond(rail: KeyedRail, { sandbox }: { sandbox: Sandbox }, result: MoneyResult) {
  if (isSaidPaid(rail, sandbox)) return checkPaidBefore(result);
  const end = rail === 'exchange' || rail === 'deposit' ? 'completed' : 'paid';
  expect([rail, result.phase]).to.deep.equal([rail, end]);
  expect([idOf(result)]).to.deep.equal(movedOf(sandbox, kindOf(rail)));
}

/** What a life says that can see only that something like its order was moved. */
function checkLike({ sandbox }: { sandbox: Sandbox }, result: MoneyResult) {
  if (result.phase !== 'unknown') throw new Error(result.phase);
  expect(result.candidates).to.deep.equal(paymentsMoved(sandbox));
  expect(result.error.message).to.match(/^pay: .*journal was lost.*resolve\(\)/);
  const quotes = sandbox.log.filter(({ path }) => path.endsWith('/execute'));
  expect(result.error.message).to.include(quotes[0]!.path.split('/').at(-2));
  expect([result.error.outcome, result.error.next]).to.deep.equal(['unknown', 'read-first']);
}

const EXECUTE: Readonly<Record<KeyedRail, { readonly method: string; readonly path?: string }>> = {
  bolt11: { method: 'PATCH' },
  lnurl: { method: 'PATCH' },
  onchain: { method: 'PATCH' },
  exchange: { method: 'PATCH' },
  deposit: { method: 'POST', path: '/v1/deposits' },
};
const QUOTE: Readonly<Record<string, string>> = {
  bolt11: '/v1/payment-quotes/lightning',
  lnurl: '/v1/payment-quotes/lightning/lnurl',
  onchain: '/v1/payment-quotes/onchain',
  exchange: '/v1/currency-exchange-quotes',
};
const NO = { status: 422, code: 'BALANCE_TOO_LOW' } as const;

describe('a journal that is lost in the middle moves no money twice', () => {
  for (const rail of RAILS) {
    it(`in the first round: ${rail}`, async () => {
      const books = await openBooks(rail);
      const run = books.begin(memoryStore());
      await books.sandbox.advance(20_000);
      expect(run.current().phase).to.equal('pending');
      run.detach();
      const fresh = memoryStore();
      checkSecond(rail, books, await books.end(books.begin(fresh)));
      await books.sandbox.advance(HOUR);
      // a restart of the life that found it, and another call of it, say the same
      const client = books.startProcess();
      const open = await books.sandbox.run(resume(client, { journal: fresh }));
      for (const again of [...open, books.begin(fresh)])
        checkSecond(rail, books, await books.end(again));
      expect(books.moved()).to.equal(1);
    });

    it(`in a second round, after a refusal of what was to move it: ${rail}`, async () => {
      const books = await openBooks(rail);
      books.sandbox.fault({ ...EXECUTE[rail], nth: 1, action: NO });
      const run = books.begin(memoryStore());
      expect((await books.end(run)).phase).to.equal('refused');
      const again = run.retry();
      await books.sandbox.advance(5 * 60_000);
      expect(['paid', 'completed']).to.include((await books.end(again)).phase);
      const result = await books.end(books.begin(memoryStore()));
      // a quote of the first round names no payment after its end, so what the search finds may be another's
      if (rail === 'lnurl' || rail === 'onchain') checkLike(books, result);
      else checkSecond(rail, books, result);
      expect(books.moved()).to.equal(1);
    });

    it(`with two processes at once, in one journal or in two: ${rail}`, async () => {
      for (const isShared of [true, false]) {
        const books = await openBooks(rail);
        const first = memoryStore();
        const runs = [first, isShared ? first : memoryStore()].map((journal) =>
          books.begin(journal),
        );
        await books.sandbox.advance(20_000);
        for (const run of runs) run.detach();
        const processes = new Map<string, Set<number>>();
        for (const { key, process } of books.sent)
          processes.set(key, (processes.get(key) ?? new Set()).add(process));
        const mostOfOneKey = Math.max(...[...processes.values()].map(({ size }) => size));
        // what a deposit's key may have made is asked for again; a quote has one key and one process
        if (isShared && rail !== 'deposit') expect(mostOfOneKey).to.equal(1);
        checkSecond(rail, books, await books.end(books.begin(memoryStore())));
        await books.sandbox.advance(HOUR);
        expect([isShared, books.moved()]).to.deep.equal([isShared, 1]);
      }
    });
  }

  for (const rail of ['bolt11', 'lnurl', 'onchain', 'exchange'] as const)
    it(`in a second round, after a refusal to quote: ${rail}`, async () => {
      const books = await openBooks(rail);
      books.sandbox.fault({ method: 'POST', path: QUOTE[rail]!, nth: 1, action: NO });
      const run = books.begin(memoryStore());
      expect((await books.end(run)).phase).to.equal('refused');
      const again = run.retry();
      await books.sandbox.advance(5 * 60_000);
      expect(['paid', 'completed']).to.include((await books.end(again)).phase);
      checkSecond(rail, books, await books.end(books.begin(memoryStore())));
      expect(books.moved()).to.equal(1);
    });

  it('in a second round, after a lost request and a refusal of its repetition', async () => {
    const books = await openBooks('lnurl');
    const quote = { method: 'POST', path: QUOTE['lnurl']! };
    books.sandbox.fault({ ...quote, nth: 1, action: 'lost-before' });
    books.sandbox.fault({ ...quote, nth: 2, action: NO });
    const run = books.begin(memoryStore());
    expect((await books.end(run)).phase).to.equal('refused');
    expect((await books.end(run.retry())).phase).to.equal('paid');
    checkSecond('lnurl', books, await books.end(books.begin(memoryStore())));
    expect(books.moved()).to.equal(1);
  });

  for (const rail of ['exchange', 'deposit'] as const)
    it(`and another order under the same intent is refused for good, naming what there is: ${rail}`, async () => {
      const books = await openBooks(rail);
      await books.end(books.begin(memoryStore()));
      const run = books.begin(memoryStore(), undefined, '30.00');
      for (const each of [run, run]) {
        const result = await books.end(each.retry());
        if (result.phase !== 'refused') throw new Error(result.phase);
        expect(result.guard).to.equal('intent-reused');
        expect([result.error.outcome, result.error.next]).to.deep.equal(['unknown', 'read-first']);
        await books.sandbox.advance(HOUR);
      }
      expect(books.moved()).to.equal(1);
    });
});

describe('an answer with terms that is lost', () => {
  const lose = (sandbox: Sandbox, rail: KeyedRail) =>
    sandbox.fault({ method: 'POST', path: QUOTE[rail]!, nth: 1, action: 'lost-after' });

  for (const rail of ['bolt11', 'lnurl', 'onchain', 'exchange'] as const)
    it(`is asked for again under its number, and what is there moves nothing beside it: ${rail}`, async () => {
      const books = await openBooks(rail);
      lose(books.sandbox, rail);
      const began = books.sandbox.clock.now();
      checkSecond(rail, books, await books.end(books.begin(memoryStore())));
      expect(books.moved()).to.equal(1);
      const keys = books.sent.map(({ key }) => key);
      expect(keys[0]).to.equal(keys[1]);
      // an exchange can be read, and is adopted. Otherwise an unused quote tells how long they live,
      // and another number follows only on what can move nothing any more
      expect(new Set(keys).size).to.equal(rail === 'exchange' ? 1 : 3);
      const waited = books.sandbox.clock.now() - began;
      if (rail === 'lnurl' || rail === 'onchain') expect(waited).to.be.above(5 * 60_000);
    });

  for (const rail of ['lnurl', 'onchain'] as const)
    it(`takes the next number where the journal is a day old: ${rail}`, async () => {
      const books = await openBooks(rail);
      const journal = memoryStore();
      const client = books.startProcess();
      await books.sandbox.run(resume(client, { journal })); // pins it
      await books.sandbox.advance(24 * HOUR);
      lose(books.sandbox, rail);
      expect((await books.end(books.begin(journal))).phase).to.equal('paid');
      expect(books.moved()).to.equal(1);
    });

  it('is asked for again under its number by the process that takes the intent up', async () => {
    const books = await openBooks('lnurl');
    lose(books.sandbox, 'lnurl');
    const journal = memoryStore();
    const run = books.begin(journal);
    await books.sandbox.advance(100);
    run.detach();
    checkSecond('lnurl', books, await books.end(books.begin(journal)));
    const [first, second] = [1, 2].map((process) =>
      books.sent.filter((one) => one.process === process).map(({ key }) => key),
    );
    expect(new Set(first)).to.have.length(1);
    expect(second![0]).to.equal(first![0]);
    expect(books.moved()).to.equal(1);
  });
});

describe('the idempotency key of a number', () => {
  it('is a version 4 UUID, the same for the same account and intent, and another one for each other', async () => {
    const keys = new Set<string>();
    for (const [rail, intent, account] of [
      ['lnurl', 'one', 'shop'],
      ['exchange', 'one', 'shop'],
      ['lnurl', 'on', 'eshop'],
      ['lnurl', 'one', 'other'],
      ['lnurl', 'one', 'shop'],
    ] as const) {
      const { sandbox, sent, startProcess, begin } = await openBooks(rail);
      const client = createClient({
        ...sandbox.clientOptions,
        account,
        fetch: note(sandbox, sent),
      });
      const journal = memoryStore();
      const run =
        rail === 'lnurl'
          ? pay(client, { ...orderOf(sandbox, rail), intent, journal })
          : begin(journal, client);
      await sandbox.run(run.result);
      expect(startProcess).to.be.a('function');
      expect(sent[0]!.key).to.match(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      keys.add(sent[0]!.key);
    }
    expect(keys.size).to.equal(4);
  });
});

function note(sandbox: Sandbox, sent: { process: number; key: string }[]): typeof fetch {
  return ((url: string, init: RequestInit) => {
    const key = new Headers(init.headers).get('idempotency-key');
    if (key) sent.push({ process: 0, key });
    return sandbox.clientOptions.fetch(url, init);
  }) as typeof fetch;
}
