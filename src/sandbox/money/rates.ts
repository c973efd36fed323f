import { decimalText } from '../../money/decimal.ts';
import type { World } from '../world.ts';

/** Price of one bitcoin in hundredths, before it moves. */
const BASE: Readonly<Record<string, bigint>> = {
  USD: 6_000_000n, EUR: 5_520_000n, USDT: 6_000_000n, GBP: 4_740_000n, AUD: 9_120_000n,
};

/** Rates hold for ten seconds. */
const STEP = 10_000;

/** Swings of the price: each with its length in steps and its height in hundred-thousandths. */
const SWINGS = [
  { steps: 1, height: 20 },
  { steps: 6, height: 60 },
  { steps: 36, height: 150 },
  { steps: 360, height: 400 },
  { steps: 8_640, height: 3_000 },
] as const;

/**
 * Price of one bitcoin now, as a decimal text with two digits. A walk of whole numbers that can be
 * looked up at any time, so that nobody's questions change it.
 */
export function bitcoinPrice(world: World, currency: string): string | undefined {
  if (currency === 'BTC') return '1';
  const base = BASE[currency];
  if (base === undefined) return undefined;
  const step = Math.floor(world.clock.now() / STEP);
  let swing = 0;
  for (const { steps, height } of SWINGS) swing += between(world, steps, height, step);
  return decimalText({ digits: (base * BigInt(100_000 + swing)) / 100_000n, scale: 2 });
}

/** A straight line between two drawn corners. */
function between(world: World, steps: number, height: number, step: number): number {
  const corner = Math.floor(step / steps);
  const along = step - corner * steps;
  const draw = (at: number): number => world.random.below(2 * height + 1, `rate/${steps}`, at) - height;
  return Math.trunc((draw(corner) * (steps - along) + (along === 0 ? 0 : draw(corner + 1) * along)) / steps);
}
