import type { EvenPace, WindowPace } from './relay-store.ts';
import { MAX, MIN, NOW, sql, SqlPart, whole } from './sql-text.ts';

/** Parts of a window, of which each has a row that says how many turns were given in it. */
const PARTS = 24;
/** Rows of parts: more than a window has, so that one that is written again is out of it. */
const ROWS = 32;

/** Turns to take in a transaction, by rows of an account. */
interface TakenTurns {
  /** Takes the turns, in order; locks their row, so that processes take turns. */
  readonly take: readonly SqlPart[];
  /** The number of turns that were taken. */
  readonly granted: SqlPart;
  /** A row: how many were `granted`, and milliseconds until there are more: `delay`. */
  readonly state: SqlPart;
}

/** The row that each decision about turns of a kind reads and writes. */
interface TurnRow {
  readonly account: string;
  readonly kind: string;
  readonly row: SqlPart;
  /** Without it no turn is taken, and nothing is written. */
  readonly isDue: SqlPart;
}

/** Takes up to `wanted` turns, where there is something to take them for. */
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

/** One turn after the other (GCRA), so one row says all. */
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
 * What a window has given is counted by its parts, so no window has more than `most`, and after a
 * quiet time all of them may be given at once but for the last `spread`, which are spread evenly.
 */
function windowTurns(place: TurnRow, wanted: number, pace: WindowPace<SqlPart>): TakenTurns {
  const { account, kind, row, isDue } = place;
  const { most, window, spread = 0, reserve = 0 } = pace;
  const left = turnsLeft(account, kind, most, window);
  const [kept, slow] = [sql`CAST(${reserve} AS INTEGER)`, sql`CAST(${spread} AS INTEGER)`];
  const isSlow = sql`w.rest <= ${slow}`;
  const isSoon = sql`{}_share.turn > ${NOW}`;
  const apart = sql`CAST(${window / Math.max(1, spread)} AS DOUBLE PRECISION)`;
  const part = whole(sql`${NOW} / CAST(${window / PARTS} AS DOUBLE PRECISION)`);
  return {
    take: [
      lockedRow(place),
      sql`UPDATE {}_share SET granted = CASE WHEN ${isDue} THEN ${MAX}(0,
            ${MIN}(CAST(${wanted} AS INTEGER), w.rest - ${kept},
              CASE WHEN NOT (${isSlow}) THEN w.rest - ${slow} WHEN ${isSoon} THEN 0 ELSE 1 END))
          ELSE 0 END,
        turn = CASE WHEN ${isDue} AND ${isSlow} AND w.rest > ${kept} AND NOT (${isSoon})
          THEN ${NOW} + ${apart} ELSE {}_share.turn END
        FROM ${left} WHERE ${row} AND ({}_share.granted > 0 OR ${isDue})`,
      sql`INSERT INTO {}_share (account, kind, who, turn, granted)
        SELECT account, CAST(${takenOf(kind)} AS TEXT), CAST(${part} % ${ROWS_TEXT} AS TEXT),
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

function lockedRow({ account, kind, isDue }: TurnRow): SqlPart {
  return sql`INSERT INTO {}_share (account, kind, who, turn)
    SELECT CAST(${account} AS TEXT), CAST(${kind} AS TEXT), '', 0 WHERE ${isDue}
    ON CONFLICT (account, kind, who) ${LOCKED}`;
}

function grantedBy(row: SqlPart): SqlPart {
  return sql`coalesce((SELECT granted FROM {}_share WHERE ${row}), 0)`;
}

/** Rows of this kind count what the parts of the window have given. */
const takenOf = (kind: string): string => `${kind}, taken`;
const ROWS_TEXT = new SqlPart(() => String(ROWS));
/** In SQLite a write is alone anyway. */
const LOCKED = new SqlPart(({ dialect, prefix }) =>
  dialect === 'sqlite' ? 'DO NOTHING' : `DO UPDATE SET turn = ${prefix}_share.turn`,
);
