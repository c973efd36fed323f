import type { Clock } from '../core/time.ts';
import type { LoginSettings } from './options.ts';
import type { Tokens } from './server.ts';

/**
 * A stored login. It contains no points in time, because clocks of different processes are never
 * compared.
 */
export interface StoredLogin {
  readonly access: string;
  readonly refresh?: string | undefined;
  /**
   * Lifetime of the access token, milliseconds from its request; absent where the server did not
   * say.
   */
  readonly life?: number | undefined;
  readonly scopes: readonly string[];
  /** The `state` of its login; tokens of another login never replace it. */
  readonly login?: string | undefined;
  /**
   * A process may be sending the refresh token. No other process changes the row for this many
   * milliseconds, counted by each process from when it first saw this version of the row.
   */
  readonly lease?: number | undefined;
  /** A refresh had no response, so that its tokens may be lost. */
  readonly unsure?: boolean | undefined;
}

/** The row of a session: the login (`null`: logged out), and the version for the next change. */
interface LoginRow {
  readonly stored: StoredLogin | null;
  readonly version: number;
}

/** Tokens are renewed a tenth of their lifetime before they expire, but at most this. */
const MAX_RENEWAL_MARGIN_MS = 10_000;

/**
 * The stored tokens of one session and their age, as far as this process knows it. Otherwise tokens
 * are only in closures.
 */
export interface LoginRepository extends Pick<Ages, 'moment' | 'passed'> {
  read(): Promise<LoginRow>;
  /** Writes only if the row still has this version. */
  swap(version: number, stored: StoredLogin | null): Promise<boolean>;
  put(stored: StoredLogin | null): Promise<number>;
  /**
   * Makes the login to store from new tokens; their age counts from the request. What the server
   * left out is kept.
   */
  toStored(
    tokens: Tokens,
    before: Pick<StoredLogin, 'refresh' | 'scopes' | 'login'>,
    asked: Moment,
  ): StoredLogin;
  /**
   * Tells whether the access token is still valid. The process that received it knows its age
   * exactly. One that read it later may underestimate the age: it gets one 401 and renews. No
   * process takes a valid token for an expired one.
   */
  isAlive(stored: StoredLogin): boolean;
  /** The latest time at which the access token expires, by this process's clock. */
  endOf(stored: StoredLogin): number | undefined;
}

/** The store of a session's rows, and the clock of the process that reads them. */
type Place = Pick<LoginSettings, 'store' | 'sessionId' | 'clock'>;

/** Opens the repository of one login. */
export function loginRepository({ store, sessionId, clock }: Place): LoginRepository {
  const key = `oauth/${sessionId}/tokens`;
  const ages = makeAges(clock);
  const since = (stored: StoredLogin): Moment => ages.since(nameLogin(stored));
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
      ages.note(nameLogin(stored), asked);
      return stored;
    },
    isAlive(stored) {
      const { life = Infinity } = stored;
      return (
        ages.passed(since(stored)) < life - Math.min(MAX_RENEWAL_MARGIN_MS, Math.floor(life / 10))
      );
    },
    endOf: (stored) => (stored.life === undefined ? undefined : since(stored)[0] + stored.life),
  };
}

/** Names a token and its lifetime: a server may send a token again with its remaining lifetime. */
function nameLogin({ access, life }: StoredLogin): string {
  return `${life} ${access}`;
}

/**
 * The facts that finish a login. The verifier is made here, sent at the end only, and used once.
 */
export interface PendingLogin {
  readonly state: string;
  readonly verifier: string;
}

/** Maximum number of pending logins of a session; the oldest is dropped. */
const MAX_PENDING = 5;
/** Longest time for which a login may be pending, by this process's clock. */
const PENDING_FOR_MS = 10 * 60_000;

/** The pending logins of a session, in one row. */
export function openPendingLogins({ store, sessionId, clock }: Place) {
  const key = `oauth/${sessionId}/begun`;
  const ages = makeAges(clock);

  async function change(
    how: (all: readonly PendingLogin[]) => readonly PendingLogin[],
  ): Promise<void> {
    for (;;) {
      const row = await store.get(key);
      const found = (row?.value ?? []) as readonly PendingLogin[];
      const all = found.filter(({ state }) => ages.passed(ages.since(state)) < PENDING_FOR_MS);
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

/** More names than are in use at once; a forgotten one counts as new. */
const MAX_REMEMBERED = 8;

/** The age of things, as far as one process can know it. */
interface Ages {
  moment(): Moment;
  /** Notes when a thing became known. */
  note(name: string, at: Moment): Moment;
  /** Returns when a thing became known; an unknown one becomes known now. */
  since(name: string): Moment;
  /** Returns the milliseconds since a moment. */
  passed(from: Moment): number;
}

/**
 * Ages are counted by this process's own clocks from when it first saw a thing. A time that another
 * process wrote is useless here, because its clock may be hours off. So a thing may be older than
 * this says, but never younger.
 */
function makeAges(clock: Clock): Ages {
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
     * Takes the larger difference: a wall clock can be set back, and the monotonic clock may stand
     * still while the machine sleeps.
     */
    passed: ([wall, monotonic]: Moment): number =>
      Math.max(clock.now() - wall, clock.monotonic() - monotonic),
  };
}
