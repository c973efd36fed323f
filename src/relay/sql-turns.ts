import type { TurnPace } from './relay-store.ts';
import { MAX, MIN, NOW, sql, SqlPart, whole } from './sql-text.ts';

/** Parts of a window, of which each has a row that says how many turns were given in it. */
const PARTS = 24;
/** Rows of parts: more than a window has, so that one that is written again is out of it. */
const ROWS = 32;
/** Turns that are spread leave this many times faster than the rest of the window would need. */
const EAGER = 8;

/** Turns to take in a transaction, by rows of an account. */
interface TakenTurns {
  /** Takes the turns, in order; locks their row, so that processes take turns. */
  readonly take: readonly SqlPart[];
  /** The number of turns that were taken. */
  readonly granted: SqlPart;
  /** A row: how many were `granted`, and milliseconds until there are more: `delay`. */
  readonly state: SqlPart;
}

/**
 * Takes up to `wanted` turns. What a window has given is counted by its parts, so no window has
 * more than `most`, and after a quiet time all of them may be given at once; the last `spread` of
 * them come one by one, the slower the fewer are left.
 *
 * @param isDue without it no turn is taken, and nothing is written
 */
export function takenTurns(
  account: string,
  kind: string,
  wanted: number,
  { most, window, spread = 0, reserve = 0 }: Omit<TurnPace, 'most'> & { most: number | SqlPart },
  isDue: SqlPart = sql`1 = 1`,
): TakenTurns {
  const row = sql`{}_share.account = ${account} AND {}_share.kind = ${kind}
    AND {}_share.who = ''`;
  const left = turnsLeft(account, kind, most, window);
  const isSoon = sql`{}_share.turn > ${NOW} OR NOT (${isDue})`;
  const slot = whole(sql`${NOW} / CAST(${window / PARTS} AS DOUBLE PRECISION)`);
  return {
    take: [
      sql`INSERT INTO {}_share (account, kind, who, turn)
        SELECT CAST(${account} AS TEXT), CAST(${kind} AS TEXT), '', 0 WHERE ${isDue}
        ON CONFLICT (account, kind, who) ${LOCKED}`,
      sql`UPDATE {}_share SET
        granted = CASE WHEN ${isSoon} THEN 0 ELSE ${MAX}(0, ${MIN}(CAST(${wanted} AS INTEGER),
          w.rest - CAST(${reserve} AS INTEGER),
          ${MAX}(1, w.rest - CAST(${spread} AS INTEGER)))) END,
        turn = CASE WHEN ${isSoon} OR w.rest <= CAST(${reserve} AS INTEGER)
            OR w.rest - ${MIN}(w.rest, CAST(${wanted} AS INTEGER)) >= CAST(${spread} AS INTEGER)
          THEN {}_share.turn
          ELSE ${NOW} + CAST(${window / EAGER} AS DOUBLE PRECISION) / w.rest END
        FROM ${left} WHERE ${row} AND ({}_share.granted > 0 OR ${isDue})`,
      sql`INSERT INTO {}_share (account, kind, who, turn, granted)
        SELECT account, CAST(${takenOf(kind)} AS TEXT), CAST(${slot} % ${ROWS_TEXT} AS TEXT),
          ${NOW}, granted FROM {}_share WHERE ${row} AND granted > 0
        ON CONFLICT (account, kind, who) DO UPDATE SET turn = excluded.turn,
          granted = excluded.granted + CASE
            WHEN {}_share.turn > ${NOW} - CAST(${window} AS DOUBLE PRECISION)
            THEN {}_share.granted ELSE 0 END`,
    ],
    granted: sql`coalesce((SELECT granted FROM {}_share WHERE ${row}), 0)`,
    state: sql`SELECT {}_share.granted AS granted, CASE
        WHEN w.rest > CAST(${reserve} AS INTEGER) THEN {}_share.turn
        ELSE w.oldest + CAST(${window} AS DOUBLE PRECISION) END - ${NOW} AS delay
      FROM {}_share, ${left} WHERE ${row} AND ${isDue}`,
  };
}

/** A table called `w` of one row: the turns that are left, and when the oldest was given. */
export function turnsLeft(
  account: string,
  kind: string,
  most: number | SqlPart,
  window: number,
): SqlPart {
  const all = most instanceof SqlPart ? most : sql`CAST(${most} AS INTEGER)`;
  return sql`(SELECT ${all} - t.taken AS rest, t.taken, t.oldest
    FROM (SELECT CAST(coalesce(sum(granted), 0) AS INTEGER) AS taken,
        coalesce(min(turn), 0) AS oldest FROM {}_share
      WHERE account = ${account} AND kind = ${takenOf(kind)}
        AND turn > ${NOW} - CAST(${window} AS DOUBLE PRECISION)) t) w`;
}

/** All turns of this kind are free again. */
export function freedTurns(account: string, kind: string): SqlPart {
  return sql`DELETE FROM {}_share WHERE account = ${account}
    AND kind IN (${kind}, ${takenOf(kind)}) AND (who = '' OR kind <> ${kind})`;
}

/** Rows of this kind count what the parts of the window have given. */
const takenOf = (kind: string): string => `${kind}, taken`;
const ROWS_TEXT = new SqlPart(() => String(ROWS));
/** In SQLite a write is alone anyway. */
const LOCKED = new SqlPart(({ dialect, prefix }) =>
  dialect === 'sqlite' ? 'DO NOTHING' : `DO UPDATE SET turn = ${prefix}_share.turn`,
);
