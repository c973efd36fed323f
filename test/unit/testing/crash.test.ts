// Protects: the crash matrix and the simulation of the test kit notice what is wrong, and call nothing wrong that is right.
import { expect } from 'chai';
import { createClient } from 'paystate';
import type { PayResult } from 'paystate/flows';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { indexedDbStore, memoryStore } from 'paystate/stores';
import {
  type CrashOptions,
  crashMatrix,
  type CrashProcess,
  createProcess,
  type LifeSchedule,
  simulate,
} from 'paystate/testing';
import { describe, it, itLong } from '#test';
import { ADA, FLOW, foundIn, livesIn, losing, PAYMENT } from './crash-flow.ts';

/** Pays without a journal, as a process that starts from the top. */
const naive = async ({ clientOptions }: CrashProcess): Promise<PayResult> => {
  const client = createClient(clientOptions);
  const { lnAddressOrUrl, sourceCurrency, amount } = { ...ADA, lnAddressOrUrl: ADA.to };
  const quote = await client.paymentQuotes.createLnurl({ lnAddressOrUrl, sourceCurrency, amount });
  const { paymentId } = await client.paymentQuotes.execute(quote.paymentQuoteId);
  const payment = await client.payments.get(paymentId);
  return { phase: 'paid', payment, proof: 'none', joined: false, startedAt: 0 };
};

const { indexedDB } = globalThis as { readonly indexedDB?: unknown };

describe('a crash matrix', () => {
  itLong('finds nothing where a journal is written first', async () => {
    expect(foundIn(await crashMatrix(PAYMENT))).to.deep.equal([]);
  });

  if (indexedDB)
    it('finds nothing in IndexedDB', async () => {
      const openStore = livesIn(indexedDbStore(`crash ${crypto.randomUUID()}`));
      expect(foundIn(await crashMatrix({ ...PAYMENT, openStore }))).to.deep.equal([]);
    });

  it('finds a flow that starts from the top, and names the step', async () => {
    const { failures } = await crashMatrix({ ...FLOW, run: naive });
    expect(failures.flatMap(({ problems }) => problems)).to.include('paid 2 times');
    expect(failures[0]!.schedule.deaths).to.have.length(1);
  });

  itLong('finds a journal that loses writes', async () => {
    const { failures } = await crashMatrix({ ...PAYMENT, openStore: losing });
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

const HOUR = 3_600_000;

/** Sends three requests, one after the other; a request that fails does not end it. */
const three = async ({ clientOptions }: CrashProcess): Promise<readonly string[]> => {
  const results: string[] = [];
  for (const name of ['a', 'b', 'c'])
    results.push(
      await clientOptions.fetch(`https://service.example/${name}`, {}).then(
        () => name,
        ({ message }: Error) => message,
      ),
    );
  return results;
};

/** A world that counts what arrives; `check` is told it all. */
const counting = (
  check: (arrived: readonly string[], results: readonly (readonly string[])[]) => readonly string[],
): CrashOptions<Sandbox & { readonly arrived: string[] }, readonly string[]> => ({
  open() {
    const sandbox = createSandbox();
    const arrived: string[] = [];
    const fetch = async (url: string): Promise<Response> => {
      arrived.push(url.at(-1)!);
      return new Response();
    };
    return { ...sandbox, arrived, clientOptions: { ...sandbox.clientOptions, fetch } };
  },
  run: three,
  check: ({ arrived }, results) => check(arrived, results),
});

const life = (schedule: Partial<LifeSchedule>): LifeSchedule => ({
  deaths: [],
  pause: 0,
  ...schedule,
});

/** What arrived in a life, and what its processes were told. */
async function played(schedule: Partial<LifeSchedule>): Promise<unknown> {
  let seen: unknown;
  const options = counting((arrived, results) => {
    seen = [arrived.join(''), results.map((one) => one.join(' '))];
    return [];
  });
  await simulate({ ...options, schedules: [life(schedule)] });
  return seen;
}

describe('a life', () => {
  it('has the deaths of its schedule: before a step it has no effect, after it it has', async () => {
    expect(await played({})).to.deep.equal(['abc', ['a b c']]);
    const before = { step: 2, isAfter: false };
    expect(await played({ deaths: [before] })).to.deep.equal(['aabc', ['a b c']]);
    const after = { step: 2, isAfter: true };
    expect(await played({ deaths: [after] })).to.deep.equal(['ababc', ['a b c']]);
    const deaths = [after, before, { step: 9, isAfter: true }];
    expect(await played({ deaths })).to.deep.equal(['abaabc', ['a b c']]);
    const [[, twins]] = [(await played({ hasTwin: true })) as [string, string[]]];
    expect(twins).to.deep.equal(['a b c', 'a b c']);
  });

  it('has the network of its schedule, by the number of the request', async () => {
    expect(await played({ network: [{ nth: 2, action: 'lost-before' }] })).to.deep.equal([
      'ac',
      ['a lost c'],
    ]);
    expect(await played({ network: [{ nth: 2, action: 'lost-after' }] })).to.deep.equal([
      'abc',
      ['a lost c'],
    ]);
    expect(await played({ network: [{ nth: 3, action: 'doubled' }] })).to.deep.equal([
      'abcc',
      ['a b c'],
    ]);
  });

  it('is judged a day after its end, and is wrong where it rejects or never ends', async () => {
    const times: number[] = [];
    const begun = counting(() => []);
    const timed: typeof begun = {
      ...begun,
      check: ({ clock }) => (times.push(clock.monotonic()), []),
    };
    await simulate({ ...timed, schedules: [life({})] });
    expect(times[0]).to.be.within(24 * HOUR, 24 * HOUR + 60_000);
    const problems = async (run: typeof begun.run, timeout?: number): Promise<readonly string[]> =>
      (await simulate({ ...timed, run, timeout, schedules: [life({})] })).failures[0]!.problems;
    expect(await problems(() => Promise.reject(new Error('no')))).to.deep.equal([
      'rejected: Error: no',
    ]);
    const until = (ms: number) =>
      problems(({ clientOptions }) => clientOptions.clock!.wait(ms).then(() => []));
    expect(await problems(() => new Promise(() => {}))).to.deep.equal(['never ended']);
    expect(await until(20 * HOUR)).to.deep.equal(['never ended']);
    const patient = await simulate({
      ...timed,
      run: ({ clientOptions }) => clientOptions.clock!.wait(20 * HOUR).then(() => []),
      timeout: 40 * HOUR,
      schedules: [life({})],
    });
    expect(patient.failures).to.deep.equal([]);
  });

  it('waits between a death and the next start', async () => {
    const starts: number[] = [];
    const base = counting(() => []);
    const options: typeof base = {
      ...base,
      run(process, world) {
        starts.push(world.clock.monotonic());
        return three(process);
      },
    };
    const deaths = [{ step: 1, isAfter: true }];
    for (const pause of [0, 5_000]) {
      await simulate({ ...options, schedules: [life({ deaths, pause })] });
      const [first, second] = starts.splice(0) as [number, number];
      expect(second - first).to.be.within(pause, pause + 1_000);
    }
    await crashMatrix({ ...options, pause: 7_000 });
    expect(starts).to.have.length(1 + 3 * 2 * 2);
    expect(starts[2]! - starts[1]!).to.be.within(7_000, 8_000);
  });

  it('that fails is made as small as it gets, whatever it is made of', async () => {
    const twice = counting((arrived) =>
      arrived.filter((name) => name === 'b').length > 1 ? ['b came twice'] : [],
    );
    const shrunk = async (schedule: Partial<LifeSchedule>): Promise<LifeSchedule | undefined> => {
      const { failures, lifetimes } = await simulate({ ...twice, schedules: [life(schedule)] });
      expect(lifetimes).to.equal(1);
      expect(failures[0]?.problems ?? ['b came twice']).to.deep.equal(['b came twice']);
      return failures[0]?.schedule;
    };
    const doubled = { nth: 2, action: 'doubled' } as const;
    const other = { nth: 1, action: 'doubled' } as const;
    const third = { nth: 3, action: 'lost-after' } as const;
    expect(await shrunk({ network: [other, third] })).to.equal(undefined);
    expect(await shrunk({ network: [other, doubled, third], pause: 9 })).to.deep.equal(
      life({ network: [doubled] }),
    );
    const needed = { step: 2, isAfter: true };
    const deaths = [{ step: 1, isAfter: false }, needed, { step: 1, isAfter: true }];
    expect(await shrunk({ deaths, pause: 60_000, hasTwin: false })).to.deep.equal(
      life({ deaths: [needed], hasTwin: false }),
    );
    expect(await shrunk({ hasTwin: true, network: [third] })).to.deep.equal(
      life({ hasTwin: true, network: [] }),
    );
    const many = await simulate({
      ...twice,
      schedules: Array.from({ length: 7 }, () => life({ network: [other, doubled] })),
    });
    expect(many.failures.map(({ schedule }) => schedule.network!.length)).to.deep.equal([
      ...[1, 1, 1, 1, 1, 2, 2],
    ]);
  });

  itLong('is drawn by its number, the same each time, with all that can happen', async () => {
    const lives: LifeSchedule[] = [];
    const wrong = counting(() => ['wrong']);
    const drawn = async (seed?: number, lifetimes?: number): Promise<readonly string[]> => {
      const seen: string[] = [];
      const options: typeof wrong = {
        ...wrong,
        check: ({ arrived }) => (seen.push(arrived.join('')), []),
      };
      const report = await simulate({ ...options, seed, lifetimes });
      expect(report).to.deep.equal({ lifetimes: lifetimes ?? 100, failures: [] });
      return seen;
    };
    const [one, same, next] = [await drawn(1, 40), await drawn(1, 40), await drawn(2, 40)];
    expect(one).to.deep.equal(same);
    expect(next.slice(0, 39)).to.deep.equal(one.slice(1));
    expect(await drawn()).to.have.length(100);
    const { failures } = await simulate({ ...wrong, lifetimes: 60 });
    for (const { schedule } of failures.slice(5)) lives.push(schedule);
    const deaths = lives.flatMap((each) => each.deaths);
    const network = lives.flatMap((each) => each.network ?? []);
    const countsOf = (all: readonly number[]) => [...new Set(all)].sort();
    expect(countsOf(lives.map((each) => each.deaths.length))).to.deep.equal([0, 1, 2, 3]);
    expect(countsOf(lives.map((each) => each.network!.length))).to.deep.equal([0, 1, 2, 3]);
    expect(new Set(network.map(({ action }) => action))).to.have.all.keys(
      'lost-before',
      'lost-after',
      'doubled',
    );
    const twins = lives.filter(({ hasTwin }) => hasTwin).length;
    expect(twins).to.be.within(8, 26);
    const late = deaths.filter(({ isAfter }) => isAfter).length;
    expect(late / deaths.length).to.be.within(0.3, 0.7);
    for (const [numbers, least, most] of [
      [deaths.map(({ step }) => step), 1, 45],
      [network.map(({ nth }) => nth), 1, 12],
      [lives.map(({ pause }) => pause), 0, 900_000],
    ] as const) {
      expect(Math.min(...numbers)).to.be.within(least, least + (most - least) / 4);
      expect(Math.max(...numbers)).to.be.within(most - (most - least) / 4, most);
    }
    const short = lives.filter(({ pause }) => pause < 5_000).length;
    expect(short / lives.length).to.be.within(0.3, 0.7);
  });
});

describe('a process', () => {
  it('counts its steps, and hears nothing once it has died', async () => {
    const sandbox = createSandbox();
    const store = memoryStore();
    const death = { step: 4, isAfter: true };
    const process = createProcess(sandbox, store, { death });
    const { clock } = process.clientOptions;
    let [rings, heard] = [0, 0];
    clock!.after(1_000, () => void rings++);
    clock!.after(3_000, () => void rings++);
    const work = async (): Promise<void> => {
      await process.store.put('a', 1);
      expect(await process.store.get('a')).to.deep.equal({ value: 1, version: 1 });
      await clock!.wait(2_000);
      heard = process.steps();
      await process.store.compareAndSet('a', 1, 2, true);
      heard = -1;
    };
    void work();
    await sandbox.advance(2_500);
    expect([heard, process.steps(), process.isDead(), rings]).to.deep.equal([3, 4, true, 1]);
    await sandbox.advance(10_000);
    expect([heard, rings]).to.deep.equal([3, 1]);
    expect(await store.listOpen('')).to.deep.equal([{ key: 'a', row: { value: 2, version: 2 } }]);
    void process.store.put('a', 3).then(() => (heard = -2));
    await sandbox.advance(1_000);
    expect([heard, (await store.get('a'))?.value]).to.deep.equal([3, 2]);
    expect(process.steps()).to.equal(4);
  });

  it('lives on without a death, and lists what is open', async () => {
    const sandbox = createSandbox();
    const store = memoryStore();
    const process = createProcess(sandbox, store);
    await process.store.compareAndSet('a', 0, 1, true);
    expect(await process.store.listOpen('a')).to.have.length(1);
    expect([process.store.durable, process.steps(), process.isDead()]).to.deep.equal([
      false,
      2,
      false,
    ]);
  });

  it('hears when its machine wakes what came while it slept', async () => {
    const sandbox = createSandbox();
    const { clock: world } = sandbox;
    const begun = world.monotonic();
    const sleep = { from: begun + 1_000, to: begun + 60_000 };
    const process = createProcess(sandbox, memoryStore(), { sleep });
    const { clock } = process.clientOptions;
    const heard: (readonly [string, number])[] = [];
    const note = (name: string): void => void heard.push([name, world.monotonic() - begun]);
    clock!.after(500, () => note('before'));
    clock!.after(2_000, () => note('timer'));
    clock!.after(61_000, () => note('after'));
    void clock!.wait(3_000).then(() => note('wait'));
    await sandbox.advance(120_000);
    expect(heard.sort(([, one], [, other]) => one - other)).to.deep.equal([
      ['before', 500],
      ['timer', 60_000],
      ['wait', 60_000],
      ['after', 61_000],
    ]);
  });
});
