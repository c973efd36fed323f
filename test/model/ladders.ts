// When webhooks are sent: a ladder of gaps, held against what a receiver with bad days sees.
import { expect } from 'chai';
import fc from 'fast-check';
import { reportOf } from './run.ts';
import { newInvoice } from '../unit/sandbox/ask.ts';
import { openShop, subscribe, successes } from '../unit/sandbox/receiver.ts';

/** What a receiver does with one attempt: answers at once, answers late, or never. */
interface Reaction {
  readonly status: number;
  /** Milliseconds; five seconds are too many. */
  readonly after: number;
}

const reaction: fc.Arbitrary<Reaction> = fc.record({
  status: fc.constantFrom(500, 500, 500, 503, 404, 301, 200, 204, 410, 501),
  after: fc.constantFrom(0, 0, 0, 1_200, 4_999, 5_000, 60_000),
});

const MOST = 13;
const LIMIT = 5_000;

/** When each attempt is sent, and whether one arrives. */
const ladderOf = (
  reactions: readonly Reaction[],
): { readonly offsets: readonly number[]; readonly success: boolean } => {
  const offsets: number[] = [];
  let at = 0;
  for (let attempt = 0; attempt < MOST; attempt++) {
    const { status, after } = reactions[attempt] ?? { status: 500, after: 0 };
    offsets.push(at);
    const isLate = after >= LIMIT;
    if (!isLate && status >= 200 && status < 300) return { offsets, success: true };
    if (!isLate && (status === 410 || status === 501)) return { offsets, success: false };
    at += Math.min(after, LIMIT) + 1_000 * 3 ** (attempt + 1);
  }
  return { offsets, success: false };
};

const play = async (seed: number, reactions: readonly Reaction[]): Promise<void> => {
  const shop = openShop(
    async (_, count) => {
      const { status, after } = reactions[count - 1] ?? { status: 500, after: 0 };
      if (after > 0) await shop.sandbox.clock.wait(after);
      return status;
    },
    { seed, signed: false },
  );
  await subscribe(shop, { eventTypes: ['invoice.created'] });
  await newInvoice(shop.ask);
  await shop.sandbox.advance(14 * 86_400_000);
  const { offsets, success } = ladderOf(reactions);
  expect(shop.offsets()).to.deep.equal(offsets);
  expect(await successes(shop)).to.deep.equal([success]);
};

/** Plays `runs` receivers. */
export const playLadders = async (
  seed: number,
  runs: number,
): Promise<{ readonly runs: number; readonly difference?: string }> => {
  const property = fc.asyncProperty(
    fc.nat(1_000_000),
    fc.array(reaction, { maxLength: MOST, size: 'max' }),
    play,
  );
  const details = await fc.check(property, { seed, numRuns: runs });
  return { runs: details.numRuns, ...(details.failed && { difference: reportOf(details) }) };
};
