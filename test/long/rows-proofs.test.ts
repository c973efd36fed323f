// Protects: each proof of the rows can be played, and what must hold does so in a small part of it. `npm run prove -- rows`
// plays them whole, with their times.
import { expect } from 'chai';
import { after, before, describe, it } from '#test';
import type { Shown } from '../prove/rows/proof.ts';
import { proofs } from '../prove/rows/proofs.ts';
import { type RestartablePostgresql, startPostgresql } from '../runners/stores/postgresql.ts';

let postgresql: RestartablePostgresql | undefined;
before(async () => void (postgresql = await startPostgresql()));
after(() => postgresql?.stop());

/** Plays a part of a proof, and gives what was shown to the test. */
function itShows(
  name: string,
  title: string,
  options: Readonly<Record<string, number>>,
  test: (shown: Shown) => void,
): void {
  it(`${name}: ${title}`, async ({ skip }) => {
    if (!postgresql) return skip('PostgreSQL is not installed');
    const proof = proofs.find((one) => one.name === name)!;
    test(await proof.play(postgresql, options));
  });
}

describe('the proofs of the rows', () => {
  itShows('webhooks', 'all are accepted, in both databases', { count: 150 }, ({ figures }) => {
    expect(figures.map((row) => row['not accepted'])).to.deep.equal([0, 0]);
  });

  itShows('explain', 'no sequential scan', { orders: 30_000 }, ({ figures, faults }) => {
    expect(figures.length).to.be.above(10);
    expect(faults).to.deep.equal([]);
  });

  itShows('sales', 'each is shown, and has one parcel', { minutes: 0.04 }, ({ figures }) => {
    for (const { paid, shown, parcels, twice } of figures)
      expect({ paid, shown, parcels, twice }).to.deep.equal({
        ...{ paid: 10, shown: 10, parcels: 10, twice: 0 },
      });
  });

  itShows('faults', 'once each, nothing false', { minutes: 0.12 }, ({ figures: [row], faults }) => {
    expect(faults).to.deep.equal([]);
    expect(row!['faults']).to.be.above(0);
  });
});
