// Protects: a page hears of a payment that another process has read, where no notification arrives: the connection that listens
// is deaf while its TCP stays open, there is none, or a pool in transaction mode stands between. Then polls bring it: the page
// is told within three of its process, each a second apart.
import { expect } from 'chai';
import { after, before, describe, it, sized } from '#test';
import { until } from '../edge/until.ts';
import { deliver, makeOrder } from '../prove/rows/pages-of.ts';
import { openStage, type Stage } from '../prove/rows/stage.ts';
import { type Postgresql, startPostgresql } from '../runners/stores/postgresql.ts';
import { openDeafWay, openTransactionPool, type Way } from './host/wire.ts';

let postgresql: Postgresql | undefined;
before(async () => void (postgresql = await startPostgresql()));
after(() => postgresql?.stop());

/** With `npm run test:all` five. */
const PAYMENTS = sized(2, 5);
/** One poll may be under way when the row is written, and the next one finds it. */
const MOST_POLLS = 2;

/** Orders of the first process, pages of the second one, which is told of payments by polls alone. */
async function payAndPoll(stage: Stage, ports: readonly number[], way: Way): Promise<void> {
  const [first = 0, second = 0] = ports;
  for (let n = 0; n < PAYMENTS; n += 1) {
    const page = await stage.pages.open(second, await makeOrder(first));
    await stage.sandbox.payer.pay(page.invoiceId);
    expect(await deliver(first, page.invoiceId)).to.deep.equal([200]);
    await until('the row', async () => {
      const rows = await stage.query(
        `SELECT 1 AS one FROM paystate_invoice WHERE invoice_id = $1 AND json LIKE '%"PAID"%'`,
        [page.invoiceId],
      );
      return rows.length > 0;
    });
    const before = way.polls();
    await page.when('PAID');
    expect(way.polls() - before, 'polls').to.be.at.most(MOST_POLLS);
    page.stop();
  }
  expect(way.polls(), 'the polls were counted').to.be.above(0);
}

const portOf = (url: string): number => Number(new URL(url).port);
const through = (url: string, port: number): string => {
  const other = new URL(url);
  other.port = `${port}`;
  return other.href;
};

/** The test is given a stage of its own, and the way that is opened for its second process. */
function itHears(
  title: string,
  open: (hostname: string, port: number) => Promise<Way>,
  test: (stage: Stage, way: Way) => Promise<void>,
): void {
  it(title, async ({ skip }) => {
    if (!postgresql) return skip('PostgreSQL is not installed');
    const stage = await openStage(postgresql);
    const way = await open('127.0.0.1', portOf(stage.url));
    try {
      await test(stage, way);
    } finally {
      await stage.close();
      way.close();
    }
  });
}

describe('a page whose process hears no notification', { concurrency: 3 }, () => {
  itHears(
    'is told by polls, where the connection that listens is deaf',
    openDeafWay,
    async (stage, way) => {
      const { port: first } = await stage.start();
      const { port: second } = await stage.start({ DATABASE: through(stage.url, way.port) });
      const signs = () => stage.query('SELECT id FROM paystate_proc ORDER BY id');
      const before = await signs();
      await payAndPoll(stage, [first, second], way);
      await until('another connection that listens', () => way.times() > 1);
      expect(await signs(), 'none counted as dead').to.deep.equal(before);
    },
  );

  itHears('is told by polls, where nothing listens', openDeafWay, async (stage, way) => {
    const { port: first } = await stage.start();
    const database = { DATABASE: through(stage.url, way.port), LISTEN: 'none' };
    const { port: second } = await stage.start(database);
    await payAndPoll(stage, [first, second], way);
    expect(way.times(), 'connections that listen').to.equal(0);
  });

  itHears(
    'is told by polls behind a pool in transaction mode, which gives each transaction another connection',
    (hostname, port) => openTransactionPool(hostname, port, 4),
    async (stage, way) => {
      const ports = [];
      for (const LISTEN of ['none', undefined])
        ports.push(
          (
            await stage.start({
              DATABASE: through(stage.url, way.port),
              ...(LISTEN && { LISTEN }),
            })
          ).port,
        );
      await payAndPoll(stage, ports, way);
      expect(way.times(), 'transactions on another connection').to.be.above(10);
      await until('the parcels', async () => {
        const [row] = await stage.query('SELECT count(*)::int AS count FROM parcels');
        return row!['count'] === PAYMENTS;
      });
    },
  );
});
