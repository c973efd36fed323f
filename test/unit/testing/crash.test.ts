// Protects: the crash matrix and the simulation of the test kit notice what is wrong, and call nothing wrong that is right.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { pay, type PayResult } from 'paystate/flows';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { memoryStore, type Store } from 'paystate/stores';
import { crashMatrix, type CrashOptions, type CrashProcess, simulate } from 'paystate/testing';
import { describe, it, itLong } from '#test';
import { EUR, paymentsMoved } from '../flows/pay-lives.ts';

const ADA = { to: 'ada@wallet.example', sourceCurrency: 'EUR', amount: EUR('5.00') } as const;

type Flow = CrashOptions<Sandbox, PayResult>;

const FLOW: Flow = {
  open: () => createSandbox({ signed: false }),
  run: ({ clientOptions, store }) =>
    pay(createClient(clientOptions), { ...ADA, intent: 'a', maxFee: 'any', journal: store }).result,
  check(sandbox, results) {
    const moved = paymentsMoved(sandbox);
    return [
      ...(moved.length > 1 ? [`paid ${moved.length} times`] : []),
      ...results
        .filter(({ phase }) => (phase === 'paid') !== (moved.length === 1) && phase !== 'unknown')
        .map(({ phase }) => `says ${phase}`),
    ];
  },
};

/** Pays without a journal, as a process that starts from the top. */
const naive = async ({ clientOptions }: CrashProcess): Promise<PayResult> => {
  const client = createClient(clientOptions);
  const { lnAddressOrUrl, sourceCurrency, amount } = { ...ADA, lnAddressOrUrl: ADA.to };
  const quote = await client.paymentQuotes.createLnurl({ lnAddressOrUrl, sourceCurrency, amount });
  const { paymentId } = await client.paymentQuotes.execute(quote.paymentQuoteId);
  const payment = await client.payments.get(paymentId);
  return { phase: 'paid', payment, proof: 'none', joined: false, startedAt: 0 };
};

const losing = (): Store => {
  const store = memoryStore();
  const old = new Map<string, number>();
  return {
    ...store,
    async compareAndSet(key, version, value, open) {
      old.set(key, (old.get(key) ?? 0) + 1);
      if (old.get(key) === 3) return true; // this write is lost: the terms that were agreed to
      return store.compareAndSet(key, version, value, open);
    },
  };
};

describe('a crash matrix', () => {
  itLong('finds nothing where a journal is written first', async () => {
    const { steps, failures } = await crashMatrix(FLOW);
    expect(steps).to.be.above(8);
    expect(failures).to.deep.equal([]);
  });

  it('finds a flow that starts from the top, and names the step', async () => {
    const { failures } = await crashMatrix({ ...FLOW, run: naive });
    expect(failures.flatMap(({ problems }) => problems)).to.include('paid 2 times');
    expect(failures[0]!.schedule.deaths).to.have.length(1);
  });

  itLong('finds a journal that loses writes', async () => {
    const { failures } = await crashMatrix({ ...FLOW, openStore: losing });
    expect(failures).to.have.length.above(0);
  });
});

describe('a simulation', () => {
  itLong('finds nothing where a journal is written first', async () => {
    expect(await simulate({ ...FLOW, lifetimes: 25 })).to.deep.equal({
      lifetimes: 25,
      failures: [],
    });
  });

  itLong('makes a failure as small as it gets, and plays it again', async () => {
    const { failures } = await simulate({ ...FLOW, run: naive, lifetimes: 15 });
    const twice = failures.find(({ problems }) => problems.includes('paid 2 times'))!;
    const { deaths, network, hasTwin } = twice.schedule;
    expect(deaths.length + network!.length + Number(hasTwin)).to.equal(1);
    const again = await simulate({ ...FLOW, run: naive, schedules: [twice.schedule] });
    expect(again.failures[0]!.problems).to.include('paid 2 times');
  });
});
