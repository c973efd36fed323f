import { badInput } from '../errors/index.ts';

const USUAL = {
  attemptTimeout: 10_000,
  callTimeout: 60_000,
  queueTimeout: undefined as number | undefined, // by the window of the request's rate limit
  maxAttempts: 3,
  rateLimitShare: 1,
  maxResponseBytes: 5_000_000,
};

export type Numbers = typeof USUAL;
type Given<N> = { readonly [K in keyof N]?: N[K] | undefined };

/**
 * What is given of the numbers, checked, and the usual ones for the rest: those of a new client, if
 * no others are named.
 */
export function numbersOf(given: Given<Numbers>, usual: Numbers = USUAL): Numbers {
  const numbers: Record<string, unknown> = {};
  for (const name of Object.keys(USUAL) as (keyof Numbers)[]) {
    const value = (numbers[name] = given[name] ?? usual[name]);
    if (value === undefined) continue;
    if (typeof value !== 'number' || !(value > 0) || (name === 'rateLimitShare' && value > 1))
      throw badInput(name, 'must be above 0, a share at most 1');
  }
  return numbers as Numbers;
}
