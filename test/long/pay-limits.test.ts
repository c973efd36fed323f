// Protects: a limit of a day holds exactly where four processes pay 25 times each at once, and waiting for one's turn leaves no
// payment in doubt.
// Part of `npm test`.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createGuards } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { nodeHandler } from 'paystate/host';
import { describe, it } from '#test';
import { type Kind, openPlace } from '../runners/stores/places.ts';
import { run, withPlace } from '../runners/stores/run.ts';
import { EUR, paymentsMoved } from '../unit/flows/pay-lives.ts';

const PROCESSES = ['a', 'b', 'c', 'd'];
const EACH = 25;
/** What a payment of 5.00 takes is a little more: there is room for fewer than this. */
const MOST_CENTS = 17_500;

async function payAtOnce(kind: Kind, place: string) {
  const { store, end } = await openPlace(kind, place);
  await createGuards({ journal: store, maxPerDay: EUR('175.00') });
  await end();
  const sandbox = createSandbox({ clock: 'real', signed: false });
  const server = createServer(nodeHandler((request) => sandbox.fetch(request)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { apiKey } = sandbox.clientOptions;
  const ends = await Promise.all(
    PROCESSES.map(async (name) => {
      const task = JSON.stringify({ baseUrl, apiKey, kind, place, name, count: EACH });
      const said = await run('Node', 'test/long/pay-limits-process.ts', task);
      return JSON.parse(said.split('\n').at(-1)!) as readonly string[];
    }),
  );
  server.close();
  server.closeAllConnections();
  return { ends: ends.flat(), moved: paymentsMoved(sandbox).length };
}

describe('a limit of a day that four processes share', () => {
  for (const kind of ['sqlite', 'postgresql'] as const)
    it(`holds exactly, and leaves nothing in doubt: ${kind}`, (context) =>
      withPlace(context, kind, 'limits', async (place) => {
        const { ends, moved } = await payAtOnce(kind, place);
        const paid = ends.filter((one) => /^\d/.test(one)).map((one) => Math.round(+one * 100));
        const spent = paid.reduce((sum, cents) => sum + cents, 0);
        expect([...new Set(ends.filter((one) => !/^\d/.test(one)))]).to.deep.equal(['per-day']);
        expect(ends).to.have.length(PROCESSES.length * EACH);
        expect(spent).to.be.within(MOST_CENTS - paid[0]!, MOST_CENTS);
        expect(moved).to.equal(paid.length);
      }));
});
