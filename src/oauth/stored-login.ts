import type { Clock } from '../core/time.ts';
import type { LoginSettings } from './options.ts';
import type { Tokens } from './server.ts';

/** A stored login. It contains no time: clocks of different processes are never compared. */
export interface StoredLogin {
  readonly access: string;
  readonly refresh?: string | undefined;
  /**
   * How long the access token lives, milliseconds from when it was asked for; absent where the
   * server did not say.
   */
  readonly life?: number | undefined;
  readonly scopes: readonly string[];
  /** The `state` of the login it came from: tokens of another login never replace it. */
  readonly login?: string | undefined;
  /**
   * A process may be sending the refresh token. For so many milliseconds, counted by each process
   * from when it first saw this version of the row, no other process changes it.
   */
  readonly lease?: number | undefined;
  /** A refresh had no response: its tokens may be lost. */
  readonly unsure?: boolean | undefined;
}

/** The row of a session: the login (`null`: logged out), and the version for the next change. */
interface LoginRow {
  readonly stored: StoredLogin | null;
  readonly version: number;
}

/** Renewed this long before the end: a tenth of the lifetime, at most ten seconds. */
const MARGIN = 10_000;

/**
 * The stored tokens of one session, and their age as far as this process knows. Tokens are nowhere
 * else but in closures.
 */
export interface LoginRepository extends Pick<Ages, 'moment' | 'passed'> {
  read(): Promise<LoginRow>;
  /** Writes only if the row still has this version. */
  swap(version: number, stored: StoredLogin | null): Promise<boolean>;
  put(stored: StoredLogin | null): Promise<number>;
  /**
   * The login to store for new tokens; their age counts from the request. What the server left out
   * stays as it was.
   */
  toStored(
    tokens: Tokens,
    before: Pick<StoredLogin, 'refresh' | 'scopes' | 'login'>,
    asked: Moment,
  ): StoredLogin;
  /**
   * Whether the access token has not expired. The process that received it knows its age exactly;
   * one that read it later may take it for younger than it is: it gets one 401 and renews. A valid
   * token is never taken for an expired one.
   */
  isAlive(stored: StoredLogin): boolean;
  /** When the access token ends by this process's clock, at the latest. */
  endOf(stored: StoredLogin): number | undefined;
}

/** Where a session's rows are, and the clock of the process that reads them. */
type Place = Pick<LoginSettings, 'store' | 'sessionId' | 'clock'>;

/** Opens the repository of one login. */
export function loginRepository({ store, sessionId, clock }: Place): LoginRepository {
  const key = `oauth/${sessionId}/tokens`;
  const ages = agesOf(clock);
  const since = (stored: StoredLogin): Moment => ages.since(nameOf(stored));
  return {
    ...ages,
    async read() {
      const row = await store.get(key);
      const stored = (row?.value ?? null) as StoredLogin | null;
      if (stored) since(stored);
      return { stored, version: row?.version ?? 0 };
    },
    swap: (version, stored) => store.compareAndSet(key, version, stored),
    put: (stored) => store.put(key, stored),
    toStored({ access, refresh, life, scopes }, before, asked) {
      const stored = {
        access,
        life,
        refresh: refresh ?? before.refresh,
        scopes: scopes ?? before.scopes,
        login: before.login,
      };
      ages.note(nameOf(stored), asked);
      return stored;
    },
    isAlive(stored) {
      const { life = Infinity } = stored;
      return ages.passed(since(stored)) < life - Math.min(MARGIN, Math.floor(life / 10));
    },
    endOf: (stored) => (stored.life === undefined ? undefined : since(stored)[0] + stored.life),
  };
}

/** A server may send a token again, with what is left of its life. */
function nameOf({ access, life }: StoredLogin): string {
  return `${life} ${access}`;
}

/** What finishes a login: made here, never sent, used once. */
export interface PendingLogin {
  readonly state: string;
  readonly verifier: string;
}

/** Pending logins of one session at most; the oldest is dropped. */
const MAX_PENDING = 5;
/** How long a login may be pending, milliseconds, by this process's clock. */
const LIFE = 10 * 60_000;

/** The pending logins of a session, in one row. */
export function pendingLoginsOf({ store, sessionId, clock }: Place) {
  const key = `oauth/${sessionId}/begun`;
  const ages = agesOf(clock);

  async function change(
    how: (all: readonly PendingLogin[]) => readonly PendingLogin[],
  ): Promise<void> {
    for (;;) {
      const row = await store.get(key);
      const found = (row?.value ?? []) as readonly PendingLogin[];
      const all = found.filter(({ state }) => ages.passed(ages.since(state)) < LIFE);
      if (await store.compareAndSet(key, row?.version ?? 0, how(all))) return;
    }
  }

  return {
    async keep(begun: PendingLogin): Promise<void> {
      ages.since(begun.state);
      await change((all) => [...all, begun].slice(-MAX_PENDING));
    },
    /** Takes the pending login with this state; a second call gets `undefined`. */
    async take(state: string | null): Promise<PendingLogin | undefined> {
      let found: PendingLogin | undefined;
      await change((all) => {
        found = all.find((begun) => begun.state === state);
        return all.filter((begun) => begun !== found);
      });
      return found;
    },
  };
}

/** A moment by both clocks of this process. */
type Moment = readonly [wall: number, monotonic: number];

/** How many things are remembered: more than are in use; what is forgotten counts as new. */
const MAX_REMEMBERED = 8;

/** How old things are, as far as one process can know. */
interface Ages {
  moment(): Moment;
  /** Notes since when a thing is known. */
  note(name: string, at: Moment): Moment;
  /** Since when it is known; if it was not, since now. */
  since(name: string): Moment;
  /** Milliseconds since then. */
  passed(from: Moment): number;
}

/**
 * Ages are counted on this process's own clocks from when it first saw a thing. A time that another
 * process wrote says nothing here: its clock may be hours away. So a thing is never younger than is
 * said here, and may be older.
 */
function agesOf(clock: Clock): Ages {
  const seen = new Map<string, Moment>();
  const moment = (): Moment => [clock.now(), clock.monotonic()];

  function note(name: string, at: Moment): Moment {
    if (seen.size === MAX_REMEMBERED) seen.clear();
    seen.set(name, at);
    return at;
  }

  return {
    moment,
    note,
    since: (name: string): Moment => seen.get(name) ?? note(name, moment()),
    /**
     * The larger of two: a wall clock can be set back, the other one may stand still while the
     * machine sleeps.
     */
    passed: ([wall, monotonic]: Moment): number =>
      Math.max(clock.now() - wall, clock.monotonic() - monotonic),
  };
}
