// Protects: who has had little of an account's turns goes first, by order and by the networks of an address; a database that fails
// lets nobody by; what waits too long is told to come back.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { FairQueue } from '../../dist/relay/limits.js';

const MINUTE = 60_000;

/** A queue over turns that the test gives. */
function openQueue(turns: readonly number[], used: Readonly<Record<string, number>> = {}) {
  const sandbox = createSandbox({ clock: 'virtual' });
  const client = createClient(sandbox.clientOptions);
  const had = new Map(Object.entries(used).map(([who, count]) => [who, { count, left: MINUTE }]));
  let slice = 0;
  const store = {
    takeTurns: async (_account: string, _kind: string, wanted: number) => {
      const granted = Math.min(wanted, turns[slice++] ?? 0);
      return { granted, delay: 1_000 };
    },
    hadTurns: async () => new Map(had),
    chargeTurns: async (
      _account: string,
      _kind: string,
      charges: readonly { readonly who: string; readonly count: number; readonly ms: number }[],
    ) => {
      for (const { who, count, ms: left } of charges)
        had.set(who, { count: (had.get(who)?.count ?? 0) + count, left });
    },
  };
  const served: string[] = [];
  const queue = new FairQueue(client, store, 'main');
  const ask = (id: string, visitor?: string) =>
    queue.take('open', { id, visitor }).then(
      () => void served.push(id),
      () => void served.push(`${id} refused`),
    );
  return { sandbox, served, ask, had };
}

describe('the queue of pages', () => {
  it('gives a turn to who has had least, though others have waited longer', async () => {
    const { sandbox, served, ask } = openQueue([0, 1, 1, 1], { '2001:db8:0/48': 90 });
    const home = ['700', '701'].map((part) => ask(part, `2001:db8:0:${part}::/64`));
    const honest = ask('honest', '2001:db9:0:1::/64');
    await sandbox.advance(4_000);
    await Promise.all([...home, honest]);
    expect(served[0]).to.equal('honest');
  });

  it('refuses an order that asks again and again, and who has waited for five seconds', async () => {
    const { sandbox, served, ask } = openQueue([1], { 'id busy': 6 });
    const asked = [ask('busy', '192.0.2.1'), ask('late', '192.0.2.2'), ask('later', '192.0.2.3')];
    await sandbox.advance(6_000);
    await Promise.all(asked);
    expect(served).to.deep.equal(['busy refused', 'late', 'later refused']);
  });

  it('gives one home half of what all have, and a third of it to one of its networks', async () => {
    const { sandbox, served, ask } = openQueue([200, 200, 200]);
    const home = Array.from({ length: 120 }, (_, n) =>
      ask(`${n}`, `2001:db8:0:7${10 + (n % 2)}::/64`),
    );
    const other = Array.from({ length: 80 }, (_, n) => ask(`other ${n}`, '2001:db9:0:1::/64'));
    await sandbox.advance(10_000);
    await Promise.all([...home, ...other]);
    const countOf = (which: RegExp) => served.filter((one) => which.test(one)).length;
    expect([countOf(/^\d+$/), countOf(/^other \d+$/)]).to.deep.equal([100, 66]);
    expect([countOf(/^\d+ refused$/), countOf(/^other \d+ refused$/)]).to.deep.equal([20, 14]);
  });

  it('charges an order and its networks of 64, 56 and 48 bits for a turn', async () => {
    const chargesOf = async (visitor?: string) => {
      const { sandbox, ask, had } = openQueue([1]);
      const asked = ask('o', visitor);
      await sandbox.advance(100);
      await asked;
      return [...had].map(([who, { count, left }]) => [who, count, left]).sort();
    };
    const order = ['id o', 1, MINUTE];
    expect(await chargesOf()).to.deep.equal([order, ['none', 1, MINUTE]]);
    expect(await chargesOf('192.0.2.7')).to.deep.equal([
      ['192.0.2.0/24', 1, MINUTE],
      ['192.0.2.7', 1, MINUTE],
      order,
    ]);
    expect(await chargesOf('2001:db8:0:712::/64')).to.deep.equal([
      ['2001:db8:0/48', 1, MINUTE],
      ['2001:db8:0:7/56', 1, MINUTE],
      ['2001:db8:0:712::/64', 1, MINUTE],
      order,
    ]);
  });
});
