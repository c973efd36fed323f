import { type Connection, internals } from '../core/http/index.ts';
import { type Observer, type Watch, watchOf } from '../core/watch/index.ts';
import type { CheckoutQuote } from './quote.ts';

/**
 * Whole seconds until a quote expires, once a second, rounded down so that it never promises too
 * much; completes at 0. Counts on the client's monotonic clock, so a wrong or changed device clock
 * does not matter.
 *
 * @param quote a checkout's quote; `expiresAt` in milliseconds of the client's monotonic clock
 * @example
 * countdown(client, view.quote).subscribe((seconds) => console.log(seconds));
 */
export function countdown(
  connection: Connection,
  { expiresAt }: Pick<CheckoutQuote, 'expiresAt'>,
): Watch<number> {
  const { clock } = connection[internals];
  const secondsLeft = () => Math.max(0, Math.floor((expiresAt - clock.monotonic()) / 1_000));

  async function count(to: Observer<number>, signal: AbortSignal): Promise<void> {
    for (let shown: number | undefined; !signal.aborted; ) {
      const seconds = secondsLeft();
      if (seconds !== shown) to.next((shown = seconds));
      const left = expiresAt - clock.monotonic();
      if (left <= 0) return to.complete();
      await clock.wait((left % 1_000) + 1, signal); // a second is over only when less than it is left
    }
  }

  return watchOf<number>({
    clock,
    status: () => ({ reason: 'counting down' }),
    idle: secondsLeft,
    start(to) {
      const stop = new AbortController();
      void count(to, stop.signal);
      return { stop: () => stop.abort() };
    },
  });
}
