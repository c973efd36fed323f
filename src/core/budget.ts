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
}

/** Part of a limit that a lane leaves to those before it. */
const RESERVE: Readonly<Record<Lane, number>> = { execute: 0, checkout: 0.05, watch: 0.1, lists: 0.2 };

/** The service counts by its own clock, so each window is kept a little longer. */
const MARGIN = 1.05;

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
}

/** The budget of this client and its children. */
export function budgetOf(connection: Connection): Budget {
  const accounts = shared(connection, 'core.budget', () => new Map<Group, Account>());
  const { clock, settings } = connection;

  function account(group: Group): Account {
    const known = accounts.get(group) ?? { sent: [], blockedUntil: -Infinity };
    accounts.set(group, known);
    const start = clock.monotonic() - settings.limits[group].window * MARGIN;
    while (known.sent[0] && known.sent[0].at <= start) known.sent.shift();
    return known;
  }

  const blockedFor = (group: Group) => Math.max(0, account(group).blockedUntil - clock.monotonic());

  return {
    blockedFor,
    delay(group, lane) {
      const { limit, window } = settings.limits[group];
      const { sent } = account(group);
      const oldest = sent[sent.length - Math.max(1, Math.floor(limit * settings.share * (1 - RESERVE[lane])))];
      return blockedFor(group) || (oldest ? Math.max(1, oldest.at + window * MARGIN - clock.monotonic()) : 0);
    },
    spend: (group, lane) => void account(group).sent.push({ at: clock.monotonic(), lane }),
    block(group, ms) {
      const known = account(group);
      known.blockedUntil = Math.max(known.blockedUntil, clock.monotonic() + ms);
    },
    usedByOthers: (group, lane) => account(group).sent.filter((sending) => sending.lane !== lane).length,
  };
}
