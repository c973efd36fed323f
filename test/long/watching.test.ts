// Protects: watches beside the caller's own reads keep the service's limit, are never blocked, show no change as not happened
// for longer than their bound, and miss none. A part of `npm run prove -- watching`.
import { expect } from 'chai';
import { describe, it } from '#test';
import { LIMITS, nameOf, SUITE } from '../prove/watching/cells.ts';
import { playCell } from '../prove/watching/play.ts';

const MINUTES = 10;

describe('what watching costs', () => {
  for (const cell of SUITE)
    it(nameOf(cell), async () => {
      const row = await playCell(cell, MINUTES);
      expect(row.changes).to.be.above(0);
      expect(row.allInTenMinutes).to.be.at.most(LIMITS[cell.rateLimits]);
      const { blocks, falseLive, missed, ended, ownFailures } = row;
      expect({ blocks, falseLive, missed, ended, ownFailures }).to.deep.equal({
        blocks: 0,
        falseLive: 0,
        missed: 0,
        ended: 0,
        ownFailures: 0,
      });
    });
});
