// Protects: a misspelt limit is refused before anything is written or sent; a filter that is none
// lists nothing, instead of everything; options of watches and waits are checked at the call.
import { expect } from 'chai';
import {
  createClient,
  firstValue,
  InputError,
  waitUntilSettled,
  watchBalances,
  watchInvoice,
  watchInvoices,
  whereInvoice,
} from 'paystate';
import {
  adoptJournal,
  createGuards,
  deposit,
  exchange,
  pay,
  payOut,
  plan,
  refund,
} from 'paystate/flows';
import { checkout } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore, type Store } from 'paystate/stores';
import { describe, it } from '#test';

const EUR = (amount: string) => ({ amount, currency: 'EUR' });

/** A client whose requests are counted, and a journal whose writes are. */
function desk() {
  const { fetch, ...options } = createSandbox().clientOptions;
  const done: string[] = [];
  const client = createClient({
    ...options,
    fetch(url, init) {
      done.push(url);
      return fetch(url, init);
    },
  });
  const store = memoryStore();
  const journal: Store = {
    ...store,
    compareAndSet(name, version, value) {
      done.push(name);
      return store.compareAndSet(name, version, value);
    },
  };
  return { client, journal, done };
}

/** The text of the InputError that a call throws or rejects with. */
async function refusal(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (thrown) {
    expect(thrown).to.be.instanceOf(InputError);
    return (thrown as InputError).message;
  }
  throw new Error('nothing was thrown');
}

describe('misspelt limits', () => {
  const { client, journal, done } = desk();
  const to = { to: 'ada@wallet.example', sourceCurrency: 'EUR', amount: EUR('5.00') } as const;
  const bank = { intent: 'a', bankPaymentMethodId: 'b', amount: '5.00' } as const;
  const sale = {
    intent: 'a',
    sell: 'BTC',
    buy: 'EUR',
    amount: { amount: '1', currency: 'BTC' },
  } as const;
  const common = { journal, maxFee: 'any' } as const;
  const calls: readonly [string, (wrong: object) => unknown][] = [
    ['pay', (wrong) => pay(client, { ...common, ...to, intent: 'a', ...wrong })],
    ['exchange', (wrong) => exchange(client, { ...sale, journal, ...wrong })],
    ['deposit', (wrong) => deposit(client, { ...common, ...bank, ...wrong })],
    ['payOut', (wrong) => payOut(client, { ...common, ...bank, ...wrong })],
    ['refund', (wrong) => refund(client, { ...common, ...to, invoiceId: 'c', ...wrong })],
    ['plan', (wrong) => plan(client, [{ intent: 'a', ...to }], { ...common, ...wrong })],
    ['createGuards', (wrong) => createGuards({ journal, ...wrong })],
  ];
  const misspelt: readonly [string, string, string?][] = [
    ['pay', 'maxTotl', 'maxTotal'],
    ['pay', 'maxfee', 'maxFee'],
    ['exchange', 'minReceive', 'minReceived'],
    ['exchange', 'maxTotal'],
    ['deposit', 'feepolicy', 'feePolicy'],
    ['payOut', 'referense', 'reference'],
    ['refund', 'recieveId', 'receiveId'],
    ['refund', 'feePolicy'],
    ['plan', 'maxTotalslip', 'maxTotalSlip'],
    ['plan', 'to'],
    ['createGuards', 'maxPerday', 'maxPerDay'],
  ];

  for (const [name, wrong, meant] of misspelt)
    it(`${name} refuses ${wrong}, and nothing is written or sent`, async () => {
      const call = calls.find(([known]) => known === name)![1];
      const hint = meant ? ` (did you mean ${meant}?)` : '';
      const text = await refusal(() => call({ [wrong]: EUR('1.00') }));
      expect(text).to.equal(`${wrong}: is an unknown field${hint}`);
      expect(done).to.deep.equal([]);
    });

  it('names the function that sets the limits of a journal', async () => {
    for (const limit of ['maxPerDay', 'maxPerRun'])
      expect(await refusal(() => calls[0]![1]({ [limit]: EUR('1.00') }))).to.include(
        `createGuards({ journal, ${limit} })`,
      );
  });

  it('options of another kind are refused, and what stands in their place', async () => {
    const wrongs: readonly [() => unknown, string][] = [
      [() => pay(client, null as never), 'options: must be an object, not null'],
      [() => pay(client, [] as never), 'options: must be an object, not an array'],
      [() => calls[0]![1]({ description: 5 }), 'description: must be a string, not a number'],
      [() => calls[0]![1]({ signal: {} }), 'signal: must be an AbortSignal, not an object'],
      [() => calls[3]![1]({ readyTimeout: '5' }), 'readyTimeout: must be a number, not a string'],
      [() => calls[1]![1]({ amount: 5 }), 'amount: must be an object, not a number'],
      [() => createGuards(undefined as never), 'options: must be an object, not null'],
      [
        () => adoptJournal(journal, { acount: 'a' } as never),
        'acount: is an unknown field (did you mean account?)',
      ],
      [() => checkout(client, 'an-id' as never), 'options: must be an object, not a string'],
      [
        () => checkout(client, { invoiceId: 'a', pauseafter: 5 } as never),
        'pauseafter: is an unknown field (did you mean pauseAfter?)',
      ],
    ];
    for (const [call, text] of wrongs) expect(await refusal(call)).to.equal(text);
    expect(done).to.deep.equal([]);
  });
});

describe('a filter that is none', () => {
  const { client, done } = desk();
  const { invoices, events } = client;

  it('lists nothing', async () => {
    const filters: readonly [unknown, string][] = [
      ["state eq 'PAID'", 'filter: must be an object, not a string'],
      [{ $filter: "state eq 'PAID'" }, 'filter.$filter: is an unknown field'],
      [[whereInvoice((f) => f.state.eq('PAID'))], 'filter: must be an object, not an array'],
      [() => true, 'filter: must be an object, not a function'],
      [42, 'filter: must be an object, not a number'],
      [null, 'filter: must be an object, not null'],
      [{ pageSize: 5 }, 'filter.pageSize: is an unknown field'],
      [{ State: 'PAID' }, 'filter.State: is an unknown field (did you mean state?)'],
      [{ text: "state eq 'PAID'" }, 'filter.text: is an unknown field'],
      [{ state: 5 }, 'filter.state: must be a string, not a number'],
    ];
    for (const [filter, text] of filters) {
      expect(await refusal(() => invoices.list(filter as never))).to.equal(text);
      expect(await refusal(() => watchInvoices(client, filter as never))).to.equal(text);
    }
    for (const filter of ['x', { state: 'PAID' }, [], null, 42, () => true])
      await refusal(() => events.list(filter as never));
    await refusal(() => client.receiveRequests.list({ paymenthash: 'ab' } as never));
    await refusal(() =>
      client.receiveRequests.listReceives('a', { receiveRequestId: 'b' } as never),
    );
    expect(done).to.deep.equal([]);
  });

  it('is built of conditions only', async () => {
    for (const build of [undefined, 42, () => undefined, () => 'PAID', () => ({ state: 'PAID' })])
      await refusal(() => whereInvoice(build as never));
    await refusal(() => whereInvoice((f) => f.state.eq('PAID').and({} as never)));
    await refusal(() => whereInvoice((f) => f.state.in('PAID' as never)));
  });
});

describe('options of watches and waits', () => {
  it('are checked at the call', async () => {
    const { client, done } = desk();
    const { invoiceId } = await client.invoices.create({ amount: EUR('5.00') });
    done.length = 0;
    const wrongs: readonly [() => unknown, string][] = [
      [
        () => watchInvoice(client, invoiceId, { untill: 'never' } as never),
        'untill: is an unknown field (did you mean until?)',
      ],
      [
        () => watchInvoice(client, invoiceId, { until: 'settle' as never }),
        'until: must be one of settled, never (did you mean settled?)',
      ],
      [
        () => watchInvoice(client, invoiceId, null as never),
        'options: must be an object, not null',
      ],
      [() => watchInvoice({} as never, invoiceId), 'client: must be a client from createClient()'],
      [
        () => client.invoices.watch(invoiceId, { sginal: 1 } as never),
        'sginal: is an unknown field (did you mean signal?)',
      ],
      [
        () => watchInvoices(client, {}, { limt: 5 } as never),
        'limt: is an unknown field (did you mean limit?)',
      ],
      [
        () => firstValue(watchBalances(client), { timout: 5 } as never),
        'timout: is an unknown field (did you mean timeout?)',
      ],
      [
        () => waitUntilSettled(watchInvoice(client, invoiceId), 5 as never),
        'options: must be an object, not a number',
      ],
    ];
    for (const [call, text] of wrongs) expect(await refusal(call)).to.equal(text);
    expect(done).to.deep.equal([]);
  });
});
