import { type CallResult, serviceTime } from '../../core/http/index.ts';

/** How far the service's clock may be ahead of one that no response has told, milliseconds. */
const UNTOLD_SKEW = 10_000;
/** A `Date` header names a whole second. */
const SECOND = 999;

/** How far the service's clock is ahead of ours at most, by a response. */
export function skewBy({ headers }: CallResult<unknown>, now: number): number {
  const isTold = headers.has('date');
  return isTold ? serviceTime(headers, now) + SECOND - now : UNTOLD_SKEW;
}
