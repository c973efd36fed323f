import type { Connection } from '../core/connection.ts';
import { type Watch, watchOf } from '../core/watch.ts';

/**
 * Whole seconds until `expiresAt`, once a second, rounded down so that it never promises too much; completes at 0.
 * Counts on the client's monotonic clock, so a wrong or changed device clock does not matter.
 *
 * @param expiresAt as in a checkout's `code`: milliseconds of the client's monotonic clock
 * @example
 * countdown(client, view.code.expiresAt).subscribe((seconds) => console.log(seconds));
 */
export function countdown({ clock }: Pick<Connection, 'clock'>, expiresAt: number): Watch<number> {
  const left = () => Math.max(0, expiresAt - clock.monotonic());
  return watchOf<number>({
    status: () => ({ why: 'counting down' }),
    start(to) {
      const stop = new AbortController();
      void (async () => {
        while (!stop.signal.aborted) {
          const ms = left();
          to.next(Math.floor(ms / 1_000));
          if (ms === 0) return to.complete();
          await clock.wait(ms % 1_000 || 1_000, stop.signal);
        }
      })();
      return () => stop.abort();
    },
  });
}
