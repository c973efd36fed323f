// `faults`: processes are killed and stopped, connections are silent or cut, responses to COMMIT are lost, PostgreSQL starts
// again, while orders are paid. In the end each order has one parcel and one key, and no page was ever told what was not so.
import { setTimeout as wait } from 'node:timers/promises';
import { deliver, type LightPage, makeOrder } from './pages-of.ts';
import { judge, partOf, type Proof } from './proof.ts';
import type { RestartablePostgresql } from '../../runners/stores/postgresql.ts';
import { openStage, type Shop, type Stage } from './stage.ts';

const MINUTE_MS = 60_000;
const EVERY_MS = 6_000;
/** Longer than a process may be without a sign of life. */
const STOPPED_MS = 5_000;
const SILENT_MS = 3_000;
const LOSING_MS = 2_000;
const AGAIN_MS = 500;
const SETTLED_WITHIN_MS = 60_000;
const PROCESSES = 3;

interface Life {
  readonly stage: Stage;
  readonly postgresql: RestartablePostgresql;
  readonly shops: Shop[];
}

type Fault = (life: Life, n: number) => Promise<void>;

const FAULTS: Readonly<Record<string, Fault>> = {
  async kill({ stage, shops }, n) {
    await shops[n % PROCESSES]!.kill();
    shops[n % PROCESSES] = await stage.start();
  },
  async stop({ shops }, n) {
    const { child } = shops[n % PROCESSES]!;
    child.kill('SIGSTOP');
    await wait(STOPPED_MS);
    child.kill('SIGCONT');
  },
  async silence({ stage }) {
    stage.way!.silence();
    await wait(SILENT_MS);
    stage.way!.mend();
  },
  async cut({ stage }) {
    stage.way!.cut();
    await wait(AGAIN_MS);
    stage.way!.mend();
  },
  async 'lost COMMIT'({ stage }) {
    stage.way!.loseCommits(true);
    await wait(LOSING_MS);
    stage.way!.loseCommits(false);
  },
  restart: ({ postgresql }) => postgresql.restart(),
};

/** Tries at one process after the other until it works. */
async function again<T>(
  { shops }: Life,
  n: number,
  work: (port: number) => Promise<T | undefined>,
): Promise<T> {
  for (let at = n; ; at += 1) {
    const done = await Promise.race([
      work(shops[at % PROCESSES]!.port).catch(() => undefined),
      wait(10 * AGAIN_MS, undefined, { ref: false }),
    ]);
    if (done !== undefined) return done;
    await wait(AGAIN_MS);
  }
}

interface Sale {
  readonly orderId: string;
  /** From the payment to the page that shows it, milliseconds. */
  readonly shownAfter: number;
  /** It was told of a payment that was none, or of none after one. */
  readonly wasFalse: boolean;
}

/** One order from its beginning until its page shows that it is paid. */
async function sellOne(life: Life, n: number): Promise<Sale> {
  const { stage } = life;
  const order = await again(life, n, makeOrder);
  const open = (): Promise<LightPage> =>
    again(life, n + 1, (port) => stage.pages.open(port, order));
  let page = await open();
  let wasFalse = page.state === 'PAID';
  await wait(4 * AGAIN_MS);
  wasFalse ||= page.state === 'PAID';
  const since = performance.now();
  await stage.sandbox.payer.pay(page.invoiceId);
  const told = again(life, n + 2, async (port) => {
    const statuses = await deliver(port, page.invoiceId, { times: 1 + (n % 2) });
    return statuses.includes(200) || undefined;
  });
  while (page.state !== 'PAID') {
    if (!page.isOpen) page = await open();
    await Promise.race([page.when('PAID'), wait(AGAIN_MS)]);
  }
  const shownAfter = performance.now() - since;
  await told;
  await wait(2 * AGAIN_MS);
  wasFalse ||= page.state !== 'PAID';
  page.stop();
  return { orderId: order.orderId, shownAfter, wasFalse };
}

const faultsProof: Proof = {
  name: 'faults',
  shows:
    'a hundred faults in ten minutes, at 120 orders a minute: once each, nothing lost or false',
  async play(postgresql, { minutes = 10, rate = 120 }) {
    const { faults, check } = judge();
    const stage = await openStage(postgresql, { hasWay: true });
    const life: Life = { stage, postgresql, shops: [] };
    for (let n = 0; n < PROCESSES; n += 1) life.shops.push(await stage.start());
    const end = performance.now() + minutes * MINUTE_MS;
    const selling: Promise<Sale>[] = [];
    const sell = async (): Promise<void> => {
      for (let n = 0; performance.now() < end; n += 1) {
        selling.push(sellOne(life, n));
        await wait(MINUTE_MS / rate);
      }
    };
    const sold = sell();
    const names = Object.keys(FAULTS);
    let played = 0;
    while (performance.now() < end) {
      const next = performance.now() + EVERY_MS;
      await FAULTS[names[played % names.length]!]!(life, Math.floor(played / names.length));
      played += 1;
      await wait(Math.max(0, next - performance.now()));
    }
    await sold;
    const all = Promise.all(selling);
    const late = wait(SETTLED_WITHIN_MS, undefined, { ref: false });
    const sales = (await Promise.race([all, late])) ?? [];
    check(sales.length > 0, `not all of ${selling.length} pages showed their payment`);
    const figures = await judgeSales(stage, sales, check);
    await stage.close();
    return { figures: [{ faults: played, ...figures }], faults };
  },
};

async function judgeSales(
  stage: Stage,
  sales: readonly Sale[],
  check: (holds: boolean, fault: string) => void,
): Promise<Readonly<Record<string, unknown>>> {
  const count = async (text: string): Promise<number> =>
    Number((await stage.query(`SELECT count(*)::int AS n FROM (${text}) AS found`))[0]!['n']);
  for (const end = performance.now() + SETTLED_WITHIN_MS; performance.now() < end; ) {
    if ((await count('SELECT DISTINCT order_id FROM parcels')) >= sales.length) break;
    await wait(AGAIN_MS);
  }
  const parcels = await count('SELECT DISTINCT order_id FROM parcels');
  const twice = await count('SELECT 1 FROM parcels GROUP BY order_id HAVING count(*) > 1');
  const keys = await count('SELECT 1 FROM runs GROUP BY order_id HAVING count(DISTINCT key) > 1');
  const runs = await count('SELECT 1 FROM runs');
  const wrong = sales.filter(({ wasFalse }) => wasFalse).length;
  const waits = sales.map(({ shownAfter }) => shownAfter);
  check(parcels === sales.length, `${sales.length} sold, ${parcels} parcels`);
  check(twice === 0, `${twice} orders have two parcels`);
  check(keys === 0, `${keys} orders have two keys`);
  check(wrong === 0, `${wrong} pages were told what was not so`);
  return {
    ...{ sold: sales.length, parcels, twice, 'two keys': keys, 'handler runs': runs, false: wrong },
    ...{ p50: Math.round(partOf(waits, 0.5)), p99: Math.round(partOf(waits, 0.99)) },
    worst: Math.round(partOf(waits, 1)),
  };
}

export const faultProofs: readonly Proof[] = [faultsProof];
