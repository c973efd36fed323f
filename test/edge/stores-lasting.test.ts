// Protects: stores that last keep what they have to keep, in every runtime that has them, and beside other processes.
import '../runners/quiet-tools.ts';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ReceivedEvent } from 'paystate/stores';
import { createTestHarness } from 'wrangler';
import { describe, it } from '#test';
import { bundleTests } from '../runners/one-file.mjs';
import { type Kind, openPlace } from '../runners/stores/places.ts';
import { emptyPostgresql, openPostgresql } from '../runners/stores/postgresql.ts';
import { PROGRAMS, root, run, RUNTIMES, withPlace } from '../runners/stores/run.ts';
import { COMPATIBILITY_DATE } from '../runners/workerd.mjs';

const folder = join(root, '.cache', `d1-${process.pid}`);

const SUBJECTS = 12;
const PROCESSES = 4;
const SUMS = 20;

/** Leases of no duration are void as soon as another process asks. */
const race = async (kind: Kind, place: string, duration: number): Promise<void> => {
  const { store, inbox, beside, end } = await openPlace(kind, place);
  const events = Array.from({ length: 3 * SUBJECTS }, (_, n) => ({
    kind: 'event' as const,
    id: `e${n}`,
    subject: `s${n % SUBJECTS}`,
    body: '{}',
    createdAt: n,
    receivedAt: n,
  }));
  await inbox.add(events);
  const names = Array.from({ length: PROCESSES }, (_, n) => `p${n}`);
  const said = await Promise.all(
    names.map((name) =>
      run('Node', `${PROGRAMS}/work.ts`, kind, place, name, `${SUMS}`, `${duration}`),
    ),
  );
  expect(said.join('')).to.equal('');
  expect(await store.get('sum')).to.deep.equal({
    value: PROCESSES * SUMS,
    version: PROCESSES * SUMS,
  });
  const workers = await Promise.all(events.map(({ id }) => beside.read(id)));
  expect(workers.every((name) => names.includes(name ?? ''))).to.equal(true);
  expect(await inbox.counts()).to.deep.equal({ open: 0, deadLetters: 0 });
  await end();
};

interface Lossy {
  readonly counts: readonly number[];
  readonly hasHappened: boolean;
}

/** Loses the answer of each batch in turn, until none is left to lose; returns their number. */
async function countLost(server: Pick<ReturnType<typeof createTestHarness>, 'fetch'>) {
  for (let which = 1; ; which++) {
    const response = await server.fetch(`/lost?which=${which}`);
    const { counts, hasHappened } = (await response.json()) as Lossy;
    expect(counts, `answer ${which} lost`).to.deep.equal([1, 1]);
    if (!hasHappened) return which - 1;
  }
}

describe('stores that last', () => {
  for (const runtime of Object.keys(RUNTIMES))
    for (const kind of ['sqlite', 'file'] as const)
      it(`pass the checks: ${kind} in ${runtime}`, (context) =>
        withPlace(context, kind, runtime, async (place) => {
          const said = await run(runtime, `${PROGRAMS}/check.ts`, kind, place);
          expect(said).to.equal('fit for use');
        }));

  for (const runtime of Object.keys(RUNTIMES))
    it(`are not in memory: SQLite in ${runtime}`, async () => {
      const refused =
        'database: must be a file: ":memory:" is lost when the process ends; or set mayForget: true';
      const said = await run(runtime, `${PROGRAMS}/forgetful.ts`);
      const lines = said.split('\n').filter((line) => !/Warning|--trace/.test(line));
      expect(lines.map((line) => line.replace(/; nothing was sent.*/, ''))).to.deep.equal([
        refused,
        refused,
        'refused input',
        'false 1',
      ]);
    });

  for (const [kind, name] of [
    ['postgresql', 'pg'],
    ['postgres', 'postgres'],
  ] as const)
    it(`pass the checks: PostgreSQL by ${name} in Node, Deno and Bun`, (context) =>
      withPlace(context, kind, 'all', async (place) => {
        for (const runtime of Object.keys(RUNTIMES)) {
          const said = await run(runtime, `${PROGRAMS}/check.ts`, kind, place);
          expect(said, runtime).to.equal('fit for use');
          await emptyPostgresql(place);
        }
      }));

  it('pass the checks: D1 in workerd, which loses the answer of each batch in turn', async () => {
    const place = join(folder, 'd1');
    mkdirSync(place, { recursive: true });
    const outfile = join(place, 'worker.js');
    const worker = join(root, PROGRAMS, 'd1-worker.ts');
    const after = `export { default } from './${PROGRAMS}/d1-worker.ts';`;
    const conditions = ['workerd', 'worker', 'browser'];
    await bundleTests({ root, files: [worker], after, outfile, conditions });
    const config = {
      name: 'd1',
      main: 'worker.js',
      compatibility_date: COMPATIBILITY_DATE,
      send_metrics: false,
      no_bundle: true,
      d1_databases: [{ binding: 'DB', database_name: 'db', database_id: 'db' }],
    };
    const configPath = join(place, 'wrangler.json');
    writeFileSync(configPath, JSON.stringify(config));
    const server = createTestHarness({ root: place, workers: [{ configPath }] });
    try {
      await server.listen();
      expect(await (await server.fetch('/')).json()).to.deep.equal({
        result: 'fit for use',
        outcomes: ['not-done', 'not-done'],
      });
      expect(await countLost(server)).to.be.at.least(4);
    } finally {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('take no commit of a lease that another process takes at that moment: PostgreSQL', (context) =>
    withPlace(context, 'postgresql', 'moment', async (place) => {
      const { inbox, end } = await openPlace('postgresql', place);
      const [other, gate] = [await openPostgresql(place), await openPostgresql(place)];
      const one = { kind: 'event', id: 'e', subject: 's', body: '', createdAt: 1, receivedAt: 1 };
      await inbox.add([one as ReceivedEvent]);
      const [lease] = await inbox.lease(1, 1, 1);
      const say = (sql: string) => ({ sql, values: [] });
      await gate.batch([say('SELECT pg_advisory_lock(7)')]); // until its connection ends
      const taken = other.batch([
        say("UPDATE paystate_leases SET number = number + 1 WHERE subject = 's'"),
        say('SELECT pg_advisory_xact_lock(7)'),
      ]);
      const isWaiting = async (count: number) => {
        const sql = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
        return (await gate.batch([say(sql)]))[0]!.length >= count;
      };
      while (!(await isWaiting(1)));
      let isOver = false;
      const committed = inbox.commit(lease!, { state: 1, done: lease!.events });
      void committed.finally(() => (isOver = true));
      while (!isOver && !(await isWaiting(2)));
      await gate.end();
      expect(await committed).to.equal(false);
      await taken;
      expect((await inbox.counts()).open).to.equal(1);
      await other.end();
      await end();
    }));

  for (const kind of ['file', 'postgresql', 'postgres'] as const)
    for (const [name, duration] of [
      ['leases', 1_000_000],
      ['leases that are void at once', 0],
    ] as const)
      it(`lose and double nothing between four processes with ${name}: ${kind}`, (context) =>
        withPlace(context, kind, 'race', (place) => race(kind, place, duration)));
});
