import { type Connection, type Lane, shared } from './connection.ts';
import type { Group } from './row.ts';

export interface Sending {
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
const MARGIN = 1.05;

/** After a block half of the share is left, for others use this address too; each quiet ten minutes give a tenth of the whole back. */
const QUIET = 600_000;

// Requests are counted against the published limits, by a log of sending times that slides.

/** What a client and its children share. */
export function booksOf(connection: Connection): Books {
  return shared(connection, 'core.budget', () => ({ accounts: new Map(), listeners: new Set() }));
}

/** How long a request counts, milliseconds. */
export function windowOf({ settings }: Connection, group: Group): number {
  return settings.limits[group].window * MARGIN;
}

function accountOf(connection: Connection, group: Group, now: number = connection.clock.monotonic()): Account {
  const { accounts } = booksOf(connection);
  let account = accounts.get(group);
  if (!account) accounts.set(group, (account = { sent: [], blockedUntil: -Infinity, damped: 1 }));
  const { sent } = account;
  const start = now - windowOf(connection, group);
  while (sent[0] && sent[0].at <= start) sent.shift();
  return account;
}

/** Part of the share that may be used now. */
function partOf({ damped, blockedUntil }: Account, now: number): number {
  return damped === 1 ? 1 : Math.min(1, damped + Math.max(0, Math.floor((now - blockedUntil) / QUIET)) / 10);
}

function placesIn({ settings: { limits, share } }: Connection, group: Group, account: Account, now: number): number {
  return limits[group].limit * share * partOf(account, now);
}

function tell(connection: Connection): void {
  for (const listener of booksOf(connection).listeners) listener();
}

/** Milliseconds until a request of this group and lane may leave; 0 means now. */
export function delayOf(connection: Connection, group: Group, lane: Lane): number {
  const now = connection.clock.monotonic();
  const account = accountOf(connection, group, now);
  const { sent, blockedUntil } = account;
  if (now < blockedUntil) return blockedUntil - now;
  const places = Math.floor(placesIn(connection, group, account, now) * (1 - RESERVE[lane]));
  const oldest = sent[sent.length - Math.max(1, places)];
  return oldest ? Math.max(1, oldest.at + windowOf(connection, group) - now) : 0;
}

/** Notes that a request leaves now. */
export function spend(connection: Connection, group: Group, lane: Lane): void {
  const at = connection.clock.monotonic();
  accountOf(connection, group, at).sent.push({ at, lane });
  tell(connection);
}

/** Remembers that the service refuses this group for `ms`. */
export function block(connection: Connection, group: Group, ms: number): void {
  const now = connection.clock.monotonic();
  const account = accountOf(connection, group, now);
  if (now >= account.blockedUntil) account.damped = partOf(account, now) / 2; // those under way hear of the same block
  account.blockedUntil = Math.max(account.blockedUntil, now + ms);
  tell(connection);
}

/** Milliseconds that the group is still blocked. */
export function blockedFor(connection: Connection, group: Group): number {
  return Math.max(0, accountOf(connection, group).blockedUntil - connection.clock.monotonic());
}

/** The requests of the last window, the oldest first. */
export function sentOf(connection: Connection, group: Group): readonly Sending[] {
  return accountOf(connection, group).sent;
}

/** Requests that may leave in a window now, lanes aside. */
export function placesOf(connection: Connection, group: Group): number {
  const now = connection.clock.monotonic();
  return placesIn(connection, group, accountOf(connection, group, now), now);
}
