import { type Connection, type Lane, shared } from './connection.ts';
import type { Group } from './row.ts';

interface Sending {
  readonly at: number;
  readonly lane: Lane;
}

/** What is known of one group: numbers and times only, so that no request can poison the next. */
interface Account {
  readonly sent: Sending[];
  blockedUntil: number;
  /** Part of the share that was left when the last block began. */
  damped: number;
}

/** What is kept for all groups, and whoever wants to hear of changes. */
export interface Books {
  readonly accounts: Map<Group, Account>;
  readonly listeners: Set<() => void>;
}

/** Part of a limit that a lane leaves to those before it. */
export const RESERVE: Readonly<Record<Lane, number>> = { execute: 0, checkout: 0.05, watch: 0.1, lists: 0.2 };

/** The service counts by its own clock, so each window is kept a little longer. */
export const MARGIN = 1.05;

/** After a block half of the share is left, for others use this address too; each quiet ten minutes give a tenth of the whole back. */
const QUIET = 600_000;

/** Counts requests against the published limits, by a log of sending times that slides. */
export interface Budget {
  /** Milliseconds until a request of this group and lane may leave; 0 means now. */
  delay(group: Group, lane: Lane): number;
  /** Notes that a request leaves now. */
  spend(group: Group, lane: Lane): void;
  /** Remembers that the service refuses this group for `ms`. */
  block(group: Group, ms: number): void;
  /** Milliseconds that the group is still blocked. */
  blockedFor(group: Group): number;
  /** Requests of the last window, without those of `lane`. */
  usedByOthers(group: Group, lane: Lane): number;
  /** Requests that may leave in a window now, lanes aside. */
  places(group: Group): number;
}

/** What the budgets of this client and its children are made of. */
export function booksOf(connection: Connection): Books {
  return shared(connection, 'core.budget', () => ({ accounts: new Map(), listeners: new Set() }));
}

/** The budget of this client and its children. */
export function budgetOf(connection: Connection): Budget {
  const { accounts, listeners } = booksOf(connection);
  const { clock, settings } = connection;

  function account(group: Group): Account {
    const known = accounts.get(group) ?? { sent: [], blockedUntil: -Infinity, damped: 1 };
    accounts.set(group, known);
    const start = clock.monotonic() - settings.limits[group].window * MARGIN;
    while (known.sent[0] && known.sent[0].at <= start) known.sent.shift();
    return known;
  }

  const blockedFor = (group: Group) => Math.max(0, account(group).blockedUntil - clock.monotonic());
  const tell = () => listeners.forEach((listener) => listener());

  /** Part of the share that may be used now. */
  function part(group: Group): number {
    const { damped, blockedUntil } = account(group);
    return damped === 1 ? 1 : Math.min(1, damped + Math.max(0, Math.floor((clock.monotonic() - blockedUntil) / QUIET)) / 10);
  }

  const places = (group: Group) => settings.limits[group].limit * settings.share * part(group);

  return {
    blockedFor,
    places,
    delay(group, lane) {
      const { sent } = account(group);
      const oldest = sent[sent.length - Math.max(1, Math.floor(places(group) * (1 - RESERVE[lane])))];
      return blockedFor(group) || (oldest ? Math.max(1, oldest.at + settings.limits[group].window * MARGIN - clock.monotonic()) : 0);
    },
    spend(group, lane) {
      account(group).sent.push({ at: clock.monotonic(), lane });
      tell();
    },
    block(group, ms) {
      const known = account(group);
      if (!blockedFor(group)) known.damped = part(group) / 2; // those under way hear of the same block
      known.blockedUntil = Math.max(known.blockedUntil, clock.monotonic() + ms);
      tell();
    },
    usedByOthers: (group, lane) => account(group).sent.filter((sending) => sending.lane !== lane).length,
  };
}
