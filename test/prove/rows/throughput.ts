// `webhooks` and `explain`: how many deliveries a second are accepted, and how PostgreSQL finds what is asked often.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDelivery, makeEvent } from 'paystate/testing';
import { judge, type Proof } from './proof.ts';
import { makeOrder, WEBHOOK_SECRET } from './pages-of.ts';
import { seedRows } from './seed.ts';
import { openStage, type Shop } from './stage.ts';

const SENDERS = 64;
const PROMISED = { PostgreSQL: 600, SQLite: 1_500 } as const;

/** Signed deliveries, each of another invoice, as fast as they are accepted; a second. */
async function acceptedBy({ port }: Shop, count: number): Promise<{ rate: number; other: number }> {
  const url = `http://127.0.0.1:${port}/hooks/main`;
  const requests = await Promise.all(
    Array.from({ length: count }, (_, n) =>
      makeDelivery(
        makeEvent({ id: `event ${n}`, data: { entityId: `i${n}` }, created: isoNow() }),
        WEBHOOK_SECRET,
        { url },
      ),
    ),
  );
  let other = 0;
  const since = performance.now();
  const send = async (): Promise<void> => {
    for (let request = requests.pop(); request; request = requests.pop()) {
      const response = await fetch(request);
      await response.arrayBuffer();
      if (response.status !== 200) other += 1;
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
  return { rate: Math.round((count * 1_000) / (performance.now() - since)), other };
}

const isoNow = (): string => new Date().toISOString();

const webhooks: Proof = {
  name: 'webhooks',
  shows: 'signed webhooks that are accepted in a second: one process on PostgreSQL, on SQLite',
  async play(postgresql, { count = 10_000 }) {
    const { faults, check } = judge();
    const figures: Record<string, unknown>[] = [];
    for (const [place, promised] of Object.entries(PROMISED)) {
      const stage = await openStage(postgresql);
      const folder = mkdtempSync(join(tmpdir(), 'paystate-rows-'));
      const file = { DATABASE: '', FILE: join(folder, 'shop.sqlite') };
      const shop = await stage.start(place === 'SQLite' ? file : {});
      const { rate, other } = await acceptedBy(shop, count);
      figures.push({ place, 'accepted a second': rate, 'not accepted': other });
      check(other === 0, `${place}: ${other} not accepted`);
      check(rate >= promised, `${place}: ${rate} a second, promised ${promised}`);
      await stage.close();
      rmSync(folder, { recursive: true });
    }
    return { figures, faults };
  },
};

/** Statements that the relay's processes run often; their values are those of a seeded order. */
const HOT: Readonly<Record<string, string>> = {
  'due accounts': `SELECT a.account FROM paystate_account a WHERE a.feed_at <= 0
    OR EXISTS (SELECT 1 FROM paystate_subject s WHERE s.account = a.account AND s.until <= 9e12
      AND s.due < 9007199254740991 AND s.due <= 9e12)
    OR EXISTS (SELECT 1 FROM paystate_subject s WHERE s.account = a.account AND s.until <= 9e12
      AND s.fresh < 9007199254740991 AND s.fresh <= 9e12)
    OR EXISTS (SELECT 1 FROM paystate_follow f WHERE f.account = a.account AND f.check_at <= 1e12
      AND f.read_until <= 9e12) LIMIT 1000`,
  order: `SELECT * FROM paystate_order WHERE account = 'main' AND order_id = 'o77'`,
  invoice: `SELECT * FROM paystate_invoice i
    LEFT JOIN paystate_follow f ON f.account = i.account AND f.invoice_id = i.invoice_id
    LEFT JOIN paystate_account a ON a.account = i.account
    WHERE i.account = 'main' AND i.invoice_id = 'i77'`,
  'what is newer': `SELECT i.json FROM (VALUES ('main', 'i77', 1.0), ('main', 'i78', 1.0))
    AS given (account, id, version)
    JOIN paystate_invoice i ON i.account = given.account AND i.invoice_id = given.id
    LEFT JOIN paystate_follow f ON f.account = i.account AND f.invoice_id = i.invoice_id
    WHERE i.version > given.version`,
  "an order's invoice": `SELECT 1 FROM paystate_order
    WHERE account = 'main' AND invoice_id = 'i77'`,
  'subjects that are due': `SELECT s.subject FROM paystate_subject s WHERE s.account = 'main'
    AND s.until <= 9e12 AND (s.due <= 9e12 OR s.fresh <= 9e12) ORDER BY EXISTS (SELECT 1
      FROM paystate_order o WHERE o.account = s.account AND o.invoice_id = substr(s.subject, 9)) DESC,
    CASE WHEN s.fresh < s.due THEN s.fresh ELSE s.due END LIMIT 100 FOR UPDATE SKIP LOCKED`,
  'whether any is due': `SELECT 1 WHERE EXISTS (SELECT 1 FROM paystate_subject s
    WHERE s.account = 'main' AND s.until <= 9e12 AND (s.due <= 9e12 OR s.fresh <= 9e12))`,
  checks: `SELECT invoice_id FROM paystate_follow WHERE account = 'main' AND check_at <= 1e12
    AND read_until <= 9e12 ORDER BY check_at LIMIT 15 FOR UPDATE SKIP LOCKED`,
  'how many are followed': `SELECT count(*) FROM paystate_follow WHERE account = 'main'
    AND check_at < 1e12`,
  'events of subjects': `SELECT e.id FROM paystate_subject s JOIN paystate_event e
    ON e.account = s.account AND e.subject = s.subject AND e.open = 1
    WHERE s.holder = 'h' AND s.account = 'main' AND s.turn = 't' ORDER BY e.place`,
  'a known event': `SELECT 1 FROM paystate_event WHERE account = 'main' AND kind = 'event'
    AND id = 'e77'`,
  'old orders': `SELECT order_id FROM paystate_order WHERE until < 1 AND held_until < 1 LIMIT 500`,
  'old events': `SELECT id FROM paystate_event WHERE account = 'main' AND open = 0
    AND received_at < 1 LIMIT 500`,
};

/** Tables that have few rows, whatever is sold. */
const SMALL = /paystate_(account|proc|schema|egress|note|letter|share)\b/;

const explain: Proof = {
  name: 'explain',
  shows: 'how PostgreSQL finds what is asked often, at a million orders: no sequential scan',
  async play(postgresql, { orders = 1_000_000 }) {
    const { faults, check } = judge();
    const stage = await openStage(postgresql);
    const shop = await stage.start();
    await stage.pages.open(shop.port, await makeOrder(shop.port));
    await shop.kill();
    await seedRows(stage, orders);
    const figures = [];
    for (const [name, text] of Object.entries(HOT)) {
      const plan = await stage.query(`EXPLAIN (ANALYZE, COSTS OFF) ${text}`);
      const lines = plan.map((row) => String(row['QUERY PLAN']));
      const ms = Number(/Execution Time: ([\d.]+)/.exec(lines.join('\n'))?.[1]);
      const scans = lines.filter((line) => /Seq Scan on/.test(line) && !SMALL.test(line));
      figures.push({ name, ms });
      check(scans.length === 0, `${name}: ${scans.join()}`);
    }
    await stage.close();
    return { figures, faults };
  },
};

export const throughput: readonly Proof[] = [webhooks, explain];
