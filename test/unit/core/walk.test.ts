import { expect } from 'chai';
import {
  type Deposit,
  InputError,
  type Invoice,
  type List,
  type Page,
  type ServiceEvent,
} from 'paystate';
import type { Sandbox } from 'paystate/sandbox';
import { describe, it, itLong, sized, turns } from '#test';
import { DRAFT, failureOf, INVOICE, openShop } from './shop.ts';

interface Row {
  readonly id: number;
  /** 100-nanosecond steps after the beginning. */
  at: number;
  fits: boolean;
}

interface Habits {
  /** Fraction digits that are printed. */
  readonly digits?: number;
  readonly mostItems?: number;
  readonly counts?: boolean;
  /** The order of rows with one time changes between requests. */
  readonly shuffles?: boolean;
  /** The other order, whatever is asked. */
  readonly ignoresOrder?: boolean;
  /** An order that has nothing to do with time. */
  readonly scrambles?: boolean;
  readonly seed?: number;
}

const DEPOSIT = {
  state: 'NEW',
  amount: INVOICE.amount,
  fee: INVOICE.amount,
  totalAmount: INVOICE.amount,
  paymentMethodId: 'x',
};
const START = 1_767_603_600; // 2026-01-05T09:00:00Z
const SECOND = 10_000_000;

/** A number from 0 up to 1 that depends on the seed alone. */
const randomOf = (seed: number) => () => {
  seed = (Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
  const mixed = Math.imul(seed ^ (seed >>> 12), 0x297a2d39);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
};

const printed = (at: number, digits: number): string => {
  const whole = new Date((START + Math.floor(at / SECOND)) * 1_000).toISOString().slice(0, 19);
  const fraction = String(at % SECOND)
    .padStart(7, '0')
    .slice(0, digits)
    .replace(/0+$/, '');
  return `${whole}${fraction ? `.${fraction}` : ''}+00:00`;
};

const boundOf = (filter: string | null, operator: string): number | undefined => {
  const [, text] = new RegExp(`created ${operator} (\\S+)`).exec(filter ?? '') ?? [];
  return text === undefined ? undefined : (Date.parse(text) / 1_000 - START) * SECOND;
};

/** A service with a list of rows that may change with each request, as `fetch`. */
const serviceOf = (rows: Row[], habits: Habits, change: (request: number) => void) => {
  const {
    digits = 7,
    mostItems = 100,
    counts = true,
    shuffles = false,
    ignoresOrder = false,
    scrambles = false,
    seed = 7,
  } = habits;
  const asked: URLSearchParams[] = [];
  const random = randomOf(seed);
  const fetch = async (url: string): Promise<Response> => {
    const query = new URL(url).searchParams;
    change(asked.push(query));
    const filter = query.get('$filter');
    const [after, before] = [boundOf(filter, 'gt'), boundOf(filter, 'lt')];
    const ties = new Map(rows.map(({ id }) => [id, shuffles ? random() : id]));
    const fitting = rows.filter(
      ({ at, fits }) =>
        fits && (after === undefined || at > after) && (before === undefined || at < before),
    );
    fitting.sort((a, b) => a.at - b.at || ties.get(a.id)! - ties.get(b.id)!);
    const isDescending = query.get('$orderby') !== 'created asc'; // the service's own order too
    if (isDescending !== ignoresOrder) fitting.reverse();
    if (scrambles) fitting.sort((a, b) => ((a.id * 7_919) % 1_009) - ((b.id * 7_919) % 1_009));
    const skip = Number(query.get('$skip'));
    const items = fitting
      .slice(skip, skip + Math.min(mostItems, Number(query.get('$top'))))
      .map(({ id, at }) => ({
        ...INVOICE,
        ...DEPOSIT,
        id: `${id}`,
        invoiceId: `${id}`,
        created: printed(at, digits),
      }));
    return new Response(
      JSON.stringify({
        items,
        ...(counts ? { count: fitting.length } : { count: 0, isCountUnknown: true }),
      }),
    );
  };
  return { asked, fetch };
};

const rowsOf = (count: number, timeOf: (index: number) => number): Row[] =>
  Array.from({ length: count }, (_, id) => ({ id, at: Math.floor(timeOf(id)), fits: true }));

const listWith = (
  fetch: (url: string) => Promise<Response>,
  pageSize = 100,
  cursor?: string,
  order?: Order,
): {
  readonly list: List<Invoice>;
  readonly run: <T>(work: Promise<T>) => Promise<T>;
  readonly clock: Sandbox['clock'];
} => {
  const { client, run, sandbox } = openShop({ fetch, callTimeout: 1e12, queueTimeout: 1e12 });
  return {
    clock: sandbox.clock,
    list: client.invoices.list({}, { pageSize, cursor, order }),
    run: (work) => run(work, { timeout: 1e12 }),
  };
};

const idsOf = async (list: AsyncIterable<Invoice>): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { invoiceId } of list) ids.push(invoiceId);
  return ids;
};

const depositsOf = async (list: AsyncIterable<Deposit>): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { id } of list) ids.push(id);
  return ids;
};

/** Reads all while the rows change, and holds the result against what was there all the while. */
const check = async (
  rows: Row[],
  habits: Habits,
  change: (request: number) => void,
  pageSize?: number,
  order?: Order,
) => {
  const before = rows.filter(({ fits }) => fits).map(({ id }) => id);
  const { asked, fetch } = serviceOf(rows, habits, change);
  const { list, run } = listWith(fetch, pageSize, undefined, order);
  const found = await run(idsOf(list));
  expect(new Set(found).size, 'each once').to.equal(found.length);
  const stayed = before.filter((id) => rows.some((row) => row.id === id && row.fits));
  expect(
    stayed.filter((id) => !found.includes(`${id}`)),
    'what was there all the while',
  ).to.deep.equal([]);
  return { found, asked };
};

type Order = 'asc' | 'desc';
const ORDERS = ['asc', 'desc'] as const;

const still = (): void => {};
const SHAPES: Readonly<Record<string, (index: number) => number>> = {
  'a minute apart': (index) => index * 60 * SECOND,
  'a second apart': (index) => index * SECOND + 3,
  'all at one time': () => 5 * SECOND + 1,
  'in bursts of 130': (index) => Math.floor(index / 130) * 3_600 * SECOND + (index % 130) * 77,
  'a tenth of a millisecond apart': (index) => index * 1_000,
};

describe('a list in order of time', () => {
  for (const [shape, timeOf] of Object.entries(SHAPES))
    for (const digits of [0, 3, 7])
      itLong(`gives each row once, in order: ${shape}, ${digits} digits`, async () => {
        for (const order of ORDERS)
          for (const pageSize of [100, 7]) {
            const { found } = await check(rowsOf(431, timeOf), { digits }, still, pageSize, order);
            const ids = Array.from({ length: 431 }, (_, id) => `${id}`);
            expect(found).to.deep.equal(order === 'asc' ? ids : ids.reverse());
          }
      });

  itLong('needs about a request a page where rows are apart', async () => {
    const { asked } = await check(rowsOf(5_000, SHAPES['a minute apart']!), {}, still);
    expect(asked.length).to.be.at.most(52);
    expect(asked.every((query) => query.get('$skip') === '0')).to.equal(true);
    const burst = await check(rowsOf(1_000, SHAPES['all at one time']!), {}, still);
    expect(burst.asked.length).to.be.at.most(12);
  });

  itLong('loses nothing while rows stop to fit: paging by number alone would', async () => {
    for (const [shape, timeOf] of Object.entries(SHAPES)) {
      const rows = rowsOf(650, timeOf);
      const random = randomOf(3);
      await check(rows, {}, (request) => {
        if (request < 12) for (const row of rows) if (random() < 0.05) row.fits = false;
      });
      expect(rows.filter(({ fits }) => !fits).length, shape).to.be.above(100);
    }
  });

  itLong(
    'loses and repeats nothing while rows are added, stop to fit and fit again: in each order',
    async () => {
      for (let seed = 1; seed <= turns(sized(200, 400)); seed++) {
        const order = ORDERS[seed % 2];
        const random = randomOf(Math.ceil(seed / 2));
        const shapes = Object.values(SHAPES);
        const rows = rowsOf(40 + Math.floor(random() * 160), shapes[seed % shapes.length]!);
        const changes = random() * 25;
        const habits: Habits = {
          digits: Math.floor(random() * 8),
          mostItems: random() < 0.3 ? 17 : 100,
          counts: random() < 0.7,
        };
        await check(
          rows,
          habits,
          (request) => {
            if (request > changes) return;
            for (const row of rows) if (random() < 0.03) row.fits = !row.fits && row.id < 0; // only ever away
            const latest = Math.max(...rows.map(({ at }) => at));
            if (random() < 0.5)
              rows.push({
                id: rows.length,
                at: latest + Math.floor(random() * 2 * SECOND),
                fits: true,
              });
          },
          5 + Math.floor(random() * 96),
          order,
        );
      }
    },
  );

  itLong(
    'bears ties in changing order, short pages, no count, and an order that is ignored',
    async () => {
      for (const habits of [
        { shuffles: true },
        { mostItems: 37 },
        { counts: false },
        { mostItems: 37, counts: false },
        { ignoresOrder: true },
        { scrambles: true },
      ] as const)
        for (const timeOf of Object.values(SHAPES))
          for (const order of ORDERS)
            await check(rowsOf(350, timeOf), habits, still, undefined, order);
    },
  );

  itLong('bears ties in changing order with any luck', async () => {
    for (let seed = 1; seed <= 60; seed++)
      await check(
        rowsOf(25 + seed, () => 1),
        { shuffles: true, seed },
        still,
        20,
      );
  });

  itLong('fails where the list never holds still, and says so', async () => {
    const rows = rowsOf(200, () => 1);
    const { fetch } = serviceOf(rows, {}, (request) => {
      for (const row of rows) row.fits = (row.id + request) % 3 !== 0;
    });
    const { list, run } = listWith(fetch, 10);
    const error = await failureOf(run(idsOf(list)));
    expect(error).to.include({
      kind: 'response',
      code: 'LIST_UNSTABLE',
      outcome: 'not-done',
      next: 'retry',
    });
  });

  it('counts what there was at the beginning on every page', async () => {
    const { fetch } = serviceOf(rowsOf(250, SHAPES['a minute apart']!), {}, still);
    const { list, run } = listWith(fetch);
    const pages: Page<Invoice>[] = [];
    await run(
      (async () => {
        for await (const page of list.pages()) pages.push(page);
      })(),
    );
    expect(pages.map(({ items, count }) => [items.length, count])).to.deep.equal([
      [100, 250],
      [99, 250],
      [51, 250],
    ]);
  });
});

describe('how often a list is read again', () => {
  /** Requests for thirty rows of which the service counts more. */
  const requestsFor = async (more: (request: number) => number) => {
    const { asked, fetch } = serviceOf(
      rowsOf(30, () => 1),
      {},
      still,
    );
    const counted = async (url: string): Promise<Response> => {
      const page = (await (await fetch(url)).json()) as { count: number };
      return new Response(JSON.stringify({ ...page, count: page.count + more(asked.length) }));
    };
    const { list, run, clock } = listWith((url) => clock.external(counted(url))); // a body takes its time
    const error = await run(
      idsOf(list).then(
        (ids) => void expect(new Set(ids).size).to.equal(30),
        (thrown: { code: string }) => thrown.code,
      ),
    );
    return [asked.length, error];
  };

  it('is once where its count is right; where it is always too high, forty times and then told', async () => {
    expect(await requestsFor(() => 0)).to.deep.equal([1, undefined]);
    expect(await requestsFor(() => 1)).to.deep.equal([80, 'LIST_UNSTABLE']);
  });
});

describe('a list from the newest on', () => {
  it('asks once for the newest twenty of many', async () => {
    const { asked, fetch } = serviceOf(rowsOf(10_000, SHAPES['a minute apart']!), {}, still);
    const { list, run } = listWith(fetch, 100, undefined, 'desc');
    const found = await run(list.toArray({ limit: 20 }));
    expect(found.map(({ invoiceId }) => Number(invoiceId))).to.deep.equal(
      Array.from({ length: 20 }, (_, at) => 9_999 - at),
    );
    expect(asked).to.have.length(1);
  });

  itLong(
    'gives what was there once, in order, while a row arrives with every request',
    async () => {
      for (const timeOf of Object.values(SHAPES))
        for (const pageSize of [100, 7]) {
          const rows = rowsOf(300, timeOf);
          const arrive = () =>
            void rows.push({ id: rows.length, at: 1e13 + rows.length * SECOND, fits: true });
          const { found } = await check(rows, {}, arrive, pageSize, 'desc');
          expect(found.map(Number)).to.deep.equal(found.map(Number).sort((a, b) => b - a));
        }
    },
  );

  it('is refused where the service has no order, and so is an order that there is none of', () => {
    const { client, sandbox } = openShop();
    const other = { order: 'newest' as 'desc' };
    for (const list of [
      () => client.deposits.list({ order: 'desc' }),
      () => client.payouts.list({ order: 'asc' }),
      () => client.invoices.list({}, other),
      () => client.events.list({}, other),
    ] as (() => unknown)[])
      expect(list).to.throw(InputError).with.property('validationErrors').with.property('order');
    expect(sandbox.log).to.have.length(0);
  });
});

describe('a list without order or filter', () => {
  const deposits = (fetch: (url: string) => Promise<Response>) => {
    const { client, run } = openShop({ fetch, callTimeout: 1e12, queueTimeout: 1e12 });
    return { list: client.deposits.list({ pageSize: 20 }), run };
  };

  itLong('loses and repeats nothing that is there all the while: 80 schedules', async () => {
    for (let seed = 1; seed <= turns(80); seed++) {
      const random = randomOf(seed);
      const rows = rowsOf(150, (index) => index * SECOND);
      const changes = random() * 20;
      const { fetch } = serviceOf(
        rows,
        { counts: random() < 0.7, mostItems: random() < 0.3 ? 13 : 100 },
        (request) => {
          if (request > changes) return;
          for (const row of rows) if (random() < 0.02) row.fits = false;
          while (random() < 0.6)
            rows.push({ id: rows.length, at: rows.length * SECOND, fits: true });
        },
      );
      const { list, run } = deposits(fetch);
      const found = await run(depositsOf(list), { timeout: 1e12 });
      expect(new Set(found).size).to.equal(found.length);
      expect(
        rows.filter(({ id, fits }) => id < 150 && fits && !found.includes(`${id}`)),
      ).to.deep.equal([]);
    }
  });

  it('is read once where only new rows come', async () => {
    const rows = rowsOf(150, (index) => index * SECOND);
    const { asked, fetch } = serviceOf(
      rows,
      {},
      () => void rows.push({ id: rows.length, at: rows.length * SECOND, fits: true }),
    );
    const { list, run } = deposits(fetch);
    await run(depositsOf(list));
    expect(asked.length).to.be.at.most(9);
    expect(
      asked.every((query) => query.get('$filter') === null && query.get('$orderby') === null),
    ).to.equal(true);
  });
});

describe('a cursor', () => {
  itLong('goes on where a list was left, on any page, through text', async () => {
    for (const order of ORDERS)
      for (const [timeOf, leave] of Object.values(SHAPES).flatMap((shape) =>
        [1, 2, 3].map((page) => [shape, page] as const),
      )) {
        const rows = rowsOf(431, timeOf);
        const { fetch } = serviceOf(rows, {}, still);
        const first = listWith(fetch, 100, undefined, order);
        const found: string[] = [];
        let cursor: string | undefined;
        await first.run(
          (async () => {
            let count = 0;
            for await (const page of first.list.pages()) {
              found.push(...page.items.map(({ invoiceId }) => invoiceId));
              cursor = page.cursor;
              if (++count === leave) break;
            }
          })(),
        );
        expect(cursor).to.be.a('string');
        for (let id = 1_000; id < 1_030; id++) rows.push({ id, at: 1e13 + id, fits: true }); // added meanwhile
        const second = listWith(fetch, 50, cursor, order);
        found.push(...(await second.run(idsOf(second.list))));
        expect(new Set(found).size).to.equal(found.length);
        expect(found.filter((id) => Number(id) < 1_000)).to.have.length(431);
        if (order === 'asc') expect(found).to.have.length(461);
      }
  });

  it('does not grow with what was read', async () => {
    const { fetch } = serviceOf(rowsOf(1_500, SHAPES['a minute apart']!), {}, still);
    const { list, run } = listWith(fetch);
    const lengths: number[] = [];
    await run(
      (async () => {
        for await (const { cursor } of list.pages()) lengths.push(cursor?.length ?? 0);
      })(),
    );
    expect(lengths.length).to.be.above(14);
    expect(Math.max(...lengths)).to.be.below(2 * lengths[0]!);
  });

  it('is of one list, and nothing else is a cursor', async () => {
    const { sandbox, client, run } = openShop();
    await run(client.invoices.create(DRAFT));
    const [page] = await run(
      (async () => {
        const pages: Page<Invoice>[] = [];
        for await (const one of client.invoices.list({ state: 'UNPAID' }).pages()) pages.push(one);
        return pages;
      })(),
    );
    const sent = sandbox.log.length;
    expect(
      await run(
        client.invoices.list({ state: 'UNPAID' }, { cursor: page!.cursor }).toArray({ limit: 9 }),
      ),
    ).to.deep.equal([]);
    for (const cursor of [page!.cursor!, '', '[]', '{}', 'null', '7', 'x', '[null,1,2]', '["a"]'])
      for (const list of [
        () => client.invoices.list({ state: 'PAID' }, { cursor }),
        () => client.events.list({ eventType: 'x' }, { cursor }),
        () => client.invoices.list({ state: 'UNPAID' }, { cursor, order: 'desc' }),
      ] as (() => List<Invoice> | List<ServiceEvent>)[])
        expect(list, cursor).to.throw().with.property('validationErrors').with.property('cursor');
    expect(sandbox.log).to.have.length(sent + 1);
  });
});
