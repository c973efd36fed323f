import type { RateLog } from '../core/http/index.ts';
import type { DurableStorage } from '../core/platform.ts';
import type { Clock } from '../core/time.ts';
import { LogCounter, onThisClock } from '../stores/rate-limits.ts';

/** A log whose damping after a block is whole again is forgotten. */
const RECOVERY_MS = 6_000_000;

/** A counter in the object's own database: one row for each bucket, with its whole log. */
export function storedCounter({ sql }: DurableStorage, clock: Clock): LogCounter {
  sql.exec(
    'CREATE TABLE IF NOT EXISTS relay_counts (bucket TEXT PRIMARY KEY, log TEXT NOT NULL, until REAL NOT NULL)',
  );
  // wall time for those who come after, but a jump of the clock gives no place
  const ahead = clock.now() - clock.monotonic();
  const now = () => clock.monotonic() + ahead;
  return new LogCounter(
    {
      get(bucket) {
        const query = 'SELECT log FROM relay_counts WHERE bucket = ?';
        const [row] = sql.exec<{ log: string }>(query, bucket).toArray();
        return row && onThisClock(JSON.parse(row.log) as RateLog, now());
      },
      set(bucket, log, window) {
        const until = Math.max(now() + window, log.blockedUntil + RECOVERY_MS);
        sql.exec('DELETE FROM relay_counts WHERE until < ?', now());
        sql.exec(
          'INSERT OR REPLACE INTO relay_counts VALUES (?, ?, ?)',
          bucket,
          JSON.stringify(log),
          until,
        );
      },
    },
    now,
  );
}
