import type { EvenPace, WindowPace } from './relay-store.ts';
import { MAX, MIN, NOW, sql, SqlPart, whole } from './sql-text.ts';

/** The number of parts that a window is divided into. Each row counts the requests in one part. */
const PARTS = 24;
/**
 * The number of rows that count parts of windows. A window has fewer parts, so a row is only reused
 * after its part has left the window.
 */
const ROWS = 32;

interface TakenTurns {
  /**
   * The statements that take rate-limit slots. They lock a row, so processes wait for each other.
   */
  readonly take: readonly SqlPart[];
  readonly granted: SqlPart;
  /**
   * Selects the number of slots taken (`granted`) and the milliseconds until more are available
   * (`delay`).
   */
  readonly state: SqlPart;
}

interface TurnRow {
  readonly account: string;
  readonly kind: string;
  readonly row: SqlPart;
  /** If this condition is false, no slot is taken and nothing is written. */
  readonly isDue: SqlPart;
}

export function takenTurns(
  account: string,
  kind: string,
  wanted: number,
  pace: EvenPace | WindowPace<SqlPart>,
  isDue: SqlPart = sql`1 = 1`,
): TakenTurns {
  const row = sql`{}_share.account = ${account} AND {}_share.kind = ${kind}
    AND {}_share.who = ''`;
  const place = { account, kind, row, isDue };
  return 'interval' in pace ? evenTurns(place, pace) : windowTurns(place, wanted, pace);
}

/** Allows requests one after another (GCRA), so a single row is enough. */
function evenTurns(place: TurnRow, { interval, burst }: EvenPace): TakenTurns {
  const { row, isDue } = place;
  const isTurn = sql`turn <= ${NOW} + ${burst} AND ${isDue}`;
  return {
    take: [
      lockedRow(place),
      sql`UPDATE {}_share SET granted = CASE WHEN ${isTurn} THEN 1 ELSE 0 END,
          turn = CASE WHEN ${isTurn} THEN ${MAX}(turn, ${NOW}) + ${interval} ELSE turn END
        WHERE ${row} AND (granted > 0 OR ${isDue})`,
    ],
    granted: grantedBy(row),
    state: sql`SELECT granted, turn - ${NOW} - ${burst} AS delay FROM {}_share
      WHERE ${row} AND ${isDue}`,
  };
}

/**
 * Counts the requests in each part of a window, so that no window has more than `most`. Requests are
 * allowed right away as long as `spread` requests of higher priorities can still be sent at even
 * intervals over the next window. Otherwise, they're sent at these intervals themselves.
 */
function windowTurns(place: TurnRow, wanted: number, pace: WindowPace<SqlPart>): TakenTurns {
  const { account, kind, row, isDue } = place;
  const { most, window, spread = 0, reserve = 0 } = pace;
  const left = turnsLeft(account, kind, most, window, spread);
  const kept = sql`CAST(${reserve} AS INTEGER)`;
  const isSlow = sql`w.rest - ${kept} <= w.held`;
  const isSoon = sql`{}_share.turn > ${NOW}`;
  const apart = sql`CAST(${window / Math.max(1, spread)} AS DOUBLE PRECISION)`;
  const part = whole(sql`${NOW} / CAST(${window / PARTS} AS DOUBLE PRECISION)`);
  return {
    take: [
      lockedRow(place),
      sql`UPDATE {}_share SET granted = CASE WHEN ${isDue} THEN ${MAX}(0,
            ${MIN}(CAST(${wanted} AS INTEGER), w.rest - ${kept},
              CASE WHEN NOT (${isSlow}) THEN w.rest - ${kept} - w.held WHEN ${isSoon} THEN 0 ELSE 1 END))
          ELSE 0 END,
        turn = CASE WHEN ${isDue} AND ${isSlow} AND w.rest > ${kept} AND NOT (${isSoon})
          THEN ${NOW} + ${apart} ELSE {}_share.turn END
        FROM ${left} WHERE ${row} AND ({}_share.granted > 0 OR ${isDue})`,
      sql`INSERT INTO {}_share (account, kind, who, turn, granted)
        SELECT account, CAST(${formatTaken(kind)} AS TEXT), CAST(${part} % ${ROWS_TEXT} AS TEXT),
          ${NOW}, granted FROM {}_share WHERE ${row} AND granted > 0
        ON CONFLICT (account, kind, who) DO UPDATE SET turn = excluded.turn,
          granted = excluded.granted + CASE
            WHEN {}_share.turn > ${NOW} - CAST(${window} AS DOUBLE PRECISION)
            THEN {}_share.granted ELSE 0 END`,
    ],
    granted: grantedBy(row),
    state: sql`SELECT {}_share.granted AS granted, CASE
        WHEN w.rest > ${kept} THEN {}_share.turn
        ELSE w.oldest + CAST(${window} AS DOUBLE PRECISION) END - ${NOW} AS delay
      FROM {}_share, ${left} WHERE ${row} AND ${isDue}`,
  };
}

/**
 * Returns a table with one row and the alias `w`. The row contains the number of remaining requests
 * and the time of the oldest request. `held` is how many requests must be left so that `spread`
 * requests can be sent at even intervals over the next window, while older ones still count.
 */
export function turnsLeft(
  account: string,
  kind: string,
  most: number | SqlPart,
  window: number,
  spread: number = 0,
): SqlPart {
  const all = most instanceof SqlPart ? most : sql`CAST(${most} AS INTEGER)`;
  const [wide, slow] = [sql`CAST(${window} AS DOUBLE PRECISION)`, sql`CAST(${spread} AS INTEGER)`];
  const needed = sql`(p.turn + ${wide} - ${NOW}) * ${slow} / ${wide} - p.freed`;
  return sql`(SELECT ${all} - t.taken AS rest, t.taken, t.oldest,
      ${MAX}(${slow} - t.taken, ${whole(sql`t.needed + 0.5`)}) AS held
    FROM (SELECT CAST(coalesce(sum(p.granted), 0) AS INTEGER) AS taken,
        coalesce(min(p.turn), 0) AS oldest, ${MAX}(0, coalesce(max(${needed}), 0)) AS needed
      FROM (SELECT granted, turn, sum(granted) OVER (ORDER BY turn, who) - granted AS freed
        FROM {}_share WHERE account = ${account} AND kind = ${formatTaken(kind)}
          AND turn > ${NOW} - ${wide}) p) t) w`;
}

export function freedTurns(account: string, kind: string): SqlPart {
  return sql`DELETE FROM {}_share WHERE account = ${account}
    AND kind IN (${kind}, ${formatTaken(kind)}) AND (who = '' OR kind <> ${kind})`;
}

function lockedRow({ account, kind, isDue }: TurnRow): SqlPart {
  return sql`INSERT INTO {}_share (account, kind, who, turn)
    SELECT CAST(${account} AS TEXT), CAST(${kind} AS TEXT), '', 0 WHERE ${isDue}
    ON CONFLICT (account, kind, who) ${LOCKED}`;
}

function grantedBy(row: SqlPart): SqlPart {
  return sql`coalesce((SELECT granted FROM {}_share WHERE ${row}), 0)`;
}

/** The name under which the rows for a window's parts are stored. */
const formatTaken = (kind: string): string => `${kind}, taken`;
const ROWS_TEXT = new SqlPart(() => String(ROWS));
/** Locks an existing row. SQLite doesn't need this, because it only runs one write at a time. */
const LOCKED = new SqlPart(({ dialect, prefix }) =>
  dialect === 'sqlite' ? 'DO NOTHING' : `DO UPDATE SET turn = ${prefix}_share.turn`,
);
